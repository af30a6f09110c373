/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What hardware events really count: a run under way (which family and kernel, how much was read,
 * which families are analysed), and the Counters screen with its pages.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "experiments/counters/classes.h"
#include "experiments/counters/pictures.h"
#include "experiments/counters/report.h"
#include "experiments/counters/row.h"
#include "experiments/counters/readings.h"
#include "kernels/counting.h"
#include "doc/text.h"
#include "session/document.h"
#include "ui/tui/app.h"
#include "ui/tui/experiments/counters_pages.h"
#include "ui/tui/paint.h"
#include "ui/tui/shown.h"

/* What was read while the kernel of a point ran; all 0 when nothing was. */
struct reading_tally {
	size_t events, rows, repetitions, readings;
};

enum { NAME_COLUMNS = 14, BAR_COLUMNS_MAX = 24, WORDS_COLUMNS = 46 };
/* A rate needs some time behind it. */
#define RATE_SECONDS 0.05

static bool is_counting(const struct tp_point *point)
{
	return strcmp(point->experiment, "counters") == 0;
}

static const struct tp_reading_family *readings_of(const struct tp_run *run,
						   const struct tp_point *p)
{
	char family[sizeof(p->kernel)];
	tp_count_family(p, family, sizeof(family));
	return tp_readings_of_run(tp_run_readings(run), family, p->run);
}

static const struct tp_family *kernel_of(const struct tp_point *p, unsigned *kernel)
{
	char name[sizeof(p->kernel)];
	const char *wanted = tp_count_family(p, name, sizeof(name));
	const struct tp_family *family = tp_family_find(name);
	for (unsigned k = 0; family && k < family->n_kernels; k++)
		if (strcmp(family->kernel_name(k, name, sizeof(name)), wanted) == 0) {
			*kernel = k;
			return family;
		}
	return NULL;
}

static struct reading_tally tally_of(const struct tp_run *run, const struct tp_point *p)
{
	struct reading_tally tally = { 0 };
	const struct tp_reading_family *readings = readings_of(run, p);
	unsigned kernel;
	const struct tp_family *family = kernel_of(p, &kernel);
	if (!readings || !family)
		return tally;
	for (unsigned row = tp_family_first_row(family, kernel);
	     row < tp_family_first_row(family, kernel + 1) && row < readings->n_rows; row++)
		tally.rows += isfinite(readings->iterations[row]);
	tally.events = tally.rows ? readings->n_events : 0;
	tally.repetitions = tally.rows ? readings->n_repetitions : 0;
	tally.readings = tally.rows * tally.events * tally.repetitions;
	return tally;
}

/* --- one point --- */

static int last_counts(const struct tp_live *live, struct tp_area area, int row)
{
	int from = row;
	for (size_t i = 0; i < live->n_last && row < area.rows; i++) {
		/* The newest first. */
		const struct tp_live_row *last =
			&live->last[(live->last_at + TP_LIVE_ROWS - 1 - i) % TP_LIVE_ROWS];
		const struct tp_counts *c = (const void *)&last->row;
		if (last->event != &tp_counts_event)
			continue;
		char value[48];
		if (row == from)
			tp_paint_text(area, row++, 0, TP_UI_TITLE, "Last counts");
		if (row >= area.rows)
			break;
		double count = c->n ? c->counts[c->n - 1] : NAN;
		if (isnan(count))
			snprintf(value, sizeof(value), "could not be counted");
		else
			snprintf(value, sizeof(value), "%.0f", count);
		int room = TP_MAX(area.columns - 34, 12);
		tp_paint_text(tp_area_columns(area, 0, room), row, 0, TP_UI_PLAIN, c->event);
		tp_paint_right(area, row, TP_MIN(room + 18, area.columns), TP_UI_STRONG, value);
		if (isfinite(count) && c->iterations > 0)
			tp_paint_format(area, row, room + 20, TP_UI_DIM, "%.6g each",
					count / c->iterations);
		row++;
	}
	return row - from;
}

/*
 * The point in words: family, kernel, readings, the last counts while it is under way. Returns the
 * rows it took.
 */
