/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports as pages for a browser. The functions that write text, tables and pictures on a terminal
 * (text.h, grid.h, pictures.h) write the body of a page where the look says `html`; this puts a
 * page around it: one file without anything from elsewhere, light and dark, complete without its
 * few lines of script, which sort tables. Pages are also well-formed XML. Texts may be of
 * strangers: all are escaped, and the page forbids any script but its own.
 */
#ifndef TPROF_REPORT_HTML_H
#define TPROF_REPORT_HTML_H

#include "base/status.h"
#include "report/grid.h"
#include "report/pictures.h"

/* The look of a body: everything in full length, and no terminal. */
extern const struct tp_look tp_html_look;

/* What stands around the body. Plain texts. */
struct tp_html_page {
	const char *title;
	const char *subtitle; /* a line below the title; NULL = none */
	const char *description; /* for search engines and lists of links */
	bool result_first; /* the first section is the result: it stands out */
};
/*
 * Adds the whole page: every title of the body begins a section, and is a link of the contents;
 * tables get their captions. TP_NOMEM adds nothing.
 */
enum tp_status tp_html_page_make(const struct tp_html_page *page, const struct tp_str *body,
				 struct tp_str *out);

/* --- what the other functions write through --- */

/* Words within a line. */
void tp_html_words(struct tp_str *out, enum tp_paint paint, const char *text);
/*
 * Ends a line: what stands on it already and `text` become a paragraph, or a heading where the
 * paint is that of titles (TP_PAINT_TITLE) or heads (TP_PAINT_HEAD).
 */
void tp_html_line(struct tp_str *out, enum tp_paint paint, const char *text);
/* A paragraph with a label before it. */
void tp_html_labelled(struct tp_str *out, const char *label, enum tp_paint paint, const char *text);
/* An item of a list; items that follow each other are one list. */
void tp_html_item(struct tp_str *out, enum tp_paint paint, const char *text);
/* A grid whose numbers are text already: a table for each section, with all columns that say
 * something. */
void tp_html_table(const struct tp_grid *grid, struct tp_str *out);
/*
 * A picture as a figure, drawn twice: for screens, and for narrow ones. False where the page is as
 * long as pages may be, so that the picture is left out.
 */
bool tp_html_picture(struct tp_str *out, const struct tp_picture *picture,
		     const struct tp_run *run);

#endif
