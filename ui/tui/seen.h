/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a view was made from, in one number (FNV-1a): while it stays the same, nothing has to be laid out anew. */
#ifndef TPROF_TUI_SEEN_H
#define TPROF_TUI_SEEN_H

#include <stdint.h>

#define TP_SEEN_START UINT64_C(14695981039346656037)

static inline void tp_seen_mix(uint64_t *seen, uint64_t value)
{
	*seen = (*seen ^ value) * UINT64_C(1099511628211);
}

#endif
