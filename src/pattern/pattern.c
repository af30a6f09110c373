/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Patterns with a value for each parameter: sizes, work, names, and the C source that comes of
 * them. Arrays and statements are macros there: a(i, j) is an element, S(i, j) runs a statement.
 * Lines of the document keep their place by #line, so that the compiler's messages name them.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/expression.h"
#include "base/memory.h"
#include "pattern/pattern.h"
#include "pattern/poly.h"

enum {
	EXPANDED_MAX = 16 * TP_PATTERN_TEXT_MAX,
	HANDLED_MAX = 4 * EXPANDED_MAX, /* of bytes on the way there, which may come to nothing */
	REPEATED_BYTES = 64, /* what a repetition counts for, besides its text */
	REPEATS_MAX = 1024,
	NESTED_MAX = 4,
};

/* Skips blanks. strspn would do, but costs sanitizers the length of the rest. */
static const char *skip(const char *text)
{
	while (*text == ' ' || *text == '\t' || *text == '\n')
		text++;
	return text;
}

/* --- names replaced --- */

/* Adds `text` with every identifier `name` replaced. */
static void replace(struct tp_str *out, const char *text, size_t len, const char *name,
		    size_t name_len, const char *by)
{
	for (size_t i = 0; i < len;) {
		size_t id = tp_identifier_length(text + i);
		if (id > len - i)
			id = len - i;
		if (id == 0) {
			/* A number includes following letters, as in 0x1f. */
			size_t n = 1;
			if (isdigit((unsigned char)text[i]))
				while (i + n < len && (isalnum((unsigned char)text[i + n])))
					n++;
			tp_str_add_n(out, text + i, n);
			i += n;
			continue;
		}
		if (id == name_len && memcmp(text + i, name, id) == 0)
			tp_str_add(out, by);
		else
			tp_str_add_n(out, text + i, id);
		i += id;
	}
}

/* The value that the code sees: with independent data spaces, n is per thread. */
static int64_t pattern_config_value(const struct tp_pattern_config *c, size_t parameter)
{
	int64_t value = c->values[parameter];
	bool shared_out = c->template == TP_PATTERN_INDEPENDENT &&
			  strcmp(c->pattern->parameters[parameter].name, "n") == 0;
	return shared_out ? value / c->threads : value;
}

/*
 * The text with every name of a constant parameter replaced by its value: isl sees only the runtime
 * parameters.
 */
static void pattern_settle(const struct tp_pattern_config *c, const char *text, struct tp_str *out)
{
	const struct tp_pattern *p = c->pattern;
	TP_STR settled = { 0 };
	tp_str_add(&settled, text);
	for (size_t i = 0; i < p->n_parameters; i++) {
		struct tp_str next = { 0 };
		char value[32];
		if (p->parameters[i].runtime)
			continue;
		snprintf(value, sizeof(value), "%" PRId64, pattern_config_value(c, i));
		replace(&next, tp_str_text(&settled), settled.len, p->parameters[i].name,
			strlen(p->parameters[i].name), value);
		tp_str_release(&settled);
		settled = next;
	}
	tp_str_add(out, tp_str_text(&settled));
}

/* --- REPEAT --- */

/* The end of an argument: a comma or bracket outside all inner ones. NULL: no end. */
static const char *argument_end(const char *text)
{
	int depth = 0;
	for (; *text; text++) {
		if (*text == '(' || *text == '[' || *text == '{')
			depth++;
		else if ((*text == ')' || *text == ']' || *text == '}') && depth-- == 0)
			return text;
		else if (*text == ',' && depth == 0)
			return text;
	}
	return NULL;
}

struct scope {
	const struct tp_pattern_config *configuration;
	unsigned thread;
};

static bool is_called(const char *own, const char *name, size_t len)
{
	return strlen(own) == len && memcmp(own, name, len) == 0;
}

int tp_pattern_find_parameter(const struct tp_pattern *p, const char *name, size_t len)
{
	for (size_t i = 0; i < p->n_parameters; i++)
		if (is_called(p->parameters[i].name, name, len))
			return (int)i;
	return -1;
}

static bool value_of(void *context, const char *name, size_t len, double *value)
{
	const struct scope *scope = context;
	const struct tp_pattern *p = scope->configuration->pattern;
	int parameter = tp_pattern_find_parameter(p, name, len);
	if (parameter >= 0)
		*value = (double)pattern_config_value(scope->configuration, (size_t)parameter);
	else if (is_called("t", name, len))
		*value = scope->thread;
	else if (is_called("threads", name, len))
		*value = scope->configuration->threads;
	else
		return false;
	return true;
}

enum tp_status tp_pattern_config_eval(const struct tp_pattern_config *c,
				      const struct tp_pattern_text *text, unsigned thread,
				      double *value, struct tp_diag *diag)
{
	struct scope scope = { c, thread };
	enum tp_status status = tp_expression_eval(text->text, value_of, &scope, value, diag);
	if (status != TP_OK && diag)
		tp_place_text(diag->where, sizeof(diag->where), c->pattern->path, text->place);
	return status;
}

#define BYTES_MAX 0x1p46

/* Fills the diagnosis with a place of the document. */
static __attribute__((format(printf, 6, 7))) enum tp_status pattern_fail(
	const struct tp_pattern *p, enum tp_status status, struct tp_place place, const char *hint,
	struct tp_diag *diag, const char *fmt, ...)
{
	char where[sizeof(diag->where)], what[160];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return tp_fail(diag, status, tp_place_text(where, sizeof(where), p->path, place), hint,
		       "%s", what);
}

/* A whole number from `least` on. */
static enum tp_status whole(const struct tp_pattern_config *c, const struct tp_pattern_text *text,
			    const char *what, double least, int64_t *value, struct tp_diag *diag)
{
	double found;
	*value = 0;
	if (!text->text)
		return TP_OK;
	enum tp_status status = tp_pattern_config_eval(c, text, 0, &found, diag);
	if (status != TP_OK)
		return status;
	if (found < least || found > BYTES_MAX || found != floor(found))
		return pattern_fail(
			c->pattern, found > BYTES_MAX ? TP_RESOURCE : TP_USAGE, text->place,
			least > 0 ? "a whole number of 1 or more" : "a whole number of 0 or more",
			diag, "%s: %.40s is %g", what, text->text, found);
	*value = (int64_t)found;
	return TP_OK;
}

