/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/sweep.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/expression.h"
#include "base/pairs.h"
#include "base/text.h"
#include "base/memory.h"

/* A whole number, or a size such as 4K. Moves past it. */
static bool take_number(const char **at, int64_t *value)
{
	char text[32];
	uint64_t found;
	size_t len = 0;
	while (isalnum((unsigned char)(*at)[len]) && len + 1 < sizeof(text))
		len++;
	memcpy(text, *at, len);
	text[len] = '\0';
	if (len == 0 || !tp_parse_bytes(text, &found) || found > UINT64_C(1) << 40)
		return false;
	*value = (int64_t)found;
	*at += len;
	return true;
}

/*
 * Appends the numbers at *at to `values`, which has room for `most`, and moves past them: "16",
 * "4K" (binary, as sizes are), "3..20", "16..256*2", "0..100+10". Returns what is wrong, or NULL.
 */
static const char *take_numbers(const char **at, int64_t *values, size_t most, size_t *n)
{
	int64_t from, to, step = 1;
	bool times = false;
	if (!take_number(at, &from))
		return "expected a whole number";
	to = from;
	if (strncmp(*at, "..", 2) == 0) {
		*at += 2;
		if (!take_number(at, &to))
			return "expected a whole number after ..";
		times = **at == '*';
		if (times || **at == '+') {
			++*at;
			if (!take_number(at, &step))
				return "expected a whole number after * or +";
		}
		if (from > to || step < 1 + times || (times && from < 1))
			return "the range is empty or endless";
	}
	for (int64_t v = from; v <= to; v = times ? v * step : v + step) {
		if (*n == most)
			return "there are too many values";
		values[(*n)++] = v;
	}
	return NULL;
}

static const char form[] =
	"write NAME=VALUES: n=1000, \"tile=16 32 64\", tile=16..256*2, flags='\"-O2 -g\" -O3'";

/* The result of a request. */
struct reading {
	const char *wish, *at;
	struct tp_arena *arena;
	const char *values[TP_SWEEP_VALUES_MAX];
	size_t n;
	struct tp_diag *diag;
};

enum tp_status tp_sweep_refuse(const char *wish, const char *hint, const char *what,
			       struct tp_diag *diag)
{
	char shown[80];
	return tp_fail(diag, TP_USAGE, NULL, hint, "\"%s\": %s",
		       tp_shown(shown, sizeof(shown), wish, strlen(wish)), what);
}

static enum tp_status refuse(const struct reading *r, const char *what)
{
	return tp_sweep_refuse(r->wish, form, what, r->diag);
}

static enum tp_status keep(struct reading *r, const char *text, size_t len)
{
	if (r->n == TP_SWEEP_VALUES_MAX)
		return refuse(r, "there are more than 1024 values");
	char *kept = tp_arena_strndup(r->arena, text, len);
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->values[i], kept) == 0)
			return refuse(r, "a value is there twice");
	r->values[r->n++] = kept;
	return TP_OK;
}

static enum tp_status take_quoted(struct reading *r)
{
	TP_STR text = { 0 };
	const char *c = r->at + 1;
	for (; *c && *c != '"'; c++) {
		if (*c == '\\' && (c[1] == '"' || c[1] == '\\'))
			c++;
		tp_str_add_n(&text, c, 1);
	}
	enum tp_status status =
		*c ? keep(r, tp_str_text(&text), text.len) : refuse(r, "a quote is not closed");
	r->at = c + (*c == '"');
	return status;
}

static enum tp_status take_range(struct reading *r)
{
	int64_t numbers[TP_SWEEP_VALUES_MAX];
	size_t n = 0;
	enum tp_status status = TP_OK;
	const char *wrong = take_numbers(&r->at, numbers, TP_COUNT_OF(numbers), &n);
	if (wrong)
		return refuse(r, wrong);
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		char text[24];
		int len = snprintf(text, sizeof(text), "%" PRId64, numbers[i]);
		status = keep(r, text, (size_t)len);
	}
	return status;
}

