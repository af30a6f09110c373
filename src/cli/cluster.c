/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --cluster: submits a preset to many nodes, and looks after what was submitted. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/command.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/text.h"
#include "cli/measure.h"
#include "cli/commands.h"
#include "cluster/actions.h"
#include "cluster/merge.h"
#include "cluster/tables.h"
#include "record/load.h"
#include "report/facts.h"
#include "report/page.h"
#include "session/document.h"
#include "doc/terminal.h"
#include "session/session.h"

/* --- progress of the nodes: as a table, and while a command waits --- */

/* A scheduler is polled less often than processes of this machine. */
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

static void add_table(const struct tp_cluster *cluster, struct tp_text *doc)
{
	struct tp_cluster_sums sums;
	struct tp_grid grid;
	tp_nodes_grid(cluster->nodes, NULL, cluster->n_nodes, &grid);
	tp_grid_write(&grid, doc);
	tp_cluster_add_up(cluster, &sums);
	tp_text_gap(doc);
	TP_STR line = { 0 };
	for (int s = 0; s < TP_NODE_STATE_COUNT; s++)
		if (sums.of_state[s])
			tp_str_printf(&line, "%zu %s, ", sums.of_state[s],
				      tp_node_state_name((enum tp_node_state)s));
	tp_text_say(doc, TP_PAINT_PLAIN, 0, 0, "%s%lu of %lu points", tp_str_text(&line),
		    sums.n_done, sums.n_points);
}

static int exit_code(const struct tp_cluster *cluster)
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
	enum tp_node_state *told; /* last reported state of each node */
	struct tp_cluster_pace pace;
};

static void show(struct watch *w, const struct tp_cluster *cluster)
{
	struct tp_cluster_sums sums;
	TP_STR text = { 0 };
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
}

/* Each end is reported once. */
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

static int watch_nodes(const struct tp_cli *cli, struct tp_cluster *cluster)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	const struct sigaction action = { .sa_handler = on_leave };
	struct watch w = { .cli = cli };
	struct tp_diag diag = { 0 };
	struct tp_cluster_sums sums;
	const struct tp_launcher *launcher = tp_launcher_find(cluster->launcher);
	const bool scheduler = launcher && launcher->is_scheduler;
	double every = scheduler ? FIRST_SECONDS : LOCAL_SECONDS;
	enum tp_status status = TP_OK;
	w.told = tp_alloc(cluster->n_nodes + 1, sizeof(*w.told));
	/* Nodes that were done before are not reported; those that could not be started are. */
	for (size_t i = 0; i < cluster->n_nodes; i++)
		w.told[i] =
			cluster->nodes[i].state == TP_NODE_DONE ? TP_NODE_DONE : TP_NODE_WAITING;
	tp_cluster_add_up(cluster, &sums);
	tp_cluster_seconds_left(&w.pace, cluster, &sums);
	for (size_t i = 0; i < TP_COUNT_OF(numbers); i++)
		sigaction(numbers[i], &action, NULL);
	tp_look_init(&w.look, &cli->look, STDERR_FILENO);
	tp_progress_start(&w.progress, &w.look);
	tell(&w, cluster);
	for (; !left && sums.n_ended < sums.n; tp_cluster_add_up(cluster, &sums)) {
		show(&w, cluster);
		pause_for(every);
		if (left)
			break;
		if (scheduler && every < SCHEDULER_SECONDS)
			every *= 1.25;
		status = tp_cluster_refresh(cluster, &diag);
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
	return status == TP_OK || status == TP_FAILED ? exit_code(cluster)
						      : (int)tp_status_exit(status);
}

/* --- an earlier cluster run --- */

/* By its name, or the last one; up to date. */
static enum tp_status open_cluster(const char *typed, struct tp_cluster *cluster,
				   struct tp_diag *diag)
{
	char directory[TP_PATH_MAX];
	enum tp_status status = tp_cluster_find(typed, directory, diag);
	return status == TP_OK ? tp_cluster_load(cluster, directory, diag) : status;
}

