/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arithmetic on named values, as presets and patterns write it: n*(n-2), tile_i <= n and
 * n % tile_i == 0, max(n, 16), isa == "avx2". Numbers are doubles; a comparison is 1 or 0. From
 * weak to strong: or, and, not, comparisons (a <= b < c holds if both do), + -, * / %, unary -.
 * Functions: min, max, abs, floor, ceil, log2, sqrt, exp2; distinct(a, b, ...) counts different
 * values. Words, in single or double quotes or values of names, can be equal or not. A name is one
 * identifier, or several with dots between them (dram.median_gbps).
 */
#ifndef TPROF_BASE_EXPRESSION_H
#define TPROF_BASE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
	TP_EXPRESSION_MAX_BYTES = 1000,
	TP_EXPRESSION_NAMES_MAX = 64,
	TP_EXPRESSION_STEPS_MAX = 1024
};

/* The value of a name of `len` bytes; false if the name is unknown. */
typedef bool tp_name_value(void *context, const char *name, size_t len, double *value);

/*
 * TP_USAGE with what is wrong and at which column, also for a division by zero and a result that is
 * not finite.
 */
enum tp_status tp_expression_eval(const char *text, tp_name_value *names, void *context,
				  double *value, struct tp_diag *diag);

/* --- read once, computed often --- */

/* `text` is borrowed: it stays until the last use. */
struct tp_expression {
	const char *text;
	/* The different names, by their first place in the text. */
	struct {
		const char *text;
		size_t len;
	} names[TP_EXPRESSION_NAMES_MAX];
	unsigned n_names;
	unsigned n_steps; /* private, as the steps are */
	struct tp_expression_step {
		uint8_t kind;
		uint8_t n; /* values it takes, where that differs */
		uint16_t at; /* place in the text, or length of a word that begins at `from` */
		uint32_t from;
		double number;
	} steps[TP_EXPRESSION_STEPS_MAX];
};

struct tp_operand {
	const char *word; /* of `len` bytes; NULL: a number */
	size_t len;
	double number;
};

/* TP_USAGE with what is wrong and at which column. */
enum tp_status tp_expression_read(struct tp_expression *expression, const char *text,
				  struct tp_diag *diag);

/*
 * "NAME=EXPRESSION". *name_len is the length of the name, which begins after leading blanks.
 */
enum tp_status tp_definition_read(struct tp_expression *expression, const char *text,
				  size_t *name_len, struct tp_diag *diag);

/* The error for an unknown name in it; `nearest` may be NULL. */
enum tp_status tp_expression_unknown(const struct tp_expression *expression, unsigned name,
				     const char *nearest, struct tp_diag *diag);

/*
 * `values` are those of the names. TP_USAGE: a word where a number should be, or the other way
 * round. TP_FAILED: a division by zero, or a result that is not finite.
 */
enum tp_status tp_expression_value(const struct tp_expression *expression,
				   const struct tp_operand *values, double *value,
				   struct tp_diag *diag);

/* Of a name at the beginning of a text: a letter or _, then letters, digits, _; 0 = none. */
size_t tp_identifier_length(const char *text);

#endif
