/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work on one question inside the child, and how isl's failures become words. */
#include "pattern/poly_parts.h"

#include <isl/aff.h>
#include <isl/id.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

static void say_place(const struct tp_poly *poly, char *out, size_t size,
		      struct tp_poly_place place)
{
	static const char *const words[] = { "isl", "domain", "schedule", "context", "access" };
	struct tp_str text = { 0 };
	tp_str_add(&text, words[place.text]);
	if ((place.text == TP_POLY_TEXT_SCHEDULE && poly->asked->input->n_schedule > 1) ||
	    place.text == TP_POLY_TEXT_ACCESS)
		tp_str_printf(&text, " %zu", place.index + 1);
	if (place.line)
		tp_str_printf(&text, ":%u:%u", place.line, place.column);
	tp_copy(out, size, tp_str_text(&text));
	tp_str_release(&text);
}

enum tp_status tp_poly_fail(struct tp_poly *poly, struct tp_poly_place place, const char *hint,
			    const char *fmt, ...)
{
	struct tp_diag *diag = &poly->found->diag;
	va_list args;
	*diag = (struct tp_diag){ 0 };
	poly->found->place = place;
	say_place(poly, diag->where, sizeof(diag->where), place);
	va_start(args, fmt);
	vsnprintf(diag->what, sizeof(diag->what), fmt, args);
	va_end(args);
	tp_copy(diag->hint, sizeof(diag->hint), hint ? hint : "");
	return poly->found->status = TP_USAGE;
}

enum tp_status tp_poly_fail_isl(struct tp_poly *poly, struct tp_poly_place place)
{
	const char *words = isl_ctx_last_error_msg(poly->ctx);
	switch (isl_ctx_last_error(poly->ctx)) {
	case isl_error_quota:
		tp_poly_fail(poly, place,
			     "make domain and schedule simpler: fewer dimensions, smaller "
			     "constants, fewer pieces",
			     "isl took %d million operations and did not come to an end",
			     TP_POLY_OPERATIONS / 1000000);
		return poly->found->status = TP_RESOURCE;
	case isl_error_alloc:
		tp_poly_fail(poly, place, "make domain and schedule simpler",
			     "isl ran out of memory");
		return poly->found->status = TP_RESOURCE;
	default:
		tp_poly_fail(poly, place, NULL, "isl refuses it: %.200s",
			     words ? words : "it gives no reason");
		tp_clean(poly->found->diag.what, "");
		return TP_USAGE;
	}
}

static isl_map *fix_all(isl_map *map, isl_point *point)
{
	static const enum isl_dim_type types[] = { isl_dim_param, isl_dim_in, isl_dim_out };
	int at = 0;
	for (size_t t = 0; t < sizeof(types) / sizeof(*types); t++) {
		isl_size n = isl_map_dim(map, types[t]);
		for (isl_size i = 0; i < n; i++)
			map = isl_map_fix_val(
				map, types[t], (unsigned)i,
				isl_point_get_coordinate_val(point, isl_dim_set, at++));
	}
	return map;
}

/* The parameters come first, so that they are as small as can be. */
static isl_point *smallest(struct tp_poly *poly, isl_map *map)
{
	isl_size n = isl_map_dim(map, isl_dim_param);
	isl_set *set = isl_set_flatten(isl_map_wrap(isl_map_copy(map)));
	if (n < 0)
		return isl_point_free(isl_set_sample_point(set));
	set = isl_set_move_dims(set, isl_dim_set, 0, isl_dim_param, 0, (unsigned)n);
	isl_set *least = isl_set_lexmin(isl_set_copy(set));
	isl_bool none = least ? isl_set_is_empty(least) : isl_bool_error;
	if (none == isl_bool_false) {
		isl_set_free(set);
		return isl_set_sample_point(least);
	}
	/* Something has no smallest value; then any will do. */
	isl_set_free(least);
	if (isl_ctx_last_error(poly->ctx) != isl_error_quota)
		isl_ctx_reset_error(poly->ctx);
	return isl_set_sample_point(set);
}

/*
 * One pair of `map` (which it takes), with small numbers: a map with a single element for a single
 * value of every parameter. NULL: isl failed, or there is none.
 */
