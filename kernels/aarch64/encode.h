/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An assembler for the instructions that kernels are made of, and nothing else. One table says of each its fixed bits and, in a small
 * notation, where its operands stand; encoding and printing both follow it. It compiles everywhere: only running the code needs the CPU.
 *
 * Operands, in the order of assembly text:
 *   %x5 %w5 %n5       integer register in the five bits from bit 5 on; 31 is xzr, wzr, sp
 *   %d0 %s0 %q0       scalar of 64, 32 bits, whole vector register
 *   %v0 %z0 %p10      vector register, SVE vector register, predicate (three bits)
 *   %Z0               prints the SVE register in those bits once more
 *   %u10:12:8         unsigned immediate of 12 bits from bit 10 on, in units of 8, printed in hexadecimal
 *   %t19:5            unsigned immediate, printed in decimal
 *   %o10:12:8 %O15:7:8  unsigned, signed offset of an address; nothing is printed for 0
 *   %m %M16:4         signed offset in vector lengths: the nine bits of ldr and str, or four bits
 *   %k10              mask of ones below the bit whose number stands there
 *   %b5:19            distance of a branch, in instructions, from itself; given and printed in bytes (printed from the start of the code)
 * Formats from the Arm Architecture Reference Manual (A64 base, SIMD&FP, SVE).
 */
