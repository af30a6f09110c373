/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of checks, and the two samples of what other processes do. */
#include "machine/health_rows.h"
#include "machine/detect.h"
#include "base/str.h"
#include "base/memory.h"

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

static const struct row {
	const char *id, *title;
	void (*check)(const struct tp_health *health, struct tp_finding *finding);
} rows[] = {
#define HEALTH_ROW(id, title, name) { id, title, tp_health_##name },
	TP_HEALTH_LIST(HEALTH_ROW)
#undef HEALTH_ROW
};

const size_t tp_health_count = TP_COUNT_OF(rows);

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

bool tp_health_check(const struct tp_health *health, size_t i, struct tp_finding *finding)
{
	*finding = (struct tp_finding){ .id = rows[i].id, .title = rows[i].title };
	rows[i].check(health, finding);
	return *finding->what;
}

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

struct tp_seen_process {
	long pid;
	unsigned long long started; /* ticks since boot: a number may be used again */
	double ticks;
	unsigned cpu;
	char name[32];
};

/* /proc/<pid>/stat, proc(5): the name in parentheses may hold anything. */
static bool parse_process(const char *text, struct tp_seen_process *process)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	unsigned long long user, system;
	if (!open || !close || close < open)
		return false;
	size_t n = TP_MIN((size_t)(close - open - 1), sizeof(process->name) - 1);
	memcpy(process->name, open + 1, n);
	process->name[n] = '\0';
	process->pid = strtol(text, NULL, 10);
	/* 3 state, 14 utime, 15 stime, 22 starttime, 39 processor */
	if (sscanf(close + 1,
		   " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu %*s %*s %*s %*s %*s %*s "
		   "%llu %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %u",
		   &user, &system, &process->started, &process->cpu) != 4)
		return false;
	process->ticks = (double)(user + system);
	return true;
}

static void look_at_processes(const struct tp_health *health, struct tp_look_at *look)
{
	char path[TP_PATH_MAX], text[1024];
	int len = snprintf(path, sizeof(path), "%s/proc", health->root);
	DIR *all = len > 0 && (size_t)len < sizeof(path) ? opendir(path) : NULL;
	look->n = 0;
	if (!all)
		return;
	for (struct dirent *e; (e = readdir(all));) {
		struct tp_seen_process process;
		if (!isdigit((unsigned char)e->d_name[0]) ||
		    strtol(e->d_name, NULL, 10) == (long)getpid())
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/stat", e->d_name);
		if (!tp_environ_text(health->root, path, text, sizeof(text)) ||
		    !parse_process(text, &process))
			continue; /* the process has ended */
		if (tp_vec_reserve((void **)&look->processes, &look->cap, look->n + 1,
				   sizeof(process)) != TP_OK)
			break;
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

/* The cpu lines of /proc/stat: user nice system idle iowait irq softirq steal. */
static void look_at_cpus(const struct tp_health *health, struct tp_look_at *look)
{
	char path[TP_PATH_MAX], line[512];
	int len = snprintf(path, sizeof(path), "%s/proc/stat", health->root);
	FILE *f = len > 0 && (size_t)len < sizeof(path) ? fopen(path, "re") : NULL;
	look->busy_ticks = look->steal_ticks = look->all_ticks = 0;
	if (!f)
		return;
	while (fgets(line, sizeof(line), f) && strncmp(line, "cpu", 3) == 0) {
		unsigned cpu;
		double t[8] = { 0 }, all = 0;
		if (sscanf(line, "cpu%u %lf %lf %lf %lf %lf %lf %lf %lf", &cpu, &t[0], &t[1], &t[2],
			   &t[3], &t[4], &t[5], &t[6], &t[7]) < 5 ||
		    line[3] == ' ' || !is_allowed(health->machine, cpu))
			continue;
		for (size_t i = 0; i < TP_COUNT_OF(t); i++)
			all += t[i];
		look->all_ticks += all;
		look->steal_ticks += t[7];
		look->busy_ticks += all - t[3] - t[4] - t[7];
	}
	fclose(f);
}

/* Reading /proc uses CPU time itself, so it happens outside the counted interval. */
void tp_health_look_first(struct tp_health *health)
{
	look_at_processes(health, &health->first);
	tp_health_throttles(health, &health->first.throttles);
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

/* The ticks of this process in the first sample; 0 for a process that is new. */
static double ticks_before(const struct tp_look_at *first, const struct tp_seen_process *now)
{
	for (size_t i = 0; i < first->n; i++)
		if (first->processes[i].pid == now->pid &&
		    first->processes[i].started == now->started)
			return first->processes[i].ticks;
	return 0;
}

void tp_health_look_again(struct tp_health *health)
{
	const struct tp_look_at *first = &health->first, *second = &health->second;
	look_at_cpus(health, &health->second);
	tp_health_throttles(health, &health->second.throttles);
	look_at_processes(health, &health->second);
	/* Ticks of one CPU between the looks, by the kernel's own count. */
	double ticks = (second->all_ticks - first->all_ticks) /
		       (double)TP_MAX(health->machine->n_allowed, (size_t)1);
	health->n_busy = 0;
	for (size_t i = 0; i < second->n && ticks > 0; i++) {
		const struct tp_seen_process *now = &second->processes[i];
		struct tp_busy busy = { .pid = now->pid, .cpu = now->cpu };
		busy.share = (now->ticks - ticks_before(first, now)) / ticks;
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