static int draw_counting(const struct tp_app *app, const struct tp_point *p, struct tp_area area)
{
	const struct tp_live *live = &app->live;
	const struct tp_run *run = tp_app_run(app);
	bool current = live->state != TP_LIVE_NONE && live->current == (long)p->point;
	char count[32], threads[32], seconds[48], family[sizeof(p->kernel)];
	const char *kernel = tp_count_family(p, family, sizeof(family));
	int row = 0;
	tp_paint_format(area, row++, 0, TP_UI_STRONG, "%s, kernel %s, %s on CPU %s", family, kernel,
			tp_text_count(threads, sizeof(threads), p->threads, "thread"), p->cpus);
	if (p->state == TP_POINT_FAILED || p->state == TP_POINT_SKIPPED) {
		enum tp_role role = p->state == TP_POINT_FAILED ? TP_UI_BAD : TP_UI_WARN;
		row += tp_paint_wrapped(area, row, 0, role, p->diag.what);
		row += tp_paint_wrapped(area, row, 0, TP_UI_DIM, tp_hint_on_screen(p->diag.hint));
		return row;
	}
	if (p->state == TP_POINT_PLANNED && !current) {
		tp_paint_format(area, row++, 0, TP_UI_DIM, "planned, about %s",
				tp_format_seconds(seconds, sizeof(seconds), p->estimate_seconds));
		return row;
	}
	if (current) {
		double since = live->row_t - live->begun_t;
		if (!live->n_values) {
			tp_paint_text(area, row++, 0, TP_UI_DIM,
				      "no reading yet: code, data, the source of events");
			return row;
		}
		int at = tp_paint_format(area, row, 0, TP_UI_TITLE, "%zu readings", live->n_values);
		at += tp_paint_text(area, row, at, TP_UI_DIM, "  so far");
		if (since > RATE_SECONDS)
			tp_paint_format(area, row, at, TP_UI_PLAIN, ", %.4g a second",
					(double)live->n_values / since);
		row++;
		row += last_counts(live, area, row);
		return row;
	}
	struct reading_tally tally = run ? tally_of(run, p) : (struct reading_tally){ 0 };
	if (!tally.readings) {
		tp_paint_text(area, row++, 0, TP_UI_WARN, "nothing was read");
		return row;
	}
	int at = tp_paint_format(area, row, 0, TP_UI_TITLE, "%zu readings", tally.readings);
	at += tp_paint_format(area, row, at, TP_UI_PLAIN, ": %zu events x %s", tally.events,
			      tp_text_count(count, sizeof(count), tally.rows, "row"));
	tp_paint_format(area, row++, at, TP_UI_PLAIN, " x %s",
			tp_text_count(count, sizeof(count), tally.repetitions, "repetition"));
	tp_format_seconds(seconds, sizeof(seconds), p->seconds);
	tp_paint_format(area, row++, 0, TP_UI_DIM, "counted by %s in %s",
			tp_count_row(p)->source[0] ? tp_count_row(p)->source : "?", seconds);
	return row;
}

/* --- the run --- */

/* What came of the readings of a family; NULL before it is analysed. */
static const struct tp_class *class_of(const struct tp_run *run,
				       const struct tp_reading_family *readings, unsigned index)
{
	for (size_t i = 0; readings && i < tp_run_n_classes(run); i++)
		if (tp_run_classes(run)[i].run == index &&
		    strcmp(tp_run_classes(run)[i].family, readings->name) == 0)
			return &tp_run_classes(run)[i];
	return NULL;
}

/*
 * One line a family: how many kernels ran, how much was read; once it is analysed, what came of it.
 */
