/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/sampler.h"
#include "measure/runner.h"
#include "base/vec.h"

#include <stdlib.h>

/* Share of the incumbent's rate below which a single window ends a candidate's race. */
#define HOPELESS 0.3
/* Candidates whose windows last longer than this run LONG_SAVING windows less. */
#define LONG_WINDOW_SECONDS 2e-3

enum { LONG_SAVING = 2, FINALISTS = 4, TRIES_PER_WINDOW = 4, FINAL_WINDOWS = 5, ROUND_WINDOWS = 4 };

struct entry {
	size_t index; /* in the caller's list */
	double ghz; /* fastest chain so far */
	double score; /* what the order is by */
	double best; /* fastest window so far: noise only slows */
};

struct race {
	struct tp_team *team;
	const struct tp_cpu *cpu;
	const struct tp_candidate *candidates;
	const struct tp_sampling *sampling;
	const struct tp_watch *watch;
};

static bool go_on(const struct race *race)
{
	return !race->watch || !race->watch->go_on || race->watch->go_on(race->watch->context);
}

/* Up to `windows` windows of one candidate, fewer once it is clearly beaten. */
static enum tp_status run_one(const struct race *race, struct entry *e, unsigned windows,
			      double incumbent, struct tp_diag *diag)
{
	struct tp_runner runner;
	enum tp_status status =
		tp_runner_init(&runner, race->team, race->cpu, &race->candidates[e->index],
			       race->sampling->cold, diag);
	if (status != TP_OK)
		return status;
	struct tp_stop_rule rule = race->sampling->rule;
	rule.basis = TP_BASIS_MEAN;
	rule.incumbent = incumbent;
	rule.min_count = windows;
	rule.max_samples = TRIES_PER_WINDOW * windows;
	rule.error = 0;
	rule.confidence = 0.95; /* wrong once in a while costs little: the best few meet again */
	struct tp_stop_state state = { 0 };
	bool tight = race->sampling->keep_within <= KEEP_TIGHT;
	tp_runner_calibrate(&runner, race->sampling->race_window_seconds);
	/* One pass over much memory says as much as several short windows. */
	if (runner.last_seconds > LONG_WINDOW_SECONDS) {
		windows = windows > LONG_SAVING + 1 ? windows - LONG_SAVING : 1;
		rule.min_count = windows;
	}
	double started = tp_now_seconds();
	enum tp_stop_reason reason = TP_GO_ON;
	while (reason == TP_GO_ON && status == TP_OK) {
		struct tp_sample sample;
		if (!go_on(race)) {
			status = tp_fail(diag, TP_CANCELLED, "race", NULL, "cancelled");
			break;
		}
		tp_runner_window(&runner, &sample);
		/* Inside a core, a window that something shared tells nothing, as long as there may be others. */
		if (tight && sample.flags & HARD_FLAGS &&
		    state.n + state.dropped + 1 < rule.max_samples) {
			tp_stop_drop(&state);
			continue;
		}
		e->best = TP_MAX(e->best, sample.rate);
		e->ghz = TP_MAX(e->ghz, sample.core_ghz);
		status = tp_stop_add(&state, sample.rate);
		if (sample.rate < HOPELESS * incumbent)
			break; /* no noise explains that */
		reason = state.n >= windows
				 ? TP_STOP_SAMPLES
				 : tp_stop_decide(&state, &rule, tp_now_seconds() - started);
	}
	/* Fast once is good, fast every time is better. */
	if (state.n)
		e->score = (e->best + tp_median_sorted(state.sorted, state.n)) / 2;
	tp_stop_release(&state);
	tp_runner_release(&runner);
	return status;
}

static int fastest_first(const void *a, const void *b)
{
	double x = ((const struct entry *)a)->score, y = ((const struct entry *)b)->score;
	return (x < y) - (x > y);
}

enum tp_status tp_sampler_race(struct tp_team *team, const struct tp_cpu *cpu,
			       const struct tp_candidate *candidates, size_t n,
			       const struct tp_sampling *sampling, const struct tp_watch *watch,
			       struct tp_candidate *winner, struct tp_diag *diag)
{
	struct race race = { team, cpu, candidates, sampling, watch };
	struct entry *entries = calloc(n, sizeof(*entries));
	if (!entries)
		return tp_fail(diag, TP_NOMEM, "race", NULL, "out of memory");
	enum tp_status status = tp_fail(diag, TP_USAGE, "race", NULL, "no candidates");
	size_t runners = 0;
	double incumbent = 0;
	for (size_t i = 0; i < n; i++) {
		struct entry e = { .index = i };
		enum tp_status one = run_one(&race, &e, ROUND_WINDOWS, incumbent, diag);
		if (one == TP_CANCELLED || one == TP_NOMEM) {
			status = one;
			goto out;
		}
		if (one != TP_OK) { /* this body does not fit this working set */
			status = one;
			continue;
		}
		entries[runners++] = e;
		incumbent = TP_MAX(incumbent, e.best);
	}
	if (runners == 0)
		goto out;
	for (size_t i = 0; i < runners; i++)
		entries[i].score = entries[i].best; /* a few windows say little of the usual one */
	qsort(entries, runners, sizeof(*entries), fastest_first);
	size_t finalists = TP_MIN(runners, (size_t)FINALISTS);
	status = TP_OK;
	for (size_t i = 0; i < finalists && finalists > 1 && status == TP_OK; i++)
		status = run_one(&race, &entries[i], FINAL_WINDOWS, 0, diag);
	if (status != TP_OK)
		goto out;
	qsort(entries, finalists, sizeof(*entries), fastest_first);
	*winner = candidates[entries[0].index];
	winner->raced_rate = entries[0].best;
	winner->raced_ghz = entries[0].ghz;
out:
	free(entries);
	return status;
}
