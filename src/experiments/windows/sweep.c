/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/windows/sweep.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "record/limits.h"

enum tp_status tp_planner_check_count(struct tp_plan_context *context,
				      const struct tp_option *option, double combinations,
				      struct tp_diags *diags)
{
	if (combinations <= TP_RUN_POINTS_MAX)
		return TP_OK;
	return tp_planner_refuse(context, diags, TP_RESOURCE, option, "give fewer values",
				 "there are %.0f combinations, and a run holds %d points",
				 combinations, TP_RUN_POINTS_MAX);
}

enum tp_status tp_planner_sweep(struct tp_plan_context *context, const struct tp_option *option,
				struct tp_sweep *sweep, struct tp_diags *diags)
{
	const struct tp_value *wishes = tp_config_value(context->config, option);
	struct tp_diag diag;
	*sweep = (struct tp_sweep){ 0 };
	for (size_t i = 0; i < wishes->n; i++) {
		enum tp_status status =
			tp_sweep_take(sweep, wishes->items[i].text, &context->plan->arena, &diag);
		if (status != TP_OK)
			return tp_planner_refuse(context, diags, status, option, diag.hint, "%s",
						 diag.what);
	}
	return tp_planner_check_count(context, option, tp_sweep_count(sweep), diags);
}

/* Asks for the values of names, and notes whether one has none. */
struct asked {
	tp_name_value *names;
	void *combination;
	bool lacks;
};

static bool value_of(void *context, const char *name, size_t len, double *value)
{
	struct asked *asked = context;
	bool has = asked->names(asked->combination, name, len, value);
	asked->lacks |= !has;
	return has;
}

enum tp_status tp_planner_meets(struct tp_plan_context *context, const struct tp_option *option,
				tp_name_value *names, void *combination, const char *hint,
				bool *known, bool *meets, struct tp_diags *diags)
{
	const struct tp_value *where = tp_config_value(context->config, option);
	*meets = true;
	for (size_t i = 0; i < where->n && *meets; i++) {
		double value;
		struct tp_diag diag;
		struct asked asked = { names, combination, false };
		enum tp_status status =
			tp_expression_eval(where->items[i].text, value_of, &asked, &value, &diag);
		if (status != TP_OK && !(known && asked.lacks))
			return tp_planner_refuse(context, diags, status, option, hint, "%s",
						 diag.what);
		if (known)
			known[i] |= !asked.lacks;
		*meets = status != TP_OK || value != 0;
	}
	return TP_OK;
}

enum tp_status tp_planner_commands(struct tp_plan_context *context, const struct tp_option *option,
				   const struct tp_sweep_at *at, struct tp_arena *arena,
				   struct tp_commands *commands, struct tp_diags *diags)
{
	const struct tp_value *value = tp_config_value(context->config, option);
	struct tp_diag diag;
	*commands = (struct tp_commands){ .option = option, .n = value->n };
	commands->items = tp_arena_alloc(arena, (value->n + 1) * sizeof(*commands->items));
	for (size_t i = 0; i < value->n; i++) {
		enum tp_status status = tp_sweep_fill_words(at, value->items[i].words, arena,
							    &commands->items[i], &diag);
		if (status != TP_OK)
			return tp_planner_refuse(context, diags, status, option, diag.hint, "%s",
						 diag.what);
	}
	return TP_OK;
}

enum tp_status tp_planner_variables(struct tp_plan_context *context, const struct tp_option *option,
				    const struct tp_sweep_at *at, const char *example,
				    struct tp_arena *arena, char ***variables,
				    struct tp_diags *diags)
{
	const struct tp_value *value = tp_config_value(context->config, option);
	*variables = tp_arena_alloc(arena, (value->n + 1) * sizeof(**variables));
	for (size_t i = 0; i < value->n; i++) {
		const char *text = value->items[i].text;
		size_t len = tp_identifier_length(text);
		struct tp_diag diag;
		char shown[80];
		enum tp_status status = TP_OK;
		if (!len || text[len] != '=')
			status = tp_fail(&diag, TP_USAGE, NULL, example, "\"%s\" is not NAME=VALUE",
					 tp_shown(shown, sizeof(shown), text, strlen(text)));
		else if (at)
			status = tp_sweep_fill(at, text, arena, &(*variables)[i], &diag);
		else
			(*variables)[i] = tp_arena_strdup(arena, text);
		if (status != TP_OK)
			return tp_planner_refuse(context, diags, status, option, diag.hint, "%s",
						 diag.what);
	}
	return TP_OK;
}

enum tp_status tp_command_judge(const struct tp_command_line *command,
				const struct tp_command_run *run, const char *where,
				const char *what, const char *hint, struct tp_diag *diag)
{
	char line[160];
	TP_STR end = { 0 };
	if (!run->late && !run->end.signal && !run->end.code)
		return TP_OK;
	if (run->late)
		tp_str_printf(&end, "took longer than %g s and was killed", command->limit_seconds);
	else if (run->end.signal)
		tp_process_end_text(run->end, &end);
	else
		tp_str_printf(&end, "ended with exit status %d", run->end.code);
	tp_command_last_line(run, line, sizeof(line));
	return tp_fail(diag, TP_FAILED, where, run->late ? hint : NULL, "%s %s%s%s", what,
		       tp_str_text(&end), *line ? "; it said: " : "", line);
}

enum tp_status tp_commands_run(const struct tp_commands *commands,
			       const struct tp_command_line *how, const char *where,
			       const char *hint, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < commands->n && status == TP_OK; i++) {
		struct tp_command_line command = *how;
		struct tp_command_run run;
		char what[96], name[48];
		command.words = commands->items[i];
		tp_shown(name, sizeof(name), command.words[0], strlen(command.words[0]));
		snprintf(what, sizeof(what), "%s of %s", name, commands->option->key);
		status = tp_command_run(&command, &run, diag);
		if (status == TP_OK)
			status = tp_command_judge(&command, &run, where, what, hint, diag);
		tp_command_run_release(&run);
	}
	return status;
}

enum tp_status tp_planner_program(struct tp_plan_context *context, const struct tp_option *option,
				  const char *example, char ***words, struct tp_diags *diags)
{
	char path[TP_PATH_MAX], shown[120];
	*words = tp_config_words(context->config, option);
	if (!*words)
		return tp_planner_refuse(context, diags, TP_USAGE, option, example,
					 "no program to run");
	const char *program = (*words)[0];
	if (context->machine->foreign || tp_program_find(program, path))
		return TP_OK;
	return tp_planner_refuse(
		context, diags, TP_NOTFOUND, option,
		strchr(program, '/')
			? "look whether the path is right, and the file executable: ls -l"
			: "a program of this folder is written ./program",
		"there is no program \"%s\"",
		tp_shown(shown, sizeof(shown), program, strlen(program)));
}
