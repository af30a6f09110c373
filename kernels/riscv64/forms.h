/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The instructions on FP registers and on vectors of versions 1.0 and 0.7. The versions differ in
 * the vector type, and loads and stores of 0.7 take their width from it. Private to
 * kernels/riscv64.
 */
#ifndef TPROF_KERNELS_RISCV64_FORMS_H
#define TPROF_KERNELS_RISCV64_FORMS_H

#include "kernels/emit/emit.h"

/* number of groups of registers of a kernel */
unsigned tp_riscv_registers(const struct tp_emitter *e);
void tp_riscv_arithmetic(struct tp_emitter *e, enum tp_arithmetic what, unsigned x, unsigned a,
			 unsigned b);
/* Vectors take no offset. */
void tp_riscv_move(struct tp_emitter *e, bool store, unsigned reg, unsigned base, int64_t offset);
void tp_riscv_clear(struct tp_emitter *e, unsigned reg);
/* From here on operands have `bytes`; a whole operand of a kernel takes the longest vectors. */
void tp_riscv_set_length(struct tp_emitter *e, unsigned bytes);

#endif
