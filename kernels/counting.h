/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting kernels: families of code whose behaviour is known exactly, run while events are read. A family is a list of rows, those of its
 * basis in presets/bases (same order, same names); a kernel is a run of rows that belong together (flops: three loops each).
 *
 * A row is emitted code of the common calling convention (code.h): function(data, passes). One pass is `iterations` iterations, what a count is
 * divided by. Everything outside the passes (entry, loading of operands, return) is the same whatever `passes` is, so that the
 * difference of two runs of different passes is exactly what the basis says of the additional passes.
 */
#ifndef TPROF_KERNELS_COUNTING_H
#define TPROF_KERNELS_COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/status.h"
#include "kernels/code.h"

/* id, name (of the basis file too), what it is about. Every family's rows and kernels are in its own file. */
#define TP_FAMILY_LIST(X)                                                                          \
	X(FLOPS, "flops", "floating point instructions by width, precision and fusion")            \
	X(BRANCH, "branch", "branches: executed, retired, taken, direct, mispredicted")            \
	X(DCACHE_READ, "dcache-read", "data cache: reads by a random pointer chase")               \
	X(DCACHE_WRITE, "dcache-write", "data cache: writes in a random order")                    \
	X(ICACHE, "icache", "instruction cache: long code, fully and sparsely used")               \
	X(INSTRUCTIONS, "instructions", "instruction mix: integer, loads, stores, branches")       \
	X(BLAS, "blas", "DOT, GEMV, GEMM of growing size")                                         \
	X(TRAFFIC, "traffic", "memory traffic of DOT, GEMV, capped GEMV, GEMM")

enum tp_family_id {
#define TP_FAMILY_ENUM(id, name, title) TP_FAMILY_##id,
	TP_FAMILY_LIST(TP_FAMILY_ENUM)
#undef TP_FAMILY_ENUM
		TP_FAMILY_COUNT
};

/* How a reading is taken. */
enum tp_counting_method {
	TP_COUNT_DIFFERENCE, /* (count of 2n passes - count of n passes) / n: exact */
	TP_COUNT_STEADY, /* after a first pass that is not counted: what is warm stays warm */
};

/* What the rows adapt to. */
struct tp_counting_machine {
	uint64_t cache_bytes[4]; /* [1..3]: L1d, L2, L3 that one thread has; 0 = none */
	uint64_t icache_bytes; /* L1i; 0: as L1d */
	unsigned line_bytes;
	uint64_t page_bytes;
	/*
	 * Unpredictable branches: order of the stream, a de Bruijn sequence (2 to 24): exactly half of its bits are set. A predictor by the
	 * last stream_log2 - 1 outcomes, with two-bit counters that begin strongly not taken, is wrong exactly half of the time.
	 */
	unsigned stream_log2;
	uint64_t
		max_instructions; /* of two passes; a row that needs more is refused with TP_RESOURCE; 0 = no limit */
	uint64_t max_bytes; /* of a row's data, likewise */
};

struct tp_counting;

struct tp_family {
	enum tp_family_id id;
	const char *name, *title;
	enum tp_counting_method method;
	bool threads; /* several threads with data of their own; the median over them counts */
	unsigned n_rows, n_kernels;
	/* First row of a kernel; first_row(n_kernels) is n_rows. */
	unsigned (*first_row)(unsigned kernel);
	const char *(*kernel_name)(unsigned kernel, char *out, size_t size); /* "dp-256-fma" */
	const char *(*row_name)(unsigned row, char *out, size_t size); /* "dp-256-fma 24" */
	/* The row's code for this CPU. TP_UNSUPPORTED with the missing feature in words, TP_RESOURCE. */
	enum tp_status (*make)(const struct tp_family *family, unsigned row,
			       const struct tp_cpu *cpu, const struct tp_counting_machine *machine,
			       struct tp_counting *out, struct tp_diag *diag);
};

extern const struct tp_family *const tp_family_table[TP_FAMILY_COUNT];
const struct tp_family *tp_family_find(const char *name); /* NULL if there is none */

struct tp_counting {
	const struct tp_family *family;
	unsigned row;
	struct tp_code code;
	size_t data_bytes; /* writable, page-aligned memory that fill() prepares */
	double iterations; /* of one pass */
	uint64_t instructions; /* executed in one pass, exactly */
	uint64_t
		passes; /* for a reading on hardware: long against the overhead of reading counters */
	/* Prepares the data: operands, pointers in a random order of `seed`, the unpredictable stream. */
	enum tp_status (*fill)(const struct tp_counting *counting, void *data, uint64_t seed,
			       struct tp_diag *diag);
	uint64_t parameters[8]; /* of the family, for fill() */
};

/* Family's make(), which on success leaves a sealed code buffer. */
enum tp_status tp_counting_make(const struct tp_family *family, unsigned row,
				const struct tp_cpu *cpu, const struct tp_counting_machine *machine,
				struct tp_counting *out, struct tp_diag *diag);
void tp_counting_release(struct tp_counting *counting);

#endif
