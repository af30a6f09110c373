/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Offers the counts of an emulation to PAPI as software-defined events, which PAPI then finds like
 * any other event. libsde owns the counters and keeps them for the life of the process: removing
 * one (papi_sde_unregister_counter, papi_sde_shutdown of 7.0) leaves freed memory in its tables. So
 * they are created once, found again, and hold no pointer of ours; counts of an emulation are added
 * to them while PAPI counts. They are not described to libsde either, which would leak the
 * description; tp_papi_sde_title() has it.
 */
#include "counters/papi_parts.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_SDE
#include <sde_lib.h>

struct tp_papi_sde {
	void *counters[TP_EMULATED_COUNT]; /* handles */
	uint64_t before[TP_EMULATED_COUNT];
};

enum tp_status tp_papi_sde_new(struct tp_papi_sde **out, struct tp_diag *diag)
{
	struct tp_papi_sde *sde = calloc(1, sizeof(*sde));
	*out = sde;
	if (!sde)
		return tp_fail(diag, TP_NOMEM, "papi", NULL, "no memory");
	papi_handle_t library = papi_sde_init("tprof");
	if (!library)
		return tp_fail(diag, TP_FAILED, "papi", NULL, "libsde does not start");
	for (int i = 0; i < TP_EMULATED_COUNT; i++) {
		enum tp_emulated_count count = (enum tp_emulated_count)i;
		const char *name = tp_emulated_name(count);
		sde->counters[i] = papi_sde_get_counter_handle(library, name);
		if (sde->counters[i])
			continue;
		if (papi_sde_create_counter(library, name, PAPI_SDE_DELTA, &sde->counters[i]) !=
			    SDE_OK ||
		    !sde->counters[i])
			return tp_fail(diag, TP_FAILED, "papi", NULL, "libsde refuses %s", name);
	}
	return TP_OK;
}

void tp_papi_sde_begin(struct tp_papi_sde *sde, const struct tp_emulation *emulation)
{
	memcpy(sde->before, tp_emulation_counts(emulation), sizeof(sde->before));
}

void tp_papi_sde_end(struct tp_papi_sde *sde, const struct tp_emulation *emulation)
{
	const uint64_t *after = tp_emulation_counts(emulation);
	for (size_t i = 0; i < TP_EMULATED_COUNT; i++)
		papi_sde_inc_counter(sde->counters[i], (long long)(after[i] - sde->before[i]));
}

void tp_papi_sde_free(struct tp_papi_sde *sde)
{
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

void tp_papi_sde_begin(struct tp_papi_sde *sde, const struct tp_emulation *emulation)
{
	(void)sde;
	(void)emulation;
}

void tp_papi_sde_end(struct tp_papi_sde *sde, const struct tp_emulation *emulation)
{
	(void)sde;
	(void)emulation;
}

void tp_papi_sde_free(struct tp_papi_sde *sde)
{
	(void)sde;
}

#endif

const char *tp_papi_sde_title(const char *event)
{
	static const char ours[] = "sde:::tprof::";
	if (strncmp(event, ours, strlen(ours)) != 0)
		return NULL;
	for (int i = 0; i < TP_EMULATED_COUNT; i++)
		if (strcmp(event + strlen(ours), tp_emulated_name((enum tp_emulated_count)i)) == 0)
			return tp_emulated_title((enum tp_emulated_count)i);
	return NULL;
}
