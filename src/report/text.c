/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BAR_PX = 6, BAR_HEIGHT = 10 }; /* of a cell of a bar */

static const char *class_of(enum tp_paint paint)
{
	static const char *const classes[] = {
		[TP_PAINT_PLAIN] = "",	  [TP_PAINT_TITLE] = "",	[TP_PAINT_HEAD] = "",
		[TP_PAINT_DIM] = "dim",	  [TP_PAINT_STRONG] = "strong", [TP_PAINT_GOOD] = "good",
		[TP_PAINT_WARN] = "warn", [TP_PAINT_BAD] = "bad",
	};
	return classes[paint];
}

static void open_tag(struct tp_str *out, const char *name, const char *attributes,
		     const char *class, const char *more)
{
	tp_str_printf(out, "<%s%s", name, attributes);
	if (*class || *more)
		tp_str_printf(out, " class=\"%s%s%s\"", class, *class && *more ? " " : "", more);
	tp_str_add(out, ">");
}

/* --- lines --- */

/* Words within a line. */
static void html_words(struct tp_str *out, enum tp_paint paint, const char *text)
{
	const char *class = class_of(paint);
	if (*class)
		open_tag(out, "span", "", class, "");
	tp_str_add_markup(out, text);
	if (*class)
		tp_str_add(out, "</span>");
}

/* Takes what stands on the line from `out`: the caller frees it. */
static char *take_line(struct tp_str *out)
{
	size_t start = out->len;
	while (start && out->s[start - 1] != '\n')
		start--;
	char *line = tp_strdup(out->s ? out->s + start : "");
	if (out->s)
		out->s[out->len = start] = '\0';
	return line;
}

/* A line of its own begins; blanks that stood there are gone. */
static void begin_line(struct tp_str *out)
{
	while (out->len && out->s[out->len - 1] == ' ')
		out->s[--out->len] = '\0';
	if (out->len && out->s[out->len - 1] != '\n')
		tp_str_add(out, "\n");
}

static bool is_blank(const char *text)
{
	return text[strspn(text, " ")] == '\0';
}

/* An item of a list; items that follow each other are one list. */
static void html_item(struct tp_str *out, enum tp_paint paint, const char *text)
{
	static const char end[] = "</ul>\n";
	size_t n = strlen(end);
	begin_line(out);
	if (out->len >= n && memcmp(out->s + out->len - n, end, n) == 0)
		out->s[out->len -= n] = '\0';
	else
		tp_str_add(out, "<ul>\n");
	open_tag(out, "li", "", class_of(paint), "");
	tp_str_add_markup(out, text);
	tp_str_printf(out, "</li>\n%s", end);
}

/* --- tables --- */

static struct tp_cell *cell_at(const struct tp_grid *grid, size_t row, size_t column)
{
	return &grid->cells[row * grid->n_columns + column];
}

/* Columns without a value in rows [from, to) are left out. */
static bool is_shown(const struct tp_grid *grid, size_t from, size_t to, size_t column)
{
	for (size_t row = from; row < to; row++) {
		const struct tp_cell *cell = cell_at(grid, row, column);
		if (!cell->is_head && *cell->text && strcmp(cell->text, "-") != 0)
			return true;
	}
	return !grid->columns[column].give;
}

/* A bar of full blocks is drawn; its value stands beside it. */
static bool add_bar(struct tp_str *out, const char *text)
{
	static const char block[] = "\u2588";
	unsigned n = 0;
	for (; strncmp(text, block, strlen(block)) == 0; n++)
		text += strlen(block);
	if (!n || *text)
		return false;
	tp_str_printf(out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bar tp-s0\" "
		      "aria-hidden=\"true\" width=\"%u\" height=\"%d\"><rect width=\"%u\" "
		      "height=\"%d\" fill=\"currentColor\"/></svg>",
		      n * BAR_PX, BAR_HEIGHT, n * BAR_PX, BAR_HEIGHT);
	return true;
}

static void add_cell(const struct tp_grid *grid, size_t row, size_t column, bool names_row,
		     struct tp_str *out)
{
	const struct tp_cell *cell = cell_at(grid, row, column);
	const char *text = cell->text + strspn(cell->text, " ");
	size_t indent = (size_t)(text - cell->text);
	/* Nobody is helped by the heading of nothing. */
	const char *name = *text && (cell->is_head || names_row) ? "th" : "td";
	const char *scope = *name != 't' || name[1] != 'h' ? ""
			    : cell->is_head		   ? " scope=\"col\""
							   : " scope=\"row\"";
	open_tag(out, name, scope, cell->is_head ? "" : class_of(cell->paint),
		 grid->columns[column].align == TP_RIGHT ? "right" : "");
	/* Outlines are indented. */
	for (size_t i = 0; i < indent; i++)
		tp_str_add(out, "\u00a0");
	if (!add_bar(out, text))
		tp_str_add_markup(out, text);
	tp_str_printf(out, "</%s>", name);
}

