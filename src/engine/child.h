/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One engine process as the parent sees it, and the commands that come in while it measures.
 * Private to this room.
 */
#ifndef TPROF_ENGINE_CHILD_H
#define TPROF_ENGINE_CHILD_H

#include <signal.h>

#include "base/process.h"

/* Commands from outside; see control_fd of tp_engine_request. */
struct tp_wishes {
	int fd; /* -1 = none, or ended */
	struct tp_lines lines;
	bool stop, skip, paused, painted;
	bool told_paused; /* what the engine knows; false for a new one */
};

/*
 * Starts an engine and gives it its job. `program_output` and `program_kept`: see
 * tp_engine_request.
 */
enum tp_status tp_child_start(struct tp_process *child, const char *job, size_t len,
			      int program_output, int program_kept, struct tp_diag *diag);

enum tp_child_news { TP_CHILD_LINE, TP_CHILD_QUIET, TP_CHILD_GONE, TP_CHILD_HUNG };

/*
 * Waits for the next line (see tp_lines_next) and obeys commands meanwhile. The command to stop, or
 * a set *stop, asks the child to cancel; if it does not obey in time, it is terminated, then
 * killed. QUIET: nothing came for a while. HUNG: the child said nothing for `patience_seconds` and
 * has been killed.
 */
enum tp_child_news tp_child_next(struct tp_process *child, struct tp_wishes *wishes,
				 const volatile sig_atomic_t *stop, double patience_seconds,
				 char **line, size_t *len);

struct tp_process_end tp_child_end(struct tp_process *child);

#endif
