/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/template/row.h"

#include "experiments/windows/quality.h"
#include "preset/shared_options.h"

TP_TEMPLATE_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_template = {
	.experiment = "template",
	.uses = TP_USES_STOP " cache events",
	.place = 33,
	.rows = { TP_TEMPLATE_OPTIONS(TP_OPTION_ROW) NULL },
};

/* Points of other experiments lack it. */
static bool is_template(const void *row)
{
	return ((const struct tp_template_row *)row)->source[0] != '\0';
}

enum { ID = TP_IN_IDENTITY | TP_IN_CSV | TP_IN_JSON, FOUND = TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON };

/* clang-format off */
#define T(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_template_row, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)
static const struct tp_column columns[] = {
	T(source,       "source",       TEXT,     ALWAYS,  DIMENSION, ID,    .applies = is_template,
	  .help = "Template: the name of its source."),
	T(region,       "region",       TEXT,     ALWAYS,  DIMENSION, ID,    .applies = is_template,
	  .help = "Template: the region of the source that was measured."),
	T(parameters,   "parameters",   TEXT,     ALWAYS,  DIMENSION, ID,    .applies = is_template, .pairs = true,
	  .help = "Template: its parameters with their values."),
	T(source_hash,  "source_hash",  TEXT,     ALWAYS,  NOTE,      ID,    .applies = is_template,
	  .help = "Template: a number that changes with the source and with what it includes "
		  "from its "
		  "folder."),
	T(cold,         "cold",         BOOL,     ALWAYS,  DIMENSION, ID,    .applies = is_template,
	  .help = "Template: true if its arrays were evicted before every window."),
	T(cycles,       "cycles",       REAL,     NONZERO, METRIC,    FOUND,
	  .help = "Template: cycles of the core for one step; empty if the frequency is not "
		  "known."),
	T(ticks,        "ticks",        REAL,     NONZERO, METRIC,    FOUND,
	  .help = "Template: ticks of the cycle counter (TSC) for one step; empty without such a "
		  "counter."),
	T(flop,         "flop",         REAL,     NONZERO, NOTE,      FOUND),
	T(bytes,        "bytes",        REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Template: FLOP and bytes of a step, as the source counts them."),
	T(steps,        "steps",        U64,      NONZERO, NOTE,      FOUND,
	  .help = "Template: how often the region ran in a window."),
	T(array_bytes,  "array_bytes",  U64,      NONZERO, NOTE,      FOUND, .unit = "B",
	  .help = "Memory of all arrays."),
	T(vector_loops, "vector_loops", UNSIGNED, ALWAYS,  NOTE,      FOUND, .applies = is_template),
	T(vector_bytes, "vector_bytes", UNSIGNED, NONZERO, NOTE,      FOUND,
	  .help = "Template: how many loops of the region the compiler made vectors of, by its own "
		  "report, and the bytes of the longest of these vectors."),
	T(warnings,     "warnings",     UNSIGNED, ALWAYS,  NOTE,      FOUND, .applies = is_template,
	  .help = "Template: warnings of the compiler, in the whole source."),
	T(counts,       "counts",       TEXT,     NONZERO, METRIC,    FOUND, .pairs = true,
	  .help = "Template: events of the option \\fBevents\\fR that were counted, each as "
		  "NAME=COUNT: how "
		  "often it happened in a step, over all threads."),
	T(mca_cpu,      "mca_cpu",      TEXT,     ALWAYS,  NOTE,      FOUND,
	  .help = "The CPU that llvm-mca predicts for; empty without a prediction."),
	T(mca_cycles,   "mca_cycles",   REAL,     NONZERO, NOTE,      FOUND, .unit = "cycles"),
	T(mca_uops,     "mca_uops",     REAL,     NONZERO, NOTE,      FOUND),
	T(mca_rthroughput, "mca_rthroughput", REAL, NONZERO, NOTE,    FOUND, .unit = "cycles",
	  .help = "What llvm-mca predicts for an instruction of assembly, or for a round of the "
		  "innermost loop of a template's region: cycles, micro-operations, and cycles by the ports only (block reciprocal throughput)."),
	T(mca_ipc,      "mca_ipc",      REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Template: instructions of that loop in a cycle."),
	T(mca_pressure, "mca_pressure", TEXT,     ALWAYS,  NOTE,      FOUND,
	  .help = "Ports in the words of llvm-mca, and cycles for which all copies or a round "
		  "keep them busy; the busiest first."),
};
/* clang-format on */

static const struct tp_table template_table = {
	TP_TABLE(struct tp_template_row, columns),
	.base = &tp_kernel_table,
};
_Static_assert(sizeof(struct tp_template_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

const struct tp_template_row *tp_template_row(const struct tp_point *point)
{
	return tp_point_row(point, &template_table);
}

const struct tp_schema_row tp_schema_template = {
	.points = { "template", &template_table, tp_kernel_time_headline, tp_window_judge },
};
