/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checks, and the two samples of what other processes do. */
#include "machine/health.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/str.h"
#include "base/text.h"
#include "base/memory.h"
#include "machine/detect.h"
#include "machine/knobs.h"
#include "machine/knobs_held.h"

#define CPU_FOLDER "/sys/devices/system/cpu/"

const char *tp_severity_name(enum tp_severity severity)
{
	static const char *const names[] = {
#define SEVERITY_NAME(name, text) text,
		TP_SEVERITY_LIST(SEVERITY_NAME)
#undef SEVERITY_NAME
	};
	return names[severity];
}

void tp_found(struct tp_finding *finding, enum tp_severity severity, const char *means,
	      const char *remedy, const char *fmt, ...)
{
	va_list ap;
	finding->severity = severity;
	va_start(ap, fmt);
	vsnprintf(finding->what, sizeof(finding->what), fmt, ap);
	va_end(ap);
	tp_copy(finding->means, sizeof(finding->means), means ? means : "");
	tp_copy(finding->remedy, sizeof(finding->remedy), remedy ? remedy : "");
}

/* A finding that needs nothing. */
#define FINE(finding, ...) tp_found(finding, TP_FINE, NULL, NULL, __VA_ARGS__)

/* --- of this process --- */

int tp_perf_error(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_HW_CPU_CYCLES,
					.disabled = 1,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0UL);
	if (fd < 0)
		return errno;
	close((int)fd);
	return 0;
}

static unsigned long long limit_of(int resource)
{
	struct rlimit limit;
	if (getrlimit((__rlimit_resource_t)resource, &limit) != 0 ||
	    limit.rlim_cur == RLIM_INFINITY)
		return ULLONG_MAX;
	return limit.rlim_cur;
}

void tp_health_init(struct tp_health *health, const struct tp_machine *machine, const char *root)
{
	*health = (struct tp_health){ .root = root,
				      .machine = machine,
				      .perf_error = tp_perf_error(),
				      .address_space_bytes = limit_of(RLIMIT_AS),
				      .locked_bytes = limit_of(RLIMIT_MEMLOCK),
				      .realtime_priority = (unsigned long)limit_of(RLIMIT_RTPRIO) };
}

/* --- looks --- */

static void look_at_processes(const struct tp_health *health, struct tp_look_at *look)
{
	char path[TP_PATH_MAX], text[1024];
	DIR *all = tp_environ_path(path, health->root, "/proc") ? opendir(path) : NULL;
	look->n = 0;
	if (!all)
		return;
	for (struct dirent *e; (e = readdir(all));) {
		struct tp_process_look process;
		if (!isdigit((unsigned char)e->d_name[0]) ||
		    strtol(e->d_name, NULL, 10) == (long)getpid())
			continue;
		if (!tp_environ_text(health->root, text, sizeof(text), "/proc/%.20s/stat",
				     e->d_name) ||
		    !tp_process_parse(text, &process))
			continue; /* the process has ended */
		TP_RESERVE(look->processes, look->cap, look->n + 1);
		look->processes[look->n++] = process;
	}
	closedir(all);
}

static bool is_allowed(const struct tp_machine *machine, unsigned cpu)
{
	for (size_t i = 0; i < machine->n_pus; i++)
		if (machine->pus[i].os_index == cpu)
			return machine->pus[i].allowed;
	return false;
}

struct cpu_look {
	const struct tp_machine *machine;
	struct tp_look_at *look;
};

static void look_at_cpu(void *context, unsigned cpu, const uint64_t ticks[TP_CPU_TIMES])
{
	const struct cpu_look *c = context;
	double all = 0;
	if (!is_allowed(c->machine, cpu))
		return;
	for (size_t i = 0; i < TP_CPU_TIMES; i++)
		all += (double)ticks[i];
	c->look->all_ticks += all;
	c->look->steal_ticks += (double)ticks[TP_CPU_STEAL];
	c->look->busy_ticks += all - (double)ticks[TP_CPU_IDLE] - (double)ticks[TP_CPU_IOWAIT] -
			       (double)ticks[TP_CPU_STEAL];
}

