/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the screens with plots share: a picture of the shown run and of the runs over it, laid out once and painted often, a cursor that
 * reads it, zoom, axes, a choice of series, the report's tables, and writing all of it to files. A screen adds its kind of picture.
 */
#ifndef TPROF_TUI_PLOTVIEW_H
#define TPROF_TUI_PLOTVIEW_H

#include <limits.h>

#include "report/overlay.h"
#include "report/view.h"
#include "ui/plot/raster.h"
#include "ui/tui/doc.h"
#include "ui/tui/list.h"
#include "ui/tui/screen.h"

enum { TP_PAGES_MAX = 96, TP_HIDDEN_MAX = 48, TP_PART_BYTES = 24 };

/* One picture of several that a run has. What is empty or ANY is not narrowed. */
#define TP_ANY UINT_MAX
struct tp_plot_page {
	unsigned run, threads;
	char isa[16], precision[8], experiment[24];
	size_t from; /* curves: the first one of this picture */
};

/* What is not to be seen: 'i' ISA, 'p' precision, 't' threads, 'r' run of the preset, with its text. */
struct tp_hidden {
	char kind, text[TP_PART_BYTES];
};

struct tp_plotview;

struct tp_plot_kind {
	const char *empty; /* words where there is nothing to show */
	/* Adds the pages that a run has with tp_plotview_add_page. */
	void (*pages)(struct tp_plotview *view, const struct tp_run *run);
	/* Makes the picture of a page from view->runs[0..n_runs-1]; false: nothing to show. */
	bool (*build)(struct tp_plotview *view, const struct tp_app *app,
		      const struct tp_plot_page *page, int columns, int rows);
	/* What the cursor reads, in READ_ROWS rows. */
	void (*read)(const struct tp_plotview *view, struct tp_area area);
	/* A list beside the plot from `side_from` columns on; NULL = none. */
	void (*side)(const struct tp_plotview *view, struct tp_area area);
	int side_from, side_columns;
};

struct tp_plotview {
	const struct tp_plot_kind *kind;
	/* The runs, as far as they are wanted, and narrowed to the page. */
	struct tp_run wanted, views[TP_APP_RUNS];
	const struct tp_run *runs[TP_APP_RUNS];
	const char *names[TP_APP_RUNS];
	char labels[TP_APP_RUNS][64];
	size_t n_runs;
	struct tp_plot_page pages[TP_PAGES_MAX];
	size_t n_pages, page;
	bool hides; /* there is something, but all of it is hidden */
	/* The picture, and as what it was laid out. */
	struct tp_picture *picture;
	struct tp_scene scene;
	struct tp_layout layout;
	struct tp_canvas canvas;
	int columns, rows;
	enum tp_plot_glyphs glyphs;
	uint64_t seen; /* what of the runs the picture was made from */
	bool stale, laid;
	/* A run that grows: axes only widen. */
	struct tp_scale held_x, held_y;
	bool holds;
	struct tp_plot_page held_page;
	long latest,
		current; /* ids of the point that came last and of the one under way; -1 = none */
	/* The cursor: on a roof anywhere, else on a point. */
	size_t series; /* of the picture */
	size_t point;
	double x, y;
	bool placed; /* by hand: stays where it is */
	/* Zoom and axes. */
	double zoom[4]; /* x from, to, y from, to; all 0 = everything */
	bool turn_x, turn_y; /* logarithmic becomes linear and the other way round */
	/* What is not to be seen, and the list to choose it. */
	struct tp_hidden hidden[TP_HIDDEN_MAX];
	size_t n_hidden;
	bool choosing;
	struct tp_hidden parts[TP_HIDDEN_MAX];
	struct tp_list part_list;
	/* The tables. */
	bool tables;
	struct tp_doc doc;
	struct tp_list doc_list;
	/* Where to write to. */
	bool exporting;
	char path[256];
};

