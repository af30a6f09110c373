/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The events of a family as a list: filtered, sorted, marked; below or beside it how the one under
 * the cursor came to its fate.
 */
#include "experiments/counters/screen.h"
#include "analysis/classify.h"
#include "base/memory.h"
#include "experiments/counters/report.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From this width on the decision stands beside the list. */
enum { CURVE_COLUMNS = 110, CURVE_ROWS = 30, CURVE_ROWS_MIN = 13 };
enum { BESIDE_COLUMNS = 150, BESIDE_MAX = 76, GAP = 2, DECISION_ROWS_MIN = 5 };
/* Lines of a decision: of a step that others follow, of the last one. */
enum { STEP, LAST_STEP, BRANCH_COLUMNS = 3 };
enum { MARK_COLUMNS = 2, ORDER_COLUMNS = 4, NUMBER_COLUMNS = 8, NAME_MIN = 28, WORDS_MIN = 16 };
/* In less room than this the residual is told by the decision alone. */
enum { RESIDUAL_COLUMNS = 100 };

/* --- which events, in which order --- */

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

static void measure(struct tp_counters_view *view, const struct tp_class *class)
{
	view->name_columns = view->fate_columns = 0;
	for (size_t i = 0; i < class->n_events; i++) {
		const struct tp_class_event *e = &class->events[i];
		view->name_columns = TP_MAX(view->name_columns, (int)tp_text_columns(e->name));
		view->fate_columns = TP_MAX(view->fate_columns, (int)strlen(e->fate));
	}
}

void tp_counters_choose(struct tp_counters_view *view, const struct tp_class *class)
{
	size_t selected = tp_counters_selected(view, class);
	size_t *shown = realloc(view->shown, (class->n_events + 1) * sizeof(*shown));
	if (!shown)
		return;
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
	tp_counters_select(view, selected);
	measure(view, class);
}

size_t tp_counters_selected(const struct tp_counters_view *view, const struct tp_class *class)
{
	return view->events.at < view->n_shown ? view->shown[view->events.at] : class->n_events;
}

void tp_counters_select(struct tp_counters_view *view, size_t event)
{
	for (size_t i = 0; i < view->n_shown; i++)
		if (view->shown[i] == event)
			view->events.at = i;
}

/* --- marks --- */

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
	size_t event = tp_counters_selected(view, class), at = find_mark(view, event);
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

/* --- painting --- */

enum { ORDER, NAME, FATE, NOISE, RESIDUAL, REPRESENTS, COLUMNS };

/* The list as it is painted: where each column lies; without room RESIDUAL has no title. */
struct table {
	const struct tp_counters_view *view;
	const struct tp_class *class;
	struct tp_table_column columns[COLUMNS];
	struct tp_area names, represents; /* columns that cut their text */
};

static struct table lay_out(const struct tp_counters_view *view, const struct tp_class *class,
			    struct tp_area area)
{
	const int room = area.columns, name = MARK_COLUMNS + ORDER_COLUMNS + 1;
	const bool residual = room >= RESIDUAL_COLUMNS;
	const int numbers = (residual ? 2 : 1) * (NUMBER_COLUMNS + 1);
	const int fixed = name + 1 + view->fate_columns + 1 + numbers + 1;
	const int names = TP_MIN(view->name_columns, TP_MAX(room - fixed - WORDS_MIN, NAME_MIN));
	const int fate = name + names + 1, noise = fate + view->fate_columns + 1 + NUMBER_COLUMNS;
	const int represents = fate + view->fate_columns + 1 + numbers + 1;
	return (struct table){
		.view = view,
		.class = class,
		.columns = {
			[ORDER] = { "#", 0, MARK_COLUMNS + ORDER_COLUMNS },
			[NAME] = { "event", name, 0 },
			[FATE] = { "fate", fate, 0 },
			[NOISE] = { "noise", 0, noise },
			[RESIDUAL] = { residual ? "residual" : NULL, 0, noise + NUMBER_COLUMNS + 1 },
			[REPRESENTS] = { "represents", represents, 0 },
		},
		.names = tp_area_columns(area, name, names),
		.represents = tp_area_columns(area, represents, room - represents),
	};
}