static int show_status(const struct tp_cli *cli, const char *typed)
{
	TP_CLEANUP(tp_cluster_release) struct tp_cluster cluster = { 0 };
	struct tp_diag diag = { 0 };
	TP_STR out = { 0 };
	struct tp_look look;
	enum tp_status status = open_cluster(typed, &cluster, &diag);
	if (status != TP_OK)
		return tp_cli_fail(status, &diag);
	/* What is known is shown, even if the scheduler does not answer. */
	status = tp_cluster_refresh(&cluster, &diag);
	int code = status == TP_OK ? TP_EXIT_OK : tp_cli_fail(status, &diag);
	tp_look_init(&look, &cli->look, tp_is_stdout(cli->output) ? STDOUT_FILENO : -1);
	if (cli->json) {
		tp_cluster_text(&cluster, &out);
	} else {
		TP_TEXT(text, &look);
		tp_text_say(&text, TP_PAINT_PLAIN, 0, 0, "%s: %s%s%s, started %s", cluster.name,
			    cluster.launcher, *cluster.where ? " " : "", cluster.where,
			    cluster.started);
		tp_text_gap(&text);
		add_table(&cluster, &text);
		tp_text_print(&text, &out);
	}
	status = tp_text_write(cli->output, &out, &diag);
	return status == TP_OK ? code : tp_cli_fail(status, &diag);
}

/* Two unlike machines are compared. */
static void say_compare(const struct tp_cluster *cluster, const char *called)
{
	TP_STR command = { 0 }, run = { 0 };
	tp_str_add(&command, "tprof --compare");
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		tp_str_clear(&run);
		tp_str_printf(&run, "%s/nodes/%s", called, cluster->nodes[i].name);
		tp_command_join(&command, tp_str_text(&run));
	}
	tp_say_command(tp_str_text(&command));
}

/* Remarks on a merge, and how to look at the result. */
static void tell_merged(const struct tp_cli *cli, const struct tp_cluster *cluster,
			enum tp_status status, const struct tp_diags *remarks)
{
	TP_STR text = { 0 };
	struct tp_run run;
	char path[TP_PATH_MAX];
	if (cli->quiet)
		return;
	tp_complain_all(remarks);
	if (status != TP_OK)
		return;
	if (tp_run_load(&run, tp_cluster_merged_path(cluster, 0, path), NULL) != TP_OK)
		return;
	tp_conclusion_line(&run, &text);
	if (text.len)
		tp_say("%s", tp_str_text(&text));
	uint64_t groups = tp_fact_count(&run, TP_FACT_CLUSTER_GROUPS);
	if (groups > 1)
		tp_say("that is merged/; %" PRIu64 " other group%s of nodes: merged-2%s",
		       groups - 1, groups == 2 ? "" : "s", groups == 2 ? "" : " and so on");
	tp_str_clear(&text);
	tp_str_add(&text, "tprof --show");
	tp_command_join(&text, run.called);
	tp_say_command(tp_str_text(&text));
	if (groups == 2 && cluster->n_nodes == 2)
		say_compare(cluster, run.called);
	tp_run_release(&run);
}

static enum tp_status merge(const struct tp_cli *cli, const struct tp_cluster *cluster,
			    struct tp_diag *diag)
{
	TP_CLEANUP(tp_diags_release) struct tp_diags remarks = { 0 };
	enum tp_status status = tp_cluster_write_merged(cluster, &remarks, diag);
	tell_merged(cli, cluster, status, &remarks);
	return status;
}

/* The user's word for what a stored cluster run does, after that for the code of its preset. */
static enum tp_status agree(const struct tp_cli *cli, struct tp_cluster *cluster,
			    enum tp_cluster_act act, struct tp_consent *consent,
			    struct tp_diag *diag)
{
	uint64_t word = tp_cluster_acts(cluster, act, consent);
	if (tp_consent_given(consent, cli->allow_code || !word))
		cluster->agreed = word;
	tp_consent_release(consent);
	return tp_cluster_may(cluster, act, diag);
}

