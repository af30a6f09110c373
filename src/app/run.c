/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/run.h"
#include "base/command.h"
#include "base/now.h"
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
enum { LOOK_MS = 1, ASK_MS = 50, FIRST_FREE_FD = 3 };
/* Between SIGTERM and SIGKILL. */
static const double PATIENCE_SECONDS = 1;

/* --- starting --- */

/* Everything that the child needs between vfork and exec, where it may only call the kernel. */
struct start {
	const char *program, *folder;
	char *const *words, *const *environment;
	const cpu_set_t *cpus; /* NULL = as ours */
	size_t cpus_bytes;
	int streams[3]; /* -1 = as ours */
	int failed; /* where errno goes */
	bool own_session;
	uint32_t *number;
	volatile uint32_t *watched;
	pid_t parent;
};

/* It shares the memory of its parent, which waits. */
static void __attribute__((noreturn)) be_program(const struct start *s)
{
	static const int defaults[] = { SIGINT,	 SIGQUIT,  SIGTERM, SIGHUP,  SIGPIPE, SIGTSTP,
					SIGTTIN, SIGWINCH, SIGCHLD, SIGSEGV, SIGBUS,  SIGILL,
					SIGFPE,	 SIGABRT,  SIGUSR1, SIGUSR2, SIGALRM, SIGPROF };
	sigset_t none;
	if (s->own_session)
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
	if (ready && s->folder)
		ready = chdir(s->folder) == 0;
	if (s->number)
		*s->number = (uint32_t)getpid();
	if (s->watched)
		*s->watched = (uint32_t)getpid();
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

/* --- the environment --- */

static bool is_variable(const char *entry, const char *name, size_t len)
{
	return strncmp(entry, name, len) == 0 && entry[len] == '=';
}

/* The entry of that name in a list up to NULL (itself may be NULL). */
static const char *entry_of(char *const *list, const char *name, size_t len)
{
	for (; list && *list; list++)
		if (is_variable(*list, name, len))
			return *list;
	return NULL;
}

const char *tp_app_variable(const struct tp_app_command *command, const char *name)
{
	size_t len = strlen(name);
	const char *entry = entry_of(command->variables, name, len);
	if (!entry)
		entry = entry_of(environ, name, len);
	return entry ? entry + len + 1 : NULL;
}

/* On the heap, with texts of others; NULL = no memory. The last list wins. */
static char **environment_of(char *const *const lists[], size_t n_lists)
{
	size_t n = 0, most = 1;
	for (size_t i = 0; i < n_lists; i++)
		for (char *const *at = lists[i]; at && *at; at++)
			most++;
	char **all = malloc(most * sizeof(*all));
	for (size_t i = 0; all && i < n_lists; i++)
		for (char *const *at = lists[i]; at && *at; at++) {
			size_t len = strcspn(*at, "=");
			bool replaced = false;
			for (size_t later = i + 1; later < n_lists && !replaced; later++)
				replaced = entry_of(lists[later], *at, len);
			if (!replaced)
				all[n++] = *at;
		}
	if (all)
		all[n] = NULL;
	return all;
}

/* --- the streams --- */

/* A copy that is none of 0, 1, 2, so that setting up one stream does not close another. */
static int aside(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
}

static enum tp_status open_streams(const struct tp_app_command *c, int streams[3],
				   struct tp_diag *diag)
{
	const int given[] = { c->output, c->errors };
	int fd = -1;
	if (c->input && strcmp(c->input, "/dev/null") != 0) {
		enum tp_status status = tp_file_open(AT_FDCWD, c->input, O_RDONLY, &fd, diag);
		if (status != TP_OK)
			return status;
	} else if (c->input) {
		fd = open(c->input, O_RDONLY | O_CLOEXEC);
	}
	if (c->input) {
		streams[0] = aside(fd);
		close(fd);
		if (streams[0] < 0)
			goto failed;
	}
	for (int i = 0; i < 2; i++) {
		fd = given[i] >= 0 ? given[i] : open("/dev/null", O_WRONLY | O_CLOEXEC);
		streams[i + 1] = aside(fd);
		if (given[i] < 0)
			close(fd);
		if (streams[i + 1] < 0)
			goto failed;
	}
	return TP_OK;
failed:
	return tp_fail(diag, TP_RESOURCE, c->words[0], "raise the limit on open files (ulimit -n)",
		       "its streams cannot be set up: %s", strerror(errno));
}

/* --- a running program --- */

struct running {
	const struct tp_app_command *command;
	struct tp_app_ran *ran;
	pid_t pid;
	int process; /* a descriptor of it; -1 = none */
	bool own_session;
	double started;
};

static bool has_ended(const struct running *r)
{
	siginfo_t info = { 0 };
	return waitid(P_PID, (id_t)r->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == r->pid;
}

static void look(const struct running *r, double left_seconds)
{
	struct pollfd p = { .fd = r->process, .events = POLLIN };
	double most_ms = r->process >= 0 ? ASK_MS : LOOK_MS;
	poll(&p, 1, (int)fmax(0, fmin(most_ms, ceil(left_seconds * 1e3))));
}

/* Until it has ended, takes too long, or is to be given up; false for the last. */
static bool watch(struct running *r)
{
	const struct tp_app_command *c = r->command;
	for (;;) {
		double lasted = tp_now_seconds() - r->started;
		r->ran->wall_seconds = lasted;
		if (has_ended(r))
			return true;
		r->ran->late = lasted >= c->limit_seconds;
		if (r->ran->late)
			return true;
		if (c->go_on && !c->go_on(c->context))
			return false;
		look(r, c->limit_seconds - lasted);
	}
}

static void send_end(const struct running *r, int signal)
{
	kill(r->own_session ? -r->pid : r->pid, signal);
}

/* It may save what it has. A stopped process hears SIGTERM only when it goes on. */
static void end_early(struct running *r)
{
	double since = tp_now_seconds(), left;
	send_end(r, SIGTERM);
	send_end(r, SIGCONT);
	while (!has_ended(r) && (left = since + PATIENCE_SECONDS - tp_now_seconds()) > 0)
		look(r, left);
	send_end(r, SIGKILL);
}

/* Its group goes while the zombie still holds its number. */
static void reap(struct running *r, uint64_t own_bytes)
{
	struct tp_app_ran *ran = r->ran;
	struct rusage used = { 0 };
	int status = 0;
	if (r->own_session)
		kill(-r->pid, SIGKILL);
	while (wait4(r->pid, &status, 0, &used) < 0 && errno == EINTR)
		;
	ran->end = (struct tp_process_end){ .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
					    .code = WIFEXITED(status) ? WEXITSTATUS(status) : 0 };
	ran->user_seconds = (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
	ran->system_seconds = (double)used.ru_stime.tv_sec + 1e-6 * (double)used.ru_stime.tv_usec;
	uint64_t peak = 1024 * (uint64_t)used.ru_maxrss;
	ran->max_rss_bytes = peak > own_bytes ? peak : 0;
}

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
	return tp_fail(diag, error == EACCES || error == EPERM ? TP_PERM : TP_RESOURCE, s->words[0],
		       hint, "cannot be started: %s", strerror(error));
}

static enum tp_status say_no_descriptor(const struct start *s, struct tp_diag *diag)
{
	return tp_fail(diag, TP_RESOURCE, s->words[0], "raise the limit on open files (ulimit -n)",
		       "cannot be started: %s", strerror(errno));
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
		return say_not_started(s, error, diag);
	}
#ifdef SYS_pidfd_open
	r->process = (int)syscall(SYS_pidfd_open, r->pid, 0);
#endif
	return TP_OK;
}

/* As system() does: whoever reads the terminal decides what Ctrl-C means. */
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

enum tp_status tp_app_execute(const struct tp_app_command *command,
			      const struct tp_app_added *added, struct tp_app_ran *ran,
			      struct tp_diag *diag)
{
	struct running r = {
		.command = command, .ran = ran, .process = -1, .own_session = command->input != NULL
	};
	char *const *const lists[] = { environ, command->variables,
				       added ? added->variables : NULL };
	char program[TP_PATH_MAX];
	int failed[2] = { -1, -1 };
	size_t cpus_bytes = 0;
	struct sigaction before[2];
	struct start s = { .program = program,
			   .folder = command->folder,
			   .words = command->words,
			   .streams = { -1, -1, -1 },
			   .failed = -1,
			   .own_session = r.own_session,
			   .number = added ? added->pid : NULL,
			   .watched = command->pid,
			   .parent = getpid() };
	*ran = (struct tp_app_ran){ 0 };
	enum tp_status status = tp_app_program(command->words[0], program, diag);
	if (status != TP_OK)
		return status;
	cpu_set_t *cpus = tp_process_cpus(command->cpus, command->n_cpus, &cpus_bytes);
	char **environment = environment_of(lists, TP_COUNT_OF(lists));
	s.cpus = cpus;
	s.cpus_bytes = cpus_bytes;
	s.environment = environment;
	if (!environment || (command->n_cpus && !cpus)) {
		status = tp_fail(diag, TP_NOMEM, s.words[0], NULL, "out of memory");
		goto out;
	}
	status = open_streams(command, s.streams, diag);
	if (status != TP_OK)
		goto out;
	if (pipe2(failed, O_CLOEXEC) != 0) {
		status = say_no_descriptor(&s, diag);
		goto out;
	}
	/* The pipe, too, must not lie where a stream goes. */
	s.failed = aside(failed[1]);
	close(failed[1]);
	if (s.failed < 0) {
		status = say_no_descriptor(&s, diag);
		goto out;
	}
	uint64_t own_bytes = tp_process_own_peak_bytes();
	ignore_interrupts(before, false);
	status = begin(&r, &s, failed[0], diag);
	if (status == TP_OK) {
		bool goes_on = watch(&r);
		if (!goes_on)
			status = tp_fail(diag, TP_CANCELLED, s.words[0], NULL, "cancelled");
		if (!goes_on || ran->late)
			end_early(&r);
		reap(&r, own_bytes);
	}
	ignore_interrupts(before, true);
out:
	for (int i = 0; i < 3; i++)
		if (s.streams[i] >= 0)
			close(s.streams[i]);
	if (failed[0] >= 0)
		close(failed[0]);
	if (r.process >= 0)
		close(r.process);
	free(environment);
	CPU_FREE(cpus);
	return status;
}

void tp_app_note_late(const struct tp_app_command *command, const struct tp_app_ran *ran,
		      struct tp_diags *notes)
{
	struct tp_diag diag;
	if (!ran->late)
		return;
	tp_fail(&diag, TP_OK, command->words[0], "give it more time, or less to do",
		"was ended after %.3g seconds, its limit", command->limit_seconds);
	tp_diags_add(notes, &diag);
}
