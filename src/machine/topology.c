/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A machine as hwloc describes it. Three weaknesses of hwloc are handled elsewhere: the memory of
 * this host is read from /proc, damaged descriptions of other machines crash it, and a foreign
 * topology is marked so that nothing binds to it (hwloc's own binding calls would return success
 * there and bind nothing).
 */
#include <ctype.h>
#include <fcntl.h>
#include <hwloc.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"
#include "base/str.h"
#include "base/memory.h"
#include "machine/detect.h"
#include "machine/place.h"

/* More memory nodes than these: TP_USAGE. */
enum { NODES_MAX = 65536 };
#define SYNTHETIC "synthetic:" /* begins what is not a path */

static const hwloc_obj_type_t cache_type[TP_CACHE_LEVELS] = {
	[1] = HWLOC_OBJ_L1CACHE, [2] = HWLOC_OBJ_L2CACHE, [3] = HWLOC_OBJ_L3CACHE
};

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

/*
 * The node whose memory a hardware thread gets when it touches a page first. If a cpuset allows
 * none near it, the first allowed one is the guess.
 */
static unsigned node_of(hwloc_obj_t pu, hwloc_const_nodeset_t allowed)
{
	int near = pu->nodeset ? hwloc_bitmap_next(pu->nodeset, -1) : -1;
	for (int node = near; node >= 0; node = hwloc_bitmap_next(pu->nodeset, node))
		if (hwloc_bitmap_isset(allowed, (unsigned)node))
			return (unsigned)node;
	int first = hwloc_bitmap_first(allowed);
	return first >= 0 ? (unsigned)first : near >= 0 ? (unsigned)near : 0;
}

static enum tp_status read_pus(struct tp_machine *machine, hwloc_topology_t topology,
			       struct tp_diag *diag)
{
	int n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
	if (n <= 0 || n > TP_PUS_MAX)
		return tp_fail(diag, TP_USAGE, "topology", NULL, "%d hardware threads", n);
	machine->pus = tp_alloc((size_t)n, sizeof(*machine->pus));
	machine->n_pus = (size_t)n;

	hwloc_const_cpuset_t allowed = hwloc_topology_get_allowed_cpuset(topology);
	hwloc_const_nodeset_t nodes = hwloc_topology_get_allowed_nodeset(topology);
	/* The main thread's mask, not the caller's. */
	size_t bytes = 0;
	cpu_set_t *mask = machine->foreign ? NULL : tp_affinity_read(getpid(), &bytes);
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
		pu->numa = node_of(obj, nodes);
		pu->allowed = (!allowed || hwloc_bitmap_isset(allowed, obj->os_index)) &&
			      (!mask || CPU_ISSET_S(obj->os_index, bytes, mask));
		machine->n_allowed += pu->allowed;
		for (int level = 1; level < TP_CACHE_LEVELS; level++) {
			hwloc_obj_t cache = ancestor(obj, cache_type[level]);
			pu->cache[level] = cache ? cache->logical_index : 0;
		}
	}
	CPU_FREE(mask);
	machine->n_cores = cores;
	int packages = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE);
	machine->n_packages = packages > 0 ? (unsigned)packages : 1;
	if (!machine->n_allowed)
		return tp_fail(diag, TP_RESOURCE, "topology", NULL,
			       "no CPU is allowed for this process");
	/* A damaged description may list one hardware thread many times. */
	TP_FREE unsigned *numbers = tp_alloc(machine->n_pus, sizeof(*numbers));
	for (size_t i = 0; i < machine->n_pus; i++)
		numbers[i] = machine->pus[i].os_index;
	qsort(numbers, machine->n_pus, sizeof(*numbers), by_value);
	for (size_t i = 1; i < machine->n_pus; i++)
		if (numbers[i] == numbers[i - 1])
			return tp_fail(diag, TP_USAGE, machine->source,
				       "make the file again with lstopo --of xml",
				       "damaged: the hardware thread %u is there twice",
				       numbers[i]);
	return TP_OK;
}

