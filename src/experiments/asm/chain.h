/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which instructions wait for which, and other registers such that they do or do not. Private to
 * this folder and its tests.
 */
#ifndef TPROF_EXPERIMENTS_ASM_CHAIN_H
#define TPROF_EXPERIMENTS_ASM_CHAIN_H

#include "experiments/asm/body.h"

enum { TP_ASM_COPIES_MAX = 16 };

/*
 * Instructions of a sequence on its longest chain, when it runs again and again: 0 if no
 * instruction waits for an earlier round, n if each waits for the one before. Memory is not
 * followed.
 */
double tp_asm_chain(const struct tp_asm_effect *effects, size_t n);

/*
 * Appends, a line each, copies of the body that write other registers: their number is returned, 1
 * if there is nothing to rename. Registers that are written without being shown, or that an
 * instruction shows but cannot change, stay.
 */
size_t tp_asm_copies(const struct tp_assembly *assembly, const struct tp_asm_body *body,
		     const struct tp_asm_effect *effects, struct tp_str *out);
/*
 * Appends the body with registers such that each result feeds the next instruction, where a source
 * of the same kind lets it. What cannot be changed stays.
 */
void tp_asm_chained(const struct tp_assembly *assembly, const struct tp_asm_body *body,
		    const struct tp_asm_effect *effects, struct tp_str *out);

#endif