static void add_row(const struct tp_grid *grid, size_t row, const bool *shown, struct tp_str *out)
{
	bool first = true;
	tp_str_add(out, "<tr>");
	for (size_t i = 0; i < grid->n_columns; i++) {
		if (!shown[i])
			continue;
		/* The first column that says something names the row. */
		add_cell(grid, row, i, first, out);
		first &= !*cell_at(grid, row, i)->text;
	}
	tp_str_add(out, "</tr>\n");
}

static void add_section(const struct tp_grid *grid, size_t from, size_t to, struct tp_str *out)
{
	bool shown[TP_GRID_COLUMNS_MAX];
	bool has_head = cell_at(grid, from, 0)->is_head;
	for (size_t i = 0; i < grid->n_columns; i++)
		shown[i] = is_shown(grid, from, to, i);
	tp_str_add(out, "<div class=\"table\"><table>\n");
	if (has_head) {
		tp_str_add(out, "<thead>");
		add_row(grid, from, shown, out);
		tp_str_add(out, "</thead>\n");
	}
	tp_str_add(out, "<tbody>\n");
	for (size_t row = from + has_head; row < to; row++)
		add_row(grid, row, shown, out);
	tp_str_add(out, "</tbody></table></div>\n");
}

enum { COLUMNS_MAX = 1000, WRAP_COLUMNS_MIN = 8, INDENT = 2, ITEM_INDENT = 4 };

size_t tp_look_columns(const struct tp_look *look)
{
	return TP_MIN(TP_MAX(look->columns, (unsigned)TP_COLUMNS_MIN), (unsigned)COLUMNS_MAX);
}

void tp_text_clean(struct tp_str *out, const char *text, const struct tp_look *look)
{
	tp_str_add_clean(out, text, !look->utf8);
}

static const char *codes_of(const struct tp_look *look, enum tp_paint paint)
{
	static const char *const sgr[] = {
		[TP_PAINT_PLAIN] = "",	       [TP_PAINT_TITLE] = "\033[1;36m",
		[TP_PAINT_HEAD] = "\033[4m",   [TP_PAINT_DIM] = "\033[2m",
		[TP_PAINT_STRONG] = "\033[1m", [TP_PAINT_GOOD] = "\033[32m",
		[TP_PAINT_WARN] = "\033[33m",  [TP_PAINT_BAD] = "\033[1;31m",
	};
	return look->colour ? sgr[paint] : "";
}

static void paint_n(struct tp_str *out, const struct tp_look *look, enum tp_paint paint,
		    const char *text, size_t n)
{
	const char *begin = n ? codes_of(look, paint) : "";
	tp_str_add(out, begin);
	tp_str_add_n(out, text, n);
	if (*begin)
		tp_str_add(out, "\033[0m");
}

void tp_text_paint(struct tp_str *out, const struct tp_look *look, enum tp_paint paint,
		   const char *text)
{
	if (look->html)
		html_words(out, paint, text);
	else
		paint_n(out, look, paint, text, strlen(text));
}

void tp_text_wrap(struct tp_str *out, const struct tp_look *look, enum tp_paint paint,
		  const char *text, size_t used, size_t indent)
{
	size_t columns = tp_look_columns(look), taken = used;
	if (look->html) {
		const char *name = paint == TP_PAINT_TITLE  ? "h2"
				   : paint == TP_PAINT_HEAD ? "h3"
							    : "p";
		TP_FREE char *before = take_line(out);

		/*
		 * Ends a line: what stands on it already and `text` become a paragraph, or a
		 * heading where the paint is that of titles (TP_PAINT_TITLE) or heads
		 * (TP_PAINT_HEAD).
		 */
		if (before && (!is_blank(before) || !is_blank(text))) {
			open_tag(out, name, "", class_of(paint), "");
			tp_str_add(out, before + strspn(before, " "));
			tp_str_add_markup(out, text);
			tp_str_printf(out, "</%s>\n", name);
		}
		return;
	}
	do {
		text += strspn(text, " ");
		const char *line = text;
		size_t room =
			taken + WRAP_COLUMNS_MIN < columns ? columns - taken : WRAP_COLUMNS_MIN;
		const char *end = tp_text_line(line, room, &text);
		paint_n(out, look, paint, line, (size_t)(end - line));
		tp_str_add(out, "\n");
		if (*text)
			tp_str_pad(out, ' ', indent);
		taken = indent;
	} while (*text);
}

