/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and meanings follow the public event lists of the vendors; the descriptions are ours. */
#include "counters/emulated_habits.h"
#include "base/memory.h"

#include <string.h>

#define N(id, factor)                                                                              \
	{                                                                                          \
		TP_EMULATED_##id, factor                                                           \
	}
#define ONE(id) N(id, 1)
#define EVENT(name, description, ...)                                                              \
	{                                                                                          \
		name, description,                                                                 \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}

/* A fused instruction counts twice, whatever its width. */
#define FP_INTEL(id) ONE(id), N(id##_FMA, 2)
#define FP_ALL(precision, factor, suffix)                                                          \
	N(precision##_SCALAR##suffix, factor), N(precision##_128##suffix, factor),                 \
		N(precision##_256##suffix, factor), N(precision##_512##suffix, factor)
#define BRANCHES       ONE(COND), ONE(JUMPS), ONE(INDIRECT), ONE(CALLS), ONE(RETURNS)
#define BRANCHES_TAKEN ONE(COND_TAKEN), ONE(JUMPS), ONE(INDIRECT), ONE(CALLS), ONE(RETURNS)

static const struct tp_habit_event sapphire_rapids[] = {
	EVENT("INST_RETIRED:ANY", "instructions retired", ONE(INSTRUCTIONS)),
	EVENT("FP_ARITH_INST_RETIRED:SCALAR_SINGLE",
	      "scalar single precision instructions, an FMA twice", FP_INTEL(SP_SCALAR)),
	EVENT("FP_ARITH_INST_RETIRED:SCALAR_DOUBLE",
	      "scalar double precision instructions, an FMA twice", FP_INTEL(DP_SCALAR)),
	EVENT("FP_ARITH_INST_RETIRED:128B_PACKED_SINGLE",
	      "128-bit single precision instructions, an FMA twice", FP_INTEL(SP_128)),
	EVENT("FP_ARITH_INST_RETIRED:128B_PACKED_DOUBLE",
	      "128-bit double precision instructions, an FMA twice", FP_INTEL(DP_128)),
	EVENT("FP_ARITH_INST_RETIRED:256B_PACKED_SINGLE",
	      "256-bit single precision instructions, an FMA twice", FP_INTEL(SP_256)),
	EVENT("FP_ARITH_INST_RETIRED:256B_PACKED_DOUBLE",
	      "256-bit double precision instructions, an FMA twice", FP_INTEL(DP_256)),
	EVENT("FP_ARITH_INST_RETIRED:512B_PACKED_SINGLE",
	      "512-bit single precision instructions, an FMA twice", FP_INTEL(SP_512)),
	EVENT("FP_ARITH_INST_RETIRED:512B_PACKED_DOUBLE",
	      "512-bit double precision instructions, an FMA twice", FP_INTEL(DP_512)),
	EVENT("FP_ARITH_INST_RETIRED:SCALAR", "scalar instructions of both precisions",
	      FP_INTEL(SP_SCALAR), FP_INTEL(DP_SCALAR)),
	EVENT("FP_ARITH_INST_RETIRED:4_FLOPS", "instructions of four operations each",
	      FP_INTEL(SP_128), FP_INTEL(DP_256)),
	EVENT("FP_ARITH_INST_RETIRED:8_FLOPS", "instructions of eight operations each",
	      FP_INTEL(SP_256), FP_INTEL(DP_512)),
	EVENT("FP_ARITH_INST_RETIRED:VECTOR", "packed instructions of both precisions",
	      FP_INTEL(SP_128), FP_INTEL(SP_256), FP_INTEL(SP_512), FP_INTEL(DP_128),
	      FP_INTEL(DP_256), FP_INTEL(DP_512)),
	EVENT("BR_INST_RETIRED:ALL_BRANCHES", "branches of every kind retired", BRANCHES),
	EVENT("BR_INST_RETIRED:COND", "conditional branches retired", ONE(COND)),
	EVENT("BR_INST_RETIRED:COND_TAKEN", "conditional branches retired and taken",
	      ONE(COND_TAKEN)),
	EVENT("BR_INST_RETIRED:COND_NTAKEN", "conditional branches retired and not taken",
	      ONE(COND), N(COND_TAKEN, -1)),
	EVENT("BR_INST_RETIRED:NEAR_TAKEN", "branches of every kind taken", BRANCHES_TAKEN),
	EVENT("BR_INST_RETIRED:NEAR_CALL", "calls retired", ONE(CALLS)),
	EVENT("BR_INST_RETIRED:NEAR_RETURN", "returns retired", ONE(RETURNS)),
	EVENT("BR_INST_RETIRED:INDIRECT", "indirect jumps retired", ONE(INDIRECT)),
	EVENT("BR_INST_RETIRED:FAR_BRANCH", "far branches retired: these kernels have none",
	      { TP_EMULATED_INSTRUCTIONS, 0 }),
	EVENT("BR_MISP_RETIRED:ALL_BRANCHES", "mispredicted branches retired", ONE(MISPREDICTED)),
	EVENT("BR_MISP_RETIRED:COND", "mispredicted conditional branches retired",
	      ONE(MISPREDICTED)),
	EVENT("MEM_INST_RETIRED:ALL_LOADS", "loads retired", ONE(LOADS)),
	EVENT("MEM_INST_RETIRED:ALL_STORES", "stores retired", ONE(STORES)),
	EVENT("MEM_INST_RETIRED:ANY", "loads and stores retired", ONE(LOADS), ONE(STORES)),
	EVENT("MEM_LOAD_RETIRED:L1_HIT", "loads that hit L1d", ONE(L1D_READ_HIT)),
	EVENT("MEM_LOAD_RETIRED:L1_MISS", "loads that miss L1d", ONE(L1D_READ_MISS)),
	EVENT("MEM_LOAD_RETIRED:L2_HIT", "loads that hit L2", ONE(L2_READ_HIT)),
	EVENT("MEM_LOAD_RETIRED:L2_MISS", "loads that miss L2", ONE(L2_READ_MISS)),
	EVENT("MEM_LOAD_RETIRED:L3_HIT", "loads that hit L3", ONE(L3_READ_HIT)),
	EVENT("MEM_LOAD_RETIRED:L3_MISS", "loads that miss L3", ONE(L3_READ_MISS)),
	EVENT("L2_RQSTS:DEMAND_DATA_RD_HIT", "demand data reads that hit L2", ONE(L2_READ_HIT)),
	EVENT("L2_RQSTS:DEMAND_DATA_RD_MISS", "demand data reads that miss L2", ONE(L2_READ_MISS)),
	EVENT("L2_RQSTS:ALL_DEMAND_DATA_RD", "demand data reads of L2", ONE(L2_READ_HIT),
	      ONE(L2_READ_MISS)),
	EVENT("L2_RQSTS:RFO_HIT", "stores whose line is in L2", ONE(L2_WRITE_HIT)),
	EVENT("L2_RQSTS:RFO_MISS", "stores whose line is not in L2", ONE(L2_WRITE_MISS)),
	EVENT("L2_RQSTS:ALL_RFO", "stores that ask L2 for their line", ONE(L2_WRITE_HIT),
	      ONE(L2_WRITE_MISS)),
	EVENT("L2_RQSTS:CODE_RD_HIT", "code reads that hit L2", ONE(L2I_HIT)),
	EVENT("L2_RQSTS:CODE_RD_MISS", "code reads that miss L2", ONE(L2I_MISS)),
	EVENT("L2_RQSTS:ALL_CODE_RD", "code reads of L2", ONE(L2I_HIT), ONE(L2I_MISS)),
	EVENT("L1D:REPLACEMENT", "lines brought into L1d", ONE(L1D_READ_MISS), ONE(L1D_WRITE_MISS)),
	EVENT("LONGEST_LAT_CACHE:REFERENCE", "accesses to the last cache", ONE(L2_READ_MISS),
	      ONE(L2_WRITE_MISS), ONE(L2I_MISS)),
	EVENT("FRONTEND_RETIRED:L1I_MISS", "instruction lines that miss L1i", ONE(L1I_MISS)),
	EVENT("FRONTEND_RETIRED:L2_MISS", "instruction lines that miss L2", ONE(L2I_MISS)),
};

/* Counts operations, not instructions: lanes of a vector, and both halves of a fused one. */
#define LANES(precision, scalar, suffix, times)                                                    \
	N(precision##_SCALAR##suffix, (scalar) * (times)),                                         \
		N(precision##_128##suffix, 16.0 / (precision##_BYTES) * (times)),                  \
		N(precision##_256##suffix, 32.0 / (precision##_BYTES) * (times)),                  \
		N(precision##_512##suffix, 64.0 / (precision##_BYTES) * (times))
#define SP_BYTES     4
#define DP_BYTES     8
#define WIDTH(width) ONE(SP_##width), ONE(DP_##width), ONE(SP_##width##_FMA), ONE(DP_##width##_FMA)

static const struct tp_habit_event zen4[] = {
	EVENT("EX_RET_INSTR", "instructions retired", ONE(INSTRUCTIONS)),
	EVENT("RETIRED_SSE_AVX_FLOPS:ANY", "floating point operations, an FMA is two a lane",
	      LANES(SP, 1, , 1), LANES(DP, 1, , 1), LANES(SP, 1, _FMA, 2), LANES(DP, 1, _FMA, 2)),
	EVENT("RETIRED_SSE_AVX_FLOPS:MAC_FLOPS", "operations of FMA instructions, two a lane",
	      LANES(SP, 1, _FMA, 2), LANES(DP, 1, _FMA, 2)),
	EVENT("RETIRED_SSE_AVX_FLOPS:ADD_SUB_MULT_DIV_FLOPS",
	      "operations of instructions that are not fused", LANES(SP, 1, , 1),
	      LANES(DP, 1, , 1)),
	EVENT("FP_OPS_RETIRED_BY_WIDTH:SCALAR_UOPS_RETIRED", "scalar floating point instructions",
	      WIDTH(SCALAR)),
	EVENT("FP_OPS_RETIRED_BY_WIDTH:PACK_128_UOPS_RETIRED",
	      "128-bit floating point instructions", WIDTH(128)),
	EVENT("FP_OPS_RETIRED_BY_WIDTH:PACK_256_UOPS_RETIRED",
	      "256-bit floating point instructions", WIDTH(256)),
	EVENT("FP_OPS_RETIRED_BY_WIDTH:PACK_512_UOPS_RETIRED",
	      "512-bit floating point instructions", WIDTH(512)),
	EVENT("FP_OPS_RETIRED_BY_TYPE:SCALAR_MAC", "scalar FMA instructions", ONE(SP_SCALAR_FMA),
	      ONE(DP_SCALAR_FMA)),
	EVENT("FP_OPS_RETIRED_BY_TYPE:VECTOR_MAC", "packed FMA instructions", ONE(SP_128_FMA),
	      ONE(SP_256_FMA), ONE(SP_512_FMA), ONE(DP_128_FMA), ONE(DP_256_FMA), ONE(DP_512_FMA)),
	EVENT("EX_RET_BRN", "branches of every kind retired", BRANCHES),
	EVENT("EX_RET_BRN_TKN", "branches of every kind retired and taken", BRANCHES_TAKEN),
	EVENT("EX_RET_BRN_MISP", "mispredicted branches retired", ONE(MISPREDICTED)),
	EVENT("EX_RET_COND", "conditional branches retired", ONE(COND)),
	EVENT("EX_RET_BRN_COND_MISP", "mispredicted conditional branches retired",
	      ONE(MISPREDICTED)),
	EVENT("EX_RET_UNCOND_BRN_INSTR", "unconditional branches retired", ONE(JUMPS),
	      ONE(INDIRECT), ONE(CALLS), ONE(RETURNS)),
	EVENT("EX_RET_NEAR_RET", "returns retired", ONE(RETURNS)),
	EVENT("EX_RET_IND_BRCH_INSTR", "indirect jumps retired", ONE(INDIRECT)),
	EVENT("LS_DISPATCH:LD_DISPATCH", "loads", ONE(LOADS)),
	EVENT("LS_DISPATCH:STORE_DISPATCH", "stores", ONE(STORES)),
	EVENT("LS_DC_ACCESSES", "accesses to L1d", ONE(LOADS), ONE(STORES)),
	EVENT("LS_DMND_FILLS_FROM_SYS:ALL", "lines brought into L1d on demand", ONE(L1D_READ_MISS),
	      ONE(L1D_WRITE_MISS)),
	EVENT("LS_DMND_FILLS_FROM_SYS:LCL_L2", "lines brought into L1d from L2", ONE(L2_READ_HIT),
	      ONE(L2_WRITE_HIT)),
	EVENT("LS_DMND_FILLS_FROM_SYS:LOCAL_CCX", "lines brought into L1d from L3",
	      ONE(L3_READ_HIT), ONE(L3_WRITE_HIT)),
	EVENT("LS_DMND_FILLS_FROM_SYS:DRAM_IO_NEAR", "lines brought into L1d from memory",
	      ONE(L3_READ_MISS), ONE(L3_WRITE_MISS)),
	EVENT("L2_CACHE_REQ_STAT:LS_RD_BLK_L_HIT_X", "data reads that hit L2", ONE(L2_READ_HIT)),
	EVENT("L2_CACHE_REQ_STAT:LS_RD_BLK_X", "stores whose line is in L2", ONE(L2_WRITE_HIT)),
	EVENT("L2_CACHE_REQ_STAT:LS_RD_BLK_C", "data accesses that miss L2", ONE(L2_READ_MISS),
	      ONE(L2_WRITE_MISS)),
	EVENT("L2_CACHE_REQ_STAT:IC_FILL_HIT_X", "code reads that hit L2", ONE(L2I_HIT)),
	EVENT("L2_CACHE_REQ_STAT:IC_FILL_MISS", "code reads that miss L2", ONE(L2I_MISS)),
	EVENT("L3_LOOKUP_STATE:L3_HIT", "data accesses that hit L3", ONE(L3_READ_HIT),
	      ONE(L3_WRITE_HIT)),
	EVENT("L3_LOOKUP_STATE:L3_MISS", "data accesses that miss L3", ONE(L3_READ_MISS),
	      ONE(L3_WRITE_MISS)),
	EVENT("IC_TAG_HIT_MISS:INSTRUCTION_CACHE_HIT", "instruction lines that hit L1i",
	      ONE(L1I_HIT)),
	EVENT("IC_TAG_HIT_MISS:INSTRUCTION_CACHE_MISS", "instruction lines that miss L1i",
	      ONE(L1I_MISS)),
	EVENT("IC_TAG_HIT_MISS:ALL_INSTRUCTION_CACHE_ACCESSES", "instruction lines fetched",
	      ONE(L1I_HIT), ONE(L1I_MISS)),
};

/* Speculative counts take in wrong paths; scalable operations count per 128 bits of vector. */
#define FP_PRECISION(precision) FP_ALL(precision, 1, ), FP_ALL(precision, 1, _FMA)

static const struct tp_habit_event neoverse_v2[] = {
	EVENT("INST_RETIRED", "instructions retired", ONE(INSTRUCTIONS)),
	EVENT("DP_SPEC", "integer data processing", ONE(INTEGER)),
	EVENT("VFP_SPEC", "scalar floating point instructions", WIDTH(SCALAR)),
	EVENT("ASE_INST_SPEC", "128-bit floating point instructions", WIDTH(128)),
	EVENT("SVE_INST_SPEC", "floating point instructions of longer vectors", WIDTH(256),
	      WIDTH(512)),
	EVENT("FP_SP_SPEC", "single precision instructions", FP_PRECISION(SP)),
	EVENT("FP_DP_SPEC", "double precision instructions", FP_PRECISION(DP)),
	EVENT("FP_FIXED_OPS_SPEC", "operations of scalars and 128-bit vectors", N(SP_SCALAR, 1),
	      N(DP_SCALAR, 1), N(SP_SCALAR_FMA, 2), N(DP_SCALAR_FMA, 2), N(SP_128, 4), N(DP_128, 2),
	      N(SP_128_FMA, 8), N(DP_128_FMA, 4)),
	EVENT("FP_SCALE_OPS_SPEC", "operations of longer vectors, per 128 bits", N(SP_256, 4),
	      N(DP_256, 2), N(SP_256_FMA, 8), N(DP_256_FMA, 4), N(SP_512, 4), N(DP_512, 2),
	      N(SP_512_FMA, 8), N(DP_512_FMA, 4)),
	EVENT("SVE_FP_FMA_SPEC", "FMA instructions of longer vectors", N(SP_256_FMA, 1),
	      N(DP_256_FMA, 1), N(SP_512_FMA, 1), N(DP_512_FMA, 1)),
	EVENT("BR_RETIRED", "branches of every kind retired", BRANCHES),
	EVENT("BR_MIS_PRED_RETIRED", "mispredicted branches retired", ONE(MISPREDICTED)),
	EVENT("BR_PRED", "branches executed, those on wrong paths too", ONE(COND_EXECUTED),
	      ONE(JUMPS), ONE(INDIRECT), ONE(CALLS), ONE(RETURNS)),
	EVENT("BR_MIS_PRED", "mispredicted branches", ONE(MISPREDICTED)),
	EVENT("BR_IMMED_SPEC", "direct branches executed", ONE(COND_EXECUTED), ONE(JUMPS),
	      ONE(CALLS)),
	EVENT("BR_INDIRECT_SPEC", "indirect branches executed", ONE(INDIRECT), ONE(RETURNS)),
	EVENT("BR_RETURN_SPEC", "returns executed", ONE(RETURNS)),
	EVENT("LD_SPEC", "loads", ONE(LOADS)),
	EVENT("ST_SPEC", "stores", ONE(STORES)),
	EVENT("LDST_SPEC", "loads and stores", ONE(LOADS), ONE(STORES)),
	EVENT("L1D_CACHE", "accesses to L1d", ONE(LOADS), ONE(STORES)),
	EVENT("L1D_CACHE_RD", "reads of L1d", ONE(L1D_READ_HIT), ONE(L1D_READ_MISS)),
	EVENT("L1D_CACHE_WR", "writes to L1d", ONE(L1D_WRITE_HIT), ONE(L1D_WRITE_MISS)),
	EVENT("L1D_CACHE_REFILL_RD", "reads that miss L1d", ONE(L1D_READ_MISS)),
	EVENT("L1D_CACHE_REFILL_WR", "writes that miss L1d", ONE(L1D_WRITE_MISS)),
	EVENT("L2D_CACHE_RD", "reads of L2", ONE(L2_READ_HIT), ONE(L2_READ_MISS)),
	EVENT("L2D_CACHE_WR", "writes that look into L2", ONE(L2_WRITE_HIT), ONE(L2_WRITE_MISS)),
	EVENT("L2D_CACHE_REFILL_RD", "reads that miss L2", ONE(L2_READ_MISS)),
	EVENT("L2D_CACHE_REFILL_WR", "writes that miss L2", ONE(L2_WRITE_MISS)),
	EVENT("L3D_CACHE_RD", "reads of L3", ONE(L3_READ_HIT), ONE(L3_READ_MISS)),
	EVENT("LL_CACHE_MISS_RD", "reads that miss the last cache", ONE(L3_READ_MISS)),
	EVENT("L1I_CACHE", "instruction lines fetched", ONE(L1I_HIT), ONE(L1I_MISS)),
	EVENT("L1I_CACHE_REFILL", "instruction lines that miss L1i", ONE(L1I_MISS)),
};

const struct tp_habit tp_habit_table[] = {
	{ "auto", "those of the nearest of these CPUs; exact where none is near", "", "", NULL, 0 },
	{ "exact", "every exact count under its own name", "", "", NULL, 0 },
	{ "sapphire-rapids", "Intel: instructions by width, an FMA twice; hits and misses by level",
	  "x86_64", "GenuineIntel intel", sapphire_rapids, TP_COUNT_OF(sapphire_rapids) },
	{ "zen4", "AMD: operations instead of instructions; fills by where they come from",
	  "x86_64", "AuthenticAMD amd HygonGenuine", zen4, TP_COUNT_OF(zen4) },
	{ "neoverse-v2", "Arm: what was begun, wrong paths too; reads and refills by level",
	  "aarch64", "*", neoverse_v2, TP_COUNT_OF(neoverse_v2) },
};
const size_t tp_habit_count = TP_COUNT_OF(tp_habit_table);

const char *tp_habit_nearest(const char *arch, const char *vendor)
{
	for (size_t i = 0; i < tp_habit_count; i++)
		if (*arch && strcmp(tp_habit_table[i].arch, arch) == 0 &&
		    (strcmp(tp_habit_table[i].vendors, "*") == 0 ||
		     tp_has_word(tp_habit_table[i].vendors, vendor)))
			return tp_habit_table[i].name;
	return "exact";
}

const struct tp_habit *tp_habit_find(const char *name)
{
	for (size_t i = 0; i < tp_habit_count; i++)
		if (strcmp(tp_habit_table[i].name, name) == 0)
			return &tp_habit_table[i];
	return NULL;
}
