/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps that an expression is read into. Private to this room. */
#ifndef TPROF_BASE_EXPRESSION_PARTS_H
#define TPROF_BASE_EXPRESSION_PARTS_H

#include "base/expression.h"

/* A step takes values from the top of a stack and puts one there. */
enum tp_step_kind {
	TP_STEP_NUMBER,
	TP_STEP_WORD,
	TP_STEP_NAME, /* number `from` */
	TP_STEP_NEGATE,
	TP_STEP_NOT,
	TP_STEP_TRUTH, /* 1 for anything but 0 */
	TP_STEP_ADD,
	TP_STEP_SUBTRACT,
	TP_STEP_MULTIPLY,
	TP_STEP_DIVIDE,
	TP_STEP_REMAINDER,
	TP_STEP_AND,
	TP_STEP_OR,
	TP_STEP_COMPARE, /* by sign `n`: of two values, whether it holds, and the right one */
	TP_STEP_COMPARE_ON, /* the same with what held so far below */
	TP_STEP_COMPARE_END, /* leaves what held */
	TP_STEP_CALL /* of function `from` with `n` values */
};

enum tp_sign { TP_LESS_EQUAL, TP_GREATER_EQUAL, TP_EQUAL, TP_UNEQUAL, TP_LESS, TP_GREATER };

enum { TP_EXPRESSION_STACK = 512, TP_ARGUMENTS_MAX = 64 };

struct tp_function {
	const char *name;
	unsigned most; /* arguments; the least is 1 */
	double (*call)(const struct tp_operand *values, unsigned n);
	bool takes_words;
};
#define TP_FUNCTION_NAMES "min, max, abs, floor, ceil, log2, sqrt, exp2, distinct"
extern const struct tp_function tp_functions[];
extern const unsigned tp_n_functions;

#endif
