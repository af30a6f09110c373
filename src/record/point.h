/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One measured point: what it was, every sample, the derived values, the flags. Plain data that
 * every room may read.
 */
#ifndef TPROF_RECORD_POINT_H
#define TPROF_RECORD_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "table/table.h"

/*
 * Quality flags, each from something observed. X(id, name as in points.csv, what it means, what to
 * do about it). Reports, tprof-results(5) and the screens take both texts from here.
 */
#define TP_FLAG_LIST(X)                                                                            \
	X(CTX_SWITCH, "ctx-switch",                                                                \
	  "the kernel took the CPU away inside most windows (those were dropped): another "        \
	  "process ran there",                                                                     \
	  "stop other programs, leave a CPU free, or choose other CPUs with affinity; a few "      \
	  "dropped windows do no harm")                                                            \
	X(SIBLING, "sibling",                                                                      \
	  "work on the other hardware thread of the core (a neighbour of the virtual machine, "    \
	  "perhaps) took a share of it for most of the time: such windows were dropped from L1, "  \
	  "L2 and FP points",                                                                      \
	  "measure when the machine or its host is quiet, or on your own cores; look at the "      \
	  "best window")                                                                           \
	X(MIGRATED, "migrated", "threads changed their CPU inside most windows (dropped)",         \
	  "check whether a scheduler, a cpuset or a daemon moves threads of other programs")       \
	X(PAGE_FAULT, "page-fault", "page faults inside most windows (dropped)",                   \
	  "close programs that use much memory; switch automatic NUMA balancing and swapping off " \
	  "during the run")                                                                        \
	X(STEAL, "steal", "the hypervisor reported stolen time during the point",                  \
	  "measure when the host is quiet, or on dedicated cores")                                 \
	X(FREQ_DRIFT, "freq-drift",                                                                \
	  "the core frequency moved by more than 1 % between the first and the last quarter of "   \
	  "the kept windows: what is usual in one of them is unusual in the other, so it did not " \
	  "only step back and forth",                                                              \
	  "fix the frequency, switch turbo off, check the cooling, or measure longer")             \
	X(COARSE_CLOCK, "coarse-clock", "the window is short against the clock's resolution",      \
	  "raise the option window")                                                               \
	X(NOT_CONVERGED, "not-converged",                                                          \
	  "time or samples ran out before the interval was narrow enough",                         \
	  "raise stop.max_time and stop.max_samples, or allow a wider stop.error")                 \
	X(UNSTABLE, "unstable", "the trimmed rule never found an agreeing group of samples",       \
	  "measure on a quiet machine, or allow a larger stop.trim_tolerance")                     \
	X(DISTURBED, "disturbed",                                                                  \
	  "something outside slowed so many windows that fewer than 8, or fewer than one in ten, " \
	  "are left undisturbed, or its race was disturbed or saw faster windows",                 \
	  "stop other programs and measure again; until then the best window is the better "       \
	  "estimate")                                                                              \
	X(OVER_BOUND, "over-bound",                                                                \
	  "more than the core can do by its model: the model or the measurement is wrong",         \
	  "choose the right model with --machine; a clock that drifts does this, too")             \
	X(UNDER_MODEL, "under-model",                                                              \
	  "an FP peak below the rate of the model: other work shares the core (a neighbour of "    \
	  "the virtual machine, an SMT sibling), or the model is wrong",                           \
	  "measure again when the host is quiet, leave the sibling idle, or choose the right "     \
	  "model with --machine")                                                                  \
	X(SMALL_PAGES, "small-pages", "huge pages were requested and not obtained",                \
	  "see /sys/kernel/mm/transparent_hugepage/enabled, free some memory, or choose pages: "   \
	  "default")                                                                               \
	X(SHARED_CORE, "shared-core",                                                              \
	  "a thread of the team gets less of its core than alone: the hypervisor runs several "    \
	  "CPUs on one core, or other work sits on its SMT sibling",                               \
	  "put one thread on each core with affinity; in a virtual machine, ask for dedicated "    \
	  "cores")                                                                                 \
	X(NO_FREQ, "no-freq",                                                                      \
	  "the core frequency could not be measured; per-cycle values are missing",                \
	  "there is no fix on this machine; rates per second are correct")                         \
	X(OTHER_TPROF, "other-tprof", "another tprof measured on the same CPUs at the same time",  \
	  "measure again when no other run is active, or give the two runs different CPUs with "   \
	  "affinity")                                                                              \
	X(NOISY, "noisy",                                                                          \
	  "kept windows differ by more than 3-4 %: another run may find another median (shared "   \
	  "memory, neighbours, page layout)",                                                      \
	  "set invocations to 3 or more, and compare runs by their intervals")                     \
	X(FEW_WINDOWS, "few-windows", "too few windows count for an interval",                     \
	  "give the point more time: raise stop.max_time")                                         \
	X(WIDE_INTERVAL, "wide-interval", "the confidence interval is wide",                       \
	  "take more windows, or set invocations to 3 or more")                                    \
	X(CORE_UNKNOWN, "core-unknown",                                                            \
	  "the rate of the whole core is unknown (no gauge, or no machine model): a neighbour "    \
	  "that is always there would not be noticed",                                             \
	  "choose a model with --machine")                                                         \
	X(CLOCK_STEPS, "clock-steps",                                                              \
	  "the clock stepped, and the windows that count ran at another one than most",            \
	  "switch turbo off, or fix the frequency")                                                \
	X(UNEVEN, "uneven",                                                                        \
	  "the windows changed over time, or most were slower than the fast ones: others used "    \
	  "what is shared, or every window held a part of a disturbance",                          \
	  "measure when the machine or its host is quiet; see the windows of the point on the "    \
	  "Run screen")                                                                            \
	X(TWO_MODES, "two-modes",                                                                  \
	  "the windows form two groups a few percent apart, and the faster one counts if the "     \
	  "gap is wide: another run, or a program, may find the other",                            \
	  "set invocations to 3 or more")                                                          \
	X(WARMING, "warming",                                                                      \
	  "the latency was still changing when the time ran out: the caches had not come to a "    \
	  "steady state, so a longer measurement may find another median. Of a window: it came "   \
	  "before the steady state and was dropped",                                               \
	  "set a higher max_time, or measure again when no other program uses the caches and the " \
	  "memory")

