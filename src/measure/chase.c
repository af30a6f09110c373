/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/chase.h"

#include <stdlib.h>

#include "base/random.h"
#include "base/process.h"
#include "base/memory.h"
#include "measure/team.h"

/* How far ahead lines are requested: writing and reading have a known order, unlike the chase. */
enum { AHEAD = 24 };

/* Lines between two checks whether the process was asked to end. */
enum { LOOK_EACH = 1 << 16 };

/* Fisher-Yates. The cycle leads from each entry to the next, so all cycles are equally likely. */
static void shuffle(uint32_t *order, size_t n, uint64_t *state)
{
	for (size_t i = n; i > 1; i--) {
		if (i % LOOK_EACH == 0 && tp_stop_asked)
			return;
		size_t k = (size_t)((tp_splitmix64(state) >> 32) * i >> 32);
		uint32_t kept = order[i - 1];
		order[i - 1] = order[k];
		order[k] = kept;
	}
}

/*
 * Numbers of the strides in the order of the cycle. Blocks are moved as a whole, the last one may
 * be shorter.
 */
static void draw_order(const struct tp_chase *chase, uint32_t *order, size_t n)
{
	uint64_t state = chase->seed;
	size_t per_block = chase->block_bytes ? chase->block_bytes / tp_chase_stride(chase) : n;
	size_t n_blocks = (n + per_block - 1) / per_block, at = 0;
	TP_FREE uint32_t *blocks = tp_alloc(n_blocks, sizeof(*blocks));
	for (size_t b = 0; b < n_blocks; b++)
		blocks[b] = (uint32_t)b;
	shuffle(blocks, n_blocks, &state);
	for (size_t b = 0; b < n_blocks; b++) {
		size_t first = blocks[b] * per_block, here = TP_MIN(per_block, n - first);
		for (size_t i = 0; i < here; i++)
			order[at + i] = (uint32_t)(first + i);
		shuffle(order + at, here, &state);
		at += here;
	}
}

/* The pointer of a stride: at a word of it that only the seed and its number decide. */
static void **slot(char *data, const struct tp_chase *chase, uint32_t number)
{
	size_t stride = tp_chase_stride(chase), words = stride / sizeof(void *);
	uint64_t state = chase->seed ^ number;
	size_t word = (size_t)((tp_splitmix64(&state) >> 32) * words >> 32);
	return (void **)(void *)(data + number * stride) + word;
}

enum tp_status tp_chase_write(void *data, const struct tp_chase *chase, void **first,
			      struct tp_diag *diag)
{
	size_t stride = tp_chase_stride(chase), n = chase->bytes / stride;
	if (n == 0 || n - 1 > UINT32_MAX || chase->bytes % TP_CHASE_LINE_BYTES ||
	    stride % TP_CHASE_LINE_BYTES || chase->block_bytes % stride)
		return tp_fail(diag, TP_USAGE, "chase",
			       "whole cache lines, at least one stride, blocks of whole strides",
			       "no chase with strides of %zu bytes in blocks of %zu through %zu",
			       stride, chase->block_bytes, chase->bytes);
	uint32_t *order = malloc(n * sizeof(*order));
	if (!order)
		return tp_fail(diag, TP_NOMEM, "chase", NULL, "out of memory for %zu pointers", n);
	draw_order(chase, order, n);
	void **from = slot(data, chase, order[0]);
	*first = from;
	for (size_t i = 0; i < n && !(i % LOOK_EACH == 0 && tp_stop_asked); i++) {
		if (i + AHEAD < n)
			__builtin_prefetch(slot(data, chase, order[i + AHEAD]), 1);
		void **to = slot(data, chase, order[(i + 1) % n]);
		*from = to;
		from = to;
	}
	/*
	 * Read as well: lines that were just written would have to be written back while others are
	 * timed.
	 */
	void *volatile seen;
	for (size_t i = 0; i < n && !(i % LOOK_EACH == 0 && tp_stop_asked); i++)
		seen = *slot(data, chase, order[i]);
	(void)seen;
	free(order);
	return tp_stop_asked ? tp_fail(diag, TP_CANCELLED, "chase", NULL, "cancelled") : TP_OK;
}

bool tp_chase_equal(const struct tp_chase *a, const struct tp_chase *b)
{
	return a->bytes == b->bytes && a->stride_bytes == b->stride_bytes &&
	       a->block_bytes == b->block_bytes && a->seed == b->seed;
}

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

void tp_gather_places_init(struct tp_gather_places *p, const struct tp_team *team,
			   const struct tp_kernel *k, uint64_t seed)
{
	unsigned threads = tp_team_size(team), n = k->gather->gathers;
	*p = (struct tp_gather_places){
		.data = aligned_alloc(_Alignof(struct tp_gather_data), threads * sizeof(*p->data)),
		.bases = tp_alloc((size_t)threads * n, sizeof(*p->bases)),
		.evict_bytes = round_up(tp_gather_bytes(k->gather, k->element_bytes), PAIR_BYTES),
	};
	if (!p->data)
		tp_out_of_memory();
	for (unsigned t = 0; t < threads && tp_team_data(team, t); t++) {
		const void **bases = &p->bases[(size_t)t * n];
		choose_places(k, tp_team_data(team, t), seed + t, bases);
		tp_gather_fill(k->gather, k->element_bytes, bases, &p->data[t]);
	}
}

void tp_gather_places_release(struct tp_gather_places *p)
{
	free(p->data);
	free((void *)p->bases);
	*p = (struct tp_gather_places){ 0 };
}
