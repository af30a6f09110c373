/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A compiler as a child process, and the messages of GCC, Clang, assemblers and linkers in the C
 * locale. */
#include "compiler/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/command.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/process.h"
#include "base/text.h"
#include "compiler/store.h"

enum { LOOK_MS = 20, POLLED_MAX = 64, DRAIN_BYTES_MAX = 1 << 20 };

/* Far above what one object needs, far below what harms the machine. */
static const rlim_t file_bytes_max = (rlim_t)256 << 20, memory_bytes_max = (rlim_t)4 << 30;

static void limit(__rlimit_resource_t what, rlim_t most)
{
	struct rlimit have;
	if (getrlimit(what, &have) != 0)
		return;
	have.rlim_max = TP_MIN(have.rlim_max, most);
	have.rlim_cur = TP_MIN(have.rlim_cur, have.rlim_max);
	setrlimit(what, &have);
}

static void __attribute__((noreturn))
be_compiler(const struct tp_cc_start *start, char **environment, int said, pid_t parent)
{
	static const int defaults[] = { SIGINT,	 SIGTERM, SIGHUP, SIGPIPE, SIGTSTP, SIGWINCH,
					SIGCHLD, SIGSEGV, SIGBUS, SIGILL,  SIGFPE,  SIGABRT };
	sigset_t none;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The kernel does not notice a parent that ended before that line. */
	if (getppid() != parent)
		_exit(TP_EXIT_FAILED);
	for (size_t i = 0; i < TP_COUNT_OF(defaults); i++)
		signal(defaults[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Failure only makes it slower: the CPUs may have been taken away. */
	if (start->cpus)
		sched_setaffinity(0, start->cpus_bytes, start->cpus);
	/* Its own children end, too, when their parent is gone. */
	limit(RLIMIT_CPU, (rlim_t)start->limit_seconds + 2);
	limit(RLIMIT_FSIZE, file_bytes_max);
	limit(RLIMIT_AS, memory_bytes_max);
	limit(RLIMIT_CORE, 0);
	int nothing = open("/dev/null", O_RDONLY);
	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(said, STDOUT_FILENO) < 0 ||
	    dup2(said, STDERR_FILENO) < 0)
		_exit(TP_EXIT_FAILED);
	execve(start->arguments[0], start->arguments, environment);
	dprintf(STDERR_FILENO, "cannot be started: %s\n", strerror(errno));
	_exit(TP_EXIT_FAILED);
}

enum tp_status tp_cc_child_start(struct tp_cc_child *child, const struct tp_cc_start *start,
				 struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	char temporary[TP_PATH_MAX + 8];
	int ends[2];
	*child = TP_CC_NONE;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return tp_fail(diag, TP_RESOURCE, start->arguments[0], NULL,
			       "cannot make a pipe: %s", strerror(errno));
	/* Our end only: a compiler would lose what it cannot write at once. */
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	snprintf(temporary, sizeof(temporary), "TMPDIR=%s", start->folder ? start->folder : "");
	/* Messages are read by a program, so they are not translated. */
	char *const own[] = { (char *)"LC_ALL=C", start->folder ? temporary : NULL, NULL };
	char *const *const lists[] = { environ, own };
	TP_FREE char **environment = tp_environment_merge(lists, TP_COUNT_OF(lists));
	pid_t parent = getpid();
	child->pid = fork();
	if (child->pid == 0)
		be_compiler(start, environment, ends[1], parent);
	if (child->pid < 0) {
		status = tp_fail(diag, TP_RESOURCE, start->arguments[0],
				 "raise the limit on processes (ulimit -u)",
				 "cannot be started: %s", strerror(errno));
		goto out;
	}
	/* Done in parent and child: it has its own group before that group can be killed. */
	setpgid(child->pid, child->pid);
	child->until = tp_now_seconds() + start->limit_seconds;
	child->fd = ends[0];
	ends[0] = -1;
out:
	if (ends[0] >= 0)
		close(ends[0]);
	close(ends[1]);
	return status;
}

/* Reads what there is. */
static void hear(struct tp_cc_child *child)
{
	char bytes[16384];
	for (size_t all = 0; child->fd >= 0 && all < DRAIN_BYTES_MAX;) {
		ssize_t n = read(child->fd, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			close(child->fd);
			child->fd = -1;
			return;
		}
		size_t room = TP_COMPILE_SAID_BYTES - child->said.len;
		size_t kept = TP_MIN(room, (size_t)n);
		tp_str_add_n(&child->said, bytes, kept);
		child->lost_bytes += (size_t)n - kept;
		all += (size_t)n;
	}
}

/* The group is killed while the zombie still holds its number. */
static int end_group(struct tp_cc_child *child)
{
	kill(-child->pid, SIGKILL);
	int status = tp_process_reap(child->pid, INFINITY, 0);
	child->pid = -1;
	return status;
}

bool tp_cc_child_ended(struct tp_cc_child *child, struct tp_process_end *end, bool *late)
{
	siginfo_t info = { 0 };
	hear(child);
	bool gone = waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
		    info.si_pid == child->pid;
	*late = !gone && tp_now_seconds() >= child->until;
	if (!gone && !*late)
		return false;
	int status = end_group(child);
	*end = tp_process_end_of(status);
	hear(child);
	if (child->lost_bytes)
		tp_str_printf(&child->said, "\n... %zu more bytes are not kept\n",
			      child->lost_bytes);
	return true;
}

void tp_cc_children_wait(const struct tp_cc_child *const *children, size_t n)
{
	struct pollfd polled[POLLED_MAX];
	nfds_t n_polled = 0;
	for (size_t i = 0; i < n && n_polled < POLLED_MAX; i++)
		if (children[i]->fd >= 0)
			polled[n_polled++] =
				(struct pollfd){ .fd = children[i]->fd, .events = POLLIN };
	/* A child that closes its output is about to end. */
	poll(polled, n_polled, n_polled == TP_MIN(n, (size_t)POLLED_MAX) ? LOOK_MS : 1);
}

void tp_cc_child_release(struct tp_cc_child *child)
{
	if (child->pid > 0)
		end_group(child);
	if (child->fd >= 0)
		close(child->fd);
	tp_str_release(&child->said);
	*child = TP_CC_NONE;
}

enum tp_status tp_cc_run(const struct tp_cc_start *start, struct tp_str *said,
			 struct tp_process_end *end, bool *late, struct tp_diag *diag)
{
	TP_CLEANUP(tp_cc_child_release) struct tp_cc_child child;
	enum tp_status status = tp_cc_child_start(&child, start, diag);
	if (status != TP_OK)
		return status;
	while (!tp_cc_child_ended(&child, end, late)) {
		if (tp_stop_asked)
			return tp_fail(diag, TP_CANCELLED, start->arguments[0], NULL, "cancelled");
		tp_cc_children_wait((const struct tp_cc_child *[]){ &child }, 1);
	}
	*said = child.said;
	child.said = (struct tp_str){ 0 };
	return TP_OK;
}

/* The text between the place and the message of an error. */
static const char *const marks[] = { ": error: ", ": fatal error: ", ": internal compiler error: ",
				     ": Error: ", ": Fatal error: " };

/* These lines only report that something else failed, with its own message. */
static const char *const followers[] = { "collect2: error: ", "linker command failed",
					 "In file included", "Assembler messages" };

/* How much a line explains. */
enum rank { EMPTY, FOLLOWS, SAYS, ERROR, ERROR_WITH_PLACE };

struct said {
	enum rank rank;
	const char *line, *text; /* `text`: after the mark, or the whole line */
	size_t len, place_len; /* of the line, and of the part before the mark */
};

static const char *find(const char *line, size_t len, const char *what)
{
	return memmem(line, len, what, strlen(what));
}

/* FILE:LINE or FILE:LINE:COLUMN. */
static bool is_place(const char *text, size_t len)
{
	size_t digits = 0;
	while (len && text[len - 1] >= '0' && text[len - 1] <= '9') {
		len--;
		digits++;
	}
	return digits && len > 1 && text[len - 1] == ':';
}

static struct said look(const char *line, size_t len)
{
	struct said said = { .rank = SAYS, .line = line, .text = line, .len = len };
	const char *trimmed = line;
	size_t n = len;
	tp_trim(&trimmed, &n);
	if (!n)
		said.rank = EMPTY;
	for (size_t i = 0; i < TP_COUNT_OF(followers); i++)
		if (find(line, len, followers[i]))
			said.rank = FOLLOWS;
	for (size_t i = 0; i < TP_COUNT_OF(marks) && said.rank == SAYS; i++) {
		const char *mark = find(line, len, marks[i]);
		if (!mark)
			continue;
		said.place_len = (size_t)(mark - line);
		said.text = mark + strlen(marks[i]);
		said.rank = is_place(line, said.place_len) ? ERROR_WITH_PLACE : ERROR;
	}
	return said;
}

/* The end of a long place is more informative than its beginning. */
static void show_place(char *out, size_t size, const char *place, size_t len)
{
	const char *from = place;
	size_t most = size - sizeof("...");
	if (len > most) {
		from = place + tp_utf8_after(place, len - most);
		tp_copy(out, size, "...");
		out += 3;
		size -= 3;
	}
	tp_shown(out, size, from, len - (size_t)(from - place));
}

bool tp_cc_messages_error(const char *messages, const char *program, struct tp_diag *diag)
{
	struct said best = { .rank = EMPTY };
	for (const char *line = messages; *line && best.rank < ERROR_WITH_PLACE;) {
		size_t len = strcspn(line, "\n");
		struct said said = look(line, len);
		if (said.rank > best.rank)
			best = said;
		line += len + (line[len] == '\n');
	}
	*diag = (struct tp_diag){ 0 };
	if (best.rank == ERROR_WITH_PLACE)
		show_place(diag->where, sizeof(diag->where), best.line, best.place_len);
	else
		show_place(diag->where, sizeof(diag->where), program, strlen(program));
	if (best.rank == EMPTY)
		return false;
	tp_shown(diag->what, sizeof(diag->what), best.text,
		 best.len - (size_t)(best.text - best.line));
	return true;
}

void tp_cc_messages_shorten(struct tp_str *messages, const char *prefix)
{
	struct tp_str shorter = { 0 };
	const char *from = tp_str_text(messages), *end = from + messages->len, *at;
	while ((at = find(from, (size_t)(end - from), prefix))) {
		tp_str_add_n(&shorter, from, (size_t)(at - from));
		from = at + strlen(prefix);
	}
	tp_str_add_n(&shorter, from, (size_t)(end - from));
	tp_str_release(messages);
	*messages = shorter;
}

void tp_cc_diag_clean(struct tp_diag *diag)
{
	if (!diag)
		return;
	tp_clean(diag->where, "");
	tp_clean(diag->what, "");
	tp_clean(diag->hint, "");
}
