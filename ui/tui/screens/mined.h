/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The screen Tree: what was learned from the shown run. Four parts: the tree as an outline, the
 * density with the cuts between categories, how often the tree is right, what matters. Private to
 * the files of the screen.
 */
#ifndef TPROF_TUI_MINED_H
#define TPROF_TUI_MINED_H

#include "ui/tui/screens/mined_cuts.h"
#include "ui/tui/screens/mined_learn.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/outline.h"
#include "ui/tui/widgets/path_box.h"
#include "ui/tui/widgets/picker.h"
#include "ui/tui/widgets/plot.h"

enum tp_mined_part {
	TP_MINED_OUTLINE,
	TP_MINED_DENSITY,
	TP_MINED_ACCURACY,
	TP_MINED_IMPORTANCE,
	TP_MINED_PARTS
};

struct tp_mined_screen {
	struct tp_mined_wishes wishes;
	struct tp_learner learner;
	struct tp_learned *learned; /* NULL: nothing yet */
	double learned_at; /* when */
	uint64_t seen; /* the run as it was looked at last, see tp_seen_runs */
	bool stale; /* nothing was learned from it since */
	char run[256]; /* label of the run that the wishes are for */
	struct tp_outline outline;
	size_t *parents; /* of each node of the tree */
	struct tp_str chosen_way; /* the way to the chosen node, and */
	struct tp_str chosen_points; /* the points that come there */
	struct tp_list missed;
	struct tp_mined_cuts cuts;
	struct tp_plot density;
	/* The density as it was painted last, for the mouse; no rows: it was not. */
	struct tp_mined_ruler {
		struct tp_area area;
		struct tp_canvas_box box;
		struct tp_scale x;
		int cuts[TP_CATEGORIES_MAX - 1]; /* columns on the terminal, -1 = out of sight */
	} ruler;
	bool dragged; /* a press was on the chosen cut */
	int dragged_from; /* its column */
	/* What lies over the parts. */
	struct tp_picker picker;
	enum tp_mined_wish picked; /* what it is for */
	bool picking;
	struct tp_path_box export;
	bool told; /* all that was learned, as text */
	struct tp_doc doc;
	struct tp_list doc_list;
	bool written; /* `doc` holds it */
	/* Where each part was painted last, and the row of their titles; no rows: nowhere. */
	struct tp_area at[TP_MINED_PARTS], tabs;
};

/* The result, NULL while there is none. */
const struct tp_mining *tp_mined_result(const struct tp_mined_screen *s);
/* Marks of categories: 'A', 'B', ..., and their colours. */
char tp_mined_letter(unsigned label);
enum tp_role tp_mined_label_role(unsigned label);

/* mined_work.c: another run, or another state of the run that is shown. */
void tp_mined_look(struct tp_app *app, struct tp_mined_screen *s);
/* Those of struct tp_screen. */
void tp_mined_lull(struct tp_app *app, void *state);
double tp_mined_work(struct tp_app *app, void *state);

/* mined_paint.c: the whole. `area` is the body. */
void tp_mined_draw(struct tp_app *app, void *state, struct tp_area area);
/* Text in at most so many rows; what has no room is behind the key for it. Returns the rows. */
int tp_mined_paragraph(struct tp_area area, int row, int rows, enum tp_role role, const char *text);

/* The part whose title is at a press; -1 if there is none. */
int tp_mined_tab_at(const struct tp_mined_screen *s, const struct tp_input *input);

/* mined_outline.c: the rows of the tree that was learned last. */
void tp_mined_fill_outline(struct tp_mined_screen *s);
/* The sentence on the chosen node, and its points. Call it when the cursor or the tree changed. */
void tp_mined_choose_node(struct tp_mined_screen *s);
/* mined_outline.c, mined_density.c, mined_scores.c */
void tp_mined_paint_outline(const struct tp_app *app, struct tp_mined_screen *s,
			    struct tp_area area);
void tp_mined_paint_density(const struct tp_app *app, struct tp_mined_screen *s,
			    struct tp_area area);
void tp_mined_paint_accuracy(const struct tp_app *app, struct tp_mined_screen *s,
			     struct tp_area area);
void tp_mined_paint_importance(const struct tp_app *app, struct tp_mined_screen *s,
			       struct tp_area area);

/* mined_density.c: a press, a double one, or the end of a drag. True: the cuts changed. */
bool tp_mined_density_press(struct tp_mined_screen *s, const struct tp_input *input);
bool tp_mined_density_drop(struct tp_mined_screen *s, const struct tp_input *input);

/* mined_choose.c: what is explained and by what, from the columns of the run. */
void tp_mined_pick(struct tp_app *app, struct tp_mined_screen *s, enum tp_mined_wish wish);
void tp_mined_take_pick(struct tp_mined_screen *s, enum tp_picker_event event);
/* Less or more questions in a row; Gini or entropy. */
void tp_mined_change_depth(struct tp_mined_screen *s, int by);
void tp_mined_change_criterion(struct tp_mined_screen *s);
/* The cuts become a wish. */
void tp_mined_wish_cuts(struct tp_mined_screen *s);

#endif
