/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hashes of texts and numbers: FNV-1a (Fowler, Noll and Vo), 64 bits. */
#ifndef TPROF_BASE_HASH_H
#define TPROF_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

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
