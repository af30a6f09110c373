/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A model of caches for sampled lines: set-associative, least recently used line out, write-
 * allocate, neither inclusive nor exclusive. Private to src/agent.
 *
 * Of each group of 2^sample_shift neighbouring lines one is followed, which a hash of the group
 * chooses. So every working set is sampled evenly, whether it is contiguous or strided, and a cache
 * of so much smaller a capacity, whose sets the groups take in turn, is as full as the real one.
 * What this cannot see are conflicts within a set: lines that lie a power of two apart.
 *
 * Caches move lines. A line that is brought into the first cache counts as a whole, for the level
 * where it was: a stream of doubles comes from memory, not 8 bytes of it from memory and 56 from
 * the first cache. The first cache counts bytes that are touched again while they are there. Lines
 * that are written back do not count.
 *
 * src/counters/emulation.c is not used here. It follows every line with its time and whether it
 * was modified, because it counts write-backs, and takes its memory from libc; and the agent links
 * nothing of tprof but src/mix.
 */
#ifndef TPROF_AGENT_LEVELS_H
#define TPROF_AGENT_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/shared.h"

enum { TP_LEVELS = 3, TP_LEVEL_MEMORY = 4 };

/* One cache; `lines` is memory of the caller, all 0 in the beginning. */
struct tp_traced_level {
	/*
	 * Sets x ways, the last used first; line + 1, 0 = empty. Behind them as many masks: the
	 * bytes, or 64ths of the line, that were touched since it came.
	 */
	uint64_t *lines;
	uint32_t sets, ways; /* of the sampled cache; sets 0 = there is no such cache */
	uint32_t lock; /* held while another thread may use it, too */
};

/* The caches of a thread; some may be those of all threads. */
struct tp_levels {
	struct tp_traced_level *level[TP_LEVELS]; /* of cache i + 1 */
	bool shared[TP_LEVELS];
	uint32_t line_shift, sample_shift;
};

/* Sets and ways of a cache of which so few lines are followed. Odd descriptions are mended. */
void tp_level_shape(struct tp_traced_level *level, const struct tp_agent_cache *cache,
		    uint32_t sample_shift);
size_t tp_level_bytes(const struct tp_traced_level *level); /* that `lines` needs */
/* Size of a line as a power of two, of the first cache that there is. */
uint32_t tp_levels_line_shift(const struct tp_agent_cache caches[TP_LEVELS]);

/*
 * An access to `bytes` bytes upwards from `address`: adds what it moves of lines that are followed,
 * times 2^sample_shift, to the level where each line was. bytes_from[1..3] are caches, [4] is
 * memory.
 */
void tp_levels_access(struct tp_levels *levels, uint64_t address, uint64_t bytes,
		      uint64_t bytes_from[TP_AGENT_LEVELS]);

#endif
