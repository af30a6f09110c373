/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long a plan will take: estimates of the shipped presets against the time that simulations
 * take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "experiments/experiment.h"
#include "tests/unit/files.h"
#include "tests/unit/seeds.h"
#include "tests/unit/simulated_run.h"

enum { SEED = 7, POINTS_MAX = 200 };

/* Of this share of the points, and of all of them with the first touch. */
#define WITHIN 1.5
#define SHARE  0.9
/* Points that take as long beside other noise, also on a busy host. */
#define REPEATED_SHARE 0.9

static const struct estimated_machine {
	const char *model, *topology, *regime;
} machines[] = {
	{ "zen4", "synthetic:pack:1 core:4 pu:2", "quiet" },
	{ "zen4", "synthetic:pack:1 core:2 pu:1", "zen4-vm" },
	{ "sapphire-rapids", "synthetic:pack:1 core:2 pu:1", "gnr-vm" },
	{ "neoverse-v1", "synthetic:pack:2 core:4 pu:1", "quiet" },
};

static const char *const presets[] = { "quick",	  "roofline", "roofline-best", "memcurve",
				       "latency", "mixed-l1", "mixed-all",     "loaded-latency",
				       "threads", "precision" };

static void open_preset(struct simulated_run *s, const char *preset,
			const struct estimated_machine *m)
{
	char path[TP_PATH_MAX], model[64], topology[96], regime[64];
	const char *const sets[] = { model, topology, regime };
	const struct tp_overrides overrides = { sets, TP_COUNT_OF(sets) };
	struct tp_diags diags = { 0 };
	*s = (struct simulated_run){ 0 };
	snprintf(path, sizeof(path), "%s/presets/%s.yaml", source_dir(), preset);
	snprintf(model, sizeof(model), "machine=%s", m->model);
	snprintf(topology, sizeof(topology), "topology=%s", m->topology);
	snprintf(regime, sizeof(regime), "simulate=%s", m->regime);
	if (tp_session_open(&s->session, &overrides, path, true, &diags) != TP_OK)
		fail_msg("%s: %s: %s", preset, diags.items[0].where, diags.items[0].what);
	tp_diags_release(&diags);
	assert_true(tp_plan_estimate(&s->session.plan, &s->session.machine, NULL, NULL));
}

static bool is_near(double a, double b, double within)
{
	return a <= b * within && b <= a * within;
}

/* Points whose estimate is near to what they took. */
static size_t count_near(const struct simulated_run *s, const char *name)
{
	size_t n = 0;
	for (size_t i = 0; i < s->run.n_points; i++) {
		const struct tp_point *p = &s->run.points[i];
		bool near = is_near(p->estimate_seconds, p->seconds, WITHIN);
		n += near;
		if (!near)
			print_message("%s, point %zu (%s, %u threads): %.4f s estimated, %.4f s\n",
				      name, i, p->kernel, p->threads, p->estimate_seconds,
				      p->seconds);
	}
	return n;
}

struct sum {
	size_t points, near;
	size_t repeated; /* took as long in another run */
	double estimate_seconds, seconds;
};

static void measure(struct simulated_run *s, const char *regime, uint64_t seed)
{
	struct tp_diag diag = { 0 };
	if (simulated_measure(s, tp_regime_find(regime), seed, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
}

/* Points that take as long with other noise. */
static size_t count_repeated(struct simulated_run *s, const char *regime)
{
	double seconds[POINTS_MAX];
	size_t n = 0;
	assert_true(s->run.n_points <= POINTS_MAX);
	for (size_t i = 0; i < s->run.n_points; i++)
		seconds[i] = s->run.points[i].seconds;
	measure(s, regime, SEED + 1);
	for (size_t i = 0; i < s->run.n_points; i++)
		n += is_near(seconds[i], s->run.points[i].seconds, WITHIN);
	return n;
}

static void try_preset(const char *preset, const struct estimated_machine *m, struct sum *sum)
{
	struct simulated_run s;
	open_preset(&s, preset, m);
	measure(&s, m->regime, SEED);
	sum->points += s.run.n_points;
	sum->near += count_near(&s, preset);
	sum->estimate_seconds += s.session.plan.estimate_seconds;
	sum->seconds += s.seconds;
	bool quiet = strcmp(m->regime, "quiet") == 0;
	sum->repeated += quiet ? s.run.n_points : count_repeated(&s, m->regime);
	simulated_close(&s);
}

static void shipped_presets(void **state)
{
	(void)state;
	for (size_t m = 0; m < TP_SEEDS(TP_COUNT_OF(machines), 1); m++) {
		struct sum sum = { 0 };
		for (size_t i = 0; i < TP_COUNT_OF(presets); i++)
			try_preset(presets[i], &machines[m], &sum);
		print_message("%s, %s: %zu of %zu points near, %zu of two runs, "
			      "%.3f s estimated, %.3f s\n",
			      machines[m].model, machines[m].regime, sum.near, sum.points,
			      sum.repeated, sum.estimate_seconds, sum.seconds);
		/* Where noise decides how long a point takes, no estimate can be nearer than a run.
		 */
		double least = SHARE * (double)TP_MIN(sum.points, sum.repeated);
		assert_true((double)sum.near >= least);
		assert_true((double)sum.repeated >= REPEATED_SHARE * (double)sum.points);
		assert_true(is_near(sum.estimate_seconds, sum.seconds, WITHIN));
	}
}

/* A plan of more points than are simulated: the others take as long as their neighbours. */
static void many_points(void **state)
{
	const char *const sets[] = {
		"experiment=memcurve",	"machine=zen4",
		"simulate=quiet",	"topology=synthetic:pack:1 core:2 pu:1",
		"points_per_octave=40", "isa=avx2"
	};
	const struct tp_overrides overrides = { sets, TP_COUNT_OF(sets) };
	struct tp_diags diags = { 0 };
	struct simulated_run s = { 0 };
	(void)state;
	assert_int_equal(tp_session_open(&s.session, &overrides, NULL, true, &diags), TP_OK);
	assert_true(s.session.plan.n > 600);
	assert_true(tp_plan_estimate(&s.session.plan, &s.session.machine, NULL, NULL));
	measure(&s, "quiet", SEED);
	assert_true((double)count_near(&s, "memcurve") >= SHARE * (double)s.run.n_points);
	simulated_close(&s);
	tp_diags_release(&diags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_presets),
		cmocka_unit_test(many_points),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
