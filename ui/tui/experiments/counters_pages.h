/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pages of the Counters screen, and what is shown on them. */
#ifndef TPROF_UI_TUI_EXPERIMENTS_COUNTERS_PAGES_H
#define TPROF_UI_TUI_EXPERIMENTS_COUNTERS_PAGES_H

#include "experiments/counters/classes.h"
#include "ui/tui/screen.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/list.h"
#include "ui/tui/widgets/gridview.h"
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

enum { TP_COUNTERS_MARKS = 6, TP_COUNTERS_ANY_FATE = -1 };

struct tp_counters_view {
	uint64_t seen; /* what of the run everything below was made from */
	size_t family; /* number of the class */
	char family_name[32]; /* by which it is found again */
	/* Events. */
	struct tp_gridview events; /* filtered and sorted */
	struct tp_filter filter;
	int fate; /* enum tp_fate, or ANY_FATE */
	enum tp_counters_order order;
	size_t marked[TP_COUNTERS_MARKS];
	size_t n_marked;
	struct tp_doc decision; /* of the event under the cursor */
	size_t decision_of;
	/* Plots. */
	struct tp_plot noise, curves;
	size_t *ranks; /* event numbers by noise, as the noise plot shows them */
	size_t n_ranks;
	size_t curves_of; /* the event that the curves were drawn for */
	/* Formulas. */
	struct tp_gridview metrics, chosen;
	bool whole; /* the metric under the cursor has all the room */
	struct tp_doc formula;
	size_t formula_of;
	struct tp_tabs pages, families;
};

/* The family that is shown; NULL when the run has none. */
const struct tp_class *tp_counters_class(const struct tp_app *app,
					 const struct tp_counters_view *view);
/* Lists the events of a class that the filter lets through, in the order of the view. */
void tp_counters_choose(struct tp_counters_view *view, const struct tp_class *class);
/* Marks the event under the cursor, or takes its mark. */
void tp_counters_mark(struct tp_app *app, struct tp_counters_view *view);

/* A page of the screen; its key stands in its tab. */
struct tp_counters_page_row {
	const char *title;
	void (*draw)(struct tp_app *app, struct tp_counters_view *view, struct tp_area area);
	bool (*act)(struct tp_app *app, struct tp_counters_view *view, enum tp_action action);
	void (*mouse)(struct tp_app *app, struct tp_counters_view *view,
		      const struct tp_input *input);
	bool spaced; /* a blank row above it, if there is room */
};

extern const struct tp_counters_page_row tp_counters_page_rows[TP_COUNTERS_PAGES];

#endif
