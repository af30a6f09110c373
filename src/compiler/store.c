/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder of the cache: whose it is, what is written into it, and what goes again. */
#include "compiler/compiler_parts.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Names of temporary folders begin like this. */
#define TEMPORARY "new."

enum { OPEN_FOLDERS = 16, TEMPORARY_SECONDS = 3600 };

static const char elsewhere[] = "set XDG_CACHE_HOME to a folder of your own";

bool tp_cc_path(char out[TP_PATH_MAX], const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(out, TP_PATH_MAX, format, ap);
	va_end(ap);
	return n >= 0 && n < TP_PATH_MAX;
}

static enum tp_status fail(struct tp_diag *diag, const char *path, const char *verb)
{
	bool full = errno == ENOSPC || errno == EDQUOT;
	bool denied = errno == EACCES || errno == EPERM || errno == EROFS;
	return tp_fail(diag,
		       full	? TP_RESOURCE
		       : denied ? TP_PERM
				: TP_IO,
		       path, full ? "free some space there, or set XDG_CACHE_HOME" : elsewhere,
		       "cannot %s: %s", verb, strerror(errno));
}

/* What others can write would make us load their code. A link would lead anywhere. */
static enum tp_status check_own(const char *path, struct tp_diag *diag)
{
	struct stat st;
	if (lstat(path, &st) != 0)
		return fail(diag, path, "look at the directory");
	if (!S_ISDIR(st.st_mode))
		return tp_fail(diag, TP_PERM, path, elsewhere,
			       "compiled code is not kept there: it is no directory");
	if (st.st_uid != geteuid())
		return tp_fail(diag, TP_PERM, path, elsewhere,
			       "compiled code is not kept there: the directory belongs to another "
			       "user (%u)",
			       st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return tp_fail(diag, TP_PERM, path, "chmod go-w on that directory",
			       "compiled code is not kept there: others can write into the "
			       "directory");
	return TP_OK;
}

enum tp_status tp_cc_folder(char out[TP_PATH_MAX], struct tp_diag *diag)
{
	char whole[TP_PATH_MAX], *slash = out;
	enum tp_status status = tp_path_user_cache("objects", out, diag);
	if (status != TP_OK)
		return status;
	tp_copy(whole, sizeof(whole), out);
	/* The user's cache, then "tprof" and "objects" in it. */
	for (unsigned up = 0; up < 2; up++)
		if ((slash = strrchr(out, '/')))
			*slash = '\0';
	status = tp_dir_make(out, diag);
	for (unsigned down = 0; status == TP_OK && down < 2; down++) {
		out[strlen(out)] = '/';
		if (mkdir(out, 0700) != 0 && errno != EEXIST)
			status = fail(diag, out, "create the directory");
		else
			status = check_own(out, diag);
	}
	tp_copy(out, TP_PATH_MAX, whole);
	return status;
}

enum tp_status tp_cc_put(const char *folder, const char *name, const struct tp_str *text, bool sync,
			 struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	if (text->oom)
		return tp_fail(diag, TP_NOMEM, folder, NULL, "out of memory");
	if (!tp_cc_path(path, "%s/%s", folder, name))
		return tp_fail(diag, TP_USAGE, folder, elsewhere, "path too long");
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return fail(diag, path, "create the file");
	bool good = tp_write_all(fd, tp_str_text(text), text->len) && (!sync || fsync(fd) == 0);
	int error = errno;
	if (close(fd) != 0 && good) {
		good = false;
		error = errno;
	}
	errno = error;
	return good ? TP_OK : fail(diag, path, "write");
}

enum tp_status tp_cc_temporary(const char *folder, char out[TP_PATH_MAX], struct tp_diag *diag)
{
	if (!tp_cc_path(out, "%s/" TEMPORARY "%ld.XXXXXX", folder, (long)getpid()))
		return tp_fail(diag, TP_USAGE, folder, elsewhere, "path too long");
	return mkdtemp(out) ? TP_OK : fail(diag, folder, "create a directory there");
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)at;
	if (kind == FTW_DP || kind == FTW_DNR)
		rmdir(path);
	else
		unlink(path);
	return 0;
}

void tp_cc_remove(const char *path)
{
	nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

/* --- trimming --- */

struct entry {
	char name[24]; /* a hash, perhaps with a number behind it */
	uint64_t bytes;
	time_t used;
};
struct entries {
	struct entry *items;
	size_t n, cap;
	uint64_t bytes;
};

/* What the files of an entry take on the disk. */
static uint64_t size_of(const char *path)
{
	static const char *const files[] = { "object.so", "source.c", "source.s", "messages.txt",
					     "key" };
	uint64_t bytes = 0;
	for (size_t i = 0; i < TP_COUNT_OF(files); i++) {
		char file[TP_PATH_MAX];
		struct stat st;
		if (tp_cc_path(file, "%s/%s", path, files[i]) && lstat(file, &st) == 0)
			bytes += (uint64_t)st.st_blocks * 512;
	}
	return bytes;
}

static int by_use(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	return (x->used > y->used) - (x->used < y->used);
}

static void take_entry(struct entries *list, const char *folder, const char *name)
{
	char path[TP_PATH_MAX];
	struct stat st;
	struct entry e = { 0 };
	if (name[0] == '.' || !tp_cc_path(path, "%s/%s", folder, name) || lstat(path, &st) != 0 ||
	    !S_ISDIR(st.st_mode))
		return;
	if (strncmp(name, TEMPORARY, strlen(TEMPORARY)) == 0) {
		if (time(NULL) - st.st_mtime > TEMPORARY_SECONDS)
			tp_cc_remove(path);
		return;
	}
	if (!tp_copy(e.name, sizeof(e.name), name) ||
	    tp_vec_reserve((void **)&list->items, &list->cap, list->n + 1, sizeof(e)) != TP_OK)
		return;
	e.used = st.st_mtime;
	e.bytes = size_of(path);
	list->bytes += e.bytes;
	list->items[list->n++] = e;
}

/* It disappears at once: whoever looks it up meanwhile finds all of it or nothing. */
static bool remove_entry(const char *folder, const char *name)
{
	char path[TP_PATH_MAX], aside[TP_PATH_MAX];
	if (!tp_cc_path(path, "%s/%s", folder, name) ||
	    tp_cc_temporary(folder, aside, NULL) != TP_OK)
		return false;
	bool gone = rename(path, aside) == 0;
	tp_cc_remove(aside);
	return gone;
}

void tp_cc_trim(const char *folder, uint64_t limit_bytes, double young_seconds)
{
	struct entries list = { 0 };
	DIR *dir = opendir(folder);
	if (!dir)
		return;
	for (struct dirent *d; (d = readdir(dir));)
		take_entry(&list, folder, d->d_name);
	closedir(dir);
	if (list.n)
		qsort(list.items, list.n, sizeof(*list.items), by_use);
	for (size_t i = 0; i < list.n && list.bytes > limit_bytes; i++) {
		if (difftime(time(NULL), list.items[i].used) < young_seconds)
			break;
		if (remove_entry(folder, list.items[i].name))
			list.bytes -= list.items[i].bytes;
	}
	free(list.items);
}
