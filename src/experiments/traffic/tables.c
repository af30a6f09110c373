/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/traffic/traffic_row.h"

#include <math.h>

static bool moves(const void *row)
{
	return ((const struct tp_traffic_row *)row)->operation[0] != '\0';
}

static bool has_reads(const void *row)
{
	return ((const struct tp_traffic_row *)row)->reads_counted;
}

static bool has_writes(const void *row)
{
	return ((const struct tp_traffic_row *)row)->writes_counted;
}

enum { ID = TP_IN_IDENTITY | TP_IN_CSV | TP_IN_JSON, FOUND = TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON };

/* clang-format off */
#define T(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_traffic_row, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)
static const struct tp_column columns[] = {
	T(operation,        "operation",        TEXT, ALWAYS,  DIMENSION, ID, .applies = moves,
	  .help = "Traffic: the operation, a word of traffic.kernels."),
	T(size,             "problem_size",     U64,  NONZERO, DIMENSION, ID,
	  .help = "Traffic: its size N."),
	T(fit,              "fit",              UNSIGNED, ALWAYS, NOTE,   FOUND, .applies = moves,
	  .help = "Traffic: 1 if what it uses again fits into half of the last cache, 2 if it exceeds "
		  "twice that cache, 0 if it lies between."),
	T(cache_bytes,      "cache_bytes",      U64,  NONZERO, NOTE,      FOUND, .unit = "B",
	  .help = "Traffic: what a core has of the last cache; of the model's, if the code was stepped."),
	T(data_bytes,       "problem_bytes",    U64,  NONZERO, NOTE,      FOUND, .unit = "B",
	  .help = "Traffic: data of a repetition. Each has data of its own."),
	T(repetitions,      "repetitions",      REAL, NONZERO, NOTE,      FOUND,
	  .help = "Traffic: repetitions of a reading. All bytes are those of one core and one repetition."),
	T(expected_read,    "expected_read",    REAL, ALWAYS,  METRIC,    FOUND, .applies = moves, .unit = "B"),
	T(expected_written, "expected_written", REAL, ALWAYS,  METRIC,    FOUND, .applies = moves, .unit = "B",
	  .help = "Traffic: what the operation reads from memory and writes to it, by its loops; where fit "
		  "is 0, as if its data fit."),
	T(reads_counted,    "reads_counted",    BOOL, ALWAYS,  NOTE,      FOUND, .applies = moves),
	T(writes_counted,   "writes_counted",   BOOL, ALWAYS,  NOTE,      FOUND, .applies = moves,
	  .help = "Traffic: true if there were events for what is read, and for what is written."),
	T(read,             "counted_read",     REAL, ALWAYS,  METRIC,    FOUND, .applies = has_reads, .unit = "B"),
	T(written,          "counted_written",  REAL, ALWAYS,  METRIC,    FOUND, .applies = has_writes, .unit = "B",
	  .help = "Traffic: what was counted; empty if nothing was."),
	T(source,           "counted_by",       TEXT, ALWAYS,  NOTE,      FOUND, .applies = moves,
	  .help = "Traffic: who counted: papi, perf, emulated; or none."),
	T(band_low,         "band_low",         REAL, NONZERO, NOTE,      FOUND),
	T(band_high,        "band_high",        REAL, NONZERO, NOTE,      FOUND,
	  .help = "Traffic: the sizes N where the data that are used again take half of the last cache, "
		  "and twice as much as it has."),
};
/* clang-format on */

static const struct tp_table traffic_table = {
	.columns = columns,
	.n = sizeof(columns) / sizeof(columns[0]),
	.row_bytes = sizeof(struct tp_traffic_row),
};
_Static_assert(sizeof(struct tp_traffic_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

bool tp_point_is_traffic(const struct tp_point *point)
{
	return point->row && point->kind && tp_table_is(point->kind->table, &traffic_table);
}

const struct tp_traffic_row *tp_traffic_row(const struct tp_point *point)
{
	static const struct tp_traffic_row none;

	return tp_point_is_traffic(point) ? point->row : &none;
}

double tp_traffic_error(const struct tp_traffic_row *row)
{
	const double least_share = 0.1;
	double error = NAN;

	if (row->fit == TP_TRAFFIC_OPEN)
		return NAN;
	if (row->reads_counted && row->expected_read > 0)
		error = fabs(row->read / row->expected_read - 1);
	if (row->writes_counted && row->expected_written > least_share * row->expected_read)
		error = fmax(error, fabs(row->written / row->expected_written - 1));
	return error;
}

const struct tp_schema_row tp_schema_traffic = {
	.points = { "traffic", &traffic_table, NULL, NULL },
};
