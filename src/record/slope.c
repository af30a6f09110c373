/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/slope.h"
#include "record/limits.h"

#include "base/vec.h"

/* clang-format off */
#define C(member, name, type, role, ...) \
	TP_COLUMN(struct tp_slope, member, name, type, ALWAYS, TP_ROLE_##role, TP_IN_JSON, __VA_ARGS__)
static const struct tp_column columns[] = {
	C(run, "run", UNSIGNED, IDENTITY, .most = TP_RUN_POINTS_MAX - 1),
	C(kernel, "kernel", TEXT, DIMENSION),
	C(isa, "isa", TEXT, DIMENSION),
	C(precision, "precision", TEXT, DIMENSION),
	C(threads, "threads", UNSIGNED, DIMENSION, .most = TP_RUN_THREADS_MAX),
	C(pages_wanted, "pages_wanted", TEXT, DIMENSION,
	  .help = "The curve, as of its plateaus."),
	C(level, "level", TEXT, DIMENSION,
	  .help = "The level of the plateau before the slope."),
	C(from_bytes, "from_bytes", U64, NOTE),
	C(to_bytes, "to_bytes", U64, NOTE,
	  .help = "Working sets at which the slope begins and ends."),
	C(from_gbps, "from_gbps", REAL, NOTE),
	C(to_gbps, "to_gbps", REAL, NOTE,
	  .help = "Bandwidth there."),
	C(open, "open", BOOL, NOTE,
	  .help = "true if the curve ends on the slope: larger working sets would show "
		  "where it leads."),
};
/* clang-format on */

static const struct tp_table table = {
	.name = "slopes",
	.columns = columns,
	.n = TP_COUNT_OF(columns),
	.row_bytes = sizeof(struct tp_slope),
};

const struct tp_part tp_slope_part = {
	.table = &table, .place = 6, .derived = true, .sparse = true
};
