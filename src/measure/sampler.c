/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/sampler.h"
#include "measure/runner.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A chain slower than this share of the point's fast chains means that something shared the core. */
#define CHAIN_KEEP 0.98
/* How far below their fast mode the streams beside a chase may be. */
#define KEEP_STREAMS 0.10
/* Frequency change between the first and the last windows that is worth a flag (spec: clocks and frequency). */
#define DRIFT_LIMIT 0.01
/* Share of dropped windows from which on a point is called disturbed. */
#define DISTURBED_SHARE 0.25
/* Kept windows this different from each other will not repeat within a few percent in another run. */
#define NOISY_SIGMA 0.03
#define NOISY_BEST  0.04
/* A thread's rate per cycle in the team against alone, below which it does not have its core to itself. */
#define OWN_CORE_SHARE	     0.95
#define MAD_TO_SIGMA	     1.4826 /* of a normal distribution */
#define COARSE_SHARE	     0.005
#define SHORT_WINDOW_SECONDS 40e-6

/* The value that only a few (two, or one in a hundred) exceed: the fast mode, safe against one odd reading. */
static double fast_mode(const double *sorted, size_t n)
{
	size_t skip = TP_MAX(TP_MIN((size_t)2, n / 5), n / 100);
	return sorted[n - 1 - skip];
}

/*
 * Beside a chase, whatever hinders the streams makes the chase faster: how fast they run when nothing does, less the same share as for
 * rates beyond the core. 0 = there are no streams. `scratch` holds n numbers.
 */
static double least_stream_gbps(const struct tp_sample *samples, size_t n, double *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = samples[i].stream_gbps;
	tp_sort_doubles(scratch, n);
	return n ? fast_mode(scratch, n) * (1 - KEEP_STREAMS) : 0;
}

size_t tp_sampler_keep(const struct tp_sample *samples, size_t n, double keep_within,
		       uint32_t *flags)
{
	double *x = malloc(2 * (n + 1) * sizeof(*x));
	if (!x) {
		memset(flags, 0, n * sizeof(*flags));
		return n;
	}
	double *ghz = x + n + 1;
	size_t clean = 0, chains = 0, kept = 0;
	double least_gbps = least_stream_gbps(samples, n, x);
	for (size_t i = 0; i < n; i++) {
		flags[i] = samples[i].flags & HARD_FLAGS;
		if (samples[i].stream_gbps < least_gbps)
			flags[i] |= TP_FLAG(DISTURBED);
		if (!flags[i])
			x[clean++] = samples[i].rate;
		if (samples[i].core_ghz > 0)
			ghz[chains++] = samples[i].core_ghz;
	}
	tp_sort_doubles(x, clean);
	tp_sort_doubles(ghz, chains);
	double least_rate = clean ? fast_mode(x, clean) * (1 - keep_within) : 0;
	double least_ghz = chains ? ghz[chains - 1 - chains / 4] * CHAIN_KEEP : 0;
	for (size_t i = 0; i < n; i++) {
		if (samples[i].rate < least_rate ||
		    (samples[i].core_ghz > 0 && samples[i].core_ghz < least_ghz))
			flags[i] |= TP_FLAG(DISTURBED);
		kept += flags[i] == 0;
	}
	if (kept == 0 && n > 0) {
		/* Everything was disturbed: the fast mode of all windows is the best that can be said; the flags say so. */
		for (size_t i = 0; i < n; i++)
			x[i] = samples[i].rate;
		tp_sort_doubles(x, n);
		least_rate = fast_mode(x, n) * (1 - keep_within);
		for (size_t i = 0; i < n; i++)
			if (samples[i].rate >= least_rate) {
				flags[i] = 0;
				kept++;
			}
	}
	free(x);
	return kept;
}

/* Feeds the kept samples to the stop rules afresh: what counts as disturbed changes as more windows arrive. */
static enum tp_status refill(struct tp_stop_state *state, struct tp_point *point,
			     double keep_within, uint32_t *flags)
{
	tp_stop_reset(state);
	point->kept =
		(unsigned)tp_sampler_keep(point->samples, point->n_samples, keep_within, flags);
	for (size_t i = 0; i < point->n_samples; i++) {
		struct tp_sample *s = &point->samples[i];
		s->flags = (s->flags & HARD_FLAGS) | (flags[i] & TP_FLAG(DISTURBED));
		if (flags[i]) {
			tp_stop_drop(state);
			continue;
		}
		enum tp_status status = tp_stop_add(state, s->rate);
		if (status != TP_OK)
			return status;
	}
	return TP_OK;
}

