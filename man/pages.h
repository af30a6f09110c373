/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sections of the manual pages about a table of the program are made from that table. A page
 *man/NAME.in has a line
 *
 *	@KIND PATTERN...
 *
 * where the rows of a registry belong whose names match these shell patterns. Text that follows, up
 * to the next such line or the end of the list, belongs to the entry of the last row.
 */
#ifndef TPROF_MAN_PAGES_H
#define TPROF_MAN_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct page_registry {
	const char *kind; /* "option" of @option */
	const char *(*name)(size_t i); /* of the i-th row; NULL after the last */
	/* The begin of its entry, as mdoc(7); false if the table lacks what the page must say. */
	bool (*head)(size_t i, struct tp_str *out);
	void (*tail)(size_t i, struct tp_str *out); /* after the text of the page; NULL: none */
};

extern const struct page_registry page_registries[]; /* ends with a row without a kind */

/*
 * Text of a table as mdoc(7): sentences with a line each, and a full stop at the end. Options are
 * bold, and words of `arguments`, such as VALUE of "KEY=VALUE", are set as arguments (NULL: none).
 */
void page_text(struct tp_str *out, const char *text, const char *arguments);
/* The same for help that begins with a small letter. */
void page_sentence(struct tp_str *out, const char *text, const char *arguments);

/* What tprof-results(5) takes from the tables of the record. */
const char *page_column_name(size_t i);
bool page_column_head(size_t i, struct tp_str *out);
const char *page_flag_name(size_t i);
bool page_flag_head(size_t i, struct tp_str *out);
void page_flag_tail(size_t i, struct tp_str *out);
const char *page_event_name(size_t i);
bool page_event_head(size_t i, struct tp_str *out);
void page_event_tail(size_t i, struct tp_str *out);

/* What tprof-machine(5) takes from the keys of a model file. */
const char *page_model_name(size_t i);
bool page_model_head(size_t i, struct tp_str *out);
void page_model_tail(size_t i, struct tp_str *out);

#endif
