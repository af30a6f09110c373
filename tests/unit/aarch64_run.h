/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs aarch64 code on any machine from its assembly text, as far as kernels need it. Integers,
 * addresses and branches are computed. Of vectors only the bytes that they move and their FLOPs
 * are counted. The text comes from an independent disassembler (objdump) or from our own: both
 * print lines of address, word, mnemonic, operands.
 */
#ifndef TPROF_TESTS_AARCH64_RUN_H
#define TPROF_TESTS_AARCH64_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct a64_operand {
	/* x (also w), d, s, q, v, z, p: a register; # an immediate or a branch target */
	char kind;
	int64_t value; /* number; 31 = sp, 32 = zero register */
	char arrangement[4]; /* "2d", "d", "m" */
};

struct a64_line {
	int action; /* private; -1: not known */
	char text[64]; /* mnemonic and operands, without comments, with single blanks */
	struct a64_operand operand[6];
	unsigned n;
	bool vector_lengths; /* offset in those */
	unsigned shift; /* lsl of an immediate */
};

struct a64_program {
	struct a64_line *line; /* one every four bytes */
	size_t n;
};

/* What was executed. Registers saved on the stack do not count as loads and stores. */
struct a64_counts {
	uint64_t executed, loads, stores, loaded_bytes, stored_bytes, fp, flops;
	uint64_t conditionals, taken, jumps;
	uint64_t nontemporal; /* of the stores */
};

enum { A64_STACK_BYTES = 256 };
#define A64_DATA UINT64_C(0x100000000) /* where the program finds its data */

struct a64_machine {
	const struct a64_program *program;
	unsigned vector_bytes; /* of SVE; 0 = none */
	bool streams; /* vectors have that length only in streaming mode */
	uint8_t *data;
	size_t data_bytes;
	/* how often each byte of the data was loaded, stored; may be NULL */
	uint32_t *loaded, *stored;
	struct a64_counts counts;
	uint64_t limit; /* of instructions */
	char error[160]; /* empty: ran to its end */
};

/* Takes the lines of code from a listing and skips all others. False if memory runs out. */
bool a64_read(struct a64_program *program, const char *listing);
void a64_release(struct a64_program *program);

/*
 * Calls the function at offset `at` with the data and `passes`; adds to counts. False with `error`.
 */
bool a64_call(struct a64_machine *machine, size_t at, uint64_t passes);

/* Listing of objdump for `code`. False without objdump for aarch64. */
bool a64_objdump(const void *code, size_t bytes, struct tp_str *listing);

#endif
