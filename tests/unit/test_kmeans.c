/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/time.h>

#include "tests/unit/near.h"
#include "analysis/kmeans.h"
#include "base/random.h"
#include "base/process.h"

/* Clusters around 0, 10 and 100: their means and squared distances are known. */
static void groups_apart_are_found(void **state)
{
	const double x[] = { 100, -1, 11, 1, 9, 100, 0, 103 }, y[] = { 5, 5, 5, 5, 5, 5, 5, 5 };
	const double *features[] = { x, y };
	const unsigned expected[] = { 0, 1, 2, 1, 2, 0, 1, 0 };
	struct tp_dataset data = { 8, 2, features, NULL };
	struct tp_kmeans kmeans = { 0 };

	(void)state;
	assert_int_equal(tp_kmeans_learn(&kmeans, &data, 3, 0, 1, NULL), TP_OK);
	assert_int_equal(kmeans.k, 3);
	assert_memory_equal(kmeans.clusters, expected, sizeof(expected));
	assert_int_equal(kmeans.sizes[0], 3);
	assert_int_equal(kmeans.sizes[1], 3);
	assert_int_equal(kmeans.sizes[2], 2);
	assert_near(kmeans.centres[0], 101, 1e-12);
	assert_near(kmeans.centres[1], 5, 0);
	assert_near(kmeans.centres[2], 0, 1e-12);
	assert_near(kmeans.centres[4], 10, 1e-12);
	assert_near(kmeans.inertia, 6 + 2 + 2, 1e-10);
	tp_kmeans_release(&kmeans);
	assert_null(kmeans.centres);
}

static void one_cluster_is_the_mean(void **state)
{
	const double x[] = { 1, 2, 3, 6 }, *features[] = { x };
	struct tp_dataset data = { 4, 1, features, NULL };
	struct tp_kmeans kmeans = { 0 };

	(void)state;
	assert_int_equal(tp_kmeans_learn(&kmeans, &data, 1, 1, 1, NULL), TP_OK);
	assert_near(kmeans.centres[0], 3, 1e-15);
	assert_near(kmeans.inertia, 4 + 1 + 0 + 9, 1e-14);
	tp_kmeans_release(&kmeans);
}

static void each_row_may_be_a_cluster_but_no_more(void **state)
{
	const double x[] = { 1, 2, 2, 4, 1 }, *features[] = { x };
	struct tp_dataset data = { 5, 1, features, NULL }, empty = { 0, 1, features, NULL };
	struct tp_kmeans kmeans = { 0 };
	struct tp_diag diag = { 0 };

	(void)state;
	assert_int_equal(tp_kmeans_learn(&kmeans, &data, 3, 0, 1, NULL), TP_OK);
	assert_near(kmeans.inertia, 0, 0);
	assert_int_equal(kmeans.clusters[0], kmeans.clusters[4]);
	assert_int_equal(kmeans.clusters[1], kmeans.clusters[2]);
	tp_kmeans_release(&kmeans);
	assert_int_equal(tp_kmeans_learn(&kmeans, &data, 4, 0, 1, &diag), TP_USAGE);
	assert_string_equal(diag.what, "4 clusters of 3 different rows");
	assert_string_equal(diag.hint, "1 to 3 clusters");
	assert_null(kmeans.centres);
	assert_int_equal(tp_kmeans_learn(&kmeans, &data, 6, 0, 1, &diag), TP_USAGE);
	assert_int_equal(tp_kmeans_learn(&kmeans, &data, 0, 0, 1, &diag), TP_USAGE);
	assert_int_equal(tp_kmeans_learn(&kmeans, &empty, 1, 0, 1, &diag), TP_USAGE);
}

/*
 * A 5 by 5 grid of tight groups: a single start often ends with two centres in one group. The best
 * of many has one in each, and what it says of itself is true of its centres.
 */
static void the_best_start_counts(void **state)
{
	enum { GROUPS = 25, EACH = 8, N = GROUPS * EACH };
	double x[N], y[N];
	const double *features[] = { x, y };
	struct tp_dataset data = { N, 2, features, NULL };
	struct tp_kmeans kmeans = { 0 }, again = { 0 };
	uint64_t random = 6;
	double inertia = 0;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		x[i] = (double)(i % GROUPS % 5) + (double)(tp_splitmix64(&random) % 100) * 1e-4;
		y[i] = (double)(i % GROUPS / 5) + (double)(tp_splitmix64(&random) % 100) * 1e-4;
	}
	assert_int_equal(tp_kmeans_learn(&kmeans, &data, GROUPS, 20, 3, NULL), TP_OK);
	for (size_t i = 0; i < N; i++) {
		const double *centre = &kmeans.centres[(size_t)kmeans.clusters[i] * 2];

		assert_int_equal(kmeans.clusters[i], i % GROUPS);
		inertia += (x[i] - centre[0]) * (x[i] - centre[0]) +
			   (y[i] - centre[1]) * (y[i] - centre[1]);
	}
	for (size_t c = 0; c < GROUPS; c++)
		assert_int_equal(kmeans.sizes[c], EACH);
	assert_near(kmeans.inertia, inertia, 1e-12);
	assert_int_equal(tp_kmeans_learn(&again, &data, GROUPS, 20, 3, NULL), TP_OK);
	assert_memory_equal(kmeans.centres, again.centres, 2 * GROUPS * sizeof(double));
	tp_kmeans_release(&kmeans);
	tp_kmeans_release(&again);
}

static void a_process_that_shall_end_stops_learning(void **state)
{
	const double x[] = { 1, 2, 2, 4, 1 }, *features[] = { x };
	struct tp_dataset data = { 5, 1, features, NULL };
	struct tp_kmeans kmeans = { 0 };

	(void)state;
	tp_stop_asked = 1;
	enum tp_status status = tp_kmeans_learn(&kmeans, &data, 2, 0, 1, NULL);

	tp_stop_asked = 0;
	assert_int_equal(status, TP_CANCELLED);
	assert_null(kmeans.centres);
}

static void on_alarm(int number)
{
	(void)number;
	tp_stop_asked = 1;
}

/* In the middle of it: four billion starts take longer, whatever the machine. */
static void it_stops_in_the_middle(void **state)
{
	double x[400];
	const double *features[] = { x };
	struct tp_dataset data = { 400, 1, features, NULL };
	struct tp_kmeans kmeans = { 0 };
	struct itimerval soon = { .it_value = { .tv_usec = 30000 } };
	uint64_t random = 2;

	(void)state;
	for (size_t i = 0; i < 400; i++)
		x[i] = (double)(tp_splitmix64(&random) % 100000);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &soon, NULL);
	enum tp_status status = tp_kmeans_learn(&kmeans, &data, 20, UINT32_MAX, 1, NULL);

	signal(SIGALRM, SIG_DFL);
	tp_stop_asked = 0;
	assert_int_equal(status, TP_CANCELLED);
	assert_null(kmeans.centres);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_apart_are_found),
		cmocka_unit_test(one_cluster_is_the_mean),
		cmocka_unit_test(each_row_may_be_a_cluster_but_no_more),
		cmocka_unit_test(the_best_start_counts),
		cmocka_unit_test(a_process_that_shall_end_stops_learning),
		cmocka_unit_test(it_stops_in_the_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
