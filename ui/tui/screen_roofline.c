/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Roofs of a run and of the runs over it; the cursor reads a roof at an intensity and says what bounds there. */
#include "ui/tui/plotview.h"
#include "analysis/roofs.h"
#include "base/vec.h"
#include "report/autotune.h"
#include "ui/tui/plot_dot.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE_COLUMNS = 50, SIDE_FROM = 132 };

static void pages(struct tp_plotview *view, const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_roofs; i++) {
		const struct tp_roof *r = &run->roofs[i];
		struct tp_plot_page page = { .run = r->run, .threads = r->threads };
		/* The classic roofline of a search has a page of its own where it is beside no other: all its teams on one. */
		if (tp_roof_is_tuned(run, r)) {
			if (tp_classic_is_beside(run, r->precision) ||
			    !tp_classic_is_whole(run, r->precision))
				continue;
			page.threads = TP_ANY;
		}
		tp_copy(page.precision, sizeof(page.precision), r->precision);
		tp_plotview_add_page(view, &page);
	}
}

static unsigned element_bytes(const char *precision)
{
	return strcmp(precision, "single") == 0 ? 4 : 8;
}

double tp_plotview_planned_peak(const struct tp_app *app, const struct tp_run *run,
				const struct tp_plot_page *page)
{
	const struct tp_plan *plan = &app->session.plan;
	double ghz = 0, peak = 0;
	for (size_t i = 0; i < run->n_points; i++)
		ghz = fmax(ghz, run->points[i].core_ghz);
	if (!tp_plotview_is_live(app) || app->live.replay || plan->n != app->live.n_points)
		return 0;
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_point *p = &plan->items[i].point;
		if (p->run == page->run && p->threads == page->threads && p->fp_op[0] &&
		    strcmp(p->precision, page->precision) == 0)
			peak = fmax(peak, ghz * p->threads *
						  tp_model_flop_per_cycle(
							  &app->session.machine.model, p->isa,
							  element_bytes(p->precision), p->fp_op));
	}
	return peak;
}

static bool build(struct tp_plotview *view, const struct tp_app *app,
		  const struct tp_plot_page *page, int columns, int rows)
{
	struct tp_picture *picture = view->picture;
	if (view->n_runs > 1) {
		const struct tp_overlay overlay = { view->runs, view->names, view->n_runs };
		return tp_overlay_roofline(picture, &overlay, page->precision);
	}
	picture->peak_gflops = tp_plotview_planned_peak(app, view->runs[0], page);
	return tp_picture_roofline(picture, view->runs[0], page->run, page->precision,
				   (size_t)TP_MAX(columns, 0), (size_t)TP_MAX(rows, 0));
}

static void read_roof(const struct tp_plotview *view, const struct tp_origin *o,
		      struct tp_area area)
{
	const struct tp_roof *r = o->roof;
	bool fp = tp_level_is_fp(r->level);
	const char *unit = fp ? "GFLOP/s" : "GB/s";
	char interval[32], flags[200];
	int at = tp_plotview_paint_run(view, area);
	at += tp_paint_format(area, 0, at, TP_UI_STRONG, "AI %.3g FLOP/B on %s %s: %.4g GFLOP/s",
			      view->x, fp ? r->fp_op : r->level, r->isa, view->y);
	double ridge = !fp ? tp_roof_ridge(o->peak_gflops, r->median) : 0;
	if (fp)
		tp_paint_text(area, 0, at, TP_UI_PLAIN, ", compute bound");
	else if (ridge > 0)
		tp_paint_format(area, 0, at, TP_UI_PLAIN, ", %s bound (ridge at %.2g)",
				view->x < ridge ? "memory" : "compute", ridge);
	tp_plotview_interval(area, r->median, r->ci_low, r->ci_high, interval, sizeof(interval));
	at = tp_paint_format(area, 1, 0, TP_UI_PLAIN, "%s %.4g %s %s", fp ? r->fp_op : r->level,
			     r->median, unit, interval);
	double theory = tp_roof_theory(r);
	if (theory > 0)
		at += tp_paint_format(area, 1, at + 2, TP_UI_PLAIN,
				      "%.1f %% of the theoretical %.4g", 100 * r->median / theory,
				      theory) +
		      2;
	if (r->flags)
		at += tp_paint_text(area, 1, at + 2, TP_UI_WARN,
				    tp_plotview_flags(r->flags, flags, sizeof(flags))) +
		      2;
	if (r->per_cycle > 0)
		tp_paint_format(area, 1, at + 2, TP_UI_DIM, "%.3g %s", r->per_cycle,
				fp ? "FLOP/cycle" : "B/cycle");
}

static void read_cursor(const struct tp_plotview *view, struct tp_area area)
{
	const struct tp_origin *o = tp_plotview_origin(view);
	if (o && o->roof)
		read_roof(view, o, area);
	else if (o && o->dots)
		tp_dot_read(view, o, area);
}

/* The roofs that are drawn, from the highest bandwidth on. */
static void side(const struct tp_plotview *view, struct tp_area area)
{
	int row = 1;
	tp_paint_text(area, row, 0, TP_UI_TITLE, "Roof");
	tp_paint_right(area, row, 26, TP_UI_TITLE, "measured");
	tp_paint_right(area, row, 34, TP_UI_TITLE, tp_plotview_pm(area));
	tp_paint_right(area, row, 43, TP_UI_TITLE, "theory");
	tp_paint_right(area, row++, 49, TP_UI_TITLE, "ridge");
	for (int fp = 0; fp < 2; fp++) {
		row += fp;
		for (size_t i = 0; i < view->picture->n_series && row < area.rows; i++) {
			const struct tp_origin *o = &view->picture->origins[i];
			const struct tp_roof *r = o->roof;
			char text[48];
			if (!r || tp_level_is_fp(r->level) != fp)
				continue;
			tp_paint_text(tp_area_columns(area, 0, 16), row, 0,
				      tp_theme_plot_role(view->picture->series[i].role),
				      area.term->utf8 ? "\u2501" : "-");
			tp_paint_format(tp_area_columns(area, 0, 17), row, 2, TP_UI_PLAIN, "%s %s",
					fp ? r->fp_op : r->level, r->isa);
			snprintf(text, sizeof(text), "%.1f", r->median);
			tp_paint_right(area, row, 26, TP_UI_STRONG, text);
			snprintf(text, sizeof(text), "%.1f %%",
				 50 * (r->ci_high - r->ci_low) / r->median);
			tp_paint_right(area, row, 34, TP_UI_DIM, r->ci_low > 0 ? text : "");
			snprintf(text, sizeof(text), "%.1f %%",
				 100 * r->median / fmax(tp_roof_theory(r), 1e-9));
			tp_paint_right(area, row, 43, TP_UI_PLAIN,
				       tp_roof_theory(r) > 0 ? text : "");
			snprintf(text, sizeof(text), "%.2g", o->peak_gflops / r->median);
			tp_paint_right(area, row, 49, TP_UI_PLAIN,
				       !fp && o->peak_gflops > 0 ? text : "");
			if (i == view->series)
				tp_paint_role(area, row, 2, 47, TP_UI_SELECTED);
			row++;
		}
	}
	tp_paint_text(area, ++row, 0, TP_UI_DIM, "GB/s, GFLOP/s; ridge in FLOP/byte");
}

static const struct tp_plot_kind kind = {
	.empty = "No roofline in this run: press 2 to set one up, 9 to open one.",
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

const struct tp_screen tp_screen_roofline = {
	.name = "Roofline",
	.open = open_screen,
	TP_PLOTVIEW_ROW,
};
