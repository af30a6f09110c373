/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse matrices on the page: structure, advice and verdict, then a table of the formats. */
#include "base/text.h"
#include "base/memory.h"
#include "record/dot.h"
#include "experiments/spmv/row.h"
#include "report/page.h"
#include "report/reporter.h"

#include <math.h>
#include <string.h>

static const struct tp_grid_column format_columns[] = {
	{ "format", TP_LEFT, 0 },     { "GFLOP/s", TP_RIGHT, 0 }, { "\u00b1%", TP_RIGHT, 2 },
	{ "time", TP_RIGHT, 1 },      { "GB/s", TP_RIGHT, 1 },	  { "bytes", TP_RIGHT, 0 },
	{ "stored/nz", TP_RIGHT, 0 }, { "level", TP_LEFT, 2 },	  { "to roof", TP_RIGHT, 2 },
	{ "loop", TP_LEFT, 3 },	      { "quality", TP_LEFT, 1 },
};

static const struct tp_dot *dot_of(const struct tp_run *run, const struct tp_point *p)
{
	for (size_t i = 0; i < tp_run_n_dots(run); i++)
		if (tp_run_dots(run)[i].point == p->point)
			return &tp_run_dots(run)[i];
	return NULL;
}

static void format_row(struct tp_page *page, struct tp_grid *grid, const struct tp_point *p,
		       const struct tp_matrix_row *m)
{
	const struct tp_spmv_row *row = tp_spmv_row(p);
	const struct tp_dot *dot = dot_of(page->run, p);
	char text[32];
	bool fastest = strcmp(row->format, m->fastest) == 0;
	tp_grid_text(grid, fastest ? TP_PAINT_GOOD : TP_PAINT_STRONG, row->format);
	tp_grid_number(grid, TP_PAINT_STRONG, tp_page_rate(tp_point_median(p)), TP_DECIMALS);
	tp_page_interval(grid, p, tp_point_median(p), p->ci_low, p->ci_high);
	double seconds = tp_spmv_seconds(p);
	tp_grid_text(grid, TP_PAINT_PLAIN,
		     seconds > 0 ? tp_format_seconds(text, sizeof(text), seconds) : "-");
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(row->kernel.median_gbps), TP_DECIMALS);
	tp_grid_text(grid, TP_PAINT_PLAIN, tp_text_size(text, sizeof(text), row->format_bytes));
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(row->padding), 2);
	tp_grid_text(grid, TP_PAINT_PLAIN, row->kernel.level);
	if (dot && dot->roof_gflops > 0 && isfinite(dot->distance_percent))
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%+.0f%%", dot->distance_percent);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "-");
	tp_grid_text(grid, TP_PAINT_PLAIN, row->kernel.body);
	tp_page_quality(page, grid, p->quality, p->flags);
}

/* How well the advice did, in a sentence without its full stop. */
static void verdict(const struct tp_matrix_row *m, struct tp_str *out)
{
	if (!(m->fastest_gflops > 0))
		tp_str_printf(out, "nothing was measured yet");
	else if (!(m->advised_gflops > 0))
		tp_str_printf(out, "%s was not measured; the fastest of the others is %s",
			      m->facts.advice, m->fastest);
	else if (strcmp(m->facts.advice, m->fastest) == 0)
		tp_str_printf(out, "the measurement agrees: %s is the fastest", m->fastest);
	else if (m->agrees)
		tp_str_printf(out, "the measurement agrees: %s is within %.0f%% of the fastest, %s",
			      m->facts.advice, 100 * TP_SPMV_EQUAL, m->fastest);
	else
		tp_str_printf(out, "the measurement does not agree: %s is %.2g times as fast",
			      m->fastest, m->fastest_gflops / m->advised_gflops);
}

static void advice_line(struct tp_page *page, const struct tp_matrix_row *m)
{
	TP_STR text = { 0 };
	tp_str_printf(&text, "Advice: %s, because %s. ", m->facts.advice, m->facts.why);
	size_t at = text.len;
	verdict(m, &text);
	if (text.s && text.s[at] >= 'a' && text.s[at] <= 'z')
		text.s[at] = (char)(text.s[at] - 'a' + 'A');
	tp_str_add(&text, ".");
	tp_page_explain(page, tp_str_text(&text));
}

