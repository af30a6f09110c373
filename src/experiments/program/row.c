/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/program/row.h"

#include <string.h>

#include "preset/shared_options.h"

TP_PROGRAM_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_program = {
	.experiment = "program",
	.uses = "threads stop.confidence stop.error stop.basis stop.max_samples stop.trim_samples "
		"stop.trim_tolerance",
	.place = 34,
	.rows = { TP_PROGRAM_OPTIONS(TP_OPTION_ROW) NULL },
};

/* Points of other experiments end in no way. */
static bool runs(const void *row)
{
	return ((const struct tp_program_row *)row)->command[0] != '\0';
}

enum { ID = TP_IN_IDENTITY | TP_IN_CSV | TP_IN_JSON, FOUND = TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON };

/* clang-format off */
#define P(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_program_row, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)

static const struct tp_column columns[] = {
	P(command,        "command",         TEXT,     ALWAYS,  NOTE,      ID,
	  .help = "Program: its name and arguments, with the values of parameters."),
	P(parameters,     "parameters",      TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "The parameters with their values.", .pairs = true),
	P(metric,         "metric",          TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "Program: what is compared: time, cpu-time, or a number that was read."),
	P(more_is_better, "more_is_better",  BOOL,     ALWAYS,  NOTE,      ID, .applies = runs,
	  .help = "Program: true if more of the metric is better."),
	P(value,          "median_metric",   REAL,     NONZERO, METRIC,    FOUND),
	P(best,           "best_metric",     REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Program: the metric, times in seconds: its estimate by stop.basis, and that of the "
		  "best run."),
	P(exit_status,    "exit_status",     UNSIGNED, ALWAYS,  NOTE,      FOUND, .applies = runs,
	  .help = "Program: its exit status; that of the run that failed, if one did."),
	P(signal,         "signal",          UNSIGNED, NONZERO, NOTE,      FOUND,
	  .help = "Program: the signal that ended it; empty if none did."),
	P(time_seconds,   "time_seconds",    REAL,     NONZERO, METRIC,    FOUND, .unit = "s",
	  .help = "Program: time from the start of the process to its end. This and what follows is the "
		  "median of all runs that count."),
	P(user_seconds,   "user_seconds",    REAL,     NONZERO, NOTE,      FOUND, .unit = "s"),
	P(system_seconds, "system_seconds",  REAL,     NONZERO, NOTE,      FOUND, .unit = "s",
	  .help = "Program: time on CPUs in the program and in the kernel, with all processes that it "
		  "started and waited for. The kernel may count in ticks."),
	P(max_rss_bytes,  "max_rss_bytes",   U64,      NONZERO, NOTE,      FOUND, .unit = "B",
	  .help = "Program: the most memory of one of its processes. Empty if that is less than what the "
		  "engine of tprof has, whose figure the kernel tells instead."),
	P(minor_faults,   "minor_faults",    REAL,     NONZERO, NOTE,      FOUND),
	P(major_faults,   "major_faults",    REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Program: page faults without and with reading from a device."),
	P(waits,          "waits",           REAL,     NONZERO, NOTE,      FOUND),
	P(preemptions,    "preemptions",     REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Program: context switches because it waited, and because its time was up."),
	P(blocks_read,    "blocks_read",     REAL,     NONZERO, NOTE,      FOUND),
	P(blocks_written, "blocks_written",  REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Program: blocks of 512 bytes from and to devices."),
	P(values,         "values",          TEXT,     ALWAYS,  NOTE,      FOUND,
	  .help = "Program: the numbers that program.read names, each the median of all runs.",
	  .pairs = true),
};

/* clang-format on */

static const struct tp_table program_table = {
	.columns = columns,
	.n = sizeof(columns) / sizeof(columns[0]),
	.row_bytes = sizeof(struct tp_program_row),
};

_Static_assert(sizeof(struct tp_program_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

bool tp_point_is_program(const struct tp_point *point)
{
	return point->row && point->kind && tp_table_is(point->kind->table, &program_table);
}

const struct tp_program_row *tp_program_row(const struct tp_point *point)
{
	static const struct tp_program_row none;
	return tp_point_is_program(point) ? point->row : &none;
}

static void headline(struct tp_point *point)
{
	const struct tp_program_row *row = tp_program_row(point);
	bool time = strcmp(row->metric, "time") == 0 || strcmp(row->metric, "cpu-time") == 0;
	tp_copy(point->unit, sizeof(point->unit), time ? "s" : row->metric);
	point->less_is_better = !row->more_is_better;
	point->median = row->value;
	point->best = row->best;
}

const struct tp_schema_row tp_schema_program = {
	.points = { "program", &program_table, headline, NULL },
};
