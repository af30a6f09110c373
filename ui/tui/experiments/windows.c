/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bandwidth or latency over the working set, and latency under load. The plateaus of the selected
 * curve are drawn with their names.
 */
#include "experiments/experiment.h"
#include "experiments/windows/report.h"
#include "report/reporter.h"
#include "ui/tui/widgets/plotview.h"
#include "base/text.h"
#include "base/memory.h"
#include "record/point.h"
#include "record/roof.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ui/tui/shown.h"

enum { SIDE_FROM = 136 };

/* Latency under load, not over the working set. */
static bool is_loaded(const char *experiment)
{
	return !tp_picture_curve_title(experiment);
}

/* Pages of pictures that are not curves count from here, by the places of their reporters. */
enum { PICTURES_FROM = 1 << 24, PAGE_COLUMNS = 80, PAGE_ROWS = 24 };

struct adding {
	struct tp_plotview *view;
	struct tp_plot_page page; /* of the next picture */
};

static void add_picture(void *context, struct tp_picture *picture)
{
	struct adding *adding = context;
	(void)picture;
	tp_plotview_add_page(adding->view, &adding->page);
	adding->page.from++;
}

/* Experiments without their own screen that have other pictures than curves. */
static void add_pictures(struct tp_plotview *view, const struct tp_run *run)
{
	for (size_t i = 0; i < tp_experiment_count(); i++) {
		const struct tp_experiment *e = tp_experiment_at(i);
		const struct tp_reporter *reporter = tp_reporter_find(e->name);
		struct adding adding = {
			view, { .run = TP_ANY, .threads = TP_ANY, .from = PICTURES_FROM }
		};
		if (tp_shown_at(i)->screen != TP_SCREEN_CURVE || reporter->curves ||
		    !reporter->pictures)
			continue;
		tp_copy(adding.page.experiment, sizeof(adding.page.experiment), e->name);
		reporter->pictures(run, &(struct tp_gallery){ .context = &adding,
							      .hang = add_picture,
							      .columns = PAGE_COLUMNS,
							      .rows = PAGE_ROWS });
	}
}

static void add_pages(struct tp_plotview *view, const struct tp_run *run)
{
	tp_plotview_add_curves(view, run, NULL);
	add_pictures(view, run);
}

/* The first point of the selected curve, else of the first one; NULL without any. */
static const struct tp_point *selected_point(const struct tp_plot *plot, size_t *run)
{
	const struct tp_picture *picture = plot->picture;
	const struct tp_origin *o = tp_plot_origin(plot);
	if (!o && picture->n_series && picture->origins[0].reads && picture->series[0].n)
		o = &picture->origins[0];
	if (!o)
		return NULL;
	*run = o->run;
	return o->points[0];
}

/* The first point whose curve can be drawn over several runs. */
static const struct tp_point *first_point(const struct tp_run *run, const char *experiment)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (run->points[i].state == TP_POINT_DONE &&
		    tp_kernel_row(&run->points[i])->working_set_bytes &&
		    strcmp(run->points[i].experiment, experiment) == 0)
			return &run->points[i];
	return NULL;
}

static bool build_page(struct tp_plotview *view, const struct tp_app *app,
		       const struct tp_plot_page *page, struct tp_area area)
{
	struct tp_picture *picture = view->plot.picture;
	const struct tp_group group = { page->run, page->threads, page->precision,
					page->experiment };
	const struct tp_overlay overlay = { view->runs, view->names, view->n_runs };
	const struct tp_point *like;
	size_t run = 0;
	bool loaded = is_loaded(page->experiment), made;
	if (page->from >= PICTURES_FROM)
		return tp_reporter_picture(tp_reporter_find(page->experiment), view->runs[0],
					   page->from - PICTURES_FROM,
					   (size_t)TP_MAX(area.columns, 1),
					   (size_t)TP_MAX(area.rows, 1), picture);
	if (view->n_runs > 1 && !loaded)
		made = (like = first_point(view->runs[0], page->experiment)) &&
		       tp_overlay_curve(picture, &overlay, like);
	else
		made = tp_picture_curves(picture, view->runs[0], &group, page->from);
	if (!made || loaded)
		return made;
	if ((like = selected_point(&view->plot, &run)))
		tp_picture_plateaus(picture, view->runs[run], like);
	if (like && tp_live_is_under_way(&app->live))
		tp_axes_hold_sizes(&picture->scene, view->runs[run], like);
	return true;
}

