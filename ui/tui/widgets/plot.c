/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/widgets/plot.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { PAGE_STEPS = 10 };

#define ZOOM_IN	 0.5
#define ZOOM_OUT 2.0

/* --- the picture --- */

void tp_plot_drop(struct tp_plot *plot)
{
	tp_canvas_release(&plot->canvas);
	plot->laid = false;
	tp_picture_free(plot->picture);
	plot->picture = NULL;
}

struct tp_picture *tp_plot_renew(struct tp_plot *plot)
{
	tp_plot_drop(plot);
	return plot->picture = tp_picture_new();
}

static void turn(const struct tp_plot *plot, struct tp_scene *scene)
{
	struct tp_scale *const axes[] = { plot->turn_x ? &scene->x : NULL,
					  plot->turn_y ? &scene->y : NULL };
	for (size_t i = 0; i < TP_COUNT_OF(axes); i++)
		if (axes[i] && axes[i]->unit != TP_UNIT_NAMES)
			axes[i]->kind = axes[i]->kind != TP_SCALE_LINEAR ? TP_SCALE_LINEAR
					: axes[i]->unit == TP_UNIT_BYTES ? TP_SCALE_LOG2
									 : TP_SCALE_LOG10;
	if (plot->turn_y)
		scene->y.min = scene->y.max = 0; /* fitted */
}

static void hold(struct tp_plot *plot)
{
	struct tp_scale x, y;
	tp_scale_fit(&plot->scene, &x, &y);
	if (plot->holds && plot->held_x.kind == x.kind && plot->held_y.kind == y.kind) {
		x.min = fmin(x.min, plot->held_x.min);
		x.max = fmax(x.max, plot->held_x.max);
		y.min = fmin(y.min, plot->held_y.min);
		y.max = fmax(y.max, plot->held_y.max);
	}
	plot->held_x = plot->scene.x = x;
	plot->held_y = plot->scene.y = y;
}

static void lay_out(struct tp_plot *plot, bool grows)
{
	plot->scene = plot->picture->scene;
	plot->scene.title = NULL; /* screens say it above the plot */
	turn(plot, &plot->scene);
	if (grows)
		hold(plot);
	plot->holds = grows;
	if (plot->zoom[1] > plot->zoom[0]) {
		plot->scene.x.min = plot->zoom[0];
		plot->scene.x.max = plot->zoom[1];
		plot->scene.y.min = plot->zoom[2];
		plot->scene.y.max = plot->zoom[3];
	}
	plot->laid = tp_canvas_draw(&plot->canvas, &plot->scene, (size_t)plot->columns,
				    (size_t)plot->rows, plot->glyphs) == TP_OK;
}

bool tp_plot_fit(struct tp_plot *plot, const struct tp_app *app, struct tp_area area, bool grows)
{
	enum tp_plot_glyphs glyphs = app->term.utf8 ? app->glyphs : TP_GLYPHS_ASCII;
	bool same =
		plot->columns == area.columns && plot->rows == area.rows && plot->glyphs == glyphs;
	plot->area = area;
	plot->columns = area.columns;
	plot->rows = area.rows;
	plot->glyphs = glyphs;
	if (plot->picture && !(plot->laid && same))
		lay_out(plot, grows);
	return plot->picture && plot->laid;
}

/* --- painting --- */

void tp_plot_paint(const struct tp_plot *plot)
{
	tp_paint_canvas(plot->area, &plot->canvas);
	if (!tp_plot_origin(plot) || plot->by_x)
		return;
	/* The name of the selected series stands out. */
	struct tp_canvas_box name = tp_canvas_name(&plot->canvas, plot->series);
	tp_paint_role(plot->area, (int)name.row, (int)name.column, (int)name.columns,
		      TP_UI_SELECTED);
}

/*
 * Brackets beside the words of a tile, so that it is seen without colour as well; a bar is pointed
 * at from its axis.
 */
static void paint_area_cursor(const struct tp_plot *plot, const struct tp_series *series)
{
	struct tp_canvas_box box = tp_canvas_area(&plot->canvas, series, plot->point);
	struct tp_area area = plot->area;
	int row = (int)tp_canvas_area_row(&plot->canvas, series, plot->point, &box);
	int column = (int)box.column;
	if (!box.columns)
		return;
	if (series->style == TP_STYLE_BARS) {
		tp_paint_text(area, row, column - 1, TP_UI_SELECTED, ">");
		return;
	}
	tp_paint_role(area, row, column, (int)box.columns, TP_UI_SELECTED);
	if (box.columns < 2)
		return;
	tp_paint_text(area, row, column, TP_UI_SELECTED, "[");
	tp_paint_text(area, row, column + (int)box.columns - 1, TP_UI_SELECTED, "]");
}

