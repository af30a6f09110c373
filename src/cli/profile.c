/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --profile: a program on the command line is a run of the experiment profile. */
#include "base/command.h"
#include "cli/cli.h"
#include "experiments/profile/profile_row.h"

#include <stdlib.h>

enum { SIGNAL_BASE = 128 };

/* Whoever wraps a program in tprof wants its exit status, where it failed. */
static int judge(const struct tp_run *run, int code)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_profile_row *row = tp_profile_row(&run->points[i]);
		if (row->signal)
			return SIGNAL_BASE + (int)row->signal;
		if (row->exit_status)
			return (int)row->exit_status;
	}
	return code;
}

int tp_cli_profile(const struct tp_cli *cli)
{
	struct tp_cli own = *cli;
	struct tp_str command = { 0 }, words = { 0 };
	const char **sets = calloc(cli->overrides.n + 2, sizeof(*sets));
	size_t n = 0;
	int code = TP_EXIT_RESOURCE;
	for (size_t i = 0; i < cli->values.n; i++)
		tp_command_join(&words, cli->values.items[i]);
	tp_str_printf(&command, "profile.command=%s", tp_str_text(&words));
	if (!sets || words.oom || command.oom) {
		tp_cli_usage(NULL, "out of memory");
		goto out;
	}
	sets[n++] = "experiment=profile";
	/* An own --set's command is as good as words. */
	if (cli->values.n)
		sets[n++] = tp_str_text(&command);
	for (size_t i = 0; i < cli->overrides.n; i++)
		sets[n++] = cli->overrides.sets[i];
	own.overrides = (struct tp_overrides){ sets, n };
	own.values = (struct tp_values){ 0 };
	own.lends = true;
	own.judge = judge;
	/* Whoever names a program wants to see what it does. */
	if (own.report == TP_AUTO && !own.json && !own.csv && !own.events)
		own.report = TP_ALWAYS;
	code = tp_cli_batch(&own);
out:
	free(sets);
	tp_str_release(&words);
	tp_str_release(&command);
	return code;
}
