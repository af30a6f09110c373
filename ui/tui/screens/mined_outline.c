/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree as an outline: what leads to each node, its rows, its categories, its impurity. */
#include "ui/tui/screens/mined.h"
#include "base/tally.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From WIDE columns on, numbers have more room. */
enum { WIDE = 90, POINTS_TOLD = 40, WAY_ROWS = 3, WAY_ROWS_TALL = 5, TALL = 20, BAR_MAX = 32 };

/* --- rows --- */

/* Each node with its children behind it. False when out of memory. */
static bool add_nodes(struct tp_mined_screen *s, const struct tp_tree *tree)
{
	struct waiting {
		size_t node;
		uint64_t key;
	} *stack = calloc(tree->n + 1, sizeof(*stack));
	size_t n = 0;
	if (!stack)
		return false;
	stack[n++] = (struct waiting){ 0, TP_HASH_START };
	while (n) {
		const struct waiting at = stack[--n];
		const struct tp_tree_node *node = &tree->nodes[at.node];
		if (tp_outline_add(&s->outline, at.key, node->depth, at.node) != TP_OK)
			break;
		if (node->leaf)
			continue;
		s->parents[node->yes] = s->parents[node->no] = at.node;
		stack[n++] = (struct waiting){ node->no, tp_hash_step(at.key, 2) };
		stack[n++] = (struct waiting){ node->yes, tp_hash_step(at.key, 1) };
	}
	free(stack);
	return true;
}

void tp_mined_fill_outline(struct tp_mined_screen *s)
{
	const struct tp_mining *mining = tp_mined_result(s);
	tp_outline_clear(&s->outline);
	free(s->parents);
	s->parents = NULL;
	if (mining && mining->has_tree && mining->tree.n) {
		s->parents = calloc(mining->tree.n, sizeof(*s->parents));
		if (s->parents)
			add_nodes(s, &mining->tree);
	}
	tp_outline_settle(&s->outline);
	tp_mined_choose_node(s);
}

/* --- the chosen node in words --- */

/* Numbers of the points that come to the node, as far as they are worth telling. */
static void tell_points(struct tp_mined_screen *s, const struct tp_mining *mining, size_t node)
{
	const struct tp_frame_column *name = tp_frame_find(&s->learned->frame, "point", NULL);
	size_t found = 0;
	for (size_t row = 0; name && row < mining->n_rows; row++) {
		size_t at = tp_tree_leaf(&mining->tree, &mining->data, row);
		char cell[32];
		while (at > node)
			at = s->parents[at];
		if (at != node)
			continue;
		if (found++ < POINTS_TOLD)
			tp_str_printf(&s->chosen_points, "%s%s", found > 1 ? ", " : "",
				      tp_frame_cell(name, mining->origin[row], cell, sizeof(cell)));
	}
	if (found > POINTS_TOLD)
		tp_str_printf(&s->chosen_points, " and %zu more", found - POINTS_TOLD);
}

void tp_mined_choose_node(struct tp_mined_screen *s)
{
	const struct tp_mining *mining = tp_mined_result(s);
	const struct tp_outline_row *row = tp_outline_row(&s->outline);
	tp_str_clear(&s->chosen_way);
	tp_str_clear(&s->chosen_points);
	if (!mining || !row)
		return;
	tp_mine_way(mining, row->item, &s->chosen_way);
	if (row->item)
		tell_points(s, mining, row->item);
}

/* --- painting --- */

struct columns {
	int rows, bar, impurity; /* widths; 2 columns between them */
	const struct tp_mining *mining;
	const struct tp_mined_screen *s;
};

enum { GAP = 2 };

static int right_of(const struct columns *c)
{
	return c->rows + c->bar + c->impurity + 3 * GAP;
}

/*
 * How many of `room` letters each category of a node gets: its share, but one at least where there
 * are letters enough. What is left over or too much is the largest one's.
 */
static void share_out(const struct tp_mining *m, size_t node, int room,
		      int letters[TP_CATEGORIES_MAX])
{
	double rows = m->tree.nodes[node].rows;
	unsigned n = TP_MIN(m->n_labels, (unsigned)TP_CATEGORIES_MAX), largest = 0;
	int used = 0;
	for (unsigned label = 0; label < n; label++) {
		size_t count = tp_mine_count(m, node, label);
		letters[label] = rows > 0 ? (int)((double)count / rows * room + 0.5) : 0;
		letters[label] = TP_MAX(letters[label], count > 0);
		used += letters[label];
		if (letters[label] > letters[largest])
			largest = label;
	}
	letters[largest] = TP_MAX(letters[largest] + room - used, 0);
}

