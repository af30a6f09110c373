/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The base room: statuses, text, arena, vectors, units, files and paths. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/file.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text.h"

/* --- status --- */

static void status_names_and_exit_codes(void **state)
{
	(void)state;
	static const struct {
		enum tp_status status;
		enum tp_exit exit;
	} row[] = {
		{ TP_OK, TP_EXIT_OK },
		{ TP_FAILED, TP_EXIT_FAILED },
		{ TP_NOMEM, TP_EXIT_RESOURCE },
		{ TP_USAGE, TP_EXIT_USAGE },
		{ TP_NOTFOUND, TP_EXIT_USAGE },
		{ TP_IO, TP_EXIT_FAILED },
		{ TP_PERM, TP_EXIT_RESOURCE },
		{ TP_RESOURCE, TP_EXIT_RESOURCE },
		{ TP_UNSUPPORTED, TP_EXIT_USAGE },
		{ TP_CANCELLED, TP_EXIT_INTERRUPTED },
		{ TP_CRASHED, TP_EXIT_FAILED },
		{ TP_INTERNAL, TP_EXIT_FAILED },
	};
	assert_int_equal(TP_COUNT_OF(row), TP_STATUS_COUNT);
	for (size_t i = 0; i < TP_COUNT_OF(row); i++) {
		assert_int_equal(tp_status_exit(row[i].status), row[i].exit);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(tp_status_name(row[i].status),
						tp_status_name(row[j].status));
	}
	assert_string_equal(tp_status_name(TP_NOMEM), "out of memory");
	assert_string_equal(tp_status_name(TP_STATUS_COUNT), "unknown status");
}

static void diagnoses_are_copies(void **state)
{
	(void)state;
	char where[] = "a.yaml:3:1";
	struct tp_diag diag;
	assert_int_equal(tp_fail(&diag, TP_USAGE, where, NULL, "%d of %s", 2, "these"), TP_USAGE);
	where[0] = 'b';
	assert_string_equal(diag.where, "a.yaml:3:1");
	assert_string_equal(diag.what, "2 of these");
	assert_string_equal(diag.hint, "");
	assert_int_equal(tp_fail(NULL, TP_IO, "x", "y", "z"), TP_IO);

	/* Too long a text is cut, not written past the end. */
	char large[2000];
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	tp_fail(&diag, TP_FAILED, large, large, "%s", large);
	assert_int_equal(strlen(diag.where), sizeof(diag.where) - 1);
	assert_int_equal(strlen(diag.what), sizeof(diag.what) - 1);
	assert_int_equal(strlen(diag.hint), sizeof(diag.hint) - 1);

	struct tp_diags list = { 0 };
	for (int i = 0; i < 50; i++) {
		tp_fail(&diag, TP_FAILED, NULL, NULL, "number %d", i);
		tp_diags_add(&list, &diag);
	}
	assert_int_equal(list.n, 50);
	assert_string_equal(list.items[0].what, "number 0");
	assert_string_equal(list.items[49].what, "number 49");
	tp_diags_release(&list);
	assert_int_equal(list.n, 0);
	assert_null(list.items);
}

/* --- text --- */

static void text_grows(void **state)
{
	(void)state;
	struct tp_str str = { 0 };
	assert_string_equal(tp_str_text(&str), "");
	tp_str_add(&str, "one");
	tp_str_add_n(&str, ", two and more", 5);
	tp_str_printf(&str, ", %d", 3);
	tp_str_pad(&str, '.', 4);
	tp_str_add(&str, "");
	assert_string_equal(str.s, "one, two, 3....");
	assert_int_equal(str.len, strlen("one, two, 3...."));

	tp_str_clear(&str);
	assert_string_equal(tp_str_text(&str), "");
	for (int i = 0; i < 10000; i++)
		tp_str_printf(&str, "%04d", i);
	assert_int_equal(str.len, 40000);
	assert_memory_equal(str.s + 4 * 1234, "1234", 4);

	char *taken = tp_str_take(&str);
	assert_non_null(taken);
	assert_null(str.s);
	assert_int_equal(str.len, 0);
	assert_int_equal(strlen(taken), 40000);
	free(taken);
	assert_null(tp_str_take(&str));
	tp_str_release(&str);
}

