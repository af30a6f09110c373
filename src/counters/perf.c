/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The source "perf": events of the kernel's own interface, perf_event_open(2), under the names of
 * perf-list(1). One is open at a time, on the thread that runs the work. It also counts what needs
 * no PMU, such as page faults, where PAPI is not built in or finds no counters at all.
 */
#include "counters/papi_probe.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "counters/sources.h"
#include "kernels/arch.h"
#include "machine/health.h"

enum { PARANOID_UNKNOWN = -100 };

void tp_perf_host_read(struct tp_perf_host *host)
{
	struct tp_cpu cpu = { 0 };
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	*host = (struct tp_perf_host){ .paranoid = PARANOID_UNKNOWN,
				       .perf_error = tp_perf_error() };
	if (file) {
		if (fscanf(file, "%ld", &host->paranoid) != 1)
			host->paranoid = PARANOID_UNKNOWN;
		fclose(file);
	}
	tp_arch_identify(&cpu);
	tp_copy(host->hypervisor, sizeof(host->hypervisor), cpu.hypervisor);
}

void tp_perf_not_permitted(const struct tp_perf_host *host, const char *words, int paranoid,
			   char *out, size_t size)
{
	snprintf(out, size,
		 "%s: not permitted while kernel.perf_event_paranoid is %ld; sudo sysctl "
		 "kernel.perf_event_paranoid=%d, or the capability CAP_PERFMON, allows it",
		 words, host->paranoid, paranoid);
}

void tp_perf_no_hardware(const struct tp_perf_host *host, const char *words, char *out, size_t size)
{
	if (*host->hypervisor)
		snprintf(out, size,
			 "%s: this virtual machine (%s) has no hardware counters; its hypervisor "
			 "would have to pass on a PMU",
			 words, host->hypervisor);
	else
		snprintf(out, size, "%s: the kernel opens no hardware counter (%s)", words,
			 strerror(host->perf_error));
}

#define CACHE(cache, operation, result)                                                            \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##operation << 8 |                   \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct event {
	const char *name;
	uint32_t type;
	uint64_t config;
	bool in_kernel; /* it happens in the kernel, and is seen only there */
	const char *title;
} events[] = {
#define HW(name, config, title)                                                                    \
	{                                                                                          \
		name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config, false, title                     \
	}
#define HWC(name, config, title)                                                                   \
	{                                                                                          \
		name, PERF_TYPE_HW_CACHE, config, false, title                                     \
	}
#define SW(name, config, kernel, title)                                                            \
	{                                                                                          \
		name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config, kernel, title                    \
	}
	HW("cycles", CPU_CYCLES, "core cycles"),
	HW("instructions", INSTRUCTIONS, "instructions retired"),
	HW("cache-references", CACHE_REFERENCES, "accesses of the last cache"),
	HW("cache-misses", CACHE_MISSES, "misses of the last cache"),
	HW("branches", BRANCH_INSTRUCTIONS, "branches retired"),
	HW("branch-misses", BRANCH_MISSES, "branches mispredicted"),
	HW("bus-cycles", BUS_CYCLES, "cycles of the bus"),
	HW("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND, "cycles without new instructions"),
	HW("stalled-cycles-backend", STALLED_CYCLES_BACKEND, "cycles without room in the back end"),
	HW("ref-cycles", REF_CPU_CYCLES, "cycles of the reference clock"),
	HWC("L1-dcache-loads", CACHE(L1D, READ, ACCESS), "loads that look into L1"),
	HWC("L1-dcache-load-misses", CACHE(L1D, READ, MISS), "loads that miss L1"),
	HWC("L1-dcache-stores", CACHE(L1D, WRITE, ACCESS), "stores that look into L1"),
	HWC("L1-dcache-store-misses", CACHE(L1D, WRITE, MISS), "stores that miss L1"),
	HWC("L1-icache-load-misses", CACHE(L1I, READ, MISS), "fetches that miss L1i"),
	HWC("LLC-loads", CACHE(LL, READ, ACCESS), "loads that look into the last cache"),
	HWC("LLC-load-misses", CACHE(LL, READ, MISS), "loads that miss the last cache"),
	HWC("LLC-stores", CACHE(LL, WRITE, ACCESS), "stores that look into the last cache"),
	HWC("LLC-store-misses", CACHE(LL, WRITE, MISS), "stores that miss the last cache"),
	HWC("dTLB-loads", CACHE(DTLB, READ, ACCESS), "loads that look into the TLB"),
	HWC("dTLB-load-misses", CACHE(DTLB, READ, MISS), "loads that miss the TLB"),
	HWC("dTLB-store-misses", CACHE(DTLB, WRITE, MISS), "stores that miss the TLB"),
	HWC("iTLB-load-misses", CACHE(ITLB, READ, MISS), "fetches that miss the TLB"),
	SW("page-faults", PAGE_FAULTS, false, "page faults"),
	SW("minor-faults", PAGE_FAULTS_MIN, false, "page faults without input or output"),
	SW("major-faults", PAGE_FAULTS_MAJ, false, "page faults that read a file"),
	SW("context-switches", CONTEXT_SWITCHES, true, "times that the thread left its CPU"),
	SW("cpu-migrations", CPU_MIGRATIONS, true, "moves of the thread to another CPU"),
	SW("task-clock", TASK_CLOCK, true, "ns that the thread ran"),
#undef HW
#undef HWC
#undef SW
};

enum mode { MODE_USER, MODE_BOTH, MODE_KERNEL };

/* A counter of the calling thread, stopped. -1 with errno: it cannot be opened. */
static int open_event(const struct event *event, enum mode mode)
{
	struct perf_event_attr attr = { .type = event->type,
					.size = sizeof(attr),
					.config = event->config,
					.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
						       PERF_FORMAT_TOTAL_TIME_RUNNING,
					.disabled = 1,
					.exclude_user = mode == MODE_KERNEL,
					.exclude_kernel = mode == MODE_USER,
					.exclude_hv = 1 };
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			    (unsigned long)PERF_FLAG_FD_CLOEXEC);
}

