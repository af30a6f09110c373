/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stored runs: finding one by what people call it, and reading whatever it left, also when it was
 * killed.
 *
 * A run directory holds run.json from its first moment on: facts and state "running", no points.
 * The journal grows beside it. At the end run.json is replaced by the whole result. So a run whose
 * run.json says "running" lives, or was killed: its points are then those of the journal.
 */
#ifndef TPROF_RECORD_LOAD_H
#define TPROF_RECORD_LOAD_H

#include "record/run.h"

/*
 * Finds what `what` names: a path with a slash or an existing file or directory here; "last" (the
 * newest run); "example/NAME" (examples.h); the name of a run directory in the user's data
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
 * when the run was killed; run->state is then "interrupted" (or "running" while somebody holds its
 * lock). `run` is filled anew; release it.
 */
enum tp_status tp_run_load(struct tp_run *run, const char *path, struct tp_diag *diag);

/*
 * Facts, roofs, plateaus, dots and study of a run directory without its points and trials, which
 * are nearly all of it: for previews. A run that never came to its end is read as tp_run_load does.
 */
enum tp_status tp_run_load_results(struct tp_run *run, const char *directory, struct tp_diag *diag);

/* points.csv back into finished points. Unknown columns are ignored; errors carry name:line. */
enum tp_status tp_run_parse_csv(struct tp_run *run, const char *name, const char *text, size_t len,
				struct tp_diag *diag);

#endif
