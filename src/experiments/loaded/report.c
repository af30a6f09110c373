/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of loaded latency, one a level, and its picture: latency against bandwidth. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "experiments/windows/report.h"
#include "record/point.h"
#include "report/page.h"
#include "report/pictures.h"
#include "report/reporter.h"

static bool is_loaded(const struct tp_point *p)
{
	return p->state == TP_POINT_DONE && strcmp(p->experiment, "loaded-latency") == 0 &&
	       tp_kernel_row(p)->median_ns > 0 && isfinite(tp_kernel_row(p)->median_ns);
}

/* Finished, of one run of the preset, threads, precision and level: one table, one picture. */
static bool loaded_same_group(const struct tp_point *a, const struct tp_point *b)
{
	return is_loaded(a) && is_loaded(b) && a->run == b->run && a->threads == b->threads &&
	       strcmp(tp_kernel_row(a)->precision, tp_kernel_row(b)->precision) == 0 &&
	       strcmp(tp_kernel_row(a)->level, tp_kernel_row(b)->level) == 0;
}

static bool is_idle(const struct tp_point *p)
{
	return tp_kernel_row(p)->loads + tp_kernel_row(p)->stores == 0;
}

/* A point in its table. */
struct loaded_row {
	const struct tp_point *point;
	const char *streams;
	double pause, cycles, gbps, times_idle; /* NaN: unknown */
};

/* "0" without load, else two decimals. */
static const char *in_gbps(char *out, size_t size, double value)
{
	snprintf(out, size, "%.*f", value > 0 ? 2 : 0, value);
	return out;
}

#define LOADED(name) TP_SHOWS(struct loaded_row, name)
#define OF_POINT     TP_VIA(struct loaded_row, point)
static const struct tp_grid_column loaded_columns[] = {
	{ "streams", TP_LEFT, 0, LOADED(streams), .none = "none", .paint = TP_PAINT_STRONG,
	  .again = true },
	{ "pause", TP_RIGHT, 1, LOADED(pause), .as = TP_AS_FIXED },
	{ "ns", TP_RIGHT, 0, OF_POINT, TP_KERNEL(median_ns), .as = TP_AS_FIXED, .digits = 1,
	  .positive = true, .paint = TP_PAINT_STRONG },
	{ "\u00b1%", TP_RIGHT, 2, OF_POINT, .cell = tp_page_interval_cell },
	{ "cycles", TP_RIGHT, 1, LOADED(cycles), .as = TP_AS_FIXED, .positive = true },
	{ "GB/s", TP_RIGHT, 0, LOADED(gbps), .words = in_gbps, .paint = TP_PAINT_STRONG },
	{ "x idle", TP_RIGHT, 1, LOADED(times_idle), .as = TP_AS_FIXED, .digits = 2 },
	{ "quality", TP_LEFT, 1, OF_POINT, .cell = tp_page_quality_cell },
};

/* The streams of "chase+2ld1st"; NULL without load. */
static const char *streams_of(const struct tp_point *p)
{
	const char *plus = strchr(p->kernel, '+');
	return plus ? plus + 1 : NULL;
}

/* Idle first, then mix by mix. */
static void loaded_table(struct tp_page *page, const struct tp_point *first)
{
	double idle_ns = 0;
	TP_GRID(grid, loaded_columns);
	tp_page_latency_title(page, "Loaded latency", tp_kernel_row(first)->level, first->threads,
			      first->run);
	tp_page_heads(page, &grid);
	TP_EACH_POINT (p, page->run) {
		const struct tp_kernel_row *k = tp_kernel_row(p);
		if (!loaded_same_group(p, first))
			continue;
		if (is_idle(p))
			idle_ns = k->median_ns;
		tp_grid_row(&grid,
			    &(struct loaded_row){ p, streams_of(p),
						  is_idle(p) ? NAN : (double)k->pause_cycles,
						  k->median_ns * p->core_ghz,
						  is_idle(p)	       ? 0
						  : k->median_gbps > 0 ? k->median_gbps
								       : NAN,
						  idle_ns > 0 ? k->median_ns / idle_ns : NAN },
			    page);
		tp_grid_about(&grid, p);
	}
	tp_grid_write(&grid, page->doc);
}

static void page_loaded(struct tp_page *page)
{
	bool any = false;
	TP_EACH_POINT (p, page->run) {
		if (!tp_run_is_first(page->run, p, loaded_same_group))
			continue;
		loaded_table(page, p);
		any = true;
	}
	if (any)
		tp_page_explain(page, "ns: of a load of the first thread that waits for the one "
				      "before. GB/s: what all other threads move at that time; "
				      "pause: their cycles without memory after each 16 KiB.");
}

