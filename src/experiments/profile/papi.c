/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/profile/papi.h"

#include <math.h>
#include <stdio.h>

static void start(void *context)
{
	struct tp_profile_papi *p = context;
	if (p->meters)
		tp_papi_meters_start(p->meters);
}

static void read_all(void *context, double *values)
{
	struct tp_profile_papi *p = context;
	for (size_t i = 0; i < p->others.n; i++)
		values[i] = NAN;
	if (p->meters)
		tp_papi_meters_read(p->meters, values);
}

static void stop(void *context)
{
	struct tp_profile_papi *p = context;
	if (p->meters)
		tp_papi_meters_stop(p->meters);
}

static const struct tp_diag *missing(void *context, size_t i)
{
	const struct tp_profile_papi *p = context;
	const struct tp_papi_meter *m = p->meters ? tp_papi_meters_at(p->meters, i) : NULL;
	return !m ? &p->why : m->there ? NULL : &m->why;
}

static bool is_gauge(void *context, size_t i)
{
	const struct tp_profile_papi *p = context;
	return p->meters && tp_papi_meters_at(p->meters, i)->gauge;
}

void tp_profile_papi_find(struct tp_profile_papi *p, const char *const *names, size_t n)
{
	p->others = (struct tp_meter_others){ n, start, read_all, stop, missing, is_gauge, p };
	if (n)
		tp_papi_meters_find(names, n, true, &p->meters, &p->why);
}

void tp_profile_papi_release(struct tp_profile_papi *p)
{
	tp_papi_meters_free(p->meters);
	p->meters = NULL;
}

const char *tp_profile_papi_unit(const struct tp_profile_papi *p, size_t i, char *out, size_t size)
{
	const struct tp_papi_meter *m = p->meters ? tp_papi_meters_at(p->meters, i) : NULL;
	const char *unit = m ? m->unit : "";
	bool gauge = m && m->gauge;
	snprintf(out, size, "%s%s", !*unit && !gauge ? "1" : unit, gauge ? "" : "/s");
	return out;
}
