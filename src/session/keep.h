/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run directory while a run is under way. No measurement gets lost: run.json has "running" from
 * the start, each event is a line of the journal at once, and the results replace run.json at the
 * end.
 */
#ifndef TPROF_SESSION_KEEP_H
#define TPROF_SESSION_KEEP_H

#include "base/file.h"
#include "preset/preset.h"
#include "record/run.h"

struct tp_keep {
	char directory[TP_PATH_MAX];
	enum tp_typed typed; /* of its files: the directory, or nothing */
	int journal; /* locked while it is open, so that one tprof writes a run; -1 = none */
	bool journal_failed; /* reported to the user; nothing more is appended */
};

/* The name that all runs of the preset have; "" if none, or each has its own. */
const char *tp_keep_common_name(const struct tp_preset *preset);
/* The name of a run: the preset's own, else its file's. */
const char *tp_keep_name(const struct tp_preset *preset, char *out, size_t size);

/* A new run directory (see tp_rundir_create) with preset.yaml and an empty journal. */
enum tp_status tp_keep_create(struct tp_keep *keep, const char *wanted, const char *name,
			      const struct tp_preset *preset, struct tp_diag *diag);
/*
 * An old run directory, to go on with. Lock it before you read it, or another tprof may go on with
 * it in between: TP_RESOURCE while one does. Nothing is written before tp_keep_reopen, which cuts
 * off what follows the last whole line of the journal.
 */
enum tp_status tp_keep_lock(struct tp_keep *keep, const char *directory, struct tp_diag *diag);
enum tp_status tp_keep_reopen(struct tp_keep *keep, struct tp_diag *diag);
void tp_keep_close(struct tp_keep *keep);

/*
 * Writes run.json with the facts of `run`, the state "running" and no points: readers take these
 * from the journal.
 */
enum tp_status tp_keep_begin(const struct tp_keep *keep, struct tp_run *run, struct tp_diag *diag);

/* Appends whole lines. False when that fails for the first time, with errno. */
bool tp_keep_append(struct tp_keep *keep, const char *lines, size_t len);

/*
 * Writes run.json and points.csv. A directory that was removed during the run is made again, with
 * the journal. If it cannot be written, the results go to a new directory below $TMPDIR, /tmp or
 * /dev/shm, and keep->directory becomes that one. `diag` reports it, even with TP_OK.
 */
enum tp_status tp_keep_results(struct tp_keep *keep, const struct tp_preset *preset,
			       const struct tp_run *run, struct tp_diag *diag);

/* What goes on with the run: "tprof --resume last", else with its directory, for a shell. */
void tp_keep_resume_command(const char *directory, struct tp_str *out);

#endif
