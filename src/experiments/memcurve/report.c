/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory curves on the page: their plateaus. */
#include "base/memory.h"
#include "report/facts.h"
#include "report/page.h"
#include "report/reporter.h"
#include "experiments/windows/report.h"
#include "record/point.h"
#include "record/roof.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct tp_grid_column plateau_columns[] = {
	{ "ISA", TP_LEFT, 0, TP_PLATEAU(isa), .paint = TP_PAINT_STRONG, .again = true },
	{ "kernel", TP_LEFT, 0, TP_PLATEAU(kernel), .again = true },
	{ "level", TP_LEFT, 0, TP_PLATEAU(level) },
	{ "GB/s", TP_RIGHT, 0, TP_PLATEAU(gbps), .positive = true, .paint = TP_PAINT_STRONG },
	{ TP_PLATEAU_INTERVAL },
	{ "B/cyc", TP_RIGHT, 1, TP_PLATEAU(bytes_per_cycle), .positive = true },
	TP_PLATEAU_SIZES,
};

static void show_plateaus(struct tp_page *page, const struct tp_group *group);
static bool is_of_latency(const struct tp_run *run, size_t i)
{
	return tp_plateau_is_latency(&tp_run_plateaus(run)[i]);
}

static const struct tp_grouped plateau_table = { tp_plateau_group, show_plateaus, is_of_latency };

static void show_plateaus(struct tp_page *page, const struct tp_group *group)
{
	TP_GRID(grid, plateau_columns);
	tp_page_title(page, "Memory curve", group);
	tp_page_plateaus(page, &plateau_table, group, &grid);
}

static bool has_plateau(const struct tp_run *run, const struct tp_point *p)
{
	TP_EACH_ROW (tp_plateau, l, run, plateaus) {
		if (tp_plateau_is_of(l, p))
			return true;
	}
	return false;
}

/* "load, avx2" of a curve; with several thread counts "load, avx2, 2 threads". */
static void curve_name(struct tp_str *text, const char *kernel, const char *isa, unsigned threads)
{
	char count[32];
	tp_str_printf(text, "%s, %s", kernel, isa);
	if (threads > 1)
		tp_str_printf(text, ", %s", tp_text_count(count, sizeof(count), threads, "thread"));
}

/* "load, avx2: from 60 MiB on the bandwidth falls, from 27.1 to 16.2 GB/s at 512 MiB." */
static void tell_slopes(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	TP_EACH_ROW (tp_slope, s, run, slopes) {
		TP_STR text = { 0 };
		char from[32], to[32];
		curve_name(&text, s->kernel, s->isa, s->threads);
		tp_str_printf(&text,
			      ": beyond %s the bandwidth %s slowly, from %.1f GB/s at %s to %.1f "
			      "GB/s at %s",
			      s->level, s->to_gbps < s->from_gbps ? "falls" : "rises", s->from_gbps,
			      tp_text_size(from, sizeof(from), s->from_bytes), s->to_gbps,
			      tp_text_size(to, sizeof(to), s->to_bytes));
		tp_str_add(&text, s->open ? ", where the curve ends: a larger size_max shows where "
					    "it leads."
					  : ". No plateau lies between.");
		tp_page_explain(page, tp_str_text(&text));
	}
}

/* The cache of one thread ends much earlier than the machine reports. */
static bool ends_early(const struct tp_plateau *p)
{
	return tp_plateau_is_cache(p) && tp_capacity_is_less(p->capacity_bytes, p->reported_bytes);
}

/* "load, avx2: L3 gives 90 to 107 GB/s, and its edge moved within 2M-33M while it was measured." */
static void tell_moving(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	TP_EACH_ROW (tp_plateau, p, run, plateaus) {
		TP_STR text = { 0 };
		char edge[40];
		if (!p->capacity_low_bytes)
			continue;
		curve_name(&text, p->kernel, p->isa, p->threads);
		tp_str_printf(&text,
			      ": %s gives %.3g to %.3g GB/s, and its edge moved within %s while it "
			      "was measured: others use this cache, too.",
			      p->level, p->ci_low, p->ci_high,
			      tp_plateau_edge(edge, sizeof(edge), p));
		tp_page_explain(page, tp_str_text(&text));
	}
}

/* "cache_size.L3=79MiB": the option that plans with what was measured. */
static void cache_set(const struct tp_plateau *p, char *out, size_t size)
{
	char value[32];
	snprintf(out, size, "cache_size.%s=%s", p->level,
		 tp_capacity_option(value, sizeof(value), p->capacity_bytes));
}

