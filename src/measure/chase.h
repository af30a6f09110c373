/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a chase walks along: one pointer in every cache line, each to the pointer of another line, all of them one cycle in random order.
 * No prefetcher can tell the next line from the ones before, and every load waits for the one before it.
 */
#ifndef TPROF_MEASURE_CHASE_H
#define TPROF_MEASURE_CHASE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { TP_CHASE_LINE_BYTES = 64 };

/*
 * Writes such a cycle into [data, data + bytes), which lies on lines, a multiple of 64 bytes of at most 2^32 lines; *first is one of its
 * pointers. The order and the place of the pointer in its line come from `seed` alone. All lines are written in the order of the cycle,
 * and read again up to *first, so the caches are left as by a chase that has gone round. Needs 4 bytes a line while it works: TP_NOMEM.
 */
enum tp_status tp_chase_write(void *data, size_t bytes, uint64_t seed, void **first,
			      struct tp_diag *diag);

#endif
