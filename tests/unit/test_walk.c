/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows over a large working set are slices of a walk that goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "kernels/arch.h"
#include "machine/machine.h"
#include "measure/runner.h"
#include "measure/team_parts.h"

enum { MIB = 1 << 20 };

static struct tp_kernel memory_kernel(const struct tp_isa *isa, uint64_t bytes)
{
	return (struct tp_kernel){ .kind = TP_KERNEL_MEMORY,
				   .isa = isa,
				   .element_bytes = 8,
				   .loads = 2,
				   .stores = 1,
				   .working_set_bytes = bytes };
}

static const struct tp_sampling warm; /* caches as they are */

static void only_large_sets_are_cut(void **state)
{
	static const uint64_t whole[] = { 4096, MIB, 2 * MIB, 4 * MIB };

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(whole); i++) {
		struct tp_kernel kernel = memory_kernel(tp_isa_table[0], whole[i]);
		assert_int_equal(tp_sampler_piece(&kernel).working_set_bytes, whole[i]);
	}
	struct tp_kernel large = memory_kernel(tp_isa_table[0], UINT64_C(2) << 30);
	struct tp_kernel piece = tp_sampler_piece(&large);
	assert_true(piece.working_set_bytes >= MIB / 2 && piece.working_set_bytes <= MIB);
	assert_int_equal(piece.working_set_bytes % 64, 0);
	/* A chase goes through all of its memory, and FP kernels have none. */
	large.kind = TP_KERNEL_CHASE;
	assert_int_equal(tp_sampler_piece(&large).working_set_bytes, large.working_set_bytes);
	struct tp_kernel fp = { .kind = TP_KERNEL_FP, .isa = tp_isa_table[0], .element_bytes = 8 };
	assert_int_equal(tp_sampler_piece(&fp).working_set_bytes, 0);
}

/* Lanes of a slice, of any ISA: they are whole, and do not meet in one set of a cache. */
static void a_slice_can_be_cut_into_lanes(void **state)
{
	static const unsigned strides[] = { 1, 2, 3, 16 };

	(void)state;
	for (size_t i = 0; i < tp_isa_count; i++)
		for (size_t s = 0; s < TP_COUNT_OF(strides); s++)
			for (unsigned lanes = 1; lanes <= 16; lanes *= 2) {
				struct tp_kernel kernel =
					memory_kernel(tp_isa_table[i], UINT64_C(2) << 30);
				struct tp_diag diag = { .what = "" };
				kernel.loads = 1;
				kernel.stores = 0;
				kernel.stride = strides[s];
				kernel.body.lanes = lanes;
				kernel.body.unroll = 64;
				kernel = tp_sampler_piece(&kernel);
				if (tp_kernel_check(&kernel, &diag) != TP_OK)
					fail_msg("%s", diag.what);
				assert_int_not_equal(kernel.working_set_bytes / 16 % 4096, 0);
			}
}

/* --- where the passes of a window go --- */

struct bench {
	struct tp_cpu cpu;
	struct tp_clock clock;
	struct tp_machine machine;
	struct tp_team *team;
};

static void new_team(struct bench *b)
{
	struct tp_diag diag = { .what = "" };
	unsigned cpu;

	*b = (struct bench){ .team = NULL };
	tp_arch_identify(&b->cpu);
	tp_clock_init(&b->clock, &b->cpu, 0);
	if (tp_machine_init(&b->machine, &b->cpu, NULL, "detected", NULL, &diag) != TP_OK ||
	    tp_machine_place(&b->machine, "compact", 1, &cpu, &diag) != TP_OK ||
	    tp_team_new(&b->team, &b->clock, &b->cpu, &cpu, 1, &diag) != TP_OK)
		fail_msg("%s", diag.what);
}

static void drop_team(struct bench *b)
{
	tp_team_free(b->team);
	tp_machine_release(&b->machine);
}

static char memory[256];
static size_t visited[16], n_visited;

static void visit(void *data, uint64_t passes)
{
	assert_int_equal(passes, 1);
	visited[n_visited++] = (size_t)((char *)data - memory);
}

