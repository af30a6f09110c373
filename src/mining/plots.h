/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures that were asked for: mine.plot. What is written is read and checked; pictures.c draws.
 */
#ifndef TPROF_MINING_PLOTS_H
#define TPROF_MINING_PLOTS_H

#include "mining/result.h"

/* The plots of a job. TP_USAGE at the place of the value: what is wrong in it, what is allowed. */
enum tp_status tp_mine_plots_read(struct tp_mine_job *job, const struct tp_value *value,
				  struct tp_arena *arena, struct tp_diag *diag);

/* Finds their columns: mining->plotted. TP_USAGE as above: an unknown column, or an unfit one. */
enum tp_status tp_mining_plot_columns(struct tp_mining *mining, const struct tp_frame *frame,
				      struct tp_diag *diag);

#endif
