/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TPROF_PATTERN_POLY_HERE_H
#define TPROF_PATTERN_POLY_HERE_H

#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include "pattern/poly.h"

/*
 * What isl may take. Every allocation of isl is an operation: tiles of a 3-D stencil take 35,000 of
 * them, skewed tiles over time 105,000 in 0.2 s. They end the work at the same place on every
 * machine; the other limits are for what does not count them.
 */
enum { TP_POLY_OPERATIONS = 2000000 };

enum { TP_POLY_DIMS_MAX = 32, TP_POLY_STATEMENTS_MAX = 32, TP_POLY_PARAMETERS_MAX = 32 };

/* What the child hands over, in memory that it shares with its parent. */
struct tp_poly_found {
	enum tp_status status;
	struct tp_diag diag;
	struct tp_poly_place place;
	bool legal, parallel;
	unsigned depth;
	uint64_t instances, runs;
	char why_illegal[512], why_serial[512];
	size_t loops_len;
	char loops[TP_POLY_LOOPS_MAX_BYTES + 1];
};

struct tp_poly_asked {
	const struct tp_poly_input *input;
	unsigned questions; /* of enum tp_poly_question; 0: count for these values */
	const struct tp_poly_value *values;
	size_t n_values;
	unsigned long operations; /* 0 = TP_POLY_OPERATIONS */
	/* Where isl's messages of syntax errors arrive (standard error of the child), or -1. */
	int words_fd;
};

/* Length, characters and numbers of what is given; the parent asks before there is a child. */
struct tp_poly;

enum tp_status tp_poly_check_input(struct tp_poly *poly);

/* In this process, with only its limit on operations. Fills `found`, also on failure. */
enum tp_status tp_poly_here(const struct tp_poly_asked *asked, struct tp_poly_found *found);

/* The texts as isl has them. All sets are within the context. */
struct tp_poly {
	isl_ctx *ctx;
	const struct tp_poly_asked *asked;
	struct tp_poly_found *found;
	isl_set *context; /* parameters */
	isl_union_set *domain;
	isl_union_map *first, *time; /* instances to time: by the first relation, by all of them */
	isl_union_map *reads, *writes; /* instances to elements */
};

#endif
