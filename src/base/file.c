/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/now.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/memory.h"

enum { LOOK_MS = 50 };

static enum tp_status io_fail(struct tp_diag *diag, const char *path, const char *verb)
{
	enum tp_status status = TP_IO;
	const char *hint = NULL;
	if (errno == ENOENT)
		status = TP_NOTFOUND;
	else if (errno == EACCES || errno == EPERM || errno == EROFS) {
		status = TP_PERM;
		hint = "check the permissions of the file and of its directory, or choose another "
		       "place";
	} else if (errno == ENOSPC || errno == EDQUOT) {
		status = TP_RESOURCE;
		hint = "free some space there, or choose another place";
	} else if (errno == EFBIG) {
		status = TP_RESOURCE;
		hint = "raise the limit on the size of files (ulimit -f)";
	}
	return tp_fail(diag, status, path, hint, "cannot %s: %s", verb, strerror(errno));
}

/* Names the kind of a file that is not a regular one. */
static const char *kind_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a pipe (FIFO)";
	case S_IFSOCK:
		return "a socket";
	case S_IFCHR:
	case S_IFBLK:
		return "a device";
	default:
		return "not a regular file";
	}
}

static enum tp_status refuse_kind(mode_t mode, const char *path, struct tp_diag *diag)
{
	return tp_fail(diag, TP_USAGE, path, "give a regular file", "is %s", kind_of(mode));
}

enum tp_status tp_file_open(int folder, const char *path, int flags, int *fd, struct tp_diag *diag)
{
	struct stat st;
	/* Without O_NONBLOCK, opening a pipe waits for its other end; some devices wait too. */
	*fd = openat(folder, path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
	if (*fd < 0) {
		int error = errno;
		/* A socket cannot be opened, nor a directory for writing: name the kind. */
		bool there = fstatat(folder, path, &st, 0) == 0 && !S_ISREG(st.st_mode);
		if (error == ELOOP && flags & O_NOFOLLOW)
			return tp_fail(diag, TP_USAGE, path, "give a regular file",
				       "is a symbolic link");
		errno = error;
		return there && error != EACCES && error != EPERM
			       ? refuse_kind(st.st_mode, path, diag)
			       : io_fail(diag, path, "open");
	}
	if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode))
		return TP_OK;
	close(*fd);
	*fd = -1;
	return refuse_kind(st.st_mode, path, diag);
}

static enum tp_status too_long(const char *path, size_t max_bytes, struct tp_diag *diag)
{
	return tp_fail(diag, TP_USAGE, path, "is this the right file?",
		       "longer than the %zu bytes allowed", max_bytes);
}

enum tp_status tp_stream_read(int fd, const char *name, size_t max_bytes, char **text, size_t *len,
			      struct tp_diag *diag)
{
	TP_FREE char *data = NULL;
	size_t cap = 4096, n = 0;
	struct stat st;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		if (st.st_size > 0 && (size_t)st.st_size > max_bytes)
			return too_long(name, max_bytes, diag);
		cap += (size_t)st.st_size;
	}
	for (;;) {
		data = tp_realloc(data, cap + 1, 1);
		ssize_t got = read(fd, data + n, cap - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return io_fail(diag, name, "read");
		if (got == 0)
			break;
		n += (size_t)got;
		if (n > max_bytes)
			return too_long(name, max_bytes, diag);
		if (n == cap)
			cap *= 2;
	}
	data[n] = '\0';
	*text = data;
	*len = n;
	data = NULL;
	return TP_OK;
}

enum tp_status tp_text_read(int fd, const char *name, size_t max_bytes, char **text, size_t *len,
			    struct tp_diag *diag)
{
	enum tp_status status = tp_stream_read(fd, name, max_bytes, text, len, diag);
	size_t mark = status == TP_OK ? tp_mark_bytes(*text, *len) : 0;
	if (mark) {
		*len -= mark;
		memmove(*text, *text + mark, *len + 1);
	}
	return status;
}

enum tp_status tp_file_read(const char *path, size_t max_bytes, char **text, size_t *len,
			    struct tp_diag *diag)
{
	int fd;
	enum tp_status status = tp_file_open(AT_FDCWD, path, O_RDONLY, &fd, diag);
	if (status != TP_OK)
		return status;
	status = tp_text_read(fd, path, max_bytes, text, len, diag);
	close(fd);
	return status;
}

