/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What models say of the shipped stencils, and of loops that they do not understand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "experiments/experiment.h"
#include "experiments/pattern/predict.h"
#include "experiments/pattern/row.h"
#include "tests/unit/near.h"
#include "report/report.h"
#include "tests/unit/printed.h"
#include "tests/unit/rows.h"

static struct tp_arena memory;

static void load(struct tp_pattern *p, const char *name)
{
	struct tp_diags diags = { 0 };
	char path[512];
	snprintf(path, sizeof(path), "%s/presets/patterns/%s.yaml", getenv("TPROF_SRCDIR"), name);
	if (tp_pattern_load(p, &memory, path, &diags) != TP_OK)
		fail_msg("%s: %s", name, diags.n ? diags.items[0].what : "?");
	tp_diags_release(&diags);
}

static struct tp_machine machine_of(uint64_t l1, uint64_t l2, uint64_t l3)
{
	struct tp_machine machine = { .n_allowed = 1 };
	machine.cache[1].size_bytes = l1;
	machine.cache[2].size_bytes = l2;
	machine.cache[3].size_bytes = l3;
	machine.cache[1].line_bytes = 64;
	return machine;
}

/* The row of a configuration with this n and the pattern's own first values, on that machine. */
static struct tp_pattern_row predicted(const struct tp_pattern *p, const struct tp_machine *machine,
				       int64_t n)
{
	struct tp_pattern_config c = { .pattern = p, .template = p->templates[0], .threads = 1 };
	struct tp_pattern_predictor predictor = { .machine = machine };
	struct tp_pattern_row row = { 0 };
	uint64_t bytes;
	for (size_t i = 0; i < p->n_parameters; i++)
		c.values[i] = p->parameters[i].values[0];
	c.values[0] = n;
	assert_int_equal(tp_pattern_config_bytes(&c, &bytes, NULL), TP_OK);
	row.kernel.working_set_bytes = bytes;
	tp_pattern_predict(&predictor, &c, &row);
	return row;
}

static void test_rows_of_a_grid(void **state)
{
	const struct tp_machine machine = machine_of(48 << 10, 2 << 20, 64 << 20);
	struct tp_pattern p;
	(void)state;
	load(&p, "jacobi-2d-rows");
	/* Four rows in 48 KiB, in 2 MiB. */
	struct tp_pattern_row row = predicted(&p, &machine, 1500);
	assert_in_range(row.l1_n, 1530, 1540);
	assert_in_range(row.l2_n, 65500, 65540);
	assert_string_equal(row.reuse_level, "L1");
	assert_near(row.l2_bytes, 24, 1e-9);
	assert_true(row.l3_bytes == 0 && row.dram_bytes == 0);
	row = predicted(&p, &machine, 1600);
	assert_string_equal(row.reuse_level, "L2");
	assert_near(row.l2_bytes, 40, 1e-9);
	row = predicted(&p, &machine, 70000);
	assert_string_equal(row.reuse_level, "L3");
	assert_near(row.l3_bytes, 40, 1e-9);
	assert_near(row.dram_bytes, 24, 1e-9);
	/* A machine without L3: what leaves L2 comes from memory. */
	const struct tp_machine small = machine_of(48 << 10, 2 << 20, 0);
	row = predicted(&p, &small, 70000);
	assert_string_equal(row.reuse_level, "none");
	assert_true(row.l3_bytes == 0 && row.l3_n == 0);
	assert_near(row.dram_bytes, 40, 1e-9);
	/* All of it in L1. */
	row = predicted(&p, &machine, 40);
	assert_true(row.l2_bytes == 0);
	assert_string_equal(row.reuse_level, "L1");
	tp_arena_release(&memory);
}