double tp_sampler_fastest_ghz(const struct tp_point *point)
{
	double fastest = 0;
	for (size_t i = 0; i < point->n_samples; i++)
		fastest = TP_MAX(fastest, point->samples[i].core_ghz);
	return fastest;
}

size_t tp_sampler_shared_windows(const struct tp_point *point)
{
	size_t shared = 0;
	for (size_t i = 0; i < point->n_samples; i++)
		shared += (point->samples[i].flags & TP_FLAG(SIBLING)) != 0;
	return shared;
}

/* Upper quartile: a chain reads low when disturbed, never high. */
static double typical_ghz(const struct tp_point *point, size_t from, size_t to, double *scratch)
{
	size_t n = 0;
	for (size_t i = from; i < to; i++)
		if (point->samples[i].core_ghz > 0 && !(point->samples[i].flags & HARD_FLAGS))
			scratch[n++] = point->samples[i].core_ghz;
	tp_sort_doubles(scratch, n);
	/* Where nothing was left alone, the fastest reading is nearest to the truth. */
	return n ? scratch[n - 1 - n / 4] : tp_sampler_fastest_ghz(point);
}

static void find_frequency(struct tp_point *point, double *scratch)
{
	size_t n = point->n_samples, part = TP_MIN(n, TP_MAX((size_t)6, n / 4));
	point->core_ghz = typical_ghz(point, 0, part, scratch);
	point->core_ghz_after = typical_ghz(point, n - part, n, scratch);
	if (!(point->core_ghz > 0)) {
		point->flags |= TP_FLAG(NO_FREQ);
		return;
	}
	double change = fabs(point->core_ghz_after / point->core_ghz - 1);
	if (change > DRIFT_LIMIT)
		point->flags |= TP_FLAG(FREQ_DRIFT);
}

/*
 * The rates of a chase become times: a load's time is one over the loads in a time, and so its order statistics are those of the rates,
 * from the other end. Mean, standard deviation and MAD are taken again, over times.
 */
static void derive_latency(struct tp_point *point, const struct tp_stop_state *kept, double best,
			   double estimate, double *scratch)
{
	struct tp_summary times;
	double low = point->ci_low, high = point->ci_high;
	size_t n = kept->n;
	point->median_ns = estimate > 0 ? 1 / estimate : 0;
	point->best_ns = best > 0 ? 1 / best : 0;
	point->ci_low = high > 0 ? 1 / high : 0;
	point->ci_high = low > 0 ? 1 / low : 0;
	for (size_t i = 0; i < n; i++)
		kept->x[i] = kept->x[i] > 0 ? 1 / kept->x[i] : 0;
	tp_summarise(kept->x, n, 0.5, scratch, &times);
	point->mean = times.mean;
	point->stddev = times.stddev;
	point->mad = times.mad;
}

/* What the streams beside a chase moved, over the windows that were kept. */
static void derive_streams(struct tp_point *point, const uint32_t *flags, double *scratch)
{
	size_t n = 0;
	for (size_t i = 0; i < point->n_samples; i++)
		if (!flags[i])
			scratch[n++] = point->samples[i].stream_gbps;
	tp_sort_doubles(scratch, n);
	point->median_gbps = n ? tp_median_sorted(scratch, n) : 0;
	point->best_gbps = n ? scratch[n - 1] : 0;
}

/* Values of the headline unit become GB/s, GFLOP/s and per-cycle figures by the point's own intensity and kernel. */
static void derive(struct tp_point *point, double best, double ghz, double median)
{
	double ai = point->ai_flop_per_byte;
	bool fp = tp_point_is_fp(point);
	point->median_gflops = fp ? median : 0;
	point->best_gflops = fp ? best : 0;
	point->median_gbps = fp ? (ai > 0 ? median / ai : 0) : median;
	point->best_gbps = fp ? (ai > 0 ? best / ai : 0) : best;
	point->bytes_per_cycle = point->flop_per_cycle = point->ipc = 0;
	if (!(ghz > 0))
		return;
	double cycles = ghz * point->threads;
	point->bytes_per_cycle = point->best_gbps / cycles;
	point->flop_per_cycle = point->best_gflops / cycles;
	point->ipc = best * point->instructions_per_work / cycles;
}

