/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A core that watches code being stepped and keeps exact counts. Instructions by class come from
 * the code itself; hits and misses from a model of the caches (not inclusive, LRU, physically
 * flat); mispredictions from a model of the branch predictor (local history of `history_bits` for
 * each branch, two-bit counters, targets known). Conditionals on wrong paths are counted by walking
 * the predicted path up to a serialising instruction or `wrong_path_instructions`.
 */
#ifndef TPROF_COUNTERS_EMULATION_H
#define TPROF_COUNTERS_EMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "kernels/code.h"
#include "machine/machine.h"

struct tp_emulated_cache {
	uint64_t size_bytes; /* 0 = none */
	unsigned line_bytes, ways;
};

struct tp_emulated_machine {
	struct tp_emulated_cache data[4]; /* [1..3] */
	struct tp_emulated_cache code; /* L1i; its misses go to data[2] */
	unsigned history_bits; /* of the branch predictor */
	unsigned wrong_path_instructions;
};

/*
 * The hierarchy of the machine as one thread sees it. `scale`, a power of two, makes it smaller
 * where stepping through larger buffers would take too long (1 = as it is). Ways and lines stay.
 * Missing figures get the usual values.
 */
void tp_emulated_machine_from(struct tp_emulated_machine *emulated,
			      const struct tp_machine *machine, size_t threads, unsigned scale);

/* id, name: running totals. FP counts are instructions. */
#define TP_EMULATED_LIST(X)                                                                        \
	X(INSTRUCTIONS, "instructions")                                                            \
	X(INTEGER, "integer instructions")                                                         \
	X(LOADS, "load instructions")                                                              \
	X(STORES, "store instructions")                                                            \
	X(LOAD_BYTES, "bytes loaded")                                                              \
	X(STORE_BYTES, "bytes stored")                                                             \
	X(SP_SCALAR, "scalar single precision instructions, not fused")                            \
	X(SP_128, "128-bit single precision instructions, not fused")                              \
	X(SP_256, "256-bit single precision instructions, not fused")                              \
	X(SP_512, "512-bit single precision instructions, not fused")                              \
	X(DP_SCALAR, "scalar double precision instructions, not fused")                            \
	X(DP_128, "128-bit double precision instructions, not fused")                              \
	X(DP_256, "256-bit double precision instructions, not fused")                              \
	X(DP_512, "512-bit double precision instructions, not fused")                              \
	X(SP_SCALAR_FMA, "scalar single precision FMA instructions")                               \
	X(SP_128_FMA, "128-bit single precision FMA instructions")                                 \
	X(SP_256_FMA, "256-bit single precision FMA instructions")                                 \
	X(SP_512_FMA, "512-bit single precision FMA instructions")                                 \
	X(DP_SCALAR_FMA, "scalar double precision FMA instructions")                               \
	X(DP_128_FMA, "128-bit double precision FMA instructions")                                 \
	X(DP_256_FMA, "256-bit double precision FMA instructions")                                 \
	X(DP_512_FMA, "512-bit double precision FMA instructions")                                 \
	X(COND_EXECUTED, "conditional branches executed, those on wrong paths too")                \
	X(COND, "conditional branches retired")                                                    \
	X(COND_TAKEN, "conditional branches taken")                                                \
	X(JUMPS, "unconditional direct jumps")                                                     \
	X(INDIRECT, "indirect jumps")                                                              \
	X(CALLS, "calls")                                                                          \
	X(RETURNS, "returns")                                                                      \
	X(MISPREDICTED, "conditional branches mispredicted")                                       \
	X(L1D_READ_HIT, "loads that hit L1d")                                                      \
	X(L1D_READ_MISS, "loads that miss L1d")                                                    \
	X(L2_READ_HIT, "loads that hit L2")                                                        \
	X(L2_READ_MISS, "loads that miss L2")                                                      \
	X(L3_READ_HIT, "loads that hit L3")                                                        \
	X(L3_READ_MISS, "loads that miss L3")                                                      \
	X(L1D_WRITE_HIT, "stores that hit L1d")                                                    \
	X(L1D_WRITE_MISS, "stores that miss L1d")                                                  \
	X(L2_WRITE_HIT, "stores whose line is in L2")                                              \
	X(L2_WRITE_MISS, "stores whose line is not in L2")                                         \
	X(L3_WRITE_HIT, "stores whose line is in L3")                                              \
	X(L3_WRITE_MISS, "stores whose line is not in L3")                                         \
	X(WRITEBACKS, "modified lines written to memory")                                          \
	X(L1I_HIT, "instruction lines fetched that hit L1i")                                       \
	X(L1I_MISS, "instruction lines fetched that miss L1i")                                     \
	X(L2I_HIT, "instruction lines fetched that hit L2")                                        \
	X(L2I_MISS, "instruction lines fetched that miss L2")

