/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the text of a statement says: repeated pieces written out, arrays that it names. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/expression.h"
#include "pattern/pattern_parts.h"

enum {
	EXPANDED_MAX = 16 * TP_PATTERN_TEXT_MAX,
	HANDLED_MAX = 4 * EXPANDED_MAX, /* of bytes on the way there, which may come to nothing */
	REPEATED_BYTES = 64, /* what a repetition counts for, besides its text */
	REPEATS_MAX = 1024,
	NESTED_MAX = 4,
};

/* Behind the blanks. strspn would do, but costs sanitizers the length of all that follows. */
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
			/* A number swallows the letters behind it, as in 0x1f. */
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

void tp_pattern_settle(const struct tp_pattern_config *c, const char *text, struct tp_str *out)
{
	const struct tp_pattern *p = c->pattern;
	struct tp_str settled = { 0 };
	tp_str_add(&settled, text);
	for (size_t i = 0; i < p->n_parameters; i++) {
		struct tp_str next = { 0 };
		char value[32];
		if (p->parameters[i].runtime)
			continue;
		snprintf(value, sizeof(value), "%" PRId64, tp_pattern_config_value(c, i));
		replace(&next, tp_str_text(&settled), settled.len, p->parameters[i].name,
			strlen(p->parameters[i].name), value);
		tp_str_release(&settled);
		settled = next;
	}
	tp_str_add(out, tp_str_text(&settled));
	out->oom |= settled.oom;
	tp_str_release(&settled);
}

/* --- REPEAT --- */

/* The end of an argument: a comma or bracket outside all inner ones. NULL: there is none. */
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

/* A text on its way to the one that is written out. */
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
	return tp_pattern_fail(e->configuration->pattern, status, e->whole->place, hint, e->diag,
			       what);
}

static enum tp_status expand(struct expansion *e, const char *text, size_t len, unsigned nested);

/* FROM and TO. They decide the code, so they know only what is compiled into it. */
static enum tp_status take_bounds(const struct expansion *e, const char *const at[4],
				  const char *const stop[4], double bounds[2])
{
	for (int i = 0; i < 2; i++) {
		char bound[TP_EXPRESSION_MAX_BYTES + 1];
		snprintf(bound, sizeof(bound), "%.*s", (int)(stop[i + 1] - at[i + 1]), at[i + 1]);
		if (!tp_pattern_is_constant(e->configuration->pattern, bound))
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

/* Behind "REPEAT(": NAME, FROM, TO, TEXT). *end is behind its bracket. */
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
			return refuse(e, TP_USAGE, form, "REPEAT: it has no four arguments");
	}
	*end = stop[3] + 1;
	size_t name_len = tp_identifier_length(at[0]);
	if (nested >= NESTED_MAX)
		return refuse(e, TP_USAGE, form, "REPEAT stands in itself more than four times");
	if (name_len == 0 || at[0] + name_len > stop[0])
		return refuse(e, TP_USAGE, form, "REPEAT: its first argument is no name");
	enum tp_status status = take_bounds(e, at, stop, bounds);
	for (int64_t k = status == TP_OK ? (int64_t)bounds[0] : 1;
	     status == TP_OK && k <= (int64_t)bounds[1]; k++) {
		struct tp_str one = { 0 };
		char value[32];
		snprintf(value, sizeof(value), "%" PRId64, k);
		replace(&one, at[3], (size_t)(stop[3] - at[3]), at[0], name_len, value);
		status = expand(e, tp_str_text(&one), one.len, nested + 1);
		tp_str_release(&one);
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
	return e->out->oom ? TP_NOMEM : status;
}

/* Comments name arrays that nobody reads, and have brackets of their own: lines alone stay. */
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
	struct tp_str bare = { 0 };
	strip(&bare, code->text);
	enum tp_status status = bare.oom ? TP_NOMEM : expand(&e, tp_str_text(&bare), bare.len, 0);
	tp_str_release(&bare);
	return status;
}

/* --- arrays --- */

/* An assignment behind the access: "=" alone writes, "+=" and "++" read as well. */
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
	for (size_t i = 0; i < len && out; i++)
		if (!isspace((unsigned char)text[i]))
			out[n++] = text[i];
	return out;
}

/* The arguments from behind the bracket; NULL: no closing one. */
static const char *take_arguments(struct tp_arena *arena, const char *text,
				  struct tp_pattern_access *access)
{
	for (;;) {
		const char *end = argument_end(text);
		if (!end || (*end != ',' && *end != ')') ||
		    access->n_arguments == TP_PATTERN_FORMALS_MAX)
			return NULL;
		access->arguments[access->n_arguments] =
			without_blanks(arena, text, (size_t)(end - text));
		if (!access->arguments[access->n_arguments++])
			return NULL;
		text = end + 1;
		if (*end == ')')
			return text;
	}
}

enum tp_status tp_pattern_accesses(const struct tp_pattern *p, const struct tp_pattern_statement *s,
				   const char *code, struct tp_arena *arena,
				   struct tp_pattern_access accesses[TP_PATTERN_ACCESSES_MAX],
				   size_t *n, struct tp_diag *diag)
{
	char words[160];
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
		if (*open != '(') {
			snprintf(words, sizeof(words),
				 "%s stands without indices: data are named through the map",
				 array->name);
			return tp_pattern_fail(p, TP_USAGE, s->code.place, "write a(i)", diag,
					       words);
		}
		struct tp_pattern_access access = { .array = array };
		const char *behind = take_arguments(arena, open + 1, &access);
		if (!behind || access.n_arguments != array->n_formals) {
			snprintf(words, sizeof(words), "%s has %zu indices in the map, %zu here",
				 array->name, array->n_formals, access.n_arguments);
			return tp_pattern_fail(p, TP_USAGE, s->code.place, NULL, diag,
					       behind ? words : "a bracket is not closed");
		}
		role_of(at, code, behind, &access.read, &access.write);
		size_t known = 0;
		while (known < *n && !is_same(&accesses[known], &access))
			known++;
		if (known == TP_PATTERN_ACCESSES_MAX)
			return tp_pattern_fail(p, TP_RESOURCE, s->code.place,
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
