/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mining/frame.h"

#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/expression.h"
#include "base/file.h"
#include "base/tally.h"
#include "base/process.h"
#include "base/text.h"
#include "base/memory.h"
#include "table/csv.h"

void tp_frame_release(struct tp_frame *frame)
{
	tp_diags_release(&frame->notes);
	tp_arena_release(&frame->arena);
	*frame = (struct tp_frame){ 0 };
}

const struct tp_frame_column *tp_frame_find(const struct tp_frame *frame, const char *name,
					    const char **nearest)
{
	if (nearest)
		*nearest = NULL;
	for (size_t i = 0; i < frame->n_columns; i++)
		if (strcmp(frame->columns[i].name, name) == 0)
			return &frame->columns[i];
	if (!nearest)
		return NULL;
	TP_FREE const char **names = tp_alloc(frame->n_columns + 1, sizeof(*names));
	for (size_t i = 0; i < frame->n_columns; i++)
		names[i] = frame->columns[i].name;
	*nearest = tp_nearest(name, names, frame->n_columns);
	return NULL;
}

const char *tp_frame_cell(const struct tp_frame_column *column, size_t row, char *out, size_t size)
{
	out[0] = '\0';
	if (column->is_words) {
		if (column->codes[row] != TP_FRAME_NO_WORD)
			tp_copy(out, size, column->words[column->codes[row]]);
	} else if (isfinite(column->numbers[row])) {
		snprintf(out, size, "%.10g", column->numbers[row]);
	}
	return out;
}

/* So that no reader takes a part of it for something else. */
static void add_text(struct tp_str *out, const char *text)
{
	size_t len = strlen(text);
	bool edges = len && (strchr(" #{[", text[0]) || strncasecmp(text, "sep=", 4) == 0 ||
			     text[len - 1] == ' ' || tp_mark_bytes(text, len));
	if (len && !edges && !strpbrk(text, ";\t")) {
		tp_cell_text(out, text);
		return;
	}
	tp_str_add(out, "\"");
	for (; *text; text++)
		tp_str_printf(out, "%s%c", *text == '"' ? "\"" : "", *text);
	tp_str_add(out, "\"");
}

/* The fewest digits that give the same number again. */
static void add_number(struct tp_str *out, double value)
{
	char text[40];
	snprintf(text, sizeof(text), "%.15g", value);
	if (strtod(text, NULL) != value)
		snprintf(text, sizeof(text), "%.17g", value);
	tp_str_add(out, text);
}

void tp_frame_write_csv(const struct tp_frame *frame, struct tp_str *out)
{
	for (size_t i = 0; i < frame->n_columns; i++) {
		tp_str_add(out, i ? "," : "");
		add_text(out, frame->columns[i].name);
	}
	tp_str_add(out, "\n");
	for (size_t row = 0; row < frame->n_rows; row++) {
		for (size_t i = 0; i < frame->n_columns; i++) {
			const struct tp_frame_column *column = &frame->columns[i];
			uint32_t code = column->is_words ? column->codes[row] : 0;
			tp_str_add(out, i ? "," : "");
			if (column->is_words && code != TP_FRAME_NO_WORD)
				add_text(out, column->words[code]);
			else if (!column->is_words && isfinite(column->numbers[row]))
				add_number(out, column->numbers[row]);
			else if (frame->n_columns == 1)
				tp_str_add(out, "\"\""); /* an empty line would be no row */
		}
		tp_str_add(out, "\n");
	}
}

/* Words that no row has any more go, and the others are in the order of their first row again. */
static void renumber(struct tp_frame_column *column, size_t n_rows)
{
	TP_FREE uint32_t *place = tp_alloc(column->n_words + 1, sizeof(*place));
	TP_FREE const char **words = tp_alloc(column->n_words + 1, sizeof(*words));
	uint32_t n = 0;
	for (size_t w = 0; w < column->n_words; w++)
		place[w] = TP_FRAME_NO_WORD;
	for (size_t i = 0; i < n_rows; i++) {
		uint32_t *code = &column->codes[i];
		if (*code == TP_FRAME_NO_WORD)
			continue;
		if (place[*code] == TP_FRAME_NO_WORD) {
			words[n] = column->words[*code];
			place[*code] = n++;
		}
		*code = place[*code];
	}
	memcpy(column->words, words, n * sizeof(*words));
	column->n_words = n;
}

