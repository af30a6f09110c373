/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Searches for the fastest configuration: the space of each as a map with its cursor, the
 * techniques as a table, and a search under way in words.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "experiments/autotune/pictures.h"
#include "experiments/autotune/searches.h"
#include "experiments/autotune/row.h"
#include "record/point.h"
#include "ui/tui/screen.h"
#include "ui/tui/app.h"
#include "ui/tui/shown.h"
#include "ui/tui/widgets/plotview.h"

struct autotune_view {
	struct tp_plotview plots; /* a page a search: `from` is its point; kinds get this member */
	struct tp_heat_view axes;
};

enum { SIDE_FROM = 140, SIDE_COLUMNS = 80 };

/* The search of the page, or the first of the searches that its picture shows. */
static bool search_of_page(const struct tp_plotview *plots, struct tp_searched *search)
{
	return plots->page < plots->n_pages &&
	       tp_searched_of(plots->runs[0], (unsigned)plots->pages[plots->page].from, search);
}

/* --- pages --- */

static void add_pages(struct tp_plotview *plots, const struct tp_run *run)
{
	struct tp_searched s;
	for (unsigned i = 0; i < run->n_points; i++)
		if (run->points[i].state != TP_POINT_SKIPPED && tp_searched_of(run, i, &s) && s.n)
			tp_plotview_add_page(plots, &(struct tp_plot_page){
							    .run = TP_ANY,
							    .threads = TP_ANY,
							    .from = tp_search_drawn_by(run, i) });
}

/* The page of a search; the last page where it has none. */
static size_t page_of(const struct tp_plotview *plots, const struct tp_run *run, unsigned point)
{
	size_t page = 0;
	while (page + 1 < plots->n_pages &&
	       plots->pages[page].from != tp_search_drawn_by(run, point))
		page++;
	return page;
}

/* For the running search, else the last one. */
static size_t newest_page(const struct tp_plotview *plots, const struct tp_app *app)
{
	return page_of(plots, tp_app_run(app),
		       app->live.current < 0 ? UINT_MAX : (unsigned)app->live.current);
}

/* For a row of the table of techniques. */
static size_t page_about(const struct tp_plotview *plots, const void *about)
{
	return page_of(plots, plots->runs[0], ((const struct tp_point *)about)->point);
}

static bool build_page(struct tp_plotview *plots, const struct tp_app *app,
		       const struct tp_plot_page *page, struct tp_area area)
{
	(void)app;
	(void)area;
	return tp_picture_search(plots->plot.picture, plots->runs[0], (unsigned)page->from,
				 &((const struct autotune_view *)plots)->axes);
}

/* On the best, with which it goes along until it is moved. */
static void begin_cursor(struct tp_plotview *plots)
{
	struct tp_picture *picture = plots->plot.picture;
	struct tp_searched s;
	if (!search_of_page(plots, &s))
		return;
	for (size_t i = 0; i < picture->n_series; i++)
		for (size_t k = 0; picture->origins[i].rows && k < picture->series[i].n; k++)
			if (picture->origins[i].rows[k] == s.best)
				tp_plot_go(&plots->plot, i, k);
}

static void read_cursor(const struct tp_plotview *plots, const struct tp_origin *origin,
			struct tp_text_row first, struct tp_text_row second)
{
	const struct tp_trial *t = origin->rows[plots->plot.point];
	const struct tp_plot *plot = &plots->plot;
	const size_t columns = plot->scene.x_names.n;
	const enum tp_stop_word word = tp_stop_word_of(t);
	struct tp_searched s;
	char name[TP_TRIAL_NAME_MAX], seconds[48], count[32], calls[32];
	if (!tp_searched_of(plots->runs[0], t->point, &s))
		return;
	tp_words(&first, 0, TP_UI_TITLE, "%s", tp_trial_name(t->size, name));
	if (t->value > 0) {
		tp_words(&first, 2, TP_UI_STRONG, "%.4g %s", t->value, s.unit);
		if (t->ci_low > 0 && t->ci_high > 0)
			tp_words(&first, 1, TP_UI_PLAIN, "(%.4g to %.4g)", t->ci_low, t->ci_high);
		if (s.best == t)
			tp_words(&first, 2, TP_UI_GOOD, "the best");
		else if (s.best && s.best->value > 0)
			tp_words(&first, 2, TP_UI_PLAIN, "%.1f %% of the best",
				 100 * t->value / s.best->value);
		if (s.best == t && s.theory > 0)
			tp_words(&first, 0, TP_UI_PLAIN, ", %.1f %% of %.4g",
				 100 * s.value / s.theory, s.theory);
	}
	tp_words(&second, 0, TP_UI_DIM, "tried as %s",
		 tp_text_ordinal(count, sizeof(count), t->position + 1));
	if (s.best == t && isfinite(s.found_seconds))
		tp_words(&second, 0, TP_UI_DIM, ", found after %s",
			 tp_format_seconds(seconds, sizeof(seconds), s.found_seconds));
	tp_words(&second, 2,
		 word == TP_STOP_WORD_FAILED ? TP_UI_BAD
		 : tp_stop_word_is_cut(word) ? TP_UI_WARN
					     : TP_UI_PLAIN,
		 "%s%s", t->finished && *t->stopped ? "stopped, " : "",
		 tp_stop_word_help(t->finished ? word : TP_STOP_WORD_COUNT));
	tp_words(&second, 0, TP_UI_DIM, "; %s, %s in %s",
		 tp_text_count(count, sizeof(count), t->invocations, "invocation"),
		 tp_text_count(calls, sizeof(calls), t->iterations, "iteration"),
		 tp_format_seconds(seconds, sizeof(seconds), t->seconds));
	if (t->best > 0)
		tp_words(&second, 0, TP_UI_DIM, ", fastest %.4g", t->best);
	if (columns)
		tp_plotview_note(&second, TP_UI_DIM,
				 tp_tile_legend((int)(plot->canvas.plot.columns / columns)));
}

