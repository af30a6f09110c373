/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often a program runs by the stop rules of the options, and what its runs say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/experiment.h"
#include "experiments/windows/repeat.h"
#include "preset/shared_options.h"
#include "tests/unit/all_options.h"

/* Runs that take these times, the last one again and again. */
struct runs {
	const double *seconds;
	size_t n, at;
	struct tp_repeat repeat;
};

static enum tp_status once(void *context, struct tp_diag *diag)
{
	struct runs *r = context;
	size_t at = r->at < r->n ? r->at : r->n - 1;
	(void)diag;
	r->at++;
	return tp_stop_add(&r->repeat.state, r->seconds[at]);
}

static struct tp_point repeat(const char *basis, size_t least, const double *seconds, size_t n,
			      struct tp_summary *summary)
{
	struct tp_config config;
	struct tp_arena arena = { 0 };
	struct tp_diag diag;
	struct tp_point point = { 0 };
	struct runs r = { .seconds = seconds, .n = n };
	assert_int_equal(tp_config_defaults(&config, &arena, &diag), TP_OK);
	assert_int_equal(tp_option_parse(TP_OPT_STOP_BASIS, basis, &arena,
					 tp_config_at(&config, TP_OPT_STOP_BASIS), &diag),
			 TP_OK);
	r.repeat = (struct tp_repeat){
		.rule = tp_stop_rule_of(&config, least), .least = least, .once = once, .context = &r
	};
	assert_int_equal(r.repeat.rule.trim_samples, 5);
	assert_int_equal(tp_repeat_run(&r.repeat, &point, summary, &diag), TP_OK);
	assert_int_equal(point.kept, r.at);
	tp_stop_release(&r.repeat.state);
	tp_arena_release(&arena);
	return point;
}

static const double alike[] = { 2, 2, 2, 2, 2, 2 };

static void it_runs_as_often_as_it_shall(void **state)
{
	struct tp_summary summary;
	(void)state;
	struct tp_point p = repeat("median", 20, alike, 6, &summary);
	assert_int_equal(p.kept, 20);
	assert_true(p.ci_low == 2 && p.ci_high == 2 && summary.min == 2);
	assert_int_equal(p.flags, 0);
}

/* The second group does not agree: nobody asks it, as the first one has. */
static void the_trimmed_rule_goes_by_its_groups(void **state)
{
	const double groups[] = { 2, 2, 2, 2, 2, 1, 3, 9, 5, 7 };
	struct tp_summary summary;
	(void)state;
	struct tp_point p = repeat("trimmed", 12, groups, 10, &summary);
	assert_int_equal(p.kept, 5);
	assert_int_equal(p.flags, 0);
	assert_true(p.mean == 2);
}

/* The mean of all goes into the table, the interval is of those that count. */
static void outliers_leave_the_interval(void **state)
{
	double runs[12] = { 90 };
	struct tp_summary summary;
	(void)state;
	for (size_t i = 1; i < 12; i++)
		runs[i] = 30;
	struct tp_point p = repeat("sigma", 12, runs, 12, &summary);
	assert_int_equal(p.kept, 12);
	assert_true(p.mean == 35 && p.ci_low == 30 && p.ci_high == 30);
}

static void runs_that_never_agree_are_flagged(void **state)
{
	double wild[1200];
	struct tp_summary summary;
	(void)state;
	for (size_t i = 0; i < sizeof(wild) / sizeof(*wild); i++)
		wild[i] = 1 + (double)(i * 7 % 5);
	struct tp_point p = repeat("trimmed", 5, wild, 1200, &summary);
	assert_int_equal(p.flags, TP_FLAG(UNSTABLE));
	p = repeat("mean", 5, wild, 1200, &summary);
	assert_int_equal(p.flags, TP_FLAG(NOT_CONVERGED));
	assert_int_equal(p.kept, 1000);
	assert_true(summary.min == 1 && summary.max == 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_runs_as_often_as_it_shall),
		cmocka_unit_test(the_trimmed_rule_goes_by_its_groups),
		cmocka_unit_test(outliers_leave_the_interval),
		cmocka_unit_test(runs_that_never_agree_are_flagged),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
