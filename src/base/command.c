/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/command.h"
#include "base/now.h"
#include "base/text.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Without a descriptor of the process its end is looked for so often. */
enum { LOOK_MS = 1, ASK_MS = 50, READ_BYTES = 65536, DRAIN_BYTES_MAX = 1 << 22 };

/* --- starting --- */

/* Everything that the child needs between vfork and exec, where it may only call the kernel. */
struct start {
	const char *program;
	char *const *words, *const *environment;
	const cpu_set_t *cpus; /* NULL = as ours */
	size_t cpus_bytes;
	int null, said, failed; /* descriptors: standard input, output, and where errno goes */
	pid_t parent;
};

/*
 * It shares the memory of its parent, which waits. A session of its own: the terminal is out of its
 * reach, and its group can be killed.
 */
static void __attribute__((noreturn)) be_program(const struct start *s)
{
	static const int defaults[] = { SIGINT,	 SIGTERM, SIGHUP, SIGPIPE, SIGTSTP, SIGWINCH,
					SIGCHLD, SIGSEGV, SIGBUS, SIGILL,  SIGFPE,  SIGABRT };
	sigset_t none;
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The kernel does not notice a parent that ended before that line. */
	if (getppid() != s->parent)
		_exit(TP_SELF_NOT_STARTED);
	for (size_t i = 0; i < TP_COUNT_OF(defaults); i++)
		signal(defaults[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	bool ready = (!s->cpus || sched_setaffinity(0, s->cpus_bytes, s->cpus) == 0) &&
		     dup2(s->null, STDIN_FILENO) >= 0 && dup2(s->said, STDOUT_FILENO) >= 0 &&
		     dup2(s->said, STDERR_FILENO) >= 0;
	if (ready)
		execve(s->program, s->words, s->environment);
	int error = errno;
	if (write(s->failed, &error, sizeof(error)) < 0)
		_exit(TP_SELF_NOT_STARTED);
	_exit(TP_SELF_NOT_STARTED);
}

/* Of its own, so that the child changes nothing that the parent still needs. */
static pid_t __attribute__((noinline)) start_child(const struct start *s)
{
	pid_t pid = vfork();
	if (pid == 0)
		be_program(s);
	return pid;
}

/* --- a running program --- */

struct running {
	const struct tp_command_line *command;
	struct tp_command_run *run;
	pid_t pid;
	int process, output; /* descriptors; -1 = none */
	double started;
};

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

/* Reads what there is: of an endless output only so much at a time. */
static void hear(struct running *r)
{
	char bytes[READ_BYTES];
	for (size_t all = 0; r->output >= 0 && all < DRAIN_BYTES_MAX;) {
		ssize_t n = read(r->output, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			close(r->output);
			r->output = -1;
			return;
		}
		keep(r->run, bytes, (size_t)n);
		all += (size_t)n;
	}
}

static bool has_ended(const struct running *r)
{
	siginfo_t info = { 0 };
	return waitid(P_PID, (id_t)r->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == r->pid;
}

/* Until it has ended, takes too long, or is to be given up; false for the last. */
static bool watch(struct running *r)
{
	const struct tp_command_line *c = r->command;
	for (;;) {
		double now = tp_now_seconds();
		if (has_ended(r)) {
			r->run->wall_seconds = now - r->started;
			return true;
		}
		double left = c->limit_seconds - (now - r->started);
		r->run->late = left <= 0;
		if (r->run->late) {
			r->run->wall_seconds = now - r->started;
			return true;
		}
		if (c->go_on && !c->go_on(c->context))
			return false;
		struct pollfd p[] = { { .fd = r->process, .events = POLLIN },
				      { .fd = r->output, .events = POLLIN } };
		double wait_ms = fmin(r->process >= 0 ? ASK_MS : LOOK_MS, ceil(left * 1e3));
		poll(p, TP_COUNT_OF(p), (int)wait_ms);
		/* The end first: its moment counts. */
		if (!(p[0].revents & POLLIN) && p[1].revents)
			hear(r);
	}
}

/* The group goes while the zombie still holds its number. */
static void end_group(struct running *r, uint64_t own_bytes)
{
	struct tp_command_run *run = r->run;
	struct rusage used = { 0 };
	int status = 0;
	kill(-r->pid, SIGKILL);
	while (wait4(r->pid, &status, 0, &used) < 0 && errno == EINTR)
		;
	run->end = (struct tp_process_end){ .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
					    .code = WIFEXITED(status) ? WEXITSTATUS(status) : 0 };
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
	hear(r);
}

/* TP_OK once the program runs. `failed`: the end of the pipe to read. */
static enum tp_status begin(struct running *r, struct start *s, int failed, struct tp_diag *diag)
{
	sigset_t all, before;
	/* A handler of ours must not run in the child, which shares our memory. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r->started = tp_now_seconds();
	r->pid = start_child(s);
	int error = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close(s->failed);
	s->failed = -1;
	if (r->pid < 0)
		return tp_fail(diag, TP_RESOURCE, s->words[0],
			       "raise the limit on processes (ulimit -u)", "cannot be started: %s",
			       strerror(error));
	/* Its end is closed by exec. */
	ssize_t told;
	while ((told = read(failed, &error, sizeof(error))) < 0 && errno == EINTR)
		;
	if (told > 0) {
		waitpid(r->pid, NULL, 0);
		r->pid = -1;
		return tp_fail(diag, TP_RESOURCE, s->words[0],
			       error == ENOEXEC ? "write the interpreter before a script: sh FILE"
						: NULL,
			       "cannot be started: %s", strerror(error));
	}
#ifdef SYS_pidfd_open
	r->process = (int)syscall(SYS_pidfd_open, r->pid, 0);
#endif
	return TP_OK;
}

static void close_pair(int ends[2])
{
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
}

enum tp_status tp_command_run(const struct tp_command_line *command, struct tp_command_run *run,
			      struct tp_diag *diag)
{
	struct running r = { .command = command, .run = run, .pid = -1, .process = -1 };
	int said[2] = { -1, -1 }, failed[2] = { -1, -1 };
	char program[TP_PATH_MAX];
	const char *name = command->words[0];
	cpu_set_t *cpus = NULL;
	size_t cpus_bytes = 0;
	enum tp_status status = TP_OK;
	*run = (struct tp_command_run){ 0 };
	r.output = -1;
	if (!tp_program_find(name, program))
		return tp_fail(diag, TP_NOTFOUND, name,
			       "install it, or give its path; a path without / at the beginning "
			       "begins in the current folder",
			       strchr(name, '/') ? "there is no such program"
						 : "there is no such program in PATH");
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0 || pipe2(said, O_CLOEXEC) != 0 || pipe2(failed, O_CLOEXEC) != 0) {
		status = tp_fail(diag, TP_RESOURCE, name, NULL, "cannot be started: %s",
				 strerror(errno));
		goto out;
	}
	/* Our end only: a program would lose what it cannot write at once. */
	fcntl(said[0], F_SETFL, O_NONBLOCK);
	cpus = tp_process_cpus(command->cpus, command->n_cpus, &cpus_bytes);
	struct start start = {
		.program = program,
		.words = command->words,
		.environment = command->environment ? command->environment : environ,
		.cpus = cpus,
		.cpus_bytes = cpus_bytes,
		.null = null,
		.said = said[1],
		.failed = failed[1],
		.parent = getpid(),
	};
	uint64_t own_bytes = tp_process_own_peak_bytes();
	failed[1] = -1;
	status = begin(&r, &start, failed[0], diag);
	close(said[1]);
	said[1] = -1;
	if (status != TP_OK)
		goto out;
	r.output = said[0];
	said[0] = -1;
	if (!watch(&r))
		status = tp_fail(diag, TP_CANCELLED, name, NULL, "cancelled");
	end_group(&r, own_bytes);
	if (run->output.oom)
		status = tp_fail(diag, TP_NOMEM, name, NULL, "out of memory");
out:
	if (r.process >= 0)
		close(r.process);
	if (r.output >= 0)
		close(r.output);
	if (null >= 0)
		close(null);
	close_pair(said);
	close_pair(failed);
	CPU_FREE(cpus);
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
	tp_trim(&text, &len);
	size_t from = len;
	while (from > 0 && text[from - 1] != '\n' && text[from - 1] != '\r')
		from--;
	return tp_shown(out, size, text + from, len - from);
}
