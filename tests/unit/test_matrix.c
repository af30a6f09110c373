/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse matrices: generators, structure, formats and their loops against each other, reordering.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/facts.h"
#include "matrix/loops.h"
#include "matrix/market.h"
#include "matrix/source.h"
#include "matrix/matrix.h"

static const char symmetric[] =
	"%%MatrixMarket matrix coordinate real symmetric\n"
	"% lower triangle\n"
	"5 5 7\n1 1 2\n2 1 -1.5\n2 2 4\n4 2 0.25\n5 3 7e-3\n5 5 1\n3 3 -8\n";
static const char skew[] = "%%MatrixMarket matrix coordinate integer skew-symmetric\n"
			   "4 4 3\n2 1 3\n4 1 -2\n4 3 11\n";
static const char pattern[] = "%%MatrixMarket matrix coordinate pattern general\n"
			      "6 6 8\n1 6\n6 1\n2 2\n2 3\n2 4\n2 5\n5 2\n3 3\n";
static const char empty_rows[] = "%%MatrixMarket matrix coordinate real general\n"
				 "9 9 3\n2 9 1.5\n9 2 -1\n2 2 3\n";
static const char single[] = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 -2.5\n";
static const char wide[] = "%%MatrixMarket matrix coordinate real general\n"
			   "3 11 5\n1 11 1\n2 1 2\n2 10 3\n3 5 4\n3 6 5\n";
static const char none[] = "%%MatrixMarket matrix coordinate real general\n3 2 0\n";

/* Words of a source, or a text of Matrix Market. */
static const char *const matrices[] = { "laplace2d:37",
					"laplace3d:11",
					"banded:1003,6",
					"blocks:998,4",
					"blocks:600,3,5",
					"random:2000,32011",
					"powerlaw:1500,20000",
					"random:40,1500",
					symmetric,
					skew,
					pattern,
					empty_rows,
					single,
					wide,
					none };
enum { N_MATRICES = sizeof(matrices) / sizeof(matrices[0]) };

static void load(const char *text, uint64_t seed, struct tp_matrix *m)
{
	struct tp_diag diag = { 0 };
	struct tp_matrix_source source;
	struct tp_market market;
	size_t summed;
	enum tp_status status;
	if (text[0] == '%') {
		status = tp_market_parse("text.mtx", text, strlen(text), TP_MARKET_MATRIX, &market,
					 m, &diag);
	} else {
		status = tp_matrix_source_parse(&source, text, &diag);
		if (status == TP_OK)
			status = tp_matrix_load(&source, seed, m, &summed, &diag);
	}
	if (status != TP_OK)
		fail_msg("%s: %s: %s", text, diag.where, diag.what);
}

static void assert_sound(const struct tp_matrix *m)
{
	assert_int_equal(m->starts[0], 0);
	for (uint32_t i = 0; i < m->n_rows; i++) {
		assert_true(m->starts[i] <= m->starts[i + 1]);
		for (uint32_t k = m->starts[i]; k < m->starts[i + 1]; k++) {
			assert_true(m->columns[k] < m->n_columns);
			assert_true(k == m->starts[i] || m->columns[k - 1] < m->columns[k]);
			assert_true(isfinite(m->values[k]));
		}
	}
}

static double *vector(size_t n)
{
	size_t bytes = ((n + TP_VECTOR_SLACK) * sizeof(double) + 63) / 64 * 64;
	double *v = aligned_alloc(64, bytes);
	assert_non_null(v);
	memset(v, 0, bytes);
	return v;
}

static uint32_t entries_of(const char *text)
{
	struct tp_matrix m;
	load(text, 1, &m);
	assert_sound(&m);
	uint32_t n = tp_matrix_entries(&m);
	tp_matrix_release(&m);
	return n;
}

static void test_generators_keep_their_word(void **state)
{
	(void)state;
	assert_int_equal(entries_of("laplace2d:10"), 5 * 100 - 4 * 10);
	assert_int_equal(entries_of("laplace3d:6"), 7 * 216 - 6 * 36);
	assert_int_equal(entries_of("banded:100,3"), 700 - 12);
	assert_int_equal(entries_of("banded:5,0"), 5);
	assert_int_equal(entries_of("random:1000,12345"), 12345);
	assert_int_equal(entries_of("random:30,900"), 900);
	assert_int_equal(entries_of("powerlaw:1000,12345"), 12345);
	assert_int_equal(entries_of("powerlaw:20,399"), 399);
	/* 25 rows of blocks, 4 each; all are whole. */
	assert_int_equal(entries_of("blocks:100,4"), 25 * 4 * 16);
	assert_int_equal(entries_of("blocks:100,4,1"), 25 * 16);
}

