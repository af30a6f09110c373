/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Items with a text each, grouped by that text in linear time. */
#ifndef TPROF_BASE_TALLY_H
#define TPROF_BASE_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"

#define TP_TALLY_END ((size_t)-1)

/* Items with the same text. */
struct tp_tally_group {
	size_t text; /* where its text begins in `texts` */
	size_t first, last, n; /* items, in the order in which they came */
};

/* Zero-initialise. */
struct tp_tally {
	struct tp_tally_group *groups; /* in the order of their first items */
	size_t n, cap;
	size_t *next; /* of each item: the next one of its group, or TP_TALLY_END */
	size_t n_items, cap_items;
	struct tp_str texts;
	size_t *index; /* hash table of groups, private */
	size_t index_size;
};

/* Adds item 0, 1, 2, ... with its text. */
void tp_tally_add(struct tp_tally *tally, const char *text);

/* The group of that text; NULL if no item has it. */
const struct tp_tally_group *tp_tally_find(const struct tp_tally *tally, const char *text);
void tp_tally_release(struct tp_tally *tally);

/* Hashes of texts and numbers: FNV-1a (Fowler, Noll and Vo), 64 bits. */

#define TP_HASH_START UINT64_C(0xcbf29ce484222325)
#define TP_HASH_PRIME UINT64_C(0x100000001b3)

/* FNV-1a takes bytes; a larger value counts as one step. */
static inline uint64_t tp_hash_step(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * TP_HASH_PRIME;
}

static inline uint64_t tp_hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = tp_hash_step(hash, (unsigned char)*text);
	return hash;
}

/* For tables of at most 2^32 slots: the upper half counts, too. */
static inline size_t tp_hash_name(const char *name)
{
	uint64_t hash = tp_hash_text(TP_HASH_START, name);
	return (size_t)(hash ^ hash >> 32);
}

#endif
