/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a reading of a gauge says, on pieces that a made-up core gives under known disturbances. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "measure/gauge.h"
#include "tests/unit/near.h"

#define GHZ   3.7
#define WIDTH 3.95

enum { READINGS = 4000 };

static const struct tp_gauge_unit unit = { .chain_additions = 1024, .width_additions = 4032 };

/* A core in a time of its own. */
struct core {
	uint64_t random;
	double now, ghz, share; /* share of the issue slots that is ours */
	double pauses_per_second, pause_least, pause_most, next_pause;
	double clock_step, clock_jitter;
	double turbo_seconds, next_turbo; /* mean stay in a state */
	double neighbour_seconds, next_neighbour;
};

static double uniform(struct core *c)
{
	c->random = c->random * 6364136223846793005u + 1442695040888963407u;
	return ((double)(c->random >> 11) + 0.5) * 0x1p-53;
}

static double exponential(struct core *c, double mean)
{
	return -mean * log(uniform(c));
}

static double read_clock(struct core *c)
{
	double now = c->now + c->clock_jitter * (uniform(c) + uniform(c) - 1);
	return c->clock_step > 0 ? floor(now / c->clock_step) * c->clock_step : now;
}

static double piece(struct core *c, double cycles)
{
	static const double states[] = { 3.59, 3.69, 3.79 };
	if (c->turbo_seconds > 0 && c->now >= c->next_turbo) {
		c->ghz = states[(int)(uniform(c) * 3)];
		c->next_turbo = c->now + exponential(c, c->turbo_seconds);
	}
	double begin = read_clock(c);
	double end = c->now + cycles / c->ghz * 1e-9;
	while (c->pauses_per_second > 0 && c->next_pause < end) {
		if (c->next_pause >= c->now)
			end += c->pause_least + (c->pause_most - c->pause_least) * uniform(c);
		c->next_pause += exponential(c, 1 / c->pauses_per_second);
	}
	c->now = end;
	return fmax(0, read_clock(c) - begin);
}

static void gauge(struct core *c, const struct tp_gauge_unit *u, struct tp_gauge_reading *reading)
{
	for (int i = 0; i < TP_GAUGE_PIECES; i++) {
		if (c->neighbour_seconds > 0 && c->now >= c->next_neighbour) {
			c->share = c->share < 1 ? 1 : 0.55;
			c->next_neighbour = c->now + exponential(c, c->neighbour_seconds);
		}
		reading->chain_seconds[i] = piece(c, u->chain_additions);
		reading->width_seconds[i] = piece(c, u->width_additions / (WIDTH * c->share));
	}
}

/* The next two readings, with `window_seconds` between them. */
static struct tp_core_seen see(struct core *c, const struct tp_gauge_unit *u, double window_seconds)
{
	struct tp_gauge_reading before, after;
	struct tp_core_seen seen;
	gauge(c, u, &before);
	c->now += window_seconds;
	gauge(c, u, &after);
	tp_core_see(&before, &after, u, &seen);
	return seen;
}

static bool is_whole(const struct tp_core_width *core, double width)
{
	return width >= tp_core_width_least(core);
}

static void a_quiet_core_is_read_exactly(void **state)
{
	struct core c = { .ghz = GHZ, .share = 1 };
	(void)state;
	struct tp_core_seen seen = see(&c, &unit, 1e-3);
	assert_near(seen.ghz, GHZ, 1e-6);
	assert_near(seen.width, WIDTH, 1e-6);
	assert_int_equal(seen.pauses, 0);
	/* Two readings of eight pieces of both kinds. */
	assert_near(seen.watched_seconds, 16 * (1024 + 4032 / WIDTH) / GHZ * 1e-9, 1e-12);
}

static void a_core_without_a_gauge_says_nothing(void **state)
{
	struct tp_gauge_reading none = { { 0 }, { 0 } };
	struct tp_core_seen seen = { .ghz = 1 };
	(void)state;
	tp_core_see(&none, &none, &unit, &seen);
	assert_near(seen.ghz + seen.width + seen.watched_seconds, 0, 0);
}

/* Up to half of the pieces may be spoiled, and one of them read too short. */
static void spoiled_pieces_do_not_count(void **state)
{
	(void)state;
	for (int spoiled = 0; spoiled <= TP_GAUGE_PIECES / 2; spoiled++) {
		double seconds[TP_GAUGE_PIECES];
		for (int i = 0; i < TP_GAUGE_PIECES; i++)
			seconds[i] = i < spoiled ? 3e-6 * (1 + i) : 300e-9;
		assert_near(tp_gauge_piece_seconds(seconds, 0), 300e-9, 1e-15);
		seconds[TP_GAUGE_PIECES - 1] = 200e-9;
		if (spoiled < TP_GAUGE_PIECES / 2)
			assert_near(tp_gauge_piece_seconds(seconds, 0), 300e-9, 1e-15);
	}
}

