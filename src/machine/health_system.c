/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of the kernel's settings, of memory, and of what this process may do. */
#include "machine/health_rows.h"
#include "machine/detect.h"
#include "machine/knobs_held.h"
#include "base/str.h"
#include "base/text.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB 1048576ULL

void tp_health_container(const struct tp_health *h, struct tp_finding *f)
{
	if (*h->machine->container)
		tp_found(f, TP_NOTE,
			 "limits set from outside hold here, and the knobs are often read-only",
			 NULL, "%s", h->machine->container);
	else
		tp_found(f, TP_FINE, NULL, NULL, "no");
}

/* Sources that cost microseconds to read, or jump. */
static const char poor_clocks[] = "hpet acpi_pm jiffies refined-jiffies pit";

void tp_health_clock(const struct tp_health *h, struct tp_finding *f)
{
	static const char folder[] = "/sys/devices/system/clocksource/clocksource0/";
	char path[128], current[64], available[256], command[256];
	bool invariant = h->machine->cpu.invariant_counter;
	snprintf(path, sizeof(path), "%scurrent_clocksource", folder);
	tp_environ_text(h->root, path, current, sizeof(current));
	snprintf(path, sizeof(path), "%savailable_clocksource", folder);
	tp_environ_text(h->root, path, available, sizeof(available));
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
		tp_found(f, TP_FINE, NULL, NULL,
			 "the cycle counter ticks evenly; the system's clock is %s",
			 *current ? current : "unknown");
}

void tp_health_thp(const struct tp_health *h, struct tp_finding *f)
{
	struct tp_knobs knobs = { .root = h->root };
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
		tp_found(f, TP_FINE, NULL, NULL, "%s: programs that ask get them", mode);
	tp_knobs_release(&knobs);
}

void tp_health_hugetlb(const struct tp_health *h, struct tp_finding *f)
{
	const struct tp_machine *m = h->machine;
	char size[32];
	tp_format_bytes(size, sizeof(size), m->huge_page_bytes);
	if (m->hugetlb_free)
		tp_found(f, TP_FINE, NULL, NULL, "%llu of %s are free",
			 (unsigned long long)m->hugetlb_free, size);
	else
		tp_found(f, TP_NOTE, "only pages: hugetlb needs them",
			 "sudo sysctl vm.nr_hugepages=512", "none free");
}

void tp_health_numa_balancing(const struct tp_health *h, struct tp_finding *f)
{
	char text[32];
	if (!tp_environ_text(h->root, "/proc/sys/kernel/numa_balancing", text, sizeof(text)))
		return;
	if (strcmp(text, "0") == 0)
		tp_found(f, TP_FINE, NULL, NULL, "off");
	else if (h->machine->n_numa > 1)
		tp_found(f, TP_WARNING,
			 "the kernel unmaps pages to see who uses them, and moves them: page "
			 "faults in windows",
			 "sudo sysctl kernel.numa_balancing=0", "on, with %u memory nodes",
			 h->machine->n_numa);
	else
		tp_found(f, TP_FINE, NULL, NULL, "on, but there is one memory node only");
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

void tp_health_memory(const struct tp_health *h, struct tp_finding *f)
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
		tp_found(f, TP_FINE, NULL, NULL, "%s of %s usable", usable, all);
}

void tp_health_pages(const struct tp_health *h, struct tp_finding *f)
{
	char page[32], huge[32];
	tp_format_bytes(page, sizeof(page), h->machine->page_bytes);
	tp_format_bytes(huge, sizeof(huge), h->machine->huge_page_bytes);
	tp_found(f, TP_FINE, NULL, NULL, "%s, huge pages %s", page, huge);
}

void tp_health_aslr(const struct tp_health *h, struct tp_finding *f)
{
	char text[16];
	if (!tp_environ_text(h->root, "/proc/sys/kernel/randomize_va_space", text, sizeof(text)))
		return;
	if (strcmp(text, "0") != 0)
		tp_found(f, TP_FINE, NULL, NULL,
			 "on, as it should be: invocations above 1 then see several layouts");
	else
		tp_found(f, TP_NOTE, "each of the invocations gets the same layout of addresses",
			 "sudo sysctl kernel.randomize_va_space=2", "off");
}

/* --- what this process may do --- */

