/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The row of the source table where PAPI was not built in. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include "counters/papi.h"
#include "counters/source.h"
#include "counters/sources.h"

static enum tp_status supported(struct tp_diag *diag)
{
	return tp_fail(diag, TP_UNSUPPORTED, "papi",
		       "install the Debian package libpapi-dev, run configure and build again",
		       "this tprof was built without PAPI");
}

const struct tp_source_kind tp_source_papi = {
	.name = "papi",
	.summary = "hardware events through PAPI (not built in)",
	.supported = supported,
};

enum tp_status tp_papi_meters_find(const char *const *names, size_t n, bool of_others,
				   struct tp_papi_meters **meters, struct tp_diag *diag)
{
	*meters = NULL;
	return supported(diag);
}

/* This build has none. */
void tp_papi_meters_free(struct tp_papi_meters *meters)
{
}

const struct tp_papi_meter *tp_papi_meters_at(const struct tp_papi_meters *meters, size_t i)
{
	static const struct tp_papi_meter none;
	return &none;
}

void tp_papi_meters_start(struct tp_papi_meters *meters)
{
}

void tp_papi_meters_read(struct tp_papi_meters *meters, double *values)
{
}

void tp_papi_meters_stop(struct tp_papi_meters *meters)
{
}

bool tp_papi_pmus(char *pmus, size_t size)
{
	if (size)
		*pmus = '\0';
	return false;
}
