/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The aarch64 back end. Only this folder, kernels/arch.c and tests include it. Emission and
 * printing compile on every architecture; arch.c needs the CPU itself.
 */
#ifndef TPROF_KERNELS_AARCH64_AARCH64_H
#define TPROF_KERNELS_AARCH64_AARCH64_H

#include "kernels/arch.h"
#include "kernels/assembly.h"
#include "kernels/emit/assembler.h"
#include "kernels/isa.h"
#include "kernels/kernel.h"

/*
 * Forms of the ISAs: the registers of their instructions. SME uses those of SVE, in streaming mode,
 * where vectors have another length.
 */
enum {
	TP_AARCH64_SCALAR,
	TP_AARCH64_NEON,
	TP_AARCH64_SVE,
	TP_AARCH64_FORMS,
	TP_AARCH64_SME = TP_AARCH64_FORMS
};

extern const struct tp_arch tp_arch_aarch64;
extern const struct tp_back_end tp_aarch64_back_end;
extern const struct tp_assembly tp_aarch64_assembly;
extern const struct tp_isa tp_isa_scalar, tp_isa_neon, tp_isa_sve, tp_isa_sme;

/* Non-temporal stores write pairs of registers, of at least 4 bytes each. SVE has other ones. */
enum { TP_AARCH64_LEAST_NT_BYTES = 8 };

enum tp_status tp_aarch64_disassemble(const void *code, size_t bytes, struct tp_str *out);

/* The instructions of aarch64 on narrow numbers. Their rows are known on every architecture. */

extern const struct tp_narrow_rows tp_aarch64_narrow;

/*
 * The instructions that kernels are made of, for the assembler of kernels/emit/assembler.h. Its
 * letters here:
 *
 *   x w n   integer register; 31 is xzr, wzr, sp
 *   d s q   scalar of 64, 32 bits, whole vector register
 *   v z p   vector register, SVE vector register, predicate
 *   a       tile of SME's matrix ZA
 *   u       unsigned immediate, printed in hexadecimal
 *   t       unsigned immediate, printed in decimal
 *   o O     unsigned, signed offset of an address; nothing is printed for 0
 *   m M     signed offset in vector lengths, likewise
 *   k       mask of ones below the bit whose number stands there
 *   b       distance of a branch
 *
 * Formats from the Arm Architecture Reference Manual (A64 base, SIMD&FP, SVE, SME).
 */

