/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --lesson-report: the files of many learners on one page. */
#include "cli/cli.h"
#include "lesson/learners.h"
#include "session/document.h"

#include <stdio.h>
#include <unistd.h>

static enum tp_status write_page(const struct tp_cli *cli, const struct tp_learners *learners,
				 struct tp_diag *diag)
{
	struct tp_str out = { 0 };
	enum tp_status status = tp_learners_html(learners, &out);
	if (status == TP_OK)
		status = tp_text_write(cli->html, &out, diag);
	else
		tp_fail(diag, status, cli->html, NULL, "%s", tp_status_name(status));
	tp_str_release(&out);
	return status;
}

static enum tp_status write_data(const struct tp_cli *cli, const struct tp_learners *learners,
				 struct tp_diag *diag)
{
	struct tp_str out = { 0 };
	struct tp_look look;
	enum tp_status status = TP_OK;
	tp_look_init(&look, &cli->look, tp_is_stdout(cli->output) ? STDOUT_FILENO : -1);
	if (cli->json)
		status = tp_learners_json(learners, &out);
	else if (cli->csv)
		status = tp_learners_csv(learners, &out);
	else
		tp_learners_text(learners, &look, &out);
	if (status == TP_OK && out.oom)
		status = TP_NOMEM;
	if (status == TP_OK)
		status = tp_text_write(cli->output, &out, diag);
	else
		tp_fail(diag, status, "--lesson-report", NULL, "%s", tp_status_name(status));
	tp_str_release(&out);
	return status;
}

int tp_cli_lesson_report(const struct tp_cli *cli)
{
	struct tp_learners learners = { 0 };
	struct tp_diag diag = { 0 };
	size_t damaged = 0;
	enum tp_status status = TP_OK, last = TP_OK;
	for (size_t i = 0; i < cli->values.n; i++) {
		status = tp_learners_add(&learners, cli->values.items[i], &diag);
		if (status == TP_OK)
			continue;
		last = status;
		damaged++;
		tp_complain(&diag);
	}
	if (!learners.n)
		return (int)tp_status_exit(last);
	if (damaged && !cli->quiet)
		tp_say("%zu of %zu files are left out", damaged, cli->values.n);
	status = TP_OK;
	if (cli->html)
		status = write_page(cli, &learners, &diag);
	if (status == TP_OK && (!cli->html || cli->json || cli->csv || cli->output))
		status = write_data(cli, &learners, &diag);
	tp_learners_release(&learners);
	if (status != TP_OK) {
		tp_complain(&diag);
		return (int)tp_status_exit(status);
	}
	return damaged ? TP_EXIT_SKIPPED : TP_EXIT_OK;
}
