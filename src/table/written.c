/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table/written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"

/* Rows that decide the separator; rows that may be the names; columns that are looked at. */
enum { SEPARATOR_ROWS = 200, NAMES_ROWS = 50, LOOK_COLUMNS = 4096, LOOK_ROWS = 1 << 18 };

void tp_written_release(struct tp_written *form)
{
	free(form->columns);
	tp_str_release(&form->said);
	*form = (struct tp_written){ 0 };
}

/* --- requests --- */

static const struct {
	const char *word;
	char separator;
} separators[] = {
	{ "comma", ',' }, { "semicolon", ';' }, { "tab", '\t' }, { "pipe", '|' }, { "blanks", ' ' },
};

static bool read_encoding(struct tp_written_wish *wish, const char *value)
{
	wish->encoding = tp_encoding_find(value);
	return wish->encoding != TP_ENCODING_BY_TEXT;
}

static bool read_separator(struct tp_written_wish *wish, const char *value)
{
	for (size_t i = 0; i < TP_COUNT_OF(separators); i++)
		if (strcmp(value, separators[i].word) == 0)
			wish->separator = separators[i].separator;
	if (!wish->separator && strlen(value) == 1 && *value > ' ' && *value <= '~' &&
	    *value != '"')
		wish->separator = *value;
	return wish->separator != 0;
}

static bool read_decimal(struct tp_written_wish *wish, const char *value)
{
	wish->decimal = strcmp(value, "comma") == 0 ? ',' : '.';
	return wish->decimal == ',' || strcmp(value, "point") == 0;
}

static bool read_header(struct tp_written_wish *wish, const char *value)
{
	wish->header = strcmp(value, "no") == 0 ? TP_WRITTEN_NO_NAMES : TP_WRITTEN_NAMES;
	return wish->header == TP_WRITTEN_NO_NAMES || strcmp(value, "yes") == 0;
}

static bool read_skip(struct tp_written_wish *wish, const char *value)
{
	uint64_t lines;
	wish->skips = tp_parse_u64(value, &lines) && lines <= 1000000;
	wish->skip = wish->skips ? (unsigned long)lines : 0;
	return wish->skips;
}

static bool read_table(struct tp_written_wish *wish, const char *value)
{
	return *value && tp_copy(wish->table, sizeof(wish->table), value);
}

enum tp_status tp_written_wish_read(struct tp_written_wish *wish, const char *item,
				    struct tp_diag *diag)
{
	static const struct {
		const char *key;
		bool (*read)(struct tp_written_wish *wish, const char *value);
	} rows[] = {
		{ "encoding", read_encoding }, { "sep", read_separator },
		{ "decimal", read_decimal },   { "header", read_header },
		{ "skip", read_skip },	       { "table", read_table },
	};
	const char *colon = strchr(item, ':');
	for (size_t i = 0; colon && i < TP_COUNT_OF(rows); i++)
		if (strlen(rows[i].key) == (size_t)(colon - item) &&
		    strncmp(rows[i].key, item, (size_t)(colon - item)) == 0 &&
		    rows[i].read(wish, colon + 1))
			return TP_OK;
	return tp_fail(diag, TP_USAGE, "mine.read",
		       "encoding:utf-8, utf-16, windows-1252 or latin-1; sep:comma, semicolon, "
		       "tab, pipe, blanks or a character; decimal:comma or "
		       "point; header:yes or no; skip:LINES; table:NUMBER or NAME",
		       "\"%.100s\" is not allowed", item);
}

/* --- lines --- */

/* What the look goes over. */
struct text {
	const char *from, *end;
	bool whole;
	char line_end;
	unsigned long first_line; /* of `from` */
};

/* A row, or a line that is not one. */
struct row {
	const char *at, *end;
	unsigned long line;
	size_t n, filled; /* cells; without the empty ones at the end */
	bool broken; /* a quote is in a wrong place */
	bool after_blank; /* an empty line is above it */
	bool marker; /* names the table below it */
	bool words; /* no cell is a number */
	bool comment; /* begins with # */
};

struct rows {
	struct row *items;
	size_t n, cap;
};

static void release_rows(struct rows *rows)
{
	free(rows->items);
}

static bool is_number(const struct tp_cell_span *cell)
{
	const char *unit;
	return tp_number_shape(cell->at, tp_number_bytes(cell->at, cell->len, &unit)) !=
	       TP_SHAPE_WORD;
}

static bool has_text(const struct tp_cell_span *cell, const char *text)
{
	return cell->len == strlen(text) && memcmp(cell->at, text, cell->len) == 0;
}

/* A line as LIKWID writes it above each of its tables. */
static bool is_marker(const struct tp_splitter *s)
{
	return s->n > 1 && s->cells &&
	       (has_text(&s->cells[0], "TABLE") || has_text(&s->cells[0], "STRUCT"));
}

static void describe_row(const struct tp_splitter *s, struct row *row)
{
	row->n = s->n;
	row->filled = tp_row_filled(s);
	row->words = true;
	if (s->n > s->most)
		return;
	for (size_t i = 0; i < s->n && row->words; i++)
		row->words = s->cells[i].quoted || !is_number(&s->cells[i]);
	row->marker = is_marker(s);
}

