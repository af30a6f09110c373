/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parameters that a user names, with the values that each runs through, and all combinations of
 * them. Values are texts: their meaning, as a macro, a flag or an argument, is up to the user of
 * this room.
 */
#ifndef TPROF_SWEEP_SWEEP_H
#define TPROF_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/str.h"

enum { TP_SWEEP_PARAMETERS_MAX = 18, TP_SWEEP_VALUES_MAX = 1024, TP_SWEEP_NAME_BYTES = 48 };

struct tp_sweep_parameter {
	const char *name; /* an identifier */
	const char *const *values; /* all different */
	size_t n; /* at least 1 */
};

/* Zero-initialise. Names and values live in the arena that tp_sweep_take got. */
struct tp_sweep {
	struct tp_sweep_parameter parameters[TP_SWEEP_PARAMETERS_MAX];
	size_t n;
};

/* One of the combinations, counted from 0. The last parameter changes fastest. */
struct tp_sweep_at {
	const struct tp_sweep *sweep;
	size_t i;
	unsigned threads; /* the value of the name "threads"; 0 = the name has no value */
};

/*
 * Reads a request "NAME=VALUES": words with blanks between them. A word in double quotes may hold
 * blanks, \" and \\, and stays as it is; of the others, 3..20, 16..256*2 and 0..100+10 stand for
 * all numbers of the range, and 4K for 4096. Numbers of ranges are 0 to 2^40. TP_USAGE with what is
 * allowed.
 */
enum tp_status tp_sweep_read(const char *wish, struct tp_arena *arena,
			     struct tp_sweep_parameter *parameter, struct tp_diag *diag);
/* Refuses a request with the error, and a hint or NULL. */
enum tp_status tp_sweep_refuse(const char *wish, const char *hint, const char *what,
			       struct tp_diag *diag);
/* Reads a request and adds the parameter. */
enum tp_status tp_sweep_take(struct tp_sweep *sweep, const char *wish, struct tp_arena *arena,
			     struct tp_diag *diag);

/* How many combinations there are: 1 without parameters. */
double tp_sweep_count(const struct tp_sweep *sweep);

/* The parameter with a name of `len` bytes; -1 = none. */
int tp_sweep_find(const struct tp_sweep *sweep, const char *name, size_t len);
const char *tp_sweep_value(const struct tp_sweep_at *at, size_t parameter);

/*
 * Appends "n=1000 flags="-O3 -g"", which tp_pairs_next reads (base/pairs.h): all parameters, or
 * those with several values, which distinguish the combinations.
 */
void tp_sweep_text(const struct tp_sweep_at *at, bool several, struct tp_str *out);

/*
 * The value of a parameter that is a number, for conditions: a tp_name_value of base/expression.h.
 * `context` is a struct tp_sweep_at.
 */
bool tp_sweep_number(void *context, const char *name, size_t len, double *value);

/*
 * The text with the value of the parameter in place of each {name}, in the arena; {{ stands for {,
 * and other braces stay. TP_USAGE: no parameter has that name.
 */
enum tp_status tp_sweep_fill(const struct tp_sweep_at *at, const char *text, struct tp_arena *arena,
			     char **filled, struct tp_diag *diag);

/*
 * The words of a command up to NULL, each with its values: a value never becomes two words. Errors:
 * as in tp_sweep_fill, and an empty name of the program.
 */
enum tp_status tp_sweep_fill_words(const struct tp_sweep_at *at, char *const *words,
				   struct tp_arena *arena, char ***filled, struct tp_diag *diag);

#endif
