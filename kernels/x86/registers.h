/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers of registers for kernels/assembly.h: general ones 0 to 15, vectors 32 to 63, masks 64 to
 * 71, those of MMX 72 to 79, of x87 80 to 87, flags 127. The form is the width: 8, 16, 32 and 64
 * bits of general registers, xmm, ymm and zmm of vectors.
 */
#ifndef TPROF_KERNELS_X86_REGISTERS_H
#define TPROF_KERNELS_X86_REGISTERS_H

#include <Zydis/Zydis.h>

#include "kernels/assembly.h"

enum {
	TP_X86_GENERAL = 0,
	TP_X86_VECTORS = 32,
	TP_X86_MASKS = 64,
	TP_X86_MMX = 72,
	TP_X86_X87 = 80,
	TP_X86_FLAGS = 127
};

/* The number of a register of Zydis, in any width; -1: it does not matter, such as rip. */
int tp_x86_register_number(ZydisRegister reg);
/* The register of Zydis; ZYDIS_REGISTER_NONE if there is none. */
ZydisRegister tp_x86_register(const struct tp_register_name *name);

bool tp_x86_register_find(const char *name, size_t len, struct tp_register_name *out);
bool tp_x86_register_name(const struct tp_register_name *name, char out[TP_ASM_NAME_BYTES]);
void tp_x86_register_alike(const struct tp_register_name *name, struct tp_register_set *out);
bool tp_x86_register_reserved(unsigned reg);
bool tp_x86_register_vector(unsigned reg);

enum tp_status tp_x86_asm_encode(const char *text, enum tp_asm_syntax syntax, unsigned char out[16],
				 size_t *bytes);
enum tp_status tp_x86_asm_emit(const struct tp_cpu *cpu, const unsigned char *body, size_t bytes,
			       size_t copies, struct tp_code *code, struct tp_diag *diag);

#endif
