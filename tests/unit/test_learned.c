/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimates that earlier runs correct. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "experiments/experiment.h"
#include "session/learned.h"
#include "session/session.h"
#include "tests/unit/files.h"
#include "tests/unit/seeds.h"

enum { TIMES = TP_SEEDS(40, 10) };

static char folder[] = "/tmp/tprof-learned-XXXXXX", file[sizeof(folder) + 32];

static int set_up(void **state)
{
	(void)state;
	char path[] = "/tmp/tprof-learned-XXXXXX";
	if (!mkdtemp(path))
		return -1;
	strcpy(folder, path);
	snprintf(file, sizeof(file), "%s/tprof/estimates", folder);
	return setenv("XDG_DATA_HOME", folder, 1);
}

static int tear_down(void **state)
{
	(void)state;
	return remove_tree(folder);
}

/* A plan for a machine that is simulated, with the estimates of earlier runs. */
static void plan(struct tp_session *s, const char *extra)
{
	const char *const sets[] = { "simulate=quiet",
				     "machine=zen4",
				     "topology=synthetic:pack:1 l3:1(size=33554432) "
				     "l2:2(size=1048576) l1:1(size=32768) core:1 pu:1",
				     "experiment=memcurve",
				     "isa=avx2",
				     "size_max=64KiB",
				     extra };
	const struct tp_overrides overrides = { sets, TP_COUNT_OF(sets) };
	struct tp_diags diags = { 0 };
	if (tp_session_open(s, &overrides, NULL, true, &diags) != TP_OK)
		fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
	tp_diags_release(&diags);
	assert_true(tp_session_estimate(s, NULL, NULL));
}

static void measure_as(enum tp_quality quality, const struct tp_session *s, double times,
		       const bool *old)
{
	struct tp_run run = { .n_points = s->plan.n, .wall_seconds = 1 };
	run.points = calloc(run.n_points, sizeof(*run.points));
	for (size_t i = 0; i < run.n_points; i++) {
		run.points[i] = s->plan.items[i].point;
		run.points[i].state = TP_POINT_DONE;
		run.points[i].quality = quality;
		run.points[i].seconds = times * s->plan.items[i].model_seconds;
		run.wall_seconds += run.points[i].seconds;
	}
	tp_learned_take(&s->plan, &s->machine, &run, old);
	free(run.points);
}

/* A run of the plan whose points take `times` what the simulation said, beside a second. */
static void measure(const struct tp_session *s, double times, const bool *old)
{
	measure_as(TP_QUALITY_GOOD, s, times, old);
}

/* How much longer the points of a plan are expected to take than on a simulation. */
static void expect_times(const char *extra, double times, size_t n_learned, unsigned runs)
{
	struct tp_session s;
	plan(&s, extra);
	assert_int_equal(s.plan.n_learned, n_learned == SIZE_MAX ? s.plan.n : n_learned);
	assert_int_equal(s.plan.learned_runs, runs);
	for (size_t i = 0; i < s.plan.n; i++) {
		double ratio =
			s.plan.items[i].point.estimate_seconds / s.plan.items[i].model_seconds;
		if (!(fabs(ratio / times - 1) < 1e-3))
			fail_msg("point %zu of %zu: %g instead of %g times", i, s.plan.n, ratio,
				 times);
	}
	tp_session_close(&s);
}

static void the_median_of_the_last_runs(void **state)
{
	static const double times[] = { 3, 100, 2, 2.5, 0.5, 4, 4, 4 },
			    medians[] = { 3, 17.3205, 3, 2.73861, 2.5, 2.5, 2.5, 4 };
	struct tp_session s;
	(void)state;
	plan(&s, "seed=1");
	assert_int_equal(s.plan.n_learned, 0);
	assert_int_equal(s.plan.learned_runs, 0);
	double model = 0;
	for (size_t i = 0; i < s.plan.n; i++)
		model += s.plan.items[i].model_seconds;
	for (size_t i = 0; i < TP_COUNT_OF(times); i++) {
		measure(&s, times[i], NULL);
		expect_times("seed=1", medians[i], SIZE_MAX, TP_MIN((unsigned)i + 1, 5u));
	}
	tp_session_close(&s);
	/* A random choice is no other work. */
	plan(&s, "seed=7");
	assert_int_equal(s.plan.n_learned, s.plan.n);
	tp_session_close(&s);
	/* The rest of a run is learned, too. */
	plan(&s, "seed=1");
	assert_true(fabs(s.plan.estimate_seconds - (4 * model + 1)) < 0.02 * (4 * model + 1));
	tp_session_close(&s);
}

