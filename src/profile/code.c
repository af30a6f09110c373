/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/code.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "app/symbols.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/str.h"
#include "base/text.h"
#include "profile/processes.h"

enum { TP_CODE_INDEX = 1 << 17 };

#define TP_CODE_NOWHERE UINT32_MAX

struct tp_code_ring {
	int fd;
	void *page; /* struct perf_event_mmap_page, followed by the ring */
	size_t bytes;
};

struct tp_code_module {
	char *path;
};

struct tp_code_range { /* of code in a process */
	uint32_t pid, module;
	uint64_t start, end, offset;
};

struct tp_code_place {
	uint64_t offset; /* in the file of the module */
	uint32_t module;
	uint32_t function; /* of `named`, once there is one */
};

struct tp_code_sample {
	uint32_t tick, place;
};

struct tp_code_samples {
	struct tp_code_ring *rings;
	size_t n_rings;
	struct tp_code_module *modules;
	size_t n_modules, cap_modules;
	struct tp_code_range *ranges;
	size_t n_ranges, cap_ranges;
	struct tp_code_place *places;
	size_t n_places, cap_places;
	uint32_t *index; /* hash table of places: number + 1 */
	struct tp_code_sample *samples;
	size_t n_samples, cap_samples;
	struct tp_code_function *named;
	size_t n_named, cap_named;
	uint64_t taken, lost;
	uint32_t looked_tick, looked_pid;
	char *maps;
};

/* Samples of 24 bytes: 128 KiB hold five seconds of a CPU. */
enum { RING_PAGES = 32, SAMPLES_MOST = 1 << 22, MAPS_BYTES = 1 << 20 };

struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
};

/* --- opening --- */

static bool open_ring(struct tp_code_samples *code, pid_t pid, int cpu)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = TP_CODE_PERIOD_US * 1000ull,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
					.inherit = 1,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	struct tp_code_ring *ring = &code->rings[code->n_rings];
	ring->bytes = (RING_PAGES + 1) * (size_t)sysconf(_SC_PAGESIZE);
	ring->fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return false;
	ring->page = mmap(NULL, ring->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (ring->page == MAP_FAILED) {
		int error = errno;
		close(ring->fd);
		errno = error;
		return false;
	}
	code->n_rings++;
	return true;
}

/* A ring for each CPU that it may run on: the kernel requires that if children inherit. */
enum tp_status tp_code_open(struct tp_code_samples **out, pid_t pid, struct tp_diag *diag)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct tp_code_samples *code = tp_alloc(1, sizeof(*code));
	*out = NULL;
	code->rings = tp_alloc((size_t)cpus + 1, sizeof(*code->rings));
	int error = ENOSYS;
	for (int cpu = 0; cpu < cpus; cpu++)
		if (!open_ring(code, pid, cpu)) {
			error = errno;
			/* A CPU that is off has none. */
			if (error != ENODEV)
				break;
		}
	if (!code->n_rings) {
		tp_code_free(code);
		bool may_not = error == EACCES || error == EPERM;
		return tp_fail(diag, may_not ? TP_PERM : TP_UNSUPPORTED, "code",
			       may_not ? "run as root, or: sysctl kernel.perf_event_paranoid=2"
				       : "the kernel must be built with CONFIG_PERF_EVENTS",
			       "the kernel does not sample where the program is: %s",
			       strerror(error));
	}
	*out = code;
	return TP_OK;
}

void tp_code_free(struct tp_code_samples *code)
{
	if (!code)
		return;
	for (size_t i = 0; i < code->n_rings; i++) {
		munmap(code->rings[i].page, code->rings[i].bytes);
		close(code->rings[i].fd);
	}
	for (size_t i = 0; i < code->n_modules; i++)
		free(code->modules[i].path);
	free(code->rings);
	free(code->modules);
	free(code->ranges);
	free(code->places);
	free(code->index);
	free(code->samples);
	free(code->named);
	free(code->maps);
	free(code);
}

/* --- places: file and offset --- */

static uint32_t module_of(struct tp_code_samples *code, const char *path, size_t len)
{
	for (size_t i = 0; i < code->n_modules; i++)
		if (strlen(code->modules[i].path) == len &&
		    strncmp(code->modules[i].path, path, len) == 0)
			return (uint32_t)i;
	TP_RESERVE(code->modules, code->cap_modules, code->n_modules + 1);
	code->modules[code->n_modules] = (struct tp_code_module){ .path = tp_strndup(path, len) };
	return (uint32_t)code->n_modules++;
}

