/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/child.h"
#include "engine/engine.h"
#include "base/file.h"
#include "base/vec.h"
#include "base/now.h"
#include "base/self.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Cancel: "stop after this window", then SIGTERM, then SIGKILL. */
#define TERM_AFTER_SECONDS 2.0
#define KILL_AFTER_SECONDS 4.0

enum { POLL_MS = 50 };

static int take_socket(int socket, const void *context)
{
	int null = open("/dev/null", O_RDWR);
	(void)context;
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	if (socket == TP_ENGINE_FD)
		fcntl(socket, F_SETFD, 0);
	else
		dup2(socket, TP_ENGINE_FD);
	return 0;
}

enum tp_status tp_child_start(struct tp_child *child, const char *job, size_t len,
			      struct tp_diag *diag)
{
	char *const arguments[] = { "tprof", "--engine", NULL };
	const struct tp_self_child engine = { .where = "engine",
					      .name = "the engine",
					      .arguments = arguments,
					      .prepare = take_socket };
	*child = (struct tp_child){ .control_fd = -1 };
	enum tp_status status = tp_self_start(&engine, &child->pid, &child->fd, diag);
	if (status != TP_OK)
		return status;
	child->heard_at = tp_now_seconds();
	if (!tp_write_all(child->fd, job, len)) {
		tp_child_end(child);
		return tp_fail(diag, TP_CRASHED, "engine", NULL,
			       "the engine ended before it had its job");
	}
	return TP_OK;
}

/* A complete line in the buffer, if there is one. */
static bool take_line(struct tp_child *child, const char **line, size_t *len)
{
	if (child->in.len == child->taken)
		return false;
	char *from = child->in.s + child->taken,
	     *end = memchr(from, '\n', child->in.len - child->taken);
	if (!end)
		return false;
	*line = from;
	*len = (size_t)(end - from);
	*end = '\0';
	child->taken += *len + 1;
	return true;
}

static void ask_to_stop(struct tp_child *child, double now)
{
	if (!child->asked) {
		child->asked = true;
		child->asked_at = now;
		tp_write_all(child->fd, "cancel\n", 7);
	} else if (now - child->asked_at > KILL_AFTER_SECONDS) {
		kill(child->pid, SIGKILL);
	} else if (now - child->asked_at > TERM_AFTER_SECONDS) {
		kill(child->pid, SIGTERM);
	}
}

/* Never waits: an engine that does not listen must not keep this process from hearing it. */
void tp_child_tell(struct tp_child *child, const char *word)
{
	char line[32];
	int n = snprintf(line, sizeof(line), "%s\n", word);
	ssize_t sent = send(child->fd, line, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
	(void)sent;
}

static void take_wish(struct tp_child *child, const char *word)
{
	static const char *const handed_on[] = { "skip", "pause", "go", "painted" };
	child->stop_wished |= strcmp(word, "stop") == 0;
	for (size_t i = 0; i < TP_COUNT_OF(handed_on); i++)
		if (strcmp(word, handed_on[i]) == 0)
			tp_child_tell(child, word);
	if (strcmp(word, "pause") == 0)
		child->paused = true;
	if (strcmp(word, "go") == 0)
		child->paused = false;
}

/* Wishes of whoever watches: those for the engine are handed on as they are. A word may come in pieces; one too long is none. */
static void take_wishes(struct tp_child *child)
{
	char text[256];
	ssize_t n = read(child->control_fd, text, sizeof(text));
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		child->control_fd = -1;
		child->stop_wished = true;
		return;
	}
	for (ssize_t i = 0; i < n; i++) {
		if (text[i] != '\n') {
			child->wish_len += child->wish_len < sizeof(child->wish);
			if (child->wish_len < sizeof(child->wish))
				child->wish[child->wish_len - 1] = text[i];
			continue;
		}
		if (child->wish_len < sizeof(child->wish)) {
			child->wish[child->wish_len] = '\0';
			take_wish(child, child->wish);
		}
		child->wish_len = 0;
	}
}

enum tp_child_news tp_child_next(struct tp_child *child, const volatile sig_atomic_t *stop,
				 double patience_seconds, const char **line, size_t *len)
{
	char buffer[65536];
	while (!take_line(child, line, len)) {
		double now = tp_now_seconds();
		if ((stop && *stop) || child->stop_wished)
			ask_to_stop(child, now);
		if (child->paused)
			child->heard_at = now;
		if (now - child->heard_at > patience_seconds) {
			kill(child->pid, SIGKILL);
			return TP_CHILD_HUNG;
		}
		struct pollfd p[] = { { .fd = child->fd, .events = POLLIN },
				      { .fd = child->control_fd, .events = POLLIN } };
		if (poll(p, 2, POLL_MS) <= 0)
			continue;
		if (p[1].revents)
			take_wishes(child);
		if (!p[0].revents)
			continue;
		ssize_t n = recv(child->fd, buffer, sizeof(buffer), 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return TP_CHILD_GONE;
		child->heard_at = tp_now_seconds();
		/* Keep only what was not taken yet. */
		if (child->taken) {
			memmove(child->in.s, child->in.s + child->taken,
				child->in.len - child->taken);
			child->in.len -= child->taken;
			child->taken = 0;
		}
		tp_str_add_n(&child->in, buffer, (size_t)n);
		if (child->in.oom)
			return TP_CHILD_GONE;
	}
	return TP_CHILD_LINE;
}

void tp_child_end(struct tp_child *child)
{
	int status = 0;
	if (child->fd >= 0)
		close(child->fd); /* a child that still runs takes this as its end */
	if (child->pid > 0) {
		double since = tp_now_seconds();
		while (waitpid(child->pid, &status, WNOHANG) == 0) {
			if (tp_now_seconds() - since > KILL_AFTER_SECONDS)
				kill(child->pid, SIGKILL);
			poll(NULL, 0, 1);
		}
	}
	child->exit_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	child->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	tp_str_release(&child->in);
	child->fd = -1;
	child->pid = -1;
}
