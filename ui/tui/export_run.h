/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run to files for others: pictures, table, data, report. */
#ifndef TPROF_TUI_EXPORT_RUN_H
#define TPROF_TUI_EXPORT_RUN_H

#include "record/run.h"

/*
 * Writes <stem>.svg, <stem>.csv, <stem>.json and <stem>.txt, and of a run with classes <stem>.papi (a PAPI derived-event file) and
 * <stem>.readings.csv, into `folder`, which is made if need be; "~/" is the home directory. A file that is there already is left alone and
 * nothing is written (TP_USAGE).
 */
enum tp_status tp_export_run(const struct tp_run *run, const char *folder, const char *stem,
			     struct tp_diag *diag);

#endif
