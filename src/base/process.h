/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A child process that communicates by lines over a socket: starting, reading, stopping, ending. */
#ifndef TPROF_BASE_PROCESS_H
#define TPROF_BASE_PROCESS_H

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/file.h"
#include "base/status.h"

/* This program starts itself again with other arguments, or forks. */

/*
 * Becomes this program with `arguments` (the first is a name, the last NULL). Returns only if
 * that failed, with errno. It is safe between fork and exec: it allocates nothing and takes no
 * lock.
 *
 * A program of another architecture runs under a user-mode emulator. A program that the emulated
 * one starts runs on the machine itself, which cannot execute it. So the tests of cross builds give
 * the emulator's command in $TPROF_EMULATOR: words separated by spaces (at most 15, 4 KiB in all)
 * that are put before the command.
 */
void tp_become_self(char *const *arguments);

/* Any process, by /proc/PID/stat. */
struct tp_process_look {
	char name[32];
	char state; /* 'R', 'S', 'Z', 'X', ... */
	pid_t pid, parent;
	unsigned cpu; /* where it was last */
	double cpu_seconds; /* in ticks of the kernel */
	uint64_t start_ticks; /* since boot; never 0 */
};
/* False with errno; ENOENT: there is no such process. */
bool tp_process_look(pid_t pid, struct tp_process_look *look);
/* The same for a text from such a file; false: it had changed. */
bool tp_process_parse(const char *text, struct tp_process_look *look);

/* A child of this program. */
struct tp_self_child {
	const char *where, *name; /* in a diagnosis: "engine", "the engine" */
	/* As for tp_become_self; NULL for a child that only runs `prepare`. */
	char *const *arguments;
	/*
	 * Runs in the child. Where the child then becomes the program, this does only what is safe
	 * between fork and exec: it gives its end of the socket (closed on exec) a fixed number,
	 * and prepares what the program expects. A result other than 0 ends the child with that
	 * code; without `arguments` 0 does, too.
	 */
	int (*prepare)(int socket, const void *context);
	const void *context;
};

/* The exit code of a child that could not become the program. */
enum { TP_SELF_NOT_STARTED = 127 };

/*
 * Starts it with a socket pair between us; `fd` is our end (closed on exec). The child has its own
 * process group, so Ctrl-C does not reach it. It has no signal blocked and the usual ones at their
 * default. It is killed when this process ends. TP_RESOURCE: no child; *pid and *fd are -1. Use
 * tp_process_start, which also keeps the child's messages.
 */
enum tp_status tp_self_start(const struct tp_self_child *child, pid_t *pid, int *fd,
			     struct tp_diag *diag);

struct tp_process {
	pid_t pid; /* -1 = none */
	int fd; /* our end of the socket, -1 = none */
	struct tp_lines lines; /* heard, not yet taken */
	double heard_at; /* tp_now_seconds() of the start, or of the last byte that came */
	double asked_at; /* 0 = not asked to stop */
	bool asked; /* and the question is sent */
};

#define TP_PROCESS_NONE ((struct tp_process){ .pid = -1, .fd = -1 })

/* Starts it (see tp_self_start). TP_RESOURCE: it did not start, and need not be ended. */
enum tp_status tp_process_start(struct tp_process *process, const struct tp_self_child *child,
				struct tp_diag *diag);

/*
 * The next line, as of tp_lines_next. Waits at most `seconds` for it (0 = not at all). QUIET: no
 * whole line came in that time. GONE: the child closed its end.
 */
enum tp_process_news { TP_PROCESS_LINE, TP_PROCESS_QUIET, TP_PROCESS_GONE };

enum tp_process_news tp_process_line(struct tp_process *process, double seconds, char **line,
				     size_t *len);

/*
 * Asks the child to stop by sending `line`, once. It never waits: while the child does not listen,
 * the next call tries again. Returns the seconds since the first call, so the caller decides when
 * to become rude.
 */
double tp_process_ask(struct tp_process *process, const char *line);

/* How a child ended: by a signal, or with an exit code when `signal` is 0. */
struct tp_process_end {
	int signal, code;
};
struct tp_process_end tp_process_end_of(int status); /* as of waitpid() */

/*
 * Closes the socket, which ends a child that listens; kills one that still lives after
 * `patience_seconds`; reaps it. Releases everything, so that TP_PROCESS_NONE is left.
 */
struct tp_process_end tp_process_end(struct tp_process *process, double patience_seconds);

/*
 * The same without waiting for its end: it is killed, and the kernel may free its memory later. For
 * a process that is itself about to end.
 */
void tp_process_leave(struct tp_process *process);

/* "died of signal 11 (Segmentation fault)", "ended (exit 1)", ... */
void tp_process_end_text(struct tp_process_end end, struct tp_str *out);

/*
 * Limits the calling process, a child that runs foreign code: seconds of CPU time, bytes beyond
 * those that it has inherited, no core file.
 */
void tp_process_limit(unsigned cpu_seconds, size_t bytes);

/*
 * Peak memory of this process, from now on (or ever, if the kernel cannot reset it): a child
 * inherits that figure and keeps it if it needs less.
 */
uint64_t tp_process_own_peak_bytes(void);

/*
 * Waits until a child has ended, sends SIGTERM and SIGKILL after these seconds (INFINITY =
 * never), and returns its status as of waitpid(). -1 if it cannot be waited for, so that its end is
 * unknown.
 */
int tp_process_reap(pid_t pid, double term_after_seconds, double kill_after_seconds);

/*
 * A set of the CPUs with these OS numbers, for sched_setaffinity with *bytes; release with
 * CPU_FREE. NULL: no such CPUs.
 */
cpu_set_t *tp_process_cpus(const unsigned *cpus, unsigned n, size_t *bytes);
/* Restricts a thread (0: the calling one) to them; false with errno. */
bool tp_process_bind(pid_t thread, const unsigned *cpus, unsigned n);

/*
 * A process that measures is asked to end by SIGTERM. Nothing of an unfinished point is worth
 * waiting for, so every loop that can run long checks the flag and stops. Inside a window it is not
 * checked.
 */

/* Not 0 once the process was asked to end. The signal sets it only after tp_stop_listen. */
extern volatile sig_atomic_t tp_stop_asked;

void tp_stop_listen(void);

#endif
