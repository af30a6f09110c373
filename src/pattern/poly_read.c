/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Domain, schedule and accesses: what they must be, so that loops and sentences can be made of
 * them.
 */
#include "pattern/poly_parts.h"

#include <isl/space.h>

static const struct tp_poly_place domain_place = { .text = TP_POLY_TEXT_DOMAIN };

/* --- bounds --- */

struct bounds {
	struct tp_poly *poly;
	struct tp_poly_place place;
	const char *what; /* "statement", "the schedule" */
};

static void say_unbounded(const struct bounds *bounds, isl_set *set)
{
	isl_size n = isl_set_dim(set, isl_dim_set);
	const char *name =
		isl_set_has_tuple_name(set) == isl_bool_true ? isl_set_get_tuple_name(set) : NULL;
	const char *hint = "give every index a lower and an upper bound";
	for (isl_size i = 0; i < n; i++) {
		isl_bool low = isl_set_dim_has_lower_bound(set, isl_dim_set, (unsigned)i);
		isl_bool high = isl_set_dim_has_upper_bound(set, isl_dim_set, (unsigned)i);
		const char *index = isl_set_get_dim_name(set, isl_dim_set, (unsigned)i);
		if (low == isl_bool_true && high == isl_bool_true)
			continue;
		tp_poly_fail(bounds->poly, bounds->place, hint,
			     "%s%s%.64s is endless: index %d (%.32s) has no %s bound", bounds->what,
			     name ? " " : "", name ? name : "", i + 1, index ? index : "unnamed",
			     low == isl_bool_true ? "upper" : "lower");
		return;
	}
	tp_poly_fail(bounds->poly, bounds->place, hint, "%s%s%.64s is endless", bounds->what,
		     name ? " " : "", name ? name : "");
}

static isl_stat check_set_bounds(isl_set *set, void *user)
{
	struct bounds *bounds = user;
	isl_bool bounded = isl_set_is_bounded(set);
	if (bounded == isl_bool_false)
		say_unbounded(bounds, set);
	isl_set_free(set);
	return bounded == isl_bool_true ? isl_stat_ok : isl_stat_error;
}

static enum tp_status check_bounds(struct tp_poly *poly, struct tp_poly_place place,
				   isl_union_set *sets, const char *what)
{
	struct bounds bounds = { poly, place, what };
	if (isl_union_set_foreach_set(sets, check_set_bounds, &bounds) == isl_stat_ok)
		return TP_OK;
	return poly->found->status != TP_OK ? poly->found->status : tp_poly_fail_isl(poly, place);
}

/* --- domain --- */

enum tp_status tp_poly_read_domain(struct tp_poly *poly)
{
	const struct tp_poly_place context_place = { .text = TP_POLY_TEXT_CONTEXT };
	poly->domain = tp_poly_parse_domain(poly);
	if (!poly->domain)
		return poly->found->status;
	enum tp_status status = tp_poly_check_names(poly, domain_place, poly->domain, true);
	if (status != TP_OK)
		return status;
	poly->context = tp_poly_parse_context(poly);
	if (!poly->context)
		return poly->found->status;
	poly->domain = isl_union_set_coalesce(
		isl_union_set_intersect_params(poly->domain, isl_set_copy(poly->context)));
	/* With the parameters of both. */
	status = tp_poly_check_names(poly, context_place, poly->domain, true);
	if (status != TP_OK)
		return status;
	isl_bool empty = isl_union_set_is_empty(poly->domain);
	if (empty == isl_bool_error)
		return tp_poly_fail_isl(poly, domain_place);
	if (empty)
		return tp_poly_fail(poly, domain_place,
				    "write \"[n] -> { S[i] : 0 <= i < n }\", and see that the "
				    "context allows some n",
				    "no statement has an instance");
	return check_bounds(poly, domain_place, poly->domain, "statement");
}

/* --- schedule --- */

