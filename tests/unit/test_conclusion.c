/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run says in the end: quality, what limits, what cannot be, and the next command. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/autotune/row.h"
#include "experiments/experiment.h"
#include "report/page.h"
#include "report/report.h"
#include "tests/unit/report_run.h"
#include "tests/unit/printed.h"
#include "tests/unit/text.h"

static void has(const struct tp_str *text, const char *words)
{
	if (!strstr(tp_str_text(text), words))
		fail_msg("\"%s\" does not say \"%s\"", tp_str_text(text), words);
}

static void is(const struct tp_str *text, const char *words)
{
	assert_string_equal(tp_str_text(text), words);
}

/* A run of four good roofs. */
static void good_run(struct tp_run *run)
{
	*run = (struct tp_run){ .state = "complete", .called = "2026-11-22-night" };
	report_add_facts(run);
	tp_run_fact_text(run, "preset.path", "%s", "/usr/share/tprof/presets/quick.yaml");
	report_roof(run, "avx2", "L1", "load", 350, 354, 95, 0, 0, 0);
	report_roof(run, "avx2", "L3", "load", 100, 101, 27, 0, 0, 0);
	report_roof(run, "avx2", "DRAM", "load", 25, 26, 8, 0, 0, 0);
	report_roof(run, "avx2", "FP", "fma", 70, 71, 19, 0, 0, 0);
}

static void the_frame_and_every_experiment_speak(void **state)
{
	struct tp_conclusion c;
	struct tp_run run;
	(void)state;
	report_fill(&run);
	tp_copy(run.called, sizeof(run.called), "night");
	tp_conclude(&run, &c);
	is(&c.quality, "27 good, 2 fair, 1 poor of 30 points; 3 were not measured.");
	has(&c.limits, "avx2 double, 1 thread: memory-bound below 3.09 FLOP/byte on DRAM, 0.253 on "
		       "L1; compute-bound above (fma+add, 88.67 GFLOP/s).");
	has(&c.limits,
	    "load, avx2: 236 GB/s in L1 up to 33K, 118 in L2 up to 980K, 101 in L3 up to "
	    "28M, 36.9 in DRAM.");
	has(&c.limits,
	    "Within 5 % of their roof: 2 of 3 mixed kernels; farthest below: avx2 L1 fma "
	    "at 0.25 FLOP/byte (-27.4 %).");
	is(&c.odd, "");
	is(&c.next, "tprof --resume night");
	tp_conclusion_release(&c);
	tp_run_release(&run);
}

static void what_cannot_be_is_said(void **state)
{
	struct tp_conclusion c;
	struct tp_run run;
	struct tp_str line = { 0 };
	(void)state;
	good_run(&run);
	tp_run_roofs(&run)[1].median = 20; /* L3 below DRAM */
	report_dot(&run, "fma", 0.1, 40, 35);
	report_plateau(&run, "L1", 236, 2048, 32 << 10, 33 << 10, 32 << 10);
	report_plateau(&run, "L2", 300, 64 << 10, 1 << 20, 0, 1 << 20);
	for (uint64_t bytes = 16 << 10; bytes <= 1 << 20; bytes *= 64) {
		struct tp_kernel_row row = { .isa = "avx2",
					     .precision = "double",
					     .working_set_bytes = bytes };
		report_point(&run, &(struct tp_point){ .experiment = "memcurve",
						       .kernel = "load",
						       .threads = 1,
						       .state = TP_POINT_DONE,
						       .row = &row });
	}
	tp_conclude(&run, &c);
	has(&c.odd, "the roof of L3 (20 GB/s) is lower than DRAM (25 GB/s).");
	has(&c.odd, "1 of 1 dots lie above their roof: avx2 L1 fma at 0.1 FLOP/byte by 14.3 %");
	has(&c.odd, "load, avx2: L1 (236 GB/s) is slower than L2 (300 GB/s).");
	tp_conclusion_line(&run, &line);
	assert_string_equal(tp_str_text(&line), tp_str_text(&c.odd));
	tp_str_release(&line);
	tp_conclusion_release(&c);

	/* Measured once more: L3, and the dot with both of its roofs; the L1 of the curve. */
	static const unsigned char expected[] = { 1, 1, 0, 1, 1, 0, 0 };
	unsigned char again[TP_COUNT_OF(expected)] = { 0 };
	assert_int_equal(run.n_points, TP_COUNT_OF(expected));
	tp_experiment_find("mixed")->doubt(&run, 0, again);
	assert_memory_equal(again, expected, sizeof(expected));
	tp_experiment_find("memcurve")->doubt(&run, 0, again);
	assert_true(again[5]);
	assert_false(again[6]);

	/* What two measurements differ by anyway is not odd. */
	tp_run_roofs(&run)[1].median = 24.9;
	tp_run_dots(&run)[0].distance_percent = 2;
	tp_run_plateaus(&run)[0].gbps = 299;
	tp_conclude(&run, &c);
	is(&c.odd, "");
	tp_conclusion_release(&c);
	tp_run_release(&run);
}

