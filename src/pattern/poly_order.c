/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dependences: two instances that touch the same element, one of them writing it. All of them count
 * (true, anti and output dependences on memory), so whatever keeps them keeps every result to the
 * last bit.
 */
#include "pattern/poly_parts.h"

#include <isl/space.h>

static const struct tp_poly_place nowhere = { 0 };

enum { N_KINDS = 3 };
static const struct kind {
	bool first_writes, second_writes;
} kinds[N_KINDS] = { { true, false }, { false, true }, { true, true } };

/* { x -> y } whose accesses of these kinds meet in an element. */
static isl_union_map *meeting(struct tp_poly *poly, const struct kind *kind)
{
	isl_union_map *first = kind->first_writes ? poly->writes : poly->reads;
	isl_union_map *second = kind->second_writes ? poly->writes : poly->reads;
	return isl_union_map_apply_range(isl_union_map_copy(first),
					 isl_union_map_reverse(isl_union_map_copy(second)));
}

/* The instance x or y of a pair as a set of one. */
static isl_union_set *end_of(isl_map *pair, enum isl_dim_type type)
{
	isl_map *copy = isl_map_copy(pair);
	return isl_union_set_from_set(type == isl_dim_in ? isl_map_domain(copy)
							 : isl_map_range(copy));
}

/* "S[1,1] writes A[1,1], which S[2,0] reads". */
static bool say_meeting(struct tp_poly *poly, isl_map *pair, const struct kind *kind,
			struct tp_str *out)
{
	isl_union_set *first = isl_union_set_apply(
		end_of(pair, isl_dim_in),
		isl_union_map_copy(kind->first_writes ? poly->writes : poly->reads));
	isl_union_set *second = isl_union_set_apply(
		end_of(pair, isl_dim_out),
		isl_union_map_copy(kind->second_writes ? poly->writes : poly->reads));
	isl_map *element = tp_poly_pick_set(poly, isl_union_set_intersect(first, second));
	if (!element)
		return false;
	tp_poly_say_tuple(out, pair, isl_dim_in);
	tp_str_add(out, kind->first_writes ? " writes " : " reads ");
	tp_poly_say_tuple(out, element, isl_dim_in);
	tp_str_add(out, ", which ");
	tp_poly_say_tuple(out, pair, isl_dim_out);
	tp_str_add(out, kind->second_writes ? (kind->first_writes ? " writes again" : " writes")
					    : " reads");
	isl_map_free(element);
	return true;
}

/* Whether the schedule gives both instances of the pair one time. */
static isl_bool at_once(struct tp_poly *poly, isl_map *pair)
{
	isl_union_set *first =
		isl_union_set_apply(end_of(pair, isl_dim_in), isl_union_map_copy(poly->time));
	isl_union_set *second =
		isl_union_set_apply(end_of(pair, isl_dim_out), isl_union_map_copy(poly->time));
	isl_bool same = isl_union_set_is_equal(first, second);
	isl_union_set_free(first);
	isl_union_set_free(second);
	return same;
}

static enum tp_status say_illegal(struct tp_poly *poly, isl_union_map *broken,
				  const struct kind *kind)
{
	isl_map *pair = tp_poly_pick_any(poly, broken);
	struct tp_str why = { 0 };
	isl_bool same = pair ? at_once(poly, pair) : isl_bool_error;
	bool told = same != isl_bool_error && say_meeting(poly, pair, kind, &why);
	if (told) {
		tp_str_add(&why, "; the schedule runs ");
		if (same)
			tp_str_add(&why, "both at the same time");
		else
			tp_poly_say_tuple(&why, pair, isl_dim_out);
		tp_str_add(&why, same ? "" : " first");
		tp_poly_say_parameters(&why, pair);
		tp_copy(poly->found->why_illegal, sizeof(poly->found->why_illegal),
			tp_str_text(&why));
	}
	isl_map_free(pair);
	tp_str_release(&why);
	return told ? TP_OK : tp_poly_fail_isl(poly, nowhere);
}

