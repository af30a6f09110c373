/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/gather/row.h"

#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "base/memory.h"
#include "experiments/windows/quality.h"
#include "kernels/kernel.h"
#include "record/limits.h"

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
	TP_TABLE(struct tp_gather_row, columns),
	.base = &tp_kernel_table,
};

_Static_assert(sizeof(struct tp_gather_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

const struct tp_gather_row *tp_gather_row(const struct tp_point *point)
{
	return tp_point_row(point, &gather_table);
}

bool tp_point_is_gather(const struct tp_point *p)
{
	return p->state == TP_POINT_DONE && tp_gather_row(p)->elements && tp_gather_row(p)->lines &&
	       tp_gather_row(p)->lines <= TP_GATHER_LANES && tp_kernel_row(p)->median_ns > 0 &&
	       isfinite(tp_kernel_row(p)->median_ns);
}

const struct tp_schema_row tp_schema_gather = {
	.points = { "gather", &gather_table, tp_kernel_time_headline, tp_window_judge },
	TP_PARTS(&tp_gather_part),
};

/* Missing elements have no index; the first one's is 0, too. */
#define HAS(i)                                                                                     \
	static bool has_##i(const void *row)                                                       \
	{                                                                                          \
		return ((const struct tp_gather_found *)row)->elements > (i);                      \
	}

#define EACH_INDEX(X)                                                                              \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14)

EACH_INDEX(HAS)
HAS(15)

/* clang-format off */
#define C(member, name, type, rule, role, ...) \
	TP_COLUMN(struct tp_gather_found, member, name, type, rule, TP_ROLE_##role, TP_IN_CSV | TP_IN_JSON, __VA_ARGS__)
#define INDEX(i) C(index[i], "idx" #i, UNSIGNED, ALWAYS, DIMENSION, .applies = has_##i),
static const struct tp_column found_columns[] = {
	C(run, "run", UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1),
	C(point, "point", UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1),
	C(isa, "isa", TEXT, ALWAYS, DIMENSION),
	C(precision, "precision", TEXT, ALWAYS, DIMENSION),
	C(threads, "threads", UNSIGNED, ALWAYS, DIMENSION, .most = TP_RUN_THREADS_MAX,
	  .help = "The point."),
	C(vector_bits, "vector_bits", UNSIGNED, ALWAYS, DIMENSION),
	C(masked, "masked", BOOL, ALWAYS, DIMENSION),
	C(cold, "cold", BOOL, ALWAYS, DIMENSION),
	C(elements, "elements", UNSIGNED, ALWAYS, DIMENSION),
	C(lines, "lines", UNSIGNED, ALWAYS, DIMENSION,
	  .help = "As in points.csv."),
	EACH_INDEX(INDEX)
	C(index[15], "idx15", UNSIGNED, ALWAYS, DIMENSION, .applies = has_15,
	  .help = "The index of each element, counted in elements from the beginning of a line; "
		  "empty for elements that the gather does not have."),
	C(ns, "ns", REAL, ALWAYS, METRIC, .unit = "ns"),
	C(cycles, "cycles", REAL, NONZERO, METRIC, .unit = "cycles"),
	C(ticks, "ticks", REAL, NONZERO, METRIC,
	  .help = "Time of a gather: in nanoseconds, in cycles of the core, and in ticks of the "
		  "cycle "
		  "counter (TSC)."),
	C(gbps, "gbps", REAL, NONZERO, METRIC, .unit = "GB/s",
	  .help = "Bytes of all lines of a gather over that time, of the whole team."),
	C(quality, "quality", TEXT, ALWAYS, NOTE,
	  .help = "As in points.csv."),
};

/* clang-format on */

static const struct tp_table table = {
	.name = "gathers",
	TP_TABLE(struct tp_gather_found, found_columns),
};

const struct tp_part tp_gather_part = {
	.table = &table, .place = 7, .derived = true, .sparse = true, .csv_file = "gathers.csv"
};

void tp_gather_add_found(struct tp_run *run, const struct tp_point *p)
{
	const struct tp_gather_row *row = tp_gather_row(p);
	struct tp_gather_found *found = tp_run_add_row(run, &tp_gather_part);
	char *at = (char *)(uintptr_t)row->offsets;
	*found = (struct tp_gather_found){
		.run = p->run,
		.point = p->point,
		.threads = p->threads,
		.vector_bits = row->vector_bits,
		.elements = row->elements,
		.lines = row->lines,
		.masked = row->masked,
		.cold = row->cold,
		.ns = row->kernel.median_ns,
		.cycles = row->kernel.median_ns * p->core_ghz,
		.ticks = row->ticks,
		.gbps = row->kernel.median_gbps,
	};
	for (unsigned i = 0; i < TP_MIN(row->elements, (unsigned)TP_GATHER_INDEXES); i++)
		found->index[i] = (unsigned)strtoul(at, &at, 10);
	tp_copy(found->isa, sizeof(found->isa), row->kernel.isa);
	tp_copy(found->precision, sizeof(found->precision), row->kernel.precision);
	tp_copy(found->quality, sizeof(found->quality),
		tp_quality_name((enum tp_quality)p->quality));
}
