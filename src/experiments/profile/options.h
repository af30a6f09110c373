/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TPROF_EXPERIMENTS_PROFILE_OPTIONS_H
#define TPROF_EXPERIMENTS_PROFILE_OPTIONS_H

#include "preset/options.h"

#define TP_PROFILE_OPTIONS(X)                                                                      \
	X(PROFILE_COMMAND, "profile.command", TEXT, false, 0, 4000, "", "",                        \
	  "The program and its arguments, with blanks between them; double quotes hold an "        \
	  "argument with blanks together. No shell reads it. tprof --profile -- PROGRAM "          \
	  "ARGUMENTS sets it.",                                                                    \
	  .code = true, TP_FORM(WHAT, 900))                                                        \
	X(PROFILE_INTERVAL, "profile.interval", SECONDS, false, 0.001, 10, "10ms", "",             \
	  "Time between two samples. A run of more than 65,536 samples goes on with twice the "    \
	  "interval, and so on.",                                                                  \
	  .offers = "1ms 10ms 100ms 1s", TP_FORM(HOW_LONG, 400))                                   \
	X(PROFILE_METERS, "profile.meters", TEXT, true, 0, 40, "", "",                             \
	  "The meters that are read: names of columns of profile.csv, or of several up to a _, "   \
	  "such as disk, memory or code. Without it, all of them.",                                \
	  .offers = "cpus system_cpus code threads_alive resident_bytes minor_faults_per_s "       \
		    "major_faults_per_s waits_per_s preemptions_per_s read written memory event "  \
		    "received sent disk power gpu clock temperature",                              \
	  TP_FORM_MORE(WHAT, 905))                                                                 \
	X(PROFILE_EVENTS, "profile.events", TEXT, true, 0, 200, "", "",                            \
	  "Up to four events of the kernel's PMUs, each as PMU/EVENT/ or PMU/field=value,.../, "   \
	  "as the folders of /sys/bus/event_source/devices name them: "                            \
	  "uncore_imc_0/cas_count_read/.",                                                         \
	  TP_FORM_MORE(WHAT, 910))                                                                 \
	X(PROFILE_PAPI, "profile.papi", TEXT, true, 0, 100, "", "",                                \
	  "Up to six events of PAPI's components by their whole names, as papi_native_avail "      \
	  "lists them: powercap:::ENERGY_UJ:ZONE0, net:::eth0:rx:bytes. They are read with "       \
	  "every sample.",                                                                         \
	  TP_FORM_MORE(WHAT, 912))                                                                 \
	X(PROFILE_REGIONS, "profile.regions", TEXT, true, 0, 300, "", "",                          \
	  "Regions that the source does not mark, each as function=NAME: from where that "         \
	  "function begins to where it returns. Marked regions need no option.",                   \
	  TP_FORM_MORE(WHAT, 915))                                                                 \
	X(PROFILE_INPUT, "profile.input", TEXT, false, 0, 4000, "", "",                            \
	  "A file for the standard input of the program.", TP_FORM_MORE(WHAT, 920))                \
	X(PROFILE_LIMIT, "profile.limit", SECONDS, false, 0.001, 604800, "86400s", "",             \
	  "Longest time for the program. It is ended when it takes longer, and what was sampled "  \
	  "stays.",                                                                                \
	  .offers = "60s 3600s 86400s", TP_FORM_MORE(HOW_LONG, 410))

TP_PROFILE_OPTIONS(TP_OPTION_DECLARE)

#endif
