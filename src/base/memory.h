/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory that is there or the process ends: one line on standard error, status TP_EXIT_MEMORY. What
 * a run has finished is in its journal by then. Buffers of a size that a user chose come from malloc
 * or mmap instead, and their owner says what did not fit.
 */
#ifndef TPROF_BASE_MEMORY_H
#define TPROF_BASE_MEMORY_H

#include <stddef.h>

/* n items of size_bytes, zeroed; never NULL, the caller frees. */
void *tp_alloc(size_t n, size_t size_bytes) __attribute__((malloc, returns_nonnull));
/* Room for n items of size_bytes with the contents of `items` (may be NULL); never NULL. */
void *tp_realloc(void *items, size_t n, size_t size_bytes) __attribute__((returns_nonnull));
char *tp_strdup(const char *text) __attribute__((malloc, returns_nonnull));
char *tp_strndup(const char *text, size_t n) __attribute__((malloc, returns_nonnull));
/* Ends the process as above, for memory that a library could not get. */
void tp_out_of_memory(void) __attribute__((noreturn, cold));

/* Releases a variable at the end of its scope: TP_CLEANUP(tp_str_release) struct tp_str text = { 0 }; */
#define TP_CLEANUP(release) __attribute__((cleanup(release)))
/* The same for a pointer from the heap: TP_FREE char *path = tp_strdup(name); */
#define TP_FREE TP_CLEANUP(tp_free_variable)
void tp_free_variable(void *variable); /* the address of a pointer */

#endif
