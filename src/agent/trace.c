/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulates the addresses that a thread touched: which level their bytes came from. */
#include "agent/trace.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "agent/sys.h"

enum { WAYS_MAX = 64, SPINS = 1000 };
static const uint64_t cache_max = 1ull << 36;
/* Guards against a repeated instruction that asks for more than exists before it faults. */
static const uint64_t groups_max = 1ull << 24;

static bool is_power_of_two(uint64_t x)
{
	return x && !(x & (x - 1));
}

void tp_level_shape(struct tp_traced_level *level, const struct tp_agent_cache *cache,
		    uint32_t sample_shift)
{
	uint64_t line = is_power_of_two(cache->line_bytes) ? cache->line_bytes : 64;
	uint64_t bytes = cache->bytes < cache_max ? cache->bytes : cache_max;
	uint64_t ways = cache->ways && cache->ways <= WAYS_MAX ? cache->ways : 8;
	uint64_t lines = (bytes / line) >> sample_shift;

	*level = (struct tp_traced_level){ .lines = NULL };
	if (!cache->bytes)
		return;
	/* So few sets that less than one would remain: the ways are divided instead. */
	if (lines == 0)
		lines = 1;
	if (ways > lines)
		ways = lines;
	level->ways = (uint32_t)ways;
	level->sets = (uint32_t)(lines / ways);
}

size_t tp_level_bytes(const struct tp_traced_level *level)
{
	return 2 * (size_t)level->sets * level->ways * sizeof(*level->lines);
}

uint32_t tp_levels_line_shift(const struct tp_agent_cache caches[TP_LEVELS])
{
	for (unsigned i = 0; i < TP_LEVELS; i++)
		if (caches[i].bytes && is_power_of_two(caches[i].line_bytes))
			return (uint32_t)__builtin_ctz(caches[i].line_bytes);
	return 6;
}

