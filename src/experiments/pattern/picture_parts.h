/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to src/experiments/pattern: what heat maps and bars share. */
#ifndef TPROF_EXPERIMENTS_PATTERN_PICTURE_PARTS_H
#define TPROF_EXPERIMENTS_PATTERN_PICTURE_PARTS_H

#include "experiments/pattern/views.h"

/* A value before none, then the faster one. */
bool tp_pattern_is_better(double a, double b, enum tp_pattern_metric metric);
/* The same of two points of one place; `old` may be NULL. */
bool tp_pattern_replaces(const struct tp_point *p, const struct tp_point *old,
			 enum tp_pattern_metric metric);
/* Where a value stands in a dimension; its n if it does not. */
size_t tp_pattern_place(const struct tp_pattern_dimension *d, int64_t value);
/* True for points of a picture: of its family, and of the slice of the point `like`. */
bool tp_pattern_in_slice(const struct tp_run *run, size_t i, const struct tp_pattern_family *family,
			 const struct tp_pattern_axes *axes, size_t like);

/* Words in the picture's arena. */
const char *tp_pattern_number(struct tp_picture *picture, double value);
const char *tp_pattern_team(struct tp_picture *picture, const struct tp_run *run,
			    const struct tp_point *point);
const char *tp_pattern_family_name(struct tp_picture *picture, const struct tp_run *run,
				   const struct tp_point *point);
const char *tp_pattern_slice_name(struct tp_picture *picture,
				  const struct tp_pattern_family *family,
				  const struct tp_pattern_axes *axes, const struct tp_point *point);

/* --- bars.c --- */

bool tp_pattern_draw_bars(struct tp_picture *picture, const struct tp_run *run,
			  const struct tp_pattern_view *view,
			  const struct tp_pattern_family *family,
			  const struct tp_pattern_axes *axes, size_t rows);
/* Uses `family` as room to work in. */
bool tp_pattern_draw_compared(struct tp_picture *picture, const struct tp_run *run,
			      const struct tp_pattern_view *view, struct tp_pattern_family *family,
			      size_t rows);

#endif
