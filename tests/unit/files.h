/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of tests: those of the source tree, and folders of a test's own. */
#ifndef TPROF_TESTS_FILES_H
#define TPROF_TESTS_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* The top of the source tree, where presets/, man/ and tests/ are. */
static inline const char *source_dir(void)
{
	const char *top = getenv("TPROF_SRCDIR");
	return top && *top ? top : ".";
}

/* Writes <folder>/<relative>, with the folders on the way there. */
static inline void put_file(const char *folder, const char *relative, const char *text)
{
	char path[TP_PATH_MAX];
	struct tp_diag diag = { 0 };
	snprintf(path, sizeof(path), "%s/%s", folder, relative);
	char *slash = strrchr(path, '/');
	*slash = '\0';
	assert_int_equal(tp_dir_make(path, &diag), TP_OK);
	*slash = '/';
	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, text, strlen(text), &diag), TP_OK);
}

/* With all that is in it. 0 for success, as cmocka wants it of a teardown. */
static inline int remove_tree(const char *folder)
{
	char command[TP_PATH_MAX + 16];
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

#endif