enum tp_flag {
#define TP_FLAG_ENUM(name, text, help, remedy) TP_FLAG_BIT_##name,
	TP_FLAG_LIST(TP_FLAG_ENUM)
#undef TP_FLAG_ENUM
		TP_FLAG_COUNT
};

#define TP_FLAG(name) (1u << TP_FLAG_BIT_##name)

extern const struct tp_word_set tp_flag_set;

const char *tp_flag_name(enum tp_flag flag);
const char *tp_flag_help(enum tp_flag flag);

/* What to do about it: "set invocations to 3 or more". */
const char *tp_flag_remedy(enum tp_flag flag);

/* Both: "MEANING. What to do: REMEDY". Returns out. */
enum { TP_FLAG_ADVICE_BYTES = 480 };

const char *tp_flag_advice(enum tp_flag flag, char *out, size_t size);

/* "ctx-switch|disturbed" into out; "" for none. */
const char *tp_flags_text(uint32_t flags, char *out, size_t size);

/*
 * How much the value of a point is worth: good, on an undisturbed machine it would be the same
 * within 3 % (L1, L2, FP) or 8 % (shared levels, memory, latency); fair, probably within twice
 * that; poor, not to be used. none: the point has no such measure.
 */
enum tp_quality { TP_QUALITY_NONE, TP_QUALITY_GOOD, TP_QUALITY_FAIR, TP_QUALITY_POOR };

enum { TP_QUALITY_COUNT = TP_QUALITY_POOR + 1 };

extern const struct tp_word_set tp_quality_set;

const char *tp_quality_name(enum tp_quality quality); /* "good"; "" for none */

/*
 * Of what many points show, by how many of them have each quality: poor where more than a third of
 * them are, fair where more than a third are not good.
 */
enum tp_quality tp_quality_of_points(const size_t count[TP_QUALITY_COUNT]);

/*
 * The gate: may a measured value of this quality be learned, offered, drawn as measured or reused?
 * Not if it is poor, or its quality unknown.
 */
bool tp_quality_teaches(enum tp_quality quality);

/* Flags are the reasons of a quality that is not good; a good point shows none. */
uint32_t tp_quality_reasons(enum tp_quality quality, uint32_t flags);

/* "good", "fair: noisy two-modes"; "" for a point without quality and flags. Returns out. */
const char *tp_quality_words(enum tp_quality quality, uint32_t flags, char *out, size_t size);

enum tp_point_state {
	TP_POINT_PLANNED,
	TP_POINT_DONE,
	TP_POINT_FAILED,
	TP_POINT_SKIPPED,
	TP_POINT_UNNEEDED, /* not measured: others have shown that nothing needs it */
};

struct tp_sample {
	double seconds; /* last end - first start of the team */
	/*
	 * work done: GB/s, GFLOP/s for level FP and mixed, loads per ns of one thread for a chase,
	 * gathers per ns likewise;
	 * noise only ever makes it smaller
	 */
	double rate;
	double core_ghz; /* from the chains around the window, 0 = unknown */
	uint32_t flags; /* non-zero: dropped from the statistics for these reasons */
	unsigned invocation; /* 0-based process number */
	/* loaded latency: throughput of the other threads in that time; 0 = none */
	double stream_gbps;
	/* additions a cycle around the window, by the narrowest core; 0 = unknown */
	double core_width;
};