/* The rows of the text, at most `most`; empty lines are none. */
static void collect_rows(const struct text *text, char separator, size_t most, struct rows *rows)
{
	TP_CLEANUP(tp_splitter_release)
	struct tp_splitter s = { .separator = separator,
				 .line_end = text->line_end,
				 .most = LOOK_COLUMNS };
	unsigned long line = text->first_line, lines;
	bool blank = false;
	for (const char *at = text->from; at < text->end && rows->n < most;) {
		const char *stop = memchr(at, text->line_end, (size_t)(text->end - at));
		const char *line_stop = stop ? stop : text->end, *first = at;
		while (first < line_stop && strchr(" \t\r", *first) && *first)
			first++;
		if (first == line_stop &&
		    (separator != '\t' || !memchr(at, '\t', (size_t)(first - at)))) {
			blank = true;
		} else if (!tp_written_is_rule(separator, at, line_stop)) {
			struct row row = { .at = at, .line = line, .after_blank = blank };
			row.comment = first < line_stop && *first == '#';
			blank = false;
			enum tp_split found =
				tp_split_row(&s, at, text->end, text->whole, &stop, &lines);
			if (found == TP_SPLIT_MORE)
				return;
			row.broken = found != TP_SPLIT_ROW;
			if (row.broken) {
				stop = line_stop == text->end ? NULL : line_stop;
			} else {
				describe_row(&s, &row);
				line += lines - 1;
				stop = stop == text->end ? NULL : stop;
			}
			row.end = stop ? stop : text->end;
			TP_RESERVE(rows->items, rows->cap, rows->n + 1);
			rows->items[rows->n++] = row;
		}
		line++;
		at = stop ? stop + 1 : text->end;
	}
}

/* --- the separator --- */

struct agreement {
	size_t width, rows, of; /* `rows` rows of `of` have `width` cells */
	bool first; /* the first row has */
};

/* Comments and broken lines do not count. */
static bool counts(const struct row *row)
{
	return !row->broken && !row->comment && !row->marker;
}

static struct agreement agreement_of(const struct text *text, char separator)
{
	TP_CLEANUP(release_rows) struct rows rows = { 0 };
	struct agreement best = { 0 };
	size_t of = 0, first = 0;
	collect_rows(text, separator, SEPARATOR_ROWS, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		size_t same = 0, width = rows.items[i].n;
		if (!counts(&rows.items[i]))
			continue;
		first = of++ ? first : width;
		if (width < 2 || width == best.width)
			continue;
		for (size_t k = i; k < rows.n; k++)
			same += counts(&rows.items[k]) && rows.items[k].n == width;
		if (same * (width - 1) > best.rows * (best.width - (best.width > 0)))
			best = (struct agreement){ width, same, 0, false };
	}
	best.of = of;
	best.first = best.width && first == best.width;
	return best;
}

/* Whether the commas of the text stand in numbers once its cells are separated. */
static bool commas_are_decimals(const struct text *text, char separator)
{
	TP_CLEANUP(release_rows) struct rows rows = { 0 };
	TP_CLEANUP(tp_splitter_release)
	struct tp_splitter s = { .separator = separator,
				 .line_end = text->line_end,
				 .most = LOOK_COLUMNS };
	size_t numbers = 0, all = 0;
	const char *stop;
	unsigned long lines;
	collect_rows(text, separator, SEPARATOR_ROWS, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		if (!counts(&rows.items[i]) || tp_split_row(&s, rows.items[i].at, text->end, true,
							    &stop, &lines) != TP_SPLIT_ROW)
			continue;
		for (size_t c = 0; c < TP_MIN(s.n, s.most); c++) {
			if (s.cells[c].quoted || !memchr(s.cells[c].at, ',', s.cells[c].len))
				continue;
			all++;
			numbers += is_number(&s.cells[c]);
		}
	}
	return all && 5 * numbers >= 4 * all;
}

/* Cells that blanks separate: nearly all rows agree, and have a number. */
static bool blanks_separate(const struct text *text, struct agreement *found)
{
	TP_CLEANUP(release_rows) struct rows rows = { 0 };
	size_t with_number = 0, of = 0;
	const struct row *first = NULL;
	*found = agreement_of(text, ' ');
	if (!found->width || 5 * found->rows < 4 * (found->of - (found->of > 1)))
		return false;
	collect_rows(text, ' ', SEPARATOR_ROWS, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		if (!counts(&rows.items[i]))
			continue;
		if (!first)
			first = &rows.items[i];
		else
			with_number += !rows.items[i].words;
		of++;
	}
	if (!first || (first->n != found->width && (first->n + 1 != found->width || first->n < 2)))
		return false;
	return of == 1 ? !first->words : 5 * with_number >= 4 * (of - 1);
}

/* One column of numbers with decimal commas below a name. */
static bool is_one_column(const struct text *text)
{
	TP_CLEANUP(release_rows) struct rows rows = { 0 };
	size_t numbers = 0, of = 0, decimals = 0;
	collect_rows(text, ',', SEPARATOR_ROWS, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		const struct row *row = &rows.items[i];
		if (!counts(row))
			continue;
		if (!of++ && row->n > 1)
			return false;
		size_t len = (size_t)(row->end - row->at);
		const char *at = row->at, *unit;
		tp_trim(&at, &len);
		enum tp_number_shape shape = tp_number_shape(at, tp_number_bytes(at, len, &unit));
		numbers += shape != TP_SHAPE_WORD;
		decimals += shape == TP_SHAPE_COMMA;
	}
	return of > 2 && decimals && numbers + 1 >= of;
}

