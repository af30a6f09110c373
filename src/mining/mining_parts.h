/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of tp_mine. Private to this room. */
#ifndef TPROF_MINING_PARTS_H
#define TPROF_MINING_PARTS_H

#include "mining/result.h"

/* A sentence to the notes of the result; `where` may be NULL. */
void tp_mining_note(struct tp_mining *mining, const char *where, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void *tp_mining_alloc(struct tp_mining *mining, size_t n, size_t size_bytes); /* n may be 0 */
enum tp_status tp_mining_no_memory(struct tp_diag *diag);

/* choose.c: the columns. `chosen` gets `*n` of them, in the order of the frame. */
enum tp_status tp_mining_target(const struct tp_frame *frame, const char *name,
				const struct tp_frame_column **target, struct tp_diag *diag);
enum tp_status tp_mining_choose(struct tp_mining *mining, const struct tp_frame *frame,
				const struct tp_frame_column *target,
				const struct tp_frame_column **chosen, size_t *n,
				struct tp_diag *diag);
/* prepare.c: low, high, mean, deviation and whole of a column of numbers. */
void tp_mining_describe(struct tp_mine_feature *feature, size_t n_rows);
/* Rows, features, categories, split. */
enum tp_status tp_mining_prepare(struct tp_mining *mining, struct tp_frame *frame,
				 struct tp_diag *diag);
/* categories.c: the labels of the rows; target_values or the codes of words are there. */
enum tp_status tp_mining_categorise(struct tp_mining *mining, const struct tp_frame_column *target,
				    struct tp_diag *diag);
/* design.c: k-means and regression, over columns of numbers alone. */
enum tp_status tp_mining_cluster(struct tp_mining *mining, struct tp_diag *diag);
enum tp_status tp_mining_regress(struct tp_mining *mining, struct tp_diag *diag);
/* missed.c: why rows were missed. */
enum tp_status tp_mining_explain(struct tp_mining *mining, struct tp_diag *diag);
/* trust.c */
void tp_mining_judge(struct tp_mining *mining);

#endif
