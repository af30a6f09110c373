/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files of this room: a learner's file as text. */
#ifndef TPROF_LESSON_PROGRESS_PARTS_H
#define TPROF_LESSON_PROGRESS_PARTS_H

#include "lesson/progress.h"

enum { TP_PROGRESS_MAX_BYTES = 4 << 20 };

/*
 * The text of the file: `old` (of `len` bytes; NULL: there is no file yet) with the lessons that
 * this process has touched. What is not known here stays as it is. TP_USAGE: `old` is damaged.
 */
enum tp_status tp_progress_text(const struct tp_progress_file *file, const char *old, size_t len,
				struct tp_str *out, struct tp_diag *diag);

#endif
