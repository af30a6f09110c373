/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/sampler.h"
#include "analysis/stats.h"
#include "base/vec.h"
#include "measure/keep.h"
#include "measure/runner.h"
#include "measure/settle.h"
#include "measure/steady.h"
#include "record/kernel_row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A thread's rate per cycle in the team against alone, below which it does not have its core to
 * itself.
 */
#define OWN_CORE_SHARE	     0.95
#define COARSE_SHARE	     0.005
#define SHORT_WINDOW_SECONDS 40e-6
/*
 * Beyond the core, where no fast mode tells which windows were interrupted, they are so short that
 * most are not.
 */
#define CHASE_WINDOW_SECONDS 50e-6
/* Between them the chase goes on: they spread over more time, and streams are at full rate. */
#define CHASE_GAP_SECONDS 0.5e-3
/* In a window beside streams, the least of their pauses; and as slow as clocks are. */
#define STREAM_PAUSES 8
#define SLOW_CLOCK_HZ 1e9
/* Windows that need to be only a little shorter stay as they are. */
#define WORTH_SHORTENING 0.9

/*
 * What others do to shared caches and memory lasts some 10 ms. Windows of a shorter time agree with
 * each other, and say nothing of the next moment.
 */
#define SHARED_SECONDS 0.1

/*
 * Inside a core a few ms of windows agree as well, and one burst of a neighbour makes a point take
 * ten times as long as in the next run. So the windows of a point are spread over this time, in
 * such steps: bursts and steps of the clock are met, most points have all the windows they need,
 * and so take as long as they took before.
 */
#define CORE_SECONDS	  25e-3
#define CORE_STEP_SECONDS 0.4e-3
/* But where a point has less time than that, over this share of it. */
#define CORE_SHARE 0.25

/*
 * Some kernels run in one of two rhythms, a few percent apart, and keep it for a whole window. An
 * interval around the slower one is no answer while faster windows were seen that are too few to be
 * a mode of their own: go on until they are, within reason.
 */
static bool is_settled(const struct tp_point *point, const uint32_t *flags, double keep_within,
		       const struct tp_candidate *candidate, double elapsed)
{
	/* Neighbours come in bursts: more time finds windows between them. */
	const double long_enough = tp_sampler_shared_windows(point) ? 0.15 : 0.06;
	if (keep_within > KEEP_TIGHT || elapsed > long_enough)
		return true;
	double *rates = malloc((point->n_samples + 1) * sizeof(*rates)), top;
	if (!rates)
		return true;
	double usual = tp_keep_at_usual_clock(point->samples, point->n_samples, rates);
	double best = candidate->raced_ghz > 0 && usual > 0
			      ? candidate->raced_rate * usual / candidate->raced_ghz
			      : candidate->raced_rate;
	size_t n = 0;
	for (size_t i = 0; i < point->n_samples; i++)
		if (!(flags[i] & ~TP_FLAG(DISTURBED)))
			rates[n++] = rates[i];
	tp_sort_doubles(rates, n);
	bool settled = true;
	if (n) {
		double mode = tp_keep_mode(rates, n, keep_within, &top);
		settled = TP_MAX(rates[n - 1], best) <= mode * (1 + keep_within);
	}
	free(rates);
	return settled;
}

/*
 * Topologies can lie: a hypervisor may run two CPUs on the hardware threads of one core, now and
 * then. Each thread of a team that has its core to itself is as fast as when the others rest, up to
 * the change of the clock.
 */
static bool cores_are_shared(struct tp_runner *runner, const struct tp_point *point)
{
	enum { WINDOWS = 5 };
	double alone = 0; /* in a cycle */
	runner->alone = true;
	for (int i = 0; i < WINDOWS; i++) {
		struct tp_sample sample;
		tp_runner_window(runner, &sample);
		if (sample.core_ghz > 0)
			alone = TP_MAX(alone, sample.rate / sample.core_ghz);
	}
	runner->alone = false;
	if (!(alone > 0) || !(point->core_ghz > 0))
		return false;
	double together = runner->one_thread ? 1 / point->median
					     : tp_point_median(point) / tp_team_size(runner->team);
	return together / point->core_ghz < OWN_CORE_SHARE * alone;
}

/*
 * True once many windows of a point were dropped because something ran on the core's other hardware
 * thread.
 */
static bool has_restless_sibling(const struct tp_point *point)
{
	enum { LEAST = 12, SHARE = 3 };
	return point->n_samples >= LEAST &&
	       SHARE * tp_sampler_shared_windows(point) > point->n_samples;
}

