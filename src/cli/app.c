/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --app: a program on the command line is a run of the experiment app. */
#include "app/self_test.h"
#include "base/command.h"
#include "cli/cli.h"
#include "experiments/app/app_row.h"

#include <stdlib.h>
#include <string.h>

enum { SIGNAL_BASE = 128 };

/* Whoever wraps a program in tprof wants its exit status, where it failed. */
static int judge(const struct tp_run *run, int code)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_app_row *row = tp_app_row(&run->points[i]);
		if (row->signal)
			return SIGNAL_BASE + (int)row->signal;
		if (row->exit_status)
			return (int)row->exit_status;
	}
	return code;
}

/* An item of a list may hold commas where it stands in quotes. */
static void add_item(struct tp_str *out, bool first, const char *text)
{
	tp_str_add(out, first ? "\"" : ",\"");
	for (; *text; text++)
		tp_str_printf(out, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
	tp_str_add(out, "\"");
}

static int self_test(const struct tp_cli *cli)
{
	const struct tp_app_self_test ask = { 0 };
	struct tp_str out = { 0 };
	struct tp_diag diag = { 0 };
	if (cli->values.n)
		return tp_cli_usage("tprof --app --self-test", "--self-test takes no program");
	enum tp_status status = tp_app_self_test(&ask, &out, &diag);
	fputs(tp_str_text(&out), stdout);
	if (status != TP_OK)
		tp_complain(&diag);
	tp_str_release(&out);
	return (int)tp_status_exit(status);
}

int tp_cli_app(const struct tp_cli *cli)
{
	if (cli->self_test)
		return self_test(cli);
	struct tp_cli own = *cli;
	struct tp_str command = { 0 }, words = { 0 }, regions = { 0 };
	const char **sets = calloc(cli->overrides.n + 3, sizeof(*sets));
	size_t n = 0;
	int code = TP_EXIT_RESOURCE;
	/* A preset's or an own --set's command is as good as words. */
	for (size_t i = 0; i < cli->values.n; i++)
		tp_command_join(&words, cli->values.items[i]);
	tp_str_printf(&command, "app.command=%s", tp_str_text(&words));
	tp_str_add(&regions, "app.regions=");
	for (size_t i = 0; i < cli->regions.n; i++)
		add_item(&regions, i == 0, cli->regions.items[i]);
	if (!sets || words.oom || command.oom || regions.oom) {
		tp_cli_usage(NULL, "out of memory");
		goto out;
	}
	sets[n++] = "experiment=app";
	if (cli->values.n)
		sets[n++] = tp_str_text(&command);
	if (cli->regions.n)
		sets[n++] = tp_str_text(&regions);
	for (size_t i = 0; i < cli->overrides.n; i++)
		sets[n++] = cli->overrides.sets[i];
	own.overrides = (struct tp_overrides){ sets, n };
	own.values = (struct tp_values){ 0 };
	own.lends = true;
	own.judge = judge;
	/* Whoever names a program wants to see where it stands. */
	if (own.report == TP_AUTO && !own.json && !own.csv && !own.events)
		own.report = TP_ALWAYS;
	code = tp_cli_batch(&own);
out:
	free(sets);
	tp_str_release(&words);
	tp_str_release(&command);
	tp_str_release(&regions);
	return code;
}
