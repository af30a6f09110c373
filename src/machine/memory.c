/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much memory there is and how much of it this process may use. Read from /proc and /sys: hwloc's figure is wrong on
 * machines that bring their memory up late.
 */
#include "machine/detect.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 65536 };

/* "MemTotal:  24684084 kB" in the text of a meminfo file; 0 if the field is missing. */
static uint64_t meminfo_bytes(const char *text, const char *field)
{
	size_t n = strlen(field);
	for (const char *p = text; (p = strstr(p, field)); p += n)
		if (p[n] == ':')
			return strtoull(p + n + 1, NULL, 10) * 1024;
	return 0;
}

static void read_meminfo(struct tp_machine *machine, const char *root, char *text)
{
	if (!tp_environ_text(root, "/proc/meminfo", text, TEXT_MAX))
		return;
	machine->memory_bytes = meminfo_bytes(text, "MemTotal");
	machine->available_bytes = meminfo_bytes(text, "MemAvailable");
	for (unsigned i = 0; i < machine->n_numa; i++) {
		char path[96];
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/meminfo",
			 machine->nodes[i].os_index);
		if (tp_environ_text(root, path, text, TEXT_MAX))
			machine->nodes[i].memory_bytes = meminfo_bytes(text, "MemTotal");
	}
	if (machine->n_numa == 1 && !machine->nodes[0].memory_bytes)
		machine->nodes[0].memory_bytes = machine->memory_bytes;
}

/* The two interfaces of the kernel say the same with other names. */
struct cgroup_version {
	const char *type; /* file system type in mountinfo */
	const char *limit, *usage, *reclaimable;
};

static const struct cgroup_version versions[] = {
	{ "cgroup", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file" },
	{ "cgroup2", "memory.max", "memory.current", "inactive_file" },
};

/* A number in a cgroup file; false for "max", nonsense or a missing file. */
static bool cgroup_number(const char *root, const char *directory, const char *file,
			  uint64_t *value)
{
	char path[TP_PATH_MAX], text[64];
	int n = snprintf(path, sizeof(path), "%s/%s", directory, file);
	if (n < 0 || (size_t)n >= sizeof(path) || !tp_environ_text(root, path, text, sizeof(text)))
		return false;
	char *end;
	unsigned long long number = strtoull(text, &end, 10);
	if (end == text || *end)
		return false;
	*value = number;
	return true;
}

/* Cached file pages that the kernel would drop first; they count as usage but are no obstacle. */
static uint64_t cgroup_reclaimable(const char *root, const char *directory, const char *field)
{
	char path[TP_PATH_MAX], text[8192];
	int n = snprintf(path, sizeof(path), "%s/memory.stat", directory);
	if (n < 0 || (size_t)n >= sizeof(path) || !tp_environ_text(root, path, text, sizeof(text)))
		return 0;
	size_t len = strlen(field);
	for (const char *p = text; (p = strstr(p, field)); p += len)
		if ((p == text || p[-1] == '\n') && p[len] == ' ')
			return strtoull(p + len, NULL, 10);
	return 0;
}

/* Lowers available_bytes to what the cgroup in `directory` and each of its ancestors up to `mount` leave. */
static void apply_limits(struct tp_machine *machine, const char *root,
			 const struct cgroup_version *version, const char *mount, const char *path)
{
	char directory[TP_PATH_MAX];
	int n = snprintf(directory, sizeof(directory), "%s%s", mount, path);
	if (n < 0 || (size_t)n >= sizeof(directory))
		return;
	for (;;) {
		uint64_t limit, usage = 0;
		if (cgroup_number(root, directory, version->limit, &limit) &&
		    limit < machine->memory_bytes) {
			cgroup_number(root, directory, version->usage, &usage);
			uint64_t cached = cgroup_reclaimable(root, directory, version->reclaimable);
			usage -= TP_MIN(cached, usage);
			uint64_t left = limit > usage ? limit - usage : 0;
			machine->available_bytes = TP_MIN(machine->available_bytes, left);
		}
		char *slash = strrchr(directory, '/');
		if (!slash || (size_t)(slash - directory) < strlen(mount))
			break;
		*slash = '\0';
	}
}

/* The path of this process in the hierarchy of `version`, from /proc/self/cgroup ("4:memory:/a" or "0::/a"). */
static bool own_cgroup(const char *cgroups, const struct cgroup_version *version, char *out)
{
	bool unified = strcmp(version->type, "cgroup2") == 0;
	char line[TP_PATH_MAX + 256];
	for (const char *p = cgroups; *p;) {
		size_t n = strcspn(p, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)TP_MIN(n, sizeof(line) - 1), p);
		p += n + (p[n] == '\n');
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = '\0';
		controllers++;
		bool mine = unified && !*controllers;
		for (char *rest = controllers, *word; !unified && (word = strsep(&rest, ","));)
			mine = mine || strcmp(word, "memory") == 0;
		if (mine)
			return tp_copy(out, TP_PATH_MAX, path);
	}
	return false;
}

/*
 * One line of /proc/self/mountinfo: "ID PARENT DEV ROOT MOUNTPOINT OPTIONS ... - TYPE SOURCE SUPEROPTIONS". Inside a container
 * ROOT is the part of the hierarchy that is shown at MOUNTPOINT.
 */
static void apply_mount(struct tp_machine *machine, const char *root, const char *cgroups,
			char *line)
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
	for (size_t i = 0; i < TP_COUNT_OF(versions); i++) {
		const struct cgroup_version *version = &versions[i];
		char own[TP_PATH_MAX];
		if (strcmp(type, version->type) != 0 || !own_cgroup(cgroups, version, own))
			continue;
		if (i == 0 && (!options || !strstr(options, "memory")))
			continue;
		const char *shown = field[3], *path = own;
		size_t n = strlen(shown);
		if (n > 1 && strncmp(own, shown, n) == 0 && (own[n] == '/' || !own[n]))
			path = own + n;
		apply_limits(machine, root, version, field[4], strcmp(path, "/") == 0 ? "" : path);
	}
}

void tp_memory_read(struct tp_machine *machine, const char *root)
{
	char *text = malloc(TEXT_MAX), *cgroups = malloc(TEXT_MAX);
	if (!text || !cgroups)
		goto out;
	read_meminfo(machine, root, text);
	if (!tp_environ_text(root, "/proc/self/cgroup", cgroups, TEXT_MAX) ||
	    !tp_environ_text(root, "/proc/self/mountinfo", text, TEXT_MAX))
		goto out;
	for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
		apply_mount(machine, root, cgroups, line);
out:
	free(text);
	free(cgroups);
}
