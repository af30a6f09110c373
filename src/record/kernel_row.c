/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/kernel_row.h"

#include <string.h>

static const struct tp_kernel_row none;

const struct tp_kernel_row *tp_kernel_row(const struct tp_point *point)
{
	bool has =
		point->row && (!point->kind || tp_table_is(point->kind->table, &tp_kernel_table));

	return has ? point->row : &none;
}

struct tp_kernel_row *tp_kernel_row_of(struct tp_point *point)
{
	return point->row;
}

bool tp_point_is_fp(const struct tp_point *point)
{
	return tp_kernel_row(point)->fp_op[0] != '\0';
}

void tp_kernel_headline(struct tp_point *point)
{
	const struct tp_kernel_row *k = tp_kernel_row(point);

	point->less_is_better = false;
	strcpy(point->unit, k->fp_op[0] ? "GFLOP/s" : "GB/s");
	point->median = k->fp_op[0] ? k->median_gflops : k->median_gbps;
	point->best = k->fp_op[0] ? k->best_gflops : k->best_gbps;
}

void tp_kernel_time_headline(struct tp_point *point)
{
	const struct tp_kernel_row *k = tp_kernel_row(point);

	point->less_is_better = true;
	strcpy(point->unit, "ns");
	point->median = k->median_ns;
	point->best = k->best_ns;
}

void tp_kernel_derive(struct tp_point *point, double work_per_cycle)
{
	struct tp_kernel_row *k = tp_kernel_row_of(point);
	double ai = k->ai_flop_per_byte;
	bool fp = k->fp_op[0] != '\0';

	if (point->less_is_better) {
		k->median_ns = point->median;
		k->best_ns = point->best;
		return;
	}
	double work = work_per_cycle / point->threads;
	k->median_gflops = fp ? point->median : point->median * ai;
	k->best_gflops = fp ? point->best : point->best * ai;
	k->median_gbps = fp ? (ai > 0 ? point->median / ai : 0) : point->median;
	k->best_gbps = fp ? (ai > 0 ? point->best / ai : 0) : point->best;
	k->flop_per_cycle = fp ? work : work * ai;
	k->bytes_per_cycle = fp ? (ai > 0 ? work / ai : 0) : work;
	k->ipc = work * k->instructions_per_work;
}

static bool has_ratio(const void *row)
{
	const struct tp_kernel_row *k = row;

	return k->loads != 0 || k->stores != 0;
}

enum { ID = TP_IN_IDENTITY | TP_IN_CSV | TP_IN_JSON, FOUND = TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON };

