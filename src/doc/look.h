/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How text looks on a stream, and short forms of numbers. */
#ifndef TPROF_DOC_LOOK_H
#define TPROF_DOC_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* How text may look on a stream. */
struct tp_look {
	bool terminal; /* a terminal, and this process is in its foreground */
	bool colour; /* --color, NO_COLOR, TERM=dumb respected */
	bool utf8; /* locale's codeset and not --ascii */
	bool full; /* a report shows every table and picture, however long it becomes */
	bool quick; /* it is drawn while the user waits: nothing is computed for it */
	bool screen; /* on a screen of tprof: hints name keys, no words of the command line */
	bool html; /* on a page (doc/html.h): no terminal reads it */
	unsigned columns, rows; /* 80 x 24 when unknown */
};

/*
 * A hint as a screen shows it: itself, or "" where it names a command of tprof or one of its
 * options, which a user of screens does not type.
 */
const char *tp_hint_on_screen(const char *hint);

/* Colour by meaning. */
enum tp_paint {
	TP_PAINT_PLAIN,
	TP_PAINT_TITLE,
	TP_PAINT_HEAD,
	TP_PAINT_DIM,
	TP_PAINT_STRONG,
	TP_PAINT_GOOD,
	TP_PAINT_WARN,
	TP_PAINT_BAD
};

/* No table is made for fewer columns than this. */
enum { TP_COLUMNS_MIN = 78, TP_LABEL_COLUMNS = 9 };
size_t tp_look_columns(const struct tp_look *look);

/* Adds foreign text (tp_str_add_clean), in ASCII if the look lacks UTF-8. */
void tp_text_clean(struct tp_str *out, const char *text, const struct tp_look *look);

/* What joins the parts of a title and what stands for plus or minus. */
const char *tp_text_dot(const struct tp_look *look); /* " · " or ", " */
/* Adds the joint and foreign text, unless that is empty. */
void tp_text_join(struct tp_str *out, const struct tp_look *look, const char *text);
const char *tp_text_plus_minus(const struct tp_look *look); /* "±" or "+-" */

/* "30K", "1.18M", "512M": binary units, three digits. */
const char *tp_text_size(char *out, size_t size, uint64_t bytes);
/* "compiling 3 of 12" */
const char *tp_text_compiling(char *out, size_t size, unsigned n_compiled, unsigned n_sources);
/* "1 thread", "12 threads". */
const char *tp_text_count(char *out, size_t size, uint64_t n, const char *what);
/* "1st", "12th". */
const char *tp_text_ordinal(char *out, size_t size, unsigned n);

#endif
