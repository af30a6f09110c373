/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row for each CPU that is measured on, while the run is under way. */
#include "ui/tui/screens/run_view.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>

enum { ROW_COLUMNS = 56, GAP = 2, BAR_AT = 20, BAR_COLUMNS = 8, WORDS_AT = 30 };

/* From here on it is worth a colour. */
#define MUCH 0.05

size_t tp_run_cores_count(const struct tp_app *app)
{
	return tp_live_is_under_way(&app->live) ? app->live.n_cores : 0;
}

static double share(double value)
{
	return isfinite(value) ? fmin(fmax(value, 0), 1) : 0;
}

/* "CPU 12  2.61 GHz  ####....  others 3 %, stolen 0 %": the bar is what is ours. */
static void draw_core(const struct tp_core_now *core, struct tp_area row)
{
	double others = share(core->others), stolen = share(core->stolen);
	bool lost = others > MUCH || stolen > MUCH;
	char words[64];
	tp_paint_format(row, 0, 0, TP_UI_DIM, "CPU %u", core->cpu);
	tp_paint_format(row, 0, 9, TP_UI_PLAIN, "%.2f GHz", core->ghz);
	tp_paint_bar(row, 0, BAR_AT, BAR_COLUMNS, (1 - others) * (1 - stolen),
		     lost ? TP_UI_WARN : TP_UI_GOOD);
	snprintf(words, sizeof(words), "others %.0f %%, stolen %.0f %%", 100 * others,
		 100 * stolen);
	tp_paint_text(row, 0, WORDS_AT, lost ? TP_UI_WARN : TP_UI_DIM, words);
}

void tp_run_cores_draw(const struct tp_app *app, struct tp_area area)
{
	const struct tp_live *live = &app->live;
	int across = TP_MAX((area.columns + GAP) / (ROW_COLUMNS + GAP), 1);
	size_t room = (size_t)TP_MAX(area.rows, 0) * (size_t)across;
	size_t n = live->n_cores <= room ? live->n_cores : room > 0 ? room - 1 : 0;
	for (size_t i = 0; i <= n && i < live->n_cores; i++) {
		int column = (int)(i % (size_t)across) * (ROW_COLUMNS + GAP);
		struct tp_area row = tp_area_columns(
			tp_area_rows(area, (int)(i / (size_t)across), 1), column, ROW_COLUMNS);
		if (i < n)
			draw_core(&live->cores[i], row);
		else
			tp_paint_format(row, 0, 0, TP_UI_DIM, "and %zu more CPUs: Tab",
					live->n_cores - n);
	}
}
