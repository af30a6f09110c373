/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parameters with their values in one text: n=1000 tile=16 flags="-O3 -march=native". A value with
 * a blank, a quote or nothing in it stands in double quotes, where \" is a quote and \\ a
 * backslash.
 */
#ifndef TPROF_BASE_PAIRS_H
#define TPROF_BASE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Appends a pair, after a blank unless it is the first. `name` is an identifier. */
void tp_pairs_add(struct tp_str *out, const char *name, const char *value);

/*
 * The next pair from *at on, which moves past it; `name` and `value` are cut to their sizes.
 * False at the end, or if the text is not a pair.
 */
bool tp_pairs_next(const char **at, char *name, size_t name_size, char *value, size_t value_size);
/* The value of that name; false if no pair has it. */
bool tp_pairs_find(const char *pairs, const char *name, char *value, size_t value_size);

#endif
