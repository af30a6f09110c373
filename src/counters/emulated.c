/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The source "emulated": events as one machine or another names them, computed from the exact
 * counts of stepped code. Names and meanings follow the public event lists of the vendors; the
 * descriptions are ours.
 */
#include "counters/emulated.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/tally.h"
#include "base/random.h"
#include "base/str.h"
#include "counters/source.h"
#include "counters/sources.h"
#include "kernels/step.h"

struct tp_emulated_event {
	const struct tp_habit_term *terms;
	size_t n_terms;
	double constant; /* added to every count */
	/* relative, uniform in +- noise * sqrt(3), so that it is the standard deviation */
	double noise;
	double interrupts; /* part of its readings that are 1 to 2 % too high */
	uint64_t seed; /* of its noise and interrupts */
};

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

/* A fused instruction counts twice at any width. */
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

/* Every exact count under its own name. */
static const struct tp_habit_event exact[] = {
#define EXACT(id, text) EVENT(#id, text, ONE(id)),
	TP_EMULATED_LIST(EXACT)
#undef EXACT
};

const struct tp_habit tp_habit_table[] = {
	{ "auto", "the nearest of these CPUs; exact if none is near", "", "", NULL, 0 },
	{ "exact", "every exact count under its own name", "", "", exact, TP_COUNT_OF(exact) },
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

/* NULL if there is none */
static const struct tp_habit *habit_find(const char *name)
{
	for (size_t i = 0; i < tp_habit_count; i++)
		if (strcmp(tp_habit_table[i].name, name) == 0)
			return &tp_habit_table[i];
	return NULL;
}

/*
 * Events that mislead on purpose, as real event lists do: the same count in other units, sums,
 * duplicates, noisy ones, constants, and clocks. Only the seed decides which is which; their names
 * do not show it.
 */
enum { MAX_PARTS = 4 };

struct maker {
	struct tp_arena *arena;
	const struct tp_source_wish *wish;
	const struct tp_emulated_event *base;
	const struct tp_count_event *base_about;
	size_t n_base;
	uint64_t random;
};

/* Well-mixed numbers from a counter: SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t value)
{
	return tp_splitmix64(&value);
}

static uint64_t draw(struct maker *m, uint64_t limit)
{
	m->random = mix(m->random);
	return m->random % limit;
}

/* The weighted sum of some base events. */
static void add_up(struct maker *m, const size_t *parts, const double *factors, size_t n,
		   struct tp_emulated_event *event)
{
	double sum[TP_EMULATED_COUNT] = { 0 };
	for (size_t i = 0; i < n; i++) {
		const struct tp_emulated_event *part = &m->base[parts[i]];
		for (size_t t = 0; t < part->n_terms; t++)
			sum[part->terms[t].count] += factors[i] * part->terms[t].factor;
	}
	struct tp_habit_term *terms = tp_arena_alloc(m->arena, TP_EMULATED_COUNT * sizeof(*terms));
	event->terms = terms;
	for (unsigned c = 0; c < TP_EMULATED_COUNT; c++)
		if (sum[c] != 0)
			terms[event->n_terms++] =
				(struct tp_habit_term){ (enum tp_emulated_count)c, sum[c] };
}

static void make_scaled(struct maker *m, struct tp_emulated_event *event, struct tp_str *words)
{
	static const double factors[] = { 2, 8, 64, 0.5 };
	size_t part = draw(m, m->n_base);
	double factor = factors[draw(m, TP_COUNT_OF(factors))];
	tp_str_printf(words, "%g times %s", factor, m->base_about[part].name);
	add_up(m, &part, &factor, 1, event);
}

static void make_sum(struct maker *m, struct tp_emulated_event *event, struct tp_str *words)
{
	static const double ones[MAX_PARTS] = { 1, 1, 1, 1 };
	size_t parts[MAX_PARTS], n = 2 + draw(m, MAX_PARTS - 1);
	for (size_t i = 0; i < n; i++) {
		parts[i] = draw(m, m->n_base);
		tp_str_printf(words, "%s%s", i ? " + " : "", m->base_about[parts[i]].name);
	}
	add_up(m, parts, ones, n, event);
}

static void make_duplicate(struct maker *m, struct tp_emulated_event *event, struct tp_str *words)
{
	size_t part = draw(m, m->n_base);
	const double one = 1;
	tp_str_printf(words, "the same as %s", m->base_about[part].name);
	add_up(m, &part, &one, 1, event);
}

static void make_noisy(struct maker *m, struct tp_emulated_event *event, struct tp_str *words)
{
	make_duplicate(m, event, words);
	event->noise = m->wish->noise;
	tp_str_printf(words, ", with noise of %g", event->noise);
}

static void make_constant(struct maker *m, struct tp_emulated_event *event, struct tp_str *words)
{
	event->constant = (double)(1 + draw(m, 1000)) * 1000;
	tp_str_printf(words, "always %g", event->constant);
}

/* Everything takes some time: a weight for each exact count, and the noise of a clock. */
static void make_cycles(struct maker *m, struct tp_emulated_event *event, struct tp_str *words)
{
	struct tp_habit_term *terms = tp_arena_alloc(m->arena, TP_EMULATED_COUNT * sizeof(*terms));
	event->terms = terms;
	for (unsigned c = 0; c < TP_EMULATED_COUNT; c++)
		terms[event->n_terms++] =
			(struct tp_habit_term){ (enum tp_emulated_count)c,
						0.25 * (double)(1 + draw(m, 16)) };
	event->noise = m->wish->noise;
	tp_str_printf(words, "like a clock: a weighted sum of everything, with noise of %g",
		      event->noise);
}

static void (*const makers[])(struct maker *m, struct tp_emulated_event *event,
			      struct tp_str *words) = {
	make_scaled, make_sum, make_duplicate, make_noisy, make_constant, make_cycles,
};

/*
 * Makes wish->misleading events out of the first `n` of `events` and appends them, with names and
 * descriptions in `about`; both arrays have room.
 */
static void mislead(struct tp_arena *arena, const struct tp_source_wish *wish, size_t n,
		    struct tp_emulated_event *events, struct tp_count_event *about)
{
	/* An odd multiplier permutes the 16-bit numbers, so no two names are alike. */
	const uint64_t odd = 40503, offset = mix(wish->seed ^ 0x6e616d65u);
	struct maker m = { .arena = arena,
			   .wish = wish,
			   .base = events,
			   .base_about = about,
			   .n_base = n,
			   .random = mix(wish->seed) };
	for (size_t i = 0; i < wish->misleading; i++) {
		TP_STR name = { 0 }, words = { 0 };
		/* The first few hold one of each kind, however few there are. */
		const size_t n_kinds = TP_COUNT_OF(makers);
		size_t kind = i < n_kinds ? i : draw(&m, n_kinds);
		makers[kind](&m, &events[n + i], &words);
		tp_str_printf(&name, "UNC_%04X:%02X", (unsigned)((i * odd + offset) & 0xffff),
			      (unsigned)(i >> 16));
		about[n + i].name = tp_arena_strdup(arena, tp_str_text(&name));
		about[n + i].description = tp_arena_strdup(arena, tp_str_text(&words));
	}
}

const char *tp_emulated_habit(size_t i, const char **title)
{
	if (i >= tp_habit_count)
		return NULL;
	*title = tp_habit_table[i].title;
	return tp_habit_table[i].name;
}

enum tp_status tp_emulated_habit_check(const char *habit, struct tp_diag *diag)
{
	if (habit_find(habit))
		return TP_OK;
	const char *names[16];
	TP_STR list = { 0 };
	size_t n = 0;
	while (n < tp_habit_count && n < TP_COUNT_OF(names)) {
		names[n] = tp_habit_table[n].name;
		n++;
	}
	tp_str_list(&list, names, n, " or ");
	return tp_fail(diag, TP_USAGE, "emulated", tp_str_text(&list),
		       "no event names are known under \"%s\"", habit);
}

static enum tp_status habit_of(const struct tp_source_wish *wish, const struct tp_habit **habit,
			       struct tp_diag *diag)
{
	const char *name = wish->habit && *wish->habit ? wish->habit : "exact";
	if (strcmp(name, "auto") == 0)
		name = wish->cpu ? tp_habit_nearest(wish->cpu->arch, wish->cpu->vendor) : "exact";
	*habit = habit_find(name);
	return tp_emulated_habit_check(name, diag);
}

static size_t count_terms(const struct tp_habit_event *event)
{
	size_t n = 0;
	while (n < TP_HABIT_TERMS && event->terms[n].factor != 0)
		n++;
	return n;
}

static void add_habit(struct tp_source *source, const struct tp_habit *habit,
		      struct tp_emulated_event *events)
{
	for (size_t i = 0; i < habit->n; i++) {
		events[i] = (struct tp_emulated_event){ .terms = habit->events[i].terms,
							.n_terms = count_terms(&habit->events[i]) };
		source->events[i].name = habit->events[i].name;
		source->events[i].description = habit->events[i].description;
	}
}

static enum tp_status open_source(struct tp_source *source, const struct tp_source_wish *wish,
				  struct tp_diag *diag)
{
	const struct tp_habit *habit;
	enum tp_status status = habit_of(wish, &habit, diag);
	if (status != TP_OK)
		return status;
	if (wish->habit && strcmp(wish->habit, "auto") == 0)
		tp_diags_note(&source->notes, "counters.habit", NULL,
			      "the emulated events are modelled on %s: %s", habit->name,
			      habit->title);
	size_t n = habit->n + wish->misleading;
	struct tp_source_group *group = tp_arena_alloc(&source->arena, sizeof(*group));
	struct tp_emulated_event *events = tp_arena_alloc(&source->arena, n * sizeof(*events));
	source->events = tp_arena_alloc(&source->arena, n * sizeof(*source->events));
	group->events = tp_arena_alloc(&source->arena, n * sizeof(*group->events));
	add_habit(source, habit, events);
	mislead(&source->arena, wish, habit->n, events, source->events);
	for (size_t i = 0; i < n; i++) {
		source->events[i].component = "emulated";
		source->events[i].available = true;
		source->events[i].reason = "";
		source->events[i].group = 0;
		group->events[i] = i;
		events[i].seed = mix(wish->seed + i);
		events[i].interrupts = wish->interrupts;
	}
	group->n = n;
	source->n_events = n;
	source->groups = group;
	source->n_groups = 1;
	source->needs_emulation = true;
	source->disturbed = wish->interrupts > 0;
	source->private = events; /* as source->events */
	return TP_OK;
}

/*
 * A number from the code and its counts, so that each row and repetition has its own reproducible
 * noise.
 */
static uint64_t fingerprint(const struct tp_work *work, const uint64_t *difference,
			    size_t repetition)
{
	uint64_t print = mix(work->passes);
	const unsigned char *bytes = work->code->map;
	for (size_t i = 0; i < work->code->bytes; i++)
		print = tp_hash_step(print, bytes[i]);
	for (unsigned i = 0; i < TP_EMULATED_COUNT; i++)
		print = mix(print ^ difference[i]);
	return mix(print ^ (repetition << 32));
}

/* From 0 to 1, another one for each event and reading. */
static double unit_of(uint64_t value)
{
	return tp_random_uniform(&value);
}

static double count_event(const struct tp_emulated_event *event, const uint64_t *difference,
			  uint64_t print)
{
	double count = event->constant;
	for (size_t t = 0; t < event->n_terms; t++)
		count += event->terms[t].factor * (double)difference[event->terms[t].count];
	if (event->noise > 0)
		count *= 1 + event->noise * sqrt(3.0) * (2 * unit_of(event->seed ^ print) - 1);
	if (unit_of(event->seed + print) < event->interrupts)
		count *= 1.01 + 0.01 * unit_of(event->seed - print);
	return count < 0 ? 0 : count;
}

static enum tp_status measure(struct tp_source *source, size_t group, const struct tp_work *work,
			      size_t repetition, double *counts, struct tp_diag *diag)
{
	const struct tp_emulated_event *events = source->private;
	uint64_t before[TP_EMULATED_COUNT], difference[TP_EMULATED_COUNT];
	if (!work->emulation)
		return tp_fail(diag, TP_INTERNAL, "emulated", NULL,
			       "work that is not stepped has no counts");
	const uint64_t *now = tp_emulation_counts(work->emulation);
	memcpy(before, now, sizeof(before));
	enum tp_status status = tp_work_run(work, diag);
	if (status != TP_OK)
		return status;
	for (unsigned i = 0; i < TP_EMULATED_COUNT; i++)
		difference[i] = now[i] - before[i];
	uint64_t print = fingerprint(work, difference, repetition);
	for (size_t i = 0; i < source->groups[group].n; i++)
		counts[i] =
			count_event(&events[source->groups[group].events[i]], difference, print);
	return TP_OK;
}

const struct tp_source_kind tp_source_emulated = {
	.name = "emulated",
	.summary = "exact counts from stepping through the kernels, under the names of one machine "
		   "or another",
	.supported = tp_stepper_supported,
	.open = open_source,
	.measure = measure,
};