void tp_text_say(struct tp_str *out, const struct tp_look *look, enum tp_paint paint, size_t used,
		 size_t indent, const char *fmt, ...)
{
	TP_STR text = { 0 }, clean = { 0 };
	va_list ap;
	va_start(ap, fmt);
	tp_str_vprintf(&text, fmt, ap);
	va_end(ap);
	tp_text_clean(&clean, tp_str_text(&text), look);
	tp_text_wrap(out, look, paint, tp_str_text(&clean), used, indent);
}

void tp_text_title(struct tp_str *out, const struct tp_look *look, const char *text)
{
	tp_str_add(out, "\n");
	tp_text_wrap(out, look, TP_PAINT_TITLE, text, 0, INDENT);
}

void tp_text_head(struct tp_str *out, const struct tp_look *look, const char *text)
{
	tp_str_add(out, "\n");
	tp_text_wrap(out, look, look->html ? TP_PAINT_HEAD : TP_PAINT_STRONG, text, 0, 0);
}

void tp_text_fact(struct tp_str *out, const struct tp_look *look, const char *label,
		  enum tp_paint paint, const char *text)
{
	TP_STR clean = { 0 };
	if (!*text)
		return;
	tp_text_clean(&clean, text, look);
	tp_text_labelled(out, look, label, TP_LABEL_COLUMNS, paint, tp_str_text(&clean));
}

void tp_text_join(struct tp_str *out, const struct tp_look *look, const char *text)
{
	if (!*text)
		return;
	tp_str_add(out, tp_text_dot(look));
	tp_text_clean(out, text, look);
}

void tp_text_labelled(struct tp_str *out, const struct tp_look *look, const char *label,
		      size_t columns, enum tp_paint paint, const char *text)
{
	TP_STR padded = { 0 };
	if (look->html) {
		/* A paragraph with a label before it. */
		begin_line(out);
		tp_str_add(out, "<p class=\"fact\"><span class=\"label\">");
		tp_str_add_markup(out, label);
		/* A blank keeps both apart where there is no style sheet. */
		tp_str_add(out, "</span> ");
		html_words(out, paint, text);
		tp_str_add(out, "</p>\n");
		return;
	}
	tp_str_printf(&padded, "%-*s", (int)columns, label);
	tp_text_paint(out, look, TP_PAINT_DIM, tp_str_text(&padded));
	tp_text_wrap(out, look, paint, text, columns, columns);
}

void tp_text_item(struct tp_str *out, const struct tp_look *look, enum tp_paint paint,
		  const char *text)
{
	if (look->html) {
		html_item(out, paint, text);
		return;
	}
	tp_str_add(out, "  - ");
	tp_text_wrap(out, look, paint, text, ITEM_INDENT, ITEM_INDENT);
}

const char *tp_text_dot(const struct tp_look *look)
{
	return look->utf8 ? " \u00b7 " : ", ";
}

const char *tp_text_plus_minus(const struct tp_look *look)
{
	return look->utf8 ? "\u00b1" : "+-";
}

const char *tp_text_size(char *out, size_t size, uint64_t bytes)
{
	static const char *const unit[] = { "", "K", "M", "G", "T", "P" };
	double value = (double)bytes;
	size_t i = 0;
	while (value >= 1024 && i + 1 < TP_COUNT_OF(unit)) {
		value /= 1024;
		i++;
	}
	snprintf(out, size, value >= 100 ? "%.0f%s" : "%.3g%s", value, unit[i]);
	return out;
}

const char *tp_text_compiling(char *out, size_t size, unsigned n_compiled, unsigned n_sources)
{
	snprintf(out, size, "compiling %u of %u", n_compiled + 1, n_sources);
	return out;
}

const char *tp_text_count(char *out, size_t size, uint64_t n, const char *what)
{
	snprintf(out, size, "%llu %s%s", (unsigned long long)n, what, n == 1 ? "" : "s");
	return out;
}

/* --- grids --- */

enum { GAP = 2, LAST_MIN = 16, MAX_COLUMNS = TP_GRID_COLUMNS_MAX };

