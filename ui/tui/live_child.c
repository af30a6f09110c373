/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The child of a live run: tprof itself, measuring into a run directory, with three pipes. */
#include "ui/tui/live_parts.h"
#include "base/now.h"
#include "base/self.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child that was asked to stop needs up to 4 s where its engine does not obey, and writes its results; then it is helped along. */
#define TERM_AFTER_SECONDS 8.0
#define KILL_AFTER_SECONDS 12.0

enum { READ_BYTES = 65536, WAIT_MS = 5 };

/* In the child between fork and exec: only calls that are safe there. */
static void become_batch(int control, int events, int errors, char *const *arguments)
{
	dup2(control, STDIN_FILENO);
	dup2(events, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	setpgid(0, 0); /* what the terminal sends (Ctrl-Z, hangup) is for the screens */
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	static const int defaults[] = { SIGINT,	 SIGTERM, SIGPIPE, SIGTSTP, SIGWINCH, SIGCONT,
					SIGTTOU, SIGSEGV, SIGBUS,  SIGILL,  SIGFPE,   SIGABRT };
	for (size_t i = 0; i < TP_COUNT_OF(defaults); i++)
		signal(defaults[i], SIG_DFL);
	signal(SIGHUP, SIG_IGN); /* the screens tell it when to stop */
	tp_become_self(arguments);
	_exit(127);
}

static void close_pair(int pair[2])
{
	tp_live_close(&pair[0]);
	tp_live_close(&pair[1]);
}

enum tp_status tp_live_spawn(struct tp_live *live, char *const *arguments, struct tp_diag *diag)
{
	int control[2] = { -1, -1 }, events[2] = { -1, -1 }, errors[2] = { -1, -1 };
	if (pipe2(control, O_CLOEXEC) != 0 || pipe2(events, O_CLOEXEC) != 0 ||
	    pipe2(errors, O_CLOEXEC) != 0 || (live->pid = fork()) < 0) {
		tp_fail(diag, TP_RESOURCE, "run",
			"raise the limits on open files and processes (ulimit -n, ulimit -u)",
			"cannot start it: %s", strerror(errno));
		close_pair(control);
		close_pair(events);
		close_pair(errors);
		return TP_RESOURCE;
	}
	if (live->pid == 0)
		become_batch(control[0], events[1], errors[1], arguments);
	tp_live_close(&control[0]);
	tp_live_close(&events[1]);
	tp_live_close(&errors[1]);
	live->control = control[1];
	live->events = events[0];
	live->errors = errors[0];
	fcntl(live->control, F_SETFL, O_NONBLOCK);
	fcntl(live->events, F_SETFL, O_NONBLOCK);
	fcntl(live->errors, F_SETFL, O_NONBLOCK);
	return TP_OK;
}

int tp_live_reap(struct tp_live *live)
{
	int status = 0;
	double since = tp_now_seconds(), now;
	pid_t got;
	while (live->pid > 0 && (got = waitpid(live->pid, &status, WNOHANG)) != live->pid) {
		if (got < 0 && errno != EINTR)
			break;
		now = tp_now_seconds();
		if (now - since > KILL_AFTER_SECONDS)
			kill(live->pid, SIGKILL);
		else if (now - since > TERM_AFTER_SECONDS)
			kill(live->pid, SIGTERM);
		poll(NULL, 0, WAIT_MS);
	}
	live->pid = -1;
	return status;
}

bool tp_live_read(int *fd, struct tp_str *to)
{
	char buffer[READ_BYTES];
	ssize_t n;
	while ((n = read(*fd, buffer, sizeof(buffer))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			tp_str_add_n(to, buffer, (size_t)n);
	if (n == 0 || errno != EAGAIN) {
		tp_live_close(fd);
		return false;
	}
	return true;
}
