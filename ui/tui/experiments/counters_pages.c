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

/* Number of the event under the cursor; n_events if there is none. */
static size_t selected_event(const struct tp_counters_view *view, const struct tp_class *class)
{
	return view->events.at < view->n_shown ? view->shown[view->events.at] : class->n_events;
}

/* The cursor onto an event, if the list shows it. */
static void select_event(struct tp_counters_view *view, size_t event)
{
	for (size_t i = 0; i < view->n_shown; i++)
		if (view->shown[i] == event)
			view->events.at = i;
}

/* How a fate looks. */
static enum tp_role fate_role(const char *fate)
{
	static const struct {
		const char *fate;
		enum tp_role role;
	} roles[] = { { "chosen", TP_UI_GOOD },
		      { "dependent", TP_UI_PLAIN },
		      { "irrelevant", TP_UI_DIM },
		      { "noisy", TP_UI_WARN },
		      { "not implemented here", TP_UI_WARN },
		      { "invalid", TP_UI_BAD },
		      { "not representable", TP_UI_DIM } };
	for (size_t i = 0; i < TP_COUNT_OF(roles); i++)
		if (strcmp(roles[i].fate, fate) == 0)
			return roles[i].role;
	return TP_UI_PLAIN;
}

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

/* --- the page of noise --- */

static void make_noise(struct tp_counters_view *view, const struct tp_class *class)
{
	struct tp_plot *plot = &view->noise;
	size_t selected = selected_event(view, class), rank = 0;
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
	if (!draw_plot(app, &view->noise, area, &first, &second)) {
		tp_paint_text(area, area.rows / 2, 2, TP_UI_PLAIN,
			      "No event of this family has a noise.");
		return;
	}
	size_t rank = rank_of(view), event = view->ranks[rank];
	const struct tp_class_event *e = &class->events[event];
	TP_STR represents = { 0 };
	tp_words(&first, 0, TP_UI_TITLE, "%s", e->name);
	tp_words(&first, 2, TP_UI_STRONG, "noise %s",
		 tp_report_small(small, sizeof(small), e->noise));
	tp_words(&first, 2, TP_UI_DIM, "%zu of %zu", rank + 1, view->n_ranks);
	tp_words(&first, 2, fate_role(e->fate), "%s", e->fate);
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
	const size_t selected = selected_event(view, class);
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
	if (draw_plot(app, &view->curves, area, &first, &second)) {
		if (tp_plot_origin(&view->curves))
			read_row(view, class, &first, &second);
		return;
	}
	tp_paint_wrapped(tp_area_columns(area, 2, TP_MIN(area.columns - 4, 76)), area.rows / 2, 0,
			 TP_UI_PLAIN,
			 selected_event(view, class) < class->n_events
				 ? "The counts of this family are not in the run."
				 : "No event is selected: e shows the list.");
}

/* The curve of the event under the cursor alone, without words: beside the list. */
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
		select_event(view, view->ranks[rank_of(view)]);
}

static bool act_noise(struct tp_app *app, struct tp_counters_view *view, enum tp_action action)
{
	if (action == TP_ACTION_SHOW)
		view->page = TP_COUNTERS_CURVES;
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
		view->page = TP_COUNTERS_EVENTS;
		return true;
	}
	/* Up goes to the event before in the list. */
	if (action == TP_ACTION_UP || action == TP_ACTION_DOWN)
		return tp_list_act(&view->events, action);
	make_curves(app, view, tp_counters_class(app, view));
	return tp_plot_act(&view->curves, app, action);
}

static void mouse_noise(struct tp_app *app, struct tp_counters_view *view,
			const struct tp_input *input)
{
	(void)app;
	tp_plot_mouse(&view->noise, input);
	select_ranked(view);
}

static void mouse_curves(struct tp_app *app, struct tp_counters_view *view,
			 const struct tp_input *input)
{
	(void)app;
	tp_plot_mouse(&view->curves, input);
}

