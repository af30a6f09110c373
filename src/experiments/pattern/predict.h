/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions of models for a configuration, see analysis/stencil.h. */
#ifndef TPROF_EXPERIMENTS_PATTERN_PREDICT_H
#define TPROF_EXPERIMENTS_PATTERN_PREDICT_H

#include "analysis/stencil.h"
#include "experiments/experiment.h"
#include "experiments/pattern/row.h"
#include "measure/team.h"
#include "pattern/pattern.h"

/*
 * The loops and accesses of a configuration as layer conditions take them. False if they cannot be
 * determined: loops in C, several statements, schedules other than permutations and blocks,
 * subscripts that are not affine.
 */
bool tp_pattern_stencil(const struct tp_pattern_config *configuration, unsigned line_bytes,
			struct tp_stencil *stencil);

/* Edges of layer conditions that were computed: they are the same for every n. */
struct tp_pattern_edges {
	struct tp_pattern_config configuration;
	uint64_t n[3];
};
struct tp_pattern_predictor {
	const struct tp_machine *machine;
	int n_parameter; /* the one called n; -1 = none */
	struct tp_pattern_edges known[128];
	size_t n_known;
};
/* Fills reuse_level, the bytes of levels and the largest n. */
void tp_pattern_predict(struct tp_pattern_predictor *predictor,
			const struct tp_pattern_config *configuration, struct tp_pattern_row *row);

/*
 * Why a simulated machine cannot run a configuration whose row is filled; NULL = it can. Its pass
 * takes layer conditions of the given caches, vectors of `isa` in L1, and an addition for each
 * FLOP.
 */
const char *tp_pattern_not_simulated(const struct tp_pattern_config *configuration,
				     const struct tp_pattern_row *row);
enum tp_status tp_pattern_pass(const struct tp_pattern_config *configuration,
			       const struct tp_machine *machine, const struct tp_isa *isa,
			       const double caches[TP_CACHE_LEVELS],
			       const struct tp_pattern_work *work, struct tp_window_pass *pass,
			       struct tp_diag *diag);

/*
 * Adds predictions of time to the points of run `index`, if some run of the preset has measured
 * bandwidths with as many threads. Bandwidths come from emitted kernels; the best ISA counts.
 */
void tp_pattern_reduce_predictions(struct tp_run *run, unsigned index);

#endif
