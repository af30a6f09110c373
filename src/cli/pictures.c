/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

enum tp_status tp_cli_write_svg(const struct tp_run *run, const char *path, struct tp_diag *diag)
{
	struct tp_str out = { 0 };
	enum tp_status status = tp_report_svg(run, TP_SVG_AUTO, &out);
	if (status != TP_OK)
		tp_fail(diag, status, path, NULL, "the pictures could not be drawn: %s",
			tp_status_name(status));
	else if (strcmp(path, "-") == 0)
		fwrite(tp_str_text(&out), 1, out.len, stdout);
	else
		status = tp_file_write(path, tp_str_text(&out), out.len, diag);
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