enum tp_emulated_count {
#define TP_EMULATED_ENUM(id, text) TP_EMULATED_##id,
	TP_EMULATED_LIST(TP_EMULATED_ENUM)
#undef TP_EMULATED_ENUM
		TP_EMULATED_COUNT
};

const char *tp_emulated_name(enum tp_emulated_count count); /* "L1D_READ_HIT" */
const char *tp_emulated_title(enum tp_emulated_count count);

struct tp_emulation;

/* For one thread. Heap; free with tp_emulation_free. */
struct tp_emulation *tp_emulation_new(const struct tp_emulated_machine *machine);
void tp_emulation_free(struct tp_emulation *emulation);

/* Forgets what caches and predictor hold; totals stay. */
void tp_emulation_reset(struct tp_emulation *emulation);

/*
 * Steps through code and adds to the totals. Code is decoded once for each code buffer and kept
 * until another comes.
 */
enum tp_status tp_emulation_run(struct tp_emulation *emulation, const struct tp_code *code,
				void *data, uint64_t passes, struct tp_diag *diag);

/* TP_EMULATED_COUNT running totals; they grow also while run() is under way. */
const uint64_t *tp_emulation_counts(const struct tp_emulation *emulation);

/*
 * Caches of an emulated core: set-associative, least recently used line out, write-allocate, write-
 * back. A line that misses is brought into every level that missed it. A line that leaves a level
 * stays in the others (neither inclusive nor exclusive). Addresses are used as they are, in set
 * (line mod sets).
 */

struct tp_cache_slot {
	uint64_t line; /* its address / line_bytes; valid if `used` */
	uint64_t used; /* time of the last use; 0 = empty */
	bool dirty;
};

struct tp_cache_model {
	struct tp_cache_slot *slots; /* n_sets x ways; NULL = there is no such cache */
	uint64_t n_sets;
	unsigned ways, line_bytes;
	uint64_t now;
};

void tp_cache_model_init(struct tp_cache_model *model, const struct tp_emulated_cache *cache);

enum { TP_HIERARCHY_LEVELS = 4, TP_HIERARCHY_MEMORY = TP_HIERARCHY_LEVELS };

struct tp_hierarchy {
	struct tp_cache_model data[TP_HIERARCHY_LEVELS]; /* [1..3] */
	struct tp_cache_model code;
	uint64_t writebacks; /* modified lines that went to memory */
};

void tp_hierarchy_init(struct tp_hierarchy *hierarchy, const struct tp_emulated_machine *machine);
void tp_hierarchy_release(struct tp_hierarchy *hierarchy);
void tp_hierarchy_clear(struct tp_hierarchy *hierarchy); /* modified lines are forgotten */

/*
 * Accesses `bytes` at `address`, in as many lines as it touches. Returns the farthest level that
 * one of them came from: 1 = all hit L1d, ... TP_HIERARCHY_MEMORY.
 */
unsigned tp_hierarchy_access(struct tp_hierarchy *hierarchy, uint64_t address, unsigned bytes,
			     bool write);

/*
 * A two-level branch predictor with local history (Yeh and Patt 1991, per-address history and per-
 * address pattern tables): the last `history_bits` directions of a branch select one of its two-bit
 * saturating counters. Branches share nothing, so none disturbs another. New branches are predicted
 * not taken, strongly.
 */

enum { TP_PREDICTOR_MAX_HISTORY = 16 };

struct tp_predictor {
	unsigned history_bits;
	size_t n_branches;
	uint32_t *history; /* of each branch, the last direction in bit 0 */
	uint8_t *counters; /* of each branch 2^history_bits: 0, 1 = not taken; 2, 3 = taken */
};

void tp_predictor_init(struct tp_predictor *predictor, size_t n_branches, unsigned history_bits);
void tp_predictor_release(struct tp_predictor *predictor);
void tp_predictor_clear(struct tp_predictor *predictor);
bool tp_predictor_taken(const struct tp_predictor *predictor, size_t branch);
void tp_predictor_train(struct tp_predictor *predictor, size_t branch, bool taken);

#endif
