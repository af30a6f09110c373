/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory traffic on the screens: the picture that grows on the screen Run, and results. */
#include <math.h>
#include <stdio.h>

#include "experiments/traffic/traffic.h"
#include "ui/tui/app.h"
#include "ui/tui/shown.h"

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
	.grow = grow_traffic,
	.result = write_result,
};
