/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/spmv/row.h"

#include <string.h>

#include "record/dot.h"
#include "experiments/windows/quality.h"
#include "record/limits.h"
#include "record/roof.h"
#include "preset/shared_options.h"

TP_SPMV_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_spmv = {
	.experiment = "spmv",
	.uses = TP_USES_STOP " level pages stop.race_count",
	.place = 45,
	.rows = { TP_SPMV_OPTIONS(TP_OPTION_ROW) NULL },
};

enum { ID = TP_IN_IDENTITY | TP_IN_CSV | TP_IN_JSON, FOUND = TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON };

static double pass_ns(const void *row)
{
	const struct tp_spmv_row *r = row;
	const double gflops = r->kernel.median_gflops;
	return gflops > 0 ? 2.0 * r->nonzeros / gflops : 0;
}

/* clang-format off */
#define S(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_spmv_row, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)
static const struct tp_column columns[] = {
	S(matrix,       "matrix",       TEXT, ALWAYS,  DIMENSION, ID,
	  .help = "The sparse matrix as the option matrix names it; empty for all other points."),
	S(reorder,      "reorder",      TEXT, ALWAYS,  DIMENSION, ID,
	  .help = "How its rows and columns were reordered: none or rcm."),
	S(format,       "format",       TEXT, ALWAYS,  DIMENSION, ID,
	  .help = "How it was stored: coo, csr, bcsr, dia or ell. Empty for a roof that was measured with it."),
	S(format_bytes, "format_bytes", U64,  NONZERO, NOTE,      FOUND,
	  .help = "Bytes of the matrix in that format, with padding. Bandwidth and intensity "
		  "count these once for a multiplication, and both vectors."),
	S(nonzeros,     "nonzeros",     UNSIGNED, NONZERO, NOTE,  FOUND,
	  .help = "Stored entries of the matrix, of a symmetric one in both triangles."),
	S(padding,      "stored_per_nonzero", REAL, NONZERO, NOTE, FOUND,
	  .help = "Values that the format stores for each non-zero; more than 1 is padding."),
	{ .name = "pass_ns", .type = TP_COLUMN_DERIVED, .rule = TP_COLUMN_NONZERO,
	  .role = TP_ROLE_METRIC, .where = TP_IN_CSV | TP_IN_JSON, .derive = pass_ns, .unit = "ns",
	  .help = "Time of one multiplication, by the median." },
};

