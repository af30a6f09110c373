/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory traffic on the screens: its results. */
#include <math.h>
#include <stdio.h>

#include "experiments/traffic/traffic.h"
#include "ui/tui/app.h"
#include "ui/tui/shown.h"

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
	.result = write_result,
};
