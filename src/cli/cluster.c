/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --cluster: submits a preset to many nodes, and looks after what was submitted. */
#include "cli/cluster.h"
#include "cli/batch.h"
#include "cli/commands.h"
#include "cli/lesson.h"
#include "base/command.h"
#include "base/memory.h"
#include "cluster/actions.h"
#include "cluster/merge.h"
#include "cluster/tables.h"
#include "record/load.h"
#include "report/page.h"
#include "report/facts.h"
#include "session/session.h"
#include "session/document.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int complain(enum tp_status status, const struct tp_diag *diag)
{
	tp_complain(diag);
	return (int)tp_status_exit(status);
}

/* --- an earlier cluster run --- */

/* By its name, or the last one; up to date. */
static enum tp_status open_cluster(const char *typed, struct tp_cluster *cluster,
				   struct tp_diag *diag)
{
	char directory[TP_PATH_MAX];
	*cluster = (struct tp_cluster){ 0 };
	enum tp_status status = tp_cluster_find(typed, directory, diag);
	return status == TP_OK ? tp_cluster_load(cluster, directory, diag) : status;
}

static enum tp_status print(const struct tp_cli *cli, const struct tp_cluster *cluster,
			    struct tp_diag *diag)
{
	struct tp_str out = { 0 };
	struct tp_look look;
	enum tp_status status = TP_OK;
	tp_look_init(&look, &cli->look, tp_is_stdout(cli->output) ? STDOUT_FILENO : -1);
	if (cli->json) {
		tp_cluster_text(cluster, &out);
	} else {
		tp_str_printf(&out, "%s: %s%s%s, started %s\n\n", cluster->name, cluster->launcher,
			      *cluster->where ? " " : "", cluster->where, cluster->started);
		tp_cluster_table(cluster, &look, &out);
	}
	if (status == TP_OK)
		status = tp_text_write(cli->output, &out, diag);
	tp_str_release(&out);
	return status;
}

static int show_status(const struct tp_cli *cli, const char *typed)
{
	struct tp_cluster cluster;
	struct tp_diag diag = { 0 };
	enum tp_status status = open_cluster(typed, &cluster, &diag);
	int code = TP_EXIT_OK;
	if (status == TP_OK) {
		/* What is known is shown, even if the scheduler does not answer. */
		status = tp_cluster_refresh(&cluster, NULL, &diag);
		if (status != TP_OK)
			code = complain(status, &diag);
		status = print(cli, &cluster, &diag);
	}
	if (status != TP_OK)
		code = complain(status, &diag);
	tp_cluster_release(&cluster);
	return code;
}

/* What is to be said of a merge, and how to look at what the nodes have in common. */
static void tell_merged(const struct tp_cli *cli, const struct tp_cluster *cluster,
			enum tp_status status, const struct tp_diags *remarks)
{
	struct tp_str text = { 0 };
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
	tp_str_release(&text);
	tp_run_release(&run);
}

static enum tp_status merge(const struct tp_cli *cli, const struct tp_cluster *cluster,
			    struct tp_diag *diag)
{
	struct tp_diags remarks = { 0 };
	enum tp_status status = tp_cluster_write_merged(cluster, &remarks, diag);
	tell_merged(cli, cluster, status, &remarks);
	tp_diags_release(&remarks);
	return status;
}