void tp_frame_keep(struct tp_frame *frame, const bool *keep)
{
	size_t n = 0;
	for (size_t row = 0; row < frame->n_rows; row++)
		n += keep[row] ? 1 : 0;
	for (size_t i = 0; i < frame->n_columns && n < frame->n_rows; i++) {
		struct tp_frame_column *column = &frame->columns[i];
		column->n_missing = 0;
		for (size_t row = 0, to = 0; row < frame->n_rows; row++) {
			if (!keep[row])
				continue;
			if (column->is_words) {
				column->codes[to] = column->codes[row];
				column->n_missing += column->codes[to++] == TP_FRAME_NO_WORD;
			} else {
				column->numbers[to] = column->numbers[row];
				column->n_missing += isnan(column->numbers[to++]) ? 1 : 0;
			}
		}
		if (column->is_words)
			renumber(column, n);
	}
	frame->n_rows = n;
}

/* --- cells --- */

enum { DIGITS_MAX = 19, POWER_MAX = 22, EXPONENT_MAX = 100000 };

static bool is_one_of(const char *text, size_t len, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(words[i]) == len && strncasecmp(words[i], text, len) == 0)
			return true;
	return false;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The digits of a number without its sign and point, times ten to the `exponent`. */
struct decimal {
	uint64_t digits;
	unsigned n; /* significant ones, also of those beyond DIGITS_MAX */
	long exponent;
};

static const char *take_digits(const char *at, const char *end, struct decimal *d, bool behind)
{
	for (; at < end && is_digit(*at); at++) {
		d->n += d->n || *at != '0';
		if (d->n <= DIGITS_MAX)
			d->digits = 10 * d->digits + (uint64_t)(*at - '0');
		d->exponent -= behind;
	}
	return at;
}

/* "e-5"; false if there is none although it begins like one. */
static bool take_exponent(const char **at, const char *end, struct decimal *d)
{
	const char *c = *at + 1;
	bool minus = c < end && *c == '-';
	long value = 0;
	c += c < end && (*c == '-' || *c == '+');
	if (c == end || !is_digit(*c))
		return false;
	for (; c < end && is_digit(*c); c++)
		if (value < EXPONENT_MAX)
			value = 10 * value + (*c - '0');
	d->exponent += minus ? -value : value;
	*at = c;
	return true;
}

/*
 * Digits that a double holds exactly, times or through a power of ten that it holds exactly, are
 * rounded once, so the result is the nearest double (Clinger 1990). The library has the others.
 */
static double value_of(const struct decimal *d, bool minus, const char *text, size_t len)
{
	static const double powers[POWER_MAX + 1] = { 1e0,  1e1,  1e2,	1e3,  1e4,  1e5,
						      1e6,  1e7,  1e8,	1e9,  1e10, 1e11,
						      1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
						      1e18, 1e19, 1e20, 1e21, 1e22 };
	if (d->n > DIGITS_MAX || d->digits > UINT64_C(1) << 53 || d->exponent < -POWER_MAX ||
	    d->exponent > POWER_MAX) {
		char few[64], *copy = len < sizeof(few) ? few : tp_alloc(len + 1, 1);

		memcpy(copy, text, len);
		copy[len] = '\0';
		/* The C library keeps this one: no memory is taken, and no locale of a user counts.
		 */
		locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
		double value = strtod_l(copy, NULL, plain);
		freelocale(plain);
		if (copy != few)
			free(copy);
		return value;
	}
	double value = (double)d->digits;
	value = d->exponent < 0 ? value / powers[-d->exponent] : value * powers[d->exponent];
	return minus ? -value : value;
}

/* Anything but a number. */
static enum tp_cell_kind kind_of_word(const char *text, size_t len)
{
	static const char *const missing[] = { "NA", "NaN", "null", "none", "-" };
	static const char *const infinite[] = { "inf",	    "+inf",	 "-inf",
						"infinity", "+infinity", "-infinity" };
	char shown[8];
	if (len > strlen(infinite[5]))
		return TP_CELL_WORD;
	/* "?", or one character that is shown so. */
	if (len <= 4 && strcmp(tp_shown(shown, sizeof(shown), text, len), "?") == 0)
		return TP_CELL_MISSING;
	if (is_one_of(text, len, missing, TP_COUNT_OF(missing)))
		return TP_CELL_MISSING;
	return is_one_of(text, len, infinite, TP_COUNT_OF(infinite)) ? TP_CELL_INFINITE
								     : TP_CELL_WORD;
}

