/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The head of the Counters screen: tabs of its pages, and the families of the run with the result
 * of the one that is shown.
 */
#include "experiments/counters/screen.h"

#include <stdio.h>
#include <string.h>

enum { TAB_GAP = 2, FAMILY_COLUMN = 1, FAMILY_GAP = 1 };

/* --- pages --- */

/* Where the tab of a page stands; returns its columns. */
static int tab_at(enum tp_counters_page page, int *column)
{
	int columns = 0;
	*column = 1;
	for (int i = 0; i <= (int)page; i++) {
		*column += columns ? columns + TAB_GAP - 1 : 0;
		columns = (int)(strlen(tp_counters_pages[i].key) +
				strlen(tp_counters_pages[i].title)) +
			  3;
	}
	return columns;
}

enum tp_counters_page tp_counters_page_at(int column)
{
	for (int i = 0; i < TP_COUNTERS_PAGES; i++) {
		int at, columns = tab_at((enum tp_counters_page)i, &at);
		if (column >= at && column < at + columns)
			return (enum tp_counters_page)i;
	}
	return TP_COUNTERS_PAGES;
}

static void draw_tabs(const struct tp_app *app, const struct tp_counters_view *view,
		      struct tp_area area)
{
	int end = 0;
	for (int i = 0; i < TP_COUNTERS_PAGES; i++) {
		const struct tp_counters_page_row *page = &tp_counters_pages[i];
		int at, columns = tab_at((enum tp_counters_page)i, &at);
		bool on = (int)view->page == i;
		tp_paint_format(area, 0, at, on ? TP_UI_SELECTED : TP_UI_PLAIN, " %s %s ",
				page->key, page->title);
		if (!on)
			tp_paint_role(area, 0, at + 1, (int)strlen(page->key), TP_UI_KEY);
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

size_t tp_counters_family_at(const struct tp_run *run, const struct tp_counters_view *view,
			     int columns, int column)
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

void tp_counters_head_draw(const struct tp_app *app, const struct tp_counters_view *view,
			   struct tp_area area)
{
	draw_tabs(app, view, tp_area_rows(area, 0, 1));
	draw_families(app, view, tp_area_rows(area, 1, 1));
}
