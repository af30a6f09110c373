/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --app: a program on the command line is a run of the experiment app. */
#include "app/self_test.h"
#include "cli/wrap.h"
#include "experiments/app/app_row.h"

#include <stdio.h>

static int judge(const struct tp_run *run, int code)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_app_row *row = tp_app_row(&run->points[i]);
		if (row->signal || row->exit_status)
			return tp_cli_program_code(row->signal, row->exit_status, code);
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
	struct tp_cli_wrapped wrapped = { .experiment = "app", .judge = judge };
	struct tp_str regions = { 0 };
	int code = TP_EXIT_RESOURCE;
	if (cli->self_test)
		return self_test(cli);
	tp_str_add(&regions, "app.regions=");
	for (size_t i = 0; i < cli->regions.n; i++)
		add_item(&regions, i == 0, cli->regions.items[i]);
	if (cli->regions.n)
		wrapped.set = tp_str_text(&regions);
	if (regions.oom)
		tp_cli_usage(NULL, "out of memory");
	else
		code = tp_cli_wrap(cli, &wrapped);
	tp_str_release(&regions);
	return code;
}
