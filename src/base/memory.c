/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/memory.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void tp_out_of_memory(void)
{
	static const char line[] = "tprof: out of memory\n";
	ssize_t written = write(STDERR_FILENO, line, sizeof(line) - 1);
	(void)written;
	/* stdio buffers are not flushed: they may hold half a line, or one that a parent also
	 * writes. */
	quick_exit(TP_EXIT_MEMORY);
}

void *tp_alloc(size_t n, size_t size_bytes)
{
	void *items = calloc(n ? n : 1, size_bytes ? size_bytes : 1);
	if (!items)
		tp_out_of_memory();
	return items;
}

void *tp_realloc(void *items, size_t n, size_t size_bytes)
{
	void *moved = reallocarray(items, n ? n : 1, size_bytes ? size_bytes : 1);
	if (!moved)
		tp_out_of_memory();
	return moved;
}

char *tp_strndup(const char *text, size_t n)
{
	char *copy = strndup(text, n);
	if (!copy)
		tp_out_of_memory();
	return copy;
}

char *tp_strdup(const char *text)
{
	return tp_strndup(text, strlen(text));
}

void tp_free_variable(void *variable)
{
	free(*(void **)variable);
}

void *tp_vec_grow(void *items, size_t *cap, size_t want, size_t size_bytes)
{
	if (want <= *cap)
		return items;
	size_t grown = *cap ? *cap * 2 : 8;
	if (grown < want)
		grown = want;
	*cap = grown;
	return tp_realloc(items, grown, size_bytes);
}

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
