/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/widgets/picker.h"
#include "base/memory.h"
#include "base/str.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FOOT_ROWS = 4,
	FRAME = 2,
	MARK_COLUMNS = 4,
	WORD_COLUMNS_MAX = 40,
	COLUMNS_MIN = 64,
	HINT_GAP = 3
};
static const char other_word[] = "another: type it ...";

void tp_picker_release(struct tp_picker *p)
{
	free(p->items);
	*p = (struct tp_picker){ 0 };
}

struct tp_pick *tp_picker_add(struct tp_picker *p, const char *word, const char *note)
{
	TP_RESERVE(p->items, p->cap, p->n + 1);
	struct tp_pick *pick = &p->items[p->n++];
	*pick = (struct tp_pick){ 0 };
	tp_copy(pick->word, sizeof(pick->word), word);
	tp_copy(pick->note, sizeof(pick->note), note);
	return pick;
}

/* The row that offers to type another word counts too. */
static size_t rows_of(const struct tp_picker *p)
{
	return p->n + p->open;
}

static enum tp_picker_event take(struct tp_picker *p)
{
	if (p->list.at >= p->n)
		return p->open ? TP_PICKER_OTHER : TP_PICKER_NONE;
	bool any = false;
	for (size_t i = 0; i < p->n; i++)
		any |= p->items[i].marked;
	if (p->touched && any)
		return TP_PICKER_TAKEN;
	if (p->items[p->list.at].off)
		return TP_PICKER_NONE; /* the text below the list says why */
	for (size_t i = 0; i < p->n; i++)
		p->items[i].marked = i == p->list.at;
	return TP_PICKER_TAKEN;
}

/* A word that stands alone removes the other marks, and the other way round. */
static enum tp_picker_event toggle(struct tp_picker *p)
{
	if (!p->many || p->list.at >= p->n)
		return take(p);
	struct tp_pick *pick = &p->items[p->list.at];
	if (pick->off && !pick->marked)
		return TP_PICKER_NONE;
	p->touched = true;
	pick->marked = !pick->marked;
	if (pick->marked)
		for (size_t i = 0; i < p->n; i++)
			if (i != p->list.at && (pick->alone || p->items[i].alone))
				p->items[i].marked = false;
	return TP_PICKER_NONE;
}

enum tp_picker_event tp_picker_key(struct tp_picker *p, uint32_t code)
{
	tp_list_resize(&p->list, rows_of(p));
	switch (code) {
	case ' ':
		return toggle(p);
	case TP_KEY_ENTER:
		return take(p);
	case TP_KEY_ESCAPE:
	case TP_KEY_LEFT:
	case 'h':
	case 'q':
		return TP_PICKER_LEFT;
	default:
		tp_list_act(&p->list, tp_keys_action(TP_SCREEN_COUNT, code));
		return TP_PICKER_NONE;
	}
}

/* --- where it stands --- */

static int word_columns(const struct tp_picker *p)
{
	int widest = p->open ? (int)sizeof(other_word) - 1 : 0;
	for (size_t i = 0; i < p->n; i++)
		widest = TP_MAX(widest, (int)tp_cell_columns(p->items[i].word));
	return TP_MIN(widest, (int)WORD_COLUMNS_MAX);
}

static struct tp_area box_of(const struct tp_picker *p, struct tp_area area)
{
	int notes = 0;
	for (size_t i = 0; i < p->n; i++)
		notes = TP_MAX(notes, (int)tp_cell_columns(p->items[i].note));
	int columns = MARK_COLUMNS + word_columns(p) + 2 + notes + 2 * FRAME;
	columns = TP_MIN(TP_MAX(columns, (int)COLUMNS_MIN), area.columns - 4);
	int rows = TP_MIN((int)rows_of(p) + FOOT_ROWS + FRAME, area.rows);
	return tp_area_columns(tp_area_rows(area, (area.rows - rows) / 2, rows),
			       (area.columns - columns) / 2, columns);
}

/* The keys in the last row, only those that do something here. */
struct hint {
	const char *key;
	char words[48];
	enum tp_picker_event (*does)(struct tp_picker *p);
};

static enum tp_picker_event leave(struct tp_picker *p)
{
	(void)p;
	return TP_PICKER_LEFT;
}