/* A mixer of 64 bits (of splitmix64): neighbouring groups choose lines that have no pattern. */
static uint64_t hash(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static void lock(struct tp_traced_level *level)
{
	unsigned spins = 0;

	while (__atomic_exchange_n(&level->lock, 1, __ATOMIC_ACQUIRE))
		while (__atomic_load_n(&level->lock, __ATOMIC_RELAXED)) {
			if (++spins % SPINS == 0)
				tp_sys(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
			__builtin_ia32_pause();
		}
}

static void unlock(struct tp_traced_level *level)
{
	__atomic_store_n(&level->lock, 0, __ATOMIC_RELEASE);
}

static uint64_t count_bits(uint64_t x)
{
	uint64_t n = 0;

	for (; x; x &= x - 1)
		n++;
	return n;
}

/*
 * True if the line was present. It becomes the most recently used. `touched` returns the bytes that
 * are touched now and were touched before, since the line came.
 */
static bool touch(struct tp_traced_level *level, uint64_t group, uint64_t line, uint64_t *touched)
{
	uint64_t *set = level->lines + group % level->sets * level->ways;
	uint64_t *masks = set + (uint64_t)level->sets * level->ways;
	uint64_t moved = line + 1, moved_mask = *touched;

	for (uint32_t i = 0; i < level->ways; i++) {
		uint64_t next = set[i], next_mask = masks[i];
		set[i] = moved;
		masks[i] = moved_mask;
		if (next == line + 1) {
			masks[0] = *touched | next_mask;
			*touched &= next_mask;
			return true;
		}
		moved = next;
		moved_mask = next_mask;
	}
	*touched = 0;
	return false;
}

/*
 * The level that held the line; it is in all caches afterwards. `parts` of it are touched; *again
 * returns those that the first cache serves again if *hit, that is, the line was present.
 */
static unsigned find(struct tp_levels *levels, uint64_t group, uint64_t line, uint64_t parts,
		     bool *hit, uint64_t *again)
{
	bool first = true;

	*hit = false;
	*again = 0;
	for (unsigned i = 0; i < TP_LEVELS; i++) {
		struct tp_traced_level *level = levels->level[i];
		uint64_t touched = parts;
		if (!level || !level->sets)
			continue;
		if (levels->shared[i])
			lock(level);
		bool found = touch(level, group, line, &touched);
		if (levels->shared[i])
			unlock(level);
		if (found && first) {
			*hit = true;
			*again = touched;
		}
		if (found)
			return i + 1;
		first = false;
	}
	return TP_LEVEL_MEMORY;
}

/* The parts of a line from byte `from` to byte `to`, a bit for each 64th (or byte). */
static uint64_t parts_of(uint64_t from, uint64_t to, uint32_t shift)
{
	uint64_t first = shift > 6 ? from >> (shift - 6) : from;
	uint64_t last = shift > 6 ? to >> (shift - 6) : to;

	return ~0ull >> (63 - last) & ~0ull << first;
}

static void account(struct tp_levels *levels, uint64_t group, uint64_t line, uint64_t parts,
		    uint64_t bytes_from[TP_AGENT_LEVELS])
{
	uint32_t shift = levels->line_shift;
	bool hit;
	uint64_t again, moved = 1ull << shift;
	unsigned level = find(levels, group, line, parts, &hit, &again);

	if (hit)
		moved = count_bits(again) << (shift > 6 ? shift - 6 : 0);
	bytes_from[level] += moved << levels->sample_shift;
}

void tp_levels_access(struct tp_levels *levels, uint64_t address, uint64_t bytes,
		      uint64_t bytes_from[TP_AGENT_LEVELS])
{
	uint32_t sample = levels->sample_shift, shift = levels->line_shift;
	uint64_t mask = (1ull << sample) - 1;

	if (!bytes)
		return;
	if (bytes > groups_max << sample << shift)
		bytes = groups_max << sample << shift;
	uint64_t last = address + bytes - 1;
	if (last < address) /* around the end of the address space */
		return;
	for (uint64_t group = address >> shift >> sample; group <= last >> shift >> sample;
	     group++) {
		uint64_t line = group << sample | (hash(group) & mask);
		uint64_t from = line << shift, to = from + (1ull << shift) - 1;
		if (from > last || to < address)
			continue;
		from = from > address ? from : address;
		to = to < last ? to : last;
		account(levels, group, line,
			parts_of(from - (line << shift), to - (line << shift), shift), bytes_from);
	}
}

enum { SAMPLE_SHIFT_MAX = 20 };

/*
 * Who wrote a line last, and who before, with the times when their buffers were drained: that is
 * the only time known for its writes. A line that goes back and forth between threads is contested:
 * it changed its writer several times, the last time not long ago. "Not long" is some time slices,
 * for threads that take turns on a CPU. A sample: lines share entries, and two threads that run
 * this at the same time may lose one.
 */
enum { OWNED_LINES = 1 << 14, CONTESTED_CHANGES = 4 };
static const uint64_t contested_ns = 50000000;

static struct owned_line {
	uint64_t line;
	uint32_t changes; /* of the writer */
	struct {
		uint64_t time_ns;
		uint32_t slot;
	} writers[2];
} owned_lines[OWNED_LINES];

/* The caches of a thread, made when it first drains its buffer. It keeps them, as a core would. */
struct tp_trace_model {
	struct tp_levels levels;
	struct tp_traced_level own[TP_LEVELS];
	uint64_t drained_ns; /* when its buffer was last drained */
};

/* Caches that all threads share; `lines` is set last, by the first thread. */
static struct tp_traced_level shared_levels[TP_LEVELS];

static bool take_memory(struct tp_traced_level *level, struct tp_traced_level *shape)
{
	uint64_t *none = NULL;
	uint64_t *lines = tp_memory_map(0, tp_level_bytes(shape), PROT_READ | PROT_WRITE, 0);

	if (!lines)
		return false;
	/* All callers pass the same shape. */
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

static void look_for_writers(const struct tp_context *context, uint64_t address, bool stores,
			     struct tp_agent_sum *sum)
{
	const struct tp_trace_model *model = context->trace_model;
	uint64_t line = address >> model->levels.line_shift;
	struct owned_line *owned = &owned_lines[hash(line) % OWNED_LINES];
	bool contested = false;

	if (owned->line != line) {
		if (stores) {
			*owned = (struct owned_line){ .line = line };
			owned->writers[0].slot = context->slot;
			owned->writers[0].time_ns = model->drained_ns;
		}
	} else {
		for (unsigned i = 0; i < 2 && owned->changes >= CONTESTED_CHANGES; i++)
			contested |= owned->writers[i].slot != context->slot &&
				     owned->writers[i].time_ns + contested_ns > model->drained_ns;
		if (stores && owned->writers[0].slot != context->slot) {
			owned->changes++;
			owned->writers[1] = owned->writers[0];
			owned->writers[0].slot = context->slot;
		}
		if (stores)
			owned->writers[0].time_ns = model->drained_ns;
	}
	sum->accesses++;
	sum->contested += contested;
}

/* One access of a block, whose words begin at *words; false: they are not all there. */
static bool take_access(struct tp_context *context, const struct tp_trace_access *access,
			const uint64_t **words, const uint64_t *end, struct tp_agent_sum *sum)
{
	bool repeated = access->kind == TP_TRACE_REPEATED;
	uint64_t bytes = access->bytes;

	if (end - *words < 1 + repeated || **words & TP_TRACE_BLOCK)
		return false;
	uint64_t address = *(*words)++;
	if (repeated && __builtin_mul_overflow(bytes, *(*words)++, &bytes))
		return true;
	if (tp_agent_shared->n_threads > 1)
		look_for_writers(context, address, access->stores, sum);
	/*
	 * An operand that is both read and written counts twice; the write finds the line present.
	 */
	for (unsigned times = access->loads + access->stores; times > 0; times--)
		tp_levels_access(&context->trace_model->levels, address, bytes, sum->level_bytes);
	return true;
}

void tp_trace_drain(struct tp_context *context, const struct tp_traced *traced,
		    const struct tp_trace_access *accesses, const uint64_t *words, uint64_t n)
{
	struct tp_agent_thread *thread = context->shared;
	struct tp_agent_sum *sum = &thread->sums[thread->region % TP_AGENT_REGIONS];
	const uint64_t *end = words + n;

	if (!context->trace_model)
		context->trace_model = new_model();
	if (!context->trace_model)
		return;
	context->trace_model->drained_ns = tp_now_ns();
	while (words < end) {
		uint64_t word = *words++;
		const struct tp_traced *block;
		uint32_t i = 0;
		if (!(word & TP_TRACE_BLOCK) || (uint32_t)word >= TP_AGENT_COUNTERS)
			continue;
		block = &traced[(uint32_t)word];
		while (i < block->n &&
		       take_access(context, &accesses[block->first + i], &words, end, sum))
			i++;
	}
}
