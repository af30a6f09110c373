/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Binds threads to CPUs. A library's own threads can only be found by their number, because it does
 * not report them. Some libraries make new threads for each call, which inherit the CPUs of their
 * creator.
 */
#include "routines/parts.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool tp_bind_thread(int tid, const unsigned *cpus, unsigned n)
{
	unsigned most = 0;
	for (unsigned i = 0; i < n; i++)
		most = cpus[i] > most ? cpus[i] : most;
	cpu_set_t *set = CPU_ALLOC(most + 1);
	size_t bytes = CPU_ALLOC_SIZE(most + 1);
	if (!set)
		return false;
	CPU_ZERO_S(bytes, set);
	for (unsigned i = 0; i < n; i++)
		CPU_SET_S(cpus[i], bytes, set);
	int failed = sched_setaffinity(tid, bytes, set);
	int error = errno;
	CPU_FREE(set);
	errno = error;
	return !failed;
}

enum tp_status tp_bind_self(const struct tp_routine_config *config, struct tp_diag *diag)
{
	/* One by one first, because the kernel accepts a set if any CPU of it can be used. */
	for (unsigned i = 0; i < config->n_cpus; i++)
		if (!tp_bind_thread(0, &config->cpus[i], 1))
			return tp_fail(diag, TP_USAGE, tp_routine_name(config->id),
				       "choose among the CPUs that this process may use",
				       "CPU %u cannot be used: %s", config->cpus[i],
				       strerror(errno));
	if (!tp_bind_thread(0, config->cpus, config->n_cpus))
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
static void to_all(int tid, unsigned at, const struct tp_routine_config *config)
{
	(void)at;
	(void)tp_bind_thread(tid, config->cpus, config->n_cpus);
}

static void to_one(int tid, unsigned at, const struct tp_routine_config *config)
{
	if (at + 1 < config->n_cpus)
		(void)tp_bind_thread(tid, &config->cpus[at + 1], 1);
}

void tp_bind_all(const struct tp_routine_config *config, bool each)
{
	if (each && tp_bind_others() + 1 == config->n_cpus) {
		(void)tp_bind_thread(0, config->cpus, 1);
		each_other(to_one, config);
		return;
	}
	(void)tp_bind_thread(0, config->cpus, config->n_cpus);
	each_other(to_all, config);
}
