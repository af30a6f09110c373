/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The metrics of a family: formula, error, verdict; of the one under the cursor everything, and
 * what it would take where it is not defined.
 */
#include "experiments/counters/screen.h"
#include "base/memory.h"
#include "experiments/counters/report.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From this width on the chosen events stand beside the metrics. */
enum { BESIDE_COLUMNS = 150, BESIDE_MAX = 64, GAP = 2, DETAIL_ROWS_MIN = 7 };
enum { VERDICT_COLUMNS = 9, ERROR_COLUMNS = 8, NAME_MIN = 16, VALUE_COLUMNS = 14, CHOSEN_MIN = 5 };

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

static const struct tp_class_metric *selected(const struct tp_counters_view *view,
					      const struct tp_class *class)
{
	return view->metrics.at < class->n_metrics ? &class->metrics[view->metrics.at] : NULL;
}

/* A line with a title, and with `end` at its right end. */
static void rule(struct tp_area area, const char *title, enum tp_role role, const char *end)
{
	tp_paint_rule(area, 0, title);
	tp_paint_format(area, 0, area.columns - (int)strlen(end) - 3, role, " %s ", end);
}

/* --- the table --- */

enum { METRIC, VERDICT, ERROR, FORMULA, COLUMNS };

struct table {
	const struct tp_class *class;
	struct tp_table_column columns[COLUMNS];
};

static void draw_metric(void *context, struct tp_area line, size_t i, bool selected)
{
	const struct table *t = context;
	const struct tp_class_metric *m = &t->class->metrics[i];
	const int formula_at = t->columns[FORMULA].from;
	enum tp_role verdict, plain = m->defined ? TP_UI_PLAIN : TP_UI_DIM, strong = TP_UI_PLAIN;
	const char *words = verdict_of(m, &verdict);
	struct tp_str formula = { 0 };
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
	tp_str_release(&formula);
}

static int name_columns_of(const struct tp_class *class, int room)
{
	int widest = NAME_MIN;
	for (size_t i = 0; i < class->n_metrics; i++)
		widest = TP_MAX(widest, (int)tp_text_columns(class->metrics[i].name));
	return TP_MIN(widest, TP_MAX(room / 3, (int)NAME_MIN));
}

static void draw_table(struct tp_counters_view *view, const struct tp_class *class,
		       struct tp_area area)
{
	const int verdict = name_columns_of(class, area.columns) + 2;
	const int error = verdict + VERDICT_COLUMNS + 1 + ERROR_COLUMNS;
	struct table table = { class,
			       { [METRIC] = { "metric", 1, 0 },
				 [VERDICT] = { "verdict", verdict, 0 },
				 [ERROR] = { "error", 0, error },
				 [FORMULA] = { "formula", error + 2, 0 } } };
	struct tp_area rows = tp_area_rows(area, 1, area.rows - 1);
	tp_table_titles(area, 0, table.columns, COLUMNS, TP_UI_DIM);
	tp_list_paint(&view->metrics, tp_area_columns(rows, 0, rows.columns - 1), draw_metric,
		      &table);
	tp_list_paint_bar(&view->metrics, rows);
	if (!class->n_metrics)
		tp_paint_text(rows, 0, 1, TP_UI_DIM, "The basis of this family has no metrics.");
}

/* --- one metric --- */

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
		struct tp_str words = { 0 };
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
		tp_str_release(&words);
	}
}

/*
 * Ideal events that no combination tells, by the reason for it: the report has a line "NAME:
 * reason" for each.
 */
static void add_reasons(struct tp_doc *doc, char *lines)
{
	for (char *from = lines; *from;) {
		struct tp_str names = { 0 };
		char reason[128] = "", *next = NULL;
		for (char *line = from, *end; *line; line = end + 1) {
			char *colon = strchr(line, ':');
			end = strchr(line, '\n');
			if (!end || !colon || colon > end)
				break;
			size_t n = (size_t)(end - colon);
			if (!*reason && *line != ' ')
				snprintf(reason, sizeof(reason), "%.*s", (int)n - 2, colon + 2);
			if (*line != ' ' && n - 2 == strlen(reason) &&
			    strncmp(colon + 2, reason, n - 2) == 0) {
				tp_str_printf(&names, "%s%.*s", names.len ? ", " : "",
					      (int)(colon - line), line);
				*line = ' '; /* told */
			} else if (*line != ' ' && !next) {
				next = line;
			}
		}
		if (names.len) {
			tp_doc_line(doc, -1);
			tp_doc_format(doc, 2, TP_UI_PLAIN, "%s: ", reason);
			tp_doc_wrap(doc, TP_DOC_NEXT, TP_UI_DIM, tp_str_text(&names));
		}
		tp_str_release(&names);
		if (!next)
			return;
		from = next;
	}
}

