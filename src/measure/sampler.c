/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/sampler.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"
#include "base/suspend.h"
#include "measure/runner.h"
#include "measure/settle.h"
#include "record/point.h"

void tp_watch_say(const struct tp_watch *watch, const char *where, const char *hint,
		  const char *fmt, ...)
{
	struct tp_diag note;
	va_list ap;
	va_start(ap, fmt);
	tp_vfail(&note, TP_OK, where, hint, fmt, ap);
	va_end(ap);
	tp_watch_note(watch, &note);
}

/*
 * Which windows count. What interrupts a window, or takes a share of its core, only ever makes it
 * slower; so the windows that nothing disturbed are the fast ones, and they lie close together. A
 * clock that steps is not a disturbance.
 */

/* How far below their fast mode the streams during a chase may be. */
#define KEEP_STREAMS 0.10

/* How far below the upper end the fast windows are looked for, at least. */
#define REGION 0.10

/* A stretch of values is as dense as another up to this; and values this close are equal. */
#define LESS_DENSE  1.5
#define EQUAL_SHARE 0.002

/*
 * The value that only a few (two, or one in a hundred) exceed: the fast mode, safe against one odd
 * reading.
 */
static double upper_end(const double *sorted, size_t n)
{
	size_t skip = TP_MAX(TP_MIN((size_t)2, n / 5), n / 100);
	return sorted[n - 1 - skip];
}

/*
 * The rate that the faster windows share: where x[n], ascending, is densest near its upper end.
 * `region`: how far below its upper end that may be, relative. *top: the upper end, which a few odd
 * values may exceed.
 */
static double keep_mode(const double *sorted, size_t n, double region, double *top)
{
	enum { STRETCH_LEAST = 3, STRETCH_PART = 4 };
	*top = upper_end(sorted, n);
	size_t first = n;
	while (first > 0 && sorted[first - 1] >= *top * (1 - region))
		first--;
	size_t near = n - first, stretch = TP_MAX((size_t)STRETCH_LEAST, near / STRETCH_PART);
	if (near <= stretch)
		return tp_median_sorted(&sorted[first], near);
	/* From the upper end downward, until it gets less dense again. */
	double least = INFINITY, equal = EQUAL_SHARE * *top;
	size_t densest = n - stretch;
	for (size_t i = n - stretch + 1; i-- > first;) {
		double span = sorted[i + stretch - 1] - sorted[i];
		if (span < least) {
			least = span;
			densest = i;
		} else if (span > LESS_DENSE * fmax(least, equal)) {
			break;
		}
	}
	return tp_median_sorted(&sorted[densest], stretch);
}

/*
 * Rates of windows; inside a core as they would be at the usual clock of the point: rate over the
 * window's own clock, times the median of all clocks. A window whose clock is unknown keeps its
 * rate. Returns the usual clock, 0 = none.
 */
static double rates_of(const struct tp_sample *samples, size_t n, double keep_within, double *rates)
{
	size_t known = 0;
	for (size_t i = 0; i < n; i++)
		if (samples[i].core_ghz > 0 && keep_within <= KEEP_TIGHT)
			rates[known++] = samples[i].core_ghz;
	double usual = tp_median(rates, known);
	for (size_t i = 0; i < n; i++)
		rates[i] = samples[i].core_ghz > 0 && known
				   ? samples[i].rate * usual / samples[i].core_ghz
				   : samples[i].rate;
	return usual;
}

/*
 * Anything that slows the streams makes the chase faster: the streams' undisturbed speed, less the
 * same share as for rates beyond the core. 0 = no streams. `scratch` holds n numbers.
 */
static double least_stream_gbps(const struct tp_sample *samples, size_t n, double *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = samples[i].stream_gbps;
	tp_sort_doubles(scratch, n);
	return n ? upper_end(scratch, n) * (1 - KEEP_STREAMS) : 0;
}

/*
 * The limit for windows: the mode less the tolerance, or less the windows' upward spread, if that
 * is larger. So windows that differ by nature are not cut off on either side.
 */
static double least_rate(const double *sorted, size_t n, double keep_within)
{
	double top, mode = keep_mode(sorted, n, fmax(REGION, 2 * keep_within), &top);
	double upward = mode > 0 ? top / mode - 1 : 0;
	return mode * (1 - fmax(keep_within, fmin(upward, 2 * keep_within)));
}

