/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readings: the store, its text, and what carries them in a run. */
#include "experiments/counters/readings.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "table/json.h"
#include "table/written.h"

struct tp_reading_family *tp_readings_family(const struct tp_readings *readings, const char *name)
{
	const struct tp_tally_group *group = tp_tally_find(&readings->names, name);

	return group ? &readings->families[group->first] : NULL;
}

struct tp_reading_family *tp_readings_of_run(const struct tp_readings *readings, const char *family,
					     unsigned run)
{
	char marked[sizeof(((struct tp_reading_family *)0)->name) + 16];
	snprintf(marked, sizeof(marked), "%s#%u", family, run + 1);
	struct tp_reading_family *found = tp_readings_family(readings, marked);
	return found ? found : tp_readings_family(readings, family);
}

struct tp_reading_event *tp_reading_event_find(const struct tp_reading_family *family,
					       const char *name)
{
	const struct tp_tally_group *group = tp_tally_find(&family->names, name);

	return group ? &family->events[group->first] : NULL;
}

/* The name fits (check_reading). */
static struct tp_reading_family *new_family(struct tp_readings *readings, const char *name)
{
	TP_RESERVE(readings->families, readings->cap, readings->n + 1);
	tp_tally_add(&readings->names, name);
	struct tp_reading_family *family = &readings->families[readings->n++];
	*family = (struct tp_reading_family){ 0 };
	tp_copy(family->name, sizeof(family->name), name);
	return family;
}

/* Makes room for `cells`; the contents stay. */
static void widen_array(double **array, size_t cells)
{
	*array = tp_realloc(*array, cells, sizeof(**array));
}

/*
 * From one shape to a larger one within the same array, from the last repetition on; what is new is
 * NaN.
 */
static void reshape_cells(double *cells, size_t from_rows, size_t from_repetitions, size_t to_rows,
			  size_t to_repetitions)
{
	for (size_t k = to_repetitions; k-- > 0;) {
		size_t kept = k < from_repetitions ? from_rows : 0;

		if (kept)
			memmove(&cells[k * to_rows], &cells[k * from_rows], kept * sizeof(*cells));
		for (size_t i = kept; i < to_rows; i++)
			cells[k * to_rows + i] = NAN;
	}
}

/*
 * True if the family may have arrays of that shape in addition to all others. An array of few cells
 * costs as much as one of ARRAY_CELLS.
 */
enum { ARRAY_CELLS = 16 };
static size_t cells_of(size_t rows, size_t repetitions, size_t arrays)
{
	return (rows * repetitions + ARRAY_CELLS) * arrays;
}

static size_t own_cells(const struct tp_reading_family *family)
{
	return cells_of(family->cap_rows, family->cap_repetitions, family->n_arrays);
}

static bool may_have(const struct tp_readings *readings, const struct tp_reading_family *family,
		     size_t rows, size_t repetitions, size_t arrays)
{
	return readings->cells - own_cells(family) + cells_of(rows, repetitions, arrays) <=
	       TP_READINGS_MAX_CELLS;
}

/*
 * Makes room for a row and a repetition in every event, within the limit. Rows grow by a quarter:
 * nothing is copied more than a few times, and little is wasted with many events.
 */
