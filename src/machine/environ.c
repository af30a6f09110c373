/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts about this host from /proc and /sys: settings that affect measurements (huge pages,
 * frequency control, container, version), control groups, memory, stolen time.
 */
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.h"
#include "base/memory.h"
#include "machine/detect.h"

static bool make_path(char out[TP_PATH_MAX], const char *root, const char *fmt, va_list list)
{
	int n = snprintf(out, TP_PATH_MAX, "%s", root ? root : "");
	if (n < 0 || n >= TP_PATH_MAX)
		return false;
	int more = vsnprintf(out + n, (size_t)(TP_PATH_MAX - n), fmt, list);
	return more >= 0 && n + more < TP_PATH_MAX;
}

bool tp_environ_path(char out[TP_PATH_MAX], const char *root, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	bool fits = make_path(out, root, fmt, list);
	va_end(list);
	return fits;
}

bool tp_environ_text(const char *root, char *out, size_t size, const char *fmt, ...)
{
	char full[TP_PATH_MAX];
	va_list list;
	va_start(list, fmt);
	int fd = make_path(full, root, fmt, list) ? open(full, O_RDONLY | O_CLOEXEC) : -1;
	va_end(list);
	out[0] = '\0';
	if (fd < 0)
		return false;
	size_t len = 0;
	for (ssize_t got; len + 1 < size && (got = read(fd, out + len, size - 1 - len)) > 0;)
		len += (size_t)got;
	close(fd);
	while (len && isspace((unsigned char)out[len - 1]))
		len--;
	out[len] = '\0';
	return true;
}

void tp_environ_choice(char *text)
{
	char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
	if (!close)
		return;
	*close = '\0';
	memmove(text, open + 1, strlen(open));
}

unsigned tp_machine_first_cpu(const struct tp_machine *machine)
{
	for (size_t i = 0; i < machine->n_pus; i++)
		if (machine->pus[i].allowed)
			return machine->pus[i].os_index;
	return 0;
}

static uint64_t read_number(const char *root, const char *path)
{
	char text[64];
	uint64_t value = 0;
	if (!tp_environ_text(root, text, sizeof(text), "%s", path) || !tp_parse_u64(text, &value))
		return 0;
	return value;
}

/* "MemTotal:  24684084 kB" in the text of a meminfo file; 0 if the field is missing. */
static uint64_t meminfo_bytes(const char *text, const char *field)
{
	size_t n = strlen(field);
	for (const char *p = text; (p = strstr(p, field)); p += n)
		if (p[n] == ':')
			return strtoull(p + n + 1, NULL, 10) * 1024;
	return 0;
}

