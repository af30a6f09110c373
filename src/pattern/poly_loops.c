/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loops that isl makes, as C. */
#include "pattern/poly_parts.h"

#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/printer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct tp_poly_place nowhere = { 0 };

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
static isl_id *keep_time(isl_ast_build *build, void *user)
{
	isl_union_map *time = isl_ast_build_get_schedule(build);
	(void)user;
	isl_id *id = time ? isl_id_alloc(isl_ast_build_get_ctx(build), "time", time) : NULL;
	if (!id)
		isl_union_map_free(time);
	return isl_id_set_free_user(id, forget_time);
}

static void check_loop(struct printing *printing, isl_ast_node *node)
{
	struct tp_poly *poly = printing->poly;
	if (!(poly->asked->questions & TP_POLY_PARALLEL) || poly->asked->input->duplicates ||
	    !poly->found->parallel || printing->status != TP_OK)
		return;
	isl_id *id = isl_ast_node_get_annotation(node);
	isl_union_map *time = id ? isl_id_get_user(id) : NULL;
	printing->status = time ? tp_poly_check_loop(poly, time, &poly->found->parallel)
				: tp_poly_fail_isl(poly, nowhere);
	isl_id_free(id);
}

static isl_printer *print_for(isl_printer *printer, isl_ast_print_options *options,
			      isl_ast_node *node, void *user)
{
	struct printing *printing = user;
	const struct tp_poly_input *input = printing->poly->asked->input;
	/* One that runs once is printed as a block. */
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

/* A team runs the loops, so what stands outside of the parallel one is run by every thread. */
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

/* Names of our own, so that the macros meet no function or variable of the pattern. */
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
	printer = isl_ast_node_print_macros(node, printer);
	printer = isl_ast_node_print(node, printer, options);
	char *text = isl_printer_get_str(printer);
	isl_printer_free(printer);
	return text;
}

static enum tp_status keep(struct tp_poly *poly, const char *text)
{
	size_t len = strlen(text);
	if (len > TP_POLY_LOOPS_MAX_BYTES) {
		tp_poly_fail(poly, nowhere, "make domain and schedule simpler",
			     "the loops would take more than %d bytes of C",
			     TP_POLY_LOOPS_MAX_BYTES);
		return poly->found->status = TP_RESOURCE;
	}
	memcpy(poly->found->loops, text, len + 1);
	poly->found->loops_len = len;
	return TP_OK;
}

enum tp_status tp_poly_make_loops(struct tp_poly *poly)
{
	const struct tp_poly_input *input = poly->asked->input;
	struct printing printing = { .poly = poly };
	isl_ast_node *node = build_loops(poly);
	poly->found->parallel = true;
	char *text = node ? print(&printing, node) : NULL;
	enum tp_status status = printing.status;
	isl_ast_node_free(node);
	if (status == TP_OK && !text)
		status = tp_poly_fail_isl(poly, nowhere);
	if (status == TP_OK && input->parallel_depth != TP_POLY_SERIAL && !printing.marked)
		status = tp_poly_fail(poly, nowhere, "loops are counted from 0 at the outermost",
				      "there is no loop %u to run in parallel: the nest has %u",
				      input->parallel_depth, poly->found->depth);
	if (status == TP_OK && (poly->asked->questions & TP_POLY_LOOPS))
		status = keep(poly, text);
	free(text);
	return status;
}
