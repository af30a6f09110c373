/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/widgets/list.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"

static size_t last_top(const struct tp_list *list)
{
	return list->n > (size_t)list->rows ? list->n - (size_t)list->rows : 0;
}

static size_t back(size_t from, size_t by)
{
	return from > by ? from - by : 0;
}

void tp_list_resize(struct tp_list *list, size_t n)
{
	list->n = n;
	list->at = TP_MIN(list->at, n ? n - 1 : 0);
	list->top = TP_MIN(list->top, last_top(list));
}

void tp_list_fit(struct tp_list *list, int rows)
{
	list->rows = TP_MAX(rows, 1);
	size_t sight = (size_t)list->rows, margin = TP_MIN(sight / 4, (size_t)list->margin);
	if (list->at < list->top + margin)
		list->top = back(list->at, margin);
	if (list->at + margin >= list->top + sight)
		list->top = list->at + margin + 1 - sight;
	list->top = TP_MIN(list->top, last_top(list));
}

void tp_list_move(struct tp_list *list, long by)
{
	size_t last = list->n ? list->n - 1 : 0;
	list->at = by < 0 ? back(list->at, (size_t)-by) : TP_MIN(list->at + (size_t)by, last);
	tp_list_fit(list, list->rows);
}

/* Moves *at by an action, between 0 and `last`; false for other actions. */
static bool follow(const struct tp_list *list, enum tp_action action, size_t last, size_t *at)
{
	size_t page = (size_t)TP_MAX(list->rows - 1, 1);
	switch (action) {
	case TP_ACTION_UP:
		*at = back(*at, 1);
		return true;
	case TP_ACTION_DOWN:
		*at = TP_MIN(*at + 1, last);
		return true;
	case TP_ACTION_PAGE_UP:
		*at = back(*at, page);
		return true;
	case TP_ACTION_PAGE_DOWN:
		*at = TP_MIN(*at + page, last);
		return true;
	case TP_ACTION_FIRST:
		*at = 0;
		return true;
	case TP_ACTION_LAST:
		*at = last;
		return true;
	default:
		return false;
	}
}

bool tp_list_act(struct tp_list *list, enum tp_action action)
{
	bool taken = follow(list, action, list->n ? list->n - 1 : 0, &list->at);
	if (taken)
		tp_list_fit(list, list->rows);
	return taken;
}

bool tp_list_scroll(struct tp_list *list, enum tp_action action)
{
	bool taken = follow(list, action, last_top(list), &list->top);
	if (taken)
		list->at = list->top; /* so that tp_list_fit leaves the window there */
	return taken;
}

void tp_list_wheel(struct tp_list *list, int by)
{
	size_t rows = (size_t)TP_MAX(list->rows, 1);
	if (by < 0)
		list->top = back(list->top, (size_t)-by);
	else
		list->top = TP_MIN(list->top + (size_t)by, last_top(list));
	list->at = TP_MAX(list->at, list->top);
	list->at = TP_MIN(list->at, list->top + rows - 1);
	list->at = TP_MIN(list->at, list->n ? list->n - 1 : 0);
}

size_t tp_list_hit(const struct tp_list *list, int row)
{
	if (row < 0 || row >= list->rows)
		return list->n;
	return TP_MIN(list->top + (size_t)row, list->n);
}

int tp_list_wheel_rows(const struct tp_input *input)
{
	enum { ROWS = 3 };
	return input->mouse == TP_MOUSE_WHEEL_UP     ? -ROWS
	       : input->mouse == TP_MOUSE_WHEEL_DOWN ? ROWS
						     : 0;
}

enum tp_list_event tp_list_mouse(struct tp_list *list, const struct tp_input *input)
{
	if (input->mouse != TP_MOUSE_PRESS) {
		tp_list_wheel(list, tp_list_wheel_rows(input));
		return TP_LIST_WHEELED;
	}
	if (!tp_area_holds(list->area, input->row, input->column))
		return TP_LIST_MISSED;
	size_t hit = tp_list_hit(list, input->row - list->area.row);
	if (hit >= list->n)
		return TP_LIST_MISSED;
	list->at = hit;
	return input->twice ? TP_LIST_OPENED : TP_LIST_PRESSED;
}

