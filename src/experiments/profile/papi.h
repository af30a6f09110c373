/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of profile.papi as meters of a profile. Private to this folder. */
#ifndef TPROF_EXPERIMENTS_PROFILE_PAPI_H
#define TPROF_EXPERIMENTS_PROFILE_PAPI_H

#include "counters/papi.h"
#include "profile/meters.h"

/* Zero-initialise; release in any case. */
struct tp_profile_papi {
	struct tp_papi_meters *meters; /* NULL = none of them */
	struct tp_diag why; /* then */
	struct tp_meter_others others; /* n 0 = nobody asked for one */
};

/* Before the program starts; names are borrowed, n <= TP_METER_PAPI. */
void tp_profile_papi_find(struct tp_profile_papi *papi, const char *const *names, size_t n);
void tp_profile_papi_release(struct tp_profile_papi *papi);
/* "uJ/s", "1/s", "mW": what its values are in. */
const char *tp_profile_papi_unit(const struct tp_profile_papi *papi, size_t i, char *out,
				 size_t size);

#endif