static void passes_go_on_and_begin_again(void **state)
{
	static const size_t expected[] = { 100, 164, 0, 64, 128 };
	void *data[] = { memory };
	struct tp_window window;
	struct bench b;

	(void)state;
	new_team(&b);
	n_visited = 0;
	const struct tp_window_work work = {
		.kernel = visit,
		.data = data,
		.passes = 5,
		.walk = { .slice_bytes = 64, .bytes = 250, .from = 100 },
	};
	tp_team_window(b.team, &work, &window);
	assert_int_equal(n_visited, TP_COUNT_OF(expected));
	for (size_t i = 0; i < TP_COUNT_OF(expected); i++)
		assert_int_equal(visited[i], expected[i]);
	drop_team(&b);
}

/* --- what is flushed before a window --- */

static struct {
	size_t from, bytes;
} flushes[16];
static size_t n_flushes;

static void note_flush(const void *p, size_t bytes)
{
	assert_int_equal(n_visited, 0);
	flushes[n_flushes].from = (size_t)((const char *)p - memory);
	flushes[n_flushes++].bytes = bytes;
}

static void a_window_reads_what_was_flushed_before_it(void **state)
{
	static const size_t expected[] = { 128, 0, 64 };
	void *data[] = { memory };
	struct tp_window window;
	struct bench b;

	(void)state;
	new_team(&b);
	struct tp_arch arch = *b.clock.arch;
	arch.flush = note_flush;
	b.clock.arch = &arch;
	n_visited = n_flushes = 0;
	const struct tp_window_work work = {
		.kernel = visit,
		.data = data,
		.passes = 3,
		.walk = { .slice_bytes = 64, .bytes = 192, .from = 128, .flushed = true },
	};
	tp_team_window(b.team, &work, &window);
	assert_int_equal(n_flushes, TP_COUNT_OF(expected));
	assert_int_equal(n_visited, TP_COUNT_OF(expected));
	for (size_t i = 0; i < TP_COUNT_OF(expected); i++) {
		assert_int_equal(flushes[i].from, expected[i]);
		assert_int_equal(flushes[i].bytes, 64);
		assert_int_equal(visited[i], expected[i]);
	}
	drop_team(&b);
}

