/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code buffers under W^X: memory is first writable, then executable, never both. */
#ifndef TPROF_KERNELS_CODE_H
#define TPROF_KERNELS_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/*
 * Calling convention of every kernel: `data` is the thread's buffer (memory kernels) or the block
 * of constants and accumulators (FP kernels, see kernel.h); the body runs `passes` times, at least
 * once.
 */
typedef void (*tp_kernel_function)(void *data, uint64_t passes);

struct tp_code {
	void *map; /* page-aligned mapping */
	size_t map_bytes;
	size_t bytes; /* of machine code from the start of the mapping */
	/*
	 * Byte range of the innermost loop, for tests and --dump-asm. Both are 0 if there is no
	 * loop.
	 */
	size_t loop_begin, loop_end;
};

/* Maps writable memory for up to `capacity_bytes`. */
enum tp_status tp_code_init(struct tp_code *code, size_t capacity_bytes, struct tp_diag *diag);
/* Takes write permission away and makes the code executable. */
enum tp_status tp_code_seal(struct tp_code *code, size_t bytes, struct tp_diag *diag);
tp_kernel_function tp_code_function(const struct tp_code *code);
void tp_code_release(struct tp_code *code);

#endif
