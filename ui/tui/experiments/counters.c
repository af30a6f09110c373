/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What hardware events really count: the Counters screen with its pages, and a point in words.
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

/* Readings while the kernel of a point ran: events, rows that were counted, repetitions. */
static size_t n_readings(const struct tp_run *run, const struct tp_point *p)
{
	char family[sizeof(p->kernel)], name[sizeof(p->kernel)];
	const char *wanted = tp_count_family(p, family, sizeof(family));
	const struct tp_reading_family *readings =
		tp_readings_of_run(tp_run_readings(run), family, p->run);
	const struct tp_family *of = tp_family_find(family);
	size_t rows = 0;
	for (unsigned k = 0; readings && of && k < of->n_kernels; k++) {
		if (strcmp(of->kernel_name(k, name, sizeof(name)), wanted) != 0)
			continue;
		for (unsigned row = tp_family_first_row(of, k);
		     row < tp_family_first_row(of, k + 1) && row < readings->n_rows; row++)
			rows += isfinite(readings->iterations[row]);
	}
	return rows ? rows * readings->n_events * readings->n_repetitions : 0;
}

enum { HEAD_ROWS = 2, TIGHT_ROWS = 24 };

static void open_screen(struct tp_app *app, void *state)
{
	struct tp_counters_view *view = state;
	(void)app;
	view->fate = TP_COUNTERS_ANY_FATE;
	view->noise.by_x = view->curves.by_x = true;
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

/* --- what is shown, from which run --- */

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
	view->filter.typing = false;
}

static void news(struct tp_app *app, void *state)
{
	refresh(app, state);
}

/* --- pages --- */

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

/* The pages, and below them the families with the result of the shown one. */
static void draw_heads(const struct tp_app *app, struct tp_counters_view *view, struct tp_area area)
{
	const struct tp_run *run = tp_app_run(app);
	const struct tp_area second = tp_area_rows(area, 1, 1);
	const char *names[TP_TABS_MAX];
	char summary[192];
	size_t n = 0;
	for (; n < TP_COUNTERS_PAGES; n++)
		names[n] = tp_counters_page_rows[n].title;
	tp_tabs_paint(&view->pages, tp_area_rows(area, 0, 1), names, n, (size_t)app->part);
	tp_paint_right(area, 0, area.columns - 1, TP_UI_DIM, tp_app_run_label(app));
	for (n = 0; n < tp_run_n_classes(run) && n < TP_TABS_MAX; n++)
		names[n] = tp_run_classes(run)[n].family;
	const int room =
		area.columns - tp_tabs_paint(&view->families, second, names, n, view->family) - 2;
	tp_paint_right(second, 0, area.columns - 1, TP_UI_DIM,
		       summary_text(tp_counters_class(app, view), room, summary, sizeof(summary)));
}

/* --- body --- */

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_counters_view *view = state;
	refresh(app, view);
	if (!tp_counters_class(app, view)) {
		tp_app_paint_empty(app, area, "No family of this run could be analysed.");
		return;
	}
	const struct tp_counters_page_row *page = &tp_counters_page_rows[app->part];
	struct tp_area rest = tp_area_rows(area, HEAD_ROWS, area.rows - HEAD_ROWS);
	int blank = page->spaced && area.rows >= TIGHT_ROWS;
	view->events.list.area = (struct tp_area){ 0 };
	draw_heads(app, view, area);
	page->draw(app, view, tp_area_rows(rest, blank, rest.rows - blank));
}

/* --- input --- */

static enum tp_status export_run(struct tp_app *app, const char *folder, struct tp_diag *diag)
{
	const char *stem = tp_app_run_label(app);
	enum tp_status status = tp_document_export(tp_app_run(app), folder, stem, diag);
	if (status == TP_OK)
		tp_app_say(app, TP_UI_GOOD,
			   "%.80s.svg, .csv, .json, .txt, .papi, .readings.csv are in %.120s", stem,
			   folder);
	return status;
}

static const struct tp_asked_line export_line = {
	"Write the run's files into this folder",
	".svg .csv .json .txt .papi .readings.csv   Enter, Esc", NULL, export_run, true
};

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
		tp_app_ask_line(app, &export_line, NULL);
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
	if (!class || app->part != TP_COUNTERS_EVENTS)
		return false;
	bool taken = tp_filter_type(&view->filter, code, &changed);
	if (changed)
		tp_counters_choose(view, class);
	return taken;
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input)
{
	struct tp_counters_view *view = state;
	refresh(app, view);
	if (!tp_counters_class(app, view))
		return;
	const size_t page = tp_tabs_hit(&view->pages, input);
	const size_t family = tp_tabs_hit(&view->families, input);
	if (page < view->pages.n) {
		app->part = (int)page;
	} else if (family < view->families.n) {
		view->family = family;
		show_family(app, view);
	} else {
		tp_counters_page_rows[app->part].mouse(app, view, input);
	}
}

static enum tp_over over(const struct tp_app *app, const void *state)
{
	const struct tp_counters_view *view = state;
	(void)app;
	return view->filter.typing ? TP_OVER_FIELD : TP_OVER_NOTHING;
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

static bool tell(const struct tp_app *app, const struct tp_point *p, struct tp_doc *doc)
{
	const bool current = p->state == TP_POINT_PLANNED;
	const size_t n = current ? app->live.n_values : n_readings(tp_app_run(app), p);
	char seconds[48];
	if (!n) {
		tp_doc_row(doc, 0, current ? TP_UI_DIM : TP_UI_WARN, "%s",
			   current ? "no reading yet: code, data, the source of events"
				   : "nothing was read");
		return true;
	}
	tp_doc_row(doc, 0, TP_UI_TITLE, "%zu readings", n);
	if (current)
		tp_doc_text(doc, TP_DOC_NEXT, TP_UI_DIM, " so far");
	else
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_DIM, ", counted by %s in %s",
			      tp_count_row(p)->source,
			      tp_format_seconds(seconds, sizeof(seconds), p->seconds));
	return true;
}

static const char *result(const struct tp_run *run, const struct tp_point *point, char *out,
			  size_t size)
{
	const size_t n = n_readings(run, point);
	*out = '\0';
	if (n)
		snprintf(out, size, "%zu readings", n);
	return out;
}

const struct tp_shown tp_shown_counters = {
	.screen = TP_SCREEN_COUNTERS,
	.words = "what the events count",
	.part = &tp_class_part,
	.tell = tell,
	.result = result,
};
