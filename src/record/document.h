/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the writers and readers of run.json, points.csv and events share. Private to this room. */
#ifndef TPROF_RECORD_DOCUMENT_H
#define TPROF_RECORD_DOCUMENT_H

#include "record/run.h"
#include "table/json.h"

/*
 * Sets the columns that appear in any of `where`, and the diagnosis, as members of `object`: of
 * those that are `shown` (tp_run_shown_columns), or with NULL those that are not empty, as three
 * quarters of the columns of an event are.
 */
void tp_point_pack(const struct tp_point *point, unsigned where, const bool *shown, json_t *object);
/*
 * The columns of the points that are worth showing: the core ones, and what any point has; by
 * `done`, any that was measured.
 */
void tp_run_shown_columns(const struct tp_run *run, bool done, bool *shown);
/*
 * Reads every known key into a zeroed point. A point that has a row keeps it, for any key
 * "experiment"; else one is taken from the arena. TP_USAGE as of tp_row_unpack.
 */
enum tp_status tp_point_unpack(struct tp_point *point, struct tp_arena *arena, const json_t *object,
			       const char *place, struct tp_diag *diag);

/* The name and version of the format. */
#define TP_RUN_FORMAT_NAME "tprof-run"
enum { TP_RUN_FORMAT_VERSION = 1 };
/* False for keys that run.json uses itself ("points", ...), as a whole or before a dot. */
bool tp_fact_key_allowed(const char *key);

#endif
