/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BLOCK_BYTES = 16384, ALIGN_BYTES = 16 };

struct tp_arena_block {
	struct tp_arena_block *next;
	size_t used, size;
	alignas(ALIGN_BYTES) unsigned char data[];
};

void *tp_arena_alloc(struct tp_arena *arena, size_t size_bytes)
{
	if (size_bytes > SIZE_MAX / 2)
		tp_out_of_memory();
	size_t need = (size_bytes + ALIGN_BYTES - 1) & ~(size_t)(ALIGN_BYTES - 1);
	struct tp_arena_block *block = arena->head;
	if (!block || block->size - block->used < need) {
		size_t size = need > BLOCK_BYTES ? need : BLOCK_BYTES;
		block = tp_alloc(1, sizeof(*block) + size);
		block->size = size;
		block->next = arena->head;
		arena->head = block;
	}
	void *p = block->data + block->used;
	block->used += need;
	return p;
}

char *tp_arena_strndup(struct tp_arena *arena, const char *text, size_t n)
{
	char *copy = tp_arena_alloc(arena, n + 1);
	memcpy(copy, text, n);
	return copy;
}

char *tp_arena_strdup(struct tp_arena *arena, const char *text)
{
	return tp_arena_strndup(arena, text, strlen(text));
}

void tp_arena_release(struct tp_arena *arena)
{
	for (struct tp_arena_block *block = arena->head; block;) {
		struct tp_arena_block *next = block->next;
		free(block);
		block = next;
	}
	arena->head = NULL;
}