/* A text being expanded. */
struct expansion {
	const struct tp_pattern_config *configuration;
	const struct tp_pattern_text *whole;
	size_t handled; /* bytes of all texts so far */
	struct tp_str *out;
	struct tp_diag *diag;
};

static enum tp_status refuse(const struct expansion *e, enum tp_status status, const char *hint,
			     const char *what)
{
	return pattern_fail(e->configuration->pattern, status, e->whole->place, hint, e->diag, "%s",
			    what);
}

/* True if the text names nothing that changes without recompiling. */
static bool pattern_is_constant(const struct tp_pattern *p, const char *text)
{
	while (*text) {
		size_t id = tp_identifier_length(text);
		int parameter = id ? tp_pattern_find_parameter(p, text, id) : -1;
		if (is_called("t", text, id) || is_called("threads", text, id) ||
		    (parameter >= 0 && p->parameters[parameter].runtime))
			return false;
		text += id ? id : 1;
	}
	return true;
}

/* FROM and TO. They shape the code, so they may use only compiled-in values. */
static enum tp_status take_bounds(const struct expansion *e, const char *const at[4],
				  const char *const stop[4], double bounds[2])
{
	for (int i = 0; i < 2; i++) {
		char bound[TP_EXPRESSION_MAX_BYTES + 1];
		snprintf(bound, sizeof(bound), "%.*s", (int)(stop[i + 1] - at[i + 1]), at[i + 1]);
		if (!pattern_is_constant(e->configuration->pattern, bound))
			return refuse(e, TP_USAGE, "numbers, and parameters with runtime: false",
				      "REPEAT: code is the same for all values of runtime "
				      "parameters, t and threads, which cannot be bounds");
		struct tp_pattern_text expression = { bound, e->whole->place };
		enum tp_status status = tp_pattern_config_eval(e->configuration, &expression, 0,
							       &bounds[i], e->diag);
		if (status != TP_OK)
			return status;
	}
	if (bounds[1] - bounds[0] >= REPEATS_MAX || fabs(bounds[0]) > 1e9 || fabs(bounds[1]) > 1e9)
		return refuse(e, TP_RESOURCE, "at most 1024 repetitions",
			      "REPEAT: there are too many repetitions");
	return TP_OK;
}

static enum tp_status expand(struct expansion *e, const char *text, size_t len, unsigned nested);

/* After "REPEAT(": NAME, FROM, TO, TEXT). *end is past its bracket. */
static enum tp_status repeat(struct expansion *e, const char *text, const char **end,
			     unsigned nested)
{
	static const char form[] = "write REPEAT(k, 1, 3, text with k)";
	const char *at[4], *stop[4];
	double bounds[2];
	for (int i = 0; i < 4; i++) {
		at[i] = skip(text);
		/* The text of a repetition may have commas; its bracket ends it. */
		do {
			stop[i] = argument_end(text);
			text = stop[i] ? stop[i] + 1 : text;
		} while (i == 3 && stop[i] && *stop[i] == ',');
		if (!stop[i] || *stop[i] != (i == 3 ? ')' : ','))
			return refuse(e, TP_USAGE, form, "REPEAT: it needs four arguments");
	}
	*end = stop[3] + 1;
	size_t name_len = tp_identifier_length(at[0]);
	if (nested >= NESTED_MAX)
		return refuse(e, TP_USAGE, form, "REPEAT is nested more than four deep");
	if (name_len == 0 || at[0] + name_len > stop[0])
		return refuse(e, TP_USAGE, form, "REPEAT: its first argument is not a name");
	enum tp_status status = take_bounds(e, at, stop, bounds);
	for (int64_t k = status == TP_OK ? (int64_t)bounds[0] : 1;
	     status == TP_OK && k <= (int64_t)bounds[1]; k++) {
		TP_STR one = { 0 };
		char value[32];
		snprintf(value, sizeof(value), "%" PRId64, k);
		replace(&one, at[3], (size_t)(stop[3] - at[3]), at[0], name_len, value);
		status = expand(e, tp_str_text(&one), one.len, nested + 1);
		tp_str_add(e->out, " ");
	}
	return status;
}

static enum tp_status expand(struct expansion *e, const char *text, size_t len, unsigned nested)
{
	const char *end = text + len;
	enum tp_status status = TP_OK;
	e->handled += len + REPEATED_BYTES;
	while (text < end && status == TP_OK) {
		size_t id = tp_identifier_length(text);
		if (id == 6 && memcmp(text, "REPEAT", 6) == 0 && text[6] == '(') {
			status = repeat(e, text + 7, &text, nested);
		} else {
			tp_str_add_n(e->out, text, id ? id : 1);
			text += id ? id : 1;
		}
		if (e->out->len > EXPANDED_MAX || e->handled > HANDLED_MAX)
			return refuse(e, TP_RESOURCE, "256 KiB are allowed",
				      "REPEAT: the code becomes too long");
	}
	return status;
}

/* Comments may name unused arrays and have brackets: only line breaks stay. */
static void strip(struct tp_str *out, const char *code)
{
	char quote = '\0';
	for (const char *c = code; *c;) {
		const char *end = c + 1;
		bool comment = !quote && c[0] == '/' && (c[1] == '/' || c[1] == '*');
		if (comment) {
			end = c[1] == '/' ? strchr(c, '\n') : strstr(c + 2, "*/");
			end = !end ? c + strlen(c) : c[1] == '/' ? end : end + 2;
			tp_str_add(out, " ");
			for (; c < end; c++)
				tp_str_add(out, *c == '\n' ? "\n" : "");
			continue;
		}
		if (quote && *c == '\\' && c[1])
			end++;
		else if (quote ? *c == quote || *c == '\n' : *c == '"' || *c == '\'')
			quote = quote ? '\0' : *c;
		tp_str_add_n(out, c, (size_t)(end - c));
		c = end;
	}
}

