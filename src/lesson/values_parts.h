/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values of a lesson from anywhere: from runs and answers, or made up by a test that tries what a
 * lesson would say. Private to this room.
 */
#ifndef TPROF_LESSON_VALUES_PARTS_H
#define TPROF_LESSON_VALUES_PARTS_H

#include "lesson/lesson_parts.h"
#include "lesson/values.h"

struct tp_lesson_known {
	const struct tp_lesson *lesson;
	/* The value of a name that is none of the lesson's own `values`; false: unknown. */
	bool (*value)(const void *context, const struct tp_lesson_name *name,
		      struct tp_operand *out);
	const void *context;
};

/* As the functions of values.h without _of. */
bool tp_lesson_compute_of(const struct tp_lesson_known *known,
			  const struct tp_expression *expression, struct tp_operand *value);
bool tp_lesson_holds_of(const struct tp_lesson_known *known, const struct tp_expression *condition);
bool tp_lesson_fill_of(const struct tp_lesson_known *known, const struct tp_quoted *text,
		       struct tp_str *out);
const struct tp_variant *tp_lesson_variant_of(const struct tp_lesson_known *known,
					      const struct tp_lesson_step *step);

/* --- rows.c --- */

/* The value of a column of a point; false if the point has none. */
bool tp_lesson_point_value(const struct tp_point *point, const char *column,
			   struct tp_operand *value);
bool tp_lesson_point_fits(const struct tp_point *point, const struct tp_condition *where,
			  size_t n_where);
/* The row that a result names; NULL if there is none. */
const void *tp_lesson_row(const struct tp_run *run, const struct tp_result *result);
/* A value of such a row. */
bool tp_lesson_row_value(const struct tp_run *run, const struct tp_result *result,
			 const char *column, struct tp_operand *value);
/* A fact of the machine of a run. */
bool tp_lesson_fact_value(const struct tp_run *run, const struct tp_lesson_fact *fact,
			  struct tp_operand *value);

#endif
