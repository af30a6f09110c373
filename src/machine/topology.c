/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one place that talks to hwloc. Two things hwloc gets wrong are settled elsewhere: the memory
 * of this host is read from /proc (memory.c), and a foreign topology is marked so that nobody binds
 * to it (hwloc's own binding calls would return success there and bind nothing).
 */
#include "machine/detect.h"
#include "base/file.h"
#include "base/process.h"
#include "base/str.h"
#include "base/vec.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PUS_MAX = 65536, XML_MAX_BYTES = 1 << 25 };
/* What the child that tries a description may take, and its exit code for what hwloc refuses. */
enum { TRIAL_SECONDS = 10, TRIAL_BYTES = 1 << 29, TRIAL_REFUSED = 10 };
#define END_SECONDS 1.0

static const char synthetic_prefix[] = "synthetic:";
static const char topology_hint[] = "give synthetic:DESCRIPTION, such as \"synthetic:pack:2 "
				    "core:64 pu:2\", or a file that lstopo --of xml wrote";

static const hwloc_obj_type_t cache_type[TP_CACHE_LEVELS] = {
	[1] = HWLOC_OBJ_L1CACHE, [2] = HWLOC_OBJ_L2CACHE, [3] = HWLOC_OBJ_L3CACHE
};

/*
 * The number of hardware threads in a synthetic description ("pack:2 [numa] core:64(size=1) pu:2").
 * It is checked because hwloc would build any number of objects and exhaust the memory. Saturates.
 */
static double synthetic_pus(const char *text)
{
	double product = 1;
	int depth = 0;
	for (const char *p = text; *p; p++) {
		if (*p == '(' || *p == '[')
			depth++;
		else if ((*p == ')' || *p == ']') && depth)
			depth--;
		else if (!depth && isdigit((unsigned char)*p) &&
			 (p == text || p[-1] == ':' || p[-1] == ' ')) {
			char *end;
			product *= strtod(p, &end);
			p = end - 1;
		}
	}
	return product;
}

/* A description of another machine. */
struct foreign {
	const char *text; /* as the user gave it: synthetic:DESCRIPTION or a path */
	const char *description; /* synthetic, else NULL */
	char *xml; /* the content of the file, heap */
	size_t len;
};

static enum tp_status read_foreign(struct foreign *foreign, const char *text, struct tp_diag *diag)
{
	*foreign = (struct foreign){ .text = text };
	if (strncmp(text, synthetic_prefix, strlen(synthetic_prefix)) == 0) {
		foreign->description = text + strlen(synthetic_prefix);
		double pus = synthetic_pus(foreign->description);
		if (pus <= PUS_MAX)
			return TP_OK;
		return tp_fail(diag, TP_USAGE, "topology", NULL,
			       "\"%s\" has %.3g hardware threads; at most %d are handled", text,
			       pus, PUS_MAX);
	}
	enum tp_status status =
		tp_file_read(text, XML_MAX_BYTES, &foreign->xml, &foreign->len, diag);
	if (status != TP_OK && diag)
		tp_copy(diag->hint, sizeof(diag->hint), topology_hint);
	return status;
}

/* False: hwloc refuses it. */
static bool load(hwloc_topology_t topology, const struct foreign *foreign)
{
	int given = !foreign ? 0
		    : foreign->description
			    ? hwloc_topology_set_synthetic(topology, foreign->description)
			    : hwloc_topology_set_xmlbuffer(topology, foreign->xml,
							   (int)foreign->len + 1);
	/*
	 * CPUs outside our cgroup stay visible and are marked as not allowed, to show the whole
	 * machine.
	 */
	hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	return given == 0 && hwloc_topology_load(topology) == 0;
}

static enum tp_status refuse(const struct foreign *foreign, struct tp_diag *diag)
{
	if (!foreign)
		return tp_fail(diag, TP_FAILED, "topology", NULL,
			       "hwloc cannot load this topology");
	if (foreign->description)
		return tp_fail(diag, TP_USAGE, "topology", topology_hint,
			       "hwloc does not understand the synthetic description \"%s\"",
			       foreign->description);
	return tp_fail(diag, TP_USAGE, foreign->text, topology_hint,
		       "hwloc cannot load this topology: neither its XML nor a description");
}

/*
 * CPUs in this process's affinity mask; NULL when it cannot be read. The main thread's mask, not
 * the caller's.
 */
static hwloc_bitmap_t process_mask(void)
{
	for (size_t cpus = 1024; cpus <= (size_t)PUS_MAX * 4; cpus *= 2) {
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

static enum tp_status read_pus(struct tp_machine *machine, hwloc_topology_t topology,
			       struct tp_diag *diag)
{
	int n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
	if (n <= 0 || n > PUS_MAX)
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
	return TP_OK;
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

static enum tp_status read_loaded(struct tp_machine *machine, hwloc_topology_t topology,
				  struct tp_diag *diag)
{
	enum tp_status status = read_pus(machine, topology, diag);
	if (status != TP_OK)
		return status;
	/* hwloc invents 1 GiB for every synthetic node without a size. */
	bool synthetic = strncmp(machine->source, synthetic_prefix, strlen(synthetic_prefix)) == 0;
	bool memory_told = machine->foreign && (!synthetic || strstr(machine->source, "memory="));
	status = read_nodes(machine, topology, memory_told, diag);
	if (status != TP_OK)
		return status;
	read_caches(machine, topology);
	if (machine->foreign)
		read_foreign_cpu(machine, topology);
	return TP_OK;
}

/* --- a trial in a child process --- */

static void limit_child(void)
{
	const struct rlimit none = { 0, 0 }, seconds = { TRIAL_SECONDS, TRIAL_SECONDS };
	unsigned long pages = 0;
	FILE *own = fopen("/proc/self/statm", "re");
	/* What the child has inherited counts too. */
	if (own && fscanf(own, "%lu", &pages) == 1) {
		rlim_t bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + TRIAL_BYTES;
		setrlimit(RLIMIT_AS, &(struct rlimit){ bytes, bytes });
	}
	if (own)
		fclose(own);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_CPU, &seconds);
}

/* Does with the description all that this process is about to do with it. */
static int try_foreign(int socket, const void *context)
{
	struct tp_machine machine = { .foreign = true };
	hwloc_topology_t topology = NULL;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	(void)socket;
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	limit_child();
	if (hwloc_topology_init(&topology) != 0 || !load(topology, context))
		return TRIAL_REFUSED;
	read_loaded(&machine, topology, NULL);
	hwloc_topology_destroy(topology);
	return 0;
}

/*
 * hwloc believes what an XML file says: a damaged one crashes it, or costs any amount of memory. So
 * a child process tries first.
 */
static enum tp_status survives(const struct foreign *foreign, struct tp_diag *diag)
{
	const struct tp_self_child self = { .where = "topology",
					    .name = "a child process",
					    .prepare = try_foreign,
					    .context = foreign };
	struct tp_process child;
	struct tp_str how = { 0 };
	char *line;
	enum tp_status status = tp_process_start(&child, &self, diag);
	if (status != TP_OK)
		return status;
	bool late = tp_process_line(&child, TRIAL_SECONDS, &line, NULL) == TP_PROCESS_QUIET;
	struct tp_process_end end = tp_process_end(&child, late ? 0 : END_SECONDS);
	if (!end.signal && end.code == 0)
		return TP_OK;
	if (!end.signal && end.code == TRIAL_REFUSED)
		return refuse(foreign, diag);
	const char *where = foreign->description ? "topology" : foreign->text;
	if (late || end.signal == SIGXCPU)
		return tp_fail(diag, TP_USAGE, where, topology_hint,
			       "damaged or too large: hwloc did not come to an end with it in %d s",
			       TRIAL_SECONDS);
	tp_process_end_text(end, &how);
	status = tp_fail(diag, TP_USAGE, where, topology_hint,
			 "damaged: hwloc %.200s when it read this topology", tp_str_text(&how));
	tp_str_release(&how);
	return status;
}

enum tp_status tp_topology_load(struct tp_machine *machine, const char *text, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	hwloc_topology_t topology = NULL;
	struct foreign foreign = { 0 };
	machine->foreign = text && *text;
	if (!tp_copy(machine->source, sizeof(machine->source),
		     machine->foreign ? text : "this machine"))
		return tp_fail(diag, TP_USAGE, "topology", NULL, "path or description too long");
	if (machine->foreign)
		status = read_foreign(&foreign, text, diag);
	if (machine->foreign && status == TP_OK)
		status = survives(&foreign, diag);
	if (status != TP_OK)
		goto out;
	if (hwloc_topology_init(&topology) != 0) {
		status = tp_fail(diag, TP_NOMEM, "topology", NULL, "hwloc cannot start");
		goto out;
	}
	if (!load(topology, machine->foreign ? &foreign : NULL)) {
		status = refuse(machine->foreign ? &foreign : NULL, diag);
		goto out;
	}
	/*
	 * With HWLOC_XMLFILE or HWLOC_SYNTHETIC in the environment, hwloc describes another
	 * machine.
	 */
	if (!machine->foreign && !hwloc_topology_is_thissystem(topology)) {
		machine->foreign = true;
		tp_copy(machine->source, sizeof(machine->source),
			"a topology named by hwloc's environment variables");
	}
	status = read_loaded(machine, topology, diag);
out:
	if (topology)
		hwloc_topology_destroy(topology);
	free(foreign.xml);
	return status;
}
