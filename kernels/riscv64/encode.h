/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An assembler for the few instructions that kernels need. Every instruction is one word of 32 bits (no compressed forms): a row of the table
 * says which bits are fixed and how its operands are laid out; encoding and printing both follow that row. Plain C: it works on any host.
 *
 * Encodings: The RISC-V Instruction Set Manual, Volume I (RV64G), and the vector extension, version 1.0. Version 0.7.1, of which XTheadVector is the
 * remainder, has the same arithmetic; its vector type has other fields, and its loads and stores take the width from there: vle.v and vse.v
 * are encoded as vle64.v and vse64.v are in version 1.0.
 */
#ifndef TPROF_KERNELS_RISCV64_ENCODE_H
#define TPROF_KERNELS_RISCV64_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Integer registers by what the calling convention calls them. */
enum {
	X_ZERO = 0,
	X_RA = 1,
	X_SP = 2,
	X_T0 = 5,
	X_T1 = 6,
	X_T2 = 7,
	X_A0 = 10,
	X_A1,
	X_A2,
	X_A3,
	X_A4,
	X_A5,
	X_A6,
	X_A7,
	X_S2 = 18,
	X_S8 = 24,
	X_T3 = 28,
	X_T4,
	X_T5,
	X_T6
};

/* How operands lie in the word and are written. x: integer, f: FP, v: vector register. */
enum tp_riscv_format {
	TP_RISCV_R, /* x, x, x */
	TP_RISCV_I, /* x, x, 12-bit signed */
	TP_RISCV_SHIFT, /* x, x, 6 bits */
	TP_RISCV_LOAD, /* x, offset(x) */
	TP_RISCV_STORE,
	TP_RISCV_FLOAD, /* f, offset(x) */
	TP_RISCV_FSTORE,
	TP_RISCV_FR, /* f, f, f */
	TP_RISCV_FR4, /* f, f, f, f */
	TP_RISCV_FX, /* f, x */
	TP_RISCV_B, /* x, x, target */
	TP_RISCV_U, /* x, 20 bits */
	TP_RISCV_J, /* x, target */
	TP_RISCV_VSET, /* x, x, vector type */
	TP_RISCV_VMEMORY, /* v, (x) */
	TP_RISCV_VV, /* v, v (vs2), v (vs1) */
	TP_RISCV_VVV, /* v, v (vs1), v (vs2): multiply-add */
	TP_RISCV_VI, /* v, 5-bit signed */
	TP_RISCV_FIXED /* no operands */
};

/* id, mnemonic, format, fixed bits. Rounding is the mode of fcsr; vector instructions are unmasked. */
#define TP_RISCV_LIST(X)                                                                           \
	X(ADD, "add", R, 0x00000033)                                                               \
	X(MUL, "mul", R, 0x02000033)                                                               \
	X(AND, "and", R, 0x00007033)                                                               \
	X(ADDI, "addi", I, 0x00000013)                                                             \
	X(ADDIW, "addiw", I, 0x0000001b)                                                           \
	X(ANDI, "andi", I, 0x00007013)                                                             \
	X(JALR, "jalr", LOAD, 0x00000067)                                                          \
	X(SLLI, "slli", SHIFT, 0x00001013)                                                         \
	X(SRLI, "srli", SHIFT, 0x00005013)                                                         \
	X(LBU, "lbu", LOAD, 0x00004003)                                                            \
	X(LD, "ld", LOAD, 0x00003003)                                                              \
	X(SD, "sd", STORE, 0x00003023)                                                             \
	X(LUI, "lui", U, 0x00000037)                                                               \
	X(AUIPC, "auipc", U, 0x00000017)                                                           \
	X(BEQ, "beq", B, 0x00000063)                                                               \
	X(BNE, "bne", B, 0x00001063)                                                               \
	X(JAL, "jal", J, 0x0000006f)                                                               \
	X(FENCE_I, "fence.i", FIXED, 0x0000100f)                                                   \
	X(FLW, "flw", FLOAD, 0x00002007)                                                           \
	X(FLD, "fld", FLOAD, 0x00003007)                                                           \
	X(FSW, "fsw", FSTORE, 0x00002027)                                                          \
	X(FSD, "fsd", FSTORE, 0x00003027)                                                          \
	X(FADD_S, "fadd.s", FR, 0x00007053)                                                        \
	X(FADD_D, "fadd.d", FR, 0x02007053)                                                        \
	X(FMUL_S, "fmul.s", FR, 0x10007053)                                                        \
	X(FMUL_D, "fmul.d", FR, 0x12007053)                                                        \
	X(FDIV_S, "fdiv.s", FR, 0x18007053)                                                        \
	X(FDIV_D, "fdiv.d", FR, 0x1a007053)                                                        \
	X(FMADD_S, "fmadd.s", FR4, 0x00007043)                                                     \
	X(FMADD_D, "fmadd.d", FR4, 0x02007043)                                                     \
	X(FMV_W_X, "fmv.w.x", FX, 0xf0000053)                                                      \
	X(FMV_D_X, "fmv.d.x", FX, 0xf2000053)                                                      \
	X(VSETVLI, "vsetvli", VSET, 0x00007057)                                                    \
	X(VLE32, "vle32.v", VMEMORY, 0x02006007)                                                   \
	X(VLE64, "vle64.v", VMEMORY, 0x02007007)                                                   \
	X(VSE32, "vse32.v", VMEMORY, 0x02006027)                                                   \
	X(VSE64, "vse64.v", VMEMORY, 0x02007027)                                                   \
	X(VFADD, "vfadd.vv", VV, 0x02001057)                                                       \
	X(VFMUL, "vfmul.vv", VV, 0x92001057)                                                       \
	X(VFDIV, "vfdiv.vv", VV, 0x82001057)                                                       \
	X(VFMACC, "vfmacc.vv", VVV, 0xb2001057)                                                    \
	X(VFMADD, "vfmadd.vv", VVV, 0xa2001057)                                                    \
	X(VMV_I, "vmv.v.i", VI, 0x5e003057)

