/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readings that were disturbed are taken again: a source whose disturbances are planted. */
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "base/memory.h"
#include "counters/crew.h"

enum { REPETITIONS = 2, MOST = 3, EXACT = 1000 };

/* What the readings of the next row are too high by; a last one that is not 0 goes on, growing. */
static struct {
	double too_high[8];
	size_t n, calls; /* two calls a reading: n passes, 2 n passes */
	bool sleeps; /* the first reading leaves its CPU */
	bool crowded; /* each does */
} plan;

static enum tp_status measure(struct tp_source *source, size_t group, const struct tp_work *work,
			      size_t repetition, double *counts, struct tp_diag *diag)
{
	size_t reading = plan.calls / 2, longer = plan.calls % 2;
	double off = reading < plan.n ? plan.too_high[reading]
		     : plan.n	      ? plan.too_high[plan.n - 1] * (double)(reading + 2)
				      : 0;

	(void)source, (void)group, (void)repetition, (void)diag;
	if ((plan.sleeps && plan.calls == 0) || plan.crowded)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	counts[0] = EXACT * (double)work->passes + (longer ? off : 0);
	plan.calls++;
	return TP_OK;
}

struct fixture {
	struct tp_source source;
	struct tp_crew *crew;
	double counts[MOST];
	unsigned left_out;
};

static void setup(struct fixture *f, bool disturbed, bool stepped)
{
	static const struct tp_source_kind kind = { .name = "planted", .measure = measure };
	static const struct tp_emulated_machine emulated = {
		.data = { { 0 }, { 2048, 64, 4 }, { 16384, 64, 8 }, { 65536, 64, 16 } },
		.code = { 2048, 64, 8 },
		.history_bits = 4,
	};
	static struct tp_count_event event = { .name = "E", .available = true };
	static size_t zero;
	static struct tp_source_group group = { &zero, 1 };
	struct tp_diag diag;
	unsigned cpu = 0;
	cpu_set_t set;

	*f = (struct fixture){ .source = { .kind = &kind,
					   .events = &event,
					   .n_events = 1,
					   .groups = &group,
					   .n_groups = 1,
					   .disturbed = disturbed } };
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	/* Stepped code is not interrupted, so nobody looks for that; the plan alone decides. */
	if (tp_crew_new(&f->crew, &f->source, stepped ? &emulated : NULL, &cpu, 1, &diag) != TP_OK)
		fail_msg("%s", diag.what);
}

static void count_row(struct fixture *f, size_t repetitions)
{
	static const struct tp_family family = { .name = "planted", .method = TP_COUNT_DIFFERENCE };
	const struct tp_counting counting = { .family = &family, .iterations = 1 };
	const struct tp_crew_task task = { .counting = &counting,
					   .repetitions = repetitions,
					   .passes = 1 };
	double iterations = 0;
	struct tp_diag diag;

	plan.calls = 0;
	f->left_out = 0;
	if (tp_crew_count(f->crew, &task, f->counts, &f->left_out, &iterations, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	assert_true(iterations > 0.5 && iterations < 1.5);
}

static void differing_readings_are_taken_again(void **state)
{
	static const struct {
		double too_high[8];
		size_t n, readings, left_out;
	} rows[] = {
		{ { 0, 0 }, 2, 2, 0 }, /* both agree */
		{ { 0, 15, 0 }, 3, 3, 1 },
		{ { 11, 0, 0 }, 3, 3, 1 },
		{ { 11, 12, 0, 0 }, 4, 4, 2 }, /* two of four */
		{ { 11, 12, 13, 0, 0, 0 }, 6, 6, 3 }, /* two of five are too few */
		{ { -999, 0, 0 }, 3, 3, 1 }, /* the shorter run was disturbed */
	};
	struct fixture f;

	(void)state;
	setup(&f, true, true);
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		plan.n = rows[i].n;
		for (size_t k = 0; k < rows[i].n; k++)
			plan.too_high[k] = rows[i].too_high[k];
		count_row(&f, REPETITIONS);
		assert_int_equal(plan.calls, 2 * rows[i].readings);
		assert_int_equal(f.left_out, rows[i].left_out);
		for (size_t r = 0; r < REPETITIONS; r++)
			assert_true(f.counts[r] == EXACT);
	}
	/* As many must agree as are wished, not only half. */
	plan.n = 3;
	plan.too_high[1] = 15;
	plan.too_high[0] = plan.too_high[2] = 0;
	count_row(&f, MOST);
	assert_int_equal(plan.calls, 8);
	assert_int_equal(f.left_out, 1);
	for (size_t r = 0; r < MOST; r++)
		assert_true(f.counts[r] == EXACT);
	tp_crew_free(f.crew);
}

/* An event that never agrees keeps its first readings, and after three rows no more are taken. */
static void restless_events_are_left_alone(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, true, true);
	plan.n = 1;
	plan.too_high[0] = 7;
	for (size_t row = 0; row < 5; row++) {
		count_row(&f, REPETITIONS);
		assert_int_equal(plan.calls, 2 * (REPETITIONS + (row < 3 ? TP_CREW_AGAIN : 0)));
		assert_int_equal(f.left_out, 0);
		assert_true(f.counts[0] == EXACT + 7 && f.counts[1] == EXACT + 21);
	}
	tp_crew_free(f.crew);
}

static void a_source_that_is_never_disturbed(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, false, true);
	plan.n = 1;
	plan.too_high[0] = 7;
	count_row(&f, REPETITIONS);
	assert_int_equal(plan.calls, 2 * REPETITIONS);
	tp_crew_free(f.crew);
}

/* Whoever leaves the CPU is disturbed, even if the counts agree. */
static void a_switch_is_seen(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, true, false);
	plan.n = 0;
	plan.sleeps = true;
	count_row(&f, REPETITIONS);
	plan.sleeps = false;
	/* A busy machine may switch others, too. */
	assert_true(plan.calls >= 2 * (REPETITIONS + 1));
	assert_true(f.left_out >= 1);
	assert_true(f.counts[0] == EXACT && f.counts[1] == EXACT);
	tp_crew_free(f.crew);
}

/* One CPU for this program and others: after three rows the counts alone say which readings count.
 */
static void a_crowded_cpu(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, true, false);
	plan.n = 0;
	plan.crowded = true;
	for (size_t row = 0; row < 5; row++) {
		count_row(&f, REPETITIONS);
		assert_int_equal(plan.calls, 2 * (REPETITIONS + (row < 3 ? TP_CREW_AGAIN : 0)));
		assert_int_equal(f.left_out, row < 3 ? TP_CREW_AGAIN : 0);
		assert_true(f.counts[0] == EXACT && f.counts[1] == EXACT);
	}
	plan.crowded = false;
	tp_crew_free(f.crew);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differing_readings_are_taken_again),
		cmocka_unit_test(restless_events_are_left_alone),
		cmocka_unit_test(a_source_that_is_never_disturbed),
		cmocka_unit_test(a_switch_is_seen),
		cmocka_unit_test(a_crowded_cpu),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