static const struct tp_plateau *plateau_of(const struct tp_plotview *view,
					   const struct tp_origin *o, const struct tp_point *p)
{
	const struct tp_run *run = view->runs[o->run];
	for (size_t i = 0; i < tp_run_n_plateaus(run); i++) {
		const struct tp_plateau *plateau = &tp_run_plateaus(run)[i];
		if (tp_plateau_is_of(plateau, p) &&
		    tp_kernel_row(p)->working_set_bytes >= plateau->from_bytes &&
		    tp_kernel_row(p)->working_set_bytes <= plateau->to_bytes)
			return plateau;
	}
	return NULL;
}

static void read_cursor(const struct tp_plotview *view, const struct tp_origin *o,
			struct tp_text_row first, struct tp_text_row second)
{
	const struct tp_point *p = o->points[view->plot.point];
	double value = tp_point_median(p);
	const char *unit = p->unit;
	char size[32], interval[32];
	tp_plotview_name_run(view, &first);
	tp_words(&first, 0, TP_UI_TITLE, "%s %s%s%s", tp_kernel_row(p)->isa, p->kernel,
		 tp_kernel_row(p)->pages_wanted[0] ? " " : "", tp_kernel_row(p)->pages_wanted);
	tp_plotview_interval(first.area, p, value, p->ci_low, p->ci_high, interval,
			     sizeof(interval));
	if (!(value > 0)) {
		const struct tp_shown *shown = tp_shown_of(p);
		char result[48];
		if (shown && shown->result)
			tp_words(&first, 2, TP_UI_STRONG, "%s",
				 shown->result(view->runs[o->run], p, result, sizeof(result)));
		return;
	}
	if (is_loaded(p->experiment)) {
		tp_words(&first, 2, TP_UI_STRONG, "%.4g %s %s", value, unit, interval);
		/* Programs have no advice that moves a dot. */
		if (tp_kernel_row(p)->median_gbps > 0)
			tp_words(&first, 1, TP_UI_STRONG, "at %.4g GB/s",
				 tp_kernel_row(p)->median_gbps);
		if (tp_kernel_row(p)->pause_cycles)
			tp_words(&first, 4, TP_UI_PLAIN, "pauses of %u cycles",
				 tp_kernel_row(p)->pause_cycles);
	} else {
		const struct tp_plateau *plateau = plateau_of(view, o, p);
		tp_words(&first, 2, TP_UI_STRONG, "%s: %.4g %s %s",
			 tp_format_bytes(size, sizeof(size), tp_kernel_row(p)->working_set_bytes),
			 value, unit, interval);
		if (tp_kernel_row(p)->bytes_per_cycle > 0)
			tp_words(&first, 2, TP_UI_PLAIN, "%.3g B/cycle",
				 tp_kernel_row(p)->bytes_per_cycle);
		else if (tp_kernel_row(p)->median_ns > 0 && p->core_ghz > 0)
			tp_words(&first, 2, TP_UI_PLAIN, "%.3g cycles",
				 tp_kernel_row(p)->median_ns * p->core_ghz);
		if (plateau)
			tp_words(&first, 2, TP_UI_PLAIN, "on the plateau of %s", plateau->level);
		else if (tp_run_n_plateaus(view->runs[o->run]))
			tp_words(&first, 2, TP_UI_DIM, "between plateaus");
	}
	tp_plotview_quality(&second, 0, p->quality, p->flags);
	tp_words(&second, second.at ? 2 : 0, TP_UI_DIM, "best %.4g  %u windows", tp_point_best(p),
		 p->kept);
	if (p->core_ghz > 0)
		tp_words(&second, 2, TP_UI_DIM, "%.3f GHz", p->core_ghz);
	if (tp_kernel_row(p)->pages[0])
		tp_words(&second, 2, TP_UI_DIM, "%s pages", tp_kernel_row(p)->pages);
}

/* The plateau that the cursor is on is the row of the table. */
static const void *row_at_cursor(const struct tp_plotview *view, const struct tp_origin *o)
{
	return o->points ? plateau_of(view, o, o->points[view->plot.point]) : NULL;
}

static const struct tp_plot_kind kind = {
	.pages = add_pages,
	.build = build_page,
	.read = read_cursor,
	.about = row_at_cursor,
	.side_from = SIDE_FROM,
};

TP_PLOTVIEW_SCREEN(curve, tp_plotview);

/* --- experiments whose only screen it is, in other screens --- */

const struct tp_shown tp_shown_memcurve = { .screen = TP_SCREEN_CURVE,
					    .words = "the memory curve" };

const struct tp_shown tp_shown_latency = { .screen = TP_SCREEN_CURVE,
					   .words = "the latency curve" };

const struct tp_shown tp_shown_loaded_latency = { .screen = TP_SCREEN_CURVE,
						  .words = "the latency under load" };

const struct tp_shown tp_shown_gather = { .screen = TP_SCREEN_CURVE,
					  .words = "the time of gathers" };
