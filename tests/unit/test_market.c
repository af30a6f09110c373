/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader of Matrix Market files: what it takes, and what it says of what it does not take. */
#include "tests/unit/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include "matrix/market.h"

#define REAL	 "%%MatrixMarket matrix coordinate real general\n"
#define INTEGER	 "%%MatrixMarket matrix coordinate integer general\n"
#define UNSIGNED "%%MatrixMarket matrix coordinate unsigned-integer general\n"
#define PATTERN	 "%%MatrixMarket matrix coordinate pattern general\n"
#define SYM	 "%%MatrixMarket matrix coordinate real symmetric\n"
#define SKEW	 "%%MatrixMarket matrix coordinate real skew-symmetric\n"

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
	if (tp_market_parse("a.mtx", text, strlen(text), TP_MARKET_MATRIX, &market, m, &diag) !=
	    TP_OK)
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

static void expect_double(const char *text, double value)
{
	struct tp_matrix m;
	TP_STR file = { 0 };
	tp_str_printf(&file, "%s1 1 1\n1 1 %s\n", REAL, text);
	read_text(tp_str_text(&file), &m);
	if (m.values[0] != value)
		fail_msg("%s is read as %.17g", text, m.values[0]);
	tp_matrix_release(&m);
}

/* Every value is the double nearest to its digits, whichever way it was read. */
static void test_values(void **state)
{
	(void)state;
	static const char *const words[] = {
		"4",
		"+0.5",
		"-.25",
		"3.",
		"0",
		"-0",
		"1e22",
		"1e23",
		"1.5e-3",
		"123456789012345678",
		"9007199254740993",
		"0.1",
		"1e-22",
		"1e-23",
		"4.9e-324",
		"1.7976931348623157e308",
		"0.000000000000000000000000000001234567890123456789",
		"1234567890123456789012345",
		"00000000000000000000000000000.5",
		"1000000000000000000000000",
		"8.4703294725430034e-22",
		"2.2250738585072011e-308",
		"1e-400",
	};
	for (size_t i = 0; i < TP_COUNT_OF(words); i++)
		expect_double(words[i], strtod(words[i], NULL));
	/* Fortran's double precision. */
	expect_double("1.5D+00", 1.5);
	expect_double("-2.5d-3", -2.5e-3);
	expect_double("1.2345678901234567890D+10", 1.2345678901234567890e10);
}

