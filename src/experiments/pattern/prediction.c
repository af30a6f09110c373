/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/pattern/prediction.h"
#include "base/memory.h"
#include "record/limits.h"

/* clang-format off */
#define C(member, name, type, rule, role, ...) \
	TP_COLUMN(struct tp_prediction, member, name, type, rule, TP_ROLE_##role, TP_IN_JSON, __VA_ARGS__)
static const struct tp_column columns[] = {
	C(run, "run", UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1),
	C(point, "point", UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1,
	  .help = "The point."),
	C(limit, "limit", TEXT, ALWAYS, NOTE,
	  .help = "What would take the longest alone: the arithmetic (FP), or the transfers of a "
		  "level."),
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
	.columns = columns,
	.n = TP_COUNT_OF(columns),
	.row_bytes = sizeof(struct tp_prediction),
};

const struct tp_part tp_prediction_part = {
	.table = &table, .place = 9, .derived = true, .sparse = true
};
