/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Races. Candidates run in turn, a short window each, round after round, so that changes over time
 * affect all alike. After some rounds the clearly slower ones drop out, and the closer the others
 * are, the more rounds they get.
 *
 * If only the core matters, a window counts by its rate per cycle of the clock around it, so that
 * steps of the clock do not decide. Disturbed windows do not count.
 */
#include "measure/sampler.h"
#include "measure/runner.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Share of the best candidate's rate below which one window ends a race: no noise explains that. */
#define HOPELESS 0.3
/* A candidate's windows that differ more than this from the target get another number of passes. */
#define LENGTH_TOLERANCE 1.5
/* Once all candidates have had a window, a race ends after this time. */
#define RACE_SECONDS 0.08
/* A window is at least this many steps of the clock. */
#define CLOCK_STEPS 200
/* If most frequencies differ by more than this from the previous one, they are useless. */
#define STEADY_CLOCK 0.005
/* Where more windows than this count although something disturbed them, the race is blind. */
#define BLIND_SHARE 0.5

enum { WINDOWS_MAX = 48, TRIES = 2, PATIENCE = 6, RECENT = 7 };

/* After this many windows, candidates drop out that are slower than the best by this share. */
struct stage {
	unsigned windows;
	double behind;
};

/*
 * Inside a core, an undisturbed window repeats to half a percent, but sometimes all except one of a
 * few windows are disturbed. Beyond it, windows differ by several percent, and are long.
 */
static const struct stage core_stages[] = { { 6, 0.10 }, { 10, 0.04 }, { 16, 0.02 }, { 28, 0.01 } };
static const struct stage beyond_stages[] = { { 2, 0.25 }, { 4, 0.10 }, { 8, 0.05 }, { 14, 0.03 } };

enum { CORE_WINDOWS = WINDOWS_MAX, BEYOND_WINDOWS = 24 };

struct entry {
	struct tp_runner runner;
	struct tp_candidate *candidate;
	unsigned n, missed; /* windows that count, and others */
	double rates[WINDOWS_MAX], ghz[WINDOWS_MAX];
	double score;
};

struct race {
	struct tp_team *team;
	const struct tp_sampling *sampling;
	const struct tp_watch *watch;
	struct entry **alive; /* the best first, after each cut */
	size_t n;
	bool tight;
	double window_seconds;
	double recent_ghz[RECENT]; /* of the last windows, of any candidate; a ring */
	unsigned n_ghz, n_steady; /* frequencies, and those close to the previous one */
	unsigned n_windows, n_disturbed; /* that count, and of those */
};

static enum tp_status may_go_on(const struct race *race, struct tp_diag *diag)
{
	if (tp_watch_goes_on(race->watch))
		return TP_OK;
	return tp_fail(diag, TP_CANCELLED, "race", NULL, "cancelled");
}

/*
 * The usual value of the fast windows: the median of those near the fast mode, which two windows
 * share at least.
 */
static double usual(const double *values, unsigned n, double keep_within)
{
	double sorted[WINDOWS_MAX];
	unsigned low = 0;
	if (n == 0)
		return 0;
	tp_sort_copy(values, n, sorted);
	double fast = sorted[n - 1 - (n > 3 ? TP_MAX(n / 8, 1u) : 0)];
	while (sorted[low] < fast * (1 - keep_within))
		low++;
	return tp_median_sorted(sorted + low, n - low);
}

static int best_first(const void *a, const void *b)
{
	const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;
	if (x->score != y->score)
		return (x->score < y->score) - (x->score > y->score);
	return (x->candidate > y->candidate) - (x->candidate < y->candidate);
}

static bool counts_cycles(const struct race *race)
{
	return race->tight && 2 * race->n_steady > race->n_ghz;
}

static void rank(struct race *race)
{
	for (size_t i = 0; i < race->n; i++) {
		struct entry *e = race->alive[i];
		double values[WINDOWS_MAX];
		for (unsigned k = 0; k < e->n; k++)
			values[k] = counts_cycles(race) && e->ghz[k] > 0 ? e->rates[k] / e->ghz[k]
									 : e->rates[k];
		e->score = usual(values, e->n, race->sampling->keep_within);
	}
	qsort(race->alive, race->n, sizeof(*race->alive), best_first);
}

