/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points that count the memory traffic of an operation of one size. */
#ifndef TPROF_EXPERIMENTS_TRAFFIC_TRAFFIC_H
#define TPROF_EXPERIMENTS_TRAFFIC_TRAFFIC_H

#include "record/run.h"
#include "report/reporter.h"

/* Whether what the operation uses again fits into the last cache; 1 and 2 as words in tables. */
enum tp_traffic_fit { TP_TRAFFIC_OPEN, TP_TRAFFIC_FITS, TP_TRAFFIC_EXCEEDS };

/* Bytes are per core and repetition. */
struct tp_traffic_row {
	/* identity */
	char operation[16];
	uint64_t size;
	/* found */
	unsigned fit; /* enum tp_traffic_fit */
	uint64_t cache_bytes; /* that one core has for itself */
	uint64_t data_bytes; /* of a repetition */
	double repetitions; /* of a reading */
	double expected_read, expected_written; /* if open: as if it fits */
	bool reads_counted, writes_counted;
	double read, written; /* counted */
	char source[16]; /* "emulated", "papi", "perf", "none" */
	/* the cache sizes of the operation: half of the cache, and twice as much */
	double band_low, band_high;
};

bool tp_point_is_traffic(const struct tp_point *point);

/* One of zeros if the point is of another kind. Never NULL. */
const struct tp_traffic_row *tp_traffic_row(const struct tp_point *point);

/*
 * The larger of the relative differences between counts and expectation; NaN if nothing was
 * counted, or the expectation is uncertain. Writes count only if they are a tenth of the reads or
 * more: a few lines do not matter.
 */
double tp_traffic_error(const struct tp_traffic_row *row);

/* --- for its screen --- */

/* Finished points of one operation, threads and run. */
bool tp_traffic_same(const struct tp_point *a, const struct tp_point *b);

/* The first point of the i-th operation; NULL after the last. */
const struct tp_point *tp_traffic_first(const struct tp_run *run, size_t i);

/* Of the operation of that point, from all points that are done. False: no points. */
bool tp_traffic_picture(struct tp_picture *picture, const struct tp_run *run,
			const struct tp_point *like);

#endif
