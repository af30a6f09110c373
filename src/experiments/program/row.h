/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of programs, and a point that runs one again and again: what was run, what it took.
 */
#ifndef TPROF_EXPERIMENTS_PROGRAM_ROW_H
#define TPROF_EXPERIMENTS_PROGRAM_ROW_H

#include "base/command.h"
#include "preset/options.h"
#include "record/run.h"

enum { TP_PROGRAM_TEXT_BYTES = 240 };

struct tp_program_row {
	/* identity */
	char command[TP_PROGRAM_TEXT_BYTES]; /* its words, as tp_command_split reads them; cut */
	char parameters[TP_PROGRAM_TEXT_BYTES]; /* as tp_pairs_next reads them */
	char metric[48]; /* "time", "cpu-time", or a name of program.read */
	bool more_is_better;
	/* found: medians over the runs that count */
	double value, best; /* of the metric: its estimate, and the best run's; 0 = none */
	unsigned exit_status, signal; /* of the run that failed; signal 0 = none */
	double time_seconds, user_seconds, system_seconds;
	uint64_t max_rss_bytes; /* 0 = no more than the engine has */
	double minor_faults, major_faults, waits, preemptions, blocks_read, blocks_written;
	char values[TP_PROGRAM_TEXT_BYTES]; /* as tp_pairs_next reads them */
};

/* One of zeros if the point runs no program. Never NULL. */
const struct tp_program_row *tp_program_row(const struct tp_point *point);
bool tp_point_is_program(const struct tp_point *point);

#define TP_PROGRAM_OPTIONS(X)                                                                      \
	X(PROGRAM_COMMAND, "program.command", TEXT, false, 0, TP_COMMAND_TEXT_BYTES, "", "",       \
	  "The program and its arguments, with blanks between them; double quotes hold an "        \
	  "argument with blanks together. {NAME} is the value of a parameter, {threads} the "      \
	  "number of CPUs that the program gets. No shell reads it.",                              \
	  .command = true, .code = true, TP_FORM(WHAT, 700))                                       \
	X(PROGRAM_PARAMETERS, "program.parameters", TEXT, true, 0, 4000, "", "",                   \
	  "Values of parameters, each as NAME=VALUES: \"level=1 6 9\", n=1000..8000*2, k=3..20, "  \
	  "\"tool=gzip xz\". A sweep runs through all combinations. program.NAME: VALUES is one "  \
	  "of them.",                                                                              \
	  .collects = true, .code = true, TP_FORM(WHAT, 710))                                      \
	X(PROGRAM_WHERE, "program.where", TEXT, true, 0, 1000, "", "",                             \
	  "Conditions on parameters that are numbers, and on threads, such as n >= 16*threads; "   \
	  "combinations that do not meet all of them are left out.",                               \
	  TP_FORM_MORE(WHAT, 720))                                                                 \
	X(PROGRAM_ENVIRONMENT, "program.environment", TEXT, true, 0, 4000, "", "",                 \
	  "Variables of the program's environment, each as NAME=VALUE, which may have {NAME} of "  \
	  "parameters in it. All others stay as they are.",                                        \
	  .code = true, TP_FORM_MORE(WHAT, 730))                                                   \
	X(PROGRAM_READ, "program.read", TEXT, true, 0, 1000, "", "",                               \
	  "Numbers that are read from the output of the program, each as NAME=PATTERN: an "        \
	  "extended regular expression of POSIX whose first group is the number.",                 \
	  TP_FORM_MORE(WHAT, 740))                                                                 \
	X(PROGRAM_METRIC, "program.metric", TEXT, false, 0, 100, "time", "",                       \
	  "What is compared: time (from start to end), cpu-time (user and system), or a number "   \
	  "that program.read names: more:NAME if more is better, less:NAME if less is.",           \
	  .offers = "time cpu-time", TP_FORM(WHAT, 750))                                           \
	X(PROGRAM_BEFORE, "program.before", TEXT, true, 0, TP_COMMAND_TEXT_BYTES, "", "",          \
	  "Commands that run before the first run of each variant, in this order, written like "   \
	  "program.command.",                                                                      \
	  .command = true, .code = true, TP_FORM_MORE(WHAT, 760))                                  \
	X(PROGRAM_PREPARE, "program.prepare", TEXT, true, 0, TP_COMMAND_TEXT_BYTES, "", "",        \
	  "Commands that run before every run, untimed: they make its input again, or push files " \
	  "out of the page cache.",                                                                \
	  .command = true, .code = true, TP_FORM_MORE(WHAT, 770))                                  \
	X(PROGRAM_AFTER, "program.after", TEXT, true, 0, TP_COMMAND_TEXT_BYTES, "", "",            \
	  "Commands that run after the last run of each variant, also of one that failed.",        \
	  .command = true, .code = true, TP_FORM_MORE(WHAT, 780))                                  \
	X(PROGRAM_WARMUP, "program.warmup", COUNT, false, 0, 1000, "1", "",                        \
	  "Runs of each variant that are not counted, so that files are in memory.",               \
	  .offers = "0 1 3", TP_FORM_MORE(HOW_LONG, 300))                                          \
	X(PROGRAM_RUNS, "program.runs", COUNT, false, 1, 100000, "5", "",                          \
	  "Runs of each variant, at least. The stop rules decide on more; the trimmed rule uses "  \
	  "its groups instead.",                                                                   \
	  .offers = "5 8 12 20", TP_FORM(HOW_LONG, 310))                                           \
	X(PROGRAM_MAX_TIME, "program.max_time", SECONDS, false, 0.001, 86400, "10s", "",           \
	  "Longest time for the runs of one variant; no run begins after it, unless there are "    \
	  "fewer than program.runs.",                                                              \
	  .offers = "1s 5s 10s 30s 60s", TP_FORM(HOW_LONG, 320))                                   \
	X(PROGRAM_LIMIT, "program.limit", SECONDS, false, 0.001, 86400, "60s", "",                 \
	  "Longest time for one run. A program that takes longer is killed, and the variant has "  \
	  "failed.",                                                                               \
	  .offers = "10s 60s 600s", TP_FORM_MORE(HOW_LONG, 330))

TP_PROGRAM_OPTIONS(TP_OPTION_DECLARE)

#endif
