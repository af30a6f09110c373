/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/child.h"
#include "engine/engine.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/now.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * Cancel: "stop after this window", with a SIGTERM, at which every long loop of the engine gives
 * up. An engine that is inside a long window, or does not run, gets SIGKILL: of an unfinished point
 * nothing is kept, and people wait.
 */
#define KILL_AFTER_SECONDS 0.15
/* An engine whose work is done lets go of its memory and ends. */
#define END_SECONDS 4.0

/* Long: each wake-up may take the CPU from a window. Signals and lines end the wait. */
enum { POLL_MS = 250, ASKED_POLL_MS = 20, WISH_BYTES = 31 };

/* At numbers that nothing else has in the child: what it inherits is closed there by then. */
static void lend_streams(int output)
{
	if (output < 0) {
		close(TP_STREAM_INPUT_FD);
		close(TP_STREAM_OUTPUT_FD);
		return;
	}
	output = fcntl(output, F_DUPFD_CLOEXEC, TP_STREAM_OUTPUT_FD + 1);
	dup2(STDIN_FILENO, TP_STREAM_INPUT_FD);
	dup2(output, TP_STREAM_OUTPUT_FD);
}

/* Descriptors of tp_engine_request. */
struct lent {
	int output, kept;
};

static int take_socket(int socket, const void *context)
{
	const struct lent *lent = context;
	int kept = lent->kept < 0 ? -1 : fcntl(lent->kept, F_DUPFD_CLOEXEC, TP_STREAM_KEPT_FD + 1);
	/* The streams take the numbers behind its own. */
	if (socket != TP_ENGINE_FD)
		dup2(socket, TP_ENGINE_FD);
	lend_streams(lent->output);
	if (kept >= 0)
		dup2(kept, TP_STREAM_KEPT_FD);
	else
		close(TP_STREAM_KEPT_FD);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	if (socket == TP_ENGINE_FD)
		fcntl(socket, F_SETFD, 0);
	return 0;
}

enum tp_status tp_child_start(struct tp_process *child, const char *job, size_t len,
			      int program_output, int program_kept, struct tp_diag *diag)
{
	const struct lent lent = { program_output, program_kept };
	char *const arguments[] = { "tprof", "--engine", NULL };
	const struct tp_self_child engine = { .where = "engine",
					      .name = "the engine",
					      .arguments = arguments,
					      .prepare = take_socket,
					      .context = &lent };
	enum tp_status status = tp_process_start(child, &engine, diag);
	if (status != TP_OK || tp_write_all(child->fd, job, len))
		return status;
	tp_child_end(child);
	return tp_fail(diag, TP_CRASHED, "engine", NULL, "the engine ended before it had its job");
}

/* True once it was killed: what it had said is all that there will be. */
static bool ask_to_stop(struct tp_process *child)
{
	bool first = child->asked_at <= 0;
	double since = tp_process_ask(child, "cancel\n");
	if (first)
		kill(child->pid, SIGTERM);
	else if (since > KILL_AFTER_SECONDS)
		kill(child->pid, SIGKILL);
	return since > KILL_AFTER_SECONDS;
}

/* Never waits: an engine that does not listen must not keep this process from hearing it. */
static bool tell(const struct tp_process *child, const char *line)
{
	return send(child->fd, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
}

/* Hands the wishes on. While the engine does not listen, they wait for the next call. */
static void tell_wishes(const struct tp_process *child, struct tp_wishes *wishes)
{
	if (wishes->skip && tell(child, "skip\n"))
		wishes->skip = false;
	if (wishes->painted && tell(child, "painted\n"))
		wishes->painted = false;
	if (wishes->paused != wishes->told_paused &&
	    tell(child, wishes->paused ? "pause\n" : "go\n"))
		wishes->told_paused = wishes->paused;
}

static void take_wish(struct tp_wishes *wishes, const char *word)
{
	wishes->stop |= strcmp(word, "stop") == 0;
	wishes->skip |= strcmp(word, "skip") == 0;
	wishes->painted |= strcmp(word, "painted") == 0;
	if (strcmp(word, "pause") == 0)
		wishes->paused = true;
	if (strcmp(word, "go") == 0)
		wishes->paused = false;
}

static void hear_wishes(struct tp_wishes *wishes)
{
	wishes->lines.limit = WISH_BYTES;
	ssize_t n = tp_lines_read(&wishes->lines, wishes->fd);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) {
		wishes->fd = -1;
		wishes->stop = true;
		return;
	}
	for (const char *word; (word = tp_lines_next(&wishes->lines, NULL));)
		take_wish(wishes, word);
}

enum tp_child_news tp_child_next(struct tp_process *child, struct tp_wishes *wishes,
				 const volatile sig_atomic_t *stop, double patience_seconds,
				 char **line, size_t *len)
{
	while (!(*line = tp_lines_next(&child->lines, len))) {
		double now = tp_now_seconds();
		bool killed = ((stop && *stop) || wishes->stop) && ask_to_stop(child);
		tell_wishes(child, wishes);
		if (wishes->paused)
			child->heard_at = now;
		if (now - child->heard_at > patience_seconds) {
			kill(child->pid, SIGKILL);
			return TP_CHILD_HUNG;
		}
		struct pollfd p[] = { { .fd = child->fd, .events = POLLIN },
				      { .fd = wishes->fd, .events = POLLIN } };
		int wait_ms = killed ? 0 : child->asked_at > 0 ? ASKED_POLL_MS : POLL_MS;
		if (poll(p, 2, wait_ms) <= 0) {
			return killed ? TP_CHILD_GONE : TP_CHILD_QUIET;
		}
		if (p[1].revents)
			hear_wishes(wishes);
		if (!p[0].revents)
			continue;
		if (tp_lines_read(&child->lines, child->fd) <= 0)
			return TP_CHILD_GONE;
		child->heard_at = tp_now_seconds();
	}
	return TP_CHILD_LINE;
}

struct tp_process_end tp_child_end(struct tp_process *child)
{
	if (child->asked_at <= 0)
		return tp_process_end(child, END_SECONDS);
	tp_process_leave(child);
	return (struct tp_process_end){ 0 };
}
