/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the control groups of this process and their files, in both versions of the interface and
 * inside containers.
 */
#include "machine/detect.h"
#include "base/str.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 65536 };

bool tp_cgroup_number(const char *root, const char *directory, const char *file, uint64_t *value)
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
	char *text = malloc(TEXT_MAX), *cgroups = malloc(TEXT_MAX);
	struct walk walk = { root, controller, cgroups, visit, context };
	if (text && cgroups && tp_environ_text(root, "/proc/self/cgroup", cgroups, TEXT_MAX) &&
	    tp_environ_text(root, "/proc/self/mountinfo", text, TEXT_MAX))
		for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
			visit_mount(&walk, line);
	free(text);
	free(cgroups);
}
