/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts as pages for a browser: one file without anything from elsewhere, light and dark, complete
 * without its few lines of script, which sort tables. Pages are also well-formed XML. Texts may be
 * foreign: everything except drawings is escaped, and the page forbids other scripts.
 */
#ifndef TPROF_DOC_HTML_H
#define TPROF_DOC_HTML_H

#include "base/str.h"
#include "doc/text.h"

/* The look of a page: everything in full length, and no terminal. */
extern const struct tp_look tp_html_look;

/* What stands around the text. Plain texts. */
struct tp_html_page {
	const char *title;
	const char *subtitle; /* a line below the title; NULL = none */
	const char *description; /* for search engines and lists of links */
	bool result_first; /* the first section is the result: it stands out */
};
/*
 * Adds the whole page: every title begins a section, and is a link of the contents; tables get
 * their captions.
 */
void tp_html_page_make(const struct tp_html_page *page, const struct tp_text *words,
		       struct tp_str *out);
#endif