/* Which events, in which order; nothing where it is the usual. */
static const char *restriction(const struct tp_counters_view *view, char *out, size_t size)
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

static void draw_titles(const struct table *t, struct tp_area area)
{
	const struct tp_counters_view *view = t->view;
	const int end = t->columns[NOISE].end - NUMBER_COLUMNS - 1;
	char words[64];
	restriction(view, words, sizeof(words));
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
	const struct table *t = context;
	const size_t event = t->view->shown[shown];
	const struct tp_class_event *e = &t->class->events[event];
	const bool marked = find_mark(t->view, event) < t->view->n_marked;
	const int row = line.row - t->names.row;
	const enum tp_role here = TP_UI_SELECTED;
	enum tp_role fate = selected ? here : tp_counters_role(e->fate);
	enum tp_role plain = selected ? here : e->order < 0 && !e->x ? TP_UI_DIM : TP_UI_PLAIN;
	enum tp_role dim = selected ? here : TP_UI_DIM;
	char small[32];
	struct tp_str words = { 0 };
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
	tp_str_release(&words);
}

static void draw_list(struct tp_counters_view *view, const struct tp_class *class,
		      struct tp_area area)
{
	struct tp_area rows = tp_area_rows(area, 1, area.rows - 1);
	struct tp_area left = tp_area_columns(area, 0, area.columns - 1);
	struct table table = lay_out(view, class, left);
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
	size_t event = tp_counters_selected(view, class);
	struct tp_str text = { 0 };
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
	tp_str_release(&text);
}

static void draw_decision(struct tp_counters_view *view, const struct tp_class *class,
			  struct tp_area area)
{
	size_t event = tp_counters_selected(view, class);
	if (event >= class->n_events || area.rows < 2)
		return;
	const struct tp_class_event *e = &class->events[event];
	int end = area.columns - (int)strlen(e->fate) - 1;
	tp_paint_rule(area, 0, "");
	tp_paint_format(tp_area_columns(area, 2, end - 4), 0, 0, TP_UI_TITLE, " %s ", e->name);
	tp_paint_format(area, 0, end - 1, tp_counters_role(e->fate), " %s ", e->fate);
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
	tp_counters_curve_beside(app, view, tp_area_rows(beside, rows, area.rows - rows));
}

void tp_counters_events_draw(struct tp_app *app, struct tp_counters_view *view, struct tp_area area)
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
		tp_counters_curve_beside(
			app, view,
			tp_area_columns(lower, columns + GAP, area.columns - columns - GAP));
}

/* --- input --- */

static void next_fate(struct tp_counters_view *view, const struct tp_class *class)
{
	/* Only fates that occur. */
	for (int step = 0; step < TP_FATE_COUNT + 1; step++) {
		view->fate =
			view->fate + 1 == TP_FATE_COUNT ? TP_COUNTERS_ANY_FATE : view->fate + 1;
		if (view->fate == TP_COUNTERS_ANY_FATE)
			break;
		bool any = false;
		for (size_t i = 0; i < class->n_events && !any; i++)
			any = fate_of(&class->events[i]) == view->fate;
		if (any)
			break;
	}
	tp_counters_choose(view, class);
}

bool tp_counters_events_act(struct tp_app *app, struct tp_counters_view *view,
			    enum tp_action action)
{
	const struct tp_class *class = tp_counters_class(app, view);
	if (tp_list_act(&view->events, action))
		return true;
	switch (action) {
	case TP_ACTION_FATE:
		next_fate(view, class);
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

void tp_counters_events_mouse(struct tp_app *app, struct tp_counters_view *view,
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