#ifndef TPROF_KERNELS_AARCH64_ENCODE_H
#define TPROF_KERNELS_AARCH64_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* id, mnemonic, fixed bits, operands */
#define TP_AARCH64_LIST(X)                                                                         \
	X(LDR_X, "ldr", 0xf9400000, "%x0, [%n5%o10:12:8]")                                         \
	X(LDR_D, "ldr", 0xfd400000, "%d0, [%n5%o10:12:8]")                                         \
	X(LDR_S, "ldr", 0xbd400000, "%s0, [%n5%o10:12:4]")                                         \
	X(LDR_Q, "ldr", 0x3dc00000, "%q0, [%n5%o10:12:16]")                                        \
	X(STR_X, "str", 0xf9000000, "%x0, [%n5%o10:12:8]")                                         \
	X(STR_D, "str", 0xfd000000, "%d0, [%n5%o10:12:8]")                                         \
	X(STR_S, "str", 0xbd000000, "%s0, [%n5%o10:12:4]")                                         \
	X(STR_Q, "str", 0x3d800000, "%q0, [%n5%o10:12:16]")                                        \
	X(LDR_D_INDEXED, "ldr", 0xfc606800, "%d0, [%n5, %x16]")                                    \
	X(STR_X_INDEXED, "str", 0xf8206800, "%x0, [%n5, %x16]")                                    \
	X(LDRB_INDEXED, "ldrb", 0x38606800, "%w0, [%n5, %x16]")                                    \
	X(STNP_S, "stnp", 0x2c000000, "%s0, %s10, [%n5%O15:7:4]")                                  \
	X(STNP_D, "stnp", 0x6c000000, "%d0, %d10, [%n5%O15:7:8]")                                  \
	X(STP_D, "stp", 0x6d000000, "%d0, %d10, [%n5%O15:7:8]")                                    \
	X(LDP_D, "ldp", 0x6d400000, "%d0, %d10, [%n5%O15:7:8]")                                    \
	X(STP_X, "stp", 0xa9000000, "%x0, %x10, [%n5%O15:7:8]")                                    \
	X(LDP_X, "ldp", 0xa9400000, "%x0, %x10, [%n5%O15:7:8]")                                    \
	X(ADD_IMM, "add", 0x91000000, "%n0, %n5, #%u10:12:1")                                      \
	X(ADD_IMM_HIGH, "add", 0x91400000, "%n0, %n5, #%u10:12:1, lsl #12")                        \
	X(SUB_IMM, "sub", 0xd1000000, "%n0, %n5, #%u10:12:1")                                      \
	X(SUB_IMM_HIGH, "sub", 0xd1400000, "%n0, %n5, #%u10:12:1, lsl #12")                        \
	X(SUBS_IMM, "subs", 0xf1000000, "%x0, %n5, #%u10:12:1")                                    \
	X(ADD, "add", 0x8b000000, "%x0, %x5, %x16")                                                \
	X(AND, "and", 0x8a000000, "%x0, %x5, %x16")                                                \
	X(AND_MASK, "and", 0x92400000, "%x0, %x5, #%k10")                                          \
	X(MUL, "mul", 0x9b007c00, "%x0, %x5, %x16")                                                \
	X(LSL_1, "lsl", 0xd37ff800, "%x0, %x5, #1")                                                \
	X(LSL, "lsl", 0x9ac02000, "%x0, %x5, %x16")                                                \
	X(MOV, "mov", 0xaa0003e0, "%x0, %x16")                                                     \
	X(MOVZ, "mov", 0xd2800000, "%x0, #%u5:16:1")                                               \
	X(MOVK_16, "movk", 0xf2a00000, "%x0, #%u5:16:1, lsl #16")                                  \
	X(MOVK_32, "movk", 0xf2c00000, "%x0, #%u5:16:1, lsl #32")                                  \
	X(MOVK_48, "movk", 0xf2e00000, "%x0, #%u5:16:1, lsl #48")                                  \
	X(B, "b", 0x14000000, "%b0:26")                                                            \
	X(B_EQ, "b.eq", 0x54000000, "%b5:19")                                                      \
	X(B_NE, "b.ne", 0x54000001, "%b5:19")                                                      \
	X(CBZ, "cbz", 0xb4000000, "%x0, %b5:19")                                                   \
	X(CBNZ, "cbnz", 0xb5000000, "%x0, %b5:19")                                                 \
	X(TBNZ, "tbnz", 0x37000000, "%w0, #%t19:5, %b5:14")                                        \
	X(DSB, "dsb", 0xd503379f, "nsh")                                                           \
	X(ISB, "isb", 0xd5033fdf, "")                                                              \
	X(NOP, "nop", 0xd503201f, "")                                                              \
	X(RET, "ret", 0xd65f03c0, "")                                                              \
	X(FADD_D, "fadd", 0x1e602800, "%d0, %d5, %d16")                                            \
	X(FADD_S, "fadd", 0x1e202800, "%s0, %s5, %s16")                                            \
	X(FMUL_D, "fmul", 0x1e600800, "%d0, %d5, %d16")                                            \
	X(FMUL_S, "fmul", 0x1e200800, "%s0, %s5, %s16")                                            \
	X(FDIV_D, "fdiv", 0x1e601800, "%d0, %d5, %d16")                                            \
	X(FDIV_S, "fdiv", 0x1e201800, "%s0, %s5, %s16")                                            \
	X(FMADD_D, "fmadd", 0x1f400000, "%d0, %d5, %d16, %d10")                                    \
	X(FMADD_S, "fmadd", 0x1f000000, "%s0, %s5, %s16, %s10")                                    \
	X(MOVI_ZERO, "movi", 0x6f00e400, "%v0.2d, #0x0")                                           \
	X(FADD_2D, "fadd", 0x4e60d400, "%v0.2d, %v5.2d, %v16.2d")                                  \
	X(FADD_4S, "fadd", 0x4e20d400, "%v0.4s, %v5.4s, %v16.4s")                                  \
	X(FMUL_2D, "fmul", 0x6e60dc00, "%v0.2d, %v5.2d, %v16.2d")                                  \
	X(FMUL_4S, "fmul", 0x6e20dc00, "%v0.4s, %v5.4s, %v16.4s")                                  \
	X(FDIV_2D, "fdiv", 0x6e60fc00, "%v0.2d, %v5.2d, %v16.2d")                                  \
	X(FDIV_4S, "fdiv", 0x6e20fc00, "%v0.4s, %v5.4s, %v16.4s")                                  \
	X(FMLA_2D, "fmla", 0x4e60cc00, "%v0.2d, %v5.2d, %v16.2d")                                  \
	X(FMLA_4S, "fmla", 0x4e20cc00, "%v0.4s, %v5.4s, %v16.4s")                                  \
	X(FMLS_2D, "fmls", 0x4ee0cc00, "%v0.2d, %v5.2d, %v16.2d")                                  \
	X(FMLS_4S, "fmls", 0x4ea0cc00, "%v0.4s, %v5.4s, %v16.4s")                                  \
	X(PTRUE, "ptrue", 0x2518e3e0, "%p0.b")                                                     \
	X(LDR_Z, "ldr", 0x85804000, "%z0, [%n5%m]")                                                \
	X(STR_Z, "str", 0xe5804000, "%z0, [%n5%m]")                                                \
	X(WHILELO, "whilelo", 0x25201c00, "%p0.b, %x5, %x16")                                      \
	X(LD1B, "ld1b", 0xa400a000, "{%z0.b}, %p10/z, [%n5%M16:4]")                                \
	X(ST1B, "st1b", 0xe400e000, "{%z0.b}, %p10, [%n5%M16:4]")                                  \
	X(STNT1B, "stnt1b", 0xe410e000, "{%z0.b}, %p10, [%n5%M16:4]")                              \
	X(STNT1D, "stnt1d", 0xe590e000, "{%z0.d}, %p10, [%n5%M16:4]")                              \
	X(STNT1W, "stnt1w", 0xe510e000, "{%z0.s}, %p10, [%n5%M16:4]")                              \
	X(FADD_ZD, "fadd", 0x65c00000, "%z0.d, %z5.d, %z16.d")                                     \
	X(FADD_ZS, "fadd", 0x65800000, "%z0.s, %z5.s, %z16.s")                                     \
	X(FMUL_ZD, "fmul", 0x65c00800, "%z0.d, %z5.d, %z16.d")                                     \
	X(FMUL_ZS, "fmul", 0x65800800, "%z0.s, %z5.s, %z16.s")                                     \
	X(FDIV_ZD, "fdiv", 0x65cd8000, "%z0.d, %p10/m, %Z0.d, %z5.d")                              \
	X(FDIV_ZS, "fdiv", 0x658d8000, "%z0.s, %p10/m, %Z0.s, %z5.s")                              \
	X(FMLA_ZD, "fmla", 0x65e00000, "%z0.d, %p10/m, %z5.d, %z16.d")                             \
	X(FMLA_ZS, "fmla", 0x65a00000, "%z0.s, %p10/m, %z5.s, %z16.s")                             \
	X(FMAD_ZD, "fmad", 0x65e08000, "%z0.d, %p10/m, %z5.d, %z16.d")                             \
	X(FMAD_ZS, "fmad", 0x65a08000, "%z0.s, %p10/m, %z5.s, %z16.s")