/* Moves the rest of a file's data, from `at`, to the front of the buffer. */
struct piece {
	char *text;
	size_t at, len, size;
	size_t number; /* of the line at `at`, from 1 */
	bool cut; /* that line is longer than the buffer, and its beginning is lost */
};

/* Gives away every line that ends in the piece. */
static enum tp_status take_lines(struct piece *p, tp_take_line *take, void *context)
{
	enum tp_status status = TP_OK;
	char *end;
	while (status == TP_OK && (end = memchr(p->text + p->at, '\n', p->len - p->at))) {
		size_t n = (size_t)(end - p->text) - p->at;
		*end = '\0';
		status = take(context, p->number++, p->cut ? NULL : p->text + p->at, p->cut ? 0 : n,
			      true);
		p->at += n + 1;
		p->cut = false;
	}
	return status;
}

enum tp_status tp_read_lines(tp_read_bytes *bytes, void *source, size_t line_max,
			     tp_take_line *take, void *context, struct tp_diag *diag)
{
	struct piece p = { .size = line_max + 1, .number = 1 };
	enum tp_status status = TP_OK;
	bool begun = false;
	p.text = tp_alloc(p.size + 1, 1);
	while (status == TP_OK) {
		if (p.at == 0 && p.len == p.size) {
			p.cut = true;
			p.at = p.len;
		}
		p.len -= p.at;
		memmove(p.text, p.text + p.at, p.len);
		p.at = 0;
		size_t got = 0;
		status = bytes(source, p.text + p.len, p.size - p.len, &got, diag);
		if (status != TP_OK || got == 0)
			break;
		p.len += got;
		/* The mark may come byte by byte. */
		if (!begun && p.len < TP_MARK_BYTES && !memchr(p.text, '\n', p.len))
			continue;
		p.at = begun ? 0 : tp_mark_bytes(p.text, p.len);
		begun = true;
		status = take_lines(&p, take, context);
	}
	if (status == TP_OK && p.len > p.at) {
		p.text[p.len] = '\0';
		status = take(context, p.number, p.cut ? NULL : p.text + p.at,
			      p.cut ? 0 : p.len - p.at, false);
	}
	free(p.text);
	return status;
}

struct opened {
	const char *path;
	int fd;
	size_t most, taken;
};

static enum tp_status read_opened(void *source, char *out, size_t size, size_t *got,
				  struct tp_diag *diag)
{
	struct opened *o = source;
	ssize_t n;
	do
		n = read(o->fd, out, size);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return io_fail(diag, o->path, "read");
	*got = (size_t)n;
	o->taken += (size_t)n;
	/* It may grow while it is read. */
	return o->taken > o->most ? too_long(o->path, o->most, diag) : TP_OK;
}

enum tp_status tp_file_lines(const char *path, size_t max_bytes, size_t line_max,
			     tp_take_line *take, void *context, struct tp_diag *diag)
{
	struct opened o = { .path = path, .most = max_bytes };
	struct stat st;
	enum tp_status status = tp_file_open(AT_FDCWD, path, O_RDONLY, &o.fd, diag);
	if (status != TP_OK)
		return status;
	if (fstat(o.fd, &st) == 0 && st.st_size > 0 && (size_t)st.st_size > max_bytes)
		status = too_long(path, max_bytes, diag);
	else
		status = tp_read_lines(read_opened, &o, line_max, take, context, diag);
	close(o.fd);
	return status;
}

bool tp_write_while(int fd, const char *text, size_t len, bool (*goes_on)(void))
{
	bool is_socket = true; /* turns false when it is a file or a pipe */
	while (len) {
		size_t part = len;
		if (goes_on) {
			struct pollfd room = { .fd = fd, .events = POLLOUT };
			if (!goes_on()) {
				errno = ECANCELED;
				return false;
			}
			if (poll(&room, 1, LOOK_MS) <= 0)
				continue;
			/* A pipe that has room at all takes this much without waiting. */
			part = TP_MIN(len, (size_t)PIPE_BUF);
		}
		ssize_t n = is_socket ? send(fd, text, part, MSG_NOSIGNAL) : write(fd, text, part);
		if (n < 0 && is_socket && errno == ENOTSOCK) {
			is_socket = false;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		/* Another program may have made the descriptor non-blocking. */
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			struct pollfd room = { .fd = fd, .events = POLLOUT };
			poll(&room, 1, goes_on ? LOOK_MS : -1);
			continue;
		}
		if (n == 0)
			errno = EIO; /* a write of nothing sets no errno */
		if (n <= 0)
			return false;
		text += n;
		len -= (size_t)n;
	}
	return true;
}