static bool says_yes(void)
{
	char line[16] = "";
	if (!tp_look_foreground(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return false;
	fputs("tprof: do it? [y/N] ", stderr);
	return fgets(line, sizeof(line), stdin) && (*line == 'y' || *line == 'Y');
}

/* The user's word for what a stored cluster run does: by the option, or when asked for. */
static enum tp_status agree(const struct tp_cli *cli, struct tp_cluster *cluster,
			    enum tp_cluster_act act, const struct tp_diags *code,
			    struct tp_diag *diag)
{
	struct tp_str list = { 0 };
	const uint64_t word = tp_cluster_acts(cluster, act, &list);
	if (word && !cli->allow_code) {
		tp_complain_all(code);
		tp_say("this %s", tp_str_text(&list));
	}
	if (cli->allow_code || (word && says_yes()))
		cluster->agreed = word;
	tp_str_release(&list);
	return tp_cluster_may(cluster, act, diag);
}

static int collect(const struct tp_cli *cli, const char *typed)
{
	struct tp_cluster cluster;
	struct tp_diags remarks = { 0 };
	struct tp_diag diag = { 0 };
	enum tp_status status = open_cluster(typed, &cluster, &diag);
	if (status == TP_OK)
		status = agree(cli, &cluster, TP_ACT_COLLECT, &remarks, &diag);
	if (status == TP_OK)
		status = tp_cluster_collect(&cluster, &remarks, &diag);
	tell_merged(cli, &cluster, status, &remarks);
	int code = status == TP_OK ? tp_cluster_exit(&cluster) : complain(status, &diag);
	tp_diags_release(&remarks);
	tp_cluster_release(&cluster);
	return code;
}

static int cancel(const struct tp_cli *cli, const char *typed)
{
	struct tp_cluster cluster;
	struct tp_cluster_sums sums;
	const struct tp_diags none = { 0 };
	struct tp_diag diag = { 0 };
	enum tp_status status = open_cluster(typed, &cluster, &diag);
	if (status == TP_OK)
		status = agree(cli, &cluster, TP_ACT_CANCEL, &none, &diag);
	if (status == TP_OK)
		status = tp_cluster_cancel(&cluster, &diag);
	int code = status == TP_OK ? TP_EXIT_OK : complain(status, &diag);
	tp_cluster_add_up(&cluster, &sums);
	size_t n = sums.of_state[TP_NODE_CANCELLED];
	if (status == TP_OK && !cli->quiet)
		tp_say("%s: %zu node%s cancelled; what they measured stays", cluster.name, n,
		       n == 1 ? "" : "s");
	tp_cluster_release(&cluster);
	return code;
}

/* --- submitting --- */

static void warn(const struct tp_cli *cli, const struct tp_cluster *cluster)
{
	const struct tp_launcher *launcher = tp_launcher_find(cluster->launcher);
	struct tp_diags remarks = { 0 };
	if (!cli->quiet && launcher && launcher->warn)
		launcher->warn(cluster, &remarks);
	tp_complain_all(&remarks);
	tp_diags_release(&remarks);
}

/* Submits and waits. */
static int submit(const struct tp_cli *cli, struct tp_cluster *cluster,
		  const struct tp_cluster_wish *wish, struct tp_diag *diag)
{
	warn(cli, cluster);
	enum tp_status status = tp_cluster_submit(cluster, wish, diag);
	if (status != TP_OK)
		return complain(status, diag);
	size_t n = 0;
	for (size_t i = 0; i < cluster->n_nodes; i++)
		n += !tp_node_has_ended(cluster->nodes[i].state);
	if (!cli->quiet)
		tp_say("%s: %zu of %zu nodes submitted; Ctrl-C leaves them alone", cluster->name, n,
		       cluster->n_nodes);
	int code = tp_cluster_watch(cli, cluster);
	/* Where nothing was measured there is nothing to merge. */
	if ((code == TP_EXIT_OK || code == TP_EXIT_SKIPPED) &&
	    (status = merge(cli, cluster, diag)) != TP_OK)
		return complain(status, diag);
	return code;
}

/* The newest of runs and cluster runs, by their names, which begin with the date. */
static bool last_is_cluster(char directory[TP_PATH_MAX])
{
	char path[TP_PATH_MAX];
	if (tp_cluster_find("last", directory, NULL) != TP_OK)
		return false;
	if (tp_run_find("last", path, NULL) != TP_OK)
		return true;
	/* What the nodes have in common is a run in its folder. */
	size_t n = strlen(directory), folder = (size_t)(strrchr(directory, '/') - directory);
	return (strncmp(path, directory, n) == 0 && path[n] == '/') ||
	       strcmp(path + folder, directory + folder) < 0;
}

bool tp_cli_is_cluster(const char *typed, char directory[TP_PATH_MAX])
{
	char path[TP_PATH_MAX], *slash;
	if (strcmp(typed, "last") == 0)
		return last_is_cluster(directory);
	if (tp_cluster_find(typed, directory, NULL) == TP_OK)
		return true;
	/* Its merged run itself cannot go on. */
	if (tp_run_find(typed, path, NULL) != TP_OK || !(slash = strrchr(path, '/')))
		return false;
	slash[1] = '\0';
	return tp_cluster_find(path, directory, NULL) == TP_OK;
}

/* What was refused has no job. */
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
	struct tp_preset preset = { 0 };
	struct tp_diags diags = { 0 };
	enum tp_status status = tp_session_preset(&preset, NULL, wish->preset_path, &diags);
	if (status != TP_OK)
		*diag = diags.n ? diags.items[0] : *diag;
	wish->allow_code = status == TP_OK && tp_session_code(&preset, false, &diags) > 0;
	if (status == TP_OK)
		status = agree(cli, cluster, TP_ACT_RESUME, &diags, diag);
	tp_diags_release(&diags);
	tp_preset_release(&preset);
	return status;
}

int tp_cli_cluster_resume(const struct tp_cli *cli, const char *directory)
{
	struct tp_cluster cluster;
	struct tp_diag diag = { 0 };
	char preset[TP_PATH_MAX];
	struct tp_cluster_wish wish;
	if (cli->overrides.n || cli->run_dir)
		return tp_cli_usage("to change something, submit a new one with --batch",
				    "a cluster run goes on with its own preset in its own folder");
	enum tp_status status = tp_cluster_load(&cluster, directory, &diag);
	if (status == TP_OK)
		status = tp_cluster_refresh(&cluster, NULL, &diag);
	if (status == TP_OK)
		tp_cluster_wish_again(&cluster, preset, &wish);
	int code = TP_EXIT_OK;
	/* One job at a time: what it leaves is missing. */
	if (status == TP_OK && tp_launcher_find(cluster.launcher)->is_scheduler &&
	    still_runs(&cluster)) {
		if (!cli->quiet)
			tp_say("job %s still waits or runs", cluster.job);
		code = tp_cluster_watch(cli, &cluster);
	}
	if (code == TP_EXIT_INTERRUPTED) {
		tp_cluster_release(&cluster);
		return code;
	}
	if (status != TP_OK) {
		code = complain(status, &diag);
	} else if (tp_cluster_exit(&cluster) == TP_EXIT_OK) {
		code = TP_EXIT_OK;
		if (!cli->quiet)
			tp_say("%s: every node has every point", cluster.name);
		/* They may have got it while nobody looked. */
		if ((status = merge(cli, &cluster, &diag)) != TP_OK)
			code = complain(status, &diag);
	} else {
		if (cli->time_limit)
			tp_copy(cluster.time_limit, sizeof(cluster.time_limit), cli->time_limit);
		status = agree_resume(cli, &cluster, &wish, &diag);
		code = status == TP_OK ? submit(cli, &cluster, &wish, &diag)
				       : complain(status, &diag);
	}
	tp_cluster_release(&cluster);
	return code;
}

static enum tp_status read_wish(const struct tp_cli *cli, char launcher[16],
				struct tp_cluster_wish *wish, struct tp_diag *diag)
{
	*wish = (struct tp_cluster_wish){ .launcher = launcher,
					  .nodes = cli->nodes,
					  .partition = cli->partition,
					  .time_limit = cli->time_limit,
					  .program = cli->node_program,
					  .not_shared = cli->no_shared,
					  .per = cli->per,
					  .allow_code = cli->allow_code };
	return tp_cluster_read_launcher(cli->cluster.items[0], launcher, &wish->where, diag);
}

static int describe(const struct tp_cli *cli, struct tp_cluster *cluster,
		    const struct tp_launcher *launcher, const struct tp_cluster_wish *wish,
		    struct tp_diag *diag)
{
	struct tp_str out = { 0 };
	warn(cli, cluster);
	enum tp_status status = launcher->describe(cluster, wish, &out, diag);
	if (status == TP_OK)
		fputs(tp_str_text(&out), stdout);
	tp_str_release(&out);
	return status == TP_OK ? TP_EXIT_OK : complain(status, diag);
}

/* The folder of a new cluster run, then the nodes' commands. */
static int submit_new(const struct tp_cli *cli, const struct tp_session *session,
		      struct tp_cluster *cluster, struct tp_cluster_wish wish, struct tp_diag *diag)
{
	char name[64], preset[TP_PATH_MAX];
	struct tp_str yaml = { 0 };
	enum tp_status status = tp_preset_write(&session->preset, true, &yaml);
	if (status != TP_OK)
		tp_fail(diag, status, "preset", NULL, "%s", tp_status_name(status));
	else
		status = tp_cluster_create(cluster, cli->run_dir,
					   tp_keep_name(&session->preset, name, sizeof(name)),
					   &yaml, preset, diag);
	tp_str_release(&yaml);
	wish.preset_path = preset;
	return status == TP_OK ? submit(cli, cluster, &wish, diag) : complain(status, diag);
}

static int measure_session(const struct tp_cli *cli, const struct tp_session *session, bool dry)
{
	struct tp_cluster cluster = { 0 };
	struct tp_cluster_wish wish;
	struct tp_diag diag = { 0 };
	char launcher_name[16];
	const struct tp_launcher *launcher = NULL;
	int code;
	enum tp_status status = read_wish(cli, launcher_name, &wish, &diag);
	wish.seconds = session->plan.estimate_seconds;
	wish.preset_path = "RUN/preset.yaml";
	if (status == TP_OK)
		status = tp_cluster_begin(&cluster, &wish, &launcher, &diag);
	if (status != TP_OK)
		code = complain(status, &diag);
	else if (dry)
		code = describe(cli, &cluster, launcher, &wish, &diag);
	else
		code = submit_new(cli, session, &cluster, wish, &diag);
	tp_cluster_release(&cluster);
	return code;
}

static int measure(const struct tp_cli *cli, bool dry)
{
	struct tp_session session;
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
	tp_session_close(&session);
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
	const bool dry = cli->command && cli->command->run == tp_cli_dry_run;
	if (words->n == 1 && cli->command && (dry || cli->command->run == tp_cli_batch))
		return measure(cli, dry);
	return tp_cli_usage("tprof --cluster local:2 --batch quick, or tprof --cluster status",
			    words->n > 1 ? "--cluster is there once, before --batch PRESET"
					 : "--cluster \"%.40s\" needs a preset to measure",
			    words->items[0]);
}
