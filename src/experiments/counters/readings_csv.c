/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * readings.csv, written and read. There may be millions of lines: whole numbers are written and
 * read without the library, and a line is taken apart where it lies.
 */
#include "experiments/counters/readings.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/vec.h"

#define HEAD "family,event,row,repetition,count,iterations"

enum { FIELDS = 6, NUMBER_BYTES = 64, LINE_LEAST_BYTES = 12, SPARSE = 64 };

static const double count_max = 9223372036854775808.0; /* 2^63 */

/* --- writing --- */

static size_t put_whole(char *out, uint64_t value)
{
	char digits[24];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + value % 10);
	while ((value /= 10) > 0);
	for (size_t i = 0; i < n; i++)
		out[i] = digits[n - 1 - i];
	return n;
}

/* The shortest decimal text that reads back as the same number. */
static size_t put_number(char out[NUMBER_BYTES], double value)
{
	int n = 0;

	if (value >= 0 && value < count_max && value == (double)(uint64_t)value && !signbit(value))
		return put_whole(out, (uint64_t)value);
	for (int digits = 15; digits <= 17; digits++) {
		n = snprintf(out, NUMBER_BYTES, "%.*g", digits, value);
		if (strtod(out, NULL) == value)
			break;
	}
	return (size_t)n;
}

static void add_name(struct tp_str *out, const char *name)
{
	size_t n = strlen(name);

	if (!strpbrk(name, ",\"") && name[0] != '#' && !isspace((unsigned char)name[0]) &&
	    !isspace((unsigned char)name[n - 1])) {
		tp_str_add_n(out, name, n);
		return;
	}
	tp_str_add(out, "\"");
	for (const char *p = name; *p; p++) {
		if (*p == '"')
			tp_str_add(out, "\"");
		tp_str_add_n(out, p, 1);
	}
	tp_str_add(out, "\"");
}

static void add_event(struct tp_str *out, size_t max_bytes, const struct tp_reading_family *family,
		      const struct tp_reading_event *event)
{
	TP_STR head = { 0 };
	char line[4 * NUMBER_BYTES];

	add_name(&head, family->name);
	tp_str_add(&head, ",");
	add_name(&head, event->name);
	tp_str_add(&head, ",");
	for (size_t row = 0; row < family->n_rows && out->len <= max_bytes; row++)
		for (size_t k = 0; k < family->n_repetitions && out->len <= max_bytes; k++) {
			double count = event->counts[k * family->cap_rows + row];
			size_t n;

			if (!(count >= 0) || count > count_max)
				continue;
			n = put_whole(line, row);
			line[n++] = ',';
			n += put_whole(line + n, k);
			line[n++] = ',';
			n += put_number(line + n, count);
			line[n++] = ',';
			n += put_number(line + n, tp_reading_iterations(family, event, k, row));
			line[n++] = '\n';
			tp_str_add_n(out, tp_str_text(&head), head.len);
			tp_str_add_n(out, line, n);
		}
	out->oom |= head.oom;
}

enum tp_status tp_readings_csv(const struct tp_readings *readings, size_t max_bytes,
			       struct tp_str *out)
{
	static const char cut[] = "# The others are left out: with them the file is too long.\n";
	size_t most = max_bytes - TP_MIN(max_bytes, sizeof(cut));

	tp_str_add(out, HEAD "\n");
	for (size_t f = 0; f < readings->n && !out->oom; f++)
		for (size_t i = 0; i < readings->families[f].n_events && !out->oom; i++)
			add_event(out, most, &readings->families[f],
				  &readings->families[f].events[i]);
	if (out->oom)
		return TP_NOMEM;
	if (out->len <= most)
		return TP_OK;
	/* The last line is the one that was too many. */
	for (out->len--; out->s[out->len - 1] != '\n';)
		out->len--;
	tp_str_add(out, cut);
	return out->oom ? TP_NOMEM : TP_RESOURCE;
}

/* --- reading --- */

/* A cell of the line under way: where its text lies, without quotes and the blanks around. */
struct cell {
	const char *text;
	size_t len;
	bool quoted; /* quotes inside are still written twice */
};

struct parser {
	struct tp_readings *readings;
	const char *name;
	size_t line;
	size_t cells_max; /* of a family: what a text of this size may ask for */
	struct tp_diags *diags;
	size_t n_errors, n_readings;
	char family[32], event[TP_EVENT_NAME_MAX]; /* of the line under way */
	struct tp_diag diag;
};

