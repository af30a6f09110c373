/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of latency: plateaus with each kind of pages and what the TLB adds. */
#include "base/memory.h"
#include "experiments/windows/report.h"
#include "report/page.h"
#include "report/reporter.h"
#include "analysis/plateau.h"
#include "record/point.h"
#include "record/roof.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct tp_grid_column plateau_columns[] = {
	{ "pages", TP_LEFT, 0, TP_PLATEAU(pages_wanted), .paint = TP_PAINT_STRONG, .again = true },
	{ "level", TP_LEFT, 0, TP_PLATEAU(level) },
	{ "ns", TP_RIGHT, 0, TP_PLATEAU(ns), .as = TP_AS_FIXED, .digits = 2, .positive = true,
	  .paint = TP_PAINT_STRONG },
	{ TP_PLATEAU_INTERVAL },
	{ "cycles", TP_RIGHT, 0, TP_PLATEAU(latency_cycles), .as = TP_AS_FIXED, .digits = 1,
	  .positive = true },
	TP_PLATEAU_SIZES,
};

/* --- the TLB --- */

/* A size measured with both kinds of pages. */
struct pair {
	const struct tp_point *small, *huge;
};

static bool is_huge(const struct tp_point *p)
{
	return strcmp(tp_kernel_row(p)->pages, "thp") == 0 ||
	       strcmp(tp_kernel_row(p)->pages, "hugetlb") == 0;
}

static bool is_latency(const struct tp_point *p, const struct tp_group *like)
{
	return p->state == TP_POINT_DONE && strcmp(p->experiment, "latency") == 0 &&
	       p->run == like->run && p->threads == like->threads &&
	       tp_kernel_row(p)->median_ns > 0;
}

static int by_size(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	uint64_t p = tp_kernel_row(x->small)->working_set_bytes;
	uint64_t q = tp_kernel_row(y->small)->working_set_bytes;
	return (p > q) - (p < q);
}

/* Of one size the first of the run comes first. */
static int by_size_and_place(const void *a, const void *b)
{
	const struct tp_point *x = *(const struct tp_point *const *)a,
			      *y = *(const struct tp_point *const *)b;
	uint64_t p = tp_kernel_row(x)->working_set_bytes, q = tp_kernel_row(y)->working_set_bytes;
	return p != q ? (p > q) - (p < q) : (x > y) - (x < y);
}

/* The first point with huge pages of that size, in a list in the order above; NULL if none. */
static const struct tp_point *find_size(const struct tp_point *const *list, size_t n,
					uint64_t bytes)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (tp_kernel_row(list[middle])->working_set_bytes < bytes)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && tp_kernel_row(list[low])->working_set_bytes == bytes ? list[low] : NULL;
}

static size_t pair_up(const struct tp_run *run, const struct tp_group *like, struct pair *pairs)
{
	TP_FREE const struct tp_point **list = tp_alloc(run->n_points + 1, sizeof(*list));
	size_t n = 0, n_huge = 0;
	for (size_t i = 0; i < run->n_points; i++)
		if (is_latency(&run->points[i], like) && is_huge(&run->points[i]))
			list[n_huge++] = &run->points[i];
	if (n_huge)
		qsort(list, n_huge, sizeof(*list), by_size_and_place);
	for (size_t i = 0; i < run->n_points && n_huge; i++) {
		const struct tp_point *small = &run->points[i], *huge;
		if (!is_latency(small, like) ||
		    strcmp(tp_kernel_row(small)->pages_wanted, "small") != 0)
			continue;
		huge = find_size(list, n_huge, tp_kernel_row(small)->working_set_bytes);
		if (huge)
			pairs[n++] = (struct pair){ small, huge };
	}
	qsort(pairs, n, sizeof(*pairs), by_size);
	return n;
}

