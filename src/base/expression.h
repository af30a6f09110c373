/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arithmetic on named numbers, as presets and patterns write it: n*(n-2), tile_i <= n and
 * n % tile_i == 0, max(n, 16). Numbers are doubles; a comparison is 1 or 0. From weak to strong:
 * or, and, not, comparisons (a <= b < c holds if both do), + -, * / %, unary -. Functions: min,
 * max, abs, floor, ceil, log2, sqrt, exp2.
 */
#ifndef TPROF_BASE_EXPRESSION_H
#define TPROF_BASE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { TP_EXPRESSION_MAX_BYTES = 1000 };

/* The value of a name of `len` bytes; false if there is none of that name. */
typedef bool tp_name_value(void *context, const char *name, size_t len, double *value);

/*
 * TP_USAGE with what is wrong and at which column, also for a division by zero and a result that is
 * no finite number.
 */
enum tp_status tp_expression_eval(const char *text, tp_name_value *names, void *context,
				  double *value, struct tp_diag *diag);

/* Of a name at the beginning of a text: a letter or _, then letters, digits, _; 0 = none. */
size_t tp_identifier_length(const char *text);

#endif
