/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/vec.h"
#include "plot/svg_parts.h"
#include "plot/svg_tree.h"

#include <stdlib.h>

/* px */
enum { BOX_HEIGHT = 54, PITCH = 62, LINE = 13, GAP = 34, BAR_HEIGHT = 4, INSET = 7, BOX_MAX = 230 };

struct spot {
	unsigned depth;
	double y; /* the middle of the box */
};

struct tree {
	const struct tp_svg_node *nodes;
	struct spot *spots;
	size_t n;
	double x, box, step; /* left edge, width of a box, from a depth to the next */
	struct tp_arena arena;
	struct tp_str *out;
};

/* Leaves in the order of their answers, yes above no; a parent half way between its children. */
static double place(struct tree *t, size_t node, double y)
{
	const struct tp_svg_node *n = &t->nodes[node];
	struct spot *spot = &t->spots[node];
	if (!n->yes) {
		spot->y = y + PITCH / 2.0;
		return y + PITCH;
	}
	t->spots[n->yes].depth = t->spots[n->no].depth = spot->depth + 1;
	y = place(t, n->yes, y);
	y = place(t, n->no, y);
	spot->y = (t->spots[n->yes].y + t->spots[n->no].y) / 2;
	return y;
}

static double left_of(const struct tree *t, size_t node)
{
	return t->x + t->step * t->spots[node].depth;
}

static void add_number(struct tp_str *out, const char *before, double value)
{
	tp_str_add(out, before);
	tp_svg_number(out, value);
}

static void words(struct tree *t, double x, double y, enum tp_plot_word word,
		  enum tp_plot_role role, double width, const char *text)
{
	const char *fit = tp_svg_fit(&t->arena, text, word, width);
	t->out->oom |= !fit;
	if (fit)
		tp_svg_words(t->out, x, y, word, role, fit);
}

static void draw_branch(struct tree *t, size_t node, size_t child, const char *answer)
{
	double x = left_of(t, node) + t->box, y = t->spots[node].y;
	double to = t->spots[child].y, bend = x + GAP / 4.0, end = left_of(t, child);
	add_number(t->out, "<path class=\"tp-line tp-rule tp-axis\" d=\"M", x);
	add_number(t->out, " ", y);
	add_number(t->out, "H", bend);
	add_number(t->out, "V", to);
	add_number(t->out, "H", end);
	tp_str_add(t->out, "\"/>\n");
	tp_svg_words(t->out, bend + 3, to - 3, TP_WORD_TICK, TP_ROLE_AXIS, answer);
}

static void draw_bar(struct tree *t, const struct tp_svg_node *n, double x, double y)
{
	double width = t->box - 2 * INSET, at = x + INSET;
	for (size_t i = 0; i < n->n_shares; i++) {
		const struct tp_rect box = { at, y, width * n->shares[i], BAR_HEIGHT };
		at += box.width;
		if (n->shares[i] > 0)
			tp_svg_box(t->out, &box, "", (enum tp_plot_role)(TP_ROLE_SERIES_0 + i % 6));
	}
}

static void draw_box(struct tree *t, size_t node)
{
	const struct tp_svg_node *n = &t->nodes[node];
	double x = left_of(t, node), y = t->spots[node].y - BOX_HEIGHT / 2.0;
	double room = t->box - 2 * INSET;
	add_number(t->out, "<rect class=\"tp-ring tp-rule tp-axis\" x=\"", x);
	add_number(t->out, "\" y=\"", y);
	add_number(t->out, "\" width=\"", t->box);
	add_number(t->out, "\" height=\"", BOX_HEIGHT);
	tp_str_add(t->out, "\" rx=\"3\"/>\n");
	words(t, x + INSET, y + 14, n->yes ? TP_WORD_NOTE : TP_WORD_NAME, TP_ROLE_TITLE, room,
	      n->title);
	if (n->yes)
		words(t, x + INSET, y + 14 + LINE, TP_WORD_NOTE, TP_ROLE_TITLE, room, n->test);
	words(t, x + INSET, y + 14 + (n->yes ? 2 : 1) * LINE, TP_WORD_TICK, TP_ROLE_AXIS, room,
	      n->words);
	draw_bar(t, n, x, y + BOX_HEIGHT - BAR_HEIGHT - 4);
}

double tp_svg_tree(struct tp_str *out, const struct tp_svg_node *nodes, size_t n, double x,
		   double y, double width)
{
	struct tree t = { .nodes = nodes, .n = n, .x = x, .out = out };
	unsigned depth = 0;
	t.spots = calloc(n + 1, sizeof(*t.spots));
	if (!t.spots) {
		out->oom = true;
		return y;
	}
	double end = place(&t, 0, y);
	for (size_t i = 0; i < n; i++)
		depth = TP_MAX(depth, t.spots[i].depth);
	t.box = TP_MIN((width - (double)depth * GAP) / (depth + 1), (double)BOX_MAX);
	t.step = t.box + GAP;
	for (size_t i = 0; i < n; i++)
		if (nodes[i].yes) {
			draw_branch(&t, i, nodes[i].yes, "yes");
			draw_branch(&t, i, nodes[i].no, "no");
		}
	for (size_t i = 0; i < n; i++)
		draw_box(&t, i);
	free(t.spots);
	tp_arena_release(&t.arena);
	return end;
}
