/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plot on a screen: its picture, its keys, and the list in which the user chooses what is shown.
 */
#include "ui/tui/widgets/plotview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "record/point.h"
#include "report/page.h"
#include "report/facts.h"
#include "report/report.h"
#include "report/reporter.h"
#include "ui/tui/paint.h"
#include "ui/tui/app.h"
#include "ui/tui/shown.h"

enum { CONTROL_C = 3 };
/* From ROWS_FOR_VERDICT on there is room for a row of advice below what the cursor reads. */
enum { HEAD_ROWS = 1, READ_ROWS = 2, ROWS_FOR_VERDICT = 16 };
/* Tables have a third of the columns, but not fewer than this. */
enum { SIDE_FROM = 160, SIDE_COLUMNS = 50, SIDE_PART = 3, SIDE_GAP = 2, TABLE_ROWS_MIN = 4 };
/* The least rows of a plot with a table below it. */
enum { PLOT_ROWS = 12 };

static const char *const kind_names[TP_HIDDEN_KINDS] = { "ISA",	       "precision", "threads",
							 "preset run", "kernel",    "meter",
							 "region" };

/* The number of a part in a list; n if it is not there. */
static size_t find(const struct tp_hidden *list, size_t n, const struct tp_hidden *part)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].kind == part->kind && strcmp(list[i].text, part->text) == 0)
			return i;
	return n;
}

static bool is_hidden(const struct tp_plotview *view, const struct tp_hidden *part)
{
	return find(view->hidden, view->n_hidden, part) < view->n_hidden;
}

/* The names by which a part of a run can be hidden, one of each kind. */
static void names_of(const struct tp_slice *part, struct tp_hidden names[TP_HIDDEN_SLICES])
{
	for (int k = 0; k < TP_HIDDEN_SLICES; k++)
		names[k].kind = (enum tp_hidden_kind)k;
	tp_copy(names[TP_HIDDEN_ISA].text, TP_PART_BYTES, part->isa);
	tp_copy(names[TP_HIDDEN_PRECISION].text, TP_PART_BYTES, part->precision);
	snprintf(names[TP_HIDDEN_THREADS].text, TP_PART_BYTES, "%u", part->threads);
	snprintf(names[TP_HIDDEN_RUN].text, TP_PART_BYTES, "%u", part->run + 1);
	tp_copy(names[TP_HIDDEN_KERNEL].text, TP_PART_BYTES, part->kernel);
}

bool tp_plotview_shows(const struct tp_plotview *view, enum tp_hidden_kind kind, const char *text)
{
	struct tp_hidden part = { .kind = kind };
	tp_copy(part.text, sizeof(part.text), text);
	return !is_hidden(view, &part);
}

/* a tp_slice_wanted */
static bool parts_wanted(const void *context, const struct tp_slice *part)
{
	const struct tp_plotview *view = context;
	struct tp_hidden names[TP_HIDDEN_SLICES] = { 0 };
	bool wanted = true;
	if (!view->n_hidden)
		return true;
	names_of(part, names);
	for (int k = 0; k < TP_HIDDEN_SLICES; k++)
		wanted &= !is_hidden(view, &names[k]);
	return wanted;
}

/* --- the list --- */

static int by_kind(const void *a, const void *b)
{
	const struct tp_hidden *x = a, *y = b;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->kind == TP_HIDDEN_THREADS || x->kind == TP_HIDDEN_RUN)
		return atoi(x->text) - atoi(y->text);
	return strcmp(x->text, y->text);
}

void tp_plotview_add_part(struct tp_plotview *view, enum tp_hidden_kind kind, const char *text,
			  const char *label)
{
	struct tp_hidden part = { .kind = kind };
	tp_copy(part.text, sizeof(part.text), text);
	tp_copy(part.label, sizeof(part.label), label);
	if (*text && view->n_parts < TP_HIDDEN_MAX &&
	    find(view->parts, view->n_parts, &part) == view->n_parts)
		view->parts[view->n_parts++] = part;
}