static int collect(const struct tp_cli *cli, const char *typed)
{
	TP_CLEANUP(tp_cluster_release) struct tp_cluster cluster = { 0 };
	TP_CLEANUP(tp_diags_release) struct tp_diags remarks = { 0 };
	struct tp_diag diag = { 0 };
	enum tp_status status = open_cluster(typed, &cluster, &diag);
	if (status == TP_OK)
		status = agree(cli, &cluster, TP_ACT_COLLECT, &(struct tp_consent){ 0 }, &diag);
	if (status == TP_OK)
		status = tp_cluster_collect(&cluster, &remarks, &diag);
	tell_merged(cli, &cluster, status, &remarks);
	return status == TP_OK ? exit_code(&cluster) : tp_cli_fail(status, &diag);
}

static int cancel(const struct tp_cli *cli, const char *typed)
{
	TP_CLEANUP(tp_cluster_release) struct tp_cluster cluster = { 0 };
	struct tp_cluster_sums sums;
	struct tp_diag diag = { 0 };
	enum tp_status status = open_cluster(typed, &cluster, &diag);
	if (status == TP_OK)
		status = agree(cli, &cluster, TP_ACT_CANCEL, &(struct tp_consent){ 0 }, &diag);
	if (status == TP_OK)
		status = tp_cluster_cancel(&cluster, &diag);
	if (status != TP_OK)
		return tp_cli_fail(status, &diag);
	tp_cluster_add_up(&cluster, &sums);
	size_t n = sums.of_state[TP_NODE_CANCELLED];
	if (!cli->quiet)
		tp_say("%s: %zu node%s cancelled; what they measured stays", cluster.name, n,
		       n == 1 ? "" : "s");
	return TP_EXIT_OK;
}

/* --- submitting --- */

static void warn(const struct tp_cli *cli, const struct tp_cluster *cluster)
{
	const struct tp_launcher *launcher = tp_launcher_find(cluster->launcher);
	TP_CLEANUP(tp_diags_release) struct tp_diags remarks = { 0 };
	if (!cli->quiet && launcher && launcher->warn)
		launcher->warn(cluster, &remarks);
	tp_complain_all(&remarks);
}

/* Submits and waits. */
static int submit(const struct tp_cli *cli, struct tp_cluster *cluster,
		  const struct tp_cluster_wish *wish, struct tp_diag *diag)
{
	warn(cli, cluster);
	enum tp_status status = tp_cluster_submit(cluster, wish, diag);
	if (status != TP_OK)
		return tp_cli_fail(status, diag);
	size_t n = 0;
	for (size_t i = 0; i < cluster->n_nodes; i++)
		n += !tp_node_has_ended(cluster->nodes[i].state);
	if (!cli->quiet)
		tp_say("%s: %zu of %zu nodes submitted; Ctrl-C does not stop them", cluster->name,
		       n, cluster->n_nodes);
	int code = watch_nodes(cli, cluster);
	/* Without points there is nothing to merge. */
	if ((code == TP_EXIT_OK || code == TP_EXIT_SKIPPED) &&
	    (status = merge(cli, cluster, diag)) != TP_OK)
		return tp_cli_fail(status, diag);
	return code;
}

bool tp_cli_is_cluster(const char *typed, char directory[TP_PATH_MAX])
{
	char path[TP_PATH_MAX], *slash;
	bool last = strcmp(typed, "last") == 0;
	bool found = tp_cluster_find(typed, directory, NULL) == TP_OK;
	if (found != last) /* one with that name, or there is no last one */
		return found;
	bool is_run = tp_run_find(typed, path, NULL) == TP_OK;
	if (last) {
		/*
		 * The newest of runs and cluster runs, by their names, which begin with the date.
		 * What the nodes have in common is a run in its folder.
		 */
		size_t n = strlen(directory);
		size_t folder = (size_t)(strrchr(directory, '/') - directory);
		return !is_run || (strncmp(path, directory, n) == 0 && path[n] == '/') ||
		       strcmp(path + folder, directory + folder) < 0;
	}
	/* Its merged run itself cannot go on. */
	if (!is_run || !(slash = strrchr(path, '/')))
		return false;
	slash[1] = '\0';
	return tp_cluster_find(path, directory, NULL) == TP_OK;
}

