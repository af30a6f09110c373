/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocation that succeeds or ends the process, with one line on standard error and status
 * TP_EXIT_MEMORY. Finished points are in the journal by then. Buffers whose size a user chose come
 * from malloc or mmap instead, and their owner reports what did not fit.
 */
#ifndef TPROF_BASE_MEMORY_H
#define TPROF_BASE_MEMORY_H

#include <stddef.h>

#include "base/status.h"

/* n items of size_bytes, zeroed; never NULL, the caller frees. */
void *tp_alloc(size_t n, size_t size_bytes) __attribute__((malloc, returns_nonnull));

/* Room for n items of size_bytes with the contents of `items` (may be NULL); never NULL. */
void *tp_realloc(void *items, size_t n, size_t size_bytes) __attribute__((returns_nonnull));
char *tp_strdup(const char *text) __attribute__((malloc, returns_nonnull));
char *tp_strndup(const char *text, size_t n) __attribute__((malloc, returns_nonnull));

/* Ends the process as above, for memory that a library could not get. */
void tp_out_of_memory(void) __attribute__((noreturn, cold));

/* Releases a variable at the end of its scope: TP_CLEANUP(tp_str_release) struct tp_str text = { 0
 * }; */
#define TP_CLEANUP(release) __attribute__((cleanup(release)))

/* The same for a pointer from the heap: TP_FREE char *path = tp_strdup(name); */
#define TP_FREE TP_CLEANUP(tp_free_variable)

void tp_free_variable(void *variable); /* the address of a pointer */

/* Growing arrays: the owner's struct has `items`, `n` and `cap`. */

/* Makes room for at least `want` items and keeps the contents; `cap` is the capacity. */
#define TP_RESERVE(items, cap, want)                                                               \
	((items) = tp_vec_grow((items), &(cap), (want), sizeof(*(items))))

void *tp_vec_grow(void *items, size_t *cap, size_t want, size_t size_bytes);

#define TP_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define TP_MIN(a, b)	   ((a) < (b) ? (a) : (b))
#define TP_MAX(a, b)	   ((a) > (b) ? (a) : (b))

/* Memory with one lifetime: everything planned or read for a run is released at once. */

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
