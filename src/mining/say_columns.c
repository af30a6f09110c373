/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said of columns: importance, groups, coefficients, correlation; and which there are. */
#include "mining/say_parts.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_BRIEF = 15, BAR_CELLS = 24, GROUPS_MAX = 12 };

/* The columns in the order of what they are worth, the best first. */
struct worth {
	double value;
	size_t feature;
};

static int by_worth(const void *a, const void *b)
{
	const struct worth *x = a, *y = b;
	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return (x->feature > y->feature) - (x->feature < y->feature);
}

static struct worth *sort(const struct tp_mine_page *page, const double *values)
{
	size_t n = page->mining->n_features;
	struct worth *order = calloc(n + 1, sizeof(*order));
	for (size_t i = 0; order && i < n; i++)
		order[i] = (struct worth){ isnan(values[i]) ? -1 : fabs(values[i]), i };
	if (order)
		qsort(order, n, sizeof(*order), by_worth);
	page->out->oom |= !order;
	return order;
}

/* --- importance --- */

static const struct tp_grid_column importance_columns[] = {
	{ "column", TP_LEFT, 0 },  { "importance", TP_LEFT, 0 }, { "share", TP_RIGHT, 0 },
	{ "\u00b1", TP_RIGHT, 2 }, { "shuffled", TP_RIGHT, 1 },
};

static void add_bar(const struct tp_mine_page *page, struct tp_grid *grid, double share)
{
	size_t cells = (size_t)lround(TP_MIN(TP_MAX(share, 0.0), 1.0) * BAR_CELLS);
	struct tp_str bar = { 0 };
	for (size_t i = 0; i < cells; i++)
		tp_str_add(&bar, page->look->utf8 ? "\u2588" : "#");
	tp_grid_text(grid, TP_PAINT_PLAIN, tp_str_text(&bar));
	tp_str_release(&bar);
}

static void importance_row(const struct tp_mine_page *page, struct tp_grid *grid, size_t f,
			   double most)
{
	const struct tp_mining *m = page->mining;
	double share = m->has_forest ? m->forest.impurity_importance[f] : m->tree.importance[f];
	tp_grid_clean(grid, page->look, TP_PAINT_STRONG, m->features[f].name);
	add_bar(page, grid, most > 0 ? share / most : 0);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%.1f%%", 100 * share);
	if (!m->has_forest)
		return;
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%.1f%%", 100 * m->forest.impurity_deviation[f]);
	double lost = m->n_test ? 100 * m->forest.permutation_importance[f] : 0;
	if (m->n_test)
		tp_grid_printf(grid, TP_PAINT_PLAIN, fabs(lost) < 0.05 ? "0.0%%" : "%+.1f%%",
			       -lost);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "-");
}

void tp_mine_say_importance(const struct tp_mine_page *page)
{
	const struct tp_mining *m = page->mining;
	if (!m->has_forest && !m->has_tree)
		return;
	const double *values = m->has_forest ? m->forest.impurity_importance : m->tree.importance;
	struct worth *order = sort(page, values);
	size_t shown = tp_mine_shown(page, m->n_features, COLUMNS_BRIEF);
	struct tp_grid grid;
	if (!order)
		return;
	tp_mine_title(page, "Importance of the columns%s%s", tp_text_dot(page->look),
		      m->has_forest ? "forest" : "tree");
	tp_grid_init(&grid, importance_columns, m->has_forest ? 5 : 3);
	for (size_t i = 0; i < grid.n_columns; i++)
		tp_grid_head(&grid,
			     i == 3 ? tp_text_plus_minus(page->look) : importance_columns[i].head);
	for (size_t i = 0; i < shown; i++)
		importance_row(page, &grid, order[i].feature, order[0].value);
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
	tp_mine_more(page, m->n_features, shown, "columns");
	if (m->has_forest)
		tp_mine_words(page, TP_PAINT_DIM,
			      "share: of the impurity that the questions take away, with its "
			      "spread over the trees. shuffled: accuracy on held-out rows when the "
			      "values of the column are shuffled, against what it was.");
	free(order);
}

/* --- groups --- */

