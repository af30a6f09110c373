/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiled code on a team: every thread has its data, and OpenMP shares loops where it may. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <string.h>

#include "machine/machine.h"
#include "measure/sampler.h"
#include "record/point.h"

enum { THREADS = 2, ITEMS = 1000 };

struct part {
	unsigned calls;
	int cpu;
	uint64_t passes;
	unsigned char *items;
	uint64_t shared;
};

struct fixture {
	struct tp_machine machine;
	struct tp_clock clock;
	struct tp_team *team;
	unsigned cpus[THREADS], n;
	struct part parts[THREADS];
	void *data[THREADS];
	unsigned char items[ITEMS];
};

static void set_up(struct fixture *f, bool openmp)
{
	struct tp_diag diag = { 0 };
	memset(f, 0, sizeof(*f));
	struct tp_cpu cpu;
	tp_arch_identify(&cpu);
	assert_int_equal(tp_machine_init(&f->machine, &cpu, NULL, NULL, NULL, &diag), TP_OK);
	tp_clock_init(&f->clock, &f->machine.cpu, 0);
	for (size_t i = 0; i < f->machine.n_pus && f->n < THREADS; i++)
		if (f->machine.pus[i].allowed)
			f->cpus[f->n++] = f->machine.pus[i].os_index;
	for (unsigned i = 0; i < f->n; i++) {
		f->parts[i].items = f->items;
		f->data[i] = &f->parts[i];
	}
	enum tp_status status = (openmp ? tp_openmp_team_new : tp_team_new)(
		&f->team, &f->clock, &f->machine.cpu, f->cpus, f->n, &diag);
#ifndef _OPENMP
	if (openmp) {
		tp_machine_release(&f->machine);
		skip();
	}
#endif
	if (status != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
}

static void tear_down(struct fixture *f)
{
	tp_team_free(f->team);
	tp_machine_release(&f->machine);
}

static void note_call(void *data, uint64_t passes)
{
	struct part *part = data;
	part->calls++;
	part->passes += passes;
	part->cpu = sched_getcpu();
}

static void hold_each_thread(bool openmp)
{
	struct fixture f;
	set_up(&f, openmp);
	tp_team_run(f.team, note_call, f.data);
	for (unsigned i = 0; i < f.n; i++) {
		assert_int_equal(f.parts[i].calls, 1);
		assert_int_equal(f.parts[i].passes, 1);
		assert_int_equal(f.parts[i].cpu, f.cpus[i]);
	}
	tear_down(&f);
}

static void test_each_thread_has_its_data(void **state)
{
	(void)state;
	hold_each_thread(false);
	hold_each_thread(true);
}

/* A worksharing construct that stands in a function of its own. */
static void share_items(void *data, uint64_t passes)
{
	struct part *part = data;
	for (uint64_t pass = 0; pass < passes; pass++) {
#ifdef _OPENMP
#pragma omp for schedule(static)
#endif
		for (int i = 0; i < ITEMS; i++) {
			part->items[i]++;
			part->shared++;
		}
	}
}

static void test_openmp_shares_the_loop(void **state)
{
	(void)state;
	struct fixture f;
	set_up(&f, true);
	tp_team_run(f.team, share_items, f.data);
	for (int i = 0; i < ITEMS; i++)
		assert_int_equal(f.items[i], 1);
	for (unsigned i = 0; i < f.n; i++)
		assert_int_equal(f.parts[i].shared, ITEMS / f.n);
	tear_down(&f);
}

/* The next team of OpenMP may have another size. */
static void test_openmp_teams_follow_each_other(void **state)
{
	(void)state;
	struct fixture f;
	struct tp_diag diag = { 0 };
	set_up(&f, true);
	for (unsigned n = f.n; n >= 1; n--) {
		tp_team_free(f.team);
		memset(f.items, 0, sizeof(f.items));
		assert_int_equal(
			tp_openmp_team_new(&f.team, &f.clock, &f.machine.cpu, f.cpus, n, &diag),
			TP_OK);
		tp_team_run(f.team, share_items, f.data);
		for (int i = 0; i < ITEMS; i++)
			assert_int_equal(f.items[i], 1);
	}
	tear_down(&f);
}

static void work(void *data, uint64_t passes)
{
	struct part *part = data;
	for (uint64_t i = 0; i < 1000 * passes; i++)
		*(volatile uint64_t *)&part->passes += 1;
}

static void test_windows_are_sampled(void **state)
{
	(void)state;
	struct fixture f;
	struct tp_diag diag = { 0 };
	struct tp_kernel_row row = { .working_set_bytes = sizeof(struct part) };
	struct tp_point point = { .row = &row, .threads = 1, .kernel = "counting" };
	set_up(&f, false);
	const struct tp_compiled compiled = { .function = work,
					      .data = f.data,
					      .work_per_pass = 8000.0 * f.n };
	const struct tp_candidate candidate = { .kernel.working_set_bytes = sizeof(struct part),
						.compiled = &compiled };
	const struct tp_sampling sampling = {
		.window_seconds = 100e-6,
		.keep_within = 0.02,
		.rule = { .max_seconds = 0.2,
			  .max_samples = 100,
			  .confidence = 0.95,
			  .error = 0.5,
			  .min_count = 5 },
	};
	point.threads = f.n;
	assert_int_equal(tp_sampler_run(f.team, &f.machine.cpu, &candidate, &sampling, NULL, 0,
					&point, &diag),
			 TP_OK);
	assert_true(point.n_samples >= 5);
	assert_true(point.median > 0);
	/* A thread needs at least a cycle for an addition in memory: 8 GB/s at 1 GHz. */
	double seconds = tp_team_thread_seconds(f.team, 0);
	assert_true(seconds > 0 && seconds < 0.2);
	for (size_t i = 0; i < point.n_samples; i++) {
		const struct tp_sample *s = &point.samples[i];
		double passes = s->rate * s->seconds / (8000e-9 * f.n);
		assert_true(passes > 0.99);
		assert_true(passes - (uint64_t)(passes + 0.5) < 0.01);
	}
	tp_point_release(&point);
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_thread_has_its_data),
		cmocka_unit_test(test_openmp_shares_the_loop),
		cmocka_unit_test(test_openmp_teams_follow_each_other),
		cmocka_unit_test(test_windows_are_sampled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
