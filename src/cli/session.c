/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/cli.h"
#include "base/vec.h"
#include "kernels/arch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Beside the user's own config.yaml. */
#define SYSTEM_CONFIG "/etc/tprof/config.yaml"

void tp_cli_complain(const struct tp_diag *diag)
{
	fprintf(stderr, "tprof: %s%s%s\n", diag->where, diag->where[0] ? ": " : "", diag->what);
	if (diag->hint[0])
		fprintf(stderr, "       %s\n", diag->hint);
}

void tp_cli_complain_all(const struct tp_diags *diags)
{
	for (size_t i = 0; i < diags->n; i++)
		tp_cli_complain(&diags->items[i]);
}

/* `stored`: the preset that a run left says everything; no other layer counts. Without `cli` the configuration files alone count. */
static enum tp_status load(struct tp_preset *preset, const struct tp_cli *cli, const char *typed,
			   bool stored, struct tp_diags *diags)
{
	static char *const no_environ[] = { NULL };
	char path[TP_PATH_MAX], config[TP_PATH_MAX];
	struct tp_diag diag;
	enum tp_status status = TP_OK;
	*preset = (struct tp_preset){ 0 };
	if (stored)
		tp_copy(path, sizeof(path), typed);
	else if (typed)
		status = tp_preset_find(typed, path, &diag);
	if (status != TP_OK) {
		tp_diags_add(diags, &diag);
		return status;
	}
	struct tp_preset_layers layers = { .environ = no_environ };
	if (!stored) {
		layers.system_config = SYSTEM_CONFIG;
		if (tp_path_user_config("config.yaml", config, NULL) == TP_OK)
			layers.user_config = config;
	}
	if (!stored && cli) {
		layers.sets = (const char *const *)cli->sets;
		layers.n_sets = cli->n_sets;
		layers.environ = environ;
	}
	const char **experiments = calloc(tp_experiment_count, sizeof(*experiments));
	if (!experiments)
		return TP_NOMEM;
	for (size_t i = 0; i < tp_experiment_count; i++)
		experiments[i] = tp_experiment_table[i]->name;
	status = tp_preset_load(preset, typed ? path : NULL, &layers, experiments,
				tp_experiment_count, diags);
	free(experiments);
	return status;
}

static const enum tp_option_id of_machine[] = {
	TP_OPT_MACHINE,		TP_OPT_TOPOLOGY,
	TP_OPT_CACHE_L1,	TP_OPT_CACHE_L2,
	TP_OPT_CACHE_L3,	TP_OPT_KNOBS_GOVERNOR,
	TP_OPT_KNOBS_FREQUENCY, TP_OPT_KNOBS_TURBO,
	TP_OPT_KNOBS_THP,	TP_OPT_KNOBS_NUMA_BALANCING,
	TP_OPT_KNOBS_SCHEDULER, TP_OPT_KNOBS_PRIORITY,
};

bool tp_session_shares(enum tp_option_id id)
{
	for (size_t i = 0; i < TP_COUNT_OF(of_machine); i++)
		if (of_machine[i] == id)
			return true;
	return false;
}

static enum tp_status one_machine(const struct tp_preset *preset, struct tp_diags *diags)
{
	for (size_t r = 1; r < preset->n_runs; r++)
		for (size_t i = 0; i < TP_COUNT_OF(of_machine); i++) {
			enum tp_option_id id = of_machine[i];
			const char *a = tp_config_text(&preset->runs[0], id);
			const char *b = tp_config_text(&preset->runs[r], id);
			if (strcmp(a, b) == 0)
				continue;
			struct tp_diag diag;
			tp_fail(&diag, TP_USAGE, tp_config_value(&preset->runs[r], id)->where,
				"write it once, above runs:",
				"%s differs between runs of one preset (%s, %s)",
				tp_option_table[id].key, a, b);
			tp_diags_add(diags, &diag);
			return TP_USAGE;
		}
	return TP_OK;
}

enum tp_status tp_session_preset(struct tp_preset *preset, const struct tp_cli *cli,
				 const char *typed, struct tp_diags *diags)
{
	enum tp_status status = load(preset, cli, typed, false, diags);
	if (status == TP_OK && (status = one_machine(preset, diags)) != TP_OK)
		tp_preset_release(preset);
	return status;
}