/* --- keys --- */

/* Other sizes on the axes, or another value of the third one. */
static void turn_map(struct tp_app *app, struct autotune_view *view, enum tp_action action)
{
	TP_CLEANUP(tp_heat_release) struct tp_heat heat = { 0 };
	struct tp_searched s;
	if (!search_of_page(&view->plots, &s))
		return;
	tp_heat_make(&heat, &s, &view->axes);
	const unsigned n = (unsigned)heat.n_slices + 1;
	if (action == TP_ACTION_AXES && heat.pairs > 1) {
		view->axes = (struct tp_heat_view){ .pair = (view->axes.pair + 1) % heat.pairs };
		view->plots.plot.placed = false;
	} else if (action == TP_ACTION_AXES) {
		tp_app_say(app, TP_UI_PLAIN, "only one size varies in this search");
	} else if (heat.z >= 0) {
		view->axes.slice = (heat.slice + (action == TP_ACTION_SLICE_NEXT ? 1 : n - 1)) % n;
	} else {
		tp_app_say(app, TP_UI_PLAIN, "there is no third size to cut through");
	}
	view->plots.stale = true;
}

static bool act(struct tp_app *app, struct tp_plotview *plots, enum tp_action action)
{
	if (action == TP_ACTION_BEST) {
		plots->plot.placed = false;
		plots->stale = true;
		return true;
	}
	if (action != TP_ACTION_AXES && action != TP_ACTION_SLICE_NEXT &&
	    action != TP_ACTION_SLICE_PREVIOUS)
		return false;
	turn_map(app, (struct autotune_view *)plots, action);
	return true;
}

static const struct tp_plot_kind kind = {
	.pages = add_pages,
	.newest = newest_page,
	.page_about = page_about,
	.build = build_page,
	.act = act,
	.begin = begin_cursor,
	.read = read_cursor,
	.experiment = "autotune",
	.side_from = SIDE_FROM,
	.side_columns = SIDE_COLUMNS,
	.table_first = true,
};

TP_PLOTVIEW_SCREEN(autotune, autotune_view);

/* --- in other screens --- */

/* A search under way: its technique, its best, how far it is, why configurations were left. */
static bool tell(const struct tp_app *app, const struct tp_point *p, struct tp_doc *doc)
{
	struct tp_searched s;
	char seconds[48], name[TP_TRIAL_NAME_MAX];
	TP_STR stops = { 0 };
	if (!tp_point_is_search(p) || p->state != TP_POINT_PLANNED)
		return false;
	tp_doc_row(doc, 0, TP_UI_PLAIN, "%s, %s", tp_search_row(p)->technique,
		   tp_search_row(p)->scope);
	if (!tp_searched_of(tp_app_run(app), p->point, &s))
		return true;
	if (s.best) {
		const double half = tp_page_half_width(s.value, s.ci_low, s.ci_high);
		tp_doc_row(doc, 0, TP_UI_TITLE, "%.4g %s", s.value, s.unit);
		if (isfinite(half))
			tp_doc_format(doc, TP_DOC_NEXT, TP_UI_DIM, " %s%.2g %%",
				      app->term.utf8 ? "\u00b1" : "+-", half);
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_STRONG, "  %s",
			      tp_trial_name(s.best->size, name));
		if (s.theory > 0)
			tp_doc_format(doc, TP_DOC_NEXT,
				      s.value > TP_OVER_THEORY * s.theory ? TP_UI_WARN
									  : TP_UI_PLAIN,
				      "  %.1f %% of %.4g", 100 * s.value / s.theory, s.theory);
	} else {
		tp_doc_row(doc, 0, TP_UI_DIM, "nothing found yet");
	}
	/* Once all were tried for the first time: how many are over. */
	tp_doc_row(doc, 0, TP_UI_PLAIN, "%zu of %zu %s in %s", s.n < s.n_all ? s.n : s.n_finished,
		   s.n_all, s.n < s.n_all ? "tried" : "over",
		   tp_format_seconds(seconds, sizeof(seconds), s.seconds));
	tp_searched_stops(&s, &stops);
	tp_doc_paragraph(doc, 0, TP_UI_DIM, tp_str_text(&stops));
	return true;
}

const struct tp_shown tp_shown_autotune = {
	.screen = TP_SCREEN_AUTOTUNE,
	.words = "what the searches found",
	.part = &tp_trial_part,
	.tell = tell,
};
