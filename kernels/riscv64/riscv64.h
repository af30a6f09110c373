/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The riscv64 back end. Only this folder, kernels/arch.c and tests include it. Emission and
 * printing compile on every architecture; arch.c needs the CPU itself.
 */
#ifndef TPROF_KERNELS_RISCV64_RISCV64_H
#define TPROF_KERNELS_RISCV64_RISCV64_H

#include "kernels/arch.h"
#include "kernels/assembly.h"
#include "kernels/emit/assembler.h"
#include "kernels/isa.h"

/* Forms of the ISAs: FP registers, vectors of version 1.0, of version 0.7. */
enum { TP_RISCV_SCALAR, TP_RISCV_RVV10, TP_RISCV_RVV07 };

extern const struct tp_arch tp_arch_riscv64;
extern const struct tp_back_end tp_riscv_back_end;
extern const struct tp_assembly tp_riscv_assembly;
extern const struct tp_isa tp_isa_riscv_scalar, tp_isa_riscv_rvv10, tp_isa_riscv_rvv07;

/* The shortest vectors that the standard extension V allows. They are shown on CPUs without V. */
enum { TP_RISCV_LEAST_VECTOR_BYTES = 16 };

/*
 * Bytes of a vector register, read by the instruction that sets the vector length. The least
 * length if V may not be used.
 */
unsigned tp_riscv_vector_bytes(void);
enum tp_status tp_riscv_disassemble(const void *code, size_t bytes, struct tp_str *out);

/*
 * The few instructions that kernels need, none of them compressed, for the assembler of
 * kernels/emit/assembler.h. Its letters here:
 *
 *   x f v   integer, FP, vector register
 *   i       signed immediate or offset
 *   h       unsigned immediate, printed in hexadecimal
 *   t       vector type
 *   b       distance of a branch
 *
 * Encodings: The RISC-V Instruction Set Manual, Volume I (RV64G), and the vector extension, version
 * 1.0. Version 0.7.1, of which XTheadVector is the remainder, has the same arithmetic. Its vector
 * type has other fields, and its loads and stores take the width from there: vle.v and vse.v are
 * encoded as vle64.v and vse64.v are in version 1.0.
 */

/* Integer registers, named by the calling convention. */
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

#define TP_RISCV_R	"%,%,%", REG('x', 7), REG('x', 15), REG('x', 20)
#define TP_RISCV_I	"%,%,%", REG('x', 7), REG('x', 15), SIGNED('i', 20, 12, 1)
#define TP_RISCV_LOAD	"%,%(%)", REG('x', 7), SIGNED('i', 20, 12, 1), REG('x', 15)
#define TP_RISCV_STORE	"%,%(%)", REG('x', 20), PARTS('i', 1, { 7, 5 }, { 25, 7 }), REG('x', 15)
#define TP_RISCV_FLOAD	"%,%(%)", REG('f', 7), SIGNED('i', 20, 12, 1), REG('x', 15)
#define TP_RISCV_FSTORE "%,%(%)", REG('f', 20), PARTS('i', 1, { 7, 5 }, { 25, 7 }), REG('x', 15)
#define TP_RISCV_FR	"%,%,%", REG('f', 7), REG('f', 15), REG('f', 20)
#define TP_RISCV_FR4	"%,%,%,%", REG('f', 7), REG('f', 15), REG('f', 20), REG('f', 27)
#define TP_RISCV_BRANCH                                                                            \
	"%,%,%", REG('x', 15), REG('x', 20), PARTS('b', 2, { 8, 4 }, { 25, 6 }, { 7, 1 }, { 31, 1 })
#define TP_RISCV_JUMP	 "%,%", REG('x', 7), PARTS('b', 2, { 21, 10 }, { 20, 1 }, { 12, 8 }, { 31, 1 })
#define TP_RISCV_VMEMORY "%,(%)", REG('v', 7), REG('x', 15)
#define TP_RISCV_VV	 "%,%,%", REG('v', 7), REG('v', 20), REG('v', 15)

/*
 * id, mnemonic, fixed bits, text, operands by the macros of fields.h. Rounding is the mode of fcsr;
 * vector instructions are unmasked.
 */
