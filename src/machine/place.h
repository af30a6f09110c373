/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where threads may run. The processes around a measurement (reading events, painting) stay off the
 * measured CPUs, if they may run elsewhere. Children inherit where their parent may run, so move
 * back before starting one.
 */
#ifndef TPROF_MACHINE_PLACE_H
#define TPROF_MACHINE_PLACE_H

#include <sched.h>
#include <stddef.h>

/*
 * The CPUs that a thread may use (0 = the caller), in a set of *bytes for CPU_FREE; NULL if they
 * cannot be read.
 */
cpu_set_t *tp_affinity_read(pid_t thread, size_t *bytes);

struct tp_aside {
	cpu_set_t *before; /* where this thread might run before; NULL = it has not moved */
	size_t bytes;
};

/*
 * Moves this thread to the CPUs that it may use without `cpus` (OS numbers: "0,2-5"). Nothing
 * happens if there are no others, or if the kernel refuses. A thread that was moved before is moved
 * again.
 */
void tp_aside_step(struct tp_aside *aside, const char *cpus);
/* Moves it back. */
void tp_aside_back(struct tp_aside *aside);

#endif
