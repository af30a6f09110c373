/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the report makes of latencies: tables, the sentence about the TLB, the picture of loaded
 * latency. On runs made up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/experiment.h"
#include "report/pictures.h"
#include "report/report.h"
#include "base/str.h"
#include "base/memory.h"
#include "record/point.h"
#include "record/roof.h"
#include "tests/unit/printed.h"
#include "tests/unit/rows.h"

static const struct tp_look look = { .columns = 100, .rows = 30 };

static struct tp_point *add_point(struct tp_run *run, const char *experiment, const char *kernel)
{
	struct tp_point *p = add_run_point(run, experiment);
	p->threads = 1;
	p->state = TP_POINT_DONE;
	p->core_ghz = 4;
	tp_copy(p->kernel, sizeof(p->kernel), kernel);
	tp_copy(tp_kernel_row_of(p)->isa, sizeof(tp_kernel_row(p)->isa), "scalar");
	tp_copy(tp_kernel_row_of(p)->precision, sizeof(tp_kernel_row(p)->precision), "double");
	return p;
}

static void add_latency(struct tp_run *run, const char *pages, uint64_t bytes, double ns)
{
	struct tp_point *p = add_point(run, "latency", "chase");
	tp_copy(tp_kernel_row_of(p)->pages_wanted, sizeof(tp_kernel_row(p)->pages_wanted), pages);
	tp_copy(tp_kernel_row_of(p)->pages, sizeof(tp_kernel_row(p)->pages),
		strcmp(pages, "small") == 0 ? "4K" : pages);
	tp_kernel_row_of(p)->working_set_bytes = bytes;
	tp_kernel_row_of(p)->median_ns = tp_kernel_row_of(p)->best_ns = ns;
	p->ci_low = 0.99 * ns;
	p->ci_high = 1.01 * ns;
	tp_kernel_headline(p);
}

static void add_plateau(struct tp_run *run, const char *pages, const char *level, double ns)
{
	struct tp_plateau *p = tp_run_add_row(run, &tp_plateau_part);
	assert_non_null(p);
	*p = (struct tp_plateau){ .threads = 1,
				  .ns = ns,
				  .latency_cycles = 4 * ns,
				  .ci_low = 0.98 * ns,
				  .ci_high = 1.02 * ns,
				  .from_bytes = 4096,
				  .to_bytes = 24576,
				  .capacity_bytes = 36864,
				  .points = 3 };
	tp_copy(p->kernel, sizeof(p->kernel), "chase");
	tp_copy(p->precision, sizeof(p->precision), "double");
	tp_copy(p->level, sizeof(p->level), level);
	tp_copy(p->pages_wanted, sizeof(p->pages_wanted), pages);
}

static void expect(const struct tp_str *text, const char *part)
{
	if (!strstr(tp_str_text(text), part))
		fail_msg("\"%s\" is not in:\n%s", part, tp_str_text(text));
}

static void expect_not(const struct tp_str *text, const char *part)
{
	if (strstr(tp_str_text(text), part))
		fail_msg("\"%s\" is in:\n%s", part, tp_str_text(text));
}

/* Small pages cost nothing up to 256 KiB and half as much again beyond. */
static void make_latency(struct tp_run *run, bool beyond)
{
	static const uint64_t kib[] = { 1024, 16, 64, 256, 4096, 65536 };
	for (size_t i = 0; i < TP_COUNT_OF(kib); i++) {
		double ns = 1 + (double)kib[i] / 512;
		add_latency(run, "thp", kib[i] << 10, ns);
		add_latency(run, "small", kib[i] << 10,
			    beyond && kib[i] > 256 ? 1.5 * ns : 1.02 * ns);
	}
	add_plateau(run, "small", "L1", 1.25);
	add_plateau(run, "small", "L2", 3.85);
	add_plateau(run, "thp", "L1", 1.25);
}

static void latencies_have_a_table_of_their_own(void **state)
{
	struct tp_run run = { .n_points = 0 };
	struct tp_str text = { 0 };
	(void)state;
	make_latency(&run, true);
	PRINTED(&look, &text, tp_report_text(&run, doc));
	expect(&text, "Latency, 1 thread\n");
	expect(&text, "small  L1     1.25  2.0     5.0    4K  24K   36K");
	expect(&text, "\n       L2     3.85  2.0    15.4");
	expect(&text, "thp    L1     1.25");
	expect_not(&text, "Memory curve");
	expect_not(&text, "Points");
	tp_str_release(&text);
	tp_run_release(&run);
}