void tp_list_paint(struct tp_list *list, struct tp_area area, tp_list_row *row, void *context)
{
	tp_list_fit(list, area.rows);
	list->area = area;
	for (int r = 0; r < area.rows && list->top + (size_t)r < list->n; r++) {
		struct tp_area line = tp_area_rows(area, r, 1);
		size_t i = list->top + (size_t)r;
		if (i == list->at)
			tp_paint_clear(line, TP_UI_SELECTED);
		row(context, line, i, i == list->at);
	}
}

void tp_list_paint_bar(const struct tp_list *list, struct tp_area area)
{
	if (list->n <= (size_t)area.rows || area.rows < 2)
		return;
	double share = (double)area.rows / (double)list->n;
	int thumb = TP_MAX((int)(share * area.rows), 1);
	int from = (int)((double)(area.rows - thumb) * (double)list->top /
			 (double)TP_MAX(last_top(list), (size_t)1));
	for (int r = 0; r < area.rows; r++) {
		bool here = r >= from && r < from + thumb;
		tp_paint_text(area, r, area.columns - 1, here ? TP_UI_TITLE : TP_UI_BORDER,
			      here		? area.term->utf8 ? "█" : "#"
			      : area.term->utf8 ? "│"
						: "|");
	}
}

/* --- filter --- */

bool tp_filter_type(struct tp_filter *filter, uint32_t code, bool *changed)
{
	size_t n = strlen(filter->text);
	*changed = false;
	if (!filter->typing) {
		if (code != TP_KEY_ESCAPE || !n)
			return false;
		filter->text[0] = '\0';
		*changed = true;
		return true;
	}
	switch (code) {
	case TP_KEY_ESCAPE:
		*changed = n > 0;
		filter->text[0] = '\0';
		filter->typing = false;
		return true;
	case TP_KEY_ENTER:
		filter->typing = false;
		return true;
	case TP_KEY_BACKSPACE:
		if (!n) {
			filter->typing = false;
			return true;
		}
		filter->text[tp_utf8_before(filter->text, n)] = '\0';
		*changed = true;
		return true;
	default:
		break;
	}
	/* Arrows move in the rows that are found so far. */
	if (code < ' ' || code == 0x7f || code > 0x10ffff)
		return code < ' ' && code != TP_KEY_TAB && code != 3;
	char letter[4];
	size_t bytes = tp_utf8_encode(letter, code);
	if (n + bytes < sizeof(filter->text)) {
		memcpy(filter->text + n, letter, bytes);
		filter->text[n + bytes] = '\0';
		*changed = true;
	}
	return true;
}

bool tp_filter_match(const struct tp_filter *filter, const char *const *texts, size_t n)
{
	char words[sizeof(filter->text)], *at = words;
	memcpy(words, filter->text, sizeof(words));
	for (char *word; (word = strsep(&at, " "));) {
		bool found = !*word;
		for (size_t i = 0; i < n && !found; i++)
			found = strcasestr(texts[i], word) != NULL;
		if (!found)
			return false;
	}
	return true;
}

int tp_filter_paint(const struct tp_filter *filter, struct tp_area area, int row, size_t found,
		    size_t all)
{
	char count[64];
	if (!filter->typing && !*filter->text)
		return 0;
	int at = tp_paint_text(area, row, 0, TP_UI_KEY, "/");
	at += tp_paint_text(area, row, at, filter->typing ? TP_UI_FIELD : TP_UI_CHANGED,
			    filter->text);
	if (filter->typing)
		tp_paint_text(area, row, at, TP_UI_SELECTED, " ");
	snprintf(count, sizeof(count), "%zu of %zu", found, all);
	return at + 3 + tp_paint_text(area, row, at + 3, found ? TP_UI_DIM : TP_UI_WARN, count);
}

static bool starts_word(const char *text, size_t i)
{
	return !i || !isalnum((unsigned char)text[i - 1]) ||
	       (isupper((unsigned char)text[i]) && islower((unsigned char)text[i - 1]));
}