/* The clock of windows is within 1 % in 99 of 100 windows, and on average within 0.2 %. */
static void the_clock_is_true_in_every_regime(void **state)
{
	static const struct {
		const char *name;
		struct core core;
		double window_seconds;
	} regimes[] = {
		{ "quiet", { .ghz = GHZ, .share = 1 }, 2e-4 },
		{ "pauses",
		  { .ghz = GHZ,
		    .share = 1,
		    .pauses_per_second = 14000,
		    .pause_least = 2e-6,
		    .pause_most = 15e-6 },
		  2e-4 },
		{ "many pauses",
		  { .ghz = GHZ,
		    .share = 1,
		    .pauses_per_second = 60000,
		    .pause_least = 1e-6,
		    .pause_most = 4e-6 },
		  2e-4 },
		{ "jitter", { .ghz = GHZ, .share = 1, .clock_jitter = 5e-9 }, 2e-4 },
		{ "steps of 10 ns", { .ghz = GHZ, .share = 1, .clock_step = 10e-9 }, 2e-4 },
		{ "neighbour", { .ghz = GHZ, .share = 0.55, .clock_jitter = 1e-9 }, 2e-4 },
	};
	(void)state;
	for (size_t r = 0; r < TP_COUNT_OF(regimes); r++) {
		struct core c = regimes[r].core;
		struct tp_gauge_unit u = unit;
		unsigned wrong = 0;
		double sum = 0;
		u.step_seconds = c.clock_step;
		for (int i = 0; i < READINGS; i++) {
			double ghz = see(&c, &u, regimes[r].window_seconds).ghz;
			wrong += fabs(ghz / GHZ - 1) > 0.01;
			sum += ghz / READINGS;
		}
		if (wrong > READINGS / 100 || fabs(sum / GHZ - 1) > 2e-3)
			fail_msg("%s: %u of %d windows are wrong, the mean is %.4f",
				 regimes[r].name, wrong, READINGS, sum);
	}
}

/* Pieces are made long against a clock as coarse as that. */
static void a_coarse_clock_is_read_with_longer_pieces(void **state)
{
	const double step = 41e-9, longer = 5;
	struct core c = { .ghz = GHZ, .share = 1, .clock_step = step };
	struct tp_gauge_unit u = { 1024 * longer, 4032 * longer, step };
	struct tp_core_width core = { 0 };
	unsigned wrong = 0, narrow = 0;
	double sum = 0;
	(void)state;
	for (int i = 0; i < READINGS; i++) {
		struct tp_core_seen seen = see(&c, &u, 2e-4);
		wrong += fabs(seen.ghz / GHZ - 1) > 0.01;
		sum += seen.ghz / READINGS;
		core.blur = seen.blur;
		tp_core_width_learn(&core, seen.width);
		narrow += !is_whole(&core, seen.width);
	}
	assert_true(wrong <= READINGS / 100);
	assert_near(sum, GHZ, 0.002 * GHZ);
	assert_true(narrow <= READINGS / 50);
}

/* A clock that steps between readings is followed, and is not a neighbour. */
static void turbo_steps_are_followed(void **state)
{
	struct core c = { .ghz = 3.69, .share = 1, .turbo_seconds = 2e-3 };
	struct tp_core_width core = { 0 };
	unsigned wrong = 0, narrow = 0;
	(void)state;
	for (int i = 0; i < READINGS; i++) {
		double before = c.ghz;
		struct tp_core_seen seen = see(&c, &unit, 5e-5);
		wrong += fabs(seen.ghz / c.ghz - 1) > 0.01 && before == c.ghz;
		core.blur = seen.blur;
		tp_core_width_learn(&core, seen.width);
		narrow += !is_whole(&core, seen.width);
	}
	assert_true(wrong <= READINGS / 100);
	assert_true(narrow <= READINGS / 50);
}

/* Pauses are not a neighbour; a neighbour is, also among pauses and steps of the clock. */
static void a_neighbour_is_told_from_pauses(void **state)
{
	struct core c = { .ghz = GHZ,
			  .share = 1,
			  .pauses_per_second = 14000,
			  .pause_least = 2e-6,
			  .pause_most = 15e-6,
			  .clock_jitter = 2e-9,
			  .turbo_seconds = 2e-3 };
	struct tp_core_width core = { 0 };
	unsigned narrow = 0, beside = 0, seen_beside = 0, alone = 0, seen_alone = 0;
	(void)state;
	for (int i = 0; i < READINGS; i++) {
		double width = see(&c, &unit, 2e-4).width;
		tp_core_width_learn(&core, width);
		narrow += !is_whole(&core, width);
	}
	assert_true(narrow <= READINGS / 50);
	c.neighbour_seconds = 1e-3;
	for (int i = 0; i < READINGS; i++) {
		double share = c.share;
		struct tp_core_seen seen = see(&c, &unit, 2e-4);
		bool whole = is_whole(&core, seen.width);
		tp_core_width_learn(&core, seen.width);
		if (share < 1 && c.share < 1) {
			beside++;
			seen_beside += !whole;
		} else if (share == 1 && c.share == 1) {
			alone++;
			seen_alone += !whole;
		}
	}
	assert_true(beside > READINGS / 4 && alone > READINGS / 4);
	assert_true(seen_beside > 0.95 * beside);
	assert_true(seen_alone < 0.02 * alone);
}

static void pauses_are_counted(void **state)
{
	static const double rates[] = { 0, 1000, 14000, 60000 };
	(void)state;
	for (size_t r = 0; r < TP_COUNT_OF(rates); r++) {
		struct core c = { .ghz = GHZ,
				  .share = 0.5,
				  .pauses_per_second = rates[r],
				  .pause_least = 2e-6,
				  .pause_most = 15e-6 };
		struct tp_core_pauses pauses = { 0 };
		double sum = 0;
		for (int i = 0; i < READINGS; i++) {
			struct tp_core_seen seen = see(&c, &unit, 2e-4);
			tp_core_pauses_learn(&pauses, &seen);
			sum += tp_core_pauses_per_second(&pauses) / READINGS;
		}
		assert_near(sum, rates[r], 0.2 * rates[r]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_core_is_read_exactly),
		cmocka_unit_test(a_core_without_a_gauge_says_nothing),
		cmocka_unit_test(spoiled_pieces_do_not_count),
		cmocka_unit_test(the_clock_is_true_in_every_regime),
		cmocka_unit_test(a_coarse_clock_is_read_with_longer_pieces),
		cmocka_unit_test(turbo_steps_are_followed),
		cmocka_unit_test(a_neighbour_is_told_from_pauses),
		cmocka_unit_test(pauses_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
