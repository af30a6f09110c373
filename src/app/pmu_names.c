/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of hardware events: those of libpfm4, which PAPI has them from, too. A name means the event
 * that counter classification counted under it.
 */
#include "app/pmu.h"

#ifdef HAVE_PFM

#include <string.h>

#include <perfmon/pfmlib_perf_event.h>

static enum tp_status no_such_event(const char *name, int error, struct tp_diag *diag)
{
	/* The only ones that PAPI makes itself. */
	if (strncmp(name, "PAPI_", 5) == 0)
		return tp_fail(diag, TP_NOTFOUND, "pmu", NULL,
			       "%.120s is a preset of PAPI, not an event of the CPU", name);
	return tp_fail(diag, TP_NOTFOUND, "pmu", "showevtinfo of libpfm4 lists its events",
		       "libpfm4 finds no event %.120s on this CPU: %s", name, pfm_strerror(error));
}

enum tp_status tp_pmu_encode(const char *name, struct tp_pmu_code *code, struct tp_diag *diag)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t wish = { .attr = &attr, .size = sizeof(wish) };
	static const char component[] = "perf_event:::"; /* PAPI's own word */
	size_t skip = strncmp(name, component, sizeof(component) - 1) ? 0 : sizeof(component) - 1;
	int error = pfm_initialize();
	if (error == PFM_SUCCESS)
		error = pfm_get_os_event_encoding(name + skip, PFM_PLM3, PFM_OS_PERF_EVENT, &wish);
	if (error != PFM_SUCCESS)
		return no_such_event(name, error, diag);
	if (attr.exclude_user || !attr.exclude_kernel)
		return tp_fail(diag, TP_UNSUPPORTED, "pmu", NULL,
			       "%.120s counts the kernel, and programs are counted in user mode",
			       name);
	*code = (struct tp_pmu_code){ attr.type, attr.config, attr.config1, attr.config2 };
	return TP_OK;
}

#else

enum tp_status tp_pmu_encode(const char *name, struct tp_pmu_code *code, struct tp_diag *diag)
{
	(void)name;
	(void)code;
	return tp_fail(diag, TP_UNSUPPORTED, "pmu",
		       "install the Debian package libpfm4-dev, and build tprof again",
		       "this tprof was built without libpfm4, which knows events by name");
}

#endif