/* The code that a process has mapped: read again when a sample lies in none of it. */
static void read_maps(struct tp_code_samples *code, uint32_t pid)
{
	char path[64];
	size_t n = 0, kept = 0;
	ssize_t got;
	struct tp_proc_mapping m;
	if (!code->maps)
		code->maps = tp_alloc(MAPS_BYTES, 1);
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	while (n + 1 < MAPS_BYTES && (got = read(fd, code->maps + n, MAPS_BYTES - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	code->maps[n] = '\0';
	for (size_t i = 0; i < code->n_ranges; i++)
		if (code->ranges[i].pid != pid)
			code->ranges[kept++] = code->ranges[i];
	code->n_ranges = kept;
	const char *at = code->maps;
	while (tp_proc_mapping_next(&at, &m)) {
		TP_RESERVE(code->ranges, code->cap_ranges, code->n_ranges + 1);
		bool file = m.path_len && *m.path == '/';
		uint32_t module =
			file ? module_of(code, m.path, m.path_len) : module_of(code, "[code]", 6);
		code->ranges[code->n_ranges++] =
			(struct tp_code_range){ pid, module, m.start, m.end,
						file ? m.offset : m.start };
	}
}

static const struct tp_code_range *range_of(const struct tp_code_samples *code, uint32_t pid,
					    uint64_t ip)
{
	for (size_t i = 0; i < code->n_ranges; i++)
		if (code->ranges[i].pid == pid && ip >= code->ranges[i].start &&
		    ip < code->ranges[i].end)
			return &code->ranges[i];
	return NULL;
}

static uint32_t *slot_of(const struct tp_code_samples *code, uint32_t module, uint64_t offset)
{
	uint64_t hash = (offset * 0x9e3779b97f4a7c15u) ^ (module * 0xbf58476d1ce4e5b9u);
	size_t i = (hash >> 32) % TP_CODE_INDEX;
	while (code->index[i] && (code->places[code->index[i] - 1].module != module ||
				  code->places[code->index[i] - 1].offset != offset))
		i = (i + 1) % TP_CODE_INDEX;
	return &code->index[i];
}

/* Number of a place, a new one if need be; TP_CODE_NOWHERE: unknown, or no room. */
static uint32_t place_of(struct tp_code_samples *code, uint32_t pid, uint64_t ip, uint32_t tick)
{
	const struct tp_code_range *range = range_of(code, pid, ip);
	/* Code that no file has: once a tick is enough to look for it. */
	if (!range && (code->looked_tick != tick || code->looked_pid != pid)) {
		code->looked_tick = tick;
		code->looked_pid = pid;
		read_maps(code, pid);
		range = range_of(code, pid, ip);
	}
	if (!range)
		return TP_CODE_NOWHERE;
	if (!code->index)
		code->index = tp_alloc(TP_CODE_INDEX, sizeof(*code->index));
	uint64_t offset = ip - range->start + range->offset;
	uint32_t *slot = slot_of(code, range->module, offset);
	if (*slot)
		return *slot - 1;
	if (code->n_places >= TP_CODE_INDEX / 2)
		return TP_CODE_NOWHERE;
	TP_RESERVE(code->places, code->cap_places, code->n_places + 1);
	code->places[code->n_places] = (struct tp_code_place){ offset, range->module, 0 };
	*slot = (uint32_t)++code->n_places;
	return *slot - 1;
}

/* --- samples --- */

static void take_sample(struct tp_code_samples *code, const struct sample *sample, uint32_t tick)
{
	uint32_t place = place_of(code, sample->pid, sample->ip, tick);
	code->taken++;
	if (place == TP_CODE_NOWHERE || code->n_samples >= SAMPLES_MOST) {
		code->lost++;
		return;
	}
	TP_RESERVE(code->samples, code->cap_samples, code->n_samples + 1);
	code->samples[code->n_samples++] = (struct tp_code_sample){ tick, place };
}

static void copy_out(const struct tp_code_ring *ring, uint64_t at, void *out, size_t size)
{
	const unsigned char *data = (const unsigned char *)ring->page + ring->bytes -
				    RING_PAGES * (size_t)sysconf(_SC_PAGESIZE);
	uint64_t mask = RING_PAGES * (uint64_t)sysconf(_SC_PAGESIZE) - 1;
	for (size_t i = 0; i < size; i++)
		((unsigned char *)out)[i] = data[(at + i) & mask];
}

static void read_ring(struct tp_code_samples *code, struct tp_code_ring *ring, uint32_t tick)
{
	struct perf_event_mmap_page *page = ring->page;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail;
	while (tail < head) {
		struct sample sample = { 0 };
		copy_out(ring, tail, &sample.header, sizeof(sample.header));
		if (sample.header.size < sizeof(sample.header))
			break;
		if (sample.header.type == PERF_RECORD_SAMPLE &&
		    sample.header.size >= sizeof(sample)) {
			copy_out(ring, tail, &sample, sizeof(sample));
			take_sample(code, &sample, tick);
		} else if (sample.header.type == PERF_RECORD_LOST) {
			uint64_t lost[2];
			copy_out(ring, tail + sizeof(sample.header), lost, sizeof(lost));
			code->lost += lost[1];
		}
		tail += sample.header.size;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
}

void tp_code_read(struct tp_code_samples *code, uint32_t tick)
{
	for (size_t i = 0; i < code->n_rings; i++)
		read_ring(code, &code->rings[i], tick);
}

void tp_code_halve(struct tp_code_samples *code)
{
	for (size_t i = 0; i < code->n_samples; i++)
		code->samples[i].tick /= 2;
}

void tp_code_totals(const struct tp_code_samples *code, uint64_t *taken, uint64_t *lost)
{
	*taken = code->taken;
	*lost = code->lost;
}

/* Places without a symbol count by pages: a function of some size is one, mostly. */
enum { PAGE_BITS = 12 };

static uint32_t function_of(struct tp_code_samples *code, const char *name, const char *file)
{
	for (size_t i = 0; i < code->n_named; i++)
		if (strcmp(code->named[i].name, name) == 0 &&
		    strcmp(code->named[i].file, file) == 0)
			return (uint32_t)i;
	TP_RESERVE(code->named, code->cap_named, code->n_named + 1);
	struct tp_code_function *f = &code->named[code->n_named];
	*f = (struct tp_code_function){ 0 };
	tp_copy(f->name, sizeof(f->name), name);
	tp_copy(f->file, sizeof(f->file), file);
	return (uint32_t)code->n_named++;
}

/* Names and paths are foreign text. */
static void name_places(struct tp_code_samples *code, uint32_t module)
{
	const char *path = code->modules[module].path;
	struct tp_app_symbols symbols = { 0 };
	struct tp_diag unused;
	char file[TP_CODE_NAME], name[TP_CODE_NAME];
	const char *base = tp_path_last(path);
	tp_shown(file, sizeof(file), base, strlen(base));
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || tp_app_symbols_read(&symbols, fd, path, &unused) != TP_OK)
		symbols.n = 0;
	for (size_t i = 0; i < code->n_places; i++) {
		struct tp_code_place *p = &code->places[i];
		if (p->module != module)
			continue;
		const struct tp_app_symbol *symbol =
			symbols.n ? tp_app_symbols_at(&symbols, p->offset) : NULL;
		if (symbol)
			tp_shown(name, sizeof(name), symbol->name, strlen(symbol->name));
		else
			snprintf(name, sizeof(name), "%.60s+0x%llx", file,
				 (unsigned long long)(p->offset >> PAGE_BITS << PAGE_BITS));
		p->function = function_of(code, name, file);
	}
	tp_app_symbols_release(&symbols);
	if (fd >= 0)
		close(fd);
}

static int by_samples(const void *a, const void *b)
{
	const struct tp_code_function *p = a, *q = b;
	return p->samples != q->samples ? (p->samples < q->samples) - (p->samples > q->samples)
					: strcmp(p->name, q->name);
}

size_t tp_code_functions(struct tp_code_samples *code, struct tp_code_function *functions,
			 size_t max)
{
	for (size_t i = 0; i < code->n_modules; i++)
		name_places(code, (uint32_t)i);
	for (size_t i = 0; i < code->n_samples; i++) {
		uint32_t f = code->places[code->samples[i].place].function;
		if (f != TP_CODE_NOWHERE)
			code->named[f].samples++;
	}
	/* Sorted copies: places go on to name functions by their old numbers. */
	TP_FREE struct tp_code_function *sorted = tp_alloc(code->n_named, sizeof(*sorted));
	TP_FREE uint32_t *numbers = tp_alloc(code->n_named, sizeof(*numbers));
	if (!code->n_named)
		return 0;
	memcpy(sorted, code->named, code->n_named * sizeof(*sorted));
	qsort(sorted, code->n_named, sizeof(*sorted), by_samples);
	for (size_t i = 0; i < code->n_named; i++)
		for (size_t k = 0; k < code->n_named; k++)
			if (strcmp(sorted[k].name, code->named[i].name) == 0 &&
			    strcmp(sorted[k].file, code->named[i].file) == 0) {
				numbers[i] = (uint32_t)k;
				break;
			}
	for (size_t i = 0; i < code->n_places; i++)
		if (code->places[i].function != TP_CODE_NOWHERE)
			code->places[i].function = numbers[code->places[i].function];
	memcpy(code->named, sorted, code->n_named * sizeof(*sorted));
	size_t n = TP_MIN(max, code->n_named);
	memcpy(functions, sorted, n * sizeof(*functions));
	return n;
}

void tp_code_series(const struct tp_code_samples *code, size_t function, double *counts,
		    size_t n_ticks)
{
	for (size_t i = 0; i < code->n_samples; i++) {
		const struct tp_code_sample *s = &code->samples[i];
		if (s->tick < n_ticks && code->places[s->place].function == function)
			counts[s->tick]++;
	}
}
