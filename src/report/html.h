/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports as pages for a browser. The functions that write text, tables and pictures on a terminal
 * (text.h, pictures.h) write the body of a page where the look says `html`; this puts a
 * page around it: one file without anything from elsewhere, light and dark, complete without its
 * few lines of script, which sort tables. Pages are also well-formed XML. Texts may be of
 * strangers: all are escaped, and the page forbids any script but its own.
 */
#ifndef TPROF_REPORT_HTML_H
#define TPROF_REPORT_HTML_H

#include "base/status.h"
#include "report/text.h"

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
 * tables get their captions.
 */
void tp_html_page_make(const struct tp_html_page *page, const struct tp_str *body,
		       struct tp_str *out);
#endif
