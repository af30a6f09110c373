/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/gather/lists.h"
#include "kernels/kernel.h"

size_t tp_gather_all_lists(unsigned elements)
{
	size_t n = 1;
	for (unsigned k = 1; k < elements; k++)
		n *= 3;
	return n;
}

void tp_gather_all_list(unsigned elements, unsigned element_bytes, size_t i, uint32_t *index)
{
	const unsigned line = TP_GATHER_LINE_BYTES / element_bytes;
	index[0] = 0;
	for (unsigned k = 1; k < elements; k++, i /= 3)
		index[k] = i % 3 == 0 ? k : i % 3 == 1 ? line / 2 - 1 + k : line * k;
}

void tp_gather_lines_list(unsigned elements, unsigned element_bytes, unsigned lines,
			  uint32_t *index)
{
	const unsigned line = TP_GATHER_LINE_BYTES / element_bytes;
	for (unsigned k = 0; k < elements; k++)
		index[k] = k + lines > elements ? line * k : k;
}
