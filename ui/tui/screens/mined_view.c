/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Painting of the screen Tree: the tree, the density, how often it is right, what matters. */
#include "ui/tui/screens/mined_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/tally.h"
#include "base/text.h"
#include "doc/terminal.h"
#include "mining/say.h"
#include "ui/tui/paint.h"
#include "ui/tui/widgets/list.h"

const struct tp_mining *tp_mined_result(const struct tp_mined_screen *s)
{
	return s->learned && s->learned->status == TP_OK ? &s->learned->mining : NULL;
}

/* Text in at most this many rows; a key shows the rest. Returns the rows. */
static int mined_paragraph(struct tp_area area, int row, int rows, enum tp_role role,
			   const char *text)
{
	int used = 0;
	for (const char *next; *text && used < rows; text = next, used++) {
		char line[1024];
		const char *end = tp_text_line(text, (size_t)TP_MAX(area.columns, 1), &next);
		if (used == rows - 1 && *next) {
			tp_paint_text(area, row + used, 0, role, text);
			return rows;
		}
		snprintf(line, sizeof(line), "%.*s", (int)(end - text), text);
		tp_paint_text(area, row + used, 0, role, line);
	}
	return used;
}

/* --- accuracy, importance --- */

/* The report's text, for the room of the part; it is scrolled. */
static void paint_said(const struct tp_app *app, const struct tp_mined_screen *s,
		       struct tp_doc *doc, struct tp_area area)
{
	const struct tp_mining *m = tp_mined_result(s);
	struct tp_look look = tp_app_look(app, area.columns - 1, area.rows);
	if (doc->columns != area.columns - 1) {
		look.full = true;
		TP_TEXT(text, &look);
		if (doc == &s->accuracy)
			tp_mine_accuracy(m, &text);
		else
			tp_mine_importance(m, &text);
		if (doc == &s->importance && !m->has_forest)
			tp_text_wrap(&text, TP_PAINT_DIM,
				     tp_live_is_under_way(&app->live)
					     ? "only the tree; the forest is learned when the run "
					       "is over"
					     : "only the tree; the forest is being learned",
				     0, 0);
		tp_doc_report(doc, area.columns - 1, &text);
	}
	tp_doc_show(doc, area, false);
}

/* The tree as an outline: what leads to each node, its rows, its categories, its impurity. */

/* From WIDE columns on, numbers have more room. */
enum {
	WIDE = 90,
	POINTS_TOLD = 40,
	WAY_ROWS = 3,
	WAY_ROWS_TALL = 5,
	OUTLINE_TALL = 20,
	BAR_MAX = 32
};

/* --- rows --- */

void tp_mined_fill_outline(struct tp_mined_screen *s)
{
	const struct tp_mining *mining = tp_mined_result(s);
	tp_outline_clear(&s->outline);
	free(s->parents);
	s->parents = NULL;
	if (mining && mining->has_tree && mining->tree.n) {
		s->parents = tp_alloc(mining->tree.n, sizeof(*s->parents));
		/* Each node, followed by its children. */
		TP_FREE struct waiting {
			size_t node;
			uint64_t key;
		} *stack = tp_alloc(mining->tree.n + 1, sizeof(*stack));
		size_t n = 0;
		stack[n++] = (struct waiting){ 0, TP_HASH_START };
		while (n) {
			const struct waiting at = stack[--n];
			const struct tp_tree_node *node = &mining->tree.nodes[at.node];
			tp_outline_add(&s->outline, at.key, node->depth, at.node);
			if (node->leaf)
				continue;
			s->parents[node->yes] = s->parents[node->no] = at.node;
			stack[n++] = (struct waiting){ node->no, tp_hash_step(at.key, 2) };
			stack[n++] = (struct waiting){ node->yes, tp_hash_step(at.key, 1) };
		}
	}
	tp_outline_settle(&s->outline);
	tp_mined_choose_node(s);
}

/* --- the chosen node in words --- */

