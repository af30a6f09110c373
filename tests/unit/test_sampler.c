/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which windows count, and what a point says of itself: on samples made up for the purpose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/near.h"
#include "base/str.h"
#include "base/memory.h"
#include "measure/sampler.h"
#include "record/point.h"

#define KEEP_WITHIN 0.05
#define GHZ	    3.7

enum { MOST = 512 };

struct made {
	struct tp_sample samples[MOST];
	uint32_t flags[MOST];
	size_t n;
};

static void add(struct made *m, size_t count, double rate, double ghz, uint32_t flags)
{
	while (count-- > 0)
		m->samples[m->n++] = (struct tp_sample){
			.seconds = 1e-3, .rate = rate, .core_ghz = ghz, .flags = flags
		};
}

static size_t keep(struct made *m)
{
	memset(m->flags, 0xff, sizeof(m->flags));
	return tp_sampler_keep(m->samples, m->n, KEEP_WITHIN, m->flags);
}

/* Samples [from, to) carry exactly `flags`. */
static void assert_marked(const struct made *m, size_t from, size_t to, uint32_t flags)
{
	for (size_t i = from; i < to; i++)
		if (m->flags[i] != flags)
			fail_msg("sample %zu of %zu is marked %#x, not %#x", i, m->n, m->flags[i],
				 flags);
}

static void quiet_samples_are_all_kept(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 100; n++) {
		struct made m = { .n = 0 };
		for (size_t i = 0; i < n; i++)
			add(&m, 1, 100 - 0.01 * (double)(i * 7 % n), GHZ, 0);
		assert_int_equal(keep(&m), n);
		assert_marked(&m, 0, n, 0);
	}
}

static void no_samples_are_no_trouble(void **state)
{
	struct made m = { .n = 0 };
	(void)state;
	assert_int_equal(keep(&m), 0);
}

static void what_was_observed_is_dropped(void **state)
{
	static const uint32_t hard[] = { TP_FLAG(CTX_SWITCH), TP_FLAG(MIGRATED),
					 TP_FLAG(PAGE_FAULT),
					 TP_FLAG(CTX_SWITCH) | TP_FLAG(PAGE_FAULT) };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(hard); i++) {
		struct made m = { .n = 0 };
		add(&m, 20, 100, GHZ, 0);
		add(&m, 3, 100, GHZ, hard[i]); /* as fast as the others, and still not trusted */
		add(&m, 2, 60, GHZ, hard[i]);
		assert_int_equal(keep(&m), 20);
		assert_marked(&m, 0, 20, 0);
		assert_marked(&m, 20, 23, hard[i]);
		assert_marked(&m, 23, 25, hard[i] | TP_FLAG(DISTURBED));
	}
}

/* A mark of an earlier look does not stick: which windows are slow depends on the others. */
static void old_marks_are_judged_again(void **state)
{
	struct made m = { .n = 0 };
	(void)state;
	add(&m, 20, 100, GHZ, TP_FLAG(DISTURBED));
	assert_int_equal(keep(&m), 20);
	assert_marked(&m, 0, 20, 0);
}

static void hard_flags_do_not_set_the_fast_mode(void **state)
{
	struct made m = { .n = 0 };
	(void)state;
	add(&m, 10, 200, GHZ,
	    TP_FLAG(MIGRATED)); /* faster than possible: a clock read on two CPUs */
	add(&m, 20, 100, GHZ, 0);
	assert_int_equal(keep(&m), 20);
	assert_marked(&m, 10, 30, 0);
}

static void a_slow_tail_is_dropped(void **state)
{
	struct made m = { .n = 0 };
	(void)state;
	add(&m, 40, 100, GHZ, 0);
	add(&m, 1, 95.1, GHZ, 0); /* just inside */
	add(&m, 1, 94.9, GHZ, 0); /* just outside */
	for (int i = 0; i < 8; i++)
		add(&m, 1, 90 - 10 * i, GHZ, 0);
	assert_int_equal(keep(&m), 41);
	assert_marked(&m, 0, 41, 0);
	assert_marked(&m, 41, 50, TP_FLAG(DISTURBED));
}