/* The text comes from a file of unknown origin and goes to a terminal. */
static void copy_clean(char *out, size_t size, const char *text)
{
	tp_copy(out, size, text ? text : "");
	for (char *p = out; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = '?';
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
	if (n > NODES_MAX)
		return tp_fail(diag, TP_USAGE, "topology", NULL, "%d memory nodes", n);
	machine->nodes = tp_alloc(nodes, sizeof(*machine->nodes));
	machine->n_numa = (unsigned)nodes;
	hwloc_bitmap_t nearest = hwloc_bitmap_alloc();
	for (size_t k = 0; k < machine->n_pus; k++)
		hwloc_bitmap_set(nearest, machine->pus[k].numa);
	for (int i = 0; i < n; i++) {
		hwloc_obj_t obj = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, (unsigned)i);
		struct tp_numa_node *node = &machine->nodes[i];
		node->os_index = obj->os_index;
		int weight = hwloc_bitmap_weight(obj->cpuset);
		node->n_pus = weight > 0 ? (unsigned)weight : 0;
		if (memory_told)
			node->memory_bytes = obj->attr->numanode.local_memory;
		machine->memory_bytes += node->memory_bytes;
		const struct hwloc_numanode_attr_s *memory = &obj->attr->numanode;
		if (i == 0 && memory->page_types_len > 0)
			machine->page_bytes = memory->page_types[0].size;
		if (i == 0 && memory->page_types_len > 1)
			machine->huge_page_bytes = memory->page_types[1].size;
		copy_clean(node->kind, sizeof(node->kind), obj->subtype);
		node->apart = !hwloc_bitmap_isset(nearest, node->os_index);
		for (obj = obj->parent; obj && obj->type == HWLOC_OBJ_MEMCACHE; obj = obj->parent)
			node->cache_bytes += obj->attr->cache.size;
	}
	hwloc_bitmap_free(nearest);
	qsort(machine->nodes, nodes, sizeof(*machine->nodes), by_os_index);
	machine->available_bytes = machine->memory_bytes;
	return TP_OK;
}

