/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rank this process is, and its share of the CPUs. */
#include "base/ranks.h"
#include "base/process.h"
#include "base/vec.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CPUS_MOST = 1 << 16 };

/* --- the launcher --- */

/* Launchers and their variables; the first one that is there has started this process. */
static const struct launcher {
	const char *rank, *size, *launch[2]; /* launch: what together names it */
} launchers[] = {
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", { "PMIX_NAMESPACE", NULL } },
	{ "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", { "SLURM_JOB_ID", "SLURM_STEP_ID" } },
	{ "PMI_RANK", "PMI_SIZE", { "SLURM_JOB_ID", "SLURM_STEP_ID" } },
	{ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", { "SLURM_JOB_ID", "SLURM_STEP_ID" } },
	{ "SLURM_PROCID", "SLURM_NTASKS", { "SLURM_JOB_ID", "SLURM_STEP_ID" } },
};

static bool number(const char *text, unsigned long most, unsigned *value)
{
	char *end;
	if (!text || !isdigit((unsigned char)*text))
		return false;
	errno = 0;
	unsigned long read = strtoul(text, &end, 10);
	*value = (unsigned)read;
	return !errno && !*end && read <= most;
}

bool tp_ranks_parse(const char *text, unsigned *rank, unsigned *size)
{
	char first[16];
	size_t n = strcspn(text, "/");
	if (n >= sizeof(first) || text[n] != '/')
		return false;
	memcpy(first, text, n);
	first[n] = '\0';
	return number(text + n + 1, TP_RANKS_MAX, size) && number(first, TP_RANKS_MAX, rank) &&
	       *rank < *size;
}

/* The name becomes that of a folder. */
static void name_launch(const struct launcher *launcher, char *name, size_t size)
{
	size_t n = 0;
	*name = '\0';
	for (size_t i = 0; i < TP_COUNT_OF(launcher->launch) && launcher->launch[i]; i++) {
		const char *part = getenv(launcher->launch[i]);
		if (!part || !*part) {
			*name = '\0';
			return;
		}
		if (n && n + 1 < size)
			name[n++] = '-';
		for (; *part && n + 1 < size; part++)
			name[n++] = isalnum((unsigned char)*part) ? *part : '_';
		name[n] = '\0';
	}
}

enum tp_status tp_ranks_environment(struct tp_ranks *ranks, char *name, size_t size,
				    struct tp_diag *diag)
{
	for (size_t i = 0; i < TP_COUNT_OF(launchers); i++) {
		const char *rank = getenv(launchers[i].rank), *n = getenv(launchers[i].size);
		if (!rank || !n)
			continue;
		if (!number(n, TP_RANKS_MAX, &ranks->size) ||
		    !number(rank, TP_RANKS_MAX, &ranks->rank) || ranks->rank >= ranks->size)
			return tp_fail(diag, TP_USAGE, "--ranks", "give them as --ranks R/N",
				       "%s and %s are not a rank and a number of ranks up to %d",
				       launchers[i].rank, launchers[i].size, TP_RANKS_MAX);
		name_launch(&launchers[i], name, size);
		return TP_OK;
	}
	return tp_fail(diag, TP_NOTFOUND, "--ranks",
		       "start it with srun -n or mpirun -n, or say --ranks R/N --ranks-dir DIR",
		       "no launcher says which rank this process is");
}

/* --- CPUs --- */

/* All CPUs of the mask; the caller frees. */
static unsigned *allowed_cpus(size_t *n, struct tp_diag *diag)
{
	for (size_t most = 1024; most <= CPUS_MOST; most *= 4) {
		cpu_set_t *set = CPU_ALLOC(most);
		size_t bytes = CPU_ALLOC_SIZE(most);
		if (set && sched_getaffinity(0, bytes, set) == 0) {
			unsigned *cpus = calloc(most, sizeof(*cpus));
			*n = 0;
			for (size_t i = 0; cpus && i < most; i++)
				if (CPU_ISSET_S(i, bytes, set))
					cpus[(*n)++] = (unsigned)i;
			CPU_FREE(set);
			if (cpus && *n)
				return cpus;
			free(cpus);
			break;
		}
		if (set)
			CPU_FREE(set);
	}
	tp_fail(diag, TP_RESOURCE, "ranks", NULL, "the CPUs of this process cannot be found out");
	return NULL;
}

enum tp_status tp_ranks_cpus(char out[TP_RANKS_CPUS_BYTES], struct tp_diag *diag)
{
	size_t n, at = 0;
	unsigned *cpus = allowed_cpus(&n, diag);
	if (!cpus)
		return TP_RESOURCE;
	for (size_t i = 0; i < n && at < TP_RANKS_CPUS_BYTES;) {
		size_t end = i + 1;
		while (end < n && cpus[end] == cpus[end - 1] + 1)
			end++;
		at += (size_t)snprintf(out + at, TP_RANKS_CPUS_BYTES - at, "%s%u", i ? "," : "",
				       cpus[i]);
		if (end > i + 1 && at < TP_RANKS_CPUS_BYTES)
			at += (size_t)snprintf(out + at, TP_RANKS_CPUS_BYTES - at, "-%u",
					       cpus[end - 1]);
		i = end;
	}
	free(cpus);
	return at < TP_RANKS_CPUS_BYTES ? TP_OK
					: tp_fail(diag, TP_RESOURCE, "ranks", NULL,
						  "the mask of CPUs has too many pieces");
}

struct place {
	unsigned package, core, cpu; /* core: the first CPU of it */
};

static unsigned read_place(unsigned cpu, const char *name)
{
	char path[128], *text = NULL;
	size_t len;
	struct tp_diag diag;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/%s", cpu, name);
	if (tp_file_read(path, 4096, &text, &len, &diag) != TP_OK)
		return cpu;
	unsigned value = (unsigned)strtoul(text, NULL, 10);
	free(text);
	return value;
}

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->package != y->package)
		return x->package < y->package ? -1 : 1;
	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

