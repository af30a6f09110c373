/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/picker.h"
#include "base/str.h"
#include "base/vec.h"
#include "ui/plot/chars.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOOT_ROWS = 4, FRAME = 2, PAGE = 10, MARK_COLUMNS = 4, HINT_GAP = 3 };
static const char other_word[] = "another: type it ...";

void tp_picker_release(struct tp_picker *p)
{
	free(p->items);
	*p = (struct tp_picker){ 0 };
}

struct tp_pick *tp_picker_add(struct tp_picker *p, const char *word, const char *note)
{
	if (tp_vec_reserve((void **)&p->items, &p->cap, p->n + 1, sizeof(*p->items)) != TP_OK)
		return NULL;
	struct tp_pick *pick = &p->items[p->n++];
	*pick = (struct tp_pick){ 0 };
	tp_copy(pick->word, sizeof(pick->word), word);
	tp_copy(pick->note, sizeof(pick->note), note);
	return pick;
}

static size_t rows_of(const struct tp_picker *p)
{
	return p->n + p->open;
}

static void mark_only(struct tp_picker *p, size_t which)
{
	for (size_t i = 0; i < p->n; i++)
		p->items[i].marked = i == which;
}

static enum tp_picker_event take(struct tp_picker *p)
{
	if (p->selected >= p->n)
		return p->open ? TP_PICKER_OTHER : TP_PICKER_NONE;
	bool any = false;
	for (size_t i = 0; i < p->n; i++)
		any |= p->items[i].marked;
	if (p->touched && any)
		return TP_PICKER_TAKEN;
	if (p->items[p->selected].off)
		return TP_PICKER_NONE; /* it says why below the list */
	mark_only(p, p->selected);
	return TP_PICKER_TAKEN;
}

/* What stands alone drives the others out, and they it. */
static enum tp_picker_event toggle(struct tp_picker *p)
{
	if (!p->many || p->selected >= p->n)
		return take(p);
	struct tp_pick *pick = &p->items[p->selected];
	if (pick->off && !pick->marked)
		return TP_PICKER_NONE;
	p->touched = true;
	pick->marked = !pick->marked;
	if (pick->marked)
		for (size_t i = 0; i < p->n; i++)
			if (i != p->selected && (pick->alone || p->items[i].alone))
				p->items[i].marked = false;
	return TP_PICKER_NONE;
}

static void move(struct tp_picker *p, long by)
{
	long to = (long)p->selected + by, last = (long)rows_of(p) - 1;
	p->selected = (size_t)TP_MAX(TP_MIN(to, last), 0);
}

enum tp_picker_event tp_picker_key(struct tp_picker *p, uint32_t code)
{
	switch (code) {
	case TP_KEY_UP:
	case 'k':
		move(p, -1);
		break;
	case TP_KEY_DOWN:
	case 'j':
		move(p, 1);
		break;
	case TP_KEY_PAGE_UP:
		move(p, -PAGE);
		break;
	case TP_KEY_PAGE_DOWN:
		move(p, PAGE);
		break;
	case TP_KEY_HOME:
	case 'g':
		p->selected = 0;
		break;
	case TP_KEY_END:
	case 'G':
		move(p, (long)rows_of(p));
		break;
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
		break;
	}
	return TP_PICKER_NONE;
}

/* --- where it stands --- */

static int word_columns(const struct tp_picker *p)
{
	int widest = p->open ? (int)sizeof(other_word) - 1 : 0;
	for (size_t i = 0; i < p->n; i++)
		widest = TP_MAX(widest, (int)tp_chars_columns(p->items[i].word));
	return TP_MIN(widest, 40);
}

static struct tp_area box_of(const struct tp_picker *p, struct tp_area area)
{
	int notes = 0, least = 64;
	for (size_t i = 0; i < p->n; i++)
		notes = TP_MAX(notes, (int)tp_chars_columns(p->items[i].note));
	int columns = MARK_COLUMNS + word_columns(p) + 2 + notes + 2 * FRAME;
	columns = TP_MIN(TP_MAX(columns, least), area.columns - 4);
	int rows = TP_MIN((int)rows_of(p) + FOOT_ROWS + FRAME, area.rows);
	return tp_area_columns(tp_area_rows(area, (area.rows - rows) / 2, rows),
			       (area.columns - columns) / 2, columns);
}