/*
 * Neighbours work in bursts of some 10 to 300 us, and a hypervisor may pause the CPU thousands of
 * times a second: short windows fit in between. Returns how long windows are to last now.
 */
static double shorten(struct tp_runner *runner, const struct tp_point *point, double seconds,
		      double shortest)
{
	enum { EVERY = 16 };
	if (point->n_samples % EVERY)
		return seconds;
	double wanted = tp_team_window_seconds(runner->team, seconds);
	if (has_restless_sibling(point))
		wanted = TP_MIN(wanted, SHORT_WINDOW_SECONDS);
	if (wanted > WORTH_SHORTENING * seconds)
		return seconds;
	runner->last_seconds = shortest; /* the last window itself may have been disturbed */
	tp_runner_shorten(runner, wanted);
	return wanted;
}

/*
 * How wide the cores are is known better now than when the windows were measured: those from
 * `first` on are judged again.
 */
static void mark_narrow(const struct tp_team *team, struct tp_point *point, size_t first)
{
	double least = tp_team_least_width(team);
	point->core_width = tp_team_width(team);
	for (size_t i = first; i < point->n_samples; i++) {
		struct tp_sample *s = &point->samples[i];
		if (s->core_width > 0 && s->core_width < least)
			s->flags |= TP_FLAG(SIBLING);
	}
}

/*
 * Looking at all samples again costs time that grows with their number; do it every window only
 * while there are few.
 */
static bool is_time_to_look(size_t n)
{
	return n < 64 || n % (n / 16) == 0;
}

/*
 * Windows fit between pauses of the CPU, of which a hypervisor may make thousands a second. Those
 * of a chase are long enough for the streams beside it to take turns.
 */
static double window_seconds_of(const struct tp_team *team, const struct tp_candidate *candidate,
				const struct tp_sampling *sampling)
{
	double wanted = sampling->window_seconds;
	if (candidate->kernel.kind != TP_KERNEL_CHASE)
		return tp_team_window_seconds(team, wanted);
	if (sampling->keep_within > KEEP_TIGHT)
		wanted = TP_MIN(wanted, CHASE_WINDOW_SECONDS);
	double seconds = tp_team_window_seconds(team, wanted);
	double clock = tp_team_clock(team)->resolution_seconds / COARSE_SHARE;
	double pauses = candidate->stream
				? STREAM_PAUSES * candidate->stream->pause_cycles / SLOW_CLOCK_HZ
				: 0;
	return TP_MAX(seconds, TP_MAX(clock, pauses));
}

/*
 * Marks the windows of a chase, from `first` on, that came before its steady state. True if the
 * others are many enough to tell, and show no trend.
 */
static bool mark_beginning(struct tp_point *point, size_t first, struct tp_steadiness *steadiness)
{
	double *rates = malloc((point->n_samples + 1) * sizeof(*rates));
	size_t n = 0, at = 0;
	*steadiness = (struct tp_steadiness){ 0 };
	if (!rates)
		return false;
	for (size_t i = first; i < point->n_samples; i++) {
		point->samples[i].flags &= ~TP_FLAG(WARMING);
		if (!(point->samples[i].flags & HARD_FLAGS))
			rates[n++] = point->samples[i].rate;
	}
	tp_steady_judge(rates, n, TP_STEADY_TOLERANCE, steadiness);
	free(rates);
	for (size_t i = first; i < point->n_samples && at < steadiness->from; i++) {
		at += !(point->samples[i].flags & HARD_FLAGS);
		point->samples[i].flags |= TP_FLAG(WARMING);
	}
	return steadiness->steady;
}

/* Its race saw that it can do better, at the clock of the point. */
static bool race_was_better(const struct tp_candidate *candidate, const struct tp_point *point,
			    double keep_within)
{
	double raced = candidate->raced_rate;
	if (candidate->raced_ghz > 0 && point->core_ghz > 0 && keep_within <= KEEP_TIGHT)
		raced *= point->core_ghz / candidate->raced_ghz;
	return raced > 0 && tp_point_median(point) < raced * (1 - keep_within);
}

/* Confident or not, a point takes so long. The trimmed rule knows repetitions, and no time. */
static double least_seconds(const struct tp_sampling *sampling)
{
	if (sampling->rule.basis == TP_BASIS_TRIMMED)
		return 0;
	if (sampling->shared)
		return SHARED_SECONDS;
	return sampling->cold ? 0 : fmin(CORE_SECONDS, CORE_SHARE * sampling->rule.max_seconds);
}

