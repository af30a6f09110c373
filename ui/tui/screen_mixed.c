/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/screen.h"

#include <stdlib.h>

static void *open_screen(struct tp_app *app)
{
	(void)app;
	return calloc(1, 1);
}

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	(void)app;
	(void)state;
	tp_paint_text(area, 0, 0, TP_UI_DIM, "mixed");
}

const struct tp_screen tp_screen_mixed = {
	.name = "Mixed",
	.open = open_screen,
	.close = free,
	.draw = draw,
};
