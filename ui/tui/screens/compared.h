/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison of stored runs over the screen of runs: its pictures, and the same as text. */
#ifndef TPROF_UI_TUI_SCREENS_COMPARED_H
#define TPROF_UI_TUI_SCREENS_COMPARED_H

#include "report/compare.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/plot.h"

enum { TP_COMPARED_MAX = 6 };

/* Zero-initialise; release. Nothing is shown while there are no runs. */
struct tp_compared_view {
	struct tp_run *runs; /* heap */
	const struct tp_run *pointers[TP_COMPARED_MAX];
	const char *names[TP_COMPARED_MAX];
	char room[TP_COMPARED_MAX][96]; /* for the names */
	size_t n_runs;
	struct tp_comparison comparison;
	size_t n_alike; /* pairs that are equal */
	struct tp_plot plot;
	size_t page, n_pages; /* pictures */
	bool text; /* in place of the pictures */
	struct tp_doc doc;
};

/*
 * Reads and compares the runs; the first is the baseline. Runs without a point in common, and a
 * single run, are compared across the first dimension that they allow. On failure nothing is shown,
 * and `diag` has the reason.
 */
enum tp_status tp_compared_open(struct tp_compared_view *view, char paths[][TP_PATH_MAX], size_t n,
				struct tp_diag *diag);
void tp_compared_release(struct tp_compared_view *view);
bool tp_compared_is_shown(const struct tp_compared_view *view);
void tp_compared_draw(struct tp_app *app, struct tp_compared_view *view, struct tp_area area);
/* Leaves on BACK and what opened it. */
bool tp_compared_act(struct tp_app *app, struct tp_compared_view *view, enum tp_action action);
void tp_compared_mouse(struct tp_compared_view *view, const struct tp_input *input);

#endif
