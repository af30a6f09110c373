/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the Run screen shows of a roofline that grows. */
#ifndef TPROF_TUI_ROOFLINE_H
#define TPROF_TUI_ROOFLINE_H

#include "ui/tui/widgets/plotview.h"

/* A roofline that grows with the run: `grow` of struct tp_shown. */
bool tp_roofline_grow(struct tp_app *app, const struct tp_point *point, struct tp_area area,
		      struct tp_picture *picture);

#endif
