/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to the machine room: the parts that tp_machine_init puts together. */
#ifndef TPROF_MACHINE_DETECT_H
#define TPROF_MACHINE_DETECT_H

#include "machine/machine.h"

/*
 * Reads the topology through hwloc (see tp_machine_init for `topology`). Fills in pus, nodes, the
 * counts, the reported caches, foreign and source; for a foreign machine also its memory and what
 * the description says of its CPU, which hwloc reads in a child process.
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

/* See tp_machine_steal_ticks; root as above. */
uint64_t tp_steal_read(const char *root, const unsigned *os_cpus, size_t n);
void tp_steal_each(const char *root, const unsigned *os_cpus, size_t n, uint64_t *ticks);

/*
 * Reads a small file under root (at most size - 1 bytes, without the last line feed); false if it
 * cannot be read.
 */
bool tp_environ_text(const char *root, const char *path, char *out, size_t size);
/* Of the first CPU, and "VERSION of DATE"; "" where the kernel does not tell. */
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