/* Asks for more than there can be, in a child whose standard error is read. */
static int ends_out_of_memory(char *said, size_t size)
{
	int ends[2], status = 0;
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		struct tp_arena arena = { 0 };
		dup2(ends[1], STDERR_FILENO);
		tp_arena_alloc(&arena, SIZE_MAX);
		_exit(0);
	}
	assert_true(child > 0);
	close(ends[1]);
	ssize_t n = read(ends[0], said, size - 1);
	said[n > 0 ? n : 0] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void out_of_memory_ends_the_process(void **state)
{
	(void)state;
	char said[80];
	assert_int_equal(ends_out_of_memory(said, sizeof(said)), TP_EXIT_MEMORY);
	assert_string_equal(said, "tprof: out of memory\n");
}

static void copy_tells_truncation(void **state)
{
	(void)state;
	char to[5];
	assert_true(tp_copy(to, sizeof(to), "four"));
	assert_string_equal(to, "four");
	assert_false(tp_copy(to, sizeof(to), "fives"));
	assert_string_equal(to, "five");
	assert_true(tp_copy(to, sizeof(to), ""));
	assert_string_equal(to, "");
}

static void nearest_word(void **state)
{
	(void)state;
	static const char *const words[] = { "threads",	 "size_min", "size_max",
					     "affinity", "isa",	     "points_per_octave" };
	static const struct {
		const char *typed, *found;
	} row[] = {
		{ "thraeds", "threads" },  { "Threads", "threads" },
		{ "thread", "threads" },   { "size-max", "size_max" },
		{ "sizemin", "size_min" }, { "isas", "isa" },
		{ "afinity", "affinity" }, { "points_per_octaves", "points_per_octave" },
		{ "colour", NULL },	   { "", NULL },
		{ "xyz", NULL },
	};
	for (size_t i = 0; i < TP_COUNT_OF(row); i++) {
		const char *found = tp_nearest(row[i].typed, words, TP_COUNT_OF(words));
		if (row[i].found) {
			assert_non_null(found);
			assert_string_equal(found, row[i].found);
		} else {
			assert_null(found);
		}
	}
	assert_null(tp_nearest("threads", words, 0));
	char endless[300];
	memset(endless, 't', sizeof(endless) - 1);
	endless[sizeof(endless) - 1] = '\0';
	assert_null(tp_nearest(endless, words, TP_COUNT_OF(words)));
}

static void lists_in_words(void **state)
{
	(void)state;
	static const char *const words[] = { "L1", "L2", "DRAM" };
	struct tp_str str = { 0 };
	tp_str_list(&str, words, 0, " or ");
	assert_string_equal(tp_str_text(&str), "");
	tp_str_list(&str, words, 1, " or ");
	assert_string_equal(tp_str_text(&str), "L1");
	tp_str_clear(&str);
	tp_str_list(&str, words, 2, " or ");
	assert_string_equal(tp_str_text(&str), "L1 or L2");
	tp_str_clear(&str);
	tp_str_list(&str, words, 3, " or ");
	assert_string_equal(tp_str_text(&str), "L1, L2 or DRAM");
	tp_str_release(&str);

	assert_true(tp_has_word("sse2 avx avx2 fma", "avx"));
	assert_true(tp_has_word("sse2 avx avx2 fma", "sse2"));
	assert_true(tp_has_word("sse2 avx avx2 fma", "fma"));
	assert_true(tp_has_word("avx512f avx", "avx")); /* after a longer word that begins alike */
	assert_false(tp_has_word("sse2 avx2 fma", "avx"));
	assert_false(tp_has_word("sse2 avx2 fma", "vx2"));
	assert_false(tp_has_word("sse2", ""));
	assert_false(tp_has_word("", "sse2"));
}

/* --- memory --- */

static void arena_is_zeroed_and_aligned(void **state)
{
	(void)state;
	struct tp_arena arena = { 0 };
	unsigned char *before = NULL;
	for (size_t bytes = 0; bytes < 3000; bytes += 7) {
		unsigned char *p = tp_arena_alloc(&arena, bytes);
		assert_non_null(p);
		assert_int_equal((uintptr_t)p % 16, 0);
		for (size_t i = 0; i < bytes; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, bytes); /* the next piece must not overlap this one */
		if (before && bytes > 7)
			assert_int_equal(before[0], 0xff);
		before = p;
	}
	assert_non_null(tp_arena_alloc(&arena, 1000000));
	assert_string_equal(tp_arena_strdup(&arena, "whole"), "whole");
	assert_string_equal(tp_arena_strndup(&arena, "in part", 2), "in");
	assert_string_equal(tp_arena_strdup(&arena, ""), "");
	tp_arena_release(&arena);
	assert_null(arena.head);
	tp_arena_release(&arena);
}

