/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trees of questions as drawings in an SVG document: the root left, leaves right. */
#ifndef TPROF_PLOT_SVG_TREE_H
#define TPROF_PLOT_SVG_TREE_H

#include "plot/svg.h"

/* Everything is borrowed. Children lie behind their parents; node 0 is the root. */
struct tp_svg_node {
	const char *title; /* what is asked about, or what a leaf says */
	const char *test; /* of a question: the rest of it, in a line of its own: "<= 7" */
	const char *words; /* below it */
	const double *shares; /* of each category, for a bar; sum 1 */
	size_t n_shares;
	size_t yes, no; /* of a leaf 0 */
};

/*
 * Adds the drawing from (x, y) on, at most `width` px wide, and returns the y where it ends. Texts
 * are cut to their places. When memory runs out, out->oom is set.
 */
double tp_svg_tree(struct tp_str *out, const struct tp_svg_node *nodes, size_t n, double x,
		   double y, double width);

#endif
