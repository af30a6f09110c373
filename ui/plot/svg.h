/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SVG documents that hold several pictures and words beside them. Pure; coordinates are px from the top left, y down. */
#ifndef TPROF_PLOT_SVG_H
#define TPROF_PLOT_SVG_H

#include "ui/plot/plot.h"

/* Kinds of words, each of its own size and weight. */
#define TP_SVG_WORD_LIST(X)                                                                        \
	X(HEADING, "heading", 19, true) /* of the document */                                      \
	X(TITLE, "title", 15, true) /* of a picture */                                             \
	X(BODY, "body", 12.5, false)                                                               \
	X(SMALL, "small", 11.5, false)                                                             \
	X(UNIT, "unit", 12, false) /* what an axis shows */                                        \
	X(TICK, "tick", 11, false)                                                                 \
	X(NAME, "name", 12, true) /* of a roof or a curve, beside it */                            \
	X(NOTE, "note", 11, false) /* at marks */                                                  \
	X(KEY, "key", 12, false) /* in the legend */

enum tp_svg_word {
#define TP_SVG_WORD_ENUM(name, text, size_px, bold) TP_SVG_##name,
	TP_SVG_WORD_LIST(TP_SVG_WORD_ENUM)
#undef TP_SVG_WORD_ENUM
		TP_SVG_WORD_COUNT
};
double tp_svg_word_size(enum tp_svg_word word); /* px */
bool tp_svg_word_bold(enum tp_svg_word word);

/* Root element, title and description for those who do not see it, style sheet, paper. */
void tp_svg_begin(struct tp_str *out, const struct tp_svg_options *options, const char *title,
		  const char *description);
void tp_svg_end(struct tp_str *out);

/* A line of words with its base line at y. */
void tp_svg_words(struct tp_str *out, double x, double y, enum tp_svg_word word,
		  enum tp_plot_role role, const char *text);
/* Lines broken at blanks, none wider than `width`; returns the y of the base line of the line that would follow. */
double tp_svg_paragraph(struct tp_str *out, double x, double y, double width, enum tp_svg_word word,
			enum tp_plot_role role, const char *text);

/* A picture in a box of a document; errors as of tp_plot_svg. */
enum tp_status tp_svg_picture(const struct tp_scene *scene, double x, double y, double width,
			      double height, struct tp_str *out);

#endif
