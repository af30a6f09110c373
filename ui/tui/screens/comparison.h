/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of tprof --compare, which scrolls. */
#ifndef TPROF_TUI_COMPARISON_H
#define TPROF_TUI_COMPARISON_H

#include "base/file.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/list.h"

enum { TP_COMPARISON_RUNS = 6 };

/* Zero-initialise. */
struct tp_comparison_view {
	bool shown;
	struct tp_doc doc;
	struct tp_list list;
	char title[128];
};

/*
 * Reads and compares the runs; the first is the baseline. On failure nothing is shown, `diag` says
 * why.
 */
enum tp_status tp_comparison_view_open(struct tp_comparison_view *view, char paths[][TP_PATH_MAX],
				       size_t n, const struct tp_term *term, struct tp_diag *diag);
void tp_comparison_view_release(struct tp_comparison_view *view);
void tp_comparison_view_draw(struct tp_comparison_view *view, struct tp_area area);
/* Scrolls, and closes the view on BACK, OPEN and COMPARE. */
bool tp_comparison_view_act(struct tp_comparison_view *view, enum tp_action action);

#endif
