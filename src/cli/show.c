/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --show: prints a stored run as report and plots, as data, or as pictures. */
#include "cli/cli.h"
#include "record/load.h"
#include "record/roof.h"
#include "session/document.h"

#include <unistd.h>

static int complain(const struct tp_diag *diag, enum tp_status status)
{
	tp_complain(diag);
	return (int)tp_status_exit(status);
}

int tp_cli_show(const struct tp_cli *cli)
{
	char path[TP_PATH_MAX];
	struct tp_run run;
	struct tp_diag diag;
	struct tp_look look;
	struct tp_str out = { 0 };
	enum tp_document kind = cli->json  ? TP_DOCUMENT_JSON
				: cli->csv ? TP_DOCUMENT_CSV
					   : TP_DOCUMENT_REPORT;
	enum tp_status status = tp_run_find(tp_cli_value(cli), path, &diag);
	if (status == TP_OK)
		status = tp_run_load(&run, path, &diag);
	if (status != TP_OK)
		return complain(&diag, status);
	tp_look_init(&look, &cli->look, tp_is_stdout(cli->output) ? STDOUT_FILENO : -1);
	for (size_t i = 0; i < cli->dots.n && status == TP_OK; i++)
		status = tp_run_add_own_dot(&run, cli->dots.items[i], &diag);
	look.full = cli->report == TP_FULL;
	if (status == TP_OK && cli->svg)
		status = tp_document_write(TP_DOCUMENT_SVG, &run, cli->svg, &diag);
	if (status == TP_OK && cli->html)
		status = tp_document_write(TP_DOCUMENT_HTML, &run, cli->html, &diag);
	/* Only pictures or the page, where nothing else was asked for. */
	if (status == TP_OK &&
	    ((!cli->svg && !cli->html) || kind != TP_DOCUMENT_REPORT || cli->output)) {
		status = tp_document_make(kind, &run, &look, path, &out, &diag);
		if (status == TP_OK)
			status = tp_text_write(cli->output, &out, &diag);
	}
	tp_str_release(&out);
	tp_run_release(&run);
	return status == TP_OK ? TP_EXIT_OK : complain(&diag, status);
}