bool tp_write_all(int fd, const char *text, size_t len)
{
	return tp_write_while(fd, text, len, NULL);
}

static enum tp_status write_and_close(int fd, const char *path, const char *text, size_t len,
				      struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	if (!tp_write_all(fd, text, len))
		status = io_fail(diag, path, "write");
	/* pipes and some file systems do not support sync */
	if (status == TP_OK && fsync(fd) != 0 && errno != EINVAL && errno != EROFS)
		status = io_fail(diag, path, "write");
	if (close(fd) != 0 && status == TP_OK)
		status = io_fail(diag, path, "write");
	return status;
}

/*
 * These must not be replaced by a new file: a device, a pipe, one of several names, or another
 * user's file. They are written in place.
 */
static bool may_replace(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_nlink == 1 && st->st_uid == geteuid();
}

/* The folder that holds `path`, or what it leads to. */
static bool folder_of(const char *path, bool follow, char folder[TP_PATH_MAX])
{
	char real[PATH_MAX];
	if (!tp_copy(folder, TP_PATH_MAX, follow && realpath(path, real) ? real : path))
		return false;
	char *slash = strrchr(folder, '/');
	if (!slash)
		tp_copy(folder, TP_PATH_MAX, ".");
	else
		slash[slash == folder] = '\0';
	return true;
}

static mode_t mask_now(void)
{
	mode_t mask = umask(0);
	umask(mask);
	return mask;
}

bool tp_is_own(const struct stat *st)
{
	return (st->st_uid == geteuid() || st->st_uid == 0) && !(st->st_mode & S_IWOTH) &&
	       !(st->st_mode & S_IWGRP && mask_now() & S_IWGRP);
}

enum tp_status tp_folder_own(const char *path, struct tp_diag *diag)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return io_fail(diag, path, "look at the directory");
	if (!S_ISDIR(st.st_mode))
		return tp_fail(diag, TP_USAGE, path, "put a directory in its place",
			       "is not a directory");
	if (tp_is_own(&st))
		return TP_OK;
	return st.st_uid == geteuid()
		       ? tp_fail(diag, TP_PERM, path, "chmod go-w on that directory",
				 "nothing is written there: others can write into the directory")
		       : tp_fail(diag, TP_PERM, path, "use your own directory, or a copy",
				 "nothing is written there: the directory belongs to another user "
				 "(%u)",
				 st.st_uid);
}

bool tp_folder_lock(const char *path, double seconds, int *fd)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	double until = tp_now_seconds() + seconds;
	*fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (*fd >= 0 && flock(*fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		if (tp_now_seconds() > until) {
			close(*fd);
			*fd = -1;
			return false;
		}
		nanosleep(&pause, NULL);
	}
	return true;
}

static enum tp_status may_trust(enum tp_typed typed, const char *folder, struct tp_diag *diag)
{
	return typed == TP_TYPED_NOTHING ? tp_folder_own(folder, diag) : TP_OK;
}

enum tp_status tp_file_can_write(enum tp_typed typed, const char *path, struct tp_diag *diag)
{
	static const char hint[] = "choose another file";
	char folder[TP_PATH_MAX];
	struct stat st;
	bool follow = typed == TP_TYPED_FILE;
	bool there = (follow ? stat : lstat)(path, &st) == 0;
	bool regular = there && S_ISREG(st.st_mode);
	if (there && S_ISDIR(st.st_mode))
		return tp_fail(diag, TP_USAGE, path, hint, "is a directory");
	/* The second question is for root, who may write everything. */
	if ((regular || (there && follow)) &&
	    (access(path, W_OK) != 0 || (regular && !(st.st_mode & 0222))))
		return tp_fail(diag, TP_PERM, path, "choose another file, or make it writable",
			       "is there already and is write-protected");
	if (follow && there && !may_replace(&st))
		return TP_OK;
	if (!folder_of(path, follow, folder))
		return tp_fail(diag, TP_USAGE, path, hint, "path too long");
	if (access(folder, W_OK | X_OK) != 0)
		return tp_fail(diag, errno == ENOENT || errno == ENOTDIR ? TP_NOTFOUND : TP_PERM,
			       path, hint, "cannot write into %s: %s", folder, strerror(errno));
	return may_trust(typed, folder, diag);
}

