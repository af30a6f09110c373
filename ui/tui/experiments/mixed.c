/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixed kernels as dots below their roofs, and how far below each one is. */
#include "ui/tui/experiments/roofline.h"
#include "base/memory.h"
#include "record/point.h"
#include "record/dot.h"
#include "experiments/roofline/pictures.h"
#include "ui/tui/paint.h"
#include "ui/tui/shown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_FROM = 108 };

static void add_pages(struct tp_plotview *view, const struct tp_run *run)
{
	for (size_t i = 0; i < tp_run_n_dots(run); i++) {
		const struct tp_dot *d = &tp_run_dots(run)[i];
		struct tp_plot_page page = { .run = d->run, .threads = d->threads };
		tp_copy(page.precision, sizeof(page.precision), d->precision);
		tp_copy(page.isa, sizeof(page.isa), d->isa);
		tp_plotview_add_page(view, &page);
	}
}

/*
 * The roofs may come from another run of the preset: of the same ISA, precision and threads,
 * according to the dots.
 */
static bool build_page(struct tp_plotview *view, const struct tp_app *app,
		       const struct tp_plot_page *page, struct tp_area area)
{
	struct tp_picture *picture = view->plot.picture;
	(void)app;
	if (!tp_picture_roofline(picture, view->runs[0], page->run, page->precision,
				 (size_t)area.columns, (size_t)area.rows))
		return false;
	struct tp_scene *scene = &picture->scene;
	if (strncmp(scene->title, "Roofline", 8) == 0)
		scene->title = tp_picture_text(picture, "Mixed%s", scene->title + 8);
	/* The cursor is for the dots here. */
	for (size_t i = 0; i < picture->n_series; i++)
		if (!picture->origins[i].rows)
			picture->origins[i].reads = TP_READS_NOTHING;
	return true;
}

static const struct tp_plot_kind kind = {
	.pages = add_pages,
	.build = build_page,
	.read = tp_roofline_read,
	.experiment = "mixed",
	.side_from = SIDE_FROM,
};

TP_PLOTVIEW_SCREEN(mixed, tp_plotview);

/* --- in other screens --- */

/* Dots of other experiments stand beside them. */
static size_t n_mixed(const struct tp_run *run)
{
	size_t n = 0;
	for (size_t i = 0; i < tp_run_n_dots(run); i++)
		n += tp_dot_is_mixed(run, &tp_run_dots(run)[i]);
	return n;
}

const struct tp_shown tp_shown_mixed = {
	.screen = TP_SCREEN_MIXED,
	.words = "the mixed kernels",
	.count = n_mixed,
	.grow = tp_roofline_grow,
};
