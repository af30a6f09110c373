/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of all experiments, for tests that name some of them. */
#ifndef TPROF_TESTS_ALL_OPTIONS_H
#define TPROF_TESTS_ALL_OPTIONS_H

#include "experiments/autotune/row.h"
#include "experiments/counters/row.h"
#include "experiments/program/row.h"
#include "preset/shared_options.h"

extern const struct tp_option TP_OPT_STRIDE[1], TP_OPT_FLOPS_PER_BYTE[1];

#endif