enum tp_status tp_pattern_expand(const struct tp_pattern_config *c,
				 const struct tp_pattern_text *code, struct tp_str *out,
				 struct tp_diag *diag)
{
	struct expansion e = { c, code, 0, out, diag };
	TP_STR bare = { 0 };
	strip(&bare, code->text);
	return expand(&e, tp_str_text(&bare), bare.len, 0);
}

/* --- arrays --- */

/* An assignment after the access: "=" only writes, "+=" and "++" read as well. */
static void role_of(const char *before, const char *start, const char *behind, bool *read,
		    bool *write)
{
	behind = skip(behind);
	char first = behind[0], second = first ? behind[1] : '\0',
	     third = second ? behind[2] : '\0';
	bool steps = (first == '+' || first == '-') && second == first;
	bool shifts = (first == '<' || first == '>') && second == first && third == '=';
	bool computes = first && strchr("+-*/%&|^", first) && second == '=';
	*write = (first == '=' && second != '=') || steps || shifts || computes;
	*read = !(first == '=' && second != '=');
	/* ++a(i) */
	while (before > start && (before[-1] == ' ' || before[-1] == '\t'))
		before--;
	if (before - start >= 2 && before[-1] == before[-2] &&
	    (before[-1] == '+' || before[-1] == '-'))
		*write = true;
}

static bool is_same(const struct tp_pattern_access *a, const struct tp_pattern_access *b)
{
	bool same = a->array == b->array && a->n_arguments == b->n_arguments;
	for (size_t i = 0; i < a->n_arguments && same; i++)
		same = strcmp(a->arguments[i], b->arguments[i]) == 0;
	return same;
}

static char *without_blanks(struct tp_arena *arena, const char *text, size_t len)
{
	char *out = tp_arena_alloc(arena, len + 1);
	size_t n = 0;
	for (size_t i = 0; i < len; i++)
		if (!isspace((unsigned char)text[i]))
			out[n++] = text[i];
	return out;
}

/* The arguments after the bracket; NULL: no closing one. */
static const char *take_arguments(struct tp_arena *arena, const char *text,
				  struct tp_pattern_access *access)
{
	for (;;) {
		const char *end = argument_end(text);
		if (!end || (*end != ',' && *end != ')') ||
		    access->n_arguments == TP_PATTERN_FORMALS_MAX)
			return NULL;
		access->arguments[access->n_arguments++] =
			without_blanks(arena, text, (size_t)(end - text));
		text = end + 1;
		if (*end == ')')
			return text;
	}
}

int tp_pattern_find_array(const struct tp_pattern *p, const char *name, size_t len)
{
	for (size_t i = 0; i < p->n_arrays; i++)
		if (is_called(p->arrays[i].name, name, len))
			return (int)i;
	return -1;
}

enum tp_status tp_pattern_accesses(const struct tp_pattern *p, const struct tp_pattern_statement *s,
				   const char *code, struct tp_arena *arena,
				   struct tp_pattern_access accesses[TP_PATTERN_ACCESSES_MAX],
				   size_t *n, struct tp_diag *diag)
{
	*n = 0;
	for (const char *at = code; *at;) {
		size_t id = tp_identifier_length(at);
		int found = id ? tp_pattern_find_array(p, at, id) : -1;
		if (found < 0) {
			at += id ? id : 1;
			continue;
		}
		const struct tp_pattern_array *array = &p->arrays[found];
		const char *open = skip(at + id);
		if (*open != '(')
			return pattern_fail(
				p, TP_USAGE, s->code.place, "write a(i)", diag,
				"%s stands without indices: data are named through the map",
				array->name);
		struct tp_pattern_access access = { .array = array };
		const char *behind = take_arguments(arena, open + 1, &access);
		if (!behind)
			return pattern_fail(p, TP_USAGE, s->code.place, NULL, diag,
					    "a bracket is not closed");
		if (access.n_arguments != array->n_formals)
			return pattern_fail(p, TP_USAGE, s->code.place, NULL, diag,
					    "%s has %zu indices in the map, %zu here", array->name,
					    array->n_formals, access.n_arguments);
		role_of(at, code, behind, &access.read, &access.write);
		size_t known = 0;
		while (known < *n && !is_same(&accesses[known], &access))
			known++;
		if (known == TP_PATTERN_ACCESSES_MAX)
			return pattern_fail(p, TP_RESOURCE, s->code.place,
					    "at most 64 different ones", diag,
					    "a statement names too many elements of arrays");
		if (known == *n)
			accesses[(*n)++] = access;
		accesses[known].read |= access.read;
		accesses[known].write |= access.write;
		at = open + 1; /* indices may name arrays, too: a(b(i)) */
	}
	return TP_OK;
}

#define COUNT_MAX 1e18 /* of instances, and of what one of them does */

static const char *const templates[] = { "unified", "independent", "nonaffine" };

const char *tp_pattern_template_name(enum tp_pattern_template template)
{
	return templates[template];
}

bool tp_pattern_template_find(const char *name, size_t len, enum tp_pattern_template *template)
{
	for (size_t i = 0; i < TP_COUNT_OF(templates); i++)
		if (is_called(templates[i], name, len)) {
			*template = (enum tp_pattern_template)i;
			return true;
		}
	return false;
}

static const struct {
	const char *name, *c;
	unsigned bytes;
} types[] = {
#define ROW(id, name, c, bytes) { name, c, bytes },
	TP_PATTERN_TYPE_LIST(ROW)
#undef ROW
};

const char *tp_pattern_type_name(enum tp_pattern_type type)
{
	return types[type].name;
}

unsigned tp_pattern_type_bytes(enum tp_pattern_type type)
{
	return types[type].bytes;
}

enum tp_status tp_pattern_config_layout(const struct tp_pattern_config *c,
					const struct tp_pattern_array *array,
					struct tp_pattern_layout *layout, struct tp_diag *diag)
{
	int64_t padding;
	double elements = 1;
	*layout = (struct tp_pattern_layout){ 0 };
	enum tp_status status = whole(c, &array->padding, "padding", 0, &padding, diag);
	if (status == TP_OK)
		status = whole(c, &array->offset, "offset", 0, &layout->offset, diag);
	for (size_t i = 0; i < array->n_extents && status == TP_OK; i++) {
		status = whole(c, &array->extents[i], array->name, 1, &layout->extents[i], diag);
		if (i + 1 == array->n_extents)
			layout->extents[i] += padding;
		elements *= (double)layout->extents[i];
	}
	if (status != TP_OK)
		return status;
	double bytes = (elements + (double)layout->offset) * tp_pattern_type_bytes(array->type);
	if (!(bytes <= BYTES_MAX))
		return pattern_fail(c->pattern, TP_RESOURCE, array->place,
				    "give smaller parameters", diag, "%s takes %g bytes",
				    array->name, bytes);
	layout->elements = (uint64_t)elements;
	layout->bytes = (uint64_t)bytes;
	return TP_OK;
}

