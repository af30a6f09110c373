/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Points that run an emitted kernel, or something that is compared with one: what the kernel is,
 * where its data lie, and its rates in every unit. Rows of experiments may begin with this one.
 */
#ifndef TPROF_RECORD_KERNEL_ROW_H
#define TPROF_RECORD_KERNEL_ROW_H

#include "record/schema.h"

/* The ISA of code that a compiler made: it stands below the roofs of any ISA. */
#define TP_ISA_COMPILED "compiled"

struct tp_kernel_row {
	/* identity, known when planned */
	char isa[16], precision[8]; /* "avx2", "double" */
	char level[8]; /* L1 L2 L3 DRAM FP or empty (curves) */
	uint64_t working_set_bytes; /* per thread; 0 for FP */
	/* the ratio l:s; both 0 for FP, both 0 before a `best` search ended */
	unsigned loads, stores;
	bool nontemporal, best_ratio; /* best_ratio: the ratio was searched */
	char fp_op[12]; /* add mul div fma fma+add or empty */
	double ai_flop_per_byte; /* 0 where it does not apply */
	/* loaded latency: cycles without work after each slice that the other threads stream */
	unsigned pause_cycles;
	/* page policy asked for: "small", "thp", ...; set where the experiment compares them */
	char pages_wanted[16];
	/* what was found */
	uint64_t raced_bytes; /* the working set, where a race chose it; 0 = as planned */
	char body[64]; /* winning body of the kernel, "u256 two-streams +1024 B" */
	char pages[16]; /* what was really obtained: "thp", "4K", "hugetlb", "mixed" */
	double median_gbps, best_gbps, median_gflops, best_gflops; /* whole team; 0 = none */
	double median_ns, best_ns; /* time of one dependent load of a chase; 0 = none */
	/* per core, each window by its own clock; ipc = kernel instructions (memory + FP) per cycle
	 */
	double bytes_per_cycle, flop_per_cycle, ipc;
	/*
	 * kernel instructions of one thread per 1e9 bytes or FLOP, x 1e-9: ipc = rate x this /
	 * cycles
	 */
	double instructions_per_work;
};

extern const struct tp_table tp_kernel_table;
/* Unit and value of a point by its row: GFLOP/s with an FP instruction, else GB/s. */
void tp_kernel_headline(struct tp_point *point);
/* The same of a kernel that is timed: ns. */
void tp_kernel_time_headline(struct tp_point *point);

/* The kernel's row of a point; one of zeros if it has none. Never NULL. */
const struct tp_kernel_row *tp_kernel_row(const struct tp_point *point);
/* The same to write into; the point must have one. */
struct tp_kernel_row *tp_kernel_row_of(struct tp_point *point);
bool tp_point_is_fp(const struct tp_point *point);

/*
 * The values of the row from the headline: median and best of the point, which are those of the
 * kernel's own unit. `work_per_cycle`: of the whole team in that unit, 0 = unknown: then there are
 * no values per cycle.
 */
void tp_kernel_derive(struct tp_point *point, double work_per_cycle);

#endif
