/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/screens/comparison.h"
#include "record/load.h"
#include "report/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct compared {
	struct tp_run runs[TP_COMPARISON_RUNS];
	const struct tp_run *pointers[TP_COMPARISON_RUNS];
	const char *names[TP_COMPARISON_RUNS];
	size_t n;
};

void tp_comparison_view_release(struct tp_comparison_view *view)
{
	tp_doc_release(&view->doc);
	*view = (struct tp_comparison_view){ 0 };
}

static enum tp_status load(struct compared *c, char paths[][TP_PATH_MAX], size_t n,
			   struct tp_diag *diag)
{
	for (size_t i = 0; i < n; i++) {
		enum tp_status status = tp_run_load(&c->runs[i], paths[i], diag);
		if (status != TP_OK)
			return status;
		const char *slash = strrchr(paths[i], '/');
		c->pointers[i] = &c->runs[i];
		c->names[i] = slash ? slash + 1 : paths[i];
		c->n = i + 1;
	}
	return TP_OK;
}

enum tp_status tp_comparison_view_open(struct tp_comparison_view *view, char paths[][TP_PATH_MAX],
				       size_t n, const struct tp_term *term, struct tp_diag *diag)
{
	struct tp_compare_options options = { .across = TP_ACROSS_NONE };
	struct tp_comparison comparison = { 0 };
	struct tp_str text = { 0 };
	struct tp_look look = { .colour = true,
				.utf8 = term->utf8,
				.columns = (unsigned)term->columns - 2,
				.rows = (unsigned)term->rows };
	struct compared *c = calloc(1, sizeof(*c));
	tp_comparison_view_release(view);
	enum tp_status status = c ? load(c, paths, n, diag)
				  : tp_fail(diag, TP_NOMEM, "compare", NULL, "out of memory");
	if (status == TP_OK)
		status = tp_compare_runs(&comparison, c->pointers, c->names, c->n, &options, diag);
	if (status == TP_OK) {
		/* The verdict comes first: readers look for it. */
		tp_compare_verdict(&comparison, &look, &text);
		tp_str_add(&text, "\n");
		tp_compare_text(&comparison, &look, &text);
		if (text.oom)
			status = tp_fail(diag, TP_NOMEM, "compare", NULL, "out of memory");
	}
	if (status == TP_OK) {
		tp_doc_clear(&view->doc, term->columns);
		tp_doc_report(&view->doc, tp_str_text(&text));
		tp_list_resize(&view->list, view->doc.n);
		snprintf(view->title, sizeof(view->title), "Comparison of %zu runs", n);
		view->shown = true;
	}
	tp_str_release(&text);
	tp_comparison_release(&comparison);
	for (size_t i = 0; c && i < c->n; i++)
		tp_run_release(&c->runs[i]);
	free(c);
	return status;
}

void tp_comparison_view_draw(struct tp_comparison_view *view, struct tp_area area)
{
	struct tp_area text = tp_area_rows(area, 2, area.rows - 2);
	int at = tp_paint_text(area, 0, 0, TP_UI_TITLE, view->title);
	tp_paint_text(area, 0, at + 2, TP_UI_DIM, "Esc goes back to the list");
	tp_doc_show(&view->doc, &view->list, text, false);
}

bool tp_comparison_view_act(struct tp_comparison_view *view, enum tp_action action)
{
	if (tp_list_scroll(&view->list, action))
		return true;
	if (action != TP_ACTION_BACK && action != TP_ACTION_OPEN && action != TP_ACTION_COMPARE)
		return false;
	tp_comparison_view_release(view);
	return true;
}
