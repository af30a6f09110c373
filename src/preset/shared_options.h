/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options that belong to no single experiment. Those with .for_all are used by every experiment; an
 * experiment names the others that it uses in its group of options (tp_option_group).
 */
#ifndef TPROF_PRESET_SHARED_OPTIONS_H
#define TPROF_PRESET_SHARED_OPTIONS_H

#include "preset/options.h"

/* What experiments use whose points are windows: of any code, and of emitted kernels. */
#define TP_USES_STOP                                                                               \
	"threads stop.confidence stop.error stop.error_dram stop.basis stop.max_time "             \
	"stop.max_samples stop.min_count stop.trim_samples stop.trim_tolerance stop.sigmas "       \
	"invocations measure_again window"
#define TP_USES_WINDOWS TP_USES_STOP " isa precision ratio pages stop.race_count"

/* They stand before the options of experiments ... */
#define TP_OPTIONS_FIRST(X)                                                                        \
	X(EXPERIMENT, "experiment", WORD, false, 0, 0, "roofline", "", "What to measure.",         \
	  .command_line = "See --list experiments.", .for_all = true, TP_FORM(WHAT, 10))           \
	X(NAME, "name", TEXT, false, 0, 100, "", "",                                               \
	  "Name of the run, shown in reports and part of its directory.", .for_all = true)         \
	X(NOTES, "notes", TEXT, false, 0, 10000, "", "", "Free text kept with the results.",       \
	  .for_all = true)                                                                         \
	X(MACHINE, "machine", WORD, false, 0, 0, "detected", "",                                   \
	  "Machine model for the theoretical roofs: a name, or a path of a YAML file.",            \
	  .command_line = "See --list machines.", .for_all = true, TP_FORM(WHERE, 50))             \
	X(TOPOLOGY, "topology", TEXT, false, 0, 4000, "", "",                                      \
	  "Plan for another machine: an hwloc XML file or synthetic:DESCRIPTION. It can be "       \
	  "simulated, not measured.",                                                              \
	  .for_all = true, TP_FORM_MORE(WHERE, 60))                                                \
	X(SIMULATE, "simulate", WORD, false, 0, 0, "off", "",                                      \
	  "Simulate the machine instead of measuring one: off, or what disturbs it (quiet: "       \
	  "nothing). Any machine or topology can be simulated; seed draws the noise.",             \
	  .for_all = true, TP_FORM_MORE(WHERE, 65))                                                \
	X(ISA, "isa", WORD, true, 0, 0, "auto", "",                                                \
	  "Instruction sets; auto is every one that this CPU and kernel support, widest "          \
	  "the one with the longest vectors.",                                                     \
	  .command_line = "See --list isas.", TP_FORM(WHAT, 170))                                  \
	X(PRECISION, "precision", WORD, true, 0, 0, "double", "double single half bf16 int8",      \
	  "Precision. half, bf16 and int8 have few operations (fp_op), and only roofline "         \
	  "measures them. A multiply-add of integers counts as two FLOP, too.",                    \
	  .meanings = "double\t8 bytes an element\n"                                               \
		      "single\t4 bytes an element\n"                                               \
		      "half\t2 bytes, floating point of IEEE 754: fma\n"                           \
		      "bf16\t2 bytes, the upper half of a float: dot, tile\n"                      \
		      "int8\t1 byte, an integer: dot, tile\n",                                     \
	  TP_FORM(WHAT, 180))                                                                      \
	X(THREADS, "threads", COUNT, true, 1, 65536, "1", "all",                                   \
	  "Thread counts; the word all is one thread on every CPU this process may use.",          \
	  TP_FORM(WHERE, 10))                                                                      \
	X(AFFINITY, "affinity", TEXT, false, 0, 4000, "compact", "",                               \
	  "Which CPUs the threads are pinned to: compact, scatter, kind:N (a kind of cores "       \
	  "of a hybrid CPU), or a list of CPU numbers such as 0,2-5.",                             \
	  .offers = "compact scatter",                                                             \
	  .meanings = "compact\tneighbouring cores first\n"                                        \
		      "scatter\tround robin over sockets and memory nodes\n",                      \
	  .for_all = true, TP_FORM(WHERE, 30))                                                     \
	X(RATIO, "ratio", RATIO, true, 0, 64, "2:1", "best",                                       \
	  "Loads to stores: 2:1, 1:0 (load only), 0:1 (store only), or best (roofline: "           \
	  "the fastest at each level).",                                                           \
	  .offers = "1:0 2:1 1:1 0:1 best",                                                        \
	  .meanings = "1:0\tloads only\n"                                                          \
		      "2:1\ttwo loads for each store, as in a triad\n"                             \
		      "1:1\ta load for each store, as in a copy\n"                                 \
		      "0:1\tstores only\n"                                                         \
		      "best\tthe fastest ratio of each level is searched (roofline)\n",            \
	  TP_FORM(WHAT, 190), .form_tells = true)                                                  \
	X(KERNEL, "kernel", WORD, true, 0, 0, "", "copy scale add triad daxpy dot update",         \
	  "Kernels by familiar names, instead of ratio: copy and scale read one array and "        \
	  "write one, add and triad read two and write one, daxpy and update change one in "       \
	  "place, dot only reads. Arithmetic runs on registers beside the loads and stores; "      \
	  "the result is a bandwidth.",                                                            \
	  .meanings = "copy\tc = a\n"                                                              \
		      "scale\tc = s * a\n"                                                         \
		      "add\tc = a + b\n"                                                           \
		      "triad\tc = a + s * b\n"                                                     \
		      "daxpy\ty = y + s * x\n"                                                     \
		      "dot\tsum of a * b\n"                                                        \
		      "update\ta = s * a\n",                                                       \
	  TP_FORM_MORE(WHAT, 195), .form_tells = true)                                             \
	X(FP_OP, "fp_op", WORD, true, 0, 0, "fma,add", "add mul div fma fma+add dot tile",         \
	  "Instructions whose peak is measured; dot and tile are for bf16 and int8.",              \
	  TP_FORM(WHAT, 200), .form_tells = true)                                                  \
	X(LEVEL, "level", WORD, true, 0, 0, "L1,L2,L3,DRAM", "L1 L2 L3 DRAM",                      \
	  "Memory levels to measure; levels this machine lacks are left out.", TP_FORM(WHAT, 210)) \
	X(SIZES, "sizes", BYTES, true, 64, 0x1p50, "", "",                                         \
	  "Working sets per thread; replaces size_min, size_max and points_per_octave.",           \
	  TP_FORM_MORE(WHAT, 270))                                                                 \
	X(SIZE_MIN, "size_min", BYTES, false, 64, 0x1p50, "2KiB", "",                              \
	  "Smallest working set per thread of the curve.", TP_FORM(WHAT, 240))                     \
	X(SIZE_MAX, "size_max", BYTES, false, 64, 0x1p50, "512MiB", "",                            \
	  "Largest working set per thread of the curve; unless given, at least four times the "    \
	  "last cache, where sets beyond 512 MiB are not walked in a memory curve.",               \
	  TP_FORM(WHAT, 250))                                                                      \
	X(POINTS_PER_OCTAVE, "points_per_octave", REAL, false, 0.1, 64, "3", "",                   \
	  "Points for each doubling of the size; denser around the reported cache "                \
	  "capacities.",                                                                           \
	  .offers = "1 2 3 4 6 8 12 16", TP_FORM(WHAT, 260))                                       \
	X(PAGES, "pages", WORD, true, 0, 0, "thp", "default thp hugetlb small",                    \
	  "Pages of the buffers: default (what the kernel gives), thp (ask for "                   \
	  "transparent huge pages), hugetlb, small (forbid huge pages); several only for "         \
	  "latency.",                                                                              \
	  .meanings = "default\twhat the kernel gives\n"                                           \
		      "thp\tasks for transparent huge pages\n"                                     \
		      "hugetlb\thuge pages that were set aside before\n"                           \
		      "small\tno huge pages\n",                                                    \
	  TP_FORM(WHERE, 40))                                                                      \
	X(STORES, "stores", WORD, true, 0, 0, "normal", "normal nontemporal",                      \
	  "Kind of store instruction.",                                                            \
	  .meanings = "normal\tthrough the caches\n"                                               \
		      "nontemporal\tpast the caches\n",                                            \
	  TP_FORM_MORE(WHAT, 290))

