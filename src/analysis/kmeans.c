/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/kmeans.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/random.h"
#include "base/process.h"
#include "base/memory.h"

enum { STARTS_USUAL = 10, ROUNDS_MAX = 300, ROWS_BETWEEN_LOOKS = 4096 };
/*
 * As in scikit-learn: centres that move less, squared and in units of the mean variance, have
 * settled.
 */
static const double still = 1e-4;

struct learner {
	size_t n, d;
	unsigned k;
	double *points; /* row after row */
	double *centres, *sums; /* k times d */
	unsigned *clusters;
	size_t *sizes;
	double *distances; /* of each row to the nearest centre, squared */
	double *tried, *kept; /* the same while a centre is chosen */
	double stands;
	uint64_t random;
};

static double squared_distance(const double *a, const double *b, size_t d)
{
	double sum = 0;

	for (size_t f = 0; f < d; f++)
		sum += (a[f] - b[f]) * (a[f] - b[f]);
	return sum;
}

static bool is_time_to_stop(size_t row)
{
	return row % ROWS_BETWEEN_LOOKS == 0 && tp_stop_asked;
}

/* A row, drawn with the probability of its squared distance; `total` is the sum of those. */
static size_t draw(struct learner *l, double total)
{
	double left = tp_random_uniform(&l->random) * total;
	size_t last = 0;

	for (size_t row = 0; row < l->n; row++) {
		if (!(l->distances[row] > 0))
			continue;
		last = row;
		left -= l->distances[row];
		if (left < 0)
			break;
	}
	return last;
}

/* What the distances and their sum would be with one more centre. */
static double try_centre(const struct learner *l, size_t centre, double *distances)
{
	double sum = 0;

	for (size_t row = 0; row < l->n && !is_time_to_stop(row); row++) {
		distances[row] =
			fmin(l->distances[row], squared_distance(&l->points[row * l->d],
								 &l->points[centre * l->d], l->d));
		sum += distances[row];
	}
	return sum;
}

static void swap(double **a, double **b)
{
	double *kept = *a;

	*a = *b;
	*b = kept;
}

static void place(struct learner *l, unsigned cluster, size_t row)
{
	memcpy(&l->centres[cluster * l->d], &l->points[row * l->d], l->d * sizeof(double));
}

/* Rows far from all centres become centres; of several drawn, the one that lowers the sum most.
 * Returns how many centres there are: fewer than k if each row is one already. */
static unsigned choose_centres(struct learner *l)
{
	unsigned n_tried = 2 + (unsigned)log((double)l->k);
	size_t first = (size_t)(tp_splitmix64(&l->random) % l->n);

	for (size_t row = 0; row < l->n; row++)
		l->distances[row] = INFINITY;
	double total = try_centre(l, first, l->kept);

	swap(&l->distances, &l->kept);
	place(l, 0, first);
	for (unsigned c = 1; c < l->k; c++) {
		double least = INFINITY;
		size_t best = 0;

		if (tp_stop_asked || !(total > 0))
			return c;
		for (unsigned i = 0; i < n_tried; i++) {
			size_t row = draw(l, total);
			double sum = try_centre(l, row, l->tried);

			if (sum < least) {
				least = sum;
				best = row;
				swap(&l->tried, &l->kept);
			}
		}
		swap(&l->distances, &l->kept);
		place(l, c, best);
		total = least;
	}
	return l->k;
}

/* Each row joins its nearest centre. Returns whether a row moved. */
static bool assign(struct learner *l)
{
	bool moved = false;

	memset(l->sizes, 0, l->k * sizeof(*l->sizes));
	for (size_t row = 0; row < l->n && !is_time_to_stop(row); row++) {
		unsigned nearest = 0;
		double least = INFINITY;

		for (unsigned c = 0; c < l->k; c++) {
			double distance = squared_distance(&l->points[row * l->d],
							   &l->centres[c * l->d], l->d);
			if (distance < least) {
				least = distance;
				nearest = c;
			}
		}
		moved |= l->clusters[row] != nearest;
		l->clusters[row] = nearest;
		l->distances[row] = least;
		l->sizes[nearest]++;
	}
	return moved;
}

/* A cluster without rows gets the one that is farthest from its centre. */
static void fill(struct learner *l, unsigned cluster)
{
	size_t farthest = 0;
	double most = -1;

	for (size_t row = 0; row < l->n; row++) {
		if (l->sizes[l->clusters[row]] > 1 && l->distances[row] > most) {
			most = l->distances[row];
			farthest = row;
		}
	}
	l->sizes[l->clusters[farthest]]--;
	l->clusters[farthest] = cluster;
	l->sizes[cluster] = 1;
	l->distances[farthest] = 0;
}

/* Centres become the means of their rows. Returns how far they moved, squared. */
static double update(struct learner *l)
{
	double shift = 0;

	memset(l->sums, 0, l->k * l->d * sizeof(double));
	for (size_t row = 0; row < l->n; row++)
		for (size_t f = 0; f < l->d; f++)
			l->sums[l->clusters[row] * l->d + f] += l->points[row * l->d + f];
	for (unsigned c = 0; c < l->k; c++)
		for (size_t f = 0; f < l->d; f++)
			l->sums[c * l->d + f] /= (double)l->sizes[c];
	for (unsigned c = 0; c < l->k; c++)
		shift += squared_distance(&l->sums[c * l->d], &l->centres[c * l->d], l->d);
	swap(&l->sums, &l->centres);
	return shift;
}

