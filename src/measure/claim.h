/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which CPUs this process measures on, said to every other tprof of the same user: two at once on
 * one CPU measure each other. A claim is a listening socket with an abstract name: one of the few
 * places of that CPU. Nothing is left behind by a process that dies. Whoever asks calls all other
 * places, and so both sides know. Processes of other users can take places or call, but do not
 * count: they could mark everybody's points. Processes in other network namespaces (containers)
 * are not seen.
 */
#ifndef TPROF_MEASURE_CLAIM_H
#define TPROF_MEASURE_CLAIM_H

#include <stdbool.h>

enum { TP_CLAIM_PLACES = 8 };

struct tp_claim {
	unsigned cpu; /* OS number */
	unsigned place; /* ours, if there is a socket */
	int socket; /* -1: all places are taken, or no socket to be had */
	int calls[TP_CLAIM_PLACES]; /* to the other places, until they answer; -1 = none */
};

struct tp_claims {
	struct tp_claim *items;
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