static void look_at_cpus(const struct tp_health *health, struct tp_look_at *look)
{
	look->busy_ticks = look->steal_ticks = look->all_ticks = 0;
	tp_cpu_walk(health->root, look_at_cpu, &(struct cpu_look){ health->machine, look });
}

/* Sum of the thermal events of all CPUs since boot; false if the kernel does not count them. */
static bool count_throttles(const struct tp_health *h, unsigned long long *events)
{
	static const char *const files[] = { "core_throttle_count", "package_throttle_count" };
	bool any = false;
	*events = 0;
	for (size_t i = 0; i < h->machine->n_pus; i++)
		for (size_t k = 0; k < TP_COUNT_OF(files); k++) {
			char text[32];
			if (!tp_environ_text(h->root, text, sizeof(text),
					     CPU_FOLDER "cpu%u/thermal_throttle/%s",
					     h->machine->pus[i].os_index, files[k]))
				continue;
			*events += strtoull(text, NULL, 10);
			any = true;
		}
	return any;
}

/* Reading /proc uses CPU time itself, so it happens outside the counted interval. */
void tp_health_look_first(struct tp_health *health)
{
	look_at_processes(health, &health->first);
	count_throttles(health, &health->first.throttles);
	look_at_cpus(health, &health->first);
}

/* Inserts into the list of the busiest processes. */
static void note_busy(struct tp_health *health, const struct tp_busy *busy)
{
	size_t at = health->n_busy;
	while (at && health->busy[at - 1].share < busy->share)
		at--;
	if (at == TP_BUSY_MAX)
		return;
	health->n_busy = TP_MIN(health->n_busy + 1, (size_t)TP_BUSY_MAX);
	memmove(&health->busy[at + 1], &health->busy[at],
		(health->n_busy - 1 - at) * sizeof(*busy));
	health->busy[at] = *busy;
}

/* The time of this process in the first sample; 0 for a process that is new. */
static double seconds_before(const struct tp_look_at *first, const struct tp_process_look *now)
{
	for (size_t i = 0; i < first->n; i++)
		if (first->processes[i].pid == now->pid &&
		    first->processes[i].start_ticks == now->start_ticks)
			return first->processes[i].cpu_seconds;
	return 0;
}

void tp_health_look_again(struct tp_health *health)
{
	const struct tp_look_at *first = &health->first, *second = &health->second;
	look_at_cpus(health, &health->second);
	count_throttles(health, &health->second.throttles);
	look_at_processes(health, &health->second);
	/* Time of one CPU between the looks, by the kernel's own count. */
	double seconds = (second->all_ticks - first->all_ticks) /
			 (double)TP_MAX(health->machine->n_allowed, (size_t)1) /
			 (double)sysconf(_SC_CLK_TCK);
	health->n_busy = 0;
	for (size_t i = 0; i < second->n && seconds > 0; i++) {
		const struct tp_process_look *now = &second->processes[i];
		struct tp_busy busy = { .pid = now->pid, .cpu = now->cpu };
		busy.share = (now->cpu_seconds - seconds_before(first, now)) / seconds;
		tp_copy(busy.name, sizeof(busy.name), now->name);
		if (busy.share > 0)
			note_busy(health, &busy);
	}
}

void tp_health_release(struct tp_health *health)
{
	free(health->first.processes);
	free(health->second.processes);
	*health = (struct tp_health){ 0 };
}

/* --- processors: their clock, who may use them, and other programs --- */

/* Shares of one CPU. */
#define BUSY_WARNING 0.5
#define BUSY_NOTE    0.1

/* Reads a knob on the CPUs that this process may use; false if missing. */
static bool read_knob(const struct tp_health *h, enum tp_knob_id id, struct tp_knobs *knobs,
		      struct tp_str *words)
{
	const struct tp_machine *m = h->machine;
	size_t n = 0;
	TP_FREE unsigned *cpus = tp_alloc(m->n_pus + 1, sizeof(*cpus));
	for (size_t i = 0; i < m->n_pus; i++)
		if (m->pus[i].allowed)
			cpus[n++] = m->pus[i].os_index;
	*knobs = (struct tp_knobs){ .root = h->root };
	bool there = tp_knobs_plan(knobs, id, TP_KNOB_KEEP, cpus, n, NULL) == TP_OK;
	if (there)
		tp_knobs_words(knobs, id, true, words);
	return there;
}

