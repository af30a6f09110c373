/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A laid out scene as SVG elements. Private to the room. */
#ifndef TPROF_PLOT_SVG_DRAW_H
#define TPROF_PLOT_SVG_DRAW_H

#include "ui/plot/svg_layout.h"

void tp_svg_draw(const struct tp_scene *scene, const struct tp_svg_layout *layout,
		 struct tp_str *out);
void tp_svg_draw_label(struct tp_str *out, const struct tp_svg_label *label);

#endif
