/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SVG documents: pictures with text. SVG 1.1 with a style sheet; no script, no font or image from
 * elsewhere. Texts are UTF-8 of any kind; characters that XML forbids are replaced. Pure;
 * coordinates are px from the top left, y down.
 */
#ifndef TPROF_PLOT_SVG_H
#define TPROF_PLOT_SVG_H

#include <stdint.h>

#include "plot/plot.h"

/*
 * Begins a document of width x height px: root element, style sheet, paper, and title and
 * description for screen readers.
 */
void tp_svg_begin(struct tp_str *out, unsigned width, unsigned height, enum tp_svg_theme theme,
		  const char *title, const char *description);
void tp_svg_end(struct tp_str *out);

/*
 * Only the rules of the style sheet, without `<` and `&`: for a page that has many pictures. Every
 * class begins with "tp-".
 */
void tp_svg_rules(struct tp_str *out, enum tp_svg_theme theme);
/* The text of a picture under the pointer. */
enum { TP_SVG_HOVER_BYTES = 256 };
#define TP_SVG_LINE SIZE_MAX
struct tp_svg_hover {
	const void *context;
	/*
	 * Writes words on point `point` of a series of the scene, or on its line (TP_SVG_LINE),
	 * into `out`, and returns them; "" = nothing.
	 */
	const char *(*say)(const void *context, size_t series, size_t point, char *out,
			   size_t size);
};

/*
 * A picture as an element of such a page, as wide as possible. `label` describes it to screen
 * readers; `class` may be "", `hover` NULL.
 */
enum tp_status tp_svg_inline(const struct tp_scene *scene, unsigned width, unsigned height,
			     const char *class, const char *label, const struct tp_svg_hover *hover,
			     struct tp_str *out);

/* The frame of such an element, for drawings of other kinds. */
void tp_svg_inline_begin(struct tp_str *out, unsigned width, unsigned height, const char *class,
			 const char *label);

/* A line of words with its base line at y. */
void tp_svg_words(struct tp_str *out, double x, double y, enum tp_plot_word word,
		  enum tp_plot_role role, const char *text);
/*
 * Lines broken at blanks, none wider than `width`. Returns the base line of the line that would
 * follow.
 */
double tp_svg_paragraph(struct tp_str *out, double x, double y, double width,
			enum tp_plot_word word, enum tp_plot_role role, const char *text);

/*
 * Adds a picture in a box. No two of its words overlap. TP_USAGE: the size is out of range, and
 * nothing was added.
 */
enum { TP_SVG_WIDTH_MIN = 288, TP_SVG_HEIGHT_MIN = 168, TP_SVG_SIDE_MAX = 8192 };
enum tp_status tp_svg_picture(const struct tp_scene *scene, double x, double y, double width,
			      double height, struct tp_str *out);

/*
 * A tree of questions as a drawing: the root left, leaves right. Everything is borrowed. Children
 * come after their parents; node 0 is the root.
 */
struct tp_svg_node {
	const char *title; /* the question, or the answer of a leaf */
	const char *test; /* of a question: the rest of it, on a separate line: "<= 7" */
	const char *words; /* below it */
	const double *shares; /* of each category, for a bar; sum 1 */
	size_t n_shares;
	size_t yes, no; /* of a leaf 0 */
};

/*
 * Adds the drawing from (x, y) on, at most `width` px wide, and returns the y where it ends. Texts
 * are cut to their places.
 */
double tp_svg_tree(struct tp_str *out, const struct tp_svg_node *nodes, size_t n, double x,
		   double y, double width);

#endif