/* Kernels come last: if there are more parts than room, some of them are left out. */
static void collect(struct tp_plotview *view, const struct tp_run *run, bool kernels)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		const struct tp_slice part = { p->run, p->threads, tp_kernel_row(p)->isa,
					       tp_kernel_row(p)->precision, p->kernel };
		struct tp_hidden names[TP_HIDDEN_SLICES] = { 0 };
		names_of(&part, names);
		for (int k = 0; p->experiment[0] && k < TP_HIDDEN_SLICES; k++)
			if ((k == TP_HIDDEN_KERNEL) == kernels)
				tp_plotview_add_part(view, names[k].kind, names[k].text, "");
	}
}

/* The list of what is shown. */
static void parts_open(struct tp_plotview *view, const struct tp_app *app)
{
	const struct tp_run *run = tp_app_run(app);
	view->n_parts = 0;
	if (run && view->kind->parts)
		view->kind->parts(view, run);
	const size_t own = view->n_parts;
	for (int kernels = 0; run && kernels < 2; kernels++)
		for (size_t i = 0; i < tp_app_n_shown(app); i++)
			collect(view, tp_app_shown(app, i), kernels);
	/* Parts specific to this kind of plot come first, in its order. */
	const size_t n = view->n_parts;
	qsort(view->parts + own, n - own, sizeof(view->parts[0]), by_kind);
	struct tp_picker *picker = &view->picker;
	if (!n)
		return;
	tp_copy(picker->title, sizeof(picker->title), "Shown");
	tp_copy(picker->question, sizeof(picker->question),
		"Without a new mark, Enter shows only this one of its kind.");
	picker->many = true;
	tp_picker_add(picker, "everything", "")->alone = true;
	for (size_t i = 0; i < n; i++) {
		const struct tp_hidden *part = &view->parts[i];
		tp_picker_add(picker, part->label[0] ? part->label : part->text,
			      kind_names[part->kind])
			->marked = !is_hidden(view, part);
	}
}

/* A kind without a mark is shown as a whole. */
static void take_parts(struct tp_plotview *view, enum tp_picker_event event)
{
	const struct tp_pick *picks = view->picker.items + 1; /* behind "everything" */
	const size_t n = view->picker.n - 1;
	bool marked[TP_HIDDEN_KINDS] = { false };
	if (event == TP_PICKER_TAKEN) {
		view->n_hidden = 0;
		for (size_t i = 0; i < n; i++)
			marked[view->parts[i].kind] |= picks[i].marked;
		for (size_t i = 0; i < n; i++)
			if (marked[view->parts[i].kind] && !picks[i].marked)
				view->hidden[view->n_hidden++] = view->parts[i];
		view->stale = true;
		view->doc.list.n = 0;
	}
	if (event != TP_PICKER_NONE)
		tp_picker_release(&view->picker);
}

/* --- painting --- */

/*
 * Which pages the shown run has, and the picture of a page: made from the runs as they are now, and
 * made again only when they change.
 */

