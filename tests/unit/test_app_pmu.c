/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counting by counters: with a CPU that does not exist, and the kernel's own counters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/fake_pmu.h"

static void test_intel(void **state)
{
	struct tp_pmu_host host = sapphire_rapids();
	struct tp_app_counts counts;
	struct tp_diag diag;
	(void)state;
	values[0].config = 0x01c7, values[0].value = 100; /* scalar double */
	values[1].config = 0x08c7, values[1].value = 10; /* 128 single */
	values[2].config = 0x40c7, values[2].value = 50; /* 512 double */
	values[3].config = 0x81d0, values[3].value = 1000;
	values[4].config = 0x82d0, values[4].value = 200;
	values[5].config = 0x00c0, values[5].value = 5000;
	assert_int_equal(tp_pmu_count(&host, &command, &counts, &diag), TP_OK);
	assert_int_equal(counts.n_regions, 1);
	const uint64_t *mix = counts.regions[0].mix;
	assert_int_equal(mix[TP_MIX_FLOPS_DP], 100 + 8 * 50);
	assert_int_equal(mix[TP_MIX_FLOPS_SP], 4 * 10);
	assert_int_equal(mix[TP_MIX_FP_DP_SCALAR], 100);
	assert_int_equal(mix[TP_MIX_FP_SP_128], 10);
	assert_int_equal(mix[TP_MIX_FP_DP_512], 50);
	assert_int_equal(mix[TP_MIX_INSTRUCTIONS], 5000);
	/* The mean of 100 x 8, 10 x 16 and 50 x 64 bytes is 26. */
	assert_int_equal(mix[TP_MIX_BYTES_LOADED], 26000);
	assert_int_equal(mix[TP_MIX_BYTES_STORED], 5200);
	assert_int_equal(ran, 11);
	assert_int_equal(quiet, 10);
	assert_int_equal(opened, closed);
	assert_true(counts.complete);
	assert_true(noted(&counts, "times 26 bytes"));
	assert_true(noted(&counts, "fused multiply-adds twice"));
	assert_true(counts.wall_seconds > 1.4);
	tp_app_counts_release(&counts);
}

static void test_only_what_the_cpu_has(void **state)
{
	struct tp_pmu_host host = fake("GenuineIntel", 6, 0x9e, "sse2 avx avx2 avx512x");
	struct tp_app_counts counts;
	struct tp_diag diag;
	(void)state;
	assert_int_equal(tp_pmu_count(&host, &command, &counts, &diag), TP_OK);
	assert_int_equal(ran, 9);
	assert_true(noted(&counts, "times 8 bytes"));
	tp_app_counts_release(&counts);
}

static void test_amd(void **state)
{
	struct tp_pmu_host host = fake("AuthenticAMD", 0x19, 0x11, "sse2 avx avx2");
	struct tp_app_counts counts;
	struct tp_diag diag;
	(void)state;
	values[0].config = 0x0f03, values[0].value = 4000;
	values[1].config = 0x1008, values[1].value = 500;
	values[2].config = 0x0529, values[2].value = 70;
	values[3].config = 0x0629, values[3].value = 30;
	assert_int_equal(tp_pmu_count(&host, &command, &counts, &diag), TP_OK);
	assert_int_equal(counts.regions[0].mix[TP_MIX_FLOPS_DP], 4000);
	assert_int_equal(counts.regions[0].mix[TP_MIX_BYTES_LOADED], 70 * 32);
	assert_int_equal(counts.regions[0].mix[TP_MIX_BYTES_STORED], 30 * 32);
	assert_int_equal(counts.regions[0].mix[TP_MIX_FP_DP_256], 0);
	assert_true(noted(&counts, "any precision"));
	tp_app_counts_release(&counts);

	host = fake("AuthenticAMD", 0x17, 0x01, "sse2 avx avx2");
	values[0].config = 0x0f03, values[0].value = 7;
	values[1].config = 0xf003, values[1].value = 9;
	assert_int_equal(tp_pmu_count(&host, &command, &counts, &diag), TP_OK);
	assert_int_equal(counts.regions[0].mix[TP_MIX_FLOPS_SP], 7);
	assert_int_equal(counts.regions[0].mix[TP_MIX_FLOPS_DP], 9);
	tp_app_counts_release(&counts);
}

static void test_no_such_cpu(void **state)
{
	struct tp_pmu_host haswell = fake("GenuineIntel", 6, 0x3f, "sse2 avx avx2");
	struct tp_pmu_host arm = fake("", -1, -1, "");
	struct tp_diag diag;
	(void)state;
	assert_int_equal(tp_pmu_supported(&haswell, NULL, &diag), TP_UNSUPPORTED);
	assert_non_null(strstr(diag.what, "model 63"));
	assert_int_equal(tp_pmu_supported(&arm, NULL, &diag), TP_UNSUPPORTED);
}

