/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a variant wants to be run before its code is loaded, and after it was measured. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "experiments/bench.h"
#include "experiments/template/options.h"
#include "experiments/template/plan_row.h"
#include "measure/sampler.h"
#include "sweep/sweep.h"

#define COMMAND_SECONDS 60.0

static bool go_on(void *context)
{
	return tp_watch_goes_on(((const struct tp_bench *)context)->watch);
}

static enum tp_status run_one(struct tp_bench *bench, const struct tp_planned *planned,
			      const struct tp_option *option, char *const *words,
			      struct tp_diag *diag)
{
	const struct tp_command_line command = { .words = words,
						 .cpus = planned->cpus,
						 .n_cpus = planned->point.threads,
						 .limit_seconds = COMMAND_SECONDS,
						 .go_on = go_on,
						 .context = bench };
	struct tp_command_run run;
	char what[96], name[48];
	snprintf(what, sizeof(what), "%s of %s",
		 tp_shown(name, sizeof(name), words[0], strlen(words[0])), option->key);
	enum tp_status status = tp_command_run(&command, &run, diag);
	if (status == TP_OK)
		status = tp_sweep_judge_command(&command, &run, "template", what,
						"give it less to do", diag);
	tp_command_run_release(&run);
	return status;
}

enum tp_status tp_template_commands(struct tp_bench *bench, const struct tp_planned *planned,
				    const struct tp_option *option, struct tp_diag *diag)
{
	const struct tp_value *value = tp_config_value(planned->config, option);
	const struct tp_sweep_at *at = &tp_template_plan(planned)->variant->at;
	struct tp_arena arena = { 0 };
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < value->n && status == TP_OK; i++) {
		char **words;
		status = tp_sweep_fill_command(at, value->items[i].text, &arena, &words, diag);
		if (status == TP_OK)
			status = run_one(bench, planned, option, words, diag);
	}
	tp_arena_release(&arena);
	return status;
}
