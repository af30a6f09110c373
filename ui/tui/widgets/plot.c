/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A picture with a cursor: anywhere along a line, else from point to point. */
#include "ui/tui/widgets/plot.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/memory.h"

/* A terminal cell is about twice as high as wide. */
#define CELL_HEIGHT 2.0

static enum tp_reads reads(const struct tp_plot *plot, size_t series)
{
	const struct tp_picture *picture = plot->picture;
	if (!picture || series >= picture->n_series || !picture->series[series].n)
		return TP_READS_NOTHING;
	return picture->origins[series].reads;
}

const struct tp_origin *tp_plot_origin(const struct tp_plot *plot)
{
	return reads(plot, plot->series) ? &plot->picture->origins[plot->series] : NULL;
}

static double line_at(const struct tp_origin *origin, double x)
{
	return fmin(origin->limit, origin->slope * x);
}

/* How far apart two places of the x axis are. */
static double distance(const struct tp_plot *plot, double a, double b)
{
	return plot->picture->scene.x.kind == TP_SCALE_LINEAR ? fabs(a - b) : fabs(log(a) - log(b));
}

/* The point of a series that is nearest to x along its axis. */
static size_t nearest(const struct tp_plot *plot, size_t series, double x)
{
	const struct tp_series *s = &plot->picture->series[series];
	size_t best = 0;
	double least = INFINITY;
	for (size_t i = 0; i < s->n; i++) {
		double away = distance(plot, s->x[i], x);
		if (away < least) {
			least = away;
			best = i;
		}
	}
	return best;
}

/* Onto the selected series at x, or at its point. */
static void land(struct tp_plot *plot)
{
	const struct tp_series *s = &plot->picture->series[plot->series];
	/* Kept now: when the picture is dropped, the run that its names lie in may be gone. */
	if (s->label)
		tp_copy(plot->label, sizeof(plot->label), s->label);
	if (reads(plot, plot->series) == TP_READS_LINE) {
		plot->y = line_at(&plot->picture->origins[plot->series], plot->x);
		return;
	}
	plot->point = TP_MIN(plot->point, s->n - 1);
	plot->x = s->x[plot->point];
	plot->y = s->y[plot->point];
}

void tp_plot_go(struct tp_plot *plot, size_t series, size_t point)
{
	if (!reads(plot, series))
		return;
	plot->series = series;
	plot->point = point;
	land(plot);
}

void tp_plot_go_to_x(struct tp_plot *plot, double x)
{
	double least = INFINITY;
	size_t series = plot->series;
	for (size_t i = 0; plot->picture && i < plot->picture->n_series; i++) {
		if (reads(plot, i) != TP_READS_POINTS)
			continue;
		double away = distance(plot, plot->picture->series[i].x[nearest(plot, i, x)], x);
		if (away < least) {
			least = away;
			series = i;
		}
	}
	if (isfinite(least))
		tp_plot_go(plot, series, nearest(plot, series, x));
}

/* Background series have the last colour: it is selected only if there is nothing else. */
static bool select_first(struct tp_plot *plot)
{
	for (int back = 0; back < 2; back++)
		for (size_t i = 0; i < plot->picture->n_series; i++)
			if (reads(plot, i) &&
			    (back || plot->picture->series[i].role != TP_ROLE_SERIES_5)) {
				plot->series = i;
				return true;
			}
	return false;
}

/* The point that came last, if it is in the picture. */
static bool follow(struct tp_plot *plot, long latest)
{
	for (size_t i = 0; latest >= 0 && i < plot->picture->n_series; i++) {
		size_t n = reads(plot, i) == TP_READS_POINTS ? plot->picture->series[i].n
							     : reads(plot, i) == TP_READS_LINE;
		for (size_t k = 0; k < n; k++)
			if (tp_origin_point(&plot->picture->origins[i], k) == latest) {
				plot->series = i;
				plot->point = k;
				return true;
			}
	}
	return false;
}

static bool has_label(const struct tp_plot *plot, size_t series)
{
	const char *label = reads(plot, series) ? plot->picture->series[series].label : NULL;
	return label && strncmp(label, plot->label, sizeof(plot->label) - 1) == 0;
}

