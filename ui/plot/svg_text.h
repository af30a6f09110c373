/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words and numbers of an SVG document. Private to the room. */
#ifndef TPROF_PLOT_SVG_TEXT_H
#define TPROF_PLOT_SVG_TEXT_H

#include "base/arena.h"
#include "base/str.h"

/*
 * How wide `text` may become at a font size in px. The reader chooses the font, so for every character this is the widest of the
 * usual sans-serif faces: what is kept apart by it stays apart.
 */
double tp_svg_width(const char *text, double size_px, bool bold);

/* `text`, or as much of it as is at most `width` px wide, with an ellipsis; in the arena. NULL: out of memory. */
const char *tp_svg_fit(struct tp_arena *arena, const char *text, double size_px, bool bold,
		       double width);

/* Any bytes as XML character data: markup escaped; what XML forbids becomes U+FFFD, control characters blanks. */
void tp_svg_escape(struct tp_str *out, const char *text);

/* One decimal at most, never an exponent: "12.5", "3", "0". */
void tp_svg_number(struct tp_str *out, double value);

#endif