bool tp_pattern_config_shares(const struct tp_pattern_config *c,
			      const struct tp_pattern_array *array)
{
	return c->template != TP_PATTERN_INDEPENDENT && !array->private;
}

enum tp_status tp_pattern_config_bytes(const struct tp_pattern_config *c, uint64_t *bytes,
				       struct tp_diag *diag)
{
	const struct tp_pattern *p = c->pattern;
	double sum = 0;
	for (size_t i = 0; i < p->n_arrays; i++) {
		struct tp_pattern_layout layout;
		enum tp_status status = tp_pattern_config_layout(c, &p->arrays[i], &layout, diag);
		if (status != TP_OK)
			return status;
		sum += (double)layout.bytes *
		       (tp_pattern_config_shares(c, &p->arrays[i]) ? 1 : c->threads);
	}
	if (sum > BYTES_MAX)
		return pattern_fail(p, TP_RESOURCE, (struct tp_place){ 0 },
				    "give smaller parameters, or fewer threads", diag,
				    "all arrays together take more than 64 TiB");
	*bytes = (uint64_t)sum;
	return TP_OK;
}

/* What is counted: none where the text is not given, never fewer. */
static enum tp_status count_of(const struct tp_pattern_config *c,
			       const struct tp_pattern_text *text, const char *what, double *count,
			       struct tp_diag *diag)
{
	if (!text->text)
		return TP_OK;
	enum tp_status status = tp_pattern_config_eval(c, text, 0, count, diag);
	if (status != TP_OK || (*count >= 0 && *count <= COUNT_MAX))
		return status;
	return pattern_fail(c->pattern, TP_USAGE, text->place, "a number from 0 to 1e18", diag,
			    "%s: %.40s is %g", what, text->text, *count);
}

/* The texts of a question, with constants for the parameters that isl does not see. */
struct question {
	const struct tp_pattern_config *configuration;
	const struct tp_pattern_part *part;
	struct tp_str domain, context, schedule[TP_PATTERN_RELATIONS_MAX];
	const char *relations[TP_PATTERN_RELATIONS_MAX];
	struct tp_str accessed[TP_POLY_ACCESSES_MAX];
	struct tp_poly_access accesses[TP_POLY_ACCESSES_MAX];
	struct tp_poly_input input;
};

/*
 * "#pragma omp for schedule(static) nowait"; "" if threads do not share a loop. A single thread
 * need not share or wait, and a barrier takes as long as a small loop.
 */
static const char *pattern_config_pragma(const struct tp_pattern_config *c)
{
	return c->template == TP_PATTERN_INDEPENDENT || c->threads == 1 ? ""
	       : c->nowait ? "#pragma omp for schedule(static) nowait"
			   : "#pragma omp for schedule(static)";
}

static void question_init(struct question *q, const struct tp_pattern_config *c,
			  const struct tp_pattern_part *part, bool first_only)
{
	const struct tp_pattern *p = c->pattern;
	*q = (struct question){ .configuration = c, .part = part };
	pattern_settle(c, part->domain.text, &q->domain);
	if (p->context.text)
		pattern_settle(c, p->context.text, &q->context);
	for (size_t i = 0; i < part->n_schedule; i++) {
		pattern_settle(c, part->schedule[i].text, &q->schedule[i]);
		q->relations[i] = tp_str_text(&q->schedule[i]);
	}
	const char *pragma = first_only ? "" : pattern_config_pragma(c);
	q->input = (struct tp_poly_input){
		.domain = tp_str_text(&q->domain),
		.schedule = q->relations,
		.n_schedule = first_only ? TP_MIN(part->n_schedule, (size_t)1) : part->n_schedule,
		.context = p->context.text ? tp_str_text(&q->context) : NULL,
		.accesses = q->accesses,
		.parallel_depth = *pragma ? part->parallel : TP_POLY_SERIAL,
		.parallel_pragma = *pragma ? pragma : NULL,
		.duplicates = p->duplicates,
	};
}

/* What isl refuses, with the place in the document; lines of a text count from its own. */
static void tell_refusal(const struct question *q, const struct tp_poly_place *at,
			 const struct tp_diag *why, struct tp_diag *diag)
{
	if (!diag)
		return;
	*diag = *why;
	const struct tp_pattern *p = q->configuration->pattern;
	struct tp_place place = q->part->domain.place;
	if (at->text == TP_POLY_TEXT_SCHEDULE && at->index < q->part->n_schedule)
		place = q->part->schedule[at->index].place;
	if (at->text == TP_POLY_TEXT_CONTEXT)
		place = p->context.place;
	if (at->line > 1)
		place = (struct tp_place){ place.line + at->line - 1, 0 };
	tp_place_text(diag->where, sizeof(diag->where), p->path, place);
}

static void question_release(struct question *q)
{
	tp_str_release(&q->domain);
	tp_str_release(&q->context);
	for (size_t i = 0; i < TP_PATTERN_RELATIONS_MAX; i++)
		tp_str_release(&q->schedule[i]);
	for (size_t i = 0; i < TP_POLY_ACCESSES_MAX; i++)
		tp_str_release(&q->accessed[i]);
}

