/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the user wants to be learned from a run, and the learning of it in a thread of its own, so
 * that keys work meanwhile.
 */
#ifndef TPROF_TUI_MINED_LEARN_H
#define TPROF_TUI_MINED_LEARN_H

#include <pthread.h>
#include <stdatomic.h>

#include "mining/from_run.h"
#include "mining/result.h"

/* The options that the screen changes, in the order in which they are told. X(id, option) */
#define TP_MINED_WISHES(X)                                                                         \
	X(TARGET, TP_OPT_MINE_TARGET)                                                              \
	X(FEATURES, TP_OPT_MINE_FEATURES)                                                          \
	X(CUTS, TP_OPT_MINE_CUTS)                                                                  \
	X(CRITERION, TP_OPT_MINE_CRITERION)                                                        \
	X(DEPTH, TP_OPT_MINE_DEPTH)

enum tp_mined_wish {
#define TP_MINED_WISH_ENUM(id, option) TP_MINED_WISH_##id,
	TP_MINED_WISHES(TP_MINED_WISH_ENUM)
#undef TP_MINED_WISH_ENUM
		TP_MINED_WISH_COUNT
};

/* Values as text; NULL: as the run says, else the default. Zero-initialise. */
struct tp_mined_wishes {
	char *text[TP_MINED_WISH_COUNT];
	uint64_t version; /* grows with each change */
};
void tp_mined_wishes_release(struct tp_mined_wishes *wishes);
/* NULL or "" takes the wish back. */
void tp_mined_wish(struct tp_mined_wishes *wishes, enum tp_mined_wish wish, const char *text);
/* "--set mine.depth=4 --set 'mine.target=size, bytes'": as a shell takes it. Appended. */
void tp_mined_wishes_text(const struct tp_mined_wishes *wishes, struct tp_str *out);

/* What was learned from a run, or why it was not. */
struct tp_learned {
	struct tp_frame frame;
	struct tp_mine_job job;
	struct tp_mining mining; /* with TP_OK */
	enum tp_status status;
	struct tp_diag diag;
	bool whole; /* all that was asked for, and not the tree alone */
	double seconds; /* that it took */
	size_t n_points; /* finished ones that it was learned from */
	uint64_t version; /* of the wishes */
	struct tp_arena arena; /* owns the texts of the job */
};

/*
 * Reads the finished points of the run. `whole`: with the forest, else the tree alone, which is
 * learned in milliseconds. NULL when out of memory.
 */
struct tp_learned *tp_learned_new(const struct tp_run *run, const struct tp_mined_wishes *wishes,
				  bool whole);
void tp_learned_free(struct tp_learned *learned); /* may be NULL */
/* Learns now: for at most a few milliseconds where only the tree is asked for. */
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
/* What has been learned, which the caller owns from then on; NULL: nothing yet. */
struct tp_learned *tp_learner_take(struct tp_learner *learner);
/* What is under way is given up, within some 20 ms. */
void tp_learner_stop(struct tp_learner *learner);

#endif
