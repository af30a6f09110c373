/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The density of the target with the cuts between its categories, which the user moves. */
#include "ui/tui/screens/mined_density.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"
#include "mining/say.h"
#include "ui/tui/paint.h"

char tp_mined_letter(unsigned label)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	return label < sizeof(letters) - 1 ? letters[label] : '*';
}

enum tp_role tp_mined_label_role(unsigned label)
{
	return tp_theme_plot_role((enum tp_plot_role)(TP_ROLE_SERIES_0 + label % 6));
}

enum {
	LIST_COLUMNS = 38,
	LIST_ROWS_MAX = 8,
	NEAR_COLUMNS = 2,
	VALUE_COLUMNS = 12,
	SHARE_COLUMNS = 12
};

/* --- where a value stands --- */

/* The value in the middle of a column. */
static double value_at(const struct tp_mined_ruler *ruler, int column)
{
	double at = column - ruler->area.column - (double)ruler->box.column + 0.5;
	return tp_scale_value(&ruler->x, at / (double)TP_MAX(ruler->box.columns, (size_t)1));
}

/* The cut nearest to a column; n if none is near. */
static size_t cut_near(const struct tp_mined_density *d, int column)
{
	size_t best = d->cuts.n;
	int nearest = NEAR_COLUMNS + 1;
	for (size_t i = 0; i < d->cuts.n; i++) {
		int at = d->ruler.cuts[i], away = at > column ? at - column : column - at;
		if (at >= 0 && away < nearest) {
			nearest = away;
			best = i;
		}
	}
	return best;
}

bool tp_mined_density_press(struct tp_mined_density *d, const struct tp_input *input)
{
	if (!d->ruler.area.rows || !tp_area_holds(d->ruler.area, input->row, input->column))
		return false;
	size_t cut = cut_near(d, input->column);
	d->dragged = cut < d->cuts.n;
	d->dragged_from = input->column;
	if (d->dragged)
		d->cuts.chosen = cut;
	else if (input->twice)
		return tp_mined_cuts_add(&d->cuts, value_at(&d->ruler, input->column));
	return false;
}

bool tp_mined_density_drop(struct tp_mined_density *d, const struct tp_input *input)
{
	bool moved = d->dragged && input->column != d->dragged_from;
	d->dragged = false;
	return moved && d->ruler.area.rows &&
	       tp_mined_cuts_put(&d->cuts, value_at(&d->ruler, input->column));
}

/* --- painting --- */

/* The cell contains neither the curve nor text. */
static bool is_free(const struct tp_plot *plot, size_t column, size_t row)
{
	enum tp_plot_role role;
	uint32_t code = tp_canvas_look(&plot->canvas, column, row, &role);
	return code == ' ' || role == TP_ROLE_GRID ||
	       (role == TP_ROLE_MARK && (code == '|' || code == ':' || code >= 0x2500));
}

/* The current cuts; the picture may still show those of the previous tree. */
static void paint_cuts(struct tp_mined_density *d)
{
	const struct tp_plot *plot = &d->plot;
	const struct tp_canvas *canvas = &plot->canvas;
	bool utf8 = plot->area.term->utf8;
	d->ruler.area = plot->area;
	d->ruler.box = canvas->plot;
	d->ruler.x = canvas->x;
	for (size_t i = 0; i < d->cuts.n; i++) {
		bool chosen = i == d->cuts.chosen;
		uint32_t line = chosen ? utf8 ? 0x2551 : '#' : utf8 ? 0x2502 : '|';
		size_t column, row;
		d->ruler.cuts[i] = -1;
		if (!tp_canvas_find(canvas, d->cuts.at[i], canvas->y.min, &column, &row))
			continue;
		d->ruler.cuts[i] = plot->area.column + (int)column;
		for (row = canvas->plot.row; row < canvas->plot.row + canvas->plot.rows; row++)
			if (is_free(plot, column, row))
				tp_paint_cell(plot->area, (int)row, (int)column, line,
					      chosen ? TP_UI_SELECTED : TP_UI_PLOT_MARK);
	}
}

static void paint_cut_line(const struct tp_mined_density *d, const struct tp_mining *m, bool own,
			   struct tp_area line)
{
	struct tp_text_row words = { line, 0, 0 };
	const struct tp_mined_cuts *cuts = &d->cuts;
	const char *unit = m->target_unit;
	char value[VALUE_COLUMNS + 1];
	if (!cuts->n) {
		tp_words(&words, 0, TP_UI_DIM, "no cuts: the values are the categories");
		return;
	}
	tp_words(&words, 0, TP_UI_TITLE, "cut %zu of %zu", cuts->chosen + 1, cuts->n);
	tp_words(&words, 1, TP_UI_STRONG, "%s",
		 tp_mine_number(value, sizeof(value), cuts->at[cuts->chosen]));
	tp_words(&words, 1, TP_UI_PLAIN, "%s", unit ? unit : "");
	if (own)
		tp_words(&words, 2, TP_UI_CHANGED, "yours");
	tp_words(&words, 2, TP_UI_DIM, "{ } choose  < > move  a add  Del delete%s",
		 own ? "  0 back" : "");
}

