/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

const char *const tp_run_file_names[] = { "points.csv",	       "readings.csv",	  "trials.csv",
					  "gathers.csv",       "app_regions.csv", "app_classes.csv",
					  "app_functions.csv", "table.csv",	  "plots.svg",
					  "profile.csv",       "phases.csv",	  "metrics.papi",
					  "output.txt",	       "errors.txt",	  "preset.yaml",
					  "journal.ndjson",    "run.json",	  NULL };

/*
 * One of the above, or the temporary of one that was being written when the program was killed
 * ("run.json.XXXXXX").
 */
static bool is_ours(const char *name)
{
	for (size_t i = 0; tp_run_file_names[i]; i++) {
		size_t n = strlen(tp_run_file_names[i]);
		const char *at = *name == '.' ? name + 1 : name;
		if (strncmp(at, tp_run_file_names[i], n) == 0 && (!at[n] || at[n] == '.'))
			return true;
	}
	return false;
}

/* Every entry of the open directory; the first that is not ours is named in `diag`. */
static enum tp_status check_content(int fd, const char *directory, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = again >= 0 ? fdopendir(again) : NULL;
	bool is_run = false;
	if (!dir) {
		if (again >= 0)
			close(again);
		return tp_fail(diag, TP_IO, directory, NULL, "cannot read it: %s", strerror(errno));
	}
	for (struct dirent *file; status == TP_OK && (file = readdir(dir));) {
		struct stat st;
		const char *name = file->d_name;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		if (!is_ours(name) || fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(st.st_mode))
			status = tp_fail(
				diag, TP_USAGE, directory, "look at it, and remove it by hand",
				"holds \"%.60s\", which is not tprof's: nothing was removed", name);
		is_run |= strcmp(name, "run.json") == 0 || strcmp(name, "journal.ndjson") == 0;
	}
	closedir(dir);
	if (status == TP_OK && !is_run)
		status = tp_fail(diag, TP_USAGE, directory, NULL,
				 "is no run: it holds neither run.json nor journal.ndjson");
	return status;
}

static bool is_measured(int fd)
{
	int journal = -1;
	tp_file_open(fd, "journal.ndjson", O_RDONLY | O_NOFOLLOW, &journal, NULL);
	bool held = journal >= 0 && flock(journal, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	if (journal >= 0)
		close(journal);
	return held;
}

static enum tp_status remove_content(int fd, const char *directory, struct tp_diag *diag)
{
	DIR *dir;
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int failed = 0;
	if (again < 0 || !(dir = fdopendir(again))) {
		if (again >= 0)
			close(again);
		return tp_fail(diag, TP_IO, directory, NULL, "cannot read it: %s", strerror(errno));
	}
	/* Temporaries first, then the table in its order. */
	for (struct dirent *file; (file = readdir(dir));) {
		bool in_table = false;
		for (size_t i = 0; tp_run_file_names[i]; i++)
			in_table |= strcmp(file->d_name, tp_run_file_names[i]) == 0;
		if (!in_table && is_ours(file->d_name) && unlinkat(fd, file->d_name, 0) != 0)
			failed = errno;
	}
	closedir(dir);
	for (size_t i = 0; tp_run_file_names[i] && !failed; i++)
		if (unlinkat(fd, tp_run_file_names[i], 0) != 0 && errno != ENOENT)
			failed = errno;
	return failed ? tp_fail(diag, failed == EACCES || failed == EPERM ? TP_PERM : TP_IO,
				directory, NULL, "cannot be removed: %s", strerror(failed))
		      : TP_OK;
}

enum tp_status tp_run_remove(const char *folder, const char *directory, struct tp_diag *diag)
{
	int fd = -1, parent = -1;
	enum tp_status status = TP_OK;
	if (!*directory || strchr(directory, '/') || strcmp(directory, ".") == 0 ||
	    strcmp(directory, "..") == 0)
		return tp_fail(diag, TP_USAGE, directory, NULL, "is no name of a run directory");
	parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (parent >= 0)
		fd = openat(parent, directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		struct stat st;
		int error = errno;
		bool link = parent >= 0 &&
			    fstatat(parent, directory, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			    S_ISLNK(st.st_mode);
		status = link ? tp_fail(diag, TP_USAGE, directory, NULL,
					"is a symbolic link: nothing was removed")
			      : tp_fail(diag, error == ENOENT ? TP_NOTFOUND : TP_IO, directory,
					NULL, "cannot be removed: %s", strerror(error));
	}
	if (status == TP_OK)
		status = check_content(fd, directory, diag);
	if (status == TP_OK && is_measured(fd))
		status = tp_fail(diag, TP_RESOURCE, directory, "stop it first",
				 "is being measured by a tprof");
	if (status == TP_OK)
		status = remove_content(fd, directory, diag);
	if (status == TP_OK && unlinkat(parent, directory, AT_REMOVEDIR) != 0)
		status = tp_fail(diag, errno == EACCES || errno == EPERM ? TP_PERM : TP_IO,
				 directory, NULL, "cannot be removed: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	if (parent >= 0)
		close(parent);
	return status;
}