static void vectors_grow(void **state)
{
	(void)state;
	uint32_t *items = NULL;
	size_t cap = 0;
	for (uint32_t n = 0; n < 1000; n++) {
		TP_RESERVE(items, cap, n + 1);
		assert_true(cap > n);
		items[n] = n * n;
	}
	assert_int_equal(items[0], 0);
	assert_int_equal(items[999], 998001);
	free(items);
}

/* --- units --- */

static void bytes_as_text(void **state)
{
	(void)state;
	static const struct {
		uint64_t bytes;
		const char *text;
	} row[] = {
		{ 0, "0 B" },
		{ 96, "96 B" },
		{ 1023, "1023 B" },
		{ 1024, "1 KiB" },
		{ 12288, "12 KiB" },
		{ 1572864, "1.5 MiB" },
		{ (uint64_t)32 << 20, "32 MiB" },
		{ (uint64_t)512 << 30, "512 GiB" },
		{ (uint64_t)3 << 40, "3 TiB" },
	};
	char out[32];
	for (size_t i = 0; i < TP_COUNT_OF(row); i++)
		assert_string_equal(tp_format_bytes(out, sizeof(out), row[i].bytes), row[i].text);
}

static void seconds_as_text(void **state)
{
	(void)state;
	static const struct {
		double seconds;
		const char *text;
	} row[] = {
		{ 1.09e-9, "1.09 ns" }, { 850e-6, "850 us" },
		{ 0.25, "250 ms" },	{ 0.9999, "1 s" },
		{ 1.25, "1.25 s" },	{ 59.94, "59.9 s" },
		{ 200, "3 min 20 s" },	{ 125.9, "2 min 05 s" },
		{ NAN, "?" },		{ -1, "?" },
	};
	char out[32];
	for (size_t i = 0; i < TP_COUNT_OF(row); i++)
		assert_string_equal(tp_format_seconds(out, sizeof(out), row[i].seconds),
				    row[i].text);
}

static void bytes_from_text(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
		{ "4096", 4096 },
		{ "0", 0 },
		{ "96B", 96 },
		{ "32K", 32768 },
		{ "32KiB", 32768 },
		{ "32 kib", 32768 },
		{ "1.5MiB", 1572864 },
		{ ".5K", 512 },
		{ "2G", (uint64_t)2 << 30 },
		{ "1TiB", (uint64_t)1 << 40 },
		{ "1e3", 1000 },
	};
	static const char *const bad[] = { "",	    "K",    "12KB",  "12 MB", "-1",
					   "1.3",   "0x10", "nan",   "inf",   "12KiBs",
					   "1 K x", " 1",   "1e300", "+1",    "twelve" };
	uint64_t bytes;
	for (size_t i = 0; i < TP_COUNT_OF(good); i++) {
		bytes = 77;
		assert_true(tp_parse_bytes(good[i].text, &bytes));
		assert_int_equal(bytes, good[i].bytes);
	}
	for (size_t i = 0; i < TP_COUNT_OF(bad); i++) {
		bytes = 77;
		if (tp_parse_bytes(bad[i], &bytes))
			fail_msg("\"%s\" was taken for %llu bytes", bad[i],
				 (unsigned long long)bytes);
		assert_int_equal(bytes, 77);
	}
}

static void seconds_from_text(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double seconds;
	} good[] = {
		{ "2", 2 },	      { "0.5", 0.5 }, { "500ms", 0.5 }, { "200us", 200e-6 },
		{ "100 ns", 100e-9 }, { "1min", 60 }, { "1.5h", 5400 }, { "3 s", 3 },
	};
	static const char *const bad[] = { "",	       "s",   "-1",  "1d", "1 hour",
					   "1 minute", "nan", "0x1", "5S" };
	double seconds;
	for (size_t i = 0; i < TP_COUNT_OF(good); i++) {
		assert_true(tp_parse_seconds(good[i].text, &seconds));
		assert_true(fabs(seconds - good[i].seconds) <= 1e-12 * good[i].seconds);
	}
	/* Bounds of options include their ends: no digit may be lost. */
	assert_true(tp_parse_seconds("10us", &seconds) && seconds == 10e-6);
	assert_true(tp_parse_seconds("100us", &seconds) && seconds == 100e-6);
	assert_true(tp_parse_seconds("7ns", &seconds) && seconds == 7e-9);
	for (size_t i = 0; i < TP_COUNT_OF(bad); i++)
		if (tp_parse_seconds(bad[i], &seconds))
			fail_msg("\"%s\" was taken for %g seconds", bad[i], seconds);
}

