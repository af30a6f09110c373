/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The noise of all events, and the counts of some of them kernel by kernel. */
#include "experiments/counters/screen.h"
#include "base/text.h"
#include "base/memory.h"
#include "experiments/counters/report.h"

#include <math.h>
#include <stdlib.h>

enum { READ_ROWS = 2 };

/* The plot above, with its cursor, and below it two rows for words; false: nothing to show. */
static bool draw_plot(const struct tp_app *app, struct tp_plot *plot, struct tp_area area,
		      struct tp_text_row *first, struct tp_text_row *second)
{
	struct tp_area words = tp_area_rows(area, area.rows - READ_ROWS, READ_ROWS);
	words = tp_area_columns(words, 1, area.columns - 2);
	*first = (struct tp_text_row){ words, 0, 0 };
	*second = (struct tp_text_row){ words, 1, 0 };
	if (!tp_plot_fit(plot, app, tp_area_rows(area, 0, area.rows - READ_ROWS), false))
		return false;
	tp_plot_paint(plot);
	tp_plot_paint_cursor(plot);
	return true;
}

/* --- noise --- */

static void make_noise(struct tp_counters_view *view, const struct tp_class *class)
{
	struct tp_plot *plot = &view->noise;
	size_t selected = tp_counters_selected(view, class), rank = 0;
	if (plot->picture)
		return;
	size_t *ranks = realloc(view->ranks, (class->n_events + 1) * sizeof(*ranks));
	if (!ranks || !tp_plot_renew(plot))
		return;
	view->ranks = ranks;
	view->n_ranks = tp_picture_noise(plot->picture, class, ranks);
	for (size_t i = 0; i < view->n_ranks; i++)
		if (ranks[i] == selected)
			rank = i;
	tp_plot_go_to_x(plot, (double)(rank + 1));
	if (!view->n_ranks)
		tp_plot_drop(plot);
}

/* The rank of the event under the cursor. */
static size_t rank_of(const struct tp_counters_view *view)
{
	return (size_t)lround(view->noise.x) - 1;
}

void tp_counters_noise_draw(struct tp_app *app, struct tp_counters_view *view, struct tp_area area)
{
	const struct tp_class *class = tp_counters_class(app, view);
	struct tp_text_row first, second;
	char small[32];
	make_noise(view, class);
	if (!draw_plot(app, &view->noise, area, &first, &second)) {
		tp_paint_text(area, area.rows / 2, 2, TP_UI_PLAIN,
			      "No event of this family has a noise.");
		return;
	}
	size_t rank = rank_of(view), event = view->ranks[rank];
	const struct tp_class_event *e = &class->events[event];
	struct tp_str represents = { 0 };
	tp_words(&first, 0, TP_UI_TITLE, "%s", e->name);
	tp_words(&first, 2, TP_UI_STRONG, "noise %s",
		 tp_report_small(small, sizeof(small), e->noise));
	tp_words(&first, 2, TP_UI_DIM, "%zu of %zu", rank + 1, view->n_ranks);
	tp_words(&first, 2, tp_counters_role(e->fate), "%s", e->fate);
	tp_report_represents(class, event, &represents);
	if (represents.len)
		tp_words(&second, 0, TP_UI_PLAIN, "represents %s, residual %s",
			 tp_str_text(&represents),
			 tp_report_small(small, sizeof(small), e->residual));
	else
		tp_words(&second, 0, TP_UI_DIM, "represents nothing these kernels exercise");
	tp_str_release(&represents);
}

/* --- curves --- */

/* Draws the event under the cursor and the marked ones. */
static void make_curves(const struct tp_app *app, struct tp_counters_view *view,
			const struct tp_class *class)
{
	struct tp_plot *plot = &view->curves;
	const size_t selected = tp_counters_selected(view, class);
	size_t events[TP_PICTURE_EVENTS], n = 0, row = plot->point;
	if (plot->picture && view->curves_of == selected)
		return;
	tp_plot_drop(plot);
	view->curves_of = selected;
	if (selected < class->n_events)
		events[n++] = selected;
	for (size_t i = 0; i < view->n_marked && n < TP_PICTURE_EVENTS; i++)
		if (view->marked[i] != selected)
			events[n++] = view->marked[i];
	if (!n || !tp_plot_renew(plot))
		return;
	if (!tp_picture_counts(plot->picture, class, tp_report_readings(tp_app_run(app), class),
			       events, n, NULL)) {
		tp_plot_drop(plot);
		return;
	}
	/* The cursor reads the first event alone. */
	size_t series = plot->picture->n_series;
	for (size_t i = plot->picture->n_series; i-- > 0;)
		if (plot->picture->origins[i].reads)
			series = i;
	for (size_t i = series + 1; i < plot->picture->n_series; i++)
		plot->picture->origins[i].reads = TP_READS_NOTHING;
	plot->series = series;
	tp_plot_go(plot, series, row);
}

