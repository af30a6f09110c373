/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Instructions that a user gives: how an architecture describes their registers, and the loop that
 * they run in.
 *
 * The code of a body is repeated in a loop that begins with known contents of all registers: those
 * of the block. The body may use every register except those in `reserved`. The stack pointer must
 * be the same at the end of a body. Code must not depend on its address, and not jump out of the
 * body.
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

struct tp_back_end;
struct tp_emitter;

/* Registers of all kinds have one number each, at any width. */
enum { TP_ASM_REGISTERS = 128, TP_ASM_FORMS = 9, TP_ASM_NAME_BYTES = 16, TP_ASM_OPERANDS = 8 };

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

/* A name of a register: `form` is the index of the name, such as its width. */
struct tp_register_name {
	unsigned reg, form;
};

/* An operand that the text shows. */
struct tp_asm_operand {
	bool is_register, read, written;
	unsigned reg;
};

/* Why an instruction cannot run again and again in a loop. */
enum tp_asm_bar {
	TP_ASM_NO_BAR,
	TP_ASM_PRIVILEGED, /* only the kernel may use it */
	TP_ASM_RETURNS,
	TP_ASM_CALLS,
	TP_ASM_JUMPS_AWAY, /* to an address that it computes or loads */
	TP_ASM_OWN_ADDRESS, /* its memory operand is separate from the instruction */
	TP_ASM_MOVES_STACK, /* by an amount that is not known */
};

/* What an instruction does to registers. Memory is not followed. */
struct tp_asm_effect {
	size_t bytes; /* of the instruction */
	struct tp_register_set reads, writes; /* all of them, including implicit ones */
	struct tp_register_set hidden; /* those among them that no text shows */
	/* In the order of the architecture's manual: destinations first. */
	struct tp_asm_operand operands[TP_ASM_OPERANDS];
	unsigned n_operands;
	/*
	 * The address that its text shows: base + index * scale + displacement; -1 = no register.
	 */
	int base, index;
	unsigned scale;
	int64_t displacement;
	/* General registers that address the memory it accesses, shown or not. */
	struct tp_register_set bases, indexes;
	bool scatters; /* vectors are indexes */
	bool loads, stores; /* it accesses memory */
	bool follows; /* what it loads is an address if an address was stored */
	unsigned
		divisor_bytes; /* of a whole number in memory that it divides by; 0 = it does not */
	unsigned aligned; /* bytes that its address must be a multiple of; 0 = any address */
	bool jumps;
	int64_t jump_bytes; /* of a relative jump: from the end of the instruction */
	int64_t stack_bytes; /* that it adds to the stack pointer */
	enum tp_asm_bar bar;
	enum tp_fp_op op; /* arithmetic: an addition (also min and max), mul, fma or div (sqrt) */
	unsigned element_bytes, vector_bytes; /* of that; vector 0 = one element, or none */
};

enum { TP_ASM_GENERAL = 32 };

/* The block that the loop's `data` points to; a separate line for each thread. */
struct tp_asm_block {
	_Alignas(64) uint64_t buffer; /* its address, */
	uint64_t middle; /* and that of its middle */
	uint64_t pattern; /* of vector registers, repeated */
	uint64_t stack; /* the stack pointer, a multiple of 64; memory on both sides */
	uint64_t general[TP_ASM_GENERAL]; /* contents of general registers, by their number */
};

/* Where a process was when a signal came. */
struct tp_asm_place {
	uint64_t pc;
	uint64_t general[TP_ASM_GENERAL];
};

/* Registers whose names are a prefix and a number, from `first` on; a form is an index of kinds. */
struct tp_asm_kind {
	const char *prefix; /* "v" */
	unsigned first, n;
};

struct tp_assembly {
	unsigned elf_machine; /* the number of the architecture in ELF */
	const char *directives[TP_ASM_SYNTAXES]; /* what an assembler needs before the text */
	const char *syntax_words; /* of the syntaxes that there are, "att intel" */
	const char *reserved; /* for messages: "r14 and r15" */
	int stack; /* the register that points there; -1 = not looked for */
	/*
	 * Indexes of tp_asm_block.general: where the beginning and the middle of the buffer are,
	 * and a 0 for divisions, unless the body needs another value there; -1 = none.
	 */
	int buffer, middle, zero;
	/* The index there of a register, -1 = none; NULL where it is the number. */
	int (*general)(unsigned reg);
	char mark; /* before each register in the first syntax: '%'; 0 = none */

	const struct tp_asm_kind *kinds; /* of registers, where name is NULL */
	size_t n_kinds;
	/* The name of a register in a form; false if it has none there. */
	bool (*name)(const struct tp_register_name *name, char out[TP_ASM_NAME_BYTES]);
	/*
	 * Registers that may replace one, itself included: of its kind, not reserved. Without
	 * `look`, NULL.
	 */
	void (*alike)(const struct tp_register_name *name, struct tp_register_set *out);
	bool (*is_reserved)(unsigned reg);
	/* Reads the context of a signal (ucontext_t); NULL where instructions are not read. */
	void (*place)(const void *context, struct tp_asm_place *out);
	bool (*is_vector)(unsigned reg);
	/*
	 * Reads the instruction at the beginning of `code`. TP_UNSUPPORTED: an unknown instruction.
	 * NULL: all are unknown.
	 */
	enum tp_status (*look)(const unsigned char *code, size_t bytes, struct tp_asm_effect *out);
	/*
	 * Encodes a plain instruction without an assembler: registers and numbers, and memory with
	 * a base. TP_UNSUPPORTED: it cannot; an assembler may. NULL = it cannot encode any.
	 */
	enum tp_status (*encode)(const char *text, enum tp_asm_syntax syntax, unsigned char out[16],
				 size_t *bytes);
	/* --- the loop --- */
	const struct tp_back_end *back_end;
	size_t most_bytes; /* of all bodies, which a jump reaches over; 0: any */
	/* Saves registers and gives them their contents; its data are a tp_asm_block. */
	void (*enter)(struct tp_emitter *e);
	void (*go_on)(struct tp_emitter *e, size_t top); /* counts a pass; to the top or on */
	void (*leave)(struct tp_emitter *e);
};

/* False if no register has that name (lower case). */
bool tp_asm_find(const struct tp_assembly *assembly, const char *name, size_t len,
		 struct tp_register_name *out);
/* The name of a register in a form; false if it has none there. */
bool tp_asm_name(const struct tp_assembly *assembly, const struct tp_register_name *name,
		 char out[TP_ASM_NAME_BYTES]);
/* Initialises general registers from the block, except those that the body needs otherwise. */
void tp_asm_fill(const struct tp_assembly *assembly, struct tp_asm_block *block);
/*
 * Emits a tp_kernel_function that runs `copies` bodies in each pass, and seals it. Its data are a
 * tp_asm_block.
 */
enum tp_status tp_asm_emit(const struct tp_assembly *assembly, const struct tp_cpu *cpu,
			   const unsigned char *body, size_t bytes, size_t copies,
			   struct tp_code *code, struct tp_diag *diag);

#endif