static void add_missing(struct tp_doc *doc, const struct tp_class *class)
{
	struct tp_str missing = { 0 };
	tp_report_missing(class, &missing);
	tp_doc_line(doc, -1);
	tp_doc_line(doc, -1);
	tp_doc_wrap(doc, 0, TP_UI_WARN,
		    "The events of this machine cannot count it: no combination of them comes "
		    "near. A formula above is the nearest one and no measure of it.");
	if (missing.len) {
		tp_doc_line(doc, -1);
		tp_doc_text(doc, 0, TP_UI_PLAIN, "It would take events that tell more of these:");
		add_reasons(doc, missing.s);
	}
	tp_str_release(&missing);
}

static void make_formula(struct tp_counters_view *view, const struct tp_class *class, int columns)
{
	const struct tp_class_metric *m = selected(view, class);
	struct tp_doc *doc = &view->formula;
	struct tp_str formula = { 0 };
	char error[32], rounded[32];
	if (view->formula_of == view->metrics.at && doc->columns == columns)
		return;
	tp_doc_clear(doc, columns);
	view->formula_of = view->metrics.at;
	view->formula_list = (struct tp_list){ 0 };
	if (!m)
		return;
	bool good = m->rounded_error <= class->defined_limit;
	tp_report_formula(class, m, m->defined && good, &formula);
	tp_doc_line(doc, -1);
	tp_doc_wrap(doc, 0, TP_UI_STRONG, words_of(&formula));
	tp_str_release(&formula);
	tp_doc_line(doc, -1);
	tp_doc_format(doc, 0, TP_UI_DIM, "backward error %s, rounded %s; defined up to %.3g",
		      tp_report_small(error, sizeof(error), m->error),
		      tp_report_small(rounded, sizeof(rounded), m->rounded_error),
		      class->defined_limit);
	if (*m->symbol)
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_DIM, "; PAPI: %s%s%s", m->symbol,
			      *m->unit ? ", in " : "", m->unit);
	tp_doc_line(doc, -1);
	add_terms(doc, class, m);
	if (!m->defined)
		add_missing(doc, class);
	tp_list_resize(&view->formula_list, doc->n);
}

static void draw_detail(struct tp_counters_view *view, const struct tp_class *class,
			struct tp_area area)
{
	const struct tp_class_metric *m = selected(view, class);
	enum tp_role role;
	if (!m || area.rows < 2)
		return;
	const char *verdict = verdict_of(m, &role);
	rule(area, m->name, role, verdict);
	make_formula(view, class, area.columns - 2);
	tp_doc_show(&view->formula, &view->formula_list,
		    tp_area_columns(tp_area_rows(area, 1, area.rows - 1), 1, area.columns - 1),
		    false);
}

/* --- the chosen events --- */

static void draw_chosen(const struct tp_class *class, struct tp_area area)
{
	int names = 0;
	char count[32];
	snprintf(count, sizeof(count), "%zu", class->n_chosen);
	rule(area, "Chosen events", TP_UI_GOOD, count);
	for (size_t i = 0; i < class->n_chosen; i++)
		names = TP_MAX(names, (int)tp_text_columns(class->events[class->chosen[i]].name));
	names = TP_MIN(names, area.columns * 3 / 5);
	for (size_t i = 0; i < class->n_chosen && (int)i + 1 < area.rows; i++) {
		int row = (int)i + 1;
		struct tp_str words = { 0 };
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
		tp_str_release(&words);
	}
	if (!class->n_chosen)
		tp_paint_text(area, 1, 1, TP_UI_WARN, "no event could be represented");
}

/* --- together --- */

void tp_counters_formulas_draw(struct tp_app *app, struct tp_counters_view *view,
			       struct tp_area area)
{
	const struct tp_class *class = tp_counters_class(app, view);
	area = tp_area_columns(area, 1, area.columns - 1);
	view->metrics.area.rows = 0;
	if (view->whole) {
		draw_detail(view, class, area);
		return;
	}
	bool wide = area.columns >= BESIDE_COLUMNS;
	if (wide) {
		int beside = TP_MIN(area.columns * 2 / 5, (int)BESIDE_MAX);
		draw_chosen(class, tp_area_columns(area, area.columns - beside, beside - 1));
		area = tp_area_columns(area, 0, area.columns - beside - GAP);
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

/* --- input --- */

bool tp_counters_formulas_act(struct tp_app *app, struct tp_counters_view *view,
			      enum tp_action action)
{
	(void)app;
	if (view->whole && tp_list_scroll(&view->formula_list, action))
		return true;
	if (!view->whole && tp_list_act(&view->metrics, action))
		return true;
	switch (action) {
	case TP_ACTION_SHOW:
		view->whole = !view->whole;
		view->formula_of = SIZE_MAX;
		return true;
	case TP_ACTION_BACK:
		if (!view->whole)
			return false;
		view->whole = false;
		return true;
	default:
		return false;
	}
}

void tp_counters_formulas_mouse(struct tp_app *app, struct tp_counters_view *view,
				const struct tp_input *input)
{
	(void)app;
	if (!view->whole)
		view->whole = tp_list_mouse(&view->metrics, input) == TP_LIST_OPENED;
	else if (input->mouse == TP_MOUSE_PRESS)
		view->whole = false;
	else
		tp_list_wheel(&view->formula_list, tp_list_wheel_rows(input));
}
