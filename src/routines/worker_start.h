/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to this room: how a worker process starts and ends. */
#ifndef TPROF_ROUTINES_WORKER_START_H
#define TPROF_ROUTINES_WORKER_START_H

#include "base/process.h"

struct tp_worker_process {
	struct tp_process process; /* commands and answers */
	int words_fd; /* what it wrote to standard error; a file in memory */
};

enum tp_status tp_worker_process_start(struct tp_worker_process *worker, const unsigned *cpus,
				       unsigned n, struct tp_diag *diag);

/*
 * Ends it if it still lives. With `how` it gets a moment to end by itself, and its end is told:
 * "died of signal 11 (Segmentation fault)", with the last line of its standard error.
 */
void tp_worker_process_end(struct tp_worker_process *worker, struct tp_str *how);

#endif
