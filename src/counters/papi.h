/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events of PAPI's components by name, read again and again by one thread while something else
 * runs: facts about the machine (powercap, nvml, pcp, net, ...), not about tprof's code.
 */
#ifndef TPROF_COUNTERS_PAPI_H
#define TPROF_COUNTERS_PAPI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { TP_PAPI_METERS_MAX = 16 };

struct tp_papi_meter {
	bool there;
	bool gauge; /* a momentary value; else one that grows from the start */
	char unit[16]; /* the component's unit: "uJ", "mW"; "" = none */
	struct tp_diag why; /* if it is missing, with what would permit it */
};

struct tp_papi_meters;

/*
 * Finds events by their whole names, "net:::eth0:rx:bytes", n <= TP_PAPI_METERS_MAX; the names are
 * borrowed. Children try them, as components may crash or hang. `of_others`: events that count for
 * the thread or the process that reads them are refused. Nothing starts yet. TP_OK even if none
 * exists; TP_UNSUPPORTED (no PAPI), TP_CRASHED. Free it with tp_papi_meters_free.
 */
enum tp_status tp_papi_meters_find(const char *const *names, size_t n, bool of_others,
				   struct tp_papi_meters **meters, struct tp_diag *diag);

/* NULL is allowed. */
void tp_papi_meters_free(struct tp_papi_meters *meters);

/* The i-th of them; one that cannot be started is dropped. */
const struct tp_papi_meter *tp_papi_meters_at(const struct tp_papi_meters *meters, size_t i);

/* These three are called by one thread, in this order. */
void tp_papi_meters_start(struct tp_papi_meters *meters);

/* values[0..n-1]: NaN = no value now. */
void tp_papi_meters_read(struct tp_papi_meters *meters, double *values);
void tp_papi_meters_stop(struct tp_papi_meters *meters);

/*
 * The PMUs of this machine's cores, "amd64_fam19h_zen4"; false and "" if PAPI lists none. Starts
 * PAPI in a child.
 */
bool tp_papi_pmus(char *pmus, size_t size);

#endif