static size_t hints(const struct tp_picker *p, struct hint out[3])
{
	size_t n = 0, marked = 0;
	for (size_t i = 0; i < p->n; i++)
		marked += p->items[i].marked;
	if (p->many)
		out[n++] = (struct hint){ "Space", "mark several", toggle };
	out[n] = (struct hint){ "Enter", "take", take };
	if (!p->many || !p->touched || !marked)
		tp_copy(out[n].words, sizeof(out[n].words), p->many ? "take this one" : "take");
	else
		snprintf(out[n].words, sizeof(out[n].words), "take the %zu marked", marked);
	n++;
	out[n++] = (struct hint){ "Esc", "back", leave };
	return n;
}

/* A press on a hint does what its key does. */
static enum tp_picker_event press_hint(struct tp_picker *p, int column)
{
	struct hint all[3];
	int at = 0;
	for (size_t i = 0, n = hints(p, all); i < n; i++) {
		int end = at + (int)(strlen(all[i].key) + 1 + strlen(all[i].words));
		if (column >= at && column < end)
			return all[i].does(p);
		at = end + HINT_GAP;
	}
	return TP_PICKER_NONE;
}

enum tp_picker_event tp_picker_mouse(struct tp_picker *p, struct tp_area area,
				     const struct tp_input *input)
{
	struct tp_area box = box_of(p, area);
	tp_list_resize(&p->list, rows_of(p));
	if (input->mouse != TP_MOUSE_PRESS) {
		tp_list_move(&p->list, input->mouse == TP_MOUSE_WHEEL_UP ? -1 : 1);
		return TP_PICKER_NONE;
	}
	/* A press beside the box closes it. Marks that were set are not lost. */
	if (!tp_area_holds(box, input->row, input->column))
		return p->touched && p->list.at < p->n ? take(p) : TP_PICKER_LEFT;
	if (input->row == box.row + box.rows - FRAME)
		return press_hint(p, input->column - box.column - FRAME);
	return tp_list_mouse(&p->list, input) == TP_LIST_MISSED ? TP_PICKER_NONE : toggle(p);
}

/* --- painting --- */

static void paint_row(void *context, struct tp_area line, size_t i, bool on)
{
	const struct tp_picker *p = context;
	int words = word_columns(p);
	if (i == p->n) {
		tp_paint_text(line, 0, MARK_COLUMNS, on ? TP_UI_SELECTED : TP_UI_PLAIN, other_word);
		return;
	}
	const struct tp_pick *pick = &p->items[i];
	enum tp_role role = on		   ? TP_UI_SELECTED
			    : pick->off	   ? TP_UI_OFF
			    : pick->marked ? TP_UI_CHANGED
					   : TP_UI_PLAIN;
	const char *mark =
		p->many ? (pick->marked ? "[x]" : "[ ]") : (pick->marked ? "(*)" : "( )");
	tp_paint_text(line, 0, 0, role, mark);
	tp_paint_text(tp_area_columns(line, 0, MARK_COLUMNS + words), 0, MARK_COLUMNS, role,
		      pick->word);
	tp_paint_text(line, 0, MARK_COLUMNS + words + 2,
		      on	  ? TP_UI_SELECTED
		      : pick->off ? TP_UI_OFF
				  : TP_UI_DIM,
		      pick->off ? "cannot be used here" : pick->note);
}

void tp_picker_paint(struct tp_picker *p, struct tp_area area)
{
	struct tp_area box = box_of(p, area);
	tp_paint_clear(box, TP_UI_PLAIN);
	struct tp_area in = tp_paint_frame(box, p->title);
	struct tp_area foot = tp_area_rows(in, in.rows - FOOT_ROWS, FOOT_ROWS);
	struct tp_area last = tp_area_rows(foot, FOOT_ROWS - 1, 1);
	tp_list_resize(&p->list, rows_of(p));
	tp_list_paint(&p->list, tp_area_rows(in, 0, in.rows - FOOT_ROWS), paint_row, p);
	/*
	 * Below the list: why the word under the cursor cannot be chosen, else what the choice is
	 * about.
	 */
	const struct tp_pick *pick = p->list.at < p->n ? &p->items[p->list.at] : NULL;
	bool off = pick && pick->off;
	tp_paint_wrapped(tp_area_rows(foot, 1, FOOT_ROWS - 2), 0, 0, off ? TP_UI_WARN : TP_UI_DIM,
			 off ? pick->why : p->question);
	struct hint all[3];
	int at = 0;
	for (size_t i = 0, n = hints(p, all); i < n; i++)
		at = tp_paint_key(last, 0, at, all[i].key, all[i].words) + HINT_GAP;
	if (p->list.n > (size_t)p->list.rows) {
		char place[48];
		snprintf(place, sizeof(place), "%zu of %zu", p->list.at + 1, p->list.n);
		tp_paint_right(last, 0, last.columns, TP_UI_DIM, place);
	}
}