/* From this width on the decision stands beside the list. */
enum { CURVE_COLUMNS = 110, CURVE_ROWS = 30, CURVE_ROWS_MIN = 13 };
enum { BESIDE_COLUMNS = 150, BESIDE_MAX = 76, GAP = 2, DECISION_ROWS_MIN = 5 };
/* Lines of a decision: of a step that others follow, of the last one. */
enum { STEP, LAST_STEP, BRANCH_COLUMNS = 3 };
enum { MARK_COLUMNS = 2, ORDER_COLUMNS = 4, NUMBER_COLUMNS = 8, NAME_MIN = 28, WORDS_MIN = 16 };
/* In less room than this the residual is told by the decision alone. */
enum { RESIDUAL_COLUMNS = 100 };

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
	size_t selected = selected_event(view, class);
	size_t *shown = tp_realloc(view->shown, class->n_events + 1, sizeof(*shown));
	view->shown = shown;
	view->n_shown = 0;
	for (size_t i = 0; i < class->n_events; i++) {
		const struct tp_class_event *e = &class->events[i];
		const char *const texts[] = { e->name, e->fate };
		if ((view->fate == TP_COUNTERS_ANY_FATE || fate_of(e) == view->fate) &&
		    tp_filter_match(&view->filter, texts, TP_COUNT_OF(texts)))
			shown[view->n_shown++] = i;
	}
	struct sorting sorting = { class, view->order };
	qsort_r(shown, view->n_shown, sizeof(*shown), by_order, &sorting);
	tp_list_resize(&view->events, view->n_shown);
	select_event(view, selected);
	view->name_columns = view->fate_columns = 0;
	for (size_t i = 0; i < class->n_events; i++) {
		const struct tp_class_event *e = &class->events[i];
		view->name_columns = TP_MAX(view->name_columns, (int)tp_text_columns(e->name));
		view->fate_columns = TP_MAX(view->fate_columns, (int)strlen(e->fate));
	}
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
	size_t event = selected_event(view, class), at = find_mark(view, event);
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
	if (view->page == TP_COUNTERS_EVENTS)
		tp_list_act(&view->events, TP_ACTION_DOWN);
}

enum { ORDER, NAME, FATE, NOISE, RESIDUAL, REPRESENTS, COLUMNS };

/* The list as it is painted: where each column lies; without room RESIDUAL has no title. */
struct event_table {
	const struct tp_counters_view *view;
	const struct tp_class *class;
	struct tp_table_column columns[COLUMNS];
	struct tp_area names, represents; /* columns that cut their text */
};

/* Which events, in which order; nothing where it is the usual. */
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

static void draw_titles(const struct event_table *t, struct tp_area area)
{
	const struct tp_counters_view *view = t->view;
	const int end = t->columns[NOISE].end - NUMBER_COLUMNS - 1;
	char words[64];
	restriction_words(view, words, sizeof(words));
	const char *represents = t->columns[REPRESENTS].title;
	if (tp_filter_paint(&view->filter, tp_area_columns(area, 0, end), 0, view->n_shown,
			    t->class->n_events)) {
		represents = *words ? words : represents;
	} else {
		tp_table_titles(area, 0, &t->columns[ORDER], 2, TP_UI_DIM);
		struct tp_text_row beside = { tp_area_columns(area, t->columns[NAME].from,
							      end - t->columns[NAME].from),
					      0, (int)strlen(t->columns[NAME].title) };
		if (*words)
			tp_words(&beside, 2, TP_UI_CHANGED, "%s", words);
		else
			tp_table_titles(area, 0, &t->columns[FATE], 1, TP_UI_DIM);
	}
	tp_paint_text(t->represents, 0, 0, represents == words ? TP_UI_CHANGED : TP_UI_DIM,
		      represents);
	tp_table_titles(area, 0, &t->columns[NOISE], t->columns[RESIDUAL].title ? 2 : 1, TP_UI_DIM);
}

