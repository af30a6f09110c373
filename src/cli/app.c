/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --app: a program on the command line is a run of the experiment app. */
#include "app/self_test.h"
#include "cli/wrap.h"
#include "experiments/app/row.h"

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
	return cli->self_test ? self_test(cli)
			      : tp_cli_wrap(cli, &(struct tp_cli_wrapped){ .experiment = "app",
									   .judge = judge });
}
