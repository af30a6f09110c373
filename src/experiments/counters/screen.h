/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the Counters screen. Private to screen*.c. */
#ifndef TPROF_TUI_COUNTERS_VIEW_H
#define TPROF_TUI_COUNTERS_VIEW_H

#include "ui/tui/screen.h"
#include "experiments/counters/classes.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/list.h"
#include "ui/tui/widgets/text_field.h"
#include "ui/tui/widgets/plot.h"

enum tp_counters_page {
	TP_COUNTERS_EVENTS,
	TP_COUNTERS_NOISE,
	TP_COUNTERS_CURVES,
	TP_COUNTERS_FORMULAS,
	TP_COUNTERS_PAGES
};

enum tp_counters_order {
	/* the chosen as they were chosen, then what depends on them, then by noise */
	TP_COUNTERS_BY_FATE,
	TP_COUNTERS_BY_NAME,
	TP_COUNTERS_BY_NOISE,
	TP_COUNTERS_BY_RESIDUAL,
	TP_COUNTERS_ORDERS
};

enum { TP_COUNTERS_MARKS = 6, TP_COUNTERS_HEAD_ROWS = 2, TP_COUNTERS_ANY_FATE = -1 };

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
	struct tp_doc decision; /* of the event under the cursor */
	size_t decision_of;
	/* Plots. */
	struct tp_plot noise, curves;
	size_t *ranks; /* event numbers by noise, as the noise plot shows them */
	size_t n_ranks;
	size_t curves_of; /* the event that the curves were drawn for */
	/* Formulas. */
	struct tp_list metrics;
	bool whole; /* the metric under the cursor has all the room */
	struct tp_doc formula;
	struct tp_list formula_list;
	size_t formula_of;
	struct tp_path_box export;
};

/* A page of the screen; its key stands in its tab. */
struct tp_counters_page_row {
	const char *key, *title;
	enum tp_action action; /* goes there */
	void (*draw)(struct tp_app *app, struct tp_counters_view *view, struct tp_area area);
	bool (*act)(struct tp_app *app, struct tp_counters_view *view, enum tp_action action);
	void (*mouse)(struct tp_app *app, struct tp_counters_view *view,
		      const struct tp_input *input);
	bool spaced; /* a blank row above it, where there is room */
};
extern const struct tp_counters_page_row tp_counters_pages[TP_COUNTERS_PAGES];

/* The family that is shown; NULL when the run has none. */
const struct tp_class *tp_counters_class(const struct tp_app *app,
					 const struct tp_counters_view *view);
/* Number of the event under the cursor; n_events if there is none. */
size_t tp_counters_selected(const struct tp_counters_view *view, const struct tp_class *class);
/* The cursor onto an event, if the list shows it. */
void tp_counters_select(struct tp_counters_view *view, size_t event);
/* How a fate looks. */
enum tp_role tp_counters_role(const char *fate);

/* screen_head.c: HEAD_ROWS rows. */
void tp_counters_head_draw(const struct tp_app *app, const struct tp_counters_view *view,
			   struct tp_area area);
/* The page whose name stands at a column of the first row; TP_COUNTERS_PAGES for none. */
enum tp_counters_page tp_counters_page_at(int column);
/*
 * Number of the family whose name stands at a column of the second row, which has `columns`;
 * n_classes for none. Where only the family that is shown has room, it is the next one.
 */
size_t tp_counters_family_at(const struct tp_run *run, const struct tp_counters_view *view,
			     int columns, int column);

/* screen_events.c */
void tp_counters_choose(struct tp_counters_view *view, const struct tp_class *class);
void tp_counters_events_draw(struct tp_app *app, struct tp_counters_view *view,
			     struct tp_area area);
bool tp_counters_events_act(struct tp_app *app, struct tp_counters_view *view,
			    enum tp_action action);
void tp_counters_events_mouse(struct tp_app *app, struct tp_counters_view *view,
			      const struct tp_input *input);
void tp_counters_mark(struct tp_app *app, struct tp_counters_view *view);

/* screen_plots.c */
void tp_counters_noise_draw(struct tp_app *app, struct tp_counters_view *view, struct tp_area area);
void tp_counters_curves_draw(struct tp_app *app, struct tp_counters_view *view,
			     struct tp_area area);
/* The curve of the event under the cursor alone, without words: beside the list. */
void tp_counters_curve_beside(struct tp_app *app, struct tp_counters_view *view,
			      struct tp_area area);
bool tp_counters_noise_act(struct tp_app *app, struct tp_counters_view *view,
			   enum tp_action action);
bool tp_counters_curves_act(struct tp_app *app, struct tp_counters_view *view,
			    enum tp_action action);
void tp_counters_noise_mouse(struct tp_app *app, struct tp_counters_view *view,
			     const struct tp_input *input);
void tp_counters_curves_mouse(struct tp_app *app, struct tp_counters_view *view,
			      const struct tp_input *input);

/* screen_formulas.c */
void tp_counters_formulas_draw(struct tp_app *app, struct tp_counters_view *view,
			       struct tp_area area);
bool tp_counters_formulas_act(struct tp_app *app, struct tp_counters_view *view,
			      enum tp_action action);
void tp_counters_formulas_mouse(struct tp_app *app, struct tp_counters_view *view,
				const struct tp_input *input);

#endif