void tp_grid_init(struct tp_grid *grid, const struct tp_grid_column *columns, size_t n_columns)
{
	*grid = (struct tp_grid){ .columns = columns,
				  .n_columns = TP_MIN(n_columns, (size_t)MAX_COLUMNS) };
}

static void add_grid_cell(struct tp_grid *grid, struct tp_cell cell)
{
	TP_RESERVE(grid->cells, grid->cap, grid->n + 1);
	grid->cells[grid->n++] = cell;
}

static void add_text_cell(struct tp_grid *grid, enum tp_paint paint, bool is_head, const char *text)
{
	add_grid_cell(grid, (struct tp_cell){
				    .text = tp_strdup(text), .paint = paint, .is_head = is_head });
}

void tp_grid_head(struct tp_grid *grid, const char *text)
{
	add_text_cell(grid, TP_PAINT_HEAD, true, text);
}

void tp_grid_heads(struct tp_grid *grid)
{
	for (size_t i = 0; i < grid->n_columns; i++)
		tp_grid_head(grid, grid->columns[i].head);
}

void tp_grid_text(struct tp_grid *grid, enum tp_paint paint, const char *text)
{
	add_text_cell(grid, paint, false, text);
}

void tp_grid_again(struct tp_grid *grid, enum tp_paint paint, const char *text, bool again)
{
	add_text_cell(grid, paint, false, text);
	grid->cells[grid->n - 1].again = again;
}

void tp_grid_clean(struct tp_grid *grid, const struct tp_look *look, enum tp_paint paint,
		   const char *text)
{
	TP_STR clean = { 0 };
	tp_text_clean(&clean, text, look);
	tp_grid_text(grid, paint, tp_str_text(&clean));
}

void tp_grid_printf(struct tp_grid *grid, enum tp_paint paint, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	add_text_cell(grid, paint, false, text);
}

void tp_grid_number(struct tp_grid *grid, enum tp_paint paint, double value, int decimals)
{
	if (!isfinite(value)) {
		add_text_cell(grid, paint, false, "-");
		return;
	}
	add_grid_cell(grid, (struct tp_cell){ .number = value,
					      .decimals = decimals,
					      .paint = paint,
					      .is_number = true });
}

static size_t rows_of(const struct tp_grid *grid)
{
	return grid->n / grid->n_columns;
}

static int decimals_for(double smallest, double largest)
{
	if (!(smallest > 0))
		return 1;
	if (largest >= 10000)
		return smallest < 10 ? 1 : 0;
	return smallest < 0.1 ? 3 : smallest < 10 ? 2 : 1;
}

/* Turns the numbers of one column in rows [from, to) into text. */
static void spell_section(struct tp_grid *grid, size_t column, size_t from, size_t to)
{
	double smallest = INFINITY, largest = 0;
	for (size_t row = from; row < to; row++) {
		const struct tp_cell *cell = cell_at(grid, row, column);
		double size = fabs(cell->number);
		if (!cell->is_number || size == 0)
			continue;
		smallest = fmin(smallest, size);
		largest = fmax(largest, size);
	}
	int common = decimals_for(isfinite(smallest) ? smallest : 0, largest);
	for (size_t row = from; row < to; row++) {
		struct tp_cell *cell = cell_at(grid, row, column);
		struct tp_str s = { 0 };
		if (!cell->is_number)
			continue;
		tp_str_printf(&s, "%.*f", cell->decimals < 0 ? common : cell->decimals,
			      cell->number);
		free(cell->text);
		cell->text = tp_str_take(&s);
		cell->is_number = false;
	}
}

static void spell_numbers(struct tp_grid *grid)
{
	size_t rows = rows_of(grid);
	for (size_t from = 0, to; from < rows; from = to) {
		for (to = from + 1; to < rows && !cell_at(grid, to, 0)->is_head;)
			to++;
		for (size_t column = 0; column < grid->n_columns; column++)
			spell_section(grid, column, from, to);
	}
}

struct layout {
	size_t width[MAX_COLUMNS];
	bool gone[MAX_COLUMNS];
	size_t last; /* the last column that is there */
};

static size_t total_width(const struct tp_grid *grid, const struct layout *l)
{
	size_t total = 0;
	for (size_t i = 0; i < grid->n_columns; i++)
		if (!l->gone[i])
			total += l->width[i] + (total ? (size_t)GAP : 0);
	return total;
}