/* Where a cache ends much earlier than the machine reports, and what to do. */
static void tell_edges(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	TP_EACH_ROW (tp_plateau, p, run, plateaus) {
		TP_STR text = { 0 };
		char edge[32], reported[32], set[64];
		if (!ends_early(p))
			continue;
		tp_text_size(edge, sizeof(edge), p->capacity_bytes);
		tp_text_size(reported, sizeof(reported), p->reported_bytes);
		cache_set(p, set, sizeof(set));
		curve_name(&text, p->kernel, p->isa, p->threads);
		tp_str_printf(
			&text,
			": %s ended at %s, and the machine reports %s, perhaps of a host whose "
			"other guests use them too; the next run may find another end. %s%s "
			"plans with this one; key u on Machine or Setup sets it.",
			p->level, edge, reported, page->doc->look->screen ? "" : "--set ", set);
		tp_page_explain(page, tp_str_text(&text));
	}
}

/*
 * A curve whose first level is the fastest; NULL without plateaus of bandwidth. Compiled code makes
 * curves, too, and its own experiment concludes from them.
 */
static const struct tp_plateau *fastest(const struct tp_run *run)
{
	const struct tp_plateau *best = NULL;
	TP_EACH_ROW (tp_plateau, p, run, plateaus) {
		bool compiled = strcmp(p->isa, TP_ISA_COMPILED) == 0;
		if (!compiled && p->gbps > 0 && isfinite(p->gbps) &&
		    (!best || p->gbps > best->gbps))
			best = p;
	}
	return best;
}

/* "load, avx2: 236 GB/s in L1 up to 33K, 118 in L2 up to 980K, 36.9 in DRAM." */
static void conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	const struct tp_plateau *best = fastest(run);
	const char *joint = ": ", *unit = " GB/s";
	TP_STR text = { 0 };
	char size[40], set[64];
	if (!best)
		return;
	curve_name(&text, best->kernel, best->isa, best->threads);
	TP_EACH_ROW (tp_plateau, p, run, plateaus) {
		if (!tp_plateau_same_curve(p, best) || !isfinite(p->gbps))
			continue;
		tp_str_printf(&text, "%s%.3g", joint, p->capacity_low_bytes ? p->ci_low : p->gbps);
		if (p->capacity_low_bytes)
			tp_str_printf(&text, "-%.3g", p->ci_high);
		tp_str_printf(&text, "%s in %s", unit, p->level);
		if (p->capacity_bytes)
			tp_str_printf(&text, " up to %s", tp_plateau_edge(size, sizeof(size), p));
		joint = ", ";
		unit = "";
		if (!ends_early(p) || conclusion->next.len)
			continue;
		cache_set(p, set, sizeof(set));
		tp_conclude_again(run, set, &conclusion->next);
	}
	tp_conclude_add(&conclusion->limits, "%s.", tp_str_text(&text));
	for (size_t i = 0; i + 1 < tp_run_n_plateaus(run); i++) {
		const struct tp_plateau *p = &tp_run_plateaus(run)[i], *next = p + 1;
		TP_STR name = { 0 };
		if (tp_plateau_is_latency(p) || !tp_plateau_is_slower(p, next))
			continue;
		curve_name(&name, p->kernel, p->isa, p->threads);
		tp_conclude_add(&conclusion->odd,
				"%s: %s (%.3g GB/s) is slower than %s (%.3g GB/s).",
				tp_str_text(&name), p->level, p->gbps, next->level, next->gbps);
	}
}

static void page_of_curves(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	size_t points = 0, alone = 0;
	char count[32], qualities[64];
	TP_STR text = { 0 };
	tp_groups_show(page, &plateau_table, tp_run_n_plateaus(run));
	TP_EACH_POINT (p, run) {
		if (p->state != TP_POINT_DONE || strcmp(p->experiment, "memcurve") != 0)
			continue;
		points++;
		alone += !has_plateau(run, p);
	}
	if (!points)
		return;
	if (!tp_run_n_plateaus(run))
		tp_page_title(page, "Memory curve", NULL);
	tp_fact_qualities(run, "memcurve", qualities, sizeof(qualities));
	tp_str_printf(&text, "%s in the curves%s%s.",
		      tp_text_count(count, sizeof(count), points, "point"), *qualities ? ": " : "",
		      qualities);
	if (alone)
		tp_str_printf(&text, " %zu of them lie on curves without a plateau.", alone);
	if (tp_run_n_plateaus(run))
		tp_str_add(&text,
			   " Sizes are per thread. edge: where the bandwidth falls off, the "
			   "capacity as measured; "
			   "reported: the capacity that the machine states, a thread's share "
			   "of it.");
	tp_page_explain(page, tp_str_text(&text));
	tell_slopes(page);
	tell_moving(page);
	tell_edges(page);
}

const struct tp_reporter tp_reporter_memcurve = {
	.experiment = "memcurve",
	.place = 3,
	.page = page_of_curves,
	.conclude = conclude,
	.overlays = tp_window_overlays,
	.curves = tp_window_curves,
	.plateaus = tp_window_plateaus,
	.has_curves = tp_window_has_curves,
	.curve_title = "Memory curve",
	.lists_points = true,
};
