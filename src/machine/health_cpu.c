/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of processors: their clock, who may use them, and who else does. */
#include "machine/health_rows.h"
#include "machine/detect.h"
#include "machine/knobs.h"
#include "base/str.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_FOLDER "/sys/devices/system/cpu/"

/* Shares of one CPU. */
#define BUSY_WARNING 0.5
#define BUSY_NOTE    0.1

static unsigned first_allowed(const struct tp_machine *machine)
{
	for (size_t i = 0; i < machine->n_pus; i++)
		if (machine->pus[i].allowed)
			return machine->pus[i].os_index;
	return 0;
}

/* Reads a knob on the CPUs that this process may use; false if there is none. */
static bool read_knob(const struct tp_health *h, enum tp_knob_id id, struct tp_knobs *knobs,
		      struct tp_str *words)
{
	const struct tp_machine *m = h->machine;
	size_t n = 0;
	unsigned *cpus = calloc(m->n_pus + 1, sizeof(*cpus));
	for (size_t i = 0; cpus && i < m->n_pus; i++)
		if (m->pus[i].allowed)
			cpus[n++] = m->pus[i].os_index;
	*knobs = (struct tp_knobs){ .root = h->root };
	bool there = tp_knobs_plan(knobs, id, TP_KNOB_KEEP, cpus, n, NULL) == TP_OK;
	if (there)
		tp_knobs_words(knobs, id, true, words);
	free(cpus);
	return there;
}

void tp_health_governor(const struct tp_health *h, struct tp_finding *f)
{
	struct tp_knobs knobs;
	struct tp_str words = { 0 };
	char driver[64], path[96], command[640];
	if (!read_knob(h, TP_KNOB_GOVERNOR, &knobs, &words)) {
		tp_found(f, TP_NOTE, "tprof measures the frequency beside every window", NULL, "%s",
			 *h->machine->cpu.hypervisor
				 ? "no control of the frequency: the host of this virtual machine "
				   "decides"
				 : "this kernel has no control of the frequency");
		goto out;
	}
	snprintf(path, sizeof(path), CPU_FOLDER "cpu%u/cpufreq/scaling_driver",
		 first_allowed(h->machine));
	tp_environ_text(h->root, path, driver, sizeof(driver));
	tp_knobs_command(&knobs, TP_KNOB_GOVERNOR, "performance", command, sizeof(command));
	if (strcmp(tp_str_text(&words), "performance") == 0)
		tp_found(f, TP_FINE, NULL, NULL, "performance (driver %s)",
			 *driver ? driver : "unknown");
	else
		tp_found(f, TP_WARNING,
			 "cores slow down when idle and need time to speed up; or let a run do it: "
			 "--set knobs.governor=performance",
			 command, "%s (driver %s)", tp_str_text(&words),
			 *driver ? driver : "unknown");
out:
	tp_knobs_release(&knobs);
	tp_str_release(&words);
}

void tp_health_frequency(const struct tp_health *h, struct tp_finding *f)
{
	unsigned cpu = first_allowed(h->machine);
	char path[96], text[32], top[32], command[256];
	snprintf(path, sizeof(path), CPU_FOLDER "cpu%u/cpufreq/scaling_max_freq", cpu);
	if (!tp_environ_text(h->root, path, text, sizeof(text)))
		return;
	snprintf(path, sizeof(path), CPU_FOLDER "cpu%u/cpufreq/cpuinfo_max_freq", cpu);
	if (!tp_environ_text(h->root, path, top, sizeof(top)))
		return;
	double limit = strtod(text, NULL) / 1000, highest = strtod(top, NULL) / 1000;
	if (limit < 0.99 * highest) {
		snprintf(command, sizeof(command),
			 "echo %s | sudo tee " CPU_FOLDER "cpu*/cpufreq/scaling_max_freq", top);
		tp_found(f, TP_WARNING, "nothing runs at full speed", command,
			 "CPU %u is held at %.0f MHz or below; it can do %.0f MHz", cpu, limit,
			 highest);
	} else {
		tp_found(f, TP_FINE, NULL, NULL, "up to %.0f MHz", highest);
	}
}

void tp_health_turbo(const struct tp_health *h, struct tp_finding *f)
{
	struct tp_knobs knobs;
	struct tp_str words = { 0 };
	char command[640];
	if (read_knob(h, TP_KNOB_TURBO, &knobs, &words)) {
		bool off = strcmp(tp_str_text(&words), "off") == 0;
		/*
		 * One driver's file says whether turbo is on, the other's whether it is off; the
		 * command writes the opposite of the present value.
		 */
		tp_knobs_command(&knobs, TP_KNOB_TURBO, *knobs.items[0].before == '0' ? "1" : "0",
				 command, sizeof(command));
		if (off)
			tp_found(f, TP_FINE, NULL, NULL, "off: the clock does not depend on load");
		else
			tp_found(f, TP_NOTE,
				 "the clock depends on heat and on how many cores are busy; every "
				 "window is given its own frequency",
				 command, "on");
	}
	tp_knobs_release(&knobs);
	tp_str_release(&words);
}