/* From the centres as they are. Returns the inertia. */
static double improve(struct learner *l)
{
	double inertia = 0;

	for (size_t row = 0; row < l->n; row++)
		l->clusters[row] = l->k; /* none yet */
	bool moved = assign(l);

	for (unsigned round = 0; moved && round < ROUNDS_MAX && !tp_stop_asked; round++) {
		for (unsigned c = 0; c < l->k; c++)
			if (!l->sizes[c])
				fill(l, c);
		bool goes_on = update(l) > l->stands;

		moved = assign(l) && goes_on;
	}
	for (size_t row = 0; row < l->n; row++)
		inertia += l->distances[row];
	return inertia;
}

/* The clusters as they are, renumbered. */
static void keep(struct tp_kmeans *kmeans, const struct learner *l, unsigned *numbers)
{
	unsigned n = 0;

	for (unsigned c = 0; c < l->k; c++)
		numbers[c] = l->k;
	for (size_t row = 0; row < l->n; row++) {
		unsigned c = l->clusters[row];

		if (numbers[c] == l->k)
			numbers[c] = n++;
		kmeans->clusters[row] = numbers[c];
	}
	for (unsigned c = 0; c < l->k; c++) {
		unsigned number = numbers[c] < l->k ? numbers[c] : n++;

		kmeans->sizes[number] = l->sizes[c];
		memcpy(&kmeans->centres[number * l->d], &l->centres[c * l->d],
		       l->d * sizeof(double));
	}
}

/* The points, row after row, and how far settled centres may move. */
static void read_points(struct learner *l, const struct tp_dataset *data)
{
	double variance = 0;

	for (size_t f = 0; f < l->d; f++) {
		struct tp_welford w = { 0 };

		for (size_t row = 0; row < l->n && !is_time_to_stop(row); row++) {
			l->points[row * l->d + f] = data->features[f][row];
			tp_welford_add(&w, data->features[f][row]);
		}
		variance += w.c / (double)l->n / (double)l->d;
	}
	l->stands = still * variance;
}

/* All numbers are in `room`. */
static void make_room(struct learner *l, double *room, struct tp_kmeans *kmeans)
{
	l->points = room;
	l->centres = l->points + l->n * l->d;
	l->sums = l->centres + l->k * l->d;
	l->distances = l->sums + l->k * l->d;
	l->tried = l->distances + l->n;
	l->kept = l->tried + l->n;
	kmeans->k = l->k;
	kmeans->inertia = INFINITY;
	kmeans->centres = tp_alloc(l->k * l->d, sizeof(double));
	kmeans->clusters = tp_alloc(l->n, sizeof(*kmeans->clusters));
	kmeans->sizes = tp_alloc(l->k, sizeof(*kmeans->sizes));
}

static enum tp_status too_many(unsigned k, size_t most, struct tp_diag *diag)
{
	char hint[64];

	snprintf(hint, sizeof(hint), "1 to %zu clusters", most);
	return tp_fail(diag, TP_USAGE, NULL, most ? hint : NULL,
		       "%u clusters of %zu different rows", k, most);
}

static enum tp_status learn(struct learner *l, struct tp_kmeans *kmeans, unsigned starts,
			    unsigned *numbers, struct tp_diag *diag)
{
	for (unsigned start = 0; start < starts; start++) {
		unsigned n_chosen = choose_centres(l);

		if (!tp_stop_asked && n_chosen < l->k)
			return too_many(l->k, n_chosen, diag);
		double inertia = tp_stop_asked ? INFINITY : improve(l);

		if (tp_stop_asked)
			return tp_fail(diag, TP_CANCELLED, NULL, NULL, "cancelled");
		if (start && !(inertia < kmeans->inertia))
			continue;
		kmeans->inertia = inertia;
		keep(kmeans, l, numbers);
	}
	return TP_OK;
}

enum tp_status tp_kmeans_learn(struct tp_kmeans *kmeans, const struct tp_dataset *data, unsigned k,
			       unsigned starts, uint64_t seed, struct tp_diag *diag)
{
	struct learner l = { .n = data->n_rows, .d = data->n_features, .k = k, .random = seed };

	if (!k || k > data->n_rows)
		return too_many(k, data->n_rows, diag);
	TP_FREE unsigned *numbers = tp_alloc(k, sizeof(*numbers));
	TP_FREE unsigned *clusters = l.clusters = tp_alloc(l.n, sizeof(*l.clusters));
	TP_FREE size_t *sizes = l.sizes = tp_alloc(k, sizeof(*l.sizes));
	TP_FREE double *room = tp_alloc(l.n * l.d + 2 * k * l.d + 3 * l.n, sizeof(*room));

	make_room(&l, room, kmeans);
	read_points(&l, data);
	enum tp_status status = learn(&l, kmeans, starts ? starts : STARTS_USUAL, numbers, diag);

	if (status)
		tp_kmeans_release(kmeans);
	return status;
}

void tp_kmeans_release(struct tp_kmeans *kmeans)
{
	free(kmeans->centres);
	free(kmeans->clusters);
	free(kmeans->sizes);
	*kmeans = (struct tp_kmeans){ 0 };
}