static void numbers_from_text(void **state)
{
	(void)state;
	uint64_t count = 77;
	double real = 77;
	assert_true(tp_parse_u64("18446744073709551615", &count));
	assert_true(count == UINT64_MAX);
	assert_true(tp_parse_u64("0", &count));
	assert_int_equal(count, 0);
	static const char *const bad_counts[] = { "",	 "-1", "+1",
						  " 1",	 "1 ", "1.0",
						  "0x1", "x",  "18446744073709551616" };
	for (size_t i = 0; i < TP_COUNT_OF(bad_counts); i++)
		if (tp_parse_u64(bad_counts[i], &count))
			fail_msg("\"%s\" was taken for a count", bad_counts[i]);
	assert_true(tp_parse_double("-2.5e3", &real));
	assert_true(real == -2500);
	static const char *const bad_reals[] = { "", " 1", "1 ", "nan", "inf", "1e999", "1,5" };
	for (size_t i = 0; i < TP_COUNT_OF(bad_reals); i++)
		if (tp_parse_double(bad_reals[i], &real))
			fail_msg("\"%s\" was taken for a number", bad_reals[i]);
}

/* --- files --- */

static int make_folder(void **state)
{
	char template[] = "/tmp/tprof-test-XXXXXX";
	if (!mkdtemp(template))
		return -1;
	*state = strdup(template);
	return *state ? 0 : -1;
}

static void remove_tree(const char *path)
{
	DIR *folder = opendir(path);
	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		char inner[TP_PATH_MAX];
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
		if (unlink(inner) != 0)
			remove_tree(inner);
	}
	if (folder)
		closedir(folder);
	rmdir(path);
}

static int remove_folder(void **state)
{
	remove_tree(*state);
	free(*state);
	return 0;
}

static const char *in(char out[TP_PATH_MAX], const void *folder, const char *name)
{
	snprintf(out, TP_PATH_MAX, "%s/%s", (const char *)folder, name);
	return out;
}

static size_t entries_in(const char *path)
{
	size_t n = 0;
	DIR *folder = opendir(path);
	assert_non_null(folder);
	while (readdir(folder))
		n++;
	closedir(folder);
	return n - 2;
}

static void files_are_written_whole(void **state)
{
	char path[TP_PATH_MAX], *text;
	size_t len;
	struct tp_diag diag;
	in(path, *state, "run.json");

	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, "first\0x", 7, &diag), TP_OK);
	assert_int_equal(tp_file_read(path, 100, &text, &len, &diag), TP_OK);
	assert_int_equal(len, 7);
	assert_memory_equal(text, "first\0x", 8); /* with the terminator */
	free(text);

	/* The old file is replaced, not rewritten: who has it open keeps the old content. */
	FILE *open_file = fopen(path, "r");
	assert_non_null(open_file);
	char *large = malloc(100000);
	assert_non_null(large);
	memset(large, 'z', 100000);
	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, large, 100000, &diag), TP_OK);
	char seen[8] = { 0 };
	assert_int_equal(fread(seen, 1, sizeof(seen), open_file), 7);
	assert_memory_equal(seen, "first", 5);
	fclose(open_file);
	assert_int_equal(tp_file_read(path, 100000, &text, &len, &diag), TP_OK);
	assert_int_equal(len, 100000);
	assert_memory_equal(text, large, len);
	free(text);
	free(large);

	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, "", 0, &diag), TP_OK);
	assert_int_equal(tp_file_read(path, 100, &text, &len, &diag), TP_OK);
	assert_int_equal(len, 0);
	assert_string_equal(text, "");
	free(text);
	assert_int_equal(entries_in(*state), 1); /* no temporary left */

	struct stat st;
	mode_t mask = umask(0);
	umask(mask);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0666 & ~mask);
}