size_t tp_sampler_keep(const struct tp_sample *samples, size_t n, double keep_within,
		       uint32_t *flags)
{
	TP_FREE double *rates = tp_alloc(2 * (n + 1), sizeof(*rates));
	double *sorted = rates + n + 1;
	size_t clean = 0, kept = 0;
	double least_gbps = least_stream_gbps(samples, n, sorted);
	rates_of(samples, n, keep_within, rates);
	for (size_t i = 0; i < n; i++) {
		flags[i] = samples[i].flags & HARD_FLAGS;
		if (samples[i].stream_gbps < least_gbps)
			flags[i] |= TP_FLAG(DISTURBED);
		if (!flags[i])
			sorted[clean++] = rates[i];
	}
	tp_sort_doubles(sorted, clean);
	double least = clean ? least_rate(sorted, clean, keep_within) : 0;
	for (size_t i = 0; i < n; i++) {
		if (rates[i] < least)
			flags[i] |= TP_FLAG(DISTURBED);
		kept += flags[i] == 0;
	}
	if (kept < TP_LEAST_WINDOWS && n > 0) {
		/*
		 * Almost everything was disturbed: the fast mode of all windows is the best
		 * estimate; the flags show it.
		 */
		size_t steady = 0;
		kept = 0;
		for (size_t i = 0; i < n; i++)
			if (!(samples[i].flags & TP_FLAG(WARMING)))
				sorted[steady++] = rates[i];
		tp_sort_doubles(sorted, steady);
		least = steady ? least_rate(sorted, steady, keep_within) : 0;
		for (size_t i = 0; i < n; i++)
			if (rates[i] >= least && !(steady && samples[i].flags & TP_FLAG(WARMING))) {
				flags[i] = 0;
				kept++;
			} else {
				flags[i] |= TP_FLAG(DISTURBED);
			}
	}
	return kept;
}

/*
 * Feeds the windows that count to the stop rules again from the start: what counts changes as more
 * windows arrive. Marks the windows of the point; flags[n_samples] become 0 for the kept ones.
 */
