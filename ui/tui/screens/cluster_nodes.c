/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Painting of the screen Cluster: the nodes of a cluster run. */
#include "ui/tui/screens/cluster_view.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>

static enum tp_role node_role(enum tp_node_state state)
{
	static const enum tp_role roles[TP_NODE_STATE_COUNT] = {
		[TP_NODE_WAITING] = TP_UI_DIM,	 [TP_NODE_RUNNING] = TP_UI_CHANGED,
		[TP_NODE_DONE] = TP_UI_GOOD,	 [TP_NODE_PARTIAL] = TP_UI_WARN,
		[TP_NODE_FAILED] = TP_UI_BAD,	 [TP_NODE_UNREACHABLE] = TP_UI_BAD,
		[TP_NODE_CANCELLED] = TP_UI_WARN
	};
	return roles[state];
}

void tp_cluster_cell_paint(struct tp_area row, int from, int columns, bool right, enum tp_role role,
			   const char *text)
{
	struct tp_area area = tp_area_columns(row, from, columns);
	if (right)
		tp_paint_right(area, 0, area.columns, role, text);
	else
		tp_paint_text(area, 0, 0, role, text);
}

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
		tp_cluster_cell_paint(row, rows->from[c], rows->columns[c], columns[c].right, role,
				      text);
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
	node_cell(rows, row, STATE, here ? plain : node_role(node->state),
		  tp_node_state_name(node->state));
	if (node->n_points) {
		tp_paint_bar(row, 0, rows->from[BAR], rows->columns[BAR],
			     (double)node->n_done / node->n_points,
			     here ? TP_UI_SELECTED : node_role(node->state));
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

void tp_cluster_nodes_paint(struct tp_app *app, struct tp_cluster_view *s, struct tp_area area)
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
