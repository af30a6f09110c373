/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long a tree of depth 8 takes to learn from 20 columns of planted data, for 125,000 to
 * 1,000,000 rows; the first argument is the most rows. Prints, asserts nothing.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "analysis/tree.h"
#include "base/random.h"

enum { N_FEATURES = 20, N_LABELS = 4, DEPTH = 8, PARTS = 8, ROWS_USUAL = 1000000 };

static double now_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* On a machine that does other things, too, this is nearer to the truth. */
static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static double uniform(uint64_t *random)
{
	return (double)(tp_splitmix64(random) >> 11) * 0x1p-53;
}

/* Three features in four are continuous, the others have 50 values. The label is a rule of four of
 * them, and wrong in one row of ten. */
static void plant(double **values, unsigned *labels, size_t n)
{
	uint64_t random = 8;

	for (size_t row = 0; row < n; row++) {
		for (unsigned f = 0; f < N_FEATURES; f++) {
			double x = uniform(&random);

			values[f][row] = f % 4 == 3 ? floor(50 * x) : x * x;
		}
		labels[row] = (unsigned)(values[0][row] + values[1][row] > 0.8) +
			      2U * (values[3][row] * values[5][row] > 10);
		if (uniform(&random) < 0.1)
			labels[row] = (unsigned)(tp_splitmix64(&random) % N_LABELS);
	}
}

int main(int argc, char **argv)
{
	size_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : ROWS_USUAL;
	double *values[N_FEATURES];
	unsigned *labels = malloc(most * sizeof(*labels));

	for (unsigned f = 0; f < N_FEATURES; f++) {
		values[f] = malloc(most * sizeof(double));
		if (!values[f] || !labels)
			return 1;
	}
	plant(values, labels, most);
	printf("%-10s %9s %9s %9s %11s %8s %9s\n", "criterion", "rows", "seconds", "CPU s",
	       "CPU us/row", "leaves", "peak MiB");
	for (int criterion = TP_GINI; criterion <= TP_ENTROPY; criterion++) {
		for (size_t part = PARTS; part; part /= 2) {
			struct tp_dataset data = { most / part, N_FEATURES,
						   (const double *const *)values, NULL };
			struct tp_tree_rules rules = { .criterion = (enum tp_criterion)criterion,
						       .max_depth = DEPTH };
			struct tp_tree tree = { 0 };
			struct tp_diag diag = { 0 };
			double start = now_seconds(), cpu_start = cpu_seconds();

			if (tp_tree_learn(&tree, &data, labels, N_LABELS, NULL, 0, &rules, &diag)) {
				fprintf(stderr, "tree_time: %s\n", diag.what);
				return 1;
			}
			double seconds = now_seconds() - start;
			double of_cpu = cpu_seconds() - cpu_start;
			struct rusage usage;

			getrusage(RUSAGE_SELF, &usage);
			printf("%-10s %9zu %9.3f %9.3f %11.3f %8zu %9.0f\n",
			       criterion == TP_GINI ? "gini" : "entropy", data.n_rows, seconds,
			       of_cpu, of_cpu * 1e6 / (double)data.n_rows, tree.n_leaves,
			       (double)usage.ru_maxrss / 1024);
			tp_tree_release(&tree);
		}
	}
	for (unsigned f = 0; f < N_FEATURES; f++)
		free(values[f]);
	free(labels);
	return 0;
}
