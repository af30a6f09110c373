/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A riscv64 core for tests: runs emitted code on any host, one instruction at a time, and counts
 * its work. It learns the meaning of words from the disassembler of GNU binutils, not from the
 * tables of the program.
 */
#ifndef TPROF_TESTS_RISCV64_MACHINE_H
#define TPROF_TESTS_RISCV64_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/code.h"

enum { MACHINE_DATA_AT = 0x10000000, MACHINE_WHY_BYTES = 512 };

struct machine_meaning {
	uint32_t word;
	char text[56]; /* "addi a5,a5,-1"; targets of branches as distances */
};

/* First all words are learnt, then the disassembler is asked once. */
struct machine_dictionary {
	struct machine_meaning *meanings;
	size_t n, capacity;
	bool known;
};

void machine_learn(struct machine_dictionary *dictionary, const struct tp_code *code);
/* False without an assembler or disassembler for riscv64. */
bool machine_ask(struct machine_dictionary *dictionary);
const struct machine_meaning *machine_find(const struct machine_dictionary *dictionary,
					   uint32_t word);
void machine_forget(struct machine_dictionary *dictionary);

struct machine_counts {
	uint64_t instructions;
	uint64_t loads, stores, loaded_bytes, stored_bytes; /* of FP and vector registers */
	uint64_t integer_loads, integer_stores;
	uint64_t fp, flops; /* instructions, operations on elements */
	uint64_t integer; /* add, mul, and, shifts */
	uint64_t conditionals, taken, jumps; /* jumps: jal without the return */
};

struct machine {
	const struct machine_dictionary *dictionary;
	unsigned vector_bytes;
	bool old; /* vectors of version 0.7 */
	unsigned char *data; /* at MACHINE_DATA_AT; integer loads and stores read and write it */
	size_t data_bytes;
	/* FP and vector accesses to each byte inside the passes; may be NULL. */
	uint8_t *touched;
	uint64_t max_instructions;
};

/*
 * Runs the code and counts everything between the first target of a jump back and the last such
 * jump. False with a reason: an access outside the data, a changed register that belongs to the
 * caller, an unknown instruction.
 */
bool machine_run(const struct machine *machine, const struct tp_code *code, uint64_t passes,
		 struct machine_counts *counts, char *why);

#endif