static char find_separator(const struct text *text)
{
	static const char others[] = ";\t|";
	struct agreement best = agreement_of(text, ','), blanks;
	char separator = ',';
	for (const char *c = others; *c; c++) {
		struct agreement a = agreement_of(text, *c);
		size_t score = a.rows * a.width, least = best.rows * best.width;
		if (!a.width)
			continue;
		bool all = a.rows == a.of, best_all = best.width && best.rows == best.of;
		bool decimals = separator == ',' && 5 * a.rows >= 4 * best.rows &&
				commas_are_decimals(text, *c);
		if (decimals || (all && !best_all) || (all == best_all && score > least)) {
			best = a;
			separator = *c;
		}
	}
	if (separator == ',' && best.width == 2 && !best.first && is_one_column(text))
		return ';';
	bool weak = !best.width || 2 * best.rows < best.of;
	if ((weak || (separator == ',' && best.rows < best.of)) && blanks_separate(text, &blanks) &&
	    (weak || commas_are_decimals(text, ' ')))
		return ' ';
	return separator;
}

/* --- tables --- */

/* Rows that belong together. */
struct chunk {
	size_t first, end; /* of the rows */
	size_t names; /* the row of the names, or the first one */
	size_t columns, n_rows;
	bool index;
	char title[64];
};

struct chunks {
	struct chunk items[TP_WRITTEN_TABLES_MAX];
	size_t n;
};

static bool is_same_text(const struct row *a, const struct row *b)
{
	size_t n = (size_t)(a->end - a->at);
	return n == (size_t)(b->end - b->at) && memcmp(a->at, b->at, n) == 0;
}

/*
 * How many rows below match the row, less those that have more cells. One of them must have as many
 * cells, or the next one numbers: otherwise the row is a title with separators in it.
 */
static long fit_of(const struct rows *rows, size_t at, size_t end)
{
	long fit = 0;
	bool equal = false, first = true;
	const struct row *row = &rows->items[at];
	for (size_t i = at + 1; i < end; i++) {
		const struct row *other = &rows->items[i];
		if (other->broken || other->comment)
			continue;
		equal |= other->n == row->n || other->filled == row->n || (first && !other->words);
		first = false;
		fit += other->filled > row->n ? -1 : other->n > 1;
	}
	return equal ? fit : 0;
}

/* Finds the row of the names: everything above it is preamble. */
static void find_names(const struct rows *rows, struct chunk *chunk)
{
	long best[2] = { 0 };
	size_t first = chunk->first, widest = chunk->first, looked = 0, at[2] = { 0 };
	while (first < chunk->end && !counts(&rows->items[first]))
		first++;
	chunk->names = first < chunk->end ? first : chunk->first;
	for (size_t i = first; i < chunk->end && looked < NAMES_ROWS; i++) {
		const struct row *row = &rows->items[i];
		if (!counts(row))
			continue;
		looked++;
		if (!counts(&rows->items[widest]) || rows->items[widest].n < row->n)
			widest = i;
		long fit = row->n > 1 ? fit_of(rows, i, chunk->end) : 0;
		if (fit > best[row->words]) {
			best[row->words] = fit;
			at[row->words] = i;
		}
	}
	/* Names are words, and have no rows above them. */
	bool words = best[true] && !(best[false] && at[false] < at[true] &&
				     rows->items[at[false]].n == rows->items[at[true]].n);
	if (words || best[false])
		chunk->names = at[words];
	else if (chunk->first < chunk->end && rows->items[widest].n > 1)
		chunk->names = widest;
	chunk->columns = chunk->end > chunk->first ? rows->items[chunk->names].n : 0;
	/* R: one name fewer than cells. */
	const struct row *names = &rows->items[chunk->names];
	if (chunk->names > chunk->first && !names->words) {
		const struct row *above = names - 1;
		if (counts(above) && above->words && above->n >= 1 && above->n + 1 == names->n &&
		    (above->n > 1 || *above->at == '"') && !names->after_blank) {
			chunk->names--;
			chunk->index = true;
		}
	}
	for (size_t i = chunk->names + 1; i < chunk->end; i++)
		chunk->n_rows += counts(&rows->items[i]) && rows->items[i].n > 1;
	if (chunk->columns == 1 && chunk->end > chunk->names)
		chunk->n_rows = chunk->end - chunk->names - 1;
}

static void title_of_row(const struct text *text, char separator, const struct row *row, char *out,
			 size_t size)
{
	TP_CLEANUP(tp_splitter_release)
	struct tp_splitter s = { .separator = separator,
				 .line_end = text->line_end,
				 .most = LOOK_COLUMNS };
	const char *stop;
	unsigned long lines;
	TP_STR title = { 0 };
	if (!row->broken &&
	    tp_split_row(&s, row->at, text->end, true, &stop, &lines) == TP_SPLIT_ROW)
		for (size_t i = row->marker; i < TP_MIN(s.n, s.most) && i < 3; i++)
			if (s.cells[i].len) {
				tp_str_add(&title, title.len ? " " : "");
				tp_str_add_n(&title, s.cells[i].at, s.cells[i].len);
			}
	tp_shown(out, size, tp_str_text(&title), title.len);
}

