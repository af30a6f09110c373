/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work on one question inside the child, and how isl's failures become words. */
#include "pattern/poly_here.h"

#include <ctype.h>
#include <isl/aff.h>
#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/printer.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

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

static void say_place(const struct tp_poly *poly, char *out, size_t size,
		      struct tp_poly_place place)
{
	static const char *const words[] = { "isl", "domain", "schedule", "context", "access" };
	TP_STR text = { 0 };
	tp_str_add(&text, words[place.text]);
	if ((place.text == TP_POLY_TEXT_SCHEDULE && poly->asked->input->n_schedule > 1) ||
	    place.text == TP_POLY_TEXT_ACCESS)
		tp_str_printf(&text, " %zu", place.index + 1);
	if (place.line)
		tp_str_printf(&text, ":%u:%u", place.line, place.column);
	tp_copy(out, size, tp_str_text(&text));
}

/* Words of a failure; `text`.NONE where no single text is to blame. */
static enum tp_status poly_fail(struct tp_poly *poly, struct tp_poly_place place, const char *hint,
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

/* The whole parameter space with every value that is given. */
static isl_set *given(struct tp_poly *poly, isl_space *space)
{
	isl_size n = isl_space_dim(space, isl_dim_param);
	isl_set *set = isl_set_universe(isl_space_copy(space));
	for (isl_size i = 0; i < n; i++) {
		const char *name = isl_space_get_dim_name(space, isl_dim_param, (unsigned)i);
		const struct tp_poly_value *value = value_of(poly, name);
		if (!value) {
			poly_fail(poly, domain_place, NULL, "parameter %.64s has no value",
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

/* Why isl returned nothing: a limit, memory, or its own words. */
static enum tp_status poly_fail_isl(struct tp_poly *poly, struct tp_poly_place place)
{
	const char *words = isl_ctx_last_error_msg(poly->ctx);
	switch (isl_ctx_last_error(poly->ctx)) {
	case isl_error_quota:
		poly_fail(poly, place,
			  "make domain and schedule simpler: fewer dimensions, smaller "
			  "constants, fewer pieces",
			  "isl took %d million operations and did not come to an end",
			  TP_POLY_OPERATIONS / 1000000);
		return poly->found->status = TP_RESOURCE;
	case isl_error_alloc:
		poly_fail(poly, place, "make domain and schedule simpler", "isl ran out of memory");
		return poly->found->status = TP_RESOURCE;
	default:
		poly_fail(poly, place, NULL, "isl refuses it: %.200s",
			  words ? words : "it gives no reason");
		tp_clean(poly->found->diag.what, "");
		return TP_USAGE;
	}
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
		status = poly_fail_isl(poly, domain_place);
	} else if (isl_val_cmp_si(count.sum, 1L << 62) > 0) {
		poly_fail(poly, domain_place, NULL, "there are more than 2^62 instances");
		status = poly->found->status = TP_RESOURCE;
	} else {
		*n = (uint64_t)isl_val_get_num_si(count.sum);
	}
	isl_val_free(count.sum);
	return status;
}

static enum tp_status poly_count_here(struct tp_poly *poly)
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

/*
 * Dependences: two instances that touch the same element, one of them writing it. All of them count
 * (true, anti and output dependences on memory), so a schedule that keeps them keeps every result
 * to the last bit.
 */

static const struct tp_poly_place nowhere = { 0 };

enum { N_KINDS = 3 };

static const struct kind {
	bool first_writes, second_writes;
} kinds[N_KINDS] = { { true, false }, { false, true }, { true, true } };

/* The instance x or y of a pair as a set of one. */
static isl_union_set *end_of(isl_map *pair, enum isl_dim_type type)
{
	isl_map *copy = isl_map_copy(pair);
	return isl_union_set_from_set(type == isl_dim_in ? isl_map_domain(copy)
							 : isl_map_range(copy));
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

/*
 * One pair of `map` (which it takes), with small numbers: a map with a single element for a single
 * value of every parameter. NULL: isl failed, or none exists.
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

/* The same for the first map of a union, and for the elements of a set (pairs with nothing). */
static isl_map *poly_pick_any(struct tp_poly *poly, isl_union_map *maps)
{
	isl_map *first = NULL;
	isl_union_map_foreach_map(maps, take_first, &first);
	isl_union_map_free(maps);
	return poly_pick(poly, first);
}

static isl_map *poly_pick_set(struct tp_poly *poly, isl_union_set *sets)
{
	return poly_pick_any(poly, isl_union_map_from_domain(sets));
}

static void say_value(struct tp_str *out, isl_map *picked, enum isl_dim_type type, isl_size i)
{
	isl_val *value = isl_map_plain_get_val_if_fixed(picked, type, (unsigned)i);
	char *text = isl_val_to_str(value);
	tp_str_add(out, text ? text : "?");
	free(text);
	isl_val_free(value);
}

/* "S[2,3]" from a picked pair; its domain or range. */
static void poly_say_tuple(struct tp_str *out, isl_map *picked, enum isl_dim_type type)
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
	isl_map *element = poly_pick_set(poly, isl_union_set_intersect(first, second));
	if (!element)
		return false;
	poly_say_tuple(out, pair, isl_dim_in);
	tp_str_add(out, kind->first_writes ? " writes " : " reads ");
	poly_say_tuple(out, element, isl_dim_in);
	tp_str_add(out, ", which ");
	poly_say_tuple(out, pair, isl_dim_out);
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

/* " (n = 4, t = 2)", or nothing. */
static void poly_say_parameters(struct tp_str *out, isl_map *picked)
{
	isl_size n = isl_map_dim(picked, isl_dim_param);
	for (isl_size i = 0; i < n; i++) {
		const char *name = isl_map_get_dim_name(picked, isl_dim_param, (unsigned)i);
		tp_str_printf(out, "%s%.32s = ", i ? ", " : " (", name ? name : "?");
		say_value(out, picked, isl_dim_param, i);
	}
	tp_str_add(out, n > 0 ? ")" : "");
}

static enum tp_status say_illegal(struct tp_poly *poly, isl_union_map *broken,
				  const struct kind *kind)
{
	isl_map *pair = poly_pick_any(poly, broken);
	TP_STR why = { 0 };
	isl_bool same = pair ? at_once(poly, pair) : isl_bool_error;
	bool told = same != isl_bool_error && say_meeting(poly, pair, kind, &why);
	if (told) {
		tp_str_add(&why, "; the schedule runs ");
		if (same)
			tp_str_add(&why, "both at the same time");
		else
			poly_say_tuple(&why, pair, isl_dim_out);
		tp_str_add(&why, same ? "" : " first");
		poly_say_parameters(&why, pair);
		tp_copy(poly->found->why_illegal, sizeof(poly->found->why_illegal),
			tp_str_text(&why));
	}
	isl_map_free(pair);
	return told ? TP_OK : poly_fail_isl(poly, nowhere);
}

static enum tp_status say_serial(struct tp_poly *poly, isl_union_map *carried,
				 const struct kind *kind)
{
	isl_map *pair = poly_pick_any(poly, carried);
	TP_STR why = { 0 };
	bool told = pair && say_meeting(poly, pair, kind, &why);
	if (told) {
		tp_str_add(&why, " in another iteration of the parallel loop");
		poly_say_parameters(&why, pair);
		tp_copy(poly->found->why_serial, sizeof(poly->found->why_serial),
			tp_str_text(&why));
	}
	isl_map_free(pair);
	return told ? TP_OK : poly_fail_isl(poly, nowhere);
}

/*
 * Whether no instances of the pairs meet. `say`, which takes the first that do, writes the message.
 */
static enum tp_status find_meeting(struct tp_poly *poly, isl_union_map *pairs,
				   enum tp_status (*say)(struct tp_poly *, isl_union_map *,
							 const struct kind *),
				   bool *none)
{
	*none = true;
	for (size_t i = 0; i < N_KINDS; i++) {
		isl_union_map *first = kinds[i].first_writes ? poly->writes : poly->reads;
		isl_union_map *second = kinds[i].second_writes ? poly->writes : poly->reads;
		/* { x -> y } of the pairs whose accesses of these kinds meet in an element. */
		isl_union_map *met = isl_union_map_intersect(
			isl_union_map_apply_range(
				isl_union_map_copy(first),
				isl_union_map_reverse(isl_union_map_copy(second))),
			isl_union_map_copy(pairs));
		isl_bool empty = isl_union_map_is_empty(met);
		*none = empty == isl_bool_true;
		if (empty == isl_bool_false)
			return say(poly, met, &kinds[i]);
		isl_union_map_free(met);
		if (empty == isl_bool_error)
			return poly_fail_isl(poly, nowhere);
	}
	return TP_OK;
}

static enum tp_status poly_check_order(struct tp_poly *poly)
{
	const struct tp_poly_input *input = poly->asked->input;
	poly->found->legal = true;
	/* One relation defines the only order. */
	if (input->duplicates || input->n_schedule < 2)
		return TP_OK;
	isl_union_map *before = isl_union_map_lex_lt_union_map(isl_union_map_copy(poly->first),
							       isl_union_map_copy(poly->first));
	isl_union_map *not_before = isl_union_map_lex_ge_union_map(isl_union_map_copy(poly->time),
								   isl_union_map_copy(poly->time));
	isl_union_map *swapped = isl_union_map_intersect(before, not_before);
	enum tp_status status = find_meeting(poly, swapped, say_illegal, &poly->found->legal);
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

struct printing {
	struct tp_poly *poly;
	unsigned depth; /* of the loop that is being printed */
	bool marked; /* a loop of the parallel depth is there */
	bool inside; /* of one */
	enum tp_status status;
};

static void forget_time(void *time)
{
	isl_union_map_free(time);
}

/* Every loop keeps which instances it runs: their times end with its iterator. */
static isl_id *keep_time(isl_ast_build *build, void *user __attribute__((unused)))
{
	isl_union_map *time = isl_ast_build_get_schedule(build);
	isl_id *id = time ? isl_id_alloc(isl_ast_build_get_ctx(build), "time", time) : NULL;
	if (!id)
		isl_union_map_free(time);
	return isl_id_set_free_user(id, forget_time);
}

/*
 * isl 0.25 dies of a printer whose text does not grow, so it prints without a limit: the tree that
 * it prints was made within it.
 */
static void limit_operations(struct tp_poly *poly, bool limited)
{
	unsigned long limit = poly->asked->operations;
	isl_ctx_set_max_operations(poly->ctx, !limited ? 0 : limit ? limit : TP_POLY_OPERATIONS);
}

/*
 * Whether the iterations of the loop may run in any order. Its annotation maps the instances inside
 * it to its iterators and those of the loops around it.
 */
static void check_loop(struct printing *printing, isl_ast_node *node)
{
	struct tp_poly *poly = printing->poly;
	if (!(poly->asked->questions & TP_POLY_PARALLEL) || poly->asked->input->duplicates ||
	    !poly->found->parallel || printing->status != TP_OK)
		return;
	limit_operations(poly, true);
	isl_id *id = isl_ast_node_get_annotation(node);
	isl_union_map *time = id ? isl_id_get_user(id) : NULL;
	if (time) {
		isl_union_map *apart =
			isl_union_map_apply_range(isl_union_map_copy(time), other_iteration(time));
		apart = isl_union_map_apply_range(apart,
						  isl_union_map_reverse(isl_union_map_copy(time)));
		printing->status = find_meeting(poly, apart, say_serial, &poly->found->parallel);
		isl_union_map_free(apart);
	} else {
		printing->status = poly_fail_isl(poly, nowhere);
	}
	isl_id_free(id);
	limit_operations(poly, false);
}

static isl_printer *print_for(isl_printer *printer, isl_ast_print_options *options,
			      isl_ast_node *node, void *user)
{
	struct printing *printing = user;
	const struct tp_poly_input *input = printing->poly->asked->input;
	/* A loop that runs once is printed as a block. */
	unsigned loop = isl_ast_node_for_is_degenerate(node) == isl_bool_false;
	if (loop && printing->depth == input->parallel_depth) {
		printing->marked = true;
		check_loop(printing, node);
		if (input->parallel_pragma) {
			printer = isl_printer_start_line(printer);
			printer = isl_printer_print_str(printer, input->parallel_pragma);
			printer = isl_printer_end_line(printer);
		}
	}
	bool inside = printing->inside;
	printing->inside |= loop && printing->depth == input->parallel_depth;
	printing->depth += loop;
	if (printing->depth > printing->poly->found->depth)
		printing->poly->found->depth = printing->depth;
	printer = isl_ast_node_for_print(node, printer, options);
	printing->depth -= loop;
	printing->inside = inside;
	return printer;
}

/* A team runs the loops, so every thread runs statements outside the parallel one. */
static void check_statement(struct printing *printing, isl_ast_expr *call)
{
	struct tp_poly *poly = printing->poly;
	if (poly->asked->input->parallel_depth == TP_POLY_SERIAL || printing->inside ||
	    !poly->found->parallel)
		return;
	isl_ast_expr *name = isl_ast_expr_op_get_arg(call, 0);
	isl_id *id = isl_ast_expr_id_get_id(name);
	const char *text = id ? isl_id_get_name(id) : NULL;
	poly->found->parallel = false;
	snprintf(poly->found->why_serial, sizeof(poly->found->why_serial),
		 "%.64s stands outside of the parallel loop, so every thread would run it",
		 text ? text : "a statement");
	isl_id_free(id);
	isl_ast_expr_free(name);
}

static isl_printer *print_user(isl_printer *printer, isl_ast_print_options *options,
			       isl_ast_node *node, void *user)
{
	isl_ast_expr *call = isl_ast_node_user_get_expr(node);
	check_statement(user, call);
	printer = isl_printer_start_line(printer);
	printer = isl_printer_print_ast_expr(printer, call);
	printer = isl_printer_print_str(printer, ";");
	printer = isl_printer_end_line(printer);
	isl_ast_expr_free(call);
	isl_ast_print_options_free(options);
	return printer;
}

static isl_ast_node *build_loops(struct tp_poly *poly)
{
	isl_options_set_ast_iterator_type(poly->ctx, "long");
	isl_options_set_ast_always_print_block(poly->ctx, 1);
	isl_ast_build *build = isl_ast_build_from_context(isl_set_copy(poly->context));
	build = isl_ast_build_set_before_each_for(build, keep_time, NULL);
	isl_ast_node *node =
		isl_ast_build_node_from_schedule_map(build, isl_union_map_copy(poly->time));
	isl_ast_build_free(build);
	return node;
}

/* Reserved names, so that the macros do not collide with functions or variables of the pattern. */
static char *print(struct printing *printing, isl_ast_node *node)
{
	isl_ctx *ctx = printing->poly->ctx;
	isl_printer *printer = isl_printer_to_str(ctx);
	isl_ast_print_options *options = isl_ast_print_options_alloc(ctx);
	options = isl_ast_print_options_set_print_for(options, print_for, printing);
	options = isl_ast_print_options_set_print_user(options, print_user, printing);
	printer = isl_printer_set_output_format(printer, ISL_FORMAT_C);
	printer = isl_ast_expr_op_type_set_print_name(printer, isl_ast_expr_op_min, "tp_min");
	printer = isl_ast_expr_op_type_set_print_name(printer, isl_ast_expr_op_max, "tp_max");
	printer = isl_ast_expr_op_type_set_print_name(printer, isl_ast_expr_op_fdiv_q, "tp_floord");
	limit_operations(printing->poly, false);
	printer = isl_ast_node_print_macros(node, printer);
	printer = isl_ast_node_print(node, printer, options);
	limit_operations(printing->poly, true);
	char *text = isl_printer_get_str(printer);
	isl_printer_free(printer);
	return text;
}

static enum tp_status keep(struct tp_poly *poly, const char *text)
{
	size_t len = strlen(text);
	if (len > TP_POLY_LOOPS_MAX_BYTES) {
		poly_fail(poly, nowhere, "make domain and schedule simpler",
			  "the loops would take more than %d bytes of C", TP_POLY_LOOPS_MAX_BYTES);
		return poly->found->status = TP_RESOURCE;
	}
	memcpy(poly->found->loops, text, len + 1);
	poly->found->loops_len = len;
	return TP_OK;
}

/* Writes loops, and `parallel` on request. */
static enum tp_status poly_make_loops(struct tp_poly *poly)
{
	const struct tp_poly_input *input = poly->asked->input;
	struct printing printing = { .poly = poly };
	isl_ast_node *node = build_loops(poly);
	poly->found->parallel = true;
	char *text = node ? print(&printing, node) : NULL;
	enum tp_status status = printing.status;
	isl_ast_node_free(node);
	if (status == TP_OK && !text)
		status = poly_fail_isl(poly, nowhere);
	if (status == TP_OK && input->parallel_depth != TP_POLY_SERIAL && !printing.marked)
		status = poly_fail(poly, nowhere, "loops are counted from 0 at the outermost",
				   "there is no loop %u to run in parallel: the nest has %u",
				   input->parallel_depth, poly->found->depth);
	if (status == TP_OK && (poly->asked->questions & TP_POLY_LOOPS))
		status = keep(poly, text);
	free(text);
	return status;
}

/*
 * isl prints errors of a text, with their place, only as warnings; it keeps neither. Without a
 * descriptor to capture them, it is silent, and the place is lost.
 */
static void listen(struct tp_poly *poly)
{
	int fd = poly->asked->words_fd;
	if (fd < 0 || ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0)
		return;
	isl_options_set_on_error(poly->ctx, ISL_ON_ERROR_WARN);
}

static enum tp_status refuse(struct tp_poly *poly, struct tp_poly_place place)
{
	static const char hint[] =
		"a set is \"[n] -> { S[i,j] : 0 <= i < n and 0 <= j < n }\", a relation "
		"\"{ S[i,j] -> [j,i] }\"; factors and divisors are numbers";
	char words[400];
	int fd = poly->asked->words_fd, at = 0;
	ssize_t len = fd < 0 ? -1 : pread(fd, words, sizeof(words) - 1, 0);
	words[len > 0 ? len : 0] = '\0';
	enum isl_error error = isl_ctx_last_error(poly->ctx);
	if (error == isl_error_quota || error == isl_error_alloc)
		return poly_fail_isl(poly, place);
	if (sscanf(words, "syntax error (%u, %u): %n", &place.line, &place.column, &at) != 2 || !at)
		return len > 0 ? poly_fail_isl(poly, place)
			       : poly_fail(poly, place, hint, "isl cannot read it");
	/* Two lines: "unexpected token", "got ident 'q'". */
	size_t whole = strlen(words);
	while (whole && words[whole - 1] == '\n')
		words[--whole] = '\0';
	char *line = strchr(words, '\n'), *second = line ? line + 1 : NULL;
	if (line) {
		*line = '\0';
		char *third = strchr(second, '\n');
		if (third)
			*third = '\0';
	}
	poly_fail(poly, place, hint, "isl reports: %.120s%s%.120s", words + at, second ? ", " : "",
		  second ? second : "");
	tp_clean(poly->found->diag.what, "");
	return TP_USAGE;
}

/* After reading a text, of which `read` is the result. */
static void stop_listening(struct tp_poly *poly, const void *read, struct tp_poly_place place)
{
	isl_options_set_on_error(poly->ctx, ISL_ON_ERROR_CONTINUE);
	if (!read)
		refuse(poly, place);
}

/* Tuples of a text under check. */
struct check {
	struct tp_poly *poly;
	struct tp_poly_place place;
	const char *what; /* "statement", "array"; "the time" */
};

static const char keywords[] =
	"asm auto break case char const continue default do double else enum extern float for goto "
	"if inline int long register restrict return short signed sizeof static struct switch "
	"typedef typeof union unsigned void volatile while _Alignas _Alignof _Atomic _Bool "
	"_Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local";

/* NULL, or why C or the loops around it do not take this name. */
static const char *unfit(const char *name)
{
	if (!name || !*name)
		return "has no name";
	if (strlen(name) > 63)
		return "has a name of more than 63 characters";
	if (name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] ||
	    isdigit((unsigned char)name[0]))
		return "has a name that C does not take";
	if (tp_has_word(keywords, name))
		return "has the name of a keyword of C";
	if (name[0] == 'c' && name[1] && !name[1 + strspn(name + 1, "0123456789")])
		return "has the name of an iterator of the loops (c0, c1, ...)";
	if (strncmp(name, "tp_", 3) == 0)
		return "has a name that begins with tp_";
	return NULL;
}

static enum tp_status check_parameters(struct tp_poly *poly, struct tp_poly_place place,
				       isl_space *space)
{
	isl_size n = isl_space_dim(space, isl_dim_param);
	if (n < 0)
		return poly_fail_isl(poly, place);
	if (n > TP_POLY_PARAMETERS_MAX)
		return poly_fail(poly, place, NULL, "there are more than %d parameters",
				 TP_POLY_PARAMETERS_MAX);
	for (isl_size i = 0; i < n; i++) {
		const char *name = isl_space_get_dim_name(space, isl_dim_param, (unsigned)i);
		const char *fault = unfit(name);
		if (fault)
			return poly_fail(poly, place, NULL, "parameter \"%.64s\" %s",
					 name ? name : "", fault);
	}
	return TP_OK;
}

static isl_stat check_set(isl_set *set, void *user)
{
	struct check *check = user;
	const char *name = NULL, *fault = NULL;
	isl_bool nested = isl_set_is_wrapping(set);
	isl_size dims = isl_set_dim(set, isl_dim_set);
	if (nested == isl_bool_false && isl_set_has_tuple_name(set) == isl_bool_true)
		name = isl_set_get_tuple_name(set);
	if (nested == isl_bool_error || dims < 0)
		poly_fail_isl(check->poly, check->place);
	else if (nested == isl_bool_true)
		poly_fail(check->poly, check->place, NULL, "there is a map inside a tuple");
	else if (dims > TP_POLY_DIMS_MAX)
		poly_fail(check->poly, check->place, NULL, "a tuple has more than %d dimensions",
			  TP_POLY_DIMS_MAX);
	else if ((fault = unfit(name)))
		poly_fail(check->poly, check->place, "letters, digits and _ make a name: S[i,j]",
			  "%s \"%.64s\" %s", check->what, name ? name : "", fault);
	isl_set_free(set);
	return check->poly->found->status == TP_OK ? isl_stat_ok : isl_stat_error;
}

/* Every statement, array and parameter has a name that C takes; few enough dimensions. */
static enum tp_status poly_check_names(struct tp_poly *poly, struct tp_poly_place place,
				       isl_union_set *set, const char *what)
{
	struct check check = { poly, place, what };
	isl_space *space = isl_union_set_get_space(set);
	isl_size n = isl_union_set_n_set(set);
	enum tp_status status = check_parameters(poly, place, space);
	isl_space_free(space);
	if (status != TP_OK)
		return status;
	if (n < 0)
		return poly_fail_isl(poly, place);
	if (n > TP_POLY_STATEMENTS_MAX)
		return poly_fail(poly, place, NULL, "there are more than %d %ss",
				 TP_POLY_STATEMENTS_MAX, what);
	if (isl_union_set_foreach_set(set, check_set, &check) != isl_stat_ok)
		return poly->found->status != TP_OK ? poly->found->status
						    : poly_fail_isl(poly, place);
	return TP_OK;
}

static isl_set *poly_parse_context(struct tp_poly *poly)
{
	const struct tp_poly_place place = { .text = TP_POLY_TEXT_CONTEXT };
	const char *text = poly->asked->input->context;
	listen(poly);
	isl_set *set = isl_set_read_from_str(poly->ctx, text ? text : "{ : }");
	stop_listening(poly, set, place);
	if (!set)
		return NULL;
	isl_bool parameters = isl_set_is_params(set);
	if (parameters == isl_bool_true)
		return set;
	if (parameters == isl_bool_false)
		poly_fail(poly, place, "write \"[n] -> { : n >= 3 }\"",
			  "it depends on more than the parameters");
	else
		poly_fail_isl(poly, place);
	return isl_set_free(set);
}

static void say_unbounded(const struct check *bounds, isl_set *set)
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
		poly_fail(bounds->poly, bounds->place, hint,
			  "%s%s%.64s is endless: index %d (%.32s) has no %s bound", bounds->what,
			  name ? " " : "", name ? name : "", i + 1, index ? index : "unnamed",
			  low == isl_bool_true ? "upper" : "lower");
		return;
	}
	poly_fail(bounds->poly, bounds->place, hint, "%s%s%.64s is endless", bounds->what,
		  name ? " " : "", name ? name : "");
}

static isl_stat check_set_bounds(isl_set *set, void *user)
{
	const struct check *bounds = user;
	isl_bool bounded = isl_set_is_bounded(set);
	if (bounded == isl_bool_false)
		say_unbounded(bounds, set);
	isl_set_free(set);
	return bounded == isl_bool_true ? isl_stat_ok : isl_stat_error;
}

static enum tp_status check_bounds(struct tp_poly *poly, struct tp_poly_place place,
				   isl_union_set *sets, const char *what)
{
	struct check bounds = { poly, place, what };
	if (isl_union_set_foreach_set(sets, check_set_bounds, &bounds) == isl_stat_ok)
		return TP_OK;
	return poly->found->status != TP_OK ? poly->found->status : poly_fail_isl(poly, place);
}

/*
 * Each reads its texts, and reports their errors. The domain comes first, then what the others need
 * from it.
 */
static enum tp_status poly_read_domain(struct tp_poly *poly)
{
	const struct tp_poly_place context_place = { .text = TP_POLY_TEXT_CONTEXT };
	listen(poly);
	poly->domain = isl_union_set_read_from_str(poly->ctx, poly->asked->input->domain);
	stop_listening(poly, poly->domain, domain_place);
	if (!poly->domain)
		return poly->found->status;
	enum tp_status status = poly_check_names(poly, domain_place, poly->domain, "statement");
	if (status != TP_OK)
		return status;
	poly->context = poly_parse_context(poly);
	if (!poly->context)
		return poly->found->status;
	poly->domain = isl_union_set_coalesce(
		isl_union_set_intersect_params(poly->domain, isl_set_copy(poly->context)));
	/* With the parameters of both. */
	status = poly_check_names(poly, context_place, poly->domain, "statement");
	if (status != TP_OK)
		return status;
	isl_bool empty = isl_union_set_is_empty(poly->domain);
	if (empty == isl_bool_error)
		return poly_fail_isl(poly, domain_place);
	if (empty)
		return poly_fail(poly, domain_place,
				 "write \"[n] -> { S[i] : 0 <= i < n }\", and see that the "
				 "context allows some n",
				 "no statement has an instance");
	return check_bounds(poly, domain_place, poly->domain, "statement");
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
		return poly_fail(poly, place, "{ S[i] -> [0,i]; T[i] -> [1,i] }",
				 "several statements need a schedule");
	if (isl_union_set_foreach_set(poly->domain, plain_time, &poly->time) != isl_stat_ok)
		return poly_fail_isl(poly, place);
	poly->first = isl_union_map_copy(poly->time);
	return TP_OK;
}

static isl_union_map *poly_parse_map(struct tp_poly *poly, struct tp_poly_place place,
				     const char *text)
{
	listen(poly);
	isl_union_map *map = isl_union_map_read_from_str(poly->ctx, text);
	stop_listening(poly, map, place);
	return map;
}

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
		none == isl_bool_false ? poly_pick_set(poly, isl_union_set_copy(missing)) : NULL;
	TP_STR words = { 0 };
	isl_union_set_free(missing);
	if (!one)
		return poly_fail_isl(poly, place);
	poly_say_tuple(&words, one, isl_dim_in);
	poly_say_parameters(&words, one);
	isl_map_free(one);
	poly_fail(poly, place,
		  place.index ? "its left side has as many dimensions as the times of the "
				"relation before, and covers all of them"
			      : "name every statement with all of its indices",
		  "it gives no time to %.200s", tp_str_text(&words));
	return TP_USAGE;
}

static isl_stat count_dims(isl_map *map, void *user)
{
	isl_size *most = user, n = isl_map_dim(map, isl_dim_out);
	if (n > *most)
		*most = n;
	isl_map_free(map);
	return n < 0 ? isl_stat_error : isl_stat_ok;
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
	isl_map *one = more ? poly_pick_set(poly, isl_union_map_domain(more)) : NULL;
	TP_STR words = { 0 };
	if (!one && isl_ctx_last_error(poly->ctx) != isl_error_invalid &&
	    isl_ctx_last_error(poly->ctx) != isl_error_none)
		return poly_fail_isl(poly, place);
	if (one) {
		poly_say_tuple(&words, one, isl_dim_in);
		poly_say_parameters(&words, one);
	}
	isl_map_free(one);
	poly_fail(poly, place,
		  "if the pattern means to run points several times, it declares duplicated "
		  "points",
		  "%.200s runs several times", one ? tp_str_text(&words) : "some point");
	return TP_USAGE;
}

static enum tp_status check_relation(struct tp_poly *poly, struct tp_poly_place place,
				     isl_union_set *before, isl_union_map *relation)
{
	isl_size dims = 0;
	enum tp_status status = check_total(poly, place, before, relation);
	if (status != TP_OK)
		return status;
	if (isl_union_map_foreach_map(relation, count_dims, &dims) != isl_stat_ok)
		return poly_fail_isl(poly, place);
	if (dims > TP_POLY_DIMS_MAX)
		return poly_fail(poly, place, NULL, "a time has more than %d dimensions",
				 TP_POLY_DIMS_MAX);
	return poly->asked->input->duplicates ? TP_OK : check_single(poly, place, relation);
}

static enum tp_status check_time(struct tp_poly *poly, struct tp_poly_place place,
				 isl_union_map *schedule)
{
	isl_union_set *times = isl_union_map_range(isl_union_map_copy(schedule));
	isl_size n = isl_union_set_n_set(times);
	enum tp_status status = TP_OK;
	if (n < 0)
		status = poly_fail_isl(poly, place);
	else if (n > 1)
		status = poly_fail(poly, place,
				   "give all statements times of as many dimensions; fill with "
				   "0",
				   "it gives times of %d kinds, which have no common order", n);
	else
		status = check_bounds(poly, place, times, "the time");
	isl_union_set_free(times);
	return status;
}

static enum tp_status poly_read_schedule(struct tp_poly *poly)
{
	const struct tp_poly_input *input = poly->asked->input;
	struct tp_poly_place place = { .text = TP_POLY_TEXT_SCHEDULE };
	if (!input->n_schedule)
		return no_schedule(poly);
	for (place.index = 0; place.index < input->n_schedule; place.index++) {
		isl_union_map *relation = poly_parse_map(poly, place, input->schedule[place.index]);
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

static enum tp_status poly_read_accesses(struct tp_poly *poly)
{
	const struct tp_poly_input *input = poly->asked->input;
	struct tp_poly_place place = { .text = TP_POLY_TEXT_ACCESS };
	isl_space *space = isl_union_set_get_space(poly->domain);
	poly->reads = isl_union_map_empty(isl_space_copy(space));
	poly->writes = isl_union_map_empty(space);
	for (place.index = 0; place.index < input->n_accesses; place.index++) {
		const struct tp_poly_access *access = &input->accesses[place.index];
		isl_union_map *map = poly_parse_map(poly, place, access->relation);
		if (!map)
			return poly->found->status;
		isl_union_set *elements = isl_union_map_range(isl_union_map_copy(map));
		enum tp_status status = poly_check_names(poly, place, elements, "array");
		isl_union_set_free(elements);
		map = isl_union_map_intersect_domain(map, isl_union_set_copy(poly->domain));
		isl_size n = isl_union_map_n_map(map);
		if (status == TP_OK && n <= 0) {
			status = n < 0 ? poly_fail_isl(poly, place)
				       : poly_fail(poly, place, NULL,
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

static enum tp_status work(struct tp_poly *poly)
{
	unsigned questions = poly->asked->questions;
	enum tp_status status = poly_read_domain(poly);
	if (status == TP_OK)
		status = poly_read_schedule(poly);
	if (status == TP_OK && !questions)
		return poly_count_here(poly);
	if (status == TP_OK && (questions & (TP_POLY_LEGAL | TP_POLY_PARALLEL)))
		status = poly_read_accesses(poly);
	if (status == TP_OK && (questions & TP_POLY_LEGAL))
		status = poly_check_order(poly);
	if (status == TP_OK && (questions & (TP_POLY_LOOPS | TP_POLY_PARALLEL)))
		status = poly_make_loops(poly);
	return status;
}

enum tp_status tp_poly_here(const struct tp_poly_asked *asked, struct tp_poly_found *found)
{
	struct tp_poly poly = { .ctx = isl_ctx_alloc(), .asked = asked, .found = found };
	if (!poly.ctx)
		tp_out_of_memory();
	isl_options_set_on_error(poly.ctx, ISL_ON_ERROR_CONTINUE);
	limit_operations(&poly, true);
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

enum { NESTING_MAX = 24, DIGITS_MAX = 15, PRAGMA_MAX_BYTES = 256 };

/* What isl's notation needs. Its powers, quoted names and comments are not among it. */
static const char text_allowed[] = " \t\n_',;:{}[]()<>=!+-*/%&|";

/* Where in the text `at` is. */
static void locate(struct tp_poly_place *place, const char *text, const char *at)
{
	place->line = place->column = 1;
	for (; text < at; text++) {
		place->column++;
		if (*text == '\n') {
			place->line++;
			place->column = 1;
		}
	}
}

/* isl recurses into brackets, and computes with numbers of any length. */
static const char *unfit_poly_text(const char *text, const char **what)
{
	int depth = 0, digits = 0;
	const char *end = NULL; /* of the last brace; isl would not read on */
	for (const char *p = text; *p; p++) {
		if (end && !isspace((unsigned char)*p)) {
			*what = "text after the closing brace";
			return p;
		}
		if (!isalnum((unsigned char)*p) && !strchr(text_allowed, *p)) {
			*what = "a character that isl's notation does not need";
			return p;
		}
		depth += strchr("{[(", *p) != NULL;
		depth -= depth && strchr("}])", *p);
		if (!depth && *p == '}')
			end = p;
		digits = isdigit((unsigned char)*p) ? digits + 1 : 0;
		if (depth > NESTING_MAX || digits > DIGITS_MAX) {
			*what = digits > DIGITS_MAX ? "a number of more than 15 digits"
						    : "brackets are nested more than 24 deep";
			return p;
		}
	}
	return NULL;
}

static enum tp_status check_text(struct tp_poly *poly, enum tp_poly_text which, size_t index,
				 const char *text)
{
	struct tp_poly_place place = { .text = which, .index = index };
	if (!text)
		return poly_fail(poly, place, NULL, "there is no text");
	if (strnlen(text, TP_POLY_TEXT_MAX_BYTES + 1) > TP_POLY_TEXT_MAX_BYTES)
		return poly_fail(poly, place, NULL, "the text has more than %d bytes",
				 TP_POLY_TEXT_MAX_BYTES);
	const char *what = NULL, *at = unfit_poly_text(text, &what);
	if (!at)
		return TP_OK;
	locate(&place, text, at);
	return poly_fail(poly, place,
			 "letters, digits, blanks and ' _ , ; : { } [ ] ( ) < > = ! + - * / % & "
			 "| are allowed",
			 "%s", what);
}

static enum tp_status check_pragma(struct tp_poly *poly, const char *pragma)
{
	if (!pragma)
		return TP_OK;
	bool fits = strncmp(pragma, "#pragma ", 8) == 0 &&
		    strnlen(pragma, PRAGMA_MAX_BYTES + 1) <= PRAGMA_MAX_BYTES;
	for (const char *p = pragma; fits && *p; p++)
		fits = isprint((unsigned char)*p) && *p != '\\';
	return fits ? TP_OK
		    : poly_fail(poly, nowhere, "write one line of at most 256 bytes",
				"the line before the parallel loop is not a #pragma");
}

enum tp_status tp_poly_check_input(struct tp_poly *poly)
{
	const struct tp_poly_input *input = poly->asked->input;
	enum tp_status status = check_text(poly, TP_POLY_TEXT_DOMAIN, 0, input->domain);
	if (status == TP_OK && input->context)
		status = check_text(poly, TP_POLY_TEXT_CONTEXT, 0, input->context);
	if (status == TP_OK && input->n_schedule > TP_POLY_SCHEDULE_MAX)
		return poly_fail(poly, nowhere, NULL, "the schedule has more than %d relations",
				 TP_POLY_SCHEDULE_MAX);
	if (status == TP_OK && input->n_accesses > TP_POLY_ACCESSES_MAX)
		return poly_fail(poly, nowhere, NULL, "there are more than %d accesses",
				 TP_POLY_ACCESSES_MAX);
	for (size_t i = 0; status == TP_OK && i < input->n_schedule; i++)
		status = check_text(poly, TP_POLY_TEXT_SCHEDULE, i, input->schedule[i]);
	for (size_t i = 0; status == TP_OK && i < input->n_accesses; i++)
		status = check_text(poly, TP_POLY_TEXT_ACCESS, i, input->accesses[i].relation);
	return status == TP_OK ? check_pragma(poly, input->parallel_pragma) : status;
}