/*
 * A neighbour that comes and goes: two speeds. The faster is the machine's, even if it was seen
 * less often.
 */
static void of_two_modes_the_fast_one_counts(void **state)
{
	static const size_t fast_counts[] = { 80, 50, 20, 10 };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(fast_counts); i++) {
		struct made m = { .n = 0 };
		size_t fast = fast_counts[i];
		add(&m, 100 - fast, 70, GHZ, 0);
		add(&m, fast, 100, GHZ, 0);
		assert_int_equal(keep(&m), fast);
		assert_marked(&m, 0, 100 - fast, TP_FLAG(DISTURBED));
		assert_marked(&m, 100 - fast, 100, 0);
	}
}

static void one_or_two_odd_readings_are_no_mode(void **state)
{
	(void)state;
	for (size_t odd = 1; odd <= 2; odd++) {
		struct made m = { .n = 0 };
		add(&m, odd, 150, GHZ, 0);
		add(&m, 30, 100, GHZ, 0);
		assert_int_equal(keep(&m), 30 + odd);
	}
}

/* Where only the core decides, windows are compared by what they do in a cycle. */
static void clock_steps_drop_nothing_inside_a_core(void **state)
{
	static const double clocks[] = { 3.59, 3.69, 3.79 };
	(void)state;
	struct made m = { .n = 0 };
	for (size_t i = 0; i < 60; i++)
		add(&m, 1, 96 * clocks[i / 5 % 3] * (1 - 0.001 * (double)(i % 4)),
		    clocks[i / 5 % 3], 0);
	add(&m, 2, 96 * 3.69, 0, 0); /* an unknown clock is the usual one */
	memset(m.flags, 0xff, sizeof(m.flags));
	assert_int_equal(tp_sampler_keep(m.samples, m.n, 0.02, m.flags), m.n);
	assert_marked(&m, 0, m.n, 0);
	/* As fast as the slowest of them, but not at its clock. */
	add(&m, 1, 96 * 3.59, 3.79, 0);
	assert_int_equal(tp_sampler_keep(m.samples, m.n, 0.02, m.flags), m.n - 1);
	assert_marked(&m, m.n - 1, m.n, TP_FLAG(DISTURBED));
	/* Beyond the core, the clock does not decide. */
	assert_int_equal(tp_sampler_keep(m.samples, m.n, 0.10, m.flags), m.n);
}

/* Pauses make each window slower by what they last; those without one lie close together. */
static void of_paused_windows_the_whole_ones_count(void **state)
{
	uint64_t random = 7;
	(void)state;
	for (size_t whole = 30; whole <= 70; whole += 20) {
		struct made m = { .n = 0 };
		for (size_t i = 0; i < 200; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			double u = (double)(random >> 40) / (1 << 24);
			bool paused = i % 10 >= whole / 10;
			add(&m, 1, 100 * (1 + 0.003 * (u - 0.5)) * (paused ? 0.95 - 0.25 * u : 1),
			    GHZ, 0);
		}
		memset(m.flags, 0xff, sizeof(m.flags));
		assert_int_equal(tp_sampler_keep(m.samples, m.n, 0.02, m.flags), 2 * whole);
	}
}

/* Windows that differ by nature, to both sides: their middle must stay in the middle. */
static void a_natural_spread_is_not_cut_on_one_side(void **state)
{
	uint64_t random = 11;
	(void)state;
	struct made m = { .n = 0 };
	for (size_t i = 0; i < 400; i++) {
		double sum = 0;
		for (int k = 0; k < 12; k++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			sum += (double)(random >> 40) / (1 << 24);
		}
		add(&m, 1, 100 * (1 + 0.012 * (sum - 6)), GHZ, 0);
	}
	tp_sampler_keep(m.samples, m.n, 0.02, m.flags);
	size_t above = 0, kept = 0;
	for (size_t i = 0; i < m.n; i++) {
		kept += !m.flags[i];
		above += !m.flags[i] && m.samples[i].rate > 100;
	}
	assert_true(kept > 0.9 * (double)m.n);
	assert_near((double)above / (double)kept, 0.5, 0.1);
}

