/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/commands.h"

enum tp_status tp_sweep_fill_text(const struct tp_sweep_at *at, const char *text,
				  struct tp_arena *arena, char **filled, struct tp_diag *diag)
{
	struct tp_str out = { 0 };
	enum tp_status status = tp_sweep_fill(at, text, &out, diag);
	*filled = status == TP_OK && !out.oom ? tp_arena_strdup(arena, tp_str_text(&out)) : NULL;
	if (status == TP_OK && !*filled)
		status = tp_fail(diag, TP_NOMEM, NULL, NULL, "out of memory");
	tp_str_release(&out);
	return status;
}

enum tp_status tp_sweep_fill_command(const struct tp_sweep_at *at, const char *text,
				     struct tp_arena *arena, char ***words, struct tp_diag *diag)
{
	size_t n = 0;
	enum tp_status status = tp_command_split(text, arena, words, &n, diag);
	for (size_t i = 0; i < n && status == TP_OK; i++)
		status = tp_sweep_fill_text(at, (*words)[i], arena, &(*words)[i], diag);
	if (status == TP_OK && !(*words)[0][0])
		status = tp_fail(diag, TP_USAGE, NULL, NULL, "the name of the program is empty");
	return status;
}

enum tp_status tp_sweep_judge_command(const struct tp_command_line *command,
				      const struct tp_command_run *run, const char *where,
				      const char *what, const char *hint, struct tp_diag *diag)
{
	char line[160];
	struct tp_str end = { 0 };
	if (!run->late && !run->end.signal && !run->end.code)
		return TP_OK;
	if (run->late)
		tp_str_printf(&end, "took longer than %g s and was killed", command->limit_seconds);
	else if (run->end.signal)
		tp_process_end_text(run->end, &end);
	else
		tp_str_printf(&end, "ended with exit status %d", run->end.code);
	tp_command_last_line(run, line, sizeof(line));
	tp_fail(diag, TP_FAILED, where, run->late ? hint : NULL, "%s %s%s%s", what,
		tp_str_text(&end), *line ? "; it said: " : "", line);
	tp_str_release(&end);
	return TP_FAILED;
}
