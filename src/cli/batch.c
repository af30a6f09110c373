/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that measure: --batch, --asm, --app, --profile, --resume. */
#include "app/launcher.h"
#include "app/self_test.h"
#include "base/command.h"
#include "base/memory.h"
#include "cli/measure.h"
#include "experiments/app/row.h"
#include "experiments/profile/row.h"
#include "record/load.h"
#include "session/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int measure_preset(const struct tp_cli *cli, struct tp_session *session)
{
	TP_CLEANUP(tp_keep_close) struct tp_keep keep = { .journal = -1 };
	struct tp_diag diag = { 0 };
	char name[64];
	int code = tp_cli_open(session, cli, tp_cli_value(cli), true);
	if (code == TP_EXIT_OK)
		code = tp_batch_check(cli, session);
	if (code != TP_EXIT_OK)
		return code;
	tp_cli_estimate(session, cli);
	tp_batch_catch_signals();
	enum tp_status status = tp_keep_create(&keep, cli->run_dir,
					       tp_keep_name(&session->preset, name, sizeof(name)),
					       &session->preset, &diag);
	if (status != TP_OK) {
		if (!diag.hint[0])
			tp_copy(diag.hint, sizeof(diag.hint),
				"choose another place with --run-dir DIR");
		tp_complain(&diag);
		return status == TP_USAGE ? TP_EXIT_USAGE : TP_EXIT_RESOURCE;
	}
	return tp_batch_measure(cli, session, &keep, NULL);
}

int tp_cli_batch(const struct tp_cli *cli)
{
	char lesson[TP_PATH_MAX];
	tp_batch_heed_signals();
	if (tp_cli_is_lesson(tp_cli_value(cli), lesson))
		return tp_cli_lesson(cli, lesson);
	if (tp_cli_no_lesson(tp_cli_value(cli)))
		return TP_EXIT_USAGE;
	if (cli->blank)
		return tp_cli_usage("tprof --list lessons lists them",
				    "--blank belongs to a lesson, and this is a preset");
	/* A session is too large for a small stack. */
	TP_FREE struct tp_session *session = tp_alloc(1, sizeof(*session));
	int code = measure_preset(cli, session);
	tp_session_close(session);
	return code;
}

/* --- instructions on the command line: a run of the experiment asm --- */

/* Measures the first n of `sets`, which has room for the overrides of `say`. */
static int measure_shown(struct tp_cli *cli, const char **sets, size_t n)
{
	for (size_t i = 0; i < cli->overrides.n; i++)
		sets[n++] = cli->overrides.sets[i];
	cli->overrides = (struct tp_overrides){ sets, n };
	cli->values = (struct tp_values){ 0 };
	/* A user who types what to measure wants to see it. */
	if (cli->report == TP_AUTO && !cli->json && !cli->csv && !cli->events)
		cli->report = TP_ALWAYS;
	return tp_cli_batch(cli);
}

int tp_cli_asm(const struct tp_cli *cli)
{
	struct tp_cli own = *cli;
	TP_STR body = { 0 };
	TP_FREE const char **sets = tp_alloc(cli->overrides.n + 2, sizeof(*sets));
	tp_str_add(&body, "asm.body=");
	for (size_t i = 0; i < cli->values.n; i++)
		tp_str_printf(&body, "%s%s", i ? "; " : "", cli->values.items[i]);
	sets[0] = "experiment=asm";
	sets[1] = tp_str_text(&body);
	return measure_shown(&own, sets, 2);
}

/* --- a program on the command line: a run of an experiment that runs programs --- */

enum { SIGNAL_BASE = 128 };

/* A caller that wraps a program in tprof wants its exit status if it failed. */
static int program_code(unsigned signal, unsigned exit_status, int code)
{
	return signal ? SIGNAL_BASE + (int)signal : exit_status ? (int)exit_status : code;
}

/* Measures the program on the command line by an experiment with options .command and .regions. */
static int measure_program(const struct tp_cli *cli, const char *experiment_name,
			   int (*judge)(const struct tp_run *run, int code))
{
	struct tp_cli own = *cli;
	TP_STR experiment = { 0 }, command = { 0 }, words = { 0 }, regions = { 0 };
	TP_FREE const char **sets = tp_alloc(cli->overrides.n + 3, sizeof(*sets));
	size_t n = 0;
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	const struct tp_app_launch launch = tp_app_launch(&arena);
	/* Rank 0 launches the program and prints. */
	if (launch.rank > 0)
		return TP_EXIT_OK;
	for (size_t i = 0; launch.words && launch.words[i] && cli->values.n; i++)
		tp_command_join(&words, launch.words[i]);
	for (size_t i = 0; i < cli->values.n; i++)
		tp_command_join(&words, cli->values.items[i]);
	tp_str_printf(&regions, "%s.regions=", experiment_name);
	for (size_t i = 0; i < cli->regions.n; i++) {
		/* An item may hold commas where it stands in quotes. */
		tp_str_add(&regions, i ? "," : "");
		tp_str_add_quoted(&regions, cli->regions.items[i]);
	}
	tp_str_printf(&experiment, "experiment=%s", experiment_name);
	tp_str_printf(&command, "%s.command=%s", experiment_name, tp_str_text(&words));
	sets[n++] = tp_str_text(&experiment);
	/* A command in a preset or in --set counts as typed. */
	if (cli->values.n)
		sets[n++] = tp_str_text(&command);
	if (cli->regions.n)
		sets[n++] = tp_str_text(&regions);
	own.lends = true;
	own.judge = judge;
	return measure_shown(&own, sets, n);
}

