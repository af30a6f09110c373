/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/dot.h"
#include "experiments/pattern/row.h"

#include "experiments/windows/quality.h"
#include "record/limits.h"
#include "record/roof.h"

/* clang-format off */
#define C(member, name, type, rule, role, ...) \
	TP_COLUMN(struct tp_prediction, member, name, type, rule, TP_ROLE_##role, TP_IN_JSON, __VA_ARGS__)

static const struct tp_column prediction_columns[] = {
	C(run, "run", UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1),
	C(point, "point", UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1,
	  .help = "The point."),
	C(limit, "limit", TEXT, ALWAYS, NOTE,
	  .help = "What takes longest by itself: the arithmetic (FP), or the transfers of a level."),
	C(roofline_ns, "roofline_ns", REAL, ALWAYS, NOTE, .unit = "ns",
	  .help = "How long that takes: the bound of a roofline where each level has its own "
		  "bytes."),
	C(fp_ns, "fp_ns", REAL, NONZERO, NOTE, .unit = "ns"),
	C(l1_ns, "l1_ns", REAL, NONZERO, NOTE, .unit = "ns"),
	C(l2_ns, "l2_ns", REAL, NONZERO, NOTE, .unit = "ns"),
	C(l3_ns, "l3_ns", REAL, NONZERO, NOTE, .unit = "ns"),
	C(dram_ns, "dram_ns", REAL, NONZERO, NOTE, .unit = "ns",
	  .help = "Terms of the ECM model for an element: arithmetic at the measured peak, loads "
		  "and stores in L1, and transfers from L2, L3 and memory."),
	C(ecm_ns, "ecm_ns", REAL, ALWAYS, NOTE, .unit = "ns",
	  .help = "What ECM predicts: the arithmetic, or the sum of the other terms if that is "
		  "more."),
	C(element_ns, "element_ns", REAL, ALWAYS, METRIC, .unit = "ns"),
	C(measured_to_ecm, "measured_to_ecm", REAL, ALWAYS, NOTE,
	  .help = "The measured time, and how many times the prediction it is."),
};
/* clang-format on */

static const struct tp_table table = {
	.name = "predictions",
	TP_TABLE(struct tp_prediction, prediction_columns),
};

const struct tp_part tp_prediction_part = {
	.table = &table, .place = 9, .derived = true, .sparse = true
};

/* clang-format off */
#define R(member, type, role, ...) \
	TP_COLUMN(struct tp_thread_rate, member, #member, type, ALWAYS, TP_ROLE_##role, TP_IN_JSON, __VA_ARGS__)
static const struct tp_column rate_columns[] = {
	R(run,    UNSIGNED, IDENTITY, .most = TP_RUN_POINTS_MAX - 1),
	R(point,  UNSIGNED, IDENTITY, .most = TP_RUN_POINTS_MAX - 1, .help = "The point."),
	R(invocation, UNSIGNED, DIMENSION, .most = TP_RUN_INVOCATIONS_MAX - 1,
	  .help = "The process that measured it, from 0."),
	R(thread, UNSIGNED, DIMENSION, .most = TP_RUN_THREADS_MAX - 1),
	R(cpu,    UNSIGNED, NOTE, .help = "The thread, from 0, and the CPU that it ran on."),
	R(gbps,   REAL,     METRIC, .unit = "GB/s", .help = "Its bandwidth over its own time."),
};
/* clang-format on */

static const struct tp_table rate_table = { .name = "thread_rates",
					    TP_TABLE(struct tp_thread_rate, rate_columns) };
const struct tp_part tp_thread_rate_part = {
	.table = &rate_table, .place = 14, .sparse = true, .measured = true, .forgets = true
};
const struct tp_row_event tp_thread_rate_event = {
	.name = "thread_rate", .table = &rate_table, .exact = true, .part = &tp_thread_rate_part
};

enum { ID = TP_IN_IDENTITY | TP_IN_CSV | TP_IN_JSON, FOUND = TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON };

/* clang-format off */
#define P(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_pattern_row, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)
static const struct tp_column columns[] = {
	P(pattern,          "pattern",           TEXT,    ALWAYS,  DIMENSION, ID,
	  .help = "Name of the pattern."),
	P(template,         "template",          TEXT,    ALWAYS,  DIMENSION, ID,
	  .help = "How threads share the arrays: unified, independent or nonaffine."),
	P(parameters,       "parameters",        TEXT,    ALWAYS,  DIMENSION, ID, .pairs = true,
	  .help = "The parameters of the pattern with their values."),
	P(n,                "n",                 U64,     NONZERO, NOTE,      ID,
	  .help = "The parameter n; empty where the pattern has none."),
	P(nowait,           "nowait",            BOOL,    ALWAYS,  DIMENSION, ID,
	  .help = "true if threads do not wait for each other between loops."),
	P(elements,         "elements",          REAL,    NONZERO, NOTE,      ID,
	  .help = "Elements that a pass of the team updates: as the pattern gives them, or how "
		  "often it runs the first statement."),
	P(flop_per_element, "flop_per_element",  REAL,    NONZERO, NOTE,      ID),
	P(bytes_per_element,"bytes_per_element", REAL,    NONZERO, NOTE,      ID,
	  .help = "FLOP of all statements, and bytes that they read and write, for each of "
		  "those elements."),
	P(array_bytes,      "array_bytes",       U64,     NONZERO, NOTE,      ID, .unit = "B",
	  .help = "Memory of all arrays of the team."),
	P(reuse_level,      "reuse_level",       TEXT,    ALWAYS,  NOTE,      ID,
	  .help = "The smallest cache that holds all rows and layers that are used again, none "
		  "if no cache does; empty if it cannot be derived, as for C code."),
	P(l2_bytes,         "l2_bytes",          REAL,    NONZERO, NOTE,      ID, .unit = "B"),
	P(l3_bytes,         "l3_bytes",          REAL,    NONZERO, NOTE,      ID, .unit = "B"),
	P(dram_bytes,       "dram_bytes",        REAL,    NONZERO, NOTE,      ID, .unit = "B",
	  .help = "Bytes of cache lines that go to and from L2, L3 and memory for an element, as layer conditions predict; lines that are loaded to be written count."),
	P(l1_n,             "l1_n",              U64,     NONZERO, NOTE,      ID),
	P(l2_n,             "l2_n",              U64,     NONZERO, NOTE,      ID),
	P(l3_n,             "l3_n",              U64,     NONZERO, NOTE,      ID,
	  .help = "The largest n whose rows and layers fit into L1, L2 and L3, by layer "
		  "conditions; empty if all do, or none."),
	P(pass_ns,          "pass_ns",           REAL,    NONZERO, METRIC,    FOUND, .unit = "ns"),
	P(element_ns,       "element_ns",        REAL,    NONZERO, METRIC,    FOUND, .unit = "ns",
	  .help = "Median time of a pass of the whole team, and that divided by its elements."),
	P(thread_min_gbps,  "thread_min_gbps",   REAL,    NONZERO, NOTE,      FOUND, .unit = "GB/s"),
	P(thread_median_gbps, "thread_median_gbps", REAL, NONZERO, NOTE,      FOUND, .unit = "GB/s"),
	P(thread_max_gbps,  "thread_max_gbps",   REAL,    NONZERO, NOTE,      FOUND, .unit = "GB/s",
	  .help = "Bandwidth of a thread over its own time: the slowest thread, the one in the "
		  "middle, the fastest. They differ where the work is not shared out evenly. "
			  "Each of "
		  "them is in the list thread_rates of run.json."),
	P(exact,            "exact",             BOOL,    ALWAYS,  NOTE,      FOUND,
	  .help = "true if the result was the expected one to the last bit, false if it was so "
		  "within rounding."),
	P(prebuilt,         "prebuilt",          BOOL,    ALWAYS,  NOTE,      FOUND,
	  .help = "true if the code was compiled with tprof, for any CPU of its kind."),
	P(counts,           "counts",            TEXT,    NONZERO, METRIC,    FOUND, .pairs = true,
	  .help = "Events of the option \\fBevents\\fR that were counted, each as NAME=COUNT: "
		  "how often it happened for an element, over all threads. Characters of a name "
		  "other than letters and digits are underscores here."),
};
/* clang-format on */

static const struct tp_table pattern_table = {
	TP_TABLE(struct tp_pattern_row, columns),
	.base = &tp_kernel_table,
};
_Static_assert(sizeof(struct tp_pattern_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

const struct tp_pattern_row *tp_pattern_row(const struct tp_point *point)
{
	return tp_point_row(point, &pattern_table);
}

const struct tp_schema_row tp_schema_pattern = {
	.points = { "pattern", &pattern_table, tp_kernel_headline, tp_window_judge },
	TP_PARTS(&tp_plateau_part, &tp_slope_part, &tp_prediction_part, &tp_dot_part,
		 &tp_thread_rate_part),
	TP_ROW_EVENTS(&tp_thread_rate_event),
};
