/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Painting of the screen Cluster: where its parts are, and how far the nodes of a run are. */
#include "ui/tui/screens/cluster_view.h"
#include "base/memory.h"

#include <stdio.h>

enum {
	BESIDE_AT_COLUMNS = 110,
	LIST_PERCENT = 40,
	LIST_COLUMNS_MAX = 72,
	SPLIT_GAP = 2,
	LIST_ROWS_MAX = 6 /* above the nodes */
};

/* --- places --- */

/* Parts that have no room have no rows. */
struct places {
	struct tp_area list, run;
};

static struct places lay_out(const struct tp_app *app, const struct tp_cluster_view *s,
			     struct tp_area area)
{
	struct places p;
	area = tp_area_columns(area, 1, area.columns - 1);
	p.list = p.run = area;
	if (area.columns >= BESIDE_AT_COLUMNS) {
		int columns = TP_MIN(area.columns * LIST_PERCENT / 100, (int)LIST_COLUMNS_MAX);
		p.list = tp_area_columns(area, 0, columns);
		p.run = tp_area_columns(area, columns + SPLIT_GAP,
					area.columns - columns - SPLIT_GAP);
		return p;
	}
	int rows = app->part == TP_CLUSTER_NODES
			   ? 0
			   : TP_CLUSTER_RUNS_HEAD_ROWS +
				     TP_MIN((int)TP_MIN(s->n_briefs, (size_t)LIST_ROWS_MAX),
					    area.rows / 3);
	p.list = tp_area_rows(area, 0, rows);
	p.run = tp_area_rows(area, rows, area.rows - rows);
	return p;
}

int tp_cluster_parts(const struct tp_app *app, const void *state, struct tp_area area)
{
	const struct tp_cluster_view *s = state;
	(void)app;
	(void)area;
	return s->over == TP_CLUSTER_BARE && tp_cluster_chosen_shot(s) ? TP_CLUSTER_PARTS : 1;
}

/* --- how far they are --- */

/* What the nodes differ in, or how to know. */
static void draw_differences(const struct tp_cluster_view *s, struct tp_area line)
{
	const struct tp_cluster_shot *shot = s->shot;
	const char *merged = shot->grown ? "merged before the last points" : "merged";
	if (*s->trouble.what)
		tp_paint_format(line, 0, 0, TP_UI_BAD, "%s%s%s", s->trouble.where,
				*s->trouble.where ? ": " : "", s->trouble.what);
	else if (!shot->n_groups && shot->sums.n_done)
		tp_paint_text(
			line, 0, 0, TP_UI_DIM,
			"c merges what the nodes have so far: their speeds, and which differ");
	else if (!shot->n_groups)
		return;
	else if (shot->n_nodes < TP_OUTLIER_NODES_MIN)
		tp_paint_format(line, 0, 0, TP_UI_DIM,
				"%s; of fewer than %d nodes nobody can say which differs", merged,
				TP_OUTLIER_NODES_MIN);
	else if (!shot->n_slow && !shot->n_fast)
		tp_paint_format(line, 0, 0, TP_UI_GOOD, "%s; no node differs from the others",
				merged);
	else
		tp_paint_format(line, 0, 0, shot->n_slow ? TP_UI_BAD : TP_UI_WARN,
				"%s; %zu slow, %zu fast, by more than chance", merged, shot->n_slow,
				shot->n_fast);
}

/* Returns the rows that it took. */
static int draw_head(const struct tp_cluster_view *s, struct tp_area area)
{
	const struct tp_cluster_shot *shot = s->shot;
	const struct tp_cluster_sums *sums = &shot->sums;
	char title[TP_CLUSTER_NAME_BYTES + 300], points[64];
	struct tp_str words = { 0 };
	snprintf(title, sizeof(title), "%s, %s%s%s", tp_cluster_short_name(shot->name),
		 shot->launcher, *shot->where ? ":" : "", shot->where);
	tp_paint_rule(area, 0, title);
	tp_cluster_say(sums, shot->seconds_left, &words);
	int row = 1 + tp_paint_wrapped(tp_area_rows(area, 0, 3), 1, 0, TP_UI_STRONG,
				       tp_str_text(&words));
	tp_str_release(&words);
	int n = snprintf(points, sizeof(points), "%lu of %lu points", sums->n_done, sums->n_points);
	double share = sums->n_points ? (double)sums->n_done / (double)sums->n_points : 0;
	tp_paint_bar(area, row, 0, area.columns - n - 3, share, tp_cluster_sums_role(sums));
	tp_paint_right(area, row, area.columns - 1, TP_UI_PLAIN, points);
	draw_differences(s, tp_area_rows(area, row + 1, 1));
	tp_filter_paint(&s->filter, area, row + 2, s->n_shown, shot->n_nodes);
	return row + 3;
}

static void draw_run(struct tp_app *app, struct tp_cluster_view *s, struct tp_area area)
{
	if (tp_cluster_chosen_shot(s)) {
		int rows = draw_head(s, area);
		tp_cluster_nodes_paint(app, s, tp_area_rows(area, rows, area.rows - rows));
	} else if (s->troubled) {
		tp_paint_wrapped(area, 1, 0, TP_UI_BAD, s->trouble.what);
	} else {
		tp_paint_text(area, 1, 0, TP_UI_DIM, app->term.utf8 ? "…" : "...");
	}
}

/* --- all of it --- */

static void draw_nothing(const struct tp_app *app, const struct tp_cluster_view *s,
			 struct tp_area area)
{
	static const char *const lines[] = {
		"A cluster run measures the preset of Setup on many nodes at once, and tells which "
		"node is slow and what the roofline of the nodes is.",
		"r begins one: here, over ssh, or as a job of Slurm. It is shown before anything "
		"runs.",
		"What a shell begins is seen here, too: tprof --cluster slurm --batch PRESET",
	};
	int row = 1;
	area = tp_area_columns(area, 1, area.columns - 2);
	if (*s->problem.what)
		tp_paint_wrapped(area, row, 0, TP_UI_BAD, s->problem.what);
	else if (!s->listed)
		tp_paint_text(area, row, 0, TP_UI_DIM, app->term.utf8 ? "…" : "...");
	else
		for (size_t i = 0; i < TP_COUNT_OF(lines); i++)
			row += 1 + tp_paint_wrapped(area, row, 0, TP_UI_PLAIN, lines[i]);
}

void tp_cluster_paint(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_cluster_view *s = state;
	s->runs.area.rows = s->nodes.area.rows = 0;
	if (s->over == TP_CLUSTER_PLAN || s->over == TP_CLUSTER_TOLD) {
		tp_cluster_told_paint(app, s, tp_area_columns(area, 1, area.columns - 1));
		return;
	}
	if (s->n_briefs) {
		struct places p = lay_out(app, s, area);
		if (p.list.rows)
			tp_cluster_runs_paint(app, s, p.list);
		draw_run(app, s, p.run);
	} else {
		draw_nothing(app, s, area);
	}
	if (s->over == TP_CLUSTER_FORM)
		tp_cluster_form_paint(app, s, area);
}
