/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The roofs of a run and of the runs over it. The cursor reads a roof at an intensity and shows
 * what limits a kernel there, or reads a dot.
 */
#include "ui/tui/experiments/roofline.h"
#include "analysis/stats.h"
#include "base/memory.h"
#include "experiments/app/report.h"
#include "experiments/autotune/pictures.h"
#include "experiments/roofline/pictures.h"
#include "record/point.h"
#include <math.h>
#include <string.h>
#include "record/dot.h"
#include "record/roof.h"
#include "ui/tui/paint.h"
#include "ui/tui/shown.h"

/* In percent of the roof: how far below it a dot is bad, and how near it is good. */
#define FAR  (-10.0)
#define NEAR (-2.0)
#define SAME 0.05

static enum tp_role role_of(const struct tp_dot *dot)
{
	return dot->distance_percent < FAR    ? TP_UI_BAD
	       : dot->distance_percent < NEAR ? TP_UI_WARN
					      : TP_UI_GOOD;
}

/* The dot of a program under the cursor; NULL = it is on something else. */
static const struct tp_dot *program_dot(const struct tp_plotview *view)
{
	const struct tp_origin *o = tp_plot_origin(&view->plot);
	const struct tp_dot *d = o && o->part == &tp_dot_part ? o->rows[view->plot.point] : NULL;
	return d && tp_app_dot_region(view->runs[o->run], d) ? d : NULL;
}

size_t tp_roofline_what_if(const struct tp_plotview *view, size_t which)
{
	const struct tp_dot *d = program_dot(view);
	struct tp_picture *picture = view->plot.picture;
	struct tp_app_advice advice[TP_APP_MOVES_MAX];
	const size_t n =
		d ? tp_app_what_ifs(view->runs[tp_plot_origin(&view->plot)->run], d, advice) : 0;
	if (which < n)
		tp_picture_ghost(picture, advice[which].ai_flop_per_byte, advice[which].gflops,
				 tp_picture_text(picture, "%s", advice[which].assumes),
				 tp_picture_text(picture, "%.*s: %.3g GFLOP/s",
						 (int)strcspn(advice[which].assumes, ":"),
						 advice[which].assumes, advice[which].gflops));
	return n;
}

/* Where a region of a program stands, and what would move it. */
static void read_region(const struct tp_plotview *view, const struct tp_dot *d,
			struct tp_text_row first, struct tp_text_row second)
{
	const struct tp_run *run = view->runs[tp_plot_origin(&view->plot)->run];
	const struct tp_app_region_row *row = tp_app_dot_region(run, d);
	struct tp_app_advice advice[TP_APP_MOVES_MAX];
	struct tp_app_roofs roofs;
	TP_STR text = { 0 };
	tp_app_find_roofs(run, row, &roofs);
	tp_app_sentence(row, &text);
	tp_words(&first, 0, TP_UI_STRONG, "%s, %.4g GFLOP/s: ", d->fp_op, d->gflops);
	tp_words(&first, 0, TP_UI_PLAIN, "%s", tp_str_text(&text));
	const size_t n = view->what_if ? tp_app_what_ifs(run, d, advice)
				       : tp_app_advise(row, &roofs, advice);
	const size_t at = view->what_if ? view->what_if - 1 : 0;
	if (at < n)
		tp_words(&second, 0, TP_UI_PLAIN, "%s", advice[at].text);
}

