/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixed kernels in words, for every screen that draws them. */
#ifndef TPROF_TUI_MIXED_H
#define TPROF_TUI_MIXED_H

#include "ui/tui/widgets/plotview.h"

struct tp_dot; /* record/dot.h */

/* Good, warning or bad: how far below its roof a dot lies. */
enum tp_role tp_mixed_role(const struct tp_dot *dot);
/* What the cursor reads of a dot. */
void tp_mixed_read(const struct tp_plotview *view, const struct tp_origin *origin,
		   struct tp_text_row first, struct tp_text_row second);

#endif