void tp_plot_settle(struct tp_plot *plot, long latest)
{
	/* The cursor's series may have another number, as others were hidden or added. */
	bool lost = plot->placed && *plot->label && !has_label(plot, plot->series);
	for (size_t i = 0; lost && i < plot->picture->n_series; i++)
		if (has_label(plot, i)) {
			plot->series = i;
			lost = false;
		}
	bool kept = reads(plot, plot->series);
	if (!plot->placed && follow(plot, latest))
		kept = true;
	else if (!plot->placed || !kept)
		kept = select_first(plot);
	else if (reads(plot, plot->series) == TP_READS_POINTS)
		plot->point = nearest(plot, plot->series, plot->x);
	if (!kept) {
		plot->x = plot->y = 0;
		plot->series = plot->picture->n_series;
		return;
	}
	const struct tp_scale *x = &plot->picture->scene.x;
	const struct tp_origin *o = tp_plot_origin(plot);
	if (!plot->placed && o->reads == TP_READS_LINE) {
		/* Where the line bends, else in the middle. */
		double bend = o->limit / o->slope;
		plot->x = bend > 0 && isfinite(bend) ? bend : sqrt(x->min * x->max);
	} else if (!plot->placed && latest < 0) {
		plot->point = plot->picture->series[plot->series].n / 2;
	}
	land(plot);
}

/* The next point to the right or left, in any series; false at the end. */
static bool step_by_x(struct tp_plot *plot, bool right)
{
	double from = plot->x, least = INFINITY;
	for (size_t i = 0; i < plot->picture->n_series; i++) {
		const struct tp_series *s = &plot->picture->series[i];
		for (size_t k = 0; reads(plot, i) && k < s->n; k++) {
			double away = right ? s->x[k] - from : from - s->x[k];
			if (away > 0 && away < least) {
				least = away;
				tp_plot_go(plot, i, k);
			}
		}
	}
	return isfinite(least);
}

void tp_plot_step(struct tp_plot *plot, int by)
{
	bool line = reads(plot, plot->series) == TP_READS_LINE;
	if (!tp_plot_origin(plot) || (line && !plot->laid))
		return;
	plot->placed = true;
	if (line) {
		double step = 1 / (double)TP_MAX(plot->canvas.plot.columns - 1, (size_t)1);
		double place = tp_scale_place(&plot->canvas.x, plot->x);

		/* A line is gone along by columns of the drawn plot. */
		if (!isfinite(place))
			place = 0.5;
		place = fmin(fmax(place + by * step, 0), 1);
		plot->x = tp_scale_value(&plot->canvas.x, place);
	} else if (plot->by_x) {
		for (int n = TP_MAX(by, -by); n && step_by_x(plot, by > 0);)
			n--;
	} else {
		long last = (long)plot->picture->series[plot->series].n - 1;
		plot->point = (size_t)TP_MIN(TP_MAX((long)plot->point + by, 0), last);
	}
	land(plot);
}

void tp_plot_end(struct tp_plot *plot, bool last)
{
	if (reads(plot, plot->series) != TP_READS_LINE) {
		tp_plot_step(plot, last ? INT_MAX : -INT_MAX);
	} else if (plot->laid) {
		plot->placed = true;
		plot->x = last ? plot->canvas.x.max : plot->canvas.x.min;
		land(plot);
	}
}

/* How high a series is where the cursor is: the order in which Up and Down go. */
static double height(const struct tp_plot *plot, size_t series)
{
	if (reads(plot, series) == TP_READS_LINE)
		return line_at(&plot->picture->origins[series], plot->x);
	return plot->picture->series[series].y[nearest(plot, series, plot->x)];
}

/*
 * True if series a lies above b; those as high as each other by number, the first above. Dots come
 * after all lines.
 */
static bool above(const struct tp_plot *plot, size_t a, size_t b)
{
	if (reads(plot, a) != reads(plot, b))
		return reads(plot, a) == TP_READS_LINE;
	double ya = height(plot, a), yb = height(plot, b);
	return ya > yb || (!(ya < yb) && a < b);
}

void tp_plot_change_series(struct tp_plot *plot, bool up)
{
	if (!tp_plot_origin(plot))
		return;
	size_t best = plot->series;
	for (size_t i = 0; i < plot->picture->n_series; i++) {
		if (i == plot->series || !reads(plot, i) || above(plot, i, plot->series) != up)
			continue;
		if (best == plot->series || above(plot, i, best) != up)
			best = i;
	}
	plot->placed = true;
	plot->series = best;
	plot->point = nearest(plot, best, plot->x);
	land(plot);
}

