/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>

enum tp_status tp_vec_reserve(void **items, size_t *cap, size_t want, size_t size_bytes)
{
	if (want <= *cap)
		return TP_OK;
	size_t grown = *cap ? *cap * 2 : 8;
	if (grown < want)
		grown = want;
	if (grown > SIZE_MAX / size_bytes)
		return TP_NOMEM;
	void *moved = realloc(*items, grown * size_bytes);
	if (!moved)
		return TP_NOMEM;
	*items = moved;
	*cap = grown;
	return TP_OK;
}
