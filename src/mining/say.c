/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result as text, as a page and as an SVG document. */
#include "mining/say.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/text.h"
#include "base/memory.h"
#include "doc/text.h"
#include "doc/html.h"
#include "plot/svg.h"

/* A text being written. */
struct mine_page {
	const struct tp_mining *mining;
	const struct tp_look *look; /* that of `doc` */
	struct tp_text *doc;
};

/* A blank line, then the title of a section. */
static void __attribute__((format(printf, 2, 3)))
add_title(const struct mine_page *page, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tp_text_title(page->doc, text);
}

/* A paragraph. */
#define ADD_WORDS(page, paint, ...) tp_text_say((page)->doc, (paint), 0, 2, __VA_ARGS__)

/* How many of n things are shown: `brief` of them unless the report is full. */
static size_t shown_of(const struct mine_page *page, size_t n, size_t brief)
{
	return page->look->full || n <= brief ? n : brief;
}

/* "3 more rows: --report=full shows them", if n is more than what was shown. */
static void add_more(const struct mine_page *page, size_t n, size_t shown, const char *what)
{
	if (n > shown)
		ADD_WORDS(page, TP_PAINT_DIM, "%zu more %s: --report=full shows them.", n - shown,
			  what);
}

/* The table of `shown` of n things. */
static void add_grid(const struct mine_page *page, struct tp_grid *grid, size_t n, size_t shown,
		     const char *what)
{
	tp_grid_write(grid, page->doc);
	add_more(page, n, shown, what);
}

/* More leaves than this nobody looks at: deeper questions are left out. */
enum { LEAVES_MAX = 40, DEPTH_MAX = 8, LINES_MAX = 4, DRAWING_PX = 860 };

struct drawing {
	const struct tp_mining *mining;
	struct tp_svg_node *nodes;
	size_t n;
	unsigned depth; /* of the questions that are drawn */
	struct tp_arena arena;
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

/* Adds a node and those below it; returns its number. */
static size_t add_drawn(struct drawing *d, size_t node)
{
	const struct tp_mining *m = d->mining;
	const struct tp_tree_node *n = &m->tree.nodes[node];
	size_t number = d->n++;
	struct tp_svg_node *drawn = &d->nodes[number];
	TP_STR question = { 0 }, words = { 0 };
	bool leaf = n->leaf || n->depth == d->depth;
	double *shares = tp_arena_alloc(&d->arena, m->n_labels * sizeof(*shares));
	for (unsigned i = 0; i < m->n_labels; i++)
		shares[i] = m->tree.counts[node * m->n_labels + i] / n->rows;
	drawn->shares = shares;
	drawn->n_shares = m->n_labels;
	if (leaf) {
		drawn->title = m->labels_of[n->label].name;
		drawn->test = "";
		tp_str_printf(&words, "%zu of %.0f%s", tp_mine_count(m, node, n->label), n->rows,
			      n->leaf ? "" : ", ...");
	} else {
		drawn->title = m->features[n->feature].name;
		tp_mine_question(m, node, true, &question);
		drawn->test = tp_arena_strdup(&d->arena,
					      tp_str_text(&question) + strlen(drawn->title) + 1);
		tp_str_printf(&words, "%.0f rows, %.2f", n->rows, n->impurity);
	}
	drawn->words = tp_arena_strdup(&d->arena, tp_str_text(&words));
	if (leaf)
		return number;
	drawn->yes = add_drawn(d, n->yes);
	drawn->no = add_drawn(d, n->no);
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
	d.nodes = tp_alloc(tree->n, sizeof(*d.nodes));
	add_drawn(&d, 0);
	y = tp_svg_tree(out, d.nodes, d.n, x, y, width);
	free(d.nodes);
	tp_arena_release(&d.arena);
	return y;
}

static double draw_tree(const void *what, double x, double y, double width, struct tp_str *out)
{
	const struct tp_mining *m = what;
	if (!m->has_tree)
		return y;
	tp_svg_words(out, x, y, TP_WORD_TITLE, TP_ROLE_TITLE, "The tree");
	return draw_nodes(m, x, y + 10, width, out);
}

void tp_mine_svg(const struct tp_mining *m, enum tp_svg_theme theme, struct tp_str *out)
{
	TP_STR title = { 0 }, trust = { 0 };
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
		.draw = draw_tree,
		.what = m,
	};
	tp_svg_sheet_make(&sheet, theme, out);
}

enum { COLUMNS_BRIEF = 15, BAR_CELLS = 12, GROUPS_MAX = 12 };