enum tp_status tp_sampler_summarise(struct tp_point *point, const struct tp_sampling *sampling,
				    struct tp_diag *diag)
{
	size_t n = point->n_samples;
	struct tp_stop_state state = { 0 };
	uint32_t *flags = calloc(n + 1, sizeof(*flags));
	double *scratch = calloc(n + 1, sizeof(*scratch));
	enum tp_status status = TP_OK;
	if (!flags || !scratch)
		status = tp_fail(diag, TP_NOMEM, point->kernel, NULL, "out of memory");
	else if (n == 0)
		status = tp_fail(diag, TP_INTERNAL, point->kernel, NULL, "no window was measured");
	if (status != TP_OK)
		goto out;
	status = refill(&state, point, sampling->keep_within, flags);
	if (status != TP_OK) {
		tp_fail(diag, status, point->kernel, NULL, "samples could not be kept");
		goto out;
	}
	struct tp_summary summary;
	tp_summarise(state.x, state.n, sampling->rule.confidence, scratch, &summary);
	point->mean = summary.mean;
	point->stddev = summary.stddev;
	point->mad = summary.mad;

	/* Judged again over the groups, so that a trimmed estimate is the last agreed one. */
	struct tp_stop_rule rule = sampling->rule;
	rule.incumbent = 0;
	tp_stop_decide(&state, &rule, 0);
	double estimate = tp_stop_estimate(&state, &rule);
	struct tp_interval ci = tp_stop_interval(&state, &rule);
	point->ci_low = ci.low;
	point->ci_high = ci.high;

	find_frequency(point, scratch);
	double best = 0;
	size_t doubtful = 0; /* kept for want of better */
	uint32_t seen = 0;
	for (size_t i = 0; i < n; i++) {
		seen |= point->samples[i].flags;
		doubtful += !flags[i] && point->samples[i].flags & HARD_FLAGS;
		if (!flags[i] && point->samples[i].rate > best)
			best = point->samples[i].rate;
	}
	if (tp_point_headline(point) == TP_HEADLINE_NS) {
		derive_latency(point, &state, best, estimate, scratch);
		derive_streams(point, flags, scratch);
	} else {
		derive(point, best, tp_sampler_fastest_ghz(point), estimate);
	}

	size_t dropped = n - point->kept;
	point->flags |= seen & HARD_FLAGS;
	if (doubtful || (double)dropped > DISTURBED_SHARE * (double)n)
		point->flags |= TP_FLAG(DISTURBED);
	if (estimate > 0 && (summary.mad * MAD_TO_SIGMA > NOISY_SIGMA * estimate ||
			     best > (1 + NOISY_BEST) * estimate))
		point->flags |= TP_FLAG(NOISY);
out:
	tp_stop_release(&state);
	free(flags);
	free(scratch);
	return status;
}

/*
 * Some kernels run in one of two rhythms, a few percent apart, and keep it for a whole window. An interval around the slower one is no
 * answer while faster windows were seen that are too few to be a mode of their own: go on until they are, within reason.
 */
static bool is_settled(const struct tp_point *point, const uint32_t *flags, double keep_within,
		       double raced_rate, double elapsed)
{
	/* Neighbours come in bursts: more time finds windows between them. */
	const double long_enough = tp_sampler_shared_windows(point) ? 0.15 : 0.06;
	if (keep_within > KEEP_TIGHT || elapsed > long_enough)
		return true;
	double *clean = malloc((point->n_samples + 1) * sizeof(*clean));
	if (!clean)
		return true;
	size_t n = 0;
	for (size_t i = 0; i < point->n_samples; i++)
		if (!(flags[i] & ~TP_FLAG(DISTURBED)))
			clean[n++] = point->samples[i].rate;
	tp_sort_doubles(clean, n);
	bool settled = n == 0 || TP_MAX(clean[n - 1], raced_rate) <=
					 fast_mode(clean, n) * (1 + keep_within / 2);
	free(clean);
	return settled;
}

/*
 * Topologies can lie: a hypervisor may run two CPUs on the hardware threads of one core, now and then. Each thread of a team that has its
 * core to itself is as fast as when the others rest, up to the change of the clock.
 */
static bool cores_are_shared(struct tp_runner *runner, const struct tp_point *point)
{
	enum { WINDOWS = 5 };
	double alone = 0, ghz = 0;
	runner->alone = true;
	for (int i = 0; i < WINDOWS; i++) {
		struct tp_sample sample;
		tp_runner_window(runner, &sample);
		alone = TP_MAX(alone, sample.rate);
		ghz = TP_MAX(ghz, sample.core_ghz);
	}
	runner->alone = false;
	if (!(ghz > 0) || !(point->core_ghz > 0))
		return false;
	double together = runner->chase ? 1 / point->median_ns
					: tp_point_median(point) / tp_team_size(runner->team);
	return together / point->core_ghz < OWN_CORE_SHARE * alone / ghz;
}

/* True once many windows of a point were dropped because something ran on the core's other hardware thread. */
static bool has_restless_sibling(const struct tp_point *point)
{
	enum { LEAST = 12, SHARE = 3 };
	return point->n_samples >= LEAST &&
	       SHARE * tp_sampler_shared_windows(point) > point->n_samples;
}

