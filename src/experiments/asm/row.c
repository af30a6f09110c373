/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/asm/row.h"

#include <string.h>

#include "experiments/windows/quality.h"
#include "preset/shared_options.h"

TP_ASM_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_asm = {
	.experiment = "asm",
	.uses = TP_USES_STOP " events",
	.place = 58,
	.rows = { TP_ASM_OPTIONS(TP_OPTION_ROW) NULL },
};

enum { ID = TP_IN_IDENTITY | TP_IN_CSV | TP_IN_JSON, FOUND = TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON };

static bool has_chain(const void *row)
{
	return ((const struct tp_asm_row *)row)->chain > 0;
}

/* clang-format off */
#define A(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_asm_row, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)
static const struct tp_column columns[] = {
	A(instructions,  "instructions",    TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "Assembly: the instructions, as they were given; many are cut."),
	A(mode,          "asm_mode",        TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "Assembly: throughput, latency or written, as in asm.mode."),
	A(count,         "instruction_count", UNSIGNED, NONZERO, DIMENSION, ID,
	  .help = "Assembly: how many instructions were given."),
	A(buffer_bytes,  "buffer_bytes",    U64,      NONZERO, DIMENSION, ID, .unit = "B",
	  .help = "Assembly: size of the buffer that registers point to."),
	A(ran,           "ran",             TEXT,     ALWAYS,  NOTE,      FOUND,
	  .help = "Assembly: what ran in their place, with other registers; empty if nothing was "
		  "changed."),
	A(copies,        "copies",          UNSIGNED, NONZERO, NOTE,      FOUND,
	  .help = "Assembly: copies of the instructions that write other registers."),
	A(unroll,        "asm_unroll",      UNSIGNED, NONZERO, NOTE,      FOUND,
	  .help = "Assembly: how often all copies stand in the loop."),
	A(chain,         "chain",           REAL,     NONZERO, NOTE,      FOUND, .applies = has_chain,
	  .help = "Assembly: instructions of all copies on the longest chain that goes on from "
		  "round to round; empty if no instruction waits for the round before."),
	A(clock_correction, "clock_correction", REAL, NONZERO, NOTE,      FOUND,
	  .help = "Assembly: the clock around the windows was multiplied by this factor, found "
		  "by long chains of additions, which take a cycle each."),
	A(cycles,        "instruction_cycles", REAL,  NONZERO, METRIC,    FOUND, .unit = "cycles"),
	A(body_cycles,   "body_cycles",     REAL,     NONZERO, NOTE,      FOUND, .unit = "cycles",
	  .help = "Assembly: cycles of the core for an instruction, and for all that were given; "
		  "the median of the kept windows, each by its own clock."),
	A(ipc,           "instructions_per_cycle", REAL, NONZERO, METRIC, FOUND,
	  .help = "Assembly: instructions in a cycle of the core, the two of the loop not "
		  "counted."),
	A(rthroughput,   "reciprocal_throughput", REAL, NONZERO, METRIC,  FOUND, .unit = "cycles",
	  .help = "Assembly: cycles for an instruction when none waits for another: empty where "
		  "instructions wait."),
	A(latency,       "chain_latency",   REAL,     NONZERO, METRIC,    FOUND, .unit = "cycles",
	  .help = "Assembly: cycles from one instruction of a chain to the next, on average; empty "
		  "where not all instructions are on the chain."),
	A(model_ipc,     "model_ipc",       REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Assembly: fused multiply-adds in a cycle, by the machine model."),
	A(mca_cpu,       "mca_cpu",         TEXT,     ALWAYS,  NOTE,      FOUND,
	  .help = "Assembly: the CPU that llvm-mca predicts for; empty without a prediction."),
	A(mca_cycles,    "mca_cycles",      REAL,     NONZERO, NOTE,      FOUND, .unit = "cycles"),
	A(mca_uops,      "mca_uops",        REAL,     NONZERO, NOTE,      FOUND),
	A(mca_rthroughput, "mca_rthroughput", REAL,   NONZERO, NOTE,      FOUND, .unit = "cycles",
	  .help = "Assembly: what llvm-mca predicts for an instruction: cycles, micro-operations, "
		  "and cycles by the ports only (block reciprocal throughput)."),
	A(mca_pressure,  "mca_pressure",    TEXT,     ALWAYS,  NOTE,      FOUND,
	  .help = "Assembly: ports in the words of llvm-mca, and cycles for which all copies "
		  "keep them busy; the busiest first."),
	A(counts,        "counts",          TEXT,     NONZERO, METRIC,    FOUND, .pairs = true,
	  .help = "Assembly: events of the option \\fBevents\\fR that were counted, each as "
		  "NAME=COUNT: "
		  "how often it happened for each measured instruction."),
};
/* clang-format on */

static const struct tp_table asm_table = {
	TP_TABLE(struct tp_asm_row, columns),
	.base = &tp_kernel_table,
};
_Static_assert(sizeof(struct tp_asm_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

const struct tp_asm_row *tp_asm_row(const struct tp_point *point)
{
	return tp_point_row(point, &asm_table);
}

bool tp_point_is_asm(const struct tp_point *point)
{
	return point->state == TP_POINT_DONE && tp_asm_row(point)->cycles > 0;
}

/* Cycles: times of the windows by the clock around them. */
static void headline(struct tp_point *point)
{
	const struct tp_asm_row *row = tp_asm_row(point);
	point->less_is_better = true;
	strcpy(point->unit, "cycles");
	point->median = row->cycles;
	if (row->kernel.median_ns > 0)
		point->best = row->cycles * row->kernel.best_ns / row->kernel.median_ns;
}

const struct tp_schema_row tp_schema_asm = {
	.points = { "asm", &asm_table, headline, tp_window_judge },
};
