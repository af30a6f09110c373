/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of instruction sets that kernels can be emitted for. */
#ifndef TPROF_KERNELS_ISA_H
#define TPROF_KERNELS_ISA_H

#include <stddef.h>

#include "base/cpu.h"
#include "base/status.h"
#include "kernels/code.h"

struct tp_kernel;

struct tp_isa {
	const char *name; /* "avx2", as in presets and models */
	const char *arch; /* tp_cpu.arch it belongs to */
	const char *summary; /* for --list isas */
	const char *needs; /* space-separated features (tp_cpu.features) that the kernels use */
	unsigned vector_bytes; /* memory operand; 0: one element (scalar) */
	/* Where each CPU has a width of its own: that of this one; vector_bytes is then the least there is. Else NULL. */
	unsigned (*vector_length_bytes)(void);
	unsigned
		max_lmul; /* vector registers that one instruction can work on, a power of two; 0 = 1 */
	bool short_tail; /* the last access of a walk can be shorter than an operand */
	/* Smallest operand that a non-temporal store can write: 0 = all, UINT_MAX = there are no such stores. */
	unsigned least_nontemporal_bytes;
	bool (*fused)(const struct tp_cpu *cpu); /* true if it has fused multiply-add */
	enum tp_status (*emit)(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
			       struct tp_code *code, struct tp_diag *diag);
};

extern const struct tp_isa
	*const tp_isa_table[]; /* ordered from narrow to wide in each architecture */
extern const size_t tp_isa_count;

const struct tp_isa *tp_isa_find(const char *name); /* NULL if there is none */

/* TP_OK, or TP_UNSUPPORTED with the missing feature in words. */
enum tp_status tp_isa_supported(const struct tp_isa *isa, const struct tp_cpu *cpu,
				struct tp_diag *diag);

/* Bytes of a vector register on this CPU; 0 = scalar. */
unsigned tp_isa_vector_bytes(const struct tp_isa *isa);

/* Bytes of one memory operand for elements of 8 or 4 bytes, of one register: see tp_kernel_operand_bytes. */
unsigned tp_isa_operand_bytes(const struct tp_isa *isa, unsigned element_bytes);

#endif