/* True where another table begins at the row. */
static bool begins_table(const struct rows *rows, const struct chunk *chunk, size_t i)
{
	const struct row *row = &rows->items[i], *last = row;
	if (row->marker)
		return true;
	while (last > &rows->items[chunk->first] && (last == row || !counts(last)))
		last--;
	if (!row->after_blank || !counts(row) || last == row || !counts(last))
		return false;
	if (row->n == 1 && last->n == 1)
		return false;
	if (row->n != last->n && row->filled != last->n)
		return true;
	bool numbers = false;
	for (size_t k = chunk->first; k < i && !numbers; k++)
		numbers = counts(&rows->items[k]) && !rows->items[k].words;
	if (!row->words || !numbers)
		return false;
	for (size_t k = chunk->first; k < i && k < chunk->first + NAMES_ROWS; k++)
		if (is_same_text(row, &rows->items[k]))
			return false;
	return true;
}

static void end_chunk(const struct rows *rows, struct chunks *chunks, struct chunk *chunk,
		      size_t end)
{
	chunk->end = end;
	if (end == chunk->first || chunks->n == TP_WRITTEN_TABLES_MAX)
		return;
	find_names(rows, chunk);
	chunks->items[chunks->n++] = *chunk;
}

static void find_chunks(const struct text *text, char separator, const struct rows *rows,
			struct chunks *chunks)
{
	struct chunk chunk = { 0 };
	for (size_t i = 1; i <= rows->n; i++) {
		if (i < rows->n && !begins_table(rows, &chunk, i))
			continue;
		/* A separate line above the table names it. */
		const struct row *first = &rows->items[chunk.first];
		if (first->marker)
			title_of_row(text, separator, first, chunk.title, sizeof(chunk.title));
		size_t from = chunk.first + first->marker;
		if (!first->marker && chunks->n) {
			const struct chunk *above = &chunks->items[chunks->n - 1];
			if (above->columns == 1 && above->end - above->first == 1)
				title_of_row(text, separator, &rows->items[above->first],
					     chunk.title, sizeof(chunk.title));
		}
		chunk.first = from;
		end_chunk(rows, chunks, &chunk, i);
		chunk = (struct chunk){ .first = i };
	}
}

/* Where others have more, chunks of one cell a line are titles; a table has at least a row. */
static void keep_tables(struct chunks *chunks)
{
	size_t n = 0, most = 0, rows = 0;
	for (size_t i = 0; i < chunks->n; i++) {
		most = TP_MAX(most, chunks->items[i].columns);
		rows = TP_MAX(rows, chunks->items[i].columns > 1 ? chunks->items[i].n_rows : 0);
	}
	for (size_t i = 0; i < chunks->n; i++) {
		const struct chunk *chunk = &chunks->items[i];
		bool is_title = most > 1 && chunk->columns < 2;
		if (is_title || (rows && !chunk->n_rows))
			continue;
		chunks->items[n++] = *chunk;
	}
	chunks->n = n;
}

static enum tp_status no_table(const struct tp_written *form, const char *name, const char *wanted,
			       struct tp_diag *diag)
{
	TP_STR hint = { 0 };
	tp_str_add(&hint, "it has ");
	for (size_t i = 0; i < form->n_tables; i++)
		tp_str_printf(&hint, "%s%zu%s%s", i ? ", " : "", i + 1,
			      *form->tables[i].name ? " " : "", form->tables[i].name);
	return tp_fail(diag, TP_USAGE, name, tp_str_text(&hint), "has no table \"%s\"", wanted);
}

/* The largest table, or the requested one. */
static enum tp_status choose_table(struct tp_written *form, const struct chunks *chunks,
				   const char *name, const struct tp_written_wish *wish,
				   struct tp_diag *diag)
{
	uint64_t number;
	size_t cells = 0;
	for (size_t i = 0; i < chunks->n; i++) {
		size_t n = chunks->items[i].columns * chunks->items[i].n_rows;
		if (n > cells) {
			cells = n;
			form->chosen = i;
		}
	}
	if (!*wish->table)
		return TP_OK;
	for (size_t i = 0; i < form->n_tables; i++)
		if (strcasecmp(form->tables[i].name, wish->table) == 0) {
			form->chosen = i;
			return TP_OK;
		}
	if (tp_parse_u64(wish->table, &number) && number >= 1 && number <= form->n_tables) {
		form->chosen = (size_t)number - 1;
		return TP_OK;
	}
	return no_table(form, name, wish->table, diag);
}

/* --- columns --- */

struct column_counts {
	size_t shapes[TP_SHAPES];
	size_t with_unit; /* have the unit of the column */
};

struct columns {
	struct column_counts *counts;
	size_t n;
};

static bool is_infinite(const struct tp_cell_span *cell)
{
	size_t sign = cell->len && (*cell->at == '-' || *cell->at == '+');
	const char *at = cell->at + sign;
	size_t n = cell->len - sign;
	return (n == 3 && strncasecmp(at, "inf", n) == 0) ||
	       (n == 8 && strncasecmp(at, "infinity", n) == 0);
}

