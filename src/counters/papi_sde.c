/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts of an emulation, offered to PAPI as software-defined events. They are registered before PAPI starts, so that it finds them like any other event, and
 * ask at every reading whose counts are shown at the moment: one emulation at a time, since such an event belongs to the process.
 */
#include "counters/papi_parts.h"

#include <stdlib.h>

#ifdef HAVE_SDE
#include <sde_lib.h>

struct counter {
	struct tp_papi_sde *sde;
	enum tp_emulated_count count;
};

struct tp_papi_sde {
	papi_handle_t library;
	const struct tp_emulation *shown;
	struct counter counters[TP_EMULATED_COUNT];
};

static long long read_counter(void *parameter)
{
	const struct counter *counter = parameter;
	const struct tp_emulation *shown = counter->sde->shown;
	return shown ? (long long)tp_emulation_counts(shown)[counter->count] : 0;
}

enum tp_status tp_papi_sde_new(struct tp_papi_sde **out, struct tp_diag *diag)
{
	struct tp_papi_sde *sde = calloc(1, sizeof(*sde));
	*out = sde;
	if (!sde)
		return tp_fail(diag, TP_NOMEM, "papi", NULL, "no memory");
	sde->library = papi_sde_init("tprof");
	if (!sde->library)
		return tp_fail(diag, TP_FAILED, "papi", NULL, "libsde does not start");
	for (int i = 0; i < TP_EMULATED_COUNT; i++) {
		enum tp_emulated_count count = (enum tp_emulated_count)i;
		const char *name = tp_emulated_name(count);
		sde->counters[i] = (struct counter){ sde, count };
		if (papi_sde_register_counter_cb(sde->library, name, PAPI_SDE_RO | PAPI_SDE_DELTA,
						 PAPI_SDE_long_long, read_counter,
						 &sde->counters[i]) != SDE_OK)
			return tp_fail(diag, TP_FAILED, "papi", NULL, "libsde refuses %s", name);
		papi_sde_describe_counter(sde->library, name, tp_emulated_title(count));
	}
	return TP_OK;
}

void tp_papi_sde_show(struct tp_papi_sde *sde, const struct tp_emulation *emulation)
{
	sde->shown = emulation;
}

/* After PAPI was shut down: the counters must not outlive the memory they read. */
void tp_papi_sde_free(struct tp_papi_sde *sde)
{
	if (!sde)
		return;
	if (sde->library)
		papi_sde_shutdown(sde->library);
	free(sde);
}

#else

enum tp_status tp_papi_sde_new(struct tp_papi_sde **sde, struct tp_diag *diag)
{
	*sde = NULL;
	return tp_fail(diag, TP_UNSUPPORTED, "papi",
		       "install libpapi-dev 7.0 or later (it brings libsde) and configure again",
		       "this tprof was built without libsde: no software-defined events");
}

void tp_papi_sde_show(struct tp_papi_sde *sde, const struct tp_emulation *emulation)
{
	(void)sde;
	(void)emulation;
}

void tp_papi_sde_free(struct tp_papi_sde *sde)
{
	(void)sde;
}

#endif
