/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/export_run.h"
#include "base/vec.h"
#include "counters/papi_file.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TEXT_COLUMNS = 100 };

static enum tp_status svg(const struct tp_run *run, struct tp_str *out)
{
	return tp_report_svg(run, TP_SVG_AUTO, out);
}

static enum tp_status text(const struct tp_run *run, struct tp_str *out)
{
	const struct tp_look look = { .utf8 = true, .columns = TEXT_COLUMNS, .rows = 40 };
	tp_report_plots(run, &look, out);
	tp_report_text(run, &look, out);
	return out->oom ? TP_NOMEM : TP_OK;
}

static enum tp_status papi(const struct tp_run *run, struct tp_str *out)
{
	return tp_papi_file(run->classes, run->n_classes, out);
}

static enum tp_status readings(const struct tp_run *run, struct tp_str *out)
{
	return tp_readings_csv(&run->readings, out);
}

static const struct {
	const char *ending;
	enum tp_status (*make)(const struct tp_run *run, struct tp_str *out);
	bool of_classes; /* only of a run that has some */
} files[] = {
	{ "svg", svg, false },	{ "csv", tp_run_csv, false }, { "json", tp_run_json, false },
	{ "txt", text, false }, { "papi", papi, true },	      { "readings.csv", readings, true },
};

static enum tp_status path_of(char path[TP_PATH_MAX], const char *folder, const char *stem,
			      const char *ending, struct tp_diag *diag)
{
	const char *home = getenv("HOME");
	bool in_home = folder[0] == '~' && (folder[1] == '/' || !folder[1]) && home;
	int n = ending ? snprintf(path, TP_PATH_MAX, "%s%s/%s.%s", in_home ? home : "",
				  in_home ? folder + 1 : folder, stem, ending)
		       : snprintf(path, TP_PATH_MAX, "%s%s", in_home ? home : "",
				  in_home ? folder + 1 : folder);
	return n > 0 && n < TP_PATH_MAX ? TP_OK
					: tp_fail(diag, TP_USAGE, "export", NULL, "no such folder");
}

enum tp_status tp_export_run(const struct tp_run *run, const char *folder, const char *stem,
			     struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	struct stat st;
	enum tp_status status = path_of(path, folder, stem, NULL, diag);
	if (status == TP_OK)
		status = tp_dir_make(path, diag);
	for (size_t i = 0; i < TP_COUNT_OF(files) && status == TP_OK; i++) {
		if (files[i].of_classes && !run->n_classes)
			continue;
		status = path_of(path, folder, stem, files[i].ending, diag);
		if (status == TP_OK && lstat(path, &st) == 0)
			status = tp_fail(diag, TP_USAGE, path, "choose another folder",
					 "is there already; nothing was written");
	}
	for (size_t i = 0; i < TP_COUNT_OF(files) && status == TP_OK; i++) {
		struct tp_str out = { 0 };
		if (files[i].of_classes && !run->n_classes)
			continue;
		status = path_of(path, folder, stem, files[i].ending, diag);
		if (status == TP_OK && (status = files[i].make(run, &out)) != TP_OK)
			tp_fail(diag, status, path, NULL, "%s", tp_status_name(status));
		if (status == TP_OK)
			status = tp_file_write(path, tp_str_text(&out), out.len, diag);
		tp_str_release(&out);
	}
	return status;
}
