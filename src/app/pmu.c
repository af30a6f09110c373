/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The way of counting by the CPU's own counters: the program runs once for each event. */
#include "app/pmu.h"
#include "app/sources.h"
#include "base/vec.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READINGS = 24 };

static void __attribute__((format(printf, 4, 5)))
note(struct tp_app_counts *counts, const char *where, const char *hint, const char *fmt, ...)
{
	char what[sizeof(((struct tp_diag *)0)->what)];
	struct tp_diag diag;
	va_list arguments;
	va_start(arguments, fmt);
	vsnprintf(what, sizeof(what), fmt, arguments);
	va_end(arguments);
	tp_fail(&diag, TP_OK, where, hint, "%s", what);
	tp_diags_add(&counts->notes, &diag);
}

/* --- whether it can --- */

static enum tp_status refuse(const struct tp_pmu_host *host, const struct tp_pmu_event *event,
			     int error, struct tp_diag *diag)
{
	char level[16] = "unknown";
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	if (file) {
		if (fscanf(file, "%15s", level) != 1)
			strcpy(level, "unknown");
		fclose(file);
	}
	if (error == EACCES || error == EPERM)
		return tp_fail(diag, TP_PERM, "pmu",
			       "sudo sysctl kernel.perf_event_paranoid=2, or the capability "
			       "CAP_PERFMON; in a container its seccomp profile has to allow "
			       "perf_event_open, too",
			       "counting %s is not permitted while kernel.perf_event_paranoid is "
			       "%s",
			       event->name, level);
	if (host->cpu.hypervisor[0])
		return tp_fail(diag, TP_UNSUPPORTED, "pmu",
			       "its hypervisor would have to pass on a PMU; --app-source "
			       "instrument needs none",
			       "this virtual machine (%s) has no hardware counters: %s (%s)",
			       host->cpu.hypervisor, event->name, strerror(error));
	return tp_fail(diag, TP_UNSUPPORTED, "pmu", "--app-source instrument needs no counters",
		       "the kernel cannot count %s: %s", event->name, strerror(error));
}

enum tp_status tp_pmu_supported(const struct tp_pmu_host *host, struct tp_diag *diag)
{
	const struct tp_pmu *pmu = tp_pmu_of(&host->cpu);
	if (!pmu)
		return tp_fail(diag, TP_UNSUPPORTED, "pmu",
			       "it knows those of Intel since Broadwell and of AMD since Zen; "
			       "--app-source instrument needs none",
			       "no events that count FLOPs are known for this CPU (%s, family %d, "
			       "model %d)",
			       host->cpu.vendor[0] ? host->cpu.vendor : host->cpu.arch,
			       host->cpu.family, host->cpu.model);
	if (host->hybrid)
		return tp_fail(diag, TP_UNSUPPORTED, "pmu",
			       "--app-source instrument needs no counters",
			       "this CPU has cores of two kinds with counters of their own "
			       "(cpu_core, cpu_atom): a program that moves between them is not "
			       "counted as a whole");
	int fd = host->open(host->context, pmu->events[0].config);
	if (fd < 0)
		return refuse(host, &pmu->events[0], -fd, diag);
	host->close(host->context, fd);
	return TP_OK;
}

/* --- counting --- */

/* What the runs have in common. */
struct counting {
	const struct tp_pmu_host *host;
	struct tp_app_command command;
	struct tp_app_counts *counts;
	struct tp_pmu_reading readings[READINGS];
	size_t n;
	unsigned runs;
};

static bool is_required(const struct tp_pmu_event *event)
{
	return event->role == TP_PMU_ARITHMETIC || event->role == TP_PMU_FLOPS;
}

static enum tp_status run_with(struct counting *c, struct tp_diag *diag)
{
	struct tp_app_counts *counts = c->counts;
	struct tp_command_run ran = { 0 };
	enum tp_status status = c->host->run(&c->command, &ran, diag);
	if (status != TP_OK)
		return status;
	if (c->runs++ == 0) {
		counts->end = ran.end;
		counts->wall_seconds = ran.wall_seconds;
		tp_app_note_late(&c->command, &ran, &counts->notes);
		/* Only the first one speaks. */
		c->command.output = c->command.errors = -1;
	} else if (ran.end.signal != counts->end.signal || ran.end.code != counts->end.code) {
		if (counts->complete)
			note(counts, c->command.words[0],
			     "use --app-source instrument, which needs one run alone",
			     "does not end the same way in each run, and each event is counted in "
			     "a run of its own");
		counts->complete = false;
	}
	return TP_OK;
}