/* Columns or leaves in the order of what they are worth, the best first. */
struct worth {
	double value;
	size_t index;
};

static int by_worth(const void *a, const void *b)
{
	const struct worth *x = a, *y = b;
	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return (x->index > y->index) - (x->index < y->index);
}

static struct worth *sort_features(const struct mine_page *page, const double *values)
{
	size_t n = page->mining->n_features;
	struct worth *order = tp_alloc(n + 1, sizeof(*order));
	for (size_t i = 0; i < n; i++)
		order[i] = (struct worth){ isnan(values[i]) ? -1 : fabs(values[i]), i };
	qsort(order, n, sizeof(*order), by_worth);
	return order;
}

/* --- importance --- */

struct importance_row {
	const char *column;
	double of_most, share, deviation;
	char shuffled[16];
};

#define IMPORTANCE(name) TP_SHOWS(struct importance_row, name)
#define SHARE(name)	 IMPORTANCE(name), .as = TP_AS_RATIO, .digits = 1
static const struct tp_grid_column importance_columns[] = {
	{ "column", TP_LEFT, 0, IMPORTANCE(column), .paint = TP_PAINT_STRONG },
	{ "importance", TP_LEFT, 0, IMPORTANCE(of_most), .as = TP_AS_BAR, .digits = BAR_CELLS },
	{ "share", TP_RIGHT, 0, SHARE(share) },
	{ "\u00b1", TP_RIGHT, 2, SHARE(deviation) },
	{ "shuffled", TP_RIGHT, 1, IMPORTANCE(shuffled), .none = "-" },
};
enum { FOREST_COLUMNS = 2 }; /* the last ones: a tree has none of them */

static void add_importance(const struct tp_mining *m, struct tp_grid *grid, size_t f, double most)
{
	const double share =
		m->has_forest ? m->forest.impurity_importance[f] : m->tree.importance[f];
	struct importance_row row = { .column = m->features[f].name,
				      .of_most = most > 0 ? share / most : 0,
				      .share = share };
	if (m->has_forest)
		row.deviation = m->forest.impurity_deviation[f];
	if (m->has_forest && m->n_test) {
		double lost = 100 * m->forest.permutation_importance[f];
		snprintf(row.shuffled, sizeof(row.shuffled),
			 fabs(lost) < 0.05 ? "0.0%%" : "%+.1f%%", -lost);
	}
	tp_grid_row(grid, &row, NULL);
}

static void importance_table(const struct mine_page *page)
{
	const struct tp_mining *m = page->mining;
	const double *values = m->has_forest ? m->forest.impurity_importance : m->tree.importance;
	TP_FREE struct worth *order = sort_features(page, values);
	size_t shown = shown_of(page, m->n_features, COLUMNS_BRIEF);
	TP_GRID(grid, importance_columns);
	if (!m->has_forest)
		grid.n_columns -= FOREST_COLUMNS;
	tp_grid_heads(&grid);
	for (size_t i = 0; i < shown; i++)
		add_importance(m, &grid, order[i].index, order[0].value);
	add_grid(page, &grid, m->n_features, shown, "columns");
	if (m->has_forest)
		ADD_WORDS(page, TP_PAINT_DIM,
			  "share: of the impurity that the questions take away, with its "
			  "spread over the trees. shuffled: accuracy on held-out rows when the "
			  "values of the column are shuffled, against what it was.");
}

static void say_importance(const struct mine_page *page)
{
	const struct tp_mining *m = page->mining;
	if (!m->has_forest && !m->has_tree)
		return;
	add_title(page, "Importance of the columns%s%s", tp_text_dot(page->look),
		  m->has_forest ? "forest" : "tree");
	importance_table(page);
}

/* --- groups --- */