static void draw_event(void *context, struct tp_area line, size_t shown, bool selected)
{
	const struct event_table *t = context;
	const size_t event = t->view->shown[shown];
	const struct tp_class_event *e = &t->class->events[event];
	const bool marked = find_mark(t->view, event) < t->view->n_marked;
	const int row = line.row - t->names.row;
	const enum tp_role here = TP_UI_SELECTED;
	enum tp_role fate = selected ? here : fate_role(e->fate);
	enum tp_role plain = selected ? here : e->order < 0 && !e->x ? TP_UI_DIM : TP_UI_PLAIN;
	enum tp_role dim = selected ? here : TP_UI_DIM;
	char small[32];
	TP_STR words = { 0 };
	if (marked)
		tp_paint_text(line, 0, 0, selected ? here : TP_UI_KEY,
			      line.term->utf8 ? "\xe2\x97\x8f" : "*");
	if (e->order >= 0)
		tp_table_cell(line, 0, &t->columns[ORDER], fate, "%d", e->order + 1);
	tp_paint_text(t->names, row, 0, plain, e->name);
	tp_table_cell(line, 0, &t->columns[FATE], fate, "%s", e->fate);
	tp_table_cell(line, 0, &t->columns[NOISE], dim, "%s",
		      tp_report_small(small, sizeof(small), e->noise));
	if (t->columns[RESIDUAL].title)
		tp_table_cell(line, 0, &t->columns[RESIDUAL], dim, "%s",
			      tp_report_small(small, sizeof(small), e->residual));
	tp_report_represents(t->class, event, &words);
	tp_paint_text(t->represents, row, 0, plain, tp_str_text(&words));
}

static void draw_list(struct tp_counters_view *view, const struct tp_class *class,
		      struct tp_area area)
{
	struct tp_area rows = tp_area_rows(area, 1, area.rows - 1);
	struct tp_area left = tp_area_columns(area, 0, area.columns - 1);
	const int room = left.columns, name = MARK_COLUMNS + ORDER_COLUMNS + 1;
	const bool residual = room >= RESIDUAL_COLUMNS;
	const int numbers = (residual ? 2 : 1) * (NUMBER_COLUMNS + 1);
	const int fixed = name + 1 + view->fate_columns + 1 + numbers + 1;
	const int names = TP_MIN(view->name_columns, TP_MAX(room - fixed - WORDS_MIN, NAME_MIN));
	const int fate = name + names + 1, noise = fate + view->fate_columns + 1 + NUMBER_COLUMNS;
	const int represents = fate + view->fate_columns + 1 + numbers + 1;
	struct event_table table = { view,
				     class,
				     { [ORDER] = { "#", 0, MARK_COLUMNS + ORDER_COLUMNS },
				       [NAME] = { "event", name, 0 },
				       [FATE] = { "fate", fate, 0 },
				       [NOISE] = { "noise", 0, noise },
				       [RESIDUAL] = { residual ? "residual" : NULL, 0,
						      noise + NUMBER_COLUMNS + 1 },
				       [REPRESENTS] = { "represents", represents, 0 } },
				     tp_area_columns(left, name, names),
				     tp_area_columns(left, represents, room - represents) };
	draw_titles(&table, left);
	tp_list_paint(&view->events, tp_area_columns(rows, 0, rows.columns - 1), draw_event,
		      &table);
	tp_list_paint_bar(&view->events, rows);
	if (!view->n_shown)
		tp_paint_text(rows, 0, MARK_COLUMNS, TP_UI_DIM,
			      view->filter.text[0] ? "No event has that. Esc shows all again."
						   : "No event has this fate; a shows others.");
}

/* One step of the path a line, as the report says it; made once for an event. */
static void make_decision(struct tp_counters_view *view, const struct tp_class *class, int columns,
			  bool utf8)
{
	size_t event = selected_event(view, class);
	TP_STR text = { 0 };
	if (view->decision_of == event && view->decision.columns == columns)
		return;
	tp_doc_clear(&view->decision, columns);
	view->decision_of = event;
	if (event >= class->n_events)
		return;
	tp_report_decision(class, event, &text);
	char *at = text.s;
	size_t lines = 0;
	for (char *line; at && (line = strsep(&at, "\n")); lines++) {
		bool last = !at || !*at;
		if (!*line)
			continue;
		if (lines < TP_ANSWER_LINES) {
			tp_doc_line(&view->decision, LAST_STEP);
			tp_doc_wrap(&view->decision, 0, lines == 0 ? TP_UI_STRONG : TP_UI_PLAIN,
				    line);
			continue;
		}
		tp_doc_line(&view->decision, last ? LAST_STEP : STEP);
		tp_doc_text(&view->decision, 0, TP_UI_BORDER,
			    utf8   ? last ? "\xe2\x94\x94\xe2\x94\x80" : "\xe2\x94\x9c\xe2\x94\x80"
			    : last ? "`-"
				   : "|-");
		tp_doc_wrap(&view->decision, BRANCH_COLUMNS, TP_UI_PLAIN, line);
	}
}