/* A `conclude` of its reporter. */
/* "DRAM, 2 threads: 95 ns idle, 180 ns (1.9 times) while the others move 30 GB/s." */
static void loaded_conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	const struct tp_point *idle = NULL, *most = NULL;
	char count[32];
	TP_EACH_POINT (p, run) {
		if (!loaded_same_group(p, idle ? idle : p))
			continue;
		const struct tp_kernel_row *row = tp_kernel_row(p);
		if (is_idle(p))
			idle = idle ? idle : p;
		else if (!most || row->median_gbps > tp_kernel_row(most)->median_gbps)
			most = p;
	}
	if (!idle || !most || !loaded_same_group(most, idle))
		return;
	double before = tp_kernel_row(idle)->median_ns, after = tp_kernel_row(most)->median_ns;
	tp_conclude_add(&conclusion->limits,
			"%s, %s: a load takes %.3g ns on the idle machine, %.3g ns (%.2g times) "
			"while the others move %.3g GB/s.",
			tp_kernel_row(idle)->level,
			tp_text_count(count, sizeof(count), idle->threads, "thread"), before, after,
			after / before, tp_kernel_row(most)->median_gbps);
	if (after < before * 0.97)
		tp_conclude_add(&conclusion->odd,
				"%s is faster under load than without: the measurement without "
				"load was disturbed.",
				tp_kernel_row(idle)->level);
}

static bool in_group(const struct tp_point *p, const struct tp_group *group)
{
	return p->run == group->run && p->threads == group->threads &&
	       strcmp(tp_kernel_row(p)->precision, group->precision) == 0;
}

/* The first point of the n-th level of the group; NULL after the last. */
static const struct tp_point *level_at(const struct tp_run *run, const struct tp_group *group,
				       size_t n)
{
	TP_EACH_POINT (p, run) {
		if (in_group(p, group) && tp_run_is_first(run, p, loaded_same_group) && n-- == 0)
			return p;
	}
	return NULL;
}

/* The idle point belongs to every mix. */
static bool in_series(const struct tp_point *p, const struct tp_point *like)
{
	return loaded_same_group(p, like) &&
	       (is_idle(p) || (strcmp(p->kernel, like->kernel) == 0 &&
			       strcmp(tp_kernel_row(p)->isa, tp_kernel_row(like)->isa) == 0));
}

static bool same_mix(const struct tp_point *a, const struct tp_point *b)
{
	return !is_idle(a) && in_series(a, b);
}

static int by_pause(const void *a, const void *b)
{
	const struct tp_point *x = *(const struct tp_point *const *)a;
	const struct tp_point *y = *(const struct tp_point *const *)b;
	if (is_idle(x) != is_idle(y))
		return is_idle(x) ? -1 : 1;
	return (tp_kernel_row(x)->pause_cycles < tp_kernel_row(y)->pause_cycles) -
	       (tp_kernel_row(x)->pause_cycles > tp_kernel_row(y)->pause_cycles);
}

/* A line through the points by rising load: beyond saturation it may turn back. */
static void draw_mix(struct tp_picture *picture, const struct tp_run *run,
		     const struct tp_point *like)
{
	const struct tp_point **points = tp_arena_alloc(
		&picture->arena, (run->n_points + 1) * sizeof(const struct tp_point *));
	struct tp_curve curve;
	size_t n = 0;
	for (size_t i = 0; i < run->n_points; i++)
		if (in_series(&run->points[i], like))
			points[n++] = &run->points[i];
	struct tp_series *s = tp_picture_curve(picture, picture->n_series, points, n, &curve);
	if (!s)
		return;
	qsort(points, n, sizeof(*points), by_pause);
	for (size_t i = 0; i < n; i++) {
		curve.x[i] = tp_kernel_row(points[i])->median_gbps;
		curve.y[i] = tp_kernel_row(points[i])->median_ns;
		curve.low[i] = points[i]->ci_low;
		curve.high[i] = points[i]->ci_high;
	}
	s->label = tp_picture_text(picture, "%s", streams_of(like) ? streams_of(like) : "idle");
}

/* One picture a level, however many curves are in it. */
static bool curves(struct tp_picture *picture, const struct tp_run *run,
		   const struct tp_group *group, size_t from)
{
	const struct tp_point *first = level_at(run, group, from / TP_PICTURE_CURVES);
	if (!first)
		return false;
	TP_EACH_POINT (p, run) {
		if (loaded_same_group(p, first) && tp_run_is_first(run, p, same_mix))
			draw_mix(picture, run, p);
	}
	if (!picture->n_series) /* ended before the first load */
		draw_mix(picture, run, first);
	if (!picture->n_series)
		return false;
	picture->scene.title =
		tp_picture_text(picture, "Loaded latency, %s, %s", tp_kernel_row(first)->level,
				tp_picture_threads(picture, first->threads));
	tp_picture_finish(picture, (struct tp_scale){ .label = "GB/s of the other threads" },
			  (struct tp_scale){ .label = "ns" });
	return true;
}

static bool has_curves(const struct tp_run *run, const struct tp_group *group, size_t from)
{
	return level_at(run, group, from / TP_PICTURE_CURVES) != NULL;
}

const struct tp_reporter tp_reporter_loaded_latency = {
	.experiment = "loaded-latency",
	.place = 5,
	.page = page_loaded,
	.conclude = loaded_conclude,
	.curves = curves,
	.has_curves = has_curves,
};