/* A line that was read is no longer in memory alone: no window reads it twice. */
static void flushed_windows_are_no_longer_than_the_walk(void **state)
{
	enum { WORKING_SET = 16 * MIB };
	const struct tp_sampling flushed = { .flushed = true };
	struct bench b;
	struct tp_runner runner;
	struct tp_sample sample;
	struct tp_diag diag = { .what = "" };

	(void)state;
	if (tp_isa_count == 0)
		skip();
	new_team(&b);
	assert_int_equal(
		tp_team_buffers(b.team, WORKING_SET, WORKING_SET, TP_PAGES_THP, NULL, &diag),
		TP_OK);
	struct tp_candidate candidate = { .kernel = memory_kernel(tp_isa_table[0], WORKING_SET) };
	candidate.kernel.stores = 0;
	if (tp_runner_init(&runner, b.team, &b.cpu, &candidate, &flushed, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	runner.passes = 1000;
	tp_runner_window(&runner, &sample);
	assert_true(runner.passes * runner.walk.slice_bytes <= WORKING_SET);
	/* Nothing has to leave the caches first. */
	runner.passes = 1;
	size_t at = b.team->walk.at;
	tp_runner_settle(&runner, WORKING_SET);
	assert_int_equal(b.team->walk.at, at);
	tp_runner_release(&runner);
	drop_team(&b);
}

/* A window has 16 MiB, but half of a smaller set, where nothing asks for a shorter one. */
static void windows_have_many_slices(void **state)
{
	static const struct {
		size_t working_set, least;
	} cases[] = { { 80 * MIB, 16 * MIB }, { 8 * MIB, 4 * MIB } };
	struct bench b;
	struct tp_runner runner;
	struct tp_diag diag = { .what = "" };

	(void)state;
	if (tp_isa_count == 0)
		skip();
	new_team(&b);
	assert_int_equal(tp_team_buffers(b.team, 80 * MIB, 0, TP_PAGES_THP, NULL, &diag), TP_OK);
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		struct tp_candidate candidate = { .kernel = memory_kernel(tp_isa_table[0],
									  cases[i].working_set) };
		if (tp_runner_init(&runner, b.team, &b.cpu, &candidate, &warm, &diag) != TP_OK)
			fail_msg("%s", diag.what);
		tp_runner_lengthen(&runner);
		size_t bytes = (size_t)runner.passes * runner.walk.slice_bytes;
		assert_true(bytes >= cases[i].least && bytes < 3 * cases[i].least / 2);
		tp_runner_release(&runner);
	}
	drop_team(&b);
}

/* Windows, and kernels, go on where the one before ended; the rate is that of the bytes moved. */
static void walks_go_on_between_windows(void **state)
{
	enum { WORKING_SET = 80 * MIB };
	struct bench b;
	struct tp_runner runner;
	struct tp_sample sample;
	struct tp_diag diag = { .what = "" };

	(void)state;
	if (tp_isa_count == 0)
		skip();
	new_team(&b);
	assert_int_equal(
		tp_team_buffers(b.team, WORKING_SET, WORKING_SET, TP_PAGES_THP, NULL, &diag),
		TP_OK);
	struct tp_candidate candidate = { .kernel = memory_kernel(tp_isa_table[0], WORKING_SET) };
	const size_t slice = tp_sampler_piece(&candidate.kernel).working_set_bytes;
	size_t at = 0;
	for (unsigned kernels = 0; kernels < 3; kernels++) {
		candidate.kernel.stores = kernels < 2;
		if (tp_runner_init(&runner, b.team, &b.cpu, &candidate, &warm, &diag) != TP_OK)
			fail_msg("%s", diag.what);
		runner.passes = 2;
		tp_runner_window(&runner, &sample);
		for (unsigned i = 0; i < runner.passes; i++)
			at = at + slice > WORKING_SET ? slice : at + slice;
		assert_int_equal(b.team->walk.at, at);
		double moved = sample.rate * sample.seconds * 1e9 / (2 * (double)slice);
		assert_true(moved > 0.999 && moved < 1.001);
		/* What went before counts as long as the kernels are alike. */
		assert_int_equal(b.team->walk.settled_bytes, (kernels == 1 ? 4 : 2) * slice);
		tp_runner_release(&runner);
	}
	drop_team(&b);
}

static void settling_goes_through_what_the_caches_hold(void **state)
{
	enum { WORKING_SET = 80 * MIB };
	struct bench b;
	struct tp_runner runner;
	struct tp_diag diag = { .what = "" };

	(void)state;
	if (tp_isa_count == 0)
		skip();
	new_team(&b);
	assert_int_equal(
		tp_team_buffers(b.team, WORKING_SET, WORKING_SET, TP_PAGES_THP, NULL, &diag),
		TP_OK);
	struct tp_candidate candidate = { .kernel = memory_kernel(tp_isa_table[0], WORKING_SET) };
	const size_t slice = tp_sampler_piece(&candidate.kernel).working_set_bytes;
	if (tp_runner_init(&runner, b.team, &b.cpu, &candidate, &warm, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	tp_runner_settle(&runner, 0);
	assert_int_equal(b.team->walk.settled_bytes, 0);
	tp_runner_settle(&runner, WORKING_SET / 2);
	size_t settled = b.team->walk.settled_bytes; /* or it took too long */
	assert_true(settled >= 16 * MIB && settled < WORKING_SET && settled % slice == 0);
	tp_runner_settle(&runner, 1);
	assert_int_equal(b.team->walk.settled_bytes, settled); /* done already */
	tp_runner_release(&runner);
	/* A set that is not a walk has used the caches meanwhile. */
	candidate.kernel.working_set_bytes = 4 * MIB;
	if (tp_runner_init(&runner, b.team, &b.cpu, &candidate, &warm, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	assert_int_equal(b.team->walk.settled_bytes, 0);
	tp_runner_settle(&runner, UINT64_MAX);
	assert_int_equal(b.team->walk.settled_bytes, 0);
	tp_runner_release(&runner);
	drop_team(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_large_sets_are_cut),
		cmocka_unit_test(a_slice_can_be_cut_into_lanes),
		cmocka_unit_test(passes_go_on_and_begin_again),
		cmocka_unit_test(a_window_reads_what_was_flushed_before_it),
		cmocka_unit_test(flushed_windows_are_no_longer_than_the_walk),
		cmocka_unit_test(windows_have_many_slices),
		cmocka_unit_test(walks_go_on_between_windows),
		cmocka_unit_test(settling_goes_through_what_the_caches_hold),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
