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

/* A format of a matrix in its table. */
struct format_row {
	const struct tp_point *point;
	const struct tp_spmv_row *spmv;
	const struct tp_dot *dot; /* NULL: it has none */
	double seconds;
	bool fastest;
};

static const struct tp_dot *dot_of(const struct tp_run *run, const struct tp_point *p)
{
	TP_EACH_ROW (tp_dot, d, run, dots) {
		if (d->point == p->point)
			return d->roof_gflops > 0 ? d : NULL;
	}
	return NULL;
}

static enum tp_paint paint_of_format(const void *row)
{
	return ((const struct format_row *)row)->fastest ? TP_PAINT_GOOD : TP_PAINT_STRONG;
}

#define OF(name)   TP_VIA(struct format_row, name)
#define SPMV(name) OF(spmv), TP_SHOWS(struct tp_spmv_row, name)
static const struct tp_grid_column format_columns[] = {
	{ "format", TP_LEFT, 0, SPMV(format), .paint_of = paint_of_format },
	{ "GFLOP/s", TP_RIGHT, 0, OF(point), TP_POINT(median), .positive = true,
	  .paint = TP_PAINT_STRONG },
	{ "\u00b1%", TP_RIGHT, 2, OF(point), .cell = tp_page_interval_cell },
	{ "time", TP_RIGHT, 1, TP_SHOWS(struct format_row, seconds), .as = TP_AS_SECONDS,
	  .positive = true },
	{ "GB/s", TP_RIGHT, 1, SPMV(kernel.median_gbps), .positive = true },
	{ "bytes", TP_RIGHT, 0, SPMV(format_bytes), .as = TP_AS_SIZE },
	{ "stored/nz", TP_RIGHT, 0, SPMV(padding), .as = TP_AS_FIXED, .digits = 2,
	  .positive = true },
	{ "level", TP_LEFT, 2, SPMV(kernel.level) },
	{ "to roof", TP_RIGHT, 2, TP_SHOWS(struct tp_dot, distance_percent), OF(dot),
	  .as = TP_AS_CHANGE },
	{ "loop", TP_LEFT, 3, SPMV(kernel.body) },
	{ "quality", TP_LEFT, 1, OF(point), .cell = tp_page_quality_cell },
};

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
	TP_GRID(grid, format_columns);
	tp_str_printf(&title, "Sparse matrix %s", m->matrix);
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
	tp_page_heads(page, &grid);
	TP_EACH_POINT (p, run) {
		struct format_row row = { p, tp_spmv_row(p), dot_of(run, p), tp_spmv_seconds(p),
					  strcmp(tp_spmv_row(p)->format, m->fastest) == 0 };
		if (!tp_spmv_belongs(p, m))
			continue;
		tp_grid_row(&grid, &row, page);
		tp_grid_about(&grid, p);
	}
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