static bool grow_shape(struct tp_readings *readings, struct tp_reading_family *family, size_t rows,
		       size_t repetitions)
{
	size_t old_rows = family->cap_rows, old_repetitions = family->cap_repetitions;
	size_t r = old_rows, k = old_repetitions;

	if (rows > r)
		r = TP_MAX(rows, r + TP_MAX(r / 4, (size_t)8));
	if (repetitions > k)
		k = TP_MAX(repetitions, k + k / 2);
	if (r == old_rows && k == old_repetitions)
		return true;
	/* Near the limit without reserve. */
	if (!may_have(readings, family, r, k, TP_MAX(family->n_arrays, (size_t)1))) {
		r = TP_MAX(rows, old_rows);
		k = TP_MAX(repetitions, old_repetitions);
	}
	if (!may_have(readings, family, r, k, TP_MAX(family->n_arrays, (size_t)1)))
		return false;
	readings->cells -= own_cells(family);
	widen_array(&family->iterations, r);
	reshape_cells(family->iterations, old_rows, 1, r, 1);
	for (size_t i = 0; i < family->n_events; i++) {
		double **arrays[] = { &family->events[i].counts, &family->events[i].iterations };

		for (size_t a = 0; a < TP_COUNT_OF(arrays) && *arrays[a]; a++) {
			widen_array(arrays[a], r * k);
			reshape_cells(*arrays[a], old_rows, old_repetitions, r, k);
		}
	}
	family->cap_rows = r;
	family->cap_repetitions = k;
	readings->cells += own_cells(family);
	return true;
}

/* An array of the family's shape; NULL: there may be none more. */
static double *new_cells(struct tp_readings *readings, struct tp_reading_family *family)
{
	double *cells = NULL;
	if (!may_have(readings, family, family->cap_rows, family->cap_repetitions,
		      family->n_arrays + 1))
		return NULL;
	widen_array(&cells, family->cap_rows * family->cap_repetitions);
	reshape_cells(cells, 0, 0, family->cap_rows, family->cap_repetitions);
	readings->cells -= own_cells(family);
	family->n_arrays++;
	readings->cells += own_cells(family);
	return cells;
}

/* NULL: there may be none more. */
static struct tp_reading_event *new_event(struct tp_readings *readings,
					  struct tp_reading_family *family, const char *name)
{
	double *counts = new_cells(readings, family);
	if (!counts)
		return NULL;
	TP_RESERVE(family->events, family->cap_events, family->n_events + 1);
	tp_tally_add(&family->names, name);
	struct tp_reading_event *event = &family->events[family->n_events++];
	*event = (struct tp_reading_event){ .name = tp_strdup(name), .counts = counts };
	return event;
}

static enum tp_status check_reading(const struct tp_reading *reading, struct tp_diag *diag)
{
	size_t family_max = sizeof(((struct tp_reading_family *)0)->name);

	if (reading->family[0] == '\0' || strlen(reading->family) >= family_max)
		return tp_fail(diag, TP_USAGE, "family", "1 to 31 bytes",
			       "the name of a family is empty or too long");
	if (reading->event[0] == '\0' || strlen(reading->event) >= TP_EVENT_NAME_MAX)
		return tp_fail(diag, TP_USAGE, "event", "1 to 255 bytes",
			       "the name of an event is empty or too long");
	if (reading->row >= TP_READINGS_MAX_ROWS)
		return tp_fail(diag, TP_USAGE, "row", "0 to 65535", "row %zu", reading->row);
	if (reading->repetition >= TP_READINGS_MAX_REPETITIONS)
		return tp_fail(diag, TP_USAGE, "repetition", "0 to 999", "repetition %zu",
			       reading->repetition);
	if (!(reading->iterations > 0) || !isfinite(reading->iterations))
		return tp_fail(diag, TP_USAGE, "iterations", "a number above 0", "%g iterations",
			       reading->iterations);
	return TP_OK;
}

/* What the count is divided by: kept once for all events as long as they agree. */
static bool keep_iterations(struct tp_readings *readings, struct tp_reading_family *family,
			    struct tp_reading_event *event, const struct tp_reading *reading,
			    size_t cell)
{
	double *shared = &family->iterations[reading->row];

	if (isnan(*shared))
		*shared = reading->iterations;
	if (!event->iterations && *shared == reading->iterations)
		return true;
	if (!event->iterations)
		event->iterations = new_cells(readings, family);
	if (event->iterations)
		event->iterations[cell] =
			*shared == reading->iterations ? NAN : reading->iterations;
	return event->iterations != NULL;
}

