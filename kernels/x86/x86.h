/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The x86-64 back end. Only files of this folder include it, and the table in kernels/isa.c. */
#ifndef TPROF_KERNELS_X86_H
#define TPROF_KERNELS_X86_H

#include "kernels/arch.h"
#include "kernels/isa.h"

extern const struct tp_arch tp_arch_x86_64;
extern const struct tp_isa tp_isa_scalar, tp_isa_sse, tp_isa_avx2, tp_isa_avx512;

void tp_x86_identify(struct tp_cpu *cpu);
enum tp_status tp_x86_disassemble(const void *code, size_t bytes, struct tp_str *out);
enum tp_status tp_x86_emit(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
			   struct tp_code *code, struct tp_diag *diag);
enum tp_status tp_x86_emit_loop(const struct tp_loop *loop, const struct tp_cpu *cpu,
				struct tp_code *code, struct tp_loop_cost *cost,
				struct tp_diag *diag);
enum tp_status tp_x86_emit_described(const struct tp_described *described, const struct tp_cpu *cpu,
				     struct tp_code *code, uint64_t *instructions,
				     struct tp_diag *diag);
enum tp_status tp_x86_decode(const struct tp_code *code, size_t at, struct tp_decoded *item,
			     struct tp_diag *diag);
enum tp_status tp_x86_step(struct tp_stepper *stepper, void *data, uint64_t passes,
			   struct tp_diag *diag);

#endif