/* --- windows --- */

/* The same work as in the windows of another, and the same length from then on. */
static void set_passes(struct race *race, struct entry *e, const struct entry *first)
{
	struct tp_runner *r = &e->runner;
	struct tp_sample sample;
	if (r->evict_bytes)
		return; /* a pass is a window */
	if (r->walk.slice_bytes) { /* half of what windows have */
		tp_runner_lengthen(r);
		r->passes = (r->passes + 1) / 2;
		return;
	}
	if (e == first) {
		tp_runner_calibrate(r, race->window_seconds);
	} else {
		double passes = (double)first->runner.passes * first->runner.work_per_pass /
				r->work_per_pass;
		r->passes = passes < 1 ? 1 : (uint64_t)(passes + 0.5);
		tp_runner_window(r, &sample);
	}
	/* One window may have been disturbed: they are cut short if all are much too long. */
	double shortest = r->last_seconds;
	for (int i = 0; i < TRIES && shortest > LENGTH_TOLERANCE * race->window_seconds; i++) {
		tp_runner_window(r, &sample);
		shortest = TP_MIN(shortest, r->last_seconds);
	}
	r->last_seconds = shortest;
	if (shortest > LENGTH_TOLERANCE * race->window_seconds)
		tp_runner_shorten(r, TP_MAX(race->window_seconds, shortest / 4));
	/* Others have used L1 in between. */
	r->lead_passes = r->passes > 8;
}

/*
 * The clock of a window. What disturbs the gauge makes it read low, and would make the window look
 * fast. So no window has a slower clock than the usual one of those just before it.
 */
static double clock_of(struct race *race, double ghz)
{
	double sorted[RECENT];
	if (!(ghz > 0))
		return 0;
	const double before = race->recent_ghz[(race->n_ghz + RECENT - 1) % RECENT];
	race->n_steady += before > 0 && fabs(ghz / before - 1) < STEADY_CLOCK;
	race->recent_ghz[race->n_ghz++ % RECENT] = ghz;
	unsigned n = TP_MIN(race->n_ghz, (unsigned)RECENT);
	return fmax(ghz, tp_median_of(race->recent_ghz, n, sorted));
}

/* A window that counts, unless something disturbs every try. */
static void run_window(struct race *race, struct entry *e)
{
	struct tp_sample sample;
	for (int i = 0; i < TRIES && e->n < WINDOWS_MAX; i++) {
		tp_runner_window(&e->runner, &sample);
		bool disturbed =
			sample.flags & (race->tight ? HARD_FLAGS : HARD_FLAGS & ~TP_FLAG(SIBLING));
		/* Where that never ends, such windows have to do. */
		if (!disturbed || e->missed > PATIENCE + 2 * e->n) {
			e->rates[e->n] = sample.rate;
			e->ghz[e->n++] = clock_of(race, sample.core_ghz);
			race->n_windows++;
			race->n_disturbed += disturbed;
			return;
		}
		e->missed++;
	}
}

static void drop(struct race *race, size_t i)
{
	tp_runner_release(&race->alive[i]->runner);
	race->alive[i] = race->alive[--race->n];
}

/* Everyone's window; the first one is another one each time. */
static enum tp_status run_round(struct race *race, size_t round, struct tp_diag *diag)
{
	double incumbent = 0;
	for (size_t i = 0; i < race->n; i++) {
		struct entry *e = race->alive[(i + round) % race->n];
		enum tp_status status = may_go_on(race, diag);
		if (status != TP_OK)
			return status;
		run_window(race, e);
	}
	if (round > 0)
		return TP_OK;
	for (size_t i = 0; i < race->n; i++)
		if (race->alive[i]->n)
			incumbent = TP_MAX(incumbent, race->alive[i]->rates[0]);
	for (size_t i = race->n; i-- > 0;)
		if (race->alive[i]->n && race->alive[i]->rates[0] < HOPELESS * incumbent)
			drop(race, i);
	return TP_OK;
}

/* --- the race --- */

static unsigned fewest_windows(const struct race *race)
{
	unsigned fewest = WINDOWS_MAX;
	for (size_t i = 0; i < race->n; i++)
		fewest = TP_MIN(fewest, race->alive[i]->n);
	return fewest;
}

