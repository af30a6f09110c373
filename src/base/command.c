/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/command.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/now.h"
#include "base/suspend.h"
#include "base/text.h"
#include "base/memory.h"

/* A program that runs. */
struct tp_command_begun {
	pid_t pid;
	int process; /* a descriptor of it; -1 = none */
	/* Its output is readable here without waiting, [0] for both streams if they are joined; -1
	 * = nowhere. */
	int said[2];
	double started; /* tp_now_seconds() */
	double suspended; /* tp_suspended_seconds then */
};

static const char usual_path[] = "/usr/local/bin:/usr/bin:/bin";

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* The byte of "\x1b", as in quotes; 0 = none. */
static unsigned byte_at(const char *text)
{
	unsigned byte = 0;
	if (text[0] != '\\' || text[1] != 'x')
		return 0;
	for (int i = 2; i < 4; i++) {
		if (!isxdigit((unsigned char)text[i]))
			return 0;
		byte = byte << 4 | (unsigned)(isdigit((unsigned char)text[i])
						      ? text[i] - '0'
						      : tolower((unsigned char)text[i]) - 'a' + 10);
	}
	return byte;
}

/* The word at *at, which moves past it; false if a quote does not end. */
static bool take_word(const char **at, struct tp_str *word)
{
	bool quoted = false;
	const char *c = *at;
	for (; *c && (quoted || !is_blank(*c)); c++) {
		const char byte = (char)(quoted ? byte_at(c) : 0);
		if (*c == '"') {
			quoted = !quoted;
			continue;
		}
		if (quoted && *c == '\\' && (c[1] == '"' || c[1] == '\\'))
			c++;
		tp_str_add_n(word, byte ? &byte : c, 1);
		c += byte ? 3 : 0;
	}
	*at = c;
	return !quoted;
}

enum tp_status tp_command_split(const char *text, struct tp_arena *arena, char ***words, size_t *n,
				struct tp_diag *diag)
{
	/* A word and the blank after it take at least two bytes. */
	char **list = tp_arena_alloc(arena, (strlen(text) / 2 + 2) * sizeof(*list));
	enum tp_status status = TP_OK;
	*n = 0;
	for (const char *at = text; status == TP_OK;) {
		TP_STR word = { 0 };
		while (is_blank(*at))
			at++;
		if (!*at)
			break;
		if (take_word(&at, &word))
			list[(*n)++] = tp_arena_strdup(arena, tp_str_text(&word));
		else
			status = TP_USAGE;
	}
	if (status == TP_USAGE || *n == 0)
		return tp_fail(diag, TP_USAGE, NULL,
			       "write a program and its arguments with blanks between them; an "
			       "argument with blanks stands in double quotes",
			       status == TP_USAGE ? "a double quote does not end"
						  : "there is no word");
	*words = list;
	return TP_OK;
}

void tp_command_join(struct tp_str *out, const char *word)
{
	if (out->len)
		tp_str_add(out, " ");
	size_t len = strlen(word);
	if (len && !strpbrk(word, " \"") && !tp_text_fault(word, len, "")) {
		tp_str_add(out, word);
		return;
	}
	tp_str_add(out, "\"");
	for (size_t n; len; word += n, len -= n) {
		uint32_t code;
		n = TP_MAX(tp_utf8_decode(word, len, &code), (size_t)1);
		if (tp_text_fault(word, n, "")) {
			n = 1;
			tp_str_printf(out, "\\x%02x", (unsigned char)*word);
			continue;
		}
		if (*word == '"' || *word == '\\')
			tp_str_add(out, "\\");
		tp_str_add_n(out, word, n);
	}
	tp_str_add(out, "\"");
}

