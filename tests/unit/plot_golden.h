/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures compared with tests/golden. Include after cmocka.h. */
#ifndef TPROF_TESTS_PLOT_GOLDEN_H
#define TPROF_TESTS_PLOT_GOLDEN_H

#include "tests/unit/files.h"

/*
 * The text must be that of tests/golden/NAME. With TPROF_GOLDEN_WRITE in the environment the file
 * is written instead: look at the picture before you commit it.
 */
static inline void check_golden_text(const char *name, const char *text)
{
	char path[TP_PATH_MAX], *expected;
	size_t n;
	struct tp_diag diag;
	snprintf(path, sizeof(path), "%s/tests/golden/%s", source_dir(), name);
	if (getenv("TPROF_GOLDEN_WRITE"))
		assert_int_equal(tp_file_write(TP_TYPED_FILE, path, text, strlen(text), &diag),
				 TP_OK);
	if (tp_file_read(path, 1 << 20, &expected, &n, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	assert_string_equal(text, expected);
	free(expected);
}

#endif