static enum tp_status run(struct race *race, size_t wanted, struct tp_diag *diag)
{
	const struct stage *stages = race->tight ? core_stages : beyond_stages;
	const size_t n_stages = race->tight ? TP_COUNT_OF(core_stages) : TP_COUNT_OF(beyond_stages);
	const unsigned most = race->tight ? CORE_WINDOWS : BEYOND_WINDOWS;
	/* A caller that needs several best ones races them again. */
	const size_t stages_run = wanted > 1 ? 2 : n_stages;
	size_t stage = 0, round = 0;
	tp_runner_settle(&race->alive[0]->runner, race->sampling->settle_bytes);
	for (size_t i = 0; i < race->n; i++)
		set_passes(race, race->alive[i], race->alive[0]);
	double started = 0;
	while (race->n > wanted) {
		enum tp_status status = run_round(race, round++, diag);
		if (status != TP_OK)
			return status;
		if (!(started > 0))
			started = tp_team_now(race->team);
		unsigned fewest = fewest_windows(race);
		bool late = tp_team_now(race->team) - started > RACE_SECONDS && fewest > 0;
		/* Puts those out that are clearly slower than the best, but leaves `wanted`. */
		while (stage < stages_run && fewest >= stages[stage].windows) {
			rank(race);
			double least = race->alive[0]->score * (1 - stages[stage++].behind);
			while (race->n > wanted && race->alive[race->n - 1]->score < least)
				drop(race, race->n - 1);
		}
		if (late || fewest >= most || (wanted > 1 && stage == stages_run))
			break;
	}
	rank(race);
	return TP_OK;
}

/* Candidates that fit, each with its code; the last reason if none fits. */
static enum tp_status line_up(struct race *race, const struct tp_cpu *cpu, struct entry *entries,
			      const struct tp_candidate *candidates, size_t n, struct tp_diag *diag)
{
	enum tp_status status = tp_fail(diag, TP_USAGE, "race", NULL, "no candidates");
	for (size_t i = 0; i < n; i++) {
		struct entry *e = &entries[race->n];
		enum tp_status one = tp_runner_init(&e->runner, race->team, cpu, &candidates[i],
						    race->sampling, diag);
		if (one != TP_OK) { /* this body does not fit this working set */
			status = one;
			continue;
		}
		e->candidate = (struct tp_candidate *)(uintptr_t)&candidates[i];
		race->alive[race->n++] = e;
	}
	return race->n ? TP_OK : status;
}

enum tp_status tp_sampler_race(struct tp_team *team, const struct tp_cpu *cpu,
			       const struct tp_candidate *candidates, size_t n,
			       const struct tp_sampling *sampling, const struct tp_watch *watch,
			       struct tp_candidate *best, size_t *n_best, struct tp_diag *diag)
{
	struct race race = {
		.team = team,
		.sampling = sampling,
		.watch = watch,
		.tight = sampling->keep_within <= KEEP_TIGHT,
		.window_seconds = TP_MAX(sampling->race_window_seconds,
					 CLOCK_STEPS * tp_team_clock(team)->resolution_seconds),
	};
	TP_FREE struct entry *entries = tp_alloc(n, sizeof(*entries));
	size_t wanted = *n_best;
	*n_best = 0;
	race.alive = tp_alloc(n, sizeof(*race.alive));
	enum tp_status status = line_up(&race, cpu, entries, candidates, n, diag);
	if (status == TP_OK)
		status = run(&race, wanted, diag);
	for (size_t i = 0; status == TP_OK && i < TP_MIN(race.n, wanted); i++) {
		struct entry *e = race.alive[i];
		double ghz = usual(e->ghz, e->n, 1);
		best[i] = *e->candidate;
		best[i].raced_blind |=
			race.tight && race.n_disturbed > BLIND_SHARE * race.n_windows;
		best[i].raced_ghz = ghz;
		best[i].raced_rate = counts_cycles(&race) && ghz > 0 ? e->score * ghz : e->score;
		*n_best = i + 1;
	}
	for (size_t i = 0; i < race.n; i++)
		tp_runner_release(&race.alive[i]->runner);
	free(race.alive);
	return status;
}
