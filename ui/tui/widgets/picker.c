/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/widgets/picker.h"
#include "base/memory.h"
#include "base/str.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIELD_ROWS = 1,
	FOOT_ROWS = 4,
	FRAME = 2,
	MARK_COLUMNS = 4,
	KIND_COLUMNS = 9,
	WORD_COLUMNS_MAX = 40,
	COLUMNS_MIN = 64,
	COLUMNS_MAX = 116
};

void tp_picker_release(struct tp_picker *p)
{
	free(p->items);
	free(p->shown);
	*p = (struct tp_picker){ 0 };
}

struct tp_pick *tp_picker_add(struct tp_picker *p, const char *word, const char *note)
{
	TP_RESERVE(p->items, p->cap, p->n + 1);
	struct tp_pick *pick = &p->items[p->n++];
	*pick = (struct tp_pick){ 0 };
	tp_copy(pick->word, sizeof(pick->word), word);
	tp_copy(pick->note, sizeof(pick->note), note);
	p->stale = true;
	return pick;
}

/* --- which rows are shown --- */

static const char *other_of(const struct tp_picker *p)
{
	return p->other ? p->other : "another: type it ...";
}

/* Each typed word has to fit the name, or to stand in the note, which counts half. */
static int fit(const struct tp_pick *pick, const char *typed)
{
	char words[256], *at = words;
	int sum = 0;
	tp_copy(words, sizeof(words), typed);
	for (char *word; (word = strsep(&at, " "));) {
		if (!*word)
			continue;
		bool told = strcasestr(pick->note, word) ||
			    (pick->kind && strcasestr(pick->kind, word));
		int fits = TP_MAX(tp_fuzzy(pick->word, word), told ? tp_fuzzy(word, word) / 2 : 0);
		if (!fits)
			return 0;
		sum += fits;
	}
	return sum;
}

/* The best first; of equal ones the first kind, and of these the shortest. */
static int by_fit(const void *x, const void *y, void *context)
{
	const struct tp_picker *p = context;
	size_t i = *(const size_t *)x, k = *(const size_t *)y;
	const struct tp_pick *a = &p->items[i], *b = &p->items[k];
	size_t n = strlen(a->word), m = strlen(b->word);
	if (a->fits != b->fits)
		return a->fits < b->fits ? 1 : -1;
	return a->kind == b->kind && n != m ? (n > m) - (n < m) : (i > k) - (i < k);
}

/* The rows that match; also those of another word. */
static void choose(struct tp_picker *p)
{
	const char *typed = p->field.text + strspn(p->field.text, " ");
	if (!p->stale)
		return;
	free(p->shown);
	p->shown = tp_alloc(p->n + 1, sizeof(*p->shown));
	p->n_shown = 0;
	p->words = p->open ? (int)strlen(other_of(p)) : 0;
	p->notes = 0;
	for (size_t i = 0; i < p->n; i++) {
		struct tp_pick *pick = &p->items[i];
		pick->fits = *typed ? fit(pick, typed) : 1;
		if (pick->fits)
			p->shown[p->n_shown++] = i;
		/* Without a note the word has the whole row, and the other way round. */
		if (*pick->note || !pick->kind)
			p->words = TP_MAX(p->words, (int)tp_cell_columns(pick->word));
		p->notes = TP_MAX(p->notes, (int)tp_cell_columns(pick->note));
	}
	if (*typed && p->n_shown)
		qsort_r(p->shown, p->n_shown, sizeof(*p->shown), by_fit, p);
	tp_list_resize(&p->list, p->n_shown + p->open);
	p->stale = false;
}

size_t tp_picker_at(struct tp_picker *p)
{
	choose(p);
	return p->list.at < p->n_shown ? p->shown[p->list.at] : p->n;
}

/* --- keys --- */

