/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader of Matrix Market files: what it takes, and what it says of what it does not take. */
#include "tests/unit/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include "matrix/source.h"

#define REAL	"%%MatrixMarket matrix coordinate real general\n"
#define INTEGER "%%MatrixMarket matrix coordinate integer general\n"
#define PATTERN "%%MatrixMarket matrix coordinate pattern general\n"
#define SYM	"%%MatrixMarket matrix coordinate real symmetric\n"
#define SKEW	"%%MatrixMarket matrix coordinate real skew-symmetric\n"

static double value_at(const struct tp_matrix *m, uint32_t row, uint32_t column)
{
	for (uint32_t k = m->starts[row - 1]; k < m->starts[row]; k++)
		if (m->columns[k] == column - 1)
			return m->values[k];
	return 0;
}

static struct tp_market read_text(const char *text, struct tp_matrix *m)
{
	struct tp_market market;
	struct tp_diag diag = { 0 };
	if (tp_market_parse("a.mtx", text, strlen(text), &market, m, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	return market;
}

static void test_kinds_and_symmetries(void **state)
{
	(void)state;
	struct tp_matrix m;
	read_text(REAL "2 3 2\n1 3 -1.5e-3\n2 1 4\n", &m);
	assert_int_equal(m.n_rows, 2);
	assert_int_equal(m.n_columns, 3);
	assert_true(value_at(&m, 1, 3) == -1.5e-3 && value_at(&m, 2, 1) == 4);
	tp_matrix_release(&m);

	read_text(PATTERN "2 2 1\n2 1\n", &m);
	assert_true(value_at(&m, 2, 1) == 1 && value_at(&m, 1, 2) == 0);
	tp_matrix_release(&m);

	struct tp_market market = read_text(SYM "2 2 2\n1 1 3\n2 1 5\n", &m);
	assert_true(market.symmetric);
	assert_int_equal(tp_matrix_entries(&m), 3);
	assert_true(value_at(&m, 1, 2) == 5 && value_at(&m, 2, 1) == 5);
	tp_matrix_release(&m);

	read_text(SKEW "2 2 1\n2 1 5\n", &m);
	assert_int_equal(tp_matrix_entries(&m), 2);
	assert_true(value_at(&m, 1, 2) == -5 && value_at(&m, 2, 1) == 5);
	tp_matrix_release(&m);
}

static void test_what_else_a_file_may_have(void **state)
{
	(void)state;
	struct tp_matrix m;
	/* Other case, carriage returns, comments and blank lines anywhere, tabs, no last line feed.
	 */
	struct tp_market market = read_text("%%matrixmarket MATRIX Coordinate Real GENERAL\r\n"
					    "% one\r\n\r\n%\r\n 3\t3  4 \r\n"
					    "3 3 1\r\n% two\r\n\r\n\t1 2 +2.5\r\n1 2 0.5\r\n2 1 7",
					    &m);
	assert_int_equal(market.summed, 1);
	assert_int_equal(tp_matrix_entries(&m), 3);
	assert_true(value_at(&m, 1, 2) == 3 && value_at(&m, 2, 1) == 7 && value_at(&m, 3, 3) == 1);
	tp_matrix_release(&m);
	/* Rows come in any order, and entries of a row as well. */
	read_text(REAL "2 4 6\n2 4 1\n1 3 2\n2 1 3\n1 1 4\n2 2 5\n1 4 6\n", &m);
	assert_int_equal(m.columns[0], 0);
	assert_int_equal(m.columns[1], 2);
	assert_int_equal(m.columns[2], 3);
	assert_true(value_at(&m, 2, 2) == 5 && value_at(&m, 2, 4) == 1);
	tp_matrix_release(&m);
	read_text(REAL "7 7 0\n", &m);
	assert_int_equal(tp_matrix_entries(&m), 0);
	tp_matrix_release(&m);
}

/* A row of 1,000 entries is sorted by another way than short ones. */
static void test_long_rows_are_sorted(void **state)
{
	(void)state;
	enum { N = 1000 };
	static char text[N * 16 + 200];
	struct tp_matrix m;
	int at = sprintf(text, "%s2 %d %d\n", REAL, N, N);
	for (int i = 0; i < N; i++)
		at += sprintf(text + at, "2 %d %d\n", i * 7 % N + 1, i);
	read_text(text, &m);
	assert_int_equal(m.starts[1], 0);
	for (uint32_t i = 0; i < N; i++) {
		assert_int_equal(m.columns[i], i);
		assert_true((int)m.values[i] * 7 % N == (int)i);
	}
	tp_matrix_release(&m);
}

static void test_errors_name_the_line(void **state)
{
	(void)state;
	static const struct {
		const char *text, *where, *what;
	} bad[] = {
		{ "", "a.mtx", "empty" },
		{ "1 1 1\n", "a.mtx:1", "no Matrix Market file: it begins with \"1\"" },
		{ "%%MatrixMarket vector coordinate real general\n", "a.mtx:1",
		  "\"vector\" is no matrix" },
		{ "%%MatrixMarket matrix array real general\n", "a.mtx:1", "dense" },
		{ "%%MatrixMarket matrix rows real general\n", "a.mtx:1", "\"rows\"" },
		{ "%%MatrixMarket matrix coordinate complex general\n", "a.mtx:1", "complex" },
		{ "%%MatrixMarket matrix coordinate real hermitian\n", "a.mtx:1", "hermitian" },
		{ "%%MatrixMarket matrix coordinate text general\n", "a.mtx:1", "\"text\"" },
		{ "%%MatrixMarket matrix coordinate real odd\n", "a.mtx:1", "\"odd\"" },
		{ "%%MatrixMarket matrix coordinate real\n", "a.mtx:1", "symmetry" },
		{ "%%MatrixMarket matrix coordinate real general x\n", "a.mtx:1", "too many" },
		{ "%%MatrixMarket matrix coordinate pattern skew-symmetric\n", "a.mtx:1",
		  "pattern" },
		{ REAL, "a.mtx", "before the line" },
		{ REAL "%\n\n", "a.mtx", "before the line" },
		{ REAL "3 3\n", "a.mtx:2", "rows, columns" },
		{ REAL "3 3 1 1\n", "a.mtx:2", "rows, columns" },
		{ REAL "-3 3 1\n", "a.mtx:2", "rows, columns" },
		{ REAL "3 3 99999999999999999999\n", "a.mtx:2", "rows, columns" },
		{ REAL "0 3 0\n", "a.mtx:2", "no rows" },
		{ REAL "3 0 0\n", "a.mtx:2", "no columns" },
		{ REAL "3 3000000000 1\n", "a.mtx:2", "at most 50000000" },
		{ REAL "% c\n3 3 3000000000\n", "a.mtx:3", "at most 100000000" },
		{ SYM "3 4 1\n", "a.mtx:2", "as many columns as rows" },
		{ REAL "3 3 2\n1 1 1\n", "a.mtx", "after 1 of 2 entries" },
		{ REAL "3 3 1\n1 1 1\n\n%\n2 2 2\n", "a.mtx:6", "more than the 1" },
		{ REAL "3 3 1\n0 1 1\n", "a.mtx:3", "row 0 is not one of 1 to 3" },
		{ REAL "3 3 1\n4 1 1\n", "a.mtx:3", "row 4" },
		{ REAL "3 3 1\n1 4 1\n", "a.mtx:3", "column 4 is not one of 1 to 3" },
		{ REAL "3 3 1\n1 -1 1\n", "a.mtx:3", "its row and its column" },
		{ REAL "3 3 1\n1.5 1 1\n", "a.mtx:3", "its row and its column" },
		{ REAL "3 3 1\n1\n", "a.mtx:3", "its row and its column" },
		{ REAL "3 3 1\n1 1\n", "a.mtx:3", "no value" },
		{ REAL "3 3 1\n1 1 x\n", "a.mtx:3", "\"x\" is no number" },
		{ REAL "3 3 1\n1 1 0x1p3\n", "a.mtx:3", "is no number" },
		{ REAL "3 3 1\n1 1 1.5z\n", "a.mtx:3", "is no number" },
		{ REAL "3 3 1\n1 1 nan\n", "a.mtx:3", "\"nan\" is not finite" },
		{ REAL "3 3 1\n1 1 -inf\n", "a.mtx:3", "not finite" },
		{ REAL "3 3 1\n1 1 1e999\n", "a.mtx:3", "not finite" },
		{ REAL "3 3 1\n1 1 1 0\n", "a.mtx:3", "too many" },
		{ REAL "3 3 2\n1 1 1.7e308\n1 1 1.7e308\n", "a.mtx", "row 1, column 1 add up" },
		{ INTEGER "3 3 1\n1 1 1.5\n", "a.mtx:3", "no whole number" },
		{ PATTERN "3 3 1\n1 1 1\n", "a.mtx:3", "too many" },
		{ SYM "3 3 1\n1 2 1\n", "a.mtx:3", "above the diagonal" },
		{ SKEW "3 3 1\n1 2 1\n", "a.mtx:3", "above the diagonal" },
		{ SKEW "3 3 1\n2 2 1\n", "a.mtx:3", "the diagonal" },
		{ REAL "3 3 1\n1 1 \033[31m\n", "a.mtx:3", "\"?[31m\"" },
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct tp_matrix m;
		struct tp_market market;
		struct tp_diag diag = { 0 };
		assert_int_equal(tp_market_parse("a.mtx", bad[i].text, strlen(bad[i].text), &market,
						 &m, &diag),
				 TP_USAGE);
		assert_null(m.starts);
		if (strcmp(diag.where, bad[i].where) != 0 || !strstr(diag.what, bad[i].what))
			fail_msg("%s gives %s: %s", bad[i].text, diag.where, diag.what);
	}
}

static void test_zero_bytes_and_long_lines(void **state)
{
	(void)state;
	struct tp_matrix m;
	struct tp_market market;
	struct tp_diag diag = { 0 };
	static const char zero[] = REAL "3 3 1\n1 1\0 5\n";
	assert_int_equal(tp_market_parse("a.mtx", zero, sizeof(zero) - 1, &market, &m, &diag),
			 TP_USAGE);
	assert_string_equal(diag.where, "a.mtx:3");
	assert_non_null(strstr(diag.what, "zero byte"));
	static char text[3000] = REAL;
	size_t n = strlen(text);
	text[n] = '%';
	memset(text + n + 1, 'c', TP_MARKET_LINE_MAX);
	assert_int_equal(tp_market_parse("a.mtx", text, strlen(text), &market, &m, &diag),
			 TP_USAGE);
	assert_string_equal(diag.where, "a.mtx:2");
	assert_non_null(strstr(diag.what, "more than 1024 bytes"));
}

static void test_files(void **state)
{
	(void)state;
	char folder[] = "/tmp/tprof-test-market-XXXXXX", path[TP_PATH_MAX];
	struct tp_matrix m;
	struct tp_market market;
	struct tp_diag diag = { 0 };
	assert_non_null(mkdtemp(folder));
	put_file(folder, "good.mtx", SYM "3 3 2\n1 1 1\n3 2 2\n");
	snprintf(path, sizeof(path), "%s/good.mtx", folder);
	assert_int_equal(tp_market_read(path, &market, NULL, &diag), TP_OK);
	assert_int_equal(market.n_rows, 3);
	assert_int_equal(market.n_entries, 2);
	assert_true(market.symmetric);
	assert_int_equal(tp_market_read(path, &market, &m, &diag), TP_OK);
	assert_int_equal(tp_matrix_entries(&m), 3);
	tp_matrix_release(&m);

	/* The head says nothing of what comes after it; reading does. */
	put_file(folder, "bad.mtx", SYM "3 3 2\n1 1 1\n3 9 2\n");
	snprintf(path, sizeof(path), "%s/bad.mtx", folder);
	assert_int_equal(tp_market_read(path, &market, NULL, &diag), TP_OK);
	assert_int_equal(tp_market_read(path, &market, &m, &diag), TP_USAGE);
	char where[TP_PATH_MAX + 8];
	snprintf(where, sizeof(where), "%s:4", path);
	assert_string_equal(diag.where, where);

	snprintf(path, sizeof(path), "%s/missing.mtx", folder);
	assert_int_equal(tp_market_read(path, &market, NULL, &diag), TP_NOTFOUND);
	snprintf(path, sizeof(path), "%s/pipe.mtx", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(tp_market_read(path, &market, &m, &diag), TP_USAGE);
	assert_int_equal(tp_market_read(folder, &market, &m, &diag), TP_USAGE);
	assert_int_equal(tp_market_read("/dev/zero", &market, &m, &diag), TP_USAGE);
	assert_int_equal(remove_tree(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds_and_symmetries),
		cmocka_unit_test(test_what_else_a_file_may_have),
		cmocka_unit_test(test_long_rows_are_sorted),
		cmocka_unit_test(test_errors_name_the_line),
		cmocka_unit_test(test_zero_bytes_and_long_lines),
		cmocka_unit_test(test_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
