/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a program prints the same when it is counted: its output is compared with that of timed
 * runs. Parts that differ between timed runs are ignored.
 */
#ifndef TPROF_EXPERIMENTS_APP_SAME_H
#define TPROF_EXPERIMENTS_APP_SAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum {
	TP_APP_SAME_STREAMS = 2, /* standard output, standard error */
	TP_APP_SAME_BYTES = 4 << 20, /* of each that are compared; then only their number */
};

/* What one run printed. */
struct tp_app_said {
	uint64_t bytes, exact; /* a hash of them */
	uint64_t masked; /* a hash of the text without its numbers */
};

/* Zero-initialise. */
struct tp_app_same {
	bool compared[TP_APP_SAME_STREAMS]; /* set by the caller; some must be left alone */
	/* Of the run under way. */
	struct tp_str text[TP_APP_SAME_STREAMS];
	uint64_t bytes[TP_APP_SAME_STREAMS];
	bool unread[TP_APP_SAME_STREAMS]; /* its reader has gone */
	/* Of the counted run, and of the first timed one. */
	struct tp_app_said counted[TP_APP_SAME_STREAMS], timed[TP_APP_SAME_STREAMS];
	unsigned n_timed;
	bool varies[TP_APP_SAME_STREAMS],
		varies_masked[TP_APP_SAME_STREAMS]; /* among those timed */
};

/* As `heard` of tp_command_line, with a tp_app_same. */
void tp_app_same_hear(void *same, size_t stream, const char *bytes, size_t n);
/* A run begins. */
void tp_app_same_begin(struct tp_app_same *same);
/* A run has ended. */
void tp_app_same_end_counted(struct tp_app_same *same);
void tp_app_same_end_timed(struct tp_app_same *same);

/*
 * NULL, or the stream that differs: "standard output". After one run that was timed numbers do not
 * matter. After more they do, unless they differ among these runs, too; where whole texts do, no
 * stream differs.
 */
const char *tp_app_same_differs(const struct tp_app_same *same);
void tp_app_same_release(struct tp_app_same *same);

#endif