static void count_cell(struct tp_written_column *column, struct column_counts *c,
		       const struct tp_cell_span *cell)
{
	const char *unit;
	if (tp_written_is_missing(cell->at, cell->len) || is_infinite(cell))
		return;
	size_t n = tp_number_bytes(cell->at, cell->len, &unit);
	enum tp_number_shape shape = tp_number_shape(cell->at, n);
	size_t bytes = (size_t)(cell->at + cell->len - unit);
	if (shape != TP_SHAPE_WORD && bytes) {
		if (!*column->unit && bytes < sizeof(column->unit)) {
			memcpy(column->unit, unit, bytes);
			column->unit[bytes] = '\0';
		}
		if (bytes == strlen(column->unit) && memcmp(column->unit, unit, bytes) == 0)
			c->with_unit++;
		else
			shape = TP_SHAPE_WORD;
	}
	c->shapes[shape]++;
}

/* By its own cells, unless the user specifies it; else as in the whole table. */
static void decide_marks(struct tp_written_column *column, const struct column_counts *c,
			 char wished, char decimal)
{
	size_t commas = c->shapes[TP_SHAPE_COMMA] + c->shapes[TP_SHAPE_GROUPS_POINT];
	size_t points = c->shapes[TP_SHAPE_POINT] + c->shapes[TP_SHAPE_GROUPS_COMMA];
	column->decimal = wished ? wished : commas > points ? ',' : points ? '.' : decimal;
	column->thousands = 0;
	if (column->decimal == '.' &&
	    (c->shapes[TP_SHAPE_GROUPS_COMMA] ||
	     (c->shapes[TP_SHAPE_COMMA_OR_GROUP] && !c->shapes[TP_SHAPE_COMMA])))
		column->thousands = ',';
	if (column->decimal == ',' && !c->shapes[TP_SHAPE_POINT])
		column->thousands = '.';
}

/* Nearly all cells are numbers, or all others mark missing values. */
static void decide_kind(struct tp_written_column *column, const struct column_counts *c)
{
	size_t numbers = 0, words = c->shapes[TP_SHAPE_WORD];
	for (size_t i = TP_SHAPE_PLAIN; i < TP_SHAPES; i++)
		numbers += c->shapes[i];
	if (c->with_unit < 2 || 10 * c->with_unit < 9 * numbers) {
		column->unit[0] = '\0';
		numbers -= c->with_unit;
		words += c->with_unit;
	}
	column->numbers = numbers && 10 * words <= numbers + words;
}

/* The default of the table: a comma if numbers have one that cannot be a group separator. */
static char decimal_of(const struct columns *columns, char separator)
{
	size_t commas = 0, points = 0, either = 0;
	for (size_t i = 0; i < columns->n; i++) {
		const size_t *shapes = columns->counts[i].shapes;
		commas += shapes[TP_SHAPE_COMMA] + shapes[TP_SHAPE_GROUPS_POINT];
		points += shapes[TP_SHAPE_POINT] + shapes[TP_SHAPE_GROUPS_COMMA];
		either += shapes[TP_SHAPE_COMMA_OR_GROUP];
	}
	if (commas || points)
		return commas > points ? ',' : '.';
	return either && separator != ',' ? ',' : '.';
}

/* False for what the reader leaves out; below the names # begins a comment only by itself. */
static bool split_again(struct tp_splitter *s, const struct row *row, const char *end)
{
	const char *stop;
	unsigned long lines;
	bool comment = row->comment && (row->n == 1 || s->separator == ' ');
	return !row->broken && !row->marker && !comment &&
	       tp_split_row(s, row->at, end, true, &stop, &lines) == TP_SPLIT_ROW;
}

static void look_at_columns(struct tp_written *form, const struct text *text,
			    const struct rows *rows, const struct chunk *chunk, size_t from,
			    const struct tp_written_wish *wish)
{
	TP_CLEANUP(tp_splitter_release)
	struct tp_splitter s = { .separator = form->separator,
				 .line_end = form->line_end,
				 .most = LOOK_COLUMNS };
	size_t n = TP_MIN(form->n_columns, (size_t)LOOK_COLUMNS);
	TP_FREE struct column_counts *counts_of = tp_alloc(n + 1, sizeof(*counts_of));
	struct columns columns = { counts_of, n };
	free(form->columns);
	form->columns = tp_alloc(n + 1, sizeof(*form->columns));
	uint64_t names = 0;
	if (from > chunk->names && split_again(&s, &rows->items[chunk->names], text->end))
		names = tp_row_hash(&s);
	for (size_t i = from; i < chunk->end; i++) {
		const struct row *row = &rows->items[i];
		if (!split_again(&s, row, text->end) || row->filled > n || (row->n == 1 && n > 1) ||
		    tp_row_hash(&s) == names)
			continue;
		for (size_t c = 0; c < TP_MIN(s.n, n); c++)
			count_cell(&form->columns[c], &columns.counts[c], &s.cells[c]);
	}
	char decimal = decimal_of(&columns, form->separator);
	for (size_t c = 0; c < n; c++) {
		decide_kind(&form->columns[c], &columns.counts[c]);
		decide_marks(&form->columns[c], &columns.counts[c], wish->decimal, decimal);
	}
}

/* --- names --- */

