/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/screens/compared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plot/svg.h"
#include "record/load.h"
#include "report/pictures.h"
#include "ui/tui/app.h"
#include "ui/tui/paint.h"

/* Below a picture: what the cursor reads, and what is left out. */
enum { HEAD_ROWS = 1, READ_ROWS = 2, BELOW_ROWS = READ_ROWS + 1 };
/* From SIDED_FROM on the text is next to the picture. */
enum { SIDED_FROM = 160, SIDE_COLUMNS = 80, SIDE_GAP = 2 };

void tp_compared_release(struct tp_compared_view *view)
{
	tp_plot_drop(&view->plot);
	tp_comparison_release(&view->comparison);
	tp_doc_release(&view->doc);
	for (size_t i = 0; i < view->n_runs; i++)
		tp_run_release(&view->runs[i]);
	free(view->runs);
	*view = (struct tp_compared_view){ 0 };
}

bool tp_compared_is_shown(const struct tp_compared_view *view)
{
	return view->comparison.n_points > 0;
}

/* False if that pairs no more points than what is alike. */
static bool compare_across(struct tp_compared_view *view, enum tp_dimension across,
			   struct tp_diag *diag)
{
	const struct tp_compare_options options = { .across = across };
	struct tp_comparison next;
	enum tp_status status =
		tp_compare_runs(&next, view->pointers, view->names, view->n_runs, &options, diag);
	if (status != TP_OK || (across != TP_ACROSS_NONE && next.n_points <= view->n_alike)) {
		tp_comparison_release(&next);
		return false;
	}
	if (across == TP_ACROSS_NONE)
		view->n_alike = next.n_points;
	tp_plot_drop(&view->plot);
	tp_comparison_release(&view->comparison);
	view->comparison = next;
	view->doc.list.n = 0;
	return true;
}

/* The next dimension that the runs allow, NONE among them; false if there is no other. */
static bool walk_across(struct tp_compared_view *view)
{
	const enum tp_dimension from = view->comparison.options.across;
	struct tp_diag diag;
	for (unsigned k = 1; k < TP_DIMENSION_COUNT; k++)
		if (compare_across(view, (enum tp_dimension)((from + k) % TP_DIMENSION_COUNT),
				   &diag))
			return true;
	return false;
}

enum tp_status tp_compared_open(struct tp_compared_view *view, char paths[][TP_PATH_MAX], size_t n,
				struct tp_diag *diag)
{
	tp_compared_release(view);
	view->runs = tp_alloc(TP_COMPARED_MAX, sizeof(*view->runs));
	for (size_t i = 0; i < n; i++) {
		enum tp_status status = tp_run_load(&view->runs[i], paths[i], diag);
		if (status != TP_OK) {
			tp_compared_release(view);
			return status;
		}
		const char *slash = strrchr(paths[i], '/');
		tp_copy(view->room[i], sizeof(view->room[i]), slash ? slash + 1 : paths[i]);
		view->pointers[i] = &view->runs[i];
		view->names[i] = view->room[i];
		view->n_runs = i + 1;
	}
	if (compare_across(view, TP_ACROSS_NONE, diag) || walk_across(view))
		return TP_OK;
	tp_compared_release(view);
	return TP_USAGE;
}

/* --- painting --- */

static void lay_out_text(struct tp_compared_view *view, const struct tp_app *app,
			 struct tp_area area)
{
	const struct tp_look look = tp_app_look(app, area.columns - 1, area.rows);
	TP_TEXT(text, &look);
	TP_STR verdict = { 0 };
	if (view->doc.list.n && view->doc.columns == area.columns - 1)
		return;
	/* The verdict comes first: readers look for it. */
	tp_compare_verdict(&view->comparison, &look, &verdict);
	tp_text_wrap(&text, TP_PAINT_PLAIN, tp_str_text(&verdict), 0, 0);
	tp_text_gap(&text);
	tp_compare_text(&view->comparison, &text);
	tp_doc_report(&view->doc, area.columns - 1, &text);
	tp_list_resize(&view->doc.list, view->doc.n);
}

/* Makes the picture again for another size; false: it has no room. */
static bool lay_out_picture(struct tp_compared_view *view, const struct tp_app *app,
			    struct tp_area area)
{
	struct tp_plot *plot = &view->plot;
	/* The title stands above the plot. */
	const size_t columns = (size_t)area.columns, rows = (size_t)area.rows + 1;
	if (area.rows < TP_PLOT_ROWS_MIN || area.columns < TP_PLOT_COLUMNS_MIN)
		return false;
	if (!plot->picture || plot->columns != area.columns || plot->rows != area.rows) {
		view->n_pages =
			tp_pictures_count(tp_compare_pictures, &view->comparison, columns, rows);
		view->page %= view->n_pages;
		tp_pictures_take(tp_compare_pictures, &view->comparison, view->page, columns, rows,
				 tp_plot_renew(plot));
		tp_plot_settle(plot, -1);
	}
	return tp_plot_fit(plot, app, area, false);
}