static enum tp_picker_event take(struct tp_picker *p)
{
	size_t at = tp_picker_at(p);
	if (at >= p->n)
		return p->open ? TP_PICKER_OTHER : TP_PICKER_NONE;
	bool any = false;
	for (size_t i = 0; i < p->n; i++)
		any |= p->items[i].marked;
	if (p->touched && any)
		return TP_PICKER_TAKEN;
	if (p->items[at].off)
		return TP_PICKER_NONE; /* the text below the list has the reason */
	for (size_t i = 0; i < p->n; i++)
		p->items[i].marked = i == at;
	return TP_PICKER_TAKEN;
}

/* An exclusive word removes the other marks, and vice versa. */
static enum tp_picker_event toggle(struct tp_picker *p)
{
	size_t at = tp_picker_at(p);
	if (!p->many || at >= p->n)
		return take(p);
	struct tp_pick *pick = &p->items[at];
	if (pick->off && !pick->marked)
		return TP_PICKER_NONE;
	p->touched = true;
	pick->marked = !pick->marked;
	if (pick->marked)
		for (size_t i = 0; i < p->n; i++)
			if (i != at && (pick->alone || p->items[i].alone))
				p->items[i].marked = false;
	return TP_PICKER_NONE;
}

enum tp_picker_event tp_picker_key(struct tp_picker *p, uint32_t code)
{
	size_t len = p->field.len;
	choose(p);
	if (code == TP_KEY_ENTER)
		return take(p);
	if (code == ' ' && p->many)
		return toggle(p);
	if (code == TP_KEY_ESCAPE || (code == TP_KEY_LEFT && !len))
		return TP_PICKER_LEFT;
	bool moves =
		code >= TP_KEY_UP && tp_list_act(&p->list, tp_keys_action(TP_SCREEN_COUNT, code));
	if (!moves)
		tp_text_field_key(&p->field, code);
	if (p->field.len != len) {
		p->stale = true;
		p->list.at = 0;
		choose(p);
	}
	return TP_PICKER_NONE;
}

/* --- where it stands --- */

static int mark_columns(const struct tp_picker *p)
{
	return p->n && p->items[0].kind ? KIND_COLUMNS : MARK_COLUMNS;
}

/* It stays while letters are typed. */
static struct tp_area box_of(struct tp_picker *p, struct tp_area area)
{
	choose(p);
	int columns = mark_columns(p) + p->words + 2 + p->notes + 2 * FRAME;
	columns = TP_MIN(TP_MAX(columns, (int)COLUMNS_MIN), area.columns - 4);
	columns = TP_MIN(columns, (int)COLUMNS_MAX);
	int most = mark_columns(p) == KIND_COLUMNS ? (columns - 2 * FRAME) / 3 : WORD_COLUMNS_MAX;
	p->words = TP_MIN(p->words, most);
	int rows = TP_MIN((int)(p->n + p->open) + FIELD_ROWS + FOOT_ROWS + FRAME, area.rows);
	return tp_area_columns(tp_area_rows(area, (area.rows - rows) / 2, rows),
			       (area.columns - columns) / 2, columns);
}

enum tp_picker_event tp_picker_mouse(struct tp_picker *p, struct tp_area area,
				     const struct tp_input *input)
{
	struct tp_area box = box_of(p, area);
	if (input->mouse != TP_MOUSE_PRESS) {
		tp_list_move(&p->list, input->mouse == TP_MOUSE_WHEEL_UP ? -1 : 1);
		return TP_PICKER_NONE;
	}
	/* A press outside the box closes it. Marks are not lost. */
	if (!tp_area_holds(box, input->row, input->column))
		return p->touched && tp_picker_at(p) < p->n ? take(p) : TP_PICKER_LEFT;
	enum tp_list_event event = tp_list_mouse(&p->list, input);
	/* What does more than to set a value is opened, by a double click. */
	bool opens = p->n && p->items[0].kind;
	return event == TP_LIST_OPENED || (event == TP_LIST_PRESSED && !opens) ? toggle(p)
									       : TP_PICKER_NONE;
}

/* --- painting --- */