static void measure_columns(const struct tp_grid *grid, struct layout *l)
{
	*l = (struct layout){ 0 };
	for (size_t i = 0; i < grid->n_columns; i++) {
		bool empty = true;
		for (size_t row = 0; row < rows_of(grid); row++) {
			const struct tp_cell *cell = cell_at(grid, row, i);
			l->width[i] = TP_MAX(l->width[i], tp_text_columns(cell->text));
			empty &= cell->is_head || !*cell->text || strcmp(cell->text, "-") == 0;
		}
		l->gone[i] = empty && grid->columns[i].give;
	}
}

static void find_last(const struct tp_grid *grid, struct layout *l)
{
	for (size_t i = 0; i < grid->n_columns; i++)
		if (!l->gone[i])
			l->last = i;
}

/* What a column of words needs at least: its longest word stays whole. */
static size_t least_width(const struct tp_grid *grid, size_t column)
{
	size_t least = LAST_MIN;
	for (size_t row = 0; row < rows_of(grid); row++) {
		const char *text = cell_at(grid, row, column)->text;
		while (*text) {
			size_t n = strcspn(text, " ");
			least = TP_MAX(
				least,
				n); /* bytes: more than columns for other scripts, never less */
			text += n + strspn(text + n, " ");
		}
	}
	return least;
}

static void fit_columns(const struct tp_grid *grid, size_t columns, struct layout *l)
{
	measure_columns(grid, l);
	find_last(grid, l);
	for (;;) {
		size_t total = total_width(grid, l), victim = grid->n_columns;
		if (total <= columns)
			return;
		/*
		 * A column of words can be broken into lines as long as there is some room for it.
		 */
		size_t before = total - l->width[l->last];
		if (grid->columns[l->last].align == TP_LEFT &&
		    before + least_width(grid, l->last) <= columns) {
			l->width[l->last] = columns - before;
			return;
		}
		for (size_t i = 0; i < grid->n_columns; i++)
			if (!l->gone[i] && grid->columns[i].give &&
			    (victim == grid->n_columns ||
			     grid->columns[i].give > grid->columns[victim].give))
				victim = i;
		if (victim == grid->n_columns)
			return;
		l->gone[victim] = true;
		find_last(grid, l);
	}
}

static void write_row(const struct tp_grid *grid, const struct layout *l, size_t row,
		      const struct tp_look *look, struct tp_str *out)
{
	size_t at = 0, line = out->len;
	for (size_t i = 0; i < grid->n_columns; i++) {
		const struct tp_cell *cell = cell_at(grid, row, i);
		if (l->gone[i])
			continue;
		if (at) {
			tp_str_pad(out, ' ', GAP);
			at += GAP;
		}
		if (i == l->last && tp_text_columns(cell->text) > l->width[i]) {
			tp_text_wrap(out, look, cell->paint, cell->text, at, at);
			return;
		}
		size_t used = tp_text_columns(cell->text);
		size_t blanks = l->width[i] > used ? l->width[i] - used : 0;
		if (grid->columns[i].align == TP_RIGHT)
			tp_str_pad(out, ' ', blanks);
		tp_text_paint(out, look, cell->paint, cell->text);
		if (grid->columns[i].align == TP_LEFT && i != l->last)
			tp_str_pad(out, ' ', blanks);
		at += l->width[i];
	}
	while (out->len > line && out->s[out->len - 1] == ' ')
		out->s[--out->len] = '\0';
	tp_str_add(out, "\n");
}

void tp_grid_write(struct tp_grid *grid, const struct tp_look *look, struct tp_str *out)
{
	struct layout l;
	spell_numbers(grid);
	if (look->html) {
		size_t rows = grid->n / grid->n_columns;

		/* A table for each section of a grid whose numbers are text already, with all
		 * columns that say something. */
		begin_line(out);
		for (size_t from = 0, to; from < rows; from = to) {
			for (to = from + 1; to < rows && !cell_at(grid, to, 0)->is_head;)
				to++;
			if (to > from + 1 || !cell_at(grid, from, 0)->is_head)
				add_section(grid, from, to, out);
		}
		return;
	}
	for (size_t i = 0; i < grid->n; i++)
		if (grid->cells[i].again)
			grid->cells[i].text[0] = '\0';
	fit_columns(grid, tp_look_columns(look), &l);
	for (size_t row = 0; row < rows_of(grid); row++)
		write_row(grid, &l, row, look, out);
}

void tp_grid_release(struct tp_grid *grid)
{
	for (size_t i = 0; i < grid->n; i++)
		free(grid->cells[i].text);
	free(grid->cells);
	*grid = (struct tp_grid){ 0 };
}