enum tp_cell_kind tp_cell_read(const char *text, size_t len, double *value)
{
	struct decimal d = { 0 };
	const char *end = text + len, *at = text;
	if (!len)
		return TP_CELL_MISSING;
	bool minus = *at == '-';
	at += minus || *at == '+';
	const char *first = at;
	at = take_digits(at, end, &d, false);
	bool any = at > first;
	if (at < end && *at == '.') {
		first = ++at;
		at = take_digits(at, end, &d, true);
		any |= at > first;
	}
	if (any && at < end && (*at == 'e' || *at == 'E'))
		any = take_exponent(&at, end, &d);
	if (!any || at != end)
		return kind_of_word(text, len);
	*value = value_of(&d, minus, text, len);
	return isfinite(*value) ? TP_CELL_NUMBER : TP_CELL_INFINITE;
}

/* --- expressions over the columns --- */

enum { LOOK_ROWS = 1 << 16 };

struct bound {
	struct tp_expression expression;
	const struct tp_frame_column *columns[TP_EXPRESSION_NAMES_MAX];
};

/* "cache lines" can be written cache_lines: names of expressions have no blanks. */
static bool is_name_of(const char *column, const char *name, size_t len, bool loose)
{
	size_t i = 0;
	for (; i < len && column[i]; i++)
		if (column[i] != name[i] &&
		    !(loose && name[i] == '_' && !isalnum((unsigned char)column[i])))
			return false;
	return i == len && !column[i];
}

static const struct tp_frame_column *column_of(const struct tp_frame *frame, const char *name,
					       size_t len)
{
	for (int loose = 0; loose < 2; loose++)
		for (size_t i = 0; i < frame->n_columns; i++)
			if (is_name_of(frame->columns[i].name, name, len, loose))
				return &frame->columns[i];
	return NULL;
}

static enum tp_status bind(struct bound *b, const struct tp_frame *frame, struct tp_diag *diag)
{
	for (unsigned i = 0; i < b->expression.n_names; i++) {
		char name[TP_FRAME_NAME_MAX_BYTES + 1] = "";
		const char *nearest;
		size_t len = b->expression.names[i].len;
		b->columns[i] = column_of(frame, b->expression.names[i].text, len);
		if (b->columns[i])
			continue;
		memcpy(name, b->expression.names[i].text,
		       len < sizeof(name) ? len : sizeof(name) - 1);
		tp_frame_find(frame, name, &nearest);
		return tp_expression_unknown(&b->expression, i, nearest, diag);
	}
	return TP_OK;
}

/* False if one of the values is missing. */
static bool values_of_row(const struct bound *b, size_t row, struct tp_operand *values)
{
	for (unsigned i = 0; i < b->expression.n_names; i++) {
		const struct tp_frame_column *column = b->columns[i];
		if (!column->is_words) {
			values[i] = (struct tp_operand){ .number = column->numbers[row] };
			if (isnan(values[i].number))
				return false;
			continue;
		}
		if (column->codes[row] == TP_FRAME_NO_WORD)
			return false;
		const char *word = column->words[column->codes[row]];
		values[i] = (struct tp_operand){ .word = word, .len = strlen(word) };
	}
	return true;
}

/* The result for each row; NaN where there is none. */
static enum tp_status compute(const struct bound *b, const struct tp_frame *frame, double *results,
			      struct tp_diag *diag)
{
	struct tp_operand values[TP_EXPRESSION_NAMES_MAX];
	for (size_t row = 0; row < frame->n_rows; row++) {
		results[row] = NAN;
		if (row % LOOK_ROWS == 0 && tp_stop_asked)
			return tp_fail(diag, TP_CANCELLED, frame->name, NULL, "cancelled");
		/* Words for each row would take far longer than the rows do. */
		if (values_of_row(b, row, values) &&
		    tp_expression_value(&b->expression, values, &results[row], NULL) == TP_USAGE)
			return tp_expression_value(&b->expression, values, &results[row], diag);
	}
	return TP_OK;
}