static void file_errors_say_what(void **state)
{
	char path[TP_PATH_MAX], *text = NULL;
	size_t len;
	struct tp_diag diag;

	assert_int_equal(tp_file_read(in(path, *state, "none"), 10, &text, &len, &diag),
			 TP_NOTFOUND);
	assert_string_equal(diag.where, path);
	assert_int_equal(tp_file_read(*state, 10, &text, &len, &diag), TP_USAGE);
	assert_string_equal(diag.what, "is a directory");
	assert_int_equal(tp_file_read("/dev/zero", 10, &text, &len, &diag), TP_USAGE);
	assert_string_equal(diag.what, "is a device");
	/* Nobody writes into the pipe, and nobody has to. */
	assert_int_equal(mkfifo(in(path, *state, "pipe"), 0600), 0);
	assert_int_equal(tp_file_read(path, 10, &text, &len, &diag), TP_USAGE);
	assert_string_equal(diag.what, "is a pipe (FIFO)");
	assert_int_equal(unlink(path), 0);
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int heard = socket(AF_UNIX, SOCK_STREAM, 0);
	in(path, *state, "socket");
	assert_true(strlen(path) < sizeof(name.sun_path));
	strcpy(name.sun_path, path);
	assert_int_equal(bind(heard, (const struct sockaddr *)&name, sizeof(name)), 0);
	assert_int_equal(tp_file_read(path, 10, &text, &len, &diag), TP_USAGE);
	assert_string_equal(diag.what, "is a socket");
	assert_int_equal(close(heard), 0);
	assert_int_equal(unlink(path), 0);

	in(path, *state, "long");
	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, "0123456789", 10, &diag), TP_OK);
	assert_int_equal(tp_file_read(path, 9, &text, &len, &diag), TP_USAGE);
	assert_null(text);
	assert_int_equal(tp_file_read(path, 10, &text, &len, &diag), TP_OK);
	free(text);

	/* Without the byte order mark of UTF-8. */
	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, "\xef\xbb\xbfhello", 8, &diag), TP_OK);
	assert_int_equal(tp_file_read(path, 10, &text, &len, &diag), TP_OK);
	assert_string_equal(text, "hello");
	assert_int_equal(len, 5);
	free(text);

	/* A folder stands where the file should go: nothing changes, no temporary stays. */
	in(path, *state, "folder");
	assert_int_equal(mkdir(path, 0777), 0);
	assert_int_not_equal(tp_file_write(TP_TYPED_FILE, path, "x", 1, &diag), TP_OK);
	assert_string_equal(diag.where, path);
	assert_int_equal(entries_in(*state), 2);
	assert_int_equal(tp_file_write(TP_TYPED_FILE, in(path, *state, "none/file"), "x", 1, &diag),
			 TP_NOTFOUND);
}

static enum tp_status say_line(void *context, size_t number, const char *line, size_t len,
			       bool whole)
{
	tp_str_printf(context, "%zu%s%.*s|", number, whole ? "=" : "~", line ? (int)len : 4,
		      line ? line : "long");
	return line && *line == 'q' ? TP_CANCELLED : TP_OK;
}

static void files_are_read_by_lines(void **state)
{
	static const struct {
		const char *text, *said;
	} rows[] = {
		{ "", "" },
		{ "a\n", "1=a|" },
		{ "a\n\nbcde", "1=a|2=|3~bcde|" },
		{ "12345\n123456\n1234567890\nx\n", "1=12345|2=long|3=long|4=x|" },
		{ "a\n12345678901234567890", "1=a|2~long|" },
		{ "a\nq\nb\n", "1=a|2=q|" },
		/* A byte order mark of UTF-8 is left out, at the beginning alone. */
		{ "\xef\xbb\xbf"
		  "a\nb",
		  "1=a|2~b|" },
		{ "\xef\xbb\xbf", "" },
		{ "\xef\xbb\xbf\n", "1=|" },
		{ "\xef\xbb", "1~\xef\xbb|" },
		{ "a\n\xef\xbb\xbf"
		  "b\n",
		  "1=a|2=\xef\xbb\xbf"
		  "b|" },
	};
	struct tp_str said = { 0 };
	struct tp_diag diag;
	char path[TP_PATH_MAX];
	in(path, *state, "lines");
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		size_t n = strlen(rows[i].text);
		assert_int_equal(tp_file_write(TP_TYPED_FILE, path, rows[i].text, n, &diag), TP_OK);
		enum tp_status status = tp_file_lines(path, 40, 5, say_line, &said, &diag);
		assert_int_equal(status, strchr(rows[i].text, 'q') ? TP_CANCELLED : TP_OK);
		assert_string_equal(tp_str_text(&said), rows[i].said);
		tp_str_clear(&said);
	}
	assert_int_equal(tp_file_lines(path, 5, 5, say_line, &said, &diag), TP_USAGE);
	assert_non_null(strstr(diag.what, "longer than the 5 bytes"));
	assert_int_equal(tp_file_lines(in(path, *state, "none"), 5, 5, say_line, &said, &diag),
			 TP_NOTFOUND);
	tp_str_release(&said);
}

