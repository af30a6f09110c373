/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words, numbers and style sheet of an SVG document. Private to the room. */
#ifndef TPROF_PLOT_SVG_MEDIUM_H
#define TPROF_PLOT_SVG_MEDIUM_H

#include "plot/layout.h"
#include "plot/svg.h"

/* --- words --- */

/*
 * How wide `text` may become. The reader chooses the font, so for every character this is the
 * widest of the usual sans-serif faces, and words stay apart in all of them.
 */
double tp_svg_width(const char *text, enum tp_plot_word word);
double tp_svg_width_n(const char *text, size_t n, enum tp_plot_word word); /* of n bytes */
/*
 * `text`, or in the arena as much of it as is at most `width` px wide, with an ellipsis.
 */
const char *tp_svg_fit(struct tp_arena *arena, const char *text, enum tp_plot_word word,
		       double width);
/* One decimal at most, never an exponent: "12.5", "3", "0". */
void tp_svg_number(struct tp_str *out, double value);

/* --- style --- */

/* The <style> element: shapes, sizes of words, colours of roles. */
void tp_svg_style(struct tp_str *out, enum tp_svg_theme theme);
/* "s0": the class tp-s0 gives a role its colour. */
const char *tp_svg_role_class(enum tp_plot_role role);

/* "title": the class tp-title gives words their size in px. */
struct tp_svg_word {
	const char *name;
	double size;
	bool bold;
};
extern const struct tp_svg_word tp_svg_word_looks[TP_WORD_COUNT];

#endif
