/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of loaded latency: one a level. */
#include "experiments/loaded/report.h"
#include "experiments/windows/latency_page.h"
#include "report/page.h"
#include "base/memory.h"
#include "record/point.h"

#include <math.h>
#include <string.h>

bool tp_point_is_loaded(const struct tp_point *p)
{
	return p->state == TP_POINT_DONE && strcmp(p->experiment, "loaded-latency") == 0;
}

bool tp_loaded_same_group(const struct tp_point *a, const struct tp_point *b)
{
	return a->run == b->run && a->threads == b->threads &&
	       strcmp(tp_kernel_row(a)->precision, tp_kernel_row(b)->precision) == 0 &&
	       strcmp(tp_kernel_row(a)->level, tp_kernel_row(b)->level) == 0;
}

static const struct tp_grid_column loaded_columns[] = {
	{ "streams", TP_LEFT, 0 },  { "pause", TP_RIGHT, 1 },  { "ns", TP_RIGHT, 0 },
	{ "\u00b1%", TP_RIGHT, 2 }, { "cycles", TP_RIGHT, 1 }, { "GB/s", TP_RIGHT, 0 },
	{ "x idle", TP_RIGHT, 1 },  { "quality", TP_LEFT, 1 },
};

static void loaded_row(struct tp_page *page, struct tp_grid *grid, const struct tp_point *p,
		       const char *streams, bool again, double idle_ns)
{
	bool idle = tp_kernel_row(p)->loads + tp_kernel_row(p)->stores == 0;
	tp_grid_again(grid, TP_PAINT_STRONG, streams, again);
	if (idle)
		tp_grid_text(grid, TP_PAINT_PLAIN, "-");
	else
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", tp_kernel_row(p)->pause_cycles);
	tp_grid_number(grid, TP_PAINT_STRONG, tp_page_rate(tp_kernel_row(p)->median_ns), 1);
	tp_page_interval(grid, p, tp_kernel_row(p)->median_ns, p->ci_low, p->ci_high);
	tp_grid_number(grid, TP_PAINT_PLAIN,
		       tp_page_rate(tp_kernel_row(p)->median_ns * p->core_ghz), 0);
	if (idle)
		tp_grid_text(grid, TP_PAINT_PLAIN, "0");
	else
		tp_grid_number(grid, TP_PAINT_STRONG, tp_page_rate(tp_kernel_row(p)->median_gbps),
			       2);
	tp_grid_number(grid, TP_PAINT_PLAIN,
		       idle_ns > 0 ? tp_kernel_row(p)->median_ns / idle_ns : NAN, 2);
	tp_page_quality(page, grid, p->quality, p->flags);
}

/* Idle first, then mix by mix. */
static void loaded_table(struct tp_page *page, const struct tp_point *first)
{
	const struct tp_run *run = page->run;
	const char *above = NULL;
	double idle_ns = 0;
	struct tp_grid grid;
	tp_page_latency_title(page, "Loaded latency", tp_kernel_row(first)->level, first->threads,
			      first->run);
	tp_page_latency_heads(page, &grid, loaded_columns, TP_COUNT_OF(loaded_columns));
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!tp_point_is_loaded(p) || !tp_loaded_same_group(p, first))
			continue;
		const char *streams = strchr(p->kernel, '+') ? strchr(p->kernel, '+') + 1 : "none";
		if (tp_kernel_row(p)->loads + tp_kernel_row(p)->stores == 0)
			idle_ns = tp_kernel_row(p)->median_ns;
		loaded_row(page, &grid, p, streams, above && strcmp(above, streams) == 0, idle_ns);
		above = streams;
	}
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
}

void tp_page_loaded(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	bool any = false;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		bool known = !tp_point_is_loaded(p);
		for (size_t k = 0; k < i && !known; k++)
			known = tp_point_is_loaded(&run->points[k]) &&
				tp_loaded_same_group(&run->points[k], p);
		if (known)
			continue;
		loaded_table(page, p);
		any = true;
	}
	if (any)
		tp_page_explain(page,
				"ns: of a load of the first thread that waits for the one before. "
				"GB/s: what all "
				"other threads move meanwhile; pause: their cycles without memory "
				"after each "
				"16 KiB.");
}

/* "DRAM, 2 threads: 95 ns idle, 180 ns (1.9 times) while the others move 30 GB/s." */
void tp_loaded_conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	const struct tp_point *idle = NULL, *most = NULL;
	char count[32];
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!tp_point_is_loaded(p) || (idle && !tp_loaded_same_group(p, idle)))
			continue;
		const struct tp_kernel_row *row = tp_kernel_row(p);
		if (row->loads + row->stores == 0)
			idle = idle ? idle : p;
		else if (!most || row->median_gbps > tp_kernel_row(most)->median_gbps)
			most = p;
	}
	if (!idle || !most || !(tp_kernel_row(idle)->median_ns > 0) ||
	    !isfinite(tp_kernel_row(idle)->median_ns) || !(tp_kernel_row(most)->median_ns > 0) ||
	    !isfinite(tp_kernel_row(most)->median_ns) || !tp_loaded_same_group(most, idle))
		return;
	double before = tp_kernel_row(idle)->median_ns, after = tp_kernel_row(most)->median_ns;
	tp_conclude_add(&conclusion->limits,
			"%s, %s: a load takes %.3g ns alone, %.3g ns (%.2g times) while the others "
			"move %.3g GB/s.",
			tp_kernel_row(idle)->level,
			tp_text_count(count, sizeof(count), idle->threads, "thread"), before, after,
			after / before, tp_kernel_row(most)->median_gbps);
	if (after < before * 0.97)
		tp_conclude_add(&conclusion->odd,
				"%s is faster under load than alone: the load alone was disturbed.",
				tp_kernel_row(idle)->level);
}
