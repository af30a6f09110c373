/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words, numbers, style sheet and pictures of an SVG document. Private to the room. */
#ifndef TPROF_PLOT_SVG_PARTS_H
#define TPROF_PLOT_SVG_PARTS_H

#include "plot/layout.h"
#include "plot/svg.h"

enum { TP_SAMPLE_PX = 26 }; /* px of a line in the legend */

/* --- svg_text.c --- */

/*
 * How wide `text` may become. The reader chooses the font, so for every character this is the
 * widest of the usual sans-serif faces, and words stay apart in all of them.
 */
double tp_svg_width(const char *text, enum tp_plot_word word);
double tp_svg_width_n(const char *text, size_t n, enum tp_plot_word word); /* of so many bytes */
/*
 * `text`, or in the arena as much of it as is at most `width` px wide, with an ellipsis. NULL: out
 * of memory.
 */
const char *tp_svg_fit(struct tp_arena *arena, const char *text, enum tp_plot_word word,
		       double width);
/* One decimal at most, never an exponent: "12.5", "3", "0". */
void tp_svg_number(struct tp_str *out, double value);

/* --- svg_style.c --- */

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

/* --- svg_tiles.c --- */

/* Tiles and bars with their words, none of which is wider than its place. */
void tp_svg_draw_areas(const struct tp_scene *scene, const struct tp_layout *layout,
		       struct tp_str *out);
/* A box in the colour of a role, with one more class: " tp-first" or "". */
void tp_svg_box(struct tp_str *out, const struct tp_rect *box, const char *class,
		enum tp_plot_role role);

/* --- svg_hover.c --- */

void tp_svg_draw_hover(const struct tp_scene *scene, const struct tp_layout *layout,
		       const struct tp_svg_hover *said, struct tp_str *out);

/* --- pen_svg.c --- */

void tp_svg_draw(const struct tp_scene *scene, const struct tp_layout *layout, struct tp_str *out);
void tp_svg_draw_label(struct tp_str *out, const struct tp_label *label);

#endif
