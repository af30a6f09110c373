/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Meters of the machine: network, disks, memory controllers, power, clock. */
#include "profile/meters_parts.h"
#include "base/str.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NET_BYTES = 16384 };

static enum tp_status open_text(const char *root, const char *name, int *fd, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	snprintf(path, sizeof(path), "%s/%s", root, name);
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd >= 0)
		return TP_OK;
	return tp_fail(diag, errno == EACCES ? TP_PERM : TP_NOTFOUND, path,
		       errno == EACCES ? "run as root, or let the file be read" : NULL,
		       "cannot be read: %s", strerror(errno));
}

/* The text from its beginning; false if there is none. */
static bool read_all(int fd, char *text, size_t size)
{
	ssize_t n = 0, got = 0;
	/* Files of /proc come in pieces. */
	while ((size_t)n + 1 < size && (got = pread(fd, text + n, size - 1 - (size_t)n, n)) > 0)
		n += got;
	text[n] = '\0';
	return n > 0;
}

enum tp_status tp_meter_open_net(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag)
{
	(void)id;
	return m->net >= 0 ? TP_OK : open_text(m->places->proc, "net/dev", &m->net, diag);
}

enum tp_status tp_meter_open_disks(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag)
{
	(void)id;
	return m->disks >= 0 ? TP_OK : open_text(m->places->proc, "diskstats", &m->disks, diag);
}

void tp_meters_look_at_machine(struct tp_meters *m)
{
	char text[NET_BYTES];
	if (m->net >= 0 && read_all(m->net, text, sizeof(text)))
		tp_proc_net_parse(text, &m->net_now);
	if (m->disks >= 0 && read_all(m->disks, text, sizeof(text)))
		tp_proc_disks_parse(text, &m->disks_now);
}

/* --- files of one number --- */

static bool read_number(int fd, double *value)
{
	char text[64], *end;
	if (!read_all(fd, text, sizeof(text)))
		return false;
	*value = strtod(text, &end);
	return end != text && isfinite(*value);
}

static bool open_number(struct tp_number_files *files, const char *path, double scale)
{
	double value;
	int fd = files->n < TP_METER_FILES ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return false;
	if (!read_number(fd, &value)) {
		close(fd);
		return false;
	}
	files->fd[files->n] = fd;
	files->last[files->n] = value;
	files->scale = scale;
	files->n++;
	return true;
}

/* Counters grow and wrap; their sum only grows. */
static double read_counters(struct tp_number_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		double value;
		if (!read_number(files->fd[i], &value))
			continue;
		double grown = value - files->last[i];
		files->sum += grown >= 0 ? grown : fmax(0, grown + files->wraps_at[i]);
		files->last[i] = value;
	}
	return files->scale * files->sum;
}

static double read_gauges(struct tp_number_files *files)
{
	double sum = 0, value;
	for (size_t i = 0; i < files->n; i++)
		if (read_number(files->fd[i], &value))
			sum += value;
	return files->n ? files->scale * sum : NAN;
}

/* Whole packages, "intel-rapl:0"; "intel-rapl:0:0" is a part of one. */
enum tp_status tp_meter_open_power(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag)
{
	char folder[TP_PATH_MAX], path[TP_PATH_MAX + 600];
	struct dirent *entry;
	bool any = false;
	(void)id;
	snprintf(folder, sizeof(folder), "%s/class/powercap", m->places->sys);
	DIR *list = opendir(folder);
	while (list && (entry = readdir(list))) {
		const char *colon = strchr(entry->d_name, ':');
		if (!colon || strchr(colon + 1, ':') ||
		    strncmp(entry->d_name, "intel-rapl", 10) != 0 || strstr(entry->d_name, "mmio"))
			continue;
		any = true;
		snprintf(path, sizeof(path), "%s/%s/energy_uj", folder, entry->d_name);
		if (!open_number(&m->energy, path, 1e-6))
			continue;
		snprintf(path, sizeof(path), "%s/%s/max_energy_range_uj", folder, entry->d_name);
		struct tp_number_files range = { 0 };
		if (open_number(&range, path, 1)) {
			m->energy.wraps_at[m->energy.n - 1] = range.last[0];
			close(range.fd[0]);
		}
	}
	if (list)
		closedir(list);
	if (m->energy.n)
		return TP_OK;
	if (any)
		return tp_fail(diag, TP_PERM, "power",
			       "run as root, or: chmod a+r "
			       "/sys/class/powercap/intel-rapl:*/energy_uj",
			       "only root may read the energy that the CPUs count");
	return tp_fail(diag, TP_NOTFOUND, "power",
		       "load intel_rapl_msr, on the machine itself: virtual machines have no "
		       "energy counters",
		       "the kernel shows no energy counters (powercap)");
}