#define TP_RISCV_LIST(X)                                                                           \
	X(ADD, "add", 0x00000033, TP_RISCV_R)                                                      \
	X(MUL, "mul", 0x02000033, TP_RISCV_R)                                                      \
	X(AND, "and", 0x00007033, TP_RISCV_R)                                                      \
	X(ADDI, "addi", 0x00000013, TP_RISCV_I)                                                    \
	X(ADDIW, "addiw", 0x0000001b, TP_RISCV_I)                                                  \
	X(ANDI, "andi", 0x00007013, TP_RISCV_I)                                                    \
	X(JALR, "jalr", 0x00000067, TP_RISCV_LOAD)                                                 \
	X(SLLI, "slli", 0x00001013, "%,%,%", REG('x', 7), REG('x', 15), BITS('h', 20, 6))          \
	X(LBU, "lbu", 0x00004003, TP_RISCV_LOAD)                                                   \
	X(LD, "ld", 0x00003003, TP_RISCV_LOAD)                                                     \
	X(SD, "sd", 0x00003023, TP_RISCV_STORE)                                                    \
	X(LUI, "lui", 0x00000037, "%,%", REG('x', 7), BITS('h', 12, 20))                           \
	X(AUIPC, "auipc", 0x00000017, "%,%", REG('x', 7), BITS('h', 12, 20))                       \
	X(BEQ, "beq", 0x00000063, TP_RISCV_BRANCH)                                                 \
	X(BNE, "bne", 0x00001063, TP_RISCV_BRANCH)                                                 \
	X(JAL, "jal", 0x0000006f, TP_RISCV_JUMP)                                                   \
	X(FRCSR, "frcsr", 0x00302073, "%", REG('x', 7))                                            \
	X(FSCSR, "fscsr", 0x00301073, "%", REG('x', 15))                                           \
	X(FENCE_I, "fence.i", 0x0000100f, "")                                                      \
	X(FLW, "flw", 0x00002007, TP_RISCV_FLOAD)                                                  \
	X(FLD, "fld", 0x00003007, TP_RISCV_FLOAD)                                                  \
	X(FSW, "fsw", 0x00002027, TP_RISCV_FSTORE)                                                 \
	X(FSD, "fsd", 0x00003027, TP_RISCV_FSTORE)                                                 \
	X(FADD_S, "fadd.s", 0x00007053, TP_RISCV_FR)                                               \
	X(FADD_D, "fadd.d", 0x02007053, TP_RISCV_FR)                                               \
	X(FMUL_S, "fmul.s", 0x10007053, TP_RISCV_FR)                                               \
	X(FMUL_D, "fmul.d", 0x12007053, TP_RISCV_FR)                                               \
	X(FDIV_S, "fdiv.s", 0x18007053, TP_RISCV_FR)                                               \
	X(FDIV_D, "fdiv.d", 0x1a007053, TP_RISCV_FR)                                               \
	X(FMADD_S, "fmadd.s", 0x00007043, TP_RISCV_FR4)                                            \
	X(FMADD_D, "fmadd.d", 0x02007043, TP_RISCV_FR4)                                            \
	X(FMV_W_X, "fmv.w.x", 0xf0000053, "%,%", REG('f', 7), REG('x', 15))                        \
	X(FMV_D_X, "fmv.d.x", 0xf2000053, "%,%", REG('f', 7), REG('x', 15))                        \
	X(VSETVLI, "vsetvli", 0x00007057, "%,%,%", REG('x', 7), REG('x', 15), BITS('t', 20, 11))   \
	X(VLE32, "vle32.v", 0x02006007, TP_RISCV_VMEMORY)                                          \
	X(VLE64, "vle64.v", 0x02007007, TP_RISCV_VMEMORY)                                          \
	X(VSE32, "vse32.v", 0x02006027, TP_RISCV_VMEMORY)                                          \
	X(VSE64, "vse64.v", 0x02007027, TP_RISCV_VMEMORY)                                          \
	X(VFADD, "vfadd.vv", 0x02001057, TP_RISCV_VV)                                              \
	X(VFMUL, "vfmul.vv", 0x92001057, TP_RISCV_VV)                                              \
	X(VFDIV, "vfdiv.vv", 0x82001057, TP_RISCV_VV)                                              \
	X(VFMACC, "vfmacc.vv", 0xb2001057, "%,%,%", REG('v', 7), REG('v', 15), REG('v', 20))       \
	X(VFMADD, "vfmadd.vv", 0xa2001057, "%,%,%", REG('v', 7), REG('v', 15), REG('v', 20))       \
	X(VMV_I, "vmv.v.i", 0x5e003057, "%,%", REG('v', 7), SIGNED('i', 15, 5, 1))

enum tp_riscv_op {
#define TP_RISCV_ENUM(id, ...) TP_RISCV_##id,
	TP_RISCV_LIST(TP_RISCV_ENUM)
#undef TP_RISCV_ENUM
		TP_RISCV_OPS
};

extern const struct tp_word_table tp_riscv_words;

/* tp_word_put() of this table. */
static inline void tp_riscv_put(struct tp_assembler *as, enum tp_riscv_op op, int64_t a, int64_t b,
				int64_t c, int64_t d)
{
	tp_word_put(as, &tp_riscv_words, op, a, b, c, d);
}

/* reg <- value, in as few instructions as it takes. */
void tp_riscv_li(struct tp_assembler *as, unsigned reg, int64_t value);
/*
 * reg <- from + bytes, with another register as scratch if that is not an immediate. Emits nothing
 * for reg <- reg + 0.
 */
void tp_riscv_add(struct tp_assembler *as, unsigned reg, unsigned from, int64_t bytes,
		  unsigned scratch);
bool tp_riscv_fits(int64_t offset); /* the 12 bits of addi, loads and stores */

/*
 * Vector types for elements of 8 or 4 bytes and groups of 1, 2, 4, 8 registers. Tail and mask
 * agnostic in version 1.0.
 */
unsigned tp_riscv_vtype(bool old, unsigned element_bytes, unsigned lmul);

#endif