static void test_hybrid(void **state)
{
	struct tp_pmu_host host = sapphire_rapids();
	struct tp_app_counts counts;
	struct tp_diag diag;
	(void)state;
	host.hybrid = true;
	assert_int_equal(tp_pmu_supported(&host, NULL, &diag), TP_UNSUPPORTED);
	assert_non_null(strstr(diag.what, "two kinds"));
	assert_int_equal(tp_pmu_count(&host, &command, &counts, &diag), TP_UNSUPPORTED);
	assert_int_equal(opened + ran, 0);
}

static void test_refused(void **state)
{
	struct tp_pmu_host host = sapphire_rapids();
	struct tp_app_counts counts;
	struct tp_diag diag;
	(void)state;
	refused = EACCES;
	refused_config = 0x01c7;
	assert_int_equal(tp_pmu_count(&host, &command, &counts, &diag), TP_PERM);
	assert_non_null(strstr(diag.what, "perf_event_paranoid"));
	assert_non_null(strstr(diag.hint, "CAP_PERFMON"));
	refused = ENOENT;
	strcpy(host.cpu.hypervisor, "KVM");
	assert_int_equal(tp_pmu_supported(&host, NULL, &diag), TP_UNSUPPORTED);
	assert_non_null(strstr(diag.what, "KVM"));
	assert_int_equal(ran, 0);
	/* Without loads the FLOPs are still worth something. */
	refused_config = 0x81d0;
	assert_int_equal(tp_pmu_count(&host, &command, &counts, &diag), TP_OK);
	assert_false(counts.complete);
	assert_true(noted(&counts, "cannot be counted here: MEM_INST_RETIRED.ALL_LOADS ("));
	tp_app_counts_release(&counts);
}

static void test_shared_counter(void **state)
{
	struct tp_pmu_host host = sapphire_rapids();
	struct tp_app_counts counts;
	struct tp_diag diag;
	(void)state;
	running_ns = 600;
	assert_int_equal(tp_pmu_count(&host, &command, &counts, &diag), TP_RESOURCE);
	assert_non_null(strstr(diag.what, "60 %"));
	assert_int_equal(opened, closed);
}

static void test_unlike_runs(void **state)
{
	struct tp_pmu_host host = sapphire_rapids();
	struct tp_app_counts counts;
	struct tp_diag diag;
	(void)state;
	codes[0] = 3;
	codes[1] = 3;
	codes[2] = 4;
	assert_int_equal(tp_pmu_count(&host, &command, &counts, &diag), TP_OK);
	assert_int_equal(counts.end.code, 3);
	assert_false(counts.complete);
	assert_true(noted(&counts, "does not end the same way"));
	tp_app_counts_release(&counts);
}

/* The kernel's path with an event that every machine has: pages that a program touches. */
static void test_kernel(void **state)
{
	char *touch[] = { "dd", "if=/dev/zero", "of=/dev/null", "bs=16M", "count=1", NULL };
	const struct tp_app_command dd = { .words = touch,
					   .input = "/dev/null",
					   .output = -1,
					   .errors = -1,
					   .limit_seconds = 60 };
	const struct tp_pmu_code faults = { .type = PERF_TYPE_SOFTWARE,
					    .config = PERF_COUNT_SW_PAGE_FAULTS };
	struct tp_pmu_value value;
	struct tp_pmu_host host;
	struct tp_command_run out;
	struct tp_diag diag;
	(void)state;
	tp_pmu_host(&host);
	int fd = tp_pmu_open(&faults);
	if (fd < 0) {
		print_message("perf_event_open: %s\n", strerror(-fd));
		skip();
	}
	assert_true(tp_pmu_read(fd, &value));
	assert_int_equal(value.value, 0);
	/* What this process does itself does not count. */
	char *own = malloc(1 << 20);
	memset(own, 1, 1 << 20);
	assert_int_equal(own[4096], 1);
	free(own);
	assert_true(tp_pmu_read(fd, &value));
	assert_int_equal(value.value, 0);
	assert_int_equal(host.run(&dd, &out, &diag), TP_OK);
	assert_int_equal(out.end.code, 0);
	assert_true(tp_pmu_read(fd, &value));
	close(fd);
	/* Its loader and its libraries alone take some dozens. */
	assert_in_range(value.value, 20, 100000);
	assert_true(value.enabled_ns > 0);
	assert_int_equal(value.running_ns, value.enabled_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intel),	    cmocka_unit_test(test_only_what_the_cpu_has),
		cmocka_unit_test(test_amd),	    cmocka_unit_test(test_no_such_cpu),
		cmocka_unit_test(test_refused),	    cmocka_unit_test(test_shared_counter),
		cmocka_unit_test(test_unlike_runs), cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_hybrid),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