/* Instances of the domain of `run`, as isl counts them. */
static enum tp_status pattern_count(const struct tp_pattern_config *c, double *instances,
				    struct tp_diag *diag)
{
	const struct tp_pattern *p = c->pattern;
	struct tp_poly_value values[TP_PATTERN_PARAMETERS_MAX + 2];
	struct tp_poly_place place = { 0 };
	size_t n = 0;
	uint64_t found = 0, runs;
	struct tp_diag why;
	for (size_t i = 0; i < p->n_parameters; i++)
		if (p->parameters[i].runtime)
			values[n++] = (struct tp_poly_value){ p->parameters[i].name,
							      pattern_config_value(c, i) };
	values[n++] = (struct tp_poly_value){ "threads", c->threads };
	values[n++] = (struct tp_poly_value){ "t", 0 };
	TP_CLEANUP(question_release) struct question q;
	question_init(&q, c, &p->run, true);
	enum tp_status status = tp_poly_count(&q.input, values, n, &found, &runs, &place, &why);
	*instances = (double)found;
	if (status != TP_OK)
		tell_refusal(&q, &place, &why, diag);
	return status;
}

/* Instances of a statement in a pass of one copy of the arrays. */
static enum tp_status instances_of(const struct tp_pattern_config *c,
				   const struct tp_pattern_statement *s, double *instances,
				   struct tp_diag *diag)
{
	const struct tp_pattern *p = c->pattern;
	if (s->instances.text)
		return count_of(c, &s->instances, "instances", instances, diag);
	if (p->run.domain.text && p->n_statements == 1)
		return pattern_count(c, instances, diag);
	return pattern_fail(
		p, TP_USAGE, s->place, "instances: n", diag,
		"a statement of C code needs the number of its runs in a pass: instances");
}

/* Bytes of the elements that an instance reads and writes. */
static enum tp_status traffic_of(const struct tp_pattern_config *c,
				 const struct tp_pattern_statement *s, double instances,
				 struct tp_pattern_work *work, struct tp_diag *diag)
{
	struct tp_pattern_access accesses[TP_PATTERN_ACCESSES_MAX];
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	TP_STR code = { 0 };
	size_t n = 0;
	double reads = 0, writes = 0, bytes = 0;
	enum tp_status status = tp_pattern_expand(c, &s->code, &code, diag);
	if (status == TP_OK)
		status = tp_pattern_accesses(c->pattern, s, tp_str_text(&code), &arena, accesses,
					     &n, diag);
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		reads += accesses[i].read;
		writes += accesses[i].write;
		bytes += (accesses[i].read + accesses[i].write) *
			 tp_pattern_type_bytes(accesses[i].array->type);
	}
	double counted = reads + writes;
	if (status == TP_OK)
		status = count_of(c, &s->reads, "reads", &reads, diag);
	if (status == TP_OK)
		status = count_of(c, &s->writes, "writes", &writes, diag);
	/* If functions hide the accesses, elements belong to the first array. */
	if (!(counted > 0) && c->pattern->n_arrays)
		bytes = (reads + writes) * tp_pattern_type_bytes(c->pattern->arrays[0].type);
	else if (counted > 0)
		bytes *= (reads + writes) / counted;
	work->reads += instances * reads;
	work->writes += instances * writes;
	work->bytes += instances * bytes;
	return status;
}

enum tp_status tp_pattern_config_work(const struct tp_pattern_config *c,
				      struct tp_pattern_work *work, struct tp_diag *diag)
{
	const struct tp_pattern *p = c->pattern;
	double copies = c->template == TP_PATTERN_INDEPENDENT ? c->threads : 1;
	enum tp_status status = TP_OK;
	*work = (struct tp_pattern_work){ 0 };
	for (size_t i = 0; i < p->n_statements && status == TP_OK; i++) {
		const struct tp_pattern_statement *s = &p->statements[i];
		double instances = 0, flops = 0;
		status = instances_of(c, s, &instances, diag);
		instances *= copies;
		if (status == TP_OK)
			status = count_of(c, &s->flops, "flops", &flops, diag);
		if (status == TP_OK)
			status = traffic_of(c, s, instances, work, diag);
		work->flops += instances * flops;
		if (i == 0)
			work->elements = instances;
	}
	if (status == TP_OK && p->elements.text) {
		status = count_of(c, &p->elements, "elements", &work->elements, diag);
		work->elements *= copies;
	}
	return status;
}

void tp_pattern_arguments_fill(const struct tp_pattern_config *c, unsigned thread,
			       const struct tp_pattern_layout layouts[TP_PATTERN_ARRAYS_MAX],
			       struct tp_pattern_arguments *arguments)
{
	const struct tp_pattern *p = c->pattern;
	*arguments = (struct tp_pattern_arguments){ .thread = thread, .threads = c->threads };
	for (size_t i = 0; i < p->n_parameters; i++)
		arguments->values[i] = pattern_config_value(c, i);
	for (size_t i = 0; i < p->n_arrays; i++)
		memcpy(arguments->extents[i], layouts[i].extents, sizeof(layouts[i].extents));
}

const char *tp_pattern_config_name(const struct tp_pattern_config *c, char *out, size_t size)
{
	const struct tp_pattern *p = c->pattern;
	TP_STR text = { 0 };
	for (size_t i = 0; i < p->n_parameters; i++)
		tp_str_printf(&text, "%s%s=%" PRId64, i ? " " : "", p->parameters[i].name,
			      c->values[i]);
	if (c->template != p->templates[0] || p->n_templates > 1)
		tp_str_printf(&text, "%s%s", text.len ? " " : "", templates[c->template]);
	if (c->nowait)
		tp_str_printf(&text, "%snowait", text.len ? " " : "");
	tp_copy(out, size, tp_str_text(&text));
	return out;
}

/* Increment it when the generated code changes: stored objects are then compiled again. */
enum { GENERATOR = 6 };

void tp_pattern_key(const struct tp_pattern_config *c, struct tp_str *key)
{
	const struct tp_pattern *p = c->pattern;
	tp_str_printf(key, "tprof pattern code %d\n%s%s%s\n", GENERATOR,
		      tp_pattern_template_name(c->template), c->nowait ? " nowait" : "",
		      *pattern_config_pragma(c) ? "" : " alone");
	for (size_t i = 0; i < p->n_parameters; i++)
		if (!p->parameters[i].runtime)
			tp_str_printf(key, "%s=%" PRId64 "\n", p->parameters[i].name,
				      pattern_config_value(c, i));
	tp_str_add_n(key, p->document, p->document_bytes);
}

/* --- places --- */