static void diagnoses_are_counted_beyond_a_limit(void **state)
{
	struct tp_diags list = { 0 };
	struct tp_diag one;
	(void)state;
	for (int i = 0; i < 100000; i++) {
		tp_fail(&one, TP_USAGE, "file", NULL, "error %d", i);
		tp_diags_add(&list, &one);
	}
	assert_int_equal(list.n, TP_DIAGS_MAX + 1);
	assert_true(list.cap <= 2 * TP_DIAGS_MAX);
	assert_string_equal(list.items[TP_DIAGS_MAX - 1].what, "error 49");
	assert_string_equal(list.items[TP_DIAGS_MAX].what, "and 99950 more");
	tp_diags_release(&list);
}

static void pipes_and_devices_are_written_to(void **state)
{
	char path[TP_PATH_MAX], got[8];
	struct tp_diag diag;
	struct stat st;
	in(path, *state, "pipe");
	assert_int_equal(mkfifo(path, 0666), 0);
	int reader = open(path, O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, "data", 4, &diag), TP_OK);
	assert_int_equal(read(reader, got, sizeof(got)), 4);
	assert_memory_equal(got, "data", 4);
	assert_int_equal(close(reader), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(entries_in(*state), 1);

	assert_int_equal(tp_file_write(TP_TYPED_FILE, "/dev/null", "x", 1, &diag), TP_OK);
	if (access("/dev/full", W_OK) == 0)
		assert_int_equal(tp_file_write(TP_TYPED_FILE, "/dev/full", "x", 1, &diag),
				 TP_RESOURCE);
}

/* What a stranger may have put into the place of a file: a link, a second name of another, a pipe.
 */
static void put_in_place(const char *path, const char *outside, int what)
{
	unlink(path);
	unlink(outside);
	assert_int_equal(tp_file_write(TP_TYPED_FILE, outside, "precious", 8, NULL), TP_OK);
	if (what == 0)
		assert_int_equal(symlink(outside, path), 0);
	else if (what == 1)
		assert_int_equal(link(outside, path), 0);
	else
		assert_int_equal(mkfifo(path, 0666), 0);
}

static void holds(const char *path, const char *wanted)
{
	char *text;
	size_t len;
	assert_int_equal(tp_file_read(path, 100, &text, &len, NULL), TP_OK);
	assert_string_equal(text, wanted);
	free(text);
}

static void nothing_is_written_through_what_nobody_typed(void **state)
{
	char folder[TP_PATH_MAX], path[TP_PATH_MAX], outside[TP_PATH_MAX];
	struct tp_diag diag;
	struct stat st;
	int fd;
	assert_int_equal(tp_dir_make(in(folder, *state, "theirs"), &diag), TP_OK);
	in(path, *state, "theirs/run.json");
	in(outside, *state, "outside");
	umask(022);
	for (int what = 0; what < 3; what++)
		for (int typed = TP_TYPED_FOLDER; typed <= TP_TYPED_NOTHING; typed++) {
			put_in_place(path, outside, what);
			assert_int_equal(tp_file_write(typed, path, "own", 3, &diag), TP_OK);
			holds(path, "own");
			holds(outside, "precious");
			put_in_place(path, outside, what);
			assert_int_not_equal(tp_file_create(typed, path, O_RDWR, &fd, &diag),
					     TP_OK);
			assert_int_equal(fd, -1);
			assert_int_equal(
				tp_file_create(typed, path, O_WRONLY | O_CREAT, &fd, &diag), TP_OK);
			assert_int_equal(write(fd, "new", 3), 3);
			close(fd);
			holds(path, "new");
			holds(outside, "precious");
			assert_int_equal(lstat(path, &st), 0);
			assert_true(S_ISREG(st.st_mode) && st.st_nlink == 1);
		}
	/* A link that the user typed leads where it leads. */
	put_in_place(path, outside, 0);
	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, "typed", 5, &diag), TP_OK);
	holds(outside, "typed");
}

