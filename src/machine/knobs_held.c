/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/knobs_held.h"
#include "machine/detect.h"
#include "base/process.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * First and last line: without the last line the record is incomplete, and nothing was changed
 * after it.
 */
#define RECORD_HEAD "tprof-knobs 1\n"
#define RECORD_END  "end\n"

enum { RECORD_BYTES_MAX = 1 << 20, BOOT_BYTES = 64, PLACES = 2 };

/* --- the record --- */

/* The n-th place for a record; false if none. */
static bool place(unsigned n, const char *root, char out[TP_PATH_MAX])
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	struct utsname uts;
	int len = -1;
	if (n == 0)
		return tp_environ_path(out, root, "/run/tprof/knobs");
	if (n >= PLACES || uname(&uts) != 0 || strchr(uts.nodename, '/'))
		return false;
	if (state && *state == '/')
		len = snprintf(out, TP_PATH_MAX, "%s/tprof/knobs-%s", state, uts.nodename);
	else if (home && *home == '/')
		len = snprintf(out, TP_PATH_MAX, "%s/.local/state/tprof/knobs-%s", home,
			       uts.nodename);
	return len > 0 && len < TP_PATH_MAX;
}

static void boot_id(const char *root, char out[BOOT_BYTES])
{
	if (!tp_environ_text(root, out, BOOT_BYTES, "/proc/sys/kernel/random/boot_id") || !*out)
		tp_copy(out, BOOT_BYTES, "unknown");
}

/*
 * Opens and locks a record. It tries again if the record was removed or replaced between the two.
 * -1 with errno; EWOULDBLOCK: another process holds it.
 */
static int open_locked(const char *path, int flags, int lock)
{
	for (int tries = 0; tries < 100; tries++) {
		struct stat ours, there;
		int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
		if (fd < 0)
			return -1;
		if (flock(fd, lock | LOCK_NB) != 0) {
			int error = errno;
			close(fd);
			errno = error;
			return -1;
		}
		if (fstat(fd, &ours) == 0 && stat(path, &there) == 0 &&
		    ours.st_ino == there.st_ino && ours.st_dev == there.st_dev)
			return fd;
		close(fd);
	}
	errno = EAGAIN;
	return -1;
}

static char *read_all(int fd)
{
	struct stat st;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > RECORD_BYTES_MAX)
		return NULL;
	char *text = tp_alloc((size_t)st.st_size + 1, 1);
	ssize_t n = pread(fd, text, (size_t)st.st_size, 0);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* Reads an open record. */
static enum tp_leftover_state parse_record(int fd, const char *root, struct tp_knobs *knobs)
{
	struct stat st;
	char boot[BOOT_BYTES], then[BOOT_BYTES];
	int used = 0;
	TP_FREE char *text = read_all(fd);
	knobs->root = root;
	if (!text || fstat(fd, &st) != 0)
		return TP_LEFTOVER_DOUBTFUL;
	/* Another user's record could make us write arbitrary values. */
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return TP_LEFTOVER_DOUBTFUL;
	if (strncmp(text, RECORD_HEAD, strlen(RECORD_HEAD)) != 0 ||
	    !tp_ends_with(text, RECORD_END)) {
		/* The program crashed while it wrote the record, so nothing had been changed. */
		bool begun =
			strncmp(text, RECORD_HEAD, TP_MIN(strlen(text), strlen(RECORD_HEAD))) == 0;
		return begun ? TP_LEFTOVER_NONE : TP_LEFTOVER_DOUBTFUL;
	}
	boot_id(root, boot);
	const char *at = text + strlen(RECORD_HEAD);
	if (sscanf(at, "boot %63s\n%n", then, &used) != 1 || !used)
		return TP_LEFTOVER_DOUBTFUL;
	if (strcmp(boot, then) != 0)
		return TP_LEFTOVER_NONE;
	text[strlen(text) - strlen(RECORD_END)] = '\0';
	if (tp_knobs_parse(knobs, at + used, NULL) != TP_OK)
		return TP_LEFTOVER_DOUBTFUL;
	return knobs->n ? TP_LEFTOVER_THERE : TP_LEFTOVER_NONE;
}