static void draw_decision(struct tp_counters_view *view, const struct tp_class *class,
			  struct tp_area area)
{
	size_t event = selected_event(view, class);
	if (event >= class->n_events || area.rows < 2)
		return;
	const struct tp_class_event *e = &class->events[event];
	int end = area.columns - (int)strlen(e->fate) - 1;
	tp_paint_rule(area, 0, "");
	tp_paint_format(tp_area_columns(area, 2, end - 4), 0, 0, TP_UI_TITLE, " %s ", e->name);
	tp_paint_format(area, 0, end - 1, fate_role(e->fate), " %s ", e->fate);
	const struct tp_doc *doc = &view->decision;
	struct tp_area text =
		tp_area_columns(tp_area_rows(area, 1, area.rows - 1), 1, area.columns - 2);
	tp_doc_paint(doc, text, 0, (size_t)-1);
	/* The trunk goes on beside lines that a step was broken into. */
	for (int r = 0; r < text.rows && (size_t)r < doc->n; r++)
		if (doc->lines[r].item == STEP && doc->lines[r].n == 1)
			tp_paint_text(text, r, 0, TP_UI_BORDER,
				      area.term->utf8 ? "\xe2\x94\x82" : "|");
}

/* The list, and beside it decision and curve. */
static void draw_beside(struct tp_app *app, struct tp_counters_view *view,
			const struct tp_class *class, struct tp_area area)
{
	int columns = TP_MIN(area.columns * 2 / 5, (int)BESIDE_MAX);
	struct tp_area beside = tp_area_columns(area, area.columns - columns, columns);
	make_decision(view, class, columns - 3, app->term.utf8);
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
	make_decision(view, class, columns - 2, app->term.utf8);
	/*
	 * The list keeps its size while the cursor moves, but for a decision that is longer than
	 * most.
	 */
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
	if (tp_list_act(&view->events, action))
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
		view->page = TP_COUNTERS_CURVES;
		return true;
	default:
		return false;
	}
}

static void mouse_events(struct tp_app *app, struct tp_counters_view *view,
			 const struct tp_input *input)
{
	enum tp_list_event event = tp_list_mouse(&view->events, input);
	if (event != TP_LIST_PRESSED && event != TP_LIST_OPENED)
		return;
	if (input->column < view->events.area.column + MARK_COLUMNS)
		tp_counters_mark(app, view);
	else if (event == TP_LIST_OPENED)
		view->page = TP_COUNTERS_CURVES;
}

/* --- the page of formulas --- */

/* From this width on the chosen events stand beside the metrics. */
enum {
	FORMULA_BESIDE_COLUMNS = 150,
	FORMULA_BESIDE_MAX = 64,
	FORMULA_GAP = 2,
	DETAIL_ROWS_MIN = 7
};

enum {
	VERDICT_COLUMNS = 9,
	ERROR_COLUMNS = 8,
	METRIC_NAME_MIN = 16,
	VALUE_COLUMNS = 14,
	CHOSEN_MIN = 5
};

/* A coefficient that is rounding alone. */
#define NOTHING 1e-12

static const char *verdict_of(const struct tp_class_metric *m, enum tp_role *role)
{
	*role = m->defined ? TP_UI_GOOD : TP_UI_WARN;
	return m->defined ? "defined" : "not here";
}

static const char *words_of(const struct tp_str *formula)
{
	return strcmp(tp_str_text(formula), "0") == 0 ? "no event counts any of it"
						      : tp_str_text(formula);
}

static const struct tp_class_metric *selected_metric(const struct tp_counters_view *view,
						     const struct tp_class *class)
{
	return view->metrics.at < class->n_metrics ? &class->metrics[view->metrics.at] : NULL;
}

/* A line with a title, and with `end` at its right end. */
static void draw_rule(struct tp_area area, const char *title, enum tp_role role, const char *end)
{
	tp_paint_rule(area, 0, title);
	tp_paint_format(area, 0, area.columns - (int)strlen(end) - 3, role, " %s ", end);
}

