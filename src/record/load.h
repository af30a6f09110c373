/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stored runs: finding one by its name, and reading its files, also after a kill.
 *
 * A run directory holds run.json from its first moment on: facts and state "running", no points.
 * The journal grows beside it. At the end run.json is replaced by the whole result. So a run whose
 * run.json has "running" is active, or was killed: its points are then in the journal.
 */
#ifndef TPROF_RECORD_LOAD_H
#define TPROF_RECORD_LOAD_H

#include "record/run.h"

/*
 * Finds what `what` names: a path with a slash or an existing file or directory here; "last" (the
 * newest run); "example/NAME" (an example run); the name of a run directory in the user's data
 * directory, or the end of it if only one ends so ("roofline" for 2026-11-21-120000-roofline).
 * The name of a cluster run stands for merged/ in it, and "NAME/nodes/node-1" for what lies in it.
 * `path` gets a run directory, or a single file (run.json, journal.ndjson, points.csv). TP_NOTFOUND
 * with the nearest name.
 */
enum tp_status tp_run_find(const char *what, char path[TP_PATH_MAX], struct tp_diag *diag);

/* Sets run->called to what names that run directory. */
void tp_run_call(struct tp_run *run, const char *directory);

/*
 * Reads a run directory, or one of its files by itself: run.json, a journal (points only),
 * points.csv (finished points without their windows). Reading a directory falls back to the journal
 * when the run was killed; run->state is then "interrupted" (or "running" while a process holds its
 * lock). `run` is overwritten; release it.
 */
enum tp_status tp_run_load(struct tp_run *run, const char *path, struct tp_diag *diag);

/*
 * Facts, roofs, plateaus, dots and study of a run directory without its points and trials, which
 * are nearly all of it: for previews. An unfinished run is read as by tp_run_load.
 */
enum tp_status tp_run_load_results(struct tp_run *run, const char *directory, struct tp_diag *diag);

/* points.csv back into finished points. Unknown columns are ignored; errors carry name:line. */
enum tp_status tp_run_parse_csv(struct tp_run *run, const char *name, const char *text, size_t len,
				struct tp_diag *diag);

/* The run directories below one folder: what a list of runs shows, without reading their points. */
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
 * State and counts of points from the head of a run.json. False if it does not show how the run
 * ended: the run is active, was killed, or the file is unreadable.
 */
bool tp_run_entry_head(const char *path, struct tp_run_entry *entry);

/*
 * False if the directory does not exist (any more), or if it belongs to a cluster run, which
 * contains runs: then directory, path, date and name are filled in. A directory that is not a run
 * is "unreadable".
 */
bool tp_run_entry_read(const char *folder, const char *directory, struct tp_run_entry *entry);

/*
 * The same of runs that came to an end, by their heads alone; false for all others. For searches:
 * the journal of a killed run may take seconds to read.
 */
bool tp_run_entry_ended(const char *folder, const char *directory, struct tp_run_entry *entry);

/*
 * Example runs: stored runs that ship with the program, one for each experiment, to look at before
 * anything is measured. They lie in examples/runs of its data and are only read. Their names are
 * "example/" and the experiment.
 */

#define TP_EXAMPLE_PREFIX "example/"

/*
 * All of them as tp_run_entries: a heap array sorted by name, which the caller frees. TP_NOTFOUND
 * if they are not installed.
 */
enum tp_status tp_example_entries(struct tp_run_entry **entries, size_t *n, struct tp_diag *diag);

/* "example/roofline" for the path of that run directory; false for any other path. */
bool tp_example_called(const char *path, char *out, size_t size);

#endif