/* Nothing clean: the faster half is the best that can be said. */
static void if_all_are_disturbed_the_fast_mode_decides(void **state)
{
	struct made m = { .n = 0 };
	(void)state;
	for (int i = 0; i < 20; i++)
		add(&m, 1, 100 - i, GHZ, TP_FLAG(CTX_SWITCH));
	/* The three fastest are as close together as any: 99, and 94.05 is the least that counts.
	 */
	assert_int_equal(keep(&m), 6);
	assert_marked(&m, 0, 6, 0);
	for (size_t i = 6; i < 20; i++)
		assert_true(m.flags[i] & TP_FLAG(CTX_SWITCH));
}

/* --- points --- */

static struct tp_sampling sampling_of(enum tp_stop_basis basis)
{
	return (struct tp_sampling){ .window_seconds = 1e-3,
				     .keep_within = KEEP_WITHIN,
				     .rule = { .confidence = 0.99,
					       .error = 0.01,
					       .min_count = 8,
					       .max_samples = 1000,
					       .max_seconds = 1,
					       .basis = basis,
					       .trim_samples = 5,
					       .trim_tolerance = 0.02,
					       .trim_tries = 5 } };
}

static struct tp_point point_of(const struct made *m, unsigned threads)
{
	static struct tp_kernel_row row;
	row = (struct tp_kernel_row){ .loads = 1 };
	struct tp_point p = { .kernel = "load", .threads = threads, .row = &row };
	for (size_t i = 0; i < m->n; i++)
		tp_point_add_sample(&p, &m->samples[i]);
	return p;
}

static void summarise(struct tp_point *p, enum tp_stop_basis basis)
{
	struct tp_sampling sampling = sampling_of(basis);
	struct tp_diag diag = { .what = "" };
	if (tp_sampler_summarise(p, &sampling, &diag) != TP_OK)
		fail_msg("%s", diag.what);
}

static void assert_flags(const struct tp_point *p, uint32_t flags)
{
	char got[256], expected[256];
	tp_flags_text(p->flags, got, sizeof(got));
	tp_flags_text(flags, expected, sizeof(expected));
	assert_string_equal(got, expected);
}

/* 100.0, 100.1, ... 101.9 in mixed order: the ranks for 99 % are 4 and 17. */
static void make_ramp(struct made *m)
{
	for (size_t i = 0; i < 20; i++)
		add(m, 1, 100 + 0.1 * (double)(i * 7 % 20), GHZ, 0);
}

static void a_point_has_the_statistics_of_its_kept_samples(void **state)
{
	(void)state;
	for (int disturbed = 0; disturbed <= 4; disturbed++) {
		struct made m = { .n = 0 };
		make_ramp(&m);
		add(&m, (size_t)disturbed, 30, GHZ, TP_FLAG(CTX_SWITCH));
		struct tp_point p = point_of(&m, 2);
		tp_kernel_row_of(&p)->instructions_per_work = 1.0 / 32; /* 32-byte loads */
		summarise(&p, TP_BASIS_MEDIAN);
		assert_int_equal(p.kept, 20);
		assert_near(tp_kernel_row(&p)->median_gbps, 100.95, 1e-9);
		assert_near(tp_kernel_row(&p)->best_gbps, 101.9, 1e-9);
		assert_near(tp_kernel_row(&p)->median_gflops, 0, 0);
		assert_near(p.mean, 100.95, 1e-9);
		assert_near(p.stddev, 0.1 * sqrt(35),
			    1e-9); /* of 0..19: (n^2 - 1) / 12 * n / (n - 1) */
		assert_near(p.mad, 0.5, 1e-9);
		assert_near(p.ci_low, 100.3, 1e-9);
		assert_near(p.ci_high, 101.6, 1e-9);
		assert_near(p.core_ghz, GHZ, 1e-12);
		assert_near(tp_kernel_row(&p)->bytes_per_cycle, 100.95 / (2 * GHZ), 1e-9);
		assert_near(tp_kernel_row(&p)->ipc, 100.95 / 32 / (2 * GHZ), 1e-9);
		assert_flags(&p, 0); /* enough others are left */
		assert_near(tp_point_median(&p), tp_kernel_row(&p)->median_gbps, 0);
		tp_point_release(&p);
	}
}

