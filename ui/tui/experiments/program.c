/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs on the screens: curves on the screen Curve, bars that grow on the screen Run. */
#include "base/memory.h"
#include "experiments/program/report.h"
#include "ui/tui/app.h"
#include "ui/tui/shown.h"

#include <stdio.h>
#include <string.h>

static void preview_programs(struct tp_doc *doc, const struct tp_run *run)
{
	char value[48];
	unsigned last = UINT32_MAX;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!tp_point_is_program(p) || p->run == last)
			continue;
		last = p->run;
		const struct tp_point *best = tp_program_best(run, last);
		if (!best)
			continue;
		tp_doc_heading(doc, "Programs");
		tp_doc_row(doc, 0, TP_UI_PLAIN, "best %s: %s", tp_program_row(best)->metric,
			   tp_program_text(best, best->median, value, sizeof(value)));
		tp_doc_row(doc, 2, TP_UI_DIM, "%s", best->kernel);
	}
}

static bool grow_bars(struct tp_app *app, const struct tp_point *point, struct tp_area area,
		      struct tp_picture *picture)
{
	return tp_program_bars(picture, tp_app_run(app), point->run, (size_t)TP_MAX(area.rows, 1));
}

/* "36.8 ms", with the unit where the results of other points have theirs. */
static const char *write_result(const struct tp_run *run, const struct tp_point *point, char *out,
				size_t size)
{
	char text[48];
	(void)run;
	tp_program_text(point, point->median, text, sizeof(text));
	size_t number = strcspn(text, " ");
	snprintf(out, size, "%.*s %-7s", (int)number, text,
		 text[number] ? text + number + 1 : point->unit);
	return out;
}

const struct tp_shown tp_shown_program = {
	.screen = TP_SCREEN_CURVE,
	.words = "what programs take",
	.preview = preview_programs,
	.grow = grow_bars,
	.result = write_result,
};
