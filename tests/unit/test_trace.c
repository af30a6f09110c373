/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sampled addresses and the levels that they come from: working sets of known size, streams, a
 * cache that threads share, and words of a trace that are cut or wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "agent/trace.h"
#include "agent/sys.h"

enum { KIB = 1024, MIB = 1024 * KIB };

struct tp_agent_shared *tp_agent_shared;

/* Accesses of blocks 0 to 2: a load, a move, a change; 3 touches nothing. */
static const struct tp_trace_access accesses[] = { { 8, TP_TRACE_ONE, true, false },
						   { 1, TP_TRACE_REPEATED, true, false },
						   { 1, TP_TRACE_REPEATED, false, true },
						   { 64, TP_TRACE_ONE, true, true } };
static const struct tp_traced traced[TP_AGENT_COUNTERS] = { { 0, 1 }, { 1, 2 }, { 3, 1 } };

static void *pages(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_true(p != MAP_FAILED);
	return p;
}

void *tp_memory_map(uint64_t where, uint64_t bytes, int protection, int more_flags)
{
	(void)where;
	(void)protection;
	(void)more_flags;
	return pages(bytes);
}

static uint64_t now_ns = 1000000000;

uint64_t tp_now_ns(void)
{
	return now_ns;
}

static const struct tp_agent_cache caches[TP_LEVELS] = {
	{ .bytes = 32 * KIB, .ways = 8, .line_bytes = 64 },
	{ .bytes = 1 * MIB, .ways = 8, .line_bytes = 64 },
	{ .bytes = 16 * MIB, .ways = 16, .line_bytes = 64, .shared = 1 },
};

/* --- the model --- */

struct model {
	struct tp_levels levels;
	struct tp_traced_level own[TP_LEVELS];
};

static void make(struct model *m, uint32_t sample_shift, struct tp_traced_level *l3)
{
	m->levels = (struct tp_levels){ .line_shift = tp_levels_line_shift(caches),
					.sample_shift = sample_shift };
	for (unsigned i = 0; i < TP_LEVELS; i++) {
		struct tp_traced_level *level = i == 2 && l3 ? l3 : &m->own[i];
		m->levels.level[i] = level;
		m->levels.shared[i] = i == 2 && l3;
		if (level == l3 && l3->lines)
			continue;
		tp_level_shape(level, &caches[i], sample_shift);
		level->lines = pages(tp_level_bytes(level));
	}
}

static void walk(struct model *m, uint64_t at, uint64_t bytes, uint64_t step, uint64_t from[5])
{
	for (uint64_t i = 0; i < bytes; i += step)
		tp_levels_access(&m->levels, at + i, step < 8 ? step : 8, from);
}

/* The second pass over a working set comes from the smallest cache that holds it. */
static void working_sets(void **state)
{
	static const struct {
		uint64_t bytes;
		unsigned level;
	} rows[] = { { 8 * KIB, 1 }, { 24 * KIB, 1 }, { 64 * KIB, 2 }, { 768 * KIB, 2 },
		     { 2 * MIB, 3 }, { 12 * MIB, 3 }, { 32 * MIB, 4 }, { 100 * MIB, 4 } };
	static const uint32_t shifts[] = { 0, 4, 6 };

	(void)state;
	for (unsigned s = 0; s < sizeof(shifts) / sizeof(shifts[0]); s++)
		for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
			struct model m;
			uint64_t first[5] = { 0 }, second[5] = { 0 };
			uint64_t bytes = rows[r].bytes, at = 0x7f1234560000;
			make(&m, shifts[s], NULL);
			walk(&m, at, bytes, 64, first);
			walk(&m, at, bytes, 64, second);
			/* Exactly: a group has one line that is followed. Lines move as a whole. */
			uint64_t again = rows[r].level == 1 ? bytes / 8 : bytes;
			assert_int_equal(first[4], bytes);
			assert_int_equal(second[rows[r].level], again);
			assert_int_equal(second[1] + second[2] + second[3] + second[4], again);
		}
}

/* All of a stream comes from memory; what is read again at once comes from the first cache. */
static void streams(void **state)
{
	struct model m;
	uint64_t from[5] = { 0 };

	(void)state;
	make(&m, 6, NULL);
	walk(&m, 1 << 20, 256 * MIB, 8, from);
	assert_int_equal(from[4], 256 * MIB);
	assert_int_equal(from[1] + from[2] + from[3], 0);
	for (uint64_t i = 1ull << 30; i < (1ull << 30) + 64 * MIB; i += 8)
		for (unsigned times = 0; times < 3; times++)
			tp_levels_access(&m.levels, i, 8, from);
	assert_int_equal(from[4], (256 + 64) * MIB);
	assert_int_equal(from[1], 2 * 64 * MIB);
}

