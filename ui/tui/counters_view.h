/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the Counters screen. Private to screen_counters.c and counters_*.c. */
#ifndef TPROF_TUI_COUNTERS_VIEW_H
#define TPROF_TUI_COUNTERS_VIEW_H

#include "report/pictures.h"
#include "ui/plot/canvas.h"
#include "ui/plot/layout.h"
#include "ui/tui/doc.h"
#include "ui/tui/field.h"
#include "ui/tui/list.h"
#include "ui/tui/screen.h"

/* id, key as the tabs show it, title */
#define TP_COUNTERS_PAGE_LIST(X)                                                                   \
	X(EVENTS, "e", "Events")                                                                   \
	X(NOISE, "n", "Noise")                                                                     \
	X(CURVES, "c", "Curves")                                                                   \
	X(FORMULAS, "f", "Formulas")

enum tp_counters_page {
#define TP_COUNTERS_PAGE_ENUM(id, key, title) TP_COUNTERS_##id,
	TP_COUNTERS_PAGE_LIST(TP_COUNTERS_PAGE_ENUM)
#undef TP_COUNTERS_PAGE_ENUM
		TP_COUNTERS_PAGES
};

enum tp_counters_order {
	TP_COUNTERS_BY_FATE, /* the chosen as they were chosen, then what depends on them, then by noise */
	TP_COUNTERS_BY_NAME,
	TP_COUNTERS_BY_NOISE,
	TP_COUNTERS_BY_RESIDUAL,
	TP_COUNTERS_ORDERS
};

enum {
	TP_COUNTERS_MARKS = 6,
	TP_COUNTERS_HEAD_ROWS = 2,
	TP_COUNTERS_READ_ROWS = 2,
	TP_COUNTERS_ANY_FATE = -1
};

/* A picture of this screen, laid out once and painted often. */
struct tp_counters_plot {
	struct tp_picture *picture;
	struct tp_scene scene;
	struct tp_layout layout;
	struct tp_canvas canvas;
	bool laid,
		turned; /* `turned`: the y axis linear instead of logarithmic or the other way round */
	int columns, rows;
	enum tp_plot_glyphs glyphs;
	size_t event; /* what it was made for */
	size_t at; /* the cursor: rank of an event, or number of a row */
};

struct tp_counters_view {
	enum tp_counters_page page;
	uint64_t seen; /* what of the run everything below was made from */
	size_t family; /* number of the class */
	char family_name[32]; /* by which it is found again */
	/* Events. */
	size_t *shown; /* event numbers, filtered and sorted */
	size_t n_shown;
	struct tp_list events;
	struct tp_filter filter;
	int fate; /* enum tp_fate, or ANY_FATE */
	enum tp_counters_order order;
	size_t marked[TP_COUNTERS_MARKS];
	size_t n_marked;
	int name_columns, fate_columns; /* widest of the family */
	struct tp_area list; /* where its rows were painted last */
	struct tp_doc decision; /* of the event under the cursor */
	size_t decision_of;
	/* Plots. */
	struct tp_counters_plot noise, curves;
	size_t *ranks; /* event numbers by noise, as the noise plot shows them */
	size_t n_ranks;
	struct tp_area plot; /* where it was painted last */
	/* Formulas. */
	struct tp_list metrics;
	bool whole; /* the metric under the cursor has all the room */
	struct tp_doc formula;
	struct tp_list formula_list;
	size_t formula_of;
	struct tp_area metric_list;
	/* Where to write to. */
	bool exporting;
	struct tp_field folder;
};

/* The family that is shown; NULL when the run has none. */
const struct tp_class *tp_counters_class(const struct tp_app *app,
					 const struct tp_counters_view *view);
/* Number of the event under the cursor; n_events if there is none. */
size_t tp_counters_selected(const struct tp_counters_view *view, const struct tp_class *class);
/* The cursor onto an event, if the list shows it. */
void tp_counters_select(struct tp_counters_view *view, size_t event);
void tp_counters_move_family(const struct tp_app *app, struct tp_counters_view *view, bool forward);
/* How a fate looks. */
enum tp_role tp_counters_role(const char *fate);
/* "1.2e-11", "0", "-" where nothing was computed. */
const char *tp_counters_small(char *out, size_t size, double value);

/* counters_head.c: HEAD_ROWS rows. */
void tp_counters_head_draw(const struct tp_app *app, const struct tp_counters_view *view,
			   struct tp_area area);
/* The page whose name stands at a column of the first row; TP_COUNTERS_PAGES for none. */
enum tp_counters_page tp_counters_page_at(int column);
/*
 * Number of the family whose name stands at a column of the second row, which has `columns`; n_classes for none. Where only the family that is
 * shown has room, it is the next one.
 */
size_t tp_counters_family_at(const struct tp_run *run, const struct tp_counters_view *view,
			     int columns, int column);

/* counters_events.c */
void tp_counters_choose(struct tp_counters_view *view, const struct tp_class *class);
void tp_counters_events_draw(struct tp_app *app, struct tp_counters_view *view,
			     struct tp_area area);
bool tp_counters_events_act(struct tp_app *app, struct tp_counters_view *view,
			    enum tp_action action);
void tp_counters_events_mouse(struct tp_app *app, struct tp_counters_view *view,
			      const struct tp_input *input);
void tp_counters_mark(struct tp_app *app, struct tp_counters_view *view);

/* counters_plots.c */
void tp_counters_plot_release(struct tp_counters_plot *plot);
void tp_counters_noise_draw(struct tp_app *app, struct tp_counters_view *view, struct tp_area area);
void tp_counters_curves_draw(struct tp_app *app, struct tp_counters_view *view,
			     struct tp_area area);
/* The curve of the event under the cursor alone, without words: beside the list. */
void tp_counters_curve_beside(struct tp_app *app, struct tp_counters_view *view,
			      struct tp_area area);
bool tp_counters_plot_act(struct tp_app *app, struct tp_counters_view *view, enum tp_action action);
void tp_counters_plot_mouse(struct tp_app *app, struct tp_counters_view *view,
			    const struct tp_input *input);

/* counters_formulas.c */
void tp_counters_formulas_draw(struct tp_app *app, struct tp_counters_view *view,
			       struct tp_area area);
bool tp_counters_formulas_act(struct tp_app *app, struct tp_counters_view *view,
			      enum tp_action action);
void tp_counters_formulas_mouse(struct tp_app *app, struct tp_counters_view *view,
				const struct tp_input *input);

#endif