bool tp_health_throttles(const struct tp_health *h, unsigned long long *events)
{
	static const char *const files[] = { "core_throttle_count", "package_throttle_count" };
	bool any = false;
	*events = 0;
	for (size_t i = 0; i < h->machine->n_pus; i++)
		for (size_t k = 0; k < TP_COUNT_OF(files); k++) {
			char path[128], text[32];
			snprintf(path, sizeof(path), CPU_FOLDER "cpu%u/thermal_throttle/%s",
				 h->machine->pus[i].os_index, files[k]);
			if (!tp_environ_text(h->root, path, text, sizeof(text)))
				continue;
			*events += strtoull(text, NULL, 10);
			any = true;
		}
	return any;
}

void tp_health_thermal(const struct tp_health *h, struct tp_finding *f)
{
	unsigned long long events;
	if (!tp_health_throttles(h, &events))
		return;
	if (h->second.throttles > h->first.throttles)
		tp_found(f, TP_PROBLEM, "the clock drops while you measure: check the cooling",
			 NULL,
			 "processors are throttled for heat right now (%llu times in the sample)",
			 h->second.throttles - h->first.throttles);
	else if (events)
		tp_found(f, TP_NOTE, "watch for the flag freq-drift", NULL,
			 "processors have been throttled for heat since the machine started (%llu "
			 "events)",
			 events);
	else
		tp_found(f, TP_FINE, NULL, NULL, "none since the machine started");
}

void tp_health_smt(const struct tp_health *h, struct tp_finding *f)
{
	const struct tp_machine *m = h->machine;
	if (m->n_pus > m->n_cores)
		tp_found(f, TP_NOTE,
			 "threads go to one a core first; work on the other thread of a core slows "
			 "it, which tprof sees and drops (flag sibling)",
			 "echo off | sudo tee " CPU_FOLDER "smt/control",
			 "%zu on %u cores: two share a core's units", m->n_pus, m->n_cores);
	else
		tp_found(f, TP_FINE, NULL, NULL, "one a core");
}

void tp_health_cpuset(const struct tp_health *h, struct tp_finding *f)
{
	const struct tp_machine *m = h->machine;
	if (m->n_allowed < m->n_pus)
		tp_found(f, TP_NOTE,
			 "others may work on the rest and take part of the caches and of the "
			 "memory; ask the batch system for the whole node (slurm: --exclusive)",
			 NULL, "%zu of %zu (affinity mask or cpuset)", m->n_allowed, m->n_pus);
	else
		tp_found(f, TP_FINE, NULL, NULL, "all %zu", m->n_pus);
}

/* --- quota --- */

struct quota {
	const char *root;
	double cpus; /* the tightest; 0 = none */
	unsigned long long throttled;
	char file[TP_PATH_MAX];
	bool unified;
};

