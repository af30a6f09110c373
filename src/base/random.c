/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/random.h"

#include <string.h>

#include "base/memory.h"

static void swap(char *a, char *b, size_t n_bytes)
{
	char kept[256];
	while (n_bytes && a != b) {
		size_t part = TP_MIN(n_bytes, sizeof(kept));
		memcpy(kept, a, part);
		memcpy(a, b, part);
		memcpy(b, kept, part);
		a += part;
		b += part;
		n_bytes -= part;
	}
}

void tp_shuffle(void *items, size_t n, size_t item_bytes, uint64_t seed)
{
	char *first = items;
	for (size_t i = n; i > 1; i--) {
		size_t k = (size_t)(tp_splitmix64(&seed) % i);
		swap(first + (i - 1) * item_bytes, first + k * item_bytes, item_bytes);
	}
}