/* amdgpu tells in its hwmon. */
enum tp_status tp_meter_open_gpu(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag)
{
	static const char *const names[] = { "power1_average", "power1_input" };
	char folder[TP_PATH_MAX], path[TP_PATH_MAX + 600], name[64];
	struct dirent *entry;
	(void)id;
	snprintf(folder, sizeof(folder), "%s/class/hwmon", m->places->sys);
	DIR *list = opendir(folder);
	while (list && (entry = readdir(list))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s/name", folder, entry->d_name);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		bool is_gpu = fd >= 0 && read_all(fd, name, sizeof(name)) &&
			      (strncmp(name, "amdgpu", 6) == 0 || strncmp(name, "nouveau", 7) == 0);
		if (fd >= 0)
			close(fd);
		bool found = false;
		for (size_t i = 0; is_gpu && !found && i < TP_COUNT_OF(names); i++) {
			snprintf(path, sizeof(path), "%s/%s/%s", folder, entry->d_name, names[i]);
			found = open_number(&m->gpu, path, 1e-6);
		}
	}
	if (list)
		closedir(list);
	if (m->gpu.n)
		return TP_OK;
	return tp_fail(diag, TP_NOTFOUND, "GPU power",
		       "AMD: load amdgpu; the NVIDIA driver tells it to its own library alone",
		       "no graphics driver shows its power in /sys/class/hwmon");
}

enum tp_status tp_meter_open_clock(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	(void)id;
	snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq",
		 m->places->sys);
	if (open_number(&m->clock, path, 1e-6))
		return TP_OK;
	return tp_fail(diag, TP_NOTFOUND, "clock",
		       "virtual machines have no cpufreq: their host sets the frequency",
		       "the kernel does not show the frequency (cpufreq)");
}

enum tp_status tp_meter_open_temperature(struct tp_meters *m, enum tp_meter_id id,
					 struct tp_diag *diag)
{
	char path[TP_PATH_MAX], type[64];
	(void)id;
	for (int zone = 0; zone < 32 && !m->temperature.n; zone++) {
		snprintf(path, sizeof(path), "%s/class/thermal/thermal_zone%d/type", m->places->sys,
			 zone);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		bool is_cpu = fd >= 0 && read_all(fd, type, sizeof(type)) &&
			      (strstr(type, "pkg_temp") || strstr(type, "cpu"));
		if (fd >= 0)
			close(fd);
		snprintf(path, sizeof(path), "%s/class/thermal/thermal_zone%d/temp", m->places->sys,
			 zone);
		if (is_cpu)
			open_number(&m->temperature, path, 1e-3);
	}
	if (m->temperature.n)
		return TP_OK;
	return tp_fail(diag, TP_NOTFOUND, "temperature",
		       "load x86_pkg_temp_thermal, on the machine itself",
		       "no thermal zone of the kernel belongs to the CPUs");
}

/* --- PMUs --- */

static struct tp_pmu_counters *counters_of(struct tp_meters *m, enum tp_meter_id id)
{
	if (id == TP_METER_MEMORY_READ || id == TP_METER_MEMORY_WRITTEN)
		return &m->pmu[id - TP_METER_MEMORY_READ];
	return &m->pmu[2 + id - TP_METER_EVENT_1];
}