static void say_clusters(const struct mine_page *page)
{
	const struct tp_mining *m = page->mining;
	struct tp_grid_column columns[GROUPS_MAX + 1] = { { "centre of", TP_LEFT, 0 } };
	size_t k = TP_MIN((size_t)m->kmeans.k, (size_t)GROUPS_MAX);
	char number[32];
	if (!m->has_kmeans)
		return;
	add_title(page, "Groups of similar rows%sk-means, inertia %.4g", tp_text_dot(page->look),
		  m->kmeans.inertia);
	for (size_t i = 0; i < k; i++)
		columns[i + 1] = (struct tp_grid_column){ "", TP_RIGHT, 0 };
	TP_GRID(grid, columns);
	grid.n_columns = k + 1;
	tp_grid_head(&grid, columns[0].head);
	for (size_t i = 0; i < k; i++) {
		snprintf(number, sizeof(number), "group %zu", i + 1);
		tp_grid_head(&grid, number);
	}
	for (size_t c = 0; c < m->n_kmeans_columns; c++) {
		tp_grid_text(&grid, TP_PAINT_STRONG, m->kmeans_columns[c]);
		for (size_t i = 0; i < k; i++)
			tp_grid_text(
				&grid, TP_PAINT_PLAIN,
				tp_mine_number(number, sizeof(number),
					       m->kmeans_centres[i * m->n_kmeans_columns + c]));
	}
	tp_grid_text(&grid, TP_PAINT_DIM, "rows");
	for (size_t i = 0; i < k; i++)
		tp_grid_printf(&grid, TP_PAINT_DIM, "%zu", m->kmeans.sizes[i]);
	tp_grid_write(&grid, page->doc);
	if (m->kmeans.k > k)
		ADD_WORDS(page, TP_PAINT_DIM, "Further groups are in --json and --csv.");
}

/* --- regression, correlation --- */

static bool is_sure(const struct tp_mine_term *term)
{
	return term->low > 0 || term->high < 0;
}

static enum tp_paint paint_of_term(const void *term)
{
	return is_sure(term) ? TP_PAINT_STRONG : TP_PAINT_DIM;
}

static enum tp_paint paint_of_value(const void *term)
{
	return is_sure(term) ? TP_PAINT_PLAIN : TP_PAINT_DIM;
}

#define TERM(name)                                                                                 \
	TP_SHOWS(struct tp_mine_term, name), .words = tp_mine_number, .paint_of = paint_of_value
static const struct tp_grid_column term_columns[] = {
	{ "column", TP_LEFT, 0, TP_SHOWS(struct tp_mine_term, name), .paint_of = paint_of_term },
	{ "adds for one unit", TP_RIGHT, 0, TERM(coefficient) },
	{ "from", TP_RIGHT, 1, TERM(low) },
	{ "to", TP_RIGHT, 1, TERM(high) },
	{ "effect", TP_RIGHT, 2, TERM(effect) }, /* of normalised columns */
};

static void say_regression(const struct mine_page *page)
{
	const struct tp_mining *m = page->mining;
	if (!m->has_regression)
		return;
	size_t shown = shown_of(page, m->linear.n, 2 * COLUMNS_BRIEF);
	add_title(page, "Regression of %s%sR2 %.4f, adjusted %.4f", m->target,
		  tp_text_dot(page->look), m->linear.r2, m->linear.adjusted_r2);
	TP_GRID(grid, term_columns);
	grid.n_columns = TP_COUNT_OF(term_columns) - (m->job.normalise == TP_NORMALISE_NO);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < shown; i++)
		tp_grid_row(&grid, &m->terms[i], NULL);
	add_grid(page, &grid, m->linear.n, shown, "terms");
	ADD_WORDS(page, TP_PAINT_DIM,
		  "from, to: the interval of %.3g%% confidence; one that holds 0 says nothing.%s",
		  100 * m->job.confidence,
		  m->job.normalise == TP_NORMALISE_NO ? ""
		  : m->job.normalise == TP_NORMALISE_MINMAX
			  ? " effect: of the column's range."
			  : " effect: of one standard deviation.");
}

struct correlation_row {
	const char *column;
	double pearson, spearman;
};

#define CORRELATION(name) TP_SHOWS(struct correlation_row, name)
static const struct tp_grid_column correlation_columns[] = {
	{ "column", TP_LEFT, 0, CORRELATION(column), .paint = TP_PAINT_STRONG },
	{ "Pearson's r", TP_RIGHT, 0, CORRELATION(pearson), .as = TP_AS_FIXED, .digits = 3 },
	{ "Spearman's rho", TP_RIGHT, 0, CORRELATION(spearman), .as = TP_AS_FIXED, .digits = 3 },
};

static void say_correlation(const struct mine_page *page)
{
	const struct tp_mining *m = page->mining;
	if (!m->has_correlation)
		return;
	TP_FREE struct worth *order = sort_features(page, m->rank_correlation);
	size_t shown = shown_of(page, m->n_features, COLUMNS_BRIEF);
	add_title(page, "Correlation with %s", m->target);
	TP_GRID(grid, correlation_columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < shown; i++) {
		size_t f = order[i].index;
		tp_grid_row(&grid,
			    &(struct correlation_row){ m->features[f].name, m->correlation[f],
						       m->rank_correlation[f] },
			    NULL);
	}
	add_grid(page, &grid, m->n_features, shown, "columns");
}

