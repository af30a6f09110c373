/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of instructions, and where independent ones saturate the core. */
#include "experiments/asm/report.h"
#include "base/vec.h"
#include "experiments/asm/row.h"
#include "experiments/windows/counted.h"
#include "report/groups.h"
#include "report/reporter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * Of the most instructions in a cycle: where a curve ends, and what is all of it. Schedulers do not
 * find a place for each instruction in time where there are only just enough.
 */
#define SATURATED 0.9
#define WHOLE	  0.98

enum { TEXT_COLUMNS = 46 };

static const struct tp_grid_column columns[] = {
	{ "instructions", TP_LEFT, 0 }, { "mode", TP_LEFT, 1 },	     { "cycles", TP_RIGHT, 0 },
	{ "\u00b1%", TP_RIGHT, 2 },	{ "IPC", TP_RIGHT, 0 },	     { "1/tput", TP_RIGHT, 0 },
	{ "latency", TP_RIGHT, 0 },	{ "llvm-mca", TP_RIGHT, 2 },
};
/* Behind the events that were counted. */
static const struct tp_grid_column last_column = { "quality", TP_LEFT, 1 };

static void show_point(struct tp_page *page, struct tp_grid *grid, const struct tp_counted *counted,
		       const struct tp_point *p)
{
	const struct tp_asm_row *row = tp_asm_row(p);
	char text[TEXT_COLUMNS + 4];
	snprintf(text, sizeof(text), "%.*s", TEXT_COLUMNS, row->instructions);
	if (strlen(row->instructions) > TEXT_COLUMNS)
		snprintf(text + TEXT_COLUMNS - 14, 18, "... (%u)", row->count);
	tp_grid_text(grid, TP_PAINT_STRONG, text);
	tp_grid_text(grid, TP_PAINT_PLAIN, row->mode);
	tp_grid_number(grid, TP_PAINT_STRONG, row->cycles, 3);
	tp_page_interval(grid, p, tp_point_median(p), p->ci_low, p->ci_high);
	tp_grid_number(grid, TP_PAINT_PLAIN, row->ipc, 2);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(row->rthroughput), 3);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(row->latency), 2);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(row->mca_cycles), 3);
	tp_counted_cells(counted, row->counts, grid);
	tp_page_quality(page, grid, p->quality, p->flags);
}

static bool same_group(const struct tp_point *a, const struct tp_point *b)
{
	return a->run == b->run && a->threads == b->threads;
}

/* In the table of the point `first`. */
static bool belongs(const struct tp_run *run, size_t i, size_t first)
{
	return tp_point_is_asm(&run->points[i]) && same_group(&run->points[i], &run->points[first]);
}

static bool is_first(const struct tp_run *run, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (belongs(run, k, i))
			return false;
	return true;
}

static void show_group(struct tp_page *page, size_t first)
{
	const struct tp_run *run = page->run;
	const struct tp_group group = { .run = run->points[first].run,
					.threads = run->points[first].threads,
					.precision = "cycles of the core" };
	struct tp_grid_column all[TP_COUNT_OF(columns) + TP_COUNTED_COLUMNS + 1];
	struct tp_counted counted = { 0 };
	struct tp_grid grid;
	size_t n = TP_COUNT_OF(columns);
	for (size_t i = first; i < run->n_points; i++)
		if (belongs(run, i, first))
			tp_counted_add(&counted, tp_asm_row(&run->points[i])->counts);
	memcpy(all, columns, sizeof(columns));
	tp_counted_columns(&counted, all + n);
	n += counted.n;
	all[n++] = last_column;
	tp_page_title(page, "Assembly", &group);
	tp_grid_init(&grid, all, n);
	for (size_t c = 0; c < n; c++)
		tp_grid_head(&grid, tp_page_column_head(page, all[c].head));
	for (size_t i = first; i < run->n_points; i++)
		if (belongs(run, i, first))
			show_point(page, &grid, &counted, &run->points[i]);
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
}

bool tp_asm_series_begins(const struct tp_run *run, size_t i)
{
	const struct tp_point *p = &run->points[i];
	if (!tp_point_is_asm(p) || strcmp(tp_asm_row(p)->mode, "written") != 0)
		return false;
	for (size_t k = 0; k < i; k++)
		if (tp_asm_same_series(&run->points[k], p))
			return false;
	return true;
}