static void the_basis_decides_the_headline(void **state)
{
	struct made m = { .n = 0 };
	(void)state;
	/*
	 * Two groups of five; the last agrees once its extremes are gone. Median 99.7, mean 100.17.
	 */
	static const double rates[] = { 99, 99, 99, 99, 99, 100.4, 101.2, 101.3, 101.4, 102.4 };
	for (size_t i = 0; i < TP_COUNT_OF(rates); i++)
		add(&m, 1, rates[i], GHZ, 0);
	struct tp_point p = point_of(&m, 1);
	summarise(&p, TP_BASIS_MEAN);
	assert_near(tp_kernel_row(&p)->median_gbps, 100.17, 1e-9);
	assert_true(p.ci_low < 100.17 && p.ci_high > 100.17);
	summarise(&p, TP_BASIS_SIGMA); /* no window is 3 sigma away */
	assert_near(tp_kernel_row(&p)->median_gbps, 100.17, 1e-9);
	summarise(&p, TP_BASIS_MEDIAN);
	assert_near(tp_kernel_row(&p)->median_gbps, (99 + 100.4) / 2, 1e-9);
	summarise(&p, TP_BASIS_TRIMMED);
	assert_near(tp_kernel_row(&p)->median_gbps, 101.3, 1e-9);
	assert_true(p.ci_low < 101.3 && p.ci_high > 101.3 && p.ci_high < 102.4);
	tp_point_release(&p);
}

static void fp_and_mixed_points_are_in_flops(void **state)
{
	static const double intensities[] = { 0, 0.25, 4 };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(intensities); i++) {
		struct made m = { .n = 0 };
		double ai = intensities[i];
		make_ramp(&m);
		struct tp_point p = point_of(&m, 1);
		tp_copy(tp_kernel_row_of(&p)->fp_op, sizeof(tp_kernel_row(&p)->fp_op), "fma");
		tp_kernel_row_of(&p)->ai_flop_per_byte = ai;
		summarise(&p, TP_BASIS_MEDIAN);
		assert_near(tp_kernel_row(&p)->median_gflops, 100.95, 1e-9);
		assert_near(tp_kernel_row(&p)->best_gflops, 101.9, 1e-9);
		assert_near(tp_kernel_row(&p)->median_gbps, ai > 0 ? 100.95 / ai : 0, 1e-9);
		assert_near(tp_kernel_row(&p)->flop_per_cycle, 100.95 / GHZ, 1e-9);
		assert_near(tp_kernel_row(&p)->bytes_per_cycle, ai > 0 ? 100.95 / ai / GHZ : 0,
			    1e-9);
		tp_point_release(&p);
	}
}

/* Rates of a chase are loads per ns: 0.02 is 50 ns a load. */
static void a_chase_is_told_in_ns(void **state)
{
	struct made m = { .n = 0 };
	double ns[20], sum = 0, squares = 0;
	(void)state;
	for (size_t i = 0; i < 20; i++) {
		ns[i] = 50 + 0.05 * (double)(i * 7 % 20);
		add(&m, 1, 1 / ns[i], GHZ, 0);
		sum += ns[i];
	}
	add(&m, 3, 1 / 80.0, GHZ, 0); /* slow windows are dropped, as of bandwidths */
	struct tp_point p = point_of(&m, 2);
	tp_copy(p.kernel, sizeof(p.kernel), "chase");
	p.less_is_better = true;
	for (size_t i = 0; i < 20; i++)
		squares += (ns[i] - sum / 20) * (ns[i] - sum / 20);
	summarise(&p, TP_BASIS_MEDIAN);
	assert_int_equal(p.kept, 20);
	/* The middle of two rates is not quite that of their times. */
	assert_near(tp_kernel_row(&p)->median_ns, 2 / (1 / 50.45 + 1 / 50.5), 1e-9);
	assert_near(tp_kernel_row(&p)->best_ns, 50, 1e-9);
	assert_near(p.ci_low, 50.15, 1e-9); /* ranks 4 and 17, as of rates */
	assert_near(p.ci_high, 50.8, 1e-9);
	assert_near(p.mean, sum / 20, 1e-9);
	assert_near(p.stddev, sqrt(squares / 19), 1e-9);
	assert_near(p.mad, 0.25, 1e-9);
	assert_near(tp_point_median(&p), tp_kernel_row(&p)->median_ns, 0);
	assert_near(tp_kernel_row(&p)->median_gbps + tp_kernel_row(&p)->best_gbps +
			    tp_kernel_row(&p)->bytes_per_cycle + tp_kernel_row(&p)->ipc,
		    0, 0);
	assert_flags(&p, 0);
	tp_point_release(&p);
}

