/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points that count events while a kernel of a family runs. */
#ifndef TPROF_EXPERIMENTS_COUNTERS_ROW_H
#define TPROF_EXPERIMENTS_COUNTERS_ROW_H

#include "record/schema.h"

struct tp_count_row {
	char source[64]; /* who counted: "papi", "emulated" */
};

/* One of zeros if the point counts no events. Never NULL. */
const struct tp_count_row *tp_count_row(const struct tp_point *point);
/* The family of a point, "flops" of "flops/dp-256-fma", into `family`; returns its kernel's name.
 */
const char *tp_count_family(const struct tp_point *point, char *family, size_t size);
/* True if both points belong to the same family of the same run of the preset. */
bool tp_count_same_family(const struct tp_point *a, const struct tp_point *b);

#endif
