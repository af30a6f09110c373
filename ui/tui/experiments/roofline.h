/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What screens that draw roofs share: a roofline that grows with the run, a dot in words. */
#ifndef TPROF_UI_TUI_EXPERIMENTS_ROOFLINE_H
#define TPROF_UI_TUI_EXPERIMENTS_ROOFLINE_H

#include "record/dot.h"
#include "ui/tui/widgets/plotview.h"

/* As tp_shown.grow. */
bool tp_roofline_grow(struct tp_app *app, const struct tp_point *point, struct tp_area area,
		      struct tp_picture *picture);

/* Good, warning or bad: how far below its roof a dot lies. */
enum tp_role tp_dot_role(const struct tp_dot *dot);
/* What the cursor reads of a dot. */
void tp_roofline_read_dot(const struct tp_plotview *view, const struct tp_origin *origin,
			  struct tp_text_row first, struct tp_text_row second);

#endif
