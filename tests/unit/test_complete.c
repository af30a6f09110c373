/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths that complete a command, in a folder of known files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "ui/tui/widgets/complete.h"

static char folder[] = "/tmp/test_complete.XXXXXX";

static const struct {
	const char *name;
	mode_t mode; /* 0: a folder */
} files[] = { { "solver", 0755 },  { "solver.c", 0644 },      { "solve-2d", 0755 },
	      { "src", 0 },	   { "notes one.txt", 0644 }, { "notes two.txt", 0644 },
	      { ".hidden", 0755 }, { "src/main.c", 0644 } };

static int make_files(void **state)
{
	(void)state;
	if (!mkdtemp(folder) || chdir(folder))
		return -1;
	for (size_t i = 0; i < TP_COUNT_OF(files); i++) {
		int fd = files[i].mode ? open(files[i].name, O_CREAT | O_WRONLY, files[i].mode)
				       : mkdir(files[i].name, 0755);
		if (fd < 0)
			return -1;
		if (files[i].mode)
			close(fd);
	}
	return 0;
}

static int remove_files(void **state)
{
	(void)state;
	for (size_t i = TP_COUNT_OF(files); i-- > 0;)
		remove(files[i].name);
	return rmdir(folder);
}

/* The command after Tab at its end, and how many files it could be. */
static const char *completed(const char *typed, size_t *n)
{
	static struct tp_text_field field;
	struct tp_completion completion = { 0 };
	tp_text_field_set(&field, typed);
	tp_complete(&completion, &field);
	*n = completion.n;
	tp_completion_release(&completion);
	return field.text;
}

static void a_word_becomes_what_its_files_have_in_common(void **state)
{
	static const struct {
		const char *typed, *command;
		size_t n;
	} cases[] = {
		/* A program, with its folder; other files only where there is no program. */
		{ "s", "./s", 3 },
		{ "so", "./solve", 2 },
		{ "./solver", "./solver", 1 },
		{ "solver.", "./solver.c", 1 },
		{ "sr", "./src/", 1 },
		{ "./.h", "./.hidden", 1 },
		{ "nothing", "nothing", 0 },
		/* Any file, with quotes where it needs them. */
		{ "./solver so", "./solver solve", 3 },
		{ "./solver src/", "./solver src/main.c", 1 },
		{ "./solver no", "./solver \"notes ", 2 },
		{ "./solver \"notes t", "./solver \"notes two.txt\"", 1 },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		size_t n;
		assert_string_equal(completed(cases[i].typed, &n), cases[i].command);
		assert_int_equal(n, cases[i].n);
	}
}

static void programs_and_folders_are_listed_first(void **state)
{
	struct tp_text_field field = { 0 };
	struct tp_completion completion = { 0 };
	(void)state;
	tp_text_field_set(&field, "./solver s  tail");
	field.at = strlen("./solver s");
	assert_true(!tp_complete(&completion, &field));
	assert_int_equal(completion.n, 4);
	assert_string_equal(completion.files[0].path, "solve-2d");
	assert_true(completion.files[0].program);
	assert_string_equal(completion.files[2].path, "src/");
	assert_true(completion.files[2].folder);
	assert_string_equal(completion.files[3].path, "solver.c");
	/* The text after the cursor stays. */
	tp_complete_take(&completion, 3, &field);
	assert_string_equal(field.text, "./solver solver.c  tail");
	assert_int_equal(field.at, strlen("./solver solver.c"));
	tp_completion_release(&completion);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_becomes_what_its_files_have_in_common),
		cmocka_unit_test(programs_and_folders_are_listed_first),
	};
	return cmocka_run_group_tests(tests, make_files, remove_files);
}
