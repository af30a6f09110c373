/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/now.h"
#include "base/memory.h"

enum { EMULATOR_BYTES = 4096, EMULATOR_WORDS = 15, ARGUMENTS = 64 };

/*
 * The path of our own file. An emulator that executes /proc/self/exe would execute itself, so it
 * needs the path; reading the link gives this program's.
 */
static void become_emulated(const char *emulator, char *const *arguments)
{
	char words[EMULATOR_BYTES], self[TP_PATH_MAX], *all[EMULATOR_WORDS + 1 + ARGUMENTS + 1];
	size_t n = 0;
	if (strlen(emulator) >= sizeof(words)) {
		errno = E2BIG;
		return;
	}
	strcpy(words, emulator);
	char *rest = words;
	for (char *word; (word = strsep(&rest, " "));) {
		if (!*word)
			continue;
		if (n == EMULATOR_WORDS) {
			errno = E2BIG;
			return;
		}
		all[n++] = word;
	}
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len < 0)
		return;
	self[len] = '\0';
	all[n++] = self;
	for (size_t i = 1; arguments[0] && arguments[i]; i++) {
		if (i > ARGUMENTS) {
			errno = E2BIG;
			return;
		}
		all[n++] = arguments[i];
	}
	all[n] = NULL;
	execvp(all[0], all);
}

void tp_become_self(char *const *arguments)
{
	const char *emulator = getenv("TPROF_EMULATOR");
	if (emulator && *emulator)
		become_emulated(emulator, arguments);
	else
		execv("/proc/self/exe", arguments);
}

static void __attribute__((noreturn))
be_child(const struct tp_self_child *child, int socket, pid_t parent)
{
	static const int defaults[] = { SIGINT,	 SIGTERM, SIGHUP, SIGPIPE, SIGTSTP, SIGWINCH,
					SIGSEGV, SIGBUS,  SIGILL, SIGFPE,  SIGABRT };
	sigset_t none;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The kernel does not notice a parent that ended before that line. */
	if (getppid() != parent)
		_exit(TP_EXIT_FAILED);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (size_t i = 0; i < TP_COUNT_OF(defaults); i++)
		signal(defaults[i], SIG_DFL);
	int code = child->prepare(socket, child->context);
	if (code || !child->arguments)
		_exit(code);
	tp_become_self(child->arguments);
	_exit(TP_SELF_NOT_STARTED);
}

enum tp_status tp_self_start(const struct tp_self_child *child, pid_t *pid, int *fd,
			     struct tp_diag *diag)
{
	int pair[2];
	*pid = *fd = -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return tp_fail(diag, TP_RESOURCE, child->where, NULL,
			       "cannot make a socket pair: %s", strerror(errno));
	pid_t parent = getpid();
	*pid = fork();
	int error = errno;
	if (*pid == 0)
		be_child(child, pair[1], parent);
	close(pair[1]);
	if (*pid < 0) {
		close(pair[0]);
		return tp_fail(diag, TP_RESOURCE, child->where,
			       "raise the limit on processes (ulimit -u)", "cannot start %s: %s",
			       child->name, strerror(error));
	}
	*fd = pair[0];
	return TP_OK;
}

enum tp_status tp_process_start(struct tp_process *process, const struct tp_self_child *child,
				struct tp_diag *diag)
{
	*process = TP_PROCESS_NONE;
	process->heard_at = tp_now_seconds();
	return tp_self_start(child, &process->pid, &process->fd, diag);
}

enum tp_process_news tp_process_line(struct tp_process *process, double seconds, char **line,
				     size_t *len)
{
	*line = NULL;
	if (process->fd < 0)
		return TP_PROCESS_GONE;
	double until = seconds > 0 ? tp_now_seconds() + seconds : 0;
	while (!(*line = tp_lines_next(&process->lines, len))) {
		double left = until > 0 ? until - tp_now_seconds() : 0;
		struct pollfd p = { .fd = process->fd, .events = POLLIN };
		int ready = poll(&p, 1, left > 0 ? (int)(left * 1000) + 1 : 0);
		if (ready < 0 && errno == EINTR && left > 0)
			continue;
		if (ready <= 0)
			return TP_PROCESS_QUIET;
		if (tp_lines_read(&process->lines, process->fd) <= 0)
			return TP_PROCESS_GONE;
		process->heard_at = tp_now_seconds();
	}
	return TP_PROCESS_LINE;
}

double tp_process_ask(struct tp_process *process, const char *line)
{
	double now = tp_now_seconds();
	if (process->asked_at <= 0)
		process->asked_at = now;
	/* A child that does not listen may itself wait until this process reads. */
	if (!process->asked)
		process->asked = send(process->fd, line, strlen(line),
				      MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)strlen(line);
	return now - process->asked_at;
}

int tp_process_reap(pid_t pid, double term_after_seconds, double kill_after_seconds)
{
	double since = tp_now_seconds();
	int status = -1;
	for (;;) {
		pid_t got = waitpid(pid, &status, WNOHANG);
		if (got == pid || (got < 0 && errno != EINTR))
			return status;
		double waited = tp_now_seconds() - since;
		if (waited >= kill_after_seconds)
			kill(pid, SIGKILL);
		else if (waited >= term_after_seconds)
			kill(pid, SIGTERM);
		poll(NULL, 0, 1);
	}
}

