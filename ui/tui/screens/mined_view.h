/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The screen Tree: what was learned from the shown run. Four parts: the tree as an outline, the
 * density with the cuts between categories, how often the tree is right, what matters. Private to
 * the files of the screen.
 */
#ifndef TPROF_UI_TUI_SCREENS_MINED_VIEW_H
#define TPROF_UI_TUI_SCREENS_MINED_VIEW_H

#include "ui/tui/screens/mined_density.h"
#include "ui/tui/screens/mined_learn.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/outline.h"
#include "ui/tui/widgets/text_field.h"
#include "ui/tui/widgets/picker.h"

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
	uint64_t seen; /* the run at the last look, see tp_seen_runs */
	bool stale; /* nothing was learned from it since */
	char run[256]; /* label of the run that the requests are for */
	struct tp_outline outline;
	size_t *parents; /* of each node of the tree */
	struct tp_str chosen_way; /* the way to the chosen node, and */
	struct tp_str chosen_points; /* the points that come there */
	struct tp_doc accuracy, importance; /* stale without columns */
	struct tp_mined_density density;
	/* What lies over the parts. */
	struct tp_picker picker;
	enum tp_mined_wish picked; /* what it is for */
	bool picking;
	bool told; /* everything that was learned, as text */
	struct tp_doc doc;
	bool written; /* `doc` holds it */
	/* Where each part was painted last, and the row of their titles; no rows: nowhere. */
	struct tp_area at[TP_MINED_PARTS], tabs;
};

/* The result, NULL if none. */
const struct tp_mining *tp_mined_result(const struct tp_mined_screen *s);

/* The whole; `area` is the body. */
void tp_mined_draw(struct tp_app *app, void *state, struct tp_area area);

/* The part whose title was pressed; -1 if none. */
int tp_mined_tab_at(const struct tp_mined_screen *s, const struct tp_input *input);

/* The rows of the tree that was learned last. */
void tp_mined_fill_outline(struct tp_mined_screen *s);
/* The sentence on the chosen node, and its points. Call it when the cursor or the tree changed. */
void tp_mined_choose_node(struct tp_mined_screen *s);

#endif