/* What hinders the streams makes the chase fast: such windows say nothing of the load. */
static void windows_with_hindered_streams_are_dropped(void **state)
{
	struct made m = { .n = 0 };
	(void)state;
	for (size_t i = 0; i < 30; i++) {
		bool hindered = i % 5 == 0;
		add(&m, 1, hindered ? 1 / 100.0 : 1 / 200.0, GHZ, 0);
		m.samples[i].stream_gbps = hindered ? (i ? 1 : 0) : 30 - 0.1 * (double)(i % 4);
	}
	struct tp_point p = point_of(&m, 2);
	tp_copy(p.kernel, sizeof(p.kernel), "chase+load");
	p.less_is_better = true;
	summarise(&p, TP_BASIS_MEDIAN);
	assert_int_equal(p.kept, 24);
	assert_near(tp_kernel_row(&p)->median_ns, 200, 1e-9);
	assert_near(tp_kernel_row(&p)->best_ns, 200, 1e-9);
	assert_true(tp_kernel_row(&p)->median_gbps > 29.6 && tp_kernel_row(&p)->median_gbps <= 30);
	assert_near(tp_kernel_row(&p)->best_gbps, 30, 1e-9);
	for (size_t i = 0; i < p.n_samples; i++)
		assert_int_equal(p.samples[i].flags, i % 5 ? 0 : TP_FLAG(DISTURBED));
	tp_point_release(&p);
}

static void drift_and_missing_frequency_are_flagged(void **state)
{
	static const struct {
		double first, last, middle;
		uint32_t flags;
	} rows[] = {
		{ 3.7, 3.7, 3.7, 0 },
		{ 3.7, 3.68, 3.69, 0 },
		{ 3.7, 3.65, 3.675, TP_FLAG(FREQ_DRIFT) },
		{ 3.65, 3.7, 3.675, TP_FLAG(FREQ_DRIFT) },
		{ 0, 0, 0, TP_FLAG(NO_FREQ) },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct made m = { .n = 0 };
		add(&m, 20, 100, rows[i].first, 0);
		add(&m, 20, 100, rows[i].last, 0);
		struct tp_point p = point_of(&m, 1);
		summarise(&p, TP_BASIS_MEDIAN);
		assert_flags(&p, rows[i].flags);
		assert_near(p.core_ghz, rows[i].middle, 1e-12);
		assert_near(p.core_ghz_after, rows[i].last, 1e-12);
		if (rows[i].flags & TP_FLAG(NO_FREQ))
			assert_near(tp_kernel_row(&p)->bytes_per_cycle +
					    tp_kernel_row(&p)->flop_per_cycle +
					    tp_kernel_row(&p)->ipc,
				    0, 0);
		tp_point_release(&p);
	}
}

/* Whatever state it happened to end in. */
static void a_clock_that_steps_to_and_fro_has_not_drifted(void **state)
{
	static const double clocks[] = { 3.79, 3.59, 3.69, 3.59, 3.79, 3.69, 3.59 };
	struct made m = { .n = 0 };
	(void)state;
	for (size_t i = 0; i < 70; i++)
		add(&m, 1, 26 * clocks[i / 3 % 7], clocks[i / 3 % 7], 0);
	struct tp_point p = point_of(&m, 1);
	struct tp_sampling sampling = sampling_of(TP_BASIS_MEDIAN);
	sampling.keep_within = 0.02;
	assert_int_equal(tp_sampler_summarise(&p, &sampling, NULL), TP_OK);
	assert_flags(&p, 0);
	assert_int_equal(p.kept, 70);
	assert_near(p.core_ghz, 3.69, 1e-12);
	tp_point_release(&p);
}

