/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions and ways of a tree as a person would say them. */
#include "mining/result.h"
#include "base/units.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The questions from the root to a node, and how they were answered. */
struct way {
	struct step {
		const struct tp_tree_node *node;
		bool answer;
	} * steps;
	size_t n;
};

/* A threshold lies half way between two values that occur. */
static double mine_threshold(const struct tp_mine_feature *f, double threshold)
{
	size_t at = 0;
	while (at < f->n_levels && f->levels[at] <= threshold)
		at++;
	return at ? f->levels[at - 1] : f->whole ? floor(threshold) : threshold;
}

const char *tp_mine_value(char *out, size_t size, const struct tp_mine_feature *f, double value)
{
	static const char end[] = "_bytes";
	size_t n = strlen(f->name), k = sizeof(end) - 1;
	bool bytes = (f->unit && strcmp(f->unit, "bytes") == 0) ||
		     (n > k && strcmp(f->name + n - k, end) == 0);
	if (bytes && value >= 1024 && value == floor(value))
		return tp_format_bytes(out, size, (uint64_t)value);
	return tp_mine_number(out, size, value);
}

static const char *word_of(const struct tp_mine_feature *f, double code)
{
	return f->words[(size_t)code];
}

/* If it is not the one of two words, it is the other. */
static void say_word(const struct tp_mine_feature *f, double code, bool is, struct tp_str *out)
{
	if (is || f->n_words == 2)
		tp_str_printf(out, "%s = %s", f->name, word_of(f, is ? code : 1 - code));
	else
		tp_str_printf(out, "%s is not %s", f->name, word_of(f, code));
}

void tp_mine_question(const struct tp_mining *mining, size_t node, bool answer, struct tp_str *out)
{
	const struct tp_tree_node *n = &mining->tree.nodes[node];
	const struct tp_mine_feature *f = &mining->features[n->feature];
	char number[32];
	if (f->words)
		say_word(f, n->threshold, answer, out);
	else
		tp_str_printf(
			out, "%s %s %s", f->name, answer ? "<=" : ">",
			tp_mine_value(number, sizeof(number), f, mine_threshold(f, n->threshold)));
}

/* Children lie behind their parents. */
static size_t parent_of(const struct tp_tree *tree, size_t node)
{
	for (size_t i = node; i-- > 0;)
		if (!tree->nodes[i].leaf &&
		    (tree->nodes[i].yes == node || tree->nodes[i].no == node))
			return i;
	return 0;
}

static struct way way_to(const struct tp_tree *tree, size_t node)
{
	struct way way = { .n = tree->nodes[node].depth };
	way.steps = calloc(way.n + 1, sizeof(*way.steps));
	for (size_t i = way.n; i-- > 0 && way.steps;) {
		size_t parent = parent_of(tree, node);
		way.steps[i] =
			(struct step){ &tree->nodes[parent], tree->nodes[parent].yes == node };
		node = parent;
	}
	return way;
}

/* The only value above `above` and up to `most`; NaN if there are more. */
static double only_value(const struct tp_mine_feature *f, double above, double most)
{
	double only = NAN;
	if (!f->n_levels)
		return f->whole && above + 1 == most ? most : NAN;
	for (size_t i = 0; i < f->n_levels; i++) {
		if (!(f->levels[i] > above && f->levels[i] <= most))
			continue;
		if (!isnan(only))
			return NAN;
		only = f->levels[i];
	}
	return only;
}

static void say_range(const struct tp_mine_feature *f, double above, double most,
		      struct tp_str *out)
{
	char low[32], high[32];
	double only = only_value(f, above, most);
	tp_mine_value(low, sizeof(low), f, above);
	tp_mine_value(high, sizeof(high), f, isnan(only) ? most : only);
	if (!isnan(only))
		tp_str_printf(out, "%s = %s", f->name, high);
	else if (isfinite(above) && isfinite(most))
		tp_str_printf(out, "%s < %s <= %s", low, f->name, high);
	else if (isfinite(most))
		tp_str_printf(out, "%s <= %s", f->name, high);
	else
		tp_str_printf(out, "%s > %s", f->name, low);
}

static void say_numbers(const struct tp_mine_feature *f, const struct way *way, unsigned feature,
			struct tp_str *out)
{
	double above = -INFINITY, most = INFINITY;
	for (size_t i = 0; i < way->n; i++) {
		const struct step *s = &way->steps[i];
		if (s->node->feature != feature)
			continue;
		double threshold = mine_threshold(f, s->node->threshold);
		if (s->answer)
			most = fmin(most, threshold);
		else
			above = fmax(above, threshold);
	}
	say_range(f, above, most, out);
}

/* "isa = avx2", or "isa is not avx2, sse". */
static void say_words(const struct tp_mine_feature *f, const struct way *way, unsigned feature,
		      struct tp_str *out)
{
	bool first = true;
	for (size_t i = 0; i < way->n; i++)
		if (way->steps[i].node->feature == feature && way->steps[i].answer) {
			say_word(f, way->steps[i].node->threshold, true, out);
			return;
		}
	for (size_t i = 0; i < way->n; i++) {
		const struct tp_tree_node *node = way->steps[i].node;
		if (node->feature != feature)
			continue;
		if (first)
			say_word(f, node->threshold, false, out);
		else
			tp_str_printf(out, ", %s", word_of(f, node->threshold));
		first = false;
	}
}

static bool was_asked(const struct way *way, size_t n, unsigned feature)
{
	for (size_t i = 0; i < n; i++)
		if (way->steps[i].node->feature == feature)
			return true;
	return false;
}

void tp_mine_way(const struct tp_mining *mining, size_t node, struct tp_str *out)
{
	struct way way = way_to(&mining->tree, node);
	for (size_t i = 0; i < way.n && way.steps; i++) {
		unsigned feature = way.steps[i].node->feature;
		const struct tp_mine_feature *f = &mining->features[feature];
		if (was_asked(&way, i, feature))
			continue;
		tp_str_add(out, i ? " and " : "");
		if (f->words)
			say_words(f, &way, feature, out);
		else
			say_numbers(f, &way, feature, out);
	}
	if (!way.n)
		tp_str_add(out, "any row");
	out->oom |= !way.steps;
	free(way.steps);
}

size_t tp_mine_count(const struct tp_mining *mining, size_t node, unsigned label)
{
	return (size_t)mining->tree.counts[node * mining->n_labels + label];
}
