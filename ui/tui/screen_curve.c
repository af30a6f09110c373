/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bandwidth or latency against the working set, and latency under load; plateaus of the selected curve are named. */
#include "ui/tui/plotview.h"
#include "base/units.h"
#include "base/vec.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE_COLUMNS = 46, SIDE_FROM = 136 };

static bool is_loaded(const char *experiment)
{
	return strcmp(experiment, "loaded-latency") == 0;
}

/* Every picture as the report would make it; asking for one more than there is ends a group. */
static void add_group(void *context, const struct tp_run *run, const struct tp_group *group)
{
	struct tp_plotview *view = context;
	for (size_t from = 0; from < TP_PAGES_MAX * TP_PICTURE_CURVES; from += TP_PICTURE_CURVES) {
		struct tp_plot_page page = { .run = group->run,
					     .threads = group->threads,
					     .from = from };
		tp_copy(page.precision, sizeof(page.precision), group->precision);
		tp_copy(page.experiment, sizeof(page.experiment), group->experiment);
		if (!tp_picture_has_curves(run, group, from))
			return;
		tp_plotview_add_page(view, &page);
	}
}

static void add_roofline(void *context, const struct tp_run *run, unsigned index,
			 const char *precision)
{
	(void)context;
	(void)run;
	(void)index;
	(void)precision;
}

static void pages(struct tp_plotview *view, const struct tp_run *run)
{
	tp_picture_each(run, view, add_roofline, add_group);
}

static void widen(const struct tp_point *p, const struct tp_plot_page *page, struct tp_scale *x)
{
	double bytes = (double)p->working_set_bytes;
	if (p->run != page->run || !(bytes > 0) || strcmp(p->experiment, page->experiment) != 0)
		return;
	x->min = x->min > 0 ? fmin(x->min, bytes) : bytes;
	x->max = fmax(x->max, bytes);
}

/* While a run grows the axis has its final ends from the start: those of the plan. */
static void settle_sizes(const struct tp_app *app, const struct tp_plot_page *page,
			 struct tp_scale *x)
{
	const struct tp_plan *plan = &app->session.plan;
	struct tp_scale ends = { 0 };
	for (size_t i = 0; app->live.replay && i < app->live.stored.n_points; i++)
		widen(&app->live.stored.points[i], page, &ends);
	for (size_t i = 0; !app->live.replay && plan->n == app->live.n_points && i < plan->n; i++)
		widen(&plan->items[i].point, page, &ends);
	if (!(ends.max > ends.min))
		return;
	x->min = exp2(floor(log2(ends.min)));
	x->max = exp2(ceil(log2(ends.max)));
}

/* From L1 to DRAM bandwidth falls and latency rises by about as much; air above and below. */
#define BANDWIDTH_SPREAD 30.0
#define LATENCY_SPREAD	 200.0
#define AIR		 1.25

/* The other axis likewise: a replay knows what comes, a run expects what machines are like. */
static void settle_values(const struct tp_plotview *view, const struct tp_app *app,
			  const struct tp_plot_page *page)
{
	const struct tp_picture *picture = view->picture;
	struct tp_scale *y = &view->picture->scene.y;
	const struct tp_run *stored = &app->live.stored;
	double least = INFINITY, most = 0;
	for (size_t i = 0; i < picture->n_series; i++)
		for (size_t k = 0; k < picture->series[i].n; k++) {
			least = fmin(least, picture->series[i].y[k]);
			most = fmax(most, picture->series[i].y[k]);
		}
	for (size_t i = 0; app->live.replay && i < stored->n_points; i++) {
		const struct tp_point *p = &stored->points[i];
		if (p->state != TP_POINT_DONE || p->run != page->run ||
		    p->threads != page->threads || strcmp(p->experiment, page->experiment) != 0 ||
		    !(tp_point_median(p) > 0))
			continue;
		least = fmin(least, tp_point_median(p));
		most = fmax(most, tp_point_median(p));
	}
	if (!(most > 0))
		return;
	if (!app->live.replay && strcmp(page->experiment, "latency") == 0)
		most = fmax(most, LATENCY_SPREAD * least);
	else if (!app->live.replay)
		least = fmin(least, most / BANDWIDTH_SPREAD);
	y->kind = TP_SCALE_LOG10;
	y->min = least / AIR;
	y->max = most * AIR;
}

