/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machines that test_emitted.c emits code for, on any host. */
#ifndef TPROF_TESTS_EMITTED_H
#define TPROF_TESTS_EMITTED_H

#include "kernels/arch.h"
#include "kernels/counting.h"
#include "kernels/loop.h"
#include "kernels/kernel.h"

/* An ISA with vectors of a certain length, and the group of registers that kernels ask for. */
struct emitted_target {
	const char *name; /* "aarch64 sve-256" */
	struct tp_isa isa;
	unsigned lmul;
	struct tp_cpu cpu;
};

extern const struct emitted_target emitted_targets[];
extern const size_t emitted_target_count;

/* A CPU that counting rows are emitted for. */
struct emitted_counter {
	const char *name;
	const struct tp_arch *arch;
	struct tp_cpu cpu;
};

extern const struct emitted_counter emitted_counters[];
extern const size_t emitted_counter_count;

/* From here on the counting families emit for this CPU. */
void emitted_use(const struct emitted_counter *counter);
enum tp_status emitted_traversal(const struct emitted_counter *counter,
				 const struct tp_traversal *traversal, struct tp_code *code,
				 uint64_t *instructions);

#endif
