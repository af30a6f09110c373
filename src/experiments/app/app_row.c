/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/app/app_row.h"
#include "base/memory.h"

#include <string.h>

enum { ID = TP_IN_IDENTITY | TP_IN_CSV | TP_IN_JSON, FOUND = TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON };

/* Points of other experiments, and roofs, end in no way. */
static bool runs(const void *row)
{
	return ((const struct tp_app_row *)row)->command[0] != '\0';
}

/* clang-format off */
#define A(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_app_row, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)
static const struct tp_column columns[] = {
	A(command,         "app_command",     TEXT,     ALWAYS,  NOTE,      ID,
	  .help = "The program that was counted, with its arguments; empty for a roof that was "
		  "measured beside it."),
	A(wanted_threads,  "app_threads",     UNSIGNED, NONZERO, DIMENSION, ID,
	  .most = TP_RUN_THREADS_MAX,
	  .help = "The threads that app.threads asked for; empty if the environment decides."),
	A(source,          "app_source",      TEXT,     ALWAYS,  NOTE,      FOUND,
	  .help = "How it was counted."),
	A(exit_status,     "app_exit_status", UNSIGNED, ALWAYS,  NOTE,      FOUND, .applies = runs),
	A(signal,          "app_signal",      UNSIGNED, NONZERO, NOTE,      FOUND,
	  .help = "Exit status and signal of the program, of the first run that failed."),
	A(ran_threads,     "app_ran_threads", UNSIGNED, NONZERO, NOTE,      FOUND,
	  .help = "Threads of the program that were counted."),
	A(time_seconds,    "app_seconds",     REAL,     NONZERO, METRIC,    FOUND, .unit = "s"),
	A(user_seconds,    "app_user_seconds", REAL,    NONZERO, NOTE,      FOUND, .unit = "s"),
	A(system_seconds,  "app_system_seconds", REAL,  NONZERO, NOTE,      FOUND, .unit = "s",
	  .help = "Median times of the runs without instrumentation: from start to end, and on CPUs."),
	A(counted_seconds, "app_counted_seconds", REAL, NONZERO, NOTE,      FOUND, .unit = "s",
	  .help = "Time of the run that was counted: over app_seconds it is what counting costs."),
	A(max_rss_bytes,   "app_rss_bytes",   U64,      NONZERO, NOTE,      FOUND, .unit = "B",
	  .help = "The most memory of one of its processes; empty if that is less than what the engine of "
		  "tprof has."),
	A(incomplete,      "app_incomplete",  BOOL,     ALWAYS,  NOTE,      FOUND, .applies = runs,
	  .help = "true if a part of the program ran without being counted."),
};
/* clang-format on */

const struct tp_table tp_app_table = {
	.columns = columns,
	.n = TP_COUNT_OF(columns),
	.row_bytes = sizeof(struct tp_app_row),
	.base = &tp_kernel_table,
};
_Static_assert(sizeof(struct tp_app_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

const struct tp_app_row *tp_app_row(const struct tp_point *point)
{
	static const struct tp_app_row none;
	return point->row && point->kind && tp_table_is(point->kind->table, &tp_app_table)
		       ? point->row
		       : &none;
}

bool tp_point_is_app(const struct tp_point *point)
{
	return runs(tp_app_row(point));
}

bool tp_app_is_whole(const struct tp_app_region_row *row)
{
	return strcmp(row->thread, "all") == 0;
}

uint64_t tp_app_flops(const struct tp_app_region_row *row)
{
	return row->flops_sp + row->flops_dp + row->flops_half + row->flops_x87;
}

uint64_t tp_app_bytes(const struct tp_app_region_row *row)
{
	return row->bytes_loaded + row->bytes_stored;
}