static void check_governor(const struct tp_health *h, struct tp_finding *f)
{
	TP_CLEANUP(tp_knobs_release) struct tp_knobs knobs = { 0 };
	TP_STR words = { 0 };
	char driver[64], command[640];
	if (!read_knob(h, TP_KNOB_GOVERNOR, &knobs, &words)) {
		tp_found(f, TP_NOTE, "tprof measures the frequency around every window", NULL, "%s",
			 *h->machine->cpu.hypervisor
				 ? "no control of the frequency: the host of this virtual machine "
				   "decides"
				 : "this kernel has no control of the frequency");
		return;
	}
	tp_environ_text(h->root, driver, sizeof(driver), CPU_FOLDER "cpu%u/cpufreq/scaling_driver",
			tp_machine_first_cpu(h->machine));
	tp_knobs_command(&knobs, TP_KNOB_GOVERNOR, "performance", command, sizeof(command));
	if (strcmp(tp_str_text(&words), "performance") == 0)
		FINE(f, "performance (driver %s)", *driver ? driver : "unknown");
	else
		tp_found(f, TP_WARNING,
			 "cores slow down when idle and need time to speed up; or let a run do it: "
			 "knobs.governor=performance",
			 command, "%s (driver %s)", tp_str_text(&words),
			 *driver ? driver : "unknown");
}

static void check_frequency(const struct tp_health *h, struct tp_finding *f)
{
	unsigned cpu = tp_machine_first_cpu(h->machine);
	char text[32], top[32], command[256];
	if (!tp_environ_text(h->root, text, sizeof(text),
			     CPU_FOLDER "cpu%u/cpufreq/scaling_max_freq", cpu) ||
	    !tp_environ_text(h->root, top, sizeof(top), CPU_FOLDER "cpu%u/cpufreq/cpuinfo_max_freq",
			     cpu))
		return;
	double limit = strtod(text, NULL) / 1000, highest = strtod(top, NULL) / 1000;
	if (limit < 0.99 * highest) {
		snprintf(command, sizeof(command),
			 "echo %s | sudo tee " CPU_FOLDER "cpu*/cpufreq/scaling_max_freq", top);
		tp_found(f, TP_WARNING, "nothing runs at full speed", command,
			 "CPU %u is held at %.0f MHz or below; it can do %.0f MHz", cpu, limit,
			 highest);
	} else {
		FINE(f, "up to %.0f MHz", highest);
	}
}

static void check_turbo(const struct tp_health *h, struct tp_finding *f)
{
	TP_CLEANUP(tp_knobs_release) struct tp_knobs knobs = { 0 };
	TP_STR words = { 0 };
	char command[640];
	if (read_knob(h, TP_KNOB_TURBO, &knobs, &words)) {
		bool off = strcmp(tp_str_text(&words), "off") == 0;
		/*
		 * One driver's file is true if turbo is on, the other's if it is off; the command
		 * writes the opposite of the present value.
		 */
		tp_knobs_command(&knobs, TP_KNOB_TURBO, *knobs.items[0].before == '0' ? "1" : "0",
				 command, sizeof(command));
		if (off)
			FINE(f, "off: the clock does not depend on load");
		else
			tp_found(f, TP_NOTE,
				 "the clock depends on heat and on how many cores are busy; every "
				 "window is given its own frequency",
				 command, "on");
	}
}

static void check_thermal(const struct tp_health *h, struct tp_finding *f)
{
	unsigned long long events;
	if (!count_throttles(h, &events))
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
		FINE(f, "none since the machine started");
}

static void check_smt(const struct tp_health *h, struct tp_finding *f)
{
	const struct tp_machine *m = h->machine;
	if (m->n_pus > m->n_cores)
		tp_found(f, TP_NOTE,
			 "threads go to one a core first; work on the other thread of a core slows "
			 "it, which tprof sees and drops (flag sibling)",
			 "echo off | sudo tee " CPU_FOLDER "smt/control",
			 "%zu on %u cores: two share a core's units", m->n_pus, m->n_cores);
	else
		FINE(f, "one a core");
}