static void without_a_peak_or_a_bandwidth_it_says_so(void **state)
{
	struct tp_conclusion c;
	struct tp_run run = { .state = "complete" };
	(void)state;
	report_roof(&run, "avx2", "L1", "load", 350, 354, 95, 0, 0, 0);
	tp_conclude(&run, &c);
	has(&c.limits, "no peak was measured");
	tp_conclusion_release(&c);
	tp_run_release(&run);
	run = (struct tp_run){ .state = "complete" };
	report_roof(&run, "avx2", "FP", "fma", 70, 71, 19, 0, 0, 0);
	tp_conclude(&run, &c);
	has(&c.limits, "no bandwidth was measured");
	tp_conclusion_release(&c);
	tp_run_release(&run);
}

static void the_next_command_fits_the_run(void **state)
{
	struct tp_conclusion c;
	struct tp_run run;
	(void)state;
	good_run(&run);
	tp_conclude(&run, &c);
	is(&c.next, "tprof --batch quick && tprof --compare 2026-11-22-night last");
	tp_conclusion_release(&c);

	/* The cache ends early: plan with what was measured. Simulated runs stay simulated. */
	report_plateau(&run, "L3", 101, 2 << 20, 16 << 20, 20 << 20, 32 << 20);
	tp_run_fact_text(&run, "simulated.regime", "%s", "quiet");
	tp_run_fact_text(&run, "simulated.machine", "%s", "zen4");
	tp_run_fact_text(&run, "preset.path", "%s", "/tmp/it's mine.yaml");
	tp_conclude(&run, &c);
	is(&c.next, "tprof --batch '/tmp/it'\\''s mine.yaml' --machine zen4 --simulate quiet --set "
		    "cache_size.L3=20MiB");
	tp_conclusion_release(&c);

	/* The same seed would give the same values: another one is worth a comparison. */
	tp_run_plateaus(&run)[0].quality = TP_QUALITY_POOR;
	tp_run_fact_number(&run, "simulated.seed", 7);
	tp_conclude(&run, &c);
	is(&c.next, "tprof --batch '/tmp/it'\\''s mine.yaml' --machine zen4 --simulate quiet --set "
		    "seed=8 && tprof --compare 2026-11-22-night last");
	tp_conclusion_release(&c);
	tp_run_plateaus(&run)[0].quality = TP_QUALITY_GOOD;

	tp_run_fact_text(&run, "simulated.regime", "%s", "");
	tp_run_fact_text(&run, "preset.path", "%s", "own.yaml");
	run.points[0].quality = TP_QUALITY_POOR;
	tp_conclude(&run, &c);
	is(&c.next, "tprof --batch own.yaml --set invocations=3");
	tp_conclusion_release(&c);
	for (size_t i = 0; i < run.n_points; i++)
		run.points[i].quality = TP_QUALITY_POOR;
	tp_conclude(&run, &c);
	is(&c.next, "tprof doctor");
	tp_conclusion_release(&c);

	/* What failed fails again; what was skipped can still be measured. */
	for (size_t i = 0; i < run.n_points; i++)
		run.points[i].state = TP_POINT_FAILED;
	tp_conclude(&run, &c);
	is(&c.next, "tprof --batch own.yaml --set cache_size.L3=20MiB");
	tp_conclusion_release(&c);
	run.points[0].state = TP_POINT_SKIPPED;
	tp_conclude(&run, &c);
	is(&c.next, "tprof --resume 2026-11-22-night");
	tp_conclusion_release(&c);
	for (size_t i = 0; i < run.n_points; i++)
		run.points[i].state = TP_POINT_DONE;

	/* A run that goes on needs nothing yet; a table by itself has no name to resume it by. */
	run.points[0].state = TP_POINT_PLANNED;
	tp_copy(run.state, sizeof(run.state), "running");
	tp_conclude(&run, &c);
	is(&c.next, "");
	tp_conclusion_release(&c);
	tp_run_release(&run);
	run = (struct tp_run){ .state = "" };
	report_roof(&run, "avx2", "FP", "fma", 70, 71, 19, 0, 0, 0);
	tp_conclude(&run, &c);
	is(&c.next, "");
	tp_conclusion_release(&c);
	tp_run_release(&run);
}

