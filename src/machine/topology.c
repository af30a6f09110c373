/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What hwloc says of a machine. Three things that hwloc gets wrong are settled elsewhere: the
 * memory of this host is read from /proc (memory.c), damaged descriptions of other machines crash
 * it (foreign.c), and a foreign topology is marked so that nobody binds to it (hwloc's own binding
 * calls would return success there and bind nothing).
 */
#include "machine/detect.h"
#include "base/text.h"
#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <hwloc.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const hwloc_obj_type_t cache_type[TP_CACHE_LEVELS] = {
	[1] = HWLOC_OBJ_L1CACHE, [2] = HWLOC_OBJ_L2CACHE, [3] = HWLOC_OBJ_L3CACHE
};

/*
 * CPUs in this process's affinity mask; NULL when it cannot be read. The main thread's mask, not
 * the caller's.
 */
static hwloc_bitmap_t process_mask(void)
{
	for (size_t cpus = 1024; cpus <= (size_t)TP_PUS_MAX * 4; cpus *= 2) {
		cpu_set_t *set = CPU_ALLOC(cpus);
		if (!set)
			return NULL;
		size_t bytes = CPU_ALLOC_SIZE(cpus);
		if (sched_getaffinity(getpid(), bytes, set) == 0) {
			hwloc_bitmap_t mask = hwloc_bitmap_alloc();
			for (size_t i = 0; mask && i < cpus; i++)
				if (CPU_ISSET_S(i, bytes, set))
					hwloc_bitmap_set(mask, (unsigned)i);
			CPU_FREE(set);
			return mask;
		}
		CPU_FREE(set);
		if (errno != EINVAL)
			return NULL;
	}
	return NULL;
}

/* Index of the cache instance of `level` above `pu`, or 0 when that level does not exist. */
static unsigned cache_instance(hwloc_obj_t pu, hwloc_obj_type_t type)
{
	for (hwloc_obj_t obj = pu; obj; obj = obj->parent)
		if (obj->type == type)
			return obj->logical_index;
	return 0;
}

static hwloc_obj_t ancestor(hwloc_obj_t obj, hwloc_obj_type_t type)
{
	while (obj && obj->type != type)
		obj = obj->parent;
	return obj;
}

static int by_value(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	return (x > y) - (x < y);
}

/* A damaged description may tell of one hardware thread many times. */
static enum tp_status check_numbers(const struct tp_machine *machine, struct tp_diag *diag)
{
	unsigned *numbers = malloc(machine->n_pus * sizeof(*numbers));
	enum tp_status status = TP_OK;
	if (!numbers)
		return tp_fail(diag, TP_NOMEM, "topology", NULL, "out of memory");
	for (size_t i = 0; i < machine->n_pus; i++)
		numbers[i] = machine->pus[i].os_index;
	qsort(numbers, machine->n_pus, sizeof(*numbers), by_value);
	for (size_t i = 1; i < machine->n_pus && status == TP_OK; i++)
		if (numbers[i] == numbers[i - 1])
			status = tp_fail(diag, TP_USAGE, machine->source,
					 "make the file anew with lstopo --of xml",
					 "damaged: the hardware thread %u is there twice",
					 numbers[i]);
	free(numbers);
	return status;
}

static enum tp_status read_pus(struct tp_machine *machine, hwloc_topology_t topology,
			       struct tp_diag *diag)
{
	int n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
	if (n <= 0 || n > TP_PUS_MAX)
		return tp_fail(diag, TP_USAGE, "topology", NULL, "%d hardware threads", n);
	machine->pus = calloc((size_t)n, sizeof(*machine->pus));
	if (!machine->pus)
		return tp_fail(diag, TP_NOMEM, "topology", NULL, "out of memory");
	machine->n_pus = (size_t)n;