static enum tp_status count_event(struct counting *c, const struct tp_pmu_event *event,
				  struct tp_diag *diag)
{
	const struct tp_pmu_host *host = c->host;
	struct tp_pmu_value value = { 0 };
	int fd = host->open(host->context, event->config);
	if (fd < 0 && is_required(event))
		return refuse(host, event, -fd, diag);
	if (fd < 0) {
		note(c->counts, "pmu", NULL, "%s cannot be counted here: %s", event->name,
		     strerror(-fd));
		c->counts->complete = false;
		return TP_OK;
	}
	enum tp_status status = run_with(c, diag);
	bool whole = status == TP_OK && host->read(host->context, fd, &value);
	host->close(host->context, fd);
	if (status != TP_OK)
		return status;
	if (!whole)
		return tp_fail(diag, TP_IO, "pmu", NULL, "the counter of %s cannot be read",
			       event->name);
	/* The kernel would scale what it saw for a part of the time. */
	if (value.running_ns < value.enabled_ns || !value.enabled_ns)
		return tp_fail(diag, TP_RESOURCE, "pmu",
			       "end other programs that count; sudo sysctl kernel.nmi_watchdog=0 "
			       "frees one counter",
			       "%s was counted for %.0f %% of the run only: something else uses "
			       "the counters",
			       event->name,
			       value.enabled_ns
				       ? 100.0 * (double)value.running_ns / (double)value.enabled_ns
				       : 0.0);
	c->readings[c->n++] = (struct tp_pmu_reading){ event, value.value };
	return TP_OK;
}

static void note_meaning(const struct tp_pmu *pmu, const struct tp_app_command *command,
			 struct tp_app_counts *counts, double mean, bool known)
{
	if (known)
		note(counts, "pmu", "--app-source instrument counts them one by one",
		     "bytes are an assumption: loads and stores times %.3g bytes, the mean width "
		     "of the floating-point operations",
		     mean);
	else
		note(counts, "pmu", "--app-source instrument counts them one by one",
		     "bytes are an assumption: loads and stores times 8 bytes; no counter tells "
		     "how wide they are");
	if (pmu->meaning)
		note(counts, "pmu", NULL, "%s", pmu->meaning);
	note(counts, "pmu", NULL,
	     "each event was counted in a run of its own, in user mode, with all threads and "
	     "children");
	if (command->functions && command->functions[0])
		note(counts, "pmu", "--app-source instrument counts regions",
		     "counters see the program as a whole: regions are left out");
}

enum tp_status tp_pmu_count(const struct tp_pmu_host *host, const struct tp_app_command *command,
			    struct tp_app_counts *counts, struct tp_diag *diag)
{
	const struct tp_pmu *pmu = tp_pmu_of(&host->cpu);
	struct counting c = { .host = host, .command = *command, .counts = counts };
	bool known;
	*counts = (struct tp_app_counts){ .complete = true };
	enum tp_status status = tp_pmu_supported(host, diag);
	for (size_t i = 0; status == TP_OK && i < pmu->n && c.n < READINGS; i++)
		if (tp_pmu_has(&host->cpu, &pmu->events[i]))
			status = count_event(&c, &pmu->events[i], diag);
	if (status == TP_OK) {
		counts->regions = calloc(1, sizeof(*counts->regions));
		if (!counts->regions)
			status = tp_fail(diag, TP_NOMEM, "pmu", NULL, "out of memory");
	}
	if (status != TP_OK) {
		tp_app_counts_release(counts);
		return status;
	}
	counts->n_regions = 1;
	counts->regions[0].thread = TP_APP_ALL;
	counts->regions[0].seconds = counts->wall_seconds;
	double mean = tp_pmu_mix(c.readings, c.n, counts->regions[0].mix, &known);
	note_meaning(pmu, command, counts, mean, known);
	return TP_OK;
}

/* --- the row --- */

static enum tp_status supported(const char *path, struct tp_diag *diag)
{
	struct tp_pmu_host host;
	(void)path;
	tp_pmu_host(&host);
	return tp_pmu_supported(&host, diag);
}

static enum tp_status count(const struct tp_app_command *command, struct tp_app_counts *counts,
			    struct tp_diag *diag)
{
	struct tp_pmu_host host;
	tp_pmu_host(&host);
	return tp_pmu_count(&host, command, counts, diag);
}

const struct tp_app_source tp_app_pmu = {
	.name = "pmu",
	.summary =
		"the CPU's own counters, one run for each event: full speed, bytes by assumption",
	.supported = supported,
	.count = count,
};
