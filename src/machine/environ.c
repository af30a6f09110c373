/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel settings that affect measurements: huge pages, frequency control, container, kernel
 * version.
 */
#include "machine/detect.h"
#include "base/str.h"
#include "base/text.h"
#include "base/memory.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

bool tp_environ_text(const char *root, const char *path, char *out, size_t size)
{
	char full[TP_PATH_MAX];
	int n = snprintf(full, sizeof(full), "%s%s", root, path);
	out[0] = '\0';
	if (n < 0 || (size_t)n >= sizeof(full))
		return false;
	int fd = open(full, O_RDONLY | O_CLOEXEC);
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

static bool exists(const char *root, const char *path)
{
	char full[TP_PATH_MAX];
	int n = snprintf(full, sizeof(full), "%s%s", root, path);
	return n > 0 && (size_t)n < sizeof(full) && access(full, F_OK) == 0;
}

static uint64_t read_number(const char *root, const char *path)
{
	char text[64];
	uint64_t value = 0;
	if (!tp_environ_text(root, path, text, sizeof(text)) || !tp_parse_u64(text, &value))
		return 0;
	return value;
}

static void read_pages(struct tp_machine *machine, const char *root)
{
	char text[128], path[128];
	long page = sysconf(_SC_PAGESIZE);
	machine->page_bytes = page > 0 ? (uint64_t)page : 4096;
	machine->huge_page_bytes =
		read_number(root, "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
	if (tp_environ_text(root, "/sys/kernel/mm/transparent_hugepage/enabled", text,
			    sizeof(text))) {
		char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
		if (close) {
			*close = '\0';
			tp_copy(machine->thp, sizeof(machine->thp), open + 1);
		}
	}
	/* /proc/meminfo counts only the default size, which MAP_HUGETLB uses too. */
	char meminfo[8192];
	uint64_t default_bytes = 0;
	if (tp_environ_text(root, "/proc/meminfo", meminfo, sizeof(meminfo))) {
		const char *line = strstr(meminfo, "\nHugepagesize:");
		if (line)
			default_bytes = strtoull(line + strlen("\nHugepagesize:"), NULL, 10) * 1024;
	}
	if (!machine->huge_page_bytes)
		machine->huge_page_bytes = default_bytes;
	snprintf(path, sizeof(path), "/sys/kernel/mm/hugepages/hugepages-%llukB/free_hugepages",
		 (unsigned long long)(default_bytes / 1024));
	machine->hugetlb_free = read_number(root, path);
}

static void read_frequency(struct tp_machine *machine, const char *root)
{
	char path[128], text[16];
	const struct tp_pu *pu = machine->pus;
	size_t i = 0;
	while (i + 1 < machine->n_pus && !pu[i].allowed)
		i++;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor",
		 machine->n_pus ? pu[i].os_index : 0);
	tp_environ_text(root, path, machine->governor, sizeof(machine->governor));
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpufreq/cpuinfo_max_freq",
		 machine->n_pus ? pu[i].os_index : 0);
	machine->max_ghz = (double)read_number(root, path) / 1e6; /* kHz */
	machine->turbo = -1;
	if (tp_environ_text(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", text,
			    sizeof(text)))
		machine->turbo = strcmp(text, "0") == 0;
	else if (tp_environ_text(root, "/sys/devices/system/cpu/cpufreq/boost", text, sizeof(text)))
		machine->turbo = strcmp(text, "1") == 0;
}

void tp_environ_microcode(const char *root, char *out, size_t size)
{
	char text[4096]; /* the first CPU has its line there */
	const char *at = text;
	if (!tp_environ_text(root, "/sys/devices/system/cpu/cpu0/microcode/version", text,
			     sizeof(text)) &&
	    tp_environ_text(root, "/proc/cpuinfo", text, sizeof(text)))
		at = (at = strstr(text, "\nmicrocode")) && (at = strchr(at, ':')) ? at + 1 : "";
	at += strspn(at, " \t");
	/* What hypervisors say that do not tell. */
	size_t len = strcspn(at, "\n");
	bool hidden = len == strlen("0xffffffff") && strncmp(at, "0xffffffff", len) == 0;
	tp_shown(out, size, at, hidden ? 0 : len);
}

void tp_environ_firmware(const char *root, char *out, size_t size)
{
	char version[48], date[24], both[80] = "";
	if (tp_environ_text(root, "/sys/class/dmi/id/bios_version", version, sizeof(version))) {
		tp_environ_text(root, "/sys/class/dmi/id/bios_date", date, sizeof(date));
		snprintf(both, sizeof(both), "%s%s%s", version, *date ? " of " : "", date);
	}
	tp_shown(out, size, both, strlen(both));
}

/*
 * The most reliable first: what a runtime says about itself, its marks in the file system, the name
 * of the cgroup.
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
	char text[4096];
	size_t size = sizeof(machine->container);
	if (tp_environ_text(root, "/run/systemd/container", text, sizeof(text)) && *text) {
		tp_copy(machine->container, size, text);
		return;
	}
	for (size_t i = 0; i < TP_COUNT_OF(variables) && !*root; i++)
		if (getenv(variables[i].variable)) {
			tp_copy(machine->container, size, variables[i].name);
			return;
		}
	for (size_t i = 0; i < TP_COUNT_OF(marks); i++)
		if (exists(root, marks[i].path)) {
			tp_copy(machine->container, size, marks[i].name);
			return;
		}
	if (!tp_environ_text(root, "/proc/1/cgroup", text, sizeof(text)))
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