enum tp_status tp_file_create(enum tp_typed typed, const char *path, int flags, int *fd,
			      struct tp_diag *diag)
{
	char folder[TP_PATH_MAX];
	struct stat st;
	*fd = -1;
	if (!folder_of(path, false, folder))
		return tp_fail(diag, TP_USAGE, path, NULL, "path too long");
	enum tp_status status = may_trust(typed, folder, diag);
	if (status != TP_OK)
		return status;
	if (flags & O_CREAT && lstat(path, &st) == 0 && !(S_ISREG(st.st_mode) && st.st_nlink == 1))
		unlink(path);
	status = tp_file_open(AT_FDCWD, path, flags | O_NOFOLLOW, fd, diag);
	if (status != TP_OK || (fstat(*fd, &st) == 0 && st.st_nlink <= 1))
		return status;
	close(*fd);
	*fd = -1;
	return tp_fail(diag, TP_USAGE, path, "remove it, or copy the directory",
		       "has several names: one of them may be another file's");
}

enum tp_status tp_file_write(enum tp_typed typed, const char *path, const char *text, size_t len,
			     struct tp_diag *diag)
{
	char temporary[TP_PATH_MAX], real[PATH_MAX];
	struct stat st;
	bool follow = typed == TP_TYPED_FILE;
	enum tp_status status = tp_file_can_write(typed, path, diag);
	if (status != TP_OK)
		return status;
	bool there = (follow ? stat : lstat)(path, &st) == 0;
	if (follow && (there ? !may_replace(&st) : lstat(path, &st) == 0)) {
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		return fd < 0 ? io_fail(diag, path, "open")
			      : write_and_close(fd, path, text, len, diag);
	}
	/* A link stays: its target is replaced. */
	const char *target = follow && there && realpath(path, real) ? real : path;
	int n = snprintf(temporary, sizeof(temporary), "%s.XXXXXX", target);
	if (n < 0 || (size_t)n >= sizeof(temporary))
		return tp_fail(diag, TP_USAGE, path, NULL, "path too long");
	int fd = mkstemp(temporary);
	if (fd < 0)
		return io_fail(diag, path, "create a file beside it");
	fchmod(fd, there && may_replace(&st) ? st.st_mode & 0777 : 0666 & ~mask_now());
	status = write_and_close(fd, path, text, len, diag);
	if (status == TP_OK && rename(temporary, target) != 0)
		status = io_fail(diag, path, "rename to it");
	if (status != TP_OK)
		unlink(temporary);
	return status;
}

