/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which cluster runs the user has, and which one a name means. */
#include "cluster/cluster.h"
#include "base/text.h"
#include "base/memory.h"
#include "record/load.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DATE_BYTES = 18 }; /* "2026-11-24-004324-" before the name of a run directory */

const char *tp_cluster_short_name(const char *directory)
{
	return strlen(directory) > DATE_BYTES && strspn(directory, "0123456789-") >= DATE_BYTES
		       ? directory + DATE_BYTES
		       : directory;
}

static bool is_cluster(const char *directory)
{
	char path[TP_PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/cluster.json", directory);
	return n > 0 && n < TP_PATH_MAX && tp_is_file(path);
}

enum tp_status tp_cluster_list(char (**names)[TP_CLUSTER_NAME_BYTES], size_t *n,
			       struct tp_diag *diag)
{
	char folder[TP_PATH_MAX], path[2 * TP_PATH_MAX], **all;
	size_t n_all;
	*names = NULL;
	*n = 0;
	enum tp_status status = tp_path_user_data("runs", folder, diag);
	if (status == TP_OK)
		status = tp_run_names(folder, &all, &n_all, diag);
	if (status != TP_OK)
		return status;
	*names = calloc(n_all + 1, sizeof(**names));
	for (size_t i = 0; *names && i < n_all; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, all[i]);
		if (is_cluster(path) && tp_copy((*names)[*n], TP_CLUSTER_NAME_BYTES, all[i]))
			++*n;
	}
	tp_run_names_free(all, n_all);
	return *names ? TP_OK : tp_fail(diag, TP_NOMEM, folder, NULL, "out of memory");
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n >= m && strcmp(text + n - m, end) == 0;
}

/* As of runs: the whole name, its end where only one ends so, or "last". */
static enum tp_status choose(const char *typed, char (*names)[TP_CLUSTER_NAME_BYTES], size_t n,
			     const char **found, struct tp_diag *diag)
{
	static const char submit[] = "submit one: tprof --cluster local:2 --batch quick";
	const char *list[64];
	size_t hits = 0, n_list = 0;
	char hint[160], shown[96];
	*found = NULL;
	tp_shown(shown, sizeof(shown), typed, strlen(typed));
	if (!n)
		return tp_fail(diag, TP_NOTFOUND, shown, submit, "there are no cluster runs");
	if (strcmp(typed, "last") == 0)
		*found = names[n - 1];
	for (size_t i = 0; i < n && !*found; i++)
		if (strcmp(names[i], typed) == 0)
			*found = names[i];
	if (*found)
		return TP_OK;
	for (size_t i = 0; i < n; i++)
		if (ends_with(names[i], typed)) {
			*found = names[i];
			hits++;
		}
	if (hits == 1)
		return TP_OK;
	if (hits > 1)
		return tp_fail(diag, TP_USAGE, shown, "give more of its name",
			       "%zu cluster runs end so, the newest is %s", hits, *found);
	/* Nobody types the date. */
	for (size_t i = n; i > 0 && n_list < TP_COUNT_OF(list); i--)
		list[n_list++] = tp_cluster_short_name(names[i - 1]);
	const char *near = tp_nearest(typed, list, n_list);
	snprintf(hint, sizeof(hint), near ? "did you mean %s?" : "the newest is %s",
		 near ? near : names[n - 1]);
	return tp_fail(diag, TP_NOTFOUND, shown, hint, "there is no such cluster run");
}

enum tp_status tp_cluster_find(const char *typed, char out[TP_PATH_MAX], struct tp_diag *diag)
{
	char folder[TP_PATH_MAX], (*names)[TP_CLUSTER_NAME_BYTES];
	const char *found;
	size_t n;
	if (strchr(typed, '/') || is_cluster(typed)) {
		if (!is_cluster(typed))
			return tp_fail(diag, TP_NOTFOUND, typed,
				       "tprof --cluster status lists the last one",
				       "holds no cluster.json, so it is no cluster run");
		return realpath(typed, out)
			       ? TP_OK
			       : tp_fail(diag, TP_IO, typed, NULL, "%s", strerror(errno));
	}
	enum tp_status status = tp_path_user_data("runs", folder, diag);
	if (status == TP_OK)
		status = tp_cluster_list(&names, &n, diag);
	if (status != TP_OK)
		return status;
	status = choose(typed, names, n, &found, diag);
	if (status == TP_OK) {
		int len = snprintf(out, TP_PATH_MAX, "%s/%s", folder, found);
		if (len < 0 || len >= TP_PATH_MAX)
			status = tp_fail(diag, TP_USAGE, found, NULL, "path too long");
	}
	free(names);
	return status;
}