/* The categories of a node as a bar of their letters. */
static void paint_counts(struct tp_area line, int at, const struct columns *c, size_t node,
			 bool selected)
{
	const struct tp_mining *m = c->mining;
	int letters[TP_CATEGORIES_MAX] = { 0 }, painted = 0;
	share_out(m, node, c->bar, letters);
	for (unsigned label = 0; label < m->n_labels && label < TP_CATEGORIES_MAX; label++)
		for (int i = 0; i < letters[label] && painted < c->bar; i++, painted++)
			tp_paint_cell(line, 0, at + painted, (uint32_t)tp_mined_letter(label),
				      selected ? TP_UI_SELECTED : tp_mined_label_role(label));
}

static void paint_row(void *context, struct tp_area line, const struct tp_outline_row *row,
		      bool selected)
{
	const struct columns *c = context;
	const struct tp_mining *m = c->mining;
	const struct tp_tree_node *node = &m->tree.nodes[row->item];
	struct tp_area text = tp_area_columns(line, 0, line.columns - right_of(c));
	struct tp_str words = { 0 };
	enum tp_role plain = selected ? TP_UI_SELECTED : TP_UI_PLAIN;
	char number[32];
	if (row->item) {
		size_t parent = c->s->parents[row->item];
		tp_mine_question(m, parent, m->tree.nodes[parent].yes == row->item, &words);
	} else {
		tp_str_add(&words, "any row");
	}
	if (node->leaf)
		tp_str_printf(&words, ": %c %s", tp_mined_letter(node->label),
			      m->labels_of[node->label].name);
	tp_paint_text(text, 0, 0,
		      selected	   ? plain
		      : node->leaf ? TP_UI_STRONG
				   : plain,
		      tp_str_text(&words));
	tp_str_release(&words);
	int at = text.columns + GAP + c->rows;
	snprintf(number, sizeof(number), "%.0f", node->rows);
	tp_paint_right(line, 0, at, plain, number);
	paint_counts(line, at + GAP, c, row->item, selected);
	snprintf(number, sizeof(number), "%.*f", c->impurity > 5 ? 3 : 2, node->impurity);
	tp_paint_right(line, 0, line.columns, selected ? plain : TP_UI_DIM, number);
}

static void paint_titles(struct tp_area line, const struct columns *c)
{
	int at = line.columns - right_of(c) + GAP + c->rows;
	tp_paint_text(line, 0, 2, TP_UI_DIM, "question: what the tree says");
	tp_paint_right(line, 0, at, TP_UI_DIM, "rows");
	tp_paint_text(line, 0, at + GAP, TP_UI_DIM, "categories");
	tp_paint_right(line, 0, line.columns, TP_UI_DIM,
		       c->mining->job.rules.criterion == TP_ENTROPY ? "bits" : "gini");
}

static void add_counts(const struct tp_mining *m, size_t node, struct tp_str *out)
{
	size_t told = 0;
	for (unsigned label = 0; label < m->n_labels; label++) {
		size_t n = tp_mine_count(m, node, label);
		if (n)
			tp_str_printf(out, "%s%zu of %c %s", told++ ? ", " : "", n,
				      tp_mined_letter(label), m->labels_of[label].name);
	}
}

static void paint_chosen(const struct tp_mined_screen *s, const struct tp_mining *m,
			 struct tp_area area)
{
	const struct tp_outline_row *row = tp_outline_row(&s->outline);
	struct tp_str text = { 0 };
	if (!row)
		return;
	tp_str_printf(&text, "%.0f rows", m->tree.nodes[row->item].rows);
	if (row->item)
		tp_str_printf(&text, " with %s", tp_str_text(&s->chosen_way));
	tp_str_add(&text, ": ");
	add_counts(m, row->item, &text);
	int used = tp_mined_paragraph(area, 0, area.rows - 1, TP_UI_PLAIN, tp_str_text(&text));
	if (s->chosen_points.len)
		tp_paint_format(area, used, 0, TP_UI_DIM, "points %s",
				tp_str_text(&s->chosen_points));
	tp_str_release(&text);
}

void tp_mined_paint_outline(const struct tp_app *app, struct tp_mined_screen *s,
			    struct tp_area area)
{
	const struct tp_mining *m = tp_mined_result(s);
	bool wide = area.columns >= WIDE;
	int below = area.rows >= TALL ? WAY_ROWS_TALL : WAY_ROWS;
	struct columns c = { .rows = 6,
			     .bar = wide ? TP_MIN(area.columns / 4, (int)BAR_MAX) : 12,
			     .impurity = wide ? 6 : 5,
			     .mining = m,
			     .s = s };
	(void)app;
	paint_titles(
		tp_area_columns(tp_area_rows(area, 0, 1), 0, area.columns - TP_OUTLINE_BAR_COLUMNS),
		&c);
	tp_outline_paint(&s->outline, tp_area_rows(area, 1, area.rows - 1 - below), paint_row, &c);
	paint_chosen(s, m, tp_area_rows(area, area.rows - below, below));
}
