/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Expected counts of each row of flops, branch and instructions, in another form than in the
 * kernels and the bases.
 */
#ifndef TPROF_TESTS_COUNTING_ROWS_H
#define TPROF_TESTS_COUNTING_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/counting.h"

/* Everything that is counted. */
enum {
	INSTRUCTIONS,
	INTEGER,
	LOADS,
	STORES,
	EXECUTED,
	RETIRED,
	TAKEN,
	JUMPS,
	MISPREDICTED,
	FP, /* 16 classes: SP, DP, SP FMA, DP FMA; each scalar, 128, 256, 512 */
	NUMBERS = FP + 16
};

enum { STREAM_LOG2 = 6, PROMISED_FAMILIES = 3, FLOPS_KERNELS = 16 };

extern const struct tp_counting_machine counting_machine;

struct promised_family {
	enum tp_family_id id;
	unsigned rows;
	void (*expect)(unsigned row, double *numbers); /* of one iteration, into zeros */
	/* numbers that it tells, but for EXECUTED and MISPREDICTED; ended by NUMBERS */
	unsigned known[NUMBERS];
};

extern const struct promised_family promised_families[PROMISED_FAMILIES];

/*
 * Fails the test unless `found` is the work of this many iterations of the row, and the kernel has
 * its stated number of instructions.
 */
void hold_to_promise(const struct promised_family *family, const struct tp_counting *counting,
		     const double *found, double iterations, const char *by);

bool counting_is_x86(void);
/* The data of the row as fill() leaves them: page-aligned, on the heap. */
void *counting_data(const struct tp_counting *counting);

#endif