static void test_a_seed_repeats_a_matrix(void **state)
{
	(void)state;
	struct tp_matrix a, b, c;
	load("powerlaw:500,6000", 7, &a);
	load("powerlaw:500,6000", 7, &b);
	load("powerlaw:500,6000", 8, &c);
	assert_memory_equal(a.starts, b.starts, 501 * sizeof(*a.starts));
	assert_memory_equal(a.columns, b.columns, 6000 * sizeof(*a.columns));
	assert_memory_equal(a.values, b.values, 6000 * sizeof(*a.values));
	assert_memory_not_equal(a.columns, c.columns, 6000 * sizeof(*a.columns));
	for (uint32_t k = 0; k < 6000; k++)
		assert_true(a.values[k] != 0 && fabs(a.values[k]) < 1);
	tp_matrix_release(&a);
	tp_matrix_release(&b);
	tp_matrix_release(&c);
}

/* All loops of a layout, on any number of threads, give what the reference gives. */
static void hold_layout(const struct tp_matrix *m, const struct tp_sparse *l, const double *x,
			const double *expected, const double *magnitude, const char *name)
{
	struct tp_spmv_loop loops[TP_SPMV_LOOPS_MAX];
	unsigned n = tp_spmv_loops(l, loops);
	struct tp_sparse copy;
	void *place = aligned_alloc(64, tp_sparse_memory(l) + 64);
	assert_non_null(place);
	memset(place, 0xff, tp_sparse_memory(l));
	tp_sparse_place(l, place, &copy);
	double *y = vector(m->n_rows);
	assert_true(n >= 1);
	for (unsigned i = 0; i < n; i++)
		for (unsigned shares = 1; shares <= 7; shares += 3) {
			uint32_t border[8], row;
			tp_sparse_split(l, shares, border);
			assert_int_equal(border[0], 0);
			assert_int_equal(border[shares], m->n_rows);
			memset(y, 0xff, m->n_rows * sizeof(*y)); /* NaN: every row is written */
			for (unsigned s = 0; s < shares; s++)
				tp_sparse_copy_rows(l, &copy, border[s], border[s + 1]);
			for (unsigned s = 0; s < shares; s++) {
				assert_true(border[s] <= border[s + 1]);
				struct tp_spmv_share share = { &copy, x, y, border[s],
							       border[s + 1] };
				loops[i].run(&share, 2);
			}
			if (tp_matrix_differs(m, y, expected, magnitude, &row))
				fail_msg("%.60s: %s %s, %u shares: row %u is %.17g, not %.17g",
					 name, tp_format_name(l->format), loops[i].name, shares,
					 row, y[row], expected[row]);
		}
	free(place);
	free(y);
}

static void hold_formats(const struct tp_matrix *m, const char *name)
{
	struct tp_matrix_facts facts;
	struct tp_diag diag = { 0 };
	double *x = vector(m->n_columns), *expected = vector(m->n_rows),
	       *magnitude = vector(m->n_rows);
	for (uint32_t j = 0; j < m->n_columns; j++)
		x[j] = 1 / (j + 1.5) - 0.01 * (j % 7);
	tp_matrix_multiply(m, x, expected, magnitude);
	tp_matrix_look(m, &facts);
	for (unsigned f = 0; f < TP_SPARSE_FORMATS; f++)
		for (size_t b = 0; b < (f == TP_SPARSE_BCSR ? tp_block_shape_count : 1); b++) {
			struct tp_sparse l;
			struct tp_matrix_facts own = facts;
			if (f == TP_SPARSE_BCSR) {
				own.block = tp_block_shapes[b];
				own.block_fill = (double)facts.n_entries /
						 ((double)tp_matrix_blocks(m, own.block) *
						  own.block.rows * own.block.columns);
				if (!facts.n_entries)
					own.block_fill = 1;
			}
			if (tp_sparse_make(m, &own, (enum tp_sparse_format)f, INFINITY, &l,
					   &diag) != TP_OK)
				fail_msg("%.60s: %s", name, diag.what);
			assert_true(l.stored >= facts.n_entries);
			assert_true(l.bytes >= 8 * l.stored);
			hold_layout(m, &l, x, expected, magnitude, name);
			tp_sparse_release(&l);
		}
	free(x);
	free(expected);
	free(magnitude);
}