/* Each window has its own clock; what the point does in a cycle is no more than any of them did. */
static void per_cycle_values_are_those_of_the_windows(void **state)
{
	static const double clocks[] = { 3.79, 3.59, 3.69 };
	struct made m = { .n = 0 };
	(void)state;
	for (size_t i = 0; i < 30; i++)
		add(&m, 1, 96 * clocks[i % 3], clocks[i % 3], 0);
	add(&m, 10, 48 * 3.79, 3.79, TP_FLAG(SIBLING)); /* dropped, and so is its clock */
	struct tp_point p = point_of(&m, 1);
	struct tp_sampling sampling = sampling_of(TP_BASIS_MEDIAN);
	sampling.keep_within = 0.02;
	assert_int_equal(tp_sampler_summarise(&p, &sampling, NULL), TP_OK);
	assert_near(tp_kernel_row(&p)->bytes_per_cycle, 96, 1e-9);
	assert_near(p.core_ghz, 3.69, 1e-12);
	assert_near(p.median, 96 * 3.69, 1e-9);
	assert_flags(&p, 0);
	tp_point_release(&p);
}

/* What spoiled most windows is said, and what spoiled those that count for want of better. */
static void reasons_are_said_if_the_point_suffers(void **state)
{
	(void)state;
	for (size_t beside = 8; beside <= 24; beside += 8) {
		struct made m = { .n = 0 };
		add(&m, 16, 100, GHZ, 0);
		add(&m, beside, 60, GHZ, TP_FLAG(SIBLING));
		struct tp_point p = point_of(&m, 1);
		summarise(&p, TP_BASIS_MEDIAN);
		assert_int_equal(p.kept, 16);
		assert_flags(&p, beside > 16 ? TP_FLAG(SIBLING) : 0);
		tp_point_release(&p);
	}
}

static void few_undisturbed_windows_are_said(void **state)
{
	static const struct {
		size_t quiet, slow;
		uint32_t flags;
	} rows[] = {
		{ 20, 100, 0 },
		{ 20, 179, 0 },
		{ 20, 181, TP_FLAG(DISTURBED) }, /* fewer than one in ten */
		{ 8, 12, 0 },
		{ 7, 13, TP_FLAG(DISTURBED) }, /* fewer than eight */
		{ 5, 3, 0 }, /* the most of a few */
	};
	(void)state;
	for (size_t r = 0; r < TP_COUNT_OF(rows); r++) {
		struct made m = { .n = 0 };
		add(&m, rows[r].quiet, 100, GHZ, 0);
		add(&m, rows[r].slow, 50, GHZ, 0);
		struct tp_point p = point_of(&m, 1);
		summarise(&p, TP_BASIS_MEDIAN);
		assert_int_equal(p.kept, rows[r].quiet);
		assert_near(tp_kernel_row(&p)->median_gbps, 100, 1e-9);
		assert_flags(&p, rows[r].flags);
		for (size_t i = 0; i < p.n_samples; i++)
			assert_int_equal(p.samples[i].flags,
					 i < rows[r].quiet ? 0 : TP_FLAG(DISTURBED));
		tp_point_release(&p);
	}
}

static void a_wide_spread_is_said(void **state)
{
	struct made m = { .n = 0 };
	struct tp_sampling sampling = sampling_of(TP_BASIS_MEDIAN);
	(void)state;
	sampling.keep_within = 0.6;
	for (size_t i = 0; i < 20; i++)
		add(&m, 1, 60 + 4 * (double)i, GHZ, 0);
	struct tp_point p = point_of(&m, 1);
	assert_int_equal(tp_sampler_summarise(&p, &sampling, NULL), TP_OK);
	assert_int_equal(p.kept, 20);
	assert_flags(&p, TP_FLAG(NOISY));
	tp_point_release(&p);
}

