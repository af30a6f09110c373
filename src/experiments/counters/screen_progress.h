/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Points and runs of the experiment counters while they are counted: for the screens Run and
 * Counters.
 */
#ifndef TPROF_TUI_COUNTERS_PROGRESS_H
#define TPROF_TUI_COUNTERS_PROGRESS_H

#include "ui/tui/app.h"
#include "ui/tui/paint.h"
#include "experiments/counters/readings.h"

/* What was read while the kernel of a point ran; all 0 when nothing was. */
struct tp_reading_tally {
	size_t events, rows, repetitions, readings;
};

struct tp_reading_tally tp_point_tally(const struct tp_run *run, const struct tp_point *point);
/*
 * The point in words: family, kernel, readings, the last counts while it is under way. Returns the
 * rows it took.
 */
int tp_counting_text(const struct tp_app *app, const struct tp_point *point, struct tp_area area);
/* One line a family of the run: kernels that ran, and what came of it. */
void tp_counting_run_draw(const struct tp_app *app, struct tp_area area);
/* Both, where there is no class to show yet. */
void tp_counters_progress_draw(const struct tp_app *app, struct tp_area area);

#endif
