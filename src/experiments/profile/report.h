/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles on the page and as strip charts: all meters over one time axis, and each of them alone.
 */
#ifndef TPROF_EXPERIMENTS_PROFILE_REPORT_H
#define TPROF_EXPERIMENTS_PROFILE_REPORT_H

#include "experiments/profile/row.h"
#include "report/reporter.h"

/* What is drawn: NULL in its place = everything. */
struct tp_profile_shown {
	bool (*meter)(const void *context, enum tp_meter_id id);
	bool (*region)(const void *context, const char *name);
	const void *context;
};

/* "waits", "code_1": the name of a meter without what its unit says again. */
const char *tp_profile_short(enum tp_meter_id id, char *out, size_t size);

/*
 * All meters of a point that say something, each in a lane of its own between 0 and the most it
 * said, the letters of phases on top; at most so many lanes. False: there are no samples.
 */
bool tp_profile_lanes(struct tp_picture *picture, const struct tp_run *run,
		      const struct tp_point *point, const struct tp_profile_shown *shown,
		      size_t most);

/* One meter of a point, with its unit. False: it says nothing. */
bool tp_profile_strip(struct tp_picture *picture, const struct tp_run *run,
		      const struct tp_point *point, enum tp_meter_id id);

/* True if a meter says anything but 0 at a point. */
bool tp_profile_says(const struct tp_run *run, const struct tp_point *point, enum tp_meter_id id);

/* "1.98", "4.2 GB/s", "32.1 MiB": a value of a meter with its unit. */
const char *tp_profile_value(enum tp_meter_id id, double value, char *out, size_t size);

/* The same where the meter may have a unit of its own at this point. */
const char *tp_profile_value_of(const struct tp_run *run, const struct tp_point *point,
				enum tp_meter_id id, double value, char *out, size_t size);

/* "1.98" without a unit; "-": nobody asked for it, or it told nothing. */
const char *tp_profile_number(double value, char *out, size_t size);

#endif
