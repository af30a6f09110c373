/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static enum tp_status io_fail(struct tp_diag *diag, const char *path, const char *verb)
{
	enum tp_status status = TP_IO;
	const char *hint = NULL;
	if (errno == ENOENT)
		status = TP_NOTFOUND;
	else if (errno == EACCES || errno == EPERM || errno == EROFS) {
		status = TP_PERM;
		hint = "check the permissions of the file and of its directory";
	} else if (errno == ENOSPC || errno == EDQUOT) {
		status = TP_RESOURCE;
		hint = "free some space there, or choose another place";
	}
	return tp_fail(diag, status, path, hint, "cannot %s: %s", verb, strerror(errno));
}

enum tp_status tp_file_read(const char *path, size_t max_bytes, char **text, size_t *len,
			    struct tp_diag *diag)
{
	enum tp_status status;
	char *data = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) != 0) {
		status = io_fail(diag, path, "open");
		goto out;
	}
	if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode)) {
		status = tp_fail(diag, TP_USAGE, path, "give a regular file", "not a regular file");
		goto out;
	}
	if (S_ISFIFO(st.st_mode))
		fcntl(fd, F_SETFL, 0); /* a pipe: wait for its writer */
	size_t cap = 4096, n = 0;
	for (;;) {
		char *grown = realloc(data, cap + 1);
		if (!grown) {
			status = tp_fail(diag, TP_NOMEM, path, NULL, "out of memory");
			goto out;
		}
		data = grown;
		ssize_t got = read(fd, data + n, cap - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			status = io_fail(diag, path, "read");
			goto out;
		}
		if (got == 0)
			break;
		n += (size_t)got;
		if (n > max_bytes) {
			status = tp_fail(diag, TP_USAGE, path, "is this the right file?",
					 "longer than the %zu bytes allowed", max_bytes);
			goto out;
		}
		if (n == cap)
			cap *= 2;
	}
	data[n] = '\0';
	*text = data;
	*len = n;
	data = NULL;
	status = TP_OK;
out:
	free(data);
	if (fd >= 0)
		close(fd);
	return status;
}

bool tp_write_all(int fd, const char *text, size_t len)
{
	bool is_socket = true; /* until it turns out that it is none */
	while (len) {
		ssize_t n = is_socket ? send(fd, text, len, MSG_NOSIGNAL) : write(fd, text, len);
		if (n < 0 && is_socket && errno == ENOTSOCK) {
			is_socket = false;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EIO; /* nothing was taken, and nobody says why */
		if (n <= 0)
			return false;
		text += n;
		len -= (size_t)n;
	}
	return true;
}

static enum tp_status write_and_close(int fd, const char *path, const char *text, size_t len,
				      struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	if (!tp_write_all(fd, text, len))
		status = io_fail(diag, path, "write");
	/* pipes and some file systems have nothing to sync */
	if (status == TP_OK && fsync(fd) != 0 && errno != EINVAL && errno != EROFS)
		status = io_fail(diag, path, "write");
	if (close(fd) != 0 && status == TP_OK)
		status = io_fail(diag, path, "write");
	return status;
}

enum tp_status tp_file_write(const char *path, const char *text, size_t len, struct tp_diag *diag)
{
	char temporary[TP_PATH_MAX];
	struct stat st;
	/* A device or a pipe is written to; renaming over it would take it from everybody. */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		int there = open(path, O_WRONLY | O_CLOEXEC);
		return there < 0 ? io_fail(diag, path, "open")
				 : write_and_close(there, path, text, len, diag);
	}
	int n = snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path);
	if (n < 0 || (size_t)n >= sizeof(temporary))
		return tp_fail(diag, TP_USAGE, path, NULL, "path too long");
	int fd = mkstemp(temporary);
	if (fd < 0)
		return io_fail(diag, path, "create a file beside it");
	mode_t mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask);
	enum tp_status status = write_and_close(fd, path, text, len, diag);
	if (status == TP_OK && rename(temporary, path) != 0)
		status = io_fail(diag, path, "rename to it");
	if (status != TP_OK)
		unlink(temporary);
	return status;
}

bool tp_is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

bool tp_is_folder(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

enum tp_status tp_dir_make(const char *path, struct tp_diag *diag)
{
	char part[TP_PATH_MAX];
	size_t n = strlen(path);
	if (n == 0 || n >= sizeof(part))
		return tp_fail(diag, TP_USAGE, path, NULL, "path empty or too long");
	memcpy(part, path, n + 1);
	for (size_t i = 1; i <= n; i++) {
		if (part[i] != '/' && part[i] != '\0')
			continue;
		char kept = part[i];
		part[i] = '\0';
		if (mkdir(part, 0777) != 0 && errno != EEXIST)
			return io_fail(diag, part, "create the directory");
		part[i] = kept;
	}
	struct stat st;
	if (stat(path, &st) != 0)
		return io_fail(diag, path, "look at the directory");
	if (!S_ISDIR(st.st_mode))
		return tp_fail(diag, TP_USAGE, path, "choose another name",
			       "exists and is not a directory");
	return TP_OK;
}

static bool join(char out[TP_PATH_MAX], const char *directory, const char *relative)
{
	int n = snprintf(out, TP_PATH_MAX, "%s/%s", directory, relative);
	return n > 0 && n < TP_PATH_MAX && access(out, F_OK) == 0;
}

enum tp_status tp_path_data(const char *relative, char out[TP_PATH_MAX], struct tp_diag *diag)
{
	const char *given = getenv("TPROF_DATADIR");
	if (given && *given && join(out, given, relative))
		return TP_OK;

	/* Not installed yet: the build folder lies inside the source tree, or below it. */
	char self[TP_PATH_MAX], up[TP_PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n > 0) {
		self[n] = '\0';
		for (int depth = 0; depth < 4; depth++) {
			char *slash = strrchr(self, '/');
			if (!slash || slash == self)
				break;
			*slash = '\0';
			if (join(up, self, "presets/machines") && join(out, self, relative))
				return TP_OK;
		}
	}
	if (join(up, TP_SOURCE_DIR, "presets/machines") && join(out, TP_SOURCE_DIR, relative))
		return TP_OK;
	if (join(out, TP_PKGDATA_DIR, relative))
		return TP_OK;
	return tp_fail(diag, TP_NOTFOUND, relative,
		       "set TPROF_DATADIR to the directory that holds presets/",
		       "not found among the program's data (%s)", TP_PKGDATA_DIR);
}

static enum tp_status user_path(const char *variable, const char *fallback, const char *relative,
				char out[TP_PATH_MAX], struct tp_diag *diag)
{
	const char *base = getenv(variable), *home = getenv("HOME");
	int n;
	if (base && *base == '/')
		n = snprintf(out, TP_PATH_MAX, "%s/tprof/%s", base, relative);
	else if (home && *home)
		n = snprintf(out, TP_PATH_MAX, "%s/%s/tprof/%s", home, fallback, relative);
	else
		return tp_fail(diag, TP_NOTFOUND, variable, "set HOME",
			       "neither %s nor HOME is set", variable);
	if (n < 0 || n >= TP_PATH_MAX)
		return tp_fail(diag, TP_USAGE, variable, NULL, "path too long");
	return TP_OK;
}

enum tp_status tp_path_user_data(const char *relative, char out[TP_PATH_MAX], struct tp_diag *diag)
{
	return user_path("XDG_DATA_HOME", ".local/share", relative, out, diag);
}

enum tp_status tp_path_user_config(const char *relative, char out[TP_PATH_MAX],
				   struct tp_diag *diag)
{
	return user_path("XDG_CONFIG_HOME", ".config", relative, out, diag);
}
