/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loops out of a domain and a schedule in isl's notation, and whether the schedule is legal. This
 * header hides isl. isl runs in a child process with limits on its time and its memory, because the
 * texts are foreign: any failure becomes a message.
 *
 * Without isl (libisl-dev) every function returns TP_UNSUPPORTED with a hint.
 */
#ifndef TPROF_PATTERN_POLY_H
#define TPROF_PATTERN_POLY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"

/* Limits: of a text, of all of them together, of how many relations and accesses, of the C. */
enum {
	TP_POLY_TEXT_MAX_BYTES = 4096,
	TP_POLY_SCHEDULE_MAX = 16,
	TP_POLY_ACCESSES_MAX = 128,
	TP_POLY_LOOPS_MAX_BYTES = 1 << 20,
};
enum { TP_POLY_SERIAL = UINT_MAX }; /* no loop of the nest is parallel */

/* What a statement reads or writes, already through the data map: elements of memory. */
struct tp_poly_access {
	bool write;
	const char *relation; /* "[n] -> { S[i, j] -> A[i - 1, j] }" */
};

/* All texts are the caller's; none is kept. */
struct tp_poly_input {
	/* Statement instances: "[n] -> { S[i, j] : 0 <= i < n; T[i] : 0 <= i < n }". */
	const char *domain;
	/*
	 * Relations applied in turn: the first from instances to time, the others from time to
	 * time. None: the instances of the only statement run in the order of their indices.
	 */
	const char *const *schedule;
	size_t n_schedule;
	const char *context; /* what is known of the parameters, "[n] -> { : n >= 3 }", or NULL */
	const struct tp_poly_access *accesses;
	size_t n_accesses;
	/*
	 * Which loop of the nest is parallel, counted from 0 at the outermost one that is printed;
	 * TP_POLY_SERIAL for none. With several nests, each has one.
	 */
	unsigned parallel_depth;
	const char *parallel_pragma; /* the line before it: "#pragma omp for", or NULL */
	/*
	 * Some instances run several times (overlapped tiles). Neither the order nor the
	 * dependences of the parallel loop are then checked.
	 */
	bool duplicates;
};

/* Where a text is wrong. `line` is 0 where no place in it is known. */
struct tp_poly_place {
	enum tp_poly_text {
		TP_POLY_TEXT_NONE, /* not a single text */
		TP_POLY_TEXT_DOMAIN,
		TP_POLY_TEXT_SCHEDULE,
		TP_POLY_TEXT_CONTEXT,
		TP_POLY_TEXT_ACCESS,
	} text;
	size_t index; /* of the relation or of the access, from 0 */
	unsigned line, column; /* in the text, from 1 */
};

/* What tp_poly_examine is to find out; any of them together. */
enum tp_poly_question {
	TP_POLY_LOOPS = 1, /* the C */
	TP_POLY_LEGAL = 2, /* does the schedule keep the order of the first relation? */
	TP_POLY_PARALLEL = 4, /* may the iterations of the parallel loop run in any order? */
};

/* The answers to the questions. Zero-initialise; release at the end. */
struct tp_poly_answers {
	/*
	 * Statements are calls "S(c0, c1 + 1);" for macros or functions of the caller, iterators
	 * are of type long, an argument may also be an int constant, parameters keep their names.
	 * Macros that isl needs (tp_floord, tp_min, tp_max) stand before the loops.
	 */
	struct tp_str loops;
	/*
	 * False: `why_illegal` names one dependence on memory that the schedule breaks, with
	 * instances: "S[1,1] writes A[1,1], which S[2,0] reads; the schedule runs S[2,0] first".
	 */
	bool legal;
	struct tp_str why_illegal;
	/*
	 * False: two iterations of the parallel loop meet in an element, or a statement is outside
	 * of it. True also if no loop is parallel. Loops that follow each other without a barrier
	 * (nowait) are not compared.
	 */
	bool parallel;
	struct tp_str why_serial;
	/* How deep the deepest nest is: loops that are printed, not dimensions of time. */
	unsigned depth;
};
void tp_poly_answers_release(struct tp_poly_answers *answers);

/*
 * Asks isl; `questions` are of enum tp_poly_question. An answer of "illegal" is TP_OK. TP_USAGE: a
 * text is wrong, the domain or the time is without bounds, an instance has no time or, without
 * `duplicates`, several; `place` (may be NULL) identifies the text. TP_RESOURCE: isl reached a
 * limit of time or memory. TP_CRASHED: isl did. TP_CANCELLED: tp_stop_asked was set. It takes 2 ms
 * to 0.2 s for the loops of stencils, and never more than 30 s.
 */
enum tp_status tp_poly_examine(const struct tp_poly_input *input, unsigned questions,
			       struct tp_poly_answers *answers, struct tp_poly_place *place,
			       struct tp_diag *diag);

/* The value of a parameter. */
struct tp_poly_value {
	const char *name;
	int64_t value;
};
/*
 * How many instances the domain has, and how often statements run (more only with `duplicates`),
 * for given values of all parameters. Boxes are multiplied; of everything else every row is
 * visited, a million in some seconds. Errors as above; TP_RESOURCE also beyond 2^62.
 */
enum tp_status tp_poly_count(const struct tp_poly_input *input, const struct tp_poly_value *values,
			     size_t n_values, uint64_t *instances, uint64_t *runs,
			     struct tp_poly_place *place, struct tp_diag *diag);

#endif