enum { METRIC, VERDICT, ERROR, FORMULA, METRIC_COLUMNS };

struct metric_table {
	const struct tp_class *class;
	struct tp_table_column columns[METRIC_COLUMNS];
};

static void draw_metric(void *context, struct tp_area line, size_t i, bool selected)
{
	const struct metric_table *t = context;
	const struct tp_class_metric *m = &t->class->metrics[i];
	const int formula_at = t->columns[FORMULA].from;
	enum tp_role verdict, plain = m->defined ? TP_UI_PLAIN : TP_UI_DIM, strong = TP_UI_PLAIN;
	const char *words = verdict_of(m, &verdict);
	TP_STR formula = { 0 };
	char error[32];
	if (selected)
		verdict = plain = strong = TP_UI_SELECTED;
	tp_paint_text(tp_area_columns(line, 1, t->columns[VERDICT].from - 2), 0, 0, strong,
		      m->name);
	tp_table_cell(line, 0, &t->columns[VERDICT], verdict, "%s", words);
	tp_table_cell(line, 0, &t->columns[ERROR], plain, "%s",
		      tp_report_small(error, sizeof(error), m->error));
	/* Rounded where that is as good: it is what people would write. */
	tp_report_formula(t->class, m, m->defined && m->rounded_error <= t->class->defined_limit,
			  &formula);
	tp_paint_text(tp_area_columns(line, formula_at, line.columns - formula_at), 0, 0, plain,
		      words_of(&formula));
}

static void draw_table(struct tp_counters_view *view, const struct tp_class *class,
		       struct tp_area area)
{
	int widest = METRIC_NAME_MIN;
	for (size_t i = 0; i < class->n_metrics; i++)
		widest = TP_MAX(widest, (int)tp_text_columns(class->metrics[i].name));
	const int verdict = TP_MIN(widest, TP_MAX(area.columns / 3, (int)METRIC_NAME_MIN)) + 2;
	const int error = verdict + VERDICT_COLUMNS + 1 + ERROR_COLUMNS;
	struct metric_table table = { class,
				      { [METRIC] = { "metric", 1, 0 },
					[VERDICT] = { "verdict", verdict, 0 },
					[ERROR] = { "error", 0, error },
					[FORMULA] = { "formula", error + 2, 0 } } };
	struct tp_area rows = tp_area_rows(area, 1, area.rows - 1);
	tp_table_titles(area, 0, table.columns, METRIC_COLUMNS, TP_UI_DIM);
	tp_list_paint(&view->metrics, tp_area_columns(rows, 0, rows.columns - 1), draw_metric,
		      &table);
	tp_list_paint_bar(&view->metrics, rows);
	if (!class->n_metrics)
		tp_paint_text(rows, 0, 1, TP_UI_DIM, "The basis of this family has no metrics.");
}

static void add_terms(struct tp_doc *doc, const struct tp_class *class,
		      const struct tp_class_metric *m)
{
	char number[32];
	int names = 0;
	for (size_t i = 0; i < m->n_terms; i++)
		if (m->terms[i].chosen < class->n_chosen)
			names = TP_MAX(
				names,
				(int)tp_text_columns(
					class->events[class->chosen[m->terms[i].chosen]].name));
	for (size_t i = 0; i < m->n_terms; i++) {
		const struct tp_class_term *t = &m->terms[i];
		if (t->chosen >= class->n_chosen || fabs(t->coefficient) < NOTHING)
			continue;
		size_t event = class->chosen[t->chosen];
		TP_STR words = { 0 };
		tp_doc_line(doc, -1);
		tp_doc_right(doc, VALUE_COLUMNS, TP_UI_STRONG, "%+.7g", t->coefficient);
		tp_doc_text(doc, VALUE_COLUMNS + 1, TP_UI_DIM, "x");
		tp_doc_text(doc, VALUE_COLUMNS + 3, TP_UI_PLAIN, class->events[event].name);
		tp_report_represents(class, event, &words);
		if (words.len)
			tp_doc_format(doc, VALUE_COLUMNS + 5 + names, TP_UI_DIM, "= %s",
				      tp_str_text(&words));
		/* Where rounding changes what people would read. */
		snprintf(number, sizeof(number), "%.6g", t->rounded);
		if (fabs(t->rounded - t->coefficient) > 1e-6 * fabs(t->coefficient))
			tp_doc_format(doc, TP_DOC_NEXT, TP_UI_DIM, "  (rounded %s)", number);
	}
}

