/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/expression.h"
#include "base/text.h"
#include "experiments/program/options.h"
#include "experiments/program/plan.h"
#include "sweep/sweep.h"

#include <string.h>

static enum tp_status fill_commands(const struct tp_sweep_at *at, const struct tp_value *value,
				    struct tp_arena *arena, struct tp_program_commands *commands,
				    struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	commands->n = value->n;
	commands->items = tp_arena_alloc(arena, (value->n + 1) * sizeof(*commands->items));
	if (!commands->items)
		return tp_fail(diag, TP_NOMEM, NULL, NULL, "out of memory");
	for (size_t i = 0; i < value->n && status == TP_OK; i++)
		status = tp_sweep_fill_command(at, value->items[i].text, arena, &commands->items[i],
					       diag);
	return status;
}

static enum tp_status fill_variables(const struct tp_sweep_at *at, const struct tp_value *value,
				     struct tp_arena *arena, char ***variables,
				     struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	*variables = tp_arena_alloc(arena, (value->n + 1) * sizeof(**variables));
	if (!*variables)
		return tp_fail(diag, TP_NOMEM, NULL, NULL, "out of memory");
	for (size_t i = 0; i < value->n && status == TP_OK; i++) {
		const char *text = value->items[i].text;
		size_t len = tp_identifier_length(text);
		char shown[80];
		status =
			len && text[len] == '='
				? tp_sweep_fill_text(at, text, arena, &(*variables)[i], diag)
				: tp_fail(diag, TP_USAGE, NULL, "such as OMP_NUM_THREADS={threads}",
					  "\"%s\" is no NAME=VALUE",
					  tp_shown(shown, sizeof(shown), text, strlen(text)));
	}
	return status;
}

enum tp_status tp_program_fill(const struct tp_config *config, const struct tp_sweep_at *at,
			       struct tp_arena *arena, struct tp_program_plan *plan,
			       const struct tp_option **wrong, struct tp_diag *diag)
{
	*plan = (struct tp_program_plan){ 0 };
	*wrong = TP_OPT_PROGRAM_COMMAND;
	enum tp_status status = tp_sweep_fill_command(
		at, tp_config_text(config, TP_OPT_PROGRAM_COMMAND), arena, &plan->words, diag);
	const struct {
		const struct tp_option *option;
		struct tp_program_commands *commands;
	} lists[] = { { TP_OPT_PROGRAM_BEFORE, &plan->before },
		      { TP_OPT_PROGRAM_PREPARE, &plan->prepare },
		      { TP_OPT_PROGRAM_AFTER, &plan->after } };
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists) && status == TP_OK; i++) {
		*wrong = lists[i].option;
		status = fill_commands(at, tp_config_value(config, lists[i].option), arena,
				       lists[i].commands, diag);
	}
	if (status != TP_OK)
		return status;
	*wrong = TP_OPT_PROGRAM_ENVIRONMENT;
	return fill_variables(at, tp_config_value(config, TP_OPT_PROGRAM_ENVIRONMENT), arena,
			      &plan->variables, diag);
}

enum tp_status tp_program_metric_parse(struct tp_program_metric *metric, const char *text,
				       struct tp_diag *diag)
{
	*metric = (struct tp_program_metric){ .kind = TP_PROGRAM_READING };
	if (strcmp(text, "time") == 0 || strcmp(text, "cpu-time") == 0) {
		metric->kind = text[0] == 't' ? TP_PROGRAM_TIME : TP_PROGRAM_CPU_TIME;
		tp_copy(metric->name, sizeof(metric->name), text);
		return TP_OK;
	}
	metric->more = strncmp(text, "more:", 5) == 0;
	const char *name = text + 5;
	size_t len =
		metric->more || strncmp(text, "less:", 5) == 0 ? tp_identifier_length(name) : 0;
	if (len && !name[len] && tp_copy(metric->name, sizeof(metric->name), name))
		return TP_OK;
	return tp_fail(
		diag, TP_USAGE, NULL,
		"time, cpu-time, more:NAME or less:NAME, where program.read has NAME=PATTERN",
		"\"%.60s\" is no metric", text);
}