void tp_mine_say_clusters(const struct tp_mine_page *page)
{
	const struct tp_mining *m = page->mining;
	struct tp_grid_column columns[GROUPS_MAX + 1] = { { "centre of", TP_LEFT, 0 } };
	size_t k = TP_MIN((size_t)m->kmeans.k, (size_t)GROUPS_MAX);
	struct tp_grid grid;
	char number[32];
	if (!m->has_kmeans)
		return;
	tp_mine_title(page, "Groups of similar rows%sk-means, inertia %.4g",
		      tp_text_dot(page->look), m->kmeans.inertia);
	for (size_t i = 0; i < k; i++)
		columns[i + 1] = (struct tp_grid_column){ "", TP_RIGHT, 0 };
	tp_grid_init(&grid, columns, k + 1);
	tp_grid_head(&grid, columns[0].head);
	for (size_t i = 0; i < k; i++) {
		snprintf(number, sizeof(number), "group %zu", i + 1);
		tp_grid_head(&grid, number);
	}
	for (size_t c = 0; c < m->n_kmeans_columns; c++) {
		tp_grid_clean(&grid, page->look, TP_PAINT_STRONG, m->kmeans_columns[c]);
		for (size_t i = 0; i < k; i++)
			tp_grid_text(
				&grid, TP_PAINT_PLAIN,
				tp_mine_number(number, sizeof(number),
					       m->kmeans_centres[i * m->n_kmeans_columns + c]));
	}
	tp_grid_text(&grid, TP_PAINT_DIM, "rows");
	for (size_t i = 0; i < k; i++)
		tp_grid_printf(&grid, TP_PAINT_DIM, "%zu", m->kmeans.sizes[i]);
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
	if (m->kmeans.k > k)
		tp_mine_words(page, TP_PAINT_DIM, "Further groups are in --json and --csv.");
}

/* --- regression, correlation --- */

static const struct tp_grid_column term_columns[] = {
	{ "column", TP_LEFT, 0 },  { "adds for one unit", TP_RIGHT, 0 },
	{ "from", TP_RIGHT, 1 },   { "to", TP_RIGHT, 1 },
	{ "effect", TP_RIGHT, 2 },
};

void tp_mine_say_regression(const struct tp_mine_page *page)
{
	const struct tp_mining *m = page->mining;
	struct tp_grid grid;
	char number[32], text[256];
	if (!m->has_regression)
		return;
	size_t shown = tp_mine_shown(page, m->linear.n, 2 * COLUMNS_BRIEF);
	tp_mine_title(page, "Regression of %s%sR2 %.4f, adjusted %.4f", m->target,
		      tp_text_dot(page->look), m->linear.r2, m->linear.adjusted_r2);
	tp_grid_init(&grid, term_columns,
		     m->job.normalise == TP_NORMALISE_NO ? 4 : TP_COUNT_OF(term_columns));
	tp_grid_heads(&grid);
	for (size_t i = 0; i < shown; i++) {
		const struct tp_mine_term *t = &m->terms[i];
		const double values[] = { t->coefficient, t->low, t->high, t->effect };
		bool sure = t->low > 0 || t->high < 0;
		tp_grid_clean(&grid, page->look, sure ? TP_PAINT_STRONG : TP_PAINT_DIM, t->name);
		for (size_t v = 0; v + 1 < grid.n_columns; v++)
			tp_grid_text(&grid, sure ? TP_PAINT_PLAIN : TP_PAINT_DIM,
				     isfinite(values[v])
					     ? tp_mine_number(number, sizeof(number), values[v])
					     : "-");
	}
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
	tp_mine_more(page, m->linear.n, shown, "terms");
	snprintf(text, sizeof(text),
		 "from, to: the interval of %.3g%% confidence; one that holds 0 says nothing.%s",
		 100 * m->job.confidence,
		 m->job.normalise == TP_NORMALISE_NO	   ? ""
		 : m->job.normalise == TP_NORMALISE_MINMAX ? " effect: of the column's range."
							   : " effect: of one standard deviation.");
	tp_mine_words(page, TP_PAINT_DIM, text);
}

