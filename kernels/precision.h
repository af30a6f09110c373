/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of numbers that kernels compute with. */
#ifndef TPROF_KERNELS_PRECISION_H
#define TPROF_KERNELS_PRECISION_H

#include <stddef.h>

enum tp_format {
	TP_FORMAT_IEEE, /* floating point of 8, 4 or 2 bytes */
	TP_FORMAT_BFLOAT, /* the upper half of a float of 4 bytes */
	TP_FORMAT_INTEGER
};

/*
 * Below 4 bytes a precision is narrow: few instructions compute with it, and those are rows of
 * narrow.h.
 */
struct tp_precision {
	const char *name; /* "double", as in presets and results */
	unsigned element_bytes;
	enum tp_format format;
};

enum { TP_PRECISIONS = 5, TP_LEAST_ELEMENT_BYTES = 4 /* of what is not narrow */ };

extern const struct tp_precision tp_precision_table[TP_PRECISIONS]; /* from wide to narrow */

const struct tp_precision *tp_precision_find(const char *name); /* NULL if there is none */
/* Never NULL: double for what no row is, such as the pointers of a chase. */
const struct tp_precision *tp_precision_of(unsigned element_bytes, enum tp_format format);

static inline int tp_precision_is_narrow(const struct tp_precision *precision)
{
	return precision->element_bytes < TP_LEAST_ELEMENT_BYTES;
}

#endif
