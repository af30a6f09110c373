/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/pmu.h"
#include "base/file.h"
#include "base/str.h"
#include "base/memory.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 512, NAME_BYTES = 96 };

/* PMUs by the beginnings of their names, and what they call bytes read and written. */
static const struct {
	const char *pmu, *read, *written;
} controllers[] = {
	{ "uncore_imc_free_running", "data_read", "data_write" },
	{ "uncore_imc", "cas_count_read", "cas_count_write" },
	{ "uncore_imc", "data_reads", "data_writes" },
	{ "amd_umc", "umc_cas_cmd.rd", "umc_cas_cmd.wr" },
	{ "hisi_sccl", "flux_rd", "flux_wr" },
};

static bool read_below(const char *sys, const char *pmu, const char *file, char text[TEXT_BYTES])
{
	char path[TP_PATH_MAX];
	int len = snprintf(path, sizeof(path), "%s/bus/event_source/devices/%s/%s", sys, pmu, file);
	int fd = len > 0 && (size_t)len < sizeof(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t n = fd < 0 ? -1 : read(fd, text, TEXT_BYTES - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return n > 0;
}

static bool is_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') && strlen(name) < NAME_BYTES;
}

/* "event=0x04,umask=0x03" by the formats of the PMU. */
static enum tp_status take_terms(const char *sys, const char *pmu, const char *terms,
				 struct tp_sysfs_event *event, struct tp_diag *diag)
{
	char field[32], file[64], format[TEXT_BYTES];
	uint64_t value;
	const char *at = terms;
	while (*at) {
		if (!tp_pmu_term_next(&at, field, &value) || !is_name(field))
			return tp_fail(diag, TP_USAGE, pmu, "write field=value,field=value",
				       "\"%.60s\" is no event", terms);
		snprintf(file, sizeof(file), "format/%s", field);
		if (strcmp(field, "config") == 0)
			event->config[0] |= value;
		else if (!read_below(sys, pmu, file, format))
			return tp_fail(diag, TP_NOTFOUND, pmu,
				       "its fields are the files of its folder format in "
				       "/sys/bus/event_source/devices",
				       "it has no field \"%s\"", field);
		else if (!tp_pmu_format_put(format, value, event))
			return tp_fail(diag, TP_USAGE, pmu, NULL,
				       "the value of \"%s\" has no room in its bits, %.40s", field,
				       format);
	}
	return TP_OK;
}

/* Bytes for a unit of sysfs. */
static double unit_of(const char *unit)
{
	static const struct {
		const char *unit;
		double factor;
	} units[] = { { "MiB", 1048576 }, { "KiB", 1024 }, { "GiB", 1073741824 }, { "MB", 1e6 } };
	for (size_t i = 0; i < TP_COUNT_OF(units); i++)
		if (strcmp(unit, units[i].unit) == 0)
			return units[i].factor;
	return 1;
}

/* "0-3,8": the first of each range is one of its package. */
static void take_cpus(const char *text, struct tp_pmu_found *found)
{
	while (found->n_cpus < TP_COUNT_OF(found->cpus) && isdigit((unsigned char)*text)) {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (; first <= last && found->n_cpus < TP_COUNT_OF(found->cpus); first++)
			found->cpus[found->n_cpus++] = (unsigned)first;
		text = *end == ',' ? end + 1 : end;
	}
}

static enum tp_status find(const char *sys, const char *pmu, const char *event,
			   struct tp_pmu_found *found, struct tp_diag *diag)
{
	char text[TEXT_BYTES], file[2 * NAME_BYTES];
	*found = (struct tp_pmu_found){ .scale = 1 };
	if (!read_below(sys, pmu, "type", text))
		return tp_fail(diag, TP_NOTFOUND, pmu,
			       "see what there is: ls /sys/bus/event_source/devices; virtual "
			       "machines have few",
			       "the kernel has no such PMU here");
	found->type = (unsigned)strtoul(text, NULL, 10);
	if (read_below(sys, pmu, "cpumask", text))
		take_cpus(text, found);
	snprintf(file, sizeof(file), "events/%s", event);
	if (!is_name(event) || strchr(event, '=') || !read_below(sys, pmu, file, text)) {
		if (!strchr(event, '='))
			return tp_fail(diag, TP_NOTFOUND, pmu,
				       "its events are the files of its folder events in "
				       "/sys/bus/event_source/devices",
				       "it has no event \"%s\"", event);
		return take_terms(sys, pmu, event, &found->event, diag);
	}
	enum tp_status status = take_terms(sys, pmu, text, &found->event, diag);
	snprintf(file, sizeof(file), "events/%s.scale", event);
	if (read_below(sys, pmu, file, text) && strtod(text, NULL) > 0)
		found->scale = strtod(text, NULL);
	snprintf(file, sizeof(file), "events/%s.unit", event);
	if (read_below(sys, pmu, file, text))
		found->scale *= unit_of(text);
	if (!isfinite(found->scale))
		found->scale = 1;
	return status;
}

enum tp_status tp_pmu_find(const char *sys, const char *name, struct tp_pmu_found *found,
			   struct tp_diag *diag)
{
	char pmu[NAME_BYTES], event[NAME_BYTES];
	const char *slash = strchr(name, '/');
	size_t len = slash ? strcspn(slash + 1, "/") : 0;
	if (!len || len >= NAME_BYTES || slash - name >= NAME_BYTES || slash == name ||
	    (slash[1 + len] && slash[2 + len]))
		return tp_fail(diag, TP_USAGE, "profile.events",
			       "such as uncore_imc_0/cas_count_read/ or "
			       "uncore_imc_0/event=4,umask=3/",
			       "\"%.60s\" is no event of a PMU: it has the form PMU/EVENT/", name);
	snprintf(pmu, sizeof(pmu), "%.*s", (int)(slash - name), name);
	snprintf(event, sizeof(event), "%.*s", (int)len, slash + 1);
	if (!is_name(pmu))
		return tp_fail(diag, TP_USAGE, "profile.events", NULL, "\"%.60s\" is no PMU", pmu);
	return find(sys, pmu, event, found, diag);
}

enum tp_status tp_pmu_find_memory(const char *sys, bool written, struct tp_pmu_found *found,
				  size_t max, size_t *n, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	struct dirent *entry;
	struct tp_diag unused;
	*n = 0;
	snprintf(path, sizeof(path), "%s/bus/event_source/devices", sys);
	/* The first row that finds something: others would count the same bytes again. */
	for (size_t i = 0; i < TP_COUNT_OF(controllers) && !*n; i++) {
		DIR *folder = opendir(path);
		while (folder && *n < max && (entry = readdir(folder))) {
			const char *event = written ? controllers[i].written : controllers[i].read;
			if (is_name(entry->d_name) &&
			    strncmp(entry->d_name, controllers[i].pmu,
				    strlen(controllers[i].pmu)) == 0 &&
			    find(sys, entry->d_name, event, &found[*n], &unused) == TP_OK)
				++*n;
		}
		if (folder)
			closedir(folder);
	}
	if (*n)
		return TP_OK;
	return tp_fail(diag, TP_NOTFOUND, "memory traffic",
		       "run on the machine itself, or name an event that counts it in "
		       "profile.events, or one of PAPI's component pcp in profile.papi",
		       "the kernel shows no memory controllers that count (uncore_imc, amd_umc, "
		       "...); virtual machines hide them");
}
