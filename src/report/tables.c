/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of the report: roofs, plateaus of memory curves, mixed dots. One table a run of the preset, precision and thread count. */
#include "report/autotune.h"
#include "report/latency.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

/* --- groups --- */

static bool same_group(const struct tp_group *a, const struct tp_group *b)
{
	return a->run == b->run && a->threads == b->threads &&
	       strcmp(a->precision, b->precision) == 0;
}

static struct tp_group roof_group(const struct tp_run *run, size_t i)
{
	const struct tp_roof *r = &run->roofs[i];
	return (struct tp_group){ .run = r->run, .threads = r->threads, .precision = r->precision };
}

static struct tp_group plateau_group(const struct tp_run *run, size_t i)
{
	const struct tp_plateau *p = &run->plateaus[i];
	return (struct tp_group){ .run = p->run, .threads = p->threads, .precision = p->precision };
}

static struct tp_group dot_group(const struct tp_run *run, size_t i)
{
	const struct tp_dot *d = &run->dots[i];
	return (struct tp_group){ .run = d->run, .threads = d->threads, .precision = d->precision };
}

/* A kind of table: how its items are grouped and how one group is shown. */
struct table {
	struct tp_group (*group_of)(const struct tp_run *run, size_t i);
	void (*show)(struct tp_page *page, const struct tp_group *group);
	bool (*leave_out)(const struct tp_run *run, size_t i); /* what other tables hold */
};

/* Shows every group once, in the order in which they first come. */
static void each_group(struct tp_page *page, const struct table *table, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct tp_group group = table->group_of(page->run, i);
		bool known = table->leave_out && table->leave_out(page->run, i);
		for (size_t k = 0; k < i && !known; k++) {
			struct tp_group other = table->group_of(page->run, k);
			known = same_group(&group, &other) &&
				!(table->leave_out && table->leave_out(page->run, k));
		}
		if (!known)
			table->show(page, &group);
	}
}

static bool in_group(const struct tp_page *page, const struct table *table, size_t i,
		     const struct tp_group *group)
{
	struct tp_group own = table->group_of(page->run, i);
	return same_group(&own, group);
}

/* The cell of an ISA is empty where the row above has the same. */
static void isa_cell(struct tp_grid *grid, const char *isa, const char **above)
{
	bool again = *above && strcmp(*above, isa) == 0;
	tp_grid_text(grid, TP_PAINT_STRONG, again ? "" : isa);
	*above = isa;
}

/* --- roofs --- */

static void show_roofs(struct tp_page *page, const struct tp_group *group);
/* What was searched for has tables of its own. */
static bool is_tuned(const struct tp_run *run, size_t i)
{
	return tp_roof_is_tuned(run, &run->roofs[i]);
}

static const struct table roof_table = { roof_group, show_roofs, is_tuned };

static const struct tp_column roof_columns[] = {
	{ "ISA", TP_LEFT, 0 },	  { "level", TP_LEFT, 0 },  { "kernel", TP_LEFT, 0 },
	{ "GB/s", TP_RIGHT, 0 },  { "best", TP_RIGHT, 3 },  { "\u00b1%", TP_RIGHT, 2 },
	{ "B/cyc", TP_RIGHT, 1 }, { "model", TP_RIGHT, 4 }, { "of model", TP_RIGHT, 1 },
	{ "ridge", TP_RIGHT, 1 }, { "flags", TP_LEFT, 1 },
};

static void roof_row(struct tp_page *page, struct tp_grid *grid, const struct tp_roof *r)
{
	double model = tp_roof_theory(r);
	bool fp = tp_level_is_fp(r->level);
	tp_grid_text(grid, TP_PAINT_PLAIN, r->level);
	tp_grid_text(grid, TP_PAINT_PLAIN, fp ? r->fp_op : tp_page_kernel(page->run, r->point));
	tp_grid_number(grid, TP_PAINT_STRONG, tp_page_rate(r->median), TP_DECIMALS);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(r->best), TP_DECIMALS);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_half_width(r->median, r->ci_low, r->ci_high),
		       1);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(r->per_cycle), TP_DECIMALS);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(model), TP_DECIMALS);
	if (model > 0 && tp_page_rate(r->median) > 0)
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%.1f%%", 100 * r->median / model);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "-");
	if (fp)
		tp_grid_text(grid, TP_PAINT_PLAIN, "");
	else
		tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(r->ridge_flop_per_byte),
			       TP_DECIMALS);
	tp_page_flags(page, grid, r->flags);
}

