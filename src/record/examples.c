/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/examples.h"

#include <stdio.h>
#include <string.h>

static enum tp_status folder_of(char out[TP_PATH_MAX], struct tp_diag *diag)
{
	return tp_path_data("examples/runs", out, diag);
}

bool tp_example_named(const char *what)
{
	return strncmp(what, TP_EXAMPLE_PREFIX, strlen(TP_EXAMPLE_PREFIX)) == 0;
}

enum tp_status tp_example_find(const char *what, char path[TP_PATH_MAX], struct tp_diag *diag)
{
	const char *name = what + strlen(TP_EXAMPLE_PREFIX);
	char folder[TP_PATH_MAX], hint[160];
	char **names;
	size_t n;
	enum tp_status status = folder_of(folder, diag);
	if (status == TP_OK)
		status = tp_run_names(folder, &names, &n, diag);
	if (status != TP_OK)
		return status;
	/* Only names that are there: none leads out of the folder. */
	bool found = false;
	for (size_t i = 0; i < n && !found; i++)
		found = strcmp(names[i], name) == 0;
	const char *near = tp_nearest(name, (const char *const *)names, n);
	if (near)
		snprintf(hint, sizeof(hint), "did you mean %s%.80s?", TP_EXAMPLE_PREFIX, near);
	else
		snprintf(hint, sizeof(hint), "see tprof --list examples");
	tp_run_names_free(names, n);
	if (!found)
		return tp_fail(diag, TP_NOTFOUND, what, hint, "there is no such example run");
	int len = snprintf(path, TP_PATH_MAX, "%s/%s", folder, name);
	if (len < 0 || len >= TP_PATH_MAX)
		return tp_fail(diag, TP_USAGE, what, NULL, "path too long");
	return TP_OK;
}

enum tp_status tp_example_entries(struct tp_run_entry **entries, size_t *n, struct tp_diag *diag)
{
	char folder[TP_PATH_MAX];
	*entries = NULL;
	*n = 0;
	enum tp_status status = folder_of(folder, diag);
	return status == TP_OK ? tp_run_entries(folder, entries, n, diag) : status;
}

bool tp_example_called(const char *path, char *out, size_t size)
{
	char folder[TP_PATH_MAX];
	if (folder_of(folder, NULL) != TP_OK)
		return false;
	size_t len = strlen(folder);
	if (strncmp(path, folder, len) != 0 || path[len] != '/' || strchr(path + len + 1, '/'))
		return false;
	int n = snprintf(out, size, "%s%s", TP_EXAMPLE_PREFIX, path + len + 1);
	return n > 0 && (size_t)n < size;
}
