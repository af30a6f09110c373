/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts of events while counting kernels ran: of each family its events, of each event a count for
 * every row and repetition. Plain data that every room may read; readings.csv of a run directory,
 * and what --classify reads, are its text:
 *     family,event,row,repetition,count,iterations
 */
#ifndef TPROF_EXPERIMENTS_COUNTERS_READINGS_H
#define TPROF_EXPERIMENTS_COUNTERS_READINGS_H

#include <stddef.h>

#include "base/tally.h"
#include "record/run.h"

enum {
	TP_READINGS_MAX_FAMILIES = 4096, /* in all runs of a preset */
	TP_READINGS_MAX_ROWS = 65536,
	TP_READINGS_MAX_REPETITIONS = 1000,
	/* events x rows x repetitions of all families, 8 bytes each */
	TP_READINGS_MAX_CELLS = 1 << 24,
	TP_READINGS_MAX_BYTES = TP_TABLE_MAX_BYTES,
	TP_EVENT_NAME_MAX = 256
};

struct tp_reading_event {
	char *name;
	double *counts; /* [repetition * family.cap_rows + row]; NaN = not measured */
	/* NULL: as in the family's row; else like counts, NaN = as in the row */
	double *iterations;
	size_t left_out; /* readings that were disturbed and taken again */
};

struct tp_reading_family {
	char name[32];
	size_t n_rows, n_repetitions; /* one more than the largest seen */
	size_t cap_rows, cap_repetitions; /* of the arrays */
	double *iterations; /* of each row; NaN = nothing measured */
	struct tp_reading_event *events; /* in order of appearance */
	size_t n_events, cap_events;
	size_t n_arrays; /* of cells: one or two an event */
	struct tp_tally names; /* of the items, in their order */
};

struct tp_readings {
	struct tp_reading_family *families;
	size_t n, cap;
	size_t cells; /* of all families */
	struct tp_tally names; /* of the items, in their order */
};

struct tp_reading {
	const char *family, *event;
	size_t row, repetition;
	double count, iterations; /* iterations > 0 */
};

/*
 * Adds or overwrites (a point that was measured again). Amortised constant time. TP_USAGE beyond
 * the limits above or without a name or iterations; what was there stays then. Pointers
 * to families and events last until the next one is added.
 */
enum tp_status tp_readings_add(struct tp_readings *readings, const struct tp_reading *reading,
			       struct tp_diag *diag);
void tp_readings_release(struct tp_readings *readings);
struct tp_reading_family *tp_readings_family(const struct tp_readings *readings,
					     const char *name); /* NULL if there is none */
/*
 * Of a family in a run of the preset: named "flops#2", or "flops" if only one run has the family.
 * NULL if none.
 */
struct tp_reading_family *tp_readings_of_run(const struct tp_readings *readings, const char *family,
					     unsigned run);
struct tp_reading_event *tp_reading_event_find(const struct tp_reading_family *family,
					       const char *name);
/* count / iterations, NaN where nothing was measured. */
double tp_reading_value(const struct tp_reading_family *family,
			const struct tp_reading_event *event, size_t repetition, size_t row);

/*
 * What was not measured is left out, and what is not a count (a negative difference). A count reads
 * back as the same number. Where the text would be longer than `max_bytes`, it ends with a whole
 * line and a comment (TP_RESOURCE).
 */
enum tp_status tp_readings_csv(const struct tp_readings *readings, size_t max_bytes,
			       struct tp_str *out);
/*
 * Text of readings.csv. Every malformed line is reported with name:line, the error and what is
 * allowed (at most 50, then a count); the well-formed ones are kept. TP_USAGE if there was any
 * error: a wrong header, a field too few or too many, not a number, NaN, a negative count, beyond
 * 2^63, a row or repetition beyond the limits, the same cell twice, iterations <= 0; no line at
 * all. Cells as in RFC 4180 (an event whose name holds a comma or a quote stands in quotes), blanks
 * around them are ignored; line ends LF or CRLF; a byte order mark, blank lines and lines that
 * begin with # are skipped. Rows that are far beyond what the text could fill are refused: a small
 * file does not take much memory.
 */
enum tp_status tp_readings_parse(struct tp_readings *readings, const char *name, const char *text,
				 size_t len, struct tp_diags *diags);

/* --- in a run --- */

extern const struct tp_part tp_readings_part; /* readings.csv; one row, which holds them all */
/* Those of the run, empty if none. */
const struct tp_readings *tp_run_readings(const struct tp_run *run);

/* The same to be filled. */
struct tp_readings *tp_run_readings_of(struct tp_run *run);

/* The event "counts": what a few repetitions of one row counted of one event. */
enum { TP_EVENT_COUNTS_MAX = 16 }; /* repetitions in one line */
struct tp_counts {
	char family[32], event[TP_EVENT_NAME_MAX];
	unsigned row, first, n; /* repetitions first .. first + n - 1 */
	unsigned left_out; /* others that were disturbed and taken again */
	double iterations;
	double counts[TP_EVENT_COUNTS_MAX]; /* NaN (null) = could not be counted */
};
extern const struct tp_row_event tp_counts_event;

#endif
