/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A child process that talks in lines over a socket: how it starts, is heard, is asked to stop, and
 * ends.
 */
#ifndef TPROF_BASE_PROCESS_H
#define TPROF_BASE_PROCESS_H

#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/lines.h"
#include "base/self.h"
#include "base/status.h"

struct tp_process {
	pid_t pid; /* -1 = none */
	int fd; /* our end of the socket, -1 = none */
	struct tp_lines lines; /* heard, not yet taken */
	double heard_at; /* tp_now_seconds() of the start, or of the last byte that came */
	double asked_at; /* 0 = not asked to stop */
	bool asked; /* and the question is sent */
};
#define TP_PROCESS_NONE ((struct tp_process){ .pid = -1, .fd = -1 })

/* Starts it (see tp_self_start). TP_RESOURCE: there is none, and nothing to end. */
enum tp_status tp_process_start(struct tp_process *process, const struct tp_self_child *child,
				struct tp_diag *diag);

/*
 * The next line, as of tp_lines_next. Waits at most `seconds` for it (0 = not at all). QUIET: no
 * whole line came in that time. GONE: the child closed its end, or memory ran out.
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
/*
 * Closes the socket, which ends a child that listens; kills one that still lives after
 * `patience_seconds`; reaps it. Releases everything, so that TP_PROCESS_NONE is left.
 */
struct tp_process_end tp_process_end(struct tp_process *process, double patience_seconds);
/*
 * The same without waiting for its end: it is killed, and the kernel takes as long as it wants to
 * free its memory. For a process that is about to end itself.
 */
void tp_process_leave(struct tp_process *process);
/* "died of signal 11 (Segmentation fault)", "ended (exit 1)", ... */
void tp_process_end_text(struct tp_process_end end, struct tp_str *out);

/*
 * Limits the calling process, a child that runs other people's code: so many seconds of CPU time,
 * so many bytes beyond those that it has inherited, no core file.
 */
void tp_process_limit(unsigned cpu_seconds, size_t bytes);

/*
 * What this process has in memory at most, from now on (or ever, where the kernel cannot say it):
 * the kernel hands that figure on to a child, where it stays if the child needs less.
 */
uint64_t tp_process_own_peak_bytes(void);

/*
 * Waits until a child has ended, sends SIGTERM and SIGKILL after so many seconds (INFINITY =
 * never), and returns its status as of waitpid(). -1 if it cannot be waited for, so that its end is
 * unknown.
 */
int tp_process_reap(pid_t pid, double term_after_seconds, double kill_after_seconds);

/*
 * A set of the CPUs with these OS numbers, for sched_setaffinity with *bytes; release with
 * CPU_FREE. NULL: there are none, or no memory.
 */
cpu_set_t *tp_process_cpus(const unsigned *cpus, unsigned n, size_t *bytes);

#endif