/* The line of the document where the text begins: after | and > it is the next one. */
static unsigned first_line(const struct tp_pattern *p, struct tp_place place)
{
	const char *at = p->document;
	for (unsigned line = 1; line < place.line && at; line++) {
		at = strchr(at, '\n');
		at += at != NULL;
	}
	bool block = at && strlen(at) >= place.column && place.column &&
		     (at[place.column - 1] == '|' || at[place.column - 1] == '>');
	return place.line + block;
}

static void add_line(struct tp_str *out, const struct tp_pattern *p, struct tp_place place)
{
	tp_str_printf(out, "#line %u \"", first_line(p, place));
	for (const char *c = p->path; *c; c++) {
		char shown[] = { *c == '"' || *c == '\\' || !isprint((unsigned char)*c) ? '_' : *c,
				 '\0' };
		tp_str_add(out, shown);
	}
	tp_str_add(out, "\"\n");
}

/* Code as the body of a macro: a backslash at the end of each line. */
static void add_macro_text(struct tp_str *out, const char *code)
{
	for (const char *c = code; *c; c++) {
		if (*c == '\n')
			tp_str_add(out, " \\");
		tp_str_add_n(out, c, 1);
		if (c[0] == '\\' && c[1] == '\n')
			tp_str_add_n(out, ++c, 1);
	}
}

/* --- what all functions see --- */

static const char preamble[] =
	"#include <complex.h>\n"
	"#include <math.h>\n"
	"#include <stdint.h>\n"
	"#include <stddef.h>\n"
	"#ifdef _OPENMP\n"
	"#include <omp.h>\n"
	"#endif\n"
	"#undef I\n"
	"#pragma GCC diagnostic ignored \"-Wunused\"\n"
	"struct tp_pattern_arguments {\n"
	"\tvoid *arrays[%d];\n"
	"\tint64_t extents[%d][%d], values[%d], thread, threads, team, inexact;\n"
	"\tstruct { const char *array; int64_t index[%d], n; double found, expected; } wrong;\n"
	"};\n"
	"static void tp_check(struct tp_pattern_arguments *args, const char *array, double found,\n"
	"\tdouble expected, double tolerance, int64_t n, const int64_t *index)\n"
	"{\n"
	"\tdouble scale = fabs(expected) > 1 ? fabs(expected) : 1;\n"
	"\targs->inexact += found != expected;\n"
	"\tif (args->wrong.array || fabs(found - expected) <= tolerance * scale)\n"
	"\t\treturn;\n"
	"\targs->wrong.array = array;\n"
	"\targs->wrong.n = n;\n"
	"\tfor (int64_t k = 0; k < n && k < %d; k++)\n"
	"\t\targs->wrong.index[k] = index[k];\n"
	"\targs->wrong.found = found;\n"
	"\targs->wrong.expected = expected;\n"
	"}\n"
	"#define CHECK(array, value, ...) tp_check(args, #array, (double)(array(__VA_ARGS__)), "
	"(double)(value), \\\n"
	"\t_Generic((array(__VA_ARGS__)), float: 1e-4, default: 1e-9), \\\n"
	"\tsizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), (int64_t[]){ __VA_ARGS__ })\n";

/* An index with (i) for each of its names: they are arguments of a macro. */
static void add_index(struct tp_str *out, const struct tp_pattern_array *a, const char *text)
{
	while (*text) {
		size_t id = tp_identifier_length(text);
		bool formal = false;
		for (size_t i = 0; i < a->n_formals && id; i++)
			formal |= is_called(a->formals[i], text, id);
		tp_str_add(out, formal ? "(" : "");
		/* The macro has one line. */
		tp_str_add_n(out, *text == '\n' ? " " : text, id ? id : 1);
		tp_str_add(out, formal ? ")" : "");
		text += id ? id : 1;
	}
}

/* #define a(i, j) tp_a[((i)) * tp_a_1 + ((j))] */
static void add_array_macro(struct tp_str *out, const struct tp_pattern_array *a)
{
	tp_str_printf(out, "#define %s(", a->name);
	for (size_t i = 0; i < a->n_formals; i++)
		tp_str_printf(out, "%s%s", i ? ", " : "", a->formals[i]);
	tp_str_printf(out, ") tp_%s[", a->name);
	for (size_t i = 1; i < a->n_map; i++)
		tp_str_add(out, "(");
	for (size_t i = 0; i < a->n_map; i++) {
		if (i)
			tp_str_printf(out, ") * tp_%s_%zu + ", a->name, i);
		tp_str_add(out, "(");
		add_index(out, a, a->map[i].text);
		tp_str_add(out, ")");
	}
	tp_str_add(out, "]\n");
}

static enum tp_status add_statement_macro(const struct tp_pattern_config *c,
					  const struct tp_pattern_statement *s, struct tp_str *out,
					  struct tp_diag *diag)
{
	TP_STR code = { 0 };
	enum tp_status status = tp_pattern_expand(c, &s->code, &code, diag);
	add_line(out, c->pattern, s->code.place);
	tp_str_printf(out, "#define %s(", s->name);
	for (size_t i = 0; i < s->n_formals; i++)
		tp_str_printf(out, "%stp_p%zu", i ? ", " : "", i);
	tp_str_add(out, ") do { ");
	for (size_t i = 0; i < s->n_formals; i++)
		tp_str_printf(out, "const long tp_s%zu = (tp_p%zu); ", i, i);
	tp_str_add(out, "{ ");
	for (size_t i = 0; i < s->n_formals; i++)
		tp_str_printf(out, "const long %s = tp_s%zu; ", s->formals[i], i);
	add_macro_text(out, tp_str_text(&code));
	tp_str_add(out, "; } } while (0)\n");
	return status;
}

/* --- functions --- */