static void test_unsigned_integers(void **state)
{
	(void)state;
	struct tp_matrix m;
	/* As GraphBLAS writes them. */
	struct tp_market market = read_text(UNSIGNED "%%GraphBLAS type uint64_t\n2 2 2\n"
						     "1 1 18446744073709551615\n2 2 1\n",
					    &m);
	assert_true(market.integer && market.is_unsigned);
	assert_true(value_at(&m, 1, 1) == 18446744073709551615.0 && value_at(&m, 2, 2) == 1);
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
		{ "1 1 1\n", "a.mtx:1", "begins with \"1\" and not as Matrix" },
		{ "%%MatrixMarket vector coordinate real general\n", "a.mtx:1",
		  "\"vector\": only a matrix" },
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
		{ "%%MatrixMarket matrix coordinate unsigned-integer skew-symmetric\n", "a.mtx:1",
		  "unsigned-integer have none" },
		{ REAL, "a.mtx:1", "before the line" },
		{ REAL "%\n\n", "a.mtx:3", "before the line" },
		{ REAL "3 3\n", "a.mtx:2", "rows, columns" },
		{ REAL "3 3 1 1\n", "a.mtx:2", "rows, columns" },
		{ REAL "-3 3 1\n", "a.mtx:2", "rows, columns" },
		{ REAL "3 3 99999999999999999999\n", "a.mtx:2", "rows, columns" },
		{ REAL "0 3 0\n", "a.mtx:2", "no rows" },
		{ REAL "3 0 0\n", "a.mtx:2", "no columns" },
		{ REAL "3 3000000000 1\n", "a.mtx:2", "at most 50000000" },
		{ REAL "% c\n3 3 3000000000\n", "a.mtx:3", "at most 100000000" },
		{ SYM "3 4 1\n", "a.mtx:2", "as many columns as rows" },
		{ REAL "3 3 2\n1 1 1\n", "a.mtx:3", "after 1 of 2 entries" },
		{ REAL "3 3 1\n1 1 1\n\n%\n2 2 2\n", "a.mtx:6", "more than the 1" },
		{ REAL "3 3 1\n0 1 1\n", "a.mtx:3", "row 0 is not one of 1 to 3" },
		{ REAL "3 3 1\n4 1 1\n", "a.mtx:3", "row 4" },
		{ REAL "3 3 1\n1 4 1\n", "a.mtx:3", "column 4 is not one of 1 to 3" },
		{ REAL "3 3 1\n1 -1 1\n", "a.mtx:3", "its row and its column" },
		{ REAL "3 3 1\n1.5 1 1\n", "a.mtx:3", "its row and its column" },
		{ REAL "3 3 1\n1\n", "a.mtx:3", "its row and its column" },
		{ REAL "3 3 1\n1 1\n", "a.mtx:3", "no value" },
		{ REAL "3 3 1\n1 1 x\n", "a.mtx:3", "\"x\" is not a number" },
		{ REAL "3 3 1\n1 1 0x1p3\n", "a.mtx:3", "is not a number" },
		{ REAL "3 3 1\n1 1 1.5z\n", "a.mtx:3", "is not a number" },
		{ REAL "3 3 1\n1 1 nan\n", "a.mtx:3", "\"nan\" is not finite" },
		{ REAL "3 3 1\n1 1 -inf\n", "a.mtx:3", "not finite" },
		{ REAL "3 3 1\n1 1 1e999\n", "a.mtx:3", "not finite" },
		{ REAL "3 3 1\n1 1 1e\n", "a.mtx:3", "\"1e\" is not a number" },
		{ REAL "3 3 1\n1 1 .\n", "a.mtx:3", "\".\" is not a number" },
		{ REAL "3 3 1\n1 1 1,5\n", "a.mtx:3", "\"1,5\" is not a number" },
		{ REAL "3 3 1\n1 1 1D+999\n", "a.mtx:3", "not finite" },
		{ UNSIGNED "3 3 1\n1 1 -1\n", "a.mtx:3", "\"-1\" is negative" },
		{ REAL "3 3 1\n1 1 1 0\n", "a.mtx:3", "too many" },
		{ REAL "3 3 2\n1 1 1.7e308\n1 1 1.7e308\n", "a.mtx", "row 1, column 1 add up" },
		{ INTEGER "3 3 1\n1 1 1.5\n", "a.mtx:3", "not a whole number" },
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
		assert_int_equal(tp_market_parse("a.mtx", bad[i].text, strlen(bad[i].text),
						 TP_MARKET_MATRIX, &market, &m, &diag),
				 TP_USAGE);
		assert_null(m.starts);
		/* A check finds the same, except the sums. */
		struct tp_diag checked = { 0 };
		enum tp_status status = tp_market_parse("a.mtx", bad[i].text, strlen(bad[i].text),
							TP_MARKET_CHECK, &market, NULL, &checked);
		if (strstr(diag.what, "add up"))
			assert_int_equal(status, TP_OK);
		else
			assert_string_equal(checked.what, diag.what);
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
	assert_int_equal(tp_market_parse("a.mtx", zero, sizeof(zero) - 1, TP_MARKET_MATRIX, &market,
					 &m, &diag),
			 TP_USAGE);
	assert_string_equal(diag.where, "a.mtx:3");
	assert_non_null(strstr(diag.what, "zero byte"));
	static char text[3000] = REAL;
	size_t n = strlen(text);
	text[n] = '%';
	memset(text + n + 1, 'c', TP_MARKET_LINE_MAX);
	assert_int_equal(
		tp_market_parse("a.mtx", text, strlen(text), TP_MARKET_MATRIX, &market, &m, &diag),
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
	assert_int_equal(tp_market_read(path, TP_MARKET_HEAD, &market, NULL, &diag), TP_OK);
	assert_int_equal(market.n_rows, 3);
	assert_int_equal(market.n_entries, 2);
	assert_true(market.symmetric);
	assert_int_equal(tp_market_read(path, TP_MARKET_MATRIX, &market, &m, &diag), TP_OK);
	assert_int_equal(tp_matrix_entries(&m), 3);
	tp_matrix_release(&m);

	/* The head says nothing of what comes after it; reading does. */
	put_file(folder, "bad.mtx", SYM "3 3 2\n1 1 1\n3 9 2\n");
	snprintf(path, sizeof(path), "%s/bad.mtx", folder);
	assert_int_equal(tp_market_read(path, TP_MARKET_HEAD, &market, NULL, &diag), TP_OK);
	assert_int_equal(tp_market_read(path, TP_MARKET_MATRIX, &market, &m, &diag), TP_USAGE);
	char where[TP_PATH_MAX + 8];
	snprintf(where, sizeof(where), "%s:4", path);
	assert_string_equal(diag.where, where);

	/* A check reads all of it. */
	assert_int_equal(tp_market_read(path, TP_MARKET_CHECK, &market, NULL, &diag), TP_USAGE);
	assert_string_equal(diag.where, where);

	/* Windows' editors begin a file with a byte order mark. */
	put_file(folder, "mark.mtx", "\xef\xbb\xbf" SYM "3 3 2\r\n1 1 1\r\n3 2 2\r\n");
	snprintf(path, sizeof(path), "%s/mark.mtx", folder);
	assert_int_equal(tp_market_read(path, TP_MARKET_MATRIX, &market, &m, &diag), TP_OK);
	assert_int_equal(tp_matrix_entries(&m), 3);
	tp_matrix_release(&m);

	snprintf(path, sizeof(path), "%s/missing.mtx", folder);
	assert_int_equal(tp_market_read(path, TP_MARKET_HEAD, &market, NULL, &diag), TP_NOTFOUND);
	snprintf(path, sizeof(path), "%s/pipe.mtx", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(tp_market_read(path, TP_MARKET_MATRIX, &market, &m, &diag), TP_USAGE);
	assert_int_equal(tp_market_read(folder, TP_MARKET_MATRIX, &market, &m, &diag), TP_USAGE);
	assert_int_equal(tp_market_read("/dev/zero", TP_MARKET_MATRIX, &market, &m, &diag),
			 TP_USAGE);
	assert_int_equal(remove_tree(folder), 0);
}

/* `text` as gzip stores it, without compression; `members` one after the other. */
static size_t store(unsigned char *out, const char *text, unsigned members)
{
	static const unsigned char head[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3 };
	size_t len = strlen(text), at = 0;
	for (unsigned i = 0; i < members; i++) {
		size_t from = len * i / members, n = len * (i + 1) / members - from;
		uint32_t sum = UINT32_MAX;
		memcpy(out + at, head, sizeof(head));
		at += sizeof(head);
		out[at++] = 1; /* the last block, stored */
		out[at++] = (unsigned char)n;
		out[at++] = (unsigned char)(n >> 8);
		out[at++] = (unsigned char)~n;
		out[at++] = (unsigned char)(~n >> 8);
		memcpy(out + at, text + from, n);
		for (size_t k = 0; k < n; k++) {
			sum ^= (unsigned char)text[from + k];
			for (int bit = 0; bit < 8; bit++)
				sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
		}
		at += n;
		for (int k = 0; k < 4; k++)
			out[at++] = (unsigned char)(~sum >> 8 * k);
		for (int k = 0; k < 4; k++)
			out[at++] = (unsigned char)((uint32_t)n >> 8 * k);
	}
	return at;
}

static enum tp_status read_bytes(const char *folder, const void *bytes, size_t n,
				 struct tp_matrix *m, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	struct tp_market market;
	snprintf(path, sizeof(path), "%s/packed", folder);
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, n, out), n);
	assert_int_equal(fclose(out), 0);
	*diag = (struct tp_diag){ 0 };
	return tp_market_read(path, TP_MARKET_MATRIX, &market, m, diag);
}