static bool is_program(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static bool join(char out[TP_PATH_MAX], const char *folder, size_t len, const char *name)
{
	int n = snprintf(out, TP_PATH_MAX, "%.*s/%s", (int)len, folder, name);
	return n > 0 && n < TP_PATH_MAX && is_program(out);
}

bool tp_program_find(const char *name, char out[TP_PATH_MAX])
{
	char here[TP_PATH_MAX];
	if (name[0] == '/')
		return tp_copy(out, TP_PATH_MAX, name) && is_program(out);
	if (strchr(name, '/'))
		return getcwd(here, sizeof(here)) && join(out, here, strlen(here), name);
	const char *path = getenv("PATH");
	path = path && *path ? path : usual_path;
	while (*name && *path) {
		size_t len = strcspn(path, ":");
		/* A relative folder would mean another one for each caller. */
		if (path[0] == '/' && join(out, path, len, name))
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

enum { FIRST_FREE_FD = 3 };

/* Everything that the child needs between vfork and exec, where it may only call the kernel. */
struct start {
	const struct tp_command_line *command;
	const char *program;
	char *const *environment;
	cpu_set_t *cpus; /* NULL = as ours */
	size_t cpus_bytes;
	int streams[3]; /* -1 = as ours */
	int failed; /* where errno goes */
	pid_t parent;
};

/* It shares the memory of its parent, which waits. */
static void __attribute__((noreturn)) be_program(const struct start *s)
{
	static const int defaults[] = { SIGINT,	 SIGQUIT,  SIGTERM, SIGHUP,  SIGPIPE, SIGTSTP,
					SIGTTIN, SIGWINCH, SIGCHLD, SIGSEGV, SIGBUS,  SIGILL,
					SIGFPE,	 SIGABRT,  SIGUSR1, SIGUSR2, SIGALRM, SIGPROF };
	const struct tp_command_line *c = s->command;
	sigset_t none;
	/* Out of reach of the terminal, in a group that can be killed. */
	if (!c->inherits)
		setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The kernel does not notice a parent that ended before that line. */
	if (getppid() != s->parent)
		_exit(TP_SELF_NOT_STARTED);
	for (size_t i = 0; i < TP_COUNT_OF(defaults); i++)
		signal(defaults[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	bool ready = !s->cpus || sched_setaffinity(0, s->cpus_bytes, s->cpus) == 0;
	for (int i = 0; i < 3 && ready; i++)
		ready = s->streams[i] < 0 || dup2(s->streams[i], i) >= 0;
	if (ready && c->folder)
		ready = chdir(c->folder) == 0;
	for (size_t i = 0; i < TP_COUNT_OF(c->number); i++)
		if (c->number[i])
			*c->number[i] = (uint32_t)getpid();
	if (ready)
		execve(s->program, c->words, s->environment);
	int error = errno;
	if (write(s->failed, &error, sizeof(error)) < 0)
		_exit(TP_SELF_NOT_STARTED);
	_exit(TP_SELF_NOT_STARTED);
}

/* A copy, so that the child changes nothing that the parent still needs. */
static pid_t __attribute__((noinline)) start_child(const struct start *s)
{
	pid_t pid = vfork();
	if (pid == 0)
		be_program(s);
	return pid;
}

/* --- streams --- */

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* A copy other than 0, 1, 2, so that setting up one stream does not close another. */
static int aside(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
}

/* Puts the descriptor, which is closed then, aside; false with errno. */
static bool move_aside(int fd, int *out)
{
	*out = fd < 0 ? -1 : aside(fd);
	int error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return *out >= 0;
}

/* *out gets the writing end; the other one is kept. */
static bool make_pipe(int *read_end, int *out)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	*read_end = ends[0];
	return move_aside(ends[1], out);
}

/* Our end only: a program would lose what it cannot write at once. */
static bool make_said(int *read_end, int *out)
{
	return make_pipe(read_end, out) && fcntl(*read_end, F_SETFL, O_NONBLOCK) == 0;
}

static enum tp_status say_no_descriptor(const struct start *s, struct tp_diag *diag)
{
	return tp_fail(diag, TP_RESOURCE, s->command->words[0],
		       "raise the limit on open files (ulimit -n)",
		       "its streams cannot be set up: %s", strerror(errno));
}

static enum tp_status open_input(struct start *s, struct tp_diag *diag)
{
	const char *input = s->command->input;
	int fd = -1;
	if (input && strcmp(input, "/dev/null") != 0) {
		enum tp_status status = tp_file_open(AT_FDCWD, input, O_RDONLY, &fd, diag);
		if (status != TP_OK)
			return status;
	} else {
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	}
	return move_aside(fd, &s->streams[0]) ? TP_OK : say_no_descriptor(s, diag);
}

/*
 * Of a pipe in place of another stream: while no one waits at its other end, a program writes as to
 * a file. So each reading is followed by a nap, a short one where much came, as the pipe fills.
 */
enum { PIPE_BYTES = 1 << 20, MUCH_BYTES = PIPE_BYTES / 4, NAP_NS = 1000000, SHORT_NAP_NS = 200000 };

static bool open_outputs(struct start *s, int said[2])
{
	const struct tp_command_line *c = s->command;
	const int *given = c->streams;
	bool together = c->together || (!given && !c->kept && !c->heard);
	for (int i = 0; i < 2; i++) {
		int *stream = &s->streams[i + 1];
		if (i == 1 && together)
			*stream = aside(s->streams[1]);
		else if (!given || c->piped & 1u << i)
			make_said(&said[i], stream);
		else if (given[i] >= 0)
			*stream = aside(given[i]);
		else
			move_aside(open("/dev/null", O_WRONLY | O_CLOEXEC), stream);
		if (*stream < 0)
			return false;
		if (c->piped)
			(void)fcntl(said[i], F_SETPIPE_SZ, PIPE_BYTES);
	}
	return true;
}

/* --- starting --- */

static enum tp_status say_not_started(const struct start *s, int error, struct tp_diag *diag)
{
	const char *hint = NULL;
	if (error == ENOEXEC)
		hint = "write the interpreter before a script: sh FILE";
	else if (error == ENOENT)
		hint = "look whether its folder is there, and the interpreter or loader that its "
		       "file names: file PROGRAM";
	else if (error == EINVAL && s->cpus)
		hint = "name CPUs that this process may use: taskset -p $$";
	else if (error == E2BIG)
		hint = "its arguments and variables are too long";
	else if (error == EAGAIN)
		hint = "raise the limit on processes (ulimit -u)";
	return tp_fail(diag, error == EACCES || error == EPERM ? TP_PERM : TP_RESOURCE,
		       s->command->words[0], hint, "cannot be started: %s", strerror(error));
}

/* `failed`: the end of the pipe to read. */
static enum tp_status start(struct start *s, int failed, struct tp_command_begun *begun,
			    struct tp_diag *diag)
{
	sigset_t all, before;
	/* A handler of ours must not run in the child, which shares our memory. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	begun->started = tp_now_seconds();
	begun->suspended = tp_suspended_seconds;
	begun->pid = start_child(s);
	int error = errno;
	if (begun->pid > 0 && !s->command->inherits)
		tp_suspend_group(begun->pid);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close_one(&s->failed);
	if (begun->pid < 0)
		return say_not_started(s, error, diag);
	/* Its end is closed by exec. */
	ssize_t told;
	while ((told = read(failed, &error, sizeof(error))) < 0 && errno == EINTR)
		;
	if (told > 0) {
		tp_suspend_group(0);
		waitpid(begun->pid, NULL, 0);
		begun->pid = -1;
		return say_not_started(s, error, diag);
	}
#ifdef SYS_pidfd_open
	begun->process = (int)syscall(SYS_pidfd_open, begun->pid, 0);
#endif
	return TP_OK;
}

static enum tp_status find(const char *name, char program[TP_PATH_MAX], struct tp_diag *diag)
{
	if (tp_program_find(name, program))
		return TP_OK;
	return tp_fail(diag, TP_NOTFOUND, name,
		       "install it, or give its path; a path without / at the beginning begins in "
		       "the current folder",
		       strchr(name, '/') ? "there is no such program"
					 : "there is no such program in PATH");
}

/* Starts it. On failure everything is closed and reaped; otherwise the caller does both. */
static enum tp_status command_begin(const struct tp_command_line *command,
				    struct tp_command_begun *begun, struct tp_diag *diag)
{
	char program[TP_PATH_MAX];
	int failed = -1;
	struct start s = { .command = command,
			   .program = program,
			   .environment = command->environment ? command->environment : environ,
			   .streams = { -1, -1, -1 },
			   .failed = -1,
			   .parent = getpid() };
	*begun = (struct tp_command_begun){ .pid = -1, .process = -1, .said = { -1, -1 } };
	enum tp_status status = find(command->words[0], program, diag);
	if (status != TP_OK)
		return status;
	s.cpus = tp_process_cpus(command->cpus, command->n_cpus, &s.cpus_bytes);
	if (!command->inherits)
		status = open_input(&s, diag);
	/* Nor may the pipe for errno have the number of a stream. */
	if (status == TP_OK && (!open_outputs(&s, begun->said) || !make_pipe(&failed, &s.failed)))
		status = say_no_descriptor(&s, diag);
	if (status == TP_OK)
		status = start(&s, failed, begun, diag);
	for (int i = 0; i < 3; i++)
		close_one(&s.streams[i]);
	close_one(&s.failed);
	close_one(&failed);
	for (int i = 0; i < 2 && status != TP_OK; i++)
		close_one(&begun->said[i]);
	CPU_FREE(s.cpus);
	return status;
}

/* Without a descriptor of the process its end is looked for so often. */
enum { LOOK_MS = 1, ASK_MS = 50, READ_BYTES = 65536, DRAIN_BYTES_MAX = 1 << 22 };

/* --- a running program --- */

/* Data read from it, to be written elsewhere. */
struct passing {
	int to; /* -1 = nowhere */
	size_t at, n; /* what is not yet written */
	char bytes[READ_BYTES];
};

struct running {
	const struct tp_command_line *command;
	struct tp_command_run *run;
	struct tp_command_begun begun;
	struct passing *passing[2]; /* NULL = nothing is passed on */
	long nap_ns; /* before more is read; 0 = none */
};

static bool has_waiting(const struct running *r, size_t stream)
{
	return r->passing[stream] && r->passing[stream]->n;
}

/* The program is to find its pipe closed, too. */
static void stop_passing(struct running *r, size_t stream)
{
	r->passing[stream]->to = -1;
	r->passing[stream]->n = 0;
	close_one(&r->begun.said[stream]);
	if (r->command->heard)
		r->command->heard(r->command->listener, stream, NULL, 0);
}

/*
 * Writes as much as fits without waiting. The flags of the descriptor belong to its owner, so this
 * polls: a writable pipe has room for PIPE_BUF bytes.
 */
static void pass_on(struct running *r, size_t stream)
{
	struct passing *p = r->passing[stream];
	struct pollfd ready = { .fd = p->to, .events = POLLOUT };
	while (p->n && poll(&ready, 1, 0) > 0) {
		ssize_t n = write(p->to, p->bytes + p->at, TP_MIN(p->n, (size_t)PIPE_BUF));
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			stop_passing(r, stream);
		if (n <= 0)
			return;
		p->at += (size_t)n;
		p->n -= (size_t)n;
	}
}

static void keep(struct tp_command_run *run, const char *bytes, size_t n)
{
	size_t room = TP_COMMAND_OUTPUT_BYTES - run->output.len, kept = TP_MIN(room, n);
	tp_str_add_n(&run->output, bytes, kept);
	run->lost_bytes += n - kept;
	bytes += kept;
	n -= kept;
	if (n > sizeof(run->last)) {
		bytes += n - sizeof(run->last);
		n = sizeof(run->last);
	}
	size_t old = TP_MIN(run->n_last, sizeof(run->last) - n);
	if (n)
		memmove(run->last, run->last + run->n_last - old, old);
	memcpy(run->last + (n ? old : run->n_last), bytes, n);
	run->n_last = n ? old + n : run->n_last;
}

/*
 * Reads what is available: only so much of an endless output at a time, and no more until that is
 * written on.
 */
static void hear(struct running *r, size_t stream)
{
	char own[READ_BYTES];
	char *bytes = r->passing[stream] ? r->passing[stream]->bytes : own;
	int *said = &r->begun.said[stream];
	for (size_t all = 0; *said >= 0 && all < DRAIN_BYTES_MAX && !has_waiting(r, stream);) {
		ssize_t n = read(*said, bytes, READ_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			close(*said);
			*said = -1;
			return;
		}
		if (r->command->heard)
			r->command->heard(r->command->listener, stream, bytes, (size_t)n);
		if (r->command->kept)
			tp_output_add(r->command->kept, stream, bytes, (size_t)n);
		if (!r->command->streams && !r->command->heard && !r->command->kept)
			keep(r->run, bytes, (size_t)n);
		if (r->passing[stream]) {
			r->passing[stream]->at = 0;
			r->passing[stream]->n = (size_t)n;
			pass_on(r, stream);
		}
		all += (size_t)n;
		if (r->command->piped && !r->passing[stream])
			r->nap_ns = all < MUCH_BYTES ? NAP_NS : SHORT_NAP_NS;
	}
}

static bool has_ended(const struct running *r)
{
	siginfo_t info = { 0 };
	return waitid(P_PID, (id_t)r->begun.pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == r->begun.pid;
}

/* By Ctrl-Z if it has the terminal, or because it wants the terminal and does not have it. */
static bool was_stopped(const struct running *r)
{
	siginfo_t info = { 0 };
	return r->command->inherits &&
	       waitid(P_PID, (id_t)r->begun.pid, &info, WSTOPPED | WNOHANG) == 0 &&
	       info.si_pid == r->begun.pid;
}

/* Until something happens, at most so long. */
static void look(struct running *r, double left_seconds)
{
	struct pollfd p[] = { { .fd = r->begun.process, .events = POLLIN },
			      { .fd = r->begun.said[0], .events = POLLIN },
			      { .fd = r->begun.said[1], .events = POLLIN },
			      { .fd = -1 },
			      { .fd = -1 } };
	for (size_t i = 0; i < 2; i++) {
		if (!r->passing[i])
			continue;
		/* A reader that has gone is reported by poll() in any case. */
		p[3 + i].fd = r->passing[i]->to;
		p[3 + i].events = has_waiting(r, i) ? POLLOUT : 0;
		if (has_waiting(r, i))
			p[1 + i].fd = -1;
	}
	long most_ns =
		r->nap_ns ? r->nap_ns : 1000000L * (r->begun.process >= 0 ? ASK_MS : LOOK_MS);
	const struct timespec most = { .tv_nsec = (long)fmax(
					       0, fmin((double)most_ns, left_seconds * 1e9)) };
	ppoll(p, r->nap_ns ? 1 : TP_COUNT_OF(p), &most, NULL);
	r->nap_ns = 0;
	/* The end first: its moment counts. */
	for (size_t i = 0; i < 2 && !(p[0].revents & POLLIN); i++) {
		if (p[3 + i].revents & (POLLERR | POLLNVAL))
			stop_passing(r, i);
		else if (p[3 + i].revents)
			pass_on(r, i);
		if (p[1 + i].revents)
			hear(r, i);
	}
}

/* Its last output, once it has ended. A reader may take its time. */
static void hear_rest(struct running *r, size_t stream)
{
	const struct tp_command_line *c = r->command;
	hear(r, stream);
	while (has_waiting(r, stream) && (!c->go_on || c->go_on(c->context))) {
		struct pollfd ready = { .fd = r->passing[stream]->to, .events = POLLOUT };
		poll(&ready, 1, ASK_MS);
		pass_on(r, stream);
		hear(r, stream);
	}
}

/* Until it has ended, takes too long, or is to be given up; false for the last. */
static bool watch(struct running *r)
{
	const struct tp_command_line *c = r->command;
	for (;;) {
		double lasted = tp_now_seconds() - r->begun.started -
				(tp_suspended_seconds - r->begun.suspended);
		r->run->wall_seconds = lasted;
		if (has_ended(r))
			return true;
		r->run->late = lasted >= c->limit_seconds;
		if (r->run->late)
			return true;
		if (c->go_on && !c->go_on(c->context))
			return false;
		if (was_stopped(r))
			tp_suspend_all();
		look(r, c->limit_seconds - lasted);
	}
}

static void send_end(const struct running *r, int signal)
{
	kill(r->command->inherits ? r->begun.pid : -r->begun.pid, signal);
}

/* A process that was asked to end gets little more time before it is killed. */
#define ASKED_SECONDS 0.08

/* It may save its work. A stopped process gets SIGTERM only when it continues. */
static void end_early(struct running *r)
{
	double patience = r->command->patience_seconds, left;
	if (tp_stop_asked)
		patience = fmin(patience, ASKED_SECONDS);
	double until = tp_now_seconds() + patience;
	if (r->command->patience_seconds > 0) {
		send_end(r, SIGTERM);
		send_end(r, SIGCONT);
	}
	while (!has_ended(r) && (left = until - tp_now_seconds()) > 0)
		look(r, left);
	send_end(r, SIGKILL);
}

/* Its group is killed while the zombie still holds its number. */
static void reap(struct running *r, uint64_t own_bytes)
{
	struct tp_command_run *run = r->run;
	struct rusage used = { 0 };
	int status = 0;
	tp_suspend_group(0);
	if (!r->command->inherits)
		kill(-r->begun.pid, SIGKILL);
	while (wait4(r->begun.pid, &status, 0, &used) < 0 && errno == EINTR)
		;
	run->end = tp_process_end_of(status);
	run->user_seconds = (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
	run->system_seconds = (double)used.ru_stime.tv_sec + 1e-6 * (double)used.ru_stime.tv_usec;
	uint64_t peak = 1024 * (uint64_t)used.ru_maxrss;
	run->max_rss_bytes = peak > own_bytes ? peak : 0;
	run->minor_faults = (uint64_t)used.ru_minflt;
	run->major_faults = (uint64_t)used.ru_majflt;
	run->waits = (uint64_t)used.ru_nvcsw;
	run->preemptions = (uint64_t)used.ru_nivcsw;
	run->blocks_read = (uint64_t)used.ru_inblock;
	run->blocks_written = (uint64_t)used.ru_oublock;
	hear_rest(r, 0);
	hear_rest(r, 1);
}

/* As in system(): the process that reads the terminal decides what Ctrl-C means. */
static void ignore_interrupts(struct sigaction before[2], bool back)
{
	static const int signals[] = { SIGINT, SIGQUIT };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	for (int i = 0; i < 2; i++) {
		if (back) {
			sigaction(signals[i], &before[i], NULL);
			continue;
		}
		sigaction(signals[i], NULL, &before[i]);
		if (before[i].sa_handler == SIG_DFL)
			sigaction(signals[i], &ignore, NULL);
	}
}

enum tp_status tp_command_run(const struct tp_command_line *command, struct tp_command_run *run,
			      struct tp_diag *diag)
{
	struct running r = { .command = command, .run = run };
	struct sigaction before[2];
	*run = (struct tp_command_run){ 0 };
	uint64_t own_bytes = tp_process_own_peak_bytes();
	/* Its reader may go. */
	struct sigaction of_pipes, ignore = { .sa_handler = SIG_IGN };
	sigaction(SIGPIPE, command->piped ? &ignore : NULL, &of_pipes);
	for (size_t i = 0; i < 2; i++)
		if (command->streams && command->piped & 1u << i && command->streams[i] >= 0) {
			r.passing[i] = tp_alloc(1, sizeof(*r.passing[i]));
			r.passing[i]->to = command->streams[i];
		}
	if (command->inherits)
		ignore_interrupts(before, false);
	enum tp_status status = command_begin(command, &r.begun, diag);
	if (status == TP_OK) {
		bool goes_on = watch(&r);
		if (!goes_on)
			status = tp_fail(diag, TP_CANCELLED, command->words[0], NULL, "cancelled");
		if (!goes_on || run->late)
			end_early(&r);
		reap(&r, own_bytes);
		if (r.begun.process >= 0)
			close(r.begun.process);
		for (int i = 0; i < 2; i++)
			if (r.begun.said[i] >= 0)
				close(r.begun.said[i]);
	}
	if (command->inherits)
		ignore_interrupts(before, true);
	sigaction(SIGPIPE, &of_pipes, NULL);
	for (size_t i = 0; i < 2; i++)
		free(r.passing[i]);
	return status;
}

void tp_command_run_release(struct tp_command_run *run)
{
	tp_str_release(&run->output);
	*run = (struct tp_command_run){ 0 };
}

const char *tp_command_last_line(const struct tp_command_run *run, char *out, size_t size)
{
	const char *text = run->n_last ? run->last : tp_str_text(&run->output);
	size_t len = run->n_last ? run->n_last : run->output.len;
	return tp_last_line(out, size, text, len);
}

/* The entry of a name of that length. */
static const char *entry_of(char *const *list, const char *name, size_t len)
{
	for (; list && *list; list++)
		if (strncmp(*list, name, len) == 0 && (*list)[len] == '=')
			return *list;
	return NULL;
}

const char *tp_environment_value(char *const *list, const char *name)
{
	size_t len = strlen(name);
	const char *entry = entry_of(list, name, len);
	return entry ? entry + len + 1 : NULL;
}

char **tp_environment_merge(char *const *const lists[], size_t n)
{
	size_t count = 0, most = 1;
	for (size_t i = 0; i < n; i++)
		for (char *const *at = lists[i]; at && *at; at++)
			most++;
	char **all = tp_alloc(most, sizeof(*all));
	for (size_t i = 0; i < n; i++)
		for (char *const *at = lists[i]; at && *at; at++) {
			size_t len = strcspn(*at, "=");
			bool replaced = false;
			for (size_t later = i + 1; later < n && !replaced; later++)
				replaced = entry_of(lists[later], *at, len);
			if (!replaced)
				all[count++] = *at;
		}
	return all;
}