static void everything_disturbed_is_said(void **state)
{
	struct made m = { .n = 0 };
	(void)state;
	for (int i = 0; i < 20; i++)
		add(&m, 1, 100 - 0.1 * i, GHZ, TP_FLAG(PAGE_FAULT));
	struct tp_point p = point_of(&m, 1);
	summarise(&p, TP_BASIS_MEDIAN);
	assert_int_equal(p.kept, 20);
	assert_near(tp_kernel_row(&p)->best_gbps, 100, 1e-9);
	assert_flags(&p, TP_FLAG(PAGE_FAULT) | TP_FLAG(DISTURBED));
	tp_point_release(&p);
}

/*
 * Another invocation adds samples: values and marks are those of all of them; a flag once raised is
 * not taken back.
 */
static void a_second_look_is_over_all_samples(void **state)
{
	struct made m = { .n = 0 };
	(void)state;
	add(&m, 20, 80, GHZ, 0);
	struct tp_point p = point_of(&m, 1);
	p.flags = TP_FLAG(NOT_CONVERGED);
	summarise(&p, TP_BASIS_MEDIAN);
	assert_int_equal(p.kept, 20);
	assert_near(tp_kernel_row(&p)->median_gbps, 80, 1e-9);
	for (int i = 0; i < 40; i++) {
		struct tp_sample s = {
			.seconds = 1e-3, .rate = 100, .core_ghz = GHZ, .invocation = 1
		};
		tp_point_add_sample(&p, &s);
	}
	summarise(&p, TP_BASIS_MEDIAN);
	assert_int_equal(p.kept, 40);
	assert_near(tp_kernel_row(&p)->median_gbps, 100, 1e-9);
	assert_near(tp_kernel_row(&p)->best_gbps, 100, 1e-9);
	assert_near(p.mean, 100, 1e-9);
	assert_flags(&p, TP_FLAG(NOT_CONVERGED));
	for (size_t i = 0; i < p.n_samples; i++)
		assert_int_equal(p.samples[i].flags, i < 20 ? TP_FLAG(DISTURBED) : 0);
	tp_point_release(&p);
}

static void a_point_without_samples_is_an_error(void **state)
{
	struct tp_kernel_row row = { .loads = 1 };
	struct tp_point p = { .kernel = "load", .threads = 1, .row = &row };
	struct tp_sampling sampling = sampling_of(TP_BASIS_MEDIAN);
	struct tp_diag diag = { .what = "" };
	(void)state;
	assert_int_not_equal(tp_sampler_summarise(&p, &sampling, &diag), TP_OK);
	assert_true(diag.what[0] != '\0');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quiet_samples_are_all_kept),
		cmocka_unit_test(no_samples_are_no_trouble),
		cmocka_unit_test(what_was_observed_is_dropped),
		cmocka_unit_test(old_marks_are_judged_again),
		cmocka_unit_test(hard_flags_do_not_set_the_fast_mode),
		cmocka_unit_test(a_slow_tail_is_dropped),
		cmocka_unit_test(of_two_modes_the_fast_one_counts),
		cmocka_unit_test(one_or_two_odd_readings_are_no_mode),
		cmocka_unit_test(clock_steps_drop_nothing_inside_a_core),
		cmocka_unit_test(of_paused_windows_the_whole_ones_count),
		cmocka_unit_test(a_natural_spread_is_not_cut_on_one_side),
		cmocka_unit_test(if_all_are_disturbed_the_fast_mode_decides),
		cmocka_unit_test(a_point_has_the_statistics_of_its_kept_samples),
		cmocka_unit_test(the_basis_decides_the_headline),
		cmocka_unit_test(fp_and_mixed_points_are_in_flops),
		cmocka_unit_test(a_chase_is_told_in_ns),
		cmocka_unit_test(windows_with_hindered_streams_are_dropped),
		cmocka_unit_test(drift_and_missing_frequency_are_flagged),
		cmocka_unit_test(a_clock_that_steps_to_and_fro_has_not_drifted),
		cmocka_unit_test(per_cycle_values_are_those_of_the_windows),
		cmocka_unit_test(reasons_are_said_if_the_point_suffers),
		cmocka_unit_test(few_undisturbed_windows_are_said),
		cmocka_unit_test(a_wide_spread_is_said),
		cmocka_unit_test(everything_disturbed_is_said),
		cmocka_unit_test(a_second_look_is_over_all_samples),
		cmocka_unit_test(a_point_without_samples_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
