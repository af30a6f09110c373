/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pointers of a chase, and what teams do with their buffers around it. Times are not looked at.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/process.h"
#include "base/memory.h"
#include "kernels/arch.h"
#include "kernels/kernel.h"
#include "machine/machine.h"
#include "measure/chase.h"
#include "measure/team.h"

enum { LINE = TP_CHASE_LINE_BYTES, SEED = 11 };

static char *lines_of(size_t bytes)
{
	char *data = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
	assert_non_null(data);
	memset(data, 0x5a, bytes);
	return data;
}

static void *write_chase(char *data, size_t bytes, uint64_t seed)
{
	const struct tp_chase chase = { .bytes = bytes, .seed = seed };
	void *first = NULL;
	struct tp_diag diag;
	assert_int_equal(tp_chase_write(data, &chase, &first, &diag), TP_OK);
	return first;
}

/* Follows the chase once around: every line is passed once, and the way ends where it began. */
static void assert_one_cycle(char *data, size_t bytes, void *first)
{
	size_t n = bytes / LINE;
	unsigned char *seen = calloc(n, 1);
	void *at = first;
	assert_non_null(seen);
	for (size_t i = 0; i < n; i++) {
		ptrdiff_t offset = (char *)at - data;
		if (offset < 0 || (size_t)offset >= bytes || (uintptr_t)at % sizeof(void *))
			fail_msg("step %zu of %zu leads out of the buffer", i, n);
		if (seen[offset / LINE]++)
			fail_msg("step %zu of %zu comes to a line again", i, n);
		at = *(void **)at;
	}
	assert_ptr_equal(at, first);
	free(seen);
}

static void a_chase_is_one_cycle_through_every_line(void **state)
{
	static const size_t lines[] = { 1, 2, 3, 7, 64, 511, 4096, 65537 };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(lines); i++)
		for (uint64_t seed = 0; seed < 3; seed++) {
			size_t bytes = lines[i] * LINE;
			char *data = lines_of(bytes + LINE);
			void *first = write_chase(data, bytes, seed);
			assert_one_cycle(data, bytes, first);
			for (size_t k = bytes; k < bytes + LINE; k++)
				assert_int_equal(data[k], 0x5a); /* nothing beyond its end */
			free(data);
		}
}

/* Lines by which step k of the chase moves on. */
static void steps_of(char *data, size_t n, uint64_t seed, ptrdiff_t *steps, size_t *offsets)
{
	void *at = write_chase(data, n * LINE, seed);
	for (size_t i = 0; i < n; i++) {
		void *to = *(void **)at;
		steps[i] = ((char *)to - data) / LINE - ((char *)at - data) / LINE;
		offsets[((char *)at - data) / LINE] = (size_t)((char *)at - data) % LINE;
		at = to;
	}
}

static void the_seed_alone_decides_the_order(void **state)
{
	enum { N = 4096 };
	static ptrdiff_t a[N], b[N], c[N];
	static size_t oa[N], ob[N], oc[N];
	size_t same = 0;
	char *data = lines_of(N * LINE), *other = lines_of(N * LINE);
	(void)state;
	steps_of(data, N, 1, a, oa);
	steps_of(other, N, 1, b, ob);
	steps_of(data, N, 2, c, oc);
	assert_memory_equal(a, b, sizeof(a));
	assert_memory_equal(oa, ob, sizeof(oa));
	for (size_t i = 0; i < N; i++)
		same += a[i] == c[i];
	assert_true(same < N / 50);
	free(data);
	free(other);
}

/*
 * No prefetcher could guess: steps of one line are as rare as chance has them, and pointers lie all
 * over their lines.
 */
static void the_order_has_no_pattern(void **state)
{
	enum { N = 16384 };
	static ptrdiff_t steps[N];
	static size_t offsets[N];
	size_t near = 0, repeated = 0, forward = 0, at[LINE / sizeof(void *)] = { 0 };
	char *data = lines_of(N * LINE);
	(void)state;
	steps_of(data, N, SEED, steps, offsets);
	for (size_t i = 0; i < N; i++) {
		near += labs(steps[i]) <= 2;
		repeated += i > 0 && steps[i] == steps[i - 1];
		forward += steps[i] > 0;
		at[offsets[i] / sizeof(void *)]++;
	}
	assert_true(near < 30); /* four by chance */
	assert_true(repeated < 20);
	assert_in_range(forward, N * 45 / 100, N * 55 / 100);
	for (size_t w = 0; w < TP_COUNT_OF(at); w++)
		assert_in_range(at[w], N / 10, N * 15 / 100);
	free(data);
}