static enum tp_status tell(struct parser *p, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static enum tp_status tell(struct parser *p, const char *hint, const char *fmt, ...)
{
	char place[sizeof(p->diag.where)], what[sizeof(p->diag.what)];
	va_list ap;

	if (p->n_errors++ >= TP_DIAGS_MAX)
		return TP_USAGE;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	snprintf(place, sizeof(place), "%.150s:%zu", p->name, p->line);
	tp_fail(&p->diag, TP_USAGE, place, hint, "%s", what);
	tp_diags_add(p->diags, &p->diag);
	return TP_USAGE;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The text of a cell for people: short, and without what would act on a terminal. */
static const char *shown(const struct cell *cell, char out[64])
{
	size_t n = TP_MIN(cell->len, (size_t)40);

	for (size_t i = 0; i < n; i++)
		out[i] = cell->text[i] >= ' ' && cell->text[i] < 0x7f ? cell->text[i] : '?';
	strcpy(out + n, n < cell->len ? "..." : "");
	return out;
}

/*
 * A cell in quotes, from behind the opening one; returns behind the closing one, NULL if there is
 * none.
 */
static const char *quoted_end(const char *at, const char *end)
{
	while (at < end) {
		if (*at == '"' && (at + 1 == end || at[1] != '"'))
			return at + 1;
		at += *at == '"' ? 2 : 1;
	}
	return NULL;
}

/* Takes a line apart; `n` counts all its cells, the first FIELDS are kept. */
static enum tp_status split(struct parser *p, const char *at, const char *end,
			    struct cell cells[FIELDS], size_t *n)
{
	for (*n = 0;; at++) {
		struct cell cell = { 0 };
		const char *stop;

		while (at < end && is_blank(*at))
			at++;
		cell.text = at;
		if (at < end && *at == '"') {
			stop = quoted_end(at + 1, end);
			if (!stop)
				return tell(p, "a quote inside quotes is written twice",
					    "a quote is not closed");
			cell = (struct cell){ at + 1, (size_t)(stop - at) - 2, true };
			for (at = stop; at < end && is_blank(*at);)
				at++;
			if (at < end && *at != ',')
				return tell(p, "quote the whole cell",
					    "text behind a closing quote");
		} else {
			stop = at < end ? memchr(at, ',', (size_t)(end - at)) : NULL;
			stop = at = stop ? stop : end;
			while (stop > cell.text && is_blank(stop[-1]))
				stop--;
			cell.len = (size_t)(stop - cell.text);
		}
		if (*n < FIELDS)
			cells[*n] = cell;
		++*n;
		if (at >= end)
			return TP_OK;
	}
}

static enum tp_status read_name(struct parser *p, const char *what, const struct cell *cell,
				char *to, size_t size)
{
	char seen[64];
	size_t n = 0;

	if (cell->len == 0)
		return tell(p, NULL, "%s: no name", what);
	for (size_t i = 0; i < cell->len; i++, n++) {
		if (n + 1 >= size)
			return tell(p, NULL, "%s: \"%s\" is longer than %zu bytes", what,
				    shown(cell, seen), size - 1);
		if ((unsigned char)cell->text[i] < ' ' || cell->text[i] == 0x7f)
			return tell(p, "save it as plain text",
				    "%s: \"%s\" holds control characters", what, shown(cell, seen));
		to[n] = cell->text[i];
		if (cell->quoted && to[n] == '"')
			i++;
	}
	to[n] = '\0';
	return TP_OK;
}

/* Digits only; false beyond 2^53, where a double does not hold every number. */
static bool read_whole(const struct cell *cell, uint64_t *value)
{
	uint64_t v = 0;

	if (cell->len == 0 || cell->len > 15)
		return false;
	for (size_t i = 0; i < cell->len; i++) {
		if (cell->text[i] < '0' || cell->text[i] > '9')
			return false;
		v = v * 10 + (uint64_t)(cell->text[i] - '0');
	}
	*value = v;
	return true;
}

/* A finite number in decimal digits: no hexadecimal, no word. */
static bool read_number(const struct cell *cell, double *value)
{
	char text[NUMBER_BYTES];
	uint64_t whole;

	if (read_whole(cell, &whole)) {
		*value = (double)whole;
		return true;
	}
	if (cell->len == 0 || cell->len >= sizeof(text))
		return false;
	memcpy(text, cell->text, cell->len);
	text[cell->len] = '\0';
	if (strspn(text, "0123456789+-.eE") != cell->len)
		return false;
	return tp_parse_double(text, value);
}

static enum tp_status read_index(struct parser *p, const char *what, const struct cell *cell,
				 size_t limit, size_t *index)
{
	char seen[64], hint[64];
	uint64_t value;

	if (read_whole(cell, &value) && value < limit) {
		*index = (size_t)value;
		return TP_OK;
	}
	snprintf(hint, sizeof(hint), "a whole number from 0 to %zu", limit - 1);
	return tell(p, hint, "%s: \"%s\"", what, shown(cell, seen));
}

/*
 * Checks what the store does not know: a cell that was filled before, and a table that is nearly
 * all holes.
 */
static enum tp_status check_place(struct parser *p, const struct tp_reading *r)
{
	const struct tp_reading_family *family = tp_readings_family(p->readings, r->family);
	const struct tp_reading_event *event =
		family ? tp_reading_event_find(family, r->event) : NULL;
	size_t rows = r->row + 1, repetitions = r->repetition + 1, events = 1;

	if (event && r->row < family->n_rows && r->repetition < family->n_repetitions &&
	    !isnan(event->counts[r->repetition * family->cap_rows + r->row]))
		return tell(p, "one line for each reading",
			    "%.60s, row %zu, repetition %zu: a second time", r->event, r->row,
			    r->repetition);
	if (family) {
		rows = TP_MAX(rows, family->n_rows);
		repetitions = TP_MAX(repetitions, family->n_repetitions);
		events = family->n_events + !event;
	}
	if (rows * repetitions > p->cells_max / events)
		return tell(p, "number rows and repetitions from 0, without gaps",
			    "row %zu, repetition %zu: far beyond what the other lines fill", r->row,
			    r->repetition);
	return TP_OK;
}

static enum tp_status read_reading(struct parser *p, const struct cell cells[FIELDS])
{
	struct tp_reading r = { .family = p->family, .event = p->event };
	enum tp_status status;
	char seen[64];

	status = read_name(p, "family", &cells[0], p->family, sizeof(p->family));
	if (status == TP_OK)
		status = read_name(p, "event", &cells[1], p->event, sizeof(p->event));
	if (status == TP_OK)
		status = read_index(p, "row", &cells[2], TP_READINGS_MAX_ROWS, &r.row);
	if (status == TP_OK)
		status = read_index(p, "repetition", &cells[3], TP_READINGS_MAX_REPETITIONS,
				    &r.repetition);
	if (status)
		return status;
	if (!read_number(&cells[4], &r.count) || r.count < 0 || r.count > count_max)
		return tell(p, "a number from 0 to 2^63", "count: \"%s\"", shown(&cells[4], seen));
	if (!read_number(&cells[5], &r.iterations) || !(r.iterations > 0))
		return tell(p, "a number above 0", "iterations: \"%s\"", shown(&cells[5], seen));
	r.count += 0.0; /* -0 is 0 */
	status = check_place(p, &r);
	if (status)
		return status;
	status = tp_readings_add(p->readings, &r, &p->diag);
	if (status == TP_USAGE)
		return tell(p, p->diag.hint, "%s: %.300s", "readings", p->diag.what);
	p->n_readings += status == TP_OK;
	return status;
}

static bool is_head(const struct cell cells[FIELDS], size_t n)
{
	static const char *const names[FIELDS] = { "family",	 "event", "row",
						   "repetition", "count", "iterations" };

	for (size_t i = 0; i < FIELDS; i++)
		if (n != FIELDS || strlen(names[i]) != cells[i].len ||
		    memcmp(names[i], cells[i].text, cells[i].len) != 0)
			return false;
	return true;
}

/* One line; `head` is still to come. Without its head nothing of a table can be read. */
static enum tp_status read_line(struct parser *p, const char *line, const char *end, bool *head)
{
	struct cell cells[FIELDS];
	enum tp_status status;
	size_t n;

	while (end > line && (end[-1] == '\r' || is_blank(end[-1])))
		end--;
	if (line == end || *line == '#')
		return TP_OK;
	status = split(p, line, end, cells, &n);
	if (*head) {
		*head = false;
		if (status || is_head(cells, n))
			return status ? TP_FAILED : TP_OK;
		tell(p, "the first line names the columns: " HEAD, "another head line");
		return TP_FAILED;
	}
	if (status)
		return status;
	if (n != FIELDS)
		return tell(p, "six cells: " HEAD, "%zu cell%s", n, n == 1 ? "" : "s");
	return read_reading(p, cells);
}

static enum tp_status finish(struct parser *p)
{
	if (p->n_errors == 0 && p->n_readings == 0) {
		p->line = TP_MAX(p->line, (size_t)1);
		tell(p, "one line for each reading: " HEAD, "there is no reading in it");
	}
	if (p->n_errors > TP_DIAGS_MAX)
		tp_diags_more(p->diags, p->n_errors - TP_DIAGS_MAX);
	return p->n_errors ? TP_USAGE : TP_OK;
}

enum tp_status tp_readings_parse(struct tp_readings *readings, const char *name, const char *text,
				 size_t len, struct tp_diags *diags)
{
	struct parser p = { .readings = readings, .name = name, .diags = diags };
	const char *at = text, *end = text + len;
	enum tp_status status = TP_OK;
	bool head = true;

	p.cells_max = (len / LINE_LEAST_BYTES + 1024) * SPARSE;
	if (len >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	while (at < end && status != TP_FAILED && status != TP_NOMEM) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		p.line++;
		status = read_line(&p, at, stop ? stop : end, &head);
		at = stop ? stop + 1 : end;
	}
	if (status == TP_NOMEM) {
		tp_fail(&p.diag, status, name, NULL, "out of memory");
		tp_diags_add(diags, &p.diag);
		return status;
	}
	return finish(&p);
}
