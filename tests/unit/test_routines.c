/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routines in this process, and in workers: this program is what they execute (see main). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "routines/parts.h"
#include "routines/worker.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

/* CPUs this process may use, at most `most`. */
static unsigned allowed_cpus(unsigned *cpus, unsigned most)
{
	cpu_set_t set;
	unsigned n = 0;
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	for (unsigned i = 0; i < CPU_SETSIZE && n < most; i++)
		if (CPU_ISSET(i, &set))
			cpus[n++] = i;
	return n;
}

static struct tp_routine_config make_config(enum tp_routine_id id, uint64_t n, uint64_t m,
					    uint64_t k, const char *library, unsigned threads)
{
	struct tp_routine_config config = { .id = id, .size = { n, m, k } };
	snprintf(config.library, sizeof(config.library), "%s", library);
	config.n_cpus = allowed_cpus(config.cpus, threads);
	return config;
}

static const struct tp_routine_config *triad(uint64_t n)
{
	static struct tp_routine_config config;
	config = make_config(TP_ROUTINE_TRIAD, n, 0, 0, "", 1);
	return &config;
}

/* Skips a case for which a BLAS is needed and none is here. */
static void need_blas(void)
{
	struct tp_blas *libraries;
	struct tp_diag diag;
	size_t n;
	enum tp_status status = tp_blas_find(&libraries, &n, &diag);
	free(libraries);
	if (status != TP_OK) {
		print_message("no BLAS here: %s\n", diag.hint);
		skip();
	}
}

/* --- counting --- */

static void test_counts(void **unused)
{
	(void)unused;
	char name[64];
	struct tp_routine_config config = make_config(TP_ROUTINE_DGEMM, 3, 5, 7, "", 1);
	assert_true(tp_routine_flop(&config) == 210);
	/* A 5 x 7, B 7 x 3, C 5 x 3 twice. */
	assert_true(tp_routine_bytes(&config) == 8 * (35 + 21 + 30));
	assert_int_equal(tp_routine_memory_bytes(&config), 8 * (35 + 21 + 15));
	assert_string_equal(tp_routine_config_name(&config, name, sizeof(name)), "n 3 m 5 k 7");
	config.id = TP_ROUTINE_SGEMM;
	assert_int_equal(tp_routine_memory_bytes(&config), 4 * (35 + 21 + 15));
	assert_true(tp_routine_flop(triad(1000)) == 2000);
	assert_true(tp_routine_bytes(triad(1000)) == 24000);
	assert_int_equal(tp_routine_memory_bytes(triad(1000)), 24000);
	assert_string_equal(tp_routine_config_name(triad(1000), name, sizeof(name)), "n 1000");
	assert_true(tp_routine_memory_bytes(triad(UINT64_MAX / 8)) == UINT64_MAX);
	config.size[0] = config.size[1] = UINT32_MAX;
	assert_true(tp_routine_memory_bytes(&config) == UINT64_MAX);

	enum tp_routine_id id;
	for (unsigned i = 0; i < TP_ROUTINE_COUNT; i++) {
		assert_true(tp_routine_find(tp_routine_name((enum tp_routine_id)i), &id));
		assert_int_equal(id, i);
	}
	assert_false(tp_routine_find("dgem", &id));
}

/* Parts are whole lines, follow one another, and make up everything. */
static void test_parts(void **unused)
{
	(void)unused;
	static const uint64_t sizes[] = { 1, 7, 8, 9, 63, 64, 1000, 12345678901 };
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
		for (unsigned n = 1; n < 70; n += 3) {
			uint64_t largest = 0, smallest = UINT64_MAX;
			assert_int_equal(tp_part_begin(sizes[s], 0, n), 0);
			assert_int_equal(tp_part_begin(sizes[s], n, n), sizes[s]);
			for (unsigned t = 0; t < n; t++) {
				uint64_t from = tp_part_begin(sizes[s], t, n),
					 to = tp_part_begin(sizes[s], t + 1, n);
				assert_true(from <= to);
				assert_true(from % 8 == 0 || from == sizes[s]);
				largest = to - from > largest ? to - from : largest;
				smallest = to - from < smallest ? to - from : smallest;
			}
			assert_true(largest - smallest <= 15);
		}
}

/* --- TRIAD --- */

static void need_openmp(void)
{
	struct tp_diag diag;
	if (tp_routine_supported(TP_ROUTINE_TRIAD, &diag) != TP_OK) {
		assert_non_null(strstr(diag.what, "OpenMP"));
		skip();
	}
}