/* One pointer a stride, and block after block: the chase enters each block once. */
static void blocks_are_visited_one_after_the_other(void **state)
{
	enum { STRIDE = 256, BLOCK = 16384, BYTES = 20 * BLOCK + 3 * STRIDE };
	static const struct tp_chase chase = { BYTES, STRIDE, BLOCK, SEED };
	unsigned char seen[BYTES / STRIDE] = { 0 };
	size_t entered = 0, lines[STRIDE / LINE] = { 0 };
	struct tp_diag diag;
	void *first, *at;
	char *data = lines_of(BYTES);
	(void)state;
	assert_int_equal(tp_chase_write(data, &chase, &first, &diag), TP_OK);
	at = first;
	for (size_t i = 0; i < BYTES / STRIDE; i++) {
		size_t offset = (size_t)((char *)at - data), to;
		assert_true(offset < BYTES);
		assert_int_equal(seen[offset / STRIDE]++, 0);
		lines[offset % STRIDE / LINE]++;
		at = *(void **)at;
		to = (size_t)((char *)at - data);
		entered += to / BLOCK != offset / BLOCK;
	}
	assert_ptr_equal(at, first);
	assert_int_equal(entered, 21);
	for (size_t i = 0; i < TP_COUNT_OF(lines); i++)
		assert_in_range(lines[i], BYTES / STRIDE / 6, BYTES / STRIDE / 3);
	free(data);
}

static void what_is_no_whole_lines_is_refused(void **state)
{
	_Alignas(LINE) char data[2 * LINE];
	void *first;
	struct tp_diag diag = { .what = "" };
	(void)state;
	static const struct tp_chase bad[] = {
		{ .bytes = 0 },
		{ .bytes = LINE + 8 },
		{ .bytes = LINE, .stride_bytes = 2 * LINE },
		{ .bytes = 2 * LINE, .stride_bytes = 96 },
		{ .bytes = 2 * LINE, .block_bytes = 96 },
	};
	for (size_t i = 0; i < TP_COUNT_OF(bad); i++)
		assert_int_equal(tp_chase_write(data, &bad[i], &first, &diag), TP_USAGE);
	assert_true(diag.what[0] != '\0');
}

/* --- teams --- */

struct bench {
	cpu_set_t mask; /* of the test: a team pins its caller */
	struct tp_cpu cpu;
	struct tp_clock clock;
	struct tp_machine machine;
	struct tp_team *team;
};

static void new_team(struct bench *b, unsigned threads)
{
	struct tp_diag diag = { .what = "" };
	unsigned cpus[2];
	*b = (struct bench){ .team = NULL };
	assert_int_equal(sched_getaffinity(0, sizeof(b->mask), &b->mask), 0);
	tp_arch_identify(&b->cpu);
	tp_clock_init(&b->clock, &b->cpu, 0);
	assert_int_equal(tp_machine_init(&b->machine, &b->cpu, NULL, "detected", NULL, &diag),
			 TP_OK);
	if (b->machine.n_allowed < threads || tp_isa_count == 0) {
		tp_machine_release(&b->machine);
		skip();
	}
	assert_int_equal(tp_machine_place(&b->machine, "compact", threads, cpus, &diag), TP_OK);
	if (tp_team_new(&b->team, &b->clock, &b->cpu, cpus, threads, &diag) != TP_OK)
		fail_msg("%s", diag.what);
}

static void drop_team(struct bench *b)
{
	tp_team_free(b->team);
	tp_machine_release(&b->machine);
	sched_setaffinity(0, sizeof(b->mask), &b->mask);
}

/* A number of a new buffer: from 1 to 2, so never a pointer, and never denormal. */
static void assert_numbers(const char *data, size_t bytes)
{
	const double *x = (const double *)(const void *)data;
	for (size_t i = 0; i < bytes / sizeof(*x); i++)
		if (!(x[i] >= 1 && x[i] < 2))
			fail_msg("number %zu is %g", i, x[i]);
}

