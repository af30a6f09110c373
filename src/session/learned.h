/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the points of earlier runs took on this machine, in a small file next to the runs. It
 * corrects the estimates of a plan: a point that was measured before gets the median time of the
 * last runs, another one of its kind gets its model's time, scaled like others of that kind. Poor
 * points do not count. A kind is an experiment, a level, a number of threads, and the options that
 * decide how much is measured.
 *
 * The file is optional: damaged or foreign lines are left out, and if it cannot be written, nothing
 * is learned.
 */
#ifndef TPROF_SESSION_LEARNED_H
#define TPROF_SESSION_LEARNED_H

#include "experiments/experiment.h"
#include "session/session.h"

/* Corrects a plan whose estimates come from tp_plan_estimate, and records from how many runs. */
void tp_learned_correct(struct tp_plan *plan, const struct tp_machine *machine);

/*
 * Learns from a run of that plan. `old`: true for each point that an earlier part of the run had
 * finished.
 */
void tp_learned_take(const struct tp_plan *plan, const struct tp_machine *machine,
		     const struct tp_run *run, const bool *old);

/*
 * What stored runs have measured of this machine: the capacities of its caches, by memory curves.
 * If they differ from those of plans, they are offered as values of options.
 */

/* Zero-initialise. */
struct tp_found {
	struct tp_run run; /* the newest run of this machine that measured a cache; see `from` */
	char from[256]; /* name of its directory; "" = none */
	/* --- private --- */
	char **names;
	size_t n_names, left; /* still to be read */
	bool looked;
};

/*
 * Looks into one stored run; false when there is nothing left to do. Call it again and again, but
 * not while a run is under way, which it would disturb. *changed: there is a run now.
 */
bool tp_found_go_on(struct tp_found *found, const struct tp_machine *machine, bool *changed);

/* Searches again if none had measured caches: there may be new runs. */
void tp_found_look_again(struct tp_found *found);
void tp_found_release(struct tp_found *found);

/* The run with the measured caches, NULL if none. */
const struct tp_run *tp_found_run(const struct tp_found *found);

/* Quality and date of what a run measured: "good, 2026-11-23". Returns out. */
const char *tp_measured_when(char *out, size_t size, const struct tp_run *run, unsigned quality);

/* A value that is worth taking. */
struct tp_offer {
	const struct tp_option *option;
	char value[48]; /* as tp_option_parse reads it */
	/* "L3 measured 79 MiB (good, 2026-11-23), reported 480 MiB", "looks like granite-rapids" */
	char words[128];
};

enum { TP_OFFERS_MAX = 4 };

/*
 * What the session could take: measured capacities where the user gave none, and the model that the
 * machine only looks like. Returns how many. `measured` may be NULL.
 */
size_t tp_offers(const struct tp_session *session, const struct tp_run *measured,
		 struct tp_offer offers[TP_OFFERS_MAX]);

/* All of them: "L3 measured 79 MiB (good, 2026-11-23), reported 480 MiB; looks like zen4". */
const char *tp_offers_words(char *out, size_t size, const struct tp_offer *offers, size_t n);

#endif
