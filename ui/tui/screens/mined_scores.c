/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often the tree is right, which rows it missed and why, and what matters. */
#include "ui/tui/screens/mined.h"
#include "ui/tui/widgets/table.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the confusion matrix --- */

enum { NAME_COLUMNS = 16, COUNT_COLUMNS = 6, MATRIX_GAP = 1, MISSED_ROWS_MIN = 4, MATRIX_MIN = 2 };

static const struct tp_mine_score *score_of(const struct tp_mining *m)
{
	return m->test.n ? &m->test : &m->all;
}

/* Rows are what it is, columns what the tree says. Returns the rows that it took. */
static int paint_matrix(const struct tp_mining *m, struct tp_area area)
{
	const struct tp_mine_score *score = score_of(m);
	int room = TP_MIN((area.columns - NAME_COLUMNS) / COUNT_COLUMNS, area.rows - 1);
	/* Where not all have room, a row says so. */
	room = TP_MAX(room - (room < (int)m->n_labels), (int)MATRIX_MIN);
	unsigned n = (unsigned)room;
	tp_paint_text(area, 0, 0, TP_UI_DIM, "is \\ tree says");
	n = TP_MIN(n, m->n_labels);
	for (unsigned said = 0; said < n; said++) {
		char letter[2] = { tp_mined_letter(said), '\0' };
		tp_paint_right(area, 0, NAME_COLUMNS + ((int)said + 1) * COUNT_COLUMNS,
			       tp_mined_label_role(said), letter);
	}
	for (unsigned is = 0; is < n; is++) {
		int row = (int)is + 1;
		struct tp_text_row words = { tp_area_columns(area, 0, NAME_COLUMNS), row, 0 };
		tp_words(&words, 0, tp_mined_label_role(is), "%c", tp_mined_letter(is));
		tp_words(&words, 1, TP_UI_PLAIN, "%s", m->labels_of[is].name);
		for (unsigned said = 0; said < n; said++) {
			size_t count = score->confusion[is * m->n_labels + said];
			char number[24];
			snprintf(number, sizeof(number), "%zu", count);
			tp_paint_right(area, row, NAME_COLUMNS + ((int)said + 1) * COUNT_COLUMNS,
				       !count	    ? TP_UI_DIM
				       : is == said ? TP_UI_STRONG
						    : TP_UI_BAD,
				       count ? number : ".");
		}
	}
	if (n < m->n_labels)
		tp_paint_format(area, (int)n + 1, 0, TP_UI_DIM, "%u of %u categories: t tells all",
				n, m->n_labels);
	return (int)n + 1 + (n < m->n_labels);
}

static void paint_missed_row(void *context, struct tp_area line, size_t i, bool selected)
{
	const struct tp_mined_screen *s = context;
	const struct tp_mining *m = tp_mined_result(s);
	const struct tp_mine_missed *missed = &m->missed[i];
	const struct tp_frame_column *name = tp_frame_find(&s->learned->frame, "point", NULL);
	struct tp_str words = { 0 };
	char cell[32];
	uint32_t row = m->origin[missed->row];
	if (name)
		tp_str_printf(&words, "point %s", tp_frame_cell(name, row, cell, sizeof(cell)));
	else
		tp_str_printf(&words, "row %u", row + 1);
	tp_str_printf(&words, " is %c, not %c: ", tp_mined_letter(missed->label),
		      tp_mined_letter(missed->said));
	tp_mine_missed_words(m, missed, &words);
	tp_paint_text(line, 0, 0, selected ? TP_UI_SELECTED : TP_UI_PLAIN, tp_str_text(&words));
	tp_str_release(&words);
}

void tp_mined_paint_accuracy(const struct tp_app *app, struct tp_mined_screen *s,
			     struct tp_area area)
{
	const struct tp_mining *m = tp_mined_result(s);
	const struct tp_mine_score *score = score_of(m);
	int most = TP_MAX(area.rows - 2 - TP_MIN((int)m->n_missed, (int)MISSED_ROWS_MIN), 3);
	(void)app;
	tp_paint_format(area, 0, 0, TP_UI_PLAIN,
			"right %zu of %zu %s rows: %.1f%% (always the same: %.1f%%)", score->right,
			score->n, m->test.n ? "held-out" : "learned", 100 * score->accuracy,
			100 * score->baseline);
	int used = 1 + paint_matrix(m, tp_area_rows(area, 1, most)) + MATRIX_GAP;
	tp_list_resize(&s->missed, m->n_missed);
	if (used >= area.rows)
		return;
	if (!m->n_missed) {
		tp_paint_text(area, used - 1, 0, TP_UI_DIM, "no row was missed");
		return;
	}
	tp_paint_format(area, used - 1, 0, TP_UI_DIM, "%zu missed, and why", m->n_missed);
	struct tp_area rows = tp_area_rows(area, used, area.rows - used);
	tp_list_paint(&s->missed, tp_area_columns(rows, 0, rows.columns - 2), paint_missed_row, s);
	tp_list_paint_bar(&s->missed, rows);
}

