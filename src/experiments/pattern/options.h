/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TPROF_EXPERIMENTS_PATTERN_OPTIONS_H
#define TPROF_EXPERIMENTS_PATTERN_OPTIONS_H

#include "preset/options.h"

#define TP_PATTERN_OPTIONS(X)                                                                      \
	X(PATTERN, "pattern", WORD, true, 0, 0, "triad", "",                                       \
	  "Patterns by name, as --list patterns shows them, or paths of files that end in .yaml.", \
	  .code = true, TP_FORM(WHAT, 61))                                                         \
	X(PATTERN_PARAMETERS, "pattern.parameters", TEXT, true, 0, 4000, "", "",                   \
	  "Values of parameters, each as NAME=VALUES: n=1000, \"tile=16 32 64\", tile=16..256*2 "  \
	  "(times two), k=3..20 (one by one). template and nowait are parameters of every "        \
	  "pattern. A sweep runs through all combinations. pattern.NAME: VALUES is one of them.",  \
	  .collects = true, TP_FORM(WHAT, 62))                                                     \
	X(PATTERN_N_FROM, "pattern.n_from", WORD, false, 0, 0, "auto", "auto pattern level curve", \
	  "Where the values of the parameter n come from.",                                        \
	  .meanings = "auto\tlevel or curve if level, size_min or size_max are not the usual "     \
		      "ones, else pattern\n"                                                       \
		      "pattern\tthose of the pattern, or of pattern.n\n"                           \
		      "level\tas large as fits into each level that the option level names\n"      \
		      "curve\tthe working sets of a curve: size_min, size_max, "                   \
		      "points_per_octave\n",                                                       \
	  TP_FORM(WHAT, 63), .form_tells = true)                                                   \
	X(PATTERN_WHERE, "pattern.where", TEXT, true, 0, 1000, "", "",                             \
	  "Conditions that combinations of parameters meet, such as tile_i <= n; the others "      \
	  "are left out.",                                                                         \
	  TP_FORM_MORE(WHAT, 64))                                                                  \
	X(PATTERN_COMPILER, "pattern.compiler", TEXT, false, 0, 4000, "", "",                      \
	  "The C compiler: a name or a path; without it cc, gcc or clang. The word prebuilt "      \
	  "takes what was compiled with tprof.",                                                   \
	  .offers = "gcc prebuilt", .code = true, TP_FORM_MORE(WHAT, 66))                          \
	X(PATTERN_CFLAGS, "pattern.cflags", TEXT, false, 0, 1000, "-O3 -march=native -fopenmp",    \
	  "", "Flags of the compiler, with blanks between them.", .code = true,                    \
	  TP_FORM_MORE(WHAT, 68))

TP_PATTERN_OPTIONS(TP_OPTION_DECLARE)

#endif