/* A thin line down to the axis, and a mark where it reads. */
void tp_plot_paint_cursor(const struct tp_plot *plot)
{
	const struct tp_canvas *canvas = &plot->canvas;
	struct tp_area area = plot->area;
	size_t column, row;
	const struct tp_series *s =
		tp_plot_origin(plot) ? &plot->picture->series[plot->series] : NULL;
	if (s && (s->style == TP_STYLE_TILES || s->style == TP_STYLE_BARS)) {
		paint_area_cursor(plot, s);
		return;
	}
	if (!s || !tp_canvas_find(canvas, plot->x, canvas->y.min, &column, &row))
		return;
	for (size_t r = canvas->plot.row; r < canvas->plot.row + canvas->plot.rows; r++) {
		enum tp_plot_role role;
		uint32_t code = tp_canvas_look(canvas, column, r, &role);
		if (code == ' ' || role == TP_ROLE_GRID)
			tp_paint_cell(area, (int)r, (int)column, area.term->utf8 ? 0x2502 : '|',
				      TP_UI_DIM);
	}
	if (tp_canvas_find(canvas, plot->x, plot->y, &column, &row))
		tp_paint_cell(area, (int)row, (int)column, '+', TP_UI_SELECTED);
}

/* --- input --- */

void tp_plot_zoom_all(struct tp_plot *plot)
{
	memset(plot->zoom, 0, sizeof(plot->zoom));
	plot->laid = false;
}

static void zoom(struct tp_plot *plot, double factor)
{
	if (!plot->laid)
		return;
	const struct tp_scale *scales[2] = { &plot->canvas.x, &plot->canvas.y };
	const double at[2] = { plot->x, plot->y };
	double ends[4];
	for (int i = 0; i < 2; i++) {
		double p = tp_scale_place(scales[i], at[i]);
		p = isfinite(p) ? fmin(fmax(p, 0), 1) : 0.5;
		ends[2 * i] = tp_scale_value(scales[i], p - p * factor);
		ends[2 * i + 1] = tp_scale_value(scales[i], p + (1 - p) * factor);
		if (!isfinite(ends[2 * i]) || !isfinite(ends[2 * i + 1]))
			return;
	}
	/* Out beyond everything is everything; in beyond what numbers can tell apart is nowhere. */
	struct tp_scale x, y;
	struct tp_scene all = plot->picture->scene;
	turn(plot, &all);
	tp_scale_fit(&all, &x, &y);
	if (factor > 1 && ends[0] <= x.min && ends[1] >= x.max && ends[2] <= y.min &&
	    ends[3] >= y.max)
		memset(plot->zoom, 0, sizeof(plot->zoom));
	else if (ends[1] - ends[0] > 1e-9 * fabs(ends[1]) &&
		 ends[3] - ends[2] > 1e-9 * fabs(ends[3]))
		memcpy(plot->zoom, ends, sizeof(ends));
	plot->laid = false;
}

void tp_plot_change_glyphs(struct tp_app *app)
{
	static const char *const names[] = { "Braille dots", "blocks", "ASCII" };
	if (!app->term.utf8) {
		tp_app_say(app, TP_UI_PLAIN, "this terminal shows ASCII only");
		return;
	}
	app->glyphs = (enum tp_plot_glyphs)((app->glyphs + 1) % TP_GLYPHS_COUNT);
	tp_app_say(app, TP_UI_PLAIN, "drawn with %s", names[app->glyphs]);
}

bool tp_plot_act(struct tp_plot *plot, struct tp_app *app, enum tp_action action)
{
	switch (action) {
	case TP_ACTION_LEFT:
	case TP_ACTION_RIGHT:
		tp_plot_step(plot, action == TP_ACTION_RIGHT ? 1 : -1);
		return true;
	case TP_ACTION_PAGE_UP:
	case TP_ACTION_PAGE_DOWN:
		tp_plot_step(plot, action == TP_ACTION_PAGE_DOWN ? PAGE_STEPS : -PAGE_STEPS);
		return true;
	case TP_ACTION_FIRST:
	case TP_ACTION_LAST:
		tp_plot_end(plot, action == TP_ACTION_LAST);
		return true;
	case TP_ACTION_UP:
	case TP_ACTION_DOWN:
		tp_plot_change_series(plot, action == TP_ACTION_UP);
		return true;
	case TP_ACTION_ZOOM_IN:
	case TP_ACTION_ZOOM_OUT:
		zoom(plot, action == TP_ACTION_ZOOM_IN ? ZOOM_IN : ZOOM_OUT);
		return true;
	case TP_ACTION_ZOOM_ALL:
		tp_plot_zoom_all(plot);
		return true;
	case TP_ACTION_SCALE_X:
	case TP_ACTION_SCALE_Y:
		plot->turn_x ^= action == TP_ACTION_SCALE_X;
		plot->turn_y ^= action == TP_ACTION_SCALE_Y;
		tp_plot_zoom_all(plot);
		return true;
	case TP_ACTION_GLYPHS:
		tp_plot_change_glyphs(app);
		return true;
	default:
		return false;
	}
}

void tp_plot_mouse(struct tp_plot *plot, const struct tp_input *input)
{
	if (!plot->laid)
		return;
	if (input->mouse == TP_MOUSE_PRESS)
		tp_plot_jump(plot, input->row, input->column);
	else
		tp_plot_step(plot, input->mouse == TP_MOUSE_WHEEL_UP ? 1 : -1);
}
