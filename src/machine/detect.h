/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the machine room: the parts that tp_machine_init puts together. */
#ifndef TPROF_MACHINE_DETECT_H
#define TPROF_MACHINE_DETECT_H

#include "machine/machine.h"

/*
 * Reads the topology through hwloc (see tp_machine_init for `topology`) and fills pus, nodes, the counts, the reported cache
 * figures, foreign, source, memory of a foreign machine, and what a foreign description says of its CPU.
 */
enum tp_status tp_topology_load(struct tp_machine *machine, const char *topology,
				struct tp_diag *diag);

/*
 * Kernel settings and limits of this host. `root` is put before every path ("" for the real ones), so that tests can show
 * other hosts. Never fails: what cannot be read stays unknown.
 */
void tp_environ_read(struct tp_machine *machine, const char *root);
/* MemTotal, MemAvailable, memory of each node, and the cgroup limits (v1, v2, every ancestor) on this process. */
void tp_memory_read(struct tp_machine *machine, const char *root);

/*
 * Calls `visit` with the directory of this process's cgroup under `controller` ("memory", "cpu") and of each of its ancestors that can be
 * seen. `unified`: version 2 of the interface. Directories stand behind root.
 */
typedef void tp_cgroup_visit(void *context, bool unified, const char *directory);
void tp_cgroup_walk(const char *root, const char *controller, tp_cgroup_visit *visit,
		    void *context);
/* A number in a cgroup's file; false for "max", nonsense or a missing file. */
bool tp_cgroup_number(const char *root, const char *directory, const char *file, uint64_t *value);

/* See tp_machine_steal_ticks; root as above. */
uint64_t tp_steal_read(const char *root, const unsigned *os_cpus, size_t n);

/* Text of a small file (at most size - 1 bytes, trailing newline cut) under root; false if it cannot be read. */
bool tp_environ_text(const char *root, const char *path, char *out, size_t size);

/* Effective capacities and the fallback to the model's figures where hwloc reports none. */
void tp_cache_settle(struct tp_machine *machine);

/* "detected", a name or a path; model->name stays empty when "detected" finds none. */
enum tp_status tp_model_choose(struct tp_model *model, const char *choice, const struct tp_cpu *cpu,
			       struct tp_diag *diag);

/* Indices into machine->pus of the allowed CPUs in compact order; order[n_allowed]. */
void tp_place_compact(const struct tp_machine *machine, size_t *order);

#endif
