/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Holds the code of a kernel to everything that its description promises (kernels/kernel.h):
 * instruction forms, frame, loop, bytes touched, counts, dependences. Some of it is read from the
 * code, the rest comes from abstract execution.
 */
#ifndef TPROF_TESTS_EMIT_CHECK_H
#define TPROF_TESTS_EMIT_CHECK_H

#include <stdbool.h>

#include "tests/unit/decode.h"
#include "kernels/kernel.h"

/* An ISA on a CPU that has exactly these features. */
struct emit_target {
	const char *name, *isa, *features;
	enum decoded_encoding encoding; /* of every vector instruction in the loop */
	bool fused;
};

extern const struct emit_target emit_targets[];
extern const size_t emit_target_count;

struct tp_cpu emit_target_cpu(const struct emit_target *target);

enum { EMIT_WHY_BYTES = 768 };

/* False with the kernel and the reason in `why`, also when emission fails. */
bool emit_check(csh capstone, const struct emit_target *target, const struct tp_kernel *kernel,
		char *why);

/* "avx2 double 2ld1st of 1024 bytes, u256, stride 1 (full)" */
void emit_describe(const struct emit_target *target, const struct tp_kernel *kernel, char *out,
		   size_t size);

#endif