static void read_row(const struct tp_counters_view *view, const struct tp_class *class,
		     struct tp_text_row *first, struct tp_text_row *second)
{
	const size_t row = view->curves.point, event = view->curves_of;
	double count = view->curves.y, expected = tp_report_expected(class, event, row);
	double x = class->row_x[row];
	struct tp_str ideals = { 0 };
	char size[32];
	tp_words(first, 0, TP_UI_TITLE, "%s", class->events[event].name);
	tp_words(first, 2, TP_UI_STRONG, "%.6g", count);
	tp_words(first, 0, TP_UI_DIM, " per %s", class->per);
	if (isfinite(expected)) {
		tp_words(first, 2, TP_UI_PLAIN, "expected %.6g", expected);
		if (fabs(count - expected) > 1e-9 * fmax(fabs(expected), 1))
			tp_words(first, 0, TP_UI_WARN, " (%+.3g)", count - expected);
	}
	tp_words(second, 0, TP_UI_PLAIN, "row %zu, %s", row + 1, class->row_names[row]);
	if (isfinite(x) && x >= 1024)
		tp_words(second, 0, TP_UI_DIM, ", %s",
			 tp_format_bytes(size, sizeof(size), (uint64_t)x));
	for (size_t i = 0; i < class->n_ideals; i++) {
		double v = class->expectations[row * class->n_ideals + i];
		if (v != 0)
			tp_str_printf(&ideals, "%s%.4g %s", ideals.len ? ", " : ": ", v,
				      class->ideals[i]);
	}
	tp_words(second, 0, TP_UI_DIM, "%s", tp_str_text(&ideals));
	tp_str_release(&ideals);
}

void tp_counters_curves_draw(struct tp_app *app, struct tp_counters_view *view, struct tp_area area)
{
	const struct tp_class *class = tp_counters_class(app, view);
	struct tp_text_row first, second;
	make_curves(app, view, class);
	if (draw_plot(app, &view->curves, area, &first, &second)) {
		if (tp_plot_origin(&view->curves))
			read_row(view, class, &first, &second);
		return;
	}
	tp_paint_wrapped(tp_area_columns(area, 2, TP_MIN(area.columns - 4, 76)), area.rows / 2, 0,
			 TP_UI_PLAIN,
			 tp_counters_selected(view, class) < class->n_events
				 ? "The counts of this family are not in the run."
				 : "No event is selected: e shows the list.");
}

void tp_counters_curve_beside(struct tp_app *app, struct tp_counters_view *view,
			      struct tp_area area)
{
	if (area.rows < TP_PLOT_ROWS_MIN || area.columns < TP_PLOT_COLUMNS_MIN)
		return;
	make_curves(app, view, tp_counters_class(app, view));
	if (tp_plot_fit(&view->curves, app, area, false))
		tp_plot_paint(&view->curves);
}

/* --- input --- */

/* The cursor of the list goes along, so that the other pages show the same event. */
static void select_ranked(struct tp_counters_view *view)
{
	if (view->noise.picture)
		tp_counters_select(view, view->ranks[rank_of(view)]);
}

bool tp_counters_noise_act(struct tp_app *app, struct tp_counters_view *view, enum tp_action action)
{
	if (action == TP_ACTION_SHOW) {
		view->page = TP_COUNTERS_CURVES;
		return true;
	}
	/* Up goes to a higher noise. */
	if (action == TP_ACTION_UP || action == TP_ACTION_DOWN)
		action = action == TP_ACTION_UP ? TP_ACTION_RIGHT : TP_ACTION_LEFT;
	if (!tp_plot_act(&view->noise, app, action))
		return false;
	select_ranked(view);
	return true;
}

bool tp_counters_curves_act(struct tp_app *app, struct tp_counters_view *view,
			    enum tp_action action)
{
	if (action == TP_ACTION_SHOW) {
		view->page = TP_COUNTERS_EVENTS;
		return true;
	}
	/* Up goes to the event before in the list. */
	if (action == TP_ACTION_UP || action == TP_ACTION_DOWN)
		return tp_list_act(&view->events, action);
	make_curves(app, view, tp_counters_class(app, view));
	return tp_plot_act(&view->curves, app, action);
}

void tp_counters_noise_mouse(struct tp_app *app, struct tp_counters_view *view,
			     const struct tp_input *input)
{
	(void)app;
	tp_plot_mouse(&view->noise, input);
	select_ranked(view);
}

void tp_counters_curves_mouse(struct tp_app *app, struct tp_counters_view *view,
			      const struct tp_input *input)
{
	(void)app;
	tp_plot_mouse(&view->curves, input);
}
