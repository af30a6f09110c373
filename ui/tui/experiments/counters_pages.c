/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pages of the Counters screen: the events of a family as a list, their noise, their counts
 * row by row, and the metrics that can be made of them.
 */
#include "ui/tui/experiments/counters_pages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/classify.h"
#include "base/text.h"
#include "base/memory.h"
#include "experiments/counters/pictures.h"
#include "experiments/counters/report.h"

const struct tp_class *tp_counters_class(const struct tp_app *app,
					 const struct tp_counters_view *view)
{
	const struct tp_run *run = tp_app_run(app);
	return run && view->family < tp_run_n_classes(run) ? &tp_run_classes(run)[view->family]
							   : NULL;
}

/* Number of the event under the cursor; SIZE_MAX if none. */
static size_t selected_event(const struct tp_counters_view *view)
{
	return tp_gridview_item(&view->events);
}

static enum tp_role fate_role(const struct tp_class_event *event)
{
	return tp_theme_paint(tp_report_fate_paint(event));
}

enum { MARK_COLUMNS = 2 };

/* Which events, in which order; nothing for the default. */
static const char *restriction_words(const struct tp_counters_view *view, char *out, size_t size)
{
	static const char *const orders[TP_COUNTERS_ORDERS] = { "", "by name", "by noise",
								"by residual" };
	*out = '\0';
	if (view->fate != TP_COUNTERS_ANY_FATE)
		snprintf(out, size, "only %s", tp_fate_name((enum tp_fate)view->fate));
	size_t n = strlen(out);
	snprintf(out + n, size - n, "%s%s", n && view->order ? ", " : "", orders[view->order]);
	return out;
}

/* Marks next to the list; its titles make room for the search text and the order. */
static void draw_list(struct tp_counters_view *view, const struct tp_class *class,
		      struct tp_area area)
{
	struct tp_gridview *events = &view->events;
	struct tp_area line, list = tp_area_columns(area, MARK_COLUMNS, area.columns);
	char words[64];
	struct tp_text_row title = { list, 0, 0 };
	restriction_words(view, words, sizeof(words));
	title.at = tp_filter_paint(&view->filter, list, 0, events->list.n, class->n_events);
	if (*words)
		tp_words(&title, title.at ? 2 : 0, TP_UI_CHANGED, "%s", words);
	events->words = title.at ? title.at + 1 : 0;
	tp_gridview_paint(events, list, true);
	for (size_t i = 0; i < view->n_marked; i++)
		if (tp_gridview_line(events, view->marked[i], &line))
			tp_paint_text(area, line.row - area.row, 0, TP_UI_KEY,
				      line.term->utf8 ? "\xe2\x97\x8f" : "*");
	if (!events->list.n)
		tp_paint_text(list, 1, 0, TP_UI_DIM,
			      view->filter.text[0] ? "No event matches. Esc shows all again."
						   : "No event has this fate; a shows others.");
}

/* From SIDE_FROM on the list is next to plots. */
enum { READ_ROWS = 2, SIDE_FROM = 158, SIDE_PART = 3 };

/*
 * The plot above, with its cursor, and below it two rows for text, and the list next to it; false:
 * nothing to show.
 */