/* Points that were never measured follow their kind; other options are another kind. */
static void kinds(void **state)
{
	struct tp_session s;
	(void)state;
	plan(&s, "seed=1");
	measure(&s, 3, NULL);
	tp_session_close(&s);
	plan(&s, "sizes=5312,11456");
	assert_int_equal(s.plan.n, 2);
	tp_session_close(&s);
	expect_times("sizes=5312,11456", 3, SIZE_MAX, 1);
	expect_times("stop.max_time=1s", 1, 0, 0);
}

/* Others do not take a hundred times as long because these did. */
static void a_ratio_has_a_limit(void **state)
{
	struct tp_session s;
	(void)state;
	plan(&s, "seed=1");
	measure(&s, 100, NULL);
	tp_session_close(&s);
	expect_times("seed=1", 100, SIZE_MAX, 1);
	expect_times("sizes=5312,11456", 4, SIZE_MAX, 1);
}

/* What an earlier part of a run had finished is no news. */
static void parts_of_a_run(void **state)
{
	struct tp_session s;
	bool old[512] = { false };
	(void)state;
	plan(&s, "seed=1");
	assert_true(s.plan.n > 2 && s.plan.n < TP_COUNT_OF(old));
	measure(&s, 3, NULL);
	memset(old, true, s.plan.n);
	measure(&s, 50, old);
	expect_times("seed=1", 3, SIZE_MAX, 1);
	tp_session_close(&s);
}

static void write_file(const char *text, size_t len)
{
	struct tp_diag diag;
	assert_int_equal(tp_file_write(TP_TYPED_FILE, file, text, len, &diag), TP_OK);
}

/* Damage is left out, and the next run writes a file that is whole. */
static void damaged_files(void **state)
{
	static const char *const texts[] = {
		"",
		"tprof estimates 2\n0000000000000001 1\n",
		"tprof estimates 1\n0000000000000000 1\nzzzz 1\n12 -1\n13 nan\n14 inf\n15 "
		"1e99\n16\n",
		"tprof estimates 1\n17 1 2 3 4 5 6 7 8 9\n17 2\n 18 x",
	};
	struct tp_session s;
	char *text;
	size_t len;
	(void)state;
	plan(&s, "seed=1");
	measure(&s, 3, NULL);
	assert_int_equal(tp_file_read(file, 1 << 20, &text, &len, NULL), TP_OK);
	for (size_t i = 0; i < TP_COUNT_OF(texts); i++) {
		write_file(texts[i], strlen(texts[i]));
		expect_times("seed=1", 1, 0, 0);
		measure(&s, 3, NULL);
		expect_times("seed=1", 3, SIZE_MAX, 1);
	}
	/* Cut anywhere: what is there counts or does not, but nothing crashes. */
	for (size_t n = 0; n < len; n += 7) {
		struct tp_session t;
		write_file(text, n);
		plan(&t, "sizes=8KiB");
		tp_session_close(&t);
	}
	free(text);
	/* Neither a pipe nor a folder is read or replaced. */
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkfifo(file, 0600), 0);
	expect_times("seed=1", 1, 0, 0);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkdir(file, 0700), 0);
	measure(&s, 3, NULL);
	expect_times("seed=1", 1, 0, 0);
	tp_session_close(&s);
}

/* Many runs of many points leave a file of bounded length, with the newest. */
static void the_file_stays_small(void **state)
{
	struct tp_session s;
	struct stat st;
	char extra[64];
	(void)state;
	for (unsigned i = 0; i < TIMES; i++) {
		snprintf(extra, sizeof(extra), "stop.max_samples=%u", 1000 + i);
		plan(&s, extra);
		measure(&s, 2 + i, NULL);
		tp_session_close(&s);
	}
	expect_times(extra, 2 + TIMES - 1, SIZE_MAX, 1);
	assert_int_equal(stat(file, &st), 0);
	assert_true(st.st_size < 1 << 20);
}

static void poor_points_teach_nothing(void **state)
{
	struct tp_session s;
	(void)state;
	plan(&s, "seed=1");
	measure_as(TP_QUALITY_POOR, &s, 3, NULL);
	measure_as(TP_QUALITY_NONE, &s, 3, NULL);
	expect_times("seed=1", 1, 0, 0);
	measure_as(TP_QUALITY_FAIR, &s, 2, NULL);
	measure_as(TP_QUALITY_POOR, &s, 3, NULL);
	expect_times("seed=1", 2, SIZE_MAX, 1);
	tp_session_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_median_of_the_last_runs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(kinds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_ratio_has_a_limit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(parts_of_a_run, set_up, tear_down),
		cmocka_unit_test_setup_teardown(poor_points_teach_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(damaged_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_file_stays_small, set_up, tear_down),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
