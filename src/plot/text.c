/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A picture as lines of text, with ANSI colours where wanted. */
#include "base/text.h"
#include "plot/canvas.h"

/*
 * One 256-colour number a role. The hues have a contrast of at least 3:1 on black and on white and
 * stay apart for people with protanopia, deuteranopia and tritanopia (least CIELAB distance of any
 * two under simulation: 24); glyphs and names tell them apart for everyone. 0 is the terminal's own
 * colour, in bold.
 */
static const unsigned char palette[TP_ROLE_COUNT] = {
	[TP_ROLE_SERIES_0] = 33, /* blue */
	[TP_ROLE_SERIES_1] = 166, /* vermilion */
	[TP_ROLE_SERIES_2] = 29, /* green */
	[TP_ROLE_SERIES_3] = 169, /* pink */
	[TP_ROLE_SERIES_4] = 127, /* purple */
	[TP_ROLE_SERIES_5] = 93, /* violet */
	[TP_ROLE_THEORY] = 245, /* greys */
	[TP_ROLE_MARK] = 136, /* ochre */
	[TP_ROLE_AXIS] = 245,	  [TP_ROLE_GRID] = 244, [TP_ROLE_TITLE] = 0,
};

/* The shades of tiles lie behind their words: foreground and background. */
static const unsigned char shades[][2] = { { 245, 234 }, { 252, 54 }, { 231, 25 }, { 231, 30 },
					   { 16, 71 },	 { 16, 149 }, { 16, 220 } };

static bool is_shaded(enum tp_plot_role role)
{
	return role >= TP_ROLE_HEAT_0 && role <= TP_ROLE_HEAT_BEST;
}

static void add_colour(enum tp_plot_role role, struct tp_str *out)
{
	if (is_shaded(role))
		tp_str_printf(out, "\033[0;38;5;%d;48;5;%dm", shades[role - TP_ROLE_HEAT_0][0],
			      shades[role - TP_ROLE_HEAT_0][1]);
	else if (palette[role])
		tp_str_printf(out, "\033[0;38;5;%dm", palette[role]);
	else
		tp_str_add(out, "\033[0;1m");
}

static void add_row(const struct tp_canvas *canvas, size_t row, bool colour, struct tp_str *out)
{
	enum tp_plot_role role, current = TP_ROLE_COUNT;
	size_t end = canvas->columns;
	while (end && tp_canvas_look(canvas, end - 1, row, &role) == ' ' &&
	       !(colour && is_shaded(role)))
		end--;
	for (size_t column = 0; column < end; column++) {
		uint32_t c = tp_canvas_look(canvas, column, row, &role);
		bool blank = c == ' ' && !is_shaded(role);
		if (colour && blank && current != TP_ROLE_COUNT && is_shaded(current)) {
			current = TP_ROLE_COUNT;
			tp_str_add(out, "\033[0m");
		} else if (colour && !blank && role != current) {
			current = role;
			add_colour(role, out);
		}
		tp_utf8_add(out, c);
	}
	if (current != TP_ROLE_COUNT)
		tp_str_add(out, "\033[0m");
	tp_str_add(out, "\n");
}

enum tp_status tp_plot_text(const struct tp_scene *scene,
			    const struct tp_plot_text_options *options, struct tp_str *out)
{
	struct tp_canvas canvas = { 0 };
	size_t before = out->len;
	enum tp_status status =
		tp_canvas_draw(&canvas, scene, options->columns, options->rows, options->glyphs);
	for (size_t row = 0; row < canvas.rows; row++)
		add_row(&canvas, row, options->colour, out);
	tp_canvas_release(&canvas);
	if (!out->oom)
		return status;
	if (out->s)
		out->s[out->len = before] = '\0';
	return TP_NOMEM;
}
