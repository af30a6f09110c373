/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far the nodes of a cluster run are: as a table, and while somebody waits. */
#include "cli/cluster.h"
#include "cluster/tables.h"
#include "base/now.h"
#include "base/text.h"
#include "base/memory.h"
#include "cluster/actions.h"
#include "report/text.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A scheduler is asked less often than processes of this machine. */
#define LOCAL_SECONDS	  0.2
#define SCHEDULER_SECONDS 5.0
#define FIRST_SECONDS	  0.3 /* of a scheduler: a short job is over soon */
#define TICK_SECONDS	  0.1

static volatile sig_atomic_t left;

static void on_leave(int number)
{
	(void)number;
	left = 1;
}

static enum tp_paint paint_of(enum tp_node_state state)
{
	switch (state) {
	case TP_NODE_DONE:
		return TP_PAINT_GOOD;
	case TP_NODE_PARTIAL:
	case TP_NODE_CANCELLED:
		return TP_PAINT_WARN;
	case TP_NODE_FAILED:
	case TP_NODE_UNREACHABLE:
		return TP_PAINT_BAD;
	default:
		return TP_PAINT_PLAIN;
	}
}

void tp_cluster_table(const struct tp_cluster *cluster, const struct tp_look *look,
		      struct tp_str *out)
{
	static const struct tp_grid_column columns[] = {
		{ .head = "node" },
		{ .head = "state" },
		{ .head = "points", .align = TP_RIGHT },
		{ .head = "job", .give = 1 },
		{ .head = "why", .give = 0 },
	};
	struct tp_grid grid;
	struct tp_cluster_sums sums;
	tp_grid_init(&grid, columns, TP_COUNT_OF(columns));
	tp_grid_heads(&grid);
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		const struct tp_cluster_node *node = &cluster->nodes[i];
		tp_grid_clean(&grid, look, TP_PAINT_PLAIN, node->name);
		tp_grid_text(&grid, paint_of(node->state), tp_node_state_name(node->state));
		if (node->n_points)
			tp_grid_printf(&grid, TP_PAINT_PLAIN, "%u/%u", node->n_done,
				       node->n_points);
		else
			tp_grid_text(&grid, TP_PAINT_DIM, "-");
		tp_grid_clean(&grid, look, TP_PAINT_DIM, *node->job ? node->job : "-");
		tp_grid_clean(&grid, look, TP_PAINT_PLAIN, node->why);
	}
	tp_grid_write(&grid, look, out);
	tp_grid_release(&grid);
	tp_cluster_add_up(cluster, &sums);
	tp_str_add(out, "\n");
	for (int s = 0; s < TP_NODE_STATE_COUNT; s++)
		if (sums.of_state[s])
			tp_str_printf(out, "%zu %s, ", sums.of_state[s],
				      tp_node_state_name((enum tp_node_state)s));
	tp_str_printf(out, "%lu of %lu points\n", sums.n_done, sums.n_points);
}

int tp_cluster_exit(const struct tp_cluster *cluster)
{
	struct tp_cluster_sums sums;
	tp_cluster_add_up(cluster, &sums);
	if (sums.of_state[TP_NODE_DONE] == cluster->n_nodes)
		return TP_EXIT_OK;
	return sums.n_done ? TP_EXIT_SKIPPED : TP_EXIT_FAILED;
}

/* --- waiting --- */

struct watch {
	const struct tp_cli *cli;
	struct tp_look look;
	struct tp_progress progress;
	enum tp_node_state *told; /* of each node */
	struct tp_cluster_pace pace;
};

static void show(struct watch *w, const struct tp_cluster *cluster)
{
	struct tp_cluster_sums sums;
	struct tp_str text = { 0 };
	char left_text[48];
	if (w->cli->quiet)
		return;
	tp_cluster_add_up(cluster, &sums);
	double seconds = tp_cluster_seconds_left(&w->pace, cluster, &sums);
	tp_str_printf(&text, "%zu/%zu nodes", sums.n_ended, cluster->n_nodes);
	if (sums.of_state[TP_NODE_WAITING])
		tp_str_printf(&text, "%s%zu waiting", tp_text_dot(&w->look),
			      sums.of_state[TP_NODE_WAITING]);
	if (sums.n_points)
		tp_str_printf(&text, "%s%lu/%lu points", tp_text_dot(&w->look), sums.n_done,
			      sums.n_points);
	if (seconds > 0)
		tp_str_printf(&text, "%s%s left", tp_text_dot(&w->look),
			      tp_format_seconds(left_text, sizeof(left_text),
						(double)(long long)seconds + 1));
	tp_progress_say(&w->progress, tp_str_text(&text));
	tp_str_release(&text);
}

