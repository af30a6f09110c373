/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The merged runs as directories: merged/, merged-2/, ... Each is written beside its place and then
 * takes it, so that a reader finds the old results or the new ones, never half of both.
 */
#include "cluster/merge.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEMPORARY_BYTES = 16 };

bool tp_cluster_merged_path(const struct tp_cluster *cluster, size_t i, char out[TP_PATH_MAX])
{
	int n = i == 0 ? snprintf(out, TP_PATH_MAX, "%s/merged", cluster->directory)
		       : snprintf(out, TP_PATH_MAX, "%s/merged-%zu", cluster->directory, i + 1);

	return n > 0 && n < TP_PATH_MAX;
}

/* Whether tprof has written it there. */
static bool is_ours(const char *name)
{
	static const char *const files[] = { "run.json", "points.csv", "nodes.csv",
					     "node_values.csv" };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (strcmp(files[i], name) == 0)
			return true;
	return false;
}

/* Removes a merged run. What else somebody put there moves to `heir`, or stays without one. */
static void dispose(const char *path, const char *heir)
{
	int from = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int to = heir ? open(heir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	DIR *dir = from >= 0 ? fdopendir(from) : NULL;

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		if (is_ours(name))
			unlinkat(from, name, 0);
		else if (to >= 0)
			renameat2(from, name, to, name, RENAME_NOREPLACE);
	}
	if (dir)
		closedir(dir);
	else if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	/* A link to a directory has stood there. */
	if (rmdir(path) != 0 && errno == ENOTDIR)
		unlink(path);
}

/* The directory `made` gets the name `path`; what has it goes. */
static bool take_place(const char *made, const char *path)
{
	char old[TP_PATH_MAX + TEMPORARY_BYTES];

	if (rename(made, path) == 0)
		return true;
	if (renameat2(AT_FDCWD, made, AT_FDCWD, path, RENAME_EXCHANGE) == 0) {
		dispose(made, path);
		return true;
	}
	/* Some file systems exchange nothing: for a moment there is none. */
	snprintf(old, sizeof(old), "%s.old", made);
	if (rename(path, old) != 0)
		return false;
	if (rename(made, path) != 0) {
		int error = errno;

		rename(old, path);
		errno = error;
		return false;
	}
	dispose(old, path);
	return true;
}

static enum tp_status write_one(const struct tp_cluster *cluster, size_t i,
				const struct tp_run *run, struct tp_diag *diag)
{
	char path[TP_PATH_MAX], made[TP_PATH_MAX];
	mode_t mask = umask(0);

	umask(mask);
	if (!tp_cluster_merged_path(cluster, i, path) ||
	    snprintf(made, sizeof(made), "%s.XXXXXX", path) >= TP_PATH_MAX)
		return tp_fail(diag, TP_USAGE, cluster->directory, NULL, "path too long");
	if (!mkdtemp(made))
		return tp_fail(diag, errno == EACCES || errno == EROFS ? TP_PERM : TP_IO, path,
			       NULL, "cannot make the directory: %s", strerror(errno));
	chmod(made, 0777 & ~mask);
	enum tp_status status = tp_rundir_write(made, run, diag);

	if (status == TP_OK && !take_place(made, path))
		status = tp_fail(diag, TP_IO, path, "is it a directory of yours?",
				 "cannot be replaced: %s", strerror(errno));
	if (status != TP_OK)
		dispose(made, NULL);
	return status;
}

enum tp_status tp_cluster_write_merged(const struct tp_cluster *cluster, struct tp_diags *remarks,
				       struct tp_diag *diag)
{
	struct tp_run *runs = NULL;
	char path[TP_PATH_MAX];
	size_t n = 0, before = remarks->n;
	enum tp_status status = tp_cluster_merge(cluster, &runs, &n, remarks, diag);
	bool merged = status == TP_OK;

	/* Whoever reads the run later sees them too. */
	for (size_t i = before; merged && i < remarks->n; i++)
		tp_run_remark(&runs[0], &remarks->items[i]);
	for (size_t i = 0; i < n && status == TP_OK; i++)
		status = write_one(cluster, i, &runs[i], diag);
	/*
	 * Groups of an earlier merge that are no more: their results would be taken for those of
	 * now.
	 */
	for (size_t i = n; merged && status == TP_OK; i++) {
		if (!tp_cluster_merged_path(cluster, i, path) || !tp_is_folder(path))
			break;
		dispose(path, NULL);
	}
	for (size_t i = 0; i < n; i++)
		tp_run_release(&runs[i]);
	free(runs);
	return status;
}
