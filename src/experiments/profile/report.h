/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles on the page and as strip charts: all meters over one time axis, and each of them
 * separately. */
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

/* "waits", "code_1": the name of a meter without the part that its unit repeats. */
const char *tp_profile_short(enum tp_meter_id id, char *out, size_t size);

/*
 * All meters of a point with readings, each in its own lane between 0 and its maximum, the letters
 * of phases on top; a limited number of lanes. False: no samples.
 */
bool tp_profile_lanes(struct tp_picture *picture, const struct tp_run *run,
		      const struct tp_point *point, const struct tp_profile_shown *shown,
		      size_t most);

/* One meter of a point, with its unit. False: it has no readings. */
bool tp_profile_strip(struct tp_picture *picture, const struct tp_run *run,
		      const struct tp_point *point, enum tp_meter_id id);

/* True if a meter has readings other than 0 at a point. */
bool tp_profile_says(const struct tp_run *run, const struct tp_point *point, enum tp_meter_id id);

/* "1.98", "4.2 GB/s", "32.1 MiB": a value of a meter with its unit. */
const char *tp_profile_value(enum tp_meter_id id, double value, char *out, size_t size);

/* The same if the meter may have another unit at this point. */
const char *tp_profile_value_of(const struct tp_run *run, const struct tp_point *point,
				enum tp_meter_id id, double value, char *out, size_t size);

/* "1.98" without a unit; "-": not requested, or without readings. */
const char *tp_profile_number(double value, char *out, size_t size);

#endif