struct tp_process_end tp_process_end(struct tp_process *process, double patience_seconds)
{
	int status = 0;
	if (process->fd >= 0)
		close(process->fd);
	if (process->pid > 0)
		status = tp_process_reap(process->pid, INFINITY, patience_seconds);
	tp_lines_release(&process->lines);
	*process = TP_PROCESS_NONE;
	return tp_process_end_of(status);
}

struct tp_process_end tp_process_end_of(int status)
{
	return (struct tp_process_end){ .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
					.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0 };
}

void tp_process_leave(struct tp_process *process)
{
	if (process->fd >= 0)
		close(process->fd);
	if (process->pid > 0) {
		kill(process->pid, SIGKILL);
		waitpid(process->pid, NULL, WNOHANG);
	}
	tp_lines_release(&process->lines);
	*process = TP_PROCESS_NONE;
}

void tp_process_end_text(struct tp_process_end end, struct tp_str *out)
{
	if (end.signal == SIGKILL)
		tp_str_add(out, "was killed (signal 9; by a user, or because memory ran out)");
	else if (end.signal)
		tp_str_printf(out, "died of signal %d (%s)", end.signal, strsignal(end.signal));
	else if (end.code == TP_SELF_NOT_STARTED)
		tp_str_add(out, "could not be started from /proc/self/exe");
	else
		tp_str_printf(out, "ended (exit %d)", end.code);
}

void tp_process_limit(unsigned cpu_seconds, size_t bytes)
{
	const struct rlimit none = { 0, 0 }, seconds = { cpu_seconds, cpu_seconds + 1 };
	unsigned long pages = 0;
	FILE *own = fopen("/proc/self/statm", "re");
	/* Memory inherited by the child counts, too. */
	if (own && fscanf(own, "%lu", &pages) == 1) {
		rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + bytes;
		setrlimit(RLIMIT_AS, &(struct rlimit){ most, most });
	}
	if (own)
		fclose(own);
	setrlimit(RLIMIT_CORE, &none);
	/* The first ends it with SIGXCPU, the second would with SIGKILL. */
	setrlimit(RLIMIT_CPU, &seconds);
}

uint64_t tp_process_own_peak_bytes(void)
{
	char text[4096], *at;
	unsigned long long kib = 0;
	int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (write(fd, "5", 1) < 0) /* a kernel without this value: nothing to do */
			errno = 0;
		close(fd);
	}
	fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	if ((at = strstr(text, "VmHWM:")))
		kib = strtoull(at + 6, NULL, 10);
	return kib * 1024;
}

cpu_set_t *tp_process_cpus(const unsigned *cpus, unsigned n, size_t *bytes)
{
	unsigned most = 0;
	for (unsigned i = 0; i < n; i++)
		most = TP_MAX(most, cpus[i]);
	if (!n)
		return NULL;
	cpu_set_t *set = CPU_ALLOC(most + 1);
	if (!set)
		tp_out_of_memory();
	*bytes = CPU_ALLOC_SIZE(most + 1);
	CPU_ZERO_S(*bytes, set);
	for (unsigned i = 0; i < n; i++)
		CPU_SET_S(cpus[i], *bytes, set);
	return set;
}

bool tp_process_bind(pid_t thread, const unsigned *cpus, unsigned n)
{
	size_t bytes;
	cpu_set_t *set = tp_process_cpus(cpus, n, &bytes);
	bool bound = set && sched_setaffinity(thread, bytes, set) == 0;
	int error = errno;
	CPU_FREE(set);
	errno = error;
	return bound;
}

volatile sig_atomic_t tp_stop_asked;

static void on_stop(int number __attribute__((unused)))
{
	tp_stop_asked = 1;
}

void tp_stop_listen(void)
{
	struct sigaction action = { .sa_handler = on_stop }; /* waits end at once */
	sigemptyset(&action.sa_mask);
	sigaction(SIGTERM, &action, NULL);
}

bool tp_process_parse(const char *text, struct tp_process_look *look)
{
	/* The name may hold anything. */
	const char *name = strchr(text, '('), *at = strrchr(text, ')');
	unsigned long long user, system;
	int parent;
	*look = (struct tp_process_look){ .pid = (pid_t)strtol(text, NULL, 10) };
	/* 3 state, 4 parent, 14 utime, 15 stime, 22 starttime, 39 processor (proc(5)) */
	if (!name || !at || at < name ||
	    sscanf(at + 1,
		   " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu %*s %*s %*s %*s %*s %*s "
		   "%" SCNu64 " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %u",
		   &look->state, &parent, &user, &system, &look->start_ticks, &look->cpu) != 6)
		return false;
	snprintf(look->name, sizeof(look->name), "%.*s", (int)(at - name - 1), name + 1);
	look->parent = (pid_t)parent;
	look->cpu_seconds = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
	return true;
}

bool tp_process_look(pid_t pid, struct tp_process_look *look)
{
	char path[40], text[1024];
	*look = (struct tp_process_look){ 0 };
	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	size_t n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	errno = EINVAL;
	return tp_process_parse(text, look);
}
