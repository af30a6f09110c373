/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TPROF_EXPERIMENTS_TRAFFIC_OPTIONS_H
#define TPROF_EXPERIMENTS_TRAFFIC_OPTIONS_H

#include "preset/options.h"

#define TP_TRAFFIC_OPTIONS(X)                                                                      \
	X(TRAFFIC_KERNELS, "traffic.kernels", WORD, true, 0, 0, "gemm,capped-gemv,resort,dot", "", \
	  "Operations whose traffic with memory is known: dot, gemv, capped-gemv, gemm, resort.",  \
	  TP_FORM(WHAT, 11600))                                                                    \
	X(TRAFFIC_SIZES, "traffic.sizes", COUNT, true, 8, 1e9, "auto", "auto",                     \
	  "Sizes N, rounded to odd numbers of cache lines; auto: 12 for each operation, on both "  \
	  "sides of where the data that it uses again fill the last cache.",                       \
	  .offers = "auto 64 128 256 512 1024 2048", TP_FORM(WHAT, 11610))                         \
	X(TRAFFIC_SOURCE, "traffic.source", WORD, false, 0, 0, "emulated",                         \
	  "emulated counters none",                                                                \
	  "Who counts the traffic: emulated (the code is stepped through a model of the caches, "  \
	  "which any machine can do), counters (events of PAPI and perf), none (nothing is "       \
	  "counted, only expected).",                                                              \
	  .meanings = "emulated\tthe code is stepped through a model of the caches\n"              \
		      "counters\tevents of PAPI and perf\n"                                        \
		      "none\tnothing is counted, only expected\n",                                 \
	  TP_FORM(WHAT, 11620), .form_tells = true)                                                \
	X(TRAFFIC_READS, "traffic.reads", WORD, true, 0, 0, "", "",                                \
	  "Events that count what is read from memory: names or shell patterns, see --list "       \
	  "events; their sum is taken. By default the memory controllers of Intel and of POWER.",  \
	  TP_FORM_MORE(WHAT, 11630))                                                               \
	X(TRAFFIC_WRITES, "traffic.writes", WORD, true, 0, 0, "", "",                              \
	  "Events that count what is written to memory, in the same way.",                         \
	  TP_FORM_MORE(WHAT, 11640))                                                               \
	X(TRAFFIC_UNIT, "traffic.unit", BYTES, false, 1, 4096, "64", "",                           \
	  "Bytes that one count of these events stands for.", TP_FORM_MORE(WHAT, 11650))           \
	X(TRAFFIC_CACHE, "traffic.cache", BYTES, false, 8192, 1 << 20, "16KiB", "",                \
	  "Emulated: size of the model's last cache. Stepping takes time, so it is smaller than "  \
	  "that of the machine, and so are the sizes.",                                            \
	  .offers = "16KiB 32KiB 64KiB", TP_FORM_MORE(WHAT, 11660))

TP_TRAFFIC_OPTIONS(TP_OPTION_DECLARE)

#endif