#ifdef TP_HAVE_OPENMP
/* Every loop computes every element, whatever is left over from its blocks, and nothing beyond. */
static void test_triad_loops(void **unused)
{
	(void)unused;
	enum { MOST = 200 };
	static _Alignas(64) double a[MOST], b[MOST], c[MOST + 1];
	struct tp_triad_loop loops[TP_TRIAD_LOOPS_MAX];
	unsigned n_loops = tp_triad_loops(loops);
	assert_in_range(n_loops, 1, TP_TRIAD_LOOPS_MAX);
	for (unsigned l = 0; l < n_loops; l++)
		for (size_t n = 0; n <= MOST; n++) {
			for (size_t i = 0; i < MOST; i++) {
				a[i] = (double)(i + 1);
				b[i] = (double)(2 * i + l);
				c[i] = -1;
			}
			c[MOST] = -1;
			loops[l].run(c, a, b, 0.5, n, 1 + n % 3);
			for (size_t i = 0; i <= MOST; i++)
				assert_true(c[i] == (i < n ? a[i] + 0.5 * b[i] : -1));
		}
}
#endif

/* Opening checks the result: sizes around lines, blocks and pages, and more threads than lines. */
static void test_triad_sizes(void **unused)
{
	(void)unused;
	need_openmp();
	static const uint64_t sizes[] = { 1, 7, 9, 64, 127, 512, 1000, 4097, 100001 };
	for (unsigned threads = 1; threads <= 2; threads++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			struct tp_routine *routine;
			struct tp_diag diag = { 0 };
			struct tp_routine_config config =
				make_config(TP_ROUTINE_TRIAD, sizes[i], 0, 0, "", threads);
			if (tp_routine_new(&routine, &config, &diag) != TP_OK)
				fail_msg("%s: %s", diag.where, diag.what);
			assert_true(tp_routine_run(routine) > 0);
			tp_routine_settle(routine);
			assert_true(tp_routine_run(routine) > 0);
			tp_routine_free(routine);
		}
}

/* --- what cannot be --- */

static void expect_refusal(const struct tp_routine_config *config, enum tp_status status,
			   const char *what)
{
	struct tp_routine *routine;
	struct tp_diag diag = { 0 };
	assert_int_equal(tp_routine_new(&routine, config, &diag), status);
	assert_null(routine);
	if (!strstr(diag.what, what))
		fail_msg("expected \"%s\" in \"%s\"", what, diag.what);
}

static void test_refusals(void **unused)
{
	(void)unused;
	static const char letters[] = "nmk";
	for (unsigned i = 0; i < TP_ROUTINE_DIMENSIONS; i++) {
		struct tp_routine_config config = make_config(TP_ROUTINE_DGEMM, 8, 8, 8, "", 1);
		char what[] = "the size ? is 0";
		config.size[i] = 0;
		*strchr(what, '?') = letters[i];
		expect_refusal(&config, TP_USAGE, what);
	}
	struct tp_routine_config config = make_config(TP_ROUTINE_SGEMM, 8, 8, 8, "", 1);
	config.n_cpus = 0;
	expect_refusal(&config, TP_USAGE, "0 CPUs");
	config = make_config(TP_ROUTINE_DGEMM, 1000000, 1000000, 1000000, "", 1);
	expect_refusal(&config, TP_RESOURCE, "memory");
	config = make_config(TP_ROUTINE_DGEMM, UINT32_MAX, UINT32_MAX, UINT32_MAX, "", 1);
	expect_refusal(&config, TP_RESOURCE, "memory");
	config = make_config(TP_ROUTINE_DGEMM, 8, 8, 8, "", 1);
	config.cpus[0] = 100000;
	expect_refusal(&config, TP_USAGE, "CPU 100000 cannot be used");
	config = make_config(TP_ROUTINE_DGEMM, 8, 8, 8, "/nowhere/libblas.so.3", 1);
	expect_refusal(&config, TP_NOTFOUND, "cannot be loaded");
	config = make_config(TP_ROUTINE_DGEMM, 8, 8, 8, "libm.so.6", 1);
	expect_refusal(&config, TP_NOTFOUND, "has no cblas_dgemm");
	config = make_config(TP_ROUTINE_DGEMM, 8, 8, 8, "swift", 1);
	expect_refusal(&config, TP_NOTFOUND, "there is no library with that name");
}

static void test_triad_refusals(void **unused)
{
	(void)unused;
	need_openmp();
	expect_refusal(triad(0), TP_USAGE, "the size n is 0");
	expect_refusal(triad((uint64_t)1 << 45), TP_RESOURCE, "memory");
	expect_refusal(triad(UINT64_MAX / 2), TP_RESOURCE, "memory");
}

/* --- workers --- */