static void draw_family(const struct tp_run *run, size_t first, struct tp_area area, int row)
{
	const struct tp_point *p = &run->points[first];
	size_t all = 0, gone = 0;
	for (size_t i = first; i < run->n_points; i++)
		if (is_counting(&run->points[i]) && tp_count_same_family(p, &run->points[i])) {
			all++;
			gone += run->points[i].state != TP_POINT_PLANNED;
		}
	const struct tp_reading_family *readings = readings_of(run, p);
	const struct tp_class *class = class_of(run, readings, p->run);
	char family[sizeof(p->kernel)];
	int bar = TP_MIN(area.columns / 8, (int)BAR_COLUMNS_MAX), at = NAME_COLUMNS;
	tp_count_family(p, family, sizeof(family));
	tp_paint_format(tp_area_columns(area, 0, NAME_COLUMNS - 1), row, 0,
			gone ? TP_UI_PLAIN : TP_UI_DIM, "%s", family);
	tp_paint_bar(area, row, at, bar, (double)gone / (double)all,
		     gone == all ? TP_UI_GOOD : TP_UI_KEY);
	at += bar + 1;
	char count[32];
	snprintf(count, sizeof(count), "%zu/%zu", gone, all);
	tp_paint_right(area, row, at + 7, TP_UI_DIM, count);
	at += 9;
	struct tp_area rest = tp_area_columns(area, at, area.columns - at);
	if (class) {
		size_t defined = 0;
		for (size_t i = 0; i < class->n_metrics; i++)
			defined += class->metrics[i].defined;
		int used = tp_paint_format(rest, row, 0, TP_UI_GOOD, "%zu of %zu%s chosen",
					   class->n_chosen, class->n_events,
					   rest.columns < WORDS_COLUMNS ? "" : " events");
		if (class->n_metrics && rest.columns >= WORDS_COLUMNS)
			tp_paint_format(rest, row, used, TP_UI_PLAIN, ", %zu of %zu metrics",
					defined, class->n_metrics);
	} else if (readings) {
		tp_paint_format(rest, row, 0, TP_UI_PLAIN, "%zu events so far", readings->n_events);
	} else if (gone == all) {
		tp_paint_text(rest, row, 0, TP_UI_WARN, "nothing was read");
	}
}

/* One line a family of the run: kernels that ran, and what came of it. */
static bool draw_run(struct tp_app *app, struct tp_area area)
{
	const struct tp_run *run = tp_app_run(app);
	int row = 1;
	for (size_t i = 0; i < run->n_points && row < area.rows; i++) {
		const struct tp_point *p = &run->points[i];
		bool known = !is_counting(p);
		for (size_t k = 0; k < i && !known; k++)
			known = is_counting(&run->points[k]) &&
				tp_count_same_family(p, &run->points[k]);
		if (!known)
			draw_family(run, i, tp_area_columns(area, 1, area.columns - 2), row++);
	}
	return true;
}

/* Both, where there is no class to show yet. */
static void draw_counting_all(struct tp_app *app, struct tp_area area)
{
	const struct tp_run *run = tp_app_run(app);
	const struct tp_live *live = &app->live;
	area = tp_area_columns(area, 2, TP_MIN(area.columns - 4, 100));
	bool under_way = tp_live_is_under_way(live);
	tp_paint_text(area, 1, 0, TP_UI_TITLE,
		      under_way ? "Counting" : "No family of this run could be analysed");
	tp_paint_wrapped(area, 2, 0, TP_UI_DIM,
			 under_way ? "A family appears here as soon as its last kernel ran."
				   : "3 shows what became of its points, t there what was said.");
	int row = 4;
	if (under_way && live->current >= 0 && (size_t)live->current < run->n_points) {
		const struct tp_point *p = &run->points[live->current];
		if (is_counting(p))
			row += draw_counting(app, p,
					     tp_area_rows(area, row, TP_MIN(area.rows / 2, 12))) +
			       1;
	}
	draw_run(app, tp_area_rows(area, row - 1, area.rows - row + 1));
}

enum { HEAD_ROWS = 2, TIGHT_ROWS = 24 };

enum { TAB_GAP = 2, FAMILY_COLUMN = 1, FAMILY_GAP = 1 };

static void open_screen(struct tp_app *app, void *state)
{
	struct tp_counters_view *view = state;
	(void)app;
	view->fate = TP_COUNTERS_ANY_FATE;
	view->noise.by_x = view->curves.by_x = true;
	view->export.title = "Write the run's files into this folder";
	view->export.note = ".svg .csv .json .txt .papi .readings.csv   Enter, Esc";
}

static void close_screen(void *state)
{
	struct tp_counters_view *view = state;
	tp_plot_drop(&view->noise);
	tp_plot_drop(&view->curves);
	tp_doc_release(&view->decision);
	tp_doc_release(&view->formula);
	tp_gridview_release(&view->events);
	tp_gridview_release(&view->metrics);
	tp_gridview_release(&view->chosen);
	free(view->ranks);
}

/* --- what is shown of which run --- */

/*
 * All that lists and pictures are made from, in one number; pointers into the run are valid as long
 * as it stays the same.
 */
