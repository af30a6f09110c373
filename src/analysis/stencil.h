/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traffic of a loop nest over arrays between two levels of memory, and the time it takes. Pure
 * formulas.
 *
 * Layer conditions: with least recently used lines replaced, an access hits if the cache holds all
 * that was touched since the last access to the same element. The accesses of an array are sorted
 * by when they reach an element; between neighbours lie `d` iterations. If reuse over t iterations
 * is to hit, the cache holds d iterations of an array for each d <= t, and t iterations for each
 * access without such a neighbour (J. Hammer, "Layer conditions", as in Kerncraft:
 * https://rrze-hpc.github.io/layer-condition/). The rule of thumb, that the rows of the array that
 * is read take at most half of the cache, asks for `reused_bytes` in that half.
 *
 * ECM, execution-cache-memory model (Treibig, Hager; Stengel et al., ICS 2015): the time of an
 * iteration is that of its arithmetic, or the sum of its loads and stores in L1 and of all
 * transfers between levels, which do not overlap; whichever is more.
 */
#ifndef TPROF_ANALYSIS_STENCIL_H
#define TPROF_ANALYSIS_STENCIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TP_STENCIL_LOOPS_MAX = 8, TP_STENCIL_ARRAYS_MAX = 16, TP_STENCIL_ACCESSES_MAX = 64 };

struct tp_stencil {
	size_t n_loops; /* outermost first; those over blocks are not separate loops */
	struct {
		double trips; /* before the next outer loop goes on: of a block */
		double whole; /* of all blocks together; equal to trips without blocks */
	} loops[TP_STENCIL_LOOPS_MAX];
	size_t n_arrays;
	struct {
		unsigned element_bytes;
		int64_t strides_bytes[TP_STENCIL_LOOPS_MAX]; /* from an iteration to the next */
	} arrays[TP_STENCIL_ARRAYS_MAX];
	size_t n_accesses;
	struct {
		unsigned array;
		bool read, write;
		int64_t offset_bytes; /* offset of its element from a fixed origin */
	} accesses[TP_STENCIL_ACCESSES_MAX];
	unsigned line_bytes;
};

/* Traffic across the border below a cache, in bytes an iteration. */
struct tp_stencil_traffic {
	double read_bytes; /* lines that are loaded because they are read */
	double allocated_bytes; /* lines that are loaded because they are written to */
	double written_bytes; /* lines that go back */
	unsigned misses, fewest; /* accesses that miss, and how many would with an infinite cache */
	double needed_bytes; /* what the cache must hold for that reuse */
	double reused_bytes; /* the part of it that belongs to reused arrays */
};

/*
 * False: unknown, because an array is not walked line by line, or nothing is reused. Arrays that
 * fit the cache as a whole are left to the caller.
 */
bool tp_stencil_traffic(const struct tp_stencil *stencil, double cache_bytes,
			struct tp_stencil_traffic *traffic);

enum { TP_ECM_LEVELS = 4 }; /* L1, L2, L3, DRAM */
struct tp_ecm {
	double core_ns; /* arithmetic, or an iteration as measured in L1; 0 = unknown */
	/*
	 * Bytes an iteration: moved by loads and stores; then across the border to L2, to L3, to
	 * DRAM
	 */
	double bytes[TP_ECM_LEVELS];
	/* Bandwidths of a kernel whose data lie in a level, loads and stores as written; 0 = none
	 */
	double gbps[TP_ECM_LEVELS];
	/* How many bytes cross a border for each that this kernel stores or loads: 4/3 for 2:1 */
	double crossing;
};
struct tp_ecm_times {
	/* Of loads and stores in L1, and of the transfers from L2, L3 and DRAM */
	double level_ns[TP_ECM_LEVELS];
	double ns; /* of an iteration */
	/*
	 * What the slowest level alone, or the arithmetic, takes: the bound of a roofline in which
	 * each level has its own bytes. `limit`: the level, or TP_ECM_LEVELS for the arithmetic.
	 */
	double roofline_ns;
	unsigned limit;
};
/* False: the bandwidth of a level is needed and unknown. */
bool tp_ecm(const struct tp_ecm *ecm, struct tp_ecm_times *times);

#endif
