/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "routines/parts.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"
#include "base/text.h"

static const struct {
	const char *name, *summary;
	unsigned element_bytes;
} routines[TP_ROUTINE_COUNT] = {
#define ROUTINE_ROW(id, name, bytes, summary) { name, summary, bytes },
	TP_ROUTINE_LIST(ROUTINE_ROW)
#undef ROUTINE_ROW
};

const char *tp_routine_name(enum tp_routine_id id)
{
	return routines[id].name;
}

const char *tp_routine_summary(enum tp_routine_id id)
{
	return routines[id].summary;
}

bool tp_routine_find(const char *name, enum tp_routine_id *id)
{
	for (unsigned i = 0; i < TP_ROUTINE_COUNT; i++)
		if (strcmp(routines[i].name, name) == 0) {
			*id = (enum tp_routine_id)i;
			return true;
		}
	return false;
}

double tp_routine_flop(const struct tp_routine_config *config)
{
	const uint64_t *s = config->size;
	if (config->id == TP_ROUTINE_TRIAD)
		return 2.0 * (double)s[0];
	return 2.0 * (double)s[0] * (double)s[1] * (double)s[2];
}

double tp_routine_bytes(const struct tp_routine_config *config)
{
	double n = (double)config->size[0], m = (double)config->size[1],
	       k = (double)config->size[2];
	if (config->id == TP_ROUTINE_TRIAD)
		return 24 * n;
	return (m * k + k * n + 2 * m * n) * routines[config->id].element_bytes;
}

uint64_t tp_routine_memory_bytes(const struct tp_routine_config *config)
{
	const uint64_t n = config->size[0], m = config->size[1], k = config->size[2];
	uint64_t a, b, c, sum;
	if (config->id == TP_ROUTINE_TRIAD)
		return __builtin_mul_overflow(n, (uint64_t)24, &sum) ? UINT64_MAX : sum;
	if (__builtin_mul_overflow(m, k, &a) || __builtin_mul_overflow(k, n, &b) ||
	    __builtin_mul_overflow(m, n, &c) || __builtin_add_overflow(a, b, &sum) ||
	    __builtin_add_overflow(sum, c, &sum) ||
	    __builtin_mul_overflow(sum, (uint64_t)routines[config->id].element_bytes, &sum))
		return UINT64_MAX;
	return sum;
}

const char *tp_routine_config_name(const struct tp_routine_config *config, char *out, size_t size)
{
	const uint64_t *s = config->size;
	if (config->id == TP_ROUTINE_TRIAD)
		snprintf(out, size, "n %" PRIu64, s[0]);
	else
		snprintf(out, size, "n %" PRIu64 " m %" PRIu64 " k %" PRIu64, s[0], s[1], s[2]);
	return out;
}

double tp_routine_now_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/*
 * A library's own threads can only be found by their number, because it does not report them. Some
 * libraries make new threads for each call, which inherit the CPUs of their creator.
 */

enum tp_status tp_bind_self(const struct tp_routine_config *config, struct tp_diag *diag)
{
	/* One by one first, because the kernel accepts a set if any CPU of it can be used. */
	for (unsigned i = 0; i < config->n_cpus; i++)
		if (!tp_process_bind(0, &config->cpus[i], 1))
			return tp_fail(diag, TP_USAGE, tp_routine_name(config->id),
				       "choose among the CPUs that this process may use",
				       "CPU %u cannot be used: %s", config->cpus[i],
				       strerror(errno));
	if (!tp_process_bind(0, config->cpus, config->n_cpus))
		return tp_fail(diag, TP_FAILED, tp_routine_name(config->id), NULL,
			       "cannot be bound to its CPUs: %s", strerror(errno));
	return TP_OK;
}

/* Calls visit() with every other thread; returns how many there are. */
static unsigned each_other(void (*visit)(int tid, unsigned at, const struct tp_routine_config *),
			   const struct tp_routine_config *config)
{
	unsigned n = 0;
	int self = gettid();
	DIR *tasks = opendir("/proc/self/task");
	if (!tasks)
		return 0;
	for (struct dirent *entry; (entry = readdir(tasks));) {
		int tid = atoi(entry->d_name);
		if (tid <= 0 || tid == self)
			continue;
		if (visit)
			visit(tid, n, config);
		n++;
	}
	closedir(tasks);
	return n;
}

unsigned tp_bind_others(void)
{
	return each_other(NULL, NULL);
}

/* A thread that has ended needs no CPU, so failures do not matter. */
static void to_all(int tid, unsigned at __attribute__((unused)),
		   const struct tp_routine_config *config)
{
	(void)tp_process_bind(tid, config->cpus, config->n_cpus);
}

static void to_one(int tid, unsigned at, const struct tp_routine_config *config)
{
	if (at + 1 < config->n_cpus)
		(void)tp_process_bind(tid, &config->cpus[at + 1], 1);
}

void tp_bind_all(const struct tp_routine_config *config, bool each)
{
	if (each && tp_bind_others() + 1 == config->n_cpus) {
		(void)tp_process_bind(0, config->cpus, 1);
		each_other(to_one, config);
		return;
	}
	(void)tp_process_bind(0, config->cpus, config->n_cpus);
	each_other(to_all, config);
}

/* What the system can give without swapping; UINT64_MAX if unknown. */
static uint64_t available_bytes(void)
{
	uint64_t kib = 0;
	char line[128];
	FILE *file = fopen("/proc/meminfo", "re");
	if (!file)
		return UINT64_MAX;
	while (!kib && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			break;
	fclose(file);
	return kib ? kib * 1024 : UINT64_MAX;
}

enum tp_status tp_routine_fits(uint64_t bytes, const char *where, struct tp_diag *diag)
{
	char need[32], have[32];
	uint64_t available = available_bytes();
	if (bytes <= available && bytes <= SIZE_MAX / 2)
		return TP_OK;
	return tp_fail(diag, TP_RESOURCE, where, "choose smaller sizes",
		       "%s of memory are needed, %s are available",
		       tp_format_bytes(need, sizeof(need), bytes),
		       tp_format_bytes(have, sizeof(have), available));
}

enum tp_status tp_routine_map(struct tp_buffer *block, uint64_t bytes, enum tp_pages pages,
			      struct tp_diag *diag)
{
	enum tp_status status = tp_buffer_init(block, bytes, pages, diag);
	return status == TP_OK ? tp_buffer_open(block, bytes, diag) : status;
}