static uint64_t look_at(const struct tp_app *app)
{
	const struct tp_run *run = tp_app_run(app);
	uint64_t hash = TP_SEEN_START;
	tp_seen_mix(&hash, (uint64_t)app->live.state);
	tp_seen_text(&hash, tp_app_run_label(app));
	if (!run)
		return hash;
	tp_seen_mix(&hash, tp_run_n_classes(run));
	tp_seen_mix(&hash, (uintptr_t)tp_run_classes(run));
	for (size_t i = 0; i < tp_run_n_classes(run); i++) {
		tp_seen_mix(&hash, (uintptr_t)tp_run_classes(run)[i].events);
		tp_seen_mix(&hash, tp_run_classes(run)[i].n_events);
	}
	return hash;
}

/* Makes the lists for a family; pictures are made when they are drawn. */
static void show_family(const struct tp_app *app, struct tp_counters_view *view)
{
	const struct tp_class *class = tp_counters_class(app, view);
	tp_plot_drop(&view->noise);
	tp_plot_drop(&view->curves);
	free(view->ranks);
	view->ranks = NULL;
	view->n_ranks = 0;
	tp_gridview_release(&view->events);
	tp_gridview_release(&view->metrics);
	tp_gridview_release(&view->chosen);
	view->decision_of = view->formula_of = SIZE_MAX;
	view->n_marked = 0;
	view->whole = false;
	if (!class)
		return;
	tp_copy(view->family_name, sizeof(view->family_name), class->family);
	const struct tp_reading_family *readings = tp_report_readings(tp_app_run(app), class);
	struct tp_grid grid;
	tp_report_events(class, readings, false, &grid);
	tp_gridview_take(&view->events, &grid, app->term.utf8);
	tp_report_events(class, readings, true, &grid);
	tp_gridview_take(&view->chosen, &grid, app->term.utf8);
	tp_report_metrics(class, true, false, &grid);
	tp_gridview_take(&view->metrics, &grid, app->term.utf8);
	tp_counters_choose(view, class);
	view->events.list.at = 0;
}

/* Another run, or more of it: the family that was shown stays if it is still there. */
static void refresh(const struct tp_app *app, struct tp_counters_view *view)
{
	const struct tp_run *run = tp_app_run(app);
	uint64_t seen = look_at(app);
	if (seen == view->seen)
		return;
	view->seen = seen;
	view->family = 0;
	for (size_t i = 0; run && i < tp_run_n_classes(run); i++)
		if (strcmp(tp_run_classes(run)[i].family, view->family_name) == 0) {
			view->family = i;
			break;
		}
	show_family(app, view);
}

static void move_family(const struct tp_app *app, struct tp_counters_view *view, bool forward)
{
	const struct tp_run *run = tp_app_run(app);
	size_t n = run ? tp_run_n_classes(run) : 0;
	if (n < 2)
		return;
	view->family = (view->family + (forward ? 1 : n - 1)) % n;
	show_family(app, view);
}

static void enter(struct tp_app *app, void *state)
{
	struct tp_counters_view *view = state;
	(void)app;
	view->export.open = false;
	view->filter.typing = false;
}

static void news(struct tp_app *app, void *state)
{
	refresh(app, state);
}

/* --- pages --- */

/* Where the tab of a page stands; returns its columns. */
static int tab_at(enum tp_counters_page page, int *column)
{
	int columns = 0;
	*column = 1;
	for (int i = 0; i <= (int)page; i++) {
		*column += columns ? columns + TAB_GAP - 1 : 0;
		columns = (int)strlen(tp_counters_page_rows[i].title) + 2;
	}
	return columns;
}

/* The page whose tab stands at a column; TP_COUNTERS_PAGES for none. */
static enum tp_counters_page page_at(int column)
{
	for (int i = 0; i < TP_COUNTERS_PAGES; i++) {
		int at, columns = tab_at((enum tp_counters_page)i, &at);
		if (column >= at && column < at + columns)
			return (enum tp_counters_page)i;
	}
	return TP_COUNTERS_PAGES;
}

static void draw_tabs(const struct tp_app *app, struct tp_area area)
{
	int end = 0;
	for (int i = 0; i < TP_COUNTERS_PAGES; i++) {
		const struct tp_counters_page_row *page = &tp_counters_page_rows[i];
		int at, columns = tab_at((enum tp_counters_page)i, &at);
		tp_paint_format(area, 0, at, app->part == i ? TP_UI_SELECTED : TP_UI_PLAIN, " %s ",
				page->title);
		end = at + columns;
	}
	struct tp_area rest = tp_area_columns(area, end + 1, area.columns - end - 2);
	tp_paint_right(rest, 0, rest.columns, TP_UI_DIM, tp_app_run_label(app));
}

