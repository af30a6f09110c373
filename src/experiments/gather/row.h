/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points that gather elements from several cache lines. */
#ifndef TPROF_EXPERIMENTS_GATHER_ROW_H
#define TPROF_EXPERIMENTS_GATHER_ROW_H

#include "record/point.h"
#include "record/run.h"

struct tp_gather_row {
	struct tp_kernel_row kernel; /* its times and rates are per gather */
	/* identity */
	unsigned elements, vector_bits;
	bool masked; /* lanes without an element are off */
	bool cold;
	unsigned lines; /* distinct cache lines of a gather */
	char offsets[80]; /* of all elements, "0 1 32" */
	/* found */
	double cycles,
		ticks; /* of a gather: core cycles, ticks of the cycle counter; 0 = unknown */
};

/* One of zeros if the point gathers nothing. Never NULL. */
const struct tp_gather_row *tp_gather_row(const struct tp_point *point);

/* True for a finished point of a gather. */
bool tp_point_is_gather(const struct tp_point *point);

/*
 * A finished gather as a row of numbers: gathers.csv, for further analysis. Made from the points.
 */
enum { TP_GATHER_INDEXES = 16 };

struct tp_gather_found {
	unsigned run, point, threads;
	char isa[16], precision[8], quality[8];
	unsigned vector_bits, elements, lines, index[TP_GATHER_INDEXES];
	bool masked, cold;
	double ns, cycles, ticks, gbps; /* of a gather; 0 = unknown */
};

extern const struct tp_part tp_gather_part;

#define tp_run_gathers(run)   TP_ROWS(run, tp_gather_part, tp_gather_found)
#define tp_run_n_gathers(run) TP_N(run, tp_gather_part)

/* Adds the row of a finished gather to the run. */
void tp_gather_add_found(struct tp_run *run, const struct tp_point *point);

/*
 * Lists of indexes, after the study of gathers in MARTA (Horro, Pouchet, Rodriguez, Tourino 2022):
 * element 0 lies at the beginning of a line; each other element k lies next to it (k), half a line
 * further (half a line - 1 + k), or in its own line (k lines).
 */

/* With more elements there are too many lists of all kinds: 3 times as many for each. */
enum { TP_GATHER_ALL_MOST = 8 };

/* The number of lists for this number of elements (2 or more). */
size_t tp_gather_all_lists(unsigned elements);

/* List i of these, in the order of numbers of base 3; the last element counts most. */
void tp_gather_all_list(unsigned elements, unsigned element_bytes, size_t i, uint32_t *index);

/* The list whose last `lines` - 1 elements lie in separate lines, the others next to the first. */
void tp_gather_lines_list(unsigned elements, unsigned element_bytes, unsigned lines,
			  uint32_t *index);

#endif
