/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting kernels: code whose behaviour is known exactly, run while events are read. A family is
 * a list of rows with the names and the order of its basis in presets/bases. A kernel is a run of
 * rows that belong together (flops: three loops each).
 *
 * A row is emitted code of the common calling convention (code.h): function(data, passes). A pass
 * has `iterations` iterations, and counts are divided by that number. Everything outside the
 * passes (entry, loading of operands, return) does not depend on `passes`. So the difference of two
 * runs is exactly what the basis predicts for the additional passes.
 */
#ifndef TPROF_KERNELS_COUNTING_H
#define TPROF_KERNELS_COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/status.h"
#include "kernels/code.h"

enum tp_family_id {
	TP_FAMILY_FLOPS,
	TP_FAMILY_BRANCH,
	TP_FAMILY_DCACHE_READ,
	TP_FAMILY_DCACHE_WRITE,
	TP_FAMILY_ICACHE,
	TP_FAMILY_INSTRUCTIONS,
	TP_FAMILY_BLAS,
	TP_FAMILY_TRAFFIC,
	TP_FAMILY_COUNT
};

/* How a reading is taken. */
enum tp_counting_method {
	TP_COUNT_DIFFERENCE, /* (count of 2n passes - count of n passes) / n: exact */
	TP_COUNT_STEADY, /* after a first pass that is not counted, so that caches are warm */
};

/* What the rows adapt to. */
struct tp_counting_machine {
	uint64_t cache_bytes[4]; /* [1..3]: L1d, L2, L3 that one thread has; 0 = none */
	uint64_t icache_bytes; /* L1i; 0: as L1d */
	unsigned line_bytes;
	uint64_t page_bytes;
	/*
	 * Order of the stream of unpredictable branches (2 to 24): a de Bruijn sequence, of whose
	 * bits exactly half are set. A predictor by the last stream_log2 - 1 outcomes, with
	 * two-bit counters that begin strongly not taken, is wrong exactly half of the time.
	 */
	unsigned stream_log2;
	/* of two passes: a row that needs more is TP_RESOURCE; 0 = no limit */
	uint64_t max_instructions;
	uint64_t max_bytes; /* of the data of a row, with the same meaning */
};

struct tp_counting;
struct tp_row;

struct tp_family {
	enum tp_family_id id;
	const char *name, *title; /* the name of its basis file, too */
	enum tp_counting_method method;
	bool threads; /* several threads, each with its own data: the median over them counts */
	unsigned n_rows, n_kernels, kernel_rows;
	const char *(*kernel_name)(unsigned kernel, char *out, size_t size); /* "dp-256-fma" */
	/* Of a row: the number after the name of its kernel, NULL = it counts from 1; or words */
	unsigned (*row_number)(unsigned row);
	void (*row_words)(unsigned row, char *out, size_t size);
	/* Makes a row, for tp_counting_make(). */
	enum tp_status (*make)(const struct tp_row *row, struct tp_counting *out,
			       struct tp_diag *diag);
};

extern const struct tp_family *const tp_family_table[TP_FAMILY_COUNT];
const struct tp_family *tp_family_find(const char *name); /* NULL if there is none */

/* "dp-256-fma 24" */
const char *tp_family_row_name(const struct tp_family *family, unsigned row, char *out,
			       size_t size);

static inline unsigned tp_family_first_row(const struct tp_family *family, unsigned kernel)
{
	return kernel * family->kernel_rows;
}

struct tp_counting {
	const struct tp_family *family;
	unsigned row;
	struct tp_code code;
	size_t data_bytes; /* writable, page-aligned memory that fill() prepares */
	double iterations; /* of one pass */
	uint64_t instructions; /* executed in one pass, exactly */
	/* for a reading on hardware: they take long compared to reading counters */
	uint64_t passes;
	/*
	 * Prepares the data: operands, pointers in a random order of `seed`, the unpredictable
	 * stream.
	 */
	void (*fill)(const struct tp_counting *counting, void *data, uint64_t seed);
	uint64_t parameters[8]; /* fill() reads these; each family has its own */
};

/*
 * The row's code for this CPU, sealed, and what belongs to it. TP_UNSUPPORTED with the missing
 * feature, TP_RESOURCE beyond the limits of the machine.
 */
enum tp_status tp_counting_make(const struct tp_family *family, unsigned row,
				const struct tp_cpu *cpu, const struct tp_counting_machine *machine,
				struct tp_counting *out, struct tp_diag *diag);
void tp_counting_release(struct tp_counting *counting);

#endif