/* A first row of numbers above numbers is data. */
static bool has_names(const struct tp_written *form, const struct text *text,
		      const struct rows *rows, const struct chunk *chunk)
{
	TP_CLEANUP(tp_splitter_release)
	struct tp_splitter s = { .separator = form->separator,
				 .line_end = form->line_end,
				 .most = LOOK_COLUMNS };
	size_t words = 0, numbers = 0;
	if (!split_again(&s, &rows->items[chunk->names], text->end))
		return true;
	for (size_t i = 0; i < TP_MIN(s.n, form->n_columns) && i < LOOK_COLUMNS; i++) {
		const struct tp_cell_span *cell = &s.cells[i];
		if (!form->columns[i].numbers || tp_written_is_missing(cell->at, cell->len))
			continue;
		if (!cell->quoted && is_number(cell))
			numbers++;
		else
			words++;
	}
	return words || !numbers;
}

/* "# size time" above columns that have no names names them. */
static bool named_by_comment(struct tp_written *form, const struct text *text,
			     const struct rows *rows, const struct chunk *chunk,
			     struct tp_written_table *table)
{
	TP_CLEANUP(tp_splitter_release)
	struct tp_splitter s = { .separator = form->separator,
				 .line_end = form->line_end,
				 .most = LOOK_COLUMNS };
	const struct row *above = rows->items + chunk->names;
	const char *stop;
	unsigned long lines;
	size_t words = 0;
	if (!chunk->names || !(--above)->comment || above->broken)
		return false;
	const char *at = above->at;
	while (at < above->end && (*at == '#' || *at == ' ' || *at == '\t'))
		at++;
	if (at == above->end ||
	    tp_split_row(&s, at, text->end, true, &stop, &lines) != TP_SPLIT_ROW ||
	    s.n != form->n_columns || s.n > LOOK_COLUMNS)
		return false;
	for (size_t i = 0; i < s.n; i++)
		words += s.cells[i].len && !is_number(&s.cells[i]);
	if (words != s.n)
		return false;
	table->at = (size_t)(at - text->from);
	table->line = above->line;
	return true;
}

/* --- perf stat -x --- */

#define PERF_REST "run_ns", "run_percent", "metric", "metric_unit"
static const char *const perf_names[] = { "count", "unit", "event", PERF_REST };
static const char *const perf_repeated[] = { "count", "unit", "event", "deviation", PERF_REST };
static const char *const perf_timed[] = { "time", "count", "unit", "event", PERF_REST };

static bool is_event(const struct tp_cell_span *cell)
{
	static const char *const events[] = { "cycles",	   "instructions",  "task-clock",
					      "cpu-clock", "duration_time", "context-switches",
					      "branches",  "cpu-cycles" };
	for (size_t i = 0; i < TP_COUNT_OF(events); i++)
		if (cell->len >= strlen(events[i]) &&
		    strncmp(cell->at, events[i], strlen(events[i])) == 0)
			return true;
	return false;
}

/* The lines of perf stat -x have no names: an event in their third cell, or fourth with -I. */
static void name_perf(struct tp_written *form, const struct text *text, const struct rows *rows,
		      const struct chunk *chunk)
{
	TP_CLEANUP(tp_splitter_release)
	struct tp_splitter s = { .separator = form->separator,
				 .line_end = form->line_end,
				 .most = LOOK_COLUMNS };
	size_t events[2] = { 0 };
	bool deviation = false;
	for (size_t i = chunk->names; i < chunk->end && i < chunk->names + NAMES_ROWS; i++) {
		if (!split_again(&s, &rows->items[i], text->end))
			continue;
		for (size_t k = 0; k < 2; k++)
			events[k] += s.n > 4 + k && is_event(&s.cells[2 + k]) &&
				     (is_number(&s.cells[k]) ||
				      tp_written_is_missing(s.cells[k].at, s.cells[k].len));
		deviation |= s.n > 4 && s.cells[3].len && s.cells[3].at[s.cells[3].len - 1] == '%';
	}
	size_t n = form->n_columns;
	if (events[1] && n >= 5 && n <= TP_COUNT_OF(perf_timed))
		form->names = perf_timed;
	else if (events[0] && deviation && n >= 5 && n <= TP_COUNT_OF(perf_repeated))
		form->names = perf_repeated;
	else if (events[0] && n >= 5 && n <= TP_COUNT_OF(perf_names))
		form->names = perf_names;
}

/* --- notes --- */