/* For the rows of screens. */
struct tp_plotview *tp_plotview_new(const struct tp_plot_kind *kind);
void tp_plotview_close(void *state);
void tp_plotview_enter(struct tp_app *app, void *state);
void tp_plotview_draw(struct tp_app *app, void *state, struct tp_area area);
bool tp_plotview_act(struct tp_app *app, void *state, enum tp_action action);
bool tp_plotview_type(struct tp_app *app, void *state, uint32_t code);
void tp_plotview_mouse(struct tp_app *app, void *state, const struct tp_input *input,
		       struct tp_area area);
void tp_plotview_news(struct tp_app *app, void *state);
/* What the rows of all plot screens share. */
#define TP_PLOTVIEW_ROW                                                                            \
	.close = tp_plotview_close, .enter = tp_plotview_enter, .draw = tp_plotview_draw,          \
	.act = tp_plotview_act, .type = tp_plotview_type, .mouse = tp_plotview_mouse,              \
	.news = tp_plotview_news

/* For kinds. A page that is there already is not added again. */
void tp_plotview_add_page(struct tp_plotview *view, const struct tp_plot_page *page);
bool tp_plotview_is_live(const struct tp_app *app);
/* What the selected series was drawn from; NULL without a picture. */
const struct tp_origin *tp_plotview_origin(const struct tp_plotview *view);
/* Where several runs lie on each other: which one the cursor reads, in its colour; returns the columns it took. */
int tp_plotview_paint_run(const struct tp_plotview *view, struct tp_area area);
/* "±" and "..." as the terminal can show them. */
const char *tp_plotview_pm(struct tp_area area);
/* Half an interval in percent of the value: "±0.3 %", or "" without one. */
const char *tp_plotview_interval(struct tp_area area, double value, double low, double high,
				 char *out, size_t size);
/* "flags: noisy|small-pages", or "". */
const char *tp_plotview_flags(uint32_t flags, char *out, size_t size);

/* The picture (plotview_picture.c). Makes it anew if the runs, the page or the room are not those that it was made for, else it stays. */
void tp_plotview_refresh(struct tp_plotview *view, const struct tp_app *app, int columns, int rows);
/* Without a picture again, and without the narrowed runs. */
void tp_plotview_drop(struct tp_plotview *view);
/* The axes of a scene turned as those of the view are. */
void tp_plotview_turn(const struct tp_plotview *view, struct tp_scene *scene);

/* The cursor (plotview_cursor.c). */
bool tp_cursor_can(const struct tp_plotview *view, size_t series); /* it can be on that series */
bool tp_cursor_is_free(const struct tp_plotview *view); /* anywhere on a line, not on points */
/* Where it was, or on the first series, once a new picture is there. */
void tp_cursor_settle(struct tp_plotview *view);
void tp_cursor_step(struct tp_plotview *view, int by);
void tp_cursor_end(struct tp_plotview *view, bool last);
void tp_cursor_series(struct tp_plotview *view, bool up);
/* To the nearest of a cell of the plot's own area. */
void tp_cursor_jump(struct tp_plotview *view, int row, int column);
void tp_cursor_paint(const struct tp_plotview *view, struct tp_area area);

/* The list of what is seen, and the line for the path (plotview_parts.c). */
void tp_parts_open(struct tp_plotview *view, const struct tp_app *app);
void tp_parts_paint(struct tp_plotview *view, struct tp_area area);
bool tp_parts_type(struct tp_plotview *view, uint32_t code);
void tp_parts_click(struct tp_plotview *view, int row, int column, struct tp_area area);
bool tp_parts_wanted(const void *view, const struct tp_part *part); /* a tp_part_wanted */
void tp_export_open(struct tp_plotview *view, const struct tp_app *app);
void tp_export_paint(const struct tp_plotview *view, struct tp_area area);
bool tp_export_type(struct tp_plotview *view, struct tp_app *app, uint32_t code);

/*
 * Of a roofline whose peak was not measured yet: the highest that the model gives the planned ones, GFLOP/s at the clock that was seen;
 * 0 = unknown.
 */
double tp_plotview_planned_peak(const struct tp_app *app, const struct tp_run *run,
				const struct tp_plot_page *page);

#endif
