/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many instances there are, and how often they run, for given values of the parameters. */
#include "pattern/poly_parts.h"

#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>
#include <string.h>

static const struct tp_poly_place domain_place = { .text = TP_POLY_TEXT_DOMAIN };

struct count {
	struct tp_poly *poly;
	isl_val *sum;
};

static const struct tp_poly_value *value_of(const struct tp_poly *poly, const char *name)
{
	for (size_t i = 0; name && i < poly->asked->n_values; i++)
		if (strcmp(poly->asked->values[i].name, name) == 0)
			return &poly->asked->values[i];
	return NULL;
}

/* The whole parameter space with every value that is given. */
static isl_set *given(struct tp_poly *poly, isl_space *space)
{
	isl_size n = isl_space_dim(space, isl_dim_param);
	isl_set *set = isl_set_universe(isl_space_copy(space));
	for (isl_size i = 0; i < n; i++) {
		const char *name = isl_space_get_dim_name(space, isl_dim_param, (unsigned)i);
		const struct tp_poly_value *value = value_of(poly, name);
		if (!value) {
			tp_poly_fail(poly, domain_place, NULL, "parameter %.64s has no value",
				     name ? name : "");
			set = isl_set_free(set);
			break;
		}
		set = isl_set_fix_val(set, isl_dim_param, (unsigned)i,
				      isl_val_int_from_si(poly->ctx, (long)value->value));
	}
	isl_space_free(space);
	return set;
}

/* The product of the extents; isl's counting would walk over all rows of a box. */
static isl_val *count_box(isl_set *set)
{
	isl_size n = isl_set_dim(set, isl_dim_set);
	isl_val *product = isl_val_one(isl_set_get_ctx(set));
	for (isl_size i = 0; i < n; i++) {
		isl_val *extent = isl_val_sub(isl_set_dim_max_val(isl_set_copy(set), i),
					      isl_set_dim_min_val(isl_set_copy(set), i));
		product = isl_val_mul(product, isl_val_add_ui(extent, 1));
	}
	return product;
}

static isl_stat count_set(isl_set *set, void *user)
{
	struct count *count = user;
	set = isl_set_coalesce(set);
	isl_bool empty = isl_set_is_empty(set);
	isl_bool box = empty == isl_bool_false ? isl_set_is_box(set) : isl_bool_error;
	if (empty == isl_bool_false)
		count->sum = isl_val_add(count->sum, box == isl_bool_true ? count_box(set)
									  : isl_set_count_val(set));
	isl_set_free(set);
	return empty == isl_bool_error || !count->sum ? isl_stat_error : isl_stat_ok;
}

/* Takes the sets. */
static enum tp_status count_all(struct tp_poly *poly, isl_union_set *sets, uint64_t *n)
{
	struct count count = { poly, isl_val_zero(poly->ctx) };
	isl_set *values = given(poly, isl_union_set_get_space(sets));
	if (!values && poly->found->status != TP_OK) {
		isl_union_set_free(sets);
		isl_val_free(count.sum);
		return poly->found->status;
	}
	sets = isl_union_set_intersect_params(sets, values);
	isl_stat done = isl_union_set_foreach_set(sets, count_set, &count);
	isl_union_set_free(sets);
	enum tp_status status = TP_OK;
	if (done != isl_stat_ok || isl_val_is_int(count.sum) != isl_bool_true) {
		status = tp_poly_fail_isl(poly, domain_place);
	} else if (isl_val_cmp_si(count.sum, 1L << 62) > 0) {
		tp_poly_fail(poly, domain_place, NULL, "there are more than 2^62 instances");
		status = poly->found->status = TP_RESOURCE;
	} else {
		*n = (uint64_t)isl_val_get_num_si(count.sum);
	}
	isl_val_free(count.sum);
	return status;
}

enum tp_status tp_poly_count_here(struct tp_poly *poly)
{
	struct tp_poly_found *found = poly->found;
	enum tp_status status =
		count_all(poly, isl_union_set_copy(poly->domain), &found->instances);
	found->runs = found->instances;
	if (status == TP_OK && poly->asked->input->duplicates)
		status = count_all(poly, isl_union_map_wrap(isl_union_map_copy(poly->time)),
				   &found->runs);
	return status;
}