/* The reported caches of a hardware thread. */
static void read_caches(hwloc_topology_t topology, const struct tp_pu *pu, struct tp_cache *caches)
{
	hwloc_obj_t thread = hwloc_get_pu_obj_by_os_index(topology, pu->os_index);
	for (int level = 1; level < TP_CACHE_LEVELS; level++) {
		struct tp_cache *cache = &caches[level];
		hwloc_obj_t obj = ancestor(thread, cache_type[level]);
		if (!obj)
			continue;
		cache->reported_bytes = obj->attr->cache.size;
		cache->line_bytes = obj->attr->cache.linesize;
		int ways = obj->attr->cache.associativity; /* -1: fully associative */
		cache->ways = ways > 0 ? (unsigned)ways : 0;
		cache->instances = (unsigned)hwloc_get_nbobjs_by_type(topology, cache_type[level]);
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
	copy_clean(out, size, obj ? hwloc_obj_get_info_by_name(obj, name) : NULL);
}

/* The kernel's name for the cores of a kind; "" if it has none. */
static void kind_name(const struct hwloc_info_s *infos, unsigned n, char *out, size_t size)
{
	char text[24];
	for (unsigned i = 0; i < n; i++) {
		copy_clean(text, sizeof(text), infos[i].value);
		if (strcmp(infos[i].name, "CoreType") == 0)
			tp_copy(out, size, text);
		else if (strcmp(infos[i].name, "LinuxCapacity") == 0 && !*out)
			snprintf(out, size, "capacity %.12s", text);
	}
}

/* Kinds that differ only in their highest clock do not count: any core may be a lucky one. */
static bool kinds_differ(const struct tp_machine *machine)
{
	for (size_t i = 1; i < machine->n_kinds; i++) {
		const struct tp_cpu_kind *a = &machine->kinds[0], *b = &machine->kinds[i];
		bool same = strcmp(a->name, b->name) == 0;
		for (int level = 1; level < TP_CACHE_LEVELS; level++)
			same &= a->cache[level].reported_bytes == b->cache[level].reported_bytes &&
				a->cache[level].sharing_cores == b->cache[level].sharing_cores;
		if (!same)
			return true;
	}
	return false;
}

static void read_kinds(struct tp_machine *machine, hwloc_topology_t topology)
{
#if HWLOC_API_VERSION >= 0x00020400
	int n = hwloc_cpukinds_get_nr(topology, 0);
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	for (int i = 0; i < n && n <= TP_CPU_KINDS; i++) {
		struct tp_cpu_kind *kind = &machine->kinds[i];
		struct hwloc_info_s *infos = NULL;
		unsigned n_infos = 0;
		hwloc_cpukinds_get_info(topology, (unsigned)i, cpus, NULL, &n_infos, &infos, 0);
		kind_name(infos, n_infos, kind->name, sizeof(kind->name));
		for (size_t k = 0; k < machine->n_pus; k++) {
			struct tp_pu *pu = &machine->pus[k];
			if (!hwloc_bitmap_isset(cpus, pu->os_index))
				continue;
			if (!kind->n_pus++)
				read_caches(topology, pu, kind->cache);
			kind->n_cores += pu->smt_rank == 0;
			pu->kind = (unsigned)i;
		}
		machine->n_kinds = (size_t)n;
	}
	hwloc_bitmap_free(cpus);
	if (kinds_differ(machine))
		return;
	for (size_t k = 0; k < machine->n_pus; k++)
		machine->pus[k].kind = 0;
	memset(machine->kinds, 0, sizeof(machine->kinds));
	machine->n_kinds = 0;
#endif
}

/*
 * Reads the CPU of a foreign description. Arm gives no vendor name, so its implementer code is
 * translated.
 */
static void read_foreign_cpu(struct tp_machine *machine, hwloc_topology_t topology)
{
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
	if (*tp_arm_vendor((unsigned)code))
		tp_copy(cpu->vendor, sizeof(cpu->vendor), tp_arm_vendor((unsigned)code));
	if (cpu->model < 0)
		cpu->model = info_number(told, "CPUPart");
}

static enum tp_status read_topology(struct tp_machine *machine, hwloc_topology_t topology,
				    struct tp_diag *diag)
{
	enum tp_status status = read_pus(machine, topology, diag);
	if (status != TP_OK)
		return status;
	/* hwloc invents 1 GiB for every synthetic node without a size. */
	bool synthetic = strncmp(machine->source, SYNTHETIC, strlen(SYNTHETIC)) == 0;
	bool memory_told = machine->foreign && (!synthetic || strstr(machine->source, "memory="));
	status = read_nodes(machine, topology, memory_told, diag);
	if (status != TP_OK)
		return status;
	const struct tp_pu *first = machine->pus;
	while (!first->allowed)
		first++;
	read_caches(topology, first, machine->cache);
	read_kinds(machine, topology);
	if (machine->foreign)
		read_foreign_cpu(machine, topology);
	return TP_OK;
}

/*
 * Descriptions of other machines. hwloc trusts XML files: a damaged one crashes it, or costs any
 * amount of time and memory. So a child process loads such a description, and hands the result over
 * in shared memory.
 */

enum { XML_MAX_BYTES = 1 << 25 };
/*
 * Limits of the child. hwloc 2.9 reads the XML of 2,048 hardware threads, as many as the largest
 * machines have, in 0.05 s and 20 MB, and that of 16,384 in 1 s and 170 MB. The time that passes is
 * also limited, for a child that waits or shares its CPU.
 */
enum { CHILD_CPU_SECONDS = 2, CHILD_BYTES = 384 << 20 };
#define CHILD_SECONDS 4.0
#define END_SECONDS   0.5

static const char topology_hint[] = "give synthetic:DESCRIPTION, such as \"synthetic:pack:2 "
				    "core:64 pu:2\", or a file that lstopo --of xml wrote";

/* What the child found. Pages that it does not write cost nothing. */
struct found {
	enum tp_status status;
	struct tp_diag diag;
	struct tp_machine machine; /* its pointers are the child's */
	struct tp_pu pus[TP_PUS_MAX];
	struct tp_numa_node nodes[NODES_MAX];
};

/* A description of another machine. */
struct foreign {
	const char *text; /* as the user gave it: synthetic:DESCRIPTION or a path */
	const char *description; /* synthetic, else NULL */
	char *xml; /* the content of the file, heap */
	size_t len;
	struct found *found;
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

static enum tp_status read_foreign(struct foreign *foreign, const char *text, struct tp_diag *diag)
{
	if (strncmp(text, SYNTHETIC, strlen(SYNTHETIC)) == 0) {
		foreign->description = text + strlen(SYNTHETIC);
		double pus = synthetic_pus(foreign->description);
		if (pus <= TP_PUS_MAX)
			return TP_OK;
		return tp_fail(diag, TP_USAGE, "topology", NULL,
			       "\"%s\" has %.3g hardware threads; at most %d are handled", text,
			       pus, TP_PUS_MAX);
	}
	enum tp_status status =
		tp_file_read(text, XML_MAX_BYTES, &foreign->xml, &foreign->len, diag);
	if (status != TP_OK && diag)
		tp_copy(diag->hint, sizeof(diag->hint), topology_hint);
	return status;
}

/*
 * CPUs that the description or the cgroup does not allow stay visible and are marked, to show the
 * whole machine. Memory-side caches are left out unless requested.
 */
static bool load_all(hwloc_topology_t topology)
{
	hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	hwloc_topology_set_type_filter(topology, HWLOC_OBJ_MEMCACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
	return hwloc_topology_load(topology) == 0;
}

/* False: hwloc refuses it. */
static bool load(hwloc_topology_t topology, const struct foreign *foreign)
{
	int given = foreign->description
			    ? hwloc_topology_set_synthetic(topology, foreign->description)
			    : hwloc_topology_set_xmlbuffer(topology, foreign->xml,
							   (int)foreign->len + 1);
	return given == 0 && load_all(topology);
}

static enum tp_status refuse(const struct foreign *foreign, struct tp_diag *diag)
{
	if (foreign->description)
		return tp_fail(diag, TP_USAGE, "topology", topology_hint,
			       "hwloc does not understand the synthetic description \"%s\"",
			       foreign->description);
	return tp_fail(diag, TP_USAGE, foreign->text, topology_hint,
		       "hwloc cannot load this topology: neither its XML nor a description");
}

static int read_in_child(int socket __attribute__((unused)), const void *context)
{
	const struct foreign *foreign = context;
	struct found *found = foreign->found;
	struct tp_machine *machine = &found->machine;
	hwloc_topology_t topology = NULL;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	tp_process_limit(CHILD_CPU_SECONDS, CHILD_BYTES);
	if (hwloc_topology_init(&topology) != 0 || !load(topology, foreign)) {
		found->status = refuse(foreign, &found->diag);
		return 0;
	}
	found->status = read_topology(machine, topology, &found->diag);
	if (found->status != TP_OK)
		return 0;
	memcpy(found->pus, machine->pus, machine->n_pus * sizeof(*machine->pus));
	memcpy(found->nodes, machine->nodes, machine->n_numa * sizeof(*machine->nodes));
	return 0;
}

/* The child came to a good end. */
static enum tp_status take(struct tp_machine *machine, const struct found *found,
			   struct tp_diag *diag)
{
	if (found->status != TP_OK) {
		if (diag)
			*diag = found->diag;
		return found->status;
	}
	*machine = found->machine;
	machine->pus = tp_alloc(machine->n_pus, sizeof(*machine->pus));
	machine->nodes = tp_alloc(machine->n_numa, sizeof(*machine->nodes));
	memcpy(machine->pus, found->pus, machine->n_pus * sizeof(*machine->pus));
	memcpy(machine->nodes, found->nodes, machine->n_numa * sizeof(*machine->nodes));
	return TP_OK;
}

static enum tp_status ask_child(struct tp_machine *machine, const struct foreign *foreign,
				struct tp_diag *diag)
{
	const struct tp_self_child self = { .where = "topology",
					    .name = "a child process",
					    .prepare = read_in_child,
					    .context = foreign };
	struct tp_process child;
	TP_STR how = { 0 };
	char *line;
	foreign->found->machine = *machine;
	enum tp_status status = tp_process_start(&child, &self, diag);
	if (status != TP_OK)
		return status;
	bool late = tp_process_line(&child, CHILD_SECONDS, &line, NULL) == TP_PROCESS_QUIET;
	struct tp_process_end end = tp_process_end(&child, late ? 0 : END_SECONDS);
	if (!end.signal && end.code == 0)
		return take(machine, foreign->found, diag);
	const char *where = foreign->description ? "topology" : foreign->text;
	if (late || end.signal == SIGXCPU)
		return tp_fail(diag, TP_USAGE, where, topology_hint,
			       "damaged or too large: hwloc did not come to an end with it in %d s",
			       CHILD_CPU_SECONDS);
	tp_process_end_text(end, &how);
	return tp_fail(diag, TP_USAGE, where, topology_hint,
		       "damaged: hwloc %.200s when it read this topology", tp_str_text(&how));
}

static enum tp_status load_foreign(struct tp_machine *machine, const char *text,
				   struct tp_diag *diag)
{
	struct foreign foreign = { .text = text };
	enum tp_status status = read_foreign(&foreign, text, diag);
	if (status != TP_OK)
		return status;
	foreign.found = mmap(NULL, sizeof(*foreign.found), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (foreign.found == MAP_FAILED) {
		status = tp_fail(diag, TP_NOMEM, "topology", NULL, "out of memory");
	} else {
		status = ask_child(machine, &foreign, diag);
		munmap(foreign.found, sizeof(*foreign.found));
	}
	free(foreign.xml);
	return status;
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
		return load_foreign(machine, text, diag);
	if (hwloc_topology_init(&topology) != 0)
		tp_out_of_memory();
	if (!load_all(topology)) {
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
	status = read_topology(machine, topology, diag);
out:
	hwloc_topology_destroy(topology);
	return status;
}