static void read_pages(struct tp_machine *machine, const char *root)
{
	char text[8192], path[128];
	long page = sysconf(_SC_PAGESIZE);
	machine->page_bytes = page > 0 ? (uint64_t)page : 4096;
	machine->huge_page_bytes =
		read_number(root, "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
	tp_environ_text(root, text, sizeof(text), "/sys/kernel/mm/transparent_hugepage/enabled");
	tp_environ_choice(text);
	tp_copy(machine->thp, sizeof(machine->thp), text);
	/* /proc/meminfo counts only the default size, which MAP_HUGETLB uses too. */
	tp_environ_text(root, text, sizeof(text), "/proc/meminfo");
	uint64_t default_bytes = meminfo_bytes(text, "Hugepagesize");
	if (!machine->huge_page_bytes)
		machine->huge_page_bytes = default_bytes;
	snprintf(path, sizeof(path), "/sys/kernel/mm/hugepages/hugepages-%llukB/free_hugepages",
		 (unsigned long long)(default_bytes / 1024));
	machine->hugetlb_free = read_number(root, path);
}

static void read_frequency(struct tp_machine *machine, const char *root)
{
	char path[128], text[16];
	unsigned cpu = tp_machine_first_cpu(machine);
	tp_environ_text(root, machine->governor, sizeof(machine->governor),
			"/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", cpu);
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpufreq/cpuinfo_max_freq", cpu);
	machine->max_ghz = (double)read_number(root, path) / 1e6; /* kHz */
	machine->turbo = -1;
	if (tp_environ_text(root, text, sizeof(text),
			    "/sys/devices/system/cpu/intel_pstate/no_turbo"))
		machine->turbo = strcmp(text, "0") == 0;
	else if (tp_environ_text(root, text, sizeof(text), "/sys/devices/system/cpu/cpufreq/boost"))
		machine->turbo = strcmp(text, "1") == 0;
}

void tp_environ_microcode(const char *root, char *out, size_t size)
{
	char text[4096]; /* the first CPU has its line there */
	const char *at = text;
	if (!tp_environ_text(root, text, sizeof(text),
			     "/sys/devices/system/cpu/cpu0/microcode/version") &&
	    tp_environ_text(root, text, sizeof(text), "/proc/cpuinfo"))
		at = (at = strstr(text, "\nmicrocode")) && (at = strchr(at, ':')) ? at + 1 : "";
	at += strspn(at, " \t");
	/* Hypervisors with uninformative names. */
	size_t len = strcspn(at, "\n");
	bool hidden = len == strlen("0xffffffff") && strncmp(at, "0xffffffff", len) == 0;
	tp_shown(out, size, at, hidden ? 0 : len);
}

void tp_environ_firmware(const char *root, char *out, size_t size)
{
	char version[48], date[24], both[80] = "";
	if (tp_environ_text(root, version, sizeof(version), "/sys/class/dmi/id/bios_version")) {
		tp_environ_text(root, date, sizeof(date), "/sys/class/dmi/id/bios_date");
		snprintf(both, sizeof(both), "%s%s%s", version, *date ? " of " : "", date);
	}
	tp_shown(out, size, both, strlen(both));
}

/*
 * The most reliable first: what a runtime reports about itself, its marks in the file system, the
 * name of the cgroup.
 */
static void read_container(struct tp_machine *machine, const char *root)
{
	static const struct {
		const char *variable, *name;
	} variables[] = { { "APPTAINER_CONTAINER", "apptainer" },
			  { "SINGULARITY_CONTAINER", "singularity" } };
	static const struct {
		const char *path, *name;
	} marks[] = { { "/run/.containerenv", "podman" }, { "/.dockerenv", "docker" } };
	static const struct {
		const char *part, *name;
	} cgroups[] = { { "/docker", "docker" },
			{ "/kubepods", "kubernetes" },
			{ "/libpod", "podman" },
			{ "/lxc", "lxc" } };
	char text[TP_PATH_MAX];
	size_t size = sizeof(machine->container);
	if (tp_environ_text(root, text, sizeof(text), "/run/systemd/container") && *text) {
		tp_copy(machine->container, size, text);
		return;
	}
	for (size_t i = 0; i < TP_COUNT_OF(variables) && !*root; i++)
		if (getenv(variables[i].variable)) {
			tp_copy(machine->container, size, variables[i].name);
			return;
		}
	for (size_t i = 0; i < TP_COUNT_OF(marks); i++)
		if (tp_environ_path(text, root, "%s", marks[i].path) && access(text, F_OK) == 0) {
			tp_copy(machine->container, size, marks[i].name);
			return;
		}
	if (!tp_environ_text(root, text, sizeof(text), "/proc/1/cgroup"))
		return;
	for (size_t i = 0; i < TP_COUNT_OF(cgroups); i++)
		if (strstr(text, cgroups[i].part)) {
			tp_copy(machine->container, size, cgroups[i].name);
			return;
		}
}

void tp_environ_read(struct tp_machine *machine, const char *root)
{
	struct utsname uts;
	if (uname(&uts) == 0) {
		tp_copy(machine->hostname, sizeof(machine->hostname), uts.nodename);
		snprintf(machine->kernel, sizeof(machine->kernel), "%.30s %.64s", uts.sysname,
			 uts.release);
	}
	read_pages(machine, root);
	read_frequency(machine, root);
	tp_environ_microcode(root, machine->microcode, sizeof(machine->microcode));
	tp_environ_firmware(root, machine->firmware, sizeof(machine->firmware));
	read_container(machine, root);
}

/*
 * Finds the control groups of this process and their files, in both versions of the interface and
 * inside containers.
 */

enum { TEXT_MAX = 65536 };

bool tp_cgroup_number(const char *root, const char *directory, const char *file, uint64_t *value)
{
	char text[64];
	if (!tp_environ_text(root, text, sizeof(text), "%s/%s", directory, file))
		return false;
	char *end;
	unsigned long long number = strtoull(text, &end, 10);
	if (end == text || *end)
		return false;
	*value = number;
	return true;
}

/* True if a list such as "cpu,cpuacct" holds the word. */
static bool has_item(const char *list, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
		if (strncmp(at, word, n) == 0 && (at[n] == ',' || !at[n]))
			return true;
	return false;
}

struct walk {
	const char *root, *controller, *cgroups;
	tp_cgroup_visit *visit;
	void *context;
};

/* The path of this process in its hierarchy, from /proc/self/cgroup ("4:memory:/a" or "0::/a"). */
static bool own_cgroup(const struct walk *walk, bool unified, char *out)
{
	char line[TP_PATH_MAX + 256];
	for (const char *p = walk->cgroups; *p;) {
		size_t n = strcspn(p, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)TP_MIN(n, sizeof(line) - 1), p);
		p += n + (p[n] == '\n');
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = '\0';
		controllers++;
		if (unified ? !*controllers : has_item(controllers, walk->controller))
			return tp_copy(out, TP_PATH_MAX, path);
	}
	return false;
}