static void add_locals(const struct tp_pattern_config *c, struct tp_str *out)
{
	const struct tp_pattern *p = c->pattern;
	tp_str_add(out, "\tconst long t = args->thread, threads = args->threads;\n"
			"#ifdef _OPENMP\n"
			"\targs->team = omp_get_num_threads();\n"
			"#else\n"
			"\targs->team = 1;\n"
			"#endif\n");
	for (size_t i = 0; i < p->n_parameters; i++) {
		const char *name = p->parameters[i].name;
		if (p->parameters[i].runtime)
			tp_str_printf(out, "\tconst long %s = args->values[%zu];\n", name, i);
		else
			tp_str_printf(out, "\tstatic const long %s = %" PRId64 ";\n", name,
				      pattern_config_value(c, i));
	}
	for (size_t i = 0; i < p->n_arrays; i++) {
		const struct tp_pattern_array *a = &p->arrays[i];
		struct tp_pattern_layout layout;
		bool known = tp_pattern_config_layout(c, a, &layout, NULL) == TP_OK;
		for (size_t d = 1; d < a->n_extents; d++) {
			bool last = d + 1 == a->n_extents && a->padding.text;
			bool constant = known && pattern_is_constant(p, a->extents[d].text) &&
					(!last || pattern_is_constant(p, a->padding.text));
			if (constant)
				tp_str_printf(out, "\tstatic const long tp_%s_%zu = %" PRId64 ";\n",
					      a->name, d, layout.extents[d]);
			else
				tp_str_printf(out,
					      "\tconst long tp_%s_%zu = args->extents[%zu][%zu];\n",
					      a->name, d, i, d);
		}
	}
}

/*
 * The loops with a request to unroll the innermost ones: their bodies are short, and the end of a
 * loop costs as much as an element. OpenMP allows no such line before a loop that is shared.
 */
static void add_unrolled(const char *loops, struct tp_str *out)
{
	while (*loops) {
		size_t blanks = strspn(loops, " "), len = strcspn(loops, "\n");
		const char *next = loops + len + (loops[len] == '\n');
		bool opens = strncmp(loops + blanks, "for (", 5) == 0;
		bool inner = opens && strncmp(next + strspn(next, " "), "for (", 5) != 0;
		if (inner)
			tp_str_printf(out, "%.*s#pragma GCC unroll 16\n", (int)blanks, loops);
		tp_str_add_n(out, loops, (size_t)(next - loops));
		loops = next;
	}
}

/* The loops of a part with a domain; `first_only`: in the order of its first relation, serial. */
static enum tp_status pattern_part_loops(const struct tp_pattern_config *c,
					 const struct tp_pattern_part *part, bool first_only,
					 struct tp_str *out, struct tp_diag *diag)
{
	TP_CLEANUP(question_release) struct question q;
	TP_CLEANUP(tp_poly_answers_release) struct tp_poly_answers answers = { 0 };
	struct tp_poly_place place = { 0 };
	struct tp_diag why;
	question_init(&q, c, part, first_only);
	enum tp_status status = tp_poly_examine(&q.input, TP_POLY_LOOPS, &answers, &place, &why);
	if (status == TP_OK) {
		if (first_only || *pattern_config_pragma(c))
			tp_str_add(out, tp_str_text(&answers.loops));
		else
			add_unrolled(tp_str_text(&answers.loops), out);
		tp_str_add(out, "\n");
	} else {
		tell_refusal(&q, &place, &why, diag);
	}
	return status;
}

static enum tp_status add_body(const struct tp_pattern_config *c,
			       const struct tp_pattern_part *part, bool first_only,
			       struct tp_str *out, struct tp_diag *diag)
{
	if (part->domain.text)
		return pattern_part_loops(c, part, first_only, out, diag);
	TP_STR code = { 0 };
	enum tp_status status = tp_pattern_expand(c, &part->c, &code, diag);
	add_line(out, c->pattern, part->c.place);
	tp_str_add(out, tp_str_text(&code));
	tp_str_add(out, "\n");
	return status;
}

static enum tp_status add_function(const struct tp_pattern_config *c, const char *name,
				   const struct tp_pattern_part *part, bool first_only,
				   struct tp_str *out, struct tp_diag *diag)
{
	/* Compilers honour `restrict` for parameters, but not for every local pointer. */
	const struct tp_pattern *p = c->pattern;
	tp_str_printf(out,
		      "static __attribute__((noinline)) void %s_arrays(struct tp_pattern_arguments "
		      "*args, uint64_t passes",
		      name);
	for (size_t i = 0; i < p->n_arrays; i++)
		tp_str_printf(out, ",\n\t%s *restrict const tp_%s", types[p->arrays[i].type].c,
			      p->arrays[i].name);
	tp_str_add(out, ")\n{\n");
	add_locals(c, out);
	tp_str_add(out, "\tfor (uint64_t pass = 0; pass < passes; pass++) {\n");
	enum tp_status status = add_body(c, part, first_only, out, diag);
	tp_str_add(out, "\t__asm__ volatile(\"\" ::: \"memory\");\n\t}\n}\n");
	tp_str_printf(out,
		      "void %s(struct tp_pattern_arguments *args, uint64_t passes)\n{\n"
		      "\t%s_arrays(args, passes",
		      name, name);
	for (size_t i = 0; i < p->n_arrays; i++)
		tp_str_printf(out, ", args->arrays[%zu]", i);
	tp_str_add(out, ");\n}\n");
	return status;
}

enum tp_status tp_pattern_source(const struct tp_pattern_config *c, struct tp_str *out,
				 struct tp_diag *diag)
{
	const struct tp_pattern *p = c->pattern;
	enum tp_status status = TP_OK;
	tp_str_printf(out, preamble, TP_PATTERN_ARRAYS_MAX, TP_PATTERN_ARRAYS_MAX,
		      TP_PATTERN_EXTENTS_MAX, TP_PATTERN_PARAMETERS_MAX, TP_PATTERN_FORMALS_MAX,
		      TP_PATTERN_FORMALS_MAX);
	/* PARALLEL shares a loop; PARALLEL_SIMD also promises that its iterations touch different
	 * data. */
	bool shared = *pattern_config_pragma(c) != '\0';
	const char *nowait = shared && c->nowait ? " nowait" : "";
	tp_str_printf(out,
		      shared ? "#define PARALLEL _Pragma(\"omp for schedule(static)%s\")\n"
			     : "#define PARALLEL%s\n",
		      nowait);
	tp_str_printf(out, "#define PARALLEL_SIMD _Pragma(\"omp %s%s\")\n",
		      shared ? "for simd schedule(static)" : "simd", nowait);
	for (size_t i = 0; i < p->n_arrays; i++)
		add_array_macro(out, &p->arrays[i]);
	if (p->declarations.text) {
		add_line(out, p, p->declarations.place);
		tp_str_printf(out, "%s\n", p->declarations.text);
	}
	for (size_t i = 0; i < p->n_statements && status == TP_OK; i++)
		status = add_statement_macro(c, &p->statements[i], out, diag);
	if (status == TP_OK)
		status = add_function(c, "tp_init", &p->init, false, out, diag);
	if (status == TP_OK)
		status = add_function(c, "tp_run", &p->run, false, out, diag);
	if (status == TP_OK && p->validate.given)
		status = add_function(c, "tp_validate", &p->validate, false, out, diag);
	if (status == TP_OK && p->reference)
		status = add_function(c, "tp_reference", p->plain.given ? &p->plain : &p->run, true,
				      out, diag);
	return status;
}

