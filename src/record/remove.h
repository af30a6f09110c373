/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removing a stored run, and never anything else. */
#ifndef TPROF_RECORD_REMOVE_H
#define TPROF_RECORD_REMOVE_H

#include "base/status.h"

/*
 * Names of the files that a run directory may hold, up to NULL. Those that make it a run come last,
 * so that half a removal leaves a run that can be removed.
 */
extern const char *const tp_run_file_names[];

/*
 * Removes the run directory `directory` (a name, not a path) below `folder`. Refused, with words
 * and with nothing removed: a name with a slash, a symbolic link, a directory that holds neither
 * run.json nor journal.ndjson, one that holds anything that tprof did not write there, a run that
 * is being measured (TP_RESOURCE). TP_NOTFOUND when it is gone already. Links inside are never
 * followed.
 */
enum tp_status tp_run_remove(const char *folder, const char *directory, struct tp_diag *diag);

#endif
