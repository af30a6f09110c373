/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames from CSV of anybody: what is read, and what is said of what is not. */
#include "tests/unit/files.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mining/frame.h"

static void read_text(struct tp_frame *frame, const char *text)
{
	struct tp_diag diag = { 0 };
	*frame = (struct tp_frame){ 0 };
	if (tp_frame_read_text(frame, "a.csv", text, strlen(text), NULL, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
}

static void refused_of(const char *text, size_t len, enum tp_status status, const char *where,
		       const char *what)
{
	struct tp_frame frame = { 0 };
	struct tp_diag diag = { 0 };
	assert_int_equal(tp_frame_read_text(&frame, "a.csv", text, len, NULL, &diag), status);
	assert_string_equal(diag.where, where);
	if (!strstr(diag.what, what))
		fail_msg("\"%s\" is not in \"%s\"", what, diag.what);
	assert_null(frame.columns);
}

static void refused(const char *text, const char *where, const char *what)
{
	refused_of(text, strlen(text), TP_USAGE, where, what);
}

static void cell_is(const struct tp_frame *frame, const char *column, size_t row, const char *want)
{
	char text[64];
	const struct tp_frame_column *found = tp_frame_find(frame, column, NULL);
	assert_non_null(found);
	assert_string_equal(tp_frame_cell(found, row, text, sizeof(text)), want);
}

static void noted(const struct tp_frame *frame, const char *where, const char *what)
{
	for (size_t i = 0; i < frame->notes.n; i++)
		if (strcmp(frame->notes.items[i].where, where) == 0 &&
		    strstr(frame->notes.items[i].what, what))
			return;
	fail_msg("no note at %s: %s", where, what);
}

static void test_numbers_and_words(void **state)
{
	(void)state;
	struct tp_frame frame;
	read_text(&frame, "size,isa,time\n1,avx2,0.5\n2,sse,-1.5e-3\n3,avx2,+7.\n");
	assert_int_equal(frame.n_columns, 3);
	assert_int_equal(frame.n_rows, 3);
	assert_false(frame.columns[0].is_words || frame.columns[2].is_words);
	assert_true(frame.columns[1].is_words);
	assert_int_equal(frame.columns[1].n_words, 2);
	assert_int_equal(frame.columns[1].codes[2], 0);
	assert_true(frame.columns[2].numbers[1] == -1.5e-3 && frame.columns[2].numbers[2] == 7);
	cell_is(&frame, "isa", 1, "sse");
	cell_is(&frame, "time", 0, "0.5");
	assert_int_equal(frame.notes.n, 0);
	tp_frame_release(&frame);
}

static void test_words_behind_numbers_are_kept_as_they_stand(void **state)
{
	(void)state;
	struct tp_frame frame;
	read_text(&frame, "a,b\n007,1\n1.50,2\n,3\nx,4\ninf,5\n");
	assert_true(frame.columns[0].is_words);
	assert_int_equal(frame.columns[0].n_missing, 1);
	cell_is(&frame, "a", 0, "007");
	cell_is(&frame, "a", 1, "1.50");
	cell_is(&frame, "a", 2, "");
	cell_is(&frame, "a", 4, "inf");
	cell_is(&frame, "b", 4, "5");
	assert_int_equal(frame.notes.n, 0);
	tp_frame_release(&frame);
}

static void test_every_double_is_read_exactly(void **state)
{
	(void)state;
	static const char *const texts[] = { "0.1",
					     "123456.789",
					     "9007199254740993",
					     "0.30000000000000004",
					     "1e22",
					     "1e23",
					     "8.5e-300",
					     "5e-324",
					     "1.7976931348623157e308",
					     "123456789012345678901234567890",
					     "0.000000000000000000000000000000123",
					     "2.2250738585072011e-308",
					     "1e-400",
					     "-0",
					     ".5",
					     "00012.5e+2" };
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		char text[80];
		struct tp_frame frame;
		snprintf(text, sizeof(text), "x\n%s\n", texts[i]);
		read_text(&frame, text);
		assert_false(frame.columns[0].is_words);
		if (frame.columns[0].numbers[0] != strtod(texts[i], NULL))
			fail_msg("%s: %.17g", texts[i], frame.columns[0].numbers[0]);
		tp_frame_release(&frame);
	}
	/* Digits and exponents by chance. */
	srand(1);
	for (unsigned i = 0; i < 20000; i++) {
		char text[80], number[64];
		struct tp_frame frame;
		snprintf(number, sizeof(number), "%d%d.%0*de%d", rand() % 2000 - 1000, rand(),
			 1 + rand() % 12, rand(), rand() % 60 - 30);
		snprintf(text, sizeof(text), "x\n%s\n", number);
		read_text(&frame, text);
		if (frame.columns[0].numbers[0] != strtod(number, NULL))
			fail_msg("%s: %.17g", number, frame.columns[0].numbers[0]);
		tp_frame_release(&frame);
	}
}

static void test_missing_values(void **state)
{
	(void)state;
	struct tp_frame frame;
	read_text(&frame, "x,y,z\n1,a,\n,NA,\nnan,b,\nNULL,None,\n?,-,\n2, ,\n");
	assert_int_equal(frame.columns[0].n_missing, 4);
	assert_true(isnan(frame.columns[0].numbers[1]) && frame.columns[0].numbers[5] == 2);
	assert_int_equal(frame.columns[1].n_missing, 4);
	assert_true(frame.columns[1].codes[3] == TP_FRAME_NO_WORD);
	assert_false(frame.columns[2].is_words);
	assert_int_equal(frame.columns[2].n_missing, 6);
	tp_frame_release(&frame);
	read_text(&frame, "w\n\303\244\n\x01\n\xff\n\"?\"\nb\x01\n");
	assert_int_equal(frame.columns[0].n_missing, 3); /* all three would be shown as ? */
	cell_is(&frame, "w", 4, "b?");
	tp_frame_release(&frame);
	read_text(&frame, "x\n1\ninf\n-Infinity\n1e999\n");
	assert_int_equal(frame.columns[0].n_missing, 3);
	noted(&frame, "a.csv:3", "not a finite number");
	noted(&frame, "a.csv:5", "not a finite number");
	tp_frame_release(&frame);
}

static void test_forms_of_csv(void **state)
{
	(void)state;
	struct tp_frame frame;
	read_text(&frame,
		  "\xef\xbb\xbf# by hand\r\n\r\n# twice\r\na,\"b, c\"\r\n 1 , \"x \"\"y\"\", "
		  "z\" \r\n\r\n2,\"two\nlines\"\r\n3,last");
	assert_int_equal(frame.n_rows, 3);
	assert_string_equal(frame.columns[0].name, "a");
	assert_string_equal(frame.columns[1].name, "b, c");
	cell_is(&frame, "b, c", 0, "x \"y\", z");
	cell_is(&frame, "b, c", 1, "two?lines");
	cell_is(&frame, "a", 2, "3");
	assert_int_equal(frame.notes.n, 0);
	tp_frame_release(&frame);
	read_text(&frame, "a;b\n1;x,y\n");
	cell_is(&frame, "b", 0, "x,y");
	tp_frame_release(&frame);
	read_text(&frame, "a\tb\n1\t\n2\tx y\n");
	cell_is(&frame, "b", 0, "");
	cell_is(&frame, "b", 1, "x y");
	tp_frame_release(&frame);
}

static void test_rows_that_are_left_out(void **state)
{
	(void)state;
	struct tp_frame frame;
	read_text(&frame, "a,b\n1,2\n3\n4,5,6\n7,\"x\"y\n8,9\"\n10,11\n12,\"open\n13,14\n");
	assert_int_equal(frame.n_rows, 3);
	cell_is(&frame, "a", 1, "10");
	cell_is(&frame, "a", 2, "13");
	assert_false(frame.columns[1].is_words);
	noted(&frame, "a.csv",
	      "5 of 8 rows are left out: 1 with too many cells, 1 with one cell, "
	      "3 with a broken quote");
	noted(&frame, "a.csv:3", "1 cell, but 2 columns");
	noted(&frame, "a.csv:4", "3 cells");
	noted(&frame, "a.csv:5", "text after a closing quote");
	noted(&frame, "a.csv:6", "a quote inside a cell");
	noted(&frame, "a.csv:8", "a quote is not closed");
	assert_int_equal(frame.notes.n, 6);
	tp_frame_release(&frame);
	/* Lines inside of cells count. */
	read_text(&frame, "a,b\n1,\"x\n\n\"\n2\n3,y\n");
	noted(&frame, "a.csv:5", "1 cell");
	tp_frame_release(&frame);
}

static void test_names_of_columns(void **state)
{
	(void)state;
	struct tp_frame frame;
	const char *nearest;
	read_text(&frame, "time,,time,time (2),ti\x01me,time\n1,2,3,4,5,6\n");
	assert_string_equal(frame.columns[0].name, "time");
	assert_string_equal(frame.columns[1].name, "column 2");
	assert_string_equal(frame.columns[2].name, "time (2)");
	assert_string_equal(frame.columns[3].name, "time (2) (2)");
	assert_string_equal(frame.columns[4].name, "ti?me");
	assert_string_equal(frame.columns[5].name, "time (3)");
	noted(&frame, "a.csv:1", "column 2 has no name");
	assert_null(tp_frame_find(&frame, "tim", &nearest));
	assert_string_equal(nearest, "time");
	tp_frame_release(&frame);
	read_text(&frame, "1,2\n3,4\n");
	assert_int_equal(frame.n_rows, 2);
	assert_string_equal(frame.columns[1].name, "c2");
	noted(&frame, "a.csv", "line 1 is data: the columns are c1 and c2");
	tp_frame_release(&frame);
}

static void test_what_is_no_table(void **state)
{
	(void)state;
	refused("", "a.csv:1", "the file is empty");
	refused("\n\n", "a.csv:1", "the file is empty");
	refused("# only\n", "a.csv:1", "the file is empty");
	refused("a,b\n", "a.csv:1", "no rows");
	refused("a,b", "a.csv:1", "no rows");
	refused("a,b\n1\n2\n", "a.csv:1", "no row has as many cells");
	refused("a,\"b\n1,2\n", "a.csv:1", "a quote is not closed");
	refused_of("\0\0a,b\n1,2", 9, TP_USAGE, "a.csv:1", "not text");
	refused_of("\xff\xfe"
		   "a\0",
		   4, TP_USAGE, "a.csv:1", "no rows");
}

static void test_large_things(void **state)
{
	(void)state;
	enum { COLUMNS = 1000000, CELL = 10000000 };
	struct tp_frame frame = { 0 };
	struct tp_diag diag = { 0 };
	struct tp_str text = { 0 };
	tp_str_pad(&text, ',', COLUMNS - 1);
	tp_str_add(&text, "\n1\n");
	refused_of(text.s, text.len, TP_USAGE, "a.csv:1", "1000000 columns, at most 4096");
	tp_str_clear(&text);
	tp_str_add(&text, "a,b\n1,2\n3,");
	tp_str_pad(&text, 'x', CELL);
	tp_str_add(&text, "\n5,\"");
	tp_str_pad(&text, '\n', CELL);
	tp_str_add(&text, "\"\n7,8\n");
	assert_int_equal(tp_frame_read_text(&frame, "a.csv", text.s, text.len, NULL, &diag), TP_OK);
	assert_int_equal(frame.n_rows, 2);
	noted(&frame, "a.csv:3", "cell 2 has 10000000 bytes");
	noted(&frame, "a.csv:4", "cell 2 has 10000000 bytes");
	tp_frame_release(&frame);
	/* More than is kept of one row, and what follows is found again. */
	tp_str_clear(&text);
	tp_str_add(&text, "a,b\n1,");
	tp_str_pad(&text, 'x', 2 * CELL);
	tp_str_add(&text, "\n3,4\n5,\"");
	tp_str_pad(&text, 'y', 2 * CELL);
	tp_str_add(&text, "\n7,8\n");
	char path[] = "/tmp/test_frame.XXXXXX";
	int fd = mkstemp(path);
	assert_true(tp_write_all(fd, text.s, text.len));
	close(fd);
	assert_int_equal(tp_frame_read_csv(&frame, path, NULL, &diag), TP_OK);
	unlink(path);
	assert_int_equal(frame.n_rows, 2);
	cell_is(&frame, "a", 0, "3");
	cell_is(&frame, "a", 1, "7");
	assert_int_equal(frame.notes.n, 3);
	tp_frame_release(&frame);
	tp_str_release(&text);
}

/* Room for 2,048 rows of two columns of numbers, and not for 4,096. */
static void test_memory_has_a_limit(void **state)
{
	struct tp_frame frame = { .max_bytes = 50000 };
	struct tp_diag diag = { 0 };
	struct tp_str text = { 0 };
	(void)state;
	tp_str_add(&text, "a,b\n");
	for (unsigned i = 0; i < 2048; i++)
		tp_str_printf(&text, "%u,%u\n", i, i % 7);
	assert_int_equal(
		tp_frame_read_text(&frame, "a.csv", tp_str_text(&text), text.len, NULL, &diag),
		TP_OK);
	assert_int_equal(frame.n_rows, 2048);
	tp_frame_release(&frame);
	tp_str_add(&text, "1,2\n");
	frame = (struct tp_frame){ .max_bytes = 50000 };
	assert_int_equal(
		tp_frame_read_text(&frame, "a.csv", tp_str_text(&text), text.len, NULL, &diag),
		TP_RESOURCE);
	assert_string_equal(diag.what, "the table takes more than 48.83 KiB of memory");
	tp_str_release(&text);
}

static void test_only_files(void **state)
{
	(void)state;
	struct tp_frame frame = { 0 };
	struct tp_diag diag = { 0 };
	assert_int_equal(tp_frame_read_csv(&frame, "/dev/null", NULL, &diag), TP_USAGE);
	assert_string_equal(diag.what, "is a device");
	assert_int_equal(tp_frame_read_csv(&frame, "/tmp", NULL, &diag), TP_USAGE);
	assert_int_equal(tp_frame_read_csv(&frame, "/none/such.csv", NULL, &diag), TP_NOTFOUND);
	char folder[] = "/tmp/test_frame.XXXXXX", path[64];
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/pipe", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(tp_frame_read_csv(&frame, path, NULL, &diag), TP_USAGE);
	assert_string_equal(diag.what, "is a pipe (FIFO)");
	assert_int_equal(remove_tree(folder), 0);
}

static void test_written_and_read_again(void **state)
{
	(void)state;
	static const char text[] =
		"\" #x\",\"a;b\",w\n0.1,1e300,\"p, \"\"q\"\"\"\n,0.30000000000000004,"
		"\" x \"\n3,,\n";
	struct tp_frame frame, again;
	struct tp_str out = { 0 }, second = { 0 };
	read_text(&frame, text);
	tp_frame_write_csv(&frame, &out);
	assert_string_equal(out.s, "\"#x\",\"a;b\",w\n0.1,1e+300,\"p, \"\"q\"\"\"\n,"
				   "0.30000000000000004,\" x \"\n3,,\n");
	read_text(&again, out.s);
	tp_frame_write_csv(&again, &second);
	assert_string_equal(out.s, second.s);
	tp_frame_release(&frame);
	tp_frame_release(&again);
	tp_str_release(&out);
	tp_str_release(&second);
	read_text(&frame, "x\n1\n\"\"\n2\n");
	tp_frame_write_csv(&frame, &out);
	assert_string_equal(out.s, "x\n1\n\"\"\n2\n");
	tp_frame_release(&frame);
	tp_str_release(&out);
}

static void test_rows_that_are_kept(void **state)
{
	(void)state;
	static const bool keep[] = { false, true, true, false, true };
	struct tp_frame frame;
	read_text(&frame, "x,w\n1,a\n2,c\n,b\n4,a\n5,c\n");
	tp_frame_keep(&frame, keep);
	assert_int_equal(frame.n_rows, 3);
	assert_int_equal(frame.columns[0].n_missing, 1);
	assert_int_equal(frame.columns[1].n_words, 2);
	assert_string_equal(frame.columns[1].words[0], "c");
	cell_is(&frame, "w", 1, "b");
	cell_is(&frame, "x", 2, "5");
	tp_frame_release(&frame);
}

static const char small[] = "size,isa,cache lines,t\n1,avx2,2,1\n2,sse,0,5\n,avx2,4,7\n16,,3,9\n";

static void test_filters(void **state)
{
	(void)state;
	static const struct {
		const char *expression;
		size_t rows;
	} good[] = {
		{ "isa == \"avx2\"", 2 },
		{ "isa != 'avx2'", 1 },
		{ "isa == 'no such'", 0 },
		{ "size >= 2", 2 },
		{ "not size >= 2", 1 },
		{ "t / cache_lines > 1", 2 },
		{ "distinct(size, cache_lines) == 2 or isa == 'x'", 2 },
		{ "1", 4 },
		{ "0", 0 },
	};
	static const struct {
		const char *expression, *what, *hint;
	} bad[] = {
		{ "tim > 1", "there is no tim", "" },
		{ "siz > 1", "there is no siz", "did you mean size?" },
		{ "isa > 1", "words are compared only by == and !=", "" },
		{ "isa == 1", "a word is compared with a number", "" },
		{ "size == 'a'", "a word is compared with a number", "" },
		{ "size + ", "expected a number", "" },
		{ "", "expected a number", "" },
	};
	struct tp_frame frame;
	struct tp_diag diag;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		read_text(&frame, small);
		assert_int_equal(tp_frame_filter(&frame, good[i].expression, &diag), TP_OK);
		if (frame.n_rows != good[i].rows)
			fail_msg("%s: %zu rows", good[i].expression, frame.n_rows);
		tp_frame_release(&frame);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		diag = (struct tp_diag){ 0 };
		read_text(&frame, small);
		assert_int_equal(tp_frame_filter(&frame, bad[i].expression, &diag), TP_USAGE);
		if (!strstr(diag.what, bad[i].what))
			fail_msg("%s: %s", bad[i].expression, diag.what);
		assert_string_equal(diag.hint, bad[i].hint);
		assert_int_equal(frame.n_rows, 4);
		tp_frame_release(&frame);
	}
}

