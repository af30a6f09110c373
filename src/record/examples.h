/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Example runs: stored runs that ship with the program, one for each experiment, to be looked at
 * before anything is measured. They lie in examples/runs of its data and are only read. Their names
 * are those of the experiments behind "example/".
 */
#ifndef TPROF_RECORD_EXAMPLES_H
#define TPROF_RECORD_EXAMPLES_H

#include "record/entries.h"

#define TP_EXAMPLE_PREFIX "example/"

/* True if `what` begins as a name of an example does. */
bool tp_example_named(const char *what);
/* Finds the run directory of "example/NAME"; TP_NOTFOUND with the nearest name. */
enum tp_status tp_example_find(const char *what, char path[TP_PATH_MAX], struct tp_diag *diag);

/*
 * All of them as tp_run_entries: a heap array sorted by name, which the caller frees. TP_NOTFOUND
 * where they are not installed.
 */
enum tp_status tp_example_entries(struct tp_run_entry **entries, size_t *n, struct tp_diag *diag);

/* "example/roofline" for the path of that run directory; false for any other path. */
bool tp_example_called(const char *path, char *out, size_t size);

#endif