enum tp_status tp_pattern_loops(const struct tp_pattern_config *c, struct tp_str *out,
				struct tp_diag *diag)
{
	return add_body(c, &c->pattern->run, false, out, diag);
}

/* --- legality --- */

/* True if the map of an array has that name in it. */
static bool names(const struct tp_pattern_array *a, const char *name)
{
	for (size_t i = 0; i < a->n_map; i++)
		for (const char *at = a->map[i].text; *at;) {
			size_t id = tp_identifier_length(at);
			if (id && is_called(name, at, id))
				return true;
			at += id ? id : 1;
		}
	return false;
}

/* "[n] -> { S[i, j] -> a[i - 1, j] }" */
static void add_relation(const struct tp_pattern_config *c, const struct tp_pattern_statement *s,
			 const struct tp_pattern_access *access, struct tp_str *out)
{
	const struct tp_pattern *p = c->pattern;
	static const char *const both[] = { "t", "threads" };
	const struct tp_pattern_array *a = access->array;
	TP_STR text = { 0 };
	/* Only names in the texts: isl reports the value of each with an instance. */
	const char *joint = "[";
	for (size_t i = 0; i < TP_COUNT_OF(both); i++)
		if (names(a, both[i])) {
			tp_str_printf(&text, "%s%s", joint, both[i]);
			joint = ", ";
		}
	for (size_t i = 0; i < p->n_parameters; i++)
		if (p->parameters[i].runtime) {
			tp_str_printf(&text, "%s%s", joint, p->parameters[i].name);
			joint = ", ";
		}
	tp_str_add(&text, *joint == '[' ? "[" : "");
	tp_str_printf(&text, "] -> { %s[", s->name);
	for (size_t i = 0; i < s->n_formals; i++)
		tp_str_printf(&text, "%s%s", i ? ", " : "", s->formals[i]);
	tp_str_printf(&text, "] -> %s[", a->name);
	for (size_t m = 0; m < a->n_map; m++) {
		tp_str_add(&text, m ? ", " : "");
		for (const char *at = a->map[m].text; *at;) {
			size_t id = tp_identifier_length(at), formal = 0;
			while (id && formal < a->n_formals &&
			       !is_called(a->formals[formal], at, id))
				formal++;
			if (id && formal < a->n_formals)
				tp_str_printf(&text, "(%s)", access->arguments[formal]);
			else
				tp_str_add_n(&text, at, id ? id : 1);
			at += id ? id : 1;
		}
	}
	tp_str_add(&text, "] }");
	pattern_settle(c, tp_str_text(&text), out);
}

static enum tp_status add_accesses(struct question *q, const struct tp_pattern_statement *s,
				   struct tp_diag *diag)
{
	const struct tp_pattern_config *c = q->configuration;
	struct tp_pattern_access accesses[TP_PATTERN_ACCESSES_MAX];
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	TP_STR code = { 0 };
	size_t n = 0;
	enum tp_status status = tp_pattern_expand(c, &s->code, &code, diag);
	if (status == TP_OK)
		status = tp_pattern_accesses(c->pattern, s, tp_str_text(&code), &arena, accesses,
					     &n, diag);
	for (size_t i = 0; i < n && status == TP_OK; i++)
		for (int write = 0; write < 2; write++) {
			size_t k = q->input.n_accesses;
			if (!(write ? accesses[i].write : accesses[i].read))
				continue;
			if (k == TP_POLY_ACCESSES_MAX) {
				status = pattern_fail(c->pattern, TP_RESOURCE, s->place, NULL, diag,
						      "too many accesses to be checked");
				break;
			}
			add_relation(c, s, &accesses[i], &q->accessed[k]);
			q->accesses[k] =
				(struct tp_poly_access){ write, tp_str_text(&q->accessed[k]) };
			q->input.n_accesses++;
		}
	return status;
}

enum tp_status tp_pattern_legal(const struct tp_pattern_config *c, bool *legal, struct tp_str *why,
				struct tp_diag *diag)
{
	const struct tp_pattern *p = c->pattern;
	TP_CLEANUP(tp_poly_answers_release) struct tp_poly_answers answers = { 0 };
	struct tp_poly_place place = { 0 };
	struct tp_diag failure;
	*legal = true;
	if (!p->run.domain.text || p->duplicates) {
		tp_str_add(why, p->duplicates ? "points are repeated on purpose"
					      : "the loops are C code");
		return TP_OK;
	}
	TP_CLEANUP(question_release) struct question q;
	question_init(&q, c, &p->run, false);
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < p->n_statements && status == TP_OK; i++)
		status = add_accesses(&q, &p->statements[i], diag);
	if (status != TP_OK)
		return status;
	status = tp_poly_examine(&q.input, TP_POLY_LEGAL | TP_POLY_PARALLEL, &answers, &place,
				 &failure);
	if (status == TP_OK) {
		*legal = answers.legal && answers.parallel;
		tp_str_add(why, !answers.legal	    ? tp_str_text(&answers.why_illegal)
				: !answers.parallel ? tp_str_text(&answers.why_serial)
						    : "");
	} else if (place.text == TP_POLY_TEXT_ACCESS || status == TP_UNSUPPORTED ||
		   status == TP_RESOURCE) {
		tp_str_printf(why, "isl has no answer: %s", failure.what);
		status = TP_OK;
	} else {
		tell_refusal(&q, &place, &failure, diag);
	}
	return status;
}
