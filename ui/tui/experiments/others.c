/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Experiments without a screen: where their results appear, and words beside a run. */
#include "ui/tui/experiments/roofline.h"
#include "experiments/spmv/row.h"
#include "ui/tui/shown.h"

const struct tp_shown tp_shown_asm = { .screen = TP_SCREEN_CURVE,
				       .words = "the cycles of instructions" };

const struct tp_shown tp_shown_template = { .screen = TP_SCREEN_CURVE,
					    .words = "the times of templates" };

static void preview_spmv(struct tp_doc *doc, const struct tp_run *run)
{
	enum { MOST = 4 };
	size_t n = tp_run_n_matrices(run);
	if (!n)
		return;
	tp_doc_heading(doc, "Sparse matrices");
	for (size_t i = 0; i < n && i < MOST; i++) {
		const struct tp_matrix_row *m = &tp_run_matrices(run)[i];
		tp_doc_row(doc, 0, TP_UI_PLAIN, "%s%s: fastest %s, %.3g GFLOP/s", m->matrix,
			   m->reorder[0] == 'r' ? " reordered" : "", m->fastest, m->fastest_gflops);
		tp_doc_row(doc, 2, m->agrees ? TP_UI_GOOD : TP_UI_WARN, "advice %s: %s",
			   m->facts.advice, m->agrees ? "agrees" : "does not agree");
	}
}

const struct tp_shown tp_shown_spmv = {
	.screen = TP_SCREEN_ROOFLINE,
	.words = "the sparse matrix",
	.part = &tp_matrix_part,
	.preview = preview_spmv,
	.grow = tp_roofline_grow,
};
