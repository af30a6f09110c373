/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The families of run.json as text, and read again. Private to classes.c and classes_parse.c. */
#ifndef TPROF_RECORD_CLASSES_JSON_H
#define TPROF_RECORD_CLASSES_JSON_H

#include "experiments/counters/classes.h"
#include "table/json.h"

enum { TP_FAMILY_IDEALS_MAX = 256 };
/* Reads {"flops": {...}, ...} into the classes of the run. */
enum tp_status tp_families_read(struct tp_run *run, const json_t *families, const char *place,
				struct tp_diag *diag);

#endif
