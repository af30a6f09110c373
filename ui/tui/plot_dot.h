/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixed dots in words; for the screens that show them. */
#ifndef TPROF_TUI_PLOT_DOT_H
#define TPROF_TUI_PLOT_DOT_H

#include "ui/tui/plotview.h"

/* How a distance from the roof looks: below LIMIT percent it is worth a look. */
#define TP_DOT_FAR_PERCENT  (-10.0)
#define TP_DOT_NEAR_PERCENT (-2.0)
#define TP_DOT_SAME_PERCENT 0.05
enum tp_role tp_dot_role(const struct tp_dot *dot);

/* The two lines under the plot, for the dot that the cursor is on. */
void tp_dot_read(const struct tp_plotview *view, const struct tp_origin *origin,
		 struct tp_area area);

#endif
