/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why the tree missed a row: the boundary that is nearest, and what lies on its other side. */
#include "mining/mining_parts.h"

/* What counts as near: shares of the feature's range, and of the way between two peaks. */
#define NEAR_QUESTION 0.15
#define NEAR_CUT      0.1

static bool answer_of(const struct tp_mining *mining, size_t node, size_t row)
{
	const struct tp_tree_node *n = &mining->tree.nodes[node];
	const struct tp_mine_feature *f = &mining->features[n->feature];
	return f->words ? f->values[row] == n->threshold : f->values[row] <= n->threshold;
}

/* The leaf that a row comes to from `node` on. */
static size_t leaf_below(const struct tp_mining *mining, size_t node, size_t row)
{
	const struct tp_tree_node *nodes = mining->tree.nodes;
	while (!nodes[node].leaf)
		node = answer_of(mining, node, row) ? nodes[node].yes : nodes[node].no;
	return node;
}

/* From the value to the threshold, in ranges of the feature; of words, one whole range. */
static double way_to(const struct tp_mining *mining, size_t node, size_t row)
{
	const struct tp_tree_node *n = &mining->tree.nodes[node];
	const struct tp_mine_feature *f = &mining->features[n->feature];
	if (f->words)
		return 1;
	return fabs(f->values[row] - n->threshold) / (f->high - f->low);
}

/* The nearest question on the way; with `right`, of those where another answer would be right. */
static bool nearest_question(const struct tp_mining *mining, struct tp_mine_missed *m, bool right)
{
	const struct tp_tree_node *nodes = mining->tree.nodes;
	double nearest = INFINITY;
	for (size_t node = 0; !nodes[node].leaf;) {
		bool answer = answer_of(mining, node, m->row);
		size_t other = answer ? nodes[node].no : nodes[node].yes;
		double distance = way_to(mining, node, m->row);
		/* Of equally near ones the last has decided. */
		if (distance <= nearest &&
		    (!right || nodes[leaf_below(mining, other, m->row)].label == m->label)) {
			nearest = distance;
			m->node = node;
		}
		node = answer ? nodes[node].yes : nodes[node].no;
	}
	return nearest <= (right ? NEAR_QUESTION : INFINITY);
}

/* The cut between what the row is and what the tree says, if they are neighbours. */
static bool near_cut(const struct tp_mining *mining, struct tp_mine_missed *m)
{
	const struct tp_mine_label *label = &mining->labels_of[m->label];
	if (!mining->continuous)
		return false;
	bool low_is_nearer = m->target - label->low < label->high - m->target;
	double cut = low_is_nearer ? label->low : label->high;
	m->cut_distance = m->target - cut;
	if (m->said != (low_is_nearer ? m->label - 1 : m->label + 1))
		return false;
	double between = fabs(label->peak - mining->labels_of[m->said].peak);
	return fabs(m->cut_distance) < NEAR_CUT * between;
}

static struct tp_mine_missed explain(const struct tp_mining *mining, size_t row)
{
	size_t leaf = leaf_below(mining, 0, row);
	struct tp_mine_missed m = {
		.row = row,
		.label = mining->labels[row],
		.said = mining->tree.nodes[leaf].label,
		.leaf = leaf,
		.target = mining->target_values ? mining->target_values[row] : NAN,
		.cut_distance = NAN,
	};
	bool cut = near_cut(mining, &m), question = nearest_question(mining, &m, true);
	if (!question)
		nearest_question(mining, &m, false);
	m.why = cut					   ? TP_MISSED_CUT
		: question				   ? TP_MISSED_QUESTION
		: tp_mine_count(mining, leaf, m.label) > 0 ? TP_MISSED_MIXED
							   : TP_MISSED_NEW;
	const struct tp_tree_node *n = &mining->tree.nodes[m.node];
	const struct tp_mine_feature *f = &mining->features[n->feature];
	m.value = f->values[row];
	m.distance = f->words ? NAN : m.value - n->threshold;
	return m;
}

enum tp_status tp_mining_explain(struct tp_mining *mining, struct tp_diag *diag)
{
	const struct tp_tree *tree = &mining->tree;
	size_t from = mining->n_test ? mining->n_rows - mining->n_test : 0;
	size_t most = mining->n_test ? mining->test.n - mining->test.right
				     : mining->all.n - mining->all.right;
	mining->missed = tp_mining_alloc(mining, most, sizeof(*mining->missed));
	bool *held_out = tp_mining_alloc(mining, mining->n_rows, sizeof(*held_out));
	if (!mining->missed || !held_out)
		return tp_mining_no_memory(diag);
	for (size_t i = from; i < mining->n_rows; i++)
		held_out[mining->split[i]] = true;
	for (size_t row = 0; row < mining->n_rows && mining->n_missed < most; row++)
		if (held_out[row] &&
		    tree->nodes[leaf_below(mining, 0, row)].label != mining->labels[row])
			mining->missed[mining->n_missed++] = explain(mining, row);
	return TP_OK;
}

/* --- in words --- */

static void say_cut(const struct tp_mining *mining, const struct tp_mine_missed *m,
		    struct tp_str *out)
{
	char value[32], cut[32];
	tp_str_printf(out, "%s is %s, %s the cut at %s", mining->target,
		      tp_mine_number(value, sizeof(value), m->target),
		      m->cut_distance < 0 ? "just below" : "just above",
		      tp_mine_number(cut, sizeof(cut), m->target - m->cut_distance));
}

static void say_question(const struct tp_mining *mining, const struct tp_mine_missed *m,
			 struct tp_str *out)
{
	const struct tp_tree_node *n = &mining->tree.nodes[m->node];
	const struct tp_mine_feature *f = &mining->features[n->feature];
	char value[32];
	if (f->words)
		tp_str_printf(out, "%s is %s, and the question ", f->name,
			      f->words[(size_t)m->value]);
	else
		tp_str_printf(out, "%s is %s, next to the question ", f->name,
			      tp_mine_value(value, sizeof(value), f, m->value));
	tp_mine_question(mining, m->node, true, out);
	tp_str_printf(out, "; the other answer leads to %s", mining->labels_of[m->label].name);
}

static void say_nearest(const struct tp_mining *mining, const struct tp_mine_missed *m,
			struct tp_str *out)
{
	if (mining->tree.nodes[0].leaf)
		return;
	tp_str_add(out, "; its nearest boundary is ");
	tp_mine_question(mining, m->node, true, out);
	const struct tp_mine_feature *f = &mining->features[mining->tree.nodes[m->node].feature];
	char value[32];
	if (!f->words)
		tp_str_printf(out, " (%s here)", tp_mine_value(value, sizeof(value), f, m->value));
}

void tp_mine_missed_words(const struct tp_mining *mining, const struct tp_mine_missed *m,
			  struct tp_str *out)
{
	switch (m->why) {
	case TP_MISSED_CUT:
		say_cut(mining, m, out);
		break;
	case TP_MISSED_QUESTION:
		say_question(mining, m, out);
		break;
	case TP_MISSED_MIXED:
		tp_str_printf(out, "%zu of %.0f learned rows of its leaf are %s as well",
			      tp_mine_count(mining, m->leaf, m->label),
			      mining->tree.nodes[m->leaf].rows, mining->labels_of[m->label].name);
		say_nearest(mining, m, out);
		break;
	case TP_MISSED_NEW:
		tp_str_printf(out, "no learned row of its leaf is %s",
			      mining->labels_of[m->label].name);
		say_nearest(mining, m, out);
		break;
	}
}
