/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The x86-64 back end. Only this folder, kernels/arch.c, kernels/kernel.c and tests include it. */
#ifndef TPROF_KERNELS_X86_X86_H
#define TPROF_KERNELS_X86_X86_H

#include "kernels/arch.h"
#include "kernels/assembly.h"
#include "kernels/isa.h"
#include "kernels/kernel.h"

/* Forms of the ISAs: one element of a register, or all of it. */
enum { TP_X86_SCALAR, TP_X86_VECTOR };

extern const struct tp_arch tp_arch_x86_64;
extern const struct tp_back_end tp_x86_back_end;
extern const struct tp_assembly tp_x86_assembly;
extern const struct tp_isa tp_isa_scalar, tp_isa_sse, tp_isa_avx2, tp_isa_avx512;

enum tp_status tp_x86_disassemble(const void *code, size_t bytes, struct tp_str *out);
enum tp_status tp_x86_decode(const struct tp_code *code, size_t at, struct tp_decoded *item,
			     struct tp_diag *diag);
enum tp_status tp_x86_step(struct tp_stepper *stepper, void *data, uint64_t passes,
			   struct tp_diag *diag);

/* The instructions of x86-64 on narrow numbers. Their rows are known on every architecture. */

enum tp_x86_narrow_instruction {
	TP_X86_VFMADD231PH,
	TP_X86_VDPBF16PS,
	TP_X86_VPDPBUSD,
	TP_X86_TDPFP16PS,
	TP_X86_TDPBF16PS,
	TP_X86_TDPBSSD,
	TP_X86_NARROW
};

/* AMX: eight tiles of sixteen rows of 64 bytes. */
enum { TP_X86_TILES = 8, TP_X86_TILE_ROWS = 16, TP_X86_TILE_ROW_BYTES = 64 };

extern const struct tp_narrow_rows tp_x86_narrow;

#endif
