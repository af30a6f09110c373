/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the kernel tells in /proc and /sys as text, read into numbers: pure functions, which take
 * any text. What is missing in it stays 0; false: the text is none of that kind.
 */
#ifndef TPROF_PROFILE_PROC_H
#define TPROF_PROFILE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* /proc/PID/stat, proc_pid_stat(5). */
struct tp_proc_stat {
	char state; /* 'R', 'S', 'Z', ... */
	uint64_t minor_faults, major_faults;
	uint64_t user_ticks, system_ticks; /* of sysconf(_SC_CLK_TCK) a second */
	uint64_t threads, resident_pages;
};
bool tp_proc_stat_parse(const char *text, struct tp_proc_stat *stat);

/* /proc/PID/io: bytes of read() and write() and their like, from and to anything. */
struct tp_proc_bytes {
	uint64_t in, out;
};
bool tp_proc_io_parse(const char *text, struct tp_proc_bytes *bytes);

/* /proc/PID/task/TID/status: how often it left its CPU, because it waited or because it had to. */
struct tp_proc_switches {
	uint64_t waits, preemptions;
};
bool tp_proc_switches_parse(const char *text, struct tp_proc_switches *switches);

/* /proc/net/dev: bytes received and sent by all interfaces but the loopback. */
bool tp_proc_net_parse(const char *text, struct tp_proc_bytes *bytes);
/*
 * /proc/diskstats: bytes read from and written to all disks. Partitions, loop devices, RAM disks
 * and what is made of other disks (dm, md) do not count: their bytes are those of their disks.
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
/* The next executable mapping from *at on, which moves behind it; false: there is none. */
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

#endif