static enum tp_status keep_refill(struct tp_stop_state *state, struct tp_point *point,
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

size_t tp_sampler_shared_windows(const struct tp_point *point)
{
	size_t shared = 0;
	for (size_t i = 0; i < point->n_samples; i++)
		shared += (point->samples[i].flags & TP_FLAG(SIBLING)) != 0;
	return shared;
}

/* Change of the clock between the first and the last windows that is worth a flag. */
#define DRIFT_LIMIT 0.01

/* The clock's usual values: without this share at either end. */
#define UNUSUAL_SHARE 0.1

/*
 * A reason is worth a flag if it spoiled more windows than this share, or if fewer than this share
 * are left.
 */
#define SPOILT_SHARE 0.5
#define LEFT_SHARE   0.1

/*
 * Kept windows this different from each other will not repeat within a few percent in another run.
 */
#define NOISY_SIGMA 0.03
#define NOISY_BEST  0.04

enum { CLOCK_WINDOWS = 6, CLOCK_PART = 4, LEFT_LEAST = 8 };

struct clocks {
	double low, median, high;
};

static struct clocks clocks_of(const double *ghz, size_t n, double *scratch)
{
	if (n == 0)
		return (struct clocks){ 0 };
	double median = tp_median_of(ghz, n, scratch);
	size_t skip = (size_t)(UNUSUAL_SHARE * (double)n);
	return (struct clocks){ scratch[skip], median, scratch[n - 1 - skip] };
}

/*
 * A clock that steps back and forth has not moved. It has if what is usual at the beginning is
 * unusual at the end, and vice versa.
 */
static bool has_moved(const struct clocks *begin, const struct clocks *end)
{
	bool apart = end->median < begin->low || end->median > begin->high;
	bool back = begin->median < end->low || begin->median > end->high;
	return apart && back && fabs(end->median / begin->median - 1) > DRIFT_LIMIT;
}

/* `ghz` and `scratch` hold a number a window. */
static void find_frequency(struct tp_point *point, const uint32_t *flags, double *ghz,
			   double *scratch)
{
	size_t n = 0;
	for (size_t i = 0; i < point->n_samples; i++)
		if (!flags[i] && point->samples[i].core_ghz > 0)
			ghz[n++] = point->samples[i].core_ghz;
	size_t part = TP_MIN(n, TP_MAX((size_t)CLOCK_WINDOWS, n / CLOCK_PART));
	struct clocks begin = clocks_of(ghz, part, scratch);
	struct clocks end = clocks_of(&ghz[n - part], part, scratch);
	point->core_ghz = clocks_of(ghz, n, scratch).median;
	point->core_ghz_after = end.median;
	point->flags &= ~(TP_FLAG(NO_FREQ) | TP_FLAG(FREQ_DRIFT));
	if (n == 0)
		point->flags |= TP_FLAG(NO_FREQ);
	else if (has_moved(&begin, &end))
		point->flags |= TP_FLAG(FREQ_DRIFT);
}

/* The usual work of the whole team in a cycle, each window by its own clock; 0 = unknown. */
static double work_per_cycle(const struct tp_point *point, const uint32_t *flags, double *scratch)
{
	size_t n = 0;
	for (size_t i = 0; i < point->n_samples; i++)
		if (!flags[i] && point->samples[i].core_ghz > 0)
			scratch[n++] = point->samples[i].rate / point->samples[i].core_ghz;
	return tp_median(scratch, n);
}

/*
 * The rates of a chase become times: a load's time is one over the loads in a time, and so its
 * order statistics are those of the rates, from the other end. Mean, standard deviation and MAD are
 * taken again, over times.
 */
static void derive_latency(struct tp_point *point, const struct tp_stop_state *kept, double best,
			   double estimate, double *scratch)
{
	struct tp_summary times;
	double low = point->ci_low, high = point->ci_high;
	size_t n = kept->n;
	point->median = estimate > 0 ? 1 / estimate : 0;
	point->best = best > 0 ? 1 / best : 0;
	point->ci_low = high > 0 ? 1 / high : 0;
	point->ci_high = low > 0 ? 1 / low : 0;
	for (size_t i = 0; i < n; i++)
		kept->x[i] = kept->x[i] > 0 ? 1 / kept->x[i] : 0;
	tp_summarise(kept->x, n, 0.5, scratch, &times);
	point->mean = times.mean;
	point->stddev = times.stddev;
	point->mad = times.mad;
}

/* Throughput of the streams during the chase, over the kept windows. */
static void derive_streams(struct tp_point *point, const uint32_t *flags, double *scratch)
{
	size_t n = 0;
	for (size_t i = 0; i < point->n_samples; i++)
		if (!flags[i])
			scratch[n++] = point->samples[i].stream_gbps;
	tp_kernel_row_of(point)->median_gbps = tp_median(scratch, n);
	tp_kernel_row_of(point)->best_gbps = n ? scratch[n - 1] : 0;
}

/*
 * A finding in windows is reported for the point only if the point suffers from it. Windows before
 * the steady state were not disturbed.
 */
static void flag_windows(struct tp_point *point, const uint32_t *flags)
{
	const uint32_t seen = HARD_FLAGS & ~TP_FLAG(WARMING);
	size_t n = 0, doubtful = 0; /* kept for lack of better ones */
	uint32_t of_doubtful = 0;
	point->flags &= ~seen;
	for (size_t i = 0; i < point->n_samples; i++) {
		n += !(point->samples[i].flags & TP_FLAG(WARMING));
		if (!flags[i] && point->samples[i].flags & HARD_FLAGS) {
			of_doubtful |= point->samples[i].flags & seen;
			doubtful++;
		}
	}
	for (uint32_t bit = 1; bit && bit <= seen; bit <<= 1) {
		size_t spoilt = 0;
		for (size_t i = 0; i < point->n_samples && bit & seen; i++)
			spoilt += (point->samples[i].flags & bit) != 0;
		if ((double)spoilt > SPOILT_SHARE * (double)n || of_doubtful & bit)
			point->flags |= bit;
	}
	bool few = point->kept < TP_MIN(n / 2, (size_t)LEFT_LEAST) ||
		   (double)point->kept < LEFT_SHARE * (double)n;
	if (doubtful || few)
		point->flags |= TP_FLAG(DISTURBED);
}

/* A clock that steps makes rates differ, but not what a core does in a cycle. */
static bool is_noisy(const struct tp_point *point, const uint32_t *flags, double keep_within,
		     double *rates, double *scratch)
{
	struct tp_summary summary;
	size_t kept = 0;
	rates_of(point->samples, point->n_samples, keep_within, rates);
	for (size_t i = 0; i < point->n_samples; i++)
		if (!flags[i])
			rates[kept++] = rates[i];
	tp_summarise(rates, kept, 0.5, scratch, &summary);
	return summary.mad * TP_MAD_TO_SIGMA > NOISY_SIGMA * summary.median ||
	       summary.max > (1 + NOISY_BEST) * summary.median;
}

enum tp_status tp_sampler_summarise(struct tp_point *point, const struct tp_sampling *sampling,
				    struct tp_diag *diag)
{
	size_t n = point->n_samples;
	TP_CLEANUP(tp_stop_release) struct tp_stop_state state = { 0 };
	TP_FREE uint32_t *flags = tp_alloc(n + 1, sizeof(*flags));
	TP_FREE double *scratch = tp_alloc(2 * (n + 1), sizeof(*scratch));
	if (n == 0)
		return tp_fail(diag, TP_INTERNAL, point->kernel, NULL, "no window was measured");
	enum tp_status status = keep_refill(&state, point, sampling->keep_within, flags);
	if (status != TP_OK)
		return tp_fail(diag, status, point->kernel, NULL, "samples could not be kept");
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
	/* One window does not show how far another would be from it. */
	point->ci_low = state.n > 1 ? ci.low : 0;
	point->ci_high = state.n > 1 ? ci.high : 0;

	find_frequency(point, flags, scratch, &scratch[n + 1]);
	double best = 0;
	for (size_t i = 0; i < n; i++)
		if (!flags[i] && point->samples[i].rate > best)
			best = point->samples[i].rate;
	if (point->less_is_better) {
		derive_latency(point, &state, best, estimate, scratch);
		derive_streams(point, flags, scratch);
	} else {
		point->median = estimate;
		point->best = best;
	}
	tp_kernel_derive(point, work_per_cycle(point, flags, scratch));
	flag_windows(point, flags);
	if (is_noisy(point, flags, sampling->keep_within, scratch, &scratch[n + 1]))
		point->flags |= TP_FLAG(NOISY);
	return TP_OK;
}

/*
 * A thread's rate per cycle in the team relative to its rate alone, below which it does not have
 * its core to itself.
 */
#define OWN_CORE_SHARE	     0.95
#define COARSE_SHARE	     0.005
#define SHORT_WINDOW_SECONDS 40e-6

/*
 * Beyond the core, no fast mode shows which windows were interrupted, so they are short enough that
 * most are not.
 */
#define CHASE_WINDOW_SECONDS 50e-6

/* Between them the chase goes on: they spread over more time, and streams are at full rate. */
#define CHASE_GAP_SECONDS 0.5e-3

/* In a window with streams, the least number of their pauses; and the slowest clock. */
#define STREAM_PAUSES 8
#define SLOW_CLOCK_HZ 1e9

/* Windows that would become only a little shorter stay as they are. */
#define WORTH_SHORTENING 0.9

/*
 * Disturbances of shared caches and memory last some 10 ms. Windows within a shorter time agree
 * with each other, and do not predict the next moment.
 */
#define SHARED_SECONDS 0.1

/* A point of a curve has neighbours that were measured at other times. */
#define SHARED_NEIGHBOUR_SECONDS 45e-3
#define CORE_NEIGHBOUR_SECONDS	 8e-3

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
 * interval around the slower one is not an answer while a few faster windows were seen: go on until
 * they form a mode, within reason.
 */
static bool is_settled(const struct tp_point *point, const uint32_t *flags, double keep_within,
		       const struct tp_candidate *candidate, double elapsed)
{
	/* Neighbours come in bursts: more time finds windows between them. */
	const double long_enough = tp_sampler_shared_windows(point) ? 0.15 : 0.06;
	if (keep_within > KEEP_TIGHT || elapsed > long_enough)
		return true;
	double top;
	TP_FREE double *rates = tp_alloc(point->n_samples + 1, sizeof(*rates));
	double usual = rates_of(point->samples, point->n_samples, keep_within, rates);
	double best = candidate->raced_ghz > 0 && usual > 0
			      ? candidate->raced_rate * usual / candidate->raced_ghz
			      : candidate->raced_rate;
	size_t n = 0;
	for (size_t i = 0; i < point->n_samples; i++)
		if (!(flags[i] & ~TP_FLAG(DISTURBED)))
			rates[n++] = rates[i];
	tp_sort_doubles(rates, n);
	return !n || TP_MAX(rates[n - 1], best) <=
			     keep_mode(rates, n, keep_within, &top) * (1 + keep_within);
}

/*
 * Topologies can lie: a hypervisor may run two CPUs on the hardware threads of one core, now and
 * then. Each thread of a team that has its core to itself is as fast as when the others rest, up to
 * the change of the clock.
 */
static bool cores_are_shared(struct tp_runner *runner, const struct tp_point *point)
{
	enum { WINDOWS = 5 };
	double alone = 0; /* per cycle */
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
	/*
	 * True once many windows of a point were dropped because something ran on the core's other
	 * hardware thread.
	 */
	enum { LEAST = 12, SHARE = 3 };
	if (point->n_samples >= LEAST &&
	    SHARE * tp_sampler_shared_windows(point) > point->n_samples)
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

/* A point without enough windows may take this multiple of its limit, and this time in any case. */
#define PATIENCE	 4
#define PATIENCE_SECONDS 2

/*
 * Looking at all samples again costs time that grows with their number; do it every window only
 * while there are few.
 */
static bool is_time_to_look(size_t n)
{
	return n < 64 || n % (n / 16) == 0;
}

/*
 * Windows fit between pauses of the CPU, of which a hypervisor may make thousands a second. Windows
 * of a chase are long enough for its streams to take turns.
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
 * Marks the windows of a chase, from `first`, that came before its steady state. True if the others
 * are numerous enough to judge, and show no trend.
 */
static bool mark_beginning(struct tp_point *point, size_t first, struct tp_steadiness *steadiness)
{
	TP_FREE double *rates = tp_alloc(point->n_samples + 1, sizeof(*rates));
	size_t n = 0, at = 0;
	for (size_t i = first; i < point->n_samples; i++) {
		point->samples[i].flags &= ~TP_FLAG(WARMING);
		if (!(point->samples[i].flags & HARD_FLAGS))
			rates[n++] = point->samples[i].rate;
	}
	tp_steady_judge(rates, n, TP_STEADY_TOLERANCE, steadiness);
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

/* A point takes this long, confident or not. The trimmed rule counts repetitions, not time. */
static double least_seconds(const struct tp_sampling *sampling)
{
	if (sampling->rule.basis == TP_BASIS_TRIMMED)
		return 0;
	if (sampling->shared)
		return sampling->has_neighbours ? SHARED_NEIGHBOUR_SECONDS : SHARED_SECONDS;
	return sampling->cold
		       ? 0
		       : fmin(sampling->has_neighbours ? CORE_NEIGHBOUR_SECONDS : CORE_SECONDS,
			      CORE_SHARE * sampling->rule.max_seconds);
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
	TP_CLEANUP(tp_runner_release) struct tp_runner runner = { 0 };
	TP_FREE uint32_t *flags = NULL;
	TP_CLEANUP(tp_stop_release) struct tp_stop_state state = { 0 };
	size_t cap_flags = 0;
	enum tp_stop_reason reason = TP_GO_ON;
	struct tp_stop_rule rule = sampling->rule;
	rule.incumbent = 0;

	enum tp_status status = tp_runner_init(&runner, team, cpu, candidate, sampling, diag);
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
	if (runner.chase && !sampling->flushed)
		status = tp_settle_chase(&runner, window_seconds, watch, invocation, point,
					 &settled, diag);
	if (status != TP_OK)
		return status;
	if (shared && !sampling->flushed)
		runner.lead_seconds = CHASE_GAP_SECONDS;
	double started = tp_team_now(team); /* the limit on time is for windows */
	double shortest = 1e9, elapsed = 0;
	const double least = least_seconds(sampling);
	size_t before = point->n_samples; /* of an earlier attempt, and of settling */
	while (reason == TP_GO_ON) {
		struct tp_sample sample;
		if (!tp_watch_goes_on(watch))
			return tp_fail(diag, TP_CANCELLED, point->kernel, NULL, "cancelled");
		if (sampling->shared && !runner.chase && !sampling->cold && !sampling->flushed)
			pass_time(&runner, TP_SHARED_STEP_SECONDS - window_seconds);
		else if (!sampling->shared && elapsed < least)
			pass_time(&runner, fmin(CORE_STEP_SECONDS, least) - window_seconds);
		double suspended = tp_suspended_seconds;
		tp_runner_window(&runner, &sample);
		suspended = tp_suspended_seconds - suspended;
		/* Ctrl-Z: the window is dropped, and its time does not count. */
		if (suspended > 0) {
			started = fmin(started + suspended, tp_team_now(team));
			continue;
		}
		sample.invocation = invocation;
		/*
		 * Beyond the core, a sibling is one of many that share: no reason to drop a window.
		 */
		if (sampling->keep_within > KEEP_TIGHT)
			sample.flags &= ~TP_FLAG(SIBLING);
		shortest = TP_MIN(shortest, sample.seconds);
		tp_point_add_sample(point, &sample);
		TP_RESERVE(flags, cap_flags, point->n_samples);
		if (!tp_watch_sample(watch, &sample))
			return tp_fail(diag, TP_CANCELLED, point->kernel, NULL, "cancelled");
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
		status = keep_refill(&state, point, sampling->keep_within, flags);
		if (status != TP_OK)
			return status;
		reason = tp_stop_decide(&state, &rule, elapsed);
		/* Before there is a value, it is waited for beyond the limits. */
		if ((reason == TP_STOP_TIME || reason == TP_STOP_SAMPLES) &&
		    point->kept < TP_LEAST_WINDOWS &&
		    elapsed < fmax(PATIENCE_SECONDS, PATIENCE * rule.max_seconds))
			reason = TP_GO_ON;
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
	return status;
}
