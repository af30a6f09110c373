/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to this room: the rows of the source table. */
#ifndef TPROF_COUNTERS_SOURCES_H
#define TPROF_COUNTERS_SOURCES_H

#include "counters/source.h"

extern const struct tp_source_kind tp_source_papi, tp_source_emulated, tp_source_perf;

#endif