	hwloc_const_cpuset_t allowed = hwloc_topology_get_allowed_cpuset(topology);
	hwloc_bitmap_t mask = machine->foreign ? NULL : process_mask();
	hwloc_obj_t last_core = NULL;
	unsigned cores = 0, rank = 0;
	for (int i = 0; i < n; i++) {
		hwloc_obj_t obj = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, (unsigned)i);
		hwloc_obj_t core = ancestor(obj, HWLOC_OBJ_CORE);
		hwloc_obj_t package = ancestor(obj, HWLOC_OBJ_PACKAGE);
		/* Some machines report no cores; then every hardware thread counts as one. */
		bool same = core && core == last_core;
		rank = same ? rank + 1 : 0;
		cores += !same;
		last_core = core;
		struct tp_pu *pu = &machine->pus[i];
		pu->os_index = obj->os_index;
		pu->core = cores - 1;
		pu->smt_rank = rank;
		pu->package = package ? package->logical_index : 0;
		int node = obj->nodeset ? hwloc_bitmap_first(obj->nodeset) : -1;
		pu->numa = node >= 0 ? (unsigned)node : 0;
		pu->allowed = (!allowed || hwloc_bitmap_isset(allowed, obj->os_index)) &&
			      (!mask || hwloc_bitmap_isset(mask, obj->os_index));
		machine->n_allowed += pu->allowed;
		for (int level = 1; level < TP_CACHE_LEVELS; level++)
			pu->cache[level] = cache_instance(obj, cache_type[level]);
	}
	hwloc_bitmap_free(mask);
	machine->n_cores = cores;
	int packages = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE);
	machine->n_packages = packages > 0 ? (unsigned)packages : 1;
	if (!machine->n_allowed)
		return tp_fail(diag, TP_RESOURCE, "topology", NULL,
			       "no CPU is allowed for this process");
	return check_numbers(machine, diag);
}

static int by_os_index(const void *a, const void *b)
{
	unsigned x = ((const struct tp_numa_node *)a)->os_index;
	unsigned y = ((const struct tp_numa_node *)b)->os_index;
	return (x > y) - (x < y);
}

static enum tp_status read_nodes(struct tp_machine *machine, hwloc_topology_t topology,
				 bool memory_told, struct tp_diag *diag)
{
	int n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
	size_t nodes = n > 0 ? (size_t)n : 1;
	if (n > TP_NODES_MAX)
		return tp_fail(diag, TP_USAGE, "topology", NULL, "%d memory nodes", n);
	machine->nodes = calloc(nodes, sizeof(*machine->nodes));
	if (!machine->nodes)
		return tp_fail(diag, TP_NOMEM, "topology", NULL, "out of memory");
	machine->n_numa = (unsigned)nodes;
	for (int i = 0; i < n; i++) {
		hwloc_obj_t obj = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, (unsigned)i);
		struct tp_numa_node *node = &machine->nodes[i];
		node->os_index = obj->os_index;
		int weight = hwloc_bitmap_weight(obj->cpuset);
		node->n_pus = weight > 0 ? (unsigned)weight : 0;
		if (memory_told)
			node->memory_bytes = obj->attr->numanode.local_memory;
		machine->memory_bytes += node->memory_bytes;
	}
	qsort(machine->nodes, nodes, sizeof(*machine->nodes), by_os_index);
	machine->available_bytes = machine->memory_bytes;
	return TP_OK;
}

static void read_caches(struct tp_machine *machine, hwloc_topology_t topology)
{
	const struct tp_pu *first = machine->pus;
	while (!first->allowed)
		first++;
	for (int level = 1; level < TP_CACHE_LEVELS; level++) {
		struct tp_cache *cache = &machine->cache[level];
		int n = hwloc_get_nbobjs_by_type(topology, cache_type[level]);
		if (n <= 0)
			continue;
		/*
		 * Hybrid CPUs have different cores: describe the cache that the first allowed CPU
		 * uses.
		 */
		hwloc_obj_t obj =
			hwloc_get_obj_by_type(topology, cache_type[level], first->cache[level]);
		if (!obj)
			continue;
		cache->reported_bytes = obj->attr->cache.size;
		cache->line_bytes = obj->attr->cache.linesize;
		int ways = obj->attr->cache.associativity; /* -1: fully associative */
		cache->ways = ways > 0 ? (unsigned)ways : 0;
		cache->instances = (unsigned)n;
		int pus = hwloc_bitmap_weight(obj->cpuset);
		int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, obj->cpuset,
								   HWLOC_OBJ_CORE);
		cache->sharing_pus = pus > 0 ? (unsigned)pus : 1;
		cache->sharing_cores = cores > 0 ? (unsigned)cores : cache->sharing_pus;
		if (cores <= 0 && hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0)
			cache->sharing_cores = 1; /* the cache of a part of a core */
	}
}

