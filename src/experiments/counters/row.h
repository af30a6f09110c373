/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points that count events while a kernel of a family runs. */
#ifndef TPROF_EXPERIMENTS_COUNTERS_ROW_H
#define TPROF_EXPERIMENTS_COUNTERS_ROW_H

#include "preset/options.h"
#include "record/schema.h"

struct tp_count_row {
	char source[64]; /* source of the counts: "papi", "emulated" */
};

/* One of zeros if the point counts no events. Never NULL. */
const struct tp_count_row *tp_count_row(const struct tp_point *point);
/* The family of a point, "flops" of "flops/dp-256-fma", into `family`; returns its kernel's name.
 */
const char *tp_count_family(const struct tp_point *point, char *family, size_t size);
/* True if both points belong to the same family of the same run of the preset. */
bool tp_count_same_family(const struct tp_point *a, const struct tp_point *b);

#define TP_COUNTERS_OPTIONS(X)                                                                     \
	X(FAMILIES, "families", WORD, true, 0, 0,                                                  \
	  "flops,branch,dcache-read,dcache-write,icache,instructions,blas,traffic", "",            \
	  "Families of counting kernels to run.", .command_line = "See --list families.",          \
	  TP_FORM(WHAT, 20))                                                                       \
	X(SOURCE, "source", WORD, false, 0, 0, "auto", "auto papi perf emulated",                  \
	  "Who counts: papi (the hardware's events), perf (the few that the kernel names "         \
	  "itself, without PAPI), emulated (the kernels are stepped "                              \
	  "and drive a model of the core), auto (papi where hardware events start, else "          \
	  "emulated).",                                                                            \
	  .meanings = "auto\thardware events where they start, else emulated\n"                    \
		      "papi\tthe events of the hardware\n"                                         \
		      "perf\tthose of them that the kernel names itself; without PAPI\n"           \
		      "emulated\tthe kernels are stepped and drive a model of the core\n",         \
	  TP_FORM(WHAT, 30), .form_tells = true)                                                   \
	X(COUNTERS_EVENTS, "counters.events", WORD, true, 0, 0, "", "",                            \
	  "Only events whose names fit one of these shell patterns, such as *BR_INST*; "           \
	  "by default all.",                                                                       \
	  TP_FORM(WHAT, 40))                                                                       \
	X(COUNTERS_REPETITIONS, "counters.repetitions", COUNT, false, 1, 1000, "2", "",            \
	  "Readings of each event and row; their differences are its noise.", TP_FORM(WHAT, 50))   \
	X(COUNTERS_GROUP, "counters.group", BOOL, false, 0, 0, "false", "",                        \
	  "PAPI: count several events at once where it accepts the set, instead of one at "        \
	  "a time.")                                                                               \
	X(COUNTERS_SOFTWARE, "counters.software_events", BOOL, false, 0, 0, "false", "",           \
	  "PAPI: step the kernels and offer the emulated counts as software-defined "              \
	  "events.")                                                                               \
	X(COUNTERS_HABIT, "counters.habit", WORD, false, 0, 0, "auto", "",                         \
	  "Emulated: the CPU whose events are emulated. auto takes the "                           \
	  "nearest one to this CPU; exact has an event for every exact count.",                    \
	  .command_line = "See --list habits.", TP_FORM(WHAT, 60), .form_tells = true)             \
	X(COUNTERS_MISLEADING, "counters.misleading", COUNT, false, 0, 1000000, "0", "",           \
	  "Emulated: number of misleading events that are added (scaled, summed, doubled, "        \
	  "noisy, constant or like cycles), to test the analysis.",                                \
	  TP_FORM(WHAT, 70))                                                                       \
	X(COUNTERS_NOISE, "counters.noise", REAL, false, 0, 1, "1%", "",                           \
	  "Emulated: relative noise of the misleading events that are noisy.")                     \
	X(COUNTERS_INTERRUPTS, "counters.interrupts", REAL, false, 0, 1, "0", "",                  \
	  "Emulated: part of the readings that an interrupt makes 1 to 2 % too high, to "          \
	  "test what is done about it.")                                                           \
	X(COUNTERS_SCALE, "counters.scale", COUNT, false, 1, 4096, "auto", "auto",                 \
	  "Emulated: factor by which the caches are smaller than the machine's (a power of "       \
	  "two); auto keeps the run short.")

TP_COUNTERS_OPTIONS(TP_OPTION_DECLARE)

#endif