/* True for a size with a unit: numbers without a unit stay as written. */
static bool is_size(const char *text, size_t len)
{
	char copy[32];
	uint64_t bytes;
	double number;
	if (len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return tp_parse_bytes(copy, &bytes) && !tp_parse_double(copy, &number);
}

static enum tp_status take_word(struct reading *r)
{
	const char *word = r->at;
	size_t len = strcspn(word, " ");
	const char *dots = strstr(word, "..");
	if (*word == '"')
		return take_quoted(r);
	if (isdigit((unsigned char)*word) && (is_size(word, len) || (dots && dots < word + len)))
		return take_range(r);
	r->at += len;
	return keep(r, word, len);
}

enum tp_status tp_sweep_read(const char *wish, struct tp_arena *arena,
			     struct tp_sweep_parameter *parameter, struct tp_diag *diag)
{
	struct reading r = { .wish = wish, .arena = arena, .diag = diag };
	size_t len = tp_identifier_length(wish);
	enum tp_status status = TP_OK;
	r.at = wish + len + strspn(wish + len, " ");
	if (len == 0 || *r.at != '=')
		return refuse(&r, "it is not NAME=VALUES");
	if (len >= TP_SWEEP_NAME_BYTES)
		return refuse(&r, "the name is too long");
	r.at++;
	for (r.at += strspn(r.at, " "); *r.at && status == TP_OK; r.at += strspn(r.at, " ")) {
		status = take_word(&r);
		if (status == TP_OK && *r.at && *r.at != ' ')
			status = refuse(&r, "this is not understood");
	}
	if (status == TP_OK && r.n == 0)
		status = refuse(&r, "there are no values");
	if (status != TP_OK)
		return status;
	const char **values = tp_arena_alloc(arena, r.n * sizeof(*values));
	memcpy(values, r.values, r.n * sizeof(*values));
	*parameter = (struct tp_sweep_parameter){ tp_arena_strndup(arena, wish, len), values, r.n };
	return TP_OK;
}

enum tp_status tp_sweep_take(struct tp_sweep *sweep, const char *wish, struct tp_arena *arena,
			     struct tp_diag *diag)
{
	struct tp_sweep_parameter parameter;
	enum tp_status status = tp_sweep_read(wish, arena, &parameter, diag);
	if (status != TP_OK)
		return status;
	if (tp_sweep_find(sweep, parameter.name, strlen(parameter.name)) >= 0)
		return tp_sweep_refuse(wish, form, "the parameter is there twice", diag);
	if (sweep->n == TP_SWEEP_PARAMETERS_MAX)
		return tp_sweep_refuse(wish, form, "there are more than 18 parameters", diag);
	sweep->parameters[sweep->n++] = parameter;
	return TP_OK;
}

double tp_sweep_count(const struct tp_sweep *sweep)
{
	double n = 1;
	for (size_t p = 0; p < sweep->n; p++)
		n *= (double)sweep->parameters[p].n;
	return n;
}

int tp_sweep_find(const struct tp_sweep *sweep, const char *name, size_t len)
{
	for (size_t p = 0; p < sweep->n; p++)
		if (strlen(sweep->parameters[p].name) == len &&
		    memcmp(sweep->parameters[p].name, name, len) == 0)
			return (int)p;
	return -1;
}

const char *tp_sweep_value(const struct tp_sweep_at *at, size_t parameter)
{
	const struct tp_sweep *sweep = at->sweep;
	size_t i = at->i;
	for (size_t p = sweep->n - 1; p > parameter; p--)
		i /= sweep->parameters[p].n;
	return sweep->parameters[parameter].values[i % sweep->parameters[parameter].n];
}

void tp_sweep_text(const struct tp_sweep_at *at, bool several, struct tp_str *out)
{
	for (size_t p = 0; p < at->sweep->n; p++)
		if (!several || at->sweep->parameters[p].n > 1)
			tp_pairs_add(out, at->sweep->parameters[p].name, tp_sweep_value(at, p));
}

/* The value of a parameter of that name, or, in `room`, the number of threads; else NULL. */
static const char *value_of(const struct tp_sweep_at *at, const char *name, size_t len,
			    char room[16])
{
	int p = tp_sweep_find(at->sweep, name, len);
	if (p >= 0)
		return tp_sweep_value(at, (size_t)p);
	if (!at->threads || len != strlen("threads") || memcmp(name, "threads", len) != 0)
		return NULL;
	snprintf(room, 16, "%u", at->threads);
	return room;
}

bool tp_sweep_number(void *context, const char *name, size_t len, double *value)
{
	char room[16];
	const char *text = value_of(context, name, len, room);
	return text && tp_parse_double(text, value);
}

/* {name} at `c`: its length with the braces, 0 if it is something else. */
static size_t placeholder_length(const char *c)
{
	size_t len = *c == '{' ? tp_identifier_length(c + 1) : 0;
	return len && c[1 + len] == '}' ? len + 2 : 0;
}

enum tp_status tp_sweep_fill(const struct tp_sweep_at *at, const char *text, struct tp_arena *arena,
			     char **filled, struct tp_diag *diag)
{
	TP_STR out = { 0 };
	for (const char *c = text; *c;) {
		char room[16];
		size_t len = placeholder_length(c);
		const char *value = len ? value_of(at, c + 1, len - 2, room) : NULL;
		if (len && !value)
			return tp_fail(diag, TP_USAGE, NULL,
				       "names of parameters stand in braces; write {{ for a brace",
				       "%.*s: no parameter has this name", (int)TP_MIN(len, 60u),
				       c);
		if (value)
			tp_str_add(&out, value);
		else
			tp_str_add_n(&out, c, 1);
		c += value ? len : 1u + (c[0] == '{' && c[1] == '{');
	}
	*filled = tp_arena_strdup(arena, tp_str_text(&out));
	return TP_OK;
}

enum tp_status tp_sweep_fill_words(const struct tp_sweep_at *at, char *const *words,
				   struct tp_arena *arena, char ***filled, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	size_t n = 0;
	while (words[n])
		n++;
	*filled = tp_arena_alloc(arena, (n + 1) * sizeof(**filled));
	for (size_t i = 0; i < n && status == TP_OK; i++)
		status = tp_sweep_fill(at, words[i], arena, &(*filled)[i], diag);
	if (status == TP_OK && !(*filled)[0][0])
		status = tp_fail(diag, TP_USAGE, NULL, NULL, "the name of the program is empty");
	return status;
}
