/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Location and scale of numbers of which some are odd: median, Qn (Rousseeuw and Croux 1993),
 * Huber's mean (1964); and how likely a difference from them is. Pure functions on numbers. What
 * they are for, and why these: analysis/outliers.h.
 */
#ifndef TPROF_ANALYSIS_ROBUST_H
#define TPROF_ANALYSIS_ROBUST_H

#include <stdbool.h>
#include <stddef.h>

/* Fewer numbers have no error. */
enum { TP_ROBUST_MIN = 4 };

/* Of Qn on normal samples (Rousseeuw and Croux 1993). */
#define TP_QN_EFFICIENCY 0.8
/* Degrees of freedom of a floor: it comes from experience, as good as from 31 runs. */
#define TP_FLOOR_DEGREES 30.0

/* Room for one sample of so many numbers, which the caller writes to x. */
struct tp_robust_room {
	double *x;
	double *sorted, *work; /* private */
	int *ints; /* private */
};
/* False: no memory; release it all the same. */
bool tp_robust_room_make(struct tp_robust_room *room, size_t n);
void tp_robust_room_release(struct tp_robust_room *room);

/* What n numbers have in common; NaN where that many do not tell. */
struct tp_robust {
	double centre, spread; /* spread: without the floor; NaN for one number */
	double error, degrees; /* with it, for a difference from the centre */
};

/*
 * Of room->x[n], which stays as it is. `floor`: standard deviation that they have at least. `odd`:
 * 0: spread by Qn alone; else by the middle, too, without that share at each end.
 */
struct tp_robust tp_robust_of(struct tp_robust_room *room, size_t n, double floor, double odd);

/* Sets standard deviation of a difference from the centre and its degrees of freedom, by spread. */
void tp_robust_set_error(struct tp_robust *scale, size_t n, double floor);

/*
 * z of a difference from the centre and how likely so large a one is, two-sided. `own`: variance
 * that x has beside that of all, and its degrees of freedom.
 */
void tp_robust_test(const struct tp_robust *scale, double x, double own, double own_degrees,
		    double *z, double *p);

/*
 * Huber's mean of x[n] around a centre, and its variance: that of the clipped numbers, over the
 * square of the share that is not clipped. n is 2 or more.
 */
double tp_huber_mean(const double *x, size_t n, double centre, double spread, double *variance);

#endif