static void show_roofs(struct tp_page *page, const struct tp_group *group)
{
	static const char *const fp_heads[] = { "ISA",	    "level", "FP op",	 "GFLOP/s",
						"best",	    NULL,    "FLOP/cyc", "model",
						"of model", "",	     "flags" };
	const struct tp_run *run = page->run;
	struct tp_grid grid;
	tp_page_title(page, "Roofline", group);
	tp_grid_init(&grid, roof_columns, TP_COUNT_OF(roof_columns));
	for (int fp = 0; fp < 2; fp++) {
		const char *above = NULL;
		for (size_t i = 0; i < run->n_roofs; i++) {
			const struct tp_roof *r = &run->roofs[i];
			if (is_tuned(run, i) || !in_group(page, &roof_table, i, group) ||
			    tp_level_is_fp(r->level) != (fp == 1))
				continue;
			for (size_t c = 0; !above && c < TP_COUNT_OF(roof_columns); c++) {
				const char *head = fp ? fp_heads[c] : roof_columns[c].head;
				if (c == 5)
					head = page->look->utf8 ? "\u00b1%" : "+-%";
				tp_grid_head(&grid, head);
			}
			isa_cell(&grid, r->isa, &above);
			roof_row(page, &grid, r);
		}
	}
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
}

static void explain(struct tp_page *page, const char *text)
{
	tp_text_wrap(page->out, page->look, TP_PAINT_DIM, text, 0, 0);
}

void tp_page_roofs(struct tp_page *page)
{
	size_t own = 0;
	each_group(page, &roof_table, page->run->n_roofs);
	for (size_t i = 0; i < page->run->n_roofs; i++)
		own += !is_tuned(page->run, i);
	if (!own)
		return;
	struct tp_str text = { 0 };
	tp_str_printf(&text,
		      "Rates are those of all threads: the median of the windows, best the "
		      "fastest one, %s%% half its "
		      "confidence interval. Per cycle: one core's, fastest window. model: what the "
		      "core could do at the "
		      "measured clock. ridge: FLOP/byte from which the highest peak of the ISA "
		      "limits.",
		      tp_text_plus_minus(page->look));
	explain(page, tp_str_text(&text));
	tp_str_release(&text);
}

/* --- memory curves --- */

static void show_plateaus(struct tp_page *page, const struct tp_group *group);
static bool is_of_latency(const struct tp_run *run, size_t i)
{
	return tp_plateau_is_latency(&run->plateaus[i]);
}

static const struct table plateau_table = { plateau_group, show_plateaus, is_of_latency };

static const struct tp_column plateau_columns[] = {
	{ "ISA", TP_LEFT, 0 },	     { "kernel", TP_LEFT, 0 },	{ "level", TP_LEFT, 0 },
	{ "GB/s", TP_RIGHT, 0 },     { "", TP_RIGHT, 2 },	{ "B/cyc", TP_RIGHT, 1 },
	{ "from", TP_RIGHT, 0 },     { "to", TP_RIGHT, 0 },	{ "edge", TP_RIGHT, 0 },
	{ "reported", TP_RIGHT, 1 }, { "points", TP_RIGHT, 3 },
};

static void size_cell(struct tp_grid *grid, enum tp_paint paint, uint64_t bytes)
{
	char text[32];
	tp_grid_text(grid, paint, bytes ? tp_text_size(text, sizeof(text), bytes) : "-");
}

static void plateau_row(struct tp_grid *grid, const struct tp_plateau *p)
{
	tp_grid_text(grid, TP_PAINT_PLAIN, p->level);
	tp_grid_number(grid, TP_PAINT_STRONG, tp_page_rate(p->gbps), TP_DECIMALS);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_half_width(p->gbps, p->ci_low, p->ci_high), 1);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(p->bytes_per_cycle), TP_DECIMALS);
	size_cell(grid, TP_PAINT_PLAIN, p->from_bytes);
	size_cell(grid, TP_PAINT_PLAIN, p->to_bytes);
	size_cell(grid, TP_PAINT_STRONG, p->capacity_bytes);
	size_cell(grid, TP_PAINT_PLAIN, p->reported_bytes);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", p->points);
}

static void show_plateaus(struct tp_page *page, const struct tp_group *group)
{
	const struct tp_run *run = page->run;
	const char *isa = NULL, *kernel = NULL;
	struct tp_grid grid;
	tp_page_title(page, "Memory curve", group);
	tp_grid_init(&grid, plateau_columns, TP_COUNT_OF(plateau_columns));
	for (size_t c = 0; c < TP_COUNT_OF(plateau_columns); c++)
		tp_grid_head(&grid, c != 4	       ? plateau_columns[c].head
				    : page->look->utf8 ? "\u00b1%"
						       : "+-%");
	for (size_t i = 0; i < run->n_plateaus; i++) {
		const struct tp_plateau *p = &run->plateaus[i];
		if (!in_group(page, &plateau_table, i, group))
			continue;
		bool again =
			isa && kernel && strcmp(isa, p->isa) == 0 && strcmp(kernel, p->kernel) == 0;
		isa_cell(&grid, p->isa, &isa);
		tp_grid_text(&grid, TP_PAINT_PLAIN, again ? "" : p->kernel);
		kernel = p->kernel;
		plateau_row(&grid, p);
	}
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
}

