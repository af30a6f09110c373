/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/tlb.h"

#include "base/vec.h"

/* Smaller differences also occur between buffers at different addresses. */
#define LONGER 1.10

/* One disturbed point is not the end of the reach. */
enum { WITNESSES = 3 };

static bool is_beyond(const struct tp_tlb_point *p)
{
	return p->small_ns > LONGER * p->huge_ns && p->small_low_ns > p->huge_high_ns;
}

bool tp_tlb_reach(const struct tp_tlb_point *points, size_t n, size_t *first)
{
	for (size_t i = 0; i < n; i++) {
		size_t seen = TP_MIN(n - i, (size_t)WITNESSES), beyond = 0;
		for (size_t k = i; k < i + seen; k++)
			beyond += is_beyond(&points[k]);
		if (is_beyond(&points[i]) && 2 * beyond > seen) {
			*first = i;
			return true;
		}
	}
	return false;
}
