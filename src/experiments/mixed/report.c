/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixed kernels on the page. */
#include "base/memory.h"
#include "record/dot.h"
#include "report/page.h"
#include "report/reporter.h"

#include <math.h>
#include <string.h>

static struct tp_group dot_group(const struct tp_run *run, size_t i)
{
	const struct tp_dot *d = &tp_run_dots(run)[i];
	return (struct tp_group){ .run = d->run, .threads = d->threads, .precision = d->precision };
}

static void show_dots(struct tp_page *page, const struct tp_group *group);
static bool is_other(const struct tp_run *run, size_t i)
{
	return !tp_dot_is_mixed(run, &tp_run_dots(run)[i]);
}

static const struct tp_grouped dot_table = { dot_group, show_dots, is_other };

/* A dot in its table. */
struct dot_row {
	struct tp_dot dot;
	const struct tp_point *point; /* NULL: the run lacks it */
	double distance_percent; /* NaN without a roof */
};

static enum tp_paint paint_of_distance(const void *row)
{
	const double percent = ((const struct dot_row *)row)->distance_percent;
	return percent < -15 || percent > 5 ? TP_PAINT_WARN : TP_PAINT_PLAIN;
}

#define DOT(name) TP_SHOWS(struct dot_row, dot.name)
#define OF_POINT  TP_VIA(struct dot_row, point)
static const struct tp_grid_column dot_columns[] = {
	{ "ISA", TP_LEFT, 0, DOT(isa), .paint = TP_PAINT_STRONG, .again = true },
	{ "level", TP_LEFT, 0, DOT(level) },
	{ "FP op", TP_LEFT, 0, DOT(fp_op) },
	{ "FLOP/byte", TP_RIGHT, 0, DOT(ai_flop_per_byte), .as = TP_AS_FIXED, .digits = 3,
	  .positive = true },
	{ "GFLOP/s", TP_RIGHT, 0, DOT(gflops), .positive = true, .paint = TP_PAINT_STRONG },
	{ "\u00b1%", TP_RIGHT, 2, OF_POINT, .cell = tp_page_interval_cell },
	{ "roof", TP_RIGHT, 1, DOT(roof_gflops), .positive = true },
	{ "distance", TP_RIGHT, 0, TP_SHOWS(struct dot_row, distance_percent), .as = TP_AS_CHANGE,
	  .digits = 1, .paint_of = paint_of_distance },
	{ "kernel", TP_LEFT, 3, OF_POINT, TP_POINT(kernel), .none = "" },
	{ "quality", TP_LEFT, 1, OF_POINT, .cell = tp_page_quality_cell, .none = "" },
};

/* The nearest and the farthest dot, in one sentence. */
static void dots_line(struct tp_page *page, const struct tp_group *group)
{
	const struct tp_run *run = page->run;
	const struct tp_dot *far = NULL;
	size_t n = 0, close = 0;
	TP_STR text = { 0 };
	for (size_t i = 0; i < tp_run_n_dots(run); i++) {
		const struct tp_dot *d = &tp_run_dots(run)[i];
		if (!tp_groups_has(page, &dot_table, i, group) || !(d->roof_gflops > 0) ||
		    !isfinite(d->distance_percent))
			continue;
		n++;
		close += fabs(d->distance_percent) <= 5;
		if (!far || fabs(d->distance_percent) > fabs(far->distance_percent))
			far = d;
	}
	if (!far)
		return;
	tp_str_printf(&text,
		      "%zu of %zu lie within 5%% of their roof; farthest: %+.1f%% (%s %s %s, %.3f "
		      "FLOP/byte).",
		      close, n, far->distance_percent, far->isa, far->level, far->fp_op,
		      far->ai_flop_per_byte);
	char reason[384];
	if (*tp_dot_reason(run, far, reason, sizeof(reason)))
		tp_str_printf(&text, " The farthest: %s.", reason);
	tp_page_explain(page, tp_str_text(&text));
}

static void show_dots(struct tp_page *page, const struct tp_group *group)
{
	const struct tp_run *run = page->run;
	TP_GRID(grid, dot_columns);
	tp_page_title(page, "Mixed kernels", group);
	tp_page_heads(page, &grid);
	for (size_t i = 0; i < tp_run_n_dots(run); i++) {
		struct dot_row row = { .dot = tp_run_dots(run)[i] };
		row.point = tp_run_point(run, row.dot.point);
		row.distance_percent = row.dot.roof_gflops > 0 ? row.dot.distance_percent : NAN;
		if (!tp_groups_has(page, &dot_table, i, group))
			continue;
		tp_grid_row(&grid, &row, page);
		tp_grid_about(&grid, &tp_run_dots(run)[i]);
	}
	tp_grid_write(&grid, page->doc);
	dots_line(page, group);
}

static void page_of_dots(struct tp_page *page)
{
	tp_groups_show(page, &dot_table, tp_run_n_dots(page->run));
}

static void conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	const struct tp_dot *far = NULL, *above = NULL;
	size_t n = 0, close = 0, n_above = 0;
	TP_EACH_ROW (tp_dot, d, run, dots) {
		if (!(d->roof_gflops > 0) || !isfinite(d->distance_percent) ||
		    !tp_dot_is_mixed(run, d))
			continue;
		n++;
		close += fabs(d->distance_percent) <= 5;
		if (d->distance_percent < 0 &&
		    (!far || d->distance_percent < far->distance_percent))
			far = d;
		if (!tp_dot_is_odd(d))
			continue;
		n_above++;
		if (!above || d->distance_percent > above->distance_percent)
			above = d;
	}
	if (!n)
		return;
	if (far && far->distance_percent < -5)
		tp_conclude_add(
			&conclusion->limits,
			"Within 5 %% of their roof: %zu of %zu mixed kernels; farthest below: "
			"%s %s %s at %.3g FLOP/byte (%.1f %%).",
			close, n, far->isa, far->level, far->fp_op, far->ai_flop_per_byte,
			far->distance_percent);
	else
		tp_conclude_add(&conclusion->limits,
				"Within 5 %% of their roof: %zu of %zu mixed kernels.", close, n);
	if (above)
		tp_conclude_add(
			&conclusion->odd,
			"%zu of %zu dots lie above their roof: %s %s %s at %.3g FLOP/byte by "
			"%.1f %%; the roof was measured too low, or the dot too high.",
			n_above, n, above->isa, above->level, above->fp_op, above->ai_flop_per_byte,
			above->distance_percent);
}

const struct tp_reporter tp_reporter_mixed = {
	.experiment = "mixed",
	.place = 6,
	.page = page_of_dots,
	.conclude = conclude,
	.lists_points = true,
};
