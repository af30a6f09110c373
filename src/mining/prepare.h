/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a frame to rows of numbers: filters, columns, missing values, categories, split. */
#ifndef TPROF_MINING_PREPARE_H
#define TPROF_MINING_PREPARE_H

#include "mining/result.h"

void *tp_mining_alloc(struct tp_mining *mining, size_t n, size_t size_bytes); /* n may be 0 */

/* Of a column of numbers: low, high, mean, deviation and whole; NaN = missing. */
void tp_mining_describe(struct tp_mine_feature *feature, size_t n_rows);

/* The column in the rows of the result, described. */
struct tp_mine_feature tp_mining_column(struct tp_mining *mining, const struct tp_frame *frame,
					const struct tp_frame_column *column);
/* TP_USAGE at `where`: there is no such column. */
enum tp_status tp_mining_find(const struct tp_frame *frame, const char *where, const char *name,
			      const struct tp_frame_column **column, struct tp_diag *diag);

/* Cuts of n values at the valleys of their density that are deeper than chance makes them. */
void tp_mining_cut_valleys(struct tp_categories *categories, const struct tp_density *density,
			   size_t n);

/* Rows, features, categories, split. */
enum tp_status tp_mining_prepare(struct tp_mining *mining, struct tp_frame *frame,
				 struct tp_diag *diag);

#endif
