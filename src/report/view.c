/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/view.h"

#include <stdlib.h>
#include <string.h>

static void *copy_of(const void *items, size_t n, size_t size_bytes)
{
	void *copy = malloc((n + 1) * size_bytes);
	if (copy && n)
		memcpy(copy, items, n * size_bytes);
	return copy;
}

void tp_run_view_release(struct tp_run *view)
{
	free(view->points);
	free(view->roofs);
	free(view->plateaus);
	free(view->dots);
	*view = (struct tp_run){ 0 };
}

enum tp_status tp_run_view(struct tp_run *view, const struct tp_run *run, tp_part_wanted *wanted,
			   const void *context)
{
	*view = *run;
	view->points = copy_of(run->points, run->n_points, sizeof(*run->points));
	view->roofs = copy_of(run->roofs, run->n_roofs, sizeof(*run->roofs));
	view->plateaus = copy_of(run->plateaus, run->n_plateaus, sizeof(*run->plateaus));
	view->dots = copy_of(run->dots, run->n_dots, sizeof(*run->dots));
	if (!view->points || !view->roofs || !view->plateaus || !view->dots) {
		tp_run_view_release(view);
		return TP_NOMEM;
	}
	view->n_roofs = view->n_plateaus = view->n_dots = 0;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		const struct tp_part part = { p->run, p->threads, p->isa, p->precision };
		if (!wanted(context, &part))
			view->points[i].state = TP_POINT_SKIPPED;
	}
	for (size_t i = 0; i < run->n_roofs; i++) {
		const struct tp_roof *r = &run->roofs[i];
		const struct tp_part part = { r->run, r->threads, r->isa, r->precision };
		if (wanted(context, &part))
			view->roofs[view->n_roofs++] = *r;
	}
	for (size_t i = 0; i < run->n_plateaus; i++) {
		const struct tp_plateau *p = &run->plateaus[i];
		const struct tp_part part = { p->run, p->threads, p->isa, p->precision };
		if (wanted(context, &part))
			view->plateaus[view->n_plateaus++] = *p;
	}
	for (size_t i = 0; i < run->n_dots; i++) {
		const struct tp_dot *d = &run->dots[i];
		const struct tp_part part = { d->run, d->threads, d->isa, d->precision };
		if (wanted(context, &part))
			view->dots[view->n_dots++] = *d;
	}
	return TP_OK;
}