static void buffers_hold_numbers_again_after_a_chase(void **state)
{
	enum { BYTES = 256 << 10, SMALL = 64 << 10 };
	struct bench b;
	struct tp_diag diag;
	(void)state;
	new_team(&b, 1);
	assert_int_equal(tp_team_buffers(b.team, BYTES, BYTES, TP_PAGES_DEFAULT, NULL, &diag),
			 TP_OK);
	char *data = tp_team_data(b.team, 0);
	assert_numbers(data, BYTES);
	const struct tp_chase chase = { .bytes = BYTES, .seed = SEED };
	assert_int_equal(tp_team_contents(b.team, 1, &chase, &diag), TP_OK);
	assert_one_cycle(data, BYTES, *(void **)tp_team_cell(b.team, 0));
	/* A smaller chase leaves no pointers of the larger one behind it. */
	const struct tp_chase smaller = { .bytes = SMALL, .seed = SEED };
	assert_int_equal(tp_team_contents(b.team, 1, &smaller, &diag), TP_OK);
	assert_one_cycle(data, SMALL, *(void **)tp_team_cell(b.team, 0));
	assert_numbers(data + SMALL, BYTES - SMALL);
	assert_int_equal(tp_team_contents(b.team, 0, NULL, &diag), TP_OK);
	assert_numbers(data, BYTES);
	drop_team(&b);
}

/* The same chase again is not written again: it goes on where it was. */
static void a_chase_goes_on_in_the_next_window(void **state)
{
	enum { BYTES = 64 << 10, LOADS = 16 };
	struct bench b;
	struct tp_diag diag;
	struct tp_code code;
	struct tp_window window;
	(void)state;
	new_team(&b, 1);
	assert_int_equal(tp_team_buffers(b.team, BYTES, BYTES, TP_PAGES_DEFAULT, NULL, &diag),
			 TP_OK);
	const struct tp_chase chase = { .bytes = BYTES, .seed = SEED };
	assert_int_equal(tp_team_contents(b.team, 1, &chase, &diag), TP_OK);
	void **cell = tp_team_cell(b.team, 0), *at = *cell;
	struct tp_kernel k = { .kind = TP_KERNEL_CHASE,
			       .isa = tp_isa_table[0],
			       .element_bytes = 8,
			       .working_set_bytes = BYTES,
			       .body.unroll = LOADS };
	assert_int_equal(tp_kernel_emit(&k, &b.cpu, &code, &diag), TP_OK);
	void *data[] = { cell };
	for (uint64_t passes = 1; passes <= 5; passes++) {
		struct tp_window_work work = { .kernel = tp_code_function(&code),
					       .data = data,
					       .passes = passes };
		tp_team_window(b.team, &work, &window);
		for (uint64_t i = 0; i < passes * LOADS; i++)
			at = *(void **)at;
		assert_ptr_equal(*cell, at);
		assert_true(window.seconds >= 0); /* shorter than a tick of some counters */
		assert_true(window.stream_gbps == 0);
		assert_int_equal(tp_team_contents(b.team, 1, &chase, &diag), TP_OK);
		assert_ptr_equal(*cell, at);
	}
	tp_code_release(&code);
	drop_team(&b);
}

