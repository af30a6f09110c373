/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TPROF_EXPERIMENTS_AUTOTUNE_OPTIONS_H
#define TPROF_EXPERIMENTS_AUTOTUNE_OPTIONS_H

#include "preset/options.h"

#define TP_AUTOTUNE_OPTIONS(X)                                                                     \
	X(ROUTINE, "routine", WORD, true, 0, 0, "dgemm", "dgemm sgemm triad",                      \
	  "Routines whose fastest configuration is searched for: matrix products of a "            \
	  "BLAS (dgemm, sgemm), or TRIAD.",                                                        \
	  TP_FORM(WHAT, 80), .form_tells = true)                                                   \
	X(BLAS, "blas", WORD, true, 0, 0, "", "",                                                  \
	  "BLAS libraries, one search each: openblas, blis, mkl, a soname, or a path; "            \
	  "without it the first that is found.",                                                   \
	  .offers = "openblas blis mkl", .code = true, TP_FORM_MORE(WHAT, 90))                     \
	X(TECHNIQUE, "technique", WORD, true, 0, 0, "racing", "",                                  \
	  "How to search, one search each: default (fixed numbers of calls), single, "             \
	  "hand-time, hand-accuracy, confidence, c+i, c+i+r, c+i+o, c+i+o+r, racing; "             \
	  "c+i/100 with a minimum count.",                                                         \
	  TP_FORM(WHAT, 100), .form_tells = true)                                                  \
	X(SCOPE, "scope", WORD, true, 0, 0, "core", "core socket machine",                         \
	  "Parts of the machine that work, one search each: one core, the cores of one "           \
	  "package, all cores.",                                                                   \
	  .meanings = "core\tone core\n"                                                           \
		      "socket\tthe cores of one package\n"                                         \
		      "machine\tall cores\n",                                                      \
	  TP_FORM(WHERE, 20), .form_tells = true)                                                  \
	X(AUTOTUNE_SPACE, "autotune.space", WORD, false, 0, 0, "default", "default wide small",    \
	  "Sizes of the matrices: default (n and m 500 to 4096, k 64 to 2048), wide (64 "          \
	  "to 4096, k from 2), small (128 to 500, k from 16: 96 configurations with "              \
	  "short calls).",                                                                         \
	  .meanings = "default\tn and m from 500 to 4096, k from 64 to 2048: minutes\n"            \
		      "wide\tn and m from 64 to 4096, k from 2 to 2048\n"                          \
		      "small\tn and m from 128 to 500, k from 16 to 500: seconds\n",               \
	  TP_FORM(WHAT, 110), .form_tells = true)                                                  \
	X(AUTOTUNE_N, "autotune.n", COUNT, true, 1, 1000000, "", "",                               \
	  "Columns of the product, instead of those of the space.", TP_FORM_MORE(WHAT, 120))       \
	X(AUTOTUNE_M, "autotune.m", COUNT, true, 1, 1000000, "", "",                               \
	  "Rows of the product, instead of those of the space.", TP_FORM_MORE(WHAT, 130))          \
	X(AUTOTUNE_K, "autotune.k", COUNT, true, 1, 1000000, "", "",                               \
	  "Inner sizes of the product, instead of those of the space.", TP_FORM_MORE(WHAT, 140))   \
	X(AUTOTUNE_ELEMENTS, "autotune.elements", COUNT, true, 1, 1e12, "", "",                    \
	  "Elements of each of the three arrays of TRIAD, all threads together; without "          \
	  "it several sizes inside each level.",                                                   \
	  TP_FORM_MORE(WHAT, 160))                                                                 \
	X(AUTOTUNE_SQUARE, "autotune.square", BOOL, false, 0, 0, "false", "",                      \
	  "Only square products: configurations with m = n.", TP_FORM_MORE(WHAT, 150))             \
	X(AUTOTUNE_ORDER, "autotune.order", WORD, false, 0, 0, "as-is", "as-is reversed random",   \
	  "Order in which configurations are tried; random is drawn from seed.")                   \
	X(AUTOTUNE_INVOCATIONS, "autotune.invocations", COUNT, false, 1, 1000, "10", "",           \
	  "Largest number of fresh processes for one configuration; a race does not count "        \
	  "those that others disturbed while it waits for undisturbed ones.",                      \
	  .offers = "1 3 5 10", TP_FORM(HOW_LONG, 40))                                             \
	X(AUTOTUNE_ITERATIONS, "autotune.iterations", COUNT, false, 1, 1000000, "200", "",         \
	  "Largest number of timed calls in one process.", .offers = "10 50 100 200 500",          \
	  TP_FORM(HOW_LONG, 50))                                                                   \
	X(AUTOTUNE_MAX_TIME, "autotune.max_time", SECONDS, false, 0.001, 86400, "10s", "",         \
	  "Longest time for one configuration.", .offers = "500ms 1s 2s 5s 10s 30s",               \
	  TP_FORM(HOW_LONG, 30))                                                                   \
	X(AUTOTUNE_MIN_COUNT, "autotune.min_count", COUNT, false, 2, 1000000, "2", "",             \
	  "A configuration may be stopped as beaten after this many calls; routines that "         \
	  "take long to warm up need about 100.")

TP_AUTOTUNE_OPTIONS(TP_OPTION_DECLARE)

#endif
