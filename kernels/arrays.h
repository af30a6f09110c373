/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernels over arrays, by the names that people know. Each is a memory kernel of a ratio of loads
 * to stores, with the arithmetic of its name beside the accesses, on registers: the arithmetic
 * takes its place in the core, its operands are not those that are loaded.
 */
#ifndef TPROF_KERNELS_ARRAYS_H
#define TPROF_KERNELS_ARRAYS_H

#include "kernels/kernel.h"

struct tp_array_kernel {
	const char *name, *summary;
	unsigned loads, stores;
	/* one operation for `loads` + `stores` accesses; TP_FP_NONE: no arithmetic */
	enum tp_fp_op op;
	/*
	 * Loads and stores have regions of their own, as arrays that are read and arrays that are
	 * written. Without this they share one region, as an array that is updated.
	 */
	bool apart;
};

extern const struct tp_array_kernel tp_array_kernels[]; /* ends with a row without a name */

const struct tp_array_kernel *tp_array_kernel_find(const char *name); /* NULL if there is none */
/*
 * Fills in what the name says: kind, ratio, arithmetic, regions. kernel->isa is set; where it has
 * no multiply-add on this CPU, a multiplication and an addition take its place.
 */
void tp_array_kernel_set(const struct tp_array_kernel *array, const struct tp_cpu *cpu,
			 struct tp_kernel *kernel);

#endif
