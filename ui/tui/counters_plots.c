/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The noise of all events, and the counts of some of them, with a cursor that reads. */
#include "ui/tui/counters_view.h"
#include "base/units.h"
#include "base/vec.h"
#include "report/counters.h"
#include "ui/plot/raster.h"
#include "ui/plot/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_STEPS = 10, WHEEL_STEPS = 1 };

void tp_counters_plot_release(struct tp_counters_plot *plot)
{
	tp_canvas_release(&plot->canvas);
	tp_layout_release(&plot->layout);
	if (plot->picture) {
		tp_arena_release(&plot->picture->arena);
		free(plot->picture);
	}
	*plot = (struct tp_counters_plot){ .turned = plot->turned, .at = plot->at };
}

static void lay_out(struct tp_counters_plot *plot)
{
	tp_canvas_release(&plot->canvas);
	tp_layout_release(&plot->layout);
	plot->laid = false;
	plot->scene = plot->picture->scene;
	plot->scene.title = NULL; /* the tabs say it */
	if (plot->turned) {
		struct tp_scale *y = &plot->scene.y;
		y->kind = y->kind == TP_SCALE_LINEAR ? TP_SCALE_LOG10 : TP_SCALE_LINEAR;
		y->min = y->max = 0; /* fitted */
	}
	if (tp_layout_make(&plot->scene, (size_t)plot->columns, (size_t)plot->rows,
			   &plot->layout) != TP_OK)
		return;
	if (tp_canvas_init(&plot->canvas, (size_t)plot->columns, (size_t)plot->rows,
			   plot->glyphs) != TP_OK)
		return;
	tp_raster_draw(&plot->scene, &plot->layout, &plot->canvas);
	plot->laid = true;
}

/* Laid out for this room and these glyphs; false if there is no picture. */
static bool fit(const struct tp_app *app, struct tp_counters_plot *plot, struct tp_area area)
{
	enum tp_plot_glyphs glyphs = app->term.utf8 ? app->glyphs : TP_GLYPHS_ASCII;
	if (!plot->picture)
		return false;
	if (!plot->laid || plot->columns != area.columns || plot->rows != area.rows ||
	    plot->glyphs != glyphs) {
		plot->columns = area.columns;
		plot->rows = area.rows;
		plot->glyphs = glyphs;
		lay_out(plot);
	}
	return plot->laid;
}

static void paint_cursor(const struct tp_counters_plot *plot, struct tp_area area, double x,
			 double y)
{
	const struct tp_layout_rect *in = &plot->layout.plot;
	double place = tp_scale_place(&plot->layout.x, x);
	size_t dot_column, dot_row;
	if (!(place >= 0 && place <= 1))
		return;
	size_t dots = (size_t)lround(place * (double)(in->columns * TP_DOT_COLUMNS - 1));
	int column = (int)(in->column + dots / TP_DOT_COLUMNS);
	for (size_t r = 0; r < in->rows; r++) {
		enum tp_plot_role role;
		uint32_t code = tp_canvas_look(&plot->canvas, (size_t)column, in->row + r, &role);
		if (code == ' ' || role == TP_ROLE_GRID)
			tp_paint_cell(area, (int)(in->row + r), column,
				      area.term->utf8 ? 0x2502 : '|', TP_UI_DIM);
	}
	if (tp_trace_dot(&plot->layout, x, y, &dot_column, &dot_row))
		tp_paint_cell(area, (int)(in->row + dot_row / TP_DOT_ROWS),
			      (int)(in->column + dot_column / TP_DOT_COLUMNS), '+', TP_UI_SELECTED);
}

/* The picture above, two rows of words below; the area of the words. */
static struct tp_area split(struct tp_counters_view *view, struct tp_area area)
{
	view->plot = tp_area_rows(area, 0, area.rows - TP_COUNTERS_READ_ROWS);
	return tp_area_columns(
		tp_area_rows(area, area.rows - TP_COUNTERS_READ_ROWS, TP_COUNTERS_READ_ROWS), 1,
		area.columns - 2);
}

/* --- noise --- */