static void test_shapes(void **state)
{
	const struct tp_machine machine = machine_of(48 << 10, 2 << 20, 64 << 20);
	struct tp_pattern p;
	(void)state;
	/* Tiles of 32 rows and 64 columns fit whatever the grid. */
	load(&p, "jacobi-2d-tiles");
	struct tp_pattern_row row = predicted(&p, &machine, 4000);
	assert_string_equal(row.reuse_level, "L1");
	assert_true(row.l1_n == 0);
	assert_near(row.l2_bytes, 16 + 8 * (1 + 2 / 32.0) * (1 + 2 / 64.0), 1e-9);
	tp_arena_release(&memory);
	/* Layers: 4 n^2 elements in 2 MiB. */
	load(&p, "jacobi-3d");
	row = predicted(&p, &machine, 200);
	assert_in_range(row.l2_n, 254, 257);
	assert_string_equal(row.reuse_level, "L2");
	tp_arena_release(&memory);
	/* A stream: two loads, one store that loads its line first. */
	load(&p, "triad");
	row = predicted(&p, &machine, 1 << 20);
	assert_string_equal(row.reuse_level, "L1");
	assert_near(row.l2_bytes, 32, 1e-9);
	assert_true(row.l1_n == 0);
	tp_arena_release(&memory);
	/* Several statements, that overlap in time: nobody says anything. */
	load(&p, "jacobi-2d-overlapped");
	row = predicted(&p, &machine, 500);
	assert_string_equal(row.reuse_level, "");
	tp_arena_release(&memory);
}

/* A small document of ours with another map, schedule or subscript. */
static bool known(const char *map, const char *code, const char *schedule,
		  struct tp_stencil_traffic *traffic)
{
	struct tp_pattern p;
	struct tp_diags diags = { 0 };
	struct tp_stencil stencil;
	char text[1024];
	snprintf(text, sizeof(text),
		 "summary: x\nparameters: {n: 1000, tile: 16}\n"
		 "arrays: {a: {extents: [n, n]}, b: {extents: [n, n]}}\n"
		 "map: {\"a(i, j)\": [i, j], \"b(i, j)\": %s}\n"
		 "statements: {\"S(i, j)\": {code: \"%s\", instances: n}}\n"
		 "init: {c: \"a(0, 0) = 0;\"}\n"
		 "run: {domain: \"[n] -> { S[i, j] : 0 < i < n and 0 < j < n }\", schedule: [%s]}\n"
		 "validate: reference\n",
		 map, code, schedule);
	if (tp_pattern_parse(&p, &memory, "x.yaml", text, strlen(text), &diags) != TP_OK)
		fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
	const struct tp_pattern_config c = { .pattern = &p, .threads = 1, .values = { 1000, 16 } };
	bool told = tp_pattern_stencil(&c, 64, &stencil) &&
		    tp_stencil_traffic(&stencil, 65536, traffic);
	tp_diags_release(&diags);
	tp_arena_release(&memory);
	return told;
}

static void test_what_is_understood(void **state)
{
	static const char plain[] = "a(i, j) = b(i - 1, j) + b(j * 0 + 1 + i, j);";
	struct tp_stencil_traffic t;
	(void)state;
	/* One index that counts all elements is as good as two. */
	assert_true(known("[i, j]", plain, "\"{ S[i, j] -> [i, j] }\"", &t));
	assert_int_equal(t.misses, 2);
	assert_true(known("i * n + j", plain, "\"{ S[i, j] -> [i, j] }\"", &t));
	assert_int_equal(t.misses, 2);
	assert_true(known("[j, i]", "a(i, j) = b(j, i - 1);", "\"{ S[i, j] -> [i, j] }\"", &t));
	/* Interchanged twice; in tiles. */
	assert_true(
		known("[i, j]", plain, "\"{ S[i, j] -> [j, i] }\", \"{ [p, q] -> [q, p] }\"", &t));
	assert_true(known("[i, j]", plain,
			  "\"{ S[i, j] -> [i, j] }\", "
			  "\"{ [i, j] -> [floor(j / tile), floor(i / (2 * tile)), i, j] }\"",
			  &t));
	assert_near(t.read_bytes, 8 * (1 + 2 / 32.0), 1e-9);
	/* What is not: columns first of all. */
	assert_false(known("[j, i]", plain, "\"{ S[i, j] -> [i, j] }\"", &t));
	assert_false(known("[i, j]", plain, "\"{ S[i, j] -> [j, i] }\"", &t));
	assert_false(known("[i, j]", plain, "\"{ S[i, j] -> [i + j, j] }\"", &t));
	assert_false(known("[i, j]", plain, "\"{ S[i, j] -> [i, j] : j < 9 }\"", &t));
	assert_false(known("[i % 2, j]", plain, "\"{ S[i, j] -> [i, j] }\"", &t));
	assert_false(
		known("[i, j]", "a(i, j) = b(i, (long)sqrt(j));", "\"{ S[i, j] -> [i, j] }\"", &t));
	assert_false(known("[i, j]", "a(i, j) = b(i, a(i, j));", "\"{ S[i, j] -> [i, j] }\"", &t));
}

