/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of latency: plateaus with each kind of pages and what the TLB adds; loaded latency. */
#include "report/latency.h"
#include "analysis/tlb.h"
#include "base/vec.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INTERVAL_COLUMN = 3 };

bool tp_point_is_loaded(const struct tp_point *p)
{
	return p->state == TP_POINT_DONE && strcmp(p->experiment, "loaded-latency") == 0;
}

bool tp_loaded_same_group(const struct tp_point *a, const struct tp_point *b)
{
	return a->run == b->run && a->threads == b->threads &&
	       strcmp(a->precision, b->precision) == 0 && strcmp(a->level, b->level) == 0;
}

bool tp_plateau_is_latency(const struct tp_plateau *p)
{
	return p->ns > 0;
}

/* "Latency · DRAM · 2 threads · run 2 of the preset" */
static void title(struct tp_page *page, const char *name, const char *level, unsigned threads,
		  unsigned run)
{
	struct tp_str text = { 0 };
	const char *dot = tp_text_dot(page->look);
	char count[32];
	tp_str_add(&text, name);
	if (*level)
		tp_str_printf(&text, "%s%s", dot, level);
	tp_str_printf(&text, "%s%s", dot, tp_text_count(count, sizeof(count), threads, "thread"));
	if (page->many_runs)
		tp_str_printf(&text, "%srun %u of the preset", dot, run + 1);
	tp_page_title(page, tp_str_text(&text), NULL);
	tp_str_release(&text);
}

static void heads(struct tp_page *page, struct tp_grid *grid, const struct tp_column *columns,
		  size_t n)
{
	tp_grid_init(grid, columns, n);
	for (size_t c = 0; c < n; c++)
		tp_grid_head(grid, c != INTERVAL_COLUMN ? columns[c].head
				   : page->look->utf8	? "\u00b1%"
							: "+-%");
}

static void size_cell(struct tp_grid *grid, enum tp_paint paint, uint64_t bytes)
{
	char text[32];
	tp_grid_text(grid, paint, bytes ? tp_text_size(text, sizeof(text), bytes) : "-");
}

static void explain(struct tp_page *page, const char *text)
{
	tp_text_wrap(page->out, page->look, TP_PAINT_DIM, text, 0, 0);
}

/* --- plateaus --- */

static const struct tp_column plateau_columns[] = {
	{ "pages", TP_LEFT, 0 },   { "level", TP_LEFT, 0 },   { "ns", TP_RIGHT, 0 },
	{ "", TP_RIGHT, 2 },	   { "cycles", TP_RIGHT, 0 }, { "from", TP_RIGHT, 0 },
	{ "to", TP_RIGHT, 0 },	   { "edge", TP_RIGHT, 0 },   { "reported", TP_RIGHT, 1 },
	{ "points", TP_RIGHT, 3 },
};

static bool same_curves(const struct tp_plateau *a, const struct tp_plateau *b)
{
	return a->run == b->run && a->threads == b->threads && tp_plateau_is_latency(a) &&
	       tp_plateau_is_latency(b);
}

static void plateau_row(struct tp_page *page, struct tp_grid *grid, const struct tp_plateau *p,
			bool again)
{
	(void)page;
	tp_grid_text(grid, TP_PAINT_STRONG, again ? "" : p->pages_wanted);
	tp_grid_text(grid, TP_PAINT_PLAIN, p->level);
	tp_grid_number(grid, TP_PAINT_STRONG, tp_page_rate(p->ns), 2);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_half_width(p->ns, p->ci_low, p->ci_high), 1);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(p->latency_cycles), 1);
	size_cell(grid, TP_PAINT_PLAIN, p->from_bytes);
	size_cell(grid, TP_PAINT_PLAIN, p->to_bytes);
	size_cell(grid, TP_PAINT_STRONG, p->capacity_bytes);
	size_cell(grid, TP_PAINT_PLAIN, p->reported_bytes);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", p->points);
}

/* --- the TLB --- */

