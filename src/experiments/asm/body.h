/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text of instructions: split into lines, registers in it found and renamed, and which
 * instructions wait for which.
 */
#ifndef TPROF_EXPERIMENTS_ASM_BODY_H
#define TPROF_EXPERIMENTS_ASM_BODY_H

#include "base/memory.h"
#include "base/str.h"
#include "kernels/assembly.h"

/* What this host can run; NULL and words where it cannot run instructions of users. */
const struct tp_assembly *tp_asm_host(struct tp_diag *diag);

enum { TP_ASM_LINES_MAX = 64, TP_ASM_LINE_BYTES = 112 };

/* Instructions, one a line: a mnemonic and operands, blanks made single. */
struct tp_asm_body {
	enum tp_asm_syntax syntax;
	size_t n;
	const char **lines; /* borrowed: in an arena */
};

/*
 * Splits at semicolons; an instruction with a range, "%xmm{0..7}", stands for one each number, and
 * one with two ranges for all pairs. `syntax` is a word of the option. TP_USAGE with words: nothing
 * in it, too many or too long, a directive, a label, a character that no instruction needs, a
 * register that belongs to the loop.
 */
enum tp_status tp_asm_split(const struct tp_assembly *assembly, const char *text,
			    const char *syntax, struct tp_arena *arena, struct tp_asm_body *body,
			    struct tp_diag *diag);

/* Which register takes the place of each; -1 = it stays. */
struct tp_register_map {
	int to[TP_ASM_REGISTERS];
};
void tp_register_map_none(struct tp_register_map *map);
/* Appends the line with other registers. */
void tp_asm_rename(const struct tp_assembly *assembly, const char *line,
		   const struct tp_register_map *map, struct tp_str *out);

/* Adds the instructions, a line each. */
void tp_asm_add_lines(const struct tp_asm_body *body, struct tp_str *out);
/* Joins lines: "; " between them, and "..." if they are too many. */
void tp_asm_join(const char *lines, char *out, size_t size);

/*
 * "vfmadd231ps zmm", "vaddps+vmulps": what a variant is called, with `order` at its end (may be
 * ""). Returns out.
 */
const char *tp_asm_title(const struct tp_assembly *assembly, const struct tp_asm_body *body,
			 const char *order, char *out, size_t size);

/* --- registers that address memory --- */

/* By the index of tp_asm_block.general. */
struct tp_asm_addresses {
	bool is_base[TP_ASM_GENERAL];
	bool is_index[TP_ASM_GENERAL]; /* beside a base */
	unsigned scale[TP_ASM_GENERAL]; /* of an index without a base; 0 = it is none */
	bool scatters; /* vectors are indexes */
};
/* Of instructions whose effects are known, and of others by the bracket before a register. */
void tp_asm_find_addresses(const struct tp_asm_effect *effects, size_t n,
			   struct tp_asm_addresses *out);
void tp_asm_find_named(const struct tp_assembly *assembly, const char *text,
		       struct tp_asm_addresses *out);

/*
 * Appends the line with other registers in its address if it writes the ones it has, so that the
 * address stays when it runs again. False if none has to change; else `effect` becomes the new
 * line's.
 */
bool tp_asm_part(const struct tp_assembly *assembly, const char *line, struct tp_asm_effect *effect,
		 struct tp_str *out);

/* --- chains: other registers such that instructions wait for each other, or do not --- */

enum { TP_ASM_COPIES_MAX = 16 };

/*
 * Instructions of a sequence on its longest chain, when it runs again and again: 0 if no
 * instruction waits for an earlier round, n if each waits for the one before. Memory is not
 * followed. With `cycles` of each instruction: the sum over the longest chain.
 */
double tp_asm_chain(const struct tp_asm_effect *effects, const double *cycles, size_t n);

/*
 * Appends copies of the body, a line each, that write other registers; returns their number, 1 if
 * there is nothing to rename. Implicitly written registers, and those that an instruction cannot
 * change, stay.
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
