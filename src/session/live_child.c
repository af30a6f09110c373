/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The child of a live run: tprof itself, measuring into a run directory. */
#include "session/live_parts.h"
#include "base/now.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * A child that was asked to stop needs up to 4 s if its engine does not obey, and then writes its
 * results. After that it gets signals.
 */
#define TERM_AFTER_SECONDS 8.0
#define KILL_AFTER_SECONDS 12.0

/* No event is longer. */
enum { LINE_MAX_BYTES = 1 << 20, WORDS_MAX_BYTES = 1 << 16, READ_BYTES = 4096 };

void tp_live_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/*
 * Runs in the child. It outlives the screens and ends in good order when its standard input ends.
 * Signals of the terminal are for the screens alone.
 */
static int be_batch(int socket, const void *context)
{
	const int *errors = context;
	prctl(PR_SET_PDEATHSIG, 0);
	signal(SIGHUP, SIG_IGN);
	signal(SIGCONT, SIG_DFL);
	signal(SIGTTOU, SIG_DFL);
	bool good = dup2(socket, STDIN_FILENO) >= 0 && dup2(socket, STDOUT_FILENO) >= 0 &&
		    dup2(*errors, STDERR_FILENO) >= 0;
	return good ? 0 : TP_SELF_NOT_STARTED;
}

enum tp_status tp_live_spawn(struct tp_live *live, char *const *arguments, struct tp_diag *diag)
{
	int errors[2];
	const struct tp_self_child batch = { .where = "run",
					     .name = "it",
					     .arguments = arguments,
					     .prepare = be_batch,
					     .context = &errors[1] };
	if (pipe2(errors, O_CLOEXEC) != 0)
		return tp_fail(diag, TP_RESOURCE, "run",
			       "raise the limit on open files (ulimit -n)", "cannot start it: %s",
			       strerror(errno));
	enum tp_status status = tp_process_start(&live->child, &batch, diag);
	close(errors[1]);
	live->errors = errors[0];
	live->child.lines.limit = LINE_MAX_BYTES;
	fcntl(live->errors, F_SETFL, O_NONBLOCK);
	return status;
}

int tp_live_reap(struct tp_live *live)
{
	int status = 0;
	tp_live_close(&live->child.fd); /* tells a child that still runs to stop */
	if (live->child.pid > 0)
		status = tp_process_reap(live->child.pid, TERM_AFTER_SECONDS, KILL_AFTER_SECONDS);
	tp_lines_release(&live->child.lines);
	live->child = TP_PROCESS_NONE;
	return status;
}

bool tp_live_tell(struct tp_live *live, const char *word)
{
	if (live->child.fd < 0 || live->told_end)
		return true;
	ssize_t n = send(live->child.fd, word, strlen(word), MSG_NOSIGNAL | MSG_DONTWAIT);
	return n >= 0 || errno != EAGAIN;
}

void tp_live_tell_end(struct tp_live *live)
{
	if (live->child.fd >= 0)
		shutdown(live->child.fd, SHUT_WR);
	live->told_end = true;
}

/*
 * The last lines matter: they say where the run is, or why there is none. Only whole lines are
 * kept.
 */
static void keep_words(struct tp_live *live)
{
	const char *text = tp_str_text(&live->err);
	size_t room = sizeof(live->words) - 1, from = 0;
	if (live->err.len > room) {
		const char *end = strchr(text + live->err.len - room, '\n');
		from = end && end[1] ? (size_t)(end - text) + 1 : live->err.len - room;
	}
	tp_copy(live->words, sizeof(live->words), text + from);
	if (live->err.len > WORDS_MAX_BYTES) {
		size_t keep = WORDS_MAX_BYTES / 2;
		memmove(live->err.s, live->err.s + live->err.len - keep, keep + 1);
		live->err.len = keep;
	}
}

/* Takes what the child has written to standard error. */
static void take_words(struct tp_live *live)
{
	char buffer[READ_BYTES];
	ssize_t n;
	if (live->errors < 0)
		return;
	while ((n = read(live->errors, buffer, sizeof(buffer))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			tp_str_add_n(&live->err, buffer, (size_t)n);
	if (n == 0 || errno != EAGAIN)
		tp_live_close(&live->errors);
	keep_words(live);
}

bool tp_live_take_child(struct tp_live *live)
{
	uint64_t before = live->version;
	enum tp_process_news news;
	char *line;
	size_t len;
	take_words(live);
	while ((news = tp_process_line(&live->child, 0, &line, &len)) == TP_PROCESS_LINE)
		tp_live_line(live, line, len);
	if (news == TP_PROCESS_QUIET)
		return live->version != before;
	int status = tp_live_reap(live);
	take_words(live);
	tp_live_close(&live->errors);
	live->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	tp_live_finish(live);
	return true;
}

int tp_live_descriptors(const struct tp_live *live, int fds[2])
{
	int n = 0;
	if (live->child.fd >= 0)
		fds[n++] = live->child.fd;
	if (live->errors >= 0)
		fds[n++] = live->errors;
	return n;
}