/* --- which columns there are --- */

struct column_row {
	const char *name, *holds, *from, *to;
	size_t different, missing;
};

#define COLUMN(name) TP_SHOWS(struct column_row, name)
static const struct tp_grid_column frame_columns[] = {
	{ "column", TP_LEFT, 0, COLUMN(name), .paint = TP_PAINT_STRONG },
	{ "holds", TP_LEFT, 0, COLUMN(holds) },
	{ "different", TP_RIGHT, 1, COLUMN(different) },
	{ "missing", TP_RIGHT, 2, COLUMN(missing) },
	{ "from", TP_RIGHT, 0, COLUMN(from) },
	{ "to", TP_RIGHT, 0, COLUMN(to) },
};

/* Sorts what is there into `sorted`; returns how many values differ, and how many there are. */
static size_t different(const struct tp_frame_column *c, size_t n_rows, double *sorted, size_t *n)
{
	size_t count = 0;
	*n = 0;
	for (size_t row = 0; row < n_rows; row++)
		if (!isnan(c->numbers[row]))
			sorted[(*n)++] = c->numbers[row];
	tp_sort_doubles(sorted, *n);
	for (size_t i = 0; i < *n; i++)
		count += !i || sorted[i] != sorted[i - 1];
	return count;
}

static void add_column(struct tp_grid *grid, const struct tp_frame_column *c, size_t n_rows,
		       double *scratch)
{
	char low[32], high[32];
	struct column_row row = { .name = c->name,
				  .holds = c->is_words ? "words" : "numbers",
				  .different = c->n_words,
				  .missing = c->n_missing };
	size_t n = 0;
	if (!c->is_words)
		row.different = different(c, n_rows, scratch, &n);
	if (n) {
		row.from = tp_mine_number(low, sizeof(low), scratch[0]);
		row.to = tp_mine_number(high, sizeof(high), scratch[n - 1]);
	} else if (c->is_words && c->n_words) {
		row.from = c->words[0];
		row.to = c->n_words > 1 ? c->words[c->n_words - 1] : "";
	}
	tp_grid_row(grid, &row, NULL);
}

enum { NOTES_BRIEF = 6 };

static void list_notes(const struct mine_page *page, const struct tp_diags *notes)
{
	size_t shown = shown_of(page, notes->n, NOTES_BRIEF);
	for (size_t i = 0; i < shown; i++) {
		const struct tp_diag *note = &notes->items[i];
		TP_STR text = { 0 };
		tp_str_printf(&text, "%s%s%s", note->where, *note->where ? ": " : "", note->what);
		tp_text_fact(page->doc, "Note", TP_PAINT_PLAIN, tp_str_text(&text));
	}
	add_more(page, notes->n, shown, "notes");
}

void tp_mine_columns(const struct tp_frame *frame, struct tp_text *doc)
{
	const struct mine_page page = { .look = doc->look, .doc = doc };
	TP_FREE double *scratch = tp_alloc(frame->n_rows + 1, sizeof(*scratch));
	add_title(&page, "%s%s%zu columns, %zu rows", frame->name, tp_text_dot(doc->look),
		  frame->n_columns, frame->n_rows);
	TP_GRID(grid, frame_columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < frame->n_columns; i++)
		add_column(&grid, &frame->columns[i], frame->n_rows, scratch);
	tp_grid_write(&grid, doc);
	list_notes(&page, &frame->notes);
}

enum { NODES_BRIEF = 41, RULES_BRIEF = 12, MISSED_BRIEF = 10, SAID_MAX = 12, PAIRS_BRIEF = 12 };

/* --- outline --- */

struct node_row {
	const struct tp_tree_node *node;
	struct tp_str answer, counts;
};

static enum tp_paint paint_of_node(const void *row)
{
	return ((const struct node_row *)row)->node->leaf ? TP_PAINT_STRONG : TP_PAINT_PLAIN;
}

#define NODE(name)                                                                                 \
	TP_SHOWS(struct tp_tree_node, name), TP_VIA(struct node_row, node), .as = TP_AS_FIXED
#define WORDS(name) TP_SHOWS(struct node_row, name.s), .paint_of = paint_of_node
static const struct tp_grid_column node_columns[] = {
	{ "answers", TP_LEFT, 0, WORDS(answer) },
	{ "rows", TP_RIGHT, 0, NODE(rows) },
	{ "impurity", TP_RIGHT, 1, NODE(impurity), .digits = 3 },
	{ "categories", TP_LEFT, 0, WORDS(counts) },
};

