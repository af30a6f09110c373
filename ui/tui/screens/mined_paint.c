/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frame of the screen: what it is of, how far to trust it, and the parts that have room. */
#include "ui/tui/screens/mined.h"
#include "mining/say.h"
#include "ui/tui/quality.h"
#include "ui/tui/widgets/table.h"
#include "base/text.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/* From this size on all parts are beside each other; else one is shown at a time. */
enum { ALL_COLUMNS = 118, ALL_ROWS = 30, TALL = 40, PART_GAP = 2 };
/* With fewer points of a run under way nothing can be learned yet, and that is no error. */
enum { FEW_POINTS = 10 };

static const struct {
	const char *title;
	void (*paint)(const struct tp_app *app, struct tp_mined_screen *s, struct tp_area area);
} parts[TP_MINED_PARTS] = {
	[TP_MINED_OUTLINE] = { "Tree", tp_mined_paint_outline },
	[TP_MINED_DENSITY] = { "Categories", tp_mined_paint_density },
	[TP_MINED_ACCURACY] = { "Accuracy", tp_mined_paint_accuracy },
	[TP_MINED_IMPORTANCE] = { "Importance", tp_mined_paint_importance },
};

char tp_mined_letter(unsigned label)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	return label < sizeof(letters) - 1 ? letters[label] : '*';
}

enum tp_role tp_mined_label_role(unsigned label)
{
	return tp_theme_plot_role((enum tp_plot_role)(TP_ROLE_SERIES_0 + label % 6));
}

int tp_mined_paragraph(struct tp_area area, int row, int rows, enum tp_role role, const char *text)
{
	int used = 0;
	for (const char *next; *text && used < rows; text = next, used++) {
		char line[1024];
		const char *end = tp_text_line(text, (size_t)TP_MAX(area.columns, 1), &next);
		if (used == rows - 1 && *next) {
			tp_paint_text(area, row + used, 0, role, text);
			return rows;
		}
		snprintf(line, sizeof(line), "%.*s", (int)(end - text), text);
		tp_paint_text(area, row + used, 0, role, line);
	}
	return used;
}

/* --- head and foot --- */

static void paint_head(const struct tp_app *app, const struct tp_mined_screen *s,
		       struct tp_area line)
{
	const struct tp_mining *m = tp_mined_result(s);
	struct tp_text_row words = { line, 0, 0 };
	char right[160];
	const char *state = s->learner.under_way ? "learning  " : "";
	if (tp_live_is_under_way(&app->live))
		snprintf(right, sizeof(right), "%s%zu of %u points  %s", state,
			 s->learned ? s->learned->n_points : 0, app->live.n_points,
			 tp_app_run_label(app));
	else
		snprintf(right, sizeof(right), "%s%s", state, tp_app_run_label(app));
	words.area.columns -= (int)tp_cell_columns(right) + 2;
	if (m && m->target)
		tp_words(&words, 0, TP_UI_TITLE, "What explains %s%s%s%s", m->target,
			 m->target_unit ? " (" : "", m->target_unit ? m->target_unit : "",
			 m->target_unit ? ")" : "");
	else
		tp_words(&words, 0, TP_UI_TITLE, "Tree");
	tp_paint_right(line, 0, line.columns, TP_UI_DIM, right);
}

/* The words on trust: good, fair or poor, then why; what limits it; what to do next. */
static int paint_trust(const struct tp_mining *m, struct tp_area area, int rows)
{
	struct tp_str limits = { 0 };
	enum tp_quality quality = m->trust.quality;
	int at = tp_paint_text(area, 0, 0, tp_quality_role(quality), tp_quality_name(quality));
	struct tp_area words = tp_area_columns(area, at + 1, area.columns - at - 1);
	int used =
		tp_mined_paragraph(words, 0, rows - 1, TP_UI_PLAIN, tp_str_text(&m->trust.verdict));
	used = TP_MAX(used, 1);
	tp_str_add(&limits, tp_str_text(&m->trust.limits));
	/* What to do next with a good one are words for the command line. */
	if (m->trust.next.len && quality != TP_QUALITY_GOOD)
		tp_str_printf(&limits, "%sNext: %s", limits.len ? " " : "",
			      tp_str_text(&m->trust.next));
	used += tp_mined_paragraph(area, used, rows - used, TP_UI_DIM, tp_str_text(&limits));
	tp_str_release(&limits);
	return used;
}

