/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run directory while a run is under way: what is written when, so that nothing that was measured is lost. run.json says "running"
 * from the first moment, the journal grows by a line an event, the results replace run.json at the end.
 */
#ifndef TPROF_CLI_KEEP_H
#define TPROF_CLI_KEEP_H

#include "base/file.h"
#include "preset/preset.h"
#include "record/run.h"

struct tp_keep {
	char directory[TP_PATH_MAX];
	int journal; /* locked as long as it is open: one tprof writes a run; -1 = none */
	bool journal_failed; /* told already; nothing more is appended */
};

/* What a run is called: the preset's own name, else that of its file. */
const char *tp_keep_name(const struct tp_preset *preset, char *out, size_t size);

/* A new run directory (see tp_rundir_create) with preset.yaml and an empty journal. */
enum tp_status tp_keep_create(struct tp_keep *keep, const char *wanted, const char *name,
			      const struct tp_preset *preset, struct tp_diag *diag);
/* An old one, to go on with: the journal loses what follows its last whole line. TP_RESOURCE while another tprof writes it. */
enum tp_status tp_keep_reopen(struct tp_keep *keep, const char *directory, struct tp_diag *diag);
void tp_keep_close(struct tp_keep *keep);

/* run.json with the facts of `run`, state "running" and no points: what a reader needs beside the journal. */
enum tp_status tp_keep_begin(const struct tp_keep *keep, struct tp_run *run, struct tp_diag *diag);

/* Appends whole lines. False (once) when that fails: errno tells why. */
bool tp_keep_append(struct tp_keep *keep, const char *lines, size_t len);

/*
 * Writes run.json and points.csv. A directory that was removed meanwhile is made again, with the journal. Where it cannot be written, the
 * results go to a new directory below $TMPDIR, /tmp or /dev/shm; `keep->directory` then names that one. `diag` has words when
 * anything of this was needed, even with TP_OK.
 */
enum tp_status tp_keep_results(struct tp_keep *keep, const struct tp_preset *preset,
			       const struct tp_run *run, struct tp_diag *diag);

#endif
