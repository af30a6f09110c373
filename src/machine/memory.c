/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much memory there is and how much of it this process may use, from /proc and /sys: hwloc's
 * figure is wrong on machines that add memory late.
 */
#include "machine/detect.h"
#include "base/str.h"
#include "base/memory.h"

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

/* The two versions of the interface use different names for the same values. */
struct cgroup_version {
	const char *limit, *usage, *reclaimable;
};

static const struct cgroup_version versions[] = {
	{ "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file" },
	{ "memory.max", "memory.current", "inactive_file" },
};

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
	char *text = malloc(TEXT_MAX);
	if (text)
		read_meminfo(machine, root, text);
	free(text);
	tp_cgroup_walk(root, "memory", apply_limit, &limits);
}
