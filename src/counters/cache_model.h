/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Caches of an emulated core: set-associative, least recently used line out, write-allocate, write-
 * back. A line that misses is brought into every level that missed it. A line that leaves a level
 * stays in the others (neither inclusive nor exclusive). Addresses are used as they are, in set
 * (line mod sets).
 */
#ifndef TPROF_COUNTERS_CACHE_MODEL_H
#define TPROF_COUNTERS_CACHE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/emulation.h"

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

/* False when out of memory. */
bool tp_cache_model_init(struct tp_cache_model *model, const struct tp_emulated_cache *cache);
void tp_cache_model_release(struct tp_cache_model *model);
void tp_cache_model_clear(struct tp_cache_model *model);

enum { TP_HIERARCHY_LEVELS = 4, TP_HIERARCHY_MEMORY = TP_HIERARCHY_LEVELS };

struct tp_hierarchy {
	struct tp_cache_model data[TP_HIERARCHY_LEVELS]; /* [1..3] */
	struct tp_cache_model code;
	uint64_t writebacks; /* modified lines that went to memory */
};

enum tp_status tp_hierarchy_init(struct tp_hierarchy *hierarchy,
				 const struct tp_emulated_machine *machine, struct tp_diag *diag);
void tp_hierarchy_release(struct tp_hierarchy *hierarchy);
void tp_hierarchy_clear(struct tp_hierarchy *hierarchy); /* modified lines are forgotten */

/*
 * Accesses `bytes` at `address`, in as many lines as it touches. Returns the farthest level that
 * one of them came from: 1 = all hit L1d, ... TP_HIERARCHY_MEMORY.
 */
unsigned tp_hierarchy_access(struct tp_hierarchy *hierarchy, uint64_t address, unsigned bytes,
			     bool write);
/* Fetches one line of code: 1 = it hit L1i, else the level it came from. */
unsigned tp_hierarchy_fetch(struct tp_hierarchy *hierarchy, uint64_t address);

#endif