/* A size measured with both kinds of pages. */
struct pair {
	const struct tp_point *small, *huge;
};

static bool is_huge(const struct tp_point *p)
{
	return strcmp(p->pages, "thp") == 0 || strcmp(p->pages, "hugetlb") == 0;
}

static bool is_latency(const struct tp_point *p, const struct tp_plateau *like)
{
	return p->state == TP_POINT_DONE && strcmp(p->experiment, "latency") == 0 &&
	       p->run == like->run && p->threads == like->threads && p->median_ns > 0;
}

static int by_size(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	return (x->small->working_set_bytes > y->small->working_set_bytes) -
	       (x->small->working_set_bytes < y->small->working_set_bytes);
}

static size_t pair_up(const struct tp_run *run, const struct tp_plateau *like, struct pair *pairs)
{
	size_t n = 0;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *small = &run->points[i], *huge = NULL;
		if (!is_latency(small, like) || strcmp(small->pages_wanted, "small") != 0)
			continue;
		for (size_t k = 0; k < run->n_points && !huge; k++)
			if (is_latency(&run->points[k], like) && is_huge(&run->points[k]) &&
			    run->points[k].working_set_bytes == small->working_set_bytes)
				huge = &run->points[k];
		if (huge)
			pairs[n++] = (struct pair){ small, huge };
	}
	qsort(pairs, n, sizeof(*pairs), by_size);
	return n;
}

/* What small pages cost at the largest working set. */
static void cost_sentence(const struct pair *last, struct tp_str *text)
{
	char size[32];
	tp_str_printf(text, " At %s a load takes %.1f ns with small pages, %.1f ns with huge ones.",
		      tp_text_size(size, sizeof(size), last->small->working_set_bytes),
		      last->small->median_ns, last->huge->median_ns);
}