static bool draw_plot(const struct tp_app *app, struct tp_counters_view *view, struct tp_plot *plot,
		      struct tp_area area, struct tp_text_row *first, struct tp_text_row *second)
{
	const int side = area.columns >= SIDE_FROM ? area.columns / SIDE_PART : 0;
	if (side)
		draw_list(view, tp_counters_class(app, view),
			  tp_area_columns(area, area.columns - side, side - 1));
	area = tp_area_columns(area, 0, area.columns - side - (side ? 1 : 0));
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

/* --- the page of noise --- */

static void make_noise(struct tp_counters_view *view, const struct tp_class *class)
{
	struct tp_plot *plot = &view->noise;
	size_t selected = selected_event(view), rank = 0;
	if (plot->picture)
		return;
	tp_plot_renew(plot);
	size_t *ranks = view->ranks = tp_realloc(view->ranks, class->n_events + 1, sizeof(*ranks));
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

static void draw_noise(struct tp_app *app, struct tp_counters_view *view, struct tp_area area)
{
	const struct tp_class *class = tp_counters_class(app, view);
	struct tp_text_row first, second;
	char small[32];
	make_noise(view, class);
	if (!draw_plot(app, view, &view->noise, area, &first, &second)) {
		tp_paint_text(area, area.rows / 2, 2, TP_UI_PLAIN,
			      "The noise of no event of this family is known.");
		return;
	}
	size_t rank = rank_of(view), event = view->ranks[rank];
	const struct tp_class_event *e = &class->events[event];
	TP_STR represents = { 0 };
	tp_words(&first, 0, TP_UI_TITLE, "%s", e->name);
	tp_words(&first, 2, TP_UI_STRONG, "noise %s",
		 tp_report_small(small, sizeof(small), e->noise));
	tp_words(&first, 2, TP_UI_DIM, "%zu of %zu", rank + 1, view->n_ranks);
	tp_words(&first, 2, fate_role(e), "%s", e->fate);
	tp_report_represents(class, event, &represents);
	if (represents.len)
		tp_words(&second, 0, TP_UI_PLAIN, "represents %s, residual %s",
			 tp_str_text(&represents),
			 tp_report_small(small, sizeof(small), e->residual));
	else
		tp_words(&second, 0, TP_UI_DIM, "represents nothing these kernels exercise");
}

/* --- the page of curves --- */

/* Draws the event under the cursor and the marked ones. */
static void make_curves(const struct tp_app *app, struct tp_counters_view *view,
			const struct tp_class *class)
{
	struct tp_plot *plot = &view->curves;
	const size_t selected = selected_event(view);
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
	if (!n)
		return;
	tp_plot_renew(plot);
	if (!tp_picture_counts(plot->picture, class, tp_report_readings(tp_app_run(app), class),
			       events, n, NULL)) {
		tp_plot_drop(plot);
		return;
	}
	/* The cursor reads only the first event. */
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
	TP_STR ideals = { 0 };
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
}

static void draw_curves(struct tp_app *app, struct tp_counters_view *view, struct tp_area area)
{
	const struct tp_class *class = tp_counters_class(app, view);
	struct tp_text_row first, second;
	make_curves(app, view, class);
	if (draw_plot(app, view, &view->curves, area, &first, &second)) {
		if (tp_plot_origin(&view->curves))
			read_row(view, class, &first, &second);
		return;
	}
	tp_paint_wrapped(tp_area_columns(area, 2, TP_MIN(area.columns - 4, 76)), area.rows / 2, 0,
			 TP_UI_PLAIN,
			 selected_event(view) < class->n_events
				 ? "The counts of this family are not in the run."
				 : "No event is selected: e shows the list.");
}

/* Only the curve of the event under the cursor, without text: next to the list. */
static void draw_curve_beside(struct tp_app *app, struct tp_counters_view *view,
			      struct tp_area area)
{
	if (area.rows < TP_PLOT_ROWS_MIN || area.columns < TP_PLOT_COLUMNS_MIN)
		return;
	make_curves(app, view, tp_counters_class(app, view));
	if (tp_plot_fit(&view->curves, app, area, false))
		tp_plot_paint(&view->curves);
}

/* The cursor of the list goes along, so that the other pages show the same event. */
static void select_ranked(struct tp_counters_view *view)
{
	if (view->noise.picture)
		tp_gridview_go(&view->events, view->ranks[rank_of(view)]);
}

static bool act_noise(struct tp_app *app, struct tp_counters_view *view, enum tp_action action)
{
	if (action == TP_ACTION_SHOW)
		app->part = TP_COUNTERS_CURVES;
	/* Up goes to a higher noise. */
	else if (!tp_plot_act(&view->noise, app,
			      action == TP_ACTION_UP	 ? TP_ACTION_RIGHT
			      : action == TP_ACTION_DOWN ? TP_ACTION_LEFT
							 : action))
		return false;
	else
		select_ranked(view);
	return true;
}

static bool act_curves(struct tp_app *app, struct tp_counters_view *view, enum tp_action action)
{
	if (action == TP_ACTION_SHOW) {
		app->part = TP_COUNTERS_EVENTS;
		return true;
	}
	/* Up goes to the event before in the list. */
	if (action == TP_ACTION_UP || action == TP_ACTION_DOWN)
		return tp_list_act(&view->events.list, action);
	make_curves(app, view, tp_counters_class(app, view));
	return tp_plot_act(&view->curves, app, action);
}

/* On the list next to a plot, else on the plot. */
static void mouse_plot(struct tp_counters_view *view, struct tp_plot *plot,
		       const struct tp_input *input)
{
	if (!tp_area_holds(view->events.list.area, input->row, input->column)) {
		tp_plot_mouse(plot, input);
		return;
	}
	tp_list_mouse(&view->events.list, input);
	tp_plot_drop(&view->noise); /* its cursor goes along */
}

static void mouse_noise(struct tp_app *app, struct tp_counters_view *view,
			const struct tp_input *input)
{
	(void)app;
	mouse_plot(view, &view->noise, input);
	select_ranked(view);
}

static void mouse_curves(struct tp_app *app, struct tp_counters_view *view,
			 const struct tp_input *input)
{
	(void)app;
	mouse_plot(view, &view->curves, input);
}

/* From this width on the decision is next to the list. */
enum { CURVE_COLUMNS = 110, CURVE_ROWS = 30, CURVE_ROWS_MIN = 13 };
enum { BESIDE_COLUMNS = 150, BESIDE_MAX = 76, GAP = 2, DECISION_ROWS_MIN = 5 };

/* --- the page of events: which, in which order --- */

static int fate_of(const struct tp_class_event *event)
{
	enum tp_fate fate;
	return tp_fate_find(event->fate, &fate) ? (int)fate : TP_FATE_COUNT;
}

static int rising(double a, double b)
{
	/* What was not computed comes last. */
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a > b) - (a < b);
}

struct sorting {
	const struct tp_class *class;
	enum tp_counters_order order;
};

static int by_order(const void *x, const void *y, void *context)
{
	const struct sorting *s = context;
	const size_t i = *(const size_t *)x, j = *(const size_t *)y;
	const struct tp_class_event *a = &s->class->events[i], *b = &s->class->events[j];
	int d = 0;
	switch (s->order) {
	case TP_COUNTERS_BY_FATE:
		d = fate_of(a) - fate_of(b);
		if (!d)
			d = a->order - b->order;
		if (!d)
			d = rising(a->noise, b->noise);
		break;
	case TP_COUNTERS_BY_NOISE:
		d = -rising(a->noise, b->noise);
		break;
	case TP_COUNTERS_BY_RESIDUAL:
		d = rising(a->residual, b->residual);
		break;
	default:
		break;
	}
	if (!d)
		d = strcmp(a->name, b->name);
	return d ? d : (i > j) - (i < j);
}

void tp_counters_choose(struct tp_counters_view *view, const struct tp_class *class)
{
	TP_FREE size_t *shown = tp_alloc(class->n_events + 1, sizeof(*shown));
	size_t n = 0;
	for (size_t i = 0; i < class->n_events; i++) {
		const struct tp_class_event *e = &class->events[i];
		const char *const texts[] = { e->name, e->fate };
		if ((view->fate == TP_COUNTERS_ANY_FATE || fate_of(e) == view->fate) &&
		    tp_filter_match(&view->filter, texts, TP_COUNT_OF(texts)))
			shown[n++] = i;
	}
	struct sorting sorting = { class, view->order };
	qsort_r(shown, n, sizeof(*shown), by_order, &sorting);
	tp_gridview_show(&view->events, shown, n);
}

static size_t find_mark(const struct tp_counters_view *view, size_t event)
{
	for (size_t i = 0; i < view->n_marked; i++)
		if (view->marked[i] == event)
			return i;
	return view->n_marked;
}

void tp_counters_mark(struct tp_app *app, struct tp_counters_view *view)
{
	const struct tp_class *class = tp_counters_class(app, view);
	size_t event = selected_event(view), at = find_mark(view, event);
	if (event >= class->n_events)
		return;
	if (at < view->n_marked)
		memmove(&view->marked[at], &view->marked[at + 1],
			(--view->n_marked - at) * sizeof(view->marked[0]));
	else if (view->n_marked < TP_COUNTERS_MARKS)
		view->marked[view->n_marked++] = event;
	else
		tp_app_say(app, TP_UI_WARN, "%d events can be marked at most", TP_COUNTERS_MARKS);
	tp_plot_drop(&view->curves);
	if (app->part == TP_COUNTERS_EVENTS)
		tp_list_act(&view->events.list, TP_ACTION_DOWN);
}

/* A line with a title, and with `end` at its right end. */
static void draw_rule(struct tp_area area, const char *title, enum tp_role role, const char *end)
{
	const int room = area.columns - (int)strlen(end) - 3;
	tp_paint_rule(area, 0, "");
	tp_paint_format(tp_area_columns(area, 2, room - 3), 0, 0, TP_UI_TITLE, " %s ", title);
	tp_paint_format(area, 0, room, role, " %s ", end);
}

/* The path of the event as in the report; made once for an event. */
static void make_decision(struct tp_app *app, struct tp_counters_view *view,
			  const struct tp_class *class, int columns)
{
	size_t event = selected_event(view);
	if (view->decision_of == event && view->decision.columns == columns)
		return;
	const struct tp_look look = tp_app_look(app, columns, app->term.rows);
	TP_TEXT(text, &look);
	if (event < class->n_events)
		tp_report_path(class, event, &text);
	tp_doc_report(&view->decision, columns, &text);
	view->decision_of = event;
}

static void draw_decision(struct tp_counters_view *view, const struct tp_class *class,
			  struct tp_area area)
{
	size_t event = selected_event(view);
	if (event >= class->n_events || area.rows < 2)
		return;
	const struct tp_class_event *e = &class->events[event];
	draw_rule(area, e->name, fate_role(e), e->fate);
	tp_doc_paint(&view->decision, tp_area_rows(area, 1, area.rows - 1), 0, (size_t)-1);
}

/* The list, and next to it decision and curve. */
static void draw_beside(struct tp_app *app, struct tp_counters_view *view,
			const struct tp_class *class, struct tp_area area)
{
	int columns = TP_MIN(area.columns * 2 / 5, (int)BESIDE_MAX);
	struct tp_area beside = tp_area_columns(area, area.columns - columns, columns);
	make_decision(app, view, class, columns - 3);
	draw_list(view, class, tp_area_columns(area, 0, area.columns - columns - GAP));
	int rows = TP_MIN(TP_MAX((int)view->decision.n + 2, area.rows / 3), area.rows);
	if (area.rows - rows < CURVE_ROWS_MIN)
		rows = area.rows;
	draw_decision(view, class, tp_area_columns(tp_area_rows(beside, 0, rows), 0, columns - 1));
	draw_curve_beside(app, view, tp_area_rows(beside, rows, area.rows - rows));
}

static void draw_events(struct tp_app *app, struct tp_counters_view *view, struct tp_area area)
{
	const struct tp_class *class = tp_counters_class(app, view);
	area = tp_area_columns(area, 1, area.columns - 1);
	if (area.columns >= BESIDE_COLUMNS) {
		draw_beside(app, view, class, area);
		return;
	}
	bool curve = area.columns >= CURVE_COLUMNS && area.rows >= CURVE_ROWS;
	int columns = curve ? area.columns / 2 : area.columns - 1;
	make_decision(app, view, class, columns - 2);
	/* The list keeps its size while the cursor moves, except for an unusually long decision. */
	int below = TP_MAX((int)view->decision.n, (int)DECISION_ROWS_MIN) + 1;
	below = TP_MIN(below, area.rows / 2);
	below = TP_MAX(below, TP_MIN(area.rows / 3, (int)DECISION_ROWS_MIN + 3));
	if (curve)
		below = TP_MAX(below, CURVE_ROWS_MIN + 2);
	draw_list(view, class, tp_area_rows(area, 0, area.rows - below));
	struct tp_area lower = tp_area_rows(area, area.rows - below, below);
	draw_decision(view, class, tp_area_columns(lower, 0, columns));
	if (curve)
		draw_curve_beside(
			app, view,
			tp_area_columns(lower, columns + GAP, area.columns - columns - GAP));
}

static bool act_events(struct tp_app *app, struct tp_counters_view *view, enum tp_action action)
{
	const struct tp_class *class = tp_counters_class(app, view);
	if (tp_list_act(&view->events.list, action))
		return true;
	switch (action) {
	case TP_ACTION_FATE:
		/* Only fates that occur. */
		for (int step = 0; step < TP_FATE_COUNT + 1; step++) {
			view->fate = view->fate + 1 == TP_FATE_COUNT ? TP_COUNTERS_ANY_FATE
								     : view->fate + 1;
			if (view->fate == TP_COUNTERS_ANY_FATE)
				break;
			bool any = false;
			for (size_t i = 0; i < class->n_events && !any; i++)
				any = fate_of(&class->events[i]) == view->fate;
			if (any)
				break;
		}
		tp_counters_choose(view, class);
		return true;
	case TP_ACTION_SORT:
		view->order = (view->order + 1) % TP_COUNTERS_ORDERS;
		tp_counters_choose(view, class);
		return true;
	case TP_ACTION_SHOW:
		app->part = TP_COUNTERS_CURVES;
		return true;
	default:
		return false;
	}
}

static void mouse_events(struct tp_app *app, struct tp_counters_view *view,
			 const struct tp_input *input)
{
	enum tp_list_event event = tp_list_mouse(&view->events.list, input);
	if (event != TP_LIST_PRESSED && event != TP_LIST_OPENED)
		return;
	if (input->column < view->events.list.area.column)
		tp_counters_mark(app, view);
	else if (event == TP_LIST_OPENED)
		app->part = TP_COUNTERS_CURVES;
}

/* --- the page of formulas --- */

/* From this width on the chosen events are next to the metrics. */
enum {
	FORMULA_BESIDE_COLUMNS = 150,
	FORMULA_BESIDE_MAX = 64,
	FORMULA_GAP = 2,
	DETAIL_ROWS_MIN = 7,
	CHOSEN_MIN = 5
};

static const struct tp_class_metric *selected_metric(const struct tp_counters_view *view,
						     const struct tp_class *class)
{
	return view->metrics.list.at < class->n_metrics ? &class->metrics[view->metrics.list.at]
							: NULL;
}

static void make_formula(struct tp_app *app, struct tp_counters_view *view,
			 const struct tp_class *class, int columns)
{
	const struct tp_class_metric *m = selected_metric(view, class);
	if (view->formula_of == view->metrics.list.at && view->formula.columns == columns)
		return;
	const struct tp_look look = tp_app_look(app, columns, app->term.rows);
	TP_TEXT(text, &look);
	if (m)
		tp_report_metric(class, m, &text);
	tp_doc_report(&view->formula, columns, &text);
	view->formula_of = view->metrics.list.at;
	view->formula.list = (struct tp_list){ 0 };
}

static void draw_detail(struct tp_app *app, struct tp_counters_view *view,
			const struct tp_class *class, struct tp_area area)
{
	const struct tp_class_metric *m = selected_metric(view, class);
	if (!m || area.rows < 2)
		return;
	draw_rule(area, m->name, m->defined ? TP_UI_GOOD : TP_UI_BAD, tp_report_verdict(m));
	make_formula(app, view, class, area.columns - 2);
	tp_doc_show(&view->formula,
		    tp_area_columns(tp_area_rows(area, 1, area.rows - 1), 1, area.columns - 1),
		    false);
}

static void draw_chosen(struct tp_counters_view *view, const struct tp_class *class,
			struct tp_area area)
{
	char count[32];
	snprintf(count, sizeof(count), "%zu", class->n_chosen);
	draw_rule(area, "Chosen events", TP_UI_GOOD, count);
	area = tp_area_columns(tp_area_rows(area, 1, area.rows - 1), 1, area.columns - 1);
	tp_gridview_paint(&view->chosen, area, false);
	if (!class->n_chosen)
		tp_paint_text(area, 0, 0, TP_UI_WARN, "no event could be represented");
}

static void draw_formulas(struct tp_app *app, struct tp_counters_view *view, struct tp_area area)
{
	const struct tp_class *class = tp_counters_class(app, view);
	area = tp_area_columns(area, 1, area.columns - 1);
	view->metrics.list.area.rows = 0;
	if (view->whole) {
		draw_detail(app, view, class, area);
		return;
	}
	bool wide = area.columns >= FORMULA_BESIDE_COLUMNS;
	if (wide) {
		int beside = TP_MIN(area.columns * 2 / 5, (int)FORMULA_BESIDE_MAX);
		draw_chosen(view, class, tp_area_columns(area, area.columns - beside, beside - 1));
		area = tp_area_columns(area, 0, area.columns - beside - FORMULA_GAP);
	}
	int table = TP_MIN((int)class->n_metrics + 1,
			   TP_MAX(area.rows - DETAIL_ROWS_MIN - 1, area.rows / 2));
	struct tp_area metrics = tp_area_columns(tp_area_rows(area, 0, table), 1, area.columns);
	tp_gridview_paint(&view->metrics, metrics, true);
	if (!class->n_metrics)
		tp_paint_text(metrics, 0, 0, TP_UI_DIM, "The basis of this family has no metrics.");
	struct tp_area rest = tp_area_columns(tp_area_rows(area, table + 1, area.rows - table - 1),
					      0, area.columns - 1);
	make_formula(app, view, class, rest.columns - 2);
	int detail = TP_MAX((int)view->formula.n + 1, (int)DETAIL_ROWS_MIN);
	int left = rest.rows - detail - 1;
	if (!wide && left > CHOSEN_MIN) {
		int chosen = TP_MIN((int)class->n_chosen + 2, left);
		draw_chosen(view, class,
			    tp_area_columns(tp_area_rows(rest, rest.rows - chosen, chosen), 0,
					    rest.columns));
		rest = tp_area_rows(rest, 0, rest.rows - chosen - 1);
	}
	draw_detail(app, view, class, rest);
}

static bool act_formulas(struct tp_app *app, struct tp_counters_view *view, enum tp_action action)
{
	(void)app;
	if (view->whole && tp_list_scroll(&view->formula.list, action))
		return true;
	if (!view->whole && tp_list_act(&view->metrics.list, action))
		return true;
	if (action != TP_ACTION_SHOW && !(action == TP_ACTION_BACK && view->whole))
		return false;
	view->whole = !view->whole;
	if (action == TP_ACTION_SHOW)
		view->formula_of = SIZE_MAX;
	return true;
}

static void mouse_formulas(struct tp_app *app, struct tp_counters_view *view,
			   const struct tp_input *input)
{
	(void)app;
	if (!view->whole)
		view->whole = tp_list_mouse(&view->metrics.list, input) == TP_LIST_OPENED;
	else if (input->mouse == TP_MOUSE_PRESS)
		view->whole = false;
	else
		tp_list_wheel(&view->formula.list, tp_list_wheel_rows(input));
}

const struct tp_counters_page_row tp_counters_page_rows[TP_COUNTERS_PAGES] = {
	[TP_COUNTERS_EVENTS] = { "Events", draw_events, act_events, mouse_events, true },
	[TP_COUNTERS_NOISE] = { "Noise", draw_noise, act_noise, mouse_noise, false },
	[TP_COUNTERS_CURVES] = { "Curves", draw_curves, act_curves, mouse_curves, false },
	[TP_COUNTERS_FORMULAS] = { "Formulas", draw_formulas, act_formulas, mouse_formulas, true },
};