static void make_noise(struct tp_counters_view *view, const struct tp_class *class)
{
	struct tp_counters_plot *plot = &view->noise;
	if (plot->picture)
		return;
	size_t *ranks = realloc(view->ranks, (class->n_events + 1) * sizeof(*ranks));
	if (!ranks || !(plot->picture = calloc(1, sizeof(*plot->picture))))
		return;
	view->ranks = ranks;
	view->n_ranks = tp_picture_noise(plot->picture, class, ranks);
	size_t selected = tp_counters_selected(view, class);
	plot->at = 0;
	for (size_t i = 0; i < view->n_ranks; i++)
		if (ranks[i] == selected)
			plot->at = i;
	if (!view->n_ranks)
		tp_counters_plot_release(plot);
}

/* The list's cursor goes along, so that the other views show the same event. */
static void land(struct tp_counters_view *view)
{
	if (view->noise.at < view->n_ranks)
		tp_counters_select(view, view->ranks[view->noise.at]);
}

void tp_counters_noise_draw(struct tp_app *app, struct tp_counters_view *view, struct tp_area area)
{
	const struct tp_class *class = tp_counters_class(app, view);
	struct tp_counters_plot *plot = &view->noise;
	struct tp_area words = split(view, area);
	char noise[32], residual[32];
	make_noise(view, class);
	if (!fit(app, plot, view->plot)) {
		tp_paint_text(area, area.rows / 2, 2, TP_UI_PLAIN,
			      "No event of this family has a noise.");
		return;
	}
	plot->at = TP_MIN(plot->at, view->n_ranks - 1);
	const struct tp_class_event *e = &class->events[view->ranks[plot->at]];
	/* What has no noise is drawn at the bottom, where the picture put it. */
	double y = e->noise;
	for (size_t i = 0; i < plot->picture->n_series; i++) {
		const struct tp_series *s = &plot->picture->series[i];
		for (size_t k = 0; s->style == TP_STYLE_DOTS && k < s->n; k++)
			if (s->x[k] == (double)(plot->at + 1))
				y = s->y[k];
	}
	tp_paint_canvas(view->plot, &plot->canvas);
	paint_cursor(plot, view->plot, (double)(plot->at + 1), y);
	int at = tp_paint_text(words, 0, 0, TP_UI_TITLE, e->name);
	at += tp_paint_format(words, 0, at + 2, TP_UI_STRONG, "noise %s",
			      tp_counters_small(noise, sizeof(noise), e->noise)) +
	      2;
	at += tp_paint_format(words, 0, at + 2, TP_UI_DIM, "%zu of %zu", plot->at + 1,
			      view->n_ranks) +
	      2;
	tp_paint_text(words, 0, at + 2, tp_counters_role(e->fate), e->fate);
	struct tp_str represents = { 0 };
	tp_report_represents(class, view->ranks[plot->at], &represents);
	if (represents.len)
		tp_paint_format(words, 1, 0, TP_UI_PLAIN, "represents %s, residual %s",
				tp_str_text(&represents),
				tp_counters_small(residual, sizeof(residual), e->residual));
	else
		tp_paint_text(words, 1, 0, TP_UI_DIM, "represents nothing these kernels exercise");
	tp_str_release(&represents);
}

/* --- curves --- */

/* The event under the cursor first, then the marked ones; without marks the chosen ones as far as colours go. */
static size_t events_of(const struct tp_counters_view *view, const struct tp_class *class,
			size_t events[TP_PICTURE_EVENTS])
{
	size_t n = 0, selected = tp_counters_selected(view, class);
	if (selected < class->n_events)
		events[n++] = selected;
	for (size_t i = 0; i < view->n_marked && n < TP_PICTURE_EVENTS; i++)
		if (view->marked[i] != selected)
			events[n++] = view->marked[i];
	return n;
}

static void make_curves(const struct tp_app *app, struct tp_counters_view *view,
			const struct tp_class *class)
{
	struct tp_counters_plot *plot = &view->curves;
	const struct tp_run *run = tp_app_run(app);
	size_t events[TP_PICTURE_EVENTS], selected = tp_counters_selected(view, class);
	if (plot->picture && plot->event == selected)
		return;
	tp_counters_plot_release(plot);
	plot->event = selected;
	size_t n = events_of(view, class, events);
	if (!n || !(plot->picture = calloc(1, sizeof(*plot->picture))))
		return;
	if (!tp_picture_counts(plot->picture, class, tp_report_readings(run, class), events, n,
			       NULL))
		tp_counters_plot_release(plot);
	plot->event = selected;
}

