/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file or a run mined from end to end: the frame, the job and the result live together. */
#ifndef TPROF_MINING_MINED_H
#define TPROF_MINING_MINED_H

#include "mining/result.h"

/* Zero-initialise, release after use. */
struct tp_mined {
	struct tp_frame frame;
	struct tp_mining mining;
	struct tp_arena arena; /* owns what the job says */
	struct tp_listener listener; /* for the job */
	size_t max_bytes;
};

/*
 * Mines the points of a run as `config` says; NULL: the defaults. In both cases under what the
 * run's preset said of mining (tp_mine_config_of_run), which may change *config. Without a target,
 * that is the headline metric: the median that most points have. Errors: those of the parts.
 */
enum tp_status tp_mine_run(struct tp_mined *mined, const struct tp_run *run,
			   struct tp_config *config, struct tp_diag *diag);
/* The same of the frame, which was read before. */
enum tp_status tp_mine_frame(struct tp_mined *mined, const struct tp_config *config,
			     struct tp_diag *diag);
void tp_mined_release(struct tp_mined *mined);

/*
 * The metric called median... that most points have, of several that of the points' own headline
 * value; NULL if there is none.
 */
const char *tp_mine_headline(const struct tp_frame *frame, const struct tp_run *run);

/* True if the preset of the run has a target: its report has the result. */
bool tp_run_is_mined(const struct tp_run *run);

#endif