static bool has_plateau(const struct tp_run *run, const struct tp_point *p)
{
	for (size_t i = 0; i < run->n_plateaus; i++) {
		const struct tp_plateau *l = &run->plateaus[i];
		if (l->run == p->run && l->threads == p->threads && strcmp(l->isa, p->isa) == 0 &&
		    strcmp(l->precision, p->precision) == 0 && strcmp(l->kernel, p->kernel) == 0)
			return true;
	}
	return false;
}

void tp_page_curves(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	size_t points = 0, alone = 0;
	char count[32];
	struct tp_str text = { 0 };
	each_group(page, &plateau_table, run->n_plateaus);
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (p->state != TP_POINT_DONE || strcmp(p->experiment, "memcurve") != 0)
			continue;
		points++;
		alone += !has_plateau(run, p);
	}
	if (!points)
		return;
	if (!run->n_plateaus)
		tp_page_title(page, "Memory curve", NULL);
	tp_str_printf(&text, "%s in the curves.",
		      tp_text_count(count, sizeof(count), points, "point"));
	if (alone)
		tp_str_printf(&text, " %zu of them lie on curves without a plateau.", alone);
	if (run->n_plateaus)
		tp_str_add(&text,
			   " Sizes are per thread. edge: where the bandwidth falls off, the "
			   "capacity as measured; "
			   "reported: the capacity that the machine states, a thread's share "
			   "of it.");
	explain(page, tp_str_text(&text));
	tp_str_release(&text);
}

/* --- mixed dots --- */

static void show_dots(struct tp_page *page, const struct tp_group *group);
static const struct table dot_table = { dot_group, show_dots, NULL };

static const struct tp_column dot_columns[] = {
	{ "ISA", TP_LEFT, 0 },	      { "level", TP_LEFT, 0 },	   { "FP op", TP_LEFT, 0 },
	{ "FLOP/byte", TP_RIGHT, 0 }, { "GFLOP/s", TP_RIGHT, 0 },  { "", TP_RIGHT, 2 },
	{ "roof", TP_RIGHT, 0 },      { "distance", TP_RIGHT, 0 }, { "kernel", TP_LEFT, 3 },
	{ "flags", TP_LEFT, 1 },
};

static void dot_row(struct tp_page *page, struct tp_grid *grid, const struct tp_dot *d)
{
	const struct tp_run *run = page->run;
	const struct tp_point *p = d->point < run->n_points ? &run->points[d->point] : NULL;
	tp_grid_text(grid, TP_PAINT_PLAIN, d->level);
	tp_grid_text(grid, TP_PAINT_PLAIN, d->fp_op);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(d->ai_flop_per_byte), 3);
	tp_grid_number(grid, TP_PAINT_STRONG, tp_page_rate(d->gflops), TP_DECIMALS);
	tp_grid_number(grid, TP_PAINT_PLAIN,
		       p ? tp_page_half_width(d->gflops, p->ci_low, p->ci_high) : NAN, 1);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(d->roof_gflops), TP_DECIMALS);
	bool odd = d->distance_percent < -15 || d->distance_percent > 5;
	if (d->roof_gflops > 0 && isfinite(d->distance_percent))
		tp_grid_printf(grid, odd ? TP_PAINT_WARN : TP_PAINT_PLAIN, "%+.1f%%",
			       d->distance_percent);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "-");
	tp_grid_text(grid, TP_PAINT_PLAIN, tp_page_kernel(run, d->point));
	tp_page_flags(page, grid, p ? p->flags : 0);
}

/* The nearest and the farthest dot, in one sentence. */
static void dots_line(struct tp_page *page, const struct tp_group *group)
{
	const struct tp_run *run = page->run;
	const struct tp_dot *far = NULL;
	size_t n = 0, close = 0;
	struct tp_str text = { 0 };
	for (size_t i = 0; i < run->n_dots; i++) {
		const struct tp_dot *d = &run->dots[i];
		if (!in_group(page, &dot_table, i, group) || !(d->roof_gflops > 0) ||
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
	explain(page, tp_str_text(&text));
	tp_str_release(&text);
}

static void show_dots(struct tp_page *page, const struct tp_group *group)
{
	const struct tp_run *run = page->run;
	const char *isa = NULL;
	struct tp_grid grid;
	tp_page_title(page, "Mixed kernels", group);
	tp_grid_init(&grid, dot_columns, TP_COUNT_OF(dot_columns));
	for (size_t c = 0; c < TP_COUNT_OF(dot_columns); c++)
		tp_grid_head(&grid, c != 5	       ? dot_columns[c].head
				    : page->look->utf8 ? "\u00b1%"
						       : "+-%");
	for (size_t i = 0; i < run->n_dots; i++) {
		if (!in_group(page, &dot_table, i, group))
			continue;
		isa_cell(&grid, run->dots[i].isa, &isa);
		dot_row(page, &grid, &run->dots[i]);
	}
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
	dots_line(page, group);
}

void tp_page_dots(struct tp_page *page)
{
	each_group(page, &dot_table, page->run->n_dots);
}