/* Drops the picture and the parts of runs. */
static void plotview_drop(struct tp_plotview *view)
{
	tp_plot_drop(&view->plot);
	for (size_t i = 0; i < TP_APP_RUNS; i++)
		tp_run_view_release(&view->views[i]);
	tp_run_view_release(&view->wanted);
	view->n_runs = 0;
	while (view->n_beside)
		tp_gridview_release(&view->beside[--view->n_beside]);
	view->words.n = 0;
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

struct adding_curves {
	struct tp_plotview *view;
	const char *experiment;
};

static void add_group(void *context, const struct tp_run *run, const struct tp_group *group)
{
	const struct adding_curves *adding = context;
	struct tp_plot_page page = { .run = group->run, .threads = group->threads };
	if (adding->experiment && strcmp(group->experiment, adding->experiment) != 0)
		return;
	tp_copy(page.precision, sizeof(page.precision), group->precision);
	tp_copy(page.experiment, sizeof(page.experiment), group->experiment);
	for (; tp_picture_has_curves(run, group, page.from); page.from += TP_PICTURE_CURVES)
		tp_plotview_add_page(adding->view, &page);
}

void tp_plotview_add_curves(struct tp_plotview *view, const struct tp_run *run,
			    const char *experiment)
{
	tp_picture_each_group(run, &(struct adding_curves){ view, experiment }, add_group);
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
	       parts_wanted(on->view, part);
}

/* The parts of the runs that are on the page. */
static void narrow(struct tp_plotview *view, const struct tp_app *app)
{
	struct tp_plot_page page = view->pages[view->page];
	const struct on_page on = { view, &page };
	for (size_t i = 0; i < tp_app_n_shown(app); i++) {
		const struct tp_run *run = tp_app_shown(app, i);
		if (i)
			page.run =
				TP_ANY; /* other runs number their runs of the preset themselves */
		tp_copy(view->labels[i], sizeof(view->labels[i]), tp_app_shown_label(app, i));
		tp_run_view(&view->views[i], run, is_on_page, &on);
		view->runs[i] = &view->views[i];
		view->names[i] = view->labels[i];
		view->n_runs = i + 1;
	}
}

/* --- the tables next to it: the report's for the page --- */

/* What a place of a series was drawn from; NULL: nothing that is in a table. */
static const void *thing_at(const struct tp_origin *origin, size_t k)
{
	return origin->roof	? (const void *)origin->roof
	       : !origin->reads ? NULL
	       : origin->rows	? origin->rows[k]
	       : origin->points ? (const void *)origin->points[k]
				: NULL;
}

static const struct tp_point *point_at(const struct tp_plotview *view,
				       const struct tp_origin *origin, size_t k)
{
	const long number = thing_at(origin, k) ? tp_origin_point(origin, k) : -1;
	return number < 0 ? NULL : tp_run_point(view->runs[origin->run], (unsigned)number);
}

/* The row about a thing; SIZE_MAX = none. */
static size_t row_about(const struct tp_grid *grid, const void *thing)
{
	for (size_t row = 1; thing && row < tp_grid_n_rows(grid); row++)
		if (tp_grid_cell(grid, row, 0)->about == thing)
			return row - 1;
	return SIZE_MAX;
}

/* The row of what the cursor reads, or else of its point. */
static size_t row_of_cursor(const struct tp_plotview *view, const struct tp_grid *grid)
{
	const struct tp_origin *origin = tp_plot_origin(&view->plot);
	if (!origin)
		return SIZE_MAX;
	const void *thing = view->kind->about ? view->kind->about(view, origin)
					      : thing_at(origin, view->plot.point);
	const size_t row = row_about(grid, thing);
	return row < SIZE_MAX ? row : row_about(grid, point_at(view, origin, view->plot.point));
}

/* The table of a text that has the cursor's row, or else its first one. */
static void take_table(struct tp_plotview *view, const struct tp_app *app, struct tp_text *text)
{
	struct tp_grid *found = NULL;
	for (size_t i = 0; i < text->n; i++) {
		struct tp_grid *grid = &text->blocks[i].grid;
		if (text->blocks[i].kind != TP_BLOCK_GRID || tp_grid_n_rows(grid) < 2)
			continue;
		const bool has = row_of_cursor(view, grid) < SIZE_MAX;
		if (!found || has)
			found = grid;
		if (has)
			break;
	}
	if (found)
		tp_gridview_take(&view->beside[view->n_beside++], found, app->term.utf8);
}

/* The experiments whose reports have the tables, in the order of what is drawn. */
static size_t experiments_of(const struct tp_plotview *view, const char *names[TP_PLOT_TABLES])
{
	const struct tp_picture *picture = view->plot.picture;
	const char *own = view->kind->experiment ? view->kind->experiment
						 : view->pages[view->page].experiment;
	size_t n = 0;
	for (size_t i = 0; i <= picture->n_series && n < TP_PLOT_TABLES; i++) {
		const bool last = i == picture->n_series;
		const struct tp_origin *o = &picture->origins[last ? 0 : i];
		const struct tp_point *p =
			!last && o->reads && !o->roof ? point_at(view, o, 0) : NULL;
		const char *name = p ? p->experiment : own;
		bool known = !p && (last ? n > 0 : !o->roof || !o->reads);
		for (size_t k = 0; k < n; k++)
			known |= strcmp(names[k], name) == 0;
		if (!known)
			names[n++] = name;
	}
	return n;
}

static void take_tables(struct tp_plotview *view, const struct tp_app *app)
{
	const struct tp_origin *origin = tp_plot_origin(&view->plot);
	const struct tp_run *run = view->runs[origin ? origin->run : 0];
	const struct tp_look look = tp_app_look(app, SIDE_COLUMNS, app->term.rows);
	const char *names[TP_PLOT_TABLES];
	const size_t n = experiments_of(view, names);
	for (size_t i = 0; i < n; i++) {
		TP_TEXT(text, &look);
		if (tp_reporter_find(names[i]))
			tp_report_experiment(run, names[i], &text);
		take_table(view, app, &text);
	}
	if (view->n_beside)
		return;
	TP_TEXT(text, &look);
	tp_report_points(run, &text);
	take_table(view, app, &text);
}

static void make_picture(struct tp_plotview *view, const struct tp_app *app, struct tp_area area)
{
	struct tp_plot *plot = &view->plot;
	const struct tp_run *run = tp_app_run(app);
	plotview_drop(view);
	if (!run)
		return;
	tp_run_view(&view->wanted, run, parts_wanted, view);
	/* The pages of the current run; the shown one stays if it still exists. */
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
	if (view->kind->newest && !view->turned)
		view->page = view->kind->newest(view, app);
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
	plot->held.any &= same_page(&view->held_page, page);
	view->held_page = *page;
	narrow(view, app);
	tp_plot_renew(plot);
	if (plot->held.any) {
		plot->picture->ai_low = plot->held.x.min;
		plot->picture->ai_high = plot->held.x.max;
	}
	if (!view->kind->build(view, app, page, area)) {
		plotview_drop(view);
		return;
	}
	tp_plot_settle(plot, view->latest);
	if (view->kind->begin && !plot->placed)
		view->kind->begin(view);
	take_tables(view, app);
	if (!tp_plot_origin(plot))
		return;
	tp_picture_drop(plot->picture, plot->series, plot->point);
	if (view->what_if && view->kind->what_if(view, view->what_if - 1) < view->what_if)
		view->what_if = 0;
}

/* Where the newest page is followed, rows that come while a point is under way count, too. */
static uint64_t seen_of(const struct tp_plotview *view, const struct tp_app *app)
{
	uint64_t seen = tp_seen_runs(app);
	if (view->kind->newest && tp_app_run(app) == &app->live.run)
		tp_seen_mix(&seen, app->live.version);
	return seen;
}

/*
 * Makes the picture again if the runs, the page or the area have changed, and lays it out. False:
 * nothing to show.
 */
static bool plotview_refresh(struct tp_plotview *view, const struct tp_app *app,
			     struct tp_area area)
{
	uint64_t seen = seen_of(view, app);
	if (view->stale || seen != view->seen || area.columns != view->plot.columns ||
	    area.rows != view->plot.rows) {
		make_picture(view, app, area);
		view->seen = seen;
		view->stale = false;
	}
	return tp_plot_fit(&view->plot, app, area, tp_live_is_under_way(&app->live));
}

void tp_plotview_open(struct tp_plotview *view, const struct tp_plot_kind *kind)
{
	view->kind = kind;
	view->stale = true;
	view->latest = view->current = -1;
}

void tp_plotview_close(void *state)
{
	struct tp_plotview *view = state;
	plotview_drop(view);
	tp_doc_release(&view->doc);
	tp_doc_release(&view->words);
	tp_picker_release(&view->picker);
}

void tp_plotview_news(struct tp_app *app, void *state)
{
	struct tp_plotview *view = state;
	const struct tp_live *live = &app->live;
	/* The point that was in progress and is not any more is the last finished one. */
	if (live->current != view->current && view->current >= 0)
		view->latest = view->current;
	view->current = live->current;
	if (live->state == TP_LIVE_DONE || live->state == TP_LIVE_NONE)
		view->latest = view->current = -1;
}

void tp_plotview_enter(struct tp_app *app, void *state)
{
	struct tp_plotview *view = state;
	(void)app;
	view->stale = true;
	tp_picker_release(&view->picker);
}

/* --- words for kinds --- */

void tp_plotview_name_run(const struct tp_plotview *view, struct tp_text_row *words)
{
	const struct tp_origin *origin = tp_plot_origin(&view->plot);
	if (view->n_runs < 2 || !origin)
		return;
	/* The date in front of a run's name takes the room that the numbers need. */
	const char *name = view->names[origin->run];
	size_t date = strspn(name, "0123456789-");
	tp_words(words, 0, tp_theme_plot_role(view->plot.picture->series[view->plot.series].role),
		 "%s  ", name[date] ? name + date : name);
}

const char *tp_plotview_interval(struct tp_area area, const struct tp_point *point, double value,
				 double low, double high, char *out, size_t size)
{
	out[0] = '\0';
	if (tp_point_has_one_window(point))
		snprintf(out, size, "(%s)", TP_ONE_WINDOW);
	else if (value > 0 && low > 0 && high >= low)
		snprintf(out, size, "%s%.1f %%", tp_paint_pm(area), 50 * (high - low) / value);
	return out;
}

void tp_plotview_quality(struct tp_text_row *words, int gap, enum tp_quality quality,
			 uint32_t flags)
{
	TP_STR remedies = { 0 };
	char text[224];
	if (*tp_quality_words(quality, flags, text, sizeof(text)))
		tp_words(words, gap, tp_quality_role(quality), "%s", text);
	/* What to do about the flags of a point that is not good, in place of the verdict of the
	 * run. */
	flags = tp_quality_reasons(quality, flags);
	for (int f = 0; f < TP_FLAG_COUNT; f++)
		if (flags & 1u << f)
			tp_str_printf(&remedies, "%s%s: %s", remedies.len ? "; " : "",
				      tp_flag_name((enum tp_flag)f),
				      tp_flag_remedy((enum tp_flag)f));
	if (remedies.len)
		tp_plotview_note(words, TP_UI_WARN, tp_str_text(&remedies));
}

void tp_plotview_note(const struct tp_text_row *words, enum tp_role role, const char *text)
{
	const struct tp_area row = tp_area_rows(words->area, READ_ROWS, 1);
	tp_paint_clear(row, TP_UI_PLAIN);
	tp_paint_text(row, 0, 0, role, text);
}

/* --- painting --- */

static void paint_head(const struct tp_plotview *view, const struct tp_app *app,
		       struct tp_area area)
{
	static const char hidden[] = "not all shown (v)";
	char where[160], simulated[TP_SIMULATED_BYTES + 16];
	const char *label = tp_app_run_label(app);
	if (view->n_pages > 1)
		snprintf(where, sizeof(where), "%s  [ %zu of %zu ] ", label, view->page + 1,
			 view->n_pages);
	else
		snprintf(where, sizeof(where), "%s ", label);
	int end = area.columns - (int)strlen(where), used = 0;
	/* That something is hidden matters more than the end of the other words. */
	int room = end - 2 - (view->n_hidden ? (int)sizeof(hidden) + 1 : 0);
	struct tp_area left = tp_area_columns(area, 0, TP_MAX(room, 0));
	const struct tp_run *run = tp_app_run(app);
	if (view->plot.picture)
		used = tp_paint_text(left, 0, 1, TP_UI_TITLE, view->plot.picture->scene.title);
	if (run && *tp_fact_simulated(run, simulated, sizeof(simulated)))
		used += 2 + tp_paint_text(left, 0, used + 3, TP_UI_WARN, simulated);
	if (view->n_hidden)
		tp_paint_text(tp_area_columns(area, 0, end), 0, used + 3, TP_UI_CHANGED, hidden);
	tp_paint_right(area, 0, area.columns, TP_UI_DIM, where);
}

/* The report of what is not hidden. */
static void paint_tables(struct tp_plotview *view, const struct tp_app *app, struct tp_area area)
{
	struct tp_look look = tp_app_look(app, TP_MAX(area.columns - 2, TP_COLUMNS_MIN), area.rows);
	uint64_t seen = view->seen;
	bool stale = view->stale || area.columns != view->doc.columns + 2;
	look.quick = true;
	plotview_refresh(view, app, view->plot.area);
	if (stale || seen != view->seen)
		view->doc.list.n = 0;
	if (!view->doc.list.n && view->wanted.points) {
		TP_TEXT(text, &look);
		if (view->kind->words)
			view->kind->words(app, &text, true);
		else
			tp_report_text(&view->wanted, &text);
		tp_doc_report(&view->doc, area.columns - 2, &text);
	}
	tp_doc_show(&view->doc, tp_area_columns(area, 1, area.columns - 1), false);
}

/* Results of an experiment without a picture: its words stand in the place of one. */
static bool has_words_only(const struct tp_plotview *view, const struct tp_app *app)
{
	const struct tp_run *run = tp_app_run(app);
	return run && !view->n_pages && !view->all_hidden && !view->stale &&
	       view->seen == seen_of(view, app) && !tp_live_is_under_way(&app->live) &&
	       tp_shown_finds(app->screen, run);
}

static bool shows_tables(const struct tp_plotview *view, const struct tp_app *app)
{
	return view->tables || has_words_only(view, app);
}

static size_t n_rows(const struct tp_gridview *table)
{
	return table->list.n + 1;
}

static void paint_table(struct tp_plotview *view, struct tp_gridview *table, struct tp_area area)
{
	const size_t row = row_of_cursor(view, &table->grid);
	if (row < SIZE_MAX)
		tp_gridview_go(table, row);
	tp_gridview_paint(table, area, row < SIZE_MAX);
}

/* Tables one below the other, the words in the rows that they leave. */
static void paint_beside(struct tp_plotview *view, const struct tp_app *app, struct tp_area area)
{
	int at = 0;
	for (size_t k = 0; k < view->n_beside; k++) {
		const size_t i = view->kind->table_first ? view->n_beside - 1 - k : k;
		const int others = (int)(view->n_beside - 1 - k) * TABLE_ROWS_MIN;
		const int rows = TP_MIN((int)n_rows(&view->beside[i]), area.rows - at - others);
		if (rows >= 2)
			paint_table(view, &view->beside[i], tp_area_rows(area, at, rows));
		at += rows + 1;
	}
	if (!view->kind->words || at >= area.rows)
		return;
	if (!view->words.n || view->words.columns != area.columns - 1) {
		const struct tp_look look = tp_app_look(app, area.columns - 1, app->term.rows);
		TP_TEXT(text, &look);
		view->kind->words(app, &text, false);
		tp_doc_report(&view->words, area.columns - 1, &text);
	}
	tp_doc_paint(&view->words, tp_area_rows(area, at, area.rows - at), 0, (size_t)-1);
}

/* Where plot and tables are: side by side, or the last table below; zeros = nowhere. */
static void place_tables(const struct tp_plotview *view, struct tp_area upper, struct tp_area *plot,
			 struct tp_area *tables)
{
	const struct tp_plot_kind *kind = view->kind;
	*plot = upper;
	*tables = (struct tp_area){ 0 };
	if (!view->n_beside)
		return;
	if (upper.columns >= (kind->side_from ? kind->side_from : SIDE_FROM)) {
		const int side = TP_MAX(kind->side_columns ? kind->side_columns : (int)SIDE_COLUMNS,
					upper.columns / SIDE_PART);
		*plot = tp_area_columns(upper, 0, upper.columns - side - SIDE_GAP);
		*tables = tp_area_columns(upper, upper.columns - side, side - 1);
	} else if (kind->table_first && upper.rows >= PLOT_ROWS + 2) {
		const int rows = TP_MIN((int)n_rows(&view->beside[view->n_beside - 1]),
					upper.rows - PLOT_ROWS);
		*plot = tp_area_rows(upper, 0, upper.rows - rows);
		*tables = tp_area_columns(tp_area_rows(upper, upper.rows - rows, rows), 1,
					  upper.columns - 2);
	}
}

static void paint_plot(struct tp_plotview *view, const struct tp_app *app, struct tp_area area)
{
	const struct tp_plot_kind *kind = view->kind;
	int below = READ_ROWS + (area.rows >= ROWS_FOR_VERDICT);
	struct tp_area upper = tp_area_rows(area, 0, area.rows - below), plot, tables;
	bool made = true;
	/* Once more if the run has other tables now than when the room was divided. */
	for (int again = 0; made && again < 2; again++) {
		place_tables(view, upper, &plot, &tables);
		made = plotview_refresh(view, app, plot);
	}
	for (size_t i = 0; i < view->n_beside; i++)
		view->beside[i].list.area = (struct tp_area){ 0 };
	if (!made) {
		char text[192];
		if (has_words_only(view, app)) {
			paint_tables(view, app, area);
			return;
		}

		if (view->all_hidden)
			snprintf(text, sizeof(text),
				 "Everything of this kind is hidden: press v to choose what is "
				 "shown.");
		else
			snprintf(text, sizeof(text),
				 "Measuring, %u of %u points: this screen fills with its first "
				 "point. 3 shows the run.",
				 app->live.n_done, app->live.n_points);
		tp_app_paint_empty(app, area, text);
		return;
	}
	tp_plot_paint(&view->plot);
	tp_plot_paint_cursor(&view->plot);
	const struct tp_origin *origin = tp_plot_origin(&view->plot);
	struct tp_area read =
		tp_area_columns(tp_area_rows(area, upper.rows, below), 1, area.columns - 2);
	if (below > READ_ROWS) {
		struct tp_area row = tp_area_rows(read, READ_ROWS, 1);
		const struct tp_run *run = tp_app_run(app);
		TP_STR text = { 0 };

		/* The run's verdict, once it is over. */
		if (run && !tp_live_is_under_way(&app->live)) {
			tp_conclusion_line(run, &text);
			tp_paint_text(row, 0, 0, TP_UI_DIM, tp_str_text(&text));
		}
	}
	if (origin)
		kind->read(view, origin, (struct tp_text_row){ read, 0, 0 },
			   (struct tp_text_row){ read, 1, 0 });
	if (tables.columns && plot.rows < upper.rows)
		paint_table(view, &view->beside[view->n_beside - 1], tables);
	else if (tables.columns)
		paint_beside(view, app, tables);
}

void tp_plotview_draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_plotview *view = state;
	struct tp_area rest = tp_area_rows(area, HEAD_ROWS, area.rows - HEAD_ROWS);
	view->area = rest;
	if (shows_tables(view, app))
		paint_tables(view, app, rest);
	else
		paint_plot(view, app, rest);
	paint_head(view, app, area);
	if (view->picker.n)
		tp_picker_paint(&view->picker, rest);
}