enum tp_status tp_frame_filter(struct tp_frame *frame, const char *expression, struct tp_diag *diag)
{
	struct bound b;
	TP_FREE double *results = tp_alloc(frame->n_rows + 1, sizeof(*results));
	TP_FREE bool *keep = tp_alloc(frame->n_rows + 1, sizeof(*keep));
	enum tp_status status = tp_expression_read(&b.expression, expression, diag);
	if (status == TP_OK)
		status = bind(&b, frame, diag);
	if (status == TP_OK)
		status = compute(&b, frame, results, diag);
	for (size_t row = 0; status == TP_OK && row < frame->n_rows; row++)
		keep[row] = !isnan(results[row]) && results[row] != 0;
	if (status == TP_OK)
		tp_frame_keep(frame, keep);
	return status;
}

enum tp_status tp_frame_derive(struct tp_frame *frame, const char *definition, struct tp_diag *diag)
{
	struct bound b;
	size_t len;
	enum tp_status status = tp_definition_read(&b.expression, definition, &len, diag);
	const char *name = definition + strspn(definition, " ");
	if (status != TP_OK)
		return status;
	if (len > TP_FRAME_NAME_MAX_BYTES || frame->n_columns == TP_FRAME_COLUMNS_MAX)
		return tp_fail(diag, TP_USAGE, frame->name, NULL, "%s",
			       len > TP_FRAME_NAME_MAX_BYTES ? "the name of a column is too long"
							     : "there are too many columns");
	for (size_t i = 0; i < frame->n_columns; i++)
		if (is_name_of(frame->columns[i].name, name, len, false))
			return tp_fail(diag, TP_USAGE, frame->name, "give it another name",
				       "there is a column \"%.100s\" already",
				       frame->columns[i].name);
	status = bind(&b, frame, diag);
	if (status != TP_OK)
		return status;
	double *numbers = tp_arena_alloc(&frame->arena, (frame->n_rows + 1) * sizeof(*numbers));
	status = compute(&b, frame, numbers, diag);
	if (status == TP_OK) {
		struct tp_frame_column *columns =
			tp_arena_alloc(&frame->arena, (frame->n_columns + 1) * sizeof(*columns));
		char *own = tp_arena_strndup(&frame->arena, name, len);

		if (frame->n_columns)
			memcpy(columns, frame->columns, frame->n_columns * sizeof(*columns));
		struct tp_frame_column *column = &columns[frame->n_columns++];
		*column = (struct tp_frame_column){ .name = own,
						    .role = TP_ROLE_NOTE,
						    .numbers = numbers };
		for (size_t row = 0; row < frame->n_rows; row++)
			column->n_missing += isnan(numbers[row]) ? 1 : 0;
		frame->columns = columns;
	}
	return status;
}

/* --- the words of a column --- */

static size_t hash_of(const char *text, size_t len)
{
	uint64_t hash = TP_HASH_START;
	for (size_t i = 0; i < len; i++)
		hash = tp_hash_step(hash, (unsigned char)text[i]);
	return (size_t)(hash ^ hash >> 32);
}

/* The slot of a text, or the free one where it belongs. At most half of the slots are used. */
static uint32_t *slot_of(const struct tp_dictionary *d, const char *text, size_t len)
{
	size_t mask = d->n_slots - 1;
	for (size_t i = hash_of(text, len) & mask;; i = (i + 1) & mask) {
		const char *word = d->slots[i] ? d->words[d->slots[i] - 1] : NULL;
		if (!word || (strncmp(word, text, len) == 0 && word[len] == '\0'))
			return &d->slots[i];
	}
}

static void grow_slots(struct tp_dictionary *d)
{
	if (d->n_slots > 2 * (d->n + 1))
		return;
	size_t n = d->n_slots ? 2 * d->n_slots : 16;
	uint32_t *slots = tp_alloc(n, sizeof(*slots));
	free(d->slots);
	d->slots = slots;
	d->n_slots = n;
	for (size_t i = 0; i < d->n; i++)
		*slot_of(d, d->words[i], strlen(d->words[i])) = (uint32_t)i + 1;
}

static bool is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] < 0x20 || text[i] > 0x7e)
			return false;
	return true;
}

static uint32_t code_of(struct tp_dictionary *d, struct tp_arena *arena, const char *text,
			size_t len)
{
	grow_slots(d);
	TP_RESERVE(d->words, d->cap, d->n + 1);
	uint32_t *slot = slot_of(d, text, len);
	if (!*slot) {
		d->words[d->n++] = tp_arena_strndup(arena, text, len);
		d->text_bytes += len + 16;
		*slot = (uint32_t)d->n;
	}
	return *slot - 1;
}