static void test_formats_agree(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_MATRICES; i++) {
		struct tp_matrix m;
		load(matrices[i], 3, &m);
		assert_sound(&m);
		hold_formats(&m, matrices[i]);
		tp_matrix_release(&m);
	}
}

/* The check that all this rests on sees one wrong number. */
static void test_a_wrong_row_is_found(void **state)
{
	(void)state;
	struct tp_matrix m;
	uint32_t row = 0;
	load("random:300,5000", 1, &m);
	double *x = vector(300), *y = vector(300), *size = vector(300), *other = vector(300);
	for (int j = 0; j < 300; j++)
		x[j] = 1 + j;
	tp_matrix_multiply(&m, x, y, size);
	memcpy(other, y, 300 * sizeof(*y));
	assert_false(tp_matrix_differs(&m, other, y, size, &row));
	other[123] = y[123] * (1 + 1e-12) + 1e-9;
	assert_true(tp_matrix_differs(&m, other, y, size, &row));
	assert_int_equal(row, 123);
	struct tp_diag diag;
	assert_int_equal(tp_matrix_check(&m, other, y, size, "csr", &diag), TP_FAILED);
	char what[200];
	snprintf(what, sizeof(what), "wrong result: row 124 is %.17g, expected %.17g", other[123],
		 y[123]);
	assert_string_equal(diag.what, what);
	assert_string_equal(diag.where, "csr");
	assert_int_equal(tp_matrix_check(&m, y, y, size, "csr", &diag), TP_OK);
	other[123] = y[123];
	other[7] = NAN;
	assert_true(tp_matrix_differs(&m, other, y, size, &row));
	assert_int_equal(row, 7);
	free(x);
	free(y);
	free(size);
	free(other);
	tp_matrix_release(&m);
}

static struct tp_matrix_facts look(const char *text)
{
	struct tp_matrix m;
	struct tp_matrix_facts f;
	load(text, 1, &m);
	tp_matrix_look(&m, &f);
	tp_matrix_release(&m);
	return f;
}

static void test_facts_are_known(void **state)
{
	(void)state;
	struct tp_matrix_facts f = look("laplace2d:20");
	assert_int_equal(f.n_rows, 400);
	assert_int_equal(f.n_diagonals, 5);
	assert_int_equal(f.bandwidth, 20);
	assert_int_equal(f.row_min, 3);
	assert_int_equal(f.row_max, 5);
	assert_int_equal(f.empty_rows, 0);
	assert_true(f.symmetric);
	assert_true(fabs(f.dia_fill - (5 * 400.0 - 80) / 2000) < 1e-12);
	f = look("banded:1000,4");
	assert_int_equal(f.n_diagonals, 9);
	assert_int_equal(f.bandwidth, 4);
	assert_true(f.scatter < 0.01);
	f = look("blocks:800,4");
	assert_int_equal(f.block.rows, 4);
	assert_int_equal(f.block.columns, 4);
	assert_true(f.block_fill == 1);
	assert_true(f.row_spread == 0 && f.row_max == 16);
	f = look("blocks:600,3");
	assert_int_equal(f.block.rows, 3);
	f = look(empty_rows);
	assert_int_equal(f.empty_rows, 7);
	assert_int_equal(f.n_diagonals, 3);
	assert_int_equal(f.bandwidth, 7);
	assert_true(f.symmetric);
	f = look(wide);
	assert_false(f.symmetric);
	assert_int_equal(f.bandwidth, 10);
	f = look(pattern);
	assert_false(f.symmetric);
	f = look("random:100000,400000");
	assert_true(f.scatter > 0.5);
	f = look(none);
	assert_int_equal(f.n_entries, 0);
	assert_int_equal(f.n_diagonals, 0);
}

/* What a layout takes is what was said before it was made. */
static void test_sizes_are_told_before(void **state)
{
	(void)state;
	struct tp_matrix m;
	struct tp_matrix_facts f;
	struct tp_sparse l;
	struct tp_diag diag = { 0 };
	load("blocks:803,4", 1, &m);
	tp_matrix_look(&m, &f);
	assert_int_equal(tp_sparse_make(&m, &f, TP_SPARSE_BCSR, 8, &l, &diag), TP_OK);
	assert_int_equal(l.stored, l.starts[(m.n_rows + 3) / 4] * 16);
	assert_int_equal(l.bytes, l.starts[(m.n_rows + 3) / 4] * (16 * 8 + 4) + 4 * 202);
	tp_sparse_release(&l);
	assert_int_equal(tp_sparse_make(&m, &f, TP_SPARSE_CSR, 8, &l, &diag), TP_OK);
	assert_int_equal(l.bytes, 12 * tp_matrix_entries(&m) + 4 * 804);
	tp_sparse_release(&l);
	tp_matrix_release(&m);
}

