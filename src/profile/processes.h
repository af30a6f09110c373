/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processes of a program: its first one and those that it starts, their children as well, up to
 * a bound. New ones are looked for every tenth of a second, so what a process does that lives
 * shorter is missed. Files stay open: to open one costs more than to read it. Private to
 * src/profile.
 */
#ifndef TPROF_PROFILE_PROCESSES_H
#define TPROF_PROFILE_PROCESSES_H

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "profile/proc.h"

enum { TP_FOLLOWED_MAX = 64, TP_FOLLOWED_THREADS_MAX = 128 };

struct tp_followed {
	pid_t pid;
	int stat, io; /* descriptors; -1 = none */
	clockid_t clock;
	bool has_clock;
	/* as last read */
	double cpu_seconds;
	struct tp_proc_stat now;
	struct tp_proc_bytes bytes;
};

struct tp_followed_thread {
	pid_t process, thread;
	int status, schedstat, children; /* descriptors; -1 = none */
	char ran[64]; /* schedstat, as last read: while it stays, so does status */
	struct tp_proc_switches now;
};

/* Sums over all processes; those of ended ones stay in them. */
struct tp_processes {
	struct tp_followed processes[TP_FOLLOWED_MAX];
	size_t n;
	struct tp_followed_thread threads[TP_FOLLOWED_THREADS_MAX];
	size_t n_threads;
	unsigned lost; /* the most processes and threads at a time for which there was no room */
	unsigned lost_now;
	bool may_read_io;
	bool skips_io, skips_switches; /* nobody wants these sums */
	/* Of this reading; of processes that have ended, which their parents are going to have. */
	struct tp_proc_bytes grown, credit;
	/* counters */
	double cpu_seconds, user_seconds, system_seconds;
	double minor_faults, major_faults, waits, preemptions, bytes_in, bytes_out;
	/* gauges */
	double resident_bytes, running_threads;
	double tick_seconds, page_bytes;
};

/* Release in any case. False: that process is not there, or nobody may look at it. */
bool tp_processes_init(struct tp_processes *tree, pid_t pid);
void tp_processes_release(struct tp_processes *tree);
/*
 * Brings the sums up to date; with `look` those of context switches as well, which take a file a
 * thread, and looks for new processes and threads.
 */
void tp_processes_read(struct tp_processes *tree, bool look);

#endif
