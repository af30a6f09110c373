/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the body of a page: lines, lists, tables, figures. Each element ends its line. */
#include "report/html.h"
#include "base/memory.h"
#include "report/html_parts.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a body: from here on pictures have no version for narrow screens, or are left out. */
enum { ONCE_BYTES = 380000, PICTURES_BYTES = 600000 };
/* px */
enum { WIDE = 860, TALL_HEIGHT = 540, HEIGHT = 420 };
enum { NARROW = 340, NARROW_TALL_HEIGHT = 360, NARROW_HEIGHT = 300 };
enum { BAR_PX = 6, BAR_HEIGHT = 10 }; /* of a cell of a bar */

const struct tp_look tp_html_look = {
	.utf8 = true, .full = true, .html = true, .columns = 1000, .rows = 1000
};

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

void tp_html_words(struct tp_str *out, enum tp_paint paint, const char *text)
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
	char *line = strdup(out->s ? out->s + start : "");
	out->oom |= !line;
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

void tp_html_line(struct tp_str *out, enum tp_paint paint, const char *text)
{
	const char *name = paint == TP_PAINT_TITLE ? "h2" : paint == TP_PAINT_HEAD ? "h3" : "p";
	char *before = take_line(out);
	if (before && (!is_blank(before) || !is_blank(text))) {
		open_tag(out, name, "", class_of(paint), "");
		tp_str_add(out, before + strspn(before, " "));
		tp_str_add_markup(out, text);
		tp_str_printf(out, "</%s>\n", name);
	}
	free(before);
}

void tp_html_labelled(struct tp_str *out, const char *label, enum tp_paint paint, const char *text)
{
	begin_line(out);
	tp_str_add(out, "<p class=\"fact\"><span class=\"label\">");
	tp_str_add_markup(out, label);
	/* A blank keeps both apart where there is no style sheet. */
	tp_str_add(out, "</span> ");
	tp_html_words(out, paint, text);
	tp_str_add(out, "</p>\n");
}

void tp_html_item(struct tp_str *out, enum tp_paint paint, const char *text)
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

static const struct tp_cell *cell_at(const struct tp_grid *grid, size_t row, size_t column)
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

void tp_html_table(const struct tp_grid *grid, struct tp_str *out)
{
	size_t rows = grid->n / grid->n_columns;
	begin_line(out);
	for (size_t from = 0, to; from < rows; from = to) {
		for (to = from + 1; to < rows && !cell_at(grid, to, 0)->is_head;)
			to++;
		if (to > from + 1 || !cell_at(grid, from, 0)->is_head)
			add_section(grid, from, to, out);
	}
}

/* --- pictures --- */

bool tp_html_picture(struct tp_str *out, const struct tp_picture *picture, const struct tp_run *run)
{
	char room[TP_PICTURE_TITLE_BYTES];
	struct tp_scene scene = tp_picture_scene(picture, run, room);
	const char *title = scene.title && *scene.title ? scene.title : "Picture";
	bool once = out->len > ONCE_BYTES;
	const struct tp_html_said said = { picture, run };
	const struct tp_svg_hover hover = { &said, tp_html_say };
	if (out->len > PICTURES_BYTES)
		return false;
	/* The caption is wrapped where there is little room; the drawing would cut it. */
	scene.title = NULL;
	/* Alone on a narrow screen it is scrolled: smaller, nobody could read its words. */
	tp_str_printf(out, "<figure%s><figcaption>",
		      once ? " class=\"scrolled\" tabindex=\"0\"" : "");
	tp_str_add_markup(out, title);
	tp_str_add(out, "</figcaption>\n");
	enum tp_status status = tp_svg_inline(&scene, WIDE, picture->tall ? TALL_HEIGHT : HEIGHT,
					      once ? "only" : "wide", title, &hover, out);
	if (status == TP_OK && !once)
		status = tp_svg_inline(&scene, NARROW,
				       picture->tall ? NARROW_TALL_HEIGHT : NARROW_HEIGHT, "narrow",
				       title, NULL, out);
	if (status != TP_OK)
		tp_html_line(out, TP_PAINT_WARN, "It could not be drawn.");
	if (picture->left_out)
		tp_html_line(out, TP_PAINT_DIM, picture->left_out);
	tp_str_add(out, "</figure>\n");
	out->oom |= status == TP_NOMEM;
	return true;
}
