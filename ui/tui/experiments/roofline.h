/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What screens that draw roofs share: a roofline that grows with the run, a dot in words. */
#ifndef TPROF_UI_TUI_EXPERIMENTS_ROOFLINE_H
#define TPROF_UI_TUI_EXPERIMENTS_ROOFLINE_H

#include "record/dot.h"
#include "ui/tui/widgets/plotview.h"

/* As tp_shown.grow. */
bool tp_roofline_grow(struct tp_app *app, const struct tp_point *point, struct tp_area area,
		      struct tp_picture *picture);

/* As of struct tp_plot_kind. */
void tp_roofline_read(const struct tp_plotview *view, const struct tp_origin *origin,
		      struct tp_text_row first, struct tp_text_row second);
size_t tp_roofline_what_if(const struct tp_plotview *view, size_t which);
/* The roofline of the first run, or all runs on each other; `picture->threads` is set. */
bool tp_roofline_draw(struct tp_plotview *view, const struct tp_app *app, unsigned run,
		      const char *precision, struct tp_area area);

#endif
