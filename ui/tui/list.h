/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What lists have in common: a cursor that stays in sight, a filter that is typed, a bar that tells where one is. Pure; paints nothing but that bar. */
#ifndef TPROF_TUI_LIST_H
#define TPROF_TUI_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/tui/keys.h"
#include "ui/tui/paint.h"

/* A cursor in `n` rows of which `rows` are in sight from `top` on. Zero-initialise. */
struct tp_list {
	size_t n, at, top;
	int rows;
};

/* The list has so many rows now; the cursor stays as near as it can. */
void tp_list_resize(struct tp_list *list, size_t n);
/* Fits the window to `rows` so that the cursor is in sight and no room is left unused; call before painting. */
void tp_list_fit(struct tp_list *list, int rows);
/* Up, down, pages, ends: false for other actions. */
bool tp_list_act(struct tp_list *list, enum tp_action action);
/* Text without a cursor: the window moves. `fit` is needed here too. */
bool tp_list_scroll(struct tp_list *list, enum tp_action action);
/* The wheel: the window moves by `by` rows, the cursor only as far as it must. */
void tp_list_wheel(struct tp_list *list, int by);
/* The row of the list at row `row` of its window; n if there is none. */
size_t tp_list_hit(const struct tp_list *list, int row);
/* A thumb in the last column of `area` where not everything is in sight. */
void tp_list_paint_bar(const struct tp_list *list, struct tp_area area);

/* Words to look for. Zero-initialise. */
struct tp_filter {
	char text[64];
	bool typing;
};

/* While typing, and for Esc while there are words: true if the key was the filter's; *changed if other rows match now. */
bool tp_filter_type(struct tp_filter *filter, uint32_t code, bool *changed);
/* True if every word is somewhere in one of the texts; letters match in either case. */
bool tp_filter_match(const struct tp_filter *filter, const char *const *texts, size_t n);
/* "/words" with the cursor while it is typed; nothing when there are none. Returns whether it painted. */
bool tp_filter_paint(const struct tp_filter *filter, struct tp_area area, int row, size_t found,
		     size_t all);

#endif