/* --- export --- */

static enum tp_status write_pictures(struct tp_app *app, const char *path, struct tp_diag *diag)
{
	const struct tp_run *runs[TP_APP_RUNS] = { NULL };
	const char *names[TP_APP_RUNS] = { NULL };
	size_t n = tp_app_n_shown(app);
	TP_STR svg = { 0 }, csv = { 0 };
	if (!n)
		return tp_fail(diag, TP_NOTFOUND, "", NULL, "no run is open");
	for (size_t i = 0; i < n; i++) {
		runs[i] = tp_app_shown(app, i);
		names[i] = tp_app_shown_label(app, i);
	}
	/* A picture holds this many runs. */
	if (n > 1)
		tp_report_svg_runs(runs, names, n, TP_SVG_AUTO, &svg, diag);
	else
		tp_report_svg(runs[0], TP_SVG_AUTO, &svg);
	tp_run_csv(runs[0], false, &csv);
	enum tp_status status = tp_typed_write(path, ".svg", &svg, diag);
	if (status == TP_OK)
		status = tp_typed_write(path, ".csv", &csv, diag);
	if (status == TP_OK)
		tp_app_say(app, TP_UI_GOOD, "wrote %s.svg and %s.csv", path, path);
	return status;
}

static const struct tp_asked_line export_line = {
	"Write pictures and tables",
	"A relative path begins in the folder that tprof was started in. Enter, Esc", ".svg .csv",
	write_pictures, false
};

