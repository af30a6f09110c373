/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Combines topology, environment and model into one description, and answers questions about its
 * caches.
 */
#include "machine/detect.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void cache_effective(struct tp_cache *cache)
{
	cache->size_bytes = cache->given_bytes	    ? cache->given_bytes
			    : cache->reported_bytes ? cache->reported_bytes
						    : cache->model_bytes;
}

/*
 * Lays a cache that is not reported (many arm and RISC-V boards, synthetic descriptions) over the
 * cores as the model says.
 */
static void cache_invent(struct tp_machine *machine, int level)
{
	struct tp_cache *cache = &machine->cache[level];
	unsigned socket_cores = (machine->n_cores + machine->n_packages - 1) / machine->n_packages;
	unsigned cores = machine->model.cache_cores[level];
	if (!cores)
		cores = level < 3 ? 1 : socket_cores;
	cores = TP_MIN(cores, socket_cores);
	unsigned core_pus = 0;
	for (size_t i = 0; i < machine->n_pus; i++)
		core_pus = TP_MAX(core_pus, machine->pus[i].smt_rank + 1);
	cache->sharing_cores = cores;
	cache->sharing_pus = cores * core_pus;
	unsigned instance = 0, used = 0;
	for (size_t i = 0; i < machine->n_pus; i++) {
		struct tp_pu *pu = &machine->pus[i], *before = pu - 1;
		bool new_core = i == 0 || pu->core != before->core;
		bool new_package = i > 0 && pu->package != before->package;
		if (i > 0 && (new_package || (new_core && used == cores))) {
			instance++;
			used = 0;
		}
		used += new_core;
		pu->cache[level] = instance;
	}
	cache->instances = instance + 1;
}

/* Sets the effective capacities; where hwloc reports none, the model's figures are used. */
static void cache_settle(struct tp_machine *machine)
{
	for (int level = 1; level < TP_CACHE_LEVELS; level++) {
		struct tp_cache *cache = &machine->cache[level];
		cache->model_bytes = machine->model.cache_bytes[level];
		cache_effective(cache);
		if (!cache->line_bytes)
			cache->line_bytes = 64;
		if (!cache->instances && cache->size_bytes)
			cache_invent(machine, level);
		cache->sharing_cores = TP_MAX(cache->sharing_cores, 1u);
		cache->sharing_pus = TP_MAX(cache->sharing_pus, 1u);
	}
}

static void name_cpu(struct tp_machine *machine)
{
	const struct tp_cpu *cpu = &machine->cpu;
	char fallback[sizeof(machine->cpu_name)];
	snprintf(fallback, sizeof(fallback), "%s%sprocessor", cpu->arch, *cpu->arch ? " " : "");
	const char *name = *cpu->brand		  ? cpu->brand
			   : *machine->model.name ? machine->model.title
						  : fallback;
	tp_copy(machine->cpu_name, sizeof(machine->cpu_name), name);
}

enum tp_status tp_machine_init(struct tp_machine *machine, const struct tp_cpu *cpu,
			       const char *topology, const char *model,
			       const uint64_t given_bytes[TP_CACHE_LEVELS], struct tp_diag *diag)
{
	*machine = (struct tp_machine){ .turbo = -1, .cpu = *cpu };
	for (int level = 1; given_bytes && level < TP_CACHE_LEVELS; level++)
		machine->cache[level].given_bytes = given_bytes[level];
	enum tp_status status = tp_topology_load(machine, topology, diag);
	if (status != TP_OK)
		goto out;
	if (machine->foreign) {
		machine->page_bytes = 4096;
		machine->huge_page_bytes = 2097152;
		machine->cpu.features[0] = '\0';
		machine->cpu.hypervisor[0] = '\0';
		machine->cpu.invariant_counter = false;
	} else {
		tp_environ_read(machine, "");
		tp_memory_read(machine, "");
	}
	status = tp_model_choose(machine, model, diag);
	if (status != TP_OK)
		goto out;
	if (!*machine->cpu.arch)
		tp_copy(machine->cpu.arch, sizeof(machine->cpu.arch),
			*machine->model.name ? machine->model.arch : cpu->arch);
	cache_settle(machine);
	name_cpu(machine);
out:
	if (status != TP_OK)
		tp_machine_release(machine);
	return status;
}

void tp_machine_release(struct tp_machine *machine)
{
	free(machine->pus);
	free(machine->nodes);
	*machine = (struct tp_machine){ .turbo = -1 };
}

/* Processes that use an instance of a cache, which holds the CPUs of a few of them. */
static unsigned sharers_of(const struct tp_machine *machine, const struct tp_cache *cache)
{
	size_t held = machine->n_allowed ? cache->sharing_pus / machine->n_allowed : 1;
	return (unsigned)TP_MAX((size_t)1, TP_MIN((size_t)machine->sharers, held));
}

uint64_t tp_machine_share(const struct tp_machine *machine, int level, size_t threads)
{
	if (level < 1 || level >= TP_CACHE_LEVELS)
		return 0;
	const struct tp_cache *cache = &machine->cache[level];
	size_t n = TP_MIN(threads, machine->n_allowed);
	const unsigned sharers = sharers_of(machine, cache);
	if (!cache->size_bytes || n <= 1)
		return cache->size_bytes / sharers;
	uint64_t share = cache->size_bytes / cache->sharing_pus;
	size_t *order = calloc(machine->n_allowed, sizeof(*order));
	unsigned *users = calloc(cache->instances, sizeof(*users));
	if (order && users) {
		unsigned most = 1;
		tp_place_compact(machine, order);
		for (size_t i = 0; i < n; i++) {
			unsigned instance = machine->pus[order[i]].cache[level];
			if (instance >= cache->instances)
				continue;
			users[instance]++;
			most = TP_MAX(most, users[instance]);
		}
		share = cache->size_bytes / most / sharers;
	}
	free(order);
	free(users);
	return share;
}

int tp_machine_last_level(const struct tp_machine *machine)
{
	for (int level = TP_CACHE_LEVELS - 1; level > 0; level--)
		if (machine->cache[level].size_bytes)
			return level;
	return 0;
}

uint64_t tp_machine_last_level_bytes(const struct tp_machine *machine)
{
	const struct tp_cache *cache = &machine->cache[tp_machine_last_level(machine)];
	return cache->size_bytes * cache->instances;
}
