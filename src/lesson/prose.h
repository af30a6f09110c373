/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paragraphs of a lesson on a stream or in a page. Private to this room. */
#ifndef TPROF_LESSON_PROSE_H
#define TPROF_LESSON_PROSE_H

#include "report/text.h"

/*
 * Adds paragraphs, a blank line between them. *Words* between asterisks stand out where the look
 * can show that; else the asterisks stay. The first line has `used` columns taken, all others are
 * indented by `indent`.
 */
void tp_prose(struct tp_str *out, const struct tp_look *look, const char *text, size_t used,
	      size_t indent);
/* One paragraph of plain words, painted. */
void tp_prose_line(struct tp_str *out, const struct tp_look *look, enum tp_paint paint,
		   const char *text);
/* A blank line, which a page has none of. */
void tp_prose_gap(struct tp_str *out, const struct tp_look *look);

#endif
