/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counting by formulas of counter classification: on a made-up CPU, by libpfm4, and in the kernel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests/unit/fake_pmu.h"

static const struct tp_app_term dp_terms[] = { { "0x01c7", 1 }, { "0x40c7", 16 } },
				sp_terms[] = { { "0x08c7", 4 } },
				dp_width[] = { { "0x01c7", 1 }, { "0x40c7", 2 } },
				load_terms[] = { { "0x0123", 0.5 }, { "0x0124", -0.25 } },
				unknown_terms[] = { { "0x01c7", 1 }, { "FOO:BAR", 1 } };

#define FORMULA(text, kind, list)                                                                  \
	{                                                                                          \
		.metric = text, .words = "so and so", .gives = kind, .terms = list,                \
		.n = TP_COUNT_OF(list)                                                             \
	}
static const struct tp_app_formula items[] = {
	FORMULA("DP operations", TP_MIX_FLOPS_DP, dp_terms),
	FORMULA("SP operations", TP_MIX_FLOPS_SP, sp_terms),
	FORMULA("load instructions", TP_MIX_LOADS, load_terms),
	FORMULA("DP instructions", TP_APP_FP_DP, dp_width),
	FORMULA("SP instructions", TP_APP_FP_SP, sp_terms),
};
static const struct tp_app_formula unknown[] = {
	FORMULA("DP operations", TP_MIX_FLOPS_DP, unknown_terms),
};

static struct tp_app_formulas formulas = { .run = "that-run", .items = items };
static struct tp_app_command by_formulas = { .words = fake_words, .formulas = &formulas };

static void take(const struct tp_app_formula *list, size_t n, bool demanded)
{
	formulas.items = list;
	formulas.n = n;
	formulas.demanded = demanded;
}

static struct tp_pmu_host haswell(void)
{
	return fake("GenuineIntel", 6, 0x3f, "sse2 avx avx2");
}

static void plant(void)
{
	values[0].config = 0x01c7, values[0].value = 100;
	values[1].config = 0x40c7, values[1].value = 50;
	values[2].config = 0x08c7, values[2].value = 10;
	values[3].config = 0x0123, values[3].value = 1000;
	values[4].config = 0x0124, values[4].value = 400;
	values[5].config = 0x82d0, values[5].value = 200;
}

/* What formulas give is theirs, the rest is of the events that tprof knows; no event counts twice.
 */
static void test_formulas_come_first(void **state)
{
	struct tp_pmu_host host = sapphire_rapids();
	struct tp_app_counts counts;
	struct tp_diag diag;
	(void)state;
	plant();
	take(items, 3, false);
	assert_int_equal(tp_pmu_supported(&host, &formulas, &diag), TP_OK);
	opened = closed = 0;
	assert_int_equal(tp_pmu_count(&host, &by_formulas, &counts, &diag), TP_OK);
	const uint64_t *mix = counts.regions[0].mix;
	assert_int_equal(mix[TP_MIX_FLOPS_DP], 100 + 16 * 50); /* not 8 x 50 */
	assert_int_equal(mix[TP_MIX_FLOPS_SP], 40);
	assert_int_equal(mix[TP_MIX_LOADS], 500 - 100);
	assert_int_equal(mix[TP_MIX_STORES], 200);
	assert_int_equal(mix[TP_MIX_FP_DP_512], 50);
	/* 11 events of the family without its loads, and two for the formula of loads. */
	assert_int_equal(ran, 12);
	assert_int_equal(opened, closed);
	assert_true(counts.complete);
	assert_true(noted(&counts, "DP operations by the formula of that-run: so and so"));
	assert_true(noted(&counts, "load instructions by the formula of that-run"));
	tp_app_counts_release(&counts);
}

/* A CPU that tprof knows no events of. What no formula gives is said. */
static void test_formulas_alone(void **state)
{
	struct tp_pmu_host host = haswell();
	struct tp_app_counts counts;
	struct tp_diag diag;
	(void)state;
	plant();
	take(items, 5, false);
	assert_int_equal(tp_pmu_count(&host, &by_formulas, &counts, &diag), TP_OK);
	const uint64_t *mix = counts.regions[0].mix;
	assert_int_equal(ran, 5);
	assert_int_equal(mix[TP_MIX_FLOPS_DP], 900);
	/* (900 x 8 + 40 x 4) bytes in 200 + 40 instructions; a load is of the mean width. */
	assert_int_equal(mix[TP_MIX_BYTES_LOADED], (uint64_t)(400 * 7360.0 / 240 + 0.5));
	assert_int_equal(mix[TP_MIX_STORES], 0);
	assert_false(counts.complete);
	assert_true(noted(&counts, "stores are not counted: that-run has no formula"));
	assert_false(noted(&counts, "loads are not counted"));
	tp_app_counts_release(&counts);

	host = haswell();
	take(items + 2, 1, false);
	assert_int_equal(tp_pmu_supported(&host, &formulas, &diag), TP_UNSUPPORTED);
	assert_non_null(strstr(diag.hint, "--batch counters finds formulas"));
}