/* A holder that lets go within the wait is waited for. */
static void a_folder_is_locked_once(void **state)
{
	const char *folder = *state;
	struct timespec moment = { .tv_nsec = 100000000 };
	int held, other, ready[2];
	char byte;
	assert_true(tp_folder_lock(folder, 0, &held));
	assert_false(tp_folder_lock(folder, 0, &other));
	assert_int_equal(other, -1);
	close(held);
	assert_int_equal(pipe(ready), 0);
	pid_t child = fork();
	if (child == 0) {
		bool had = tp_folder_lock(folder, 0, &held);
		had = write(ready[1], "", 1) == 1 && had;
		nanosleep(&moment, NULL);
		_exit(!had);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_true(tp_folder_lock(folder, 60, &other));
	assert_true(other >= 0);
	close(other);
	int end;
	assert_int_equal(waitpid(child, &end, 0), child);
	assert_int_equal(end, 0);
	close(ready[0]);
	close(ready[1]);
}

static void only_own_folders_are_written_to(void **state)
{
	static const struct {
		mode_t mode, mask;
		bool foreign, own;
	} rows[] = {
		{ 0755, 022, false, true },  { 0700, 077, false, true },
		{ 0757, 022, false, false }, { 01777, 0, false, false },
		{ 0775, 022, false, false }, { 0775, 002, false, true },
		{ 0755, 022, true, false },
	};
	char folder[TP_PATH_MAX], path[TP_PATH_MAX];
	struct tp_diag diag;
	int fd;
	assert_int_equal(tp_dir_make(in(folder, *state, "folder"), &diag), TP_OK);
	in(path, *state, "folder/file");
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		if (rows[i].foreign && geteuid() != 0)
			continue;
		umask(rows[i].mask);
		assert_int_equal(chmod(folder, rows[i].mode), 0);
		assert_true(!rows[i].foreign || chown(folder, 12345, 12345) == 0);
		enum tp_status wanted = rows[i].own ? TP_OK : TP_PERM;
		assert_int_equal(tp_file_write(TP_TYPED_NOTHING, path, "x", 1, &diag), wanted);
		if (wanted != TP_OK) {
			assert_string_equal(diag.where, folder);
			assert_non_null(strstr(diag.what, rows[i].foreign ? "another user (12345)"
									  : "others can write"));
		}
		assert_int_equal(
			tp_file_create(TP_TYPED_NOTHING, path, O_RDWR | O_CREAT, &fd, &diag),
			wanted);
		if (fd >= 0)
			close(fd);
		assert_int_equal(tp_file_write(TP_TYPED_FOLDER, path, "x", 1, &diag), TP_OK);
	}
	umask(0);
	assert_int_equal(tp_dir_make(in(path, *state, "made"), &diag), TP_OK);
	assert_int_equal(tp_folder_own(path, &diag), TP_OK); /* whatever the umask lets */
	umask(022);
}

static void folders_are_made_with_parents(void **state)
{
	char path[TP_PATH_MAX];
	struct tp_diag diag;
	struct stat st;
	in(path, *state, "a/b//c");
	assert_int_equal(tp_dir_make(path, &diag), TP_OK);
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(tp_dir_make(path, &diag), TP_OK);
	assert_int_equal(tp_dir_make("", &diag), TP_USAGE);

	in(path, *state, "file");
	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, "x", 1, &diag), TP_OK);
	assert_int_equal(tp_dir_make(path, &diag), TP_USAGE);
	assert_int_not_equal(tp_dir_make(in(path, *state, "file/below"), &diag), TP_OK);
}

/* --- paths --- */

