/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part that all assemblers share: a buffer that is filled. */
#ifndef TPROF_KERNELS_EMIT_ASSEMBLER_H
#define TPROF_KERNELS_EMIT_ASSEMBLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"
#include "base/str.h"

struct tp_assembler {
	uint8_t *start, *at, *end;
	uint64_t instructions; /* appended so far */
	/* the buffer is full or an operand does not fit; the emitter reads it once at the end */
	bool failed;
};

static inline void tp_asm_init(struct tp_assembler *as, void *memory, size_t bytes)
{
	*as = (struct tp_assembler){ .start = memory, .at = memory };
	as->end = as->start + bytes;
}

/* Bytes from the start. */
static inline size_t tp_asm_here(const struct tp_assembler *as)
{
	return (size_t)(as->at - as->start);
}

/* Appends one instruction of 32 bits. */
static inline void tp_asm_word(struct tp_assembler *as, uint32_t word)
{
	if ((size_t)(as->end - as->at) < sizeof(word))
		as->failed = true;
	if (as->failed)
		return;
	memcpy(as->at, &word, sizeof(word));
	as->at += sizeof(word);
	as->instructions++;
}

/*
 * An assembler for architectures whose instructions are words of 32 bits. A row of a table gives
 * the fixed bits of an instruction, its text, and the fields of its operands. Encoding, printing
 * and recognising all follow the table. It compiles on every architecture.
 *
 * In the text % stands for the next operand, and & for the first one again. A field gives the bits
 * of an operand; its letter is its printed form. The letter b is a branch: the operand is the
 * distance to its target in bytes, and the target is printed.
 */

enum { TP_WORD_BYTES = 4, TP_WORD_OPERANDS = 4, TP_WORD_PARTS = 4 };

struct tp_word_field {
	char kind; /* the letter; 0: no operand */
	bool special; /* signed, in units, or in parts */
	bool is_signed;
	uint8_t scale_log2; /* the operand is the field times 2 to this power */
	struct {
		uint8_t at, width;
	} part[TP_WORD_PARTS]; /* lowest bits first; a width of 0 ends them */
};

struct tp_word_row {
	const char *mnemonic;
	uint32_t bits;
	const char *text;
	struct tp_word_field field[TP_WORD_OPERANDS];
};

struct tp_word_table {
	const struct tp_word_row *rows;
	unsigned n;
	/*
	 * Prints the mnemonic. `mode` belongs to the printer: it is 0 at first, and can carry state
	 * from one instruction to the next.
	 */
	void (*print_name)(struct tp_str *out, const struct tp_word_row *row, uint32_t word,
			   unsigned *mode);
	void (*print_operand)(struct tp_str *out, char kind, int64_t value, unsigned mode);
};

/* Bits of all parts. */
unsigned tp_word_width(const struct tp_word_field *field);
/* Prints machine code, one instruction a line. TP_INTERNAL if an instruction is not in the table.
 */
enum tp_status tp_word_disassemble(const struct tp_word_table *table, const void *code,
				   size_t bytes, struct tp_str *out);

/* Appends one instruction. Operands are in the order of its text, 0 for missing ones. */
void tp_word_put(struct tp_assembler *as, const struct tp_word_table *table, unsigned op, int64_t a,
		 int64_t b, int64_t c, int64_t d);
/* Whether `value` fits the operand `index` of an instruction. */
bool tp_word_fits(const struct tp_word_table *table, unsigned op, unsigned index, int64_t value);
/* Appends `bytes` of an instruction whose operands are 0. */
void tp_word_fill(struct tp_assembler *as, const struct tp_word_table *table, unsigned op,
		  size_t bytes);

/* A branch back to an earlier tp_asm_here(); a and b are its other operands. */
void tp_word_back(struct tp_assembler *as, const struct tp_word_table *table, unsigned op,
		  int64_t a, int64_t b, size_t target);
/* Whether a branch reaches back that far. */
bool tp_word_reaches(const struct tp_assembler *as, const struct tp_word_table *table, unsigned op,
		     size_t target);
/* A branch to a place ahead: the result goes to tp_word_land at that place. */
size_t tp_word_forward(struct tp_assembler *as, const struct tp_word_table *table, unsigned op,
		       int64_t a, int64_t b);
void tp_word_land(struct tp_assembler *as, const struct tp_word_table *table, size_t branch);

/* Rows and operands, for the files that define a table. */

/* A register, an unsigned number, one in units, a signed one, a signed one in several parts. */
#define REG(kind, at)		      BITS(kind, at, 5)
#define BITS(kind, at, width)	      FIELD(kind, 0, 0, 1, { at, width })
#define UNITS(kind, at, width, unit)  FIELD(kind, 1, 0, unit, { at, width })
#define SIGNED(kind, at, width, unit) FIELD(kind, 1, 1, unit, { at, width })
#define PARTS(kind, unit, ...)	      FIELD(kind, 1, 1, unit, __VA_ARGS__)
#define FIELD(kind, special, is_signed, unit, ...)                                                 \
	{                                                                                          \
		kind, special, is_signed, __builtin_ctz(unit),                                     \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}

/* id, mnemonic, fixed bits, text, operands */
#define ROW(id, ...)			  ROW_OF(__VA_ARGS__)
#define ROW_OF(mnemonic, bits, text, ...) { mnemonic, bits, text, { __VA_ARGS__ } },

#endif
