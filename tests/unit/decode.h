/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Emitted x86-64 code as Capstone reads it, and an abstract execution of it. General registers hold
 * numbers or "data pointer plus offset", jumps are taken, and vector registers have no values. It
 * covers only the instructions of kernels; everything else is DECODED_OTHER.
 */
#ifndef TPROF_TESTS_DECODE_H
#define TPROF_TESTS_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <capstone/capstone.h>

#include "kernels/code.h"

enum decoded_class {
	DECODED_OTHER,
	DECODED_LOAD,
	DECODED_STORE,
	DECODED_NT_STORE,
	DECODED_ADD,
	DECODED_MUL,
	DECODED_DIV,
	DECODED_FMA, /* dst += first * second */
	DECODED_ZERO, /* exclusive or of a vector register with itself */
	DECODED_MOVE, /* general register <- general register or number, lea */
	DECODED_COUNT, /* general register += general register or number, dec */
	DECODED_JUMP, /* jne */
	DECODED_NOP,
	DECODED_SFENCE,
	DECODED_VZEROUPPER,
	DECODED_RET,
};

enum decoded_encoding { ENCODED_LEGACY, ENCODED_VEX, ENCODED_EVEX };

struct decoded {
	size_t at; /* bytes from the start of the code */
	size_t target; /* jump: index of the instruction it goes to */
	enum decoded_class class;
	enum decoded_encoding encoding;
	unsigned element_bytes; /* 8 or 4; of movnti and mov: the register */
	unsigned register_bytes; /* of the vector registers, or of the general register moved */
	unsigned memory_bytes; /* 0: no memory operand */
	bool scalar, general; /* general: the register moved is a general one */
	int base; /* general register of the address */
	int64_t displacement;
	int dst, first, second; /* registers; -1 = none. A store's register is `first` */
	int64_t number; /* immediate, when `second` is -1 */
	char text[200];
};

struct program {
	struct decoded *items;
	size_t n, cap;
	/* index of the lowest jump target: code before it runs once per call */
	size_t first_target;
	size_t last_jump; /* index of the last jump: code after it runs once per call */
};

/*
 * False with the reason in `why` (of 256 bytes) if Capstone cannot read everything, or if a jump
 * goes between instructions.
 */
bool program_init(struct program *program, csh capstone, const struct tp_code *code, char *why);
void program_release(struct program *program);

/* Handle for x86-64 with operand details, Intel syntax; 0 if Capstone was built without. */
csh decode_open(void);

struct walk_value {
	enum { WALK_UNKNOWN, WALK_NUMBER, WALK_DATA, WALK_LOADED } kind;
	/* the number, bytes from the data pointer, or which load it came from (from 1) */
	int64_t n;
};

struct walk {
	const struct program *program;
	size_t next;
	struct walk_value general[16];
	struct walk_value flags; /* result that the flags tell of */
	bool initialised[32]; /* vector registers */
	uint64_t steps;
	int64_t loads; /* of general registers */
	bool follows; /* the last access took its address from a load, the `offset`-th one */
	int64_t offset; /* of the memory access of the instruction just executed */
	char error[320]; /* empty: none */
};

/* A call with data = the symbolic pointer and that many passes. */
void walk_init(struct walk *walk, const struct program *program, uint64_t passes);
/* Executes one instruction and returns it; NULL after ret, or on an error. */
const struct decoded *walk_next(struct walk *walk);

bool decoded_is_fp(const struct decoded *d);
bool decoded_is_access(const struct decoded *d);

#endif