static bool group_text(const char *root, const char *directory, const char *file, char *out,
		       size_t size)
{
	char path[TP_PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s", directory, file);
	return n > 0 && (size_t)n < sizeof(path) && tp_environ_text(root, path, out, size);
}

static void see_quota(void *context, bool unified, const char *directory)
{
	struct quota *q = context;
	char text[64], period[64] = "", stat[512];
	if (!group_text(q->root, directory, unified ? "cpu.max" : "cpu.cfs_quota_us", text,
			sizeof(text)))
		return;
	char *end;
	double runtime = strtod(text, &end), whole = strtod(end, NULL);
	if (end == text || runtime <= 0) /* "max 100000", or -1 */
		return;
	if (!unified) {
		group_text(q->root, directory, "cpu.cfs_period_us", period, sizeof(period));
		whole = strtod(period, NULL);
	}
	if (whole <= 0 || (q->cpus > 0 && runtime / whole >= q->cpus))
		return;
	q->cpus = runtime / whole;
	q->unified = unified;
	snprintf(q->file, sizeof(q->file), "%.4000s/%s", directory,
		 unified ? "cpu.max" : "cpu.cfs_quota_us");
	q->throttled = 0;
	const char *count = group_text(q->root, directory, "cpu.stat", stat, sizeof(stat))
				    ? strstr(stat, "nr_throttled ")
				    : NULL;
	if (count)
		q->throttled = strtoull(count + strlen("nr_throttled "), NULL, 10);
}

void tp_health_quota(const struct tp_health *h, struct tp_finding *f)
{
	struct quota q = { .root = h->root };
	tp_cgroup_walk(h->root, "cpu", see_quota, &q);
	if (!(q.cpus > 0)) {
		tp_found(f, TP_FINE, NULL, NULL, "none");
		return;
	}
	/* Names of groups may hold \x2d, which the shell would change without quotes. */
	struct tp_str command = { 0 };
	tp_str_printf(&command, "echo %s | sudo tee '%s'", q.unified ? "max" : "-1", q.file);
	if (q.cpus < (double)h->machine->n_allowed)
		tp_found(f, TP_PROBLEM,
			 "a process that uses up the quota stops for the rest of a period, even "
			 "inside a window",
			 tp_str_text(&command),
			 "time of %.3g CPUs for the %zu that may be used (stopped %llu times so "
			 "far)",
			 q.cpus, h->machine->n_allowed, q.throttled);
	else
		tp_found(f, TP_NOTE, "enough for every CPU that may be used", tp_str_text(&command),
			 "time of %.3g CPUs", q.cpus);
	tp_str_release(&command);
}

void tp_health_isolation(const struct tp_health *h, struct tp_finding *f)
{
	char isolated[256], quiet[256], command[320];
	tp_environ_text(h->root, CPU_FOLDER "isolated", isolated, sizeof(isolated));
	tp_environ_text(h->root, CPU_FOLDER "nohz_full", quiet, sizeof(quiet));
	bool tickless = *quiet && quiet[0] != '(';
	unsigned first = (unsigned)strtoul(isolated, NULL, 10);
	bool usable = false;
	for (size_t i = 0; i < h->machine->n_pus; i++)
		usable |= h->machine->pus[i].os_index == first && h->machine->pus[i].allowed;
	if (!*isolated) {
		tp_found(f, TP_FINE, NULL, NULL, "none%s%s",
			 tickless ? "; without timer ticks: " : "", tickless ? quiet : "");
	} else if (usable) {
		tp_found(f, TP_FINE, "no other process runs there: measure on them with affinity",
			 NULL, "%s", isolated);
	} else {
		snprintf(command, sizeof(command), "taskset -c %s tprof doctor", isolated);
		tp_found(f, TP_NOTE,
			 "the quietest CPUs, and this process is kept off them; taskset brings it "
			 "there",
			 command, "%s", isolated);
	}
}

/* --- who else --- */

void tp_health_load(const struct tp_health *h, struct tp_finding *f)
{
	double ticks = h->second.all_ticks - h->first.all_ticks;
	double busy = h->second.busy_ticks - h->first.busy_ticks;
	double cpus = ticks > 0 ? busy / ticks * (double)h->machine->n_allowed : 0;
	char average[64], command[64] = "";
	struct tp_str who = { 0 };
	tp_environ_text(h->root, "/proc/loadavg", average, sizeof(average));
	average[strcspn(average, " ")] = '\0';
	for (size_t i = 0; i < h->n_busy && h->busy[i].share >= BUSY_NOTE; i++)
		tp_str_printf(&who, "%s%s (pid %ld) %.0f %% of CPU %u", who.len ? ", " : "",
			      h->busy[i].name, h->busy[i].pid, h->busy[i].share * 100,
			      h->busy[i].cpu);
	bool loud = cpus >= BUSY_WARNING || (h->n_busy && h->busy[0].share >= BUSY_WARNING);
	if (who.len)
		snprintf(command, sizeof(command), "kill -STOP %ld", h->busy[0].pid);
	if (who.len || cpus >= BUSY_NOTE)
		tp_found(f, loud ? TP_WARNING : TP_NOTE,
			 who.len ? "it takes caches, memory and time; wait for its end, or pause "
				   "it and continue it afterwards with kill -CONT"
				 : "processes that came and went, or that cannot be seen from here",
			 command, "%s%s%.1f CPUs busy%s%s", tp_str_text(&who), who.len ? "; " : "",
			 cpus, *average ? ", load average " : "", average);
	else
		tp_found(f, TP_FINE, NULL, NULL, "quiet%s%s", *average ? ", load average " : "",
			 average);
	tp_str_release(&who);
}

void tp_health_hypervisor(const struct tp_health *h, struct tp_finding *f)
{
	double ticks = h->second.all_ticks - h->first.all_ticks;
	double steal = ticks > 0 ? (h->second.steal_ticks - h->first.steal_ticks) / ticks : 0;
	const char *name = h->machine->cpu.hypervisor;
	if (steal > 0)
		tp_found(f, TP_WARNING,
			 "the hypervisor gives the CPUs to others; tprof drops windows where it "
			 "sees that",
			 NULL, "%s%s%.1f %% of the time was taken away in the sample", name,
			 *name ? ": " : "", steal * 100);
	else if (*name)
		tp_found(f, TP_NOTE,
			 "neighbours are invisible but take time and caches; the reported caches "
			 "may be wrong",
			 NULL, "%s; no time was taken away in the sample", name);
	else
		tp_found(f, TP_FINE, NULL, NULL, "no");
}

void tp_health_model(const struct tp_health *h, struct tp_finding *f)
{
	const struct tp_machine *m = h->machine;
	struct tp_str named = { 0 };
	tp_model_named(m, &named);
	if (!named.len)
		tp_found(f, TP_NOTE, "results are right, but stand beside no theoretical roofs",
			 "tprof --list machines", "none is known for this CPU");
	else if (m->model_found == TP_MODEL_LOOKS_LIKE)
		tp_found(f, TP_NOTE,
			 "the theoretical roofs are those of this model; points above them (flag "
			 "over-bound) say that it is the wrong one",
			 NULL, "%s: %s", tp_str_text(&named), m->model.title);
	else
		tp_found(f, TP_FINE, NULL, NULL, "%s, %s: %s", tp_model_found_word(m->model_found),
			 tp_str_text(&named), m->model.title);
	tp_str_release(&named);
}
