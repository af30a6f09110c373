/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/autotune/search_row.h"

/* clang-format off */
#define S(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_search_row, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)
enum { ID = TP_IN_IDENTITY | TP_IN_CSV | TP_IN_JSON };
static const struct tp_column columns[] = {
	S(technique,      "technique",      TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "Autotune: how the fastest configuration was searched for, such as "
		  "racing; empty for all other points."),
	S(scope,          "scope",          TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "Autotune: the part of the machine that worked: core, socket or "
		  "machine."),
	S(library,        "library",        TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "Autotune: the library of the routine."),
	S(configurations, "configurations", UNSIGNED, NONZERO, NOTE,      TP_IN_IDENTITY | TP_IN_JSON,
	  .help = "Autotune: number of configurations of the search; trials.csv has "
		  "those that were tried."),
	S(configuration,  "variant",        TEXT,     ALWAYS,  NOTE,      TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON,
	  .help = "Body variant that was measured; empty if there is only one. For an "
		  "autotune point, the best configuration; for a counters point, the "
		  "source of the counts."),
};
/* clang-format on */

const struct tp_table tp_search_table = {
	.columns = columns,
	.n = sizeof(columns) / sizeof(columns[0]),
	.row_bytes = sizeof(struct tp_search_row),
	.base = &tp_kernel_table,
};
_Static_assert(sizeof(struct tp_search_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

const struct tp_search_row *tp_search_row(const struct tp_point *point)
{
	static const struct tp_search_row none;

	return point->row && point->kind && tp_table_is(point->kind->table, &tp_search_table)
		       ? point->row
		       : &none;
}
