/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/run.h"
#include "base/command.h"
#include "base/memory.h"

#include <stdlib.h>
#include <unistd.h>

/* Between SIGTERM and SIGKILL. */
#define PATIENCE_SECONDS 1.0

const char *tp_app_variable(const struct tp_app_command *command, const char *name)
{
	const char *value = tp_environment_value(command->variables, name);
	return value ? value : tp_environment_value(environ, name);
}

enum tp_status tp_app_execute(const struct tp_app_command *command,
			      const struct tp_app_added *added, struct tp_command_run *ran,
			      struct tp_diag *diag)
{
	char *const *const lists[] = { environ, command->variables,
				       added ? added->variables : NULL };
	const int streams[] = { command->output, command->errors };
	char program[TP_PATH_MAX];
	*ran = (struct tp_command_run){ 0 };
	enum tp_status status = tp_app_program(command->words[0], program, diag);
	if (status != TP_OK)
		return status;
	char **environment = tp_environment_merge(lists, TP_COUNT_OF(lists));
	if (!environment)
		return tp_fail(diag, TP_NOMEM, command->words[0], NULL, "out of memory");
	const struct tp_command_line line = { .words = command->words,
					      .environment = environment,
					      .folder = command->folder,
					      .cpus = command->cpus,
					      .n_cpus = command->n_cpus,
					      .inherits = !command->input,
					      .input = command->input,
					      .streams = streams,
					      .kept = command->kept,
					      .number = { added ? added->pid : NULL, command->pid },
					      .limit_seconds = command->limit_seconds,
					      .patience_seconds = PATIENCE_SECONDS,
					      .go_on = command->go_on,
					      .context = command->context };
	status = tp_command_run(&line, ran, diag);
	free(environment);
	return status;
}

void tp_app_note_late(const struct tp_app_command *command, const struct tp_command_run *ran,
		      struct tp_diags *notes)
{
	if (ran->late)
		tp_diags_note(notes, command->words[0], "give it more time, or less to do",
			      "was ended after %.3g seconds, its limit", command->limit_seconds);
}
