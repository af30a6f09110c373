/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run directories below one folder. Private to this room. */
#ifndef TPROF_CLI_RUNS_H
#define TPROF_CLI_RUNS_H

#include "record/run.h"

struct tp_run_entry {
	char directory[256]; /* name of the run directory */
	char path[TP_PATH_MAX];
	char date[24]; /* "2026-11-21 11:48", local time of the start */
	char name[104];
	char state[16]; /* of run.json; "unfinished": only a journal; "unreadable" */
	size_t n_done; /* finished points */
};

/* Heap array sorted by directory name, which is by date; caller frees. A folder that is not there has no runs. */
enum tp_status tp_run_entries(const char *folder, struct tp_run_entry **entries, size_t *n,
			      struct tp_diag *diag);

#endif