/*
 * The code of a word, which is new or known. What cannot be printed in it becomes "?". The texts
 * are copied into the arena.
 */
static uint32_t dictionary_code(struct tp_dictionary *d, struct tp_arena *arena, const char *text,
				size_t len)
{
	if (is_plain(text, len))
		return code_of(d, arena, text, len);
	/* Cleaning never makes a text longer. */
	TP_FREE char *clean = tp_alloc(len + 1, 1);
	tp_shown(clean, len + 1, text, len);
	return code_of(d, arena, clean, strlen(clean));
}

static size_t dictionary_bytes(const struct tp_dictionary *d)
{
	return d->text_bytes + d->cap * sizeof(*d->words) + d->n_slots * sizeof(*d->slots);
}

static void dictionary_release(struct tp_dictionary *d)
{
	free(d->words);
	free(d->slots);
	*d = (struct tp_dictionary){ 0 };
}

/* --- columns that grow cell by cell --- */

enum { FIRST_ROWS = 1024 };

static const size_t most_bytes = (size_t)1 << 31;

void tp_growing_begin(struct tp_growing *g, struct tp_frame *frame)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	g->frame = frame;
	g->n_columns = frame->n_columns;
	g->max_bytes = most_bytes;
	if (pages > 0 && page_bytes > 0)
		g->max_bytes = TP_MIN(most_bytes, (size_t)pages / 2 * (size_t)page_bytes);
	if (frame->max_bytes)
		g->max_bytes = TP_MIN(g->max_bytes, frame->max_bytes);
	g->columns = tp_alloc(TP_MAX(frame->n_columns, (size_t)1), sizeof(*g->columns));
}

static void add_room(struct tp_growing *g)
{
	size_t rows = g->cap_rows ? 2 * g->cap_rows : FIRST_ROWS, more = rows - g->cap_rows;
	for (size_t c = 0; c < g->n_columns; c++) {
		struct tp_growing_column *column = &g->columns[c];
		if (column->numbers) {
			column->numbers = tp_realloc(column->numbers, rows, sizeof(double));
			g->bytes += more * sizeof(double);
		}
		if (column->codes) {
			column->codes = tp_realloc(column->codes, rows, sizeof(uint32_t));
			g->bytes += more * sizeof(uint32_t);
		}
	}
	g->cap_rows = rows;
}

enum tp_status tp_growing_row(struct tp_growing *g, struct tp_diag *diag)
{
	char most[32];
	if (g->n_rows == TP_FRAME_ROWS_MAX)
		return tp_fail(diag, TP_RESOURCE, g->frame->name, "give fewer rows",
			       "more than %d rows", TP_FRAME_ROWS_MAX);
	if (g->n_rows == g->cap_rows)
		add_room(g);
	if (g->bytes > g->max_bytes)
		return tp_fail(diag, TP_RESOURCE, g->frame->name,
			       "give fewer rows, columns or different words",
			       "the table takes more than %s of memory",
			       tp_format_bytes(most, sizeof(most), g->max_bytes));
	g->n_rows++;
	return TP_OK;
}

/* The first value decides the kind of the column; rows before it are empty. */
static void settle_kind(struct tp_growing *g, struct tp_growing_column *column,
			enum tp_growing_kind kind)
{
	column->kind = kind;
	if (kind == TP_GROWING_NUMBERS) {
		column->numbers = tp_realloc(NULL, g->cap_rows, sizeof(double));
		g->bytes += g->cap_rows * sizeof(double);
	} else {
		column->codes = tp_realloc(NULL, g->cap_rows, sizeof(uint32_t));
		g->bytes += g->cap_rows * sizeof(uint32_t);
	}
	for (size_t i = 0; i + 1 < g->n_rows; i++)
		if (column->numbers)
			column->numbers[i] = NAN;
		else
			column->codes[i] = TP_FRAME_NO_WORD;
}

static void settle_early(struct tp_growing *g, size_t column, enum tp_growing_kind kind)
{
	if (!g->cap_rows)
		add_room(g);
	settle_kind(g, &g->columns[column], kind);
}

void tp_growing_as_words(struct tp_growing *g, size_t column)
{
	settle_early(g, column, TP_GROWING_WORDS);
}

