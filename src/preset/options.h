/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one option table. Its rows make the preset reader, `--set`, `--print-config`, `--help`, the Setup form, the
 * completion and the OPTIONS section of tprof-preset(5). An option exists nowhere else.
 */
#ifndef TPROF_PRESET_OPTIONS_H
#define TPROF_PRESET_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"

enum tp_option_type {
	TP_TYPE_TEXT, /* free text of at most `max` bytes of UTF-8, without control characters; only notes may have lines */
	TP_TYPE_WORD, /* one of `words`, or any word when `words` is "" (names from a registry: checked by their room) */
	TP_TYPE_COUNT, /* unsigned integer in [min, max], or one of `words` ("all") */
	TP_TYPE_REAL, /* number in [min, max], or one of `words` ("keep") */
	TP_TYPE_BYTES, /* size in [min, max]: 32KiB */
	TP_TYPE_SECONDS, /* duration in [min, max]: 2, 500ms, 200us */
	TP_TYPE_BOOL, /* true, false (yes, no, on, off, 1, 0) */
	TP_TYPE_RATIO, /* loads:stores, each at most `max`, e.g. 2:1, 1:0, 0:1, or the word "best" */
};

/* The experiments whose points are windows of emitted kernels. */
#define TP_KERNELS "roofline memcurve latency loaded-latency mixed"

/*
 * id, key, type, is list, min, max, default text ("" = none), words ("a b c" or ""), experiments it belongs to ("" = all), help
 * A key with a dot is a child of a mapping: "stop.error" is written `stop: {error: 1%}` in YAML and --set stop.error=0.01.
 * REAL accepts a trailing % (1% = 0.01). Words are compared without regard to case and stored as spelled here.
 */
