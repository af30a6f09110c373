/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names in the expressions of a lesson, and the tables that they lead to. */
#ifndef TPROF_LESSON_NAMES_H
#define TPROF_LESSON_NAMES_H

#include "lesson/lesson.h"
#include "record/schema.h"

enum tp_lesson_name_kind {
	TP_NAME_VALUE, /* number `index` of the lesson's values */
	TP_NAME_RESULT, /* of step `step`, its result `index` */
	TP_NAME_STEP, /* a step measure, `index` is an enum tp_measured */
	TP_NAME_QUESTION, /* of step `step`, `index` is an enum tp_answered */
	TP_NAME_MACHINE /* `index` of tp_lesson_fact() */
};

enum tp_measured {
	TP_MEASURED_POINTS,
	TP_MEASURED_GOOD,
	TP_MEASURED_FAIR,
	TP_MEASURED_POOR,
	TP_MEASURED_NOISY,
	TP_MEASURED_SIMULATED
};

enum tp_answered { TP_ANSWERED_GIVEN, TP_ANSWERED_TRUTH, TP_ANSWERED_FACTOR, TP_ANSWERED_RIGHT };

struct tp_lesson_name {
	enum tp_lesson_name_kind kind;
	size_t step, index;
	const struct tp_column *column; /* RESULT; NULL: whether it was found */
};

/* Why a name is none: which part of it is wrong, and what there is instead. */
struct tp_lesson_no_name {
	bool member; /* what stands before the dot exists */
	char nearest[TP_NAME_MAX]; /* of that part; "" = none is near */
};

/* False if there is no such name; `why` may be NULL. */
bool tp_lesson_name_find(const struct tp_lesson *lesson, const char *text, size_t len,
			 struct tp_lesson_name *name, struct tp_lesson_no_name *why);
/* The unit that a single name is quoted with, "" for none. */
const char *tp_lesson_name_unit(const struct tp_lesson *lesson, const struct tp_lesson_name *name);
/* True if its values are words. */
bool tp_lesson_name_is_word(const struct tp_lesson_name *name);

/* A fact of the machine by index: the name after "machine."; NULL after the last. */
struct tp_lesson_fact {
	const char *name;
	const char *key; /* of the fact that it is; NULL: it is computed */
	const char *unit;
	bool word;
};
const struct tp_lesson_fact *tp_lesson_fact(size_t i);

/* --- tables of a measurement --- */

/* A table that the experiments of a preset have: "points", or a part. */
struct tp_lesson_table {
	const char *name;
	const struct tp_part *part; /* NULL: points */
};
/* NULL after the last. `preset` NULL: the names of all experiments. */
const char *tp_lesson_table_name(const struct tp_preset *preset, size_t i);
bool tp_lesson_table_find(const struct tp_preset *preset, const char *name,
			  struct tp_lesson_table *table);
/* NULL if such rows have no column of that name. */
const struct tp_column *tp_lesson_column(const struct tp_preset *preset,
					 const struct tp_lesson_table *table, const char *name);
/* Names of its columns, for hints: the i-th, NULL after the last. */
const char *tp_lesson_column_name(const struct tp_preset *preset,
				  const struct tp_lesson_table *table, size_t i);
/* In the words of tp_lesson_unit, "" for none. */
const char *tp_lesson_column_unit(const struct tp_column *column);
/* "GB/s" as lessons write it, NULL if it is not a unit; "" is one. */
const char *tp_lesson_unit_find(const char *text);

#endif
