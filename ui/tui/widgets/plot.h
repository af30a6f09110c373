/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A plot on the screen: a picture that is drawn once and painted often, with a cursor that reads
 * it, zoom, and axes that can be turned. The widget handles series and their origins, not
 * experiments. Pictures of runs, page by page, are in plotview.h.
 */
#ifndef TPROF_UI_TUI_WIDGETS_PLOT_H
#define TPROF_UI_TUI_WIDGETS_PLOT_H

#include "plot/canvas.h"
#include "report/pictures.h"
#include "ui/tui/screen.h"

/* The axes of a picture that grows: they widen, but never shrink, so that points do not wander. */
struct tp_held_axes {
	bool any;
	struct tp_scale x, y;
};

void tp_axes_hold(struct tp_held_axes *held, struct tp_scene *scene);
/* The axis of sizes has room for all curves of the plan that are shown with a point's. */
void tp_axes_hold_sizes(struct tp_scene *scene, const struct tp_run *run,
			const struct tp_point *like);

/* Zero-initialise. */
struct tp_plot {
	struct tp_picture *picture; /* owned; NULL = nothing to show */
	/* It as cells, and what these were drawn for. */
	struct tp_scene scene;
	struct tp_canvas canvas;
	int columns, rows;
	enum tp_plot_glyphs glyphs;
	bool laid;
	double zoom[4]; /* x from, to, y from, to; all 0 = everything */
	bool turn_x, turn_y; /* a logarithmic axis becomes linear, a linear one logarithmic */
	struct tp_held_axes held; /* while a run grows */
	/* The cursor: at any place of a line, else on a point. */
	size_t series, point;
	double x, y;
	char label[64]; /* of its series in the last picture, by which it is found in the next */
	bool placed; /* by the user: it stays where it is when the picture is remade */
	/*
	 * All points count as one row from left to right: steps ignore which series a point belongs
	 * to, and the mouse ignores how high it is. No series is selected.
	 */
	bool by_x;
	struct tp_area area; /* where it was painted last; for the mouse */
};

/* Drops the picture; cursor, zoom and axes stay. */
void tp_plot_drop(struct tp_plot *plot);
/* An empty picture in place of the last one. */
struct tp_picture *tp_plot_renew(struct tp_plot *plot);
/*
 * Lays the picture out for an area unless that was done. `grows`: the axes hold their ends. False
 * if there is nothing to show.
 */
bool tp_plot_fit(struct tp_plot *plot, const struct tp_app *app, struct tp_area area, bool grows);
/* The plot, and over it the cursor. Needs tp_plot_fit. */
void tp_plot_paint(const struct tp_plot *plot);
void tp_plot_paint_cursor(const struct tp_plot *plot);

/* Braille, blocks, ASCII in turn, for all plots. */
void tp_plot_change_glyphs(struct tp_app *app);
/* Cursor, zoom, axes, glyphs: false for other actions. */
bool tp_plot_act(struct tp_plot *plot, struct tp_app *app, enum tp_action action);
/* A press sets the cursor; the wheel moves it along its series: up to the right. */
void tp_plot_mouse(struct tp_plot *plot, const struct tp_input *input);
void tp_plot_zoom_all(struct tp_plot *plot);

/* --- the cursor --- */

/* What the cursor is on; NULL if nothing. */
const struct tp_origin *tp_plot_origin(const struct tp_plot *plot);
/*
 * Once a picture is made: where the cursor was, or on the point `latest` (-1 = none), or on the
 * first series.
 */
void tp_plot_settle(struct tp_plot *plot, long latest);
/* To a point of a series, or to the point of any series that is nearest to x. */
void tp_plot_go(struct tp_plot *plot, size_t series, size_t point);
void tp_plot_go_to_x(struct tp_plot *plot, double x);
void tp_plot_step(struct tp_plot *plot, int by);
void tp_plot_end(struct tp_plot *plot, bool last);
/* The series above or below. */
void tp_plot_change_series(struct tp_plot *plot, bool up);

#endif
