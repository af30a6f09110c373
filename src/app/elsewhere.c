/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/elsewhere.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

/* Folders of all runs, and what tprof itself puts into each; it holds a lock on that. */
#define FOLDERS "agents"
#define GIVEN	"tree"
#define NEW	"tree.new"

static int open_folder(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void remove_folder(const char *path)
{
	int fd = open_folder(path);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	for (struct dirent *entry; dir && (entry = readdir(dir));)
		unlinkat(fd, entry->d_name, 0);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	rmdir(path);
}

/* A tprof that was killed leaves its folder, and no lock on it. */
static void remove_stale(const char *folders)
{
	DIR *dir = opendir(folders);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		char given[TP_PATH_MAX];
		int fd;
		if (entry->d_name[0] == '.' ||
		    (size_t)snprintf(given, sizeof(given), "%s/%s/" GIVEN, folders,
				     entry->d_name) >= sizeof(given) ||
		    tp_file_open(AT_FDCWD, given, O_RDONLY | O_NOFOLLOW, &fd, NULL) != TP_OK)
			continue;
		if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
			*strrchr(given, '/') = '\0';
			remove_folder(given);
		}
		close(fd);
	}
	if (dir)
		closedir(dir);
}

static bool give(struct tp_app_shared *shared)
{
	char new[sizeof(shared->folder) + 16], given[sizeof(shared->folder) + 16];
	snprintf(new, sizeof(new), "%s/" NEW, shared->folder);
	snprintf(given, sizeof(given), "%s/" GIVEN, shared->folder);
	return tp_file_create(TP_TYPED_NOTHING, new, O_WRONLY | O_CREAT | O_EXCL, &shared->lock,
			      NULL) == TP_OK &&
	       flock(shared->lock, LOCK_EX | LOCK_NB) == 0 &&
	       tp_write_all(shared->lock, (const char *)shared->tree, TP_AGENT_TREE_GIVEN) &&
	       rename(new, given) == 0;
}

void tp_app_elsewhere_offer(struct tp_app_shared *shared)
{
	struct tp_agent_tree *tree = shared->tree;
	TP_FREE char *machine = NULL;
	char folders[TP_PATH_MAX], path[TP_PATH_MAX];
	const char *number = strchr(tree->file_path, '#');
	size_t len;
	if (!number || tp_path_user_data(FOLDERS, folders, NULL) != TP_OK ||
	    (size_t)snprintf(path, sizeof(path), "%s/%s", folders, number + 1) >= sizeof(path) ||
	    tp_file_read(TP_AGENT_MACHINE_FILE, TP_AGENT_MACHINE, &machine, &len, NULL) != TP_OK ||
	    len < TP_AGENT_MACHINE - 1)
		return;
	remove_stale(folders);
	if (tp_dir_make(folders, NULL) != TP_OK || mkdir(path, 0700) != 0)
		return;
	tp_copy(shared->folder, sizeof(shared->folder), path);
	memcpy(tree->machine, machine, TP_AGENT_MACHINE - 1);
	size_t at = strlen(tree->file_path);
	snprintf(tree->file_path + at, sizeof(tree->file_path) - at, " %s", path);
	if (!give(shared)) {
		tree->file_path[at] = '\0';
		tp_app_elsewhere_remove(shared);
	}
}

/* Its clocks against ours. */
static int64_t later_ns(const struct tp_agent_tree *tree)
{
	struct timespec real, monotonic;
	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	int64_t here =
		(real.tv_sec - monotonic.tv_sec) * 1000000000 + real.tv_nsec - monotonic.tv_nsec;
	return (int64_t)((uint64_t)tree->clock_ns - (uint64_t)here);
}

/* An agent's file, whose beginning is copied; false: it belongs to another run. */
static bool open_other(const struct tp_app_shared *own, int folder, const char *name,
		       struct tp_app_shared *other)
{
	const struct tp_agent_tree *ours = own->tree;
	*other = (struct tp_app_shared){ .lock = -1 };
	if (tp_file_open(folder, name, O_RDONLY | O_NOFOLLOW, &other->fd, NULL) != TP_OK)
		return false;
	struct tp_agent_tree *tree = other->tree = tp_alloc(1, sizeof(*tree));
	size_t got = 0;
	for (ssize_t n; got < sizeof(*tree); got += (size_t)n)
		if ((n = pread(other->fd, (char *)tree + got, sizeof(*tree) - got, (off_t)got)) <=
		    0)
			break;
	if (got == sizeof(*tree) && tree->elsewhere && tree->magic == TP_AGENT_MAGIC &&
	    tree->version == TP_AGENT_VERSION && tree->mode == ours->mode) {
		other->other_machine = tree->elsewhere == TP_AGENT_OTHER_MACHINE;
		other->later_ns = later_ns(tree);
		return true;
	}
	free(tree);
	close(other->fd);
	return false;
}

enum tp_status tp_app_elsewhere_each(const struct tp_app_shared *shared,
				     tp_app_elsewhere_take *take, void *context,
				     struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	/* Opened again: then a network file system looks for what others have made in it. */
	DIR *dir = shared->folder[0] ? opendir(shared->folder) : NULL;
	for (struct dirent *entry; dir && status == TP_OK && (entry = readdir(dir));) {
		struct tp_app_shared other;
		if (entry->d_name[0] == '.' || strcmp(entry->d_name, GIVEN) == 0 ||
		    !open_other(shared, dirfd(dir), entry->d_name, &other))
			continue;
		status = take(context, &other, diag);
		free(other.tree);
		close(other.fd);
	}
	if (dir)
		closedir(dir);
	return status;
}

void tp_app_elsewhere_remove(struct tp_app_shared *shared)
{
	if (shared->folder[0])
		remove_folder(shared->folder);
	if (shared->lock >= 0)
		close(shared->lock);
	shared->folder[0] = '\0';
	shared->lock = -1;
}
