/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measured memory of one thread. Address space is reserved for the largest need. Memory comes with
 * the first touch, which grows the buffer from its beginning on: what was touched stays.
 */
#ifndef TPROF_MEASURE_BUFFER_H
#define TPROF_MEASURE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pages.h"
#include "base/status.h"

struct tp_buffer {
	void *map;
	size_t map_bytes;
	char *data; /* aligned to a huge page */
	size_t bytes; /* usable from data: touched */
	size_t most_bytes; /* reserved from data */
	enum tp_pages pages;
};

/* Reserves address space for `most_bytes`, without memory. TP_RESOURCE. */
enum tp_status tp_buffer_init(struct tp_buffer *buffer, size_t most_bytes, enum tp_pages pages,
			      struct tp_diag *diag);

/*
 * Touches up to `bytes` from the calling thread (pin it first: the touch decides the NUMA node).
 * Does nothing if the buffer is large enough. TP_RESOURCE: no memory, or more than was reserved;
 * the buffer then stays as it was.
 */
enum tp_status tp_buffer_grow(struct tp_buffer *buffer, size_t bytes, struct tp_diag *diag);

/* The same without touching: the first user of the memory decides where it lies. */
enum tp_status tp_buffer_open(struct tp_buffer *buffer, size_t bytes, struct tp_diag *diag);

/* Releases the memory after the first `bytes`. */
void tp_buffer_trim(struct tp_buffer *buffer, size_t bytes);

/*
 * The kind of pages it got: "thp", "4K", "hugetlb", "mixed" (part of it in huge pages); returns
 * out.
 */
const char *tp_buffer_obtained(const struct tp_buffer *buffer, char *out, size_t size);

/* Writes the numbers into the first `bytes` again that a new buffer holds. */
void tp_buffer_fill(struct tp_buffer *buffer, size_t bytes);
void tp_buffer_release(struct tp_buffer *buffer);

/* default, thp, hugetlb, small; DEFAULT for anything else */
enum tp_pages tp_pages_find(const char *word);
const char *tp_pages_name(enum tp_pages pages);

/* Requests such pages from the kernel, or forbids them; the result shows after the first touch. */
void tp_pages_advise(void *start, size_t bytes, enum tp_pages pages);

/*
 * Announces the CPUs that this process measures on to every other tprof of the same user: two at
 * once on one CPU measure each other. A claim is a listening socket with an abstract name: one of
 * the few places of that CPU. A process that dies leaves nothing. A query connects to all other
 * places, so both sides notice. Processes of other users can take places or call, but do not count:
 * they could mark the points of all users. Processes in other network namespaces (containers) are
 * not seen.
 */

enum { TP_CLAIM_PLACES = 8 };

struct tp_claim {
	unsigned cpu; /* OS number */
	unsigned place; /* ours, if there is a socket */
	int socket; /* -1: all places are taken, or sockets are not available */
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
