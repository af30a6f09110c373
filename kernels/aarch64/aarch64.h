/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The aarch64 back end. Only files of this folder include it, the table in kernels/isa.c, and tests. What emits and prints compiles on every
 * architecture; arch.c and cpu.c need the CPU itself.
 */
#ifndef TPROF_KERNELS_AARCH64_H
#define TPROF_KERNELS_AARCH64_H

#include "kernels/arch.h"
#include "kernels/isa.h"

extern const struct tp_arch tp_arch_aarch64;
extern const struct tp_isa tp_isa_scalar, tp_isa_neon, tp_isa_sve;

/* Non-temporal stores are of pairs of registers, the smallest of 4 bytes each; SVE has its own. */
enum { TP_AARCH64_LEAST_NT_BYTES = 8 };

void tp_aarch64_identify(struct tp_cpu *cpu);
unsigned tp_aarch64_sve_bytes(void); /* vector length of this thread; 0 without SVE */
/* Always: every aarch64 with floating point multiplies and adds in one. */
bool tp_aarch64_fused(const struct tp_cpu *cpu);
enum tp_status tp_aarch64_disassemble(const void *code, size_t bytes, struct tp_str *out);

enum tp_status tp_aarch64_emit_scalar(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
				      struct tp_code *code, struct tp_diag *diag);
enum tp_status tp_aarch64_emit_neon(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
				    struct tp_code *code, struct tp_diag *diag);
enum tp_status tp_aarch64_emit_sve(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
				   struct tp_code *code, struct tp_diag *diag);
enum tp_status tp_aarch64_emit_loop(const struct tp_loop *loop, const struct tp_cpu *cpu,
				    struct tp_code *code, struct tp_loop_cost *cost,
				    struct tp_diag *diag);
enum tp_status tp_aarch64_emit_described(const struct tp_described *described,
					 const struct tp_cpu *cpu, struct tp_code *code,
					 uint64_t *instructions, struct tp_diag *diag);

#endif
