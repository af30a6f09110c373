/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parsers of the kernel's texts in /proc and /sys: pure functions, which take any text. Missing
 * values stay 0; false: not a text of that kind.
 */
/*
 * The processes of a program: its first one and those that it starts, their children as well, up to
 * a bound. New ones are looked for every tenth of a second, so processes that live shorter may be
 * missed. Files stay open: to open one costs more than to read it. Private to src/profile.
 */
#ifndef TPROF_PROFILE_PROCESSES_H
#define TPROF_PROFILE_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* /proc/PID/stat, proc_pid_stat(5). */
struct tp_proc_stat {
	char state; /* 'R', 'S', 'Z', ... */
	uint64_t minor_faults, major_faults;
	uint64_t user_ticks, system_ticks; /* of sysconf(_SC_CLK_TCK) a second */
	uint64_t threads, resident_pages;
};

bool tp_proc_stat_parse(const char *text, struct tp_proc_stat *stat);

/* /proc/PID/io: bytes of read(), write() and similar calls, from and to anything. */
struct tp_proc_bytes {
	uint64_t in, out;
};

bool tp_proc_io_parse(const char *text, struct tp_proc_bytes *bytes);

/* /proc/PID/task/TID/status: how often it left its CPU, because it waited or because it had to. */
struct tp_proc_switches {
	uint64_t waits, preemptions;
};

bool tp_proc_switches_parse(const char *text, struct tp_proc_switches *switches);

/* /proc/net/dev: bytes received and sent by all interfaces except the loopback. */
bool tp_proc_net_parse(const char *text, struct tp_proc_bytes *bytes);

/*
 * /proc/diskstats: bytes read from and written to all disks. Partitions, loop devices, RAM disks
 * and disks made of other disks (dm, md) do not count: their bytes count for the underlying disks.
 */
bool tp_proc_disks_parse(const char *text, struct tp_proc_bytes *bytes);

/* /proc/PID/task/TID/children: numbers with blanks between them, at most `max`. */
size_t tp_proc_numbers_parse(const char *text, unsigned *numbers, size_t max);

/* A mapping of code from /proc/PID/maps. */
struct tp_proc_mapping {
	uint64_t start, end, offset; /* addresses; place of `start` in the file */
	const char *path; /* into the text, not ended there */
	size_t path_len; /* 0 = no file */
};

/* The next executable mapping from *at on, which moves past it; false: none. */
bool tp_proc_mapping_next(const char **at, struct tp_proc_mapping *mapping);

/*
 * An event of a PMU as sysfs has it: "event=0x04,umask=0x03", with the fields of the PMU's folder
 * `format`: "config:0-7,32". A field takes the lowest bits of its value first.
 */
struct tp_sysfs_event {
	uint64_t config[3]; /* config, config1, config2 */
};

/* Puts a value into the bits of a format; false if the format is damaged or the value too large. */
bool tp_pmu_format_put(const char *format, uint64_t value, struct tp_sysfs_event *event);

/* The next "name=value" or "name" (value 1) from *at on. */
bool tp_pmu_term_next(const char **at, char name[32], uint64_t *value);

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

/* Sums over all processes, including ended ones. */
struct tp_processes {
	struct tp_followed processes[TP_FOLLOWED_MAX];
	size_t n;
	struct tp_followed_thread threads[TP_FOLLOWED_THREADS_MAX];
	size_t n_threads;
	unsigned lost; /* the most processes and threads at a time for which there was no room */
	unsigned lost_now;
	bool may_read_io;
	bool skips_io, skips_switches; /* these sums are not needed */
	/* Of this reading; of processes that have ended, which their parents are going to have. */
	struct tp_proc_bytes grown, credit;
	/* counters */
	double cpu_seconds, user_seconds, system_seconds;
	/*
	 * A process that is found late brings all that it has used. No more goes into cpu_seconds
	 * than the CPUs can have worked since the last reading, and the rest later.
	 */
	double found_cpu_seconds, read_at;
	double minor_faults, major_faults, waits, preemptions, bytes_in, bytes_out;
	/* gauges */
	double resident_bytes, running_threads;
	double tick_seconds, page_bytes;
	long cpus;
};

/* Release in any case. False: the process does not exist, or may not be read. */
bool tp_processes_init(struct tp_processes *tree, pid_t pid);
void tp_processes_release(struct tp_processes *tree);

/*
 * Brings the sums up to date; with `look` those of context switches as well, which take a file a
 * thread, and looks for new processes and threads.
 */
void tp_processes_read(struct tp_processes *tree, bool look);

#endif
