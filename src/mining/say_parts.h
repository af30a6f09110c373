/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections of the text. Private to this room. */
#ifndef TPROF_MINING_SAY_PARTS_H
#define TPROF_MINING_SAY_PARTS_H

#include "mining/say.h"
#include "report/grid.h"

/* A text being written. */
struct tp_mine_page {
	const struct tp_mining *mining;
	const struct tp_look *look;
	struct tp_str *out;
};

/* A blank line, then the title of a section. */
void tp_mine_title(const struct tp_mine_page *page, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A paragraph of plain text, cleaned and wrapped. */
void tp_mine_words(const struct tp_mine_page *page, enum tp_paint paint, const char *text);
/* How many of n things are shown: `brief` of them unless the report is full. */
size_t tp_mine_shown(const struct tp_mine_page *page, size_t n, size_t brief);
/* "3 more rows: --report=full shows them", if n is more than what was shown. */
void tp_mine_more(const struct tp_mine_page *page, size_t n, size_t shown, const char *what);

/* The tree as a drawing on a page. */
void tp_mine_draw_tree(const struct tp_mine_page *page);
void tp_mine_say_tree(const struct tp_mine_page *page);
void tp_mine_say_score(const struct tp_mine_page *page);
void tp_mine_say_missed(const struct tp_mine_page *page);
void tp_mine_say_importance(const struct tp_mine_page *page);
void tp_mine_say_clusters(const struct tp_mine_page *page);
void tp_mine_say_regression(const struct tp_mine_page *page);
void tp_mine_say_correlation(const struct tp_mine_page *page);

#endif
