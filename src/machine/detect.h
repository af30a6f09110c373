/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to the machine room: the parts that tp_machine_init puts together. */
#ifndef TPROF_MACHINE_DETECT_H
#define TPROF_MACHINE_DETECT_H

#include "machine/machine.h"

/*
 * Reads the topology through hwloc (see tp_machine_init for `topology`). Fills in pus, nodes, the
 * counts, the reported caches, foreign and source; for a foreign machine also its memory and its
 * description of the CPU, which hwloc reads in a child process.
 */
enum tp_status tp_topology_load(struct tp_machine *machine, const char *topology,
				struct tp_diag *diag);

enum { TP_PUS_MAX = 65536 }; /* more hardware threads: TP_USAGE */

/*
 * Reads kernel settings and limits of this host. `root` is put before every path ("" for the real
 * ones), so that tests can show other hosts. It never fails: what cannot be read stays unknown.
 */
void tp_environ_read(struct tp_machine *machine, const char *root);
/*
 * MemTotal, MemAvailable, memory of each node, and the cgroup limits (v1, v2, every ancestor) on
 * this process.
 */
void tp_memory_read(struct tp_machine *machine, const char *root);

/*
 * Calls `visit` with the directory of this process's cgroup under `controller` ("memory", "cpu")
 * and with each ancestor that is visible. `unified`: version 2 of the interface. The directories
 * are relative to root.
 */
typedef void tp_cgroup_visit(void *context, bool unified, const char *directory);
void tp_cgroup_walk(const char *root, const char *controller, tp_cgroup_visit *visit,
		    void *context);
/* Reads a number from a cgroup's file; false for "max", nonsense or a missing file. */
bool tp_cgroup_number(const char *root, const char *directory, const char *file, uint64_t *value);

/*
 * The times of each CPU in /proc/stat, in ticks: user nice system idle iowait irq softirq steal.
 */
enum { TP_CPU_TIMES = 8, TP_CPU_IDLE = 3, TP_CPU_IOWAIT = 4, TP_CPU_STEAL = 7 };
typedef void tp_cpu_visit(void *context, unsigned cpu, const uint64_t ticks[TP_CPU_TIMES]);
void tp_cpu_walk(const char *root, tp_cpu_visit *visit, void *context);

/* A path under root (NULL: the real one); false if it is too long. */
bool tp_environ_path(char out[TP_PATH_MAX], const char *root, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Reads a small file under root (at most size - 1 bytes, without the last line feed); false if it
 * cannot be read, and "".
 */
bool tp_environ_text(const char *root, char *out, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* In place: of a choice like "always [madvise] never" the word in brackets. */
void tp_environ_choice(char *text);
unsigned tp_machine_first_cpu(const struct tp_machine *machine); /* that may be used */
/* Of the first CPU, and "VERSION of DATE"; "" if the kernel does not report it. */
void tp_environ_microcode(const char *root, char *out, size_t size);
void tp_environ_firmware(const char *root, char *out, size_t size);

/*
 * Sets model and model_found of the machine, whose CPU and reported caches are known. `choice`:
 * "detected", a name or a path; model.name stays empty when "detected" finds none.
 */
enum tp_status tp_model_choose(struct tp_machine *machine, const char *choice,
			       struct tp_diag *diag);

/* Indices into machine->pus of the allowed CPUs in compact order; order[n_allowed]. */
void tp_place_compact(const struct tp_machine *machine, size_t *order);

#endif