/* A CPU without events of FLOPs: a run that is named counts what it can, and the rest is said. */
static void test_no_flops(void **state)
{
	struct tp_pmu_host host = haswell();
	struct tp_app_counts counts;
	struct tp_diag diag;
	(void)state;
	plant();
	take(items + 2, 1, true);
	assert_int_equal(tp_pmu_count(&host, &by_formulas, &counts, &diag), TP_OK);
	assert_int_equal(counts.regions[0].mix[TP_MIX_LOADS], 400);
	assert_false(counts.complete);
	assert_true(noted(&counts, "operations in double precision are not counted: that-run"));
	tp_app_counts_release(&counts);
}

/* Where a counter does not tell precisions apart, a formula that does takes its place. */
static void test_counter_of_all_precisions(void **state)
{
	struct tp_pmu_host host = fake("AuthenticAMD", 0x17, 0x31, "sse2 avx avx2");
	struct tp_app_counts counts;
	struct tp_diag diag;
	(void)state;
	plant();
	values[6].config = 0x0f03, values[6].value = 4000;
	take(items, 1, false);
	assert_int_equal(tp_pmu_count(&host, &by_formulas, &counts, &diag), TP_OK);
	assert_int_equal(counts.regions[0].mix[TP_MIX_FLOPS_DP], 900);
	assert_true(noted(&counts, "single precision are not counted"));
	assert_false(noted(&counts, "any precision"));
	tp_app_counts_release(&counts);
}

static void test_formula_that_cannot_be_counted(void **state)
{
	struct tp_pmu_host host = haswell();
	struct tp_app_counts counts;
	struct tp_diag diag;
	(void)state;
	take(unknown, 1, false);
	assert_int_equal(tp_pmu_supported(&host, &formulas, &diag), TP_NOTFOUND);
	assert_non_null(strstr(diag.what, "FOO:BAR"));
	take(items, 3, false);
	refused = EACCES;
	refused_config = 0x40c7;
	assert_int_equal(tp_pmu_supported(&host, &formulas, &diag), TP_PERM);
	assert_non_null(strstr(diag.what, "0x40c7"));

	/* Known events take its place, unless the user wants this formula. */
	host = sapphire_rapids();
	plant();
	take(unknown, 1, false);
	assert_int_equal(tp_pmu_count(&host, &by_formulas, &counts, &diag), TP_OK);
	assert_int_equal(counts.regions[0].mix[TP_MIX_FLOPS_DP], 100 + 8 * 50);
	assert_true(noted(&counts, "the formula of that-run for DP operations cannot be used"));
	assert_true(noted(&counts, "FOO:BAR"));
	tp_app_counts_release(&counts);
	take(unknown, 1, true);
	assert_int_equal(tp_pmu_count(&host, &by_formulas, &counts, &diag), TP_NOTFOUND);
}

static void test_negative_count(void **state)
{
	struct tp_pmu_host host = sapphire_rapids();
	struct tp_app_counts counts;
	struct tp_diag diag;
	(void)state;
	plant();
	values[4].value = 8000;
	take(items, 3, false);
	assert_int_equal(tp_pmu_count(&host, &by_formulas, &counts, &diag), TP_OK);
	assert_int_equal(counts.regions[0].mix[TP_MIX_LOADS], 0);
	assert_false(counts.complete);
	assert_true(noted(&counts, "for load instructions gives -1500"));
	tp_app_counts_release(&counts);
	/* A hair below zero is the difference between two runs. */
	values[3].value = 1000, values[4].value = 2001;
	assert_int_equal(tp_pmu_count(&host, &by_formulas, &counts, &diag), TP_OK);
	assert_true(counts.complete);
	tp_app_counts_release(&counts);
}

/* --- libpfm4 --- */

#ifdef HAVE_PFM

