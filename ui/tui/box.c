/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/box.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

enum { BOX_MARGIN = 4, BOX_FRAME = 4, BOX_COLUMNS_MAX = 100, BOX_FOOT_ROWS = 2, BORDER_ROWS = 2 };

/* The columns for text in a box, without its frame and scroll bar. */
static int text_columns(const struct tp_term *term)
{
	return TP_MIN(term->columns - BOX_MARGIN, (int)BOX_COLUMNS_MAX) - BOX_FRAME - 1;
}

/* In the middle of the area, with room for this many columns and rows. */
static struct tp_area paint_box(struct tp_area area, const char *title, int columns, int rows)
{
	rows = TP_MIN(rows + BORDER_ROWS, area.rows);
	columns += 1 + BOX_FRAME;
	struct tp_area box = tp_area_columns(tp_area_rows(area, (area.rows - rows) / 2, rows),
					     (area.columns - columns) / 2, columns);
	tp_paint_clear(box, TP_UI_PLAIN);
	return tp_paint_frame(box, title);
}

/* --- the texts that had no room --- */

/* The same text may have no room in several places. */
static bool is_said(const struct tp_cuts *cuts, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (cuts->items[k].here == cuts->items[i].here &&
		    strcmp(cuts->items[k].text, cuts->items[i].text) == 0)
			return true;
	return false;
}

bool tp_whole_open(struct tp_whole *whole, const struct tp_term *term)
{
	const struct tp_cuts *cuts = term->cuts;
	if (!cuts || !cuts->n)
		return false;
	tp_doc_clear(&whole->doc, text_columns(term));
	for (int here = 1; here >= 0; here--) {
		bool any = false;
		for (size_t i = 0; i < cuts->n; i++) {
			if (cuts->items[i].here != (here == 1) || is_said(cuts, i))
				continue;
			if (!any && whole->doc.n)
				tp_doc_line(&whole->doc, -1);
			any = true;
			tp_doc_paragraph(&whole->doc, 0, here ? TP_UI_PLAIN : TP_UI_DIM,
					 cuts->items[i].text);
		}
	}
	whole->doc.list = (struct tp_list){ .n = whole->doc.n };
	whole->columns = term->columns;
	whole->open = true;
	return true;
}

void tp_whole_paint(struct tp_whole *whole, struct tp_area area)
{
	if (whole->columns != area.term->columns) {
		whole->open = false;
		return;
	}
	struct tp_area in =
		paint_box(area, "In full", whole->doc.columns, (int)whole->doc.n + BOX_FOOT_ROWS);
	tp_doc_show(&whole->doc, tp_area_rows(in, 0, in.rows - BOX_FOOT_ROWS), false);
	tp_paint_key(in, in.rows - 1, 0, "Esc", "back");
}

/* --- questions --- */

/* Its lines are wrapped where they have to be. */
static void lay_out(struct tp_app *app)
{
	enum { LEAST = 32 };
	const char *words = tp_str_text(&app->asked.words), *end;
	int columns = LEAST;
	for (const char *at = words; *at; at = end + (*end == '\n')) {
		end = at + strcspn(at, "\n");
		columns = TP_MAX(columns, (int)(end - at));
	}
	tp_doc_clear(&app->asked.doc, TP_MIN(columns, text_columns(&app->term)));
	for (const char *at = words; *at; at = end + (*end == '\n')) {
		TP_STR line = { 0 };
		end = at + strcspn(at, "\n");
		tp_str_add_n(&line, at, (size_t)(end - at));
		tp_doc_paragraph(&app->asked.doc, 0, TP_UI_PLAIN, tp_str_text(&line));
	}
}

void tp_app_ask(struct tp_app *app, const struct tp_yes_no *question, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	tp_str_clear(&app->asked.words);
	tp_str_vprintf(&app->asked.words, fmt, ap);
	va_end(ap);
	app->question = question;
	app->asked.doc.list = (struct tp_list){ 0 };
	lay_out(app);
	app->asked.read = (int)app->asked.doc.n + BORDER_ROWS + tp_keys_head_rows(app->screen) +
				  TP_APP_FOOT_ROWS <=
			  app->term.rows;
	app->dirty = true;
}

void tp_asked_paint(struct tp_app *app, struct tp_area area)
{
	struct tp_doc *doc = &app->asked.doc;
	lay_out(app);
	tp_term_cursor(&app->term, -1, 0);
	struct tp_area in = paint_box(area, app->question->title, doc->columns, (int)doc->n);
	tp_doc_show(doc, in, false);
	app->asked.read |= doc->list.top + (size_t)in.rows >= doc->n;
}

void tp_asked_answer(struct tp_app *app, bool yes)
{
	const struct tp_yes_no *question = app->question;
	app->question = NULL;
	if (yes)
		question->agreed(app);
}

void tp_app_ask_line(struct tp_app *app, const struct tp_asked_line *line, const char *text)
{
	struct tp_path_box *box = &app->line_box;
	char here[TP_PATH_MAX];
	const char *begin = text ? text : getcwd(here, sizeof(here)) ? here : ".";
	if (app->line != line || (text && *text))
		tp_text_field_set(&box->field, begin);
	app->line = line;
	box->title = line->title;
	box->note = line->note;
	box->ending = line->ending;
	box->open = true;
}

void tp_line_key(struct tp_app *app, uint32_t code)
{
	struct tp_path_box *box = &app->line_box;
	struct tp_diag diag = { 0 };
	if (tp_path_box_key(box, code) != TP_TEXT_FIELD_TAKEN)
		return;
	if (app->line->take(app, box->field.text, &diag) == TP_OK) {
		if (!app->line->stays)
			app->line = NULL;
		return;
	}
	tp_copy(app->refused, sizeof(app->refused), diag.what);
	box->note = app->refused;
	box->open = true;
}
