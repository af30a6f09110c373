/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points that are searches for the fastest configuration of a routine. */
#ifndef TPROF_RECORD_SEARCH_ROW_H
#define TPROF_RECORD_SEARCH_ROW_H

#include "record/point.h"
#include "experiments/autotune/search_row.h"

struct tp_search_row {
	struct tp_kernel_row kernel; /* level, precision, rates of the winner */
	/*
	 * how it is searched, over which part of the machine ("core", "socket", "machine"), and
	 * with which library
	 */
	char technique[16], scope[12], library[96];
	unsigned configurations; /* that the search goes through */
	char configuration[64]; /* the winner: "n 1024 m 512 k 128" */
};

extern const struct tp_table tp_search_table;
/* One of zeros if the point is no search. Never NULL. */
const struct tp_search_row *tp_search_row(const struct tp_point *point);

#endif
