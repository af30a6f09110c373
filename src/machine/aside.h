/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processes around a measurement (who reads the events, who paints) stay off the CPUs that are
 * measured, if they may run elsewhere. Children inherit where their parent may run, so step back
 * before one is started.
 */
#ifndef TPROF_MACHINE_ASIDE_H
#define TPROF_MACHINE_ASIDE_H

#include <sched.h>
#include <stddef.h>

struct tp_aside {
	cpu_set_t *before; /* where this thread might run before; NULL = it has not moved */
	size_t bytes;
};

/*
 * Moves this thread to the CPUs that it may use without `cpus` (OS numbers: "0,2-5"). Nothing
 * happens if there are no others, or if the kernel refuses. What was moved before is moved anew.
 */
void tp_aside_step(struct tp_aside *aside, const char *cpus);
/* Back to where it was. */
void tp_aside_back(struct tp_aside *aside);

#endif