/* The dots of the event under the cursor: the first series of them. */
static const struct tp_series *dots_of(const struct tp_counters_plot *plot)
{
	for (size_t i = 0; i < plot->picture->n_series; i++)
		if (plot->picture->series[i].style == TP_STYLE_DOTS)
			return &plot->picture->series[i];
	return NULL;
}

static void read_row(const struct tp_class *class, size_t event, size_t row,
		     const struct tp_series *dots, struct tp_area words)
{
	char size[32];
	double expected = tp_report_expected(class, event, row), x = class->row_x[row];
	int at = tp_paint_text(words, 0, 0, TP_UI_TITLE, class->events[event].name);
	at += tp_paint_format(words, 0, at + 2, TP_UI_STRONG, "%.6g", dots->y[row]) + 2;
	at += tp_paint_format(words, 0, at, TP_UI_DIM, " per %s", class->per);
	if (isfinite(expected)) {
		at += tp_paint_format(words, 0, at + 2, TP_UI_PLAIN, "expected %.6g", expected) + 2;
		if (fabs(dots->y[row] - expected) > 1e-9 * fmax(fabs(expected), 1))
			tp_paint_format(words, 0, at, TP_UI_WARN, " (%+.3g)",
					dots->y[row] - expected);
	}
	at = tp_paint_format(words, 1, 0, TP_UI_PLAIN, "row %zu, %s", row + 1,
			     class->row_names[row]);
	if (isfinite(x) && x >= 1024)
		at += tp_paint_format(words, 1, at, TP_UI_DIM, ", %s",
				      tp_format_bytes(size, sizeof(size), (uint64_t)x));
	struct tp_str ideals = { 0 };
	for (size_t i = 0; i < class->n_ideals; i++) {
		double v = class->expectations[row * class->n_ideals + i];
		if (v != 0)
			tp_str_printf(&ideals, "%s%.4g %s", ideals.len ? ", " : ": ", v,
				      class->ideals[i]);
	}
	tp_paint_text(words, 1, at, TP_UI_DIM, tp_str_text(&ideals));
	tp_str_release(&ideals);
}

void tp_counters_curves_draw(struct tp_app *app, struct tp_counters_view *view, struct tp_area area)
{
	const struct tp_class *class = tp_counters_class(app, view);
	struct tp_counters_plot *plot = &view->curves;
	struct tp_area words = split(view, area);
	make_curves(app, view, class);
	if (!fit(app, plot, view->plot)) {
		tp_paint_wrapped(tp_area_columns(area, 2, TP_MIN(area.columns - 4, 76)),
				 area.rows / 2, 0, TP_UI_PLAIN,
				 tp_counters_selected(view, class) < class->n_events
					 ? "The counts of this family are not in the run."
					 : "No event is selected: e shows the list.");
		return;
	}
	tp_paint_canvas(view->plot, &plot->canvas);
	const struct tp_series *dots = dots_of(plot);
	if (!dots)
		return;
	plot->at = TP_MIN(plot->at, class->n_used - 1);
	paint_cursor(plot, view->plot, dots->x[plot->at], dots->y[plot->at]);
	read_row(class, plot->event, plot->at, dots, words);
}

void tp_counters_curve_beside(struct tp_app *app, struct tp_counters_view *view,
			      struct tp_area area)
{
	const struct tp_class *class = tp_counters_class(app, view);
	if (area.rows < TP_PLOT_ROWS_MIN || area.columns < TP_PLOT_COLUMNS_MIN)
		return;
	make_curves(app, view, class);
	if (fit(app, &view->curves, area))
		tp_paint_canvas(area, &view->curves.canvas);
}

/* --- input --- */

static struct tp_counters_plot *plot_of(struct tp_counters_view *view, const struct tp_class *class,
					size_t *n)
{
	bool noise = view->page == TP_COUNTERS_NOISE;
	*n = noise ? view->n_ranks : class->n_used;
	return noise ? &view->noise : &view->curves;
}

