/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The meters of the program and of the machine: how they are opened and read. */
#include "profile/meters.h"

#include <ctype.h>
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

#include "base/file.h"
#include "base/memory.h"
#include "base/now.h"
#include "profile/processes.h"

enum { TP_METER_FILES = 16, TP_METER_PMUS = 64 };

/* Small files with one number each, whose values add up; counters may wrap. */
struct tp_number_files {
	int fd[TP_METER_FILES];
	double last[TP_METER_FILES], wraps_at[TP_METER_FILES];
	double sum, scale;
	size_t n;
};

struct tp_pmu_counters {
	int fd[TP_METER_PMUS];
	double scale[TP_METER_PMUS];
	size_t n;
};

struct tp_meters {
	pid_t pid;
	const struct tp_meter_places *places;
	const char *events[TP_METER_EVENTS];
	struct tp_processes tree;
	bool has_tree; /* the process can be seen */
	int net, disks;
	struct tp_proc_bytes net_now, disks_now;
	struct tp_number_files energy, gpu, clock, temperature;
	struct tp_pmu_counters pmu[2 + TP_METER_EVENTS]; /* memory read, written; events */
	const struct tp_meter_others *others; /* NULL = none */
	double others_now[TP_METER_PAPI];
	bool there[TP_METERS];
	struct tp_diag why[TP_METERS];
	double last[TP_METERS], told[TP_METERS];
	double machine_at; /* when the machine's were read */
};

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

/* The text from its beginning; false if unreadable. */
static bool read_all(int fd, char *text, size_t size)
{
	ssize_t n = 0, got = 0;
	/* Files of /proc come in pieces. */
	while ((size_t)n + 1 < size && (got = pread(fd, text + n, size - 1 - (size_t)n, n)) > 0)
		n += got;
	text[n] = '\0';
	return n > 0;
}

static bool read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool good = fd >= 0 && read_all(fd, text, size);
	if (fd >= 0)
		close(fd);
	return good;
}

/* The first line. */
static bool read_below(const char *sys, const char *pmu, const char *file, char text[TEXT_BYTES])
{
	char path[TP_PATH_MAX];
	int len = snprintf(path, sizeof(path), "%s/bus/event_source/devices/%s/%s", sys, pmu, file);
	text[0] = '\0';
	bool good = (size_t)len < sizeof(path) && read_file(path, text, TEXT_BYTES);
	text[strcspn(text, "\n")] = '\0';
	return good;
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
				       "\"%.60s\" is not an event", terms);
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
			       "\"%.60s\" is not an event of a PMU: it has the form PMU/EVENT/",
			       name);
	snprintf(pmu, sizeof(pmu), "%.*s", (int)(slash - name), name);
	snprintf(event, sizeof(event), "%.*s", (int)len, slash + 1);
	if (!is_name(pmu))
		return tp_fail(diag, TP_USAGE, "profile.events", NULL, "\"%.60s\" is not a PMU",
			       pmu);
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
static enum tp_status open_power(struct tp_meters *m, struct tp_diag *diag)
{
	char folder[TP_PATH_MAX], path[TP_PATH_MAX + 600];
	struct dirent *entry;
	bool any = false;
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

/* amdgpu reports in its hwmon. */
static enum tp_status open_gpu(struct tp_meters *m, struct tp_diag *diag)
{
	static const char *const names[] = { "power1_average", "power1_input" };
	char folder[TP_PATH_MAX], path[TP_PATH_MAX + 600], name[64];
	struct dirent *entry;
	snprintf(folder, sizeof(folder), "%s/class/hwmon", m->places->sys);
	DIR *list = opendir(folder);
	while (list && (entry = readdir(list))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s/name", folder, entry->d_name);
		bool is_gpu = read_file(path, name, sizeof(name)) &&
			      (strncmp(name, "amdgpu", 6) == 0 || strncmp(name, "nouveau", 7) == 0);
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
		       "AMD: load amdgpu; the NVIDIA driver gives it to its own library only",
		       "no graphics driver shows its power in /sys/class/hwmon");
}

static enum tp_status open_clock(struct tp_meters *m, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq",
		 m->places->sys);
	if (open_number(&m->clock, path, 1e-6))
		return TP_OK;
	return tp_fail(diag, TP_NOTFOUND, "clock",
		       "virtual machines have no cpufreq: their host sets the frequency",
		       "the kernel does not show the frequency (cpufreq)");
}

