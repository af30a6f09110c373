/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the reach of the TLB with small pages: where the latency with small pages exceeds that with
 * huge pages.
 */
#ifndef TPROF_ANALYSIS_TLB_H
#define TPROF_ANALYSIS_TLB_H

#include <stdbool.h>
#include <stddef.h>

struct tp_tlb_point {
	double small_ns, huge_ns; /* of a load, with either kind of pages, at one working set */
	double small_low_ns, huge_high_ns; /* the ends of their intervals that face each other */
};

/*
 * The index of the first of points[n], by ascending working set, whose loads take more than 10 %
 * longer with small pages. Their intervals must be apart, and most of this point and the two after
 * it must agree. False if there is none. Index 0: the reach is below everything that was measured.
 */
bool tp_tlb_reach(const struct tp_tlb_point *points, size_t n, size_t *first);

#endif
