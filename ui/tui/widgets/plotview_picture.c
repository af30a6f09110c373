/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which pages the shown run has, and the picture of a page: made from the runs as they are now, and
 * made again only when they change.
 */
#include "ui/tui/widgets/plotview.h"
#include "ui/tui/seen.h"
#include "base/memory.h"

#include <string.h>

void tp_plotview_drop(struct tp_plotview *view)
{
	tp_plot_drop(&view->plot);
	for (size_t i = 0; i < TP_APP_RUNS; i++)
		tp_run_view_release(&view->views[i]);
	tp_run_view_release(&view->wanted);
	view->n_runs = 0;
}

/* --- pages --- */

static bool same_page(const struct tp_plot_page *a, const struct tp_plot_page *b)
{
	return a->run == b->run && a->threads == b->threads && a->from == b->from &&
	       strcmp(a->isa, b->isa) == 0 && strcmp(a->precision, b->precision) == 0 &&
	       strcmp(a->experiment, b->experiment) == 0;
}

void tp_plotview_add_page(struct tp_plotview *view, const struct tp_plot_page *page)
{
	for (size_t i = 0; i < view->n_pages; i++)
		if (same_page(&view->pages[i], page))
			return;
	if (view->n_pages < TP_PAGES_MAX)
		view->pages[view->n_pages++] = *page;
}

/* The pages of the run as it is now; the one that was shown stays if it is still there. */
static void find_pages(struct tp_plotview *view)
{
	struct tp_plot_page before = { 0 };
	bool had = view->page < view->n_pages;
	if (had)
		before = view->pages[view->page];
	view->n_pages = 0;
	view->kind->pages(view, &view->wanted);
	view->page = TP_MIN(view->page, view->n_pages ? view->n_pages - 1 : 0);
	for (size_t i = 0; had && i < view->n_pages; i++)
		if (same_page(&view->pages[i], &before))
			view->page = i;
}

/* --- the picture --- */

struct on_page {
	const struct tp_plotview *view;
	const struct tp_plot_page *page;
};

static bool is_on_page(const void *context, const struct tp_slice *part)
{
	const struct on_page *on = context;
	const struct tp_plot_page *page = on->page;
	return (page->run == TP_ANY || page->run == part->run) &&
	       (page->threads == TP_ANY || page->threads == part->threads) &&
	       (!page->isa[0] || strcmp(page->isa, part->isa) == 0) &&
	       (!page->precision[0] || strcmp(page->precision, part->precision) == 0) &&
	       tp_parts_wanted(on->view, part);
}

/* The parts of the runs that are on the page; false when out of memory. */
static bool narrow(struct tp_plotview *view, const struct tp_app *app)
{
	struct tp_plot_page page = view->pages[view->page];
	const struct on_page on = { view, &page };
	for (size_t i = 0; i < tp_app_n_shown(app); i++) {
		const struct tp_run *run = tp_app_shown(app, i);
		if (i)
			page.run =
				TP_ANY; /* other runs number their runs of the preset themselves */
		tp_copy(view->labels[i], sizeof(view->labels[i]), tp_app_shown_label(app, i));
		if (tp_run_view(&view->views[i], run, is_on_page, &on) != TP_OK)
			return false;
		view->runs[i] = &view->views[i];
		view->names[i] = view->labels[i];
		view->n_runs = i + 1;
	}
	return true;
}

static void make_picture(struct tp_plotview *view, const struct tp_app *app, struct tp_area area)
{
	struct tp_plot *plot = &view->plot;
	const struct tp_run *run = tp_app_run(app);
	tp_plotview_drop(view);
	if (!run || tp_run_view(&view->wanted, run, tp_parts_wanted, view) != TP_OK)
		return;
	find_pages(view);
	view->all_hidden = false;
	if (!view->n_pages) {
		size_t n_hidden = view->n_hidden;
		view->n_hidden = 0;
		view->kind->pages(view, run);
		view->n_hidden = n_hidden;
		view->all_hidden = view->n_pages > 0;
		view->n_pages = 0;
		return;
	}
	const struct tp_plot_page *page = &view->pages[view->page];
	plot->holds &= same_page(&view->held_page, page);
	view->held_page = *page;
	if (!narrow(view, app) || !tp_plot_renew(plot))
		return;
	if (plot->holds) {
		plot->picture->ai_low = plot->held_x.min;
		plot->picture->ai_high = plot->held_x.max;
	}
	if (view->kind->build(view, app, page, area))
		tp_plot_settle(plot, view->latest);
	else
		tp_plotview_drop(view);
}

bool tp_plotview_refresh(struct tp_plotview *view, const struct tp_app *app, struct tp_area area)
{
	uint64_t seen = tp_seen_runs(app);
	if (view->stale || seen != view->seen || area.columns != view->plot.columns ||
	    area.rows != view->plot.rows) {
		make_picture(view, app, area);
		view->seen = seen;
		view->stale = false;
	}
	return tp_plot_fit(&view->plot, app, area, tp_live_is_under_way(&app->live));
}
