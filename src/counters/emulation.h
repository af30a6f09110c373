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
enum tp_status tp_emulation_new(struct tp_emulation **emulation,
				const struct tp_emulated_machine *machine, struct tp_diag *diag);
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

#endif
