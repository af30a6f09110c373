/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What becomes of the addresses that a thread touched: levels that its bytes came from. */
#include "agent/trace.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "agent/levels.h"
#include "agent/sys.h"

enum { SAMPLE_SHIFT_MAX = 20 };

/* The caches of a thread, made when it first drains its buffer. It keeps them like a core. */
struct tp_trace_model {
	struct tp_levels levels;
	struct tp_traced_level own[TP_LEVELS];
};

/* Caches that all threads share; `lines` is set last, by whoever is first. */
static struct tp_traced_level shared_levels[TP_LEVELS];

static bool take_memory(struct tp_traced_level *level, struct tp_traced_level *shape)
{
	uint64_t *none = NULL;
	uint64_t *lines = tp_memory_map(0, tp_level_bytes(shape), PROT_READ | PROT_WRITE, 0);

	if (!lines)
		return false;
	/* All who come here have the same shape. */
	level->sets = shape->sets;
	level->ways = shape->ways;
	if (!__atomic_compare_exchange_n(&level->lines, &none, lines, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		tp_sys(SYS_munmap, (uint64_t)lines, tp_level_bytes(shape), 0, 0, 0, 0);
	return true;
}

static struct tp_trace_model *new_model(void)
{
	const struct tp_agent_shared *from = tp_agent_shared;
	struct tp_trace_model *model = tp_memory_map(0, sizeof(*model), PROT_READ | PROT_WRITE, 0);

	if (!model)
		return NULL;
	model->levels.line_shift = tp_levels_line_shift(from->caches);
	model->levels.sample_shift =
		from->sample_shift < SAMPLE_SHIFT_MAX ? from->sample_shift : SAMPLE_SHIFT_MAX;
	for (unsigned i = 0; i < TP_LEVELS; i++) {
		struct tp_traced_level shape;
		struct tp_traced_level *level =
			from->caches[i].shared ? &shared_levels[i] : &model->own[i];
		tp_level_shape(&shape, &from->caches[i], model->levels.sample_shift);
		if (!shape.sets)
			continue;
		if (!__atomic_load_n(&level->lines, __ATOMIC_ACQUIRE) &&
		    !take_memory(level, &shape)) {
			tp_sys(SYS_munmap, (uint64_t)model, sizeof(*model), 0, 0, 0, 0);
			return NULL;
		}
		model->levels.level[i] = level;
		model->levels.shared[i] = from->caches[i].shared;
	}
	return model;
}

/* One access of a block, whose words begin at *words; false: they are not all there. */
static bool take_access(struct tp_levels *levels, const struct tp_trace_access *access,
			const uint64_t **words, const uint64_t *end,
			uint64_t bytes_from[TP_AGENT_LEVELS])
{
	bool repeated = access->kind == TP_TRACE_REPEATED;
	uint64_t bytes = access->bytes;

	if (end - *words < 1 + repeated || **words & TP_TRACE_BLOCK)
		return false;
	uint64_t address = *(*words)++;
	if (repeated && __builtin_mul_overflow(bytes, *(*words)++, &bytes))
		return true;
	/* What is read and written counts in both; when it is written the line is there. */
	for (unsigned times = access->loads + access->stores; times > 0; times--)
		tp_levels_access(levels, address, bytes, bytes_from);
	return true;
}

void tp_trace_drain(struct tp_context *context, const uint64_t *words, uint64_t n)
{
	struct tp_agent_thread *thread = context->shared;
	struct tp_agent_sum *sum = &thread->sums[thread->region % TP_AGENT_REGIONS];
	const uint64_t *end = words + n;

	if (!context->trace_model)
		context->trace_model = new_model();
	if (!context->trace_model)
		return;
	while (words < end) {
		const struct tp_trace_access *accesses;
		unsigned n_accesses, i = 0;
		uint64_t word = *words++;
		if (!(word & TP_TRACE_BLOCK))
			continue;
		accesses = tp_trace_accesses(context, (uint32_t)word, &n_accesses);
		while (i < n_accesses && take_access(&context->trace_model->levels, &accesses[i],
						     &words, end, sum->level_bytes))
			i++;
	}
}