/* What the cursor reads; of runs on each other first the name of the run, in its colour. */
static void paint_read(const struct tp_compared_view *view, struct tp_area area)
{
	const struct tp_plot *plot = &view->plot;
	const struct tp_origin *origin = tp_plot_origin(plot);
	TP_STR raw = { 0 };
	TP_STR text = { 0 };
	int at = 0;
	if (!origin)
		return;
	if (origin->roof)
		at = 2 + tp_paint_text(area, 0, 0,
				       tp_theme_plot_role(plot->picture->series[plot->series].role),
				       view->names[origin->run]);
	tp_picture_say(plot->picture, view->pointers[origin->run], plot->series,
		       origin->reads == TP_READS_LINE ? TP_SVG_LINE : plot->point, &raw);
	const char *pm = strstr(tp_str_text(&raw), "\u00b1");
	if (pm)
		tp_str_printf(&text, "%.*s%s%s", (int)(pm - tp_str_text(&raw)), tp_str_text(&raw),
			      tp_paint_pm(area), pm + strlen("\u00b1"));
	else
		tp_str_add(&text, tp_str_text(&raw));
	tp_paint_wrapped(area, 0, at, TP_UI_PLAIN, tp_str_text(&text));
}

static void paint_picture(const struct tp_compared_view *view, const struct tp_app *app,
			  struct tp_area below)
{
	const struct tp_look look = tp_app_look(app, below.columns, below.rows);
	TP_STR verdict = { 0 };
	tp_plot_paint(&view->plot);
	tp_plot_paint_cursor(&view->plot);
	paint_read(view, tp_area_rows(below, 0, READ_ROWS));
	tp_compare_verdict(&view->comparison, &look, &verdict);
	tp_paint_text(below, READ_ROWS, 0, TP_UI_DIM,
		      view->plot.picture->left_out ? view->plot.picture->left_out
						   : tp_str_text(&verdict));
}

void tp_compared_draw(struct tp_app *app, struct tp_compared_view *view, struct tp_area area)
{
	struct tp_area rest = tp_area_rows(area, HEAD_ROWS, area.rows - HEAD_ROWS), left = rest;
	const bool sided = area.columns >= SIDED_FROM;
	if (sided)
		left.columns -= SIDE_COLUMNS + SIDE_GAP;
	struct tp_area below = tp_area_columns(
		tp_area_rows(left, left.rows - BELOW_ROWS, BELOW_ROWS), 1, left.columns - 2);
	char where[64] = "";
	int at = 1 + tp_paint_format(area, 0, 1, TP_UI_TITLE, "Comparison of %zu run%s",
				     view->n_runs, view->n_runs > 1 ? "s" : "");
	if (view->text ||
	    !lay_out_picture(view, app, tp_area_rows(left, 0, left.rows - BELOW_ROWS))) {
		struct tp_area inside = tp_area_columns(rest, 1, rest.columns - 1);
		lay_out_text(view, app, inside);
		tp_doc_show(&view->doc, inside, false);
		return;
	}
	if (sided) {
		struct tp_area side =
			tp_area_columns(rest, rest.columns - SIDE_COLUMNS, SIDE_COLUMNS);
		lay_out_text(view, app, side);
		tp_doc_show(&view->doc, side, false);
	}
	paint_picture(view, app, below);
	if (view->n_pages > 1)
		snprintf(where, sizeof(where), " %zu of %zu ", view->page + 1, view->n_pages);
	tp_paint_format(tp_area_columns(area, 0, area.columns - (int)strlen(where)), 0, at,
			TP_UI_TITLE, ": %s", view->plot.picture->scene.title);
	tp_paint_right(area, 0, area.columns, TP_UI_DIM, where);
}

/* --- keys and mouse --- */

static void turn(struct tp_compared_view *view, bool forward)
{
	/* Keys may come before the first painting, which counts the pictures. */
	view->page += forward ? 1 : TP_MAX(view->n_pages, (size_t)1) - 1;
	view->plot.placed = false;
	tp_plot_drop(&view->plot);
}

bool tp_compared_act(struct tp_app *app, struct tp_compared_view *view, enum tp_action action)
{
	const bool pages = action == TP_ACTION_PAGE_UP || action == TP_ACTION_PAGE_DOWN;
	switch (action) {
	case TP_ACTION_BACK:
		if (view->text && view->n_pages) {
			view->text = false;
			return true;
		}
		__attribute__((fallthrough));
	case TP_ACTION_OPEN:
	case TP_ACTION_COMPARE:
		tp_compared_release(view);
		return true;
	case TP_ACTION_REPORT:
		view->text = !view->text;
		return true;
	case TP_ACTION_ACROSS:
		if (!walk_across(view))
			tp_app_say(app, TP_UI_PLAIN, "these runs pair in one way only");
		else if (view->comparison.options.across == TP_ACROSS_NONE)
			tp_app_say(app, TP_UI_PLAIN, "points that are alike");
		else
			tp_app_say(app, TP_UI_PLAIN, "across %s",
				   tp_dimension_name(view->comparison.options.across));
		return true;
	case TP_ACTION_NEXT_PICTURE:
	case TP_ACTION_PREVIOUS_PICTURE:
	case TP_ACTION_NEXT_PART:
	case TP_ACTION_PREVIOUS_PART:
		view->text = false;
		turn(view, action == TP_ACTION_NEXT_PICTURE || action == TP_ACTION_NEXT_PART);
		return true;
	default:
		/* Text next to a picture scrolls by pages. */
		return view->text || !view->plot.picture ||
				       (pages && app->term.columns >= SIDED_FROM)
			       ? tp_list_scroll(&view->doc.list, action)
			       : tp_plot_act(&view->plot, app, action);
	}
}

void tp_compared_mouse(struct tp_compared_view *view, const struct tp_input *input)
{
	if (view->text || !tp_area_holds(view->plot.area, input->row, input->column))
		tp_list_wheel(&view->doc.list, tp_list_wheel_rows(input));
	else
		tp_plot_mouse(&view->plot, input);
}