#define M(member, name, type, rule, role, ...) \
	TP_COLUMN(struct tp_matrix_row, member, name, type, rule, TP_ROLE_##role, TP_IN_JSON, __VA_ARGS__)
static const struct tp_column matrix_columns[] = {
	M(run,     "run",     UNSIGNED, ALWAYS, IDENTITY,  .most = TP_RUN_POINTS_MAX - 1),
	M(point,   "point",   UNSIGNED, ALWAYS, IDENTITY,  .most = TP_RUN_POINTS_MAX - 1,
	  .help = "The last point that showed it."),
	M(matrix,  "matrix",  TEXT,     ALWAYS, DIMENSION, ),
	M(reorder, "reorder", TEXT,     ALWAYS, DIMENSION, ),
	M(threads, "threads", UNSIGNED, ALWAYS, DIMENSION, .most = TP_RUN_THREADS_MAX,
	  .help = "The matrix, as the points name it."),
	M(facts.n_rows, "rows", UNSIGNED, NONZERO, NOTE, ),
	M(facts.n_columns, "columns", UNSIGNED, NONZERO, NOTE, ),
	M(facts.nonzeros, "nonzeros", UNSIGNED, NONZERO, NOTE,
	  .help = "Size of the matrix, and its stored entries."),
	M(facts.row_min, "row_min", UNSIGNED, ALWAYS, NOTE, ),
	M(facts.row_max, "row_max", UNSIGNED, ALWAYS, NOTE, ),
	M(facts.row_mean, "row_mean", REAL, ALWAYS, NOTE,
	  .help = "Non-zeros in a row: fewest, most and mean."),
	M(facts.row_spread, "row_spread", REAL, ALWAYS, NOTE,
	  .help = "Standard deviation of the row lengths over their mean."),
	M(facts.empty_rows, "empty_rows", UNSIGNED, ALWAYS, NOTE,
	  .help = "Rows without any."),
	M(facts.bandwidth, "bandwidth", UNSIGNED, ALWAYS, NOTE,
	  .help = "The most columns between a non-zero and the diagonal."),
	M(facts.diagonals, "diagonals", UNSIGNED, ALWAYS, NOTE,
	  .help = "Number of diagonals with a non-zero."),
	M(facts.dia_fill, "dia_fill", REAL, ALWAYS, NOTE, ),
	M(facts.ell_fill, "ell_fill", REAL, ALWAYS, NOTE, ),
	M(facts.block_fill, "block_fill", REAL, ALWAYS, NOTE,
	  .help = "Share of the non-zeros among the values that the formats dia, ell and bcsr "
		  "store."),
	M(facts.block, "block", TEXT, ALWAYS, NOTE,
	  .help = "The blocks that need the fewest bytes, rows x columns: the blocks of bcsr."),
	M(facts.scatter, "scatter", REAL, ALWAYS, NOTE,
	  .help = "Share of the non-zeros whose cache line of the vector the 4,096 before them did not use, nor the line before it."),
	M(facts.symmetric, "symmetric", BOOL, ALWAYS, NOTE,
	  .help = "true if there is a non-zero across the diagonal from each one."),
	M(facts.advice, "advice", TEXT, ALWAYS, NOTE, ),
	M(facts.why, "why", TEXT, ALWAYS, NOTE,
	  .help = "The format that suits the structure, predicted before measuring, and why."),
	M(fastest,        "fastest",        TEXT, ALWAYS,  NOTE, ),
	M(fastest_gflops, "fastest_gflops", REAL, NONZERO, METRIC,
	  .help = "The fastest of the formats that were measured, and its speed."),
	M(advised_gflops, "advised_gflops", REAL, NONZERO, METRIC,
	  .help = "Speed of the advised format; null if it was not measured."),
	M(agrees,         "agrees",         BOOL, ALWAYS,  NOTE,
	  .help = "true if that is the fastest one, or within 5 % of it."),
};
/* clang-format on */

static const struct tp_table spmv_table = {
	TP_TABLE(struct tp_spmv_row, columns),
	.base = &tp_kernel_table,
};
_Static_assert(sizeof(struct tp_spmv_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

static const struct tp_table matrix_table = {
	.name = "matrices",
	TP_TABLE(struct tp_matrix_row, matrix_columns),
};

_Static_assert(sizeof(struct tp_matrix_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

/* Every point of a matrix carries it: the last one counts. */
static enum tp_status add_matrix(struct tp_run *run, const void *row)
{
	const struct tp_matrix_row *m = row;
	struct tp_matrix_row *rows = tp_run_matrices(run), *added;
	for (size_t i = 0; i < tp_run_n_matrices(run); i++)
		if (rows[i].run == m->run && rows[i].threads == m->threads &&
		    strcmp(rows[i].matrix, m->matrix) == 0 &&
		    strcmp(rows[i].reorder, m->reorder) == 0) {
			rows[i] = *m;
			return TP_OK;
		}
	if (tp_run_n_matrices(run) >= TP_RUN_POINTS_MAX)
		return TP_RESOURCE;
	added = tp_run_add_row(run, &tp_matrix_part);
	memcpy(added, row, sizeof(*added));
	return TP_OK;
}

const struct tp_part tp_matrix_part = {
	.table = &matrix_table, .place = 8, .measured = true, .add = add_matrix
};

const struct tp_row_event tp_matrix_event = {
	.name = "matrix",
	.table = &matrix_table,
	.exact = true,
	.part = &tp_matrix_part,
};

const struct tp_spmv_row *tp_spmv_row(const struct tp_point *point)
{
	return tp_point_row(point, &spmv_table);
}

bool tp_spmv_is_done(const struct tp_point *point)
{
	return point->state == TP_POINT_DONE && tp_spmv_row(point)->format[0];
}

bool tp_spmv_belongs(const struct tp_point *p, const struct tp_matrix_row *m)
{
	const struct tp_spmv_row *row = tp_spmv_row(p);
	return tp_spmv_is_done(p) && p->run == m->run && p->threads == m->threads &&
	       strcmp(row->matrix, m->matrix) == 0 && strcmp(row->reorder, m->reorder) == 0;
}

double tp_spmv_seconds(const struct tp_point *point)
{
	return pass_ns(tp_spmv_row(point)) * 1e-9;
}

const struct tp_schema_row tp_schema_spmv = {
	.points = { "spmv", &spmv_table, tp_kernel_headline, tp_window_judge },
	TP_PARTS(&tp_roof_part, &tp_dot_part, &tp_matrix_part),
	TP_ROW_EVENTS(&tp_matrix_event),
};