/* The point that stands for the selected curve. */
static const struct tp_point *selected(const struct tp_plotview *view, size_t *number)
{
	size_t series = view->series;
	if (series >= view->picture->n_series || !view->picture->origins[series].points)
		series = 0;
	const struct tp_origin *o = &view->picture->origins[series];
	if (!view->picture->n_series || !o->points || !view->picture->series[series].n)
		return NULL;
	*number = o->run;
	return o->points[0];
}

static bool build(struct tp_plotview *view, const struct tp_app *app,
		  const struct tp_plot_page *page, int columns, int rows)
{
	const struct tp_group group = { page->run, page->threads, page->precision,
					page->experiment };
	size_t number = 0;
	(void)columns;
	(void)rows;
	bool loaded = is_loaded(page->experiment), made = false;
	const struct tp_point *like = NULL;
	if (view->n_runs > 1 && !loaded) {
		const struct tp_overlay overlay = { view->runs, view->names, view->n_runs };
		for (size_t i = 0; i < view->runs[0]->n_points && !like; i++)
			if (view->runs[0]->points[i].state == TP_POINT_DONE &&
			    strcmp(view->runs[0]->points[i].experiment, page->experiment) == 0 &&
			    view->runs[0]->points[i].working_set_bytes)
				like = &view->runs[0]->points[i];
		made = like && tp_overlay_curve(view->picture, &overlay, like);
	} else {
		made = tp_picture_curves(view->picture, view->runs[0], &group, page->from);
	}
	if (!made)
		return false;
	if (!loaded && (like = selected(view, &number)))
		tp_picture_plateaus(view->picture, view->runs[number], like);
	if (!loaded && tp_plotview_is_live(app)) {
		settle_sizes(app, page, &view->picture->scene.x);
		settle_values(view, app, page);
	}
	return true;
}

static const struct tp_plateau *plateau_of(const struct tp_plotview *view,
					   const struct tp_origin *o, const struct tp_point *p)
{
	const struct tp_run *run = view->runs[o->run];
	for (size_t i = 0; i < run->n_plateaus; i++) {
		const struct tp_plateau *plateau = &run->plateaus[i];
		if (tp_plateau_is_of(plateau, p) && p->working_set_bytes >= plateau->from_bytes &&
		    p->working_set_bytes <= plateau->to_bytes)
			return plateau;
	}
	return NULL;
}

static int name_curve(const struct tp_plotview *view, const struct tp_point *p, struct tp_area area)
{
	int at = tp_plotview_paint_run(view, area);
	return at + tp_paint_format(area, 0, at, TP_UI_TITLE, "%s %s%s%s", p->isa, p->kernel,
				    p->pages_wanted[0] ? " " : "", p->pages_wanted);
}

static void read_cursor(const struct tp_plotview *view, struct tp_area area)
{
	const struct tp_origin *o = tp_plotview_origin(view);
	char size[32], interval[32], flags[200];
	if (!o || !o->points)
		return;
	const struct tp_point *p = o->points[view->point];
	double value = tp_point_median(p);
	const char *unit = tp_headline_unit(tp_point_headline(p));
	int at = name_curve(view, p, area);
	tp_plotview_interval(area, value, p->ci_low, p->ci_high, interval, sizeof(interval));
	if (is_loaded(p->experiment)) {
		at += tp_paint_format(area, 0, at + 2, TP_UI_STRONG, "%.4g %s %s at %.4g GB/s",
				      value, unit, interval, p->median_gbps);
		if (p->pause_cycles)
			tp_paint_format(area, 0, at + 4, TP_UI_PLAIN, "pauses of %u cycles",
					p->pause_cycles);
	} else {
		at += tp_paint_format(area, 0, at + 2, TP_UI_STRONG, "%s: %.4g %s %s",
				      tp_format_bytes(size, sizeof(size), p->working_set_bytes),
				      value, unit, interval) +
		      2;
		const struct tp_plateau *plateau = plateau_of(view, o, p);
		if (p->bytes_per_cycle > 0)
			at += tp_paint_format(area, 0, at + 2, TP_UI_PLAIN, "%.3g B/cycle",
					      p->bytes_per_cycle) +
			      2;
		else if (p->median_ns > 0 && p->core_ghz > 0)
			at += tp_paint_format(area, 0, at + 2, TP_UI_PLAIN, "%.3g cycles",
					      p->median_ns * p->core_ghz) +
			      2;
		if (plateau)
			tp_paint_format(area, 0, at + 2, TP_UI_PLAIN, "on the plateau of %s",
					plateau->level);
		else if (view->runs[o->run]->n_plateaus)
			tp_paint_text(area, 0, at + 2, TP_UI_DIM, "between plateaus");
	}
	at = 0;
	if (p->flags)
		at = tp_paint_text(area, 1, 0, TP_UI_WARN,
				   tp_plotview_flags(p->flags, flags, sizeof(flags))) +
		     2;
	at += tp_paint_format(area, 1, at, TP_UI_DIM, "best %.4g  %u windows", tp_point_best(p),
			      p->kept);
	if (p->core_ghz > 0)
		at += tp_paint_format(area, 1, at + 2, TP_UI_DIM, "%.3f GHz", p->core_ghz) + 2;
	if (p->pages[0])
		tp_paint_format(area, 1, at + 2, TP_UI_DIM, "%s pages", p->pages);
}