/* clang-format off */
#define K(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_kernel_row, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)
static const struct tp_column kernel_columns[] = {
	K(isa,               "isa",               TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "Instruction set."),
	K(precision,         "precision",         TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "double, single, half, bf16 or int8."),
	K(level,             "level",             TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "L1, L2, L3 or DRAM for a memory level that was asked for, FP for a "
		  "floating point peak in registers; empty for a point of a memory "
		  "curve, whose level the plateaus tell."),
	K(working_set_bytes, "working_set_bytes", U64,      NONZERO, DIMENSION, ID,
	  .help = "Working set of one thread; empty for FP."),
	K(loads,             "loads",             UNSIGNED, ALWAYS,  DIMENSION, ID, .applies = has_ratio),
	K(stores,            "stores",            UNSIGNED, ALWAYS,  DIMENSION, ID, .applies = has_ratio,
	  .help = "The ratio of loads to stores; both are empty for FP."),
	K(fp_op,             "fp_op",             TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "add, mul, div, fma, fma+add, dot or tile; empty without floating point."),
	K(ai_flop_per_byte,  "ai_flop_per_byte",  REAL,     NONZERO, DIMENSION, ID,
	  .help = "Arithmetic intensity: FLOP for each byte that the core moves; empty "
		  "if a point has none."),
	K(median_gbps,       "median_gbps",       REAL,     NONZERO, METRIC,    FOUND, .unit = "GB/s"),
	K(best_gbps,         "best_gbps",         REAL,     NONZERO, METRIC,    FOUND, .unit = "GB/s",
	  .help = "Bandwidth of the whole team: median of the kept windows, and "
		  "fastest kept window; empty for FP."),
	K(median_gflops,     "median_gflops",     REAL,     NONZERO, METRIC,    FOUND, .unit = "GFLOP/s"),
	K(best_gflops,       "best_gflops",       REAL,     NONZERO, METRIC,    FOUND, .unit = "GFLOP/s",
	  .help = "Floating point rate of the whole team, likewise; empty without "
		  "floating point."),
	K(bytes_per_cycle,   "bytes_per_cycle",   REAL,     NONZERO, METRIC,    FOUND),
	K(flop_per_cycle,    "flop_per_cycle",    REAL,     NONZERO, METRIC,    FOUND,
	  .help = "Bytes and FLOP of one core in one of its cycles: the rate of each "
		  "kept window divided by the number of threads and by the frequency "
		  "beside that window, and the median of these. Empty if the "
		  "frequency is not known."),
	K(ipc,               "ipc",               REAL,     NONZERO, METRIC,    FOUND,
	  .help = "Memory and floating point instructions of the kernel in each cycle "
		  "of one core, likewise. Loop overhead does not count."),
	K(nontemporal,       "nontemporal",       BOOL,     ALWAYS,  DIMENSION, ID,
	  .help = "true if the stores were non-temporal, otherwise false."),
	K(best_ratio,        "best_ratio",        BOOL,     ALWAYS,  NOTE,      ID,
	  .help = "true if loads and stores are the result of a search, otherwise "
		  "false."),
	K(body,              "variant",           TEXT,     ALWAYS,  NOTE,      FOUND,
	  .help = "Body variant that was measured; empty if there is only one. For an "
		  "autotune point, the best configuration; for a counters point, the "
		  "source of the counts."),
	K(pages,             "pages",             TEXT,     ALWAYS,  NOTE,      FOUND,
	  .help = "Pages that the buffers really got: their size such as 4K, or thp, "
		  "hugetlb or mixed; empty without a buffer."),
	K(median_ns,         "median_ns",         REAL,     NONZERO, METRIC,    FOUND, .unit = "ns"),
	K(best_ns,           "best_ns",           REAL,     NONZERO, METRIC,    FOUND, .unit = "ns",
	  .help = "Time of one load of a pointer chase, in which each load waits for "
		  "the one before: median of the kept windows, and fastest kept "
		  "window. Empty for all other points."),
	K(pause_cycles,      "pause_cycles",      UNSIGNED, NONZERO, DIMENSION, ID,
	  .help = "Loaded latency: cycles without memory access after each slice that "
		  "the other threads stream; empty without a pause."),
	K(pages_wanted,      "pages_wanted",      TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "Requested kind of pages, such as small or thp, if the experiment "
		  "compares several kinds; otherwise empty."),
	K(raced_bytes,       "raced_bytes",       U64,      NONZERO, NOTE,      FOUND,
	  .help = "The working set of one thread that was measured, where it is not that of the "
		  "plan: in L1, because it won a race of several sizes inside the level; in "
		  "memory, because a scan found that the last cache ends earlier than reported. "
		  "Otherwise empty."),
	K(instructions_per_work, "instructions_per_work", REAL, NONZERO, NOTE,
	  TP_IN_FOUND | TP_IN_JSON,
	  .help = "Instructions of one thread for each 10^9 bytes or FLOP, times 10^-9."),
};
/* clang-format on */

const struct tp_table tp_kernel_table = {
	.columns = kernel_columns,
	.n = sizeof(kernel_columns) / sizeof(kernel_columns[0]),
	.row_bytes = sizeof(struct tp_kernel_row),
};
_Static_assert(sizeof(struct tp_kernel_row) <= TP_ROW_BYTES_MAX, "rows have room in events");
