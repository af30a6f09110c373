/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points that gather elements from several cache lines. */
#ifndef TPROF_EXPERIMENTS_GATHER_ROW_H
#define TPROF_EXPERIMENTS_GATHER_ROW_H

#include "record/kernel_row.h"

struct tp_gather_row {
	struct tp_kernel_row kernel; /* its times and rates are those of a gather */
	/* identity */
	unsigned elements, vector_bits;
	bool masked; /* lanes without an element are off */
	bool cold;
	unsigned lines; /* distinct cache lines of a gather */
	char offsets[80]; /* of all elements, "0 1 32" */
	/* found */
	double cycles,
		ticks; /* of a gather: core cycles, ticks of the cycle counter; 0 = unknown */
};

extern const struct tp_table tp_gather_table;
/* One of zeros if the point gathers nothing. Never NULL. */
const struct tp_gather_row *tp_gather_row(const struct tp_point *point);

#endif
