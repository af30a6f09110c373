/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing arrays: the owner's struct has `items`, `n` and `cap`. */
#ifndef TPROF_BASE_VEC_H
#define TPROF_BASE_VEC_H

#include <stddef.h>

#include "base/status.h"

/* Makes room for at least `want` items and keeps the contents; `cap` is the room there is. */
#define TP_RESERVE(items, cap, want)                                                               \
	((items) = tp_vec_grow((items), &(cap), (want), sizeof(*(items))))
void *tp_vec_grow(void *items, size_t *cap, size_t want, size_t size_bytes);

/* The same for callers that still ask; always TP_OK. */
enum tp_status tp_vec_reserve(void **items, size_t *cap, size_t want, size_t size_bytes);

#define TP_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define TP_MIN(a, b)	   ((a) < (b) ? (a) : (b))
#define TP_MAX(a, b)	   ((a) > (b) ? (a) : (b))

#endif