/* The curves, and the plateaus of the selected one. */
static void side(const struct tp_plotview *view, struct tp_area area)
{
	const struct tp_origin *o = tp_plotview_origin(view);
	char text[64], from[32], to[32];
	int row = 1;
	if (!o || !o->points)
		return;
	const struct tp_point *at = o->points[view->point];
	const struct tp_run *run = view->runs[o->run];
	tp_paint_text(area, row, 0, TP_UI_TITLE, "Plateau");
	tp_paint_right(area, row, 18, TP_UI_TITLE, tp_headline_unit(tp_point_headline(at)));
	tp_paint_right(area, row, 26, TP_UI_TITLE, tp_plotview_pm(area));
	tp_paint_text(area, row++, 29, TP_UI_TITLE, "from   to   edge");
	const struct tp_plateau *here = plateau_of(view, o, at);
	for (size_t i = 0; i < run->n_plateaus && row < area.rows; i++) {
		const struct tp_plateau *p = &run->plateaus[i];
		double value = p->ns > 0 ? p->ns : p->gbps;
		if (!tp_plateau_is_of(p, at) || !(value > 0))
			continue;
		tp_paint_text(area, row, 0, TP_UI_PLAIN, p->level);
		snprintf(text, sizeof(text), "%.4g", value);
		tp_paint_right(area, row, 18, TP_UI_STRONG, text);
		snprintf(text, sizeof(text), "%.1f %%", 50 * (p->ci_high - p->ci_low) / value);
		tp_paint_right(area, row, 26, TP_UI_DIM, p->ci_low > 0 ? text : "");
		tp_paint_right(area, row, 33, TP_UI_PLAIN,
			       tp_text_size(from, sizeof(from), p->from_bytes));
		tp_paint_right(area, row, 39, TP_UI_PLAIN,
			       tp_text_size(to, sizeof(to), p->to_bytes));
		if (p->capacity_bytes)
			tp_paint_right(area, row, 45, TP_UI_PLAIN,
				       tp_text_size(from, sizeof(from), p->capacity_bytes));
		if (p == here)
			tp_paint_role(area, row, 0, 45, TP_UI_SELECTED);
		row++;
	}
	row++;
	for (size_t i = 0; i < view->picture->n_series && row < area.rows; i++) {
		const struct tp_series *s = &view->picture->series[i];
		const struct tp_point *const *points = view->picture->origins[i].points;
		if (!points || !s->n)
			continue;
		snprintf(text, sizeof(text), "%c", s->glyph);
		tp_paint_text(area, row, 0, tp_theme_plot_role(s->role), text);
		int used = tp_paint_format(area, row, 2, TP_UI_PLAIN, "%s %s %s", points[0]->isa,
					   points[0]->kernel, points[0]->pages_wanted);
		snprintf(text, sizeof(text), "%zu points", s->n);
		if (used + 12 < area.columns)
			tp_paint_right(area, row, 45, TP_UI_DIM, text);
		if (i == view->series)
			tp_paint_role(area, row, 2, 43, TP_UI_SELECTED);
		row++;
	}
}

static const struct tp_plot_kind kind = {
	.empty = "No curve in this run: press 2 to set one up (experiment: memcurve, latency or "
		 "loaded-latency), 9 to open a run that has some.",
	.pages = pages,
	.build = build,
	.read = read_cursor,
	.side = side,
	.side_from = SIDE_FROM,
	.side_columns = SIDE_COLUMNS,
};

static void *open_screen(struct tp_app *app)
{
	(void)app;
	return tp_plotview_new(&kind);
}

const struct tp_screen tp_screen_curve = {
	.name = "Curve",
	.open = open_screen,
	TP_PLOTVIEW_ROW,
};
