/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "counters/predictor.h"

#include <stdlib.h>
#include <string.h>

bool tp_predictor_init(struct tp_predictor *predictor, size_t n_branches, unsigned history_bits)
{
	if (history_bits > TP_PREDICTOR_MAX_HISTORY)
		history_bits = TP_PREDICTOR_MAX_HISTORY;
	*predictor =
		(struct tp_predictor){ .history_bits = history_bits, .n_branches = n_branches };
	/* One more than needed: without branches calloc might return NULL. */
	predictor->history = calloc(n_branches + 1, sizeof(*predictor->history));
	predictor->counters = calloc(n_branches + 1, (size_t)1 << history_bits);
	if (predictor->history && predictor->counters)
		return true;
	tp_predictor_release(predictor);
	return false;
}

void tp_predictor_release(struct tp_predictor *predictor)
{
	free(predictor->history);
	free(predictor->counters);
	*predictor = (struct tp_predictor){ 0 };
}

void tp_predictor_clear(struct tp_predictor *predictor)
{
	if (!predictor->history)
		return;
	memset(predictor->history, 0, predictor->n_branches * sizeof(*predictor->history));
	memset(predictor->counters, 0, predictor->n_branches << predictor->history_bits);
}

static uint8_t *counter_of(const struct tp_predictor *predictor, size_t branch)
{
	return &predictor->counters[(branch << predictor->history_bits) +
				    predictor->history[branch]];
}

bool tp_predictor_taken(const struct tp_predictor *predictor, size_t branch)
{
	return *counter_of(predictor, branch) >= 2;
}

void tp_predictor_train(struct tp_predictor *predictor, size_t branch, bool taken)
{
	uint8_t *counter = counter_of(predictor, branch);
	uint32_t mask = ((uint32_t)1 << predictor->history_bits) - 1;
	if (taken && *counter < 3)
		++*counter;
	else if (!taken && *counter > 0)
		--*counter;
	predictor->history[branch] = (predictor->history[branch] << 1 | taken) & mask;
}