enum tp_aarch64_op {
#define TP_AARCH64_ENUM(id, mnemonic, bits, operands) TP_AARCH64_##id,
	TP_AARCH64_LIST(TP_AARCH64_ENUM)
#undef TP_AARCH64_ENUM
		TP_AARCH64_OPS
};

struct tp_aarch64_instruction {
	const char *mnemonic;
	uint32_t bits;
	const char *operands;
};

extern const struct tp_aarch64_instruction tp_aarch64_table[TP_AARCH64_OPS];

/* One operand of the notation. */
struct tp_aarch64_field {
	char kind; /* the letter */
	unsigned at, width, scale; /* bits; %m has its nine bits in two places */
};

enum { TP_AARCH64_SP = 31, TP_AARCH64_ZERO = 31, TP_AARCH64_INSTRUCTION_BYTES = 4 };

/* Reads the field behind a % and returns what follows it. */
const char *tp_aarch64_field(const char *text, struct tp_aarch64_field *field);
/* Bits of a word that belong to the field; its value, with the sign and in its units. */
uint32_t tp_aarch64_field_mask(const struct tp_aarch64_field *field);
int64_t tp_aarch64_field_value(const struct tp_aarch64_field *field, uint32_t word);
/* The row that a word is an instance of; NULL if it is none of ours. */
const struct tp_aarch64_instruction *tp_aarch64_find(uint32_t word);

struct tp_aarch64_asm {
	uint32_t *start, *at, *end;
	bool failed; /* buffer full or an operand that does not fit; checked once at the end */
};

void tp_aarch64_asm_init(struct tp_aarch64_asm *as, void *memory, size_t bytes);
size_t tp_aarch64_here(const struct tp_aarch64_asm *as); /* bytes from the start */
void tp_aarch64_align(struct tp_aarch64_asm *as, size_t bytes); /* with nops */

/* One instruction; operands in the order of the table, 0 for those it does not have. */
void tp_aarch64_put(struct tp_aarch64_asm *as, enum tp_aarch64_op op, int64_t a, int64_t b,
		    int64_t c, int64_t d);
/* Whether `value` fits the operand `index` of an instruction. */
bool tp_aarch64_fits(enum tp_aarch64_op op, unsigned index, int64_t value);

/* reg = value, in one to four instructions; returns how many. */
unsigned tp_aarch64_constant(struct tp_aarch64_asm *as, unsigned reg, uint64_t value);
/* dst = src + bytes, by way of `spare` when it is far; returns how many instructions. Nothing for dst = src + 0 in place. */
unsigned tp_aarch64_advance(struct tp_aarch64_asm *as, unsigned dst, unsigned src, int64_t bytes,
			    unsigned spare);

/* A branch back to an earlier tp_aarch64_here; a is its register, b its bit, as far as it has them. */
void tp_aarch64_branch_back(struct tp_aarch64_asm *as, enum tp_aarch64_op op, int64_t a, int64_t b,
			    size_t target);
/* A branch to a place that is not yet there: what it returns goes to tp_aarch64_land at that place. */
size_t tp_aarch64_branch_forward(struct tp_aarch64_asm *as, enum tp_aarch64_op op, int64_t a,
				 int64_t b);
void tp_aarch64_land(struct tp_aarch64_asm *as, size_t branch);

#endif