static void step(struct tp_counters_view *view, const struct tp_class *class, long by)
{
	size_t n;
	struct tp_counters_plot *plot = plot_of(view, class, &n);
	if (!n)
		return;
	plot->at = (size_t)TP_MAX(TP_MIN((long)plot->at + by, (long)n - 1), 0L);
	if (view->page == TP_COUNTERS_NOISE)
		land(view);
}

static void next_glyphs(struct tp_app *app)
{
	static const char *const names[] = { "Braille dots", "blocks", "ASCII" };
	if (!app->term.utf8) {
		tp_app_say(app, TP_UI_PLAIN, "this terminal shows ASCII only");
		return;
	}
	app->glyphs = (enum tp_plot_glyphs)((app->glyphs + 1) % TP_GLYPHS_COUNT);
	tp_app_say(app, TP_UI_PLAIN, "drawn with %s", names[app->glyphs]);
}

bool tp_counters_plot_act(struct tp_app *app, struct tp_counters_view *view, enum tp_action action)
{
	const struct tp_class *class = tp_counters_class(app, view);
	bool noise = view->page == TP_COUNTERS_NOISE;
	size_t n;
	struct tp_counters_plot *plot = plot_of(view, class, &n);
	switch (action) {
	case TP_ACTION_LEFT:
	case TP_ACTION_RIGHT:
		step(view, class, action == TP_ACTION_RIGHT ? 1 : -1);
		return true;
	case TP_ACTION_PAGE_UP:
	case TP_ACTION_PAGE_DOWN:
		step(view, class, action == TP_ACTION_PAGE_DOWN ? PAGE_STEPS : -PAGE_STEPS);
		return true;
	case TP_ACTION_FIRST:
	case TP_ACTION_LAST:
		step(view, class, action == TP_ACTION_LAST ? (long)n : -(long)n);
		return true;
	case TP_ACTION_UP:
	case TP_ACTION_DOWN:
		/* Up is a higher noise; in the list of events it is the one before. */
		if (noise)
			step(view, class, action == TP_ACTION_UP ? 1 : -1);
		else
			tp_list_act(&view->events, action);
		return true;
	case TP_ACTION_SCALE_Y:
		plot->turned = !plot->turned;
		plot->laid = false;
		return true;
	case TP_ACTION_GLYPHS:
		next_glyphs(app);
		return true;
	case TP_ACTION_SHOW:
		view->page = noise ? TP_COUNTERS_CURVES : TP_COUNTERS_EVENTS;
		return true;
	default:
		return false;
	}
}

/* The dot that is nearest to a cell, across: up and down there is one for each place. */
static void jump(struct tp_counters_view *view, const struct tp_class *class, int column)
{
	size_t n, best = 0;
	struct tp_counters_plot *plot = plot_of(view, class, &n);
	const struct tp_layout_rect *in = &plot->layout.plot;
	const struct tp_series *dots = plot->picture ? dots_of(plot) : NULL;
	double least = INFINITY;
	if (!plot->laid || !dots || column < (int)in->column ||
	    column >= (int)(in->column + in->columns))
		return;
	double place = ((double)column - (double)in->column + 0.25) /
		       (double)TP_MAX(in->columns - 1, (size_t)1);
	for (size_t i = 0; i < n; i++) {
		double x = view->page == TP_COUNTERS_NOISE ? (double)(i + 1) : dots->x[i];
		double away = fabs(tp_scale_place(&plot->layout.x, x) - place);
		if (away < least) {
			least = away;
			best = i;
		}
	}
	plot->at = best;
	if (view->page == TP_COUNTERS_NOISE)
		land(view);
}

void tp_counters_plot_mouse(struct tp_app *app, struct tp_counters_view *view,
			    const struct tp_input *input)
{
	const struct tp_class *class = tp_counters_class(app, view);
	if (input->mouse != TP_MOUSE_PRESS)
		step(view, class, input->mouse == TP_MOUSE_WHEEL_UP ? WHEEL_STEPS : -WHEEL_STEPS);
	else if (tp_area_holds(view->plot, input->row, input->column))
		jump(view, class, input->column - view->plot.column);
}