static enum tp_status write_record(int fd, const char *path, const struct tp_knobs *knobs,
				   struct tp_diag *diag)
{
	TP_STR text = { 0 };
	char boot[BOOT_BYTES];
	boot_id(knobs->root, boot);
	tp_str_printf(&text, RECORD_HEAD "boot %s\n", boot);
	tp_knobs_write(knobs, &text);
	tp_str_add(&text, RECORD_END);
	bool good = ftruncate(fd, 0) == 0 && pwrite(fd, text.s, text.len, 0) == (ssize_t)text.len &&
		    fsync(fd) == 0;
	if (good)
		return TP_OK;
	return tp_fail(diag, TP_RESOURCE, path, "free some space there; nothing was changed",
		       "the record of the knobs cannot be written: %s", strerror(errno));
}

bool tp_leftover_look(struct tp_leftover *left, unsigned n, const char *root)
{
	*left = (struct tp_leftover){ .knobs.root = root };
	if (!place(n, root, left->path))
		return n + 1 < PLACES && tp_leftover_look(left, n + 1, root);
	int fd = open_locked(left->path, O_RDONLY, LOCK_SH);
	if (fd < 0) {
		left->state = errno == EWOULDBLOCK ? TP_LEFTOVER_HELD
			      : errno == ENOENT || errno == ENOTDIR || errno == EACCES
				      ? TP_LEFTOVER_NONE
				      : TP_LEFTOVER_DOUBTFUL;
		return true;
	}
	left->state = parse_record(fd, root, &left->knobs);
	close(fd);
	return true;
}

enum tp_status tp_leftover_restore(struct tp_leftover *left, struct tp_diags *diags)
{
	int fd = open_locked(left->path, O_RDONLY, LOCK_EX);
	if (fd < 0 && errno == ENOENT)
		return TP_OK; /* another process was faster */
	if (fd < 0) {
		tp_diags_note(diags, left->path, NULL, "cannot be locked: %s", strerror(errno));
		return TP_RESOURCE;
	}
	enum tp_status status = tp_knobs_restore(&left->knobs, diags);
	if (status == TP_OK && unlink(left->path) != 0 && errno != ENOENT) {
		tp_diags_note(diags, left->path, NULL, "cannot be removed: %s", strerror(errno));
		status = TP_PERM;
	}
	close(fd);
	return status;
}

/* --- the keeper --- */

/*
 * The keeper. Neither the terminal nor signals to the program's group reach it. It waits until the
 * other end of its line closes; the kernel closes it in any case.
 */
static void __attribute__((noreturn))
keep(int line, const struct tp_held *held, struct tp_knobs *knobs)
{
	char byte;
	setsid();
	/*
	 * Closes all other descriptors: the keeper must hold no pipe or lock of the program open.
	 */
	DIR *open_ones = opendir("/proc/self/fd");
	if (open_ones) {
		for (struct dirent *e; (e = readdir(open_ones));) {
			int fd = (int)strtol(e->d_name, NULL, 10);
			if (e->d_name[0] != '.' && fd != line && fd != held->record &&
			    fd != dirfd(open_ones))
				close(fd);
		}
		closedir(open_ones);
		for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
			if (fd != line && fd != held->record)
				open("/dev/null", O_RDWR);
	}
	if (chdir("/") != 0) {
		/* on failure the only effect is that a file system cannot be unmounted */
	}
	while (read(line, &byte, 1) < 0 && errno == EINTR)
		;
	struct tp_diags diags = { 0 };
	enum tp_status status = tp_knobs_restore(knobs, &diags);
	if (status == TP_OK)
		unlink(held->path);
	_exit(status == TP_OK ? 0 : 1);
}

static enum tp_status start_keeper(struct tp_held *held, struct tp_knobs *knobs,
				   struct tp_diag *diag)
{
	int line[2];
	if (pipe2(line, O_CLOEXEC) != 0)
		return tp_fail(diag, TP_RESOURCE, "knobs", NULL, "cannot make a pipe: %s",
			       strerror(errno));
	/*
	 * Signals are blocked before the fork: a signal to the whole job must not hit the keeper
	 * before its first instruction.
	 */
	sigset_t all, before;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	held->keeper = fork();
	if (held->keeper == 0) {
		close(line[1]);
		keep(line[0], held, knobs);
	}
	int error = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = error;
	close(line[0]);
	if (held->keeper < 0) {
		close(line[1]);
		return tp_fail(
			diag, TP_RESOURCE, "knobs", "raise the limit on processes (ulimit -u)",
			"cannot start the process that puts the knobs back: %s", strerror(errno));
	}
	held->line = line[1];
	return TP_OK;
}

