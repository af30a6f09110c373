/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --show: a stored run as report and plots, as data, or as pictures. */
#include "cli/cli.h"
#include "cli/pictures.h"
#include "record/load.h"

#include <string.h>
#include <unistd.h>

static int complain(const struct tp_diag *diag, enum tp_status status)
{
	tp_cli_complain(diag);
	return (int)tp_status_exit(status);
}

/* Report and plots are what was asked for: data, to standard output. */
static enum tp_status text_of(const struct tp_run *run, const struct tp_cli *cli,
			      struct tp_str *out)
{
	struct tp_look look;
	bool to_file = cli->output && strcmp(cli->output, "-") != 0;
	tp_look_init(&look, cli, to_file ? -1 : STDOUT_FILENO);
	tp_report_plots(run, &look, out);
	tp_report_text(run, &look, out);
	return out->oom ? TP_NOMEM : TP_OK;
}

static enum tp_status data_of(const struct tp_run *run, const struct tp_cli *cli,
			      struct tp_str *out)
{
	if (cli->json)
		return tp_run_json(run, out);
	if (cli->csv)
		return tp_run_csv(run, out);
	return text_of(run, cli, out);
}

int tp_cli_show(const struct tp_cli *cli)
{
	char path[TP_PATH_MAX];
	struct tp_run run;
	struct tp_diag diag;
	struct tp_str out = { 0 };
	enum tp_status status = tp_run_find(cli->show, path, &diag);
	if (status == TP_OK)
		status = tp_run_load(&run, path, &diag);
	if (status != TP_OK)
		return complain(&diag, status);
	bool to_file = cli->output && strcmp(cli->output, "-") != 0;
	bool words = !cli->json && !cli->csv;
	if (cli->svg)
		status = tp_cli_write_svg(&run, cli->svg, &diag);
	/* Pictures alone, where nothing else was asked for. */
	if (status == TP_OK && (!cli->svg || !words || cli->output)) {
		status = data_of(&run, cli, &out);
		if (status != TP_OK)
			tp_fail(&diag, status, path, NULL, "%s", tp_status_name(status));
		else if (to_file)
			status = tp_file_write(cli->output, tp_str_text(&out), out.len, &diag);
		else
			fwrite(tp_str_text(&out), 1, out.len, stdout);
	}
	tp_str_release(&out);
	tp_run_release(&run);
	return status == TP_OK ? TP_EXIT_OK : complain(&diag, status);
}
