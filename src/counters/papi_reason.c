/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Explains why something does not count, and what would allow it. */
#include "counters/papi_parts.h"

#include <errno.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_uncore(const char *component)
{
	return strstr(component, "uncore") != NULL;
}

const char *tp_papi_component_hint(const struct tp_perf_host *host, const char *component,
				   const char *reason)
{
	if (strcmp(component, "perf_event") == 0) {
		/* PAPI checks only the number: capabilities and root do not help against a 3. */
		if (host->paranoid >= 3 || strstr(reason, "paranoid"))
			return "sudo sysctl kernel.perf_event_paranoid=2 (even root needs it: PAPI "
			       "looks at the number, not at CAP_PERFMON)";
		if (host->perf_error == ENOSYS)
			return "the kernel has no perf events, or a filter of the container hides "
			       "them";
		return *host->hypervisor ? "a virtual machine has counters when its hypervisor "
					   "passes on a PMU"
					 : "";
	}
	if (is_uncore(component) && !*host->hypervisor)
		return "sudo sysctl kernel.perf_event_paranoid=0, or the capability CAP_PERFMON";
	if (strcmp(component, "rapl") == 0 || strcmp(component, "powercap") == 0)
		return "root may read its files below /sys/class/powercap and /dev/cpu";
	return "";
}

static bool is_permission(int code)
{
	return code == PAPI_EPERM;
}

void tp_papi_refusal(const struct tp_perf_host *host, const char *component, const char *event,
		     int code, const char *words, char *out, size_t size)
{
	bool core = strcmp(component, "perf_event") == 0;
	bool hardware_is_closed = core && host->perf_error != 0 && strstr(event, "_SW_") == NULL;
	bool refused =
		is_permission(code) ||
		(hardware_is_closed && (host->perf_error == EACCES || host->perf_error == EPERM));
	if (refused && (core || is_uncore(component)))
		tp_perf_not_permitted(host, words, core ? 1 : 0, out, size);
	else if (refused)
		snprintf(out, size, "%s: root may read it", words);
	else if (hardware_is_closed)
		tp_perf_no_hardware(host, words, out, size);
	else
		snprintf(out, size, "%s", words);
}