bool tp_asm_same_series(const struct tp_point *a, const struct tp_point *b)
{
	return tp_point_is_asm(a) && tp_point_is_asm(b) && same_group(a, b) &&
	       strcmp(tp_asm_row(a)->mode, tp_asm_row(b)->mode) == 0 &&
	       strcmp(a->kernel, b->kernel) == 0;
}

bool tp_asm_saturation(const struct tp_run *run, size_t first, struct tp_asm_saturation *out)
{
	const struct tp_point *begin = &run->points[first];
	unsigned least = 0, most = 0;
	*out = (struct tp_asm_saturation){ .first = begin };
	for (size_t i = first; i < run->n_points; i++) {
		const struct tp_asm_row *row = tp_asm_row(&run->points[i]);
		if (!tp_asm_same_series(&run->points[i], begin))
			continue;
		out->ipc = fmax(out->ipc, row->ipc);
		out->model_ipc = row->model_ipc;
		most = TP_MAX(most, row->count);
		if (row->count == 1)
			out->latency = row->latency;
	}
	for (size_t i = first; i < run->n_points; i++) {
		const struct tp_asm_row *row = tp_asm_row(&run->points[i]);
		if (!tp_asm_same_series(&run->points[i], begin))
			continue;
		if (row->ipc >= SATURATED * out->ipc && (!least || row->count < least))
			least = row->count;
		if (row->ipc >= WHOLE * out->ipc && (!out->whole || row->count < out->whole))
			out->whole = row->count;
	}
	out->count = least;
	out->most = most;
	/* One more instruction would have told: the last one says nothing of an end. */
	return out->latency > 0 && least > 1 && least < most;
}

static void tell_saturation(const struct tp_asm_saturation *s, struct tp_str *out)
{
	tp_str_printf(out, "%s: %u independent ones saturate the core (", s->first->kernel,
		      s->count);
	tp_str_printf(out, "latency %.2f x %.2f in a cycle = %.1f", s->latency, s->ipc,
		      s->latency * s->ipc);
	if (s->model_ipc > 0)
		tp_str_printf(out, "; the model says %g in a cycle", s->model_ipc);
	tp_str_add(out, ")");
	if (s->whole > s->count)
		tp_str_printf(out, "; nothing is lost from %u on", s->whole);
	tp_str_add(out, ".");
}

static void page_of_asm(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	bool any = false;
	for (size_t i = 0; i < run->n_points; i++)
		if (tp_point_is_asm(&run->points[i]) && is_first(run, i)) {
			show_group(page, i);
			any = true;
		}
	for (size_t i = 0; i < run->n_points; i++) {
		struct tp_asm_saturation s;
		struct tp_str text = { 0 };
		if (!tp_asm_series_begins(run, i) || !tp_asm_saturation(run, i, &s))
			continue;
		tell_saturation(&s, &text);
		tp_page_explain(page, tp_str_text(&text));
		tp_str_release(&text);
	}
	if (any)
		tp_page_explain(page,
				"cycles: of an instruction. 1/tput: the same where none waits for "
				"another. latency: where each waits for the one before. llvm-mca: "
				"what it predicts, where it knows the CPU.");
}

static void conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	enum { MOST = 6 };
	size_t told = 0;
	for (size_t i = 0; i < run->n_points && told < MOST; i++) {
		struct tp_asm_saturation s;
		struct tp_str text = { 0 };
		if (!tp_asm_series_begins(run, i) || !tp_asm_saturation(run, i, &s))
			continue;
		tell_saturation(&s, &text);
		tp_conclude_add(&conclusion->limits, "%s", tp_str_text(&text));
		tp_str_release(&text);
		told++;
	}
	for (size_t i = 0; i < run->n_points && run->n_points <= MOST && !told; i++) {
		const struct tp_asm_row *row = tp_asm_row(&run->points[i]);
		if (!tp_point_is_asm(&run->points[i]))
			continue;
		tp_conclude_add(&conclusion->limits, "%s, %s: %.3g cycles, %.3g in a cycle.",
				run->points[i].kernel, row->mode, row->cycles, row->ipc);
	}
}

const struct tp_reporter tp_reporter_asm = {
	.experiment = "asm",
	.place = 9,
	.page = page_of_asm,
	.conclude = conclude,
	.curves = tp_asm_curves,
	.has_curves = tp_asm_has_curves,
};
