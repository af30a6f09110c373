/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that lives and dies together: what is planned or read for a run is released as a whole. */
#ifndef TPROF_BASE_ARENA_H
#define TPROF_BASE_ARENA_H

#include <stddef.h>

struct tp_arena_block;

/* Zero-initialise; release frees everything that came from it. */
struct tp_arena {
	struct tp_arena_block *head;
};

void *tp_arena_alloc(struct tp_arena *arena, size_t size_bytes); /* zeroed, 16-byte aligned */
char *tp_arena_strdup(struct tp_arena *arena, const char *text);
char *tp_arena_strndup(struct tp_arena *arena, const char *text, size_t n);
void tp_arena_release(struct tp_arena *arena);

#endif
