/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The classic roofline of what searches found, and all their pictures. Borrowed from the run, as
 * long as its points and trials last.
 */
#ifndef TPROF_EXPERIMENTS_AUTOTUNE_PICTURES_H
#define TPROF_EXPERIMENTS_AUTOTUNE_PICTURES_H

#include "experiments/autotune/searches.h"
#include "record/roof.h"
#include "record/run.h"
#include "report/pictures.h"

enum { TP_CLASSIC_LEVELS = 4 };
/*
 * F(I) = min(B I, F_p), from the winners of a precision and a number of threads, by any technique.
 */
struct tp_classic {
	const struct tp_point *peak; /* NULL: no GEMM was searched */
	const struct tp_point *level[TP_CLASSIC_LEVELS]; /* L1 L2 L3 DRAM; NULL: not searched */
	unsigned threads;
};
/* False without a bandwidth and without a peak. */
bool tp_classic_find(const struct tp_run *run, const char *precision, unsigned threads,
		     struct tp_classic *classic);
/* The thread counts of a precision's searches, the most first; returns how many (at most `max`). */
size_t tp_classic_threads(const struct tp_run *run, const char *precision, unsigned *threads,
			  size_t max);
/* What a search found is not a roof of the cache-aware model. */
bool tp_roof_is_tuned(const struct tp_run *run, const struct tp_roof *roof);
/*
 * True if the cache-aware roofline of that precision has these threads: the classic one is drawn
 * beside it.
 */
bool tp_classic_is_beside(const struct tp_run *run, const char *precision);

/* Adds the roofs from ai_low to ai_high to a picture; `named` with their thread counts. */
void tp_picture_add_classic(struct tp_picture *picture, const struct tp_classic *classic,
			    double ai_low, double ai_high, bool named);
/* True if some number of threads has both a peak and a bandwidth: one of them is not a roofline. */
bool tp_classic_is_whole(const struct tp_run *run, const char *precision);
/* A separate picture: every number of threads that has both. False if none has. */
bool tp_picture_classic(struct tp_picture *picture, const struct tp_run *run,
			const char *precision);

/*
 * The configurations of a search: a map, or a curve if only one size varies, together with searches
 * that differ only in their level of memory. Cursors read trials.
 */
bool tp_picture_search(struct tp_picture *picture, const struct tp_run *run, unsigned point,
		       const struct tp_heat_view *view);
/* The search whose picture shows that of `point`: itself, or the first one drawn with it. */
unsigned tp_search_drawn_by(const struct tp_run *run, unsigned point);

/* As tp_reporter.pictures. */
struct tp_gallery;
void tp_autotune_pictures(const struct tp_run *run, const struct tp_gallery *gallery);

#endif