static int info_number(hwloc_obj_t obj, const char *name)
{
	const char *text = obj ? hwloc_obj_get_info_by_name(obj, name) : NULL;
	if (!text)
		return -1;
	char *end;
	long value = strtol(text, &end, 0);
	return *text && !*end && value >= 0 && value < 1 << 30 ? (int)value : -1;
}

static void info_text(hwloc_obj_t obj, const char *name, char *out, size_t size)
{
	const char *text = obj ? hwloc_obj_get_info_by_name(obj, name) : NULL;
	tp_copy(out, size, text ? text : "");
	/* the text comes from a file of unknown origin and goes to a terminal */
	for (char *p = out; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = '?';
}

/*
 * Reads the CPU of a foreign description. Arm gives no vendor name, so its implementer code is
 * translated.
 */
static void read_foreign_cpu(struct tp_machine *machine, hwloc_topology_t topology)
{
	static const struct {
		int code;
		const char *vendor;
	} implementer[] = { { 0x41, "ARM" },	 { 0x42, "Broadcom" },	{ 0x43, "Cavium" },
			    { 0x46, "Fujitsu" }, { 0x48, "HiSilicon" }, { 0x4e, "NVIDIA" },
			    { 0xc0, "Ampere" } };
	struct tp_cpu *cpu = &machine->cpu;
	hwloc_obj_t root = hwloc_get_root_obj(topology);
	hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
	hwloc_obj_t told = package && package->infos_count ? package : root;
	info_text(root, "Architecture", cpu->arch, sizeof(cpu->arch));
	info_text(root, "HostName", machine->hostname, sizeof(machine->hostname));
	info_text(told, "CPUVendor", cpu->vendor, sizeof(cpu->vendor));
	info_text(told, "CPUModel", cpu->brand, sizeof(cpu->brand));
	cpu->family = info_number(told, "CPUFamilyNumber");
	cpu->model = info_number(told, "CPUModelNumber");
	cpu->stepping = info_number(told, "CPUStepping");
	int code = info_number(told, "CPUImplementer");
	for (size_t i = 0; i < TP_COUNT_OF(implementer); i++)
		if (code == implementer[i].code)
			tp_copy(cpu->vendor, sizeof(cpu->vendor), implementer[i].vendor);
	if (cpu->model < 0)
		cpu->model = info_number(told, "CPUPart");
}

enum tp_status tp_topology_read(struct tp_machine *machine, hwloc_topology_t topology,
				struct tp_diag *diag)
{
	enum tp_status status = read_pus(machine, topology, diag);
	if (status != TP_OK)
		return status;
	/* hwloc invents 1 GiB for every synthetic node without a size. */
	bool synthetic = strncmp(machine->source, TP_SYNTHETIC, strlen(TP_SYNTHETIC)) == 0;
	bool memory_told = machine->foreign && (!synthetic || strstr(machine->source, "memory="));
	status = read_nodes(machine, topology, memory_told, diag);
	if (status != TP_OK)
		return status;
	read_caches(machine, topology);
	if (machine->foreign)
		read_foreign_cpu(machine, topology);
	return TP_OK;
}

enum tp_status tp_topology_load(struct tp_machine *machine, const char *text, struct tp_diag *diag)
{
	hwloc_topology_t topology = NULL;
	enum tp_status status;
	machine->foreign = text && *text;
	if (!tp_copy(machine->source, sizeof(machine->source),
		     machine->foreign ? text : "this machine"))
		return tp_fail(diag, TP_USAGE, "topology", NULL, "path or description too long");
	if (machine->foreign)
		return tp_topology_foreign(machine, text, diag);
	if (hwloc_topology_init(&topology) != 0)
		return tp_fail(diag, TP_NOMEM, "topology", NULL, "hwloc cannot start");
	/*
	 * CPUs outside our cgroup stay visible and are marked as not allowed, to show the whole
	 * machine.
	 */
	hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	if (hwloc_topology_load(topology) != 0) {
		status = tp_fail(diag, TP_FAILED, "topology", NULL,
				 "hwloc cannot load this topology");
		goto out;
	}
	/*
	 * With HWLOC_XMLFILE or HWLOC_SYNTHETIC in the environment, hwloc describes another
	 * machine.
	 */
	if (!hwloc_topology_is_thissystem(topology)) {
		machine->foreign = true;
		tp_copy(machine->source, sizeof(machine->source),
			"a topology named by hwloc's environment variables");
	}
	status = tp_topology_read(machine, topology, diag);
out:
	hwloc_topology_destroy(topology);
	return status;
}