/* "480 ns 412, 210 ns 8": the most frequent first. */
static void add_counts(const struct tp_mining *m, size_t node, struct tp_str *out)
{
	double last = INFINITY;
	bool first = true;
	for (unsigned told = 0; told < m->n_labels;) {
		double next = 0;
		for (unsigned i = 0; i < m->n_labels; i++) {
			double count = m->tree.counts[node * m->n_labels + i];
			next = count < last && count > next ? count : next;
		}
		if (next <= 0)
			return;
		for (unsigned i = 0; i < m->n_labels; i++) {
			if (m->tree.counts[node * m->n_labels + i] != next)
				continue;
			tp_str_printf(out, "%s%s: %.0f", first ? "" : ", ", m->labels_of[i].brief,
				      next);
			first = false;
			told++;
		}
		last = next;
	}
}

/* The answer that leads from `parent` to a node. */
static void add_node(const struct mine_page *page, struct tp_grid *grid, size_t node, size_t parent)
{
	const struct tp_mining *m = page->mining;
	struct node_row row = { .node = &m->tree.nodes[node] };
	tp_str_pad(&row.answer, ' ', 2 * (size_t)row.node->depth);
	if (node)
		tp_mine_question(m, parent, m->tree.nodes[parent].yes == node, &row.answer);
	else
		tp_str_add(&row.answer, "any row");
	add_counts(m, node, &row.counts);
	tp_grid_row(grid, &row, NULL);
	tp_str_release(&row.answer);
	tp_str_release(&row.counts);
}

/* What is left to be said: nodes with their parents, the next on top. */
struct pile {
	struct {
		size_t node, parent;
	} * items;
	size_t n, cap;
};

static void push(struct pile *pile, size_t node, size_t parent)
{
	TP_RESERVE(pile->items, pile->cap, pile->n + 1);
	pile->items[pile->n].node = node;
	pile->items[pile->n++].parent = parent;
}

/* The answer yes first. */
static void add_outline(const struct mine_page *page, struct tp_grid *grid, size_t most)
{
	const struct tp_tree_node *nodes = page->mining->tree.nodes;
	struct pile pile = { 0 };
	push(&pile, 0, 0);
	while (pile.n && most--) {
		size_t node = pile.items[--pile.n].node;
		add_node(page, grid, node, pile.items[pile.n].parent);
		if (!nodes[node].leaf) {
			push(&pile, nodes[node].no, node);
			push(&pile, nodes[node].yes, node);
		}
	}
	free(pile.items);
}

static void say_outline(const struct mine_page *page)
{
	const struct tp_mining *m = page->mining;
	const char *dot = tp_text_dot(page->look);
	size_t shown = shown_of(page, m->tree.n, NODES_BRIEF);
	add_title(page, "Tree%s%zu lea%s, %u question%s deep%simpurity: %s", dot, m->tree.n_leaves,
		  m->tree.n_leaves == 1 ? "f" : "ves", m->tree.depth, m->tree.depth == 1 ? "" : "s",
		  dot, m->job.rules.criterion == TP_GINI ? "Gini" : "entropy, bits");
	if (page->look->html) {
		TP_STR body = { 0 }, figure = { 0 };
		double end = draw_nodes(page->mining, 0, 0, DRAWING_PX, &body);

		/* The tree as a drawing on a page. */
		/* On narrow screens it is scrolled: words would be too small. */
		tp_str_add(&figure,
			   "<figure class=\"scrolled\" tabindex=\"0\" aria-label=\"The tree\">\n");
		tp_svg_inline_begin(&figure, DRAWING_PX, (unsigned)end, "tree",
				    "The tree; the outline below has the same in words");
		tp_str_add(&figure, tp_str_text(&body));
		tp_svg_end(&figure);
		tp_str_add(&figure, "</figure>\n");
		tp_text_verbatim(page->doc, tp_str_text(&figure));
	}
	TP_GRID(grid, node_columns);
	tp_grid_heads(&grid);
	add_outline(page, &grid, shown);
	add_grid(page, &grid, m->tree.n, shown, "nodes");
}

/* --- rules --- */

