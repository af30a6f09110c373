/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program over time: what meters say while it runs, and its phases. */
#include "base/command.h"
#include "base/text.h"
#include "experiments/profile/options.h"
#include "experiments/profile/plan.h"
#include "experiments/profile/profile_row.h"
#include "experiments/registry.h"
#include "experiments/windows/functions.h"
#include "experiments/windows/planner.h"
#include "profile/meters.h"

#include <string.h>

/* Nobody knows before how long a program takes. */
static const double ESTIMATE_SECONDS = 10;

static enum tp_status supported(const struct tp_machine *machine, struct tp_diag *diag)
{
	if (*machine->simulated)
		return tp_fail(diag, TP_UNSUPPORTED, "profile", TP_SIMULATED_HINT,
			       "a simulation runs kernels of tprof, not programs");
	return TP_OK;
}

static bool code_is_known(const struct tp_option *option, const char *text)
{
	(void)option;
	return !*text;
}

static enum tp_status check_meters(struct tp_plan_context *context, struct tp_diags *diags)
{
	const struct tp_value *meters = tp_config_value(context->config, TP_OPT_PROFILE_METERS);
	char shown[60];
	for (size_t i = 0; i < meters->n; i++) {
		const char *name = meters->items[i].text;
		int m = 0;
		while (m < TP_METERS && !tp_meter_is_named((enum tp_meter_id)m, name))
			m++;
		if (m == TP_METERS)
			return tp_planner_refuse(
				context, diags, TP_USAGE, TP_OPT_PROFILE_METERS,
				"columns of profile.csv, such as cpus, resident_bytes, disk, code",
				"there is no meter \"%s\"",
				tp_shown(shown, sizeof(shown), name, strlen(name)));
	}
	return TP_OK;
}

static enum tp_status plan(struct tp_plan_context *context, struct tp_diags *diags)
{
	const char *text = tp_config_text(context->config, TP_OPT_PROFILE_COMMAND);
	struct tp_arena *arena =
		context->plan->counting ? &context->plan->counted : &context->plan->arena;
	struct tp_diag diag;
	size_t n;
	char path[TP_PATH_MAX], shown[120];
	if (!*text)
		return tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_PROFILE_COMMAND,
					 "tprof --profile -- ./program arguments",
					 "no program to run");
	if (tp_config_value(context->config, TP_OPT_PROFILE_EVENTS)->n > TP_METER_EVENTS)
		return tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_PROFILE_EVENTS,
					 "name the four that matter most",
					 "there are more than %d events", TP_METER_EVENTS);
	if (check_meters(context, diags) != TP_OK)
		return TP_USAGE;
	if (tp_config_value(context->config, TP_OPT_PROFILE_PAPI)->n > TP_METER_PAPI)
		return tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_PROFILE_PAPI,
					 "name the six that matter most",
					 "there are more than %d events", TP_METER_PAPI);
	/* It runs where its user lets it: the CPUs of the point say nothing. */
	struct tp_choices choices;
	enum tp_status status = tp_planner_choices(context, &choices, diags);
	if (status != TP_OK)
		return status;
	struct tp_planned *p = tp_plan_add(context, 1, choices.cpus[0], 0, diags);
	if (!p)
		return TP_RESOURCE;
	struct tp_profile_plan *own = p->row;
	struct tp_profile_row *row = p->point.row;
	status = tp_command_split(text, arena, &own->words, &n, &diag);
	if (status != TP_OK)
		return tp_planner_refuse(context, diags, status, TP_OPT_PROFILE_COMMAND, diag.hint,
					 "%s", diag.what);
	if (!context->machine->foreign && !tp_program_find(own->words[0], path))
		return tp_planner_refuse(
			context, diags, TP_NOTFOUND, TP_OPT_PROFILE_COMMAND,
			strchr(own->words[0], '/')
				? "look whether the path is right, and the file executable: ls -l"
				: "a program of this folder is written ./program",
			"there is no program \"%s\"",
			tp_shown(shown, sizeof(shown), own->words[0], strlen(own->words[0])));
	status = tp_planner_functions(context, TP_OPT_PROFILE_REGIONS, arena, &own->functions,
				      diags);
	if (status != TP_OK)
		return status;
	const char *slash = strrchr(own->words[0], '/');
	const char *name = slash && slash[1] ? slash + 1 : own->words[0];
	tp_shown(p->point.kernel, sizeof(p->point.kernel), name, strlen(name));
	tp_shown(row->command, sizeof(row->command), text, strlen(text));
	row->interval_seconds = tp_config_real(context->config, TP_OPT_PROFILE_INTERVAL);
	p->point.estimate_seconds = ESTIMATE_SECONDS;
	return TP_OK;
}

static void describe(const struct tp_planned *planned, struct tp_str *out)
{
	tp_str_add_clean(out, tp_profile_row(&planned->point)->command, false);
}

const struct tp_experiment tp_experiment_profile = {
	.name = "profile",
	.summary =
		"a program over time: CPUs, memory, faults, bytes, power and where its time goes, "
		"with its phases",
	.supported = supported,
	.plan = plan,
	.plan_bytes = sizeof(struct tp_profile_plan),
	.run = tp_profile_run,
	.reduce = tp_profile_reduce,
	.code_is_known = code_is_known,
	.describe = describe,
};