/* ... and after them. */
#define TP_OPTIONS_LAST(X)                                                                         \
	X(STOP_CONFIDENCE, "stop.confidence", REAL, false, 0.5, 0.9999, "99%", "",                 \
	  "Confidence of the interval that the stop rule and the report use.",                     \
	  .offers = "90% 95% 99% 99.9%", TP_FORM_MORE(HOW_LONG, 110))                              \
	X(STOP_ERROR, "stop.error", REAL, false, 0.0001, 0.5, "1%", "",                            \
	  "Stop when the interval is within this share of the estimate.",                          \
	  .offers = "0.2% 0.5% 1% 2% 5% 10%", TP_FORM(HOW_LONG, 10))                               \
	X(STOP_ERROR_DRAM, "stop.error_dram", REAL, false, 0.0001, 0.5, "2%", "",                  \
	  "The same for working sets beyond the last cache, which are noisier by nature.",         \
	  .offers = "0.2% 0.5% 1% 2% 5% 10%", TP_FORM_MORE(HOW_LONG, 120))                         \
	X(STOP_BASIS, "stop.basis", WORD, false, 0, 0, "median", "median mean trimmed sigma",      \
	  "Interval of the median (order statistics), of the mean (Student), the trimmed rule on " \
	  "groups of samples, or the mean without outliers.",                                      \
	  .meanings = "median\torder statistics: holds for any distribution\n"                     \
		      "mean\tStudent's t\n"                                                        \
		      "trimmed\tgroups of samples without their extremes\n"                        \
		      "sigma\tthe mean of those within some standard deviations of the mean\n",    \
	  TP_FORM_MORE(HOW_LONG, 130))                                                             \
	X(STOP_MAX_TIME, "stop.max_time", SECONDS, false, 0.001, 86400, "300ms", "",               \
	  "Longest time for one point, after its race; disturbed points use it up.",               \
	  .offers = "50ms 100ms 200ms 300ms 500ms 1s 2s 5s 10s", TP_FORM(HOW_LONG, 20))            \
	X(STOP_RUN_TIME, "stop.run_time", SECONDS, false, 1, 8640000, "auto", "auto off",          \
	  "No point begins later than this after the first one; resuming the run measures "        \
	  "the rest. auto: three times the estimate and ten seconds, "                             \
	  "where only "                                                                            \
	  "kernels that tprof writes itself are measured; else off.",                              \
	  .for_all = true, .offers = "auto 10s 30s 1min 5min 1h off", TP_FORM_MORE(HOW_LONG, 135)) \
	X(STOP_MAX_SAMPLES, "stop.max_samples", COUNT, false, 1, 1000000, "1000", "",              \
	  "Largest number of windows for one point.", TP_FORM_MORE(HOW_LONG, 140))                 \
	X(STOP_MIN_COUNT, "stop.min_count", COUNT, false, 2, 100000, "12", "",                     \
	  "A stop rule may end a point after this many windows; the trimmed rule, after a group.", \
	  TP_FORM_MORE(HOW_LONG, 150))                                                             \
	X(STOP_RACE_COUNT, "stop.race_count", COUNT, false, 2, 10000, "3", "",                     \
	  "A body variant may lose the race for a roof after this many windows.",                  \
	  TP_FORM_MORE(HOW_LONG, 160))                                                             \
	X(STOP_TRIM_SAMPLES, "stop.trim_samples", COUNT, false, 3, 1000, "5", "",                  \
	  "Samples per group of the trimmed rule: smallest and largest are dropped.",              \
	  TP_FORM_MORE(HOW_LONG, 170))                                                             \
	X(STOP_TRIM_TOLERANCE, "stop.trim_tolerance", REAL, false, 0.0001, 1, "2%", "",            \
	  "A group is dropped if a kept sample is further than this from its mean.",               \
	  TP_FORM_MORE(HOW_LONG, 180))                                                             \
	X(STOP_SIGMAS, "stop.sigmas", REAL, false, 1, 10, "3", "",                                 \
	  "With stop.basis: sigma, samples that are more than this many standard deviations from " \
	  "the mean do not count.",                                                                \
	  .offers = "2 2.5 3 4", TP_FORM_MORE(HOW_LONG, 185))                                      \
	X(INVOCATIONS, "invocations", COUNT, false, 1, 1000, "1", "",                              \
	  "How often a point is repeated in a fresh process, at most; the stop rules may end it "  \
	  "earlier.")                                                                              \
	X(MEASURE_AGAIN, "measure_again", BOOL, false, 0, 0, "true", "",                           \
	  "Measure a point once more at the end of the run if its result contradicts others: a "   \
	  "cache that is slower than the next level, a dot above its roof.",                       \
	  TP_FORM_MORE(HOW_LONG, 190))                                                             \
	X(WINDOW, "window", SECONDS, false, 1e-5, 10, "200us", "",                                 \
	  "Target length of one timed window.", .offers = "50us 100us 200us 500us 1ms 2ms 5ms")    \
	X(CACHE_STATE, "cache", WORD, false, 0, 0, "hot", "hot cold",                              \
	  "hot: the working set is walked before timing; cold: it is evicted before "              \
	  "every window.",                                                                         \
	  .meanings = "hot\twalked before timing\n"                                                \
		      "cold\tevicted before every window\n",                                       \
	  TP_FORM_MORE(WHAT, 310))                                                                 \
	X(DRAM, "dram", WORD, false, 0, 0, "auto", "auto flushed walked",                          \
	  "How points in memory get past the caches. auto: loads read lines that were flushed "    \
	  "right before; kernels that store walk through several times the last cache, as all "    \
	  "kernels do if lines cannot be flushed. walked: all kernels walk. flushed: no kernel "   \
	  "walks, for comparison; what it costs to write stored lines back is then not seen.",     \
	  .meanings = "auto\tloads are flushed, stores walk\n"                                     \
		      "flushed\tstores, too (too fast)\n"                                          \
		      "walked\tpast the last cache\n",                                             \
	  TP_FORM_MORE(WHAT, 312))                                                                 \
	X(EVENTS, "events", WORD, true, 0, 0, "", "",                                              \
	  "Events that are counted in addition to the time, one at a time while the same code "    \
	  "runs again: "                                                                           \
	  "names of perf-list(1) or of PAPI, and stepped_instructions, which any machine counts.", \
	  TP_FORM_MORE(WHAT, 315))                                                                 \
	X(SHUFFLE, "shuffle", BOOL, false, 0, 0, "false", "",                                      \
	  "Measure the points in a random order (from seed), so that drift does not look "         \
	  "like a trend.",                                                                         \
	  .for_all = true)                                                                         \
	X(SEED, "seed", COUNT, false, 0, 4294967295.0, "1", "", "Seed of every random choice.",    \
	  .for_all = true)                                                                         \
	X(WHERE, "where", TEXT, true, 0, 500, "", "",                                              \
	  "Conditions on the points, such as threads <= 2 and isa == \"avx2\": points that "       \
	  "do not meet all of them are not measured.",                                             \
	  .for_all = true, TP_FORM_MORE(WHAT, 336))                                                \
	X(DERIVED, "derived", TEXT, true, 0, 500, "", "",                                          \
	  "Columns that are computed from others, as NAME=EXPRESSION: "                            \
	  "cost=median_gbps/threads.",                                                             \
	  .for_all = true, TP_FORM_MORE(WHAT, 338))                                                \
	X(DOTS, "dots", DOT, true, 0, 0, "", "",                                                   \
	  "Own dots of rooflines, each in quotes: a name, FLOP/byte and GFLOP/s, as in "           \
	  "\"spmv:0.17,3.2\". They are drawn, and the report names the roof above each.",          \
	  .for_all = true, TP_FORM_MORE(WHAT, 340))                                                \
	X(CACHE_L1, "cache_size.L1", BYTES, false, 0, 0x1p50, "0", "",                             \
	  "Capacity of L1 for one core, instead of the reported one (0: as reported).",            \
	  .for_all = true, TP_FORM_MORE(WHERE, 70))                                                \
	X(CACHE_L2, "cache_size.L2", BYTES, false, 0, 0x1p50, "0", "",                             \
	  "Capacity of L2 for one core, instead of the reported one (0: as reported).",            \
	  .for_all = true, TP_FORM_MORE(WHERE, 80))                                                \
	X(CACHE_L3, "cache_size.L3", BYTES, false, 0, 0x1p50, "0", "",                             \
	  "Capacity of L3 of one cache, instead of the reported one (0: as reported).",            \
	  .for_all = true, TP_FORM_MORE(WHERE, 90))                                                \
	X(SHARERS, "sharers", COUNT, false, 1, 4096, "1", "",                                      \
	  "Processes on this host that measure at the same time, each on its own CPUs, equally "   \
	  "many: shared caches and the memory are divided among them.",                            \
	  .for_all = true)                                                                         \
	X(KNOBS_GOVERNOR, "knobs.governor", WORD, false, 0, 0, "keep", "",                         \
	  "Frequency governor during the run, such as performance; keep leaves it alone.",         \
	  .offers = "keep performance powersave schedutil ondemand", .for_all = true,              \
	  TP_FORM_MORE(STATE, 10))                                                                 \
	X(KNOBS_FREQUENCY, "knobs.frequency", COUNT, false, 100, 20000, "keep",                    \
	  "keep min base max", "Frequency in MHz that the CPUs are held at during the run.",       \
	  .for_all = true, TP_FORM_MORE(STATE, 20))                                                \
	X(KNOBS_TURBO, "knobs.turbo", WORD, false, 0, 0, "keep", "keep on off",                    \
	  "Turbo (boost) during the run.", .for_all = true, TP_FORM_MORE(STATE, 30))               \
	X(KNOBS_THP, "knobs.thp", WORD, false, 0, 0, "keep", "keep always madvise never",          \
	  "Transparent huge pages of the system during the run.", .for_all = true,                 \
	  TP_FORM_MORE(STATE, 40))                                                                 \
	X(KNOBS_NUMA_BALANCING, "knobs.numa_balancing", WORD, false, 0, 0, "keep", "keep on off",  \
	  "Automatic NUMA balancing during the run.", .for_all = true, TP_FORM_MORE(STATE, 50))    \
	X(KNOBS_SCHEDULER, "knobs.scheduler", WORD, false, 0, 0, "keep", "keep other batch fifo",  \
	  "Scheduling class of the measuring process; fifo is real-time, of priority 1.",          \
	  .meanings = "fifo\treal-time, of priority 1\n", .for_all = true,                         \
	  TP_FORM_MORE(STATE, 60))                                                                 \
	X(KNOBS_PRIORITY, "knobs.priority", REAL, false, -20, 19, "keep", "keep",                  \
	  "Nice value of the measuring process, a whole number; lower ones come first.",           \
	  .offers = "keep -20 -10 -5 0 5 10 19", .for_all = true, TP_FORM_MORE(STATE, 70))

TP_OPTIONS_FIRST(TP_OPTION_DECLARE)
TP_OPTIONS_LAST(TP_OPTION_DECLARE)

#endif
