/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plots of the shown run and of the runs over it, page by page: with a plot's cursor, zoom and
 * axes (plot.h), a choice of the series that are shown, the numbers as tables, and export. A screen
 * of an experiment is a struct tp_plot_kind: which pages there are, the picture of a page, and the
 * words for the cursor.
 */
#ifndef TPROF_UI_TUI_WIDGETS_PLOTVIEW_H
#define TPROF_UI_TUI_WIDGETS_PLOTVIEW_H

#include <limits.h>

#include "report/pictures.h"
#include "report/view.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/gridview.h"
#include "ui/tui/widgets/picker.h"
#include "ui/tui/widgets/plot.h"
#include "ui/tui/widgets/text_field.h"

enum { TP_PAGES_MAX = 96, TP_HIDDEN_MAX = 64, TP_PART_BYTES = 24, TP_PLOT_TABLES = 3 };

/* Which part of a run a picture shows. Empty text and TP_ANY take everything. */
#define TP_ANY UINT_MAX
struct tp_plot_page {
	unsigned run, threads;
	char isa[16], precision[8], experiment[24];
	size_t from; /* curves: number of the first one */
};

/*
 * What the user can hide: an ISA, a precision, a number of threads, a run of the preset, a kernel;
 * where a kind of plot has them, meters of a program and its regions.
 */
enum tp_hidden_kind {
	TP_HIDDEN_ISA,
	TP_HIDDEN_PRECISION,
	TP_HIDDEN_THREADS,
	TP_HIDDEN_RUN,
	TP_HIDDEN_KERNEL,
	TP_HIDDEN_METER,
	TP_HIDDEN_REGION
};
/* Kinds that separate parts of any run come first. */
enum { TP_HIDDEN_SLICES = TP_HIDDEN_KERNEL + 1, TP_HIDDEN_KINDS = TP_HIDDEN_REGION + 1 };
struct tp_hidden {
	enum tp_hidden_kind kind;
	char text[TP_PART_BYTES];
	char label[TP_PART_BYTES]; /* what the list shows instead of the text; "" = the text */
};

struct tp_plotview;

struct tp_plot_kind {
	/* Adds the pages of a run with tp_plotview_add_page. */
	void (*pages)(struct tp_plotview *view, const struct tp_run *run);
	/*
	 * Makes view->plot.picture, which is empty, for a page from view->runs[0..n_runs-1]. False:
	 * nothing to show.
	 */
	bool (*build)(struct tp_plotview *view, const struct tp_app *app,
		      const struct tp_plot_page *page, struct tp_area area);
	/*
	 * Adds meters and regions that can be hidden with tp_plotview_add_part; NULL = none. Pages
	 * and pictures ask tp_plotview_shows.
	 */
	void (*parts)(struct tp_plotview *view, const struct tp_run *run);
	/* Shows what the cursor reads, in two rows; never called without an origin. */
	void (*read)(const struct tp_plotview *view, const struct tp_origin *origin,
		     struct tp_text_row first, struct tp_text_row second);
	/*
	 * The experiment whose report has the table of series without points, such as roofs and
	 * lanes; NULL = the page's. The tables of points come from the report of their experiment.
	 */
	const char *experiment;
	/* What the table has a row about where the cursor is; NULL = what the cursor reads. */
	const void *(*about)(const struct tp_plotview *view, const struct tp_origin *origin);
	/* The least columns for a table next to the plot, 0 = 160, and of the table, 0 = 50. */
	int side_from, side_columns;
	/* Its own keys; NULL = none. */
	bool (*act)(struct tp_app *app, struct tp_plotview *view, enum tp_action action);
	/* Where the cursor begins; NULL = on the first series. */
	void (*begin)(struct tp_plotview *view);
	/* The page to show until the user turns to another; NULL = the first one. */
	size_t (*newest)(const struct tp_plotview *view, const struct tp_app *app);
	/* The page to turn to for a row of the table that this page does not draw; NULL = none. */
	size_t (*page_about)(const struct tp_plotview *view, const void *about);
	/* Its own table comes first; in less room it stands below the plot, with a few rows. */
	bool table_first;
	/*
	 * What would move the dot under the cursor: draws advice number `which` next to the dot, if
	 * it exists. Returns how many there are; NULL = none.
	 */
	size_t (*what_if)(const struct tp_plotview *view, size_t which);
	/* Words for below the tables, and (`all`) in place of the report; NULL = none. */
	void (*words)(const struct tp_app *app, struct tp_text *text, bool all);
	const struct tp_asked_line *asks; /* for what DOT puts on the picture; NULL = nothing */
};

