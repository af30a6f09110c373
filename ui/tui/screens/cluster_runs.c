/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Painting of the screen Cluster: the list of cluster runs. */
#include "ui/tui/screens/cluster_view.h"
#include "base/text.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* "12 s", "4 min", "3 h", or the date of what is older than a day. */
static const char *age_of(const char *started, char *out, size_t size)
{
	enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };
	struct tm broken = { 0 };
	const char *end = strptime(started, "%Y-%m-%dT%H:%M:%SZ", &broken);
	double age = end && !*end ? difftime(time(NULL), timegm(&broken)) : INFINITY;
	if (age < 0 || age >= DAY)
		snprintf(out, size, "%.10s", started);
	else if (age >= HOUR)
		snprintf(out, size, "%.0f h", floor(age / HOUR));
	else if (age >= MINUTE)
		snprintf(out, size, "%.0f min", floor(age / MINUTE));
	else
		snprintf(out, size, "%.0f s", age);
	return out;
}

/* "16 done", "12/16 done, 3 running, 1 failed" */
static void states_text(const struct tp_cluster_sums *sums, struct tp_str *out)
{
	static const enum tp_node_state order[] = { TP_NODE_RUNNING, TP_NODE_WAITING,
						    TP_NODE_FAILED,  TP_NODE_UNREACHABLE,
						    TP_NODE_PARTIAL, TP_NODE_CANCELLED };
	size_t n_done = sums->of_state[TP_NODE_DONE];
	if (n_done)
		tp_str_printf(out, n_done < sums->n ? "%zu/%zu done" : "%zu done", n_done, sums->n);
	for (size_t i = 0; i < TP_COUNT_OF(order); i++)
		if (sums->of_state[order[i]])
			tp_str_printf(out, "%s%zu %s", out->len ? ", " : "",
				      sums->of_state[order[i]], tp_node_state_name(order[i]));
}

enum tp_role tp_cluster_sums_role(const struct tp_cluster_sums *sums)
{
	if (sums->of_state[TP_NODE_FAILED] || sums->of_state[TP_NODE_UNREACHABLE])
		return TP_UI_BAD;
	if (sums->n_ended < sums->n)
		return TP_UI_CHANGED;
	return sums->of_state[TP_NODE_DONE] == sums->n ? TP_UI_GOOD : TP_UI_WARN;
}

/* Columns of the list: widths, 0 = not shown. */
struct list_columns {
	int name, where, state, age;
};

static struct list_columns lay_out_list(int columns)
{
	enum { AGE = 10, WHERE = 16, GAPS = 3, WIDE = 64 };
	struct list_columns c = { .age = AGE };
	int room = columns - AGE - GAPS;
	c.where = columns >= WIDE ? WHERE : 0;
	room -= c.where;
	c.name = TP_MIN(room / 2, 28);
	c.state = room - c.name;
	return c;
}

struct list_rows {
	const struct tp_app *app;
	const struct tp_cluster_view *view;
	struct list_columns columns;
};

static void paint_list_row(struct tp_area row, const struct list_columns *c,
			   const char *const texts[4], const enum tp_role roles[4])
{
	int at = 0;
	tp_cluster_cell_paint(row, at, c->name, false, roles[0], texts[0]);
	at += c->name + 1;
	if (c->where) {
		tp_cluster_cell_paint(row, at, c->where, false, roles[1], texts[1]);
		at += c->where + 1;
	}
	tp_cluster_cell_paint(row, at, c->state, false, roles[2], texts[2]);
	at += c->state + 1;
	tp_cluster_cell_paint(row, at, c->age, true, roles[3], texts[3]);
}

static void draw_brief(void *context, struct tp_area row, size_t i, bool here)
{
	const struct list_rows *rows = context;
	const struct tp_cluster_view *s = rows->view;
	const struct tp_cluster_brief *brief = &s->briefs[i];
	const struct tp_cluster_shot *shot = here ? tp_cluster_chosen_shot(s) : NULL;
	const struct tp_cluster_sums *sums = shot ? &shot->sums : &brief->sums;
	struct tp_str states = { 0 };
	char age[32], where[sizeof(brief->where) + 20];
	enum tp_role on = rows->app->part == TP_CLUSTER_RUNS ? TP_UI_SELECTED : TP_UI_STRONG;
	if (here && on != TP_UI_SELECTED)
		tp_paint_clear(row, TP_UI_PLAIN);
	snprintf(where, sizeof(where), "%s%s%s", brief->launcher, *brief->where ? ":" : "",
		 brief->where);
	if (*brief->problem)
		tp_str_add(&states, brief->problem);
	else
		states_text(sums, &states);
	const char *const texts[] = { tp_cluster_short_name(brief->directory), where,
				      tp_str_text(&states),
				      age_of(brief->started, age, sizeof(age)) };
	const enum tp_role roles[] = { here ? on : TP_UI_PLAIN, here ? on : TP_UI_DIM,
				       here		 ? on
				       : *brief->problem ? TP_UI_BAD
							 : tp_cluster_sums_role(sums),
				       here ? on : TP_UI_DIM };
	paint_list_row(row, &rows->columns, texts, roles);
	tp_str_release(&states);
}

void tp_cluster_runs_paint(struct tp_app *app, struct tp_cluster_view *s, struct tp_area area)
{
	static const char *const titles[] = { "cluster run", "where", "nodes", "begun" };
	static const enum tp_role dim[] = { TP_UI_DIM, TP_UI_DIM, TP_UI_DIM, TP_UI_DIM };
	struct tp_area body = tp_area_rows(area, TP_CLUSTER_RUNS_HEAD_ROWS,
					   area.rows - TP_CLUSTER_RUNS_HEAD_ROWS);
	struct list_rows rows = { app, s, lay_out_list(area.columns - 1) };
	tp_paint_format(area, 0, 0, TP_UI_TITLE, "%zu cluster run%s", s->n_briefs,
			s->n_briefs == 1 ? "" : "s");
	paint_list_row(tp_area_rows(area, 1, 1), &rows.columns, titles, dim);
	tp_list_paint(&s->runs, tp_area_columns(body, 0, body.columns - 1), draw_brief, &rows);
	tp_list_paint_bar(&s->runs, body);
}
