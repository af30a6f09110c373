/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which CPUs this process measures on, said to every other tprof of the same user: two at once on
 * one CPU measure each other. A claim is a listening socket with an abstract name, one a CPU, so
 * nothing is left behind by a process that dies. Who finds a name taken calls its owner, and so
 * both know. A process of another user can take the name or call, but does not count: it could mark
 * everybody's points. Processes in other network namespaces (containers) are not seen.
 */
#ifndef TPROF_MEASURE_CLAIM_H
#define TPROF_MEASURE_CLAIM_H

#include <stdbool.h>

struct tp_claims {
	unsigned *cpus; /* OS numbers */
	/* bound to the name of cpus[i]; -1: somebody else's, or no socket to be had */
	int *sockets;
	int *calls; /* to the owner of that name, until it answers; -1 = none */
	unsigned n;
};

/* Claims `n` CPUs. Never fails: what cannot be claimed (no memory, no sockets) is not watched. */
void tp_claims_init(struct tp_claims *claims, const unsigned *cpus, unsigned n);
void tp_claims_release(struct tp_claims *claims);

/*
 * True if since the last call, or now, another process claims one of the CPUs. Call it before and
 * after what it is to vouch for.
 */
bool tp_claims_contested(struct tp_claims *claims);

#endif
