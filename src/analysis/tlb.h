/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the latency with small pages leaves that with huge pages: the reach of the TLB with small pages. */
#ifndef TPROF_ANALYSIS_TLB_H
#define TPROF_ANALYSIS_TLB_H

#include <stdbool.h>
#include <stddef.h>

struct tp_tlb_point {
	double small_ns, huge_ns; /* of a load, with either kind of pages, at one working set */
	double small_low_ns, huge_high_ns; /* facing ends of their intervals */
};

/*
 * The index of the first of points[n], by ascending working set, whose loads take more than 10 % longer with small pages, the intervals
 * apart, if that holds for most of it and the two behind it; false if there is none. Index 0: the reach is below all that was measured.
 */
bool tp_tlb_reach(const struct tp_tlb_point *points, size_t n, size_t *first);

#endif