static void say(struct tp_written *form, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void say(struct tp_written *form, const char *fmt, ...)
{
	va_list ap;
	tp_str_add(&form->said, form->said.len ? "; " : "");
	va_start(ap, fmt);
	tp_str_vprintf(&form->said, fmt, ap);
	va_end(ap);
}

static void say_separator(struct tp_written *form)
{
	static const char *const words[] = { "commas", "semicolons", "tabs", "pipes", "blanks" };
	if (form->separator == ',' || form->n_columns < 2)
		return;
	for (size_t i = 0; i < TP_COUNT_OF(separators); i++)
		if (separators[i].separator == form->separator) {
			say(form, "%s separate the cells", words[i]);
			return;
		}
	say(form, "\"%c\" separates the cells", form->separator);
}

static void say_numbers(struct tp_written *form)
{
	bool comma = false, groups = false;
	for (size_t c = 0; c < form->n_columns && c < LOOK_COLUMNS; c++) {
		const struct tp_written_column *column = &form->columns[c];
		comma |= column->numbers && column->decimal == ',';
		groups |= column->numbers && column->decimal == '.' && column->thousands == ',';
	}
	if (comma)
		say(form, "commas are decimal (0,5 is 0.5)");
	if (groups)
		say(form, "commas separate thousands (1,235 is 1235)");
}

static void say_names(struct tp_written *form, unsigned long preamble)
{
	const struct tp_written_table *table = &form->tables[form->chosen];
	if (preamble)
		say(form, "the table begins on line %lu, and %lu line%s above it %s left out",
		    table->line, preamble, preamble == 1 ? "" : "s", preamble == 1 ? "is" : "are");
	if (form->names)
		say(form, "the columns are named as in perf stat -x");
	else if (!form->header)
		say(form, "line %lu is data: the columns are c1%s%s", table->line,
		    form->n_columns > 2	  ? ", c2, ..."
		    : form->n_columns > 1 ? " and c2"
					  : "",
		    "");
	if (form->index)
		say(form, "the first column has no name: it is called row");
}

static void say_tables(struct tp_written *form)
{
	if (form->n_tables < 2)
		return;
	say(form, "table %zu of %zu:", form->chosen + 1, form->n_tables);
	for (size_t i = 0; i < form->n_tables; i++) {
		const struct tp_written_table *t = &form->tables[i];
		tp_str_printf(&form->said, "%s %zu%s%s", i ? "," : "", i + 1, *t->name ? " " : "",
			      t->name);
	}
}

/* --- the look --- */

/* "sep=;" as Excel reads and writes it. */
static bool take_sep_line(struct text *text, char *separator)
{
	const char *at = text->from;
	if (text->end - at < 5 || strncasecmp(at, "sep=", 4) != 0)
		return false;
	const char *rest = at + 5;
	while (rest < text->end && *rest == '\r' && *rest != text->line_end)
		rest++;
	if (rest < text->end && *rest != text->line_end)
		return false;
	*separator = at[4];
	text->from = rest < text->end ? rest + 1 : rest;
	text->first_line++;
	return true;
}

static void skip_lines(struct text *text, unsigned long n)
{
	for (; n && text->from < text->end; n--) {
		const char *end =
			memchr(text->from, text->line_end, (size_t)(text->end - text->from));
		text->from = end ? end + 1 : text->end;
		text->first_line++;
	}
}

static enum tp_status refuse(const char *name, unsigned long line, const char *hint,
			     const char *what, struct tp_diag *diag)
{
	char where[sizeof(diag->where)];
	snprintf(where, sizeof(where), "%.150s:%lu", name, line);
	return tp_fail(diag, TP_USAGE, where, hint, "%s", what);
}

/* Empty cells at the end of every row, of the names too, are left out. */
static void drop_trailing(struct tp_written *form, const struct rows *rows,
			  const struct chunk *chunk)
{
	size_t most = 0;
	if (form->separator == ' ')
		return;
	for (size_t i = chunk->names; i < chunk->end; i++)
		if (counts(&rows->items[i]))
			most = TP_MAX(most, rows->items[i].filled);
	if (most)
		form->n_columns = TP_MIN(form->n_columns, most);
}

static void list_tables(struct tp_written *form, const char *text, const struct rows *rows,
			const struct chunks *chunks)
{
	form->n_tables = chunks->n;
	for (size_t i = 0; i < chunks->n; i++) {
		const struct chunk *c = &chunks->items[i];
		const struct row *names = &rows->items[c->names];
		form->tables[i] = (struct tp_written_table){
			.at = (size_t)(names->at - text),
			.line = names->line,
			.end_line = c->end < rows->n ? rows->items[c->end].line : 0,
			.n_columns = c->columns,
			.n_rows = c->n_rows,
		};
		tp_copy(form->tables[i].name, sizeof(form->tables[i].name), c->title);
	}
}

static enum tp_status look_at_table(struct tp_written *form, const struct text *text,
				    const struct rows *rows, const struct chunk *chunk,
				    const struct tp_written_wish *wish)
{
	struct tp_written_table *table = &form->tables[form->chosen];
	/* A broken line where the names belong: the reader refuses it. */
	if (chunk->names > chunk->first && rows->items[chunk->names - 1].broken) {
		table->at = (size_t)(rows->items[chunk->names - 1].at - text->from);
		table->line = rows->items[chunk->names - 1].line;
		form->header = true;
		form->n_columns = 1;
		form->columns = tp_alloc(1, sizeof(*form->columns));
		return TP_OK;
	}
	form->n_columns = chunk->columns;
	form->index = chunk->index;
	drop_trailing(form, rows, chunk);
	/* A row without rows below it is names, or data. */
	size_t below = chunk->names + (chunk->names + 1 < chunk->end);
	look_at_columns(form, text, rows, chunk, below, wish);
	form->header = form->index || (wish->header ? wish->header == TP_WRITTEN_NAMES
						    : has_names(form, text, rows, chunk));
	if (wish->header == TP_WRITTEN_NO_NAMES)
		form->index = false;
	if (!form->header)
		look_at_columns(form, text, rows, chunk, chunk->names, wish);
	unsigned long above = table->line - text->first_line;
	if (!form->header && !wish->header && named_by_comment(form, text, rows, chunk, table))
		form->header = true;
	else if (!form->header && !wish->header)
		name_perf(form, text, rows, chunk);
	say_separator(form);
	say_numbers(form);
	/* Comments above a table are known to all its readers. */
	bool preamble = false;
	for (size_t i = 0; i < chunk->names; i++)
		preamble |= rows->items[i].line < table->line && !rows->items[i].comment;
	say_names(form, preamble && form->n_tables < 2 ? above : 0);
	say_tables(form);
	return TP_OK;
}

enum tp_status tp_written_look(struct tp_written *form, const char *name, const char *bytes,
			       size_t len, bool whole, const struct tp_written_wish *wish,
			       struct tp_diag *diag)
{
	static const struct tp_written_wish none;
	TP_CLEANUP(release_rows) struct rows rows = { 0 };
	struct chunks chunks = { .n = 0 };
	struct text text = { bytes, bytes + len, whole, '\n', 1 };
	wish = wish ? wish : &none;
	if (wish->encoding > TP_ENCODING_UTF8)
		say(form, "the text is %s", tp_encoding_name(wish->encoding));
	if (len > TP_WRITTEN_LOOK_BYTES) {
		text.end = bytes + TP_WRITTEN_LOOK_BYTES;
		text.whole = false;
	}
	if (!memchr(text.from, '\n', (size_t)(text.end - text.from)) &&
	    memchr(text.from, '\r', (size_t)(text.end - text.from)))
		text.line_end = '\r';
	form->line_end = text.line_end;
	if (memchr(text.from, '\0', TP_MIN((size_t)(text.end - text.from), (size_t)64)))
		return refuse(name, 1, "give text in UTF-8", "the file is not text", diag);
	if (take_sep_line(&text, &form->separator))
		say(form, "its line sep=%c is obeyed", form->separator);
	skip_lines(&text, wish->skip);
	if (wish->separator)
		form->separator = wish->separator;
	if (!form->separator)
		form->separator = find_separator(&text);
	collect_rows(&text, form->separator, LOOK_ROWS, &rows);
	if (!rows.n && !text.whole && text.from < text.end) {
		/* One row is longer than the sample: its reader reports the error. */
		text.whole = true;
		collect_rows(&text, form->separator, LOOK_ROWS, &rows);
	}
	size_t n = 0;
	for (size_t i = 0; i < rows.n; i++) {
		n += !rows.items[i].comment;
		/* They are marks only where every table has one. */
		rows.items[i].marker &= rows.items[0].marker && !wish->skips;
	}
	if (!n)
		return refuse(name, 1, "the first line has the names of the columns",
			      "the file is empty", diag);
	if (wish->skips) {
		struct chunk chunk = { .first = 0, .end = rows.n };
		while (chunk.names + 1 < rows.n && rows.items[chunk.names].comment)
			chunk.names++;
		chunk.columns = rows.items[chunk.names].n;
		chunk.n_rows = rows.n - chunk.names - 1;
		chunks = (struct chunks){ .items = { chunk }, .n = 1 };
	} else {
		find_chunks(&text, form->separator, &rows, &chunks);
		keep_tables(&chunks);
	}
	if (!chunks.n)
		return refuse(name, text.first_line, NULL, "tables are named, but have no rows",
			      diag);
	list_tables(form, text.from, &rows, &chunks);
	enum tp_status status = choose_table(form, &chunks, name, wish, diag);
	if (status != TP_OK)
		return status;
	status = look_at_table(form, &text, &rows, &chunks.items[form->chosen], wish);
	form->tables[form->chosen].at += (size_t)(text.from - bytes);
	return status;
}

static void add_plain_cell(const struct tp_written *form, size_t c, const struct tp_cell_span *cell,
			   struct tp_str *out)
{
	char plain[TP_PLAIN_BYTES];
	const char *at = cell->at;
	size_t len = cell->len;
	bool number = c < form->n_columns && c < LOOK_COLUMNS && form->columns[c].numbers &&
		      tp_written_number(&form->columns[c], &at, &len, plain);
	if (number) {
		tp_str_add_n(out, at, len);
		return;
	}
	/* Quotes in the text stand twice already. */
	bool quote = cell->quoted || memchr(at, ',', len);
	tp_str_add(out, quote ? "\"" : "");
	tp_str_add_n(out, at, len);
	tp_str_add(out, quote ? "\"" : "");
}

void tp_written_plain(const struct tp_written *form, const char *text, size_t len,
		      struct tp_str *out)
{
	TP_CLEANUP(tp_splitter_release)
	struct tp_splitter s = { .separator = form->separator,
				 .line_end = form->line_end,
				 .most = LOOK_COLUMNS };
	const struct tp_written_table *table = &form->tables[form->chosen];
	const char *at = text + table->at, *end = text + len, *stop;
	unsigned long line = table->line, lines;
	tp_str_pad(out, '\n', line - 1);
	while (at < end && !(table->end_line && line >= table->end_line)) {
		bool row = tp_split_row(&s, at, end, true, &stop, &lines) == TP_SPLIT_ROW;
		if (!row) {
			stop = memchr(at, form->line_end, (size_t)(end - at));
			stop = stop ? stop : end;
			lines = 1;
			tp_str_add_n(out, at, (size_t)(stop - at));
		}
		for (size_t c = 0; row && c < TP_MIN(tp_row_filled(&s), s.most); c++) {
			tp_str_add(out, c ? "," : "");
			add_plain_cell(form, c, &s.cells[c], out);
		}
		tp_str_add(out, "\n");
		line += lines;
		at = stop < end ? stop + 1 : end;
	}
}