/* A row of any table, for owners that keep one by value. */
enum { TP_ROW_BYTES_MAX = 1280 };

union tp_row_room {
	max_align_t align;
	unsigned char bytes[TP_ROW_BYTES_MAX];
};

/*
 * The core of every point. An experiment's other data of its points are in a separate typed row;
 * see schema.h.
 */
struct tp_point {
	/* identity, known when planned */
	unsigned run, point; /* 0-based run of the preset; 0-based id, unique over the whole plan */
	char experiment[24]; /* its name in the registry */
	char kernel[48]; /* what runs, in the words of the experiment: "load", "flops/fma", "dgemm"
			  */
	unsigned threads;
	char cpus[256]; /* OS numbers "0,1,2-5" in thread order */
	double estimate_seconds; /* of the plan */
	/* what was found */
	enum tp_point_state state;
	struct tp_diag diag; /* why it failed or was skipped */
	/* the headline value of the whole team: 0 = none; unit "" before it is known */
	double median, best;
	char unit[12];
	bool less_is_better; /* a time */
	double mean, stddev, mad; /* of the kept samples, headline unit */
	double ci_low, ci_high; /* confidence interval of the headline value, headline unit */
	/* median of the clocks of all kept windows, and of the last of them */
	double core_ghz, core_ghz_after;
	double core_width; /* additions a cycle that the narrowest core gives at best; 0 = unknown
			    */
	double core_share; /* relative to the machine model; 0 = not in a model */
	double seconds; /* wall time spent on the point, without touch_seconds */
	double touch_seconds; /* wall time of the first touch of memory that the point needed */
	/* theoretical roof of the model for the whole team, headline unit; 0 = unknown */
	double bound;
	uint32_t flags;
	unsigned quality; /* enum tp_quality */
	struct tp_sample *samples; /* heap, owned by the point */
	size_t n_samples, cap_samples;
	unsigned kept, invocations;
	/* NULL: none yet. The row has the type that the kind names and the owner of the point. */
	const struct tp_point_kind *kind;
	void *row;
};

/* As tp_quality_teaches. Points of a kind that has no quality teach, too. */
bool tp_point_teaches(const struct tp_point *point);

/* A single window has no interval; faces show these words instead. False for NULL. */
#define TP_ONE_WINDOW "1 window"

bool tp_point_has_one_window(const struct tp_point *point);
double tp_point_median(const struct tp_point *point);
double tp_point_best(const struct tp_point *point);
void tp_point_add_sample(struct tp_point *point, const struct tp_sample *sample);
void tp_point_release(struct tp_point *point);

/* The core of points and their samples as tables. */

extern const struct tp_table tp_point_table, tp_sample_table;

/*
 * Points that run an emitted kernel, or something that is compared with one: what the kernel is,
 * where its data lie, and its rates in every unit. Rows of experiments may begin with this one.
 */

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
	bool flushed; /* memory: flushed from the caches before each window */
	char fp_op[12]; /* add mul div fma fma+add or empty */
	double ai_flop_per_byte; /* 0 where it does not apply */
	/* loaded latency: cycles without work after each slice that the other threads stream */
	unsigned pause_cycles;
	/* page policy asked for: "small", "thp", ...; set where the experiment compares them */
	char pages_wanted[16];
	char cpu_kind[24]; /* of a hybrid CPU: "kind:1 IntelCore" or "several"; else empty */
	/* in memory, if there are several nodes: "node 0 HBM behind 16 GiB" */
	char memory[32];
	/* what was found */
	/* what such cores reach by the model, headline unit, if less than the bound */
	double reachable;
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

/* True if the row of a point is one of that table. */
bool tp_point_has_row(const struct tp_point *point, const struct tp_table *table);
/* That row, or one of zeros. Never NULL. */
const void *tp_point_row(const struct tp_point *point, const struct tp_table *table);
/* The kernel's row of a point; one of zeros if it has none. Never NULL. */
const struct tp_kernel_row *tp_kernel_row(const struct tp_point *point);

/* The same to write into; the point must have one. */
struct tp_kernel_row *tp_kernel_row_of(struct tp_point *point);
bool tp_point_is_fp(const struct tp_point *point);

/*
 * The values of the row from the headline: median and best of the point, which are in the kernel's
 * own unit. `work_per_cycle`: of the whole team in that unit, 0 = unknown: then there are no values
 * per cycle.
 */
void tp_kernel_derive(struct tp_point *point, double work_per_cycle);

#endif
