/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cuts between categories as the user moves them. Pure: no terminal. */
#ifndef TPROF_TUI_MINED_CUTS_H
#define TPROF_TUI_MINED_CUTS_H

#include "mining/result.h"

/* Zero-initialise. */
struct tp_mined_cuts {
	double at[TP_CATEGORIES_MAX - 1]; /* rising, in units of the target */
	size_t n, chosen;
	double low, high; /* the smallest and the largest value */
	bool log; /* steps are steps of the logarithm */
};

/* The cuts of what was learned. None: the target has no numbers. */
void tp_mined_cuts_take(struct tp_mined_cuts *cuts, const struct tp_mining *mining);
/* The cut after the chosen one, or before it, around the ends. */
void tp_mined_cuts_choose(struct tp_mined_cuts *cuts, bool next);
/*
 * All of these leave the cuts between the smallest and the largest value, and rising. They return
 * false where nothing changes.
 *
 * MOVE: the chosen cut by steps of a 200th of the range. PUT: to a value, as far as its neighbours
 * let it. ADD: a cut at a value, chosen from now on. HALVE: a cut in the middle of the category
 * above the chosen cut. REMOVE: the chosen cut, but never the last.
 */
bool tp_mined_cuts_move(struct tp_mined_cuts *cuts, int steps);
bool tp_mined_cuts_put(struct tp_mined_cuts *cuts, double value);
bool tp_mined_cuts_add(struct tp_mined_cuts *cuts, double value);
bool tp_mined_cuts_halve(struct tp_mined_cuts *cuts);
bool tp_mined_cuts_remove(struct tp_mined_cuts *cuts);
/* "1.25,3.5": a value of the option mine.cuts. Appended. */
void tp_mined_cuts_text(const struct tp_mined_cuts *cuts, struct tp_str *out);

#endif
