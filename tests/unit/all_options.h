/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of all experiments, for tests that name some of them. */
#ifndef TPROF_TESTS_ALL_OPTIONS_H
#define TPROF_TESTS_ALL_OPTIONS_H

#include "experiments/autotune/options.h"
#include "experiments/counters/options.h"
#include "experiments/latency/options.h"
#include "experiments/loaded/options.h"
#include "experiments/memcurve/options.h"
#include "experiments/mixed/options.h"
#include "experiments/program/options.h"
#include "preset/shared_options.h"

#endif
