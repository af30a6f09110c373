/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernels of the self-test: one for each kind of emitted code that an ISA has, and what a pass
 * of it does by construction. The subject runs them, and the self-test has their exact counts.
 *
 */
#ifndef TPROF_APP_KERNEL_LIST_H
#define TPROF_APP_KERNEL_LIST_H

#include "base/cpu.h"
#include "base/status.h"
#include "kernels/counting.h"
#include "kernels/kernel.h"
#include "mix/mix.h"

/* Each kernel runs twice, in separate regions: the difference is that many passes. */
enum {
	TP_APP_PASSES_FEW = 3,
	TP_APP_PASSES_MANY = 10,
	TP_APP_KERNELS = 60,
	TP_APP_KERNEL_NAME = 96
};

struct tp_app_kernel {
	const struct tp_family *family; /* of a row of counting kernels; NULL = it is `kernel` */
	unsigned row;
	struct tp_kernel kernel; /* only tp_app_kernel_of sets .gather */
	struct tp_gather gather;
	char name[TP_APP_KERNEL_NAME]; /* "avx2 double 2ld1st two-streams" */
};

struct tp_app_kernels {
	struct tp_app_kernel items[TP_APP_KERNELS];
	size_t n;
};

/* The name, in place of an ISA's, of the kernels that count branches and instructions. */
#define TP_APP_COUNTING "counting"

/* All of an ISA that can be emitted for this CPU; NULL: those of TP_APP_COUNTING. */
void tp_app_kernels_list(const struct tp_isa *isa, const struct tp_cpu *cpu,
			 struct tp_app_kernels *list);

/* Name of the region of a run with this many passes. */
void tp_app_kernel_region(const struct tp_app_kernel *kernel, unsigned passes, char *out,
			  size_t size);

/* Code and data of a kernel. */
struct tp_app_ready {
	struct tp_code code;
	void *data;
};

enum tp_status tp_app_kernel_ready(const struct tp_app_kernel *kernel, const struct tp_cpu *cpu,
				   struct tp_app_ready *ready, struct tp_diag *diag);
void tp_app_ready_release(struct tp_app_ready *ready);

/* Exact counts of a pass: `known` marks the valid numbers. */
struct tp_app_expected {
	uint64_t mix[TP_MIX_N];
	bool known[TP_MIX_N];
};

/* A counting row that cannot be made has no exact counts. */
void tp_app_kernel_expect(const struct tp_app_kernel *kernel, const struct tp_cpu *cpu,
			  struct tp_app_expected *expected);

extern const struct tp_counting_machine tp_app_counting_machine; /* that counting rows adapt to */

#endif