static enum tp_status open_temperature(struct tp_meters *m, struct tp_diag *diag)
{
	char path[TP_PATH_MAX], type[64];
	for (int zone = 0; zone < 32 && !m->temperature.n; zone++) {
		snprintf(path, sizeof(path), "%s/class/thermal/thermal_zone%d/type", m->places->sys,
			 zone);
		bool is_cpu = read_file(path, type, sizeof(type)) &&
			      (strstr(type, "pkg_temp") || strstr(type, "cpu"));
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

static bool is_papi(enum tp_meter_id id)
{
	return id >= TP_METER_PAPI_1 && id <= TP_METER_PAPI_6;
}

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
	return tp_fail(diag, may_not ? TP_PERM : TP_UNSUPPORTED, what,
		       may_not ? "run as root, or: sysctl kernel.perf_event_paranoid=0; a daemon "
				 "of Performance Co-Pilot that may read it gives it to all users, "
				 "by PAPI's component pcp in profile.papi"
			       : NULL,
		       "the kernel does not open the counter: %s", strerror(errno));
}

static enum tp_status open_memory(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag)
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

static enum tp_status open_event(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag)
{
	const char *name = m->events[id - TP_METER_EVENT_1];
	struct tp_pmu_found found;
	if (!name)
		return tp_fail(diag, TP_NOTFOUND, "event", "name some in profile.events",
			       "no event was requested");
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

static void close_files(struct tp_number_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		close(files->fd[i]);
}

static const double MACHINE_SECONDS = 0.1;

bool tp_meter_is_named(enum tp_meter_id id, const char *name)
{
	const char *whole = tp_meter_table[id].name;
	size_t len = strlen(name);
	return len && strncmp(whole, name, len) == 0 && (!whole[len] || whole[len] == '_');
}

const struct tp_meter_places tp_meter_places = { "/proc", "/sys" };

static enum tp_status open_tree(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag)
{
	if (!m->has_tree)
		return tp_fail(diag, TP_PERM, "/proc", "mount /proc, without hidepid",
			       "the kernel does not show the process");
	if ((id == TP_METER_READ || id == TP_METER_WRITTEN) && !m->tree.may_read_io)
		return tp_fail(diag, TP_PERM, "/proc/PID/io",
			       "run as root: the program has rights that its user does not have",
			       "the kernel does not show what the process reads and writes");
	return TP_OK;
}

/* --- of others --- */

static enum tp_status open_papi(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag)
{
	const struct tp_meter_others *o = m->others;
	size_t i = (size_t)(id - TP_METER_PAPI_1);
	if (!o || i >= o->n)
		return tp_fail(diag, TP_NOTFOUND, "papi", "name some in profile.papi",
			       "no event was requested");
	const struct tp_diag *missing = o->missing(o->context, i);
	if (!missing)
		return TP_OK;
	*diag = *missing;
	return TP_UNSUPPORTED;
}

/* --- all of them --- */

/*
 * TP_OK, or why it cannot be read here and what would permit it. Several meters may share what one
 * of them opened. The sampler counts TP_METER_CODE_1 and the like itself (code.h).
 */
static enum tp_status open_meter(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag)
{
	switch (id) {
	case TP_METER_MEMORY_READ:
	case TP_METER_MEMORY_WRITTEN:
		return open_memory(m, id, diag);
	case TP_METER_RECEIVED:
	case TP_METER_SENT:
		return m->net >= 0 ? TP_OK : open_text(m->places->proc, "net/dev", &m->net, diag);
	case TP_METER_DISK_READ:
	case TP_METER_DISK_WRITTEN:
		return m->disks >= 0 ? TP_OK
				     : open_text(m->places->proc, "diskstats", &m->disks, diag);
	case TP_METER_POWER:
		return open_power(m, diag);
	case TP_METER_GPU_POWER:
		return open_gpu(m, diag);
	case TP_METER_CLOCK:
		return open_clock(m, diag);
	case TP_METER_TEMPERATURE:
		return open_temperature(m, diag);
	default:
		return (id >= TP_METER_EVENT_1 && id <= TP_METER_EVENT_4) ? open_event(m, id, diag)
		       : is_papi(id)					  ? open_papi(m, id, diag)
									  : open_tree(m, id, diag);
	}
}

/* A counter's sum since any time, or a gauge's value; NaN: unknown now. */
static double read_meter(struct tp_meters *m, enum tp_meter_id id)
{
	const struct tp_processes *t = &m->tree;
	const double of_program[] = {
		[TP_METER_CPUS] = t->cpu_seconds,
		[TP_METER_SYSTEM] = t->system_seconds,
		[TP_METER_THREADS] = t->running_threads,
		[TP_METER_RESIDENT] = t->resident_bytes,
		[TP_METER_MINOR_FAULTS] = t->minor_faults,
		[TP_METER_MAJOR_FAULTS] = t->major_faults,
		[TP_METER_WAITS] = t->waits,
		[TP_METER_PREEMPTIONS] = t->preemptions,
		[TP_METER_READ] = t->bytes_in,
		[TP_METER_WRITTEN] = t->bytes_out,
	};
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
		return (size_t)id < TP_COUNT_OF(of_program) ? of_program[id]
		       : is_papi(id)			    ? m->others_now[id - TP_METER_PAPI_1]
							    : read_pmu(counters_of(m, id));
	}
}

/* Whether it is shown as a rate. */
static bool is_counter(const struct tp_meters *m, enum tp_meter_id id)
{
	switch (id) {
	case TP_METER_THREADS:
	case TP_METER_RESIDENT:
	case TP_METER_GPU_POWER:
	case TP_METER_CLOCK:
	case TP_METER_TEMPERATURE:
		return false;
	default:
		return !is_papi(id) ||
		       !m->others->is_gauge(m->others->context, (size_t)(id - TP_METER_PAPI_1));
	}
}

const struct tp_meter tp_meter_table[TP_METERS] = {
#define ROW(id, name, unit, own, counts) { name, unit, own, counts },
	TP_METER_LIST(ROW)
#undef ROW
};

struct tp_meters *tp_meters_new(pid_t pid, const struct tp_meter_places *places,
				const char *const events[TP_METER_EVENTS],
				const bool unwanted[TP_METERS],
				const struct tp_meter_others *others)
{
	struct tp_meters *m = tp_alloc(1, sizeof(*m));
	m->pid = pid;
	m->places = places;
	m->net = m->disks = -1;
	for (size_t i = 0; events && i < TP_METER_EVENTS; i++)
		m->events[i] = events[i];
	m->others = others;
	if (others)
		others->start(others->context);
	m->has_tree = tp_processes_init(&m->tree, pid);
	for (int i = 0; i < TP_METERS; i++) {
		const struct tp_meter *meter = &tp_meter_table[i];
		if (unwanted && unwanted[i]) {
			tp_fail(&m->why[i], TP_NOTFOUND, meter->name, "add it to profile.meters",
				"it was not asked for");
			continue;
		}
		if (i >= TP_METER_CODE_1 && i <= TP_METER_CODE_6)
			continue;
		m->there[i] = open_meter(m, (enum tp_meter_id)i, &m->why[i]) == TP_OK;
	}
	m->tree.skips_io = !m->there[TP_METER_READ] && !m->there[TP_METER_WRITTEN];
	m->tree.skips_switches = !m->there[TP_METER_WAITS] && !m->there[TP_METER_PREEMPTIONS];
	double unused[TP_METERS];
	for (int i = 0; i < TP_METERS; i++)
		m->last[i] = NAN;
	tp_meters_read(m, tp_now_seconds(), 0, unused);
	return m;
}

void tp_meters_stop(struct tp_meters *m)
{
	if (m->others)
		m->others->stop(m->others->context);
	m->others = NULL;
}

void tp_meters_free(struct tp_meters *m)
{
	if (!m)
		return;
	tp_processes_release(&m->tree);
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
	free(m);
}

const struct tp_diag *tp_meters_missing(const struct tp_meters *m, enum tp_meter_id id)
{
	return m->there[id] ? NULL : &m->why[id];
}

void tp_meters_read(struct tp_meters *m, double now, double seconds, double values[TP_METERS])
{
	/* The machine's meters cost more and are less informative: they are read less often. */
	bool whole = now - m->machine_at >= MACHINE_SECONDS || !(seconds > 0);
	double machine_seconds = now - m->machine_at;
	if (m->has_tree)
		tp_processes_read(&m->tree, whole);
	if (whole) {
		char text[NET_BYTES];

		/* Once before the meters of the machine are read. */
		if (m->net >= 0 && read_all(m->net, text, sizeof(text)))
			tp_proc_net_parse(text, &m->net_now);
		if (m->disks >= 0 && read_all(m->disks, text, sizeof(text)))
			tp_proc_disks_parse(text, &m->disks_now);
		m->machine_at = now;
	}
	if (m->others)
		m->others->read(m->others->context, m->others_now);
	for (int i = 0; i < TP_METERS; i++) {
		const struct tp_meter *meter = &tp_meter_table[i];
		values[i] = NAN;
		if (!m->there[i])
			continue;
		if (!meter->own && !whole) {
			values[i] = m->told[i];
			continue;
		}
		double read = read_meter(m, (enum tp_meter_id)i);
		bool counted = is_counter(m, (enum tp_meter_id)i);
		if (counted && seconds > 0)
			values[i] = (read - m->last[i]) / (meter->own ? seconds : machine_seconds);
		else if (!counted)
			values[i] = read;
		/* One that started over. */
		if (counted && values[i] < 0)
			values[i] = NAN;
		m->last[i] = read;
		m->told[i] = values[i];
	}
}

bool tp_meters_gone(const struct tp_meters *m)
{
	return m->has_tree && !(m->tree.running_threads > 0);
}

unsigned tp_meters_lost(const struct tp_meters *m)
{
	return m->tree.lost;
}
