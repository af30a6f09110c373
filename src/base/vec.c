/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/vec.h"

#include "base/memory.h"

void *tp_vec_grow(void *items, size_t *cap, size_t want, size_t size_bytes)
{
	if (want <= *cap)
		return items;
	size_t grown = *cap ? *cap * 2 : 8;
	if (grown < want)
		grown = want;
	*cap = grown;
	return tp_realloc(items, grown, size_bytes);
}

enum tp_status tp_vec_reserve(void **items, size_t *cap, size_t want, size_t size_bytes)
{
	*items = tp_vec_grow(*items, cap, want, size_bytes);
	return TP_OK;
}