/* Far strides hit the line of a group that is followed by chance: the sum is near, not exact. */
static void strides(void **state)
{
	struct model m;
	uint64_t from[5] = { 0 };

	(void)state;
	make(&m, 6, NULL);
	walk(&m, 0, 1024ull * MIB, 4096, from);
	uint64_t want = 1024ull * MIB / 4096 * 64;
	assert_true(from[4] > want * 97 / 100 && from[4] < want * 103 / 100);
}

static void lines_are_split(void **state)
{
	struct model m;
	uint64_t from[5] = { 0 };

	(void)state;
	make(&m, 0, NULL);
	tp_levels_access(&m.levels, 1000, 64, from); /* from line 15 into line 16 */
	assert_int_equal(from[4], 128);
	tp_levels_access(&m.levels, 1024, 44, from); /* 40 of them once more */
	assert_int_equal(from[1], 40);
	tp_levels_access(&m.levels, 960, 41, from); /* one of them */
	assert_int_equal(from[1], 41);
	tp_levels_access(&m.levels, UINT64_MAX - 3, 8, from); /* no such place: nothing */
	tp_levels_access(&m.levels, 0, 0, from);
	assert_int_equal(from[1] + from[2] + from[3] + from[4], 169);
}

/* What one thread brought into the cache of all, another one finds there. */
static void shared_cache(void **state)
{
	struct tp_traced_level l3 = { .lines = NULL };
	struct model one, other;
	uint64_t from_one[5] = { 0 }, from_other[5] = { 0 };

	(void)state;
	make(&one, 6, &l3);
	make(&other, 6, &l3);
	walk(&one, 0, 8 * MIB, 64, from_one);
	walk(&other, 0, 8 * MIB, 64, from_other);
	assert_int_equal(from_one[4], 8 * MIB);
	assert_int_equal(from_other[3], 8 * MIB);
	assert_int_equal(l3.lock, 0);
}

/* The least recently used line leaves, not the oldest. */
static void least_recently_used(void **state)
{
	uint64_t set[2 * 4] = { 0 }, from[5] = { 0 };
	struct tp_traced_level level = { .lines = set, .sets = 1, .ways = 4 };
	struct tp_levels levels = { .level = { &level }, .line_shift = 6 };

	(void)state;
	for (uint64_t line = 0; line < 4; line++)
		tp_levels_access(&levels, 64 * line, 1, from);
	tp_levels_access(&levels, 0, 1, from); /* line 0 is used again */
	tp_levels_access(&levels, 64 * 4, 1, from); /* so line 1 leaves */
	assert_int_equal(from[1], 1);
	tp_levels_access(&levels, 0, 1, from);
	assert_int_equal(from[1], 2);
	tp_levels_access(&levels, 64, 1, from);
	assert_int_equal(from[1], 2);
	assert_int_equal(from[4], 6 * 64);
}

static void odd_shapes(void **state)
{
	static const struct {
		struct tp_agent_cache cache;
		uint32_t shift, sets, ways;
	} rows[] = {
		{ { .bytes = 32 * KIB, .ways = 8, .line_bytes = 64 }, 6, 1, 8 },
		{ { .bytes = 48 * KIB, .ways = 12, .line_bytes = 64 }, 6, 1, 12 },
		{ { .bytes = 32 * KIB, .ways = 64, .line_bytes = 64 }, 6, 1, 8 },
		{ { .bytes = 20 * MIB, .ways = 20, .line_bytes = 64 }, 6, 256, 20 },
		{ { .bytes = 64, .ways = 1, .line_bytes = 64 }, 6, 1, 1 },
		{ { .bytes = 0 }, 6, 0, 0 },
		{ { .bytes = 32 * KIB, .ways = 0, .line_bytes = 63 }, 0, 64, 8 },
		{ { .bytes = UINT64_MAX, .ways = UINT32_MAX, .line_bytes = 64 }, 6, 1 << 21, 8 },
	};

	(void)state;
	for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct tp_traced_level level;
		tp_level_shape(&level, &rows[r].cache, rows[r].shift);
		assert_int_equal(level.sets, rows[r].sets);
		assert_int_equal(level.ways, rows[r].ways);
	}
}

/* --- words of a trace --- */

static struct tp_agent_thread *thread_of(struct tp_context *context)
{
	memset(context, 0, sizeof(*context));
	context->shared = pages(sizeof(*context->shared));
	context->shared->region = 5;
	return context->shared;
}