/* A stored preset spells every option out; those at their default go back to being one (see size_max). */
static void restore_defaults(struct tp_preset *preset)
{
	struct tp_config defaults;
	struct tp_arena arena = { 0 };
	if (tp_config_defaults(&defaults, &arena, NULL) == TP_OK)
		for (size_t r = 0; r < preset->n_runs; r++)
			for (size_t i = 0; i < TP_OPT_COUNT; i++)
				if (tp_value_equal(&preset->runs[r].values[i], &defaults.values[i]))
					preset->runs[r].values[i].source = TP_FROM_DEFAULT;
	tp_arena_release(&arena);
}

enum tp_status tp_session_machine(struct tp_session *session, struct tp_diag *diag)
{
	struct tp_machine machine;
	tp_arch_identify(&session->cpu);
	enum tp_status status =
		tp_machine_for_config(&machine, &session->cpu, &session->preset.runs[0], diag);
	if (status != TP_OK)
		return status;
	tp_machine_release(&session->machine);
	session->machine = machine;
	return TP_OK;
}

enum tp_status tp_session_plan(struct tp_session *session, struct tp_diags *diags)
{
	struct tp_diag diag;
	tp_plan_release(&session->plan);
	enum tp_status status = tp_plan_make(&session->plan, &session->machine, &session->cpu,
					     session->preset.runs, session->preset.n_runs, diags);
	if (status == TP_OK && session->plan.n == 0) {
		status = tp_fail(&diag, TP_USAGE,
				 session->preset.path[0] ? session->preset.path : "preset",
				 "widen isa, level or sizes", "no point is left to measure");
		tp_diags_add(diags, &diag);
	}
	return status;
}

static int open_session(struct tp_session *session, const struct tp_cli *cli, const char *preset,
			bool plan, bool stored, double available_bytes)
{
	struct tp_diags diags = { 0 };
	struct tp_diag diag;
	*session = (struct tp_session){ 0 };
	enum tp_status status = load(&session->preset, cli, preset, stored, &diags);
	if (status == TP_OK && stored)
		restore_defaults(&session->preset);
	if (status == TP_OK)
		status = one_machine(&session->preset, &diags);
	if (status != TP_OK || !plan)
		goto out;
	status = tp_session_machine(session, &diag);
	if (status != TP_OK) {
		tp_diags_add(&diags, &diag);
		goto out;
	}
	if (available_bytes > 0)
		session->machine.available_bytes = (uint64_t)available_bytes;
	status = tp_session_plan(session, &diags);
	if (!cli->quiet)
		tp_cli_complain_all(&session->plan.notes);
out:
	tp_cli_complain_all(&diags);
	tp_diags_release(&diags);
	if (status != TP_OK)
		tp_session_close(session);
	return (int)tp_status_exit(status);
}

int tp_session_open(struct tp_session *session, const struct tp_cli *cli, const char *preset,
		    bool plan)
{
	return open_session(session, cli, preset, plan, false, 0);
}

int tp_session_reopen(struct tp_session *session, const struct tp_cli *cli, const char *preset,
		      double available_bytes)
{
	return open_session(session, cli, preset, true, true, available_bytes);
}

void tp_session_close(struct tp_session *session)
{
	tp_plan_release(&session->plan);
	tp_machine_release(&session->machine);
	tp_preset_release(&session->preset);
	*session = (struct tp_session){ 0 };
}

int tp_cli_check(const struct tp_cli *cli)
{
	struct tp_session session;
	int code = tp_session_open(&session, cli, cli->check, true);
	if (code != TP_EXIT_OK)
		return code;
	if (!cli->quiet)
		fprintf(stderr, "tprof: %s: ok, %zu points in %zu run%s\n", session.preset.path,
			session.plan.n, session.preset.n_runs,
			session.preset.n_runs == 1 ? "" : "s");
	tp_session_close(&session);
	return TP_EXIT_OK;
}

int tp_cli_dry_run(const struct tp_cli *cli)
{
	struct tp_session session;
	struct tp_str out = { 0 };
	int code = tp_session_open(&session, cli, cli->dry_run, true);
	if (code != TP_EXIT_OK)
		return code;
	tp_report_plan(&session.plan, &session.machine, &out);
	fputs(tp_str_text(&out), stdout);
	tp_str_release(&out);
	tp_session_close(&session);
	return TP_EXIT_OK;
}

int tp_cli_print_config(const struct tp_cli *cli)
{
	struct tp_session session;
	struct tp_str out = { 0 };
	int code = tp_session_open(&session, cli, cli->print_config_of, false);
	if (code != TP_EXIT_OK)
		return code;
	enum tp_status status = tp_preset_write(&session.preset, true, &out);
	fputs(tp_str_text(&out), stdout);
	tp_str_release(&out);
	tp_session_close(&session);
	return (int)tp_status_exit(status);
}
