/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing arrays: `items`, `n`, `cap` side by side in the owner's struct. */
#ifndef TPROF_BASE_VEC_H
#define TPROF_BASE_VEC_H

#include <stddef.h>

#include "base/status.h"

/* Makes room for at least `want` items of `size_bytes`; contents stay. TP_NOMEM leaves all as it was. */
enum tp_status tp_vec_reserve(void **items, size_t *cap, size_t want, size_t size_bytes);

#define TP_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define TP_MIN(a, b)	   ((a) < (b) ? (a) : (b))
#define TP_MAX(a, b)	   ((a) > (b) ? (a) : (b))

#endif