static void reach_sentence(const struct pair *pairs, size_t n, struct tp_str *text)
{
	struct tp_tlb_point *points = calloc(n, sizeof(*points));
	char beyond[32], within[32];
	size_t first;
	if (!points) {
		text->oom = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		points[i] = (struct tp_tlb_point){ .small_ns = pairs[i].small->median_ns,
						   .huge_ns = pairs[i].huge->median_ns,
						   .small_low_ns = pairs[i].small->ci_low,
						   .huge_high_ns = pairs[i].huge->ci_high };
	if (!tp_tlb_reach(points, n, &first)) {
		tp_text_size(within, sizeof(within), pairs[n - 1].small->working_set_bytes);
		tp_str_printf(
			text,
			"TLB: up to %s small pages make no difference beyond 10%%, so its reach "
			"was not seen.",
			within);
	} else if (first == 0) {
		tp_text_size(beyond, sizeof(beyond), pairs[0].small->working_set_bytes);
		tp_str_printf(text, "TLB: small pages take longer from %s on, the first size.",
			      beyond);
	} else {
		tp_text_size(beyond, sizeof(beyond), pairs[first].small->working_set_bytes);
		tp_text_size(within, sizeof(within), pairs[first - 1].small->working_set_bytes);
		tp_str_printf(
			text,
			"TLB: its first level reaches somewhere from %s to %s of small pages; "
			"beyond, loads take more than 10%% longer than with huge ones.",
			within, beyond);
	}
	free(points);
	cost_sentence(&pairs[n - 1], text);
}

static void tlb(struct tp_page *page, const struct tp_plateau *like)
{
	struct tp_str text = { 0 };
	struct pair *pairs = calloc(page->run->n_points + 1, sizeof(*pairs));
	size_t n = pairs ? pair_up(page->run, like, pairs) : 0;
	if (n)
		reach_sentence(pairs, n, &text);
	if (text.len)
		tp_text_wrap(page->out, page->look, TP_PAINT_PLAIN, tp_str_text(&text), 0, 0);
	page->out->oom |= !pairs || text.oom;
	tp_str_release(&text);
	free(pairs);
}

static void plateaus(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	bool any = false;
	for (size_t i = 0; i < run->n_plateaus; i++) {
		const struct tp_plateau *first = &run->plateaus[i];
		const char *pages = NULL;
		bool known = !tp_plateau_is_latency(first);
		struct tp_grid grid;
		for (size_t k = 0; k < i && !known; k++)
			known = same_curves(first, &run->plateaus[k]);
		if (known)
			continue;
		any = true;
		title(page, "Latency", "", first->threads, first->run);
		heads(page, &grid, plateau_columns, TP_COUNT_OF(plateau_columns));
		for (size_t k = i; k < run->n_plateaus; k++) {
			const struct tp_plateau *p = &run->plateaus[k];
			if (!same_curves(first, p))
				continue;
			plateau_row(page, &grid, p, pages && strcmp(pages, p->pages_wanted) == 0);
			pages = p->pages_wanted;
		}
		tp_grid_write(&grid, page->look, page->out);
		tp_grid_release(&grid);
		tlb(page, first);
	}
	if (any)
		explain(page,
			"ns and cycles: of one load that waits for the one before, in random "
			"order. Sizes "
			"are per thread. edge: where the latency rises, the capacity as measured; "
			"reported: the capacity that the machine states, a thread's share of it.");
}

/* --- loaded latency --- */

static const struct tp_column loaded_columns[] = {
	{ "streams", TP_LEFT, 0 }, { "pause", TP_RIGHT, 1 },  { "ns", TP_RIGHT, 0 },
	{ "", TP_RIGHT, 2 },	   { "cycles", TP_RIGHT, 1 }, { "GB/s", TP_RIGHT, 0 },
	{ "x idle", TP_RIGHT, 1 }, { "flags", TP_LEFT, 1 },
};

static void loaded_row(struct tp_page *page, struct tp_grid *grid, const struct tp_point *p,
		       const char *streams, double idle_ns)
{
	bool idle = p->loads + p->stores == 0;
	tp_grid_text(grid, TP_PAINT_STRONG, streams);
	if (idle)
		tp_grid_text(grid, TP_PAINT_PLAIN, "-");
	else
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", p->pause_cycles);
	tp_grid_number(grid, TP_PAINT_STRONG, tp_page_rate(p->median_ns), 1);
	tp_grid_number(grid, TP_PAINT_PLAIN,
		       tp_page_half_width(p->median_ns, p->ci_low, p->ci_high), 1);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(p->median_ns * p->core_ghz), 0);
	if (idle)
		tp_grid_text(grid, TP_PAINT_PLAIN, "0");
	else
		tp_grid_number(grid, TP_PAINT_STRONG, tp_page_rate(p->median_gbps), 2);
	tp_grid_number(grid, TP_PAINT_PLAIN, idle_ns > 0 ? p->median_ns / idle_ns : NAN, 2);
	tp_page_flags(page, grid, p->flags);
}

/* Idle first, then mix by mix. */
static void loaded_table(struct tp_page *page, const struct tp_point *first)
{
	const struct tp_run *run = page->run;
	const char *above = NULL;
	double idle_ns = 0;
	struct tp_grid grid;
	title(page, "Loaded latency", first->level, first->threads, first->run);
	heads(page, &grid, loaded_columns, TP_COUNT_OF(loaded_columns));
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!tp_point_is_loaded(p) || !tp_loaded_same_group(p, first))
			continue;
		const char *streams = strchr(p->kernel, '+') ? strchr(p->kernel, '+') + 1 : "none";
		if (p->loads + p->stores == 0)
			idle_ns = p->median_ns;
		loaded_row(page, &grid, p, above && strcmp(above, streams) == 0 ? "" : streams,
			   idle_ns);
		above = streams;
	}
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
}

static void loaded(struct tp_page *page)
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
		explain(page, "ns: of a load of the first thread that waits for the one before. "
			      "GB/s: what all "
			      "other threads move meanwhile; pause: their cycles without memory "
			      "after each "
			      "16 KiB.");
}

void tp_page_latency(struct tp_page *page)
{
	plateaus(page);
	loaded(page);
}