static void check_cpuset(const struct tp_health *h, struct tp_finding *f)
{
	const struct tp_machine *m = h->machine;
	if (m->n_allowed < m->n_pus)
		tp_found(f, TP_NOTE,
			 "others may work on the rest and take part of the caches and of the "
			 "memory; ask the batch system for the whole node (slurm: --exclusive)",
			 NULL, "%zu of %zu (affinity mask or cpuset)", m->n_allowed, m->n_pus);
	else
		FINE(f, "all %zu", m->n_pus);
}

/* --- quota --- */

struct quota {
	const char *root;
	double cpus; /* the tightest; 0 = none */
	unsigned long long throttled;
	char file[TP_PATH_MAX];
	bool unified;
};

static void see_quota(void *context, bool unified, const char *directory)
{
	struct quota *q = context;
	char text[64], period[64] = "", stat[512];
	if (!tp_environ_text(q->root, text, sizeof(text), "%s/%s", directory,
			     unified ? "cpu.max" : "cpu.cfs_quota_us"))
		return;
	char *end;
	double runtime = strtod(text, &end), whole = strtod(end, NULL);
	if (end == text || runtime <= 0) /* "max 100000", or -1 */
		return;
	if (!unified) {
		tp_environ_text(q->root, period, sizeof(period), "%s/cpu.cfs_period_us", directory);
		whole = strtod(period, NULL);
	}
	if (whole <= 0 || (q->cpus > 0 && runtime / whole >= q->cpus))
		return;
	q->cpus = runtime / whole;
	q->unified = unified;
	snprintf(q->file, sizeof(q->file), "%.4000s/%s", directory,
		 unified ? "cpu.max" : "cpu.cfs_quota_us");
	q->throttled = 0;
	tp_environ_text(q->root, stat, sizeof(stat), "%s/cpu.stat", directory);
	const char *count = strstr(stat, "nr_throttled ");
	if (count)
		q->throttled = strtoull(count + strlen("nr_throttled "), NULL, 10);
}

static void check_quota(const struct tp_health *h, struct tp_finding *f)
{
	struct quota q = { .root = h->root };
	tp_cgroup_walk(h->root, "cpu", see_quota, &q);
	if (!(q.cpus > 0)) {
		FINE(f, "none");
		return;
	}
	/* Names of groups may hold \x2d, which the shell would change without quotes. */
	TP_STR command = { 0 };
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
}