static void test_padding_is_limited(void **state)
{
	(void)state;
	struct tp_matrix m;
	struct tp_matrix_facts f;
	struct tp_sparse l;
	struct tp_diag diag = { 0 };
	load("random:3000,9000", 1, &m);
	tp_matrix_look(&m, &f);
	assert_int_equal(tp_sparse_make(&m, &f, TP_SPARSE_DIA, 8, &l, &diag), TP_UNSUPPORTED);
	assert_non_null(strstr(diag.what, "dia is left out: the non-zeros lie on "));
	assert_non_null(strstr(diag.hint, "padding"));
	assert_null(l.values);
	tp_matrix_release(&m);
}

static const char *advised(const char *text)
{
	struct tp_matrix_facts f = look(text);
	struct tp_matrix_advice a;
	tp_matrix_advise(&f, 8, 4 << 20, 1, &a);
	assert_true(a.why[0] != '\0');
	assert_true(a.cycles[a.format] > 0 || !f.n_entries);
	for (unsigned i = 0; i < TP_SPARSE_FORMATS; i++)
		assert_true(!(a.cycles[i] > 0) || a.cycles[a.format] <= a.cycles[i]);
	return tp_format_name(a.format);
}

static void test_advice_follows_the_structure(void **state)
{
	(void)state;
	assert_string_equal(advised("laplace2d:100"), "dia");
	assert_string_equal(advised("laplace3d:20"), "dia");
	assert_string_equal(advised("banded:5000,10"), "dia");
	assert_string_equal(advised("blocks:4000,4"), "bcsr");
	assert_string_equal(advised("powerlaw:5000,60000"), "csr");
}

static void hold_order(const char *text, bool narrower)
{
	struct tp_matrix m, p;
	struct tp_matrix_facts before, after;
	struct tp_diag diag = { 0 };
	uint32_t *order;
	load(text, 5, &m);
	assert_int_equal(tp_matrix_rcm(&m, &order, &diag), TP_OK);
	bool *seen = calloc(m.n_rows, sizeof(*seen));
	for (uint32_t i = 0; i < m.n_rows; i++) {
		assert_true(order[i] < m.n_rows);
		assert_false(seen[order[i]]);
		seen[order[i]] = true;
	}
	assert_int_equal(tp_matrix_permute(&m, order, &p, &diag), TP_OK);
	assert_sound(&p);
	assert_int_equal(tp_matrix_entries(&p), tp_matrix_entries(&m));
	/* P A P^T (P x) = P (A x), up to the order of additions. */
	double *x = vector(m.n_rows), *y = vector(m.n_rows), *px = vector(m.n_rows),
	       *py = vector(m.n_rows);
	for (uint32_t i = 0; i < m.n_rows; i++)
		x[i] = i % 2 ? 1.0 + i : -0.5;
	for (uint32_t i = 0; i < m.n_rows; i++)
		px[i] = x[order[i]];
	tp_matrix_multiply(&m, x, y, NULL);
	tp_matrix_multiply(&p, px, py, NULL);
	for (uint32_t i = 0; i < m.n_rows; i++)
		assert_true(fabs(py[i] - y[order[i]]) <= 1e-12 * (1 + fabs(y[order[i]])));
	tp_matrix_look(&m, &before);
	tp_matrix_look(&p, &after);
	assert_true(!narrower || after.bandwidth < before.bandwidth);
	free(x);
	free(y);
	free(px);
	free(py);
	free(seen);
	free(order);
	tp_matrix_release(&m);
	tp_matrix_release(&p);
}

