/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The aarch64 back end. Only this folder, kernels/isa.c and tests include it. Emission and
 * printing compile on every architecture; arch.c and cpu.c need the CPU itself.
 */
#ifndef TPROF_KERNELS_AARCH64_H
#define TPROF_KERNELS_AARCH64_H

#include "kernels/arch.h"
#include "kernels/assembly.h"
#include "kernels/isa.h"

/*
 * Forms of the ISAs: the registers of their instructions. Those of SME are the ones of SVE, in
 * streaming mode, where vectors have a length of their own.
 */
enum {
	TP_AARCH64_SCALAR,
	TP_AARCH64_NEON,
	TP_AARCH64_SVE,
	TP_AARCH64_FORMS,
	TP_AARCH64_SME = TP_AARCH64_FORMS
};

extern const struct tp_arch tp_arch_aarch64;
extern const struct tp_back_end tp_aarch64_back_end;
extern const struct tp_assembly tp_aarch64_assembly;
extern const struct tp_isa tp_isa_scalar, tp_isa_neon, tp_isa_sve, tp_isa_sme;

/* Non-temporal stores write pairs of registers, of at least 4 bytes each. SVE has other ones. */
enum { TP_AARCH64_LEAST_NT_BYTES = 8 };

void tp_aarch64_identify(struct tp_cpu *cpu);
unsigned tp_aarch64_sve_bytes(void); /* vector length of this thread; 0 without SVE */
unsigned tp_aarch64_sme_bytes(void); /* the same in streaming mode; 0 without SME */
enum tp_status tp_aarch64_disassemble(const void *code, size_t bytes, struct tp_str *out);

#endif