enum tp_riscv_op {
#define TP_RISCV_ENUM(id, name, format, bits) TP_RISCV_##id,
	TP_RISCV_LIST(TP_RISCV_ENUM)
#undef TP_RISCV_ENUM
		TP_RISCV_OPS
};

struct tp_riscv_row {
	const char *name;
	enum tp_riscv_format format;
	uint32_t bits, mask; /* a word is this instruction if (word & mask) == bits */
};

const struct tp_riscv_row *tp_riscv_row(enum tp_riscv_op op);

struct tp_riscv_asm {
	uint32_t *start, *at, *end;
	bool failed; /* buffer full, operand out of range; checked once at the end */
};

void tp_riscv_init(struct tp_riscv_asm *as, void *memory, size_t bytes);
size_t tp_riscv_here(const struct tp_riscv_asm *as); /* offset in bytes */
void tp_riscv_align(struct tp_riscv_asm *as, size_t bytes); /* with instructions that do nothing */

/* Registers in the order of assembly text. */
void tp_riscv_op3(struct tp_riscv_asm *as, enum tp_riscv_op op, unsigned a, unsigned b, unsigned c);
void tp_riscv_op4(struct tp_riscv_asm *as, enum tp_riscv_op op, unsigned a, unsigned b, unsigned c,
		  unsigned d);
/* a, b, immediate: also loads and stores (value, base, offset), shifts, lui, vsetvli, vmv.v.i, whatever has fewer operands. */
void tp_riscv_imm(struct tp_riscv_asm *as, enum tp_riscv_op op, unsigned a, unsigned b,
		  int64_t immediate);

/* reg <- value, in as few instructions as it takes. */
void tp_riscv_li(struct tp_riscv_asm *as, unsigned reg, int64_t value);
/* reg <- from + bytes; scratch (another register) where that does not fit into an instruction. Nothing if it is reg + 0. */
void tp_riscv_add(struct tp_riscv_asm *as, unsigned reg, unsigned from, int64_t bytes,
		  unsigned scratch);
bool tp_riscv_fits(int64_t offset); /* into the 12 bits of addi, loads and stores */

/* counter--, and back to `target` (an earlier tp_riscv_here) unless it is zero. Two instructions, three from 4 KiB on. */
void tp_riscv_loop(struct tp_riscv_asm *as, unsigned counter, size_t target);
/* A branch or jal to a place that is not yet there: what it returns goes to tp_riscv_land at that place. */
size_t tp_riscv_forward(struct tp_riscv_asm *as, enum tp_riscv_op op, unsigned a, unsigned b);
void tp_riscv_land(struct tp_riscv_asm *as, size_t branch);

/* Vector types for elements of 8 or 4 bytes and groups of 1, 2, 4, 8 registers. Tail and mask agnostic in version 1.0. */
unsigned tp_riscv_vtype(bool old, unsigned element_bytes, unsigned lmul);

#endif
