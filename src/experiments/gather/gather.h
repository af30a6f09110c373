/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lists of indexes, after the study of gathers in MARTA (Horro, Pouchet, Rodriguez, Tourino 2022):
 * element 0 lies at the beginning of a line; each other element k lies beside it (k), half a line
 * further (half a line - 1 + k), or in a line of its own (k lines).
 */
#ifndef TPROF_EXPERIMENTS_GATHER_GATHER_H
#define TPROF_EXPERIMENTS_GATHER_GATHER_H

#include <stddef.h>
#include <stdint.h>

/* With more elements there are too many lists of all kinds: 3 times as many for each. */
enum { TP_GATHER_ALL_MOST = 8 };

/* How many lists there are of so many elements (2 or more). */
size_t tp_gather_all_lists(unsigned elements);

/* List i of these, in the order of numbers of base 3; the last element counts most. */
void tp_gather_all_list(unsigned elements, unsigned element_bytes, size_t i, uint32_t *index);

/* The list whose last `lines` - 1 elements lie in lines of their own, the others beside the first.
 */
void tp_gather_lines_list(unsigned elements, unsigned element_bytes, unsigned lines,
			  uint32_t *index);

#endif