static int open_own(const struct event *event)
{
	return open_event(event, event->in_kernel ? MODE_BOTH : MODE_USER);
}

/*
 * Whether the PMU cannot tell user mode from the kernel: a counter of the kernel's instructions
 * counts a loop in user mode.
 */
static bool ignores_mode(void)
{
	enum { TURNS = 1000000, LEAST = 2 * TURNS };
	static const struct event instructions = { .type = PERF_TYPE_HARDWARE,
						   .config = PERF_COUNT_HW_INSTRUCTIONS };
	uint64_t found[3] = { 0 };
	int fd = open_event(&instructions, MODE_KERNEL);
	if (fd < 0)
		return false;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (volatile unsigned i = 0; i < TURNS; i++)
		;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	bool whole = read(fd, found, sizeof(found)) == (ssize_t)sizeof(found);
	close(fd);
	return whole && found[0] > LEAST;
}

static const struct event *event_of(const struct tp_source *source, size_t i)
{
	const struct event *const *known = source->private;
	return known[i];
}

static void refuse(const struct tp_perf_host *host, const struct event *event, int error, char *out,
		   size_t size)
{
	static const char words[] = "the kernel refuses it";
	if (error == EACCES || error == EPERM)
		tp_perf_not_permitted(host, words, event->in_kernel ? 1 : 2, out, size);
	else if (event->type != PERF_TYPE_SOFTWARE && host->perf_error)
		tp_perf_no_hardware(host, words, out, size);
	else if (error == ENOENT || error == EOPNOTSUPP || error == EINVAL)
		snprintf(out, size, "this CPU has no such event");
	else
		snprintf(out, size, "%s: %s", words, strerror(error));
}

static void add_event(struct tp_source *source, const struct event *event,
		      const struct tp_perf_host *host)
{
	size_t i = source->n_events;
	struct tp_count_event *e = &source->events[i];
	*e = (struct tp_count_event){ .name = event->name,
				      .description = event->title,
				      .component = "perf",
				      .reason = "",
				      .group = -1 };
	((const struct event **)source->private)[i] = event;
	source->n_events++;
	int fd = open_own(event), error = errno;
	if (fd < 0) {
		char reason[300];
		refuse(host, event, error, reason, sizeof(reason));
		e->reason = tp_arena_strdup(&source->arena, reason);
		return;
	}
	close(fd);
	size_t *own = tp_arena_alloc(&source->arena, sizeof(*own));
	*own = i;
	e->available = true;
	e->group = (int)source->n_groups;
	source->groups[source->n_groups++] = (struct tp_source_group){ own, 1 };
}

static enum tp_status open_source(struct tp_source *source, const struct tp_source_wish *wish,
				  struct tp_diag *diag __attribute__((unused)))
{
	const size_t n = TP_COUNT_OF(events);
	struct tp_arena *arena = &source->arena;
	struct tp_perf_host host;
	source->events = tp_arena_alloc(arena, n * sizeof(*source->events));
	source->groups = tp_arena_alloc(arena, n * sizeof(*source->groups));
	source->private = tp_arena_alloc(arena, n * sizeof(const struct event *));
	tp_perf_host_read(&host);
	for (size_t i = 0; i < n; i++)
		if (tp_source_wished(wish->filters, events[i].name))
			add_event(source, &events[i], &host);
	source->disturbed = true;
	bool any_pmu = false;
	for (size_t i = 0; i < source->n_groups; i++)
		any_pmu |=
			event_of(source, source->groups[i].events[0])->type != PERF_TYPE_SOFTWARE;
	if (any_pmu && ignores_mode())
		tp_diags_note(&source->notes, "perf",
			      "metrics need a PMU that leaves the kernel out, on RISC-V one with "
			      "Smcntrpmf",
			      "this PMU also counts what the kernel executes, such as interrupts: "
			      "readings are too high and do not repeat");
	return TP_OK;
}

static enum tp_status measure(struct tp_source *source, size_t group, const struct tp_work *work,
			      size_t repetition __attribute__((unused)), double *counts,
			      struct tp_diag *diag)
{
	const struct event *event = event_of(source, source->groups[group].events[0]);
	struct {
		uint64_t value, enabled, running;
	} found = { 0 };
	int fd = open_own(event);
	if (fd < 0)
		return tp_fail(diag, TP_FAILED, "perf", NULL, "%s cannot be opened: %s",
			       event->name, strerror(errno));
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	enum tp_status status = tp_work_run(work, diag);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	bool whole = read(fd, &found, sizeof(found)) == (ssize_t)sizeof(found);
	close(fd);
	if (status != TP_OK)
		return status;
	if (!whole)
		return tp_fail(diag, TP_FAILED, "perf", NULL, "%s cannot be read", event->name);
	/* Only a counter that was there all the time is exact; the kernel would scale. */
	if (found.running < found.enabled)
		return tp_fail(diag, TP_RESOURCE, "perf", "end other programs that count",
			       "%s: another program used the counter at the same time",
			       event->name);
	counts[0] = (double)found.value;
	return TP_OK;
}

const struct tp_source_kind tp_source_perf = {
	.name = "perf",
	.summary = "events of the kernel's own interface, as perf-list(1) names them",
	.open = open_source,
	.measure = measure,
};