/* A screen has keys for what comes next; only the command line has commands. */
static void screens_have_no_commands(void **state)
{
	const struct tp_look look = { .columns = 80 }, screen = { .columns = 80, .screen = true };
	struct tp_str out = { 0 };
	struct tp_run run;
	(void)state;
	good_run(&run);
	report_plateau(&run, "L3", 101, 2 << 20, 16 << 20, 20 << 20, 32 << 20);
	PRINTED(&look, &out, tp_report_text(&run, doc));
	assert_non_null(strstr(tp_str_text(&out), "\nNext     tprof --batch quick --set"));
	assert_non_null(strstr(tp_str_text(&out), "--set cache_size.L3=20MiB"));
	tp_str_clear(&out);
	PRINTED(&screen, &out, tp_report_text(&run, doc));
	assert_non_null(strstr(tp_str_text(&out), "\nQuality"));
	assert_null(strstr(tp_str_text(&out), "\nNext"));
	assert_null(strstr(tp_str_text(&out), "--set"));
	assert_null(strstr(tp_str_text(&out), "tprof --"));
	tp_str_release(&out);
	tp_run_release(&run);
}

/* Names of a stranger's run reach the terminal clean. */
static void foreign_names_are_cleaned(void **state)
{
	const struct tp_look look = { .columns = 80 };
	struct tp_str out = { 0 };
	struct tp_run run;
	(void)state;
	good_run(&run);
	tp_run_fact_text(&run, "preset.path", "%s", "a\033]52;c;eA==\007b");
	tp_copy(tp_run_roofs(&run)[0].isa, sizeof(tp_run_roofs(&run)[0].isa), "av\033[2Jx");
	PRINTED(&look, &out, tp_report_text(&run, doc));
	const char *verdict = strstr(tp_str_text(&out), "\nVerdict\n");
	assert_non_null(verdict);
	assert_null(strchr(verdict, '\033'));
	assert_null(strchr(verdict, '\007'));
	tp_str_release(&out);
	tp_run_release(&run);
}

static void one_window_has_no_interval(void **state)
{
	const struct tp_look look = { .columns = 120 };
	struct tp_str out = { 0 };
	struct tp_run run;
	(void)state;
	good_run(&run);
	run.points[0].kept = 1;
	tp_run_roofs(&run)[0].ci_low = tp_run_roofs(&run)[0].ci_high = 350;
	run.points[1].kept = 2;
	PRINTED(&look, &out, tp_report_text(&run, doc));
	assert_int_equal(count_of(tp_str_text(&out), "1 window"), 1);
	assert_null(strstr(tp_str_text(&out), " 0.0 "));
	tp_str_release(&out);
	tp_run_release(&run);
}