#define TP_OPTION_LIST(X)                                                                          \
	X(EXPERIMENT, "experiment", WORD, false, 0, 0, "roofline", "", "",                         \
	  "What to measure; see --list experiments.")                                              \
	X(NAME, "name", TEXT, false, 0, 100, "", "", "",                                           \
	  "Name of the run, shown in reports and part of its directory.")                          \
	X(NOTES, "notes", TEXT, false, 0, 10000, "", "", "", "Free text kept with the results.")   \
	X(MACHINE, "machine", WORD, false, 0, 0, "detected", "", "",                               \
	  "Machine model for the theoretical roofs; see --list machines, or a path of a YAML "     \
	  "file.")                                                                                 \
	X(TOPOLOGY, "topology", TEXT, false, 0, 4000, "", "", "",                                  \
	  "Plan for another machine: an hwloc XML file or synthetic:DESCRIPTION. Nothing can be "  \
	  "measured on it.")                                                                       \
	X(ISA, "isa", WORD, true, 0, 0, "auto", "", TP_KERNELS,                                    \
	  "Instruction sets; auto is every one that this CPU and kernel support, widest the one "  \
	  "with the longest vectors. See --list isas.")                                            \
	X(PRECISION, "precision", WORD, true, 0, 0, "double", "double single", TP_KERNELS,         \
	  "Floating point precision.")                                                             \
	X(THREADS, "threads", COUNT, true, 1, 65536, "1", "all", TP_KERNELS " counters",           \
	  "Thread counts; the word all is one thread on every CPU this process may use.")          \
	X(AFFINITY, "affinity", TEXT, false, 0, 4000, "compact", "", "",                           \
	  "Which CPUs the threads are pinned to: compact, scatter, or a list of CPU numbers such " \
	  "as 0,2-5.")                                                                             \
	X(RATIO, "ratio", RATIO, true, 0, 64, "2:1", "best", TP_KERNELS,                           \
	  "Loads to stores: 2:1, 1:0 (load only), 0:1 (store only), or best (roofline: the "       \
	  "fastest at each level).")                                                               \
	X(FP_OP, "fp_op", WORD, true, 0, 0, "fma,add", "add mul div fma fma+add",                  \
	  "roofline mixed", "Floating point instructions whose peak is measured.")                 \
	X(LEVEL, "level", WORD, true, 0, 0, "L1,L2,L3,DRAM", "L1 L2 L3 DRAM",                      \
	  "roofline mixed loaded-latency autotune",                                                \
	  "Memory levels to measure; levels this machine lacks are left out.")                     \
	X(SIZES, "sizes", BYTES, true, 64, 0x1p50, "", "", "memcurve latency",                     \
	  "Working sets per thread; replaces size_min, size_max and points_per_octave.")           \
	X(SIZE_MIN, "size_min", BYTES, false, 64, 0x1p50, "2KiB", "", "memcurve latency",          \
	  "Smallest working set per thread of the curve.")                                         \
	X(SIZE_MAX, "size_max", BYTES, false, 64, 0x1p50, "512MiB", "", "memcurve latency",        \
	  "Largest working set per thread of the curve.")                                          \
	X(POINTS_PER_OCTAVE, "points_per_octave", REAL, false, 0.1, 64, "3", "",                   \
	  "memcurve latency",                                                                      \
	  "Points for each doubling of the size; denser around the reported cache capacities.")    \
	X(PAGES, "pages", WORD, true, 0, 0, "thp", "default thp hugetlb small",                    \
	  TP_KERNELS " autotune",                                                                  \
	  "Pages of the buffers: default (what the kernel gives), thp (ask for transparent huge "  \
	  "pages), hugetlb, small (forbid huge pages); several only for latency.")                 \
	X(STORES, "stores", WORD, true, 0, 0, "normal", "normal nontemporal",                      \
	  "roofline memcurve loaded-latency", "Kind of store instruction.")                        \
	X(THROTTLE, "throttle", COUNT, true, 0, 1e9, "", "", "loaded-latency",                     \
	  "Cycles without memory after each 16 KiB that the other threads stream; without it "     \
	  "from idle to saturation.")                                                              \
	X(CHASE_STRIDE, "chase.stride", BYTES, false, 64, 1 << 20, "64", "", "latency",            \
	  "One pointer of the chase in each so many bytes, at a random place in them.")            \
	X(CHASE_BLOCK, "chase.block", BYTES, false, 0, 0x1p40, "0", "", "latency",                 \
	  "The chase visits all of a block of that size before the next one; 0: no blocks, the "   \
	  "next pointer may be anywhere.")                                                         \
	X(STRIDE, "stride", COUNT, false, 1, 4096, "1", "", "memcurve",                            \
	  "Distance between accesses in vectors; 1 touches every byte.")                           \
	X(FLOPS_PER_BYTE, "intensity", REAL, true, 0.0001, 10000, "", "", "mixed",                 \
	  "Arithmetic intensities of the mixed kernels (FLOP/byte); without it the sweep goes "    \
	  "across the ridge.")                                                                     \
	X(INTENSITY_POINTS, "intensity_points", COUNT, false, 1, 200, "9", "", "mixed",            \
	  "Number of intensities in the sweep across the ridge.")                                  \
	X(FAMILIES, "families", WORD, true, 0, 0,                                                  \
	  "flops,branch,dcache-read,dcache-write,icache,instructions,blas,traffic", "",            \
	  "counters", "Families of counting kernels to run; see --list families.")                 \
	X(SOURCE, "source", WORD, false, 0, 0, "auto", "auto papi emulated", "counters",           \
	  "Who counts: papi (the hardware's events), emulated (the kernels are stepped and drive " \
	  "a model of the core), auto (papi where hardware events start, else emulated).")         \
	X(COUNTERS_EVENTS, "counters.events", WORD, true, 0, 0, "", "", "counters",                \
	  "Only events whose names fit one of these shell patterns, such as *BR_INST*; without "   \
	  "it all.")                                                                               \
	X(COUNTERS_REPETITIONS, "counters.repetitions", COUNT, false, 1, 1000, "2", "",            \
	  "counters", "Readings of each event and row; their differences are its noise.")          \
	X(COUNTERS_GROUP, "counters.group", BOOL, false, 0, 0, "false", "", "counters",            \
	  "PAPI: several events at once where it accepts the set, instead of one a reading.")      \
	X(COUNTERS_SOFTWARE, "counters.software_events", BOOL, false, 0, 0, "false", "",           \
	  "counters",                                                                              \
	  "PAPI: step the kernels and offer the emulated counts as software-defined events.")      \
	X(COUNTERS_HABIT, "counters.habit", WORD, false, 0, 0, "exact", "", "counters",            \
	  "Emulated: whose events; exact has one for everything known; see --list habits.")        \
	X(COUNTERS_MISLEADING, "counters.misleading", COUNT, false, 0, 1000000, "0", "",           \
	  "counters",                                                                              \
	  "Emulated: so many events besides that are scaled, summed, doubled, noisy, constant or " \
	  "like cycles, to see the analysis find its way.")                                        \
	X(COUNTERS_NOISE, "counters.noise", REAL, false, 0, 1, "1%", "", "counters",               \
	  "Emulated: relative noise of the noisy ones.")                                           \
	X(COUNTERS_SCALE, "counters.scale", COUNT, false, 1, 4096, "auto", "auto", "counters",     \
	  "Emulated: the caches are so many times smaller than the machine's (a power of two); "   \
	  "auto keeps the run short.")                                                             \
	X(ROUTINE, "routine", WORD, true, 0, 0, "dgemm", "dgemm sgemm triad", "autotune",          \
	  "Routines whose fastest configuration is searched for: matrix products of a BLAS "       \
	  "(dgemm, sgemm), or TRIAD.")                                                             \
	X(BLAS, "blas", WORD, true, 0, 0, "", "", "autotune",                                      \
	  "BLAS libraries, one search each: openblas, blis, mkl, a soname, or a path; without it " \
	  "the first that is found.")                                                              \
	X(TECHNIQUE, "technique", WORD, true, 0, 0, "racing", "", "autotune",                      \
	  "How to search, one search each: default (fixed numbers of calls), single, hand-time, "  \
	  "hand-accuracy, confidence, c+i, c+i+r, c+i+o, c+i+o+r, racing; c+i/100 with a minimum " \
	  "count.")                                                                                \
	X(SCOPE, "scope", WORD, true, 0, 0, "core", "core socket machine", "autotune",             \
	  "Parts of the machine that work, one search each: one core, the cores of one package, "  \
	  "all cores.")                                                                            \
	X(AUTOTUNE_SPACE, "autotune.space", WORD, false, 0, 0, "default", "default wide small",    \
	  "autotune",                                                                              \
	  "Sizes of the matrices: default (n and m 500 to 4096, k 64 to 2048), wide (64 to 4096, " \
	  "k from 2), small (128 to 500, k from 16: 96 configurations with short calls).")         \
	X(AUTOTUNE_N, "autotune.n", COUNT, true, 1, 1000000, "", "", "autotune",                   \
	  "Columns of the product, instead of those of the space.")                                \
	X(AUTOTUNE_M, "autotune.m", COUNT, true, 1, 1000000, "", "", "autotune",                   \
	  "Rows of the product, instead of those of the space.")                                   \
	X(AUTOTUNE_K, "autotune.k", COUNT, true, 1, 1000000, "", "", "autotune",                   \
	  "Inner sizes of the product, instead of those of the space.")                            \
	X(AUTOTUNE_ELEMENTS, "autotune.elements", COUNT, true, 1, 1e12, "", "", "autotune",        \
	  "Elements of each of the three arrays of TRIAD, all threads together; without it "       \
	  "several sizes inside each level.")                                                      \
	X(AUTOTUNE_SQUARE, "autotune.square", BOOL, false, 0, 0, "false", "", "autotune",          \
	  "Only square products: configurations with m = n.")                                      \
	X(AUTOTUNE_ORDER, "autotune.order", WORD, false, 0, 0, "as-is", "as-is reversed random",   \
	  "autotune", "Order in which configurations are tried; random is drawn from seed.")       \
	X(AUTOTUNE_INVOCATIONS, "autotune.invocations", COUNT, false, 1, 1000, "10", "",           \
	  "autotune",                                                                              \
	  "Most fresh processes for one configuration; in a race those that others disturbed do "  \
	  "not count while it waits for better ones.")                                             \
	X(AUTOTUNE_ITERATIONS, "autotune.iterations", COUNT, false, 1, 1000000, "200", "",         \
	  "autotune", "Most timed calls in one of them.")                                          \
	X(AUTOTUNE_MAX_TIME, "autotune.max_time", SECONDS, false, 0.001, 86400, "10s", "",         \
	  "autotune", "Longest time for one configuration.")                                       \
	X(AUTOTUNE_MIN_COUNT, "autotune.min_count", COUNT, false, 2, 1000000, "2", "", "autotune", \
	  "Fewest calls before a configuration may be stopped as beaten; routines that take long " \
	  "to warm up need about 100.")                                                            \
	X(STOP_CONFIDENCE, "stop.confidence", REAL, false, 0.5, 0.9999, "99%", "",                 \
	  TP_KERNELS " autotune",                                                                  \
	  "Confidence of the interval that the stop rule and the report use.")                     \
	X(STOP_ERROR, "stop.error", REAL, false, 0.0001, 0.5, "1%", "", TP_KERNELS " autotune",    \
	  "Stop when the interval is within this share of the estimate.")                          \
	X(STOP_ERROR_DRAM, "stop.error_dram", REAL, false, 0.0001, 0.5, "2%", "", TP_KERNELS,      \
	  "The same for working sets beyond the last cache, which are noisier by nature.")         \
	X(STOP_BASIS, "stop.basis", WORD, false, 0, 0, "median", "median mean trimmed",            \
	  TP_KERNELS " autotune",                                                                  \
	  "Interval of the median (order statistics), of the mean (Student), or the trimmed rule " \
	  "on groups of samples.")                                                                 \
	X(STOP_MAX_TIME, "stop.max_time", SECONDS, false, 0.001, 86400, "300ms", "", TP_KERNELS,   \
	  "Longest time for one point, after its race; disturbed points use it up.")               \
	X(STOP_MAX_SAMPLES, "stop.max_samples", COUNT, false, 1, 1000000, "1000", "", TP_KERNELS,  \
	  "Most windows for one point.")                                                           \
	X(STOP_MIN_COUNT, "stop.min_count", COUNT, false, 2, 100000, "12", "", TP_KERNELS,         \
	  "Fewest windows before a stop rule may fire.")                                           \
	X(STOP_RACE_COUNT, "stop.race_count", COUNT, false, 2, 10000, "3", "", TP_KERNELS,         \
	  "Fewest windows before a body variant may lose the race for a roof.")                    \
	X(STOP_TRIM_SAMPLES, "stop.trim_samples", COUNT, false, 3, 1000, "5", "", TP_KERNELS,      \
	  "Samples per group of the trimmed rule: smallest and largest are dropped.")              \
	X(STOP_TRIM_TOLERANCE, "stop.trim_tolerance", REAL, false, 0.0001, 1, "2%", "",            \
	  TP_KERNELS,                                                                              \
	  "A kept sample further than this from the group's mean throws the group away.")          \
	X(INVOCATIONS, "invocations", COUNT, false, 1, 1000, "1", "", TP_KERNELS,                  \
	  "Most fresh processes a point is repeated in; the stop rules decide whether all are "    \
	  "needed.")                                                                               \
	X(WINDOW, "window", SECONDS, false, 1e-5, 10, "200us", "", TP_KERNELS,                     \
	  "Target length of one timed window.")                                                    \
	X(CACHE_STATE, "cache", WORD, false, 0, 0, "hot", "hot cold", "memcurve",                  \
	  "hot: the working set is walked before timing; cold: it is evicted before every "        \
	  "window.")                                                                               \
	X(SHUFFLE, "shuffle", BOOL, false, 0, 0, "false", "", "",                                  \
	  "Measure the points in a random order (from seed), so that drift does not look like a "  \
	  "trend.")                                                                                \
	X(SEED, "seed", COUNT, false, 0, 4294967295.0, "1", "", "",                                \
	  "Seed of every random choice.")                                                          \
	X(CACHE_L1, "cache_size.L1", BYTES, false, 0, 0x1p50, "0", "", "",                         \
	  "Capacity of L1 for one core, instead of the reported one (0: as reported).")            \
	X(CACHE_L2, "cache_size.L2", BYTES, false, 0, 0x1p50, "0", "", "",                         \
	  "Capacity of L2 for one core, instead of the reported one (0: as reported).")            \
	X(CACHE_L3, "cache_size.L3", BYTES, false, 0, 0x1p50, "0", "", "",                         \
	  "Capacity of L3 of one cache, instead of the reported one (0: as reported).")            \
	X(KNOBS_GOVERNOR, "knobs.governor", WORD, false, 0, 0, "keep", "", "",                     \
	  "Frequency governor during the run, such as performance; keep leaves it alone.")         \
	X(KNOBS_FREQUENCY, "knobs.frequency", COUNT, false, 100, 20000, "keep",                    \
	  "keep min base max", "", "Frequency in MHz that the CPUs are held at during the run.")   \
	X(KNOBS_TURBO, "knobs.turbo", WORD, false, 0, 0, "keep", "keep on off", "",                \
	  "Turbo (boost) during the run.")                                                         \
	X(KNOBS_THP, "knobs.thp", WORD, false, 0, 0, "keep", "keep always madvise never", "",      \
	  "Transparent huge pages of the system during the run.")                                  \
	X(KNOBS_NUMA_BALANCING, "knobs.numa_balancing", WORD, false, 0, 0, "keep", "keep on off",  \
	  "", "Automatic NUMA balancing during the run.")                                          \
	X(KNOBS_SCHEDULER, "knobs.scheduler", WORD, false, 0, 0, "keep", "keep other batch fifo",  \
	  "", "Scheduling class of the measuring process; fifo is real-time, of priority 1.")      \
	X(KNOBS_PRIORITY, "knobs.priority", REAL, false, -20, 19, "keep", "keep", "",              \
	  "Nice value of the measuring process, a whole number; lower ones come first.")

