/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program on the command line is a run of an experiment that runs programs. */
#include "base/command.h"
#include "cli/wrap.h"

#include <stdlib.h>

enum { SIGNAL_BASE = 128 };

int tp_cli_program_code(unsigned signal, unsigned exit_status, int code)
{
	return signal ? SIGNAL_BASE + (int)signal : exit_status ? (int)exit_status : code;
}

/* An item of a list may hold commas where it stands in quotes. */
static void add_item(struct tp_str *out, bool first, const char *text)
{
	tp_str_add(out, first ? "\"" : ",\"");
	for (; *text; text++)
		tp_str_printf(out, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
	tp_str_add(out, "\"");
}

int tp_cli_wrap(const struct tp_cli *cli, const struct tp_cli_wrapped *wrapped)
{
	struct tp_cli own = *cli;
	struct tp_str experiment = { 0 }, command = { 0 }, words = { 0 }, regions = { 0 };
	const char **sets = calloc(cli->overrides.n + 3, sizeof(*sets));
	size_t n = 0;
	int code = TP_EXIT_RESOURCE;
	for (size_t i = 0; i < cli->values.n; i++)
		tp_command_join(&words, cli->values.items[i]);
	tp_str_printf(&regions, "%s.regions=", wrapped->experiment);
	for (size_t i = 0; i < cli->regions.n; i++)
		add_item(&regions, i == 0, cli->regions.items[i]);
	tp_str_printf(&experiment, "experiment=%s", wrapped->experiment);
	tp_str_printf(&command, "%s.command=%s", wrapped->experiment, tp_str_text(&words));
	if (!sets || words.oom || experiment.oom || command.oom || regions.oom) {
		tp_cli_usage(NULL, "out of memory");
		goto out;
	}
	sets[n++] = tp_str_text(&experiment);
	/* A preset's or an own --set's command is as good as words. */
	if (cli->values.n)
		sets[n++] = tp_str_text(&command);
	if (cli->regions.n)
		sets[n++] = tp_str_text(&regions);
	for (size_t i = 0; i < cli->overrides.n; i++)
		sets[n++] = cli->overrides.sets[i];
	own.overrides = (struct tp_overrides){ sets, n };
	own.values = (struct tp_values){ 0 };
	own.lends = true;
	own.judge = wrapped->judge;
	/* Whoever names a program wants to see what it does. */
	if (own.report == TP_AUTO && !own.json && !own.csv && !own.events)
		own.report = TP_ALWAYS;
	code = tp_cli_batch(&own);
out:
	free(sets);
	tp_str_release(&words);
	tp_str_release(&experiment);
	tp_str_release(&command);
	tp_str_release(&regions);
	return code;
}