static isl_map *poly_pick(struct tp_poly *poly, isl_map *map)
{
	isl_point *point = map ? smallest(poly, map) : NULL;
	if (!point || isl_point_is_void(point) != isl_bool_false)
		map = isl_map_free(map);
	else
		map = fix_all(map, point);
	isl_point_free(point);
	return map;
}

static isl_stat take_first(isl_map *map, void *user)
{
	isl_map **first = user;
	isl_bool empty = *first ? isl_bool_true : isl_map_is_empty(map);
	if (empty == isl_bool_false)
		*first = map;
	else
		isl_map_free(map);
	return isl_stat_ok;
}

isl_map *tp_poly_pick_any(struct tp_poly *poly, isl_union_map *maps)
{
	isl_map *first = NULL;
	isl_union_map_foreach_map(maps, take_first, &first);
	isl_union_map_free(maps);
	return poly_pick(poly, first);
}

isl_map *tp_poly_pick_set(struct tp_poly *poly, isl_union_set *sets)
{
	return tp_poly_pick_any(poly, isl_union_map_from_domain(sets));
}

static void say_value(struct tp_str *out, isl_map *picked, enum isl_dim_type type, isl_size i)
{
	isl_val *value = isl_map_plain_get_val_if_fixed(picked, type, (unsigned)i);
	char *text = isl_val_to_str(value);
	tp_str_add(out, text ? text : "?");
	free(text);
	isl_val_free(value);
}

void tp_poly_say_tuple(struct tp_str *out, isl_map *picked, enum isl_dim_type type)
{
	const char *name = isl_map_has_tuple_name(picked, type) == isl_bool_true
				   ? isl_map_get_tuple_name(picked, type)
				   : NULL;
	isl_size n = isl_map_dim(picked, type);
	tp_str_printf(out, "%.64s[", name ? name : "");
	for (isl_size i = 0; i < n; i++) {
		tp_str_add(out, i ? "," : "");
		say_value(out, picked, type, i);
	}
	tp_str_add(out, "]");
}

void tp_poly_say_parameters(struct tp_str *out, isl_map *picked)
{
	isl_size n = isl_map_dim(picked, isl_dim_param);
	for (isl_size i = 0; i < n; i++) {
		const char *name = isl_map_get_dim_name(picked, isl_dim_param, (unsigned)i);
		tp_str_printf(out, "%s%.32s = ", i ? ", " : " (", name ? name : "?");
		say_value(out, picked, isl_dim_param, i);
	}
	tp_str_add(out, n > 0 ? ")" : "");
}

static enum tp_status work(struct tp_poly *poly)
{
	unsigned questions = poly->asked->questions;
	enum tp_status status = tp_poly_read_domain(poly);
	if (status == TP_OK)
		status = tp_poly_read_schedule(poly);
	if (status == TP_OK && !questions)
		return tp_poly_count_here(poly);
	if (status == TP_OK && (questions & (TP_POLY_LEGAL | TP_POLY_PARALLEL)))
		status = tp_poly_read_accesses(poly);
	if (status == TP_OK && (questions & TP_POLY_LEGAL))
		status = tp_poly_check_order(poly);
	if (status == TP_OK && (questions & (TP_POLY_LOOPS | TP_POLY_PARALLEL)))
		status = tp_poly_make_loops(poly);
	return status;
}

enum tp_status tp_poly_here(const struct tp_poly_asked *asked, struct tp_poly_found *found)
{
	struct tp_poly poly = { .ctx = isl_ctx_alloc(), .asked = asked, .found = found };
	if (!poly.ctx) {
		tp_fail(&found->diag, TP_NOMEM, "isl", NULL, "out of memory");
		return found->status = TP_NOMEM;
	}
	isl_options_set_on_error(poly.ctx, ISL_ON_ERROR_CONTINUE);
	isl_ctx_set_max_operations(poly.ctx,
				   asked->operations ? asked->operations : TP_POLY_OPERATIONS);
	found->status = work(&poly);
	isl_union_map_free(poly.first);
	isl_union_map_free(poly.time);
	isl_union_map_free(poly.reads);
	isl_union_map_free(poly.writes);
	isl_union_set_free(poly.domain);
	isl_set_free(poly.context);
	isl_ctx_free(poly.ctx);
	return found->status;
}
