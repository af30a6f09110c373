/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core of points and their samples as tables. */
#ifndef TPROF_RECORD_POINT_TABLE_H
#define TPROF_RECORD_POINT_TABLE_H

#include "record/schema.h"

extern const struct tp_table tp_point_table, tp_sample_table;

#endif
