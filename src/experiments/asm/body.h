/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text of instructions: split into lines, and registers in it found and renamed. Private to
 * this folder and its tests.
 */
#ifndef TPROF_EXPERIMENTS_ASM_BODY_H
#define TPROF_EXPERIMENTS_ASM_BODY_H

#include "base/memory.h"
#include "base/str.h"
#include "kernels/assembly.h"

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

/*
 * The next register in the operands of a line, from *at on (0 at the beginning); false if there is
 * none. *from and *len tell where its name stands, without its mark.
 */
bool tp_asm_next_register(const struct tp_assembly *assembly, const char *line, size_t *at,
			  struct tp_register_name *name, size_t *from, size_t *len);

/* Adds the instructions, a line each. */
void tp_asm_add_lines(const struct tp_asm_body *body, struct tp_str *out);
/* Lines on one: "; " between them, and "..." where they are too many. */
void tp_asm_join(const char *lines, char *out, size_t size);

/* "vfmadd231ps zmm", "vaddps+vmulps": what a variant is called. Returns out. */
const char *tp_asm_title(const struct tp_assembly *assembly, const struct tp_asm_body *body,
			 char *out, size_t size);

#endif
