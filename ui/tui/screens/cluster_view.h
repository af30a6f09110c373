/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The screen Cluster: its state, what it paints, the form of a new run. */
#ifndef TPROF_UI_TUI_SCREENS_CLUSTER_VIEW_H
#define TPROF_UI_TUI_SCREENS_CLUSTER_VIEW_H

#include "ui/tui/screen.h"
#include "ui/tui/screens/cluster_work.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/gridview.h"
#include "ui/tui/widgets/text_field.h"

/* What nodes are sorted by. */
enum tp_node_order {
	TP_NODE_BY_NAME,
	TP_NODE_BY_STATE,
	TP_NODE_BY_POINTS,
	TP_NODE_BY_SPEED,
	TP_NODE_ORDER_COUNT
};

enum tp_cluster_part { TP_CLUSTER_RUNS, TP_CLUSTER_NODES, TP_CLUSTER_PARTS };

enum tp_cluster_over {
	TP_CLUSTER_BARE,
	TP_CLUSTER_FORM, /* asks for a new cluster run */
	TP_CLUSTER_PLAN, /* what it would run */
	TP_CLUSTER_TOLD /* a node */
};

/* The fields of a new cluster run. X(id, label, help, launchers that have it) */
enum { TP_FIELD_LOCAL = 1, TP_FIELD_SSH = 2, TP_FIELD_SCHEDULER = 4 };
#define TP_CLUSTER_FIELDS(X)                                                                       \
	X(LAUNCHER, "launcher", "Left and right choose another.",                                  \
	  TP_FIELD_LOCAL | TP_FIELD_SSH | TP_FIELD_SCHEDULER)                                      \
	X(NUMBER, "nodes", "Programs on this machine, 1 to 64; they disturb each other.",          \
	  TP_FIELD_LOCAL)                                                                          \
	X(HOSTS, "host file", "One host a line: host, user@host or user@host:port.", TP_FIELD_SSH) \
	X(PARTITION, "partition", "Empty: the scheduler chooses.", TP_FIELD_SCHEDULER)             \
	X(NODES, "nodes", "A number, or names with commas between them; empty: all.",              \
	  TP_FIELD_SSH | TP_FIELD_SCHEDULER)                                                       \
	X(TIME, "time limit", "As the scheduler takes it; empty: from the estimate.",              \
	  TP_FIELD_SCHEDULER)                                                                      \
	X(PROGRAM, "program", "tprof as the nodes call it; empty: as the launcher finds it.",      \
	  TP_FIELD_SSH | TP_FIELD_SCHEDULER)

enum tp_cluster_field {
#define TP_CLUSTER_FIELD_ENUM(id, ...) TP_CLUSTER_FIELD_##id,
	TP_CLUSTER_FIELDS(TP_CLUSTER_FIELD_ENUM)
#undef TP_CLUSTER_FIELD_ENUM
		TP_CLUSTER_FIELD_COUNT
};

struct tp_cluster_form {
	size_t launcher; /* of tp_launcher_table */
	enum tp_cluster_field at;
	struct tp_text_field *fields; /* TP_CLUSTER_FIELD_COUNT; NULL until it was open */
	struct tp_diag diag; /* what is wrong with it; `what` empty: nothing */
	char preset[64]; /* name of what is measured */
};

struct tp_cluster_view {
	struct tp_cluster_worker worker;

	char folder[TP_PATH_MAX]; /* of the user's runs */
	struct tp_cluster_brief *briefs;
	size_t n_briefs;
	struct tp_gridview runs;
	bool listed; /* the list is up to date, as of listed_at */
	double listed_at;
	struct tp_diag problem; /* why there is no list; `what` empty: there is one */
	char wanted[TP_CLUSTER_NAME_BYTES]; /* the cursor goes there with the next list; "" = stays
					     */

	struct tp_cluster_shot *shot; /* of the run under the cursor; NULL = not read yet */
	struct tp_diag trouble; /* why its launcher was not asked, or it was not read */
	bool troubled; /* that run was read in vain */
	double looked_at, pause; /* seconds between looks */
	double moved; /* when the cursor moved last */
	bool merge_due; /* its last node has ended */

	struct tp_gridview nodes; /* of the shot */
	enum tp_node_order order;
	struct tp_filter filter;

	enum tp_cluster_over over;
	struct tp_cluster_form form;
	struct tp_cluster_job *told; /* PLAN and TOLD: the shown job */
	struct tp_doc doc; /* of it, for doc.columns */
	struct tp_cluster_job *asked; /* what a question is about */
};

/* The run under the cursor; NULL when the list is empty. */
const struct tp_cluster_brief *tp_cluster_chosen(const struct tp_cluster_view *view);
/* The node under the cursor; NULL. */
const struct tp_cluster_node *tp_cluster_chosen_node(const struct tp_cluster_view *view);
/* The shot, if it belongs to the run under the cursor; else NULL. */
const struct tp_cluster_shot *tp_cluster_chosen_shot(const struct tp_cluster_view *view);

bool tp_cluster_is_over(const struct tp_cluster_shot *shot); /* all nodes have ended */
/* Gives the worker a user's job; false: another one is in progress, with a message. */
bool tp_cluster_do(struct tp_app *app, struct tp_cluster_view *view, struct tp_cluster_job *job);

/* What was read of the runs, and of the one under the cursor, becomes the rows of the list. */
void tp_cluster_show_runs(const struct tp_app *app, struct tp_cluster_view *view);
int tp_cluster_parts(const struct tp_app *app, const void *state);
void tp_cluster_paint(struct tp_app *app, void *state, struct tp_area area);

/* Shows a finished job, and takes ownership of it. */
void tp_cluster_tell(struct tp_cluster_view *view, struct tp_cluster_job *job);
void tp_cluster_untell(struct tp_cluster_view *view);

/* The form of a new run. */
void tp_cluster_form_open(struct tp_app *app, struct tp_cluster_view *view);

/* A key while it is open; false: not for the form. */
bool tp_cluster_form_key(struct tp_app *app, struct tp_cluster_view *view, uint32_t code);
/* What was described is to be submitted: asks. */
void tp_cluster_ask_submit(struct tp_app *app, struct tp_cluster_view *view);

#endif