static void check_isolation(const struct tp_health *h, struct tp_finding *f)
{
	char isolated[256], quiet[256], command[320];
	tp_environ_text(h->root, isolated, sizeof(isolated), CPU_FOLDER "isolated");
	tp_environ_text(h->root, quiet, sizeof(quiet), CPU_FOLDER "nohz_full");
	/* Where no CPU is, the kernel writes "  (null)". */
	bool tickless = *quiet && !strchr(quiet, '(');
	unsigned first = (unsigned)strtoul(isolated, NULL, 10);
	bool usable = false;
	for (size_t i = 0; i < h->machine->n_pus; i++)
		usable |= h->machine->pus[i].os_index == first && h->machine->pus[i].allowed;
	if (!*isolated) {
		FINE(f, "none%s%s", tickless ? "; without timer ticks: " : "",
		     tickless ? quiet : "");
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

/* --- other programs --- */

static void check_load(const struct tp_health *h, struct tp_finding *f)
{
	double ticks = h->second.all_ticks - h->first.all_ticks;
	double busy = h->second.busy_ticks - h->first.busy_ticks;
	double cpus = ticks > 0 ? busy / ticks * (double)h->machine->n_allowed : 0;
	char average[64], command[64] = "";
	TP_STR who = { 0 };
	tp_environ_text(h->root, average, sizeof(average), "/proc/loadavg");
	average[strcspn(average, " ")] = '\0';
	for (size_t i = 0; i < h->n_busy && h->busy[i].share >= BUSY_NOTE; i++)
		tp_str_printf(&who, "%s%s (pid %ld) %.0f %% of CPU %u", who.len ? ", " : "",
			      h->busy[i].name, h->busy[i].pid, h->busy[i].share * 100,
			      h->busy[i].cpu);
	if (!h->second.n && h->second.all_ticks <= 0) {
		tp_found(f, TP_NOTE, "other processes may take time and caches", NULL,
			 "unknown: /proc shows neither processes nor CPU times");
		return;
	}
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
		FINE(f, "quiet%s%s", *average ? ", load average " : "", average);
}

static void check_hypervisor(const struct tp_health *h, struct tp_finding *f)
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
		FINE(f, "no");
}

static void check_model(const struct tp_health *h, struct tp_finding *f)
{
	const struct tp_machine *m = h->machine;
	TP_STR named = { 0 };
	tp_model_named(m, &named);
	if (!named.len)
		tp_found(f, TP_NOTE, "results are right, but without theoretical roofs",
			 "tprof --list machines", "no model for this CPU");
	else if (m->model_found == TP_MODEL_LOOKS_LIKE)
		tp_found(f, TP_NOTE,
			 "the theoretical roofs come from this model; points above them (flag "
			 "over-bound) mean that it is the wrong one",
			 NULL, "%s: %s", tp_str_text(&named), m->model.title);
	else
		FINE(f, "%s, %s: %s", tp_model_found_word(m->model_found), tp_str_text(&named),
		     m->model.title);
}

/* --- settings of the kernel --- */

#define MIB 1048576ULL

static void check_container(const struct tp_health *h, struct tp_finding *f)
{
	if (*h->machine->container)
		tp_found(f, TP_NOTE,
			 "limits set from outside hold here, and the knobs are often read-only",
			 NULL, "%s", h->machine->container);
	else
		FINE(f, "no");
}

/* Sources that cost microseconds to read, or jump. */
static const char poor_clocks[] = "hpet acpi_pm jiffies refined-jiffies pit";

static void check_clock(const struct tp_health *h, struct tp_finding *f)
{
	static const char folder[] = "/sys/devices/system/clocksource/clocksource0/";
	char current[64], available[256], command[256];
	bool invariant = h->machine->cpu.invariant_counter;
	tp_environ_text(h->root, current, sizeof(current), "%scurrent_clocksource", folder);
	tp_environ_text(h->root, available, sizeof(available), "%savailable_clocksource", folder);
	size_t first = strcspn(available, " ");
	snprintf(command, sizeof(command), "echo %.*s | sudo tee %scurrent_clocksource", (int)first,
		 available, folder);
	bool better = first && strlen(current) && strncmp(available, current, first) != 0;
	if (!invariant)
		tp_found(f, TP_WARNING, "windows are timed by the system's clock",
			 better ? command : NULL,
			 "the cycle counter is not known to tick evenly; the system's clock is %s",
			 *current ? current : "unknown");
	else if (tp_has_word(poor_clocks, current))
		tp_found(f, TP_NOTE,
			 "windows are timed by the cycle counter; only its calibration is slower",
			 better ? command : NULL,
			 "the cycle counter ticks evenly; the system's clock is %s", current);
	else
		FINE(f, "the cycle counter ticks evenly; the system's clock is %s",
		     *current ? current : "unknown");
}

static void check_thp(const struct tp_health *h, struct tp_finding *f)
{
	TP_CLEANUP(tp_knobs_release) struct tp_knobs knobs = { .root = h->root };
	char command[640];
	if (tp_knobs_plan(&knobs, TP_KNOB_THP, TP_KNOB_KEEP, NULL, 0, NULL) != TP_OK) {
		tp_found(f, TP_NOTE, "pages: thp is the same as pages: default", NULL,
			 "not in this kernel");
		return;
	}
	const char *mode = knobs.items[0].before;
	tp_knobs_command(&knobs, TP_KNOB_THP, "madvise", command, sizeof(command));
	if (strcmp(mode, "never") == 0)
		tp_found(f, TP_WARNING,
			 "buffers lie in small pages: large working sets pay for address "
			 "translation (flag small-pages)",
			 command, "never");
	else if (strcmp(mode, "always") == 0)
		tp_found(f, TP_NOTE,
			 "pages: default gets huge pages too; use pages: small against them", NULL,
			 "always");
	else
		FINE(f, "%s: programs that ask get them", mode);
}

static void check_hugetlb(const struct tp_health *h, struct tp_finding *f)
{
	const struct tp_machine *m = h->machine;
	char size[32];
	tp_format_bytes(size, sizeof(size), m->huge_page_bytes);
	if (m->hugetlb_free)
		FINE(f, "%llu of %s are free", (unsigned long long)m->hugetlb_free, size);
	else
		tp_found(f, TP_NOTE, "only pages: hugetlb needs them",
			 "sudo sysctl vm.nr_hugepages=512", "none free");
}

static void check_numa_balancing(const struct tp_health *h, struct tp_finding *f)
{
	char text[32];
	if (!tp_environ_text(h->root, text, sizeof(text), "/proc/sys/kernel/numa_balancing"))
		return;
	if (strcmp(text, "0") == 0)
		FINE(f, "off");
	else if (h->machine->n_numa > 1)
		tp_found(f, TP_WARNING,
			 "the kernel unmaps pages to see who uses them, and moves them: page "
			 "faults in windows",
			 "sudo sysctl kernel.numa_balancing=0", "on, with %u memory nodes",
			 h->machine->n_numa);
	else
		FINE(f, "on, but there is one memory node only");
}

/* --- memory --- */

struct limit {
	const char *root;
	uint64_t bytes; /* the tightest; UINT64_MAX = none */
};

static void see_limit(void *context, bool unified, const char *directory)
{
	struct limit *l = context;
	uint64_t bytes;
	if (tp_cgroup_number(l->root, directory, unified ? "memory.max" : "memory.limit_in_bytes",
			     &bytes))
		l->bytes = TP_MIN(l->bytes, bytes);
}

static void check_memory(const struct tp_health *h, struct tp_finding *f)
{
	const struct tp_machine *m = h->machine;
	struct limit l = { h->root, UINT64_MAX };
	char all[32], usable[32], limit[32];
	tp_cgroup_walk(h->root, "memory", see_limit, &l);
	tp_format_bytes(all, sizeof(all), m->memory_bytes);
	tp_format_bytes(usable, sizeof(usable), m->available_bytes);
	uint64_t last = tp_machine_last_level_bytes(m);
	bool small = m->available_bytes < TP_MAX(4 * last, 256 * MIB);
	if (!m->memory_bytes)
		return;
	if (small)
		tp_found(f, TP_WARNING,
			 "working sets beyond the caches do not fit: no DRAM roof, or a process "
			 "that is killed",
			 NULL, "%s of %s usable", usable, all);
	else if (l.bytes < m->memory_bytes)
		tp_found(f, TP_NOTE, "points that need more are left out of a plan", NULL,
			 "%s of %s usable, by a limit of %s on the control group", usable, all,
			 tp_format_bytes(limit, sizeof(limit), l.bytes));
	else
		FINE(f, "%s of %s usable", usable, all);
}

static void check_pages(const struct tp_health *h, struct tp_finding *f)
{
	char page[32], huge[32];
	tp_format_bytes(page, sizeof(page), h->machine->page_bytes);
	tp_format_bytes(huge, sizeof(huge), h->machine->huge_page_bytes);
	FINE(f, "%s, huge pages %s", page, huge);
}

static void check_aslr(const struct tp_health *h, struct tp_finding *f)
{
	char text[16];
	if (!tp_environ_text(h->root, text, sizeof(text), "/proc/sys/kernel/randomize_va_space"))
		return;
	if (strcmp(text, "0") != 0)
		FINE(f, "on, as it should be: invocations above 1 then see several layouts");
	else
		tp_found(f, TP_NOTE, "each of the invocations gets the same layout of addresses",
			 "sudo sysctl kernel.randomize_va_space=2", "off");
}

/* --- what this process may do --- */

static void check_limits(const struct tp_health *h, struct tp_finding *f)
{
	char space[32], locked[32];
	if (h->address_space_bytes != ULLONG_MAX)
		tp_found(f, TP_WARNING, "large buffers and many threads may not fit",
			 "ulimit -v unlimited", "address space of at most %s",
			 tp_format_bytes(space, sizeof(space), h->address_space_bytes));
	else if (h->locked_bytes != ULLONG_MAX)
		FINE(f, "address space unlimited, locked memory %s",
		     tp_format_bytes(locked, sizeof(locked), h->locked_bytes));
	else
		FINE(f, "none on address space and locked memory");
}

enum { CAP_SYS_NICE_BIT = 23, CAP_PERFMON_BIT = 38 };

/* Effective capabilities of this process, from its status; 0 when unknown. */
static unsigned long long capabilities(const char *root)
{
	char text[4096];
	tp_environ_text(root, text, sizeof(text), "/proc/self/status");
	const char *at = strstr(text, "\nCapEff:");
	return at ? strtoull(at + strlen("\nCapEff:"), NULL, 16) : 0;
}

static void check_realtime(const struct tp_health *h, struct tp_finding *f)
{
	double share = tp_realtime_share(h->root);
	bool may = h->realtime_priority >= 1 || capabilities(h->root) >> CAP_SYS_NICE_BIT & 1;
	if (share >= 1)
		tp_found(f, TP_NOTE,
			 "knobs.scheduler: fifo is refused, since a spinning team would hang the "
			 "machine",
			 "sudo sysctl kernel.sched_rt_runtime_us=950000",
			 "real-time threads may take all of the time");
	else if (!may)
		tp_found(f, TP_NOTE, "only knobs.scheduler: fifo needs it",
			 "sudo setcap cap_sys_nice=ep \"$(command -v tprof)\"",
			 "not permitted to this process");
	else if (share >= 0)
		FINE(f, "permitted, for at most %.3g %% of the time", share * 100);
	else
		FINE(f, "permitted");
}

static void check_counters(const struct tp_health *h, struct tp_finding *f)
{
	static const char means[] =
		"rates come from what the kernels do and miss nothing; perf and PAPI are affected, "
		"and the experiment counters emulates a core instead";
	char text[16];
	long paranoid =
		tp_environ_text(h->root, text, sizeof(text), "/proc/sys/kernel/perf_event_paranoid")
			? strtol(text, NULL, 10)
			: -2;
	const char *allow = "sudo sysctl kernel.perf_event_paranoid=1";
	switch (h->perf_error) {
	case 0:
		if (paranoid > 2)
			tp_found(f, TP_NOTE,
				 "PAPI leaves its perf_event part out at 3, even for root", allow,
				 "they count, but kernel.perf_event_paranoid is %ld", paranoid);
		else
			FINE(f, "they count (kernel.perf_event_paranoid %ld)", paranoid);
		break;
	case EACCES:
	case EPERM:
		tp_found(f, TP_NOTE, means, allow,
			 "not permitted (kernel.perf_event_paranoid %ld%s)", paranoid,
			 *h->machine->container ? ", or the container's filter" : "");
		break;
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		tp_found(f, TP_NOTE, means, NULL, "this %s has none",
			 *h->machine->cpu.hypervisor ? "virtual machine" : "machine or its kernel");
		break;
	case ENOSYS:
		tp_found(f, TP_NOTE, means, NULL,
			 "the kernel has no perf events, or a filter hides them");
		break;
	default:
		tp_found(f, TP_NOTE, means, NULL, "cannot be opened: %s", strerror(h->perf_error));
	}
}

static void check_mitigations(const struct tp_health *h, struct tp_finding *f)
{
	static const char folder[] = "/sys/devices/system/cpu/vulnerabilities";
	char path[TP_PATH_MAX], text[256];
	TP_STR names = { 0 };
	size_t n = 0, all = 0;
	DIR *d = tp_environ_path(path, h->root, "%s", folder) ? opendir(path) : NULL;
	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));) {
		if (e->d_name[0] == '.' ||
		    !tp_environ_text(h->root, text, sizeof(text), "%s/%s", folder, e->d_name))
			continue;
		all++;
		if (strncmp(text, "Mitigation", strlen("Mitigation")) != 0)
			continue;
		n++;
		if (names.len < 120)
			tp_str_printf(&names, " %s", e->d_name);
	}
	closedir(d);
	FINE(f, "%zu of %zu active:%s (they cost where the kernel is entered, not in windows)", n,
	     all, n ? tp_str_text(&names) : " none");
}