static void read_dot(const struct tp_plotview *view, const struct tp_origin *origin,
		     struct tp_text_row first, struct tp_text_row second)
{
	const struct tp_dot *d = origin->rows[view->plot.point];
	const struct tp_run *run = view->runs[origin->run];
	const struct tp_point *p = tp_run_point(run, d->point);
	if (program_dot(view)) {
		tp_plotview_name_run(view, &first);
		read_region(view, d, first, second);
		return;
	}
	char interval[32] = "";
	tp_plotview_name_run(view, &first);
	if (p)
		tp_plotview_interval(first.area, p, d->gflops, p->ci_low, p->ci_high, interval,
				     sizeof(interval));
	tp_words(&first, 0, TP_UI_STRONG, "AI %.3g, %s on %s %s: %.4g GFLOP/s %s",
		 d->ai_flop_per_byte, d->fp_op, d->level, d->isa, d->gflops, interval);
	if (fabs(d->distance_percent) < SAME)
		tp_words(&first, 1, role_of(d), "on its roof");
	else
		tp_words(&first, 1, role_of(d), "%.1f %% %s its roof", fabs(d->distance_percent),
			 d->distance_percent < 0 ? "below" : "above");
	char reason[384];
	tp_words(&second, 0, TP_UI_PLAIN, "roof %.4g GFLOP/s there", d->roof_gflops);
	if (*tp_dot_reason(run, d, reason, sizeof(reason)))
		tp_words(&second, 2, role_of(d), "%s", reason);
	else if (p)
		tp_plotview_quality(&second, 2, p->quality, p->flags);
	if (p && tp_kernel_row(p)->ipc > 0)
		tp_words(&second, 2, TP_UI_DIM, "IPC %.2f  %.3g B/cycle  %.3g FLOP/cycle",
			 tp_kernel_row(p)->ipc, tp_kernel_row(p)->bytes_per_cycle,
			 tp_kernel_row(p)->flop_per_cycle);
}

enum { SIDE_FROM = 132 };

static void add_pages(struct tp_plotview *view, const struct tp_run *run)
{
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i];
		struct tp_plot_page page = { .run = r->run, .threads = r->threads };
		/*
		 * The classic roofline of a search has a separate page if it is not drawn with
		 * another one: all its teams on one.
		 */
		if (tp_roof_is_tuned(run, r)) {
			if (tp_classic_is_beside(run, r->precision) ||
			    !tp_classic_is_whole(run, r->precision))
				continue;
			page.threads = TP_ANY;
		}
		tp_copy(page.precision, sizeof(page.precision), r->precision);
		tp_plotview_add_page(view, &page);
	}
	/*
	 * After the pictures of all ISAs, in which one is drawn in full: each other ISA as a
	 * separate picture.
	 */
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i];
		const char *main = tp_roofline_isa(run, r->run, r->threads, r->precision);
		struct tp_plot_page page = { .run = r->run, .threads = r->threads };
		if (tp_roof_is_tuned(run, r) || !main || strcmp(main, r->isa) == 0)
			continue;
		tp_copy(page.precision, sizeof(page.precision), r->precision);
		tp_copy(page.isa, sizeof(page.isa), r->isa);
		tp_plotview_add_page(view, &page);
	}
}

/*
 * The highest peak that the machine model gives for the planned points of a run of the preset:
 * GFLOP/s at the clock that was seen. For a roofline whose peak is not measured yet; 0 = unknown.
 */
static double planned_peak(const struct tp_app *app, const struct tp_run *run, unsigned index,
			   unsigned threads, const char *precision)
{
	const struct tp_plan *plan = &app->live.session.plan;
	double ghz = 0, peak = 0;
	for (size_t i = 0; i < run->n_points; i++)
		ghz = fmax(ghz, run->points[i].core_ghz);
	if (!tp_live_is_under_way(&app->live))
		return 0;
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_point *p = &plan->items[i].point;
		if (p->run == index && p->threads == threads && tp_kernel_row(p)->fp_op[0] &&
		    strcmp(tp_kernel_row(p)->precision, precision) == 0)
			peak = fmax(peak, ghz * p->threads *
						  tp_model_peak_flop_per_cycle(
							  &app->live.session.machine.model,
							  tp_kernel_row(p)->isa,
							  tp_kernel_row(p)->precision,
							  tp_kernel_row(p)->fp_op));
	}
	return peak;
}

bool tp_roofline_draw(struct tp_plotview *view, const struct tp_app *app, unsigned run,
		      const char *precision, struct tp_area area)
{
	struct tp_picture *picture = view->plot.picture;
	if (view->n_runs > 1) {
		const struct tp_overlay overlay = { view->runs, view->names, view->n_runs };
		return tp_overlay_roofline(picture, &overlay, precision);
	}
	picture->peak_gflops = planned_peak(app, view->runs[0], run, picture->threads, precision);
	return tp_picture_roofline(picture, view->runs[0], run, precision, (size_t)area.columns,
				   (size_t)area.rows);
}