/* "NAMES: reason" a line becomes "reason: NAMES". */
static void add_reasons(struct tp_doc *doc, char *lines)
{
	for (char *line; (line = strsep(&lines, "\n")) && *line;) {
		char *colon = strrchr(line, ':');

		*colon = '\0';
		tp_doc_line(doc, -1);
		tp_doc_format(doc, 2, TP_UI_PLAIN, "%s: ", colon + 2);
		tp_doc_wrap(doc, TP_DOC_NEXT, TP_UI_DIM, line);
	}
}

static void make_formula(struct tp_counters_view *view, const struct tp_class *class, int columns)
{
	const struct tp_class_metric *m = selected_metric(view, class);
	struct tp_doc *doc = &view->formula;
	TP_STR formula = { 0 };
	char error[32], rounded[32];
	if (view->formula_of == view->metrics.at && doc->columns == columns)
		return;
	tp_doc_clear(doc, columns);
	view->formula_of = view->metrics.at;
	view->formula.list = (struct tp_list){ 0 };
	if (!m)
		return;
	tp_report_formula(class, m, m->defined && tp_class_is_round(class, m), &formula);
	tp_doc_line(doc, -1);
	tp_doc_wrap(doc, 0, TP_UI_STRONG, words_of(&formula));
	tp_doc_line(doc, -1);
	tp_doc_format(doc, 0, TP_UI_DIM, "backward error %s, rounded %s; defined up to %.3g",
		      tp_report_small(error, sizeof(error), m->error),
		      tp_report_small(rounded, sizeof(rounded), m->rounded_error),
		      class->defined_limit);
	if (*m->symbol)
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_DIM, "; PAPI: %s%s%s", m->symbol,
			      *m->unit ? ", in " : "", m->unit);
	tp_doc_line(doc, -1);
	if (!isnan(m->row_error)) {
		bool only_rows = !m->defined && m->error <= class->defined_limit;

		tp_doc_format(doc, 0, only_rows ? TP_UI_WARN : TP_UI_DIM,
			      "off by %.3g %% on the worst of the rows that it was made from",
			      100 * m->row_error);
		tp_doc_line(doc, -1);
	}
	add_terms(doc, class, m);
	if (!m->defined) {
		TP_STR missing = { 0 };

		tp_report_missing(class, &missing);
		tp_doc_line(doc, -1);
		tp_doc_line(doc, -1);
		tp_doc_wrap(
			doc, 0, TP_UI_WARN,
			"The events of this machine cannot count it: no combination of them comes "
			"near. A formula above is the nearest one and no measure of it.");
		if (missing.len) {
			tp_doc_line(doc, -1);
			tp_doc_text(doc, 0, TP_UI_PLAIN,
				    "It would take events that tell more of these:");
			add_reasons(doc, missing.s);
		}
	}
}

static void draw_detail(struct tp_counters_view *view, const struct tp_class *class,
			struct tp_area area)
{
	const struct tp_class_metric *m = selected_metric(view, class);
	enum tp_role role;
	if (!m || area.rows < 2)
		return;
	const char *verdict = verdict_of(m, &role);
	draw_rule(area, m->name, role, verdict);
	make_formula(view, class, area.columns - 2);
	tp_doc_show(&view->formula,
		    tp_area_columns(tp_area_rows(area, 1, area.rows - 1), 1, area.columns - 1),
		    false);
}

