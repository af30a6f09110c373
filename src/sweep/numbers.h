/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole numbers and ranges of them, as parameters are written. */
#ifndef TPROF_SWEEP_NUMBERS_H
#define TPROF_SWEEP_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Appends the numbers at *at to `values`, which has room for `most`, and moves behind them: "16",
 * "4K" (binary, as sizes are), "3..20", "16..256*2", "0..100+10". Returns what is wrong, or NULL.
 * Numbers are 0 to 2^40.
 */
const char *tp_sweep_numbers(const char **at, int64_t *values, size_t most, size_t *n);

#endif