static void the_reach_of_the_tlb_is_told(void **state)
{
	(void)state;
	for (int beyond = 0; beyond < 2; beyond++) {
		struct tp_run run = { .n_points = 0 };
		struct tp_str text = { 0 };
		struct tp_look wide = look;
		wide.columns = 1000;
		make_latency(&run, beyond);
		PRINTED(&wide, &text, tp_report_text(&run, doc));
		if (beyond) {
			expect(&text, "TLB: its first level reaches somewhere from 256K to 1M of");
			expect(&text,
			       "At 64M a load takes 193.5 ns with small pages, 129.0 ns with huge");
		} else {
			expect(&text, "TLB: up to 64M small pages make no difference");
		}
		tp_str_release(&text);
		tp_run_release(&run);
	}
}

static void without_a_second_curve_nothing_is_said_of_the_tlb(void **state)
{
	struct tp_run run = { .n_points = 0 };
	struct tp_str text = { 0 };
	(void)state;
	add_latency(&run, "thp", 16384, 1);
	add_latency(&run, "small", 32768, 2); /* another size */
	add_plateau(&run, "thp", "L1", 1);
	PRINTED(&look, &text, tp_report_text(&run, doc));
	expect(&text, "Latency, 1 thread");
	expect_not(&text, "TLB");
	tp_str_release(&text);
	tp_run_release(&run);
}

/* --- loaded latency --- */

static void add_loaded(struct tp_run *run, const char *kernel, unsigned pause, double gbps,
		       double ns)
{
	struct tp_point *p = add_point(run, "loaded-latency", kernel);
	p->threads = 2;
	tp_kernel_row_of(p)->pause_cycles = pause;
	tp_kernel_row_of(p)->loads = strchr(kernel, '+') ? 1 : 0;
	tp_kernel_row_of(p)->median_gbps = gbps;
	tp_kernel_row_of(p)->median_ns = ns;
	p->ci_low = 0.95 * ns;
	p->ci_high = 1.05 * ns;
	tp_copy(tp_kernel_row_of(p)->level, sizeof(tp_kernel_row(p)->level), "DRAM");
	tp_kernel_time_headline(p);
}

static void make_loaded(struct tp_run *run)
{
	add_loaded(run, "chase", 0, 0, 100);
	add_loaded(run, "chase+load", 0, 30, 250); /* out of order, as shuffle leaves them */
	add_loaded(run, "chase+load", 1000, 10, 110);
	add_loaded(run, "chase+2ld1st", 0, 20, 200);
}

static void loaded_latency_is_a_table(void **state)
{
	struct tp_run run = { .n_points = 0 };
	struct tp_str text = { 0 };
	(void)state;
	make_loaded(&run);
	PRINTED(&look, &text, tp_report_text(&run, doc));
	expect(&text, "Loaded latency, DRAM, 2 threads\n");
	expect(&text, "none         -  100.0  5.0     400      0    1.00");
	expect(&text, "load         0  250.0  5.0    1000  30.00    2.50");
	expect(&text, "          1000  110.0  5.0     440  10.00    1.10");
	expect(&text, "2ld1st       0  200.0");
	expect_not(&text, "Points");
	tp_str_release(&text);
	tp_run_release(&run);
}

/* Every mix begins with the idle point and goes on by falling pause. */
static void loaded_latency_is_a_picture(void **state)
{
	struct tp_run run = { .n_points = 0 };
	const struct tp_group group = { .threads = 2,
					.precision = "double",
					.experiment = "loaded-latency" };
	struct tp_picture *picture = calloc(1, sizeof(*picture));
	(void)state;
	assert_non_null(picture);
	make_loaded(&run);
	assert_true(tp_picture_curves(picture, &run, &group, 0));
	assert_int_equal(picture->scene.n_series, 2);
	const struct tp_series *load = &picture->scene.series[0], *mix = &picture->scene.series[1];
	assert_string_equal(load->label, "load");
	assert_string_equal(mix->label, "2ld1st");
	static const double gbps[] = { 0, 10, 30 }, ns[] = { 100, 110, 250 };
	assert_int_equal(load->n, 3);
	for (size_t i = 0; i < load->n; i++) {
		assert_true(load->x[i] == gbps[i]);
		assert_true(load->y[i] == ns[i]);
	}
	assert_int_equal(mix->n, 2);
	assert_string_equal(picture->scene.title, "Loaded latency, DRAM, 2 threads");
	assert_string_equal(picture->scene.y.label, "ns");
	assert_false(tp_picture_curves(picture, &run, &group, TP_PICTURE_CURVES));
	tp_arena_release(&picture->arena);
	free(picture);
	tp_run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latencies_have_a_table_of_their_own),
		cmocka_unit_test(the_reach_of_the_tlb_is_told),
		cmocka_unit_test(without_a_second_curve_nothing_is_said_of_the_tlb),
		cmocka_unit_test(loaded_latency_is_a_table),
		cmocka_unit_test(loaded_latency_is_a_picture),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
