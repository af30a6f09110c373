/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of command line options: makes the parser, --help, the completion and the OPTIONS section of tprof(1).
 * X(id, long name, short letter or 0, argument name or NULL, argument is optional, help)
 */
#ifndef TPROF_CLI_COMMANDS_H
#define TPROF_CLI_COMMANDS_H

#define TP_COMMAND_LIST(X)                                                                         \
	X(BATCH, "batch", 'b', "PRESET", false,                                                    \
	  "measure: PRESET is a file or a name of --list presets")                                 \
	X(RESUME, "resume", 'r', "RUN", false,                                                     \
	  "go on with a run that was interrupted or killed: measures only what is missing")        \
	X(SHOW, "show", 0, "RUN", false,                                                           \
	  "report, plots, data or pictures of a stored run; RUN is a name of --list runs, last, "  \
	  "or a path")                                                                             \
	X(COMPARE, "compare", 'c', "RUN RUN...", false,                                            \
	  "the same points of several runs side by side: which differences are real")              \
	X(ACROSS, "across", 0, "DIMENSION", false,                                                 \
	  "with --compare: pair points that differ in that, such as isa, precision, threads or "   \
	  "kernel; also within one run")                                                           \
	X(TOLERANCE, "tolerance", 0, "SIZE", false,                                                \
	  "with --compare: relative difference that does not matter, such as 2%")                  \
	X(CLASSIFY, "classify", 0, "PATH", false,                                                  \
	  "what do hardware events count? Analyses readings.csv, an output folder of PAPI's "      \
	  "Counter Analysis Toolkit, or a run of the experiment counters")                         \
	X(BASIS, "basis", 0, "FILE", false,                                                        \
	  "with --classify: the basis of a family, instead of the shipped one; may be repeated")   \
	X(EXPLAIN, "explain", 0, "EVENT", false,                                                   \
	  "with --classify: how it was decided about an event; a shell pattern, or chosen")        \
	X(PAPI_FILE, "papi-file", 0, "FILE", false,                                                \
	  "with --classify or a run: write the defined metrics as derived events of PAPI")         \
	X(SET, "set", 's', "KEY=VALUE", false, "override a value of the preset; may be repeated")  \
	X(DRY_RUN, "dry-run", 'n', "PRESET", false,                                                \
	  "print every point with its size and estimated time, measure nothing")                   \
	X(CHECK, "check", 0, "FILE", false, "check a preset: every error with file:line:column")   \
	X(PRINT_CONFIG, "print-config", 0, "PRESET", true,                                         \
	  "print every option with its value and where it comes from, as a preset")                \
	X(LIST, "list", 'l', "WHAT", false,                                                        \
	  "list machines, isas, kernels, experiments, presets, runs, families, bases, habits or "  \
	  "events")                                                                                \
	X(DUMP_ASM, "dump-asm", 0, "ISA:KERNEL", false,                                            \
	  "print the assembly of a kernel, for instance avx2:2ld1st or sse:fma/single")            \
	X(MACHINE, "machine", 'm', "MODEL", false, "same as --set machine=MODEL")                  \
	X(TOPOLOGY, "topology", 't', "DESCRIPTION", false,                                         \
	  "plan for another machine: an hwloc XML file or synthetic:DESCRIPTION")                  \
	X(JSON, "json", 0, NULL, false, "print the results as JSON")                               \
	X(CSV, "csv", 0, NULL, false, "print the results as CSV, one row a point")                 \
	X(NAMES, "names", 0, NULL, false, "with --list: the names only, one a line, for scripts")  \
	X(RESTORE, "restore", 0, NULL, false,                                                      \
	  "with doctor: put back what a killed run left changed in the machine")                   \
	X(OUTPUT, "output", 'o', "FILE", false,                                                    \
	  "write --json or --csv to FILE instead of standard output (-)")                          \
	X(SVG, "svg", 0, "FILE", false,                                                            \
	  "write the pictures to FILE as SVG (- is standard output)")                              \
	X(EVENTS, "events", 0, NULL, false,                                                        \
	  "print the events of the run as they happen, one JSON object a line")                    \
	X(CONTROL, "control", 0, NULL, false,                                                      \
	  "obey lines on standard input: stop, skip, pause, go; its end stops the run")            \
	X(REPLAY, "replay", 0, "RUN", false,                                                       \
	  "show a stored run on the screens as if it were live")                                   \
	X(SPEED, "speed", 0, "N", false, "with --replay: so many times as fast; 0 is at once")     \
	X(NO_MOUSE, "no-mouse", 0, NULL, false, "screens: leave the mouse to the terminal")        \
	X(RUN_DIR, "run-dir", 0, "DIR", false, "directory of the results; new or empty")           \
	X(REPORT, "report", 0, "WHEN", false,                                                      \
	  "report and plots on standard error: auto (on a terminal), always, never")               \
	X(STRICT, "strict", 0, NULL, false, "exit with 5 when any point carries a quality flag")   \
	X(ASCII, "ascii", 0, NULL, false, "plots and reports in pure ASCII")                       \
	X(COLOR, "color", 0, "WHEN", false, "auto, always or never; NO_COLOR is respected")        \
	X(QUIET, "quiet", 'q', NULL, false, "no words but errors")                                 \
	X(COMPLETION, "completion", 0, "SHELL", false,                                             \
	  "print the completion script for bash or zsh")                                           \
	X(VERSION, "version", 'V', NULL, false, "print the version")                               \
	X(HELP, "help", 'h', NULL, false, "print this help")

#endif