enum tp_status tp_readings_add(struct tp_readings *readings, const struct tp_reading *reading,
			       struct tp_diag *diag)
{
	struct tp_reading_event *event = NULL;
	enum tp_status status = check_reading(reading, diag);
	if (status)
		return status;
	struct tp_reading_family *family = tp_readings_family(readings, reading->family);
	if (!family && readings->n == TP_READINGS_MAX_FAMILIES)
		return tp_fail(diag, TP_USAGE, "readings", NULL, "more than %d families",
			       TP_READINGS_MAX_FAMILIES);
	if (!family)
		family = new_family(readings, reading->family);
	if (grow_shape(readings, family, reading->row + 1, reading->repetition + 1)) {
		event = tp_reading_event_find(family, reading->event);
		if (!event)
			event = new_event(readings, family, reading->event);
	}
	size_t cell = reading->repetition * family->cap_rows + reading->row;
	if (!event || !keep_iterations(readings, family, event, reading, cell))
		return tp_fail(diag, TP_USAGE, "readings", "number rows and repetitions from 0",
			       "more than %d cells: events x rows x repetitions",
			       TP_READINGS_MAX_CELLS);
	event->counts[cell] = reading->count;
	family->n_rows = TP_MAX(family->n_rows, reading->row + 1);
	family->n_repetitions = TP_MAX(family->n_repetitions, reading->repetition + 1);
	return TP_OK;
}

/* What its count is divided by; row and repetition must be within the family's. */
static double reading_iterations(const struct tp_reading_family *family,
				 const struct tp_reading_event *event, size_t repetition,
				 size_t row)
{
	size_t cell = repetition * family->cap_rows + row;

	if (event->iterations && !isnan(event->iterations[cell]))
		return event->iterations[cell];
	return family->iterations[row];
}

double tp_reading_value(const struct tp_reading_family *family,
			const struct tp_reading_event *event, size_t repetition, size_t row)
{
	if (repetition >= family->n_repetitions || row >= family->n_rows)
		return NAN;
	return event->counts[repetition * family->cap_rows + row] /
	       reading_iterations(family, event, repetition, row);
}

void tp_readings_release(struct tp_readings *readings)
{
	for (size_t f = 0; f < readings->n; f++) {
		struct tp_reading_family *family = &readings->families[f];

		for (size_t i = 0; i < family->n_events; i++) {
			free(family->events[i].name);
			free(family->events[i].counts);
			free(family->events[i].iterations);
		}
		free(family->events);
		free(family->iterations);
		tp_tally_release(&family->names);
	}
	free(readings->families);
	tp_tally_release(&readings->names);
	*readings = (struct tp_readings){ 0 };
}

/* --- as text --- */

/*
 * readings.csv, written and read. There may be millions of lines: whole numbers are written and
 * read without the library, and a line is taken apart where it lies.
 */
#define HEAD "family,event,row,repetition,count,iterations"

enum { FIELDS = 6, NUMBER_BYTES = 64, LINE_LEAST_BYTES = 12, SPARSE = 64 };

static const double count_max = 9223372036854775808.0; /* 2^63 */

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
			n += put_number(line + n, reading_iterations(family, event, k, row));
			line[n++] = '\n';
			tp_str_add_n(out, tp_str_text(&head), head.len);
			tp_str_add_n(out, line, n);
		}
}

enum tp_status tp_readings_csv(const struct tp_readings *readings, size_t max_bytes,
			       struct tp_str *out)
{
	static const char cut[] = "# The others are left out: with them the file is too long.\n";
	size_t most = max_bytes - TP_MIN(max_bytes, sizeof(cut));

	tp_str_add(out, HEAD "\n");
	for (size_t f = 0; f < readings->n; f++)
		for (size_t i = 0; i < readings->families[f].n_events; i++)
			add_event(out, most, &readings->families[f],
				  &readings->families[f].events[i]);
	if (out->len <= most)
		return TP_OK;
	/* The last line is the one that exceeded the limit. */
	for (out->len--; out->s[out->len - 1] != '\n';)
		out->len--;
	tp_str_add(out, cut);
	return TP_RESOURCE;
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

static enum tp_status tell_line(struct parser *p, const char *hint, const char *fmt, ...)
{
	struct tp_diag diag;
	char place[sizeof(diag.where)];
	va_list ap;

