/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The registry of experiments: one row each, in the order of --list experiments. For X(NAME) the
 * folder NAME defines tp_experiment_NAME (experiment.h), tp_schema_NAME (record/schema.h),
 * tp_options_NAME (preset/options.h), tp_reporter_NAME (report/reporter.h) and tp_shown_NAME
 * (ui/tui/shown.h). The rest of the program does not name an experiment.
 */
#ifndef TPROF_EXPERIMENTS_LIST_H
#define TPROF_EXPERIMENTS_LIST_H

#define TP_EXPERIMENT_LIST(X)                                                                      \
	X(memcurve)                                                                                \
	X(latency)                                                                                 \
	X(loaded_latency)                                                                          \
	X(roofline)                                                                                \
	X(mixed)                                                                                   \
	X(gather)                                                                                  \
	X(asm)                                                                                     \
	X(spmv)                                                                                    \
	X(counters)                                                                                \
	X(autotune)                                                                                \
	X(pattern)                                                                                 \
	X(program)                                                                                 \
	X(template)                                                                                \
	X(app)                                                                                     \
	X(traffic)                                                                                 \
	X(profile)

/*
 * The screens of experiments: id, name of the struct tp_screen, place, title, and which keys work
 * there: those of PLOTS, those of PICTURES (fewer), or only those of its OWN, which name it in
 * ui/tui/keys.h.
 */
#define TP_EXPERIMENT_TAB_LIST(X)                                                                  \
	X(ROOFLINE, roofline, RESULT, "Roofline", PLOTS)                                           \
	X(CURVE, curve, RESULT, "Curve", PLOTS)                                                    \
	X(MIXED, mixed, RESULT, "Mixed", PLOTS)                                                    \
	X(COUNTERS, counters, RESULT, "Counters", PICTURES)                                        \
	X(AUTOTUNE, autotune, RESULT, "Search", PLOTS)                                             \
	X(PATTERN, pattern, RESULT, "Patterns", PLOTS)                                             \
	X(APPLICATION, application, RESULT, "Program", PLOTS)                                      \
	X(PROFILE, profile, RESULT, "Time", PLOTS)

#endif