/* Facts that make the same CPU differ between machines; for the record only. */
static void check_firmware(const struct tp_health *h, struct tp_finding *f)
{
	char microcode[32], bios[64], product[96];
	tp_environ_microcode(h->root, microcode, sizeof(microcode));
	tp_environ_firmware(h->root, bios, sizeof(bios));
	tp_environ_text(h->root, product, sizeof(product), "/sys/class/dmi/id/product_name");
	if (!*microcode && !*bios && !*product)
		return;
	FINE(f, "%s%s%s%s%smicrocode %s", product, *product ? ", " : "", *bios ? "BIOS " : "", bios,
	     *bios ? ", " : "", *microcode ? microcode : "unknown");
}

static void check_leftover(const struct tp_health *h, struct tp_finding *f)
{
	struct tp_leftover left;
	for (unsigned n = 0; tp_leftover_look(&left, n, h->root); n++) {
		TP_STR what = { 0 };
		char command[640];
		switch (left.state) {
		case TP_LEFTOVER_NONE:
			break;
		case TP_LEFTOVER_HELD:
			tp_found(f, TP_WARNING,
				 "its values apply to all users; it restores them itself", NULL,
				 "another tprof is measuring with its own knobs");
			break;
		case TP_LEFTOVER_THERE:
			tp_knobs_write(&left.knobs, &what);
			for (char *c = what.s; c && *c; c++)
				*c = *c == '\n' ? ';' : *c;
			tp_found(f, TP_WARNING,
				 "a tprof that was killed could not put them back (file, CPU, "
				 "before, now)",
				 "sudo tprof doctor --restore", "%.300s", tp_str_text(&what));
			break;
		case TP_LEFTOVER_DOUBTFUL:
			snprintf(command, sizeof(command), "cat '%.600s'", left.path);
			tp_found(f, TP_WARNING,
				 "it is not tprof's, or not this user's: left in place", command,
				 "a record that cannot be trusted: %.200s", left.path);
			break;
		}
		tp_knobs_release(&left.knobs);
		if (*f->what)
			return;
	}
	FINE(f, "none");
}