enum tp_status tp_ranks_take_share(const struct tp_ranks *ranks, struct tp_diag *diag)
{
	size_t n, bytes;
	if (ranks->host_size <= 1)
		return TP_OK;
	unsigned *cpus = allowed_cpus(&n, diag);
	struct place *places = cpus ? calloc(n, sizeof(*places)) : NULL;
	cpu_set_t *set = NULL;
	enum tp_status status = cpus ? TP_OK : TP_RESOURCE;
	if (cpus && !places)
		status = tp_fail(diag, TP_NOMEM, "ranks", NULL, "out of memory");
	if (status == TP_OK && n < ranks->host_size)
		status = tp_fail(diag, TP_RESOURCE, "ranks",
				 "start fewer ranks on this host, or give them more CPUs",
				 "%u ranks of this host share %zu CPU%s: two on one CPU would "
				 "measure each other",
				 ranks->host_size, n, n == 1 ? "" : "s");
	if (status != TP_OK)
		goto out;
	for (size_t i = 0; i < n; i++)
		places[i] = (struct place){ read_place(cpus[i], "physical_package_id"),
					    read_place(cpus[i], "thread_siblings_list"), cpus[i] };
	qsort(places, n, sizeof(*places), by_place);
	size_t from = n * ranks->host_rank / ranks->host_size;
	size_t to = n * (ranks->host_rank + 1) / ranks->host_size;
	for (size_t i = from; i < to; i++)
		cpus[i - from] = places[i].cpu;
	set = tp_process_cpus(cpus, (unsigned)(to - from), &bytes);
	if (!set || sched_setaffinity(0, bytes, set) != 0)
		status = tp_fail(diag, TP_PERM, "ranks", NULL,
				 "this rank cannot keep to its share of the CPUs: %s",
				 strerror(errno));
out:
	if (set)
		CPU_FREE(set);
	free(places);
	free(cpus);
	return status;
}