static void user_paths_follow_xdg(void **state)
{
	(void)state;
	char out[TP_PATH_MAX];
	struct tp_diag diag;
	char *home = getenv("HOME"), *kept = home ? strdup(home) : NULL;

	setenv("HOME", "/home/someone", 1);
	unsetenv("XDG_DATA_HOME");
	unsetenv("XDG_CONFIG_HOME");
	assert_int_equal(tp_path_user_data("runs", out, &diag), TP_OK);
	assert_string_equal(out, "/home/someone/.local/share/tprof/runs");
	static const char *const typed[][2] = { { "~/a/b", "/home/someone/a/b" },
						{ "~", "/home/someone" },
						{ "~other/a", "~other/a" },
						{ "a/~/b", "a/~/b" } };
	char long_path[TP_PATH_MAX + 1] = "";
	for (size_t i = 0; i < TP_COUNT_OF(typed); i++) {
		assert_true(tp_path_typed(typed[i][0], out));
		assert_string_equal(out, typed[i][1]);
	}
	memset(long_path, 'a', TP_PATH_MAX);
	assert_false(tp_path_typed(long_path, out));
	assert_int_equal(tp_path_user_config("config.yaml", out, &diag), TP_OK);
	assert_string_equal(out, "/home/someone/.config/tprof/config.yaml");
	unsetenv("XDG_CACHE_HOME");
	assert_int_equal(tp_path_user_cache("objects", out, &diag), TP_OK);
	assert_string_equal(out, "/home/someone/.cache/tprof/objects");

	setenv("XDG_CACHE_HOME", "/cache", 1);
	assert_int_equal(tp_path_user_cache("objects", out, &diag), TP_OK);
	assert_string_equal(out, "/cache/tprof/objects");
	unsetenv("XDG_CACHE_HOME");
	setenv("XDG_DATA_HOME", "/data", 1);
	setenv("XDG_CONFIG_HOME", "relative/is/ignored", 1); /* so the XDG specification */
	assert_int_equal(tp_path_user_data("runs", out, &diag), TP_OK);
	assert_string_equal(out, "/data/tprof/runs");
	assert_int_equal(tp_path_user_config("config.yaml", out, &diag), TP_OK);
	assert_string_equal(out, "/home/someone/.config/tprof/config.yaml");

	unsetenv("HOME");
	unsetenv("XDG_DATA_HOME");
	assert_int_equal(tp_path_user_data("runs", out, &diag), TP_NOTFOUND);
	assert_string_equal(diag.hint, "set HOME");
	if (kept)
		setenv("HOME", kept, 1);
	free(kept);
}

static void data_are_found(void **state)
{
	char out[TP_PATH_MAX], path[TP_PATH_MAX];
	struct tp_diag diag;

	/* What the user names comes first, but only for what it holds. */
	in(path, *state, "presets");
	assert_int_equal(tp_dir_make(path, &diag), TP_OK);
	assert_int_equal(
		tp_file_write(TP_TYPED_FILE, in(path, *state, "presets/own.yaml"), "x", 1, &diag),
		TP_OK);
	setenv("TPROF_DATADIR", *state, 1);
	assert_int_equal(tp_path_data("presets/own.yaml", out, &diag), TP_OK);
	assert_string_equal(out, path);

	/* A program that is not installed finds the source tree's own. */
	unsetenv("TPROF_DATADIR");
	assert_int_equal(tp_path_data("presets/machines", out, &diag), TP_OK);
	assert_int_equal(access(out, R_OK), 0);
	assert_int_equal(tp_path_data("presets/own.yaml", out, &diag), TP_NOTFOUND);
	assert_string_equal(diag.where, "presets/own.yaml");
	assert_non_null(strstr(diag.hint, "TPROF_DATADIR"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_names_and_exit_codes),
		cmocka_unit_test(diagnoses_are_copies),
		cmocka_unit_test(text_grows),
		cmocka_unit_test(out_of_memory_ends_the_process),
		cmocka_unit_test(copy_tells_truncation),
		cmocka_unit_test(nearest_word),
		cmocka_unit_test(lists_in_words),
		cmocka_unit_test(arena_is_zeroed_and_aligned),
		cmocka_unit_test(vectors_grow),
		cmocka_unit_test(bytes_as_text),
		cmocka_unit_test(seconds_as_text),
		cmocka_unit_test(bytes_from_text),
		cmocka_unit_test(seconds_from_text),
		cmocka_unit_test(numbers_from_text),
		cmocka_unit_test_setup_teardown(files_are_written_whole, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(files_are_read_by_lines, make_folder,
						remove_folder),
		cmocka_unit_test(diagnoses_are_counted_beyond_a_limit),
		cmocka_unit_test_setup_teardown(file_errors_say_what, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(nothing_is_written_through_what_nobody_typed,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(a_folder_is_locked_once, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(only_own_folders_are_written_to, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(pipes_and_devices_are_written_to, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(folders_are_made_with_parents, make_folder,
						remove_folder),
		cmocka_unit_test(user_paths_follow_xdg),
		cmocka_unit_test_setup_teardown(data_are_found, make_folder, remove_folder),
	};
	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
