/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The riscv64 back end. What emits and prints is plain C and built everywhere, so that tests can hold it to a disassembler on any host; arch.c and
 * cpu.c need the machine itself. Only files of this folder include this, the table in kernels/isa.c, and tests.
 */
#ifndef TPROF_KERNELS_RISCV64_H
#define TPROF_KERNELS_RISCV64_H

#include "kernels/arch.h"
#include "kernels/isa.h"

extern const struct tp_arch tp_arch_riscv64;
extern const struct tp_isa tp_isa_riscv_scalar, tp_isa_riscv_rvv10, tp_isa_riscv_rvv07;

/* Shortest vectors that the standard extension V allows: what is shown where there are none. */
enum { TP_RISCV_LEAST_VECTOR_BYTES = 16 };

void tp_riscv_identify(struct tp_cpu *cpu);
/* Bytes of a vector register of this CPU, by the instruction that sets the vector length; the least where V may not be used. */
unsigned tp_riscv_vector_bytes(void);
enum tp_status tp_riscv_disassemble(const void *code, size_t bytes, struct tp_str *out);
enum tp_status tp_riscv_emit(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
			     struct tp_code *code, struct tp_diag *diag);
enum tp_status tp_riscv_emit_loop(const struct tp_loop *loop, const struct tp_cpu *cpu,
				  struct tp_code *code, struct tp_loop_cost *cost,
				  struct tp_diag *diag);
enum tp_status tp_riscv_emit_described(const struct tp_described *described,
				       const struct tp_cpu *cpu, struct tp_code *code,
				       uint64_t *instructions, struct tp_diag *diag);

#endif