enum tp_status tp_dir_new(const char *path, struct tp_diag *diag)
{
	return mkdir(path, 0775) == 0 ? TP_OK : io_fail(diag, path, "make the directory");
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
		enum tp_status status = tp_dir_new(part, diag);
		if (status != TP_OK && errno != EEXIST)
			return status;
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

/*
 * True if this program lies in the folder that it was built in. Only then are the sources used: if
 * the program was moved, others may have filled their place.
 */
static bool is_in_build(void)
{
	char self[TP_PATH_MAX], build[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n <= 0 || !realpath(TP_BUILD_DIR, build))
		return false;
	self[n] = '\0';
	size_t len = strlen(build);
	return strncmp(self, build, len) == 0 && self[len] == '/';
}

const char *tp_path_last(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

enum tp_status tp_path_data(const char *relative, char out[TP_PATH_MAX], struct tp_diag *diag)
{
	const char *given = getenv("TPROF_DATADIR");
	if (given && *given && join(out, given, relative))
		return TP_OK;

	if (is_in_build() && join(out, TP_SOURCE_DIR, relative))
		return TP_OK;
	if (join(out, TP_PKGDATA_DIR, relative))
		return TP_OK;
	return tp_fail(diag, TP_NOTFOUND, relative,
		       "set TPROF_DATADIR to the directory that holds presets/",
		       "not found among the program's data (%s)", TP_PKGDATA_DIR);
}

enum tp_status tp_path_library(const char *relative, char out[TP_PATH_MAX], struct tp_diag *diag)
{
	if (is_in_build() ? join(out, TP_BUILD_DIR, relative) : join(out, TP_PKGLIB_DIR, relative))
		return TP_OK;
	return tp_fail(diag, TP_NOTFOUND, relative, NULL,
		       "not found among the program's libraries (%s)", TP_PKGLIB_DIR);
}

bool tp_path_typed(const char *typed, char out[TP_PATH_MAX])
{
	const char *home = getenv("HOME");
	const bool in_home = *typed == '~' && (typed[1] == '/' || !typed[1]) && home;
	const int n = snprintf(out, TP_PATH_MAX, "%s%s", in_home ? home : "", typed + in_home);
	return n >= 0 && n < TP_PATH_MAX;
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

enum tp_status tp_path_user_cache(const char *relative, char out[TP_PATH_MAX], struct tp_diag *diag)
{
	return user_path("XDG_CACHE_HOME", ".cache", relative, out, diag);
}

enum { READ_BYTES = 8192 }; /* on the stack, which may be small */

/* Drops the lines that were taken. */
static void compact(struct tp_lines *lines)
{
	if (!lines->at)
		return;
	lines->text.len -= lines->at;
	lines->searched -= lines->at;
	memmove(lines->text.s, lines->text.s + lines->at, lines->text.len + 1);
	lines->at = 0;
}

void tp_lines_add(struct tp_lines *lines, const char *bytes, size_t n)
{
	compact(lines);
	tp_str_add_n(&lines->text, bytes, n);
}

ssize_t tp_lines_read(struct tp_lines *lines, int fd)
{
	char bytes[READ_BYTES];
	ssize_t n;
	do
		n = read(fd, bytes, sizeof(bytes));
	while (n < 0 && errno == EINTR);
	if (n > 0)
		tp_lines_add(lines, bytes, (size_t)n);
	return n;
}

char *tp_lines_next(struct tp_lines *lines, size_t *len)
{
	struct tp_str *text = &lines->text;
	while (text->len > lines->searched) {
		char *line = text->s + lines->at;
		char *end = memchr(text->s + lines->searched, '\n', text->len - lines->searched);
		size_t n = (size_t)((end ? end : text->s + text->len) - line);
		bool long_line = lines->limit && n > lines->limit;
		if (!end) {
			lines->searched = text->len;
			if (long_line || lines->dropping) {
				lines->dropping = true;
				lines->at = text->len;
			}
			return NULL;
		}
		bool whole = !long_line && !lines->dropping;
		lines->at = lines->searched = (size_t)(end - text->s) + 1;
		lines->dropping = false;
		if (!whole)
			continue;
		*end = '\0';
		if (len)
			*len = n;
		return line;
	}
	return NULL;
}

void tp_lines_release(struct tp_lines *lines)
{
	tp_str_release(&lines->text);
	*lines = (struct tp_lines){ .limit = lines->limit };
}

/* A mapped file can shrink under its reader; a copy cannot. */
enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

int tp_output_make(void)
{
	int fd = memfd_create("tprof-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0 && ftruncate(fd, sizeof(struct tp_output)) == 0 &&
	    fcntl(fd, F_ADD_SEALS, SEALS) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

struct tp_output *tp_output_map(int fd)
{
	struct stat st;
	if (fcntl(fd, F_GET_SEALS) != SEALS || fstat(fd, &st) != 0 ||
	    st.st_size != sizeof(struct tp_output))
		return NULL;
	void *at = mmap(NULL, sizeof(struct tp_output), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

void tp_output_unmap(struct tp_output *output)
{
	if (output)
		munmap(output, sizeof(*output));
}

void tp_output_add(struct tp_output *output, size_t stream, const char *bytes, size_t n)
{
	uint64_t there = TP_MIN(output->stream[stream].n, (uint64_t)TP_OUTPUT_BYTES);
	size_t fits = TP_MIN(n, (size_t)(TP_OUTPUT_BYTES - there));
	memcpy(output->stream[stream].text + there, bytes, fits);
	output->stream[stream].n = there + fits;
	output->stream[stream].lost += n - fits;
}