static struct tp_worker *start(void)
{
	struct tp_worker *worker;
	struct tp_diag diag = { 0 };
	unsigned cpus[2], n = allowed_cpus(cpus, 2);
	if (tp_worker_start(&worker, cpus, n, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	return worker;
}

static unsigned open_slot(struct tp_worker *worker, const struct tp_routine_config *config)
{
	unsigned slot;
	struct tp_diag diag = { 0 };
	if (tp_worker_open(worker, config, &slot, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	return slot;
}

static void run_slot(struct tp_worker *worker, unsigned slot, unsigned n)
{
	double seconds[64] = { 0 };
	struct tp_diag diag = { 0 };
	assert_true(n < 64);
	if (tp_worker_run(worker, slot, n, seconds, NULL, NULL, NULL, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	for (unsigned i = 0; i < n; i++)
		assert_true(seconds[i] > 0);
	assert_true(seconds[n] == 0);
}

static void test_worker_slots(void **unused)
{
	(void)unused;
	need_openmp();
	struct tp_worker *worker = start();
	struct tp_routine_config two = make_config(TP_ROUTINE_TRIAD, 100000, 0, 0, "", 2);
	unsigned a = open_slot(worker, triad(1024)), b = open_slot(worker, &two);
	assert_int_not_equal(a, b);
	for (unsigned i = 0; i < 3; i++) {
		run_slot(worker, a, 5);
		run_slot(worker, b, 2 + i);
	}
	tp_worker_close(worker, a);
	run_slot(worker, b, 1);

	double seconds[1];
	struct tp_diag diag;
	assert_int_equal(tp_worker_run(worker, a, 1, seconds, NULL, NULL, NULL, &diag), TP_USAGE);
	/* The number is free again; an error in between changes nothing. */
	struct tp_routine_config zero = make_config(TP_ROUTINE_TRIAD, 0, 0, 0, "", 1);
	unsigned slot;
	assert_int_equal(tp_worker_open(worker, &zero, &slot, &diag), TP_USAGE);
	assert_string_equal(diag.where, "triad");
	assert_string_equal(diag.what, "the size n is 0");
	assert_string_equal(diag.hint, "every size is at least 1");
	assert_int_equal(open_slot(worker, triad(64)), a);
	run_slot(worker, a, 1);
	tp_worker_stop(worker);
}

static void test_worker_missing_library(void **unused)
{
	(void)unused;
	struct tp_worker *worker = start();
	struct tp_diag diag;
	unsigned slot;
	struct tp_routine_config config =
		make_config(TP_ROUTINE_DGEMM, 8, 8, 8, "/no where/lib blas.so", 1);
	assert_int_equal(tp_worker_open(worker, &config, &slot, &diag), TP_NOTFOUND);
	assert_string_equal(diag.where, "/no where/lib blas.so");
	assert_non_null(strstr(diag.hint, "libopenblas0-pthread"));
	config = make_config(TP_ROUTINE_DGEMM, 8, 8, 8, "libm.so.6", 1);
	assert_int_equal(tp_worker_open(worker, &config, &slot, &diag), TP_NOTFOUND);
	tp_worker_stop(worker);
}

static bool never(void *context)
{
	(void)context;
	return false;
}

static bool kill_first(void *context)
{
	kill(*(pid_t *)context, SIGKILL);
	return true;
}

static void test_worker_killed(void **unused)
{
	(void)unused;
	need_openmp();
	struct tp_worker *worker = start();
	struct tp_diag diag;
	pid_t pid = tp_worker_pid(worker);
	unsigned slot = open_slot(worker, triad(1024)), n = 2000000;
	double *seconds = calloc(n, sizeof(*seconds));
	assert_non_null(seconds);
	assert_int_equal(tp_worker_run(worker, slot, n, seconds, NULL, kill_first, &pid, &diag),
			 TP_CRASHED);
	assert_non_null(strstr(diag.what, "was killed"));
	assert_int_equal(tp_worker_run(worker, slot, 1, seconds, NULL, NULL, NULL, &diag),
			 TP_CRASHED);
	assert_int_equal(tp_worker_open(worker, triad(64), &slot, &diag), TP_CRASHED);
	tp_worker_close(worker, slot);
	tp_worker_stop(worker);
	free(seconds);
}

static void test_worker_crashed(void **unused)
{
	(void)unused;
	struct tp_worker *worker = start();
	struct tp_diag diag;
	unsigned slot;
	assert_int_equal(kill(tp_worker_pid(worker), SIGABRT), 0);
	assert_int_equal(tp_worker_open(worker, triad(64), &slot, &diag), TP_CRASHED);
	assert_non_null(strstr(diag.what, "died of signal 6"));
	tp_worker_stop(worker);
}

/* A cancelled run leaves the worker as it was. */
static void test_worker_cancel(void **unused)
{
	(void)unused;
	need_openmp();
	struct tp_worker *worker = start();
	struct tp_diag diag;
	unsigned slot = open_slot(worker, triad(1024)), n = 2000000;
	double *seconds = calloc(n, sizeof(*seconds));
	assert_non_null(seconds);
	assert_int_equal(tp_worker_run(worker, slot, n, seconds, NULL, never, NULL, &diag),
			 TP_CANCELLED);
	assert_true(seconds[0] > 0);
	assert_true(seconds[n - 1] == 0);
	run_slot(worker, slot, 3);
	tp_worker_stop(worker);
	free(seconds);
}

static void test_worker_cpus(void **unused)
{
	(void)unused;
	struct tp_worker *worker;
	struct tp_diag diag;
	unsigned cpus[] = { 100000 }, cpu;
	assert_int_equal(tp_worker_start(&worker, cpus, 1, &diag), TP_CRASHED);
	assert_null(worker);
	assert_non_null(strstr(diag.what, "could not be bound"));

	assert_int_equal(allowed_cpus(&cpu, 1), 1);
	assert_int_equal(tp_worker_start(&worker, &cpu, 1, &diag), TP_OK);
	cpu_set_t set;
	assert_int_equal(sched_getaffinity(tp_worker_pid(worker), sizeof(set), &set), 0);
	assert_int_equal(CPU_COUNT(&set), 1);
	assert_true(CPU_ISSET(cpu, &set));
	tp_worker_stop(worker);

	/* A program that would start itself without end. */
	assert_int_equal(setenv("TPROF_IN_WORKER", "1", 1), 0);
	assert_int_equal(tp_worker_start(&worker, &cpu, 1, &diag), TP_INTERNAL);
	unsetenv("TPROF_IN_WORKER");
}

/* --- libraries --- */

static void test_libraries(void **unused)
{
	(void)unused;
	need_blas();
	struct tp_blas *libraries;
	struct tp_diag diag = { 0 };
	size_t n;
	assert_int_equal(tp_blas_find(&libraries, &n, &diag), TP_OK);
	struct tp_worker *worker = start();
	for (size_t i = 0; i < n; i++) {
		print_message("%s: %s\n", libraries[i].path, libraries[i].title);
		assert_true(libraries[i].title[0]);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(libraries[i].path, libraries[j].path);
		/*
		 * Odd sizes of both precisions, all checked when opened; several libraries in one
		 * worker.
		 */
		for (unsigned single = 0; single < 2; single++) {
			struct tp_routine_config config =
				make_config(single ? TP_ROUTINE_SGEMM : TP_ROUTINE_DGEMM, 33, 70,
					    129, libraries[i].path, 1);
			unsigned slot = open_slot(worker, &config);
			run_slot(worker, slot, 2);
			config.size[2] = 1;
			run_slot(worker, open_slot(worker, &config), 1);
			tp_worker_close(worker, slot);
		}
	}
	tp_worker_stop(worker);
	free(libraries);
}

/* Both threads of a library that has them; one that has none says so. */
static void test_threads(void **unused)
{
	(void)unused;
	unsigned cpus[2];
	need_blas();
	if (allowed_cpus(cpus, 2) < 2)
		skip();
	struct tp_blas *libraries;
	struct tp_diag diag = { 0 };
	size_t n;
	assert_int_equal(tp_blas_find(&libraries, &n, &diag), TP_OK);
	struct tp_worker *worker = start();
	for (size_t i = 0; i < n; i++) {
		unsigned slot;
		struct tp_routine_config config =
			make_config(TP_ROUTINE_DGEMM, 300, 200, 100, libraries[i].path, 2);
		enum tp_status status = tp_worker_open(worker, &config, &slot, &diag);
		if (status == TP_UNSUPPORTED) {
			assert_non_null(strstr(diag.what, "2 threads"));
			continue;
		}
		if (status != TP_OK)
			fail_msg("%s: %s", diag.where, diag.what);
		run_slot(worker, slot, 3);
	}
	tp_worker_stop(worker);
	free(libraries);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--worker") == 0)
		return tp_worker_main();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_parts),
#ifdef TP_HAVE_OPENMP
		cmocka_unit_test(test_triad_loops),
#endif
		cmocka_unit_test(test_worker_slots),
		cmocka_unit_test(test_worker_missing_library),
		cmocka_unit_test(test_worker_killed),
		cmocka_unit_test(test_worker_crashed),
		cmocka_unit_test(test_worker_cancel),
		cmocka_unit_test(test_worker_cpus),
		cmocka_unit_test(test_libraries),
		cmocka_unit_test(test_threads),
		/* These bind this process, so they come last, the narrowest at the end. */
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_triad_refusals),
		cmocka_unit_test(test_triad_sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
