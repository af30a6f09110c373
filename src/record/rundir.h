/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removing a stored run, and never anything else. */
#ifndef TPROF_RECORD_RUNDIR_H
#define TPROF_RECORD_RUNDIR_H

#include "base/status.h"
#include "record/run.h"

/*
 * Names of the files that a run directory may hold, up to NULL. Those that make it a run come last,
 * so that half a removal leaves a run that can be removed.
 */
extern const char *const tp_run_file_names[];

/*
 * Removes the run directory `directory` (a name, not a path) below `folder`. Refused, with a
 * message and with nothing removed: a name with a slash, a symbolic link, a directory that holds
 * neither run.json nor journal.ndjson, one that holds anything that tprof did not write there, a
 * run that is being measured (TP_RESOURCE). TP_NOTFOUND when it is gone already. Links inside are
 * never followed.
 */
enum tp_status tp_run_remove(const char *folder, const char *directory, struct tp_diag *diag);

/*
 * The output of users' programs lies in two files of the run directory, unless the program had
 * tprof's streams. Facts of the run give its size.
 */

enum { TP_PRINTED_FILES = 2 };

/* "output.txt", "errors.txt": standard output and standard error. */
const char *tp_printed_file(size_t stream);

/* Records in the run that the file holds `bytes`, and that `cut` more were cut off. */
enum tp_status tp_run_printed_set(struct tp_run *run, size_t stream, uint64_t bytes, uint64_t cut);

/* Bytes that were cut off. */
uint64_t tp_run_printed_cut(const struct tp_run *run, size_t stream);

/*
 * A sentence with its place and how much was cut off; false and nothing if nothing was printed.
 * `directory` NULL: it is not named.
 */
bool tp_run_printed_text(const struct tp_run *run, const char *directory, struct tp_str *out);

#endif
