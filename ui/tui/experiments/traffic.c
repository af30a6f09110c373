/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory traffic on the screens: the picture that grows on the screen Run, and results. */
#include <math.h>
#include <stdio.h>

#include "experiments/traffic/traffic.h"
#include "ui/tui/app.h"
#include "ui/tui/shown.h"

static void preview_traffic(struct tp_doc *doc, const struct tp_run *run)
{
	size_t i = 0;
	for (const struct tp_point *p; (p = tp_traffic_first(run, i)); i++) {
		if (i == 0)
			tp_doc_heading(doc, "Memory traffic");
		double worst = 0;
		for (size_t k = 0; k < run->n_points; k++) {
			const struct tp_point *q = &run->points[k];
			double error = tp_traffic_same(p, q) && q->state == TP_POINT_DONE
					       ? tp_traffic_error(tp_traffic_row(q))
					       : NAN;
			worst = fmax(worst, isnan(error) ? 0 : error);
		}
		tp_doc_row(doc, 0, TP_UI_PLAIN, "%s, counted by %s: at most %.1f %% off",
			   tp_traffic_row(p)->operation, tp_traffic_row(p)->source, 100 * worst);
	}
}

static bool grow_traffic(struct tp_app *app, const struct tp_point *point, struct tp_area area,
			 struct tp_picture *picture)
{
	(void)area;
	return tp_traffic_picture(picture, tp_app_run(app), point);
}

/* "3.1 % off" */
static const char *write_result(const struct tp_run *run, const struct tp_point *point, char *out,
				size_t size)
{
	double error = tp_traffic_error(tp_traffic_row(point));
	(void)run;
	if (point->state != TP_POINT_DONE)
		out[0] = '\0';
	else if (isnan(error))
		snprintf(out, size, "open");
	else
		snprintf(out, size, "%.1f %% off", 100 * error);
	return out;
}

const struct tp_shown tp_shown_traffic = {
	.screen = TP_SCREEN_CURVE,
	.words = "the memory traffic",
	.preview = preview_traffic,
	.grow = grow_traffic,
	.result = write_result,
};