/* --- the table --- */

static const struct row {
	const char *id, *title;
	void (*check)(const struct tp_health *health, struct tp_finding *finding);
} rows[] = {
	{ "governor", "Frequency governor", check_governor },
	{ "frequency", "Frequency limit", check_frequency },
	{ "turbo", "Turbo", check_turbo },
	{ "thermal", "Thermal throttling", check_thermal },
	{ "smt", "Hardware threads", check_smt },
	{ "cpuset", "Usable CPUs", check_cpuset },
	{ "cpu_quota", "CPU quota", check_quota },
	{ "isolation", "Isolated CPUs", check_isolation },
	{ "load", "Other work", check_load },
	{ "hypervisor", "Virtual machine", check_hypervisor },
	{ "model", "Machine model", check_model },
	{ "container", "Container", check_container },
	{ "clock", "Clock", check_clock },
	{ "thp", "Transparent huge pages", check_thp },
	{ "hugetlb", "Reserved huge pages", check_hugetlb },
	{ "numa_balancing", "NUMA balancing", check_numa_balancing },
	{ "memory_limit", "Memory", check_memory },
	{ "pages", "Page size", check_pages },
	{ "aslr", "Address randomisation", check_aslr },
	{ "limits", "Limits of the process", check_limits },
	{ "realtime", "Real-time scheduling", check_realtime },
	{ "counters", "Hardware counters", check_counters },
	{ "mitigations", "Mitigations", check_mitigations },
	{ "firmware", "Firmware", check_firmware },
	{ "knobs", "Knobs left changed", check_leftover },
};
const size_t tp_health_count = TP_COUNT_OF(rows);

bool tp_health_check(const struct tp_health *health, size_t i, struct tp_finding *finding)
{
	*finding = (struct tp_finding){ .id = rows[i].id, .title = rows[i].title };
	rows[i].check(health, finding);
	return *finding->what;
}