/* Visits the cgroup at `path` below `mount` and each of its ancestors. */
static void visit_all(const struct walk *walk, bool unified, const char *mount, const char *path)
{
	char directory[TP_PATH_MAX];
	int n = snprintf(directory, sizeof(directory), "%s%s", mount, path);
	if (n < 0 || (size_t)n >= sizeof(directory))
		return;
	for (;;) {
		walk->visit(walk->context, unified, directory);
		char *slash = strrchr(directory, '/');
		if (!slash || (size_t)(slash - directory) < strlen(mount))
			break;
		*slash = '\0';
	}
}

/*
 * Reads a line of /proc/self/mountinfo: "ID PARENT DEV ROOT MOUNTPOINT OPTIONS ... - TYPE SOURCE
 * SUPEROPTIONS". Inside a container MOUNTPOINT shows the part ROOT of the hierarchy.
 */
static void visit_mount(const struct walk *walk, char *line)
{
	char *tail = strstr(line, " - ");
	if (!tail)
		return;
	*tail = '\0';
	char *field[5], *rest = line;
	for (size_t i = 0; i < TP_COUNT_OF(field); i++)
		if (!(field[i] = strsep(&rest, " ")))
			return;
	char *type = tail + 3, *source = type;
	strsep(&source, " ");
	char *options = source;
	if (options)
		strsep(&options, " ");
	bool unified = strcmp(type, "cgroup2") == 0;
	char own[TP_PATH_MAX];
	if (!unified && (strcmp(type, "cgroup") != 0 || !has_item(options, walk->controller)))
		return;
	if (!own_cgroup(walk, unified, own))
		return;
	const char *shown = field[3], *path = own;
	size_t n = strlen(shown);
	if (n > 1 && strncmp(own, shown, n) == 0 && (own[n] == '/' || !own[n]))
		path = own + n;
	visit_all(walk, unified, field[4], strcmp(path, "/") == 0 ? "" : path);
}

void tp_cgroup_walk(const char *root, const char *controller, tp_cgroup_visit *visit, void *context)
{
	TP_FREE char *text = tp_alloc(TEXT_MAX, 1), *cgroups = tp_alloc(TEXT_MAX, 1);
	struct walk walk = { root, controller, cgroups, visit, context };
	if (tp_environ_text(root, cgroups, TEXT_MAX, "/proc/self/cgroup") &&
	    tp_environ_text(root, text, TEXT_MAX, "/proc/self/mountinfo"))
		for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
			visit_mount(&walk, line);
}

/*
 * How much memory there is and how much of it this process may use, from /proc and /sys: hwloc's
 * figure is wrong on machines that add memory late.
 */

static void read_meminfo(struct tp_machine *machine, const char *root, char *text)
{
	if (!tp_environ_text(root, text, TEXT_MAX, "/proc/meminfo"))
		return;
	machine->memory_bytes = meminfo_bytes(text, "MemTotal");
	machine->available_bytes = meminfo_bytes(text, "MemAvailable");
	for (unsigned i = 0; i < machine->n_numa; i++) {
		if (tp_environ_text(root, text, TEXT_MAX, "/sys/devices/system/node/node%u/meminfo",
				    machine->nodes[i].os_index))
			machine->nodes[i].memory_bytes = meminfo_bytes(text, "MemTotal");
	}
	if (machine->n_numa == 1 && !machine->nodes[0].memory_bytes)
		machine->nodes[0].memory_bytes = machine->memory_bytes;
}

/* The two versions of the interface use different names for the same values. */
struct cgroup_version {
	const char *limit, *usage, *reclaimable;
};

