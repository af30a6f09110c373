/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The instruction mix: counts of what instructions do. The agent, the qemu plug-in and the
 * self-test share the list and the function that fills it, so that all ways of counting count the
 * same things.
 *
 * FLOPs are what FP_ARITH_INST_RETIRED of Intel's manual counts (SDM volume 3, "Instruction counts
 * of floating-point operations"): add, sub, mul, div, sqrt, min, max, rcp, rsqrt and horizontal
 * adds, once for each lane; fused multiply-adds and dot products (dpps) twice. Comparisons,
 * conversions, roundings and moves do not count. Masked lanes count when their mask bit is set.
 * Not defined by Intel: a bf16 dot product is 4 FLOPs for each of its sums, a product of complex
 * halves 6, with an accumulation 8. Instructions on tiles count as for full tiles (16 rows of 64
 * bytes), because only the program knows its configuration.
 */
#ifndef TPROF_MIX_MIX_H
#define TPROF_MIX_MIX_H

#include <stdint.h>

/*
 * X(NAME, text): in the order of the columns that users see. An instruction counts in exactly one
 * of the kinds FP_..., FMA_..., X87, VECTOR_INT, INT, BRANCH, OTHER; loads, stores, gathers and
 * scatters are counted besides.
 *
 *   FP_<precision>_<width>    floating-point arithmetic that is not fused, in instructions
 *   FMA_<precision>_<width>   fused multiply-adds, in instructions (FLOPs count them twice)
 *   LOADS, STORES             instructions that read or write memory by an operand, also push, pop,
 *                             call and ret; one that does both counts in both
 *   BYTES_LOADED, _STORED     what they move: active lanes only
 *   GATHERS, SCATTERS         instructions; their loads and stores count in LOADS and STORES, too
 *   MASKED                    FP instructions whose lanes were counted by a mask
 *   FP_DIVIDES                FP instructions that divide or take roots; estimates do not count
 *   LOCKED                    instructions with a lock prefix, and exchanges with memory
 *   CHAIN_CYCLES              of loops whose body is one block: cycles that a round waits for the
 *                             one before, along the longest chain of results, at the latencies of
 *                             chain.c; CHAINED_FP, CHAINED_LOADS: arithmetic and loads on it
 *   FP_HALF                   all arithmetic on halves and bf16, fused or not, on tiles, too
 *   FP_MOVES                  moves, shuffles, logic, conversions, roundings and comparisons of
 *                             floating-point vectors and scalars
 *   VECTOR_INT                instructions on other vectors, opmasks, tiles and MMX registers
 *   INT                       all other arithmetic and moves, and string instructions
 *   ISA_...                   add up to INSTRUCTIONS; ISA_OTHER is also the base instruction set
 */
#define TP_MIX_LIST(X)                                                                             \
	X(INSTRUCTIONS, "instructions")                                                            \
	X(FLOPS_SP, "flops_sp")                                                                    \
	X(FLOPS_DP, "flops_dp")                                                                    \
	X(FLOPS_HALF, "flops_half")                                                                \
	X(FLOPS_X87, "flops_x87")                                                                  \
	X(BYTES_LOADED, "bytes_loaded")                                                            \
	X(BYTES_STORED, "bytes_stored")                                                            \
	X(LOADS, "loads")                                                                          \
	X(STORES, "stores")                                                                        \
	X(FP_SP_SCALAR, "fp_sp_scalar")                                                            \
	X(FP_SP_128, "fp_sp_128")                                                                  \
	X(FP_SP_256, "fp_sp_256")                                                                  \
	X(FP_SP_512, "fp_sp_512")                                                                  \
	X(FP_DP_SCALAR, "fp_dp_scalar")                                                            \
	X(FP_DP_128, "fp_dp_128")                                                                  \
	X(FP_DP_256, "fp_dp_256")                                                                  \
	X(FP_DP_512, "fp_dp_512")                                                                  \
	X(FMA_SP_SCALAR, "fma_sp_scalar")                                                          \
	X(FMA_SP_128, "fma_sp_128")                                                                \
	X(FMA_SP_256, "fma_sp_256")                                                                \
	X(FMA_SP_512, "fma_sp_512")                                                                \
	X(FMA_DP_SCALAR, "fma_dp_scalar")                                                          \
	X(FMA_DP_128, "fma_dp_128")                                                                \
	X(FMA_DP_256, "fma_dp_256")                                                                \
	X(FMA_DP_512, "fma_dp_512")                                                                \
	X(FP_HALF, "fp_half")                                                                      \
	X(X87, "x87")                                                                              \
	X(FP_MOVES, "fp_moves")                                                                    \
	X(VECTOR_INT, "vector_int")                                                                \
	X(INT, "int")                                                                              \
	X(BRANCHES, "branches")                                                                    \
	X(OTHER, "other")                                                                          \
	X(GATHERS, "gathers")                                                                      \
	X(SCATTERS, "scatters")                                                                    \
	X(MASKED, "masked")                                                                        \
	X(FP_DIVIDES, "fp_divides")                                                                \
	X(LOCKED, "locked")                                                                        \
	X(CHAIN_CYCLES, "chain_cycles")                                                            \
	X(CHAINED_FP, "chained_fp")                                                                \
	X(CHAINED_LOADS, "chained_loads")                                                          \
	/* By ISA: all instructions of the extension. */                                           \
	X(ISA_SSE, "isa_sse")                                                                      \
	X(ISA_AVX, "isa_avx")                                                                      \
	X(ISA_AVX2, "isa_avx2")                                                                    \
	X(ISA_FMA, "isa_fma")                                                                      \
	X(ISA_AVX512, "isa_avx512")                                                                \
	X(ISA_AMX, "isa_amx")                                                                      \
	X(ISA_X87_MMX, "isa_x87_mmx")                                                              \
	X(ISA_OTHER, "isa_other")

