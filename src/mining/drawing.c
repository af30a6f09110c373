/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result as an SVG document: what it says, the pictures, and the tree as a drawing. */
#include "mining/say_parts.h"
#include "base/vec.h"
#include "plot/svg.h"

#include <stdlib.h>
#include <string.h>

/* More leaves than this nobody looks at: deeper questions are left out. */
enum { LEAVES_MAX = 40, DEPTH_MAX = 8, LINES_MAX = 4, DRAWING_PX = 860 };

struct drawing {
	const struct tp_mining *mining;
	struct tp_svg_node *nodes;
	size_t n;
	unsigned depth; /* of the questions that are drawn */
	struct tp_arena arena;
	bool oom;
};

/* Leaves if no question deeper than this is drawn. */
static size_t leaves_at(const struct tp_tree *tree, unsigned depth)
{
	size_t n = 0;
	for (size_t i = 0; i < tree->n; i++)
		n += tree->nodes[i].depth == depth ||
		     (tree->nodes[i].leaf && tree->nodes[i].depth < depth);
	return n;
}

static const char *keep(struct drawing *d, struct tp_str *text)
{
	const char *kept = tp_arena_strdup(&d->arena, tp_str_text(text));
	d->oom |= !kept || text->oom;
	tp_str_release(text);
	return kept ? kept : "";
}

static const double *shares_of(struct drawing *d, size_t node)
{
	const struct tp_mining *m = d->mining;
	double *shares = tp_arena_alloc(&d->arena, m->n_labels * sizeof(*shares));
	d->oom |= !shares;
	for (unsigned i = 0; shares && i < m->n_labels; i++)
		shares[i] =
			m->tree.counts[(size_t)node * m->n_labels + i] / m->tree.nodes[node].rows;
	return shares;
}

/* Adds a node and those below it; returns its number. */
static size_t add(struct drawing *d, size_t node)
{
	const struct tp_mining *m = d->mining;
	const struct tp_tree_node *n = &m->tree.nodes[node];
	const char *label = m->labels_of[n->label].name;
	size_t number = d->n++, right = tp_mine_count(m, node, n->label);
	struct tp_svg_node *drawn = &d->nodes[number];
	struct tp_str title = { 0 }, test = { 0 }, words = { 0 };
	bool leaf = n->leaf || n->depth == d->depth;
	if (leaf) {
		tp_str_add(&title, label);
	} else {
		const char *name = m->features[n->feature].name;
		struct tp_str question = { 0 };
		tp_mine_question(m, node, true, &question);
		tp_str_add(&title, name);
		tp_str_add(&test, tp_str_text(&question) + strlen(name) + 1);
		d->oom |= question.oom;
		tp_str_release(&question);
	}
	if (leaf)
		tp_str_printf(&words, "%zu of %.0f%s", right, n->rows, n->leaf ? "" : ", ...");
	else
		tp_str_printf(&words, "%.0f rows, %.2f", n->rows, n->impurity);
	drawn->title = keep(d, &title);
	drawn->test = keep(d, &test);
	drawn->words = keep(d, &words);
	drawn->shares = shares_of(d, node);
	drawn->n_shares = drawn->shares ? m->n_labels : 0;
	if (leaf)
		return number;
	drawn->yes = add(d, n->yes);
	drawn->no = add(d, n->no);
	return number;
}

/* Returns where the drawing ends. */
static double draw_nodes(const struct tp_mining *m, double x, double y, double width,
			 struct tp_str *out)
{
	struct drawing d = { .mining = m };
	const struct tp_tree *tree = &m->tree;
	for (unsigned depth = 0; depth <= TP_MIN(tree->depth, (unsigned)DEPTH_MAX); depth++)
		if (leaves_at(tree, depth) <= LEAVES_MAX)
			d.depth = depth;
	d.nodes = calloc(tree->n, sizeof(*d.nodes));
	if (d.nodes) {
		add(&d, 0);
		y = tp_svg_tree(out, d.nodes, d.n, x, y, width);
	}
	out->oom |= !d.nodes || d.oom;
	free(d.nodes);
	tp_arena_release(&d.arena);
	return y;
}

static double draw(const void *what, double x, double y, double width, struct tp_str *out)
{
	const struct tp_mining *m = what;
	if (!m->has_tree)
		return y;
	tp_svg_words(out, x, y, TP_WORD_TITLE, TP_ROLE_TITLE, "The tree");
	return draw_nodes(m, x, y + 10, width, out);
}

void tp_mine_draw_tree(const struct tp_mine_page *page)
{
	struct tp_str body = { 0 };
	double end = draw_nodes(page->mining, 0, 0, DRAWING_PX, &body);
	/* On narrow screens it is scrolled: words would be too small. */
	tp_str_add(page->out,
		   "<figure class=\"scrolled\" tabindex=\"0\" aria-label=\"The tree\">\n");
	tp_svg_inline_begin(page->out, DRAWING_PX, (unsigned)end, "tree",
			    "The tree; the outline below has the same in words");
	tp_str_add(page->out, tp_str_text(&body));
	tp_svg_inline_end(page->out);
	tp_str_add(page->out, "</figure>\n");
	page->out->oom |= body.oom;
	tp_str_release(&body);
}

enum tp_status tp_mine_svg(const struct tp_mining *m, enum tp_svg_theme theme, struct tp_str *out)
{
	struct tp_str title = { 0 }, trust = { 0 };
	const char *lines[LINES_MAX];
	size_t n = 0;
	if (m->target)
		tp_str_printf(&title, "%s \u00b7 %s", m->source, m->target);
	else
		tp_str_add(&title, m->source);
	if (m->trust.quality)
		tp_str_printf(&trust, "%s: ", tp_quality_name(m->trust.quality));
	tp_str_add(&trust, tp_str_text(&m->trust.verdict));
	lines[n++] = tp_str_text(&trust);
	if (m->trust.limits.len)
		lines[n++] = tp_str_text(&m->trust.limits);
	const struct tp_svg_sheet sheet = {
		.title = tp_str_text(&title),
		.description = "Mined by tprof: categories, what decides them, and the tree.",
		.lines = lines,
		.n_lines = n,
		.pictures = tp_mine_pictures,
		.draw = draw,
		.what = m,
	};
	enum tp_status status =
		title.oom || trust.oom ? TP_NOMEM : tp_svg_sheet_make(&sheet, theme, out);
	tp_str_release(&title);
	tp_str_release(&trust);
	return status;
}