static bool build_page(struct tp_plotview *view, const struct tp_app *app,
		       const struct tp_plot_page *page, struct tp_area area)
{
	view->plot.picture->threads = page->threads == TP_ANY ? 0 : page->threads;
	return tp_roofline_draw(view, app, page->run, page->precision, area);
}

void tp_roofline_read(const struct tp_plotview *view, const struct tp_origin *o,
		      struct tp_text_row first, struct tp_text_row second)
{
	if (o->words) {
		tp_words(&first, 0, TP_UI_STRONG, "%s: AI %.4g FLOP/B, %.4g GFLOP/s",
			 view->plot.picture->series[view->plot.series].label, view->plot.x,
			 view->plot.y);
		tp_words(&second, 0, TP_UI_PLAIN, "%s", o->words);
		return;
	}
	if (o->rows) {
		read_dot(view, o, first, second);
		return;
	}
	const struct tp_roof *r = o->roof;
	const bool fp = tp_level_is_fp(r->level);
	const char *name = fp ? r->fp_op : r->level;
	const double x = view->plot.x, ridge = fp ? 0 : tp_roof_ridge(o->peak_gflops, r->median),
		     theory = tp_roof_theory(r);
	char interval[32];
	tp_plotview_name_run(view, &first);
	tp_words(&first, 0, TP_UI_STRONG, "AI %.3g FLOP/B on %s %s: %.4g GFLOP/s", x, name, r->isa,
		 view->plot.y);
	if (fp)
		tp_words(&first, 0, TP_UI_PLAIN, ", compute bound");
	else if (ridge > 0)
		tp_words(&first, 0, TP_UI_PLAIN, ", %s bound (ridge at %.2g)",
			 x < ridge ? "memory" : "compute", ridge);
	tp_words(&second, 0, TP_UI_PLAIN, "%s %.4g %s %s", name, r->median, fp ? "GFLOP/s" : "GB/s",
		 tp_plotview_interval(first.area, tp_run_point(view->runs[o->run], r->point),
				      r->median, r->ci_low, r->ci_high, interval,
				      sizeof(interval)));
	if (theory > 0)
		tp_words(&second, 2, TP_UI_PLAIN, "%.1f %% of the %s %.4g",
			 100 * r->median / theory, r->reachable > 0 ? "reachable" : "theoretical",
			 theory);
	if (theory > 0 && r->reachable > 0)
		tp_words(&second, 2, TP_UI_DIM, "ports %.4g", r->model);
	tp_plotview_quality(&second, 2, r->quality, r->flags);
	if (r->per_cycle > 0)
		tp_words(&second, 2, TP_UI_DIM, "%.3g %s", r->per_cycle,
			 fp ? "FLOP/cycle" : "B/cycle");
}

static const struct tp_asked_line dot_line = { "Your own dot: NAME:AI,GFLOPS",
					       "spmv:0.17,3.2 (FLOP/byte, GFLOP/s). Enter, Esc",
					       NULL, tp_app_add_dot, false };

static const struct tp_plot_kind kind = {
	.pages = add_pages,
	.build = build_page,
	.read = tp_roofline_read,
	.what_if = tp_roofline_what_if,
	.experiment = "roofline",
	.side_from = SIDE_FROM,
	.asks = &dot_line,
};

TP_PLOTVIEW_SCREEN(roofline, tp_plotview);

bool tp_roofline_grow(struct tp_app *app, const struct tp_point *point, struct tp_area area,
		      struct tp_picture *picture)
{
	const struct tp_run *run = tp_app_run(app);
	const char *precision = tp_kernel_row(point)->precision;
	picture->peak_gflops = planned_peak(app, run, point->run, point->threads, precision);
	return tp_picture_roofline(picture, run, point->run, precision, (size_t)area.columns,
				   (size_t)area.rows);
}

const struct tp_shown tp_shown_roofline = {
	.screen = TP_SCREEN_ROOFLINE,
	.words = "the roofline",
	.part = &tp_roof_part,
	.grow = tp_roofline_grow,
};
