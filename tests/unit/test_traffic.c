/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What operations with known traffic read and write, held to their very code: it is stepped, and a
 * model of a cache counts the lines.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/memory.h"
#include "counters/emulation.h"
#include "experiments/experiment.h"
#include "experiments/traffic/traffic.h"
#include "kernels/arch.h"
#include "kernels/step.h"
#include "kernels/families/traffic.h"
#include "report/pictures.h"
#include "report/report.h"
#include "report/reporter.h"
#include "tests/unit/printed.h"
#include "tests/unit/rows.h"

enum { LINE = 64, CACHE = 16 << 10 };

static const struct tp_emulated_machine small = {
	.data = { [1] = { 1 << 10, LINE, 4 }, [3] = { CACHE, LINE, 16 } },
	.code = { 1 << 10, LINE, 4 },
	.history_bits = 4,
};

/* Bytes read and written for each repetition, behind a first pass over twice the cache. */
static void count(enum tp_traffic_kernel kernel, uint64_t n, double *read, double *written)
{
	const struct tp_counting_machine machine = { .line_bytes = LINE };
	const uint64_t copies = 2 * CACHE / tp_traffic_bytes(kernel, n, LINE) + 1;
	struct tp_cpu cpu;
	struct tp_counting counting;
	struct tp_emulation *emulation;
	struct tp_diag diag = { 0 };

	tp_arch_identify(&cpu);
	if (tp_traffic_make(kernel, n, copies, &cpu, &machine, &counting, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	emulation = tp_emulation_new(&small);
	void *data = aligned_alloc(4096, counting.data_bytes);
	assert_non_null(data);
	counting.fill(&counting, data, 1);
	const uint64_t *now = tp_emulation_counts(emulation);
	uint64_t before[TP_EMULATED_COUNT];
	assert_int_equal(tp_emulation_run(emulation, &counting.code, data, 1, &diag), TP_OK);
	memcpy(before, now, sizeof(before));
	assert_int_equal(tp_emulation_run(emulation, &counting.code, data, 1, &diag), TP_OK);
	double lines = (double)(now[TP_EMULATED_L3_READ_MISS] - before[TP_EMULATED_L3_READ_MISS] +
				now[TP_EMULATED_L3_WRITE_MISS] - before[TP_EMULATED_L3_WRITE_MISS]);
	*read = lines * LINE / counting.iterations;
	*written = (double)(now[TP_EMULATED_WRITEBACKS] - before[TP_EMULATED_WRITEBACKS]) * LINE /
		   counting.iterations;
	tp_emulation_free(emulation);
	tp_counting_release(&counting);
	free(data);
}

static void check(enum tp_traffic_kernel kernel, uint64_t n, bool fits)
{
	double read, written, expected_read, expected_written;

	count(kernel, n, &read, &written);
	tp_traffic_expect(kernel, n, LINE, fits, &expected_read, &expected_written);
	if (fabs(read / expected_read - 1) > 0.05 || fabs(written / expected_written - 1) > 0.05)
		fail_msg("%s %llu, %s: %.0f B read, %.0f expected; %.0f B written, %.0f expected",
			 tp_traffic_name(kernel), (unsigned long long)n,
			 fits ? "fits" : "does not fit", read, expected_read, written,
			 expected_written);
}

/* On either side of the band the counts are those expected, and of the other side they are not. */
static void traffic_is_as_expected(void **state)
{
	(void)state;
	if (tp_stepper_supported(NULL) != TP_OK)
		skip();
	for (unsigned k = 0; k < TP_TRAFFIC_KERNELS; k++) {
		double low, high;
		tp_traffic_band((enum tp_traffic_kernel)k, CACHE, LINE, &low, &high);
		for (unsigned i = 1; i <= 4; i++) {
			uint64_t below = tp_traffic_size((uint64_t)(low * i / 4), LINE);
			if ((double)below <= low)
				check((enum tp_traffic_kernel)k, below, true);
		}
		/* x of a gemv fits unless the matrix has gigabytes. */
		if (k != TP_TRAFFIC_GEMV)
			check((enum tp_traffic_kernel)k,
			      tp_traffic_size((uint64_t)(high * 1.15) + 16, LINE), false);
	}
}

/* --- the report of a run made up --- */

static void add(struct tp_run *run, uint64_t size, enum tp_traffic_fit fit, double factor)
{
	struct tp_point *p = add_run_point(run, "traffic");
	struct tp_traffic_row *row = p->row;

	p->threads = 1;
	p->state = TP_POINT_DONE;
	*row = (struct tp_traffic_row){ .operation = "gemm",
					.size = size,
					.fit = fit,
					.cache_bytes = 32 << 10,
					.data_bytes = 24 * size * size,
					.repetitions = 1,
					.expected_read = 24 * (double)(size * size),
					.expected_written = 8 * (double)(size * size),
					.reads_counted = true,
					.writes_counted = true,
					.source = "papi",
					.band_low = 45,
					.band_high = 90 };
	row->read = factor * row->expected_read;
	row->written = row->expected_written;
}

static void expect_text(const struct tp_run *run, const char *part, bool there)
{
	static const struct tp_look look = { .columns = 1000, .rows = 30 };
	struct tp_str text = { 0 };

	PRINTED(&look, &text, tp_report_text(run, doc));
	if (!strstr(tp_str_text(&text), part) == there)
		fail_msg("\"%s\" is %s in:\n%s", part, there ? "not" : "", tp_str_text(&text));
	tp_str_release(&text);
}

static void the_report_says_how_far_to_trust(void **state)
{
	static const char odd[] = "the counter does not count all that the loops move";
	struct tp_run run = { .n_points = 0 };

	(void)state;
	add(&run, 24, TP_TRAFFIC_FITS, 1.02);
	add(&run, 40, TP_TRAFFIC_FITS, 0.97);
	add(&run, 56, TP_TRAFFIC_OPEN, 30);
	expect_text(&run, "at 2 of 2 sizes with an expectation", true);
	expect_text(&run, "the worst, gemm of 40, is 3.0 % off", true);
	expect_text(&run, odd, false);
	add(&run, 104, TP_TRAFFIC_EXCEEDS, 0.5);
	expect_text(&run, "at 2 of 3 sizes with an expectation", true);
	expect_text(&run, "-50.0%", true);
	expect_text(&run, odd, true);
	tp_run_release(&run);
}

static size_t n_hung;
static void hang(void *context, struct tp_picture *picture)
{
	(void)context;
	n_hung++;
	assert_int_equal(picture->n_series, 4);
	assert_int_equal(picture->n_marks, 1);
	assert_true(picture->marks[0].x == 45 && picture->marks[0].until == 90);
	assert_int_equal(picture->series[0].n, 3);
	assert_true(picture->series[2].x[0] == 24 && picture->series[2].x[2] == 104);
	assert_true(picture->series[2].y[2] == 12 * 104 * 104);
}

static void the_picture_shades_the_cache(void **state)
{
	const struct tp_gallery gallery = { .hang = hang, .columns = 100, .rows = 30 };
	struct tp_run run = { .n_points = 0 };

	(void)state;
	add(&run, 104, TP_TRAFFIC_EXCEEDS, 0.5);
	add(&run, 24, TP_TRAFFIC_FITS, 1);
	add(&run, 56, TP_TRAFFIC_OPEN, 2);
	tp_reporter_find("traffic")->pictures(&run, &gallery);
	assert_int_equal(n_hung, 1);
	tp_run_release(&run);
}

/* floor(514 - 0.246 N) below 2048, else 10. */
static void repetitions_fall_with_the_size(void **state)
{
	(void)state;
	assert_int_equal(tp_traffic_repetitions(8), 512);
	assert_int_equal(tp_traffic_repetitions(1000), 268);
	assert_int_equal(tp_traffic_repetitions(2047), 10);
	assert_int_equal(tp_traffic_repetitions(2048), 10);
	assert_int_equal(tp_traffic_repetitions(100000), 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traffic_is_as_expected),
		cmocka_unit_test(the_report_says_how_far_to_trust),
		cmocka_unit_test(the_picture_shades_the_cache),
		cmocka_unit_test(repetitions_fall_with_the_size),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests_name("traffic", tests, NULL, NULL);
}
