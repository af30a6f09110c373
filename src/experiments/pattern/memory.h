/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to src/experiments/pattern: the arrays of a configuration. */
#ifndef TPROF_EXPERIMENTS_PATTERN_MEMORY_H
#define TPROF_EXPERIMENTS_PATTERN_MEMORY_H

#include "measure/buffer.h"
#include "pattern/pattern.h"

/*
 * Shared arrays lie one after the other in one buffer, those of a thread in a buffer of its own.
 * Nobody has touched them: the code that initialises them decides their NUMA nodes. Arrays without
 * an alignment above a line begin at different places of a page, so that stores to one do not look
 * like loads of another.
 */
struct tp_pattern_memory {
	const struct tp_pattern_config *configuration;
	struct tp_pattern_layout layouts[TP_PATTERN_ARRAYS_MAX];
	struct tp_buffer shared, *own; /* own: one a thread, or NULL */
	uint64_t places[TP_PATTERN_ARRAYS_MAX]; /* of the first element in its buffer */
};

/* TP_RESOURCE, TP_NOMEM. Releasing it is harmless in any case. */
enum tp_status tp_pattern_memory_init(struct tp_pattern_memory *memory,
				      const struct tp_pattern_config *configuration,
				      enum tp_pages pages, struct tp_diag *diag);
void tp_pattern_memory_release(struct tp_pattern_memory *memory);
/* The arguments of a thread, with its arrays. */
void tp_pattern_memory_arguments(const struct tp_pattern_memory *memory, unsigned thread,
				 struct tp_pattern_arguments *arguments);
/* What pages the larger of its buffers got. */
void tp_pattern_memory_pages(const struct tp_pattern_memory *memory, char *out, size_t size);

#endif
