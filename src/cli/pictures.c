/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures.h"
#include "counters/papi_file.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

static enum tp_status write_text(const char *path, const struct tp_str *text, struct tp_diag *diag)
{
	if (strcmp(path, "-") != 0)
		return tp_file_write(path, tp_str_text(text), text->len, diag);
	fwrite(tp_str_text(text), 1, text->len, stdout);
	return TP_OK;
}

enum tp_status tp_cli_write_svg(const struct tp_run *run, const char *path, struct tp_diag *diag)
{
	struct tp_str out = { 0 };
	enum tp_status status = tp_report_svg(run, TP_SVG_AUTO, &out);
	if (status != TP_OK)
		tp_fail(diag, status, path, NULL, "the pictures could not be drawn: %s",
			tp_status_name(status));
	else
		status = write_text(path, &out, diag);
	tp_str_release(&out);
	return status;
}

enum tp_status tp_cli_write_plots(const struct tp_run *run, const char *directory,
				  struct tp_diag *diag)
{
	char path[TP_PATH_MAX + 32];
	snprintf(path, sizeof(path), "%s/" TP_PICTURES_FILE, directory);
	return tp_cli_write_svg(run, path, diag);
}

enum tp_status tp_cli_write_papi(const struct tp_run *run, const char *path, struct tp_diag *diag)
{
	struct tp_str out = { 0 };
	enum tp_status status = tp_papi_file(run->classes, run->n_classes, &out);
	if (status != TP_OK)
		tp_fail(diag, status, path, NULL, "%s", tp_status_name(status));
	else
		status = write_text(path, &out, diag);
	tp_str_release(&out);
	return status;
}

enum tp_status tp_cli_write_metrics(const struct tp_run *run, const char *directory,
				    struct tp_diag *diag)
{
	char path[TP_PATH_MAX + 32];
	snprintf(path, sizeof(path), "%s/" TP_METRICS_FILE, directory);
	return run->n_classes ? tp_cli_write_papi(run, path, diag) : TP_OK;
}