static void show_matrix(struct tp_page *page, const struct tp_matrix_row *m)
{
	const struct tp_run *run = page->run;
	const struct tp_group group = { .run = m->run,
					.threads = m->threads,
					.precision = "double" };
	TP_STR title = { 0 };
	TP_CLEANUP(tp_grid_release) struct tp_grid grid;
	tp_str_add(&title, "Sparse matrix ");
	tp_text_clean(&title, m->matrix, page->look);
	if (strcmp(m->reorder, "none") != 0)
		tp_str_printf(&title, ", reordered (%s)", m->reorder);
	tp_page_title(page, tp_str_text(&title), &group);
	const struct tp_spmv_facts *f = &m->facts;
	TP_STR text = { 0 };
	tp_str_printf(&text,
		      "%u x %u with %u non-zeros: %u to %u in a row, %.3g on average (spread %.2g)",
		      f->n_rows, f->n_columns, f->nonzeros, f->row_min, f->row_max, f->row_mean,
		      f->row_spread);
	if (f->empty_rows)
		tp_str_printf(&text, ", %u rows empty", f->empty_rows);
	tp_str_printf(&text,
		      "; bandwidth %u; %u diagonals, %.0f%% full; blocks of %s, %.0f%% full; %s.",
		      f->bandwidth, f->diagonals, 100 * f->dia_fill, f->block, 100 * f->block_fill,
		      f->symmetric ? "symmetric" : "not symmetric");
	tp_page_explain(page, tp_str_text(&text));
	advice_line(page, m);
	tp_page_table(page, &grid, format_columns, TP_COUNT_OF(format_columns));
	for (size_t i = 0; i < run->n_points; i++)
		if (tp_spmv_belongs(&run->points[i], m))
			format_row(page, &grid, &run->points[i], m);
	tp_grid_write(&grid, page->doc);
}

static void page_of_matrices(struct tp_page *page)
{
	for (size_t i = 0; i < tp_run_n_matrices(page->run); i++)
		show_matrix(page, &tp_run_matrices(page->run)[i]);
	if (tp_run_n_matrices(page->run))
		tp_page_explain(
			page,
			"GFLOP/s: 2 for each non-zero; padding does not count. GB/s: bytes of "
			"the format and of both vectors, each once. stored/nz: values that are "
			"stored for each non-zero. to roof: from the roof of the level.");
}

/* The same matrix in another order, in the same run and with as many threads. */
static const struct tp_matrix_row *reordered(const struct tp_run *run,
					     const struct tp_matrix_row *m)
{
	TP_EACH_ROW (tp_matrix_row, r, run, matrices) {
		if (r->run == m->run && r->threads == m->threads &&
		    strcmp(r->matrix, m->matrix) == 0 && strcmp(r->reorder, "rcm") == 0)
			return r;
	}
	return NULL;
}

static void conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	size_t n = tp_run_n_matrices(run);
	enum { MOST = 4 };
	for (size_t i = 0; i < n && i < MOST; i++) {
		const struct tp_matrix_row *m = &tp_run_matrices(run)[i];
		TP_STR text = { 0 };
		verdict(m, &text);
		tp_conclude_add(&conclusion->limits, "%s%s, advice %s: %s (%.3g GFLOP/s).",
				m->matrix, strcmp(m->reorder, "none") ? " reordered" : "",
				m->facts.advice, tp_str_text(&text), m->fastest_gflops);
		const struct tp_matrix_row *r =
			strcmp(m->reorder, "none") == 0 ? reordered(run, m) : NULL;
		if (r)
			tp_conclude_add(
				&conclusion->limits,
				"Reordering changes the bandwidth from %u to %u and the fastest "
				"from %.3g to %.3g GFLOP/s (%s).",
				m->facts.bandwidth, r->facts.bandwidth, m->fastest_gflops,
				r->fastest_gflops, r->fastest);
	}
	if (n > MOST)
		tp_conclude_add(&conclusion->limits, "%zu more matrices stand above.", n - MOST);
}

const struct tp_reporter tp_reporter_spmv = {
	.experiment = "spmv",
	.place = 10,
	.page = page_of_matrices,
	.conclude = conclude,
};