/* What was chosen here, as words of a command line. */
static void paint_wishes(const struct tp_mined_screen *s, struct tp_area line)
{
	struct tp_str text = { 0 };
	tp_mined_wishes_text(&s->wishes, &text);
	if (text.len)
		tp_paint_format(line, 0, 0, TP_UI_CHANGED, "the same in batch: --mine RUN %s",
				tp_str_text(&text));
	else
		tp_paint_text(
			line, 0, 0, TP_UI_DIM,
			"y what to explain  f by what  ( ) depth  c criterion  t all as text");
	tp_str_release(&text);
}

/* --- parts --- */

enum { TAB_GAP = 3 };

int tp_mined_tab_at(const struct tp_mined_screen *s, const struct tp_input *input)
{
	int at = s->tabs.column;
	for (int i = 0; i < TP_MINED_PARTS && s->tabs.rows && input->row == s->tabs.row; i++) {
		int end = at + (int)strlen(parts[i].title) + TAB_GAP;
		if (input->column >= at && input->column < end)
			return i;
		at = end;
	}
	return -1;
}

/* The titles of all parts in a row, the shown one marked. */
static void paint_tabs(const struct tp_app *app, struct tp_area line)
{
	int at = 0;
	for (int i = 0; i < TP_MINED_PARTS; i++) {
		bool here = i == app->part;
		tp_paint_format(line, 0, at, here ? TP_UI_TITLE : TP_UI_DIM, here ? "[%s]" : " %s ",
				parts[i].title);
		at += (int)strlen(parts[i].title) + TAB_GAP;
	}
	tp_paint_text(line, 0, at, TP_UI_DIM, "(Tab)");
}

static void paint_part(const struct tp_app *app, struct tp_mined_screen *s, int part,
		       struct tp_area area, bool titled)
{
	struct tp_area in = area;
	if (titled) {
		tp_paint_rule(tp_area_rows(area, 0, 1), 0, "");
		tp_paint_format(area, 0, 2, part == app->part ? TP_UI_SELECTED : TP_UI_TITLE,
				" %s ", parts[part].title);
		in = tp_area_rows(area, 1, area.rows - 1);
	}
	s->at[part] = area;
	parts[part].paint(app, s, in);
}

static void paint_parts(const struct tp_app *app, struct tp_mined_screen *s, struct tp_area area)
{
	bool all = area.term->columns >= ALL_COLUMNS && area.term->rows >= ALL_ROWS;
	if (!all) {
		s->tabs = tp_area_rows(area, 0, 1);
		paint_tabs(app, s->tabs);
		paint_part(app, s, app->part, tp_area_rows(area, 1, area.rows - 1), false);
		return;
	}
	int left = area.columns * 12 / 20, right = area.columns - left - PART_GAP;
	struct tp_area sides[2] = { tp_area_columns(area, 0, left),
				    tp_area_columns(area, left + PART_GAP, right) };
	static const int places[2][2] = { { TP_MINED_OUTLINE, TP_MINED_ACCURACY },
					  { TP_MINED_DENSITY, TP_MINED_IMPORTANCE } };
	static const int uppers[2] = { 11, 13 }; /* twentieths */
	for (int side = 0; side < 2; side++) {
		int upper = area.rows * uppers[side] / 20;
		paint_part(app, s, places[side][0], tp_area_rows(sides[side], 0, upper), true);
		paint_part(app, s, places[side][1],
			   tp_area_rows(sides[side], upper, area.rows - upper), true);
	}
}

