/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of the source table, one file or a few each. Private to this room. */
#ifndef TPROF_COUNTERS_SOURCES_H
#define TPROF_COUNTERS_SOURCES_H

#include "counters/source.h"

extern const struct tp_source_kind tp_source_papi, tp_source_emulated;

#endif