/* A mesh whose points were numbered at random, and several parts: what the order is for. */
static char *shuffled_mesh(void)
{
	enum { SIDE = 20, N = 2 * SIDE * SIDE };
	static char text[N * 5 * 16 + 100];
	uint32_t number[N];
	uint64_t random = 9;
	int at = 0, n = 0;
	for (uint32_t i = 0; i < N; i++)
		number[i] = i;
	for (uint32_t i = N; i > 1; i--) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		uint32_t k = (uint32_t)((random >> 33) % i), kept = number[k];
		number[k] = number[i - 1];
		number[i - 1] = kept;
	}
	for (int pass = 0; pass < 2; pass++) {
		if (pass)
			at = sprintf(
				text,
				"%%%%MatrixMarket matrix coordinate pattern general\n%d %d %d\n", N,
				N, n);
		for (int i = 0; i < N; i++) {
			int x = i % SIDE, y = i / SIDE % SIDE;
			int to[3] = { i, x + 1 < SIDE ? i + 1 : -1, y + 1 < SIDE ? i + SIDE : -1 };
			for (int k = 0; k < 3; k++) {
				n += !pass && to[k] >= 0;
				if (pass && to[k] >= 0)
					at += sprintf(text + at, "%u %u\n", number[i] + 1,
						      number[to[k]] + 1);
			}
		}
	}
	return text;
}

static void test_rcm_narrows_the_band(void **state)
{
	(void)state;
	const char *mesh = shuffled_mesh();
	hold_order(mesh, true);
	/* Two meshes of 20 x 20: the band of their best order is 20 wide, a breadth-first one 39.
	 */
	struct tp_matrix m, p;
	struct tp_matrix_facts facts;
	uint32_t *order;
	load(mesh, 0, &m);
	assert_int_equal(tp_matrix_rcm(&m, &order, NULL), TP_OK);
	assert_int_equal(tp_matrix_permute(&m, order, &p, NULL), TP_OK);
	tp_matrix_look(&p, &facts);
	assert_true(facts.bandwidth <= 39);
	free(order);
	tp_matrix_release(&m);
	tp_matrix_release(&p);
}

static void test_rcm_takes_any_square_matrix(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_MATRICES; i++)
		if (matrices[i] != wide && matrices[i] != none)
			hold_order(matrices[i], false);
	struct tp_matrix m;
	struct tp_diag diag = { 0 };
	uint32_t *order;
	load(wide, 0, &m);
	assert_int_equal(tp_matrix_rcm(&m, &order, &diag), TP_USAGE);
	assert_null(order);
	assert_non_null(strstr(diag.what, "3 rows and 11 columns"));
	tp_matrix_release(&m);
}

static void test_sources_are_checked(void **state)
{
	(void)state;
	static const struct {
		const char *text, *what;
	} bad[] = {
		{ "laplace2d:", "other numbers" },    { "laplace2d:5,5", "other numbers" },
		{ "laplace2d:0", "a number is 0" },   { "laplace3d:400", "at most" },
		{ "banded:10", "other numbers" },     { "banded:10,10", "fewer than W diagonals" },
		{ "banded:1000000,1000", "at most" }, { "blocks:10,11", "larger than the matrix" },
		{ "blocks:10,0", "a number is 0" },   { "random:10,101", "fewer places" },
		{ "random:10,1e2", "other numbers" }, { "random:99999999999,1", "too large" },
		{ "random:10,5,", "other numbers" },  { "powerlaw:60000000,60000000", "at most" },
		{ "powerlaw:-5,4", "other numbers" },
	};
	struct tp_matrix_source source;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct tp_diag diag = { 0 };
		assert_int_equal(tp_matrix_source_parse(&source, bad[i].text, &diag), TP_USAGE);
		if (!strstr(diag.what, bad[i].what))
			fail_msg("%s: %s", bad[i].text, diag.what);
		assert_string_equal(diag.where, bad[i].text);
		assert_true(diag.hint[0] != '\0');
	}
	struct tp_diag diag = { 0 };
	assert_int_equal(tp_matrix_source_parse(&source, "laplace:5", &diag), TP_NOTFOUND);
	assert_non_null(strstr(diag.hint, "laplace2d:N"));
	assert_int_equal(tp_matrix_source_parse(&source, "random:1000000,16000000", &diag), TP_OK);
	assert_int_equal(source.n_rows, 1000000);
	assert_int_equal(source.entries, 16000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generators_keep_their_word),
		cmocka_unit_test(test_a_seed_repeats_a_matrix),
		cmocka_unit_test(test_formats_agree),
		cmocka_unit_test(test_a_wrong_row_is_found),
		cmocka_unit_test(test_facts_are_known),
		cmocka_unit_test(test_sizes_are_told_before),
		cmocka_unit_test(test_padding_is_limited),
		cmocka_unit_test(test_advice_follows_the_structure),
		cmocka_unit_test(test_rcm_narrows_the_band),
		cmocka_unit_test(test_rcm_takes_any_square_matrix),
		cmocka_unit_test(test_sources_are_checked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