/* --- holding --- */

/* Makes and locks our record at the first place where that works. */
static enum tp_status open_record(struct tp_held *held, const char *root, struct tp_diag *diag)
{
	int error = ENOENT;
	for (unsigned n = 0; n < PLACES && held->record < 0; n++) {
		char folder[TP_PATH_MAX];
		if (!place(n, root, held->path))
			continue;
		tp_copy(folder, sizeof(folder), held->path);
		*strrchr(folder, '/') = '\0';
		if (tp_dir_make(folder, NULL) != TP_OK || tp_folder_own(folder, NULL) != TP_OK)
			continue;
		held->record = open_locked(held->path, O_RDWR | O_CREAT, LOCK_EX);
		error = errno;
		if (held->record < 0 && error == EWOULDBLOCK)
			break;
	}
	if (held->record >= 0)
		return TP_OK;
	if (error == EWOULDBLOCK)
		return tp_fail(diag, TP_RESOURCE, "knobs",
			       "wait for its end, or measure without them",
			       "another tprof has set this machine's knobs; they stay as they are");
	return tp_fail(
		diag, TP_RESOURCE, "knobs", "set XDG_STATE_HOME to a directory that can be written",
		"the changes cannot be recorded, so nothing is changed: %s", strerror(error));
}

/*
 * Restores the changes of a killed program, so that they do not count as the machine's own values.
 */
static enum tp_status undo_leftover(struct tp_held *held, struct tp_knobs *knobs,
				    struct tp_diags *diags)
{
	TP_CLEANUP(tp_knobs_release) struct tp_knobs left = { 0 };
	enum tp_leftover_state state = parse_record(held->record, knobs->root, &left);
	enum tp_status status = TP_OK;
	if (state == TP_LEFTOVER_THERE) {
		status = tp_knobs_restore(&left, diags);
		if (status == TP_OK) {
			tp_diags_note(
				diags, held->path, NULL,
				"a killed tprof had left knobs changed; they were put back first");
			tp_knobs_again(knobs);
		}
	}
	return status;
}

enum tp_status tp_held_take(struct tp_held *held, struct tp_knobs *knobs, struct tp_diags *diags,
			    struct tp_diag *diag)
{
	*held = (struct tp_held){ .record = -1, .line = -1, .keeper = -1 };
	enum tp_status status = open_record(held, knobs->root, diag);
	if (status != TP_OK)
		return status;
	status = undo_leftover(held, knobs, diags);
	if (status != TP_OK) {
		/* The record stays, because it has the original values. */
		close(held->record);
		held->record = -1;
		return tp_fail(diag, status, held->path, "sudo tprof doctor --restore",
			       "the changes that a killed tprof left cannot be undone; nothing "
			       "more is changed");
	}
	status = write_record(held->record, held->path, knobs, diag);
	if (status == TP_OK)
		status = start_keeper(held, knobs, diag);
	if (status != TP_OK) {
		unlink(held->path);
		close(held->record);
		held->record = -1;
	}
	return status;
}

enum tp_status tp_held_give(struct tp_held *held, struct tp_knobs *knobs, struct tp_diags *diags)
{
	if (held->record < 0)
		return TP_OK;
	close(held->line);
	int how = tp_process_reap(held->keeper, INFINITY, INFINITY);
	enum tp_status status = TP_OK;
	/* If the keeper failed, the program tries itself and can report what refuses. */
	if (!WIFEXITED(how) || WEXITSTATUS(how) != 0) {
		status = tp_knobs_restore(knobs, diags);
		if (status == TP_OK)
			unlink(held->path);
	}
	close(held->record);
	*held = (struct tp_held){ .record = -1, .line = -1, .keeper = -1 };
	return status;
}