static void test_derived_columns(void **state)
{
	(void)state;
	struct tp_frame frame;
	struct tp_diag diag = { 0 };
	read_text(&frame, small);
	assert_int_equal(tp_frame_derive(&frame, " cost = t / cache_lines", &diag), TP_OK);
	assert_int_equal(tp_frame_derive(&frame, "fast=isa=='avx2'", &diag), TP_OK);
	assert_int_equal(tp_frame_derive(&frame, "twice=2*cost", &diag), TP_OK);
	cell_is(&frame, "cost", 0, "0.5");
	cell_is(&frame, "cost", 1, ""); /* a division by zero */
	cell_is(&frame, "twice", 2, "3.5");
	cell_is(&frame, "fast", 0, "1");
	cell_is(&frame, "fast", 3, "");
	assert_int_equal(tp_frame_find(&frame, "cost", NULL)->n_missing, 1);
	assert_int_equal(frame.n_columns, 7);
	static const char *const bad[] = { "t=1", "1", "a b=1", "=1", "x==1", "x=nosuch", "x=1+" };
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(tp_frame_derive(&frame, bad[i], &diag), TP_USAGE);
	assert_int_equal(frame.n_columns, 7);
	tp_frame_release(&frame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_and_words),
		cmocka_unit_test(test_words_behind_numbers_are_kept_as_they_stand),
		cmocka_unit_test(test_every_double_is_read_exactly),
		cmocka_unit_test(test_missing_values),
		cmocka_unit_test(test_forms_of_csv),
		cmocka_unit_test(test_rows_that_are_left_out),
		cmocka_unit_test(test_names_of_columns),
		cmocka_unit_test(test_what_is_no_table),
		cmocka_unit_test(test_large_things),
		cmocka_unit_test(test_memory_has_a_limit),
		cmocka_unit_test(test_only_files),
		cmocka_unit_test(test_written_and_read_again),
		cmocka_unit_test(test_rows_that_are_kept),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_derived_columns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