static void draw_chosen(const struct tp_class *class, struct tp_area area)
{
	int names = 0;
	char count[32];
	snprintf(count, sizeof(count), "%zu", class->n_chosen);
	draw_rule(area, "Chosen events", TP_UI_GOOD, count);
	for (size_t i = 0; i < class->n_chosen; i++)
		names = TP_MAX(names, (int)tp_text_columns(class->events[class->chosen[i]].name));
	names = TP_MIN(names, area.columns * 3 / 5);
	for (size_t i = 0; i < class->n_chosen && (int)i + 1 < area.rows; i++) {
		int row = (int)i + 1;
		TP_STR words = { 0 };
		if (row == area.rows - 1 && i + 1 < class->n_chosen) {
			tp_paint_format(area, row, 5, TP_UI_DIM, "and %zu more",
					class->n_chosen - i);
			return;
		}
		snprintf(count, sizeof(count), "%zu", i + 1);
		tp_paint_right(area, row, 3, TP_UI_DIM, count);
		tp_paint_text(tp_area_columns(area, 5, names), row, 0, TP_UI_PLAIN,
			      class->events[class->chosen[i]].name);
		tp_report_represents(class, class->chosen[i], &words);
		tp_paint_text(area, row, 6 + names, TP_UI_DIM, "=");
		tp_paint_text(area, row, 8 + names, TP_UI_PLAIN, tp_str_text(&words));
	}
	if (!class->n_chosen)
		tp_paint_text(area, 1, 1, TP_UI_WARN, "no event could be represented");
}

static void draw_formulas(struct tp_app *app, struct tp_counters_view *view, struct tp_area area)
{
	const struct tp_class *class = tp_counters_class(app, view);
	area = tp_area_columns(area, 1, area.columns - 1);
	view->metrics.area.rows = 0;
	if (view->whole) {
		draw_detail(view, class, area);
		return;
	}
	bool wide = area.columns >= FORMULA_BESIDE_COLUMNS;
	if (wide) {
		int beside = TP_MIN(area.columns * 2 / 5, (int)FORMULA_BESIDE_MAX);
		draw_chosen(class, tp_area_columns(area, area.columns - beside, beside - 1));
		area = tp_area_columns(area, 0, area.columns - beside - FORMULA_GAP);
	}
	int table = TP_MIN((int)class->n_metrics + 1,
			   TP_MAX(area.rows - DETAIL_ROWS_MIN - 1, area.rows / 2));
	draw_table(view, class, tp_area_rows(area, 0, table));
	struct tp_area rest = tp_area_columns(tp_area_rows(area, table + 1, area.rows - table - 1),
					      0, area.columns - 1);
	make_formula(view, class, rest.columns - 2);
	int detail = TP_MAX((int)view->formula.n + 1, (int)DETAIL_ROWS_MIN);
	int left = rest.rows - detail - 1;
	if (!wide && left > CHOSEN_MIN) {
		int chosen = TP_MIN((int)class->n_chosen + 1, left);
		draw_chosen(class, tp_area_columns(tp_area_rows(rest, rest.rows - chosen, chosen),
						   0, rest.columns));
		rest = tp_area_rows(rest, 0, rest.rows - chosen - 1);
	}
	draw_detail(view, class, rest);
}

static bool act_formulas(struct tp_app *app, struct tp_counters_view *view, enum tp_action action)
{
	(void)app;
	if (view->whole && tp_list_scroll(&view->formula.list, action))
		return true;
	if (!view->whole && tp_list_act(&view->metrics, action))
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
		view->whole = tp_list_mouse(&view->metrics, input) == TP_LIST_OPENED;
	else if (input->mouse == TP_MOUSE_PRESS)
		view->whole = false;
	else
		tp_list_wheel(&view->formula.list, tp_list_wheel_rows(input));
}

const struct tp_counters_page_row tp_counters_page_rows[TP_COUNTERS_PAGES] = {
	[TP_COUNTERS_EVENTS] = { "e", "Events", TP_ACTION_VIEW_EVENTS, draw_events, act_events,
				 mouse_events, true },
	[TP_COUNTERS_NOISE] = { "n", "Noise", TP_ACTION_VIEW_NOISE, draw_noise, act_noise,
				mouse_noise, false },
	[TP_COUNTERS_CURVES] = { "c", "Curves", TP_ACTION_VIEW_CURVES, draw_curves, act_curves,
				 mouse_curves, false },
	[TP_COUNTERS_FORMULAS] = { "f", "Formulas", TP_ACTION_VIEW_FORMULAS, draw_formulas,
				   act_formulas, mouse_formulas, true },
};
