/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions of templates as tables, and the best variant of each in a sentence. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "base/vec.h"
#include "experiments/template/shape.h"
#include "report/page.h"
#include "report/reporter.h"

enum { ROWS_MAX = 60, CONCLUSIONS_MAX = 3 };

static const struct tp_grid_column columns[] = {
	{ "quality", TP_LEFT, 0 },  { "variant", TP_LEFT, 0 },	{ "step", TP_RIGHT, 0 },
	{ "\u00b1%", TP_RIGHT, 4 }, { "to best", TP_RIGHT, 1 }, { "cycles", TP_RIGHT, 5 },
	{ "GFLOP/s", TP_RIGHT, 2 }, { "GB/s", TP_RIGHT, 3 },	{ "vectors", TP_RIGHT, 6 },
	{ "windows", TP_RIGHT, 7 },
};

/* Empty where there is none: a column of such cells is not shown. */
static void figure_cell(struct tp_grid *grid, double value)
{
	if (value > 0)
		tp_grid_printf(grid, TP_PAINT_PLAIN, value < 1000 ? "%.4g" : "%.0f", value);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "");
}

/* Why a variant has failed stands among the remarks of the run. */
static void failed_row(struct tp_page *page, struct tp_grid *grid, const char *name)
{
	tp_grid_text(grid, TP_PAINT_BAD, "failed");
	tp_grid_clean(grid, page->look, TP_PAINT_PLAIN, name);
	for (size_t c = 2; c < TP_COUNT_OF(columns); c++)
		tp_grid_text(grid, TP_PAINT_PLAIN, c == 2 ? "-" : "");
}

static void variant_row(struct tp_page *page, struct tp_grid *grid,
			const struct tp_template_shape *shape, const struct tp_point *p,
			const char *name)
{
	const struct tp_template_row *row = tp_template_row(p);
	const struct tp_kernel_row *k = &row->kernel;
	char text[48];
	tp_page_quality(page, grid, p->quality, p->flags);
	tp_grid_clean(grid, page->look, p == shape->best ? TP_PAINT_GOOD : TP_PAINT_STRONG, name);
	tp_grid_text(grid, TP_PAINT_STRONG,
		     tp_format_seconds(text, sizeof(text), 1e-9 * p->median));
	tp_page_interval(grid, p, p->median, p->ci_low, p->ci_high);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%.2fx",
		       shape->best ? p->median / shape->best->median : NAN);
	figure_cell(grid, row->cycles);
	figure_cell(grid, k->median_gflops);
	figure_cell(grid, k->median_gbps);
	if (row->vector_bytes)
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%u x %u B", row->vector_loops,
			       row->vector_bytes);
	else
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", row->vector_loops);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", p->kept);
}

static void show_family(struct tp_page *page, const struct tp_template_shape *shape)
{
	const struct tp_point *first = &page->run->points[shape->family->first];
	const struct tp_template_row *row = tp_template_row(first);
	char title[2 * TP_TEMPLATE_NAME_BYTES + 64], count[32];
	struct tp_str name = { 0 };
	struct tp_grid grid;
	size_t n = 0, left_out = 0;
	snprintf(title, sizeof(title), "%s of %s, %s%s", row->region, row->source,
		 tp_text_count(count, sizeof(count), first->threads, "thread"),
		 row->cold ? ", cold caches" : "");
	tp_grid_init(&grid, columns, TP_COUNT_OF(columns));
	for (size_t c = 0; c < TP_COUNT_OF(columns); c++)
		tp_grid_head(&grid, tp_page_column_head(page, columns[c].head));
	for (size_t i = shape->family->first; i != TP_TALLY_END; i = tp_template_next(shape, i)) {
		const struct tp_point *p = &page->run->points[i];
		if (p->state != TP_POINT_DONE && p->state != TP_POINT_FAILED)
			continue;
		tp_str_clear(&name);
		tp_template_variant_name(shape, p, &name);
		if (n++ >= ROWS_MAX && !page->look->full)
			left_out++;
		else if (p->state == TP_POINT_FAILED)
			failed_row(page, &grid, tp_str_text(&name));
		else
			variant_row(page, &grid, shape, p, tp_str_text(&name));
	}
	if (n) {
		tp_page_title(page, title, NULL);
		tp_grid_write(&grid, page->look, page->out);
	}
	tp_grid_release(&grid);
	tp_str_release(&name);
	if (left_out) {
		snprintf(title, sizeof(title), "%zu more variants: points.csv has them all.",
			 left_out);
		tp_page_explain(page, title);
	}
}

/* Calls `what` with the shape of each family, at most `most` of them. */
static void each_family(const struct tp_run *run, size_t most, void *context,
			void (*what)(void *context, const struct tp_template_shape *shape))
{
	struct tp_tally families = { 0 };
	struct tp_template_shape *shape = calloc(1, sizeof(*shape));
	bool good = shape && tp_template_families(run, &families) == TP_OK;
	for (size_t i = 0, n = 0; good && i < families.n && n < most; i++) {
		if (!families.texts.s[families.groups[i].text])
			continue;
		tp_template_shape_of(run, &families, &families.groups[i], shape);
		what(context, shape);
		n++;
	}
	tp_tally_release(&families);
	free(shape);
}

static void show(void *context, const struct tp_template_shape *shape)
{
	show_family(context, shape);
}

static void page_of_templates(struct tp_page *page)
{
	bool any = false;
	for (size_t i = 0; i < page->run->n_points && !any; i++)
		any = tp_point_is_template(&page->run->points[i]);
	if (!any)
		return;
	each_family(page->run, SIZE_MAX, page, show);
	tp_page_explain(page, "step: median time of a pass through the region. to best: over that "
			      "of the fastest variant. vectors: loops of the region that the "
			      "compiler made vectors of, and how long the longest are.");
}

/* "Fastest product of matmul: ORDER=IKJ TILE=64, 90.4 us (46.4 GFLOP/s); ..." */
static void conclude_family(void *context, const struct tp_template_shape *shape)
{
	struct tp_conclusion *conclusion = context;
	const struct tp_point *best = shape->best, *worst = best;
	struct tp_str name = { 0 }, slow = { 0 };
	char time[48], rate[48] = "";
	for (size_t i = shape->family->first; i != TP_TALLY_END; i = tp_template_next(shape, i)) {
		const struct tp_point *p = &shape->run->points[i];
		if (p->state == TP_POINT_DONE && worst && p->median > worst->median)
			worst = p;
	}
	if (!best || worst == best)
		return;
	const struct tp_template_row *row = tp_template_row(best);
	tp_template_variant_name(shape, best, &name);
	tp_template_variant_name(shape, worst, &slow);
	if (shape->counted)
		snprintf(rate, sizeof(rate), " (%.3g GFLOP/s)", row->kernel.median_gflops);
	tp_conclude_add(&conclusion->limits,
			"Fastest %s of %s: %s, %s%s; the slowest, %s, takes %.3g times as long.",
			row->region, row->source, tp_str_text(&name),
			tp_format_seconds(time, sizeof(time), 1e-9 * best->median), rate,
			tp_str_text(&slow), worst->median / best->median);
	tp_str_release(&name);
	tp_str_release(&slow);
}

static void conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	each_family(run, CONCLUSIONS_MAX, conclusion, conclude_family);
}

const struct tp_reporter tp_reporter_template = {
	.experiment = "template",
	.place = 35,
	.page = page_of_templates,
	.conclude = conclude,
	.pictures = tp_template_pictures,
};