static const struct cgroup_version versions[] = {
	{ "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file" },
	{ "memory.max", "memory.current", "inactive_file" },
};

/* Cached file pages that the kernel would drop first; they count as usage but can be reclaimed. */
static uint64_t cgroup_reclaimable(const char *root, const char *directory, const char *field)
{
	char text[8192];
	size_t len = strlen(field);
	tp_environ_text(root, text, sizeof(text), "%s/memory.stat", directory);
	for (const char *p = text; (p = strstr(p, field)); p += len)
		if ((p == text || p[-1] == '\n') && p[len] == ' ')
			return strtoull(p + len, NULL, 10);
	return 0;
}

struct limits {
	struct tp_machine *machine;
	const char *root;
};

/* Lowers available_bytes to what this cgroup leaves. */
static void apply_limit(void *context, bool unified, const char *directory)
{
	const struct limits *to = context;
	struct tp_machine *machine = to->machine;
	const struct cgroup_version *version = &versions[unified];
	uint64_t limit, usage = 0;
	if (!tp_cgroup_number(to->root, directory, version->limit, &limit) ||
	    limit >= machine->memory_bytes)
		return;
	tp_cgroup_number(to->root, directory, version->usage, &usage);
	uint64_t cached = cgroup_reclaimable(to->root, directory, version->reclaimable);
	usage -= TP_MIN(cached, usage);
	uint64_t left = limit > usage ? limit - usage : 0;
	machine->available_bytes = TP_MIN(machine->available_bytes, left);
}

void tp_memory_read(struct tp_machine *machine, const char *root)
{
	struct limits limits = { machine, root };
	TP_FREE char *text = tp_alloc(TEXT_MAX, 1);
	read_meminfo(machine, root, text);
	tp_cgroup_walk(root, "memory", apply_limit, &limits);
}

size_t tp_memory_left(const char *root)
{
	TP_FREE struct tp_machine *machine = tp_alloc(1, sizeof(*machine));
	char text[256];
	struct rlimit limit;
	tp_memory_read(machine, root);
	uint64_t left = machine->memory_bytes ? machine->available_bytes : SIZE_MAX;
	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    tp_environ_text(root, text, sizeof(text), "/proc/self/statm")) {
		uint64_t used = strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
		left = TP_MIN(left, limit.rlim_cur > used ? limit.rlim_cur - used : 0);
	}
	return TP_MAX(left, (uint64_t)1);
}

/*
 * Time that the hypervisor reports as taken away (proc(5), /proc/stat: the eighth number of a cpu
 * line).
 */

void tp_cpu_walk(const char *root, tp_cpu_visit *visit, void *context)
{
	char path[TP_PATH_MAX], line[512];
	FILE *f = tp_environ_path(path, root, "/proc/stat") ? fopen(path, "re") : NULL;
	if (!f)
		return;
	/* The cpu lines come first; the interrupts after them can be very long. */
	while (fgets(line, sizeof(line), f) && strncmp(line, "cpu", 3) == 0) {
		unsigned cpu;
		uint64_t t[TP_CPU_TIMES] = { 0 };
		/* The first line is the sum; old kernels list fewer times. */
		if (line[3] != ' ' &&
		    sscanf(line,
			   "cpu%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			   " %" SCNu64 " %" SCNu64 " %" SCNu64,
			   &cpu, &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) >= 5)
			visit(context, cpu, t);
	}
	fclose(f);
}

struct steal {
	const unsigned *os_cpus;
	size_t n, step;
	uint64_t *ticks;
};

/* Adds what was taken from CPU i to ticks[i * step]: with step 0 it is the sum. */
static void add_steal(void *context, unsigned cpu, const uint64_t ticks[TP_CPU_TIMES])
{
	const struct steal *steal = context;
	for (size_t i = 0; i < steal->n; i++)
		if (steal->os_cpus[i] == cpu)
			steal->ticks[i * steal->step] += ticks[TP_CPU_STEAL];
}

uint64_t tp_machine_steal_ticks(const char *root, const unsigned *os_cpus, size_t n)
{
	uint64_t total = 0;
	tp_cpu_walk(root, add_steal, &(struct steal){ os_cpus, n, 0, &total });
	return total;
}

void tp_machine_steal_each(const char *root, const unsigned *os_cpus, size_t n, uint64_t *ticks)
{
	memset(ticks, 0, n * sizeof(*ticks));
	tp_cpu_walk(root, add_steal, &(struct steal){ os_cpus, n, 1, ticks });
}