static void test_names(void **state)
{
	struct tp_pmu_code code;
	struct tp_diag diag;
	(void)state;
	assert_int_equal(tp_pmu_encode("perf::PAGE-FAULTS", &code, &diag), TP_OK);
	assert_int_equal(code.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(code.config, PERF_COUNT_SW_PAGE_FAULTS);
	assert_int_equal(tp_pmu_encode("perf_event:::perf::MINOR-FAULTS:u", &code, &diag), TP_OK);
	assert_int_equal(code.config, PERF_COUNT_SW_PAGE_FAULTS_MIN);
	assert_int_equal(tp_pmu_encode("perf::INSTRUCTIONS:k", &code, &diag), TP_UNSUPPORTED);
	assert_non_null(strstr(diag.what, "user mode"));
	assert_int_equal(tp_pmu_encode("PAPI_DP_OPS", &code, &diag), TP_NOTFOUND);
	assert_non_null(strstr(diag.what, "preset of PAPI"));
	assert_int_equal(tp_pmu_encode("perf::NO-SUCH", &code, &diag), TP_NOTFOUND);
	assert_non_null(strstr(diag.what, "perf::NO-SUCH"));
#ifdef TP_ARCH_X86_64
	/* Of CPUs that this one need not be; numbers as in the manuals of their makers. */
	assert_int_equal(tp_pmu_encode("skx::FP_ARITH:SCALAR_DOUBLE", &code, &diag), TP_OK);
	assert_int_equal(code.type, PERF_TYPE_RAW);
	assert_int_equal(code.config, 0x01c7);
	assert_int_equal(
		tp_pmu_encode("amd64_fam17h_zen1::RETIRED_SSE_AVX_OPERATIONS:DP_ADD_SUB_FLOPS",
			      &code, &diag),
		TP_OK);
	assert_int_equal(code.config, 0x1003);
#endif
}

/* From names to counts, with events that every kernel has. */
static void test_kernel(void **state)
{
	static const struct tp_app_term faults[] = { { "perf::PAGE-FAULTS", 2 } },
					minor[] = { { "perf::MINOR-FAULTS", 3 },
						    { "perf::MAJOR-FAULTS", 300 } };
	static const struct tp_app_formula list[] = {
		FORMULA("DP operations", TP_MIX_FLOPS_DP, faults),
		FORMULA("SP operations", TP_MIX_FLOPS_SP, minor),
		FORMULA("load instructions", TP_MIX_LOADS, faults),
	};
	char *nothing[] = { "true", NULL };
	const struct tp_app_formulas own = { .run = "here", .items = list, .n = 3 };
	const struct tp_app_command command_true = { .words = nothing,
						     .input = "/dev/null",
						     .output = -1,
						     .errors = -1,
						     .formulas = &own,
						     .limit_seconds = 60 };
	struct tp_app_counts counts;
	struct tp_pmu_host host;
	struct tp_pmu_code code;
	struct tp_diag diag;
	(void)state;
	assert_int_equal(tp_pmu_encode("perf::PAGE-FAULTS", &code, &diag), TP_OK);
	int fd = tp_pmu_open(&code);
	if (fd < 0) {
		print_message("perf_event_open: %s\n", strerror(-fd));
		skip();
	}
	close(fd);
	tp_pmu_host(&host);
	host.hybrid = false;
	strcpy(host.cpu.vendor, "nobody");
	if (tp_pmu_count(&host, &command_true, &counts, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	const uint64_t *mix = counts.regions[0].mix;
	/* Its loader and its libraries alone take some dozens. */
	assert_in_range(mix[TP_MIX_FLOPS_DP], 2 * 20, 2 * 100000);
	assert_int_equal(mix[TP_MIX_FLOPS_DP] % 2, 0);
	assert_int_equal(mix[TP_MIX_LOADS], mix[TP_MIX_FLOPS_DP]);
	assert_in_range(mix[TP_MIX_FLOPS_SP], 3 * 20, 300 * 100000);
	assert_int_equal(mix[TP_MIX_FLOPS_SP] % 3, 0);
	assert_int_equal(counts.end.code, 0);
	tp_app_counts_release(&counts);
}

#else

static void test_names(void **state)
{
	struct tp_pmu_code code;
	struct tp_diag diag;
	(void)state;
	assert_int_equal(tp_pmu_encode("perf::PAGE-FAULTS", &code, &diag), TP_UNSUPPORTED);
	assert_non_null(strstr(diag.hint, "libpfm4-dev"));
}

static void test_kernel(void **state)
{
	(void)state;
	print_message("this tprof was built without libpfm4\n");
	skip();
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formulas_come_first),
		cmocka_unit_test(test_formulas_alone),
		cmocka_unit_test(test_no_flops),
		cmocka_unit_test(test_counter_of_all_precisions),
		cmocka_unit_test(test_formula_that_cannot_be_counted),
		cmocka_unit_test(test_negative_count),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_kernel),
	};
	/* libpfm4 shall know CPUs that this is none of. */
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
