/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a worker process begins and ends. Private to this room. */
#ifndef TPROF_ROUTINES_WORKER_START_H
#define TPROF_ROUTINES_WORKER_START_H

#include <sys/types.h>

#include "base/status.h"
#include "base/str.h"

struct tp_worker_process {
	pid_t pid; /* -1 = none */
	int fd; /* commands and answers */
	int words_fd; /* what it wrote to standard error; a file in memory */
};

enum tp_status tp_worker_process_start(struct tp_worker_process *process, const unsigned *cpus,
				       unsigned n, struct tp_diag *diag);

/* Ends it if it still lives. `how` (may be NULL): "died of signal 11 (Segmentation fault)", with the last line of its standard error. */
void tp_worker_process_end(struct tp_worker_process *process, struct tp_str *how);

#endif
