/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Painting of the screen Cluster: the cluster runs, and how far the nodes of one are. */
#include "ui/tui/screens/cluster_view.h"
#include "base/text.h"
#include "base/units.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
	BESIDE_AT_COLUMNS = 110,
	LIST_PERCENT = 40,
	LIST_COLUMNS_MAX = 72,
	SPLIT_GAP = 2,
	LIST_HEAD_ROWS = 2,
	LIST_ROWS_MAX = 6, /* above the nodes */
	DATE_BYTES = 18 /* "2026-11-24-004324-" before the name of a run directory */
};

const char *tp_node_order_name(enum tp_node_order order)
{
	static const char *const names[] = {
#define ORDER_NAME(id, name) name,
		TP_NODE_ORDERS(ORDER_NAME)
#undef ORDER_NAME
	};
	return names[order];
}

enum tp_role tp_node_role(enum tp_node_state state)
{
	static const enum tp_role roles[TP_NODE_STATE_COUNT] = {
		[TP_NODE_WAITING] = TP_UI_DIM,	 [TP_NODE_RUNNING] = TP_UI_CHANGED,
		[TP_NODE_DONE] = TP_UI_GOOD,	 [TP_NODE_PARTIAL] = TP_UI_WARN,
		[TP_NODE_FAILED] = TP_UI_BAD,	 [TP_NODE_UNREACHABLE] = TP_UI_BAD,
		[TP_NODE_CANCELLED] = TP_UI_WARN
	};
	return roles[state];
}

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
	int rows =
		app->part == TP_CLUSTER_NODES
			? 0
			: LIST_HEAD_ROWS + TP_MIN((int)TP_MIN(s->n_briefs, (size_t)LIST_ROWS_MAX),
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

static void cell(struct tp_area row, int from, int columns, bool right, enum tp_role role,
		 const char *text)
{
	struct tp_area area = tp_area_columns(row, from, columns);
	if (right)
		tp_paint_right(area, 0, area.columns, role, text);
	else
		tp_paint_text(area, 0, 0, role, text);
}

/* --- the list --- */

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

static const char *short_name(const char *directory)
{
	return strlen(directory) > DATE_BYTES && strspn(directory, "0123456789-") >= DATE_BYTES
		       ? directory + DATE_BYTES
		       : directory;
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

static enum tp_role sums_role(const struct tp_cluster_sums *sums)
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
	cell(row, at, c->name, false, roles[0], texts[0]);
	at += c->name + 1;
	if (c->where) {
		cell(row, at, c->where, false, roles[1], texts[1]);
		at += c->where + 1;
	}
	cell(row, at, c->state, false, roles[2], texts[2]);
	at += c->state + 1;
	cell(row, at, c->age, true, roles[3], texts[3]);
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
	const char *const texts[] = { short_name(brief->directory), where, tp_str_text(&states),
				      age_of(brief->started, age, sizeof(age)) };
	const enum tp_role roles[] = { here ? on : TP_UI_PLAIN, here ? on : TP_UI_DIM,
				       here		 ? on
				       : *brief->problem ? TP_UI_BAD
							 : sums_role(sums),
				       here ? on : TP_UI_DIM };
	paint_list_row(row, &rows->columns, texts, roles);
	tp_str_release(&states);
}

static void draw_list(struct tp_app *app, struct tp_cluster_view *s, struct tp_area area)
{
	static const char *const titles[] = { "cluster run", "where", "nodes", "begun" };
	static const enum tp_role dim[] = { TP_UI_DIM, TP_UI_DIM, TP_UI_DIM, TP_UI_DIM };
	struct tp_area body = tp_area_rows(area, LIST_HEAD_ROWS, area.rows - LIST_HEAD_ROWS);
	struct list_rows rows = { app, s, lay_out_list(area.columns - 1) };
	tp_paint_format(area, 0, 0, TP_UI_TITLE, "%zu cluster run%s", s->n_briefs,
			s->n_briefs == 1 ? "" : "s");
	paint_list_row(tp_area_rows(area, 1, 1), &rows.columns, titles, dim);
	tp_list_paint(&s->runs, tp_area_columns(body, 0, body.columns - 1), draw_brief, &rows);
	tp_list_paint_bar(&s->runs, body);
}

/* --- the nodes --- */

enum column { NODE, STATE, BAR, POINTS, SPEED, Z, WORD, WHY, COLUMNS };

static const struct {
	const char *title;
	int columns;
	bool right;
	int order; /* enum tp_node_order; -1 = none */
} columns[COLUMNS] = {
	[NODE] = { "node", 0, false, TP_NODE_BY_NAME },
	[STATE] = { "state", 11, false, TP_NODE_BY_STATE },
	[BAR] = { "", 8, false, -1 },
	[POINTS] = { "points", 6, true, TP_NODE_BY_POINTS },
	[SPEED] = { "speed", 7, true, TP_NODE_BY_SPEED },
	[Z] = { "z", 6, true, -1 },
	[WORD] = { "", 4, false, -1 },
	[WHY] = { "why", 0, false, -1 },
};

struct node_rows {
	const struct tp_app *app;
	const struct tp_cluster_view *view;
	int from[COLUMNS], columns[COLUMNS]; /* 0 = not shown */
};

static void lay_out_nodes(struct node_rows *rows, const struct tp_cluster_shot *shot, int room)
{
	enum { NAME_MIN = 8, NAME_MAX = 32, NARROW = 80, WIDE = 100, WIDE_BAR = 20, THIN_BAR = 5 };
	int at = 0, name = TP_MAX((int)NAME_MIN, shot->name_columns);
	bool merged = shot->n_groups > 0;
	for (int c = 0; c < COLUMNS; c++) {
		int n = columns[c].columns;
		if (c == NODE)
			n = TP_MIN(name, TP_MIN((int)NAME_MAX, room / 4));
		if (c == POINTS)
			n = TP_MAX(n, shot->points_columns);
		if (c == BAR && room >= WIDE)
			n = WIDE_BAR;
		if (c == BAR && room < NARROW && merged)
			n = THIN_BAR;
		/* Nobody knows a speed before the nodes are merged. */
		if ((c == SPEED || c == Z || c == WORD) && !merged)
			n = 0;
		if (c == WHY)
			n = TP_MAX(room - at, 0);
		rows->from[c] = at;
		rows->columns[c] = n;
		at += n ? n + 1 : 0;
	}
}

static void node_cell(const struct node_rows *rows, struct tp_area row, enum column c,
		      enum tp_role role, const char *text)
{
	if (rows->columns[c])
		cell(row, rows->from[c], rows->columns[c], columns[c].right, role, text);
}

static void draw_node(void *context, struct tp_area row, size_t i, bool at_cursor)
{
	const struct node_rows *rows = context;
	const struct tp_cluster_view *s = rows->view;
	const struct tp_shot_node *node = &s->shot->nodes[s->shown[i]];
	bool here = at_cursor && rows->app->part == TP_CLUSTER_NODES;
	bool odd = node->outlier != TP_OUTLIER_NONE;
	char text[64];
	if (at_cursor && !here)
		tp_paint_clear(row, TP_UI_PLAIN);
	enum tp_role plain = here ? TP_UI_SELECTED : TP_UI_PLAIN;
	enum tp_role speed = here				? TP_UI_SELECTED
			     : !odd				? TP_UI_PLAIN
			     : node->outlier == TP_OUTLIER_SLOW ? TP_UI_BAD
								: TP_UI_WARN;
	node_cell(rows, row, NODE, plain, node->name);
	node_cell(rows, row, STATE, here ? plain : tp_node_role(node->state),
		  tp_node_state_name(node->state));
	if (node->n_points) {
		tp_paint_bar(row, 0, rows->from[BAR], rows->columns[BAR],
			     (double)node->n_done / node->n_points,
			     here ? TP_UI_SELECTED : tp_node_role(node->state));
		snprintf(text, sizeof(text), "%u/%u", node->n_done, node->n_points);
		node_cell(rows, row, POINTS, plain, text);
	}
	if (!isnan(node->speed)) {
		snprintf(text, sizeof(text), "%.3f", node->speed);
		node_cell(rows, row, SPEED, speed, text);
	}
	if (!isnan(node->z)) {
		snprintf(text, sizeof(text), "%+.1f", node->z);
		node_cell(rows, row, Z, speed, text);
	}
	node_cell(rows, row, WORD, speed,
		  node->outlier == TP_OUTLIER_SLOW   ? "slow"
		  : node->outlier == TP_OUTLIER_FAST ? "fast"
						     : "");
	node_cell(rows, row, WHY, here ? plain : TP_UI_DIM, node->why);
}

static void draw_nodes(struct tp_app *app, struct tp_cluster_view *s, struct tp_area area)
{
	struct node_rows rows = { .app = app, .view = s };
	struct tp_area body = tp_area_rows(area, 1, area.rows - 1);
	struct tp_area titles = tp_area_rows(area, 0, 1);
	lay_out_nodes(&rows, s->shot, area.columns - 1);
	for (int c = 0; c < COLUMNS; c++) {
		char text[32];
		bool sorted = columns[c].order == (int)s->order;
		snprintf(text, sizeof(text), "%s%s", columns[c].title,
			 !sorted	  ? ""
			 : app->term.utf8 ? " ▾"
					  : " v");
		node_cell(&rows, titles, (enum column)c, sorted ? TP_UI_STRONG : TP_UI_DIM, text);
	}
	tp_list_paint(&s->nodes, tp_area_columns(body, 0, body.columns - 1), draw_node, &rows);
	tp_list_paint_bar(&s->nodes, body);
	if (!s->n_shown)
		tp_paint_text(body, 1, 0, TP_UI_DIM, "No node matches. Esc shows all again.");
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
	snprintf(title, sizeof(title), "%s, %s%s%s", short_name(shot->name), shot->launcher,
		 *shot->where ? ":" : "", shot->where);
	tp_paint_rule(area, 0, title);
	tp_cluster_say(sums, shot->seconds_left, &words);
	int row = 1 + tp_paint_wrapped(tp_area_rows(area, 0, 3), 1, 0, TP_UI_STRONG,
				       tp_str_text(&words));
	tp_str_release(&words);
	int n = snprintf(points, sizeof(points), "%lu of %lu points", sums->n_done, sums->n_points);
	double share = sums->n_points ? (double)sums->n_done / (double)sums->n_points : 0;
	tp_paint_bar(area, row, 0, area.columns - n - 3, share, sums_role(sums));
	tp_paint_right(area, row, area.columns - 1, TP_UI_PLAIN, points);
	draw_differences(s, tp_area_rows(area, row + 1, 1));
	tp_filter_paint(&s->filter, area, row + 2, s->n_shown, shot->n_nodes);
	return row + 3;
}

static void draw_run(struct tp_app *app, struct tp_cluster_view *s, struct tp_area area)
{
	if (tp_cluster_chosen_shot(s)) {
		int rows = draw_head(s, area);
		draw_nodes(app, s, tp_area_rows(area, rows, area.rows - rows));
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
			draw_list(app, s, p.list);
		draw_run(app, s, p.run);
	} else {
		draw_nothing(app, s, area);
	}
	if (s->over == TP_CLUSTER_FORM)
		tp_cluster_form_paint(app, s, area);
}