/* To what is nearest to a cell of the terminal. */
static void plot_jump(struct tp_plot *plot, int row, int column)
{
	const struct tp_canvas_box *in = &plot->canvas.plot;
	double least = INFINITY, x = plot->x;
	size_t series = plot->series, point = plot->point;
	if (!plot->laid || !tp_area_holds(plot->area, row, column))
		return;
	row -= plot->area.row;
	column -= plot->area.column;
	if (column < (int)in->column || column >= (int)(in->column + in->columns) ||
	    (!plot->by_x && (row < (int)in->row || row >= (int)(in->row + in->rows))))
		return;
	double at_x = tp_scale_value(&plot->canvas.x, (column - (double)in->column + 0.25) /
							      (double)(in->columns - 1));
	if (plot->by_x) {
		tp_plot_go_to_x(plot, at_x);
		return;
	}
	for (size_t i = 0; i < plot->picture->n_series; i++) {
		const struct tp_series *s = &plot->picture->series[i];
		const struct tp_origin *o = &plot->picture->origins[i];
		bool line = reads(plot, i) == TP_READS_LINE;
		size_t n = !reads(plot, i) ? 0 : line ? 1 : s->n;
		for (size_t k = 0; k < n; k++) {
			size_t cell_column, cell_row;
			double px = line ? at_x : s->x[k], py = line ? line_at(o, px) : s->y[k];
			if (!tp_canvas_find(&plot->canvas, px, py, &cell_column, &cell_row))
				continue;
			double dx = (double)cell_column - column, dy = (double)cell_row - row;
			double away = hypot(line ? 1 : dx, CELL_HEIGHT * dy);
			if (away < least) {
				least = away;
				series = i;
				point = k;
				x = px;
			}
		}
	}
	if (!isfinite(least))
		return;
	plot->placed = true;
	plot->x = x;
	tp_plot_go(plot, series, point);
}

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

void tp_axes_hold(struct tp_held_axes *held, struct tp_scene *scene)
{
	struct tp_scale x, y;
	tp_scale_fit(scene, &x, &y);
	if (held->any && held->x.kind == x.kind && held->y.kind == y.kind) {
		x.min = fmin(x.min, held->x.min);
		x.max = fmax(x.max, held->x.max);
		y.min = fmin(y.min, held->y.min);
		y.max = fmax(y.max, held->y.max);
	}
	*held = (struct tp_held_axes){ true, x, y };
	scene->x = x;
	scene->y = y;
}

/*
 * A curve whose sizes span this factor reaches from cache to memory: its rates need a logarithmic
 * axis.
 */
#define SIZES_FOR_LOG 64.0

void tp_axes_hold_sizes(struct tp_scene *scene, const struct tp_run *run,
			const struct tp_point *like)
{
	double least = INFINITY, most = 0;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!tp_kernel_row(p)->working_set_bytes || p->run != like->run ||
		    p->threads != like->threads ||
		    strcmp(tp_kernel_row(p)->precision, tp_kernel_row(like)->precision) != 0 ||
		    strcmp(p->experiment, like->experiment) != 0)
			continue;
		least = fmin(least, (double)tp_kernel_row(p)->working_set_bytes);
		most = fmax(most, (double)tp_kernel_row(p)->working_set_bytes);
	}
	if (!(most > 0))
		return;
	scene->x.min = exp2(floor(log2(least)));
	scene->x.max = fmax(exp2(ceil(log2(most))), 2 * scene->x.min);
	scene->y.kind = most / least >= SIZES_FOR_LOG ? TP_SCALE_LOG10 : TP_SCALE_LINEAR;
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
	if (plot->picture && !(plot->laid && same)) {
		plot->scene = plot->picture->scene;
		plot->scene.title = NULL; /* screens show it above the plot */
		turn(plot, &plot->scene);
		if (grows)
			tp_axes_hold(&plot->held, &plot->scene);
		plot->held.any = grows;
		if (plot->zoom[1] > plot->zoom[0]) {
			plot->scene.x.min = plot->zoom[0];
			plot->scene.x.max = plot->zoom[1];
			plot->scene.y.min = plot->zoom[2];
			plot->scene.y.max = plot->zoom[3];
		}
		plot->laid = tp_canvas_draw(&plot->canvas, &plot->scene, (size_t)plot->columns,
					    (size_t)plot->rows, plot->glyphs) == TP_OK;
	}
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
 * Brackets beside the words of a tile, so that it is visible without colour as well; a bar is
 * pointed at from its axis.
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
		tp_paint_text(area, row, (int)plot->canvas.plot.column - 1, TP_UI_SELECTED, ">");
		return;
	}
	tp_paint_role(area, row, column, (int)box.columns, TP_UI_SELECTED);
	if (box.columns < 2)
		return;
	tp_paint_text(area, row, column, TP_UI_SELECTED, "[");
	tp_paint_text(area, row, column + (int)box.columns - 1, TP_UI_SELECTED, "]");
}

/* A thin line to the axis, from a dot only down, and a mark where it reads. */
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
	size_t top = canvas->plot.row;
	if (tp_plot_origin(plot)->drops && tp_canvas_find(canvas, plot->x, plot->y, &column, &row))
		top = row;
	for (size_t r = top; r < canvas->plot.row + canvas->plot.rows; r++) {
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
	/*
	 * Zooming out beyond everything shows everything; zooming in stops at the resolution of
	 * numbers.
	 */
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
		plot_jump(plot, input->row, input->column);
	else
		tp_plot_step(plot, input->mouse == TP_MOUSE_WHEEL_UP ? 1 : -1);
}
