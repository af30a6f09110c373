/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse matrices on the screens: dots of the roofline, and words beside a run. */
#include "ui/tui/experiments/roofline.h"
#include "experiments/spmv/spmv_row.h"
#include "ui/tui/shown.h"

static const char *finds(const struct tp_run *run)
{
	return tp_run_n_matrices(run) ? "the sparse matrix" : NULL;
}

static void preview(struct tp_doc *doc, const struct tp_run *run)
{
	enum { MOST = 4 };
	size_t n = tp_run_n_matrices(run);
	if (!n)
		return;
	tp_doc_line(doc, -1);
	tp_doc_row(doc, 0, TP_UI_TITLE, "Sparse matrices");
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
	.finds = finds,
	.preview = preview,
	.grow = tp_roofline_grow,
};