static void words_of_a_trace(void **state)
{
	struct tp_context context;
	const uint64_t block = TP_TRACE_BLOCK, at = 1 << 20, far = 1 << 24;
	const uint64_t words[] = {
		block | 0,
		at, /* 64 bytes from memory, and 8 of them are read */
		block | 0,
		at + 8, /* 8 more of them */
		block | 2,
		at + 64, /* 64 bytes from memory, then written */
		block | 3, /* nothing */
		block | 1,
		at,
		128,
		far,
		128, /* 80 once more; then 128 from memory */
		block | 1,
		at,
		64,
		block | 0,
		far, /* the first one was left in its middle */
		block | TP_AGENT_COUNTERS,
		1,
		2, /* no such block */
		block | 1,
		far,
		UINT64_MAX / 2, /* far too many, and then the trace ends */
		block | 0, /* the last one is cut */
	};

	(void)state;
	struct tp_agent_thread *thread = thread_of(&context);
	tp_agent_shared = pages(offsetof(struct tp_agent_shared, threads));
	memcpy(tp_agent_shared->caches, caches, sizeof(caches));
	tp_trace_drain(&context, traced, accesses, words, sizeof(words) / sizeof(words[0]) - 4);
	const uint64_t *from = thread->sums[5].level_bytes;
	assert_int_equal(from[4], 64 + 64 + 128);
	assert_int_equal(from[1], 64 + 80 + 64 + 8);
	assert_int_equal(from[2] + from[3], 0);
	/* What is too much ends all the same; a block without its words is none. */
	tp_trace_drain(&context, traced, accesses, words + sizeof(words) / sizeof(words[0]) - 4, 4);
	assert_true(from[4] > 256 && from[4] <= 256 + (UINT64_C(1) << 30));

	/* Another thread has caches of its own, and the third one in common. */
	struct tp_context other;
	struct tp_agent_thread *second = thread_of(&other);
	const uint64_t again[] = { block | 0, far };
	tp_trace_drain(&context, traced, accesses, again, 2);
	tp_trace_drain(&other, traced, accesses, again, 2);
	assert_int_equal(second->sums[5].level_bytes[3], 64);
}

/* A thread changes the number at `address` some times, in its own buffer. */
static void change(struct tp_context *context, uint64_t address)
{
	const uint64_t block = TP_TRACE_BLOCK | 2;
	const uint64_t words[] = { block, address, block, address, block, address };

	tp_trace_drain(context, traced, accesses, words, sizeof(words) / sizeof(words[0]));
	now_ns += 1000000;
}

static void lines_that_threads_share(void **state)
{
	enum { TURNS = 20 };
	struct tp_context one, two;
	struct tp_agent_sum *first = &thread_of(&one)->sums[5], *second = &thread_of(&two)->sums[5];
	const uint64_t line = 7 << 20;

	(void)state;
	tp_agent_shared = pages(offsetof(struct tp_agent_shared, threads));
	memcpy(tp_agent_shared->caches, caches, sizeof(caches));
	two.slot = 1;
	/* A single thread is not looked at. */
	tp_agent_shared->n_threads = 1;
	change(&one, line);
	assert_int_equal(first->accesses, 0);
	/* One that hands its numbers over once does not fight for them. */
	tp_agent_shared->n_threads = 2;
	for (int i = 0; i < TURNS; i++)
		change(&one, line);
	for (int i = 0; i < TURNS; i++)
		change(&two, line);
	assert_int_equal(first->accesses, 3 * TURNS);
	assert_int_equal(first->contested + second->contested, 0);
	/* Two numbers of one line that go back and forth. */
	for (int i = 0; i < TURNS; i++) {
		change(&one, line + 8);
		change(&two, line);
	}
	assert_true(first->contested >= 3 * (TURNS - 4));
	assert_true(second->contested >= 3 * (TURNS - 4));
	/* A line further on, and a long time later. */
	uint64_t before = first->contested;
	change(&one, line + 64);
	now_ns += 1000000000;
	change(&one, line + 8);
	assert_int_equal(first->contested, before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(working_sets),
		cmocka_unit_test(streams),
		cmocka_unit_test(strides),
		cmocka_unit_test(lines_are_split),
		cmocka_unit_test(shared_cache),
		cmocka_unit_test(least_recently_used),
		cmocka_unit_test(odd_shapes),
		cmocka_unit_test(words_of_a_trace),
		cmocka_unit_test(lines_that_threads_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
