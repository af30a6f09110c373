/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The riscv64 back end. Only this folder, kernels/isa.c and tests include it. Emission and
 * printing compile on every architecture; arch.c and cpu.c need the CPU itself.
 */
#ifndef TPROF_KERNELS_RISCV64_H
#define TPROF_KERNELS_RISCV64_H

#include "kernels/arch.h"
#include "kernels/assembly.h"
#include "kernels/isa.h"

/* Forms of the ISAs: FP registers, vectors of version 1.0, of version 0.7. */
enum { TP_RISCV_SCALAR, TP_RISCV_RVV10, TP_RISCV_RVV07 };

extern const struct tp_arch tp_arch_riscv64;
extern const struct tp_back_end tp_riscv_back_end;
extern const struct tp_assembly tp_riscv_assembly;
extern const struct tp_isa tp_isa_riscv_scalar, tp_isa_riscv_rvv10, tp_isa_riscv_rvv07;

/* The shortest vectors that the standard extension V allows. They are shown on CPUs without V. */
enum { TP_RISCV_LEAST_VECTOR_BYTES = 16 };

void tp_riscv_identify(struct tp_cpu *cpu);
/*
 * Bytes of a vector register, read by the instruction that sets the vector length. The least
 * length if V may not be used.
 */
unsigned tp_riscv_vector_bytes(void);
enum tp_status tp_riscv_disassemble(const void *code, size_t bytes, struct tp_str *out);

#endif