/* --- families --- */

/* The result in a few words, as long as there is room for them. */
static const char *summary_text(const struct tp_class *class, int room, char *out, size_t size)
{
	size_t represented = 0, defined = 0;
	for (size_t i = 0; i < class->n_events; i++)
		represented += class->events[i].x != NULL;
	for (size_t i = 0; i < class->n_metrics; i++)
		defined += class->metrics[i].defined;
	snprintf(out, size,
		 "%s: %zu events, %zu represented, %zu chosen; %zu of %zu metrics defined",
		 class->source, class->n_events, represented, class->n_chosen, defined,
		 class->n_metrics);
	if ((int)strlen(out) > room)
		snprintf(out, size, "%s: %zu events, %zu chosen", class->source, class->n_events,
			 class->n_chosen);
	if ((int)strlen(out) > room)
		*out = '\0';
	return out;
}

/* Columns that all families take side by side. In less room only the one that is shown is named. */
static int families_columns(const struct tp_run *run)
{
	int all = FAMILY_COLUMN;
	for (size_t i = 0; i < tp_run_n_classes(run); i++)
		all += (int)strlen(tp_run_classes(run)[i].family) + 2 + FAMILY_GAP;
	return all;
}

static size_t family_hit(const struct tp_run *run, int column)
{
	int at = FAMILY_COLUMN;
	for (size_t i = 0; i < tp_run_n_classes(run); i++) {
		int columns = (int)strlen(tp_run_classes(run)[i].family) + 2;
		if (column >= at && column < at + columns)
			return i;
		at += columns + FAMILY_GAP;
	}
	return tp_run_n_classes(run);
}

/*
 * The family whose name stands at a column of the second row, which has `columns`; n_classes for
 * none. Where only the family that is shown has room, it is the next one.
 */
static size_t family_at(const struct tp_run *run, const struct tp_counters_view *view, int columns,
			int column)
{
	if (families_columns(run) < columns)
		return family_hit(run, column);
	return (view->family + 1) % tp_run_n_classes(run);
}

static void draw_families(const struct tp_app *app, const struct tp_counters_view *view,
			  struct tp_area area)
{
	const struct tp_run *run = tp_app_run(app);
	const struct tp_class *class = tp_counters_class(app, view);
	struct tp_text_row words = { area, 0, FAMILY_COLUMN };
	char summary[192];
	bool all = families_columns(run) < area.columns;
	for (size_t i = 0; i < tp_run_n_classes(run); i++) {
		if (!all && i != view->family)
			continue;
		tp_words(&words, 0, i == view->family ? TP_UI_TAB_ON : TP_UI_PLAIN, " %s ",
			 tp_run_classes(run)[i].family);
		words.at += all ? FAMILY_GAP : 0;
	}
	if (!all) {
		tp_words(&words, 0, TP_UI_DIM, " %zu of %zu", view->family + 1,
			 tp_run_n_classes(run));
		words.at += FAMILY_GAP;
	}
	struct tp_area rest = tp_area_columns(area, words.at, area.columns - words.at - 1);
	tp_paint_right(rest, 0, rest.columns, TP_UI_DIM,
		       summary_text(class, rest.columns - 1, summary, sizeof(summary)));
}

/* --- body --- */

static bool counts_something(const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (strcmp(run->points[i].experiment, "counters") == 0)
			return true;
	return tp_run_readings(run)->n > 0;
}

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_counters_view *view = state;
	refresh(app, view);
	if (!tp_counters_class(app, view)) {
		const struct tp_run *run = tp_app_run(app);

		if (run && counts_something(run))
			draw_counting_all(app, area);
		else
			tp_app_paint_empty(
				app, area,
				"No hardware events in this run: press 2 to set them up "
				"(experiment: counters), 4 to open a run that has some.");
		return;
	}
	const struct tp_counters_page_row *page = &tp_counters_page_rows[app->part];
	struct tp_area rest = tp_area_rows(area, HEAD_ROWS, area.rows - HEAD_ROWS);
	int blank = page->spaced && area.rows >= TIGHT_ROWS;
	draw_tabs(app, tp_area_rows(area, 0, 1));
	draw_families(app, view, tp_area_rows(area, 1, 1));
	page->draw(app, view, tp_area_rows(rest, blank, rest.rows - blank));
	if (view->export.open)
		tp_path_box_paint(&view->export, rest);
}

/* --- input --- */