/* Numbers of the points in the node, a limited number. */
static void tell_points(struct tp_mined_screen *s, const struct tp_mining *mining, size_t node)
{
	size_t found = 0;
	for (size_t row = 0; mining->point && row < mining->n_rows; row++) {
		size_t at = tp_tree_leaf(&mining->tree, &mining->data, row);
		char cell[32];
		while (at > node)
			at = s->parents[at];
		if (at != node)
			continue;
		if (found++ < POINTS_TOLD)
			tp_str_printf(&s->chosen_points, "%s%s", found > 1 ? ", " : "",
				      tp_frame_cell(mining->point, mining->origin[row], cell,
						    sizeof(cell)));
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

/* The categories of a node as a bar of their letters. */
static void paint_counts(struct tp_area line, int at, const struct columns *c, size_t node,
			 bool selected)
{
	const struct tp_mining *m = c->mining;
	int letters[TP_CATEGORIES_MAX] = { 0 }, painted = 0;
	int room = c->bar;
	double rows = m->tree.nodes[node].rows;
	unsigned n = TP_MIN(m->n_labels, (unsigned)TP_CATEGORIES_MAX), largest = 0;
	int used = 0;
	/*
	 * How many of `room` letters each category of a node gets: its share, but at least one if
	 * there are enough letters. The largest one takes the difference.
	 */
	for (unsigned label = 0; label < n; label++) {
		size_t count = tp_mine_count(m, node, label);
		letters[label] = rows > 0 ? (int)((double)count / rows * room + 0.5) : 0;
		letters[label] = TP_MAX(letters[label], count > 0);
		used += letters[label];
		if (letters[label] > letters[largest])
			largest = label;
	}
	letters[largest] = TP_MAX(letters[largest] + room - used, 0);
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
	TP_STR words = { 0 };
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
	tp_paint_text(line, 0, 2, TP_UI_DIM, "question: the answer of the tree");
	tp_paint_right(line, 0, at, TP_UI_DIM, "rows");
	tp_paint_text(line, 0, at + GAP, TP_UI_DIM, "categories");
	tp_paint_right(line, 0, line.columns, TP_UI_DIM,
		       c->mining->job.rules.criterion == TP_ENTROPY ? "bits" : "gini");
}

static void paint_chosen(const struct tp_mined_screen *s, const struct tp_mining *m,
			 struct tp_area area)
{
	const struct tp_outline_row *row = tp_outline_row(&s->outline);
	TP_STR text = { 0 };
	if (!row)
		return;
	tp_str_printf(&text, "%.0f rows", m->tree.nodes[row->item].rows);
	if (row->item)
		tp_str_printf(&text, " with %s", tp_str_text(&s->chosen_way));
	tp_str_add(&text, ": ");
	size_t node = row->item;
	size_t told = 0;
	for (unsigned label = 0; label < m->n_labels; label++) {
		size_t n = tp_mine_count(m, node, label);
		if (n)
			tp_str_printf(&text, "%s%zu of %c %s", told++ ? ", " : "", n,
				      tp_mined_letter(label), m->labels_of[label].name);
	}
	int used = mined_paragraph(area, 0, area.rows - 1, TP_UI_PLAIN, tp_str_text(&text));
	if (s->chosen_points.len)
		tp_paint_format(area, used, 0, TP_UI_DIM, "points %s",
				tp_str_text(&s->chosen_points));
}

static void mined_paint_outline(struct tp_mined_screen *s, struct tp_area area)
{
	const struct tp_mining *m = tp_mined_result(s);
	bool wide = area.columns >= WIDE;
	int below = area.rows >= OUTLINE_TALL ? WAY_ROWS_TALL : WAY_ROWS;
	struct columns c = { .rows = 6,
			     .bar = wide ? TP_MIN(area.columns / 4, (int)BAR_MAX) : 12,
			     .impurity = wide ? 6 : 5,
			     .mining = m,
			     .s = s };
	paint_titles(
		tp_area_columns(tp_area_rows(area, 0, 1), 0, area.columns - TP_OUTLINE_BAR_COLUMNS),
		&c);
	tp_outline_paint(&s->outline, tp_area_rows(area, 1, area.rows - 1 - below), paint_row, &c);
	paint_chosen(s, m, tp_area_rows(area, area.rows - below, below));
}

/* The frame of the screen: what it is of, how far to trust it, and the parts that have room. */

/* From this size on all parts are side by side; else one is shown at a time. */
enum { ALL_COLUMNS = 118, ALL_ROWS = 30, TALL = 40, PART_GAP = 2 };

static const char *const part_titles[TP_MINED_PARTS] = {
	[TP_MINED_OUTLINE] = "Tree",
	[TP_MINED_DENSITY] = "Categories",
	[TP_MINED_ACCURACY] = "Accuracy",
	[TP_MINED_IMPORTANCE] = "Importance",
};

/* --- head and foot --- */

static void paint_head(const struct tp_app *app, const struct tp_mined_screen *s,
		       struct tp_area line)
{
	const struct tp_mining *m = tp_mined_result(s);
	struct tp_text_row words = { line, 0, 0 };
	char right[160];
	const char *state = s->learner.under_way ? "learning  " : "";
	if (tp_live_is_under_way(&app->live))
		snprintf(right, sizeof(right), "%s%zu of %u points  %s", state,
			 s->learned ? s->learned->n_points : 0, app->live.n_points,
			 tp_app_run_label(app));
	else
		snprintf(right, sizeof(right), "%s%s", state, tp_app_run_label(app));
	words.area.columns -= (int)tp_cell_columns(right) + 2;
	if (m && m->target)
		tp_words(&words, 0, TP_UI_TITLE, "What explains %s%s%s%s", m->target,
			 m->target_unit ? " (" : "", m->target_unit ? m->target_unit : "",
			 m->target_unit ? ")" : "");
	else
		tp_words(&words, 0, TP_UI_TITLE, "Tree");
	tp_paint_right(line, 0, line.columns, TP_UI_DIM, right);
}

/* The words on trust: good, fair or poor, then why; what limits it; what to do next. */
static int paint_trust(const struct tp_mining *m, struct tp_area area, int rows)
{
	TP_STR limits = { 0 };
	enum tp_quality quality = m->trust.quality;
	const char *next = tp_hint_on_screen(tp_str_text(&m->trust.next));
	int at = tp_paint_text(area, 0, 0, tp_quality_role(quality), tp_quality_name(quality));
	struct tp_area words = tp_area_columns(area, at + 1, area.columns - at - 1);
	int used = mined_paragraph(words, 0, rows - 1, TP_UI_PLAIN, tp_str_text(&m->trust.verdict));
	used = TP_MAX(used, 1);
	tp_str_add(&limits, tp_str_text(&m->trust.limits));
	if (*next && quality != TP_QUALITY_GOOD)
		tp_str_printf(&limits, "%sNext: %s", limits.len ? " " : "", next);
	used += mined_paragraph(area, used, rows - used, TP_UI_DIM, tp_str_text(&limits));
	return used;
}

/* What was chosen here. */
static void paint_wishes(const struct tp_mined_screen *s, struct tp_area line)
{
	TP_STR text = { 0 };
	tp_mined_wishes_text(&s->wishes, &text);
	if (text.len)
		tp_paint_format(line, 0, 0, TP_UI_CHANGED, "chosen here: %s", tp_str_text(&text));
	else
		tp_paint_text(
			line, 0, 0, TP_UI_DIM,
			"y what to explain  f by what  ( ) depth  e criterion  t all as text");
}

/* --- parts --- */

enum { TAB_GAP = 3 };

int tp_mined_tab_at(const struct tp_mined_screen *s, const struct tp_input *input)
{
	int at = s->tabs.column;
	for (int i = 0; i < TP_MINED_PARTS && s->tabs.rows && input->row == s->tabs.row; i++) {
		int end = at + (int)strlen(part_titles[i]) + TAB_GAP;
		if (input->column >= at && input->column < end)
			return i;
		at = end;
	}
	return -1;
}

/* The titles of all parts in a row, the shown one marked. */
static void paint_tabs(const struct tp_app *app, struct tp_area line)
{
	int at = 0;
	for (int i = 0; i < TP_MINED_PARTS; i++) {
		bool here = i == app->part;
		tp_paint_format(line, 0, at, here ? TP_UI_TITLE : TP_UI_DIM, here ? "[%s]" : " %s ",
				part_titles[i]);
		at += (int)strlen(part_titles[i]) + TAB_GAP;
	}
	tp_paint_text(line, 0, at, TP_UI_DIM, "(Tab)");
}

static void paint_part(const struct tp_app *app, struct tp_mined_screen *s, int part,
		       struct tp_area area, bool titled)
{
	struct tp_area in = area;
	if (titled) {
		tp_paint_rule(tp_area_rows(area, 0, 1), 0, "");
		tp_paint_format(area, 0, 2, part == app->part ? TP_UI_SELECTED : TP_UI_TITLE,
				" %s ", part_titles[part]);
		in = tp_area_rows(area, 1, area.rows - 1);
	}
	s->at[part] = area;
	if (part == TP_MINED_OUTLINE)
		mined_paint_outline(s, in);
	else if (part == TP_MINED_DENSITY)
		tp_mined_density_paint(&s->density, app, tp_mined_result(s),
				       s->wishes.text[TP_MINED_WISH_CUTS], in);
	else
		paint_said(app, s, part == TP_MINED_ACCURACY ? &s->accuracy : &s->importance, in);
}

static void paint_parts(const struct tp_app *app, struct tp_mined_screen *s, struct tp_area area)
{
	bool all = area.term->columns >= ALL_COLUMNS && area.term->rows >= ALL_ROWS;
	if (!all) {
		s->tabs = tp_area_rows(area, 0, 1);
		paint_tabs(app, s->tabs);
		paint_part(app, s, app->part, tp_area_rows(area, 1, area.rows - 1), false);
		return;
	}
	int left = area.columns * 12 / 20, right = area.columns - left - PART_GAP;
	struct tp_area sides[2] = { tp_area_columns(area, 0, left),
				    tp_area_columns(area, left + PART_GAP, right) };
	static const int places[2][2] = { { TP_MINED_OUTLINE, TP_MINED_ACCURACY },
					  { TP_MINED_DENSITY, TP_MINED_IMPORTANCE } };
	static const int uppers[2] = { 11, 13 }; /* twentieths */
	for (int side = 0; side < 2; side++) {
		int upper = area.rows * uppers[side] / 20;
		paint_part(app, s, places[side][0], tp_area_rows(sides[side], 0, upper), true);
		paint_part(app, s, places[side][1],
			   tp_area_rows(sides[side], upper, area.rows - upper), true);
	}
}

/* --- too few rows --- */

enum { CELL_BYTES = 64 };

/* They are shown instead of a tree. */
static bool has_few(const struct tp_mined_screen *s)
{
	size_t n = s->learned ? s->learned->frame.n_rows : 0;
	return n > 0 && n < TP_MINE_TREE_ROWS;
}

/* Its columns; 0 where all rows have the same: that explains nothing. */
static unsigned width_of(const struct tp_frame *frame, const struct tp_frame_column *column)
{
	char first[CELL_BYTES], cell[CELL_BYTES];
	size_t width = tp_cell_columns(column->name);
	bool differs = false;
	for (size_t i = 0; i < frame->n_rows; i++) {
		tp_frame_cell(column, i, cell, CELL_BYTES);
		if (!i)
			tp_copy(first, sizeof(first), cell);
		width = TP_MAX(width, tp_cell_columns(cell));
		differs |= strcmp(cell, first) != 0;
	}
	return differs ? (unsigned)width : 0;
}

/*
 * The rows themselves, in the columns in which they differ; what is explained comes first. Those
 * without room are left out.
 */
static void paint_rows(const struct tp_app *app, const struct tp_learned *learned,
		       struct tp_area area)
{
	const struct tp_frame *frame = &learned->frame;
	const char *explained = learned->job.target ? learned->job.target : "";
	const struct tp_look look = tp_app_look(app, area.columns, area.rows);
	const struct tp_frame_column *of[TP_GRID_COLUMNS_MAX];
	struct tp_grid_column columns[TP_GRID_COLUMNS_MAX];
	struct tp_doc doc = { 0 };
	unsigned n = 0, left_out = 0;
	int at = 0;
	char cell[CELL_BYTES];
	for (int others = 0; others < 2; others++)
		for (size_t c = 0; c < frame->n_columns && n < TP_GRID_COLUMNS_MAX; c++) {
			const struct tp_frame_column *column = &frame->columns[c];
			const bool target = strcmp(column->name, explained) == 0;
			const unsigned width = target != others ? width_of(frame, column) : 0;
			const bool fits = width && at + (int)width <= area.columns;
			left_out += width && !fits;
			if (!fits)
				continue;
			at += (int)width + TP_GRID_GAP;
			of[n] = column;
			columns[n] = (struct tp_grid_column){
				.head = column->name,
				.align = column->is_words ? TP_LEFT : TP_RIGHT,
			};
			n++;
		}
	TP_TEXT(text, &look);
	TP_GRID(grid, columns);
	grid.n_columns = n;
	tp_grid_heads(&grid);
	for (size_t i = 0; i < frame->n_rows; i++)
		for (unsigned c = 0; c < n; c++)
			tp_grid_text(&grid, TP_PAINT_PLAIN,
				     tp_frame_cell(of[c], i, cell, CELL_BYTES));
	tp_grid_write(&grid, &text);
	if (left_out)
		tp_text_say(&text, TP_PAINT_DIM, 0, 0, "and %u more columns", left_out);
	tp_doc_report(&doc, area.columns, &text);
	tp_doc_paint(&doc, area, 0, (size_t)-1);
	tp_doc_release(&doc);
}

static void paint_nothing(const struct tp_app *app, const struct tp_mined_screen *s,
			  struct tp_area area)
{
	struct tp_area text = tp_area_columns(area, 2, TP_MIN(area.columns - 4, 90));
	int row = has_few(s) ? 1 : TP_MAX(area.rows / 2 - 3, 0);
	const struct tp_learned *learned = s->learned;
	if (!tp_app_run(app)) {
		tp_paint_wrapped(text, row, 0, TP_UI_PLAIN,
				 "No run is open: press 4 and open one to see what explains its "
				 "results, or 2 to set one up.");
	} else if (!learned) {
		tp_paint_text(text, row, 0, TP_UI_PLAIN, "learning...");
	} else if (tp_live_is_under_way(&app->live) && learned->n_points < TP_MINE_TREE_ROWS) {
		tp_paint_format(text, row, 0, TP_UI_PLAIN,
				"Measuring, %zu of %u points: the tree comes with more of them.",
				learned->n_points, app->live.n_points);
	} else if (learned->status != TP_OK) {
		char what[sizeof(learned->diag.where) + sizeof(learned->diag.what) + 2];
		/* The head names the run. */
		bool of_run = strcmp(learned->diag.where, learned->frame.name) == 0;
		snprintf(what, sizeof(what), "%s%s%s", of_run ? "" : learned->diag.where,
			 of_run ? "" : " ", learned->diag.what);
		row += tp_paint_wrapped(text, row, 0, TP_UI_WARN, what);
		row += tp_paint_wrapped(text, row, 0, TP_UI_PLAIN,
					tp_hint_on_screen(learned->diag.hint));
		tp_paint_wrapped(text, row + 1, 0, TP_UI_DIM,
				 "y chooses what to explain, f by what; 0 takes back cuts.");
		row += 3;
		if (has_few(s))
			paint_rows(app, learned, tp_area_rows(area, row, area.rows - row));
	}
}

/* All that was learned, as tprof --mine prints it. */
static void paint_text(const struct tp_app *app, struct tp_mined_screen *s, struct tp_area area)
{
	const struct tp_mining *m = tp_mined_result(s);
	struct tp_look look = tp_app_look(app, TP_MAX(area.columns - 2, TP_COLUMNS_MIN), area.rows);
	look.full = true;
	if (!s->written || s->doc.columns != area.columns - 2) {
		TP_TEXT(text, &look);
		tp_mine_text(m, &text);
		tp_doc_report(&s->doc, area.columns - 2, &text);
		s->written = true;
	}
	tp_doc_show(&s->doc, tp_area_columns(area, 1, area.columns - 1), false);
}

void tp_mined_draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_mined_screen *s = state;
	const struct tp_mining *m = tp_mined_result(s);
	struct tp_area in = tp_area_columns(area, 1, area.columns - 2);
	struct tp_area rest = tp_area_rows(in, 1, in.rows - 1);
	memset(s->at, 0, sizeof(s->at));
	s->tabs.rows = s->density.ruler.area.rows = 0;
	paint_head(app, s, tp_area_rows(in, 0, 1));
	if (!m) {
		paint_nothing(app, s, rest);
	} else if (s->told) {
		paint_text(app, s, tp_area_rows(area, 1, area.rows - 1));
	} else {
		int most = area.term->rows >= TALL ? 5 : 3, used = paint_trust(m, rest, most);
		paint_parts(app, s, tp_area_rows(rest, used, rest.rows - used - 1));
		paint_wishes(s, tp_area_rows(rest, rest.rows - 1, 1));
	}
	if (s->picking)
		tp_picker_paint(&s->picker, tp_area_rows(area, 1, area.rows - 1));
}
