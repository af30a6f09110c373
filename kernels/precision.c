/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/precision.h"

#include <string.h>

const struct tp_precision tp_precision_table[TP_PRECISIONS] = {
	{ "double", 8, TP_FORMAT_IEEE },  { "single", 4, TP_FORMAT_IEEE },
	{ "half", 2, TP_FORMAT_IEEE },	  { "bf16", 2, TP_FORMAT_BFLOAT },
	{ "int8", 1, TP_FORMAT_INTEGER },
};

const struct tp_precision *tp_precision_find(const char *name)
{
	for (size_t i = 0; i < TP_PRECISIONS; i++)
		if (strcmp(tp_precision_table[i].name, name) == 0)
			return &tp_precision_table[i];
	return NULL;
}

const struct tp_precision *tp_precision_of(unsigned element_bytes, enum tp_format format)
{
	for (size_t i = 0; i < TP_PRECISIONS; i++)
		if (tp_precision_table[i].element_bytes == element_bytes &&
		    tp_precision_table[i].format == format)
			return &tp_precision_table[i];
	return &tp_precision_table[0];
}
