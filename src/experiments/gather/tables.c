/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/gather/gather_row.h"
#include "experiments/windows/quality.h"

/* Points of other experiments have no mask, and no caches that are cold or not. */
static bool gathers(const void *row)
{
	return ((const struct tp_gather_row *)row)->elements > 0;
}

enum { ID = TP_IN_IDENTITY | TP_IN_CSV | TP_IN_JSON, FOUND = TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON };

/* clang-format off */
#define G(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_gather_row, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)
static const struct tp_column columns[] = {
	G(elements,    "elements",      UNSIGNED, NONZERO, DIMENSION, ID,
	  .help = "Gather: elements that one instruction loads."),
	G(lines,       "lines",         UNSIGNED, NONZERO, DIMENSION, ID,
	  .help = "Gather: distinct cache lines that they lie in."),
	G(vector_bits, "vector_bits",   UNSIGNED, NONZERO, DIMENSION, ID,
	  .help = "Gather: length of the vector."),
	G(masked,      "masked",        BOOL,     ALWAYS,  DIMENSION, ID, .applies = gathers,
	  .help = "Gather: true if lanes without an element were masked off; false if all lanes "
		  "were on."),
	G(cold,        "cold",          BOOL,     ALWAYS,  DIMENSION, ID, .applies = gathers,
	  .help = "Gather: true if the lines were evicted before every window."),
	G(offsets,     "offsets",       TEXT,     ALWAYS,  DIMENSION, ID, .applies = gathers,
	  .help = "Gather: the indexes of the elements, counted in elements from the beginning of "
		  "a line."),
	G(ticks,       "gather_ticks",  REAL,     NONZERO, METRIC,    FOUND,
	  .help = "Ticks of the cycle counter (TSC) for one gather; empty without such a counter."),
};
/* clang-format on */

static const struct tp_table gather_table = {
	.columns = columns,
	.n = sizeof(columns) / sizeof(columns[0]),
	.row_bytes = sizeof(struct tp_gather_row),
	.base = &tp_kernel_table,
};
_Static_assert(sizeof(struct tp_gather_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

const struct tp_gather_row *tp_gather_row(const struct tp_point *point)
{
	static const struct tp_gather_row none;

	return point->row && point->kind && tp_table_is(point->kind->table, &gather_table)
		       ? point->row
		       : &none;
}

static const struct tp_part *const parts[] = { &tp_gather_part };

const struct tp_schema_row tp_schema_gather = {
	.points = { "gather", &gather_table, tp_kernel_time_headline, tp_window_judge },
	.parts = parts,
	.n_parts = 1,
};
