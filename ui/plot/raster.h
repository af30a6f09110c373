/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws a laid out scene into cells. Screens that have their own way of showing cells start here. */
#ifndef TPROF_PLOT_RASTER_H
#define TPROF_PLOT_RASTER_H

#include "ui/plot/canvas.h"
#include "ui/plot/layout.h"

/* `canvas` is clean and of the layout's size; its glyphs decide how lines, axes and points look. */
void tp_raster_draw(const struct tp_scene *scene, const struct tp_layout *layout,
		    struct tp_canvas *canvas);

#endif
