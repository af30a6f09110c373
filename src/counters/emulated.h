/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The events of an emulated core. A habit is how a machine names and combines what happens: each of
 * its events is a sum of exact counts (emulation.h), as the public event lists of that machine
 * describe it.
 */
#ifndef TPROF_COUNTERS_EMULATED_H
#define TPROF_COUNTERS_EMULATED_H

#include <stddef.h>

#include "counters/emulation.h"

enum { TP_HABIT_TERMS = 16 };

struct tp_habit_term {
	enum tp_emulated_count count;
	double factor; /* 0 ends the list */
};

struct tp_habit_event {
	const char *name, *description;
	struct tp_habit_term terms[TP_HABIT_TERMS];
};

struct tp_habit {
	const char *name, *title;
	const char *arch, *vendors; /* words: CPUs that it is nearest to; "" = none, "*" = all */
	const struct tp_habit_event *events; /* NULL = another one's */
	size_t n;
};

extern const struct tp_habit tp_habit_table[];
extern const size_t tp_habit_count;

/* The habit of the CPUs that are nearest to one of this architecture and vendor, or "exact". */
const char *tp_habit_nearest(const char *arch, const char *vendor);

/* The i-th of them with its title; NULL after the last. */
const char *tp_emulated_habit(size_t i, const char **title);

/* TP_USAGE with all names for an unknown habit. */
enum tp_status tp_emulated_habit_check(const char *habit, struct tp_diag *diag);

#endif
