/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The style sheet of SVG documents. Private to the room. */
#ifndef TPROF_PLOT_SVG_STYLE_H
#define TPROF_PLOT_SVG_STYLE_H

#include "ui/plot/svg.h"

/* The <style> element: shapes, sizes of words, colours of roles. */
void tp_svg_style(struct tp_str *out, enum tp_svg_theme theme);
/* "s0" for the class tp-s0, which gives a role its colour. */
const char *tp_svg_role_class(enum tp_plot_role role);
/* "title" for the class tp-title, which gives words their size. */
const char *tp_svg_word_class(enum tp_svg_word word);

#endif