/* id, mnemonic, fixed bits, text, operands by the macros of emit/assembler.h and encode.c */
#define TP_AARCH64_LIST(X)                                                                         \
	X(LDR_X, "ldr", 0xf9400000, OFFSET('x', 8))                                                \
	X(LDR_D, "ldr", 0xfd400000, OFFSET('d', 8))                                                \
	X(LDR_S, "ldr", 0xbd400000, OFFSET('s', 4))                                                \
	X(LDR_Q, "ldr", 0x3dc00000, OFFSET('q', 16))                                               \
	X(STR_X, "str", 0xf9000000, OFFSET('x', 8))                                                \
	X(STR_D, "str", 0xfd000000, OFFSET('d', 8))                                                \
	X(STR_S, "str", 0xbd000000, OFFSET('s', 4))                                                \
	X(STR_Q, "str", 0x3d800000, OFFSET('q', 16))                                               \
	X(LDR_D_INDEXED, "ldr", 0xfc606800, INDEXED('d'))                                          \
	X(STR_X_INDEXED, "str", 0xf8206800, INDEXED('x'))                                          \
	X(LDRB_INDEXED, "ldrb", 0x38606800, INDEXED('w'))                                          \
	X(STNP_S, "stnp", 0x2c000000, PAIR('s', 4))                                                \
	X(STNP_D, "stnp", 0x6c000000, PAIR('d', 8))                                                \
	X(STP_D, "stp", 0x6d000000, PAIR('d', 8))                                                  \
	X(LDP_D, "ldp", 0x6d400000, PAIR('d', 8))                                                  \
	X(STP_X, "stp", 0xa9000000, PAIR('x', 8))                                                  \
	X(LDP_X, "ldp", 0xa9400000, PAIR('x', 8))                                                  \
	X(ADD_IMM, "add", 0x91000000, IMMEDIATE('n', ""))                                          \
	X(ADD_IMM_HIGH, "add", 0x91400000, IMMEDIATE('n', ", lsl #12"))                            \
	X(SUB_IMM, "sub", 0xd1000000, IMMEDIATE('n', ""))                                          \
	X(SUB_IMM_HIGH, "sub", 0xd1400000, IMMEDIATE('n', ", lsl #12"))                            \
	X(SUBS_IMM, "subs", 0xf1000000, IMMEDIATE('x', ""))                                        \
	X(ADD, "add", 0x8b000000, THREE('x', ""))                                                  \
	X(AND, "and", 0x8a000000, THREE('x', ""))                                                  \
	X(AND_MASK, "and", 0x92400000, "%, %, #%", REG('x', 0), REG('x', 5), BITS('k', 10, 6))     \
	X(MUL, "mul", 0x9b007c00, THREE('x', ""))                                                  \
	X(LSL_1, "lsl", 0xd37ff800, "%, %, #1", REG('x', 0), REG('x', 5))                          \
	X(LSL, "lsl", 0x9ac02000, THREE('x', ""))                                                  \
	X(MOV, "mov", 0xaa0003e0, "%, %", REG('x', 0), REG('x', 16))                               \
	X(MOVZ, "mov", 0xd2800000, HALF_WORD(""))                                                  \
	X(MOVK_16, "movk", 0xf2a00000, HALF_WORD(", lsl #16"))                                     \
	X(MOVK_32, "movk", 0xf2c00000, HALF_WORD(", lsl #32"))                                     \
	X(MOVK_48, "movk", 0xf2e00000, HALF_WORD(", lsl #48"))                                     \
	X(B, "b", 0x14000000, "%", SIGNED('b', 0, 26, 4))                                          \
	X(B_EQ, "b.eq", 0x54000000, "%", SIGNED('b', 5, 19, 4))                                    \
	X(B_NE, "b.ne", 0x54000001, "%", SIGNED('b', 5, 19, 4))                                    \
	X(CBZ, "cbz", 0xb4000000, "%, %", REG('x', 0), SIGNED('b', 5, 19, 4))                      \
	X(CBNZ, "cbnz", 0xb5000000, "%, %", REG('x', 0), SIGNED('b', 5, 19, 4))                    \
	X(TBNZ, "tbnz", 0x37000000, "%, #%, %", REG('w', 0), REG('t', 19), SIGNED('b', 5, 14, 4))  \
	X(DSB, "dsb", 0xd503379f, "nsh")                                                           \
	X(ISB, "isb", 0xd5033fdf, "")                                                              \
	X(MRS_FPCR, "mrs", 0xd53b4400, "%, fpcr", REG('x', 0))                                     \
	X(MSR_FPCR, "msr", 0xd51b4400, "fpcr, %", REG('x', 0))                                     \
	X(NOP, "nop", 0xd503201f, "")                                                              \
	X(RET, "ret", 0xd65f03c0, "")                                                              \
	X(FADD_D, "fadd", 0x1e602800, THREE('d', ""))                                              \
	X(FADD_S, "fadd", 0x1e202800, THREE('s', ""))                                              \
	X(FMUL_D, "fmul", 0x1e600800, THREE('d', ""))                                              \
	X(FMUL_S, "fmul", 0x1e200800, THREE('s', ""))                                              \
	X(FDIV_D, "fdiv", 0x1e601800, THREE('d', ""))                                              \
	X(FDIV_S, "fdiv", 0x1e201800, THREE('s', ""))                                              \
	X(FMADD_D, "fmadd", 0x1f400000, FOUR('d'))                                                 \
	X(FMADD_S, "fmadd", 0x1f000000, FOUR('s'))                                                 \
	X(MOVI_ZERO, "movi", 0x6f00e400, "%.2d, #0x0", REG('v', 0))                                \
	X(DUP_2D, "dup", 0x4e080c00, "%.2d, %", REG('v', 0), REG('x', 5))                          \
	X(FADD_2D, "fadd", 0x4e60d400, THREE('v', ".2d"))                                          \
	X(FADD_4S, "fadd", 0x4e20d400, THREE('v', ".4s"))                                          \
	X(FMUL_2D, "fmul", 0x6e60dc00, THREE('v', ".2d"))                                          \
	X(FMUL_4S, "fmul", 0x6e20dc00, THREE('v', ".4s"))                                          \
	X(FDIV_2D, "fdiv", 0x6e60fc00, THREE('v', ".2d"))                                          \
	X(FDIV_4S, "fdiv", 0x6e20fc00, THREE('v', ".4s"))                                          \
	X(FMLA_2D, "fmla", 0x4e60cc00, THREE('v', ".2d"))                                          \
	X(FMLA_4S, "fmla", 0x4e20cc00, THREE('v', ".4s"))                                          \
	X(FMLS_2D, "fmls", 0x4ee0cc00, THREE('v', ".2d"))                                          \
	X(FMLS_4S, "fmls", 0x4ea0cc00, THREE('v', ".4s"))                                          \
	X(PTRUE, "ptrue", 0x2518e3e0, "%.b", BITS('p', 0, 3))                                      \
	X(LDR_Z, "ldr", 0x85804000, VECTOR)                                                        \
	X(STR_Z, "str", 0xe5804000, VECTOR)                                                        \
	X(WHILELO, "whilelo", 0x25201c00, "%.b, %, %", BITS('p', 0, 3), REG('x', 5), REG('x', 16)) \
	X(LD1B, "ld1b", 0xa400a000, LANES("b", "/z"))                                              \
	X(ST1B, "st1b", 0xe400e000, LANES("b", ""))                                                \
	X(STNT1B, "stnt1b", 0xe410e000, LANES("b", ""))                                            \
	X(STNT1D, "stnt1d", 0xe590e000, LANES("d", ""))                                            \
	X(STNT1W, "stnt1w", 0xe510e000, LANES("s", ""))                                            \
	X(FADD_ZD, "fadd", 0x65c00000, THREE('z', ".d"))                                           \
	X(FADD_ZS, "fadd", 0x65800000, THREE('z', ".s"))                                           \
	X(FMUL_ZD, "fmul", 0x65c00800, THREE('z', ".d"))                                           \
	X(FMUL_ZS, "fmul", 0x65800800, THREE('z', ".s"))                                           \
	X(FDIV_ZD, "fdiv", 0x65cd8000, MASKED_TWO(".d"))                                           \
	X(FDIV_ZS, "fdiv", 0x658d8000, MASKED_TWO(".s"))                                           \
	X(FMLA_ZD, "fmla", 0x65e00000, MASKED(".d"))                                               \
	X(FMLA_ZS, "fmla", 0x65a00000, MASKED(".s"))                                               \
	X(FMAD_ZD, "fmad", 0x65e08000, MASKED(".d"))                                               \
	X(FMAD_ZS, "fmad", 0x65a08000, MASKED(".s"))                                               \
	X(FMLA_8H, "fmla", 0x4e400c00, THREE('v', ".8h"))                                          \
	X(BFDOT, "bfdot", 0x6e40fc00, SUMS('v', ".4s", ".8h"))                                     \
	X(SDOT, "sdot", 0x4e809400, SUMS('v', ".4s", ".16b"))                                      \
	X(BFMMLA, "bfmmla", 0x6e40ec00, SUMS('v', ".4s", ".8h"))                                   \
	X(SMMLA, "smmla", 0x4e80a400, SUMS('v', ".4s", ".16b"))                                    \
	X(FMLA_ZH, "fmla", 0x65600000, MASKED(".h"))                                               \
	X(BFDOT_Z, "bfdot", 0x64608000, SUMS('z', ".s", ".h"))                                     \
	X(SDOT_Z, "sdot", 0x44800000, SUMS('z', ".s", ".b"))                                       \
	X(BFMMLA_Z, "bfmmla", 0x6460e400, SUMS('z', ".s", ".h"))                                   \
	X(SMMLA_Z, "smmla", 0x45009800, SUMS('z', ".s", ".b"))                                     \
	X(MOV_ZERO_Z, "mov", 0x25f8c000, "%.d, #0", REG('z', 0))                                   \
	X(SMSTART, "smstart", 0xd503477f, "")                                                      \
	X(SMSTOP, "smstop", 0xd503467f, "")                                                        \
	X(FMOPA_D, "fmopa", 0x80c00000, OUTER(3, ".d", ".d"))                                      \
	X(FMOPA_S, "fmopa", 0x80800000, OUTER(2, ".s", ".s"))                                      \
	X(FMOPA_H, "fmopa", 0x81a00000, OUTER(2, ".s", ".h"))                                      \
	X(BFMOPA, "bfmopa", 0x81800000, OUTER(2, ".s", ".h"))                                      \
	X(SMOPA, "smopa", 0xa0800000, OUTER(2, ".s", ".b"))                                        \
	X(STR_ZA, "str", 0xe1200000, "za[w12, 0], [%]", REG('n', 5))

enum tp_aarch64_op {
#define TP_AARCH64_ENUM(id, ...) TP_AARCH64_##id,
	TP_AARCH64_LIST(TP_AARCH64_ENUM)
#undef TP_AARCH64_ENUM
		TP_AARCH64_OPS
};

extern const struct tp_word_table tp_aarch64_words;

/* tp_word_put() of this table. */
static inline void tp_aarch64_put(struct tp_assembler *as, enum tp_aarch64_op op, int64_t a,
				  int64_t b, int64_t c, int64_t d)
{
	tp_word_put(as, &tp_aarch64_words, op, a, b, c, d);
}

enum { TP_AARCH64_SP = 31, TP_AARCH64_ZERO = 31 };

/* reg = value, in one to four instructions. */
void tp_aarch64_constant(struct tp_assembler *as, unsigned reg, uint64_t value);
/*
 * dst = src + bytes, with the help of `spare` if they are far apart. Emits nothing for dst = src +
 * 0 in place.
 */
void tp_aarch64_advance(struct tp_assembler *as, unsigned dst, unsigned src, int64_t bytes,
			unsigned spare);

#endif