/* Goes on until the next window is due, without looking. */
static void pass_time(struct tp_runner *runner, double seconds)
{
	struct tp_sample unseen;
	struct tp_runner usual = *runner;
	double passes = runner->pass_seconds > 0 ? seconds / runner->pass_seconds : 0;
	if (!(passes >= 1) || tp_runner_is_fixed(runner))
		return;
	runner->passes = (uint64_t)passes;
	tp_runner_window(runner, &unseen);
	runner->passes = usual.passes;
	runner->last_seconds = usual.last_seconds;
	runner->pass_seconds = usual.pass_seconds;
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
	double window_seconds = window_seconds_of(team, candidate, sampling);
	struct tp_steadiness steadiness = { .steady = true };
	/* Within a core there is a fast mode, and the clock may step. */
	bool shared = runner.chase && sampling->keep_within > KEEP_TIGHT, settled = true;
	tp_runner_settle(&runner, sampling->settle_bytes);
	tp_runner_calibrate(&runner, window_seconds);
	if (runner.walk.slice_bytes && window_seconds >= sampling->window_seconds) {
		tp_runner_lengthen(&runner);
		window_seconds =
			TP_MAX(window_seconds, runner.pass_seconds * (double)runner.passes);
	}
	if (runner.chase)
		status = tp_settle_chase(&runner, window_seconds, watch, invocation, point,
					 &settled, diag);
	if (status != TP_OK)
		goto out;
	if (shared)
		runner.lead_seconds = CHASE_GAP_SECONDS;
	double started = tp_team_now(team); /* the limit on time is for windows */
	double shortest = 1e9, elapsed = 0;
	const double least = least_seconds(sampling);
	size_t before = point->n_samples; /* of an earlier attempt, and of settling */
	while (reason == TP_GO_ON) {
		struct tp_sample sample;
		if (!tp_watch_goes_on(watch)) {
			status = tp_fail(diag, TP_CANCELLED, point->kernel, NULL, "cancelled");
			goto out;
		}
		if (sampling->shared && !runner.chase && !sampling->cold)
			pass_time(&runner, TP_SHARED_STEP_SECONDS - window_seconds);
		else if (!sampling->shared && elapsed < least)
			pass_time(&runner, fmin(CORE_STEP_SECONDS, least) - window_seconds);
		tp_runner_window(&runner, &sample);
		sample.invocation = invocation;
		/*
		 * Beyond the core, a sibling is one of many that share: no reason to drop a window.
		 */
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
		elapsed = tp_team_now(team) - started;
		if (!runner.chase)
			window_seconds = shorten(&runner, point, window_seconds, shortest);
		size_t fresh = point->n_samples - before;
		bool limit = elapsed >= rule.max_seconds || point->n_samples >= rule.max_samples;
		if (!limit && (fresh < rule.min_count || !is_time_to_look(point->n_samples)))
			continue;
		bool steady = !shared || mark_beginning(point, before, &steadiness);
		if (sampling->keep_within <= KEEP_TIGHT)
			mark_narrow(team, point, before);
		status = tp_keep_refill(&state, point, sampling->keep_within, flags);
		if (status != TP_OK)
			goto out;
		reason = tp_stop_decide(&state, &rule, elapsed);
		bool early = elapsed < least;
		if (reason == TP_STOP_CONFIDENT && (!steady || early) && !limit)
			reason = TP_GO_ON;
		if (reason == TP_STOP_CONFIDENT && !limit && rule.basis != TP_BASIS_TRIMMED &&
		    !is_settled(point, flags, sampling->keep_within, candidate, elapsed))
			reason = TP_GO_ON;
	}
	if (reason == TP_STOP_TIME || reason == TP_STOP_SAMPLES)
		point->flags |= TP_FLAG(NOT_CONVERGED);
	if (reason == TP_STOP_UNSTABLE)
		point->flags |= TP_FLAG(UNSTABLE);
	bool changing = point->n_samples - before >= TP_STEADY_LEAST && !steadiness.steady;
	if (shared && (!settled || changing))
		point->flags |= TP_FLAG(WARMING);
	const struct tp_kernel_counts *c = &runner.counts;
	double work = runner.work_per_pass / tp_team_size(team);
	tp_kernel_row_of(point)->instructions_per_work =
		work > 0 && !runner.one_thread
			? (double)(c->loads + c->stores + c->fp) * 1e-9 / work
			: 0;
	status = tp_sampler_summarise(point, sampling, diag);
	if (race_was_better(candidate, point, sampling->keep_within))
		point->flags |= TP_FLAG(DISTURBED);
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
