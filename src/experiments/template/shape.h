/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to src/experiments/template: how the points of a run lie in the space of parameters. */
#ifndef TPROF_EXPERIMENTS_TEMPLATE_SHAPE_H
#define TPROF_EXPERIMENTS_TEMPLATE_SHAPE_H

#include "base/tally.h"
#include "experiments/template/row.h"
#include "record/run.h"
#include "report/pictures.h"
#include "sweep/sweep.h"

/* Parameters with more values are no axis. */
enum { TP_TEMPLATE_AXIS_MAX = 40, TP_TEMPLATE_VALUE_BYTES = 48 };

struct tp_template_axis {
	char name[TP_SWEEP_NAME_BYTES];
	char values[TP_TEMPLATE_AXIS_MAX][TP_TEMPLATE_VALUE_BYTES];
	size_t n; /* TP_TEMPLATE_AXIS_MAX + 1: more than that */
};

/* Points of one region, of one run of the preset, with so many threads: a group of the tally. */
struct tp_template_shape {
	const struct tp_run *run;
	const struct tp_tally *families;
	const struct tp_tally_group *family;
	struct tp_template_axis axes[TP_SWEEP_PARAMETERS_MAX];
	size_t n_axes;
	bool counted; /* every finished point has GFLOP/s */
	const struct tp_point *best; /* the fastest, or NULL */
};

bool tp_point_is_template(const struct tp_point *point);
/* Items are the points of the run, by number; those of other experiments have the text "". */
enum tp_status tp_template_families(const struct tp_run *run, struct tp_tally *families);
/* The next point of the family behind point i, or TP_TALLY_END. */
static inline size_t tp_template_next(const struct tp_template_shape *shape, size_t i)
{
	return shape->families->next[i];
}
void tp_template_shape_of(const struct tp_run *run, const struct tp_tally *families,
			  const struct tp_tally_group *family, struct tp_template_shape *shape);
/* The axis with the most values, but for axis `other` (-1: none); -1 if all have one value. */
int tp_template_axis_of(const struct tp_template_shape *shape, int other);
/* Where the point lies on an axis; n_values if it has no place. */
size_t tp_template_place(const struct tp_template_shape *shape, size_t axis,
			 const struct tp_point *point);
/* Appends the parameters that have several values: "TILE=16 ORDER=IJK". */
void tp_template_variant_name(const struct tp_template_shape *shape, const struct tp_point *point,
			      struct tp_str *out);

/* What pictures show: GFLOP/s where all are counted, else the time in a unit that suits. */
double tp_template_value(const struct tp_template_shape *shape, const struct tp_point *point);
const char *tp_template_unit(const struct tp_template_shape *shape);

/* As tp_reporter.pictures. */
bool tp_template_pictures(const struct tp_run *run, const struct tp_gallery *gallery);

#endif