static void expect_packed(const char *folder, const void *bytes, size_t n, const char *what,
			  const char *hint)
{
	struct tp_matrix m;
	struct tp_diag diag;
	assert_int_equal(read_bytes(folder, bytes, n, &m, &diag), TP_USAGE);
	if (!strstr(diag.what, what) || !strstr(diag.hint, hint))
		fail_msg("%s (%s)", diag.what, diag.hint);
}

static void test_compressed_files(void **state)
{
	(void)state;
	static const char text[] = SYM "3 3 2\n1 1 1\n3 2 2\n";
	char folder[] = "/tmp/tprof-test-packed-XXXXXX";
	unsigned char bytes[512];
	assert_non_null(mkdtemp(folder));
	for (unsigned members = 1; members <= 3; members++) {
		size_t n = store(bytes, text, members);
#ifdef HAVE_ZLIB
		struct tp_matrix m;
		struct tp_diag diag;
		assert_int_equal(read_bytes(folder, bytes, n, &m, &diag), TP_OK);
		assert_int_equal(tp_matrix_entries(&m), 3);
		assert_true(value_at(&m, 2, 3) == 2);
		tp_matrix_release(&m);
		expect_packed(folder, bytes, n - 9, "ends too early", "gunzip");
		bytes[n - 6] ^= 1;
		expect_packed(folder, bytes, n, "damaged", "gunzip");
#else
		expect_packed(folder, bytes, n, "compressed by gzip", "gunzip -k");
#endif
	}
#ifdef HAVE_ZLIB
	struct tp_matrix m;
	struct tp_diag diag;
	size_t n = store(bytes, SYM "3 3 2\n1 1 1\n1 2 2\n", 1);
	assert_int_equal(read_bytes(folder, bytes, n, &m, &diag), TP_USAGE);
	assert_non_null(strstr(diag.where, "packed:4"));
#endif
	expect_packed(folder, "BZh91AY&SY", 10, "compressed by bzip2", "bunzip2 -k");
	expect_packed(folder,
		      "\xfd"
		      "7zXZ\0",
		      6, "compressed by xz", "unxz -k");
	expect_packed(folder, "\x28\xb5\x2f\xfd", 4, "compressed by zstd", "unzstd");
	expect_packed(folder, "PK\3\4", 4, "compressed by zip", "unzip");
	char archive[1024] = "jpwh_991/jpwh_991.mtx";
	memcpy(archive + 257, "ustar", 5);
	expect_packed(folder, archive, sizeof(archive), "archive of tar", "tar -xf");
	assert_int_equal(remove_tree(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds_and_symmetries),
		cmocka_unit_test(test_what_else_a_file_may_have),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_unsigned_integers),
		cmocka_unit_test(test_long_rows_are_sorted),
		cmocka_unit_test(test_errors_name_the_line),
		cmocka_unit_test(test_zero_bytes_and_long_lines),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_compressed_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
