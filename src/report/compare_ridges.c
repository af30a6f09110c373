/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ridge points of a comparison: where a bandwidth meets the peak. They move with both, so they have
 * no verdict of their own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/tally.h"
#include "base/memory.h"
#include "record/point.h"
#include "report/compare_parts.h"
#include "report/grid.h"
#include "report/reporter.h"

bool tp_compare_is_roof(const struct tp_point *p)
{
	const struct tp_reporter *reporter = tp_reporter_find(p->experiment);
	return reporter && reporter->roofs && *tp_kernel_row(p)->level;
}

/* The FP peaks of a run by what has one of its own: run of the preset, team, ISA, precision. */
struct peaks {
	struct tp_tally by_key;
	double *peak; /* of each group */
};

static void peak_key(const struct tp_point *p, struct tp_str *key)
{
	tp_str_clear(key);
	tp_str_printf(key, "%u\x1f%u\x1f%s\x1f%s", p->run, p->threads, tp_kernel_row(p)->isa,
		      tp_kernel_row(p)->precision);
}

/* TP_NOMEM. Release the peaks in any case. */
static enum tp_status find_peaks(const struct tp_run *run, struct peaks *peaks)
{
	struct tp_str key = { 0 };
	enum tp_status status = TP_OK;
	*peaks = (struct peaks){ .peak = calloc(run->n_points + 1, sizeof(*peaks->peak)) };
	for (size_t i = 0; i < run->n_points && status == TP_OK && peaks->peak; i++) {
		const struct tp_point *p = &run->points[i];
		if (p->state != TP_POINT_DONE || strcmp(tp_kernel_row(p)->level, "FP") != 0)
			continue;
		peak_key(p, &key);
		status = tp_tally_add(&peaks->by_key, tp_str_text(&key));
		if (status != TP_OK)
			break;
		size_t group = (size_t)(tp_tally_find(&peaks->by_key, tp_str_text(&key)) -
					peaks->by_key.groups);
		peaks->peak[group] = TP_MAX(peaks->peak[group], tp_point_median(p));
	}
	tp_str_release(&key);
	return peaks->peak ? status : TP_NOMEM;
}

static void release_peaks(struct peaks *peaks)
{
	tp_tally_release(&peaks->by_key);
	free(peaks->peak);
}

static double ridge_of(const struct peaks *peaks, const struct tp_point *p)
{
	const struct tp_tally_group *group;
	struct tp_str key = { 0 };
	if (!tp_compare_is_roof(p) || tp_point_is_fp(p))
		return 0;
	peak_key(p, &key);
	group = tp_tally_find(&peaks->by_key, tp_str_text(&key));
	tp_str_release(&key);
	return tp_roof_ridge(group ? peaks->peak[group - peaks->by_key.groups] : 0,
			     tp_point_median(p));
}

static void ridge_table(const struct tp_comparison *c, size_t run, const struct peaks of[2],
			const struct tp_look *look, struct tp_str *out)
{
	static const struct tp_grid_column columns[] = {
		{ "ISA", TP_LEFT, 0 },	     { "at", TP_LEFT, 0 },	  { "kernel", TP_LEFT, 0 },
		{ "precision", TP_LEFT, 1 }, { "threads", TP_RIGHT, 1 },  { "A", TP_RIGHT, 0 },
		{ "", TP_RIGHT, 0 },	     { "change %", TP_RIGHT, 0 },
	};
	struct tp_grid grid;
	struct tp_str text = { 0 };
	size_t rows = 0;
	const char letter[2] = { (char)('A' + run), '\0' };
	tp_grid_init(&grid, columns, TP_COUNT_OF(columns));
	for (size_t i = 0; i < TP_COUNT_OF(columns); i++)
		tp_grid_head(&grid, i == 6 ? letter : columns[i].head);
	for (size_t i = 0; i < c->n_points; i++) {
		const struct tp_compared *r = &c->rows[i];
		char change[32];
		if (r->run != run)
			continue;
		double a = ridge_of(&of[0], r->a), b = ridge_of(&of[1], r->b);
		if (!(a > 0) || !(b > 0) || fabs(b / a - 1) <= TP_COMPARE_NO_NEWS)
			continue;
		tp_grid_text(&grid, TP_PAINT_STRONG, tp_kernel_row(r->b)->isa);
		tp_grid_text(&grid, TP_PAINT_PLAIN, tp_kernel_row(r->b)->level);
		tp_grid_text(&grid, TP_PAINT_PLAIN, r->b->kernel);
		tp_grid_text(&grid, TP_PAINT_PLAIN, tp_kernel_row(r->b)->precision);
		tp_grid_printf(&grid, TP_PAINT_PLAIN, "%u", r->b->threads);
		tp_grid_number(&grid, TP_PAINT_PLAIN, a, 3);
		tp_grid_number(&grid, TP_PAINT_PLAIN, b, 3);
		tp_compare_percent_text(change, sizeof(change), log(b / a));
		tp_grid_text(&grid, TP_PAINT_PLAIN, change);
		rows++;
	}
	if (rows) {
		tp_str_printf(&text, "%s against A%sridge points%sFLOP/byte", letter,
			      tp_text_dot(look), tp_text_dot(look));
		tp_compare_title(look, out, &text);
		tp_grid_write(&grid, look, out);
	}
	tp_grid_release(&grid);
}

void tp_compare_ridges(const struct tp_comparison *c, size_t run, const struct tp_look *look,
		       struct tp_str *out)
{
	struct peaks of[2];
	enum tp_status first = find_peaks(c->runs[0], &of[0]),
		       second = find_peaks(c->runs[run], &of[1]);
	if (first == TP_OK && second == TP_OK)
		ridge_table(c, run, of, look, out);
	release_peaks(&of[0]);
	release_peaks(&of[1]);
}