struct tp_plotview {
	const struct tp_plot_kind *kind;
	struct tp_plot plot;
	/* The runs without what is hidden, and of these the parts that are on the page. */
	struct tp_run wanted, views[TP_APP_RUNS];
	const struct tp_run *runs[TP_APP_RUNS];
	const char *names[TP_APP_RUNS];
	char labels[TP_APP_RUNS][64];
	size_t n_runs;
	struct tp_plot_page pages[TP_PAGES_MAX];
	size_t n_pages, page;
	bool turned; /* to the page, by the user */
	struct tp_plot_page held_page; /* the page that the axes of a growing run belong to */
	uint64_t seen; /* what of the runs the picture was made from */
	bool stale;
	/* Points by number, -1 = none: the last finished one, and the one in progress. */
	long latest, current;
	/* What the user hid, and the list to choose it from. */
	struct tp_hidden hidden[TP_HIDDEN_MAX], parts[TP_HIDDEN_MAX];
	size_t n_hidden, n_parts;
	bool all_hidden; /* the run has pictures, but all are hidden */
	struct tp_picker picker; /* of the parts; without items it is closed */
	size_t what_if; /* that is drawn, from 1; 0 = none */
	struct tp_area area; /* where it was painted last */
	/* The tables next to the plot, and text below them. */
	struct tp_gridview beside[TP_PLOT_TABLES];
	size_t n_beside;
	struct tp_doc words;
	/* The report. */
	bool tables;
	struct tp_doc doc;
};

/* --- for the rows of screens --- */

void tp_plotview_open(struct tp_plotview *view, const struct tp_plot_kind *kind);
void tp_plotview_close(void *state);
void tp_plotview_enter(struct tp_app *app, void *state);
void tp_plotview_draw(struct tp_app *app, void *state, struct tp_area area);
bool tp_plotview_act(struct tp_app *app, void *state, enum tp_action action);
bool tp_plotview_type(struct tp_app *app, void *state, uint32_t code);
void tp_plotview_mouse(struct tp_app *app, void *state, const struct tp_input *input);
void tp_plotview_news(struct tp_app *app, void *state);
enum tp_over tp_plotview_over(const struct tp_app *app, const void *state);

/* A whole screen from a kind named `kind` in the same file; its state begins with a tp_plotview. */
#define TP_PLOTVIEW_SCREEN(id, state_type)                                                         \
	static void open_screen(struct tp_app *app, void *state)                                   \
	{                                                                                          \
		(void)app;                                                                         \
		tp_plotview_open(state, &kind);                                                    \
	}                                                                                          \
	const struct tp_screen tp_screen_##id = {                                                  \
		.state_bytes = sizeof(struct state_type),                                          \
		.open = open_screen,                                                               \
		.close = tp_plotview_close,                                                        \
		.enter = tp_plotview_enter,                                                        \
		.draw = tp_plotview_draw,                                                          \
		.act = tp_plotview_act,                                                            \
		.type = tp_plotview_type,                                                          \
		.mouse = tp_plotview_mouse,                                                        \
		.news = tp_plotview_news,                                                          \
		.over = tp_plotview_over,                                                          \
	}

/* --- for kinds --- */

/* A page that is there already is not added again. */
void tp_plotview_add_page(struct tp_plotview *view, const struct tp_plot_page *page);
/* Pages of the curves of an experiment; NULL = of all. */
void tp_plotview_add_curves(struct tp_plotview *view, const struct tp_run *run,
			    const char *experiment);
/* If several runs lie on each other: the name of the one that the cursor reads, in its colour. */
void tp_plotview_name_run(const struct tp_plotview *view, struct tp_text_row *words);
/*
 * Half an interval in percent of the value: "±0.3 %", "1 window" where `point` had only one, or ""
 * without any. `point` may be NULL.
 */
const char *tp_plotview_interval(struct tp_area area, const struct tp_point *point, double value,
				 double low, double high, char *out, size_t size);
/* "good", or "fair: noisy small-pages"; empty without quality and flags. */
void tp_plotview_quality(struct tp_text_row *words, int gap, enum tp_quality quality,
			 uint32_t flags);
/* In the third row, in place of the run's verdict; `words` is a row of `read`. */
void tp_plotview_note(const struct tp_text_row *words, enum tp_role role, const char *text);

/* A part that can be hidden, once; the list shows `label` in place of the text, unless it is "". */
void tp_plotview_add_part(struct tp_plotview *view, enum tp_hidden_kind kind, const char *text,
			  const char *label);
/* Whether the user has left a part among what is shown. */
bool tp_plotview_shows(const struct tp_plotview *view, enum tp_hidden_kind kind, const char *text);

#endif