static const struct tp_grid_column correlation_columns[] = {
	{ "column", TP_LEFT, 0 },
	{ "Pearson's r", TP_RIGHT, 0 },
	{ "Spearman's rho", TP_RIGHT, 0 },
};

void tp_mine_say_correlation(const struct tp_mine_page *page)
{
	const struct tp_mining *m = page->mining;
	struct tp_grid grid;
	if (!m->has_correlation)
		return;
	struct worth *order = sort(page, m->rank_correlation);
	size_t shown = tp_mine_shown(page, m->n_features, COLUMNS_BRIEF);
	if (!order)
		return;
	tp_mine_title(page, "Correlation with %s", m->target);
	tp_grid_init(&grid, correlation_columns, TP_COUNT_OF(correlation_columns));
	tp_grid_heads(&grid);
	for (size_t i = 0; i < shown; i++) {
		size_t f = order[i].feature;
		tp_grid_clean(&grid, page->look, TP_PAINT_STRONG, m->features[f].name);
		tp_grid_number(&grid, TP_PAINT_PLAIN, m->correlation[f], 3);
		tp_grid_number(&grid, TP_PAINT_PLAIN, m->rank_correlation[f], 3);
	}
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
	tp_mine_more(page, m->n_features, shown, "columns");
	free(order);
}

/* --- which columns there are --- */

static const struct tp_grid_column frame_columns[] = {
	{ "column", TP_LEFT, 0 },   { "holds", TP_LEFT, 0 }, { "different", TP_RIGHT, 1 },
	{ "missing", TP_RIGHT, 2 }, { "from", TP_RIGHT, 0 }, { "to", TP_RIGHT, 0 },
};

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Sorts what is there into `sorted`; returns how many values differ, and how many there are. */
static size_t different(const struct tp_frame_column *c, size_t n_rows, double *sorted, size_t *n)
{
	size_t count = 0;
	*n = 0;
	for (size_t row = 0; row < n_rows; row++)
		if (!isnan(c->numbers[row]))
			sorted[(*n)++] = c->numbers[row];
	qsort(sorted, *n, sizeof(*sorted), ascending);
	for (size_t i = 0; i < *n; i++)
		count += !i || sorted[i] != sorted[i - 1];
	return count;
}

static void column_row(const struct tp_mine_page *page, struct tp_grid *grid,
		       const struct tp_frame_column *c, size_t n_rows, double *scratch)
{
	char number[32];
	tp_grid_clean(grid, page->look, TP_PAINT_STRONG, c->name);
	tp_grid_text(grid, TP_PAINT_PLAIN, c->is_words ? "words" : "numbers");
	if (c->is_words) {
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%zu", c->n_words);
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%zu", c->n_missing);
		tp_grid_clean(grid, page->look, TP_PAINT_PLAIN, c->n_words ? c->words[0] : "");
		tp_grid_clean(grid, page->look, TP_PAINT_PLAIN,
			      c->n_words > 1 ? c->words[c->n_words - 1] : "");
		return;
	}
	size_t n, count = different(c, n_rows, scratch, &n);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%zu", count);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%zu", c->n_missing);
	for (int end = 0; end < 2; end++)
		tp_grid_text(grid, TP_PAINT_PLAIN,
			     n ? tp_mine_number(number, sizeof(number), scratch[end ? n - 1 : 0])
			       : "");
}

void tp_mine_columns(const struct tp_frame *frame, const struct tp_look *look, struct tp_str *out)
{
	const struct tp_mine_page page = { .look = look, .out = out };
	double *scratch = malloc((frame->n_rows + 1) * sizeof(*scratch));
	struct tp_grid grid;
	out->oom |= !scratch;
	if (!scratch)
		return;
	tp_mine_title(&page, "%s%s%zu columns, %zu rows", frame->name, tp_text_dot(look),
		      frame->n_columns, frame->n_rows);
	tp_grid_init(&grid, frame_columns, TP_COUNT_OF(frame_columns));
	tp_grid_heads(&grid);
	for (size_t i = 0; i < frame->n_columns; i++)
		column_row(&page, &grid, &frame->columns[i], frame->n_rows, scratch);
	tp_grid_write(&grid, look, out);
	tp_grid_release(&grid);
	free(scratch);
}
