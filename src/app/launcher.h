/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tprof as a rank: `mpirun -n 4 tprof --app -- ./solver` starts four of them. MPI allows one
 * MPI_Init in each launch of a process, and a program is run several times, so rank 0 launches the
 * job again, each time: `mpirun -n 4 ./solver`. The other ranks have nothing to do.
 */
#ifndef TPROF_APP_LAUNCHER_H
#define TPROF_APP_LAUNCHER_H

#include <stdbool.h>

#include "base/memory.h"

struct tp_app_launch {
	unsigned rank, ranks; /* ranks 0: no launcher started this process as one of several */
	/* Of rank 0: the launcher with its options, which go before the program; up to NULL. */
	const char **words;
};

/*
 * Whether this process is a rank. For rank 0 the launcher is found among its ancestors, by a
 * command line that ends with this process's; else `words` follow from the variables that are set.
 * Then the process leaves the job: its variables are again those that the launcher has, and it may
 * use the same CPUs. Everything is in the arena, which must stay.
 */
struct tp_app_launch tp_app_launch(struct tp_arena *arena);

#endif