static int judge_app(const struct tp_run *run, int code)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_app_row *row = tp_app_row(&run->points[i]);
		if (row->signal || row->exit_status)
			return program_code(row->signal, row->exit_status, code);
	}
	return code;
}

int tp_cli_app(const struct tp_cli *cli)
{
	const struct tp_app_self_test ask = { 0 };
	TP_STR out = { 0 };
	struct tp_diag diag = { 0 };
	if (!cli->self_test)
		return measure_program(cli, "app", judge_app);
	if (cli->values.n)
		return tp_cli_usage("tprof --app --self-test", "--self-test takes no program");
	enum tp_status status = tp_app_self_test(&ask, &out, &diag);
	fputs(tp_str_text(&out), stdout);
	return status == TP_OK ? TP_EXIT_OK : tp_cli_fail(status, &diag);
}

static int judge_profile(const struct tp_run *run, int code)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_profile_row *row = tp_profile_row(&run->points[i]);
		if (row->signal || row->exit_status)
			return program_code(row->signal, row->exit_status, code);
	}
	return code;
}

int tp_cli_profile(const struct tp_cli *cli)
{
	return measure_program(cli, "profile", judge_profile);
}

/* --- what an interrupted run lacks, on the same machine with the same preset --- */

static int refuse(enum tp_status status, const char *where, const char *hint, const char *what)
{
	struct tp_diag diag;
	return tp_cli_fail(tp_fail(&diag, status, where, hint, "%s", what), &diag);
}

/* Finds the run. `path` gets its directory. */
static int find_run(const struct tp_cli *cli, char path[TP_PATH_MAX])
{
	struct tp_diag diag;
	char name[128];
	if (cli->overrides.n)
		return refuse(TP_USAGE, "--resume",
			      "to change something, start a new run with --batch",
			      "a run goes on with its own preset, so --set cannot change it");
	if (cli->run_dir)
		return refuse(TP_USAGE, "--resume", "leave --run-dir out",
			      "a run goes on in its own directory, so --run-dir cannot change it");
	enum tp_status status = tp_run_find(tp_cli_value(cli), path, &diag);
	if (status != TP_OK)
		return tp_cli_fail(status, &diag);
	if (tp_example_called(path, name, sizeof(name)))
		return refuse(TP_USAGE, name, "examples are only read; measure your own run",
			      "nothing is missing in this run");
	return tp_is_file(path) ? refuse(TP_USAGE, path, "give the directory it is in",
					 "not a run directory")
				: TP_EXIT_OK;
}

static int resume(const struct tp_cli *cli, struct tp_session *session)
{
	char path[TP_PATH_MAX];
	TP_CLEANUP(tp_run_release) struct tp_run earlier = { 0 };
	TP_CLEANUP(tp_keep_close) struct tp_keep keep = { .journal = -1 };
	struct tp_diags diags = { 0 };
	struct tp_diag diag;
	tp_batch_heed_signals();
	int code = find_run(cli, path);
	if (code != TP_EXIT_OK)
		return code;
	enum tp_status status = tp_session_continue(session, &keep, &earlier, path, &diags);
	code = tp_cli_opened(session, cli, status, &diags);
	if (code == TP_EXIT_OK)
		code = tp_batch_check(cli, session);
	if (code != TP_EXIT_OK)
		return code;
	tp_cli_estimate(session, cli);
	tp_batch_catch_signals();
	status = tp_keep_reopen(&keep, &diag);
	if (status != TP_OK)
		return tp_cli_fail(status, &diag);
	const size_t done = tp_run_n_done(&earlier);
	const size_t all = tp_run_n_needed(&earlier) ? tp_run_n_needed(&earlier) : session->plan.n;
	if (!cli->quiet)
		tp_say("%zu of %zu points are measured, %zu are left", done, all, all - done);
	return tp_batch_measure(cli, session, &keep, &earlier);
}

/* Reports which run "last" is. `cluster`: its directory, NULL for another run. */
static void say_last(const struct tp_cli *cli, const char *cluster)
{
	char path[TP_PATH_MAX];
	if (cli->quiet || (!cluster && tp_run_find("last", path, NULL) != TP_OK))
		return;
	tp_say("the last run is %s%s", cluster ? "the cluster run " : "",
	       tp_path_last(cluster ? cluster : path));
}

int tp_cli_resume(const struct tp_cli *cli)
{
	char cluster[TP_PATH_MAX];
	bool is_cluster = tp_cli_is_cluster(tp_cli_value(cli), cluster);
	if (strcmp(tp_cli_value(cli), "last") == 0)
		say_last(cli, is_cluster ? cluster : NULL);
	if (is_cluster)
		return tp_cli_cluster_resume(cli, cluster);
	if (cli->time_limit)
		return refuse(TP_USAGE, "--time-limit", "leave it out",
			      "this is not a cluster run: no scheduler has a limit for it");
	/* On the heap: measuring goes deep, and stacks may be small. */
	TP_FREE struct tp_session *session = tp_alloc(1, sizeof(*session));
	int code = resume(cli, session);
	tp_session_close(session);
	return code;
}