	if (p->n_errors++ >= TP_DIAGS_MAX)
		return TP_USAGE;
	snprintf(place, sizeof(place), "%.150s:%zu", p->name, p->line);
	va_start(ap, fmt);
	tp_vfail(&diag, TP_USAGE, place, hint, fmt, ap);
	va_end(ap);
	tp_diags_add(p->diags, &diag);
	return TP_USAGE;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The text of a cell for messages: short, and without control characters. */
static const char *shown_cell(const struct cell *cell, char out[64])
{
	size_t n = TP_MIN(cell->len, (size_t)40);

	for (size_t i = 0; i < n; i++)
		out[i] = cell->text[i] >= ' ' && cell->text[i] < 0x7f ? cell->text[i] : '?';
	strcpy(out + n, n < cell->len ? "..." : "");
	return out;
}

/*
 * A cell in quotes, from after the opening one; returns the position after the closing one, NULL if
 * it is missing.
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
static enum tp_status split_line(struct parser *p, const char *at, const char *end,
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
				return tell_line(p, "a quote inside quotes is written twice",
						 "a quote is not closed");
			cell = (struct cell){ at + 1, (size_t)(stop - at) - 2, true };
			for (at = stop; at < end && is_blank(*at);)
				at++;
			if (at < end && *at != ',')
				return tell_line(p, "quote the whole cell",
						 "text after a closing quote");
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
		return tell_line(p, NULL, "%s: no name", what);
	for (size_t i = 0; i < cell->len; i++, n++) {
		if (n + 1 >= size)
			return tell_line(p, NULL, "%s: \"%s\" is longer than %zu bytes", what,
					 shown_cell(cell, seen), size - 1);
		to[n] = cell->text[i];
		if (cell->quoted && to[n] == '"')
			i++;
	}
	to[n] = '\0';
	const char *fault = tp_text_fault(to, n, "");
	return fault ? tell_line(p, "save it as plain text", "%s: \"%s\" %s", what,
				 shown_cell(cell, seen), fault)
		     : TP_OK;
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
	return tell_line(p, hint, "%s: \"%s\"", what, shown_cell(cell, seen));
}

/*
 * Checks that the store does not make: a cell that was filled before, and a table that is mostly
 * holes.
 */
static enum tp_status check_place(struct parser *p, const struct tp_reading *r)
{
	const struct tp_reading_family *family = tp_readings_family(p->readings, r->family);
	const struct tp_reading_event *event =
		family ? tp_reading_event_find(family, r->event) : NULL;
	size_t rows = r->row + 1, repetitions = r->repetition + 1, events = 1;

	if (event && r->row < family->n_rows && r->repetition < family->n_repetitions &&
	    !isnan(event->counts[r->repetition * family->cap_rows + r->row]))
		return tell_line(p, "one line for each reading",
				 "%.60s, row %zu, repetition %zu: a second time", r->event, r->row,
				 r->repetition);
	if (family) {
		rows = TP_MAX(rows, family->n_rows);
		repetitions = TP_MAX(repetitions, family->n_repetitions);
		events = family->n_events + !event;
	}
	if (rows * repetitions > p->cells_max / events)
		return tell_line(p, "number rows and repetitions from 0, without gaps",
				 "row %zu, repetition %zu: far beyond what the other lines fill",
				 r->row, r->repetition);
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
		return tell_line(p, "a number from 0 to 2^63", "count: \"%s\"",
				 shown_cell(&cells[4], seen));
	if (!read_number(&cells[5], &r.iterations) || !(r.iterations > 0))
		return tell_line(p, "a number above 0", "iterations: \"%s\"",
				 shown_cell(&cells[5], seen));
	r.count += 0.0; /* -0 is 0 */
	status = check_place(p, &r);
	if (status)
		return status;
	status = tp_readings_add(p->readings, &r, &p->diag);
	if (status == TP_USAGE)
		return tell_line(p, p->diag.hint, "%s: %.300s", "readings", p->diag.what);
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

/* One line; `head` is still to come. Without its head a table is unreadable. */
static enum tp_status read_line(struct parser *p, const char *line, const char *end, bool *head)
{
	struct cell cells[FIELDS];
	enum tp_status status;
	size_t n;