enum tp_status tp_poly_check_order(struct tp_poly *poly)
{
	const struct tp_poly_input *input = poly->asked->input;
	enum tp_status status = TP_OK;
	poly->found->legal = true;
	/* With one relation there is no other order to keep. */
	if (input->duplicates || input->n_schedule < 2)
		return TP_OK;
	isl_union_map *before = isl_union_map_lex_lt_union_map(isl_union_map_copy(poly->first),
							       isl_union_map_copy(poly->first));
	isl_union_map *not_before = isl_union_map_lex_ge_union_map(isl_union_map_copy(poly->time),
								   isl_union_map_copy(poly->time));
	isl_union_map *swapped = isl_union_map_intersect(before, not_before);
	for (size_t i = 0; status == TP_OK && i < N_KINDS && poly->found->legal; i++) {
		isl_union_map *broken = isl_union_map_intersect(meeting(poly, &kinds[i]),
								isl_union_map_copy(swapped));
		isl_bool none = isl_union_map_is_empty(broken);
		poly->found->legal = none == isl_bool_true;
		if (none == isl_bool_false) {
			status = say_illegal(poly, broken, &kinds[i]);
		} else {
			isl_union_map_free(broken);
			if (none == isl_bool_error)
				status = tp_poly_fail_isl(poly, nowhere);
		}
	}
	isl_union_map_free(swapped);
	return status;
}

/* { t -> t' } that agree in all but the last dimension, where t is less. */
static isl_union_map *other_iteration(isl_union_map *time)
{
	isl_set *range = isl_set_from_union_set(isl_union_map_range(isl_union_map_copy(time)));
	isl_size n = isl_set_dim(range, isl_dim_set);
	isl_map *map = isl_map_universe(isl_space_map_from_set(isl_set_get_space(range)));
	isl_set_free(range);
	for (int i = 0; i + 1 < n; i++)
		map = isl_map_equate(map, isl_dim_in, i, isl_dim_out, i);
	if (n < 1)
		return isl_union_map_from_map(isl_map_free(map));
	return isl_union_map_from_map(isl_map_order_lt(map, isl_dim_in, n - 1, isl_dim_out, n - 1));
}

static enum tp_status say_serial(struct tp_poly *poly, isl_union_map *carried,
				 const struct kind *kind)
{
	isl_map *pair = tp_poly_pick_any(poly, carried);
	struct tp_str why = { 0 };
	bool told = pair && say_meeting(poly, pair, kind, &why);
	if (told) {
		tp_str_add(&why, " in another iteration of the parallel loop");
		tp_poly_say_parameters(&why, pair);
		tp_copy(poly->found->why_serial, sizeof(poly->found->why_serial),
			tp_str_text(&why));
	}
	isl_map_free(pair);
	tp_str_release(&why);
	return told ? TP_OK : tp_poly_fail_isl(poly, nowhere);
}

enum tp_status tp_poly_check_loop(struct tp_poly *poly, isl_union_map *time, bool *parallel)
{
	enum tp_status status = TP_OK;
	isl_union_map *apart =
		isl_union_map_apply_range(isl_union_map_copy(time), other_iteration(time));
	apart = isl_union_map_apply_range(apart, isl_union_map_reverse(isl_union_map_copy(time)));
	*parallel = true;
	for (size_t i = 0; status == TP_OK && i < N_KINDS && *parallel; i++) {
		isl_union_map *carried = isl_union_map_intersect(meeting(poly, &kinds[i]),
								 isl_union_map_copy(apart));
		isl_bool none = isl_union_map_is_empty(carried);
		*parallel = none == isl_bool_true;
		if (none == isl_bool_false) {
			status = say_serial(poly, carried, &kinds[i]);
		} else {
			isl_union_map_free(carried);
			if (none == isl_bool_error)
				status = tp_poly_fail_isl(poly, nowhere);
		}
	}
	isl_union_map_free(apart);
	return status;
}