/* Looking at all samples again costs time that grows with their number; do it every window only while there are few. */
static bool is_time_to_look(size_t n)
{
	return n < 64 || n % (n / 16) == 0;
}

enum tp_status tp_sampler_run(struct tp_team *team, const struct tp_cpu *cpu,
			      const struct tp_candidate *candidate,
			      const struct tp_sampling *sampling, const struct tp_watch *watch,
			      unsigned invocation, struct tp_point *point, struct tp_diag *diag)
{
	struct tp_runner runner;
	struct tp_stop_state state = { 0 };
	uint32_t *flags = NULL;
	size_t cap_flags = 0;
	enum tp_stop_reason reason = TP_GO_ON;
	struct tp_stop_rule rule = sampling->rule;
	rule.incumbent = 0;

	enum tp_status status = tp_runner_init(&runner, team, cpu, candidate, sampling->cold, diag);
	if (status != TP_OK)
		return status;
	double started = tp_now_seconds(); /* building a chase is no time of the point's windows */
	tp_runner_calibrate(&runner, sampling->window_seconds);
	double shortest = 1e9;
	bool shortened = false;
	size_t before = point->n_samples; /* of an earlier attempt at the same point */
	while (reason == TP_GO_ON) {
		struct tp_sample sample;
		if (watch && watch->go_on && !watch->go_on(watch->context)) {
			status = tp_fail(diag, TP_CANCELLED, point->kernel, NULL, "cancelled");
			goto out;
		}
		tp_runner_window(&runner, &sample);
		sample.invocation = invocation;
		/* Beyond the core, a sibling is one of many that share: no reason to drop a window. */
		if (sampling->keep_within > KEEP_TIGHT)
			sample.flags &= ~TP_FLAG(SIBLING);
		shortest = TP_MIN(shortest, sample.seconds);
		status = tp_point_add_sample(point, &sample);
		if (status == TP_OK)
			status = tp_vec_reserve((void **)&flags, &cap_flags, point->n_samples,
						sizeof(*flags));
		if (status != TP_OK)
			goto out;
		if (watch && watch->sample && !watch->sample(watch->context, &sample)) {
			status = tp_fail(diag, TP_CANCELLED, point->kernel, NULL, "cancelled");
			goto out;
		}
		double elapsed = tp_now_seconds() - started;
		if (!shortened && has_restless_sibling(point)) {
			/* Such work comes in bursts of some 10 to 300 us: short windows fit between them. */
			tp_runner_shorten(&runner, SHORT_WINDOW_SECONDS);
			shortened = true;
		}
		size_t fresh = point->n_samples - before;
		bool limit = elapsed >= rule.max_seconds || point->n_samples >= rule.max_samples;
		if (!limit && (fresh < rule.min_count || !is_time_to_look(point->n_samples)))
			continue;
		status = refill(&state, point, sampling->keep_within, flags);
		if (status != TP_OK)
			goto out;
		reason = tp_stop_decide(&state, &rule, elapsed);
		if (reason == TP_STOP_CONFIDENT && !limit &&
		    !is_settled(point, flags, sampling->keep_within, candidate->raced_rate,
				elapsed))
			reason = TP_GO_ON;
	}
	if (reason == TP_STOP_TIME || reason == TP_STOP_SAMPLES)
		point->flags |= TP_FLAG(NOT_CONVERGED);
	if (reason == TP_STOP_UNSTABLE)
		point->flags |= TP_FLAG(UNSTABLE);
	const struct tp_kernel_counts *c = &runner.counts;
	double work = runner.work_per_pass / tp_team_size(team);
	point->instructions_per_work =
		work > 0 && !runner.chase ? (double)(c->loads + c->stores + c->fp) * 1e-9 / work
					  : 0;
	status = tp_sampler_summarise(point, sampling, diag);
	if (candidate->raced_rate > 0 &&
	    tp_point_median(point) < candidate->raced_rate * (1 - sampling->keep_within))
		point->flags |= TP_FLAG(DISTURBED); /* its race saw that it can do better */
	if (status == TP_OK && sampling->private_cores && tp_team_size(team) > 1 &&
	    cores_are_shared(&runner, point))
		point->flags |= TP_FLAG(SHARED_CORE);
	if (shortest * COARSE_SHARE < tp_team_clock(team)->resolution_seconds)
		point->flags |= TP_FLAG(COARSE_CLOCK);
out:
	tp_stop_release(&state);
	free(flags);
	tp_runner_release(&runner);
	return status;
}