static void say_rule(const struct mine_page *page, size_t node)
{
	const struct tp_mining *m = page->mining;
	const struct tp_tree_node *n = &m->tree.nodes[node];
	TP_STR text = { 0 };
	size_t right = tp_mine_count(m, node, n->label);
	tp_str_add(&text, "  ");
	tp_mine_way(m, node, &text);
	tp_str_printf(&text, ": %s, ", m->labels_of[n->label].name);
	if ((double)right < n->rows)
		tp_str_printf(&text, "%zu of %.0f rows", right, n->rows);
	else
		tp_str_printf(&text, "%s%.0f row%s", n->rows > 1 ? "all " : "", n->rows,
			      n->rows > 1 ? "s" : "");
	tp_text_indent(page->doc, 2);
	tp_text_say(page->doc, TP_PAINT_PLAIN, 2, 6, "%s", tp_str_text(&text));
}

static void say_tree(const struct mine_page *page)
{
	if (!page->mining->has_tree)
		return;
	say_outline(page);
	const struct tp_mining *m = page->mining;
	TP_FREE struct worth *leaves = tp_alloc(m->tree.n, sizeof(*leaves));
	size_t n = 0, shown = shown_of(page, m->tree.n_leaves, RULES_BRIEF);
	for (size_t i = 0; i < m->tree.n; i++)
		if (m->tree.nodes[i].leaf)
			leaves[n++] = (struct worth){ m->tree.nodes[i].rows, i };
	if (n > 1) {
		qsort(leaves, n, sizeof(*leaves), by_worth);
		add_title(page, "Rules, those of most rows first");
		for (size_t i = 0; i < shown && i < n; i++)
			say_rule(page, leaves[i].index);
		add_more(page, n, shown, "rules");
	}
}

/* --- how often it is right --- */

static void say_share(const struct mine_page *page, const char *which, size_t right, size_t n)
{
	if (n)
		ADD_WORDS(page, TP_PAINT_PLAIN, "%-14s %zu of %zu rows right, %.1f%%", which, right,
			  n, 100 * (double)right / (double)n);
}

/* Rows are what it is, columns what the tree says. */
static void say_confusion(const struct mine_page *page, const struct tp_mine_score *score)
{
	const struct tp_mining *m = page->mining;
	struct tp_grid_column columns[SAID_MAX + 1] = { { "is \\ said", TP_LEFT, 0 } };
	size_t width = 12;
	for (unsigned i = 0; i < m->n_labels; i++) {
		columns[i + 1] = (struct tp_grid_column){ "", TP_RIGHT, 0 };
		width += tp_text_columns(m->labels_of[i].brief) + 2;
	}
	bool numbered = width > tp_look_columns(page->look);
	TP_GRID(grid, columns);
	grid.n_columns = m->n_labels + 1;
	tp_grid_head(&grid, columns[0].head);
	for (unsigned i = 0; i < m->n_labels; i++) {
		char number[16];
		TP_STR head = { 0 };
		snprintf(number, sizeof(number), "#%u", i + 1);
		tp_text_clean(&head, numbered ? number : m->labels_of[i].brief, page->look);
		tp_grid_head(&grid, tp_str_text(&head));
	}
	for (unsigned is = 0; is < m->n_labels; is++) {
		TP_STR name = { 0 };
		if (numbered)
			tp_str_printf(&name, "#%u ", is + 1);
		tp_str_add(&name, m->labels_of[is].name);
		tp_grid_text(&grid, TP_PAINT_STRONG, tp_str_text(&name));
		for (unsigned said = 0; said < m->n_labels; said++) {
			size_t n = score->confusion[(size_t)is * m->n_labels + said];
			enum tp_paint paint = is == said ? TP_PAINT_GOOD : TP_PAINT_BAD;
			if (n)
				tp_grid_printf(&grid, paint, "%zu", n);
			else
				tp_grid_text(&grid, TP_PAINT_DIM,
					     page->look->utf8 ? "\u00b7" : ".");
		}
	}
	tp_grid_write(&grid, page->doc);
}

static void say_pairs(const struct mine_page *page, const struct tp_mine_score *score)
{
	const struct tp_mining *m = page->mining;
	size_t shown = 0, n = 0, most = page->look->full ? SIZE_MAX : PAIRS_BRIEF;
	for (unsigned is = 0; is < m->n_labels; is++)
		for (unsigned said = 0; said < m->n_labels; said++) {
			size_t rows = score->confusion[(size_t)is * m->n_labels + said];
			if (is == said || !rows || n++ >= most)
				continue;
			ADD_WORDS(page, TP_PAINT_PLAIN, "  %s said to be %s: %zu row%s",
				  m->labels_of[is].name, m->labels_of[said].name, rows,
				  rows == 1 ? "" : "s");
			shown++;
		}
	add_more(page, n, shown, "pairs of categories");
}

