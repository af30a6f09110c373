/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/template/shape.h"

#include <math.h>
#include <string.h>

#include "base/pairs.h"
#include "base/vec.h"

bool tp_point_is_template(const struct tp_point *point)
{
	return tp_template_row(point)->source[0] != '\0';
}

enum tp_status tp_template_families(const struct tp_run *run, struct tp_tally *families)
{
	TP_STR text = { 0 };
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < run->n_points && status == TP_OK; i++) {
		const struct tp_point *p = &run->points[i];
		const struct tp_template_row *row = tp_template_row(p);
		tp_str_clear(&text);
		if (tp_point_is_template(p))
			tp_str_printf(&text, "%u %u %s %s", p->run, p->threads, row->source,
				      row->region);
		status = tp_tally_add(families, tp_str_text(&text));
	}
	return status;
}

static void add_value(struct tp_template_axis *axis, const char *value)
{
	for (size_t i = 0; i < axis->n && i < TP_TEMPLATE_AXIS_MAX; i++)
		if (strcmp(axis->values[i], value) == 0)
			return;
	if (axis->n < TP_TEMPLATE_AXIS_MAX)
		tp_copy(axis->values[axis->n], sizeof(axis->values[0]), value);
	axis->n = TP_MIN(axis->n + 1, (size_t)TP_TEMPLATE_AXIS_MAX + 1);
}

/* All points of a family have the same parameters in the same order. */
static void add_parameters(struct tp_template_shape *shape, const struct tp_point *p)
{
	const char *at = tp_template_row(p)->parameters;
	char name[TP_SWEEP_NAME_BYTES], value[TP_TEMPLATE_VALUE_BYTES];
	for (size_t i = 0; i < TP_SWEEP_PARAMETERS_MAX &&
			   tp_pairs_next(&at, name, sizeof(name), value, sizeof(value));
	     i++) {
		struct tp_template_axis *axis = &shape->axes[i];
		if (i == shape->n_axes) {
			tp_copy(axis->name, sizeof(axis->name), name);
			axis->n = 0;
			shape->n_axes++;
		}
		if (strcmp(axis->name, name) == 0)
			add_value(axis, value);
	}
}

void tp_template_shape_of(const struct tp_run *run, const struct tp_tally *families,
			  const struct tp_tally_group *family, struct tp_template_shape *shape)
{
	shape->run = run;
	shape->families = families;
	shape->family = family;
	shape->n_axes = 0;
	shape->counted = true;
	shape->best = NULL;
	for (size_t i = family->first; i != TP_TALLY_END; i = tp_template_next(shape, i)) {
		const struct tp_point *p = &run->points[i];
		add_parameters(shape, p);
		if (p->state != TP_POINT_DONE || !(p->median > 0))
			continue;
		shape->counted &= tp_kernel_row(p)->median_gflops > 0;
		if (!shape->best || p->median < shape->best->median)
			shape->best = p;
	}
}

int tp_template_axis_of(const struct tp_template_shape *shape, int other)
{
	int found = -1;
	size_t most = 1;
	for (size_t i = 0; i < shape->n_axes; i++)
		if ((int)i != other && shape->axes[i].n > most &&
		    shape->axes[i].n <= TP_TEMPLATE_AXIS_MAX) {
			most = shape->axes[i].n;
			found = (int)i;
		}
	return found;
}

size_t tp_template_place(const struct tp_template_shape *shape, size_t axis,
			 const struct tp_point *point)
{
	const struct tp_template_axis *a = &shape->axes[axis];
	const char *at = tp_template_row(point)->parameters;
	char name[TP_SWEEP_NAME_BYTES], value[TP_TEMPLATE_VALUE_BYTES];
	size_t i = 0;
	while (tp_pairs_next(&at, name, sizeof(name), value, sizeof(value)))
		if (strcmp(name, a->name) == 0) {
			while (i < a->n && strcmp(a->values[i], value) != 0)
				i++;
			return i;
		}
	return a->n;
}

void tp_template_variant_name(const struct tp_template_shape *shape, const struct tp_point *point,
			      struct tp_str *out)
{
	const char *at = tp_template_row(point)->parameters;
	char name[TP_SWEEP_NAME_BYTES], value[TP_TEMPLATE_PARAMETERS_BYTES];
	TP_STR text = { 0 };
	for (size_t i = 0; tp_pairs_next(&at, name, sizeof(name), value, sizeof(value)); i++)
		if (i < shape->n_axes && shape->axes[i].n > 1)
			tp_pairs_add(&text, name, value);
	tp_str_add(out, tp_str_text(&text));
}

/* The unit of times: ns, us, ms or s, by the fastest. */
static const struct {
	const char *name;
	double ns;
} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };

static size_t unit_of(const struct tp_template_shape *shape)
{
	size_t i = 0;
	double fastest = shape->best ? shape->best->median : 0;
	while (i + 1 < TP_COUNT_OF(units) && fastest >= units[i + 1].ns)
		i++;
	return i;
}

double tp_template_value(const struct tp_template_shape *shape, const struct tp_point *point)
{
	if (point->state != TP_POINT_DONE || !(point->median > 0))
		return NAN;
	return shape->counted ? tp_kernel_row(point)->median_gflops
			      : point->median / units[unit_of(shape)].ns;
}

const char *tp_template_unit(const struct tp_template_shape *shape)
{
	return shape->counted ? "GFLOP/s" : units[unit_of(shape)].name;
}
