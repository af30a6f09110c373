/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/list.h"
#include "base/str.h"
#include "base/vec.h"
#include "ui/plot/chars.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { THUMB = 0x2588, THUMB_ROWS_MIN = 1 };

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
	if (list->at < list->top)
		list->top = list->at;
	if (list->at >= list->top + (size_t)list->rows)
		list->top = list->at + 1 - (size_t)list->rows;
	list->top = TP_MIN(list->top, last_top(list));
}

bool tp_list_act(struct tp_list *list, enum tp_action action)
{
	size_t last = list->n ? list->n - 1 : 0, page = (size_t)TP_MAX(list->rows - 1, 1);
	switch (action) {
	case TP_ACTION_UP:
		list->at = back(list->at, 1);
		break;
	case TP_ACTION_DOWN:
		list->at = TP_MIN(list->at + 1, last);
		break;
	case TP_ACTION_PAGE_UP:
		list->at = back(list->at, page);
		break;
	case TP_ACTION_PAGE_DOWN:
		list->at = TP_MIN(list->at + page, last);
		break;
	case TP_ACTION_FIRST:
		list->at = 0;
		break;
	case TP_ACTION_LAST:
		list->at = last;
		break;
	default:
		return false;
	}
	tp_list_fit(list, list->rows);
	return true;
}

bool tp_list_scroll(struct tp_list *list, enum tp_action action)
{
	/* The cursor goes along, so that fitting does not move the window. */
	size_t page = (size_t)TP_MAX(list->rows - 1, 1), end = last_top(list);
	switch (action) {
	case TP_ACTION_UP:
		list->top = back(list->top, 1);
		break;
	case TP_ACTION_DOWN:
		list->top = TP_MIN(list->top + 1, end);
		break;
	case TP_ACTION_PAGE_UP:
		list->top = back(list->top, page);
		break;
	case TP_ACTION_PAGE_DOWN:
		list->top = TP_MIN(list->top + page, end);
		break;
	case TP_ACTION_FIRST:
		list->top = 0;
		break;
	case TP_ACTION_LAST:
		list->top = end;
		break;
	default:
		return false;
	}
	list->at = list->top;
	return true;
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

void tp_list_paint_bar(const struct tp_list *list, struct tp_area area)
{
	if (list->n <= (size_t)area.rows || area.rows < 2)
		return;
	double share = (double)area.rows / (double)list->n;
	int thumb = TP_MAX((int)(share * area.rows), THUMB_ROWS_MIN);
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
		/* The whole character, however many bytes it has. */
		while (n > 1 && ((unsigned char)filter->text[n - 1] & 0xc0) == 0x80)
			n--;
		filter->text[n - 1] = '\0';
		*changed = true;
		return true;
	default:
		break;
	}
	/* Arrows move in what is found so far. */
	if (code < ' ' || code == 0x7f || code > 0x10ffff)
		return code < ' ' && code != TP_KEY_TAB && code != 3;
	struct tp_str letter = { 0 };
	tp_chars_add(&letter, code);
	if (n + letter.len < sizeof(filter->text)) {
		memcpy(filter->text + n, tp_str_text(&letter), letter.len + 1);
		*changed = true;
	}
	tp_str_release(&letter);
	return true;
}

static bool holds(const char *text, const char *word, size_t n)
{
	for (; *text; text++) {
		size_t i = 0;
		while (i < n && text[i] &&
		       tolower((unsigned char)text[i]) == tolower((unsigned char)word[i]))
			i++;
		if (i == n)
			return true;
	}
	return n == 0;
}

bool tp_filter_match(const struct tp_filter *filter, const char *const *texts, size_t n)
{
	const char *word = filter->text;
	for (;;) {
		word += strspn(word, " ");
		size_t len = strcspn(word, " ");
		bool found = !len;
		for (size_t i = 0; i < n && !found; i++)
			found = holds(texts[i], word, len);
		if (!found)
			return false;
		if (!len)
			return true;
		word += len;
	}
}

bool tp_filter_paint(const struct tp_filter *filter, struct tp_area area, int row, size_t found,
		     size_t all)
{
	char count[64];
	if (!filter->typing && !*filter->text)
		return false;
	int at = tp_paint_text(area, row, 0, TP_UI_KEY, "/");
	at += tp_paint_text(area, row, at, filter->typing ? TP_UI_FIELD : TP_UI_CHANGED,
			    filter->text);
	if (filter->typing)
		tp_paint_text(area, row, at, TP_UI_SELECTED, " ");
	snprintf(count, sizeof(count), "%zu of %zu", found, all);
	tp_paint_text(area, row, at + 3, found ? TP_UI_DIM : TP_UI_WARN, count);
	return true;
}