static void add_roof(struct tp_run *run, const char *level, double value)
{
	struct tp_point *p = add_run_point(run, "roofline");
	struct tp_kernel_row *k = p->row;
	p->state = TP_POINT_DONE;
	p->threads = 1;
	tp_copy(k->precision, sizeof(k->precision), "double");
	tp_copy(k->level, sizeof(k->level), level);
	if (strcmp(level, "FP") == 0) {
		tp_copy(k->fp_op, sizeof(k->fp_op), "fma");
		k->median_gflops = value;
	} else {
		k->loads = 2;
		k->stores = 1;
		k->median_gbps = value;
	}
	tp_kernel_headline(p);
}

static void test_times(void **state)
{
	static const struct {
		const char *level;
		double value;
	} roofs[] = { { "L1", 300 }, { "L1", 100 }, { "L2", 150 }, { "L3", 50 }, { "FP", 90 } };
	struct tp_run run = { .n_points = 0 };
	const struct tp_look look = { .columns = 120, .rows = 30 };
	struct tp_str text = { 0 };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(roofs); i++)
		add_roof(&run, roofs[i].level, roofs[i].value);
	for (int i = 0; i < 2; i++) {
		struct tp_point *p = add_run_point(&run, "pattern");
		struct tp_pattern_row *row = p->row;
		p->run = 1;
		p->threads = 1 + (unsigned)i; /* of two threads there are no roofs */
		p->state = TP_POINT_DONE;
		tp_copy(row->pattern, sizeof(row->pattern), "rows");
		tp_copy(row->parameters, sizeof(row->parameters), "n=7");
		tp_copy(row->kernel.precision, sizeof(row->kernel.precision), "double");
		tp_copy(row->reuse_level, sizeof(row->reuse_level), "L2");
		row->flop_per_element = 9;
		row->bytes_per_element = 80;
		row->l2_bytes = 40;
		row->l3_bytes = 24;
		row->element_ns = 1.5;
		row->l1_n = 1536;
	}
	tp_pattern_reduce_predictions(&run, 1);
	assert_int_equal(tp_run_n_predictions(&run), 1);
	const struct tp_prediction *p = tp_run_predictions(&run);
	assert_int_equal(p->point, TP_COUNT_OF(roofs));
	const double l2 = 40 * 0.75 * (1 / 150.0 - 1 / 300.0),
		     l3 = 24 * 0.75 * (1 / 50.0 - 1 / 150.0);
	assert_near(p->fp_ns, 0.1, 1e-12);
	assert_near(p->l1_ns, 80 / 300.0, 1e-12);
	assert_near(p->l2_ns, l2, 1e-12);
	assert_near(p->l3_ns, l3, 1e-12);
	assert_near(p->ecm_ns, 80 / 300.0 + l2 + l3, 1e-12);
	assert_near(p->roofline_ns, 24 * 0.75 / 50, 1e-12);
	assert_string_equal(p->limit, "L3");
	assert_near(p->measured_to_ecm, 1.5 / p->ecm_ns, 1e-12);
	PRINTED(&look, &text, tp_report_text(&run, doc));
	assert_non_null(strstr(tp_str_text(&text), "What models predict for rows"));
	assert_non_null(strstr(tp_str_text(&text), "L1 up to n = 1536"));
	tp_str_release(&text);
	tp_run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_of_a_grid),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_what_is_understood),
		cmocka_unit_test(test_times),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