	while (end > line && (end[-1] == '\r' || is_blank(end[-1])))
		end--;
	if (line == end || *line == '#')
		return TP_OK;
	status = split_line(p, line, end, cells, &n);
	if (*head) {
		*head = false;
		if (status || is_head(cells, n))
			return status ? TP_FAILED : TP_OK;
		tell_line(p, "the first line names the columns: " HEAD, "another head line");
		return TP_FAILED;
	}
	if (status)
		return status;
	if (n != FIELDS)
		return tell_line(p, "six cells: " HEAD, "%zu cell%s", n, n == 1 ? "" : "s");
	return read_reading(p, cells);
}

static enum tp_status parse_plain(struct tp_readings *readings, const char *name, const char *text,
				  size_t len, struct tp_diags *diags)
{
	struct parser p = { .readings = readings, .name = name, .diags = diags };
	const char *at = text, *end = text + len;
	enum tp_status status = TP_OK;
	bool head = true;

	p.cells_max = (len / LINE_LEAST_BYTES + 1024) * SPARSE;
	while (at < end && status != TP_FAILED) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		p.line++;
		status = read_line(&p, at, stop ? stop : end, &head);
		at = stop ? stop + 1 : end;
	}
	if (p.n_errors == 0 && p.n_readings == 0) {
		p.line = TP_MAX(p.line, (size_t)1);
		tell_line(&p, "one line for each reading: " HEAD, "there is no reading in it");
	}
	if (p.n_errors > TP_DIAGS_MAX)
		tp_diags_more(p.diags, p.n_errors - TP_DIAGS_MAX);
	return p.n_errors ? TP_USAGE : TP_OK;
}

/* Spreadsheets write other separators and decimals; the names of the columns stay. */
enum tp_status tp_readings_parse(struct tp_readings *readings, const char *name, const char *text,
				 size_t len, struct tp_diags *diags)
{
	TP_CLEANUP(tp_written_release) struct tp_written form = { 0 };
	TP_STR decoded = { 0 }, plain = { 0 };
	struct tp_diag diag;
	enum tp_encoding encoding = tp_encoding_of(text, len, true);
	if (encoding != TP_ENCODING_UTF8) {
		tp_encoding_decode(encoding, text, len, &decoded);
		text = tp_str_text(&decoded);
		len = decoded.len;
	}
	if (memmem(text, len, HEAD, strlen(HEAD)) ||
	    tp_written_look(&form, name, text, len, true, NULL, &diag) != TP_OK ||
	    form.separator == ',' || form.n_columns != FIELDS)
		return parse_plain(readings, name, text, len, diags);
	tp_written_plain(&form, text, len, &plain);
	return parse_plain(readings, name, tp_str_text(&plain), plain.len, diags);
}

/* --- as a part of a run, and the events that carry them --- */

static void release_readings(void *row)
{
	tp_readings_release(row);
}

static bool write_readings(const struct tp_rows *rows, size_t max_bytes, struct tp_str *out)
{
	const struct tp_readings *readings = rows->rows;

	return readings->n == 0 || tp_readings_csv(readings, max_bytes, out) == TP_OK;
}

static enum tp_status read_readings(struct tp_run *run, const char *name, const char *text,
				    size_t len)
{
	struct tp_readings *readings = tp_run_readings_of(run);

	return tp_readings_parse(readings, name, text, len, &run->diags);
}

static const struct tp_table readings_table = { .row_bytes = sizeof(struct tp_readings) };

const struct tp_part tp_readings_part = {
	.table = &readings_table,
	.place = 20,
	.measured = true,
	.csv_file = "readings.csv",
	.release = release_readings,
	.write_csv = write_readings,
	.read_csv = read_readings,
};

const struct tp_readings *tp_run_readings(const struct tp_run *run)
{
	static const struct tp_readings none;
	const struct tp_rows *rows = tp_run_rows(run, &tp_readings_part);

	return rows->n > 0 ? rows->rows : &none;
}

struct tp_readings *tp_run_readings_of(struct tp_run *run)
{
	struct tp_rows *rows = tp_run_rows_of(run, &tp_readings_part);