/* A category: its letter, its name, its range, its rows. */
static void paint_label(const struct tp_mining *m, unsigned label, struct tp_area line)
{
	const struct tp_mine_label *l = &m->labels_of[label];
	struct tp_text_row words = { tp_area_columns(line, 0, line.columns - SHARE_COLUMNS), 0, 0 };
	char low[VALUE_COLUMNS + 1], high[VALUE_COLUMNS + 1], rows[32];
	tp_words(&words, 0, tp_mined_label_role(label), "%c", tp_mined_letter(label));
	tp_words(&words, 1, TP_UI_STRONG, "%s", l->name);
	if (isfinite(l->low) && isfinite(l->high) && l->low < l->high)
		tp_words(&words, 1, TP_UI_DIM, "%s to %s", tp_mine_number(low, sizeof(low), l->low),
			 tp_mine_number(high, sizeof(high), l->high));
	else if (isfinite(l->high) && isinf(l->low))
		tp_words(&words, 1, TP_UI_DIM, "below %s",
			 tp_mine_number(high, sizeof(high), l->high));
	else if (isfinite(l->low) && isinf(l->high))
		tp_words(&words, 1, TP_UI_DIM, "from %s on",
			 tp_mine_number(low, sizeof(low), l->low));
	snprintf(rows, sizeof(rows), "%zu  %3.0f%%", l->rows,
		 m->n_rows ? 100 * (double)l->rows / (double)m->n_rows : 0);
	tp_paint_right(line, 0, line.columns, TP_UI_PLAIN, rows);
}

/* In as many columns as fit; `t` shows all that was learned. */
static void paint_labels(const struct tp_mining *m, struct tp_area area)
{
	int across = TP_MAX(area.columns / LIST_COLUMNS, 1), width = area.columns / across;
	int rows = ((int)m->n_labels + across - 1) / across;
	bool all = rows <= area.rows;
	rows = TP_MIN(rows, area.rows);
	for (unsigned label = 0; label < m->n_labels && (int)label < rows * across; label++) {
		struct tp_area cell =
			tp_area_columns(tp_area_rows(area, (int)label % rows, 1),
					(int)label / rows * width, width - (across > 1 ? 2 : 0));
		if (!all && (int)label == rows * across - 1)
			tp_paint_format(cell, 0, 0, TP_UI_DIM, "and %u more: t",
					m->n_labels - label);
		else
			paint_label(m, label, cell);
	}
}

void tp_mined_density_draw(struct tp_mined_density *d, const struct tp_mining *m)
{
	struct tp_picture *picture = tp_plot_renew(&d->plot);
	size_t n = m ? m->job.n_plots : 0;
	d->asked = d->asked > n ? 0 : d->asked;
	if (!(m && (d->asked ? tp_mine_picture_plot(picture, m, d->asked - 1)
			     : m->continuous && tp_mine_picture_density(picture, m))))
		tp_plot_drop(&d->plot);
}

/* A requested plot, and what it leaves out. */
static void paint_asked(struct tp_mined_density *d, const struct tp_app *app, struct tp_area area)
{
	const char *left_out = d->plot.picture ? d->plot.picture->left_out : NULL;
	struct tp_area plot = tp_area_rows(area, 0, area.rows - (left_out != NULL));
	if (!tp_plot_fit(&d->plot, app, plot, false)) {
		tp_paint_format(area, 0, 0, TP_UI_DIM, "the plot needs %d x %d cells here",
				TP_PLOT_COLUMNS_MIN, TP_PLOT_ROWS_MIN);
		return;
	}
	tp_plot_paint(&d->plot);
	if (left_out)
		tp_paint_text(area, plot.rows, 0, TP_UI_DIM, left_out);
}

void tp_mined_density_paint(struct tp_mined_density *d, const struct tp_app *app,
			    const struct tp_mining *m, bool own, struct tp_area area)
{
	int across = TP_MAX(area.columns / LIST_COLUMNS, 1);
	int rows = ((int)m->n_labels + across - 1) / across;
	int room = TP_MAX(area.rows - 1 - TP_PLOT_ROWS_MIN, 1);
	rows = TP_MIN(TP_MIN(rows, (int)LIST_ROWS_MAX), room);
	struct tp_area plot = tp_area_rows(area, 0, area.rows - 1 - rows);
	if (d->asked) {
		paint_asked(d, app, area);
		return;
	}
	if (!d->plot.picture) {
		/* Words, and few whole numbers, are already categories. */
		tp_paint_format(area, 0, 0, TP_UI_PLAIN, "%s is not cut: its values are categories",
				m->target);
		paint_labels(m, tp_area_rows(area, 2, area.rows - 2));
		return;
	}
	if (plot.rows < TP_PLOT_ROWS_MIN || plot.columns < TP_PLOT_COLUMNS_MIN) {
		tp_paint_format(area, 0, 0, TP_UI_DIM, "the density needs %d x %d cells here",
				TP_PLOT_COLUMNS_MIN, TP_PLOT_ROWS_MIN);
	} else if (tp_plot_fit(&d->plot, app, plot, false)) {
		tp_plot_paint(&d->plot);
		paint_cuts(d);
	}
	paint_cut_line(d, m, own, tp_area_rows(area, plot.rows, 1));
	paint_labels(m, tp_area_rows(area, plot.rows + 1, rows));
}
