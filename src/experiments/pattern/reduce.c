/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/str.h"
#include "record/dot.h"
#include "experiments/pattern/roofs.h"
#include "experiments/pattern/row.h"

#include <string.h>

/* In the roofline of the run that measured the roofs. */
static enum tp_status add_dot(struct tp_run *run, const struct tp_point *p)
{
	const struct tp_pattern_row *row = tp_pattern_row(p);
	struct tp_pattern_roof roof;
	if (!(row->kernel.ai_flop_per_byte > 0) || !tp_pattern_roof_of(run, p, &roof))
		return TP_OK;
	struct tp_dot *dot = tp_dot_add(run, p, row->pattern);
	if (!dot)
		return TP_NOMEM;
	dot->run = roof.run;
	tp_copy(dot->level, sizeof(dot->level), roof.level);
	tp_dot_set_roof(dot, roof.gflops);
	return TP_OK;
}

enum tp_status tp_pattern_reduce_dots(struct tp_run *run, unsigned index)
{
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < run->n_points && status == TP_OK; i++) {
		const struct tp_point *p = &run->points[i];
		if (p->run == index && p->state == TP_POINT_DONE &&
		    strcmp(p->experiment, "pattern") == 0)
			status = add_dot(run, p);
	}
	return status;
}
