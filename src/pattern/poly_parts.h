/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to src/pattern/poly*: what runs inside the child process, over isl itself. */
#ifndef TPROF_PATTERN_POLY_PARTS_H
#define TPROF_PATTERN_POLY_PARTS_H

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
/* In this process, without its limits but that of operations. Fills `found`, also on failure. */
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

/*
 * Each reads its texts, and says what is wrong with them. The domain comes first, then what is
 * wanted of the others.
 */
enum tp_status tp_poly_read_domain(struct tp_poly *poly);
enum tp_status tp_poly_read_schedule(struct tp_poly *poly);
enum tp_status tp_poly_read_accesses(struct tp_poly *poly);
isl_union_map *tp_poly_parse_map(struct tp_poly *poly, struct tp_poly_place place,
				 const char *text);
isl_set *tp_poly_parse_context(struct tp_poly *poly);
isl_union_set *tp_poly_parse_domain(struct tp_poly *poly);
/* Every statement, array and parameter has a name that C takes; few enough dimensions. */
enum tp_status tp_poly_check_names(struct tp_poly *poly, struct tp_poly_place place,
				   __isl_keep isl_union_set *set, bool statements);

/* Words of a failure; `text`.NONE where no single text is to blame. */
enum tp_status tp_poly_fail(struct tp_poly *poly, struct tp_poly_place place, const char *hint,
			    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Why isl returned nothing: a limit, memory, or its own words. */
enum tp_status tp_poly_fail_isl(struct tp_poly *poly, struct tp_poly_place place);

/* The same for the first map of a union, and for the elements of a set (pairs with nothing). */
isl_map *tp_poly_pick_any(struct tp_poly *poly, __isl_take isl_union_map *maps);
isl_map *tp_poly_pick_set(struct tp_poly *poly, __isl_take isl_union_set *sets);
/* "S[2,3]" out of one that was picked; the domain or the range. */
void tp_poly_say_tuple(struct tp_str *out, __isl_keep isl_map *picked, enum isl_dim_type type);
/* " (n = 4, t = 2)", or nothing. */
void tp_poly_say_parameters(struct tp_str *out, __isl_keep isl_map *picked);

/* Writes loops, and `parallel` if that is asked. */
enum tp_status tp_poly_make_loops(struct tp_poly *poly);
enum tp_status tp_poly_check_order(struct tp_poly *poly);
/*
 * May the iterations of one loop run in any order? `time` maps the instances inside it to its
 * iterators and those of the loops around it. Adds words to `why` where not.
 */
enum tp_status tp_poly_check_loop(struct tp_poly *poly, __isl_keep isl_union_map *time,
				  bool *parallel);
enum tp_status tp_poly_count_here(struct tp_poly *poly);

#endif