static bool open_pmu(struct tp_pmu_counters *c, const struct tp_pmu_found *found, pid_t pid)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = found->type,
					.config = found->event.config[0],
					.config1 = found->event.config[1],
					.config2 = found->event.config[2] };
	bool any = false;
	attr.inherit = !found->n_cpus;
	for (size_t i = 0; i < (found->n_cpus ? found->n_cpus : 1); i++) {
		if (c->n == TP_METER_PMUS)
			return any;
		long fd =
			syscall(SYS_perf_event_open, &attr, found->n_cpus ? -1 : pid,
				found->n_cpus ? (int)found->cpus[i] : -1, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd < 0)
			return any;
		any = true;
		c->fd[c->n] = (int)fd;
		c->scale[c->n++] = found->scale;
	}
	return any;
}

static enum tp_status refused(const char *what, struct tp_diag *diag)
{
	bool may_not = errno == EACCES || errno == EPERM;
	return tp_fail(
		diag, may_not ? TP_PERM : TP_UNSUPPORTED, what,
		may_not ? "run as root, or: sysctl kernel.perf_event_paranoid=0; a daemon of "
			  "Performance Co-Pilot that may read it tells everybody, by PAPI's "
			  "component pcp in profile.papi"
			: NULL,
		"the kernel does not open the counter: %s", strerror(errno));
}

enum tp_status tp_meter_open_memory(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag)
{
	struct tp_pmu_found found[32];
	size_t n;
	enum tp_status status = tp_pmu_find_memory(m->places->sys, id == TP_METER_MEMORY_WRITTEN,
						   found, TP_COUNT_OF(found), &n, diag);
	for (size_t i = 0; i < n && status == TP_OK; i++)
		if (!open_pmu(counters_of(m, id), &found[i], m->pid))
			status = refused("memory traffic", diag);
	return status;
}

enum tp_status tp_meter_open_event(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag)
{
	const char *name = m->events[id - TP_METER_EVENT_1];
	struct tp_pmu_found found;
	if (!name)
		return tp_fail(diag, TP_NOTFOUND, "event", "name some in profile.events",
			       "no event was asked for");
	enum tp_status status = tp_pmu_find(m->places->sys, name, &found, diag);
	if (status == TP_OK && !open_pmu(counters_of(m, id), &found, m->pid))
		status = refused(name, diag);
	return status;
}

static double read_pmu(const struct tp_pmu_counters *c)
{
	double sum = 0;
	uint64_t count;
	for (size_t i = 0; i < c->n; i++)
		if (read(c->fd[i], &count, sizeof(count)) == sizeof(count))
			sum += c->scale[i] * (double)count;
	return sum;
}

double tp_meter_read_machine(struct tp_meters *m, enum tp_meter_id id)
{
	switch (id) {
	case TP_METER_RECEIVED:
		return (double)m->net_now.in;
	case TP_METER_SENT:
		return (double)m->net_now.out;
	case TP_METER_DISK_READ:
		return (double)m->disks_now.in;
	case TP_METER_DISK_WRITTEN:
		return (double)m->disks_now.out;
	case TP_METER_POWER:
		return read_counters(&m->energy);
	case TP_METER_GPU_POWER:
		return read_gauges(&m->gpu);
	case TP_METER_CLOCK:
		return read_gauges(&m->clock);
	case TP_METER_TEMPERATURE:
		return read_gauges(&m->temperature);
	default:
		return read_pmu(counters_of(m, id));
	}
}

static void close_files(struct tp_number_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		close(files->fd[i]);
}

void tp_meters_machine_release(struct tp_meters *m)
{
	if (m->net >= 0)
		close(m->net);
	if (m->disks >= 0)
		close(m->disks);
	close_files(&m->energy);
	close_files(&m->gpu);
	close_files(&m->clock);
	close_files(&m->temperature);
	for (size_t i = 0; i < TP_COUNT_OF(m->pmu); i++)
		for (size_t k = 0; k < m->pmu[i].n; k++)
			close(m->pmu[i].fd[k]);
}