/* Everything in `before` has to have a time by the relation, and only one. */
static enum tp_status check_total(struct tp_poly *poly, struct tp_poly_place place,
				  isl_union_set *before, isl_union_map *relation)
{
	isl_union_set *missing = isl_union_set_subtract(
		isl_union_set_copy(before), isl_union_map_domain(isl_union_map_copy(relation)));
	isl_bool none = isl_union_set_is_empty(missing);
	if (none == isl_bool_true) {
		isl_union_set_free(missing);
		return TP_OK;
	}
	isl_map *one =
		none == isl_bool_false ? tp_poly_pick_set(poly, isl_union_set_copy(missing)) : NULL;
	struct tp_str words = { 0 };
	isl_union_set_free(missing);
	if (!one)
		return tp_poly_fail_isl(poly, place);
	tp_poly_say_tuple(&words, one, isl_dim_in);
	tp_poly_say_parameters(&words, one);
	isl_map_free(one);
	tp_poly_fail(poly, place,
		     place.index ? "its left side has as many dimensions as the times of the "
				   "relation before, and covers all of them"
				 : "name every statement with all of its indices",
		     "it gives no time to %.200s", tp_str_text(&words));
	tp_str_release(&words);
	return TP_USAGE;
}

static enum tp_status check_single(struct tp_poly *poly, struct tp_poly_place place,
				   isl_union_map *relation)
{
	isl_bool single = isl_union_map_is_single_valued(relation);
	if (single == isl_bool_true)
		return TP_OK;
	/* What is left without one time each has several. */
	isl_union_map *more = NULL;
	if (single == isl_bool_false)
		more = isl_union_map_subtract(isl_union_map_copy(relation),
					      isl_union_map_lexmin(isl_union_map_copy(relation)));
	isl_map *one = more ? tp_poly_pick_set(poly, isl_union_map_domain(more)) : NULL;
	struct tp_str words = { 0 };
	if (!one && isl_ctx_last_error(poly->ctx) != isl_error_invalid &&
	    isl_ctx_last_error(poly->ctx) != isl_error_none)
		return tp_poly_fail_isl(poly, place);
	if (one) {
		tp_poly_say_tuple(&words, one, isl_dim_in);
		tp_poly_say_parameters(&words, one);
	}
	isl_map_free(one);
	tp_poly_fail(poly, place,
		     "if the pattern means to run points several times, it declares duplicated "
		     "points",
		     "%.200s runs several times", one ? tp_str_text(&words) : "some point");
	tp_str_release(&words);
	return TP_USAGE;
}

static enum tp_status check_time(struct tp_poly *poly, struct tp_poly_place place,
				 isl_union_map *schedule)
{
	isl_union_set *times = isl_union_map_range(isl_union_map_copy(schedule));
	isl_size n = isl_union_set_n_set(times);
	enum tp_status status = TP_OK;
	if (n < 0)
		status = tp_poly_fail_isl(poly, place);
	else if (n > 1)
		status = tp_poly_fail(poly, place,
				      "give all statements times of as many dimensions; fill with "
				      "0",
				      "it gives times of %d kinds, which have no common order", n);
	else
		status = check_bounds(poly, place, times, "the time");
	isl_union_set_free(times);
	return status;
}

static isl_stat count_dims(isl_map *map, void *user)
{
	isl_size *most = user, n = isl_map_dim(map, isl_dim_out);
	if (n > *most)
		*most = n;
	isl_map_free(map);
	return n < 0 ? isl_stat_error : isl_stat_ok;
}

static enum tp_status check_relation(struct tp_poly *poly, struct tp_poly_place place,
				     isl_union_set *before, isl_union_map *relation)
{
	isl_size dims = 0;
	enum tp_status status = check_total(poly, place, before, relation);
	if (status != TP_OK)
		return status;
	if (isl_union_map_foreach_map(relation, count_dims, &dims) != isl_stat_ok)
		return tp_poly_fail_isl(poly, place);
	if (dims > TP_POLY_DIMS_MAX)
		return tp_poly_fail(poly, place, NULL, "a time has more than %d dimensions",
				    TP_POLY_DIMS_MAX);
	return poly->asked->input->duplicates ? TP_OK : check_single(poly, place, relation);
}