/* The words behind a key of the last row; NULL: the key does nothing here. */
static const char *hint(const struct tp_picker *p, const char *key, char *out, size_t size)
{
	size_t marked = 0;
	for (size_t i = 0; i < p->n; i++)
		marked += p->items[i].marked;
	if (strcmp(key, "Space") == 0)
		return p->many ? "mark several" : NULL;
	if (strcmp(key, "Esc") == 0)
		return "back";
	if (!p->many || !p->touched || !marked)
		return p->many ? "take this one" : "take";
	snprintf(out, size, "take the %zu marked", marked);
	return out;
}

static const char *const hint_keys[] = { "Space", "Enter", "Esc" };

static void paint_hints(const struct tp_picker *p, struct tp_area line)
{
	char words[64];
	int at = 0;
	for (size_t i = 0; i < TP_COUNT_OF(hint_keys); i++) {
		const char *text = hint(p, hint_keys[i], words, sizeof(words));
		if (!text)
			continue;
		at += tp_paint_text(line, 0, at, TP_UI_KEY, hint_keys[i]) + 1;
		at += tp_paint_text(line, 0, at, TP_UI_PLAIN, text) + HINT_GAP;
	}
}

/* The key whose words stand at a column of the last row. */
static enum tp_picker_event press_hint(struct tp_picker *p, int column)
{
	char words[64];
	int at = 0;
	for (size_t i = 0; i < TP_COUNT_OF(hint_keys); i++) {
		const char *text = hint(p, hint_keys[i], words, sizeof(words));
		if (!text)
			continue;
		int end = at + (int)(strlen(hint_keys[i]) + 1 + strlen(text));
		if (column >= at && column < end)
			return i == 0 ? toggle(p) : i == 1 ? take(p) : TP_PICKER_LEFT;
		at = end + HINT_GAP;
	}
	return TP_PICKER_NONE;
}

enum tp_picker_event tp_picker_press(struct tp_picker *p, struct tp_area area, int row, int column)
{
	struct tp_area box = box_of(p, area);
	/* Beside the list: done with it. Marks that were set are not lost. */
	if (!tp_area_holds(box, row, column))
		return p->touched && p->selected < p->n ? take(p) : TP_PICKER_LEFT;
	int line = row - box.row - 1;
	if (line == box.rows - FRAME - 1)
		return press_hint(p, column - box.column - FRAME);
	if (line < 0 || line >= box.rows - FRAME - FOOT_ROWS || p->top + (size_t)line >= rows_of(p))
		return TP_PICKER_NONE;
	p->selected = p->top + (size_t)line;
	return toggle(p);
}

/* --- painting --- */

static void paint_row(const struct tp_picker *p, struct tp_area line, size_t i, int words)
{
	bool on = i == p->selected;
	if (on)
		tp_paint_clear(line, TP_UI_SELECTED);
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
	size_t rows = (size_t)TP_MAX(in.rows - FOOT_ROWS, 1);
	if (p->selected < p->top)
		p->top = p->selected;
	if (p->selected >= p->top + rows)
		p->top = p->selected - rows + 1;
	int words = word_columns(p);
	for (size_t i = p->top; i < rows_of(p) && i < p->top + rows; i++)
		paint_row(p, tp_area_rows(in, (int)(i - p->top), 1), i, words);
	/* Below: why the selected one cannot be had, or what the choice is about; the keys. */
	struct tp_area foot = tp_area_rows(in, in.rows - FOOT_ROWS, FOOT_ROWS);
	const struct tp_pick *pick = p->selected < p->n ? &p->items[p->selected] : NULL;
	struct tp_area words_area = tp_area_rows(foot, 1, FOOT_ROWS - 2);
	if (pick && pick->off)
		tp_paint_wrapped(words_area, 0, 0, TP_UI_WARN, pick->why);
	else
		tp_paint_wrapped(words_area, 0, 0, TP_UI_DIM, p->question);
	paint_hints(p, tp_area_rows(foot, FOOT_ROWS - 1, 1));
	if (rows_of(p) > rows) {
		char place[48];
		snprintf(place, sizeof(place), "%zu of %zu", p->selected + 1, rows_of(p));
		tp_paint_right(tp_area_rows(foot, FOOT_ROWS - 1, 1), 0, foot.columns, TP_UI_DIM,
			       place);
	}
}