/* Each end is told once. */
static void tell(struct watch *w, const struct tp_cluster *cluster)
{
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		const struct tp_cluster_node *node = &cluster->nodes[i];
		if (node->state == w->told[i])
			continue;
		w->told[i] = node->state;
		if (!tp_node_has_ended(node->state) || w->cli->quiet)
			continue;
		tp_progress_clear(&w->progress);
		tp_say("%s: %s, %u of %u points%s%s", node->name, tp_node_state_name(node->state),
		       node->n_done, node->n_points, *node->why ? ": " : "", node->why);
	}
}

static void catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_leave };
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < TP_COUNT_OF(numbers); i++)
		sigaction(numbers[i], &action, NULL);
}

static bool is_over(const struct tp_cluster *cluster)
{
	struct tp_cluster_sums sums;
	tp_cluster_add_up(cluster, &sums);
	return sums.n_ended == cluster->n_nodes;
}

static void pause_for(double seconds)
{
	const struct timespec tick = { 0, (long)(TICK_SECONDS * 1e9) };
	for (double until = tp_now_seconds() + seconds; !left && tp_now_seconds() < until;)
		nanosleep(&tick, NULL);
}

static int leave(const struct watch *w, const struct tp_cluster *cluster)
{
	char command[sizeof(cluster->name) + 64];
	if (!w->cli->quiet) {
		tp_say("the nodes go on without this tprof; look after them with");
		snprintf(command, sizeof(command), "tprof --cluster status %s", cluster->name);
		tp_say_command(command);
		snprintf(command, sizeof(command), "tprof --cluster cancel %s", cluster->name);
		tp_say_command(command);
	}
	return TP_EXIT_INTERRUPTED;
}

int tp_cluster_watch(const struct tp_cli *cli, struct tp_cluster *cluster)
{
	struct watch w = {
		.cli = cli,
	};
	struct tp_diag diag = { 0 };
	struct tp_cluster_sums sums;
	const struct tp_launcher *launcher = tp_launcher_find(cluster->launcher);
	const bool scheduler = launcher && launcher->is_scheduler;
	double every = scheduler ? FIRST_SECONDS : LOCAL_SECONDS;
	enum tp_status status = TP_OK;
	w.told = calloc(cluster->n_nodes + 1, sizeof(*w.told));
	if (!w.told)
		return TP_EXIT_RESOURCE;
	/* Nodes that were done before are not told; those that could not be started are. */
	for (size_t i = 0; i < cluster->n_nodes; i++)
		w.told[i] =
			cluster->nodes[i].state == TP_NODE_DONE ? TP_NODE_DONE : TP_NODE_WAITING;
	tp_cluster_add_up(cluster, &sums);
	tp_cluster_seconds_left(&w.pace, cluster, &sums);
	catch_signals();
	tp_look_init(&w.look, &cli->look, STDERR_FILENO);
	tp_progress_start(&w.progress, &w.look);
	tell(&w, cluster);
	while (!left && !is_over(cluster)) {
		show(&w, cluster);
		pause_for(every);
		if (left)
			break;
		if (scheduler && every < SCHEDULER_SECONDS)
			every *= 1.25;
		status = tp_cluster_refresh(cluster, NULL, &diag);
		/* A scheduler that does not answer now may answer later. */
		if (status != TP_OK) {
			tp_progress_clear(&w.progress);
			tp_complain(&diag);
			if (status != TP_FAILED)
				break;
			pause_for(SCHEDULER_SECONDS);
		}
		tell(&w, cluster);
	}
	tp_progress_clear(&w.progress);
	free(w.told);
	if (left)
		return leave(&w, cluster);
	return status == TP_OK || status == TP_FAILED ? tp_cluster_exit(cluster)
						      : (int)tp_status_exit(status);
}