static void add_search(struct tp_run *run, const char *library, double gflops, double bound)
{
	const struct tp_point like = {
		.experiment = "autotune",
		.kernel = "dgemm",
		.threads = 1,
		.state = TP_POINT_DONE,
		.bound = bound,
	};
	struct tp_point *p = report_point(run, &like);
	tp_point_begin(p, "autotune", &run->arena);
	struct tp_search_row *row = p->row;
	tp_copy(row->library, sizeof(row->library), library);
	tp_copy(row->kernel.precision, sizeof(row->kernel.precision), "double");
	tp_copy(row->kernel.level, sizeof(row->kernel.level), "FP");
	row->kernel.median_gflops = gflops;
	tp_kernel_headline(p);
}

static void a_search_names_its_library(void **state)
{
	const struct tp_look look = { .columns = 160 };
	struct tp_conclusion c;
	struct tp_str out = { 0 };
	struct tp_run run = { .state = "complete" };
	(void)state;
	add_search(&run, "OpenBLAS 0.3.21, pthreads, Zen", 55.2, 60);
	tp_conclude(&run, &c);
	is(&c.limits,
	   "dgemm, 1 thread: 55.2 GFLOP/s with OpenBLAS 0.3.21, pthreads, Zen, 92 % of the "
	   "FMA peak of the model (60).");
	is(&c.odd, "");
	tp_conclusion_release(&c);

	/* The page names every library; the reference is slow, and says what to install. */
	add_search(&run, "netlib reference BLAS (libblas.so.3.11.0)", 2.5, 60);
	PRINTED(&look, &out, tp_report_text(&run, doc));
	assert_non_null(strstr(tp_str_text(&out), "2.5 GFLOP/s with netlib reference BLAS"));
	assert_non_null(strstr(tp_str_text(&out), "55.2 GFLOP/s with OpenBLAS 0.3.21"));
	assert_int_equal(count_of(tp_str_text(&out), "libopenblas0-pthread"), 1);
	tp_str_release(&out);
	tp_run_release(&run);

	/* Without a model the peak that the run measured counts; without both none is claimed. */
	run = (struct tp_run){ .state = "complete" };
	add_search(&run, "netlib reference BLAS (libblas.so.3.11.0)", 2.5, 0);
	tp_conclude(&run, &c);
	has(&c.limits, "no FMA peak is known to compare with");
	has(&c.odd, "reference BLAS of netlib, which is slow");
	is(&c.next, "sudo apt-get install libopenblas0-pthread");
	tp_conclusion_release(&c);
	report_roof(&run, "avx2", "FP", "fma", 50, 51, 16, 0, 0, 0);
	tp_conclude(&run, &c);
	has(&c.limits, "5 % of the FMA peak measured here (50)");
	tp_conclusion_release(&c);
	tp_run_release(&run);
}

static void an_empty_run_concludes_nothing(void **state)
{
	const struct tp_run run = { .state = "" };
	struct tp_conclusion c;
	(void)state;
	tp_conclude(&run, &c);
	is(&c.quality, "");
	is(&c.next, "");
	tp_conclusion_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_frame_and_every_experiment_speak),
		cmocka_unit_test(what_cannot_be_is_said),
		cmocka_unit_test(without_a_peak_or_a_bandwidth_it_says_so),
		cmocka_unit_test(the_next_command_fits_the_run),
		cmocka_unit_test(screens_have_no_commands),
		cmocka_unit_test(foreign_names_are_cleaned),
		cmocka_unit_test(one_window_has_no_interval),
		cmocka_unit_test(a_search_names_its_library),
		cmocka_unit_test(an_empty_run_concludes_nothing),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
