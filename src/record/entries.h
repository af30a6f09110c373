/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run directories below one folder: what a list of runs shows, without reading their points. */
#ifndef TPROF_RECORD_ENTRIES_H
#define TPROF_RECORD_ENTRIES_H

#include "record/brief.h"

struct tp_run_entry {
	char directory[256]; /* name of the run directory */
	char path[TP_PATH_MAX];
	char date[24]; /* "2026-11-21 11:48", local time of the start */
	char name[104];
	char notes[160]; /* what the user wrote, cut to this length */
	char cpu[96], hostname[64]; /* of the machine that was measured, or empty */
	char simulated[TP_SIMULATED_BYTES]; /* as tp_run_simulated */
	char state[16]; /* complete, interrupted, failed, running (right now), unreadable */
	struct tp_run_brief brief; /* empty for runs of earlier versions */
	size_t n_done, n_planned; /* finished points, points of the plan; planned 0 = unknown */
};

/*
 * Heap array sorted by directory name, which is by date; caller frees. A folder that is not there
 * has no runs.
 */
enum tp_status tp_run_entries(const char *folder, struct tp_run_entry **entries, size_t *n,
			      struct tp_diag *diag);

/*
 * The same in two steps, for lists that are shown before everything is read. Names of what may be a
 * run, sorted; free them.
 */
enum tp_status tp_run_names(const char *folder, char ***names, size_t *n, struct tp_diag *diag);
void tp_run_names_free(char **names, size_t n);
/*
 * State and counts of points from the head of a run.json. False if it does not say how the run
 * ended: the run lives, was killed, or the file cannot be read.
 */
bool tp_run_entry_head(const char *path, struct tp_run_entry *entry);
/*
 * False if there is no such directory (any more), or if it is that of a cluster run, which holds
 * runs: then directory, path, date and name are filled in. One that is no run is "unreadable".
 */
bool tp_run_entry_read(const char *folder, const char *directory, struct tp_run_entry *entry);

#endif