static void paint_row(void *context, struct tp_area line, size_t row, bool on)
{
	const struct tp_picker *p = context;
	int marks = mark_columns(p);
	if (row == p->n_shown) {
		tp_paint_text(line, 0, marks, on ? TP_UI_SELECTED : TP_UI_PLAIN, other_of(p));
		return;
	}
	const struct tp_pick *pick = &p->items[p->shown[row]];
	enum tp_role role = on		   ? TP_UI_SELECTED
			    : pick->off	   ? TP_UI_OFF
			    : pick->marked ? TP_UI_CHANGED
					   : TP_UI_PLAIN;
	if (pick->kind)
		tp_paint_text(line, 0, 0, on ? TP_UI_SELECTED : TP_UI_DIM, pick->kind);
	else if (p->many)
		tp_paint_text(line, 0, 0, role, pick->marked ? "[x]" : "[ ]");
	else
		tp_paint_text(line, 0, 0, role, pick->marked ? "(*)" : "( )");
	if (*pick->key) {
		tp_paint_right(line, 0, line.columns, on ? TP_UI_SELECTED : TP_UI_KEY, pick->key);
		line.columns -= (int)tp_cell_columns(pick->key) + 1;
	}
	const char *note = pick->off ? "cannot be used here" : pick->note;
	int words = *pick->word ? p->words + 2 : 0;
	tp_paint_text(*note ? tp_area_columns(line, 0, marks + p->words) : line, 0, marks, role,
		      pick->word);
	tp_paint_text(line, 0, marks + words,
		      on	    ? TP_UI_SELECTED
		      : pick->off   ? TP_UI_OFF
		      : *pick->word ? TP_UI_DIM
				    : TP_UI_PLAIN,
		      note);
}

/* The text below the list for the item under the cursor. */
static const char *words_below(const struct tp_picker *p, const struct tp_pick *pick, int columns)
{
	int room = columns - mark_columns(p) - p->words - 2;
	if (!pick || (*p->question && (int)tp_cell_columns(pick->note) <= room))
		return p->question;
	return *pick->note ? pick->note : pick->word;
}

void tp_picker_paint(struct tp_picker *p, struct tp_area area)
{
	enum { FIELD_AT = 5 };
	struct tp_area box = box_of(p, area);
	tp_paint_clear(box, TP_UI_PLAIN);
	struct tp_area in = tp_paint_frame(box, p->title);
	struct tp_area foot = tp_area_rows(in, in.rows - FOOT_ROWS, FOOT_ROWS);
	struct tp_area last = tp_area_rows(foot, FOOT_ROWS - 1, 1);
	struct tp_area rows = tp_area_rows(in, FIELD_ROWS, in.rows - FIELD_ROWS - FOOT_ROWS);
	tp_paint_text(in, 0, 0, TP_UI_DIM, "find");
	int at = tp_text_field_paint(&p->field, in, 0, FIELD_AT, in.columns - FIELD_AT);
	tp_term_cursor((struct tp_term *)(uintptr_t)area.term, in.row, in.column + at);
	tp_list_paint(&p->list, rows, paint_row, p);
	if (!p->list.n)
		tp_paint_text(rows, 0, 0, TP_UI_WARN, "nothing has these letters");
	/*
	 * Below the list: why the word under the cursor cannot be chosen, else what the choice is
	 * about.
	 */
	size_t i = tp_picker_at(p), marked = 0;
	const struct tp_pick *pick = i < p->n ? &p->items[i] : NULL;
	bool off = pick && pick->off;
	tp_paint_wrapped(tp_area_rows(foot, 1, FOOT_ROWS - 2), 0, 0, off ? TP_UI_WARN : TP_UI_DIM,
			 off ? pick->why : words_below(p, pick, in.columns));
	for (size_t k = 0; k < p->n && p->touched; k++)
		marked += p->items[k].marked;
	if (marked)
		tp_paint_format(last, 0, 0, TP_UI_CHANGED, "%zu marked", marked);
	if (p->list.n > (size_t)p->list.rows) {
		char place[48];
		snprintf(place, sizeof(place), "%zu of %zu", p->list.at + 1, p->list.n);
		tp_paint_right(last, 0, last.columns, TP_UI_DIM, place);
	}
}
