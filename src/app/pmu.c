/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The way of counting by the CPU's own counters: the program runs once for each event. */
#include "app/pmu.h"
#include "app/sources.h"
#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- whether it can --- */

enum tp_status tp_pmu_refuse(const struct tp_pmu_host *host, const char *event, int error,
			     struct tp_diag *diag)
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
			       "counting %.120s is not permitted while kernel.perf_event_paranoid "
			       "is %s",
			       event, level);
	if (host->cpu.hypervisor[0])
		return tp_fail(diag, TP_UNSUPPORTED, "pmu",
			       "its hypervisor would have to pass on a PMU; --app-source "
			       "instrument needs none",
			       "this virtual machine (%s) has no hardware counters: %.120s (%s)",
			       host->cpu.hypervisor, event, strerror(error));
	return tp_fail(diag, TP_UNSUPPORTED, "pmu", "--app-source instrument needs no counters",
		       "the kernel cannot count %.120s: %s", event, strerror(error));
}

/* Formulas have been tried; of the CPU's own events one is, and it stands for all. */
static enum tp_status try_first(const struct tp_pmu_host *host, const struct tp_pmu_plan *plan,
				struct tp_diag *diag)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_pmu_counter *counter = &plan->counters[i];
		if (!counter->required || !counter->event)
			continue;
		int fd = host->open(host->context, &counter->code);
		if (fd < 0)
			return tp_pmu_refuse(host, counter->name, -fd, diag);
		host->close(host->context, fd);
		return TP_OK;
	}
	return TP_OK;
}

enum tp_status tp_pmu_supported(const struct tp_pmu_host *host,
				const struct tp_app_formulas *formulas, struct tp_diag *diag)
{
	struct tp_pmu_plan plan;
	struct tp_diags untold = { 0 };
	enum tp_status status = tp_pmu_plan(host, formulas, &plan, &untold, diag);
	tp_diags_release(&untold);
	return status == TP_OK ? try_first(host, &plan, diag) : status;
}

/* --- counting --- */

/* What the runs have in common. */
struct counting {
	const struct tp_pmu_host *host;
	struct tp_app_command command;
	struct tp_app_counts *counts;
	struct tp_pmu_plan plan;
	unsigned runs;
	struct tp_str lacking; /* events that cannot be counted, and why */
};

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
		c->command.kept = NULL;
	} else if (ran.end.signal != counts->end.signal || ran.end.code != counts->end.code) {
		if (counts->complete)
			tp_diags_note(&counts->notes, c->command.words[0],
				      "use --app-source instrument, which needs one run alone",
				      "does not end the same way in each run, and each event is "
				      "counted in "
				      "a run of its own");
		counts->complete = false;
	}
	return TP_OK;
}