/* --- input --- */

/* A picture shows more of the selected series, and of the selected dot, than of others. */
static bool shows_other_dot(const struct tp_plotview *view, const struct tp_plot *before)
{
	const struct tp_origin *o = tp_plot_origin(&view->plot);
	return before->series != view->plot.series ||
	       (o && o->drops && before->point != view->plot.point);
}

/* To a page that the user chooses. */
static void turn(struct tp_plotview *view, size_t page)
{
	view->page = page;
	view->turned = true;
	tp_plot_zoom_all(&view->plot);
	view->plot.placed = false;
	view->stale = true;
}

bool tp_plotview_act(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_plotview *view = state;
	const struct tp_plot before = view->plot;
	if (view->kind->act && view->kind->act(app, view, action))
		return true;
	if (shows_tables(view, app) && tp_list_scroll(&view->doc.list, action))
		return true;
	if (!view->tables && tp_plot_act(&view->plot, app, action)) {
		view->stale |= shows_other_dot(view, &before);
		return true;
	}
	const size_t n_pages = TP_MAX(view->n_pages, (size_t)1);
	switch (action) {
	case TP_ACTION_NEXT_PICTURE:
	case TP_ACTION_PREVIOUS_PICTURE:
		turn(view,
		     (view->page + (action == TP_ACTION_NEXT_PICTURE ? 1 : n_pages - 1)) % n_pages);
		return true;
	case TP_ACTION_SERIES:
		parts_open(view, app);
		return true;
	case TP_ACTION_REPORT:
		view->tables = !view->tables;
		view->doc.list = (struct tp_list){ 0 };
		return true;
	case TP_ACTION_EXPORT:
		if (tp_app_run(app))
			tp_app_ask_line(app, &export_line, tp_app_run_label(app));
		return true;
	case TP_ACTION_WHAT_IF:
		if (!view->kind->what_if || !view->plot.picture)
			return false;
		size_t n = view->kind->what_if(view, SIZE_MAX);
		if (!n)
			tp_app_say(app, TP_UI_PLAIN,
				   tp_plot_origin(&view->plot) && tp_plot_origin(&view->plot)->rows
					   ? "no measurement shows where it could move"
					   : "put the cursor on the dot of a program");
		view->what_if = n ? (view->what_if + 1) % (n + 1) : 0;
		view->stale = true;
		return true;
	case TP_ACTION_DOT:
		if (!view->kind->asks || !tp_app_run(app))
			return false;
		tp_app_ask_line(app, view->kind->asks, "");
		return true;
	case TP_ACTION_BACK:
		if (!view->tables)
			return false;
		view->tables = false;
		return true;
	default:
		return false;
	}
}