/* The order of the indices. */
static isl_stat plain_time(isl_set *set, void *user)
{
	isl_union_map **map = user;
	isl_map *identity = isl_set_identity(set);
	*map = isl_union_map_from_map(isl_map_reset_tuple_id(identity, isl_dim_out));
	return *map ? isl_stat_ok : isl_stat_error;
}

static enum tp_status no_schedule(struct tp_poly *poly)
{
	const struct tp_poly_place place = { .text = TP_POLY_TEXT_SCHEDULE };
	if (isl_union_set_n_set(poly->domain) != 1)
		return tp_poly_fail(poly, place, "{ S[i] -> [0,i]; T[i] -> [1,i] }",
				    "several statements need a schedule");
	if (isl_union_set_foreach_set(poly->domain, plain_time, &poly->time) != isl_stat_ok)
		return tp_poly_fail_isl(poly, place);
	poly->first = isl_union_map_copy(poly->time);
	return TP_OK;
}

enum tp_status tp_poly_read_schedule(struct tp_poly *poly)
{
	const struct tp_poly_input *input = poly->asked->input;
	struct tp_poly_place place = { .text = TP_POLY_TEXT_SCHEDULE };
	if (!input->n_schedule)
		return no_schedule(poly);
	for (place.index = 0; place.index < input->n_schedule; place.index++) {
		isl_union_map *relation =
			tp_poly_parse_map(poly, place, input->schedule[place.index]);
		isl_union_set *before =
			poly->time ? isl_union_map_range(isl_union_map_copy(poly->time))
				   : isl_union_set_copy(poly->domain);
		if (relation)
			relation = isl_union_map_intersect_domain(relation,
								  isl_union_set_copy(before));
		enum tp_status status = poly->found->status;
		if (status == TP_OK)
			status = check_relation(poly, place, before, relation);
		isl_union_set_free(before);
		if (status != TP_OK) {
			isl_union_map_free(relation);
			return status;
		}
		if (!poly->time) {
			poly->first = isl_union_map_copy(relation);
			poly->time = relation;
			status = check_time(poly, place, poly->first);
		} else {
			poly->time = isl_union_map_coalesce(
				isl_union_map_apply_range(poly->time, relation));
		}
		if (status != TP_OK)
			return status;
	}
	place.index--;
	return check_time(poly, place, poly->time);
}

/* --- accesses --- */

enum tp_status tp_poly_read_accesses(struct tp_poly *poly)
{
	const struct tp_poly_input *input = poly->asked->input;
	struct tp_poly_place place = { .text = TP_POLY_TEXT_ACCESS };
	isl_space *space = isl_union_set_get_space(poly->domain);
	poly->reads = isl_union_map_empty(isl_space_copy(space));
	poly->writes = isl_union_map_empty(space);
	for (place.index = 0; place.index < input->n_accesses; place.index++) {
		const struct tp_poly_access *access = &input->accesses[place.index];
		isl_union_map *map = tp_poly_parse_map(poly, place, access->relation);
		if (!map)
			return poly->found->status;
		isl_union_set *elements = isl_union_map_range(isl_union_map_copy(map));
		enum tp_status status = tp_poly_check_names(poly, place, elements, false);
		isl_union_set_free(elements);
		map = isl_union_map_intersect_domain(map, isl_union_set_copy(poly->domain));
		isl_size n = isl_union_map_n_map(map);
		if (status == TP_OK && n <= 0) {
			status = n < 0 ? tp_poly_fail_isl(poly, place)
				       : tp_poly_fail(poly, place, NULL,
						      "it names no statement of the domain with "
						      "all of its indices");
		}
		if (status != TP_OK) {
			isl_union_map_free(map);
			return status;
		}
		isl_union_map **to = access->write ? &poly->writes : &poly->reads;
		*to = isl_union_map_union(*to, map);
	}
	return TP_OK;
}