static enum tp_status count_event(struct counting *c, struct tp_pmu_counter *counter,
				  struct tp_diag *diag)
{
	const struct tp_pmu_host *host = c->host;
	struct tp_pmu_value value = { 0 };
	int fd = host->open(host->context, &counter->code);
	if (fd < 0 && counter->required)
		return tp_pmu_refuse(host, counter->name, -fd, diag);
	if (fd < 0) {
		tp_str_printf(&c->lacking, "%s%s (%s)", c->lacking.len ? ", " : "", counter->name,
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
		return tp_fail(diag, TP_IO, "pmu", NULL, "the counter of %.120s cannot be read",
			       counter->name);
	/* The kernel would scale what it saw for a part of the time. */
	if (value.running_ns < value.enabled_ns || !value.enabled_ns)
		return tp_fail(diag, TP_RESOURCE, "pmu",
			       "end other programs that count; sudo sysctl kernel.nmi_watchdog=0 "
			       "frees one counter",
			       "%.120s was counted for %.0f %% of the run only: something else "
			       "uses the counters",
			       counter->name,
			       value.enabled_ns
				       ? 100.0 * (double)value.running_ns / (double)value.enabled_ns
				       : 0.0);
	counter->value = value.value;
	counter->counted = true;
	return TP_OK;
}

enum { WORDS_MAX = 230 };

/* By name, and said: which formulas, of which run. */
static void note_formulas(const struct tp_pmu_plan *plan, struct tp_app_counts *counts)
{
	for (size_t i = 0; i < plan->n_formulas; i++) {
		const struct tp_app_formula *formula = plan->formulas[i].formula;
		bool cut = strlen(formula->words) > WORDS_MAX;
		const char *hint =
			cut ? "tprof --show with the name of that run shows the whole formula"
			: i ? NULL
			    : "--set app.formulas=off takes the events that tprof knows itself";
		tp_diags_note(&counts->notes, "pmu", hint, "%.40s by the formula of %.80s: %.*s%s",
			      formula->metric, plan->from->run, cut ? WORDS_MAX - 4 : WORDS_MAX,
			      formula->words, cut ? " ..." : "");
	}
}

static bool counts_arithmetic(const struct tp_pmu_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_pmu_event *event = plan->counters[i].event;
		if (event && (event->role == TP_PMU_ARITHMETIC || event->role == TP_PMU_FLOPS))
			return true;
	}
	return false;
}

static void note_meaning(const struct counting *c, double mean, bool known)
{
	struct tp_app_counts *counts = c->counts;
	if (known)
		tp_diags_note(&counts->notes, "pmu",
			      "--app-source instrument counts them one by one",
			      "bytes are an assumption: loads and stores times %.3g bytes, the "
			      "mean width "
			      "of the floating-point operations",
			      mean);
	else
		tp_diags_note(
			&counts->notes, "pmu", "--app-source instrument counts them one by one",
			"bytes are an assumption: loads and stores times 8 bytes; no counter tells "
			"how wide they are");
	note_formulas(&c->plan, counts);
	if (c->plan.pmu && c->plan.pmu->meaning && counts_arithmetic(&c->plan))
		tp_diags_note(&counts->notes, "pmu", NULL, "%s", c->plan.pmu->meaning);
	tp_diags_note(
		&counts->notes, "pmu", NULL,
		"each event was counted in a run of its own, in user mode, with all threads and "
		"children");
	if (c->command.functions && c->command.functions[0])
		tp_diags_note(&counts->notes, "pmu", "--app-source instrument counts regions",
			      "counters see the program as a whole: regions are left out");
}

enum tp_status tp_pmu_count(const struct tp_pmu_host *host, const struct tp_app_command *command,
			    struct tp_app_counts *counts, struct tp_diag *diag)
{
	struct counting c = { .host = host, .command = *command, .counts = counts };
	bool known, sound;
	*counts = (struct tp_app_counts){ .complete = true };
	enum tp_status status = tp_pmu_plan(host, command->formulas, &c.plan, &counts->notes, diag);
	if (status == TP_OK)
		status = try_first(host, &c.plan, diag);
	for (size_t i = 0; status == TP_OK && i < c.plan.n; i++)
		status = count_event(&c, &c.plan.counters[i], diag);
	if (status == TP_OK && c.lacking.len)
		tp_diags_note(&counts->notes, "pmu", NULL, "what cannot be counted here: %s",
			      tp_str_text(&c.lacking));
	tp_str_release(&c.lacking);
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
	double mean = tp_pmu_mix(&c.plan, counts->regions[0].mix, &known, &sound, &counts->notes);
	counts->complete &= sound && !c.plan.lacks;
	note_meaning(&c, mean, known);
	return TP_OK;
}

/* --- the row --- */

static enum tp_status supported(const char *path, const struct tp_app_formulas *formulas,
				struct tp_diag *diag)
{
	struct tp_pmu_host host;
	(void)path;
	tp_pmu_host(&host);
	return tp_pmu_supported(&host, formulas, diag);
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