void tp_growing_as_numbers(struct tp_growing *g, size_t column)
{
	settle_early(g, column, TP_GROWING_NUMBERS);
}

enum tp_cell_kind tp_growing_put(struct tp_growing *g, size_t c, const char *text, size_t len)
{
	struct tp_growing_column *column = &g->columns[c];
	double value = NAN;
	enum tp_cell_kind kind = tp_cell_read(text, len, &value);
	if (kind != TP_CELL_MISSING && column->kind == TP_GROWING_UNKNOWN)
		settle_kind(g, column,
			    kind == TP_CELL_WORD ? TP_GROWING_WORDS : TP_GROWING_NUMBERS);
	if (column->kind == TP_GROWING_WORDS && kind != TP_CELL_MISSING) {
		size_t before = dictionary_bytes(&column->words);

		column->codes[g->n_rows - 1] =
			dictionary_code(&column->words, &g->frame->arena, text, len);
		g->bytes += dictionary_bytes(&column->words) - before;
		return kind;
	}
	column->n_missing += kind != TP_CELL_NUMBER;
	if (column->kind == TP_GROWING_WORDS)
		column->codes[g->n_rows - 1] = TP_FRAME_NO_WORD;
	else if (column->kind == TP_GROWING_NUMBERS)
		column->numbers[g->n_rows - 1] = kind == TP_CELL_NUMBER ? value : NAN;
	return kind;
}

void tp_growing_number(struct tp_growing *g, size_t c, double value)
{
	struct tp_growing_column *column = &g->columns[c];
	column->numbers[g->n_rows - 1] = value;
	column->n_missing += isnan(value) ? 1 : 0;
}

static void end_column(struct tp_growing *g, struct tp_growing_column *from,
		       struct tp_frame_column *to)
{
	struct tp_arena *arena = &g->frame->arena;
	size_t n = TP_MAX(g->n_rows, (size_t)1);
	to->is_words = from->kind == TP_GROWING_WORDS;
	to->n_missing = from->n_missing;
	if (to->is_words) {
		to->codes = tp_arena_alloc(arena, n * sizeof(*to->codes));
		to->words = tp_arena_alloc(arena, from->words.n * sizeof(*to->words));
		memcpy(to->codes, from->codes, g->n_rows * sizeof(*to->codes));
		memcpy(to->words, from->words.words, from->words.n * sizeof(*to->words));
		to->n_words = from->words.n;
	} else {
		to->numbers = tp_arena_alloc(arena, n * sizeof(*to->numbers));
		for (size_t i = 0; i < g->n_rows; i++)
			to->numbers[i] = from->numbers ? from->numbers[i] : NAN;
	}
	free(from->numbers);
	free(from->codes);
	from->numbers = NULL;
	from->codes = NULL;
	dictionary_release(&from->words);
}

void tp_growing_end(struct tp_growing *g)
{
	for (size_t c = 0; c < g->n_columns; c++)
		end_column(g, &g->columns[c], &g->frame->columns[c]);
	g->frame->n_rows = g->n_rows;
}

void tp_growing_release(struct tp_growing *g)
{
	for (size_t c = 0; g->columns && c < g->n_columns; c++) {
		free(g->columns[c].numbers);
		free(g->columns[c].codes);
		dictionary_release(&g->columns[c].words);
	}
	free(g->columns);
	*g = (struct tp_growing){ 0 };
}

/* --- several tables --- */

static const char source_name[] = "source", other_source_name[] = "source table";

static bool is_any_name(const struct tp_frame *parts, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (tp_frame_find(&parts[i], name, NULL))
			return true;
	return false;
}

/* The names of all parts in the order in which they come; the first is that of the source. */
static void join_columns(struct tp_frame *frame, const struct tp_frame *parts, size_t n)
{
	TP_CLEANUP(tp_tally_release) struct tp_tally names = { 0 };
	size_t most = 1;
	for (size_t i = 0; i < n; i++)
		most += parts[i].n_columns;
	frame->columns = tp_arena_alloc(&frame->arena, most * sizeof(*frame->columns));
	frame->columns[frame->n_columns++].name =
		is_any_name(parts, n, source_name) ? other_source_name : source_name;
	tp_tally_add(&names, frame->columns[0].name);
	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < parts[i].n_columns; c++) {
			const struct tp_frame_column *from = &parts[i].columns[c];
			if (tp_tally_find(&names, from->name))
				continue;
			tp_tally_add(&names, from->name);
			struct tp_frame_column *to = &frame->columns[frame->n_columns++];
			to->name = tp_arena_strdup(&frame->arena, from->name);
			to->role = TP_ROLE_NOTE;
			if (from->unit)
				to->unit = tp_arena_strdup(&frame->arena, from->unit);
		}
}

