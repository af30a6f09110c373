/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the gathers of a group have in common: medians over lists of indexes. */
#ifndef TPROF_EXPERIMENTS_GATHER_REPORT_H
#define TPROF_EXPERIMENTS_GATHER_REPORT_H

#include "record/run.h"
#include "report/page.h"

/* All lists alike in width, mask, lines, and, if distinguished, elements. */
struct tp_gather_cell {
	unsigned vector_bits, elements, lines; /* elements 0: of any number */
	bool masked;
	size_t n;
	double median_ns, low_ns, high_ns; /* low, high: quartiles over the lists */
	const struct tp_point *middle; /* whose time is the median, or next to it */
};

struct tp_gather_cells {
	struct tp_gather_cell *items; /* by width, mask (on first), elements, lines */
	size_t n;
	size_t n_gathers;
	double *x, *y; /* lines and ns of those whose quality is not poor */
	size_t n_sound;
	unsigned least_elements, most_elements, most_lines;
};

bool tp_gather_in_group(const struct tp_point *point, const struct tp_group *group);

/* No items if the group has no gathers. */
void tp_gather_cells_make(const struct tp_run *run, const struct tp_group *group, bool by_elements,
			  struct tp_gather_cells *cells);
void tp_gather_cells_release(struct tp_gather_cells *cells);

/* The cell that contains a point of the group, if elements are distinguished; NULL if none. */
const struct tp_gather_cell *tp_gather_cell_of(const struct tp_gather_cells *cells,
					       const struct tp_point *point);

/* A straight line through all sound gathers, by least squares; and what lines have to do with it.
 */
struct tp_gather_fit {
	double first_ns; /* of one line */
	double line_ns; /* of each further line */
	double r2;
	double explained; /* share of the variance between numbers of lines: eta squared */
};

/* False with fewer than two different numbers of lines. */
bool tp_gather_fit(const struct tp_gather_cells *cells, struct tp_gather_fit *fit);

/* Every group once, in the order of the points. The number of groups. */
enum { TP_GATHER_GROUPS_MAX = 64 };

size_t tp_gather_groups(const struct tp_run *run, struct tp_group groups[TP_GATHER_GROUPS_MAX]);

#endif