enum tp_mix_index {
#define X(name, text) TP_MIX_##name,
	TP_MIX_LIST(X)
#undef X
		TP_MIX_N
};

extern const char *const tp_mix_names[TP_MIX_N];

/* What multiplies `each`, known only when the instruction runs. */
enum tp_mix_times {
	TP_MIX_NEVER, /* never: `once` is the whole effect */
	TP_MIX_OPMASK, /* set bits of opmask register `mask`, of the lowest `lanes` */
	TP_MIX_SIGNS, /* signs of the lowest `lanes` elements of vector register `mask` */
	TP_MIX_REPEATS, /* repetitions of a string instruction */
};

struct tp_mix_instruction {
	uint32_t once[TP_MIX_N]; /* for each execution */
	uint32_t each[TP_MIX_N]; /* for each lane or repetition */
	enum tp_mix_times times;
	unsigned mask, lanes;
	unsigned lane_bytes; /* of TP_MIX_SIGNS: 1, 4 or 8 */
};

struct ZydisDecodedInstruction_;
struct ZydisDecodedOperand_;

/*
 * Classifies a decoded x86-64 instruction with all its operands (hidden ones, too). It calls no
 * function of libc and allocates nothing: the agent calls it inside users' programs.
 */
void tp_mix_x86(const struct ZydisDecodedInstruction_ *in,
		const struct ZydisDecodedOperand_ *operands, struct tp_mix_instruction *out);

/* The paths of results through the body of a loop (chain.c). */
enum { TP_MIX_SLOTS = 8, TP_MIX_PLACES = 48 + TP_MIX_SLOTS }; /* registers, places in memory */

struct tp_mix_path {
	int32_t cycles; /* -1 = no path */
	uint16_t fp, loads; /* on it */
};

struct tp_mix_chain {
	struct tp_mix_path paths[TP_MIX_PLACES]
				[TP_MIX_PLACES]; /* [to][from where the body begins] */
	/*
	 * Places in memory by their operand: `moves` if a register of it is written in the loop,
	 * `is_gone` if that was after its last use, so that the operand is another place now.
	 */
	struct tp_mix_slot {
		int base, index, scale;
		int64_t offset;
		uint8_t moves, is_gone;
	} slots[TP_MIX_SLOTS];
	unsigned n_slots;
	uint64_t written; /* a bit for each register that was written so far */
};

/* All instructions of the body, in their order; at the end CHAIN_... of one round are added. */
void tp_mix_chain_begin(struct tp_mix_chain *chain);
void tp_mix_chain_add(struct tp_mix_chain *chain, const struct ZydisDecodedInstruction_ *in,
		      const struct ZydisDecodedOperand_ *operands);
void tp_mix_chain_end(const struct tp_mix_chain *chain, uint32_t add[TP_MIX_N]);

/* FLOPs of all precisions; bytes loaded and stored. */
static inline uint64_t tp_mix_flops(const uint64_t mix[TP_MIX_N])
{
	return mix[TP_MIX_FLOPS_SP] + mix[TP_MIX_FLOPS_DP] + mix[TP_MIX_FLOPS_HALF] +
	       mix[TP_MIX_FLOPS_X87];
}

static inline uint64_t tp_mix_bytes(const uint64_t mix[TP_MIX_N])
{
	return mix[TP_MIX_BYTES_LOADED] + mix[TP_MIX_BYTES_STORED];
}

#endif
