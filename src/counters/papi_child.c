/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "counters/papi_parts.h"
#include "base/now.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child of its own: dies with its parent, is silent on the terminal, and does not run the parent's handlers. */
static void become_child(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	static const int defaults[] = { SIGINT, SIGTERM, SIGHUP, SIGSEGV,
					SIGBUS, SIGILL,	 SIGFPE, SIGABRT };
	sigset_t none;
	sigemptyset(&none);
	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
		signal(defaults[i], SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
}

enum tp_status tp_papi_child_start(struct tp_papi_child *child,
				   void (*tell)(FILE *out, const void *context),
				   const void *context, struct tp_diag *diag)
{
	int ends[2];
	*child = (struct tp_papi_child){ .fd = -1 };
	if (pipe2(ends, O_CLOEXEC) != 0)
		return tp_fail(diag, TP_RESOURCE, "papi", NULL, "no pipe: %s", strerror(errno));
	child->pid = fork();
	if (child->pid == 0) {
		FILE *out;
		close(ends[0]);
		become_child();
		out = fdopen(ends[1], "w");
		if (!out)
			_exit(127);
		tell(out, context);
		fflush(out);
		_exit(0);
	}
	int error = errno;
	close(ends[1]);
	if (child->pid < 0) {
		child->pid = 0;
		close(ends[0]);
		return tp_fail(diag, TP_RESOURCE, "papi", NULL, "no child process: %s",
			       strerror(error));
	}
	child->fd = ends[0];
	return TP_OK;
}

enum tp_papi_heard tp_papi_child_line(struct tp_papi_child *child, double silence_seconds,
				      char **line)
{
	double until = tp_now_seconds() + silence_seconds;
	for (;;) {
		char *at = child->text + child->start;
		char *end = memchr(at, '\n', child->end - child->start);
		if (end) {
			*end = '\0';
			*line = at;
			child->start += (size_t)(end - at) + 1;
			return TP_PAPI_LINE;
		}
		memmove(child->text, at, child->end - child->start);
		child->end -= child->start;
		child->start = 0;
		if (child->end == sizeof(child->text)) /* no line is so long */
			return TP_PAPI_ENDED;
		double left = until - tp_now_seconds();
		struct pollfd poll_fd = { .fd = child->fd, .events = POLLIN };
		int ready = left > 0 ? poll(&poll_fd, 1, (int)(left * 1000) + 1) : 0;
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready == 0)
			return TP_PAPI_SILENT;
		ssize_t n =
			read(child->fd, child->text + child->end, sizeof(child->text) - child->end);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return TP_PAPI_ENDED;
		child->end += (size_t)n;
	}
}

void tp_papi_child_end(struct tp_papi_child *child, char *words, size_t size)
{
	int status = 0;
	if (size)
		*words = '\0';
	if (child->fd >= 0)
		close(child->fd);
	child->fd = -1;
	if (child->pid <= 0)
		return;
	/* One that has told everything is ending by itself; one that has not is stuck. What it says dying was its own doing. */
	bool ended = false;
	for (int i = 0; i < 20 && !ended; i++) {
		pid_t got = waitpid(child->pid, &status, WNOHANG);
		ended = got == child->pid || (got < 0 && errno != EINTR);
		if (!ended)
			usleep(1000U << (i < 4 ? i : 4));
	}
	if (!ended) {
		kill(child->pid, SIGKILL);
		while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	child->pid = 0;
	if (!size)
		return;
	if (WIFSIGNALED(status))
		snprintf(words, size, "%s", strsignal(WTERMSIG(status)));
	else
		snprintf(words, size, "exit status %d", WEXITSTATUS(status));
}

void tp_papi_fields(char *line, char **fields, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		fields[i] = line;
		char *tab = strchr(line, '\t');
		if (!tab || i + 1 == n) {
			line += strlen(line);
			continue;
		}
		*tab = '\0';
		line = tab + 1;
	}
}
