/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the user wants to learn from a run, and the learning in a separate thread, so that keys keep
 * working.
 */
#ifndef TPROF_UI_TUI_SCREENS_MINED_LEARN_H
#define TPROF_UI_TUI_SCREENS_MINED_LEARN_H

#include <pthread.h>
#include <stdatomic.h>

#include "mining/from_run.h"
#include "mining/result.h"

/* The options that the screen changes, in display order. */
enum tp_mined_wish {
	TP_MINED_WISH_TARGET,
	TP_MINED_WISH_FEATURES,
	TP_MINED_WISH_CUTS,
	TP_MINED_WISH_CRITERION,
	TP_MINED_WISH_DEPTH,
	TP_MINED_WISH_PLOT,
	TP_MINED_WISH_COUNT
};

/* Values as text; NULL: the run's, else the default. Zero-initialise. */
struct tp_mined_wishes {
	char *text[TP_MINED_WISH_COUNT];
	uint64_t version; /* grows with each change */
};
void tp_mined_wishes_release(struct tp_mined_wishes *wishes);
/* NULL or "" withdraws the request. */
void tp_mined_wish(struct tp_mined_wishes *wishes, enum tp_mined_wish wish, const char *text);
/* "mine.depth=4, mine.target=ns". Appended. */
void tp_mined_wishes_text(const struct tp_mined_wishes *wishes, struct tp_str *out);

/* What was learned from a run, or why it was not. */
struct tp_learned {
	struct tp_frame frame;
	struct tp_mine_job job;
	struct tp_mining mining; /* with TP_OK */
	enum tp_status status;
	struct tp_diag diag;
	bool whole; /* everything requested, not only the tree */
	double seconds; /* that it took */
	size_t n_points; /* finished ones that it was learned from */
	uint64_t version; /* of the requests */
	struct tp_arena arena; /* owns the texts of the job */
};

/*
 * Reads the finished points of the run. `whole`: with the forest, else only the tree, which is
 * learned in milliseconds.
 */
struct tp_learned *tp_learned_new(const struct tp_run *run, const struct tp_mined_wishes *wishes,
				  bool whole);
void tp_learned_free(struct tp_learned *learned); /* may be NULL */
/* Learns now: for at most a few milliseconds if only the tree is requested. */
void tp_learned_make(struct tp_learned *learned);

/* Zero-initialise. */
struct tp_learner {
	struct tp_learned *under_way; /* NULL: none */
	bool threaded;
	pthread_t thread;
	atomic_bool done;
};
/* Takes `learned` over and goes to work. Nothing may be under way. */
void tp_learner_start(struct tp_learner *learner, struct tp_learned *learned);
/* The result, which the caller then owns; NULL: nothing yet. */
struct tp_learned *tp_learner_take(struct tp_learner *learner);
/* What is under way is given up, within some 20 ms. */
void tp_learner_stop(struct tp_learner *learner);

/* The cuts between categories as the user moves them. Pure: no terminal. */

/* Zero-initialise. */
struct tp_mined_cuts {
	double at[TP_CATEGORIES_MAX - 1]; /* rising, in units of the target */
	size_t n, chosen;
	double low, high; /* the smallest and the largest value */
	bool log; /* steps are steps of the logarithm */
};

/* The cuts of what was learned. None: the target has no numbers. */
void tp_mined_cuts_take(struct tp_mined_cuts *cuts, const struct tp_mining *mining);
/* The cut after the chosen one, or before it, around the ends. */
void tp_mined_cuts_choose(struct tp_mined_cuts *cuts, bool next);
/*
 * All of these leave the cuts between the smallest and the largest value, and rising. They return
 * false if nothing changes.
 *
 * MOVE: the chosen cut by steps of a 200th of the range. PUT: to a value, as far as its neighbours
 * let it. ADD: a cut at a value, chosen from now on. HALVE: a cut in the middle of the category
 * above the chosen cut. REMOVE: the chosen cut, but never the last.
 */
bool tp_mined_cuts_move(struct tp_mined_cuts *cuts, int steps);
bool tp_mined_cuts_put(struct tp_mined_cuts *cuts, double value);
bool tp_mined_cuts_add(struct tp_mined_cuts *cuts, double value);
bool tp_mined_cuts_halve(struct tp_mined_cuts *cuts);
bool tp_mined_cuts_remove(struct tp_mined_cuts *cuts);
/* "1.25,3.5": a value of the option mine.cuts. Appended. */
void tp_mined_cuts_text(const struct tp_mined_cuts *cuts, struct tp_str *out);

#endif