/* Words if any part has words; a unit that not all parts have goes. */
static void settle_column(struct tp_growing *growing, struct tp_frame_column *column, size_t c,
			  const struct tp_frame *parts, size_t n)
{
	bool words = c == 0;
	for (size_t i = 0; i < n && c; i++) {
		const struct tp_frame_column *from = tp_frame_find(&parts[i], column->name, NULL);
		if (!from) {
			tp_diags_note(&growing->frame->notes, parts[i].name, NULL,
				      "has no column %.100s: it is missing in its rows",
				      column->name);
			continue;
		}
		words |= from->is_words;
		if (column->unit && (!from->unit || strcmp(from->unit, column->unit) != 0))
			column->unit = NULL;
	}
	if (words)
		tp_growing_as_words(growing, c);
	else
		tp_growing_as_numbers(growing, c);
}

static enum tp_status add_part(struct tp_growing *growing, const struct tp_frame *part,
			       struct tp_diag *diag)
{
	const struct tp_frame *frame = growing->frame;
	TP_FREE const struct tp_frame_column **from =
		tp_alloc(frame->n_columns, sizeof(const struct tp_frame_column *));
	TP_STR cell = { 0 };
	enum tp_status status = TP_OK;
	for (size_t c = 1; c < frame->n_columns; c++)
		from[c] = tp_frame_find(part, frame->columns[c].name, NULL);
	for (size_t row = 0; row < part->n_rows; row++) {
		if (row % LOOK_ROWS == 0 && tp_stop_asked)
			return tp_fail(diag, TP_CANCELLED, frame->name, NULL, "cancelled");
		status = tp_growing_row(growing, diag);
		if (status != TP_OK)
			break;
		const char *name = tp_path_last(part->name);
		tp_growing_put(growing, 0, name, strlen(name));
		for (size_t c = 1; c < frame->n_columns; c++) {
			tp_str_clear(&cell);
			if (from[c] && from[c]->is_words && from[c]->codes[row] != TP_FRAME_NO_WORD)
				tp_str_add(&cell, from[c]->words[from[c]->codes[row]]);
			else if (from[c] && !from[c]->is_words && isfinite(from[c]->numbers[row]))
				add_number(&cell, from[c]->numbers[row]);
			tp_growing_put(growing, c, tp_str_text(&cell), cell.len);
		}
	}
	return status;
}

enum tp_status tp_frame_join(struct tp_frame *frame, const struct tp_frame *parts, size_t n,
			     struct tp_diag *diag)
{
	TP_CLEANUP(tp_growing_release) struct tp_growing growing = { 0 };
	TP_STR name = { 0 };
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < n; i++) {
		tp_str_printf(&name, "%s%s", i ? " + " : "", tp_path_last(parts[i].name));
		for (size_t k = 0; k < parts[i].notes.n; k++)
			tp_diags_add(&frame->notes, &parts[i].notes.items[k]);
		if (parts[i].notes.untold)
			tp_diags_more(&frame->notes, parts[i].notes.untold);
		frame->n_left_out += parts[i].n_left_out;
	}
	tp_shown(frame->name, sizeof(frame->name), tp_str_text(&name), name.len);
	join_columns(frame, parts, n);
	if (frame->n_columns > TP_FRAME_COLUMNS_MAX)
		return tp_fail(diag, TP_USAGE, frame->name, "leave columns out",
			       "%zu columns, at most %d are read", frame->n_columns,
			       TP_FRAME_COLUMNS_MAX);
	tp_growing_begin(&growing, frame);
	for (size_t c = 0; c < frame->n_columns; c++)
		settle_column(&growing, &frame->columns[c], c, parts, n);
	for (size_t i = 0; i < n && status == TP_OK; i++)
		status = add_part(&growing, &parts[i], diag);
	if (status == TP_OK)
		tp_growing_end(&growing);
	return status;
}