bool tp_plotview_type(struct tp_app *app, void *state, uint32_t code)
{
	struct tp_plotview *view = state;
	(void)app;
	if (!view->picker.n || code == CONTROL_C)
		return false;
	take_parts(view, tp_picker_key(&view->picker, code));
	return true;
}

enum tp_over tp_plotview_over(const struct tp_app *app, const void *state)
{
	const struct tp_plotview *view = state;
	(void)app;
	return view->picker.n ? TP_OVER_MARKS : view->tables ? TP_OVER_VIEW : TP_OVER_NOTHING;
}

/* A press on a row puts the cursor of the plot there. False: on no table. */
static bool press_table(struct tp_plotview *view, const struct tp_input *input)
{
	const struct tp_picture *picture = view->plot.picture;
	struct tp_gridview *table = NULL;
	for (size_t i = 0; i < view->n_beside; i++)
		if (tp_area_holds(view->beside[i].list.area, input->row, input->column))
			table = &view->beside[i];
	if (!table || !picture)
		return false;
	if (tp_list_mouse(&table->list, input) != TP_LIST_PRESSED)
		return true;
	const void *about = tp_grid_cell(&table->grid, tp_gridview_item(table) + 1, 0)->about;
	for (size_t i = 0; about && i < picture->n_series; i++) {
		const struct tp_origin *o = &picture->origins[i];
		for (size_t k = 0; k < (o->roof ? 1 : picture->series[i].n); k++)
			if (o->reads &&
			    (thing_at(o, k) == about || point_at(view, o, k) == about)) {
				view->plot.placed = true;
				tp_plot_go(&view->plot, i, k);
				return true;
			}
	}
	if (about && view->kind->page_about)
		turn(view, view->kind->page_about(view, about));
	return true;
}

void tp_plotview_mouse(struct tp_app *app, void *state, const struct tp_input *input)
{
	struct tp_plotview *view = state;
	const struct tp_plot before = view->plot;
	if (view->picker.n) {
		take_parts(view, tp_picker_mouse(&view->picker, view->area, input));
	} else if (shows_tables(view, app)) {
		tp_list_wheel(&view->doc.list, tp_list_wheel_rows(input));
	} else {
		if (!press_table(view, input))
			tp_plot_mouse(&view->plot, input);
		view->stale |= shows_other_dot(view, &before);
	}
}