/* --- importance --- */

enum {
	IMPORTANCE_COLUMNS = 21,
	FIGURE_COLUMNS = 14,
	SHORT_FIGURE_COLUMNS = 7, /* without the deviation */
	BAR_MIN = 10,
	FEATURES_MAX = 256
};

struct weight {
	size_t feature;
	double impurity, deviation, permutation, permutation_deviation;
};

static int heavier(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;
	if (x->impurity != y->impurity)
		return x->impurity < y->impurity ? 1 : -1;
	return (x->feature > y->feature) - (x->feature < y->feature);
}

/* Of the forest, or of the tree as long as there is no forest. */
static size_t weigh(const struct tp_mining *m, struct weight weights[FEATURES_MAX])
{
	size_t n = TP_MIN(m->n_features, (size_t)FEATURES_MAX);
	for (size_t f = 0; f < n; f++) {
		weights[f] = (struct weight){ .feature = f,
					      .impurity = m->has_forest
								  ? m->forest.impurity_importance[f]
								  : m->tree.importance[f] };
		if (!m->has_forest)
			continue;
		weights[f].deviation = m->forest.impurity_deviation[f];
		weights[f].permutation = m->forest.permutation_importance[f];
		weights[f].permutation_deviation = m->forest.permutation_deviation[f];
	}
	qsort(weights, n, sizeof(weights[0]), heavier);
	return n;
}

/* A bar with its figure behind it: "0.78 +-0.02". */
static void paint_weight(struct tp_area area, int row, int column, int columns, double value,
			 double deviation, enum tp_role role)
{
	bool tells = columns >= FIGURE_COLUMNS + BAR_MIN;
	int bar = columns - (tells ? FIGURE_COLUMNS : SHORT_FIGURE_COLUMNS);
	tp_paint_bar(area, row, column, bar, value, role);
	tp_paint_format(area, row, column + bar + 1, TP_UI_PLAIN, "%.2f", value);
	if (tells && deviation > 0)
		tp_paint_format(area, row, column + bar + 6, TP_UI_DIM, "%s%.2f", tp_paint_pm(area),
				deviation);
}

void tp_mined_paint_importance(const struct tp_app *app, struct tp_mined_screen *s,
			       struct tp_area area)
{
	const struct tp_mining *m = tp_mined_result(s);
	struct weight weights[FEATURES_MAX];
	size_t n = weigh(m, weights);
	int names = TP_MIN((int)IMPORTANCE_COLUMNS, area.columns / 3), each = area.columns - names;
	(void)app;
	if (m->has_forest)
		each /= 2;
	tp_paint_text(area, 0, names, TP_UI_DIM, "impurity");
	if (m->has_forest)
		tp_paint_text(area, 0, names + each, TP_UI_DIM, "accuracy lost");
	int rows = area.rows - 2;
	for (size_t i = 0; i < n && (int)i < rows; i++) {
		const struct weight *w = &weights[i];
		int row = (int)i + 1;
		if ((int)i == rows - 1 && i + 1 < n) {
			tp_paint_format(area, row, 0, TP_UI_DIM, "and %zu more: t", n - i);
			break;
		}
		tp_paint_text(tp_area_columns(area, 0, names - 1), row, 0, TP_UI_STRONG,
			      m->features[w->feature].name);
		paint_weight(area, row, names, each, w->impurity, w->deviation,
			     TP_UI_PLOT_SERIES_0);
		if (m->has_forest)
			paint_weight(area, row, names + each, each, fmax(w->permutation, 0),
				     w->permutation_deviation, TP_UI_PLOT_SERIES_1);
	}
	if (m->has_forest)
		tp_paint_format(area, area.rows - 1, 0, TP_UI_DIM,
				"a forest of %zu trees; it is right on %.1f%% of %s rows",
				m->forest.n, 100 * m->forest.accuracy,
				m->test.n ? "held-out" : "learned");
	else
		tp_paint_text(
			area, area.rows - 1, 0, TP_UI_DIM,
			tp_live_is_under_way(&app->live)
				? "of the tree alone; the forest is learned when the run is over"
				: "of the tree alone; the forest is being learned");
}