static void export_run(struct tp_app *app, const char *folder)
{
	struct tp_diag diag = { 0 };
	const struct tp_run *run = tp_app_run(app);
	const char *stem = tp_app_run_label(app);
	if (!run)
		return;
	if (tp_document_export(run, folder, stem, &diag) == TP_OK)
		tp_app_say(app, TP_UI_GOOD,
			   "%.80s.svg, .csv, .json, .txt, .papi, .readings.csv are in %.120s", stem,
			   folder);
	else
		tp_app_say_diag(app, &diag);
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_counters_view *view = state;
	refresh(app, view);
	if (!tp_counters_class(app, view))
		return false;
	if (tp_counters_page_rows[app->part].act(app, view, action))
		return true;
	switch (action) {
	case TP_ACTION_FAMILY_NEXT:
	case TP_ACTION_RIGHT:
		move_family(app, view, true);
		return true;
	case TP_ACTION_FAMILY_PREVIOUS:
	case TP_ACTION_LEFT:
		move_family(app, view, false);
		return true;
	case TP_ACTION_FILTER:
		app->part = TP_COUNTERS_EVENTS;
		view->filter.typing = true;
		return true;
	case TP_ACTION_MARK:
		tp_counters_mark(app, view);
		return true;
	case TP_ACTION_EXPORT:
		tp_path_box_ask_folder(&view->export);
		return true;
	default:
		return false;
	}
}

static bool type(struct tp_app *app, void *state, uint32_t code)
{
	struct tp_counters_view *view = state;
	const struct tp_class *class = tp_counters_class(app, view);
	bool changed = false;
	if (view->export.open) {
		enum tp_text_field_event event = tp_path_box_key(&view->export, code);
		if (event == TP_TEXT_FIELD_TAKEN)
			export_run(app, view->export.field.text);
		return event != TP_TEXT_FIELD_IGNORED;
	}
	if (!class || app->part != TP_COUNTERS_EVENTS)
		return false;
	bool taken = tp_filter_type(&view->filter, code, &changed);
	if (changed)
		tp_counters_choose(view, class);
	return taken;
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input)
{
	const struct tp_area area = tp_app_body(app);
	struct tp_counters_view *view = state;
	int row = input->row - area.row, column = input->column - area.column;
	bool press = input->mouse == TP_MOUSE_PRESS;
	refresh(app, view);
	if (!tp_counters_class(app, view) || view->export.open)
		return;
	if (press && row == 0) {
		enum tp_counters_page page = page_at(column);
		if (page < TP_COUNTERS_PAGES)
			app->part = (int)page;
	} else if (press && row == 1) {
		size_t hit = family_at(tp_app_run(app), view, area.columns, column);
		if (hit < tp_run_n_classes(tp_app_run(app)) && hit != view->family) {
			view->family = hit;
			show_family(app, view);
		}
	} else if (row >= HEAD_ROWS) {
		tp_counters_page_rows[app->part].mouse(app, view, input);
	}
}

static enum tp_over over(const struct tp_app *app, const void *state)
{
	const struct tp_counters_view *view = state;
	(void)app;
	return view->export.open || view->filter.typing ? TP_OVER_FIELD : TP_OVER_NOTHING;
}

/* Tab walks the pages. */
static int parts(const struct tp_app *app, const void *state)
{
	return tp_counters_class(app, state) ? TP_COUNTERS_PAGES : 1;
}

const struct tp_screen tp_screen_counters = {
	.state_bytes = sizeof(struct tp_counters_view),
	.open = open_screen,
	.close = close_screen,
	.enter = enter,
	.draw = draw,
	.act = act,
	.type = type,
	.mouse = mouse,
	.news = news,
	.over = over,
	.parts = parts,
};

/* --- in other screens --- */

static bool draw_point(struct tp_app *app, const struct tp_point *point, struct tp_area area)
{
	draw_counting(app, point, area);
	return true;
}

static const char *result(const struct tp_run *run, const struct tp_point *point, char *out,
			  size_t size)
{
	struct reading_tally tally = tally_of(run, point);
	*out = '\0';
	if (tally.readings)
		snprintf(out, size, "%zu readings", tally.readings);
	return out;
}

const struct tp_shown tp_shown_counters = {
	.screen = TP_SCREEN_COUNTERS,
	.words = "what the events count",
	.part = &tp_class_part,
	.draw_point = draw_point,
	.draw_run = draw_run,
	.result = result,
};
