/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which format suits a matrix, from its structure alone: before anything is measured. Every format
 * gets an estimate of its cycles from what its loop does for each value, entry and row, and from
 * the bytes that it moves; the least one is advised.
 */
#ifndef TPROF_MATRIX_ADVICE_H
#define TPROF_MATRIX_ADVICE_H

#include "matrix/facts.h"

struct tp_matrix_advice {
	enum tp_sparse_format format;
	char why[240]; /* a sentence without its full stop */
	double cycles[TP_SPARSE_FORMATS]; /* estimates for a multiplication; 0 = left out */
};

/* `cache_bytes`: what the caches of the cores that work hold, together; `cores`: how many. */
void tp_matrix_advise(const struct tp_matrix_facts *facts, double padding, uint64_t cache_bytes,
		      unsigned cores, struct tp_matrix_advice *advice);

#endif