enum tp_option_id {
#define TP_OPTION_ENUM(id, ...) TP_OPT_##id,
	TP_OPTION_LIST(TP_OPTION_ENUM)
#undef TP_OPTION_ENUM
		TP_OPT_COUNT
};

struct tp_option {
	enum tp_option_id id;
	const char *key;
	enum tp_option_type type;
	bool list;
	double min, max;
	const char *fallback; /* default, as text; lists separated by commas */
	const char *
		words; /* allowed words, space-separated, or "" (WORD: any; COUNT, RATIO: none but numbers) */
	const char *experiments; /* space-separated, or "" for all */
	const char *help;
};

extern const struct tp_option tp_option_table[TP_OPT_COUNT];
const struct tp_option *tp_option_find(
	const char *key); /* NULL if there is none; '-' and '_' are alike */
/* The key nearest to a mistyped one, or NULL. */
const char *tp_option_nearest(const char *key);
/* True if an experiment uses the option. */
bool tp_option_belongs(const struct tp_option *option, const char *experiment);

/* One value. Which member holds it follows from the option's type. */
struct tp_scalar {
	const char *text; /* always: as written, canonical ("32KiB", "2:1", "avx2") */
	uint64_t count; /* COUNT, BYTES, BOOL (0/1); COUNT written as "all" is UINT64_MAX */
	double real; /* REAL, SECONDS, and COUNT/BYTES as double */
	unsigned loads, stores; /* RATIO; both 0 means "best" */
};

