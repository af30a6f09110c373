/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a Matrix Market file: must not crash, must say what is wrong and where, and what is
 * taken must be a matrix that every format can hold.
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_matrix_market
 * tests/fuzz/corpus/matrix_market
 */
#include <math.h>
#include <string.h>

#include "matrix/facts.h"
#include "matrix/loops.h"
#include "matrix/market.h"
#include "tests/fuzz/promise.h"

/* A file of a few bytes may announce rows by the million: memory for them is not what is tried. */
enum { ROWS_MAX = 5000 };

static void check(const struct tp_matrix *m)
{
	must(m->n_rows > 0 && m->n_columns > 0, "a matrix has rows and columns");
	must(m->starts[0] == 0, "the first row begins at 0");
	for (uint32_t i = 0; i < m->n_rows; i++) {
		must(m->starts[i] <= m->starts[i + 1], "rows follow each other");
		for (uint32_t k = m->starts[i]; k < m->starts[i + 1]; k++) {
			must(m->columns[k] < m->n_columns, "columns are there");
			must(k == m->starts[i] || m->columns[k - 1] < m->columns[k],
			     "columns are in order, none twice");
			must(isfinite(m->values[k]), "values are finite");
		}
	}
}

static void check_formats(const struct tp_matrix *m)
{
	struct tp_matrix_facts facts;
	struct tp_diag diag;
	tp_matrix_look(m, &facts);
	for (unsigned f = 0; f < TP_SPARSE_FORMATS; f++) {
		struct tp_sparse layout;
		enum tp_status status =
			tp_sparse_make(m, &facts, (enum tp_sparse_format)f, 4, &layout, &diag);
		must(status == TP_OK || (status == TP_UNSUPPORTED && diag.what[0]),
		     "a format holds it, or says why not");
		if (status != TP_OK)
			continue;
		static double x[ROWS_MAX + TP_VECTOR_SLACK], y[ROWS_MAX + TP_VECTOR_SLACK];
		struct tp_spmv_loop loops[TP_SPMV_LOOPS_MAX];
		struct tp_spmv_share share = { &layout, x, y, 0, m->n_rows };
		unsigned n = tp_spmv_loops(&layout, loops);
		loops[n - 1].run(&share, 1);
		tp_sparse_release(&layout);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_market market;
	struct tp_matrix matrix;
	struct tp_diag diag = { 0 };
	const char *text = (const char *)data;
	enum tp_status status =
		tp_market_parse("input.mtx", text, size, TP_MARKET_HEAD, &market, NULL, &diag);
	struct tp_market checked;
	enum tp_status check_status =
		tp_market_parse("input.mtx", text, size, TP_MARKET_CHECK, &checked, NULL, &diag);
	if (status == TP_OK && (market.n_rows > ROWS_MAX || market.n_columns > ROWS_MAX))
		return 0;
	if (status == TP_OK)
		status = tp_market_parse("input.mtx", text, size, TP_MARKET_MATRIX, &market,
					 &matrix, &diag);
	must(status == check_status || (check_status == TP_OK && strstr(diag.what, "add up")),
	     "a check finds what reading finds");
	if (status != TP_OK) {
		must(diag.where[0] && diag.what[0], "a failure has a place and words");
		return 0;
	}
	check(&matrix);
	check_formats(&matrix);
	tp_matrix_release(&matrix);
	return 0;
}
