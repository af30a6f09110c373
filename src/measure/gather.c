/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/gather.h"
#include "base/random.h"
#include "measure/team.h"

#include <stdlib.h>

/* Lines come in pairs where a prefetcher completes them: a place begins with a pair. */
enum { PAGE_BYTES = 4096, PAIR_BYTES = 128, SHORT_BYTES = 1024 };

static size_t round_up(size_t bytes, size_t to)
{
	return (bytes + to - 1) / to * to;
}

/* Room for elements up to a kibibyte apart to lie in different lines of the page. */
static size_t place_bytes(const struct tp_kernel *k)
{
	return round_up(tp_gather_bytes(k->gather, k->element_bytes) + SHORT_BYTES, PAGE_BYTES);
}

uint64_t tp_gather_buffer_bytes(const struct tp_kernel *k)
{
	return (uint64_t)place_bytes(k) * k->gather->gathers;
}

static void choose_places(const struct tp_kernel *k, const char *buffer, uint64_t seed,
			  const void **bases)
{
	size_t step = place_bytes(k);
	size_t taken = round_up(tp_gather_bytes(k->gather, k->element_bytes), SHORT_BYTES);
	size_t choices = (step - taken) / PAIR_BYTES + 1;
	uint64_t state = seed;
	for (unsigned i = 0; i < k->gather->gathers; i++)
		bases[i] = buffer + i * step + tp_splitmix64(&state) % choices * PAIR_BYTES;
	tp_shuffle((void *)bases, k->gather->gathers, sizeof(*bases), seed);
}

enum tp_status tp_gather_places_init(struct tp_gather_places *p, const struct tp_team *team,
				     const struct tp_kernel *k, uint64_t seed, struct tp_diag *diag)
{
	unsigned threads = tp_team_size(team), n = k->gather->gathers;
	*p = (struct tp_gather_places){
		.data = aligned_alloc(_Alignof(struct tp_gather_data), threads * sizeof(*p->data)),
		.bases = calloc((size_t)threads * n, sizeof(*p->bases)),
		.evict_bytes = round_up(tp_gather_bytes(k->gather, k->element_bytes), PAIR_BYTES),
	};
	if (!p->data || !p->bases) {
		tp_gather_places_release(p);
		return tp_fail(diag, TP_NOMEM, "gather", NULL, "out of memory");
	}
	for (unsigned t = 0; t < threads; t++) {
		const void **bases = &p->bases[(size_t)t * n];
		choose_places(k, tp_team_data(team, t), seed + t, bases);
		tp_gather_fill(k->gather, k->element_bytes, bases, &p->data[t]);
	}
	return TP_OK;
}

void tp_gather_places_release(struct tp_gather_places *p)
{
	free(p->data);
	free((void *)p->bases);
	*p = (struct tp_gather_places){ 0 };
}
