/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/cli.h"
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

/* `stored`: the preset that a run left says everything; no other layer counts. */
static enum tp_status load(struct tp_preset *preset, const struct tp_cli *cli, const char *typed,
			   bool stored)
{
	char path[TP_PATH_MAX], config[TP_PATH_MAX];
	struct tp_diag diag;
	enum tp_status status = TP_OK;
	if (stored)
		tp_copy(path, sizeof(path), typed);
	else if (typed)
		status = tp_preset_find(typed, path, &diag);
	if (status != TP_OK) {
		tp_cli_complain(&diag);
		return status;
	}
	struct tp_preset_layers layers = { .sets = (const char *const *)cli->sets,
					   .n_sets = cli->n_sets,
					   .environ = environ,
					   .system_config = SYSTEM_CONFIG };
	static char *const no_environ[] = { NULL };
	if (stored)
		layers = (struct tp_preset_layers){ .environ = no_environ };
	else if (tp_path_user_config("config.yaml", config, NULL) == TP_OK)
		layers.user_config = config;
	const char **experiments = calloc(tp_experiment_count, sizeof(*experiments));
	struct tp_diags diags = { 0 };
	if (!experiments)
		return TP_NOMEM;
	for (size_t i = 0; i < tp_experiment_count; i++)
		experiments[i] = tp_experiment_table[i]->name;
	status = tp_preset_load(preset, typed ? path : NULL, &layers, experiments,
				tp_experiment_count, &diags);
	tp_cli_complain_all(&diags);
	tp_diags_release(&diags);
	free(experiments);
	return status;
}

/* All runs of a preset are measured on one machine, with its knobs set once. */
static enum tp_status one_machine(const struct tp_preset *preset)
{
	static const enum tp_option_id ids[] = {
		TP_OPT_MACHINE,		TP_OPT_TOPOLOGY,
		TP_OPT_CACHE_L1,	TP_OPT_CACHE_L2,
		TP_OPT_CACHE_L3,	TP_OPT_KNOBS_GOVERNOR,
		TP_OPT_KNOBS_FREQUENCY, TP_OPT_KNOBS_TURBO,
		TP_OPT_KNOBS_THP,	TP_OPT_KNOBS_NUMA_BALANCING,
		TP_OPT_KNOBS_SCHEDULER, TP_OPT_KNOBS_PRIORITY,
	};
	for (size_t r = 1; r < preset->n_runs; r++)
		for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
			const char *a = tp_config_text(&preset->runs[0], ids[i]);
			const char *b = tp_config_text(&preset->runs[r], ids[i]);
			if (strcmp(a, b) == 0)
				continue;
			struct tp_diag diag;
			tp_fail(&diag, TP_USAGE, tp_config_value(&preset->runs[r], ids[i])->where,
				"write it once, above runs:",
				"%s differs between runs of one preset (%s, %s)",
				tp_option_table[ids[i]].key, a, b);
			tp_cli_complain(&diag);
			return TP_USAGE;
		}
	return TP_OK;
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

static int open_session(struct tp_session *session, const struct tp_cli *cli, const char *preset,
			bool plan, bool stored, double available_bytes)
{
	*session = (struct tp_session){ 0 };
	enum tp_status status = load(&session->preset, cli, preset, stored);
	if (status == TP_OK && stored)
		restore_defaults(&session->preset);
	if (status == TP_OK)
		status = one_machine(&session->preset);
	if (status != TP_OK || !plan)
		goto out;
	struct tp_diag diag;
	struct tp_diags diags = { 0 };
	tp_arch_identify(&session->cpu);
	status = tp_machine_for_config(&session->machine, &session->cpu, &session->preset.runs[0],
				       &diag);
	if (status != TP_OK) {
		tp_cli_complain(&diag);
		goto out;
	}
	if (available_bytes > 0)
		session->machine.available_bytes = (uint64_t)available_bytes;
	status = tp_plan_make(&session->plan, &session->machine, &session->cpu,
			      session->preset.runs, session->preset.n_runs, &diags);
	tp_cli_complain_all(&diags);
	tp_diags_release(&diags);
	if (!cli->quiet)
		tp_cli_complain_all(&session->plan.notes);
	if (status == TP_OK && session->plan.n == 0) {
		tp_fail(&diag, TP_USAGE, preset ? preset : "preset", "widen isa, level or sizes",
			"no point is left to measure");
		tp_cli_complain(&diag);
		status = TP_USAGE;
	}
out:
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
