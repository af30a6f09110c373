/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TP_AGENT_TRACE: the addresses that a thread touches, in the order in which it does. Private to
 * src/agent.
 *
 * Generated code writes words of 64 bits into the thread's buffer, from trace_buffer to trace_next.
 * A block that touches memory by an operand begins with
 *
 *     TP_TRACE_BLOCK | index of its counter
 *
 * and then writes, for each access of its description, in the order of the program:
 *
 *     TP_TRACE_ONE       the address of its first byte
 *     TP_TRACE_REPEATED  (such as rep movs) the address of the first element, and the number
 *                        of elements; they follow each other upwards
 *
 * If a signal or a fault leaves a block in its middle, its words stay: those it did not write are
 * from an earlier block, or 0. A word with TP_TRACE_BLOCK always begins another block, because
 * addresses of a program never have this bit. Stack accesses of push, pop, call and ret are left
 * out: they hit the first cache. Gathers and scatters are an access for each element, masked or
 * not; a repeated comparison that stops early counts in full.
 */
#ifndef TPROF_AGENT_TRACE_H
#define TPROF_AGENT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/context.h"
#include "agent/shared.h"

#define TP_TRACE_BLOCK (1ull << 63)

enum { TP_TRACE_WORDS = 32 * 1024 };
enum tp_trace_kind { TP_TRACE_ONE, TP_TRACE_REPEATED };

struct tp_trace_access {
	uint16_t bytes; /* of the access, or of one element */
	uint8_t kind; /* enum tp_trace_kind */
	bool loads, stores;
};

/* The accesses of the block that counts with this index. */
struct tp_traced {
	uint32_t first, n;
};

/*
 * Takes n words: the caller sets trace_next back. `traced` has TP_AGENT_COUNTERS blocks, whose
 * accesses are in `accesses`. It runs in the agent, on the agent's stack (tp_cache_drain).
 */
void tp_trace_drain(struct tp_context *context, const struct tp_traced *traced,
		    const struct tp_trace_access *accesses, const uint64_t *words, uint64_t n);

/*
 * A model of caches for sampled lines: set-associative, least recently used line out, write-
 * allocate, neither inclusive nor exclusive.
 *
 * Of each group of 2^sample_shift neighbouring lines one is followed, which a hash of the group
 * chooses. So every working set is sampled evenly, whether it is contiguous or strided, and a cache
 * that is smaller by the same factor, whose sets the groups take in turn, is as full as the real
 * one. It does not model conflicts within a set: lines that lie a power of two apart.
 *
 * Caches move lines. A line that is brought into the first cache counts as a whole, for the level
 * where it was: a stream of doubles comes from memory, not 8 bytes of it from memory and 56 from
 * the first cache. The first cache counts bytes that are touched again while they are there. Lines
 * that are written back do not count.
 *
 * src/counters/emulation.c is not used here. It follows every line with its time and whether it
 * was modified, because it counts write-backs, and takes its memory from libc; and the agent links
 * only src/mix from tprof.
 */

enum { TP_LEVELS = 3, TP_LEVEL_MEMORY = 4 };

/* One cache; `lines` is the caller's memory, all 0 at first. */
struct tp_traced_level {
	/*
	 * Sets x ways, the last used first; line + 1, 0 = empty. After them the same number of
	 * masks: the bytes, or 64ths of the line, that were touched since it came.
	 */
	uint64_t *lines;
	uint32_t sets, ways; /* of the sampled cache; sets 0 = no such cache */
	uint32_t lock; /* held while another thread may use it, too */
};

/* The caches of a thread; some may be those of all threads. */
struct tp_levels {
	struct tp_traced_level *level[TP_LEVELS]; /* of cache i + 1 */
	bool shared[TP_LEVELS];
	uint32_t line_shift, sample_shift;
};

/* Sets and ways of the sampled part of a cache. Implausible descriptions are corrected. */
void tp_level_shape(struct tp_traced_level *level, const struct tp_agent_cache *cache,
		    uint32_t sample_shift);
size_t tp_level_bytes(const struct tp_traced_level *level); /* needed for `lines` */
/* Line size as a power of two, from the first cache that exists. */
uint32_t tp_levels_line_shift(const struct tp_agent_cache caches[TP_LEVELS]);

/*
 * An access to `bytes` bytes upwards from `address`: adds the traffic of sampled lines, times
 * 2^sample_shift, to the level where each line was. bytes_from[1..3] are caches, [4] is memory.
 */
void tp_levels_access(struct tp_levels *levels, uint64_t address, uint64_t bytes,
		      uint64_t bytes_from[TP_AGENT_LEVELS]);

#endif
