/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a frame to rows of numbers: filters, columns, missing values, categories, split. */
#ifndef TPROF_MINING_PREPARE_H
#define TPROF_MINING_PREPARE_H

#include "mining/result.h"

void *tp_mining_alloc(struct tp_mining *mining, size_t n, size_t size_bytes); /* n may be 0 */

/* low, high, mean, deviation and whole of a column of numbers. */
void tp_mining_describe(struct tp_mine_feature *feature, size_t n_rows);

/* Rows, features, categories, split. */
enum tp_status tp_mining_prepare(struct tp_mining *mining, struct tp_frame *frame,
				 struct tp_diag *diag);

#endif
