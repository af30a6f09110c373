/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gauges of a core, read right beside every window. The chain (dependent additions, one a cycle by construction) tells the core
 * frequency. The width (independent additions, as many a cycle as the core can issue) tells whether the core is wholly ours: work on its other
 * hardware thread, such as a neighbour of the virtual machine, takes issue slots away and so shows at once, while neither clock, context
 * switches nor steal time know of it.
 */
#ifndef TPROF_MEASURE_GAUGE_H
#define TPROF_MEASURE_GAUGE_H

#include "kernels/kernel.h"
#include "measure/clock.h"

struct tp_gauge {
	const struct tp_clock *clock; /* borrowed */
	struct tp_code code;
	uint64_t passes; /* of one reading */
	double additions; /* per pass; 0 = no such kernel on this architecture */
	double overhead_seconds; /* of a call, beside its additions */
};

/* `kind` is TP_KERNEL_CHAIN or TP_KERNEL_WIDTH. Without a supported ISA the gauge reads 0 and all is well. */
enum tp_status tp_gauge_init(struct tp_gauge *gauge, enum tp_kernel_kind kind, uint64_t passes,
			     const struct tp_clock *clock, const struct tp_cpu *cpu,
			     struct tp_diag *diag);
void tp_gauge_release(struct tp_gauge *gauge);

/* Additions per nanosecond, now, on the calling thread; 0 = unknown. Takes some microseconds. */
double tp_gauge_read(const struct tp_gauge *gauge);

/*
 * What a core gives when it is wholly ours, in additions a cycle, learnt from readings. Alone a core gives the same within 1 % again and again,
 * while readings beside a neighbour lie below, and odd ones (a chain that was read too low makes the core look too wide) lie anywhere. So the
 * width is the largest value that many readings share: a few, and a small part of all. Zero-initialise.
 */
enum { TP_CORE_WIDTH_BINS = 360 };
struct tp_core_width {
	double widest; /* 0 = not known yet */
	unsigned n, counts[TP_CORE_WIDTH_BINS]; /* readings, in all and by 1 % steps */
	double sums[TP_CORE_WIDTH_BINS];
};
void tp_core_width_learn(struct tp_core_width *core, double width);
/* False: something else took issue slots at that reading. Alone a core stays within 1 % of its widest; 5 % are allowed. */
bool tp_core_width_is_whole(const struct tp_core_width *core, double width);

#endif
