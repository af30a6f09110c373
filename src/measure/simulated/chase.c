/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latency of a chase: caches, and what it misses in the TLBs. */
#include "measure/simulated/simulated_parts.h"
#include "base/vec.h"

#include <math.h>

enum { LINE_BYTES = 64, SMALL_PAGE = 4096, HUGE_PAGE = 2 << 20, TLB_EDGE = 8 };

/* Share of loads that miss a TLB of so many entries. */
static double tlb_misses(const struct tp_simulated_work *w, double entries, double stride)
{
	double page = w->huge_pages ? HUGE_PAGE : SMALL_PAGE;
	double all = fmax(1, (double)w->walk_bytes / page);
	double missed = 1 - tp_truth_chase_share(all / entries, TLB_EDGE);
	if (!w->chase || !w->chase->block_bytes)
		return missed;
	/* Inside a block pages are found again if the TLB holds a block; each is new once. */
	double block = (double)w->chase->block_bytes;
	double pages = fmax(1, block / page), loads = fmax(1, block / stride);
	double inside = 1 - tp_truth_chase_share(pages / entries, TLB_EDGE);
	return inside + (1 - inside) * missed * fmin(1, pages / loads);
}

/* Streams fill the queues of what they share with a chase. */
static double queue(double load)
{
	return 1 + 0.15 * load + 1.4 * pow(load, 6);
}

void tp_truth_chase(const struct tp_truth *t, const struct tp_simulated_work *w,
		    struct tp_demand *d)
{
	const struct tp_figures *f = t->figures;
	double stride =
		w->chase && w->chase->stride_bytes ? (double)w->chase->stride_bytes : LINE_BYTES;
	double lines = fmax(1, (double)w->walk_bytes / stride) * LINE_BYTES;
	double held[5] = { 0, 0, 0, 0, 1 };
	for (int i = 1; i < TP_CACHE_LEVELS && !w->cold; i++) {
		double capacity = tp_truth_capacity(t, i, w);
		double edge = i == 3 ? t->last_slope : TLB_EDGE;
		held[i] = capacity > 0
				  ? fmax(held[i - 1], tp_truth_chase_share(lines / capacity, edge))
				  : held[i - 1];
	}
	double loads = TP_MAX(tp_kernel_unroll(w->kernel), 1u);
	double missed = tlb_misses(w, f->tlb1_entries, stride);
	double walked = fmin(missed, tlb_misses(w, f->tlb2_entries, stride));
	*d = (struct tp_demand){
		.dependent = true,
		.chain_cycles =
			loads * (held[1] * f->l1_cycles + (held[2] - held[1]) * f->l2_cycles +
				 (missed - walked) * f->tlb2_cycles),
		.l3_seconds =
			loads * 1e-9 *
			((held[3] - held[2]) * f->l3_ns * queue(w->l3_load) + walked * f->walk_ns),
		.memory_seconds =
			loads * 1e-9 * (1 - held[3]) * f->memory_ns * queue(w->memory_load),
	};
}
