/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Instructions that a user gives: what an architecture knows of their registers, and the loop that
 * they run in.
 *
 * The code of a body is repeated in a loop that begins with known contents of all registers. The
 * body may use every register but those that `reserved` names; pointers (`pointers`) hold addresses
 * of the buffer, all other general registers 1, but one of them 0 where division wants that, and
 * each element of vector registers the pattern of the block. The stack pointer must be the same at
 * the end of a body. Code must not depend on its address, and not jump out of the body.
 */
#ifndef TPROF_KERNELS_ASSEMBLY_H
#define TPROF_KERNELS_ASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/status.h"
#include "kernels/code.h"
#include "kernels/kernel.h"

/* Registers of all kinds have one number each, whatever the width they are used in. */
enum { TP_ASM_REGISTERS = 128, TP_ASM_NAME_BYTES = 8, TP_ASM_OPERANDS = 8 };

struct tp_register_set {
	uint64_t bits[TP_ASM_REGISTERS / 64];
};
static inline bool tp_registers_have(const struct tp_register_set *set, unsigned reg)
{
	return set->bits[reg / 64] >> reg % 64 & 1;
}
static inline void tp_registers_add(struct tp_register_set *set, unsigned reg)
{
	set->bits[reg / 64] |= UINT64_C(1) << reg % 64;
}

enum tp_asm_syntax { TP_ASM_ATT, TP_ASM_INTEL, TP_ASM_SYNTAXES };

/* A name of a register: `form` tells which of its names, such as its width. */
struct tp_register_name {
	unsigned reg, form;
};

/* An operand that the text shows. */
struct tp_asm_operand {
	bool is_register, read, written;
	unsigned reg;
};

/* What an instruction does to registers. Memory is not followed. */
struct tp_asm_effect {
	size_t bytes; /* of the instruction */
	struct tp_register_set reads, writes; /* all, those that no text shows included */
	struct tp_register_set hidden; /* those among them that no text shows */
	/* In the order of the architecture's manual: destinations first. */
	struct tp_asm_operand operands[TP_ASM_OPERANDS];
	unsigned n_operands;
	int base; /* register that its memory operand's address begins with; -1 = none */
	bool loads, stores; /* it accesses memory */
	bool jumps;
	enum tp_fp_op op; /* arithmetic: an addition (also min and max), mul, fma or div (sqrt) */
	unsigned element_bytes, vector_bytes; /* of that; vector 0 = one element, or none */
};

/* The block that the loop's `data` points to; a line of its own for each thread. */
struct tp_asm_block {
	_Alignas(64) uint64_t buffer; /* its address, */
	uint64_t middle; /* and that of its middle */
	uint64_t pattern; /* of vector registers, repeated */
};

_Static_assert(offsetof(struct tp_asm_block, middle) == 8 &&
		       offsetof(struct tp_asm_block, pattern) == 16,
	       "code of the loops has these offsets in it");

struct tp_assembly {
	unsigned elf_machine; /* the number of the architecture in ELF */
	const char *const *directives; /* by syntax: what an assembler needs before the text */
	const char *syntax_words; /* of the syntaxes that there are, "att intel" */
	const char *reserved, *pointers; /* for people: "r14 and r15" */
	char mark; /* before each register in the first syntax: '%'; 0 = none */

	/* False if no register has that name (lower case). */
	bool (*find)(const char *name, size_t len, struct tp_register_name *out);
	/* The name of a register in a form; false if it has none there. */
	bool (*name)(const struct tp_register_name *name, char out[TP_ASM_NAME_BYTES]);
	/* Registers that may take the place of one, itself included: of its kind, none reserved. */
	void (*alike)(const struct tp_register_name *name, struct tp_register_set *out);
	bool (*is_reserved)(unsigned reg);
	bool (*is_vector)(unsigned reg);
	/* Reads the instruction at the beginning of `code`. TP_UNSUPPORTED if it is not known. */
	enum tp_status (*look)(const unsigned char *code, size_t bytes, struct tp_asm_effect *out);
	/*
	 * Encodes a plain instruction without an assembler: registers and numbers, and memory with
	 * a base. TP_UNSUPPORTED: not one of those that it knows; an assembler may know it. NULL =
	 * it encodes none.
	 */
	enum tp_status (*encode)(const char *text, enum tp_asm_syntax syntax, unsigned char out[16],
				 size_t *bytes);
	/*
	 * Emits a tp_kernel_function that runs `copies` bodies in each pass, and seals it. Its data
	 * are a tp_asm_block.
	 */
	enum tp_status (*emit)(const struct tp_assembly *assembly, const struct tp_cpu *cpu,
			       const unsigned char *body, size_t bytes, size_t copies,
			       struct tp_code *code, struct tp_diag *diag);
	const struct tp_asm_words *words; /* for tp_asm_emit_words; NULL = not used */
};

/* --- for architectures whose instructions are words of 32 bits --- */

struct tp_asm_words {
	const uint32_t *enter; /* saves registers and gives them their contents */
	size_t n_enter;
	/* Counts the pass, and skips the jump that follows when it was the last. */
	const uint32_t *end;
	size_t n_end;
	uint32_t (*jump)(int64_t bytes); /* relative to itself */
	const uint32_t *leave;
	size_t n_leave;
	size_t most_bytes; /* that a jump reaches */
};
/* Members of struct tp_assembly where registers have no parts, code is not read, and there is one
 * syntax. */
enum tp_status tp_asm_emit_words(const struct tp_assembly *assembly, const struct tp_cpu *cpu,
				 const unsigned char *body, size_t bytes, size_t copies,
				 struct tp_code *code, struct tp_diag *diag);
void tp_asm_alike_itself(const struct tp_register_name *name, struct tp_register_set *out);
enum tp_status tp_asm_look_not(const unsigned char *code, size_t bytes, struct tp_asm_effect *out);
extern const char *const tp_asm_no_directives[TP_ASM_SYNTAXES];

/* Registers whose names are a prefix and a number, from `first` on; a form is an index of kinds. */
struct tp_asm_kind {
	const char *prefix; /* "v" */
	unsigned first, n;
};
bool tp_asm_find_numbered(const struct tp_asm_kind *kinds, size_t n, const char *name, size_t len,
			  struct tp_register_name *out);
bool tp_asm_name_numbered(const struct tp_asm_kind *kinds, size_t n,
			  const struct tp_register_name *name, char out[TP_ASM_NAME_BYTES]);

#endif
