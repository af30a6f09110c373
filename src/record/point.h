/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One measured point: what it was, every sample, the derived values, the flags. Plain data that every room may read. */
#ifndef TPROF_RECORD_POINT_H
#define TPROF_RECORD_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Quality flags, each from something observed. name as in points.csv, what it means with the remedy. */
#define TP_FLAG_LIST(X)                                                                            \
	X(CTX_SWITCH, "ctx-switch",                                                                \
	  "the kernel took the CPU away inside windows (those were dropped): another process ran " \
	  "there")                                                                                 \
	X(SIBLING, "sibling",                                                                      \
	  "work on the other hardware thread of the core (a neighbour of the virtual machine, "    \
	  "perhaps) took a share of it: such windows were dropped from L1, L2 and FP points")      \
	X(MIGRATED, "migrated", "a thread changed its CPU inside a window (dropped)")              \
	X(PAGE_FAULT, "page-fault", "page faults inside windows (dropped)")                        \
	X(STEAL, "steal", "the hypervisor reported stolen time during the point")                  \
	X(FREQ_DRIFT, "freq-drift",                                                                \
	  "the core frequency before and after the point differs by more than 1 %")                \
	X(COARSE_CLOCK, "coarse-clock", "the window is short against the clock's resolution")      \
	X(NOT_CONVERGED, "not-converged",                                                          \
	  "time or samples ran out before the interval was narrow enough")                         \
	X(UNSTABLE, "unstable", "the trimmed rule never found an agreeing group of samples")       \
	X(DISTURBED, "disturbed",                                                                  \
	  "many windows were slowed by something outside; the median is over the undisturbed "     \
	  "ones")                                                                                  \
	X(OVER_BOUND, "over-bound",                                                                \
	  "more than the model says the core can do: the model or the measurement is wrong")       \
	X(UNDER_MODEL, "under-model",                                                              \
	  "an FP peak below what the model says the core does: other work shares the core (a "     \
	  "neighbour of the virtual machine, an SMT sibling), or the model is wrong")              \
	X(SMALL_PAGES, "small-pages", "huge pages were asked for and not obtained")                \
	X(SHARED_CORE, "shared-core",                                                              \
	  "a thread of the team gets less of its core than alone: the hypervisor runs several "    \
	  "CPUs on one core, or other work sits on its SMT sibling")                               \
	X(NO_FREQ, "no-freq",                                                                      \
	  "the core frequency could not be measured; per-cycle values are missing")                \
	X(OTHER_TPROF, "other-tprof",                                                              \
	  "another tprof measured on the same CPUs at the same time: run them one after another")  \
	X(NOISY, "noisy",                                                                          \
	  "kept windows differ by more than 3-4 %: another run may find another median (shared "   \
	  "memory, "                                                                               \
	  "neighbours, page layout); invocations: 3 or more shows how much")

enum tp_flag {
#define TP_FLAG_ENUM(name, text, help) TP_FLAG_BIT_##name,
	TP_FLAG_LIST(TP_FLAG_ENUM)
#undef TP_FLAG_ENUM
		TP_FLAG_COUNT
};
#define TP_FLAG(name) (1u << TP_FLAG_BIT_##name)

const char *tp_flag_name(enum tp_flag flag);
const char *tp_flag_help(enum tp_flag flag);
/* "ctx-switch|disturbed" into out; "" for none. */
const char *tp_flags_text(uint32_t flags, char *out, size_t size);
bool tp_flags_parse(const char *text, uint32_t *flags);

enum tp_point_state { TP_POINT_PLANNED, TP_POINT_DONE, TP_POINT_FAILED, TP_POINT_SKIPPED };