/* The second thread streams as long as the first one chases; its buffer holds numbers. */
static void others_stream_beside_a_chase(void **state)
{
	enum { BYTES = 256 << 10, SLICE = 16 << 10 };
	struct bench b;
	struct tp_diag diag;
	struct tp_code loads, slice, pause;
	struct tp_window window;
	(void)state;
	new_team(&b, 2);
	assert_int_equal(tp_team_buffers(b.team, BYTES, BYTES, TP_PAGES_DEFAULT, NULL, &diag),
			 TP_OK);
	const struct tp_chase chase = { .bytes = BYTES, .seed = SEED };
	assert_int_equal(tp_team_contents(b.team, 1, &chase, &diag), TP_OK);
	assert_one_cycle(tp_team_data(b.team, 0), BYTES, *(void **)tp_team_cell(b.team, 0));
	assert_numbers(tp_team_data(b.team, 1), BYTES);
	struct tp_kernel k = { .kind = TP_KERNEL_CHASE,
			       .isa = tp_isa_table[0],
			       .element_bytes = 8 };
	assert_int_equal(tp_kernel_emit(&k, &b.cpu, &loads, &diag), TP_OK);
	k.kind = TP_KERNEL_MEMORY;
	k.loads = k.stores = 1;
	k.working_set_bytes = SLICE;
	assert_int_equal(tp_kernel_emit(&k, &b.cpu, &slice, &diag), TP_OK);
	k.kind = TP_KERNEL_CHAIN;
	assert_int_equal(tp_kernel_emit(&k, &b.cpu, &pause, &diag), TP_OK);
	struct tp_window_stream stream = { .slice = tp_code_function(&slice),
					   .slice_bytes = SLICE,
					   .bytes = BYTES,
					   .pause_passes = 4 };
	void *data[] = { tp_team_cell(b.team, 0), tp_team_cell(b.team, 1) };
	struct tp_window_work work = { .kernel = tp_code_function(&loads),
				       .data = data,
				       .passes = 400,
				       .lead_passes = 10,
				       .alone = true,
				       .stream = &stream };
	/* Evicting is for the thread that chases: what another is given is left alone. */
	void *own = data[1];
	data[1] = (void *)(uintptr_t)BYTES; /* nothing is mapped there */
	const struct tp_kernel chased = { .kind = TP_KERNEL_CHASE };
	work.described = &chased;
	work.evict_bytes = BYTES;
	tp_team_window(b.team, &work, &window);
	assert_true(window.seconds > 0);
	work.evict_bytes = 0;
	data[1] = own;
	for (int paused = 0; paused < 2; paused++) {
		stream.pause = paused ? tp_code_function(&pause) : NULL;
		/* On a busy machine the streaming thread may get no time in a window. */
		double streamed = 0;
		for (int i = 0; i < 1000 && (i < 3 || !(streamed > 0)); i++) {
			tp_team_window(b.team, &work, &window);
			assert_true(window.seconds > 0);
			streamed += window.stream_gbps;
		}
		assert_true(streamed > 0);
	}
	assert_numbers(tp_team_data(b.team, 1), BYTES);
	work.stream = NULL;
	tp_team_window(b.team, &work, &window);
	assert_true(window.stream_gbps == 0);
	tp_code_release(&loads);
	tp_code_release(&slice);
	tp_code_release(&pause);
	drop_team(&b);
}

/* A process that was asked to end does not build a large chase first. */
static void a_chase_is_given_up(void **state)
{
	enum { LINES = 1 << 17 };
	struct tp_chase chase = { .bytes = (size_t)LINES * LINE, .seed = SEED };
	char *data = lines_of(chase.bytes);
	struct tp_diag diag;
	void *first;
	(void)state;
	tp_stop_asked = 1;
	enum tp_status status = tp_chase_write(data, &chase, &first, &diag);
	tp_stop_asked = 0;
	assert_int_equal(status, TP_CANCELLED);
	assert_int_equal(tp_chase_write(data, &chase, &first, &diag), TP_OK);
	free(data);
}

/* The signal sets the flag and ends a wait, not the process. */
static void a_signal_asks_to_end(void **state)
{
	(void)state;
	tp_stop_listen();
	assert_int_equal(tp_stop_asked, 0);
	raise(SIGTERM);
	assert_int_not_equal(tp_stop_asked, 0);
	tp_stop_asked = 0;
	signal(SIGTERM, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chase_is_one_cycle_through_every_line),
		cmocka_unit_test(the_seed_alone_decides_the_order),
		cmocka_unit_test(the_order_has_no_pattern),
		cmocka_unit_test(blocks_are_visited_one_after_the_other),
		cmocka_unit_test(what_is_no_whole_lines_is_refused),
		cmocka_unit_test(buffers_hold_numbers_again_after_a_chase),
		cmocka_unit_test(a_chase_goes_on_in_the_next_window),
		cmocka_unit_test(others_stream_beside_a_chase),
		cmocka_unit_test(a_chase_is_given_up),
		cmocka_unit_test(a_signal_asks_to_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