/* Where a value came from, weakest first. */
enum tp_value_source {
	TP_FROM_DEFAULT,
	TP_FROM_SYSTEM,
	TP_FROM_USER_CONFIG,
	TP_FROM_PRESET,
	TP_FROM_ENVIRONMENT,
	TP_FROM_COMMAND_LINE
};

struct tp_value {
	struct tp_scalar *items;
	size_t n;
	enum tp_value_source source;
	char where[96]; /* "file.yaml:3:7", "--set", "TPROF_THREADS" */
};

/* Every option of one experiment run, resolved. Lists may be empty only if the default is "". */
struct tp_config {
	struct tp_value values[TP_OPT_COUNT];
};

/* Readers; the item 0 forms return the default of the type (0, "") for an empty value. */
const char *tp_config_text(const struct tp_config *config, enum tp_option_id id);
uint64_t tp_config_count(const struct tp_config *config, enum tp_option_id id);
double tp_config_real(const struct tp_config *config, enum tp_option_id id);
const struct tp_value *tp_config_value(const struct tp_config *config, enum tp_option_id id);

/* Every option at its built-in default. Fails only for want of memory. */
enum tp_status tp_config_defaults(struct tp_config *config, struct tp_arena *arena,
				  struct tp_diag *diag);

/* The items separated by commas: what tp_option_parse reads. */
void tp_value_text(const struct tp_value *value, struct tp_str *out);
/* Same items; where they came from does not matter. */
bool tp_value_equal(const struct tp_value *a, const struct tp_value *b);

