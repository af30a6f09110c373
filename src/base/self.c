/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/self.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/vec.h"

enum { EMULATOR_BYTES = 4096, EMULATOR_WORDS = 15, ARGUMENTS = 64 };

/*
 * The path of our own file. When the emulator executes /proc/self/exe, it gets itself, so it needs
 * the path; reading the link in this program gives this program.
 */
static void become_emulated(const char *emulator, char *const *arguments)
{
	char words[EMULATOR_BYTES], self[TP_PATH_MAX], *all[EMULATOR_WORDS + 1 + ARGUMENTS + 1];
	size_t n = 0;
	if (strlen(emulator) >= sizeof(words)) {
		errno = E2BIG;
		return;
	}
	strcpy(words, emulator);
	char *rest = words;
	for (char *word; (word = strsep(&rest, " "));) {
		if (!*word)
			continue;
		if (n == EMULATOR_WORDS) {
			errno = E2BIG;
			return;
		}
		all[n++] = word;
	}
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len < 0)
		return;
	self[len] = '\0';
	all[n++] = self;
	for (size_t i = 1; arguments[0] && arguments[i]; i++) {
		if (i > ARGUMENTS) {
			errno = E2BIG;
			return;
		}
		all[n++] = arguments[i];
	}
	all[n] = NULL;
	execvp(all[0], all);
}

void tp_become_self(char *const *arguments)
{
	const char *emulator = getenv("TPROF_EMULATOR");
	if (emulator && *emulator)
		become_emulated(emulator, arguments);
	else
		execv("/proc/self/exe", arguments);
}

static void __attribute__((noreturn))
be_child(const struct tp_self_child *child, int socket, pid_t parent)
{
	static const int defaults[] = { SIGINT,	 SIGTERM, SIGHUP, SIGPIPE, SIGTSTP, SIGWINCH,
					SIGSEGV, SIGBUS,  SIGILL, SIGFPE,  SIGABRT };
	sigset_t none;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The kernel does not notice a parent that ended before that line. */
	if (getppid() != parent)
		_exit(TP_EXIT_FAILED);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (size_t i = 0; i < TP_COUNT_OF(defaults); i++)
		signal(defaults[i], SIG_DFL);
	int code = child->prepare(socket, child->context);
	if (code || !child->arguments)
		_exit(code);
	tp_become_self(child->arguments);
	_exit(TP_SELF_NOT_STARTED);
}

enum tp_status tp_self_start(const struct tp_self_child *child, pid_t *pid, int *fd,
			     struct tp_diag *diag)
{
	int pair[2];
	*pid = *fd = -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return tp_fail(diag, TP_RESOURCE, child->where, NULL,
			       "cannot make a socket pair: %s", strerror(errno));
	pid_t parent = getpid();
	*pid = fork();
	int error = errno;
	if (*pid == 0)
		be_child(child, pair[1], parent);
	close(pair[1]);
	if (*pid < 0) {
		close(pair[0]);
		return tp_fail(diag, TP_RESOURCE, child->where,
			       "raise the limit on processes (ulimit -u)", "cannot start %s: %s",
			       child->name, strerror(error));
	}
	*fd = pair[0];
	return TP_OK;
}