/* A refused one has no job. */
static bool still_runs(const struct tp_cluster *cluster)
{
	for (size_t i = 0; i < cluster->n_nodes; i++)
		if (!tp_node_has_ended(cluster->nodes[i].state) && *cluster->nodes[i].job)
			return true;
	return false;
}

/* The nodes run the code of its preset only if that was shown. */
static enum tp_status agree_resume(const struct tp_cli *cli, struct tp_cluster *cluster,
				   struct tp_cluster_wish *wish, struct tp_diag *diag)
{
	TP_CLEANUP(tp_preset_release) struct tp_preset preset = { 0 };
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	struct tp_consent consent = { 0 };
	enum tp_status status = tp_session_preset(&preset, NULL, wish->preset_path, &diags);
	if (status != TP_OK) {
		*diag = diags.n ? diags.items[0] : *diag;
		return status;
	}
	tp_consent_add_preset(&consent, &preset, false);
	wish->allow_code = consent.n > 0;
	return agree(cli, cluster, TP_ACT_RESUME, &consent, diag);
}

int tp_cli_cluster_resume(const struct tp_cli *cli, const char *directory)
{
	TP_CLEANUP(tp_cluster_release) struct tp_cluster cluster = { 0 };
	struct tp_diag diag = { 0 };
	char preset[TP_PATH_MAX];
	struct tp_cluster_wish wish;
	if (cli->overrides.n || cli->run_dir)
		return tp_cli_usage("to change something, submit a new one with --batch",
				    "a cluster run goes on with its own preset in its own folder");
	enum tp_status status = tp_cluster_load(&cluster, directory, &diag);
	if (status == TP_OK)
		status = tp_cluster_refresh(&cluster, &diag);
	if (status != TP_OK)
		return tp_cli_fail(status, &diag);
	tp_cluster_wish_again(&cluster, preset, &wish);
	/* One job at a time: its missing nodes need another one. */
	if (tp_launcher_find(cluster.launcher)->is_scheduler && still_runs(&cluster)) {
		if (!cli->quiet)
			tp_say("job %s still waits or runs", cluster.job);
		if (watch_nodes(cli, &cluster) == TP_EXIT_INTERRUPTED)
			return TP_EXIT_INTERRUPTED;
	}
	if (exit_code(&cluster) == TP_EXIT_OK) {
		if (!cli->quiet)
			tp_say("%s: every node has every point", cluster.name);
		/* They may have got it since the last look. */
		status = merge(cli, &cluster, &diag);
		return status == TP_OK ? TP_EXIT_OK : tp_cli_fail(status, &diag);
	}
	if (cli->time_limit)
		tp_copy(cluster.time_limit, sizeof(cluster.time_limit), cli->time_limit);
	status = agree_resume(cli, &cluster, &wish, &diag);
	return status == TP_OK ? submit(cli, &cluster, &wish, &diag) : tp_cli_fail(status, &diag);
}

static int describe(const struct tp_cli *cli, struct tp_cluster *cluster,
		    const struct tp_launcher *launcher, const struct tp_cluster_wish *wish,
		    struct tp_diag *diag)
{
	TP_STR out = { 0 };
	warn(cli, cluster);
	enum tp_status status = launcher->describe(cluster, wish, &out, diag);
	if (status == TP_OK)
		fputs(tp_str_text(&out), stdout);
	return status == TP_OK ? TP_EXIT_OK : tp_cli_fail(status, diag);
}