static void score_lines(const struct mine_page *page)
{
	const struct tp_mining *m = page->mining;
	const struct tp_mine_score *score = m->n_test ? &m->test : &m->all;
	say_share(page, "held-out rows", m->test.right, m->test.n);
	say_share(page, "learned rows", m->all.right - m->test.right, m->all.n - m->test.n);
	if (m->has_forest && m->n_test)
		ADD_WORDS(page, TP_PAINT_PLAIN, "%-14s %.1f%% of held-out rows right", "forest",
			  100 * m->forest.accuracy);
	tp_text_gap(page->doc);
	if (m->n_labels <= SAID_MAX)
		say_confusion(page, score);
	else
		say_pairs(page, score);
}

static void say_score(const struct mine_page *page)
{
	if (!page->mining->has_tree)
		return;
	add_title(page, "Accuracy");
	score_lines(page);
}

/* --- missed rows --- */

struct missed_row {
	char number[32];
	const char *is, *said;
	struct tp_str why;
};

#define MISSED(name) TP_SHOWS(struct missed_row, name)
static const struct tp_grid_column missed_columns[] = {
	{ "row", TP_RIGHT, 0, MISSED(number) },
	{ "is", TP_LEFT, 0, MISSED(is), .paint = TP_PAINT_STRONG },
	{ "said", TP_LEFT, 0, MISSED(said) },
	{ "why", TP_LEFT, 0, MISSED(why.s) },
};

static void say_missed(const struct mine_page *page)
{
	const struct tp_mining *m = page->mining;
	size_t shown = shown_of(page, m->n_missed, MISSED_BRIEF);
	if (!m->n_missed)
		return;
	add_title(page, "Missed rows%s", m->n_test ? " of those that were held out" : "");
	TP_GRID(grid, missed_columns);
	tp_grid_head(&grid, m->point ? m->point->name : "row");
	for (size_t i = 1; i < grid.n_columns; i++)
		tp_grid_head(&grid, missed_columns[i].head);
	for (size_t i = 0; i < shown; i++) {
		const struct tp_mine_missed *missed = &m->missed[i];
		const uint32_t origin = m->origin[missed->row];
		struct missed_row row = { .is = m->labels_of[missed->label].name,
					  .said = m->labels_of[missed->said].name };
		if (m->point)
			tp_frame_cell(m->point, origin, row.number, sizeof(row.number));
		else
			snprintf(row.number, sizeof(row.number), "%" PRIu32, origin + 1);
		tp_mine_missed_words(m, missed, &row.why);
		tp_grid_row(&grid, &row, NULL);
		tp_str_release(&row.why);
	}
	add_grid(page, &grid, m->n_missed, shown, "missed rows");
}

enum { LABELS_BRIEF = 16 };

static void say_trust(const struct mine_page *page)
{
	static const enum tp_paint paints[TP_QUALITY_COUNT] = {
		[TP_QUALITY_NONE] = TP_PAINT_PLAIN,
		[TP_QUALITY_GOOD] = TP_PAINT_GOOD,
		[TP_QUALITY_FAIR] = TP_PAINT_WARN,
		[TP_QUALITY_POOR] = TP_PAINT_BAD,
	};
	const struct tp_mine_trust *trust = &page->mining->trust;
	tp_text_fact(page->doc, "Quality", paints[trust->quality],
		     trust->quality ? tp_quality_name(trust->quality) : "");
	tp_text_fact(page->doc, "Says", TP_PAINT_STRONG, tp_str_text(&trust->verdict));
	tp_text_fact(page->doc, "Limits", TP_PAINT_PLAIN, tp_str_text(&trust->limits));
	const char *next = tp_str_text(&trust->next);
	tp_text_fact(page->doc, "Next", TP_PAINT_GOOD,
		     page->look->screen ? tp_hint_on_screen(next) : next);
}

static void say_notes(const struct mine_page *page)
{
	const struct tp_mining *m = page->mining;
	TP_STR text = { 0 };
	if (m->n_filtered) {
		tp_str_printf(&text, "The conditions leave out %zu of %zu rows.", m->n_filtered,
			      m->n_given);
		tp_text_fact(page->doc, "Note", TP_PAINT_PLAIN, tp_str_text(&text));
	}
	list_notes(page, &m->notes);
}

/* --- categories --- */

static const char *bandwidth_words(const struct tp_mine_job *job)
{
	static const char *const rules[] = {
		[TP_BANDWIDTH_ISJ] = "by Improved Sheather-Jones",
		[TP_BANDWIDTH_SILVERMAN] = "by Silverman's rule",
		[TP_BANDWIDTH_CROSS_VALIDATED] = "by cross-validated likelihood",
	};
	return job->bandwidth > 0 ? "as given" : rules[job->bandwidth_rule];
}