void tp_health_limits(const struct tp_health *h, struct tp_finding *f)
{
	char space[32], locked[32];
	if (h->address_space_bytes != ULLONG_MAX)
		tp_found(f, TP_WARNING, "large buffers and many threads may not fit",
			 "ulimit -v unlimited", "address space of at most %s",
			 tp_format_bytes(space, sizeof(space), h->address_space_bytes));
	else if (h->locked_bytes != ULLONG_MAX)
		tp_found(f, TP_FINE, NULL, NULL, "address space unlimited, locked memory %s",
			 tp_format_bytes(locked, sizeof(locked), h->locked_bytes));
	else
		tp_found(f, TP_FINE, NULL, NULL, "none on address space and locked memory");
}

enum { CAP_SYS_NICE_BIT = 23, CAP_PERFMON_BIT = 38 };

/* Effective capabilities of this process, from its status; 0 when unknown. */
static unsigned long long capabilities(const char *root)
{
	char text[4096];
	tp_environ_text(root, "/proc/self/status", text, sizeof(text));
	const char *at = strstr(text, "\nCapEff:");
	return at ? strtoull(at + strlen("\nCapEff:"), NULL, 16) : 0;
}

void tp_health_realtime(const struct tp_health *h, struct tp_finding *f)
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
		tp_found(f, TP_FINE, NULL, NULL, "permitted, for at most %.3g %% of the time",
			 share * 100);
	else
		tp_found(f, TP_FINE, NULL, NULL, "permitted");
}

void tp_health_counters(const struct tp_health *h, struct tp_finding *f)
{
	static const char means[] =
		"rates come from what the kernels do and miss nothing; perf and PAPI are affected, "
		"and the experiment counters emulates a core instead";
	char text[16];
	long paranoid =
		tp_environ_text(h->root, "/proc/sys/kernel/perf_event_paranoid", text, sizeof(text))
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
			tp_found(f, TP_FINE, NULL, NULL,
				 "they count (kernel.perf_event_paranoid %ld)", paranoid);
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

void tp_health_mitigations(const struct tp_health *h, struct tp_finding *f)
{
	static const char folder[] = "/sys/devices/system/cpu/vulnerabilities";
	char path[TP_PATH_MAX], text[256];
	struct tp_str names = { 0 };
	size_t n = 0, all = 0;
	int len = snprintf(path, sizeof(path), "%s%s", h->root, folder);
	DIR *d = len > 0 && (size_t)len < sizeof(path) ? opendir(path) : NULL;
	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));) {
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		if (e->d_name[0] == '.' || !tp_environ_text(h->root, path, text, sizeof(text)))
			continue;
		all++;
		if (strncmp(text, "Mitigation", strlen("Mitigation")) != 0)
			continue;
		n++;
		if (names.len < 120)
			tp_str_printf(&names, " %s", e->d_name);
	}
	closedir(d);
	tp_found(f, TP_FINE, NULL, NULL,
		 "%zu of %zu active:%s (they cost where the kernel is entered, not in windows)", n,
		 all, n ? tp_str_text(&names) : " none");
	tp_str_release(&names);
}

/* Facts that make the same CPU differ between machines; for the record only. */
void tp_health_firmware(const struct tp_health *h, struct tp_finding *f)
{
	char microcode[32], bios[64], product[96];
	tp_environ_microcode(h->root, microcode, sizeof(microcode));
	tp_environ_firmware(h->root, bios, sizeof(bios));
	tp_environ_text(h->root, "/sys/class/dmi/id/product_name", product, sizeof(product));
	if (!*microcode && !*bios && !*product)
		return;
	tp_found(f, TP_FINE, NULL, NULL, "%s%s%s%s%smicrocode %s", product, *product ? ", " : "",
		 *bios ? "BIOS " : "", bios, *bios ? ", " : "", *microcode ? microcode : "unknown");
}

void tp_health_leftover(const struct tp_health *h, struct tp_finding *f)
{
	struct tp_leftover left;
	for (unsigned n = 0; tp_leftover_look(&left, n, h->root); n++) {
		struct tp_str what = { 0 };
		char command[640];
		switch (left.state) {
		case TP_LEFTOVER_NONE:
			break;
		case TP_LEFTOVER_HELD:
			tp_found(f, TP_WARNING,
				 "its values apply to everybody; it restores them itself", NULL,
				 "a tprof is measuring with knobs of its own");
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
			tp_found(f, TP_WARNING, "it is not tprof's, or not this user's: left alone",
				 command, "a record that cannot be trusted: %.200s", left.path);
			break;
		}
		tp_str_release(&what);
		tp_knobs_release(&left.knobs);
		if (*f->what)
			return;
	}
	tp_found(f, TP_FINE, NULL, NULL, "none");
}
