/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was learned, for people and programs. */
#ifndef TPROF_MINING_SAY_H
#define TPROF_MINING_SAY_H

#include "mining/result.h"
#include "report/reporter.h"
#include "doc/text.h"

/* The whole: trust first, then tree, rules, accuracy, missed rows, importance and the rest. */
void tp_mine_text(const struct tp_mining *mining, struct tp_text *doc);

/* Parts of it: how often the tree is right and which rows it missed; what matters. */
void tp_mine_accuracy(const struct tp_mining *mining, struct tp_text *doc);
void tp_mine_importance(const struct tp_mining *mining, struct tp_text *doc);

/* The same with its pictures as one page for a browser. */
void tp_mine_html(const struct tp_mining *mining, struct tp_str *out);

/* The columns of a frame, to choose a target from. */
void tp_mine_columns(const struct tp_frame *frame, struct tp_text *doc);
void tp_mine_json(const struct tp_mining *mining, struct tp_str *out);

/* The rows of the frame, with the category of each and what the tree says of it, as CSV. */
void tp_mine_csv(const struct tp_mining *mining, const struct tp_frame *frame, struct tp_str *out);

/*
 * Pictures: the target's density with cuts and peaks, how the target goes with the columns that
 * matter most, importance as bars.
 */
void tp_mine_pictures(const void *mining, const struct tp_gallery *gallery);

/* The same one below the other, and the tree as a drawing, as one document. */
void tp_mine_svg(const struct tp_mining *mining, enum tp_svg_theme theme, struct tp_str *out);

/*
 * The single pictures, for screens; false where there is none. Relation: a
 * line, boxes or dots; heat: means by two columns, or shares of categories.
 */
bool tp_mine_picture_density(struct tp_picture *picture, const struct tp_mining *mining);
/* Plot i of the job. */
bool tp_mine_picture_plot(struct tp_picture *picture, const struct tp_mining *mining, size_t i);

#endif