	return rows->n > 0 ? rows->rows : tp_rows_add(rows, &readings_table);
}

/* --- the event --- */

/* clang-format off */
#define C(member, name, type) \
	TP_COLUMN(struct tp_counts, member, name, type, ALWAYS, TP_ROLE_NOTE, TP_IN_JSON, )

static const struct tp_column counts_columns[] = {
	C(family,     "family",     TEXT),
	C(event,      "event",      TEXT),
	C(row,        "row",        UNSIGNED),
	C(iterations, "iterations", REAL),
	C(first,      "first",      UNSIGNED),
};
/* clang-format on */
static const struct tp_table counts_table = { TP_TABLE(struct tp_counts, counts_columns) };
_Static_assert(sizeof(struct tp_counts) <= TP_ROW_BYTES_MAX, "rows have room in events");

/* Values that could not be counted are null. */
static void pack_counts(const void *row, json_t *object)
{
	const struct tp_counts *c = row;
	json_t *list = json_array();

	for (unsigned i = 0; i < TP_MIN(c->n, (unsigned)TP_EVENT_COUNTS_MAX); i++)
		tp_json_append(list, tp_json_count(c->counts[i]));
	tp_json_set(object, "counts", list);
	if (c->left_out)
		tp_json_set(object, "left_out", json_integer(c->left_out));
}

static enum tp_status unpack_counts(void *row, const json_t *object, struct tp_diag *diag)
{
	struct tp_counts *c = row;
	const json_t *list = json_object_get(object, "counts");

	if (!json_is_array(list) || json_array_size(list) > TP_EVENT_COUNTS_MAX)
		return tp_fail(diag, TP_USAGE, "event", "at most 16 numbers",
			       "\"counts\" is not a list of counts");
	c->n = (unsigned)json_array_size(list);
	c->left_out = (unsigned)json_integer_value(json_object_get(object, "left_out"));
	for (unsigned i = 0; i < c->n; i++) {
		const json_t *count = json_array_get(list, i);

		if (!json_is_number(count) && !json_is_null(count))
			return tp_fail(diag, TP_USAGE, "event", "a number or null",
				       "an entry of \"counts\" is not a count");
		c->counts[i] = json_is_null(count) ? NAN : json_number_value(count);
	}
	return TP_OK;
}

/* A point that is measured again overwrites what it counted before. */
static enum tp_status put_counts(struct tp_run *run, const void *row, struct tp_diag *diag)
{
	const struct tp_counts *c = row;
	struct tp_readings *readings = tp_run_readings_of(run);
	enum tp_status status = TP_OK;

	for (unsigned i = 0; i < c->n && status == TP_OK; i++)
		status = tp_readings_add(readings,
					 &(struct tp_reading){ .family = c->family,
							       .event = c->event,
							       .row = c->row,
							       .repetition = (size_t)c->first + i,
							       .count = c->counts[i],
							       .iterations = c->iterations },
					 diag);
	if (c->n && status == TP_OK)
		tp_reading_event_find(tp_readings_family(readings, c->family), c->event)
			->left_out += c->left_out;
	return status;
}

static size_t count_values(const void *row)
{
	return ((const struct tp_counts *)row)->n;
}

const struct tp_row_event tp_counts_event = {
	.name = "counts",
	.table = &counts_table,
	.exact = true,
	.pack = pack_counts,
	.unpack = unpack_counts,
	.put = put_counts,
	.values = count_values,
};