/* Where small pages begin to take longer, and what they cost at the largest working set. */
static void reach_sentence(const struct pair *pairs, size_t n, struct tp_str *text)
{
	TP_FREE struct tp_tlb_point *points = tp_alloc(n, sizeof(*points));
	TP_FREE uint64_t *bytes = tp_alloc(n, sizeof(*bytes));
	const struct tp_tlb_point *last = &points[n - 1];
	char beyond[32], within[32];
	size_t first;
	for (size_t i = 0; i < n; i++) {
		bytes[i] = tp_kernel_row(pairs[i].small)->working_set_bytes;
		points[i] =
			(struct tp_tlb_point){ .small_ns = tp_kernel_row(pairs[i].small)->median_ns,
					       .huge_ns = tp_kernel_row(pairs[i].huge)->median_ns,
					       .small_low_ns = pairs[i].small->ci_low,
					       .huge_high_ns = pairs[i].huge->ci_high };
	}
	tp_text_size(within, sizeof(within), bytes[n - 1]);
	if (!tp_tlb_reach(points, n, &first))
		tp_str_printf(
			text,
			"TLB: up to %s small pages make no difference beyond 10%%, so its reach "
			"was not seen.",
			within);
	else if (first == 0)
		tp_str_printf(text, "TLB: small pages take longer from %s on, the first size.",
			      tp_text_size(beyond, sizeof(beyond), bytes[0]));
	else
		tp_str_printf(
			text,
			"TLB: its first level reaches somewhere from %s to %s of small pages; "
			"beyond, loads take more than 10%% longer than with huge ones.",
			tp_text_size(within, sizeof(within), bytes[first - 1]),
			tp_text_size(beyond, sizeof(beyond), bytes[first]));
	tp_str_printf(text, " At %s a load takes %.1f ns with small pages, %.1f ns with huge ones.",
		      tp_text_size(within, sizeof(within), bytes[n - 1]), last->small_ns,
		      last->huge_ns);
}

static void tell_tlb(struct tp_page *page, const struct tp_group *like)
{
	TP_STR text = { 0 };
	TP_FREE struct pair *pairs = tp_alloc(page->run->n_points + 1, sizeof(*pairs));
	size_t n = pair_up(page->run, like, pairs);
	if (n)
		reach_sentence(pairs, n, &text);
	if (text.len)
		tp_text_wrap(page->doc, TP_PAINT_PLAIN, tp_str_text(&text), 0, 0);
}

static bool is_of_bandwidth(const struct tp_run *run, size_t i)
{
	return !tp_plateau_is_latency(&tp_run_plateaus(run)[i]);
}

static void show_plateaus(struct tp_page *page, const struct tp_group *group);
static const struct tp_grouped plateau_table = { tp_plateau_group, show_plateaus, is_of_bandwidth };

static void show_plateaus(struct tp_page *page, const struct tp_group *group)
{
	TP_GRID(grid, plateau_columns);
	tp_page_latency_title(page, "Latency", "", group->threads, group->run);
	tp_page_plateaus(page, &plateau_table, group, &grid);
	tell_tlb(page, group);
}

static void page_of_latency(struct tp_page *page)
{
	if (tp_groups_show(page, &plateau_table, tp_run_n_plateaus(page->run)))
		tp_page_explain(
			page,
			"ns and cycles: of one load that waits for the one before, in random "
			"order. Sizes are per thread. edge: where the latency rises, the capacity "
			"as measured; reported: the capacity that the machine states, a thread's "
			"share of it.");
}

/* The curve of huge pages, where the TLB adds least; else the first one. */
static const struct tp_plateau *plainest(const struct tp_run *run)
{
	const struct tp_plateau *first = NULL;
	TP_EACH_ROW (tp_plateau, p, run, plateaus) {
		if (!tp_plateau_is_latency(p) || !isfinite(p->ns))
			continue;
		if (strcmp(p->pages_wanted, "huge") == 0)
			return p;
		first = first ? first : p;
	}
	return first;
}

/* "A load that waits for the one before takes 1.08 ns in L1, 95 in DRAM (1 thread, huge pages)." */
static void conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	const struct tp_plateau *like = plainest(run), *above = NULL;
	const char *unit = " ns";
	TP_STR text = { 0 };
	char count[32];
	if (!like)
		return;
	TP_EACH_ROW (tp_plateau, p, run, plateaus) {
		if (!tp_plateau_same_curve(p, like) || !isfinite(p->ns))
			continue;
		if (above && tp_plateau_is_slower(above, p))
			tp_conclude_add(&conclusion->odd,
					"Latency: %s (%.3g ns) is slower than %s (%.3g ns).",
					above->level, above->ns, p->level, p->ns);
		if (!above || strcmp(above->level, p->level) != 0) {
			tp_str_printf(&text, "%s%.3g%s in %s", text.len ? ", " : "", p->ns, unit,
				      p->level);
			unit = "";
		}
		above = p;
	}
	tp_conclude_add(
		&conclusion->limits, "A load that waits for the one before takes %s (%s%s%s%s).",
		tp_str_text(&text), tp_text_count(count, sizeof(count), like->threads, "thread"),
		*like->pages_wanted ? ", " : "", like->pages_wanted,
		*like->pages_wanted ? " pages" : "");
}

const struct tp_reporter tp_reporter_latency = {
	.experiment = "latency",
	.place = 4,
	.page = page_of_latency,
	.conclude = conclude,
	.overlays = tp_window_overlays,
	.curves = tp_window_curves,
	.plateaus = tp_window_plateaus,
	.has_curves = tp_window_has_curves,
	.curve_title = "Latency",
	.lists_points = true,
};