static void paint_nothing(const struct tp_app *app, const struct tp_mined_screen *s,
			  struct tp_area area)
{
	struct tp_area text = tp_area_columns(area, 2, TP_MIN(area.columns - 4, 90));
	int row = TP_MAX(area.rows / 2 - 3, 0);
	const struct tp_learned *learned = s->learned;
	if (!tp_app_run(app)) {
		tp_paint_wrapped(text, row, 0, TP_UI_PLAIN,
				 "No run is open: press 9 and m on a run to see what explains its "
				 "results, or 2 to set one up.");
	} else if (!learned) {
		tp_paint_text(text, row, 0, TP_UI_PLAIN, "learning...");
	} else if (tp_live_is_under_way(&app->live) && learned->n_points < FEW_POINTS) {
		tp_paint_format(text, row, 0, TP_UI_PLAIN,
				"Measuring, %zu of %u points: the tree comes with more of them.",
				learned->n_points, app->live.n_points);
	} else if (learned->status != TP_OK) {
		char what[sizeof(learned->diag.where) + sizeof(learned->diag.what) + 2];
		snprintf(what, sizeof(what), "%s %s", learned->diag.where, learned->diag.what);
		row += tp_paint_wrapped(text, row, 0, TP_UI_WARN, what);
		if (learned->diag.hint[0])
			row += tp_paint_wrapped(text, row, 0, TP_UI_PLAIN, learned->diag.hint);
		tp_paint_wrapped(text, row + 1, 0, TP_UI_DIM,
				 "y chooses what to explain, f by what; 0 takes back cuts.");
	}
}

/* All that was learned, as tprof --mine prints it. */
static void paint_text(const struct tp_app *app, struct tp_mined_screen *s, struct tp_area area)
{
	const struct tp_mining *m = tp_mined_result(s);
	const struct tp_look look = { .colour = true,
				      .full = true,
				      .utf8 = app->term.utf8,
				      .columns = (unsigned)TP_MAX(area.columns - 2, TP_COLUMNS_MIN),
				      .rows = (unsigned)area.rows };
	if (!s->written || s->doc.columns != area.columns - 2) {
		struct tp_str text = { 0 };
		tp_mine_text(m, &look, &text);
		tp_doc_clear(&s->doc, area.columns - 2);
		tp_doc_report(&s->doc, tp_str_text(&text));
		tp_str_release(&text);
		tp_list_resize(&s->doc_list, s->doc.n);
		s->written = true;
	}
	tp_doc_show(&s->doc, &s->doc_list, tp_area_columns(area, 1, area.columns - 1), false);
}

void tp_mined_draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_mined_screen *s = state;
	const struct tp_mining *m = tp_mined_result(s);
	struct tp_area in = tp_area_columns(area, 1, area.columns - 2);
	struct tp_area rest = tp_area_rows(in, 1, in.rows - 1);
	memset(s->at, 0, sizeof(s->at));
	s->tabs.rows = s->ruler.area.rows = 0;
	paint_head(app, s, tp_area_rows(in, 0, 1));
	if (!m) {
		paint_nothing(app, s, rest);
	} else if (s->told) {
		paint_text(app, s, tp_area_rows(area, 1, area.rows - 1));
	} else {
		int most = area.term->rows >= TALL ? 5 : 3, used = paint_trust(m, rest, most);
		paint_parts(app, s, tp_area_rows(rest, used, rest.rows - used - 1));
		paint_wishes(s, tp_area_rows(rest, rest.rows - 1, 1));
	}
	if (s->picking)
		tp_picker_paint(&s->picker, tp_area_rows(area, 1, area.rows - 1));
	if (s->export.open)
		tp_path_box_paint(&s->export, tp_area_rows(area, 1, area.rows - 1));
}
