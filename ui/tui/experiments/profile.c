/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Strip charts of a program, which grow while it runs; then each meter, and the phases next to
 * them.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "experiments/profile/report.h"
#include "ui/tui/app.h"
#include "ui/tui/screen.h"
#include "ui/tui/shown.h"
#include "ui/tui/widgets/plotview.h"

enum { SIDE_FROM = 118, ROWS_OF_LANE = 2, FRAME_ROWS = 4 };

static const struct tp_point *point_of(const struct tp_run *run, unsigned index)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (run->points[i].run == index && tp_point_is_profile(&run->points[i]))
			return &run->points[i];
	return NULL;
}

/* --- what is shown --- */

static bool shows_meter(const void *context, enum tp_meter_id id)
{
	char name[TP_PART_BYTES];
	return tp_plotview_shows(context, TP_HIDDEN_METER,
				 tp_profile_short(id, name, sizeof(name)));
}

static bool shows_region(const void *context, const char *name)
{
	return tp_plotview_shows(context, TP_HIDDEN_REGION, name);
}

/* For all programs of the run: regions with most time first, then meters with any reading. */
static void add_parts(struct tp_plotview *view, const struct tp_run *run)
{
	enum { REGIONS = 8 };
	struct tp_profile_region regions[REGIONS];
	bool says[TP_METERS] = { false };
	char code[TP_METERS][TP_PART_BYTES] = { "" };
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!tp_point_is_profile(p))
			continue;
		size_t n_regions = tp_profile_region_sums(run, p->point, regions, REGIONS);
		for (size_t k = 0; k < n_regions; k++)
			tp_plotview_add_part(view, TP_HIDDEN_REGION, regions[k].region, "");
		for (int m = 0; m < TP_METERS; m++) {
			enum tp_meter_id id = (enum tp_meter_id)m;
			const struct tp_profile_meter *meter = tp_profile_meter(run, p->point, id);
			says[m] |= tp_profile_says(run, p, id);
			if (meter && !code[m][0])
				tp_shown(code[m], sizeof(code[m]), meter->about,
					 strcspn(meter->about, " "));
		}
	}
	for (int m = 0; m < TP_METERS; m++) {
		char name[TP_PART_BYTES];
		if (says[m])
			tp_plotview_add_part(
				view, TP_HIDDEN_METER,
				tp_profile_short((enum tp_meter_id)m, name, sizeof(name)), code[m]);
	}
}

/* --- pages and pictures --- */

/* `from` 0: all meters; else the meter with that number, from 1. */
static void add_pages(struct tp_plotview *view, const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!tp_point_is_profile(p))
			continue;
		struct tp_plot_page page = { .run = p->run, .threads = TP_ANY };
		tp_copy(page.experiment, sizeof(page.experiment), "profile");
		const struct tp_profile_sample *samples;
		if (tp_profile_samples(run, p->point, &samples) < 2)
			continue;
		bool any = false;
		for (int m = 0; m < TP_METERS; m++) {
			enum tp_meter_id id = (enum tp_meter_id)m;
			if (!tp_profile_says(run, p, id) || !shows_meter(view, id))
				continue;
			if (!any)
				tp_plotview_add_page(view, &page);
			any = true;
			page.from = (size_t)m + 1;
			tp_plotview_add_page(view, &page);
		}
	}
}

static bool build_page(struct tp_plotview *view, const struct tp_app *app,
		       const struct tp_plot_page *page, struct tp_area area)
{
	const struct tp_run *run = view->runs[0];
	const struct tp_point *p = point_of(run, page->run);
	(void)app;
	if (!p)
		return false;
	if (page->from && page->from <= TP_METERS)
		return tp_profile_strip(view->plot.picture, run, p,
					(enum tp_meter_id)(page->from - 1));
	size_t rows = area.rows > FRAME_ROWS ? (size_t)(area.rows - FRAME_ROWS) : 1;
	const struct tp_profile_shown shown = { shows_meter, shows_region, view };
	return tp_profile_lanes(view->plot.picture, run, p, &shown, rows / ROWS_OF_LANE);
}

/* The phase at a time; NULL = none. */
static const struct tp_profile_phase *phase_at(const struct tp_run *run, const struct tp_point *p,
					       double seconds)
{
	const struct tp_profile_phase *phases;
	size_t n = tp_profile_phases(run, p->point, &phases);
	for (size_t i = 0; i < n; i++)
		if (seconds >= phases[i].start_seconds &&
		    seconds < phases[i].start_seconds + phases[i].seconds)
			return &phases[i];
	return NULL;
}

/* Where the cursor is, and the reading of the page's meter there. */
static void read_cursor(const struct tp_plotview *view, const struct tp_origin *origin,
			struct tp_text_row first, struct tp_text_row second)
{
	const struct tp_plot_page *page = &view->pages[view->page];
	const struct tp_run *run = view->runs[0];
	const struct tp_point *p = point_of(run, page->run);
	const struct tp_profile_sample *samples;
	const struct tp_series *s = &view->plot.picture->series[view->plot.series];
	size_t n = p ? tp_profile_samples(run, p->point, &samples) : 0, i = 0;
	char value[48];
	if (!n || !page->from || view->plot.point >= s->n)
		return;
	while (i + 1 < n && samples[i].at_seconds < s->x[view->plot.point])
		i++;
	enum tp_meter_id id = (enum tp_meter_id)(page->from - 1);
	const struct tp_profile_phase *phase = phase_at(run, p, samples[i].at_seconds);
	tp_words(&first, 0, TP_UI_STRONG, "%.3f s: %s", samples[i].at_seconds,
		 tp_profile_value_of(run, p, id, samples[i].values[id], value, sizeof(value)));
	if (phase)
		tp_words(&first, 2, TP_UI_DIM, "phase %s, mean %s", phase->letter,
			 tp_profile_value_of(run, p, id, phase->means[id], value, sizeof(value)));
	tp_words(&second, 0, TP_UI_DIM, "%s", origin->words ? origin->words : "");
}

/* The phase that the cursor is in is the row of the table. */
static const void *row_at_cursor(const struct tp_plotview *view, const struct tp_origin *origin)
{
	const struct tp_run *run = view->runs[0];
	const struct tp_point *p = point_of(run, view->pages[view->page].run);
	(void)origin;
	return p ? phase_at(run, p, view->plot.x) : NULL;
}

static const struct tp_plot_kind kind = {
	.pages = add_pages,
	.build = build_page,
	.parts = add_parts,
	.read = read_cursor,
	.about = row_at_cursor,
	.side_from = SIDE_FROM,
};

TP_PLOTVIEW_SCREEN(profile, tp_plotview);

/* --- in other screens --- */

static bool grow_profile(struct tp_app *app, const struct tp_point *point, struct tp_area area,
			 struct tp_picture *picture)
{
	size_t rows = area.rows > FRAME_ROWS ? (size_t)(area.rows - FRAME_ROWS) : 1;
	return tp_profile_lanes(picture, tp_app_run(app), point, NULL, rows / ROWS_OF_LANE);
}

const struct tp_shown tp_shown_profile = {
	.screen = TP_SCREEN_PROFILE,
	.words = "a program over time",
	.part = &tp_profile_sample_part,
	.grow = grow_profile,
};
