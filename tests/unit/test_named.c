/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files called by a name: which folder wins, what is left out, what a strict kind tells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/named.h"
#include "base/memory.h"
#include "tests/unit/files.h"

/* Both of them in the folder that the tests make. */
static char folder[64];

static enum tp_status below(const char *relative, char out[TP_PATH_MAX], struct tp_diag *diag)
{
	(void)diag;
	snprintf(out, TP_PATH_MAX, "%s/%s", folder, relative);
	return TP_OK;
}

static enum tp_status nowhere(const char *relative, char out[TP_PATH_MAX], struct tp_diag *diag)
{
	(void)relative;
	(void)out;
	return tp_fail(diag, TP_NOTFOUND, NULL, NULL, "not for this user");
}

/* The text of the file is its title. */
static void read_title(const char *path, char *out, size_t size)
{
	char *text;
	size_t len;
	if (tp_file_read(path, 100, &text, &len, NULL) != TP_OK)
		return;
	snprintf(out, size, "%s", text);
	free(text);
}

static const struct tp_named_kind kind = {
	.what = "songs",
	.folders = { { nowhere, "x" }, { below, "own" }, { below, "shipped" } },
	.name_bytes = 8,
	.title_bytes = 6,
	.read_title = read_title,
};

static const char *const files[] = { "own/b.yaml",	     "own/a.yaml",
				     "shipped/b.yaml",	     "shipped/c.yaml",
				     "shipped/.yaml",	     "shipped/.d.yaml",
				     "shipped/e.yml",	     "shipped/1234567.yaml",
				     "shipped/12345678.yaml" };

static int make_files(void **state)
{
	char path[TP_PATH_MAX];
	(void)state;
	strcpy(folder, "/tmp/tprof-named-XXXXXX");
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < TP_COUNT_OF(files); i++)
		put_file(folder, files[i], files[i]);
	below("shipped/folder.yaml", path, NULL);
	assert_int_equal(tp_dir_make(path, NULL), TP_OK);
	below("own/gone.yaml", path, NULL);
	assert_int_equal(symlink("/nonexistent", path), 0);
	return 0;
}

static int remove_files(void **state)
{
	(void)state;
	return remove_tree(folder);
}

static void assert_listed(const struct tp_named_kind *of, const char *const *names, size_t n)
{
	struct tp_named_file *found;
	struct tp_diag diag;
	size_t n_found;
	assert_int_equal(tp_named_list(of, &found, &n_found, &diag), TP_OK);
	for (size_t i = 0; i < n && i < n_found; i++)
		assert_string_equal(found[i].name, names[i]);
	assert_int_equal(n_found, n);
	free(found);
}

static void the_first_folder_wins(void **state)
{
	static const char *const names[] = { "1234567", "a", "b", "c" };
	struct tp_named_file *found;
	struct tp_diag diag;
	size_t n;
	(void)state;
	assert_listed(&kind, names, TP_COUNT_OF(names));
	assert_int_equal(tp_named_list(&kind, &found, &n, &diag), TP_OK);
	assert_non_null(strstr(found[2].path, "/own/b.yaml"));
	/* cut to the bytes that the kind gives titles */
	assert_string_equal(found[2].title, "own/b");
	free(found);
}

static void a_wrong_name_is_guessed(void **state)
{
	struct tp_str all = { 0 };
	char near[TP_NAME_MAX];
	(void)state;
	tp_named_guess(&kind, "123456", NULL, near, &all);
	assert_string_equal(near, "1234567");
	assert_string_equal(tp_str_text(&all), "1234567, a, b or c");
	tp_str_clear(&all);
	tp_named_guess(&kind, "detecte", "detected", near, &all);
	assert_string_equal(near, "detected");
	assert_string_equal(tp_str_text(&all), "1234567, a, b, c or detected");
	tp_named_guess(&kind, "something else", NULL, near, NULL);
	assert_string_equal(near, "");
	tp_str_release(&all);
}

static void one_is_found_by_its_name(void **state)
{
	char path[TP_PATH_MAX];
	(void)state;
	assert_true(tp_named_find(&kind, "b", 1, path));
	assert_non_null(strstr(path, "/own/b.yaml"));
	assert_true(tp_named_find(&kind, "c.yaml", 1, path));
	assert_non_null(strstr(path, "/shipped/c.yaml"));
	assert_false(tp_named_find(&kind, "folder", 6, path));
	assert_false(tp_named_find(&kind, "gone", 4, path));
	assert_false(tp_named_find(&kind, "", 0, path));
	assert_int_equal(tp_named_stem("c.yaml"), 1);
	assert_int_equal(tp_named_stem("c"), 0);
	assert_int_equal(tp_named_stem(".yaml"), 0);
}

static void a_strict_kind_lists_what_cannot_be_read(void **state)
{
	static const char *const names[] = { "1234567", "a", "b", "c", "folder", "gone" };
	struct tp_named_kind strict = kind;
	struct tp_named_file *found;
	struct tp_diag diag;
	size_t n;
	(void)state;
	strict.strict = true;
	strict.read_title = NULL;
	assert_listed(&strict, names, TP_COUNT_OF(names));
	/*
	 * a folder that is not there is none, one that is not a folder is an error; others leave it
	 * out
	 */
	strict.folders[0] = (struct tp_named_folder){ below, "missing" };
	assert_listed(&strict, names, TP_COUNT_OF(names));
	strict.folders[0] = (struct tp_named_folder){ below, "own/a.yaml" };
	assert_int_equal(tp_named_list(&strict, &found, &n, &diag), TP_IO);
	assert_non_null(strstr(diag.where, "/own/a.yaml"));
	assert_null(found);
	strict.strict = false;
	assert_listed(&strict, names, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_folder_wins),
		cmocka_unit_test(a_wrong_name_is_guessed),
		cmocka_unit_test(one_is_found_by_its_name),
		cmocka_unit_test(a_strict_kind_lists_what_cannot_be_read),
	};
	return cmocka_run_group_tests_name("named", tests, make_files, remove_files);
}