struct label_row {
	struct tp_mine_label label;
	double share;
};

#define LABEL(name) TP_SHOWS(struct label_row, name)
static const struct tp_grid_column label_columns[] = {
	{ "category", TP_LEFT, 0, LABEL(label.name), .paint = TP_PAINT_STRONG },
	{ "from", TP_RIGHT, 1, LABEL(label.low), .words = tp_mine_number, .none = "" },
	{ "to", TP_RIGHT, 1, LABEL(label.high), .words = tp_mine_number, .none = "" },
	{ "rows", TP_RIGHT, 0, LABEL(label.rows) },
	{ "share", TP_RIGHT, 2, LABEL(share), .as = TP_AS_RATIO },
};

static void say_categories(const struct mine_page *page)
{
	const struct tp_mining *m = page->mining;
	size_t shown = shown_of(page, m->n_labels, LABELS_BRIEF);
	if (!m->n_labels)
		return;
	add_title(page, "Categories of %s", m->target);
	TP_GRID(grid, label_columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < shown; i++) {
		struct label_row row = { m->labels_of[i],
					 (double)m->labels_of[i].rows / (double)m->n_rows };
		if (!m->continuous)
			row.label.low = row.label.high = NAN;
		tp_grid_row(&grid, &row, NULL);
	}
	add_grid(page, &grid, m->n_labels, shown, "categories");
	if (!m->continuous)
		return;
	const char *how = m->job.n_cuts ? "as mine.cuts says"
			  : m->one_peak || m->job.cutting == TP_CUT_BY_QUANTILES
				  ? "into ranges with equally many rows"
			  : m->job.cutting == TP_CUT_BY_BINS ? "into ranges of equal width"
							     : NULL;
	char number[32];
	if (how)
		ADD_WORDS(page, TP_PAINT_DIM, "Cut %s.", how);
	else
		ADD_WORDS(page, TP_PAINT_DIM,
			  "Cut where the density is lowest, named by its peaks; bandwidth %s%s %s.",
			  tp_mine_number(number, sizeof(number), m->density->bandwidth),
			  m->density->log ? " of the decimal logarithm," : "",
			  bandwidth_words(&m->job));
}

static void say_result(const struct mine_page *page)
{
	const struct tp_mining *m = page->mining;
	const char *dot = tp_text_dot(page->look);

	if (m->target)
		add_title(page, "Mining%s%s%s%s by %zu column%s of %zu rows", dot, m->source, dot,
			  m->target, m->n_features, m->n_features == 1 ? "" : "s", m->n_rows);
	else
		add_title(page, "Mining%s%s%s%zu columns of %zu rows", dot, m->source, dot,
			  m->n_features, m->n_rows);
	say_trust(page);
	say_notes(page);
}

static void say_sections(const struct mine_page *page)
{
	say_categories(page);
	say_tree(page);
	say_score(page);
	say_missed(page);
	say_importance(page);
	say_clusters(page);
	say_regression(page);
	say_correlation(page);
}

void tp_mine_text(const struct tp_mining *mining, struct tp_text *doc)
{
	const struct mine_page page = { mining, doc->look, doc };
	say_result(&page);
	say_sections(&page);
}

void tp_mine_accuracy(const struct tp_mining *mining, struct tp_text *doc)
{
	const struct mine_page page = { mining, doc->look, doc };
	score_lines(&page);
	say_missed(&page);
}

void tp_mine_importance(const struct tp_mining *mining, struct tp_text *doc)
{
	const struct mine_page page = { mining, doc->look, doc };
	importance_table(&page);
}

void tp_mine_html(const struct tp_mining *mining, struct tp_str *out)
{
	TP_TEXT(body, &tp_html_look);
	TP_STR title = { 0 };
	const struct mine_page page = { mining, &tp_html_look, &body };
	tp_str_add(&title, mining->source);
	if (mining->target)
		tp_str_printf(&title, " \u00b7 %s", mining->target);
	say_result(&page);
	tp_text_title(&body, "Pictures");
	tp_pictures_text(tp_mine_pictures, mining, NULL, &body);
	say_sections(&page);
	const struct tp_html_page around = { tp_str_text(&title), NULL,
					     "Mined by tprof: categories, what decides them, and "
					     "how far to trust it.",
					     true };
	tp_html_page_make(&around, &body, out);
}
