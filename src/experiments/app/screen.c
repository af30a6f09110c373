/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs on the screens: their dots on the rooflines, and where they stand in few words. */
#include "experiments/app/app_row.h"
#include "experiments/roofline/screen.h"
#include "ui/tui/shown.h"

#include <string.h>

static const char *finds(const struct tp_run *run)
{
	return tp_run_n_app_regions(run) ? "the program below its roofs" : NULL;
}

static void preview(struct tp_doc *doc, const struct tp_run *run)
{
	enum { MOST = 4 };
	size_t shown = 0;
	for (size_t i = 0; i < tp_run_n_app_regions(run) && shown < MOST; i++) {
		const struct tp_app_region_row *row = &tp_run_app_regions(run)[i];
		if (!tp_app_is_whole(row) || !(row->gflops > 0))
			continue;
		if (!shown++) {
			tp_doc_line(doc, -1);
			tp_doc_row(doc, 0, TP_UI_TITLE, "Program");
		}
		tp_doc_row(doc, 0, TP_UI_PLAIN, "%s: %.3g GFLOP/s, %.3g FLOP/byte", row->region,
			   row->gflops, row->ai_flop_per_byte);
		if (row->roof[0])
			tp_doc_row(doc, 2, TP_UI_DIM, "%.0f %% of the %s roof", row->roof_percent,
				   row->roof);
	}
}

const struct tp_shown tp_shown_app = {
	.screen = TP_SCREEN_ROOFLINE,
	.finds = finds,
	.preview = preview,
	.grow = tp_roofline_grow,
};
