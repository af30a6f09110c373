/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instruction sets that kernels can be emitted for. */
#ifndef TPROF_KERNELS_ISA_H
#define TPROF_KERNELS_ISA_H

#include <stddef.h>

#include "base/cpu.h"
#include "base/status.h"

struct tp_back_end;

struct tp_isa {
	const char *name; /* "avx2", as in presets and models */
	const char *arch; /* tp_cpu.arch it belongs to */
	const char *summary; /* for --list isas */
	const char *needs; /* space-separated features (tp_cpu.features) that the kernels use */
	unsigned vector_bytes; /* memory operand; 0: one element (scalar) */
	/*
	 * Vector length of this CPU, where CPUs differ; vector_bytes is then the least possible.
	 * NULL: vector_bytes is the length.
	 */
	unsigned (*vector_length_bytes)(void);
	/* vector registers that one instruction can work on, a power of two; 0 = 1 */
	unsigned max_lmul;
	bool short_tail; /* the last access of a walk can be shorter than an operand */
	/*
	 * Smallest operand that a non-temporal store can write: 0 = all, UINT_MAX = there are no
	 * such stores.
	 */
	unsigned least_nontemporal_bytes;
	/* Vectors that its gathers can fill, in bytes; 0 = it has no gathers. */
	unsigned gather_least_bytes, gather_most_bytes;
	/* The feature that gathers into shorter vectors than the longest need; NULL = none. */
	const char *short_gathers_need;
	/* Whether a CPU has fused multiply-add. NULL: all have. */
	bool (*fused)(const struct tp_cpu *cpu);
	const struct tp_back_end *back_end; /* emits its kernels */
	unsigned form; /* which of the back end's instructions it has */
};

/* Those of this host's architecture, from narrow to wide (arch.c). */
extern const struct tp_isa *const tp_isa_table[];
extern const size_t tp_isa_count;
const struct tp_isa *tp_isa_find(const char *name); /* NULL if there is none */

/* True if it is never the widest, since code enters a mode for it, or shares a unit. */
bool tp_isa_is_apart(const struct tp_isa *isa);

/* The first of the features "a b" that a CPU lacks: `out`; NULL if it has all. */
const char *tp_cpu_lacks(const struct tp_cpu *cpu, const char *needs, char out[32]);

/* TP_OK, or TP_UNSUPPORTED with the missing feature. */
enum tp_status tp_isa_supported(const struct tp_isa *isa, const struct tp_cpu *cpu,
				struct tp_diag *diag);

static inline bool tp_isa_fused(const struct tp_isa *isa, const struct tp_cpu *cpu)
{
	return !isa->fused || isa->fused(cpu);
}

/* Bytes of a vector register on this CPU; 0 = scalar. */
unsigned tp_isa_vector_bytes(const struct tp_isa *isa);

/*
 * Bytes of a memory operand of one register, for elements of 8 or 4 bytes. See also
 * tp_kernel_operand_bytes.
 */
unsigned tp_isa_operand_bytes(const struct tp_isa *isa, unsigned element_bytes);

#endif
