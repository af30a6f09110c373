/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TPROF_EXPERIMENTS_APP_OPTIONS_H
#define TPROF_EXPERIMENTS_APP_OPTIONS_H

#include "preset/options.h"

#define TP_APP_OPTIONS(X)                                                                          \
	X(APP_COMMAND, "app.command", TEXT, false, 0, 4000, "", "",                                \
	  "The program and its arguments, with blanks between them; double quotes hold an "        \
	  "argument with blanks together. No shell reads it. tprof --app -- PROGRAM ARGUMENTS "    \
	  "sets it.",                                                                              \
	  .code = true, TP_FORM(WHAT, 10800))                                                      \
	X(APP_SOURCE, "app.source", WORD, false, 0, 0, "auto",                                     \
	  "auto instrument agent qemu pmu both",                                                   \
	  "How floating-point operations and bytes are counted.",                                  \
	  .meanings = "auto\twhat works for this program here\n"                                   \
		      "instrument\tevery instruction: agent, or else qemu\n"                       \
		      "agent\tevery instruction, by code that tprof puts into the program\n"       \
		      "qemu\tevery instruction, in an emulator\n"                                  \
		      "pmu\tcounters of the CPU\n"                                                 \
		      "both\tevery instruction and counters, side by side\n",                      \
	  TP_FORM(WHAT, 10810))                                                                    \
	X(APP_FORMULAS, "app.formulas", TEXT, false, 0, 4000, "auto", "",                          \
	  "The run of counter classification whose formulas pmu counts by: auto takes the newest " \
	  "one that found FLOPs among the hardware events of this CPU model, if there is one; "    \
	  "off "                                                                                   \
	  "takes the events that tprof knows itself; else the name of a run.",                     \
	  .offers = "auto off", TP_FORM_MORE(WHAT, 10815))                                         \
	X(APP_REGIONS, "app.regions", TEXT, true, 0, 300, "", "",                                  \
	  "Regions that the source does not mark, each as function=NAME: from where that "         \
	  "function begins to where it returns. Marked regions need no option.",                   \
	  TP_FORM(WHAT, 10820))                                                                    \
	X(APP_THREADS, "app.threads", COUNT, true, 1, 65536, "", "all",                            \
	  "Thread counts, each a point: sets OMP_NUM_THREADS, OPENBLAS_NUM_THREADS, "              \
	  "MKL_NUM_THREADS and BLIS_NUM_THREADS. Without it the environment stays as it is. The "  \
	  "word all is as many as CPUs.",                                                          \
	  TP_FORM(WHERE, 400))                                                                     \
	X(APP_ENV, "app.env", TEXT, true, 0, 4000, "", "",                                         \
	  "Variables of the program's environment, each as NAME=VALUE. All others stay as they "   \
	  "are.",                                                                                  \
	  .code = true, TP_FORM_MORE(WHAT, 10830))                                                 \
	X(APP_FOLDER, "app.folder", TEXT, false, 0, 4000, "", "",                                  \
	  "The folder that the program runs in; without it, the one that tprof runs in.",          \
	  TP_FORM_MORE(WHAT, 10840))                                                               \
	X(APP_INPUT, "app.input", TEXT, false, 0, 4000, "", "",                                    \
	  "A file for the standard input of every run of the program.", TP_FORM_MORE(WHAT, 10850)) \
	X(APP_LEVELS, "app.levels", BOOL, false, 0, 0, "false", "",                                \
	  "Follow a sample of the addresses through a model of the caches, so that the report "    \
	  "says from which level the bytes come. It takes one more slow run.",                     \
	  TP_FORM(WHAT, 10860))                                                                    \
	X(APP_ROOFS, "app.roofs", TEXT, false, 0, 4000, "auto", "",                                \
	  "The roofs of this machine that the program is held against: auto, measure, none, or "   \
	  "the name of a run that has measured them, in app or as a roofline of loads alone.",     \
	  .offers = "auto measure none",                                                           \
	  .meanings = "auto\tthose of a run of the last 30 days that fits, else measure\n"         \
		      "measure\tin the same run, some seconds for each thread count\n"             \
		      "none\tno roofs: counts and speeds alone\n",                                 \
	  TP_FORM(WHAT, 10870))                                                                    \
	X(APP_RUNS, "app.runs", COUNT, false, 1, 100000, "5", "",                                  \
	  "Runs that are timed, without instrumentation, at least. The stop rules decide on "      \
	  "more; the trimmed rule goes by its groups instead.",                                    \
	  .offers = "3 5 10 20", TP_FORM(HOW_LONG, 540))                                           \
	X(APP_MAX_TIME, "app.max_time", SECONDS, false, 0.001, 86400, "10s", "",                   \
	  "Longest time for the runs that are timed; no run begins after it, unless there are "    \
	  "fewer than app.runs.",                                                                  \
	  .offers = "5s 10s 60s", TP_FORM(HOW_LONG, 550))                                          \
	X(APP_LIMIT, "app.limit", SECONDS, false, 0.001, 86400, "600s", "",                        \
	  "Longest time for one run. A program that takes longer is ended.",                       \
	  .offers = "60s 600s 3600s", TP_FORM_MORE(HOW_LONG, 560))

TP_APP_OPTIONS(TP_OPTION_DECLARE)

#endif
