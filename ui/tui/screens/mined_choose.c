/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the user changes: what is explained, by what, how deep, where the cuts are. */
#include "ui/tui/screens/mined.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

static bool is_feature(const struct tp_mining *m, const char *name)
{
	for (size_t i = 0; m && i < m->n_features; i++)
		if (strcmp(m->features[i].name, name) == 0)
			return true;
	return false;
}

/*
 * A column for the list: how many different words, or which numbers in which unit. False if it is
 * the same everywhere: then it explains nothing, and there is nothing to explain.
 */
static bool describe(const struct tp_frame_column *c, size_t n_rows, char *out, size_t size)
{
	double low = INFINITY, high = -INFINITY;
	char from[24], to[24];
	if (c->is_words) {
		snprintf(out, size, "%zu words, %s ...", c->n_words, c->n_words ? c->words[0] : "");
		return c->n_words > 1;
	}
	for (size_t i = 0; i < n_rows; i++) {
		low = fmin(low, c->numbers[i]);
		high = fmax(high, c->numbers[i]);
	}
	snprintf(out, size, "%s to %s %s", tp_mine_number(from, sizeof(from), low),
		 tp_mine_number(to, sizeof(to), high), c->unit ? c->unit : "");
	return low < high;
}

/* False when out of memory. */
static bool add_column(struct tp_mined_screen *s, const struct tp_frame_column *c, bool marked)
{
	char note[160];
	if (!describe(c, s->learned->frame.n_rows, note, sizeof(note)))
		return true;
	struct tp_pick *pick = tp_picker_add(&s->picker, c->name, note);
	if (!pick)
		return false;
	pick->marked = marked;
	if (marked && !s->picker.many)
		s->picker.list.at = s->picker.n - 1;
	return true;
}

/* The columns that may explain: what does already stands first. */
static void add_features(struct tp_mined_screen *s, const struct tp_mining *m)
{
	const struct tp_frame *frame = &s->learned->frame;
	for (int rest = 0; rest < 2; rest++)
		for (size_t i = 0; i < frame->n_columns; i++) {
			const struct tp_frame_column *c = &frame->columns[i];
			bool target = strcmp(s->learned->job.target, c->name) == 0;
			bool marked = is_feature(m, c->name);
			if (!target && marked == !rest && !add_column(s, c, marked))
				return;
		}
}

void tp_mined_pick(struct tp_app *app, struct tp_mined_screen *s, enum tp_mined_wish wish)
{
	const struct tp_learned *learned = s->learned;
	tp_picker_release(&s->picker);
	s->picker.many = wish == TP_MINED_WISH_FEATURES;
	tp_copy(s->picker.title, sizeof(s->picker.title),
		s->picker.many ? "By what is it explained?" : "What is to be explained?");
	if (learned && learned->job.target && s->picker.many)
		add_features(s, tp_mined_result(s));
	else if (learned)
		for (size_t i = 0; i < learned->frame.n_columns; i++)
			if (!add_column(s, &learned->frame.columns[i],
					learned->job.target &&
						strcmp(learned->job.target,
						       learned->frame.columns[i].name) == 0))
				break;
	if (!s->picker.n) {
		tp_app_say(app, TP_UI_WARN, "there are no finished points to choose columns of");
		return;
	}
	s->picked = wish;
	s->picking = true;
}

void tp_mined_take_pick(struct tp_mined_screen *s, enum tp_picker_event event)
{
	struct tp_str text = { 0 };
	if (event == TP_PICKER_NONE)
		return;
	s->picking = false;
	if (event != TP_PICKER_TAKEN)
		return;
	for (size_t i = 0; i < s->picker.n; i++)
		if (s->picker.items[i].marked)
			tp_str_printf(&text, "%s%s", text.len ? "," : "", s->picker.items[i].word);
	tp_mined_wish(&s->wishes, s->picked, tp_str_text(&text));
	/* Cuts are in units of the target that they were made for. */
	if (s->picked == TP_MINED_WISH_TARGET)
		tp_mined_wish(&s->wishes, TP_MINED_WISH_CUTS, NULL);
	tp_str_release(&text);
}

void tp_mined_change_depth(struct tp_mined_screen *s, int by)
{
	const struct tp_mining *m = tp_mined_result(s);
	unsigned limit = m->job.rules.max_depth;
	int depth = (int)(limit ? limit : m->tree.depth) + by;
	char text[16];
	if (depth < 1 || depth > DEPTH_MAX)
		return;
	snprintf(text, sizeof(text), "%d", depth);
	tp_mined_wish(&s->wishes, TP_MINED_WISH_DEPTH, text);
}

void tp_mined_change_criterion(struct tp_mined_screen *s)
{
	bool entropy = tp_mined_result(s)->job.rules.criterion == TP_ENTROPY;
	tp_mined_wish(&s->wishes, TP_MINED_WISH_CRITERION, entropy ? "gini" : "entropy");
}

void tp_mined_wish_cuts(struct tp_mined_screen *s)
{
	struct tp_str text = { 0 };
	tp_mined_cuts_text(&s->cuts, &text);
	tp_mined_wish(&s->wishes, TP_MINED_WISH_CUTS, tp_str_text(&text));
	tp_str_release(&text);
}
