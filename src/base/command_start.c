/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The start of a command: its streams, and what its process does until it is the program. */
#include "base/command_parts.h"
#include "base/now.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Of its own, so that the child changes nothing that the parent still needs. */
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

/* A copy that is none of 0, 1, 2, so that setting up one stream does not close another. */
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

/* The end to write goes to *out, the other one is kept. */
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

static bool open_outputs(struct start *s, int said[2])
{
	const int *given = s->command->streams;
	if (s->command->kept || s->command->heard)
		return make_said(&said[0], &s->streams[1]) && make_said(&said[1], &s->streams[2]);
	if (!given)
		return make_said(&said[0], &s->streams[1]) &&
		       (s->streams[2] = aside(s->streams[1])) >= 0;
	for (int i = 0; i < 2; i++) {
		int *stream = &s->streams[i + 1];
		if (given[i] >= 0)
			*stream = aside(given[i]);
		else
			move_aside(open("/dev/null", O_WRONLY | O_CLOEXEC), stream);
		if (*stream < 0)
			return false;
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
	begun->pid = start_child(s);
	int error = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close_one(&s->failed);
	if (begun->pid < 0)
		return say_not_started(s, error, diag);
	/* Its end is closed by exec. */
	ssize_t told;
	while ((told = read(failed, &error, sizeof(error))) < 0 && errno == EINTR)
		;
	if (told > 0) {
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

enum tp_status tp_command_begin(const struct tp_command_line *command,
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
	if (command->n_cpus && !s.cpus)
		status = tp_fail(diag, TP_NOMEM, command->words[0], NULL, "out of memory");
	if (status == TP_OK && !command->inherits)
		status = open_input(&s, diag);
	/* The pipe for errno, too, must not lie where a stream goes. */
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
