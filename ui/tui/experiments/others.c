/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Experiments without a screen: where their results appear, and a text next to a run. */
#include "ui/tui/experiments/roofline.h"
#include "experiments/spmv/row.h"
#include "ui/tui/shown.h"

const struct tp_shown tp_shown_asm = { .screen = TP_SCREEN_CURVE,
				       .words = "the cycles of instructions" };

const struct tp_shown tp_shown_template = { .screen = TP_SCREEN_CURVE,
					    .words = "the times of templates" };

const struct tp_shown tp_shown_spmv = {
	.screen = TP_SCREEN_ROOFLINE,
	.words = "the sparse matrix",
	.part = &tp_matrix_part,
	.grow = tp_roofline_grow,
};