static int measure_session(const struct tp_cli *cli, const struct tp_session *session, bool dry)
{
	TP_CLEANUP(tp_cluster_release) struct tp_cluster cluster = { 0 };
	char launcher_name[16], name[64], preset[TP_PATH_MAX];
	TP_STR yaml = { 0 };
	struct tp_cluster_wish wish = { .launcher = launcher_name,
					.nodes = cli->nodes,
					.partition = cli->partition,
					.time_limit = cli->time_limit,
					.program = cli->node_program,
					.not_shared = cli->no_shared,
					.per = cli->per,
					.allow_code = cli->allow_code,
					.seconds = session->plan.estimate_seconds,
					.preset_path = "RUN/preset.yaml" };
	struct tp_diag diag = { 0 };
	const struct tp_launcher *launcher = NULL;
	enum tp_status status =
		tp_cluster_read_launcher(cli->cluster.items[0], launcher_name, &wish.where, &diag);
	if (status == TP_OK)
		status = tp_cluster_begin(&cluster, &wish, &launcher, &diag);
	if (status == TP_OK && dry)
		return describe(cli, &cluster, launcher, &wish, &diag);
	/* The folder of a new cluster run, then the nodes' commands. */
	if (status == TP_OK && (status = tp_preset_write(&session->preset, true, &yaml)) != TP_OK)
		tp_fail(&diag, status, "preset", NULL, "%s", tp_status_name(status));
	if (status == TP_OK)
		status = tp_cluster_create(&cluster, cli->run_dir,
					   tp_keep_name(&session->preset, name, sizeof(name)),
					   &yaml, preset, &diag);
	wish.preset_path = preset;
	return status == TP_OK ? submit(cli, &cluster, &wish, &diag) : tp_cli_fail(status, &diag);
}

static int measure(const struct tp_cli *cli, bool dry)
{
	TP_CLEANUP(tp_session_close) struct tp_session session = { 0 };
	char lesson[TP_PATH_MAX];
	if (cli->json || cli->csv || cli->svg || cli->html || cli->output || cli->events ||
	    cli->control || cli->papi_file)
		return tp_cli_usage(
			"each node's folder has its results: tprof --show RUN/nodes/NODE",
			"--cluster prints no results");
	if (tp_cli_is_lesson(tp_cli_value(cli), lesson))
		return tp_cli_usage("give a preset", "a lesson is for one machine");
	int code = tp_cli_open(&session, cli, tp_cli_value(cli), true);
	if (code != TP_EXIT_OK)
		return code;
	code = tp_batch_check(cli, &session);
	if (code == TP_EXIT_OK) {
		tp_cli_estimate(&session, cli);
		code = measure_session(cli, &session, dry);
	}
	return code;
}

int tp_cli_cluster(const struct tp_cli *cli)
{
	static const struct {
		const char *word;
		int (*run)(const struct tp_cli *cli, const char *typed);
	} verbs[] = { { "status", show_status }, { "collect", collect }, { "cancel", cancel } };
	const struct tp_values *words = &cli->cluster;
	for (size_t i = 0; i < TP_COUNT_OF(verbs); i++) {
		if (strcmp(words->items[0], verbs[i].word) != 0)
			continue;
		if (cli->command || words->n > 2)
			return tp_cli_usage("give one cluster run, or none for the last one",
					    "--cluster %s takes one name", verbs[i].word);
		return verbs[i].run(cli, words->n > 1 ? words->items[1] : "last");
	}
	const bool dry = tp_cli_does(cli, "dry-run");
	if (words->n == 1 && cli->command && (dry || tp_cli_does(cli, "batch")))
		return measure(cli, dry);
	return tp_cli_usage("tprof --cluster local:2 --batch quick, or tprof --cluster status",
			    words->n > 1 ? "--cluster is there once, before --batch PRESET"
					 : "--cluster \"%.40s\" needs a preset to measure",
			    words->items[0]);
}