struct tp_sample {
	double seconds; /* last end - first start of the team */
	double rate; /* work done: GB/s, GFLOP/s for level FP and mixed, loads per ns of one thread for a chase; noise only ever makes it smaller */
	double core_ghz; /* from the chains beside the window, 0 = unknown */
	uint32_t flags; /* non-zero: dropped from the statistics for these reasons */
	unsigned invocation; /* 0-based process number */
	double stream_gbps; /* loaded latency: what the other threads moved meanwhile; 0 = nothing */
};

struct tp_point {
	/* identity, known when planned */
	unsigned run, point; /* 0-based run of the preset; 0-based id, unique over the whole plan */
	char experiment[24]; /* memcurve, roofline, mixed */
	char kernel
		[48]; /* "load", "store", "2ld1st", "2ld1st-nt", "fma", "add", "mixed-..."; see kernels/ */
	char isa[16], precision[8]; /* "avx2", "double" */
	unsigned threads;
	char cpus[256]; /* OS numbers "0,1,2-5" in thread order */
	char level[8]; /* L1 L2 L3 DRAM FP or empty (memcurve) */
	uint64_t working_set_bytes; /* per thread; 0 for FP */
	unsigned loads,
		stores; /* the ratio l:s; both 0 for FP, both 0 before a `best` search ended */
	bool nontemporal, best_ratio; /* best_ratio: the ratio was searched */
	char fp_op[12]; /* add mul div fma fma+add or empty */
	double ai_flop_per_byte; /* 0 where it does not apply */
	unsigned
		pause_cycles; /* loaded latency: cycles without work after each slice that the other threads stream */
	char pages_wanted
		[16]; /* page policy asked for: "small", "thp", ...; set where the experiment compares them */
	/* autotune: how it is searched, over which part of the machine ("core", "socket", "machine"), and with which library; else empty */
	char technique[16], scope[12], library[96];
	unsigned configurations; /* autotune: that the search goes through */
	double estimate_seconds; /* of the plan */
	/* what was found */
	enum tp_point_state state;
	struct tp_diag diag; /* why it failed or was skipped */
	char variant[64]; /* winning body variant, "u256 two-streams +1024 B" */
	char pages[16]; /* what was really obtained: "thp", "4K", "hugetlb", "mixed" */
	double median_gbps, best_gbps, median_gflops,
		best_gflops; /* whole team; 0 = does not apply */
	double median_ns, best_ns; /* time of one dependent load of a chase; 0 = does not apply */
	double bytes_per_cycle, flop_per_cycle,
		ipc; /* per core, from the best window; ipc = kernel instructions (memory + FP) per cycle */
	double instructions_per_work; /* kernel instructions of one thread per 1e9 bytes or FLOP, x 1e-9: ipc = rate x this / cycles */
	double core_ghz,
		core_ghz_after; /* upper quartile over the undisturbed of its first and last windows */
	double mean, stddev, mad; /* of the kept samples, headline unit */
	double ci_low, ci_high; /* confidence interval of the headline value, headline unit */
	double seconds; /* wall time spent on the point */
	double bound; /* theoretical roof of the model for the whole team, headline unit; 0 = unknown */
	uint32_t flags;
	struct tp_sample *samples; /* heap, owned by the point */
	size_t n_samples, cap_samples;
	unsigned kept, invocations;
};

/*
 * What a point is about, and with it the unit of median, best, interval, mean, stddev and mad: the latency of a chase in ns (less is
 * better), GFLOP/s where the point has an FP instruction, else GB/s.
 */
enum tp_headline { TP_HEADLINE_GBPS, TP_HEADLINE_GFLOPS, TP_HEADLINE_NS };
enum tp_headline tp_point_headline(const struct tp_point *point);
const char *tp_headline_unit(enum tp_headline headline); /* "GB/s", "GFLOP/s", "ns" */
bool tp_point_is_fp(const struct tp_point *point);
double tp_point_median(const struct tp_point *point);
double tp_point_best(const struct tp_point *point);
enum tp_status tp_point_add_sample(struct tp_point *point, const struct tp_sample *sample);
void tp_point_release(struct tp_point *point);

#endif