int tp_fuzzy(const char *text, const char *word)
{
	enum { BYTES = 128, LETTER = 1, START = 5, RUN = 6 };
	/* Of the letters so far, the last one at each place of the text: the best there; 0: none.
	 */
	int ends[BYTES] = { 0 }, best = 0;
	size_t n = TP_MIN(strlen(text), (size_t)BYTES);
	for (const char *letter = word; *letter; letter++) {
		int next[BYTES] = { 0 }, before = 0;
		best = 0;
		for (size_t i = 0; i < n; i++) {
			bool same =
				tolower((unsigned char)text[i]) == tolower((unsigned char)*letter);
			if (same && (before || letter == word))
				next[i] = before + (starts_word(text, i) ? START : LETTER) + !i;
			if (same && i && ends[i - 1])
				next[i] = TP_MAX(next[i], ends[i - 1] + RUN);
			best = TP_MAX(best, next[i]);
			before = TP_MAX(before, ends[i]);
		}
		memcpy(ends, next, sizeof(ends));
	}
	return best;
}

enum { TEXT_BYTES = 512 };

int tp_columns_fit(struct tp_columns *columns, int at, int room)
{
	for (;;) {
		int out = -1;
		columns->end = at;
		for (int c = 0; c < columns->n; c++) {
			columns->from[c] = columns->end;
			if (!columns->widths[c])
				continue;
			columns->end += columns->widths[c] + 1;
			if (columns->of[c].rank &&
			    (out < 0 || columns->of[c].rank > columns->of[out].rank))
				out = c;
		}
		if (columns->end <= room || out < 0)
			return room - columns->end;
		columns->widths[out] = 0;
	}
}

struct tp_columns tp_columns_lay_out(const struct tp_list_column *of, int n, const int *grows,
				     size_t n_grows, int at, int room)
{
	struct tp_columns c = { .of = of, .n = n };
	for (int i = 0; i < n; i++)
		c.widths[i] = of[i].least;
	int left = tp_columns_fit(&c, at, room);
	for (size_t i = 0; i < n_grows; i++) {
		int *width = &c.widths[grows[i]], more = TP_MIN(of[grows[i]].most - *width, left);
		if (!*width || more <= 0)
			continue;
		*width += more;
		left -= more;
	}
	tp_columns_fit(&c, at, room);
	return c;
}

void tp_columns_cell(const struct tp_columns *columns, struct tp_area row, int c, enum tp_role role,
		     const char *text)
{
	if (columns->widths[c])
		tp_paint_column(row, 0, columns->from[c], columns->widths[c], columns->of[c].right,
				role, text);
}

int tp_tabs_paint(struct tp_tabs *tabs, struct tp_area row, const char *const *names, size_t n,
		  size_t chosen)
{
	struct tp_text_row words = { row, 0, 0 };
	int all = 1;
	*tabs = (struct tp_tabs){ .area = row, .n = TP_MIN(n, (size_t)TP_TABS_MAX) };
	for (size_t i = 0; i < tabs->n; i++)
		all += (int)tp_cell_columns(names[i]) + 3;
	for (size_t i = 0; i < tabs->n; i++) {
		if (all <= row.columns || i == chosen)
			tp_words(&words, 1, i == chosen ? TP_UI_TAB_ON : TP_UI_PLAIN, " %s ",
				 names[i]);
		tabs->ends[i] = words.at;
	}
	if (all <= row.columns)
		return words.at;
	tp_words(&words, 1, TP_UI_DIM, "%zu of %zu", chosen + 1, n);
	memset(tabs->ends, 0, sizeof(tabs->ends));
	tabs->ends[(chosen + 1) % tabs->n] = words.at;
	return words.at;
}

size_t tp_tabs_hit(const struct tp_tabs *tabs, const struct tp_input *input)
{
	size_t i = 0;
	if (input->mouse != TP_MOUSE_PRESS || !tp_area_holds(tabs->area, input->row, input->column))
		return tabs->n;
	while (i < tabs->n && input->column - tabs->area.column >= tabs->ends[i])
		i++;
	return i;
}

void tp_words(struct tp_text_row *words, int gap, enum tp_role role, const char *fmt, ...)
{
	char text[TEXT_BYTES];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	words->at += gap;
	words->at += tp_paint_text(words->area, words->row, words->at, role, text);
}