enum { TP_LIST_MAX = 1024 };

/*
 * Parses `text` (a scalar or, for lists, comma-separated scalars, optionally in [ ]) into `value` after checking type,
 * range and words. On error the diagnosis says what was found, what is allowed and the nearest word, with the key as
 * `where`; `value` is untouched. On success `value` is from TP_FROM_DEFAULT and no place: the caller fills them in. A list
 * holds at most TP_LIST_MAX items, all different. An empty text is a value (of no items) only where the default is "".
 */
enum tp_status tp_option_parse(const struct tp_option *option, const char *text,
			       struct tp_arena *arena, struct tp_value *value,
			       struct tp_diag *diag);

/* The same for one item of `len` bytes that need no terminator. */
enum tp_status tp_scalar_parse(const struct tp_option *option, const char *text, size_t len,
			       struct tp_arena *arena, struct tp_scalar *scalar,
			       struct tp_diag *diag);
/* TP_USAGE if the last of `n` items is there already. */
enum tp_status tp_list_check(const struct tp_option *option, const struct tp_scalar *items,
			     size_t n, struct tp_diag *diag);

/* "a number from 1 to 65536, or a list of them", "one of double, single", ... into out. */
const char *tp_option_allowed(const struct tp_option *option, char *out, size_t size);

#endif
