/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A two-level branch predictor with local history (Yeh and Patt 1991, per-address history and per-
 * address pattern tables): the last `history_bits` directions of a branch select one of its two-bit
 * saturating counters. Branches share nothing, so none disturbs another. New branches are predicted
 * not taken, strongly.
 */
#ifndef TPROF_COUNTERS_PREDICTOR_H
#define TPROF_COUNTERS_PREDICTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TP_PREDICTOR_MAX_HISTORY = 16 };

struct tp_predictor {
	unsigned history_bits;
	size_t n_branches;
	uint32_t *history; /* of each branch, the last direction in bit 0 */
	uint8_t *counters; /* of each branch 2^history_bits: 0, 1 = not taken; 2, 3 = taken */
};

/* False when out of memory. */
bool tp_predictor_init(struct tp_predictor *predictor, size_t n_branches, unsigned history_bits);
void tp_predictor_release(struct tp_predictor *predictor);
void tp_predictor_clear(struct tp_predictor *predictor);

bool tp_predictor_taken(const struct tp_predictor *predictor, size_t branch);
void tp_predictor_train(struct tp_predictor *predictor, size_t branch, bool taken);

#endif
