/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Combines topology, environment and model into one description, and answers questions about its
 * caches.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/str.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/text.h"
#include "machine/detect.h"

/*
 * Lays a cache that is not reported (many arm and RISC-V boards, synthetic descriptions) over the
 * cores as the model describes.
 */
static void invent_cache(struct tp_machine *machine, int level)
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

/* Effective capacities; unreported ones come from the model. */
static void settle_caches(struct tp_machine *machine)
{
	for (int level = 1; level < TP_CACHE_LEVELS; level++) {
		struct tp_cache *cache = &machine->cache[level];
		cache->model_bytes = machine->model.cache_bytes[level];
		cache->size_bytes = cache->given_bytes	    ? cache->given_bytes
				    : cache->reported_bytes ? cache->reported_bytes
							    : cache->model_bytes;
		if (!cache->line_bytes)
			cache->line_bytes = 64;
		if (!cache->instances && cache->size_bytes)
			invent_cache(machine, level);
		cache->sharing_cores = TP_MAX(cache->sharing_cores, 1u);
		cache->sharing_pus = TP_MAX(cache->sharing_pus, 1u);
		/* A kind of cores may lack a level that others have. */
		for (size_t i = 0; i < machine->n_kinds; i++) {
			struct tp_cache *own = &machine->kinds[i].cache[level];
			if (own->reported_bytes)
				own->size_bytes = cache->given_bytes ? cache->given_bytes
								     : own->reported_bytes;
			else if (!cache->reported_bytes)
				*own = *cache;
		}
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
		machine->page_bytes = machine->page_bytes ? machine->page_bytes : 4096;
		if (!machine->huge_page_bytes)
			machine->huge_page_bytes = 2097152;
		machine->cpu.features[0] = '\0';
		machine->cpu.hypervisor[0] = '\0';
		machine->cpu.invariant_counter = false;
	} else {
		tp_environ_read(machine, "");
		tp_memory_read(machine, "");
	}
	status = tp_model_choose(machine, model, diag);
	if (status == TP_OK && *machine->model.name && *machine->cpu.arch &&
	    strcmp(machine->model.arch, machine->cpu.arch) != 0)
		status = tp_fail(diag, TP_USAGE, "machine",
				 "--simulate tries the model's own reference system; --list "
				 "machines shows all models",
				 "%s is a model of %s, and %s is of %s", machine->model.name,
				 machine->model.arch, machine->source, machine->cpu.arch);
	if (status != TP_OK)
		goto out;
	if (!*machine->cpu.arch && *machine->model.name)
		tp_copy(machine->cpu.arch, sizeof(machine->cpu.arch), machine->model.arch);
	/* A shape without more is one with cores like these. */
	if (!*machine->cpu.arch) {
		tp_copy(machine->cpu.arch, sizeof(machine->cpu.arch), cpu->arch);
		tp_copy(machine->cpu.features, sizeof(machine->cpu.features), cpu->features);
	}
	settle_caches(machine);
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
	TP_FREE size_t *order = tp_alloc(machine->n_allowed, sizeof(*order));
	TP_FREE unsigned *users = tp_alloc(cache->instances, sizeof(*users));
	unsigned most = 1;
	tp_place_compact(machine, order);
	for (size_t i = 0; i < n; i++) {
		unsigned instance = machine->pus[order[i]].cache[level];
		if (instance >= cache->instances)
			continue;
		users[instance]++;
		most = TP_MAX(most, users[instance]);
	}
	return cache->size_bytes / most / sharers;
}

uint64_t tp_machine_side_cache(const struct tp_machine *machine)
{
	for (unsigned i = 0; i < machine->n_numa; i++)
		if (!machine->nodes[i].apart && machine->nodes[i].cache_bytes)
			return machine->nodes[i].cache_bytes;
	return 0;
}

bool tp_machine_flushes(const struct tp_machine *machine)
{
	static const char word[] = "clflushopt";
	bool lacks = false;
	/* Lines flushed from the cores' caches go to the memory-side cache. */
	if (tp_machine_side_cache(machine))
		return false;
	/*
	 * clflush waits for the one before, which takes fifty times as long as clflushopt. On
	 * riscv64 the kernel keeps these instructions (Zicbom) for itself.
	 */
	if (strcmp(machine->cpu.arch, "x86_64") != 0)
		return strcmp(machine->cpu.arch, "aarch64") == 0;
	for (size_t i = 0; i < machine->model.lacks.n; i++)
		lacks |= strcmp(machine->model.lacks.at[i], word) == 0;
	return machine->foreign ? !lacks : tp_has_word(machine->cpu.features, word);
}

static void kind_words(const struct tp_cpu_kind *kind, size_t i, struct tp_str *out)
{
	static const char *const names[] = { "", "L1d", "L2", "L3" };
	char text[32];
	tp_str_printf(out, "kind:%zu%s%s, %u core%s", i, *kind->name ? " " : "", kind->name,
		      kind->n_cores, kind->n_cores == 1 ? "" : "s");
	if (kind->n_pus != kind->n_cores)
		tp_str_printf(out, " of %u hardware threads", kind->n_pus);
	for (int level = 1; level < TP_CACHE_LEVELS; level++) {
		const struct tp_cache *cache = &kind->cache[level];
		if (!cache->size_bytes)
			continue;
		tp_str_printf(out, ", %s %s", names[level],
			      tp_format_bytes(text, sizeof(text), cache->size_bytes));
		if (cache->sharing_cores > 1)
			tp_str_printf(out, " shared by %u cores", cache->sharing_cores);
	}
}

static void node_words(const struct tp_numa_node *node, struct tp_str *out)
{
	char bytes[32];
	tp_str_printf(out, "node %u%s%s", node->os_index, *node->kind ? " " : "", node->kind);
	if (node->memory_bytes)
		tp_str_printf(out, " %s",
			      tp_format_bytes(bytes, sizeof(bytes), node->memory_bytes));
	tp_str_add(out, node->apart ? ", no CPUs" : "");
	if (node->cache_bytes)
		tp_str_printf(out, ", behind a cache of %s",
			      tp_format_bytes(bytes, sizeof(bytes), node->cache_bytes));
}

bool tp_machine_part(const struct tp_machine *machine, size_t i, struct tp_str *out)
{
	bool told = false;
	for (unsigned k = 0; k < machine->n_numa; k++)
		told |= tp_machine_node_is_special(&machine->nodes[k]);
	if (i < machine->n_kinds)
		kind_words(&machine->kinds[i], i, out);
	else if (told && i - machine->n_kinds < machine->n_numa)
		node_words(&machine->nodes[i - machine->n_kinds], out);
	else
		return false;
	return true;
}

double tp_machine_room_bytes(const struct tp_machine *machine, double share)
{
	return machine->foreign && !machine->memory_bytes
		       ? INFINITY
		       : share * (double)machine->available_bytes;
}

double tp_machine_likely_share(const struct tp_machine *machine, int level, size_t threads)
{
	static const double usual[] = { 0, 64 << 10, 2 << 20, 32 << 20 };
	double share = (double)tp_machine_share(machine, level, threads);

	if (share > 0 || level < 1 || level > 3)
		return share;
	share = level == 3 ? usual[3] / (double)TP_MAX(threads, 1u) : usual[level];
	for (int above = 3; above > level; above--) {
		double known = (double)tp_machine_share(machine, above, threads);
		share = known > 0 ? fmin(share, known / 4) : share;
	}
	return level > 1 ? fmax(share, tp_machine_likely_share(machine, level - 1, threads))
			 : share;
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

/* --- machines that are not here: the reference system of a model, and simulations --- */

enum tp_status tp_machine_reference(struct tp_machine *machine, const struct tp_cpu *cpu,
				    const char *model, const uint64_t given_bytes[TP_CACHE_LEVELS],
				    struct tp_diag *diag)
{
	char topology[96];
	*machine = (struct tp_machine){ .turbo = -1 };
	enum tp_status status = tp_model_choose(machine, model, diag);
	if (status != TP_OK)
		return status;
	/* The caches follow from the model (settle_caches). */
	snprintf(topology, sizeof(topology), "synthetic:pack:%u [numa] core:%u pu:%u",
		 TP_MAX(machine->model.sockets, 1u), TP_MAX(machine->model.cores_per_socket, 1u),
		 TP_MAX(machine->model.threads_per_core, 1u));
	status = tp_machine_init(machine, cpu, topology, model, given_bytes, diag);
	if (status == TP_OK)
		snprintf(machine->source, sizeof(machine->source), "the reference system of %s",
			 machine->model.name);
	return status;
}

void tp_machine_simulate(struct tp_machine *machine, const char *regime)
{
	tp_copy(machine->simulated, sizeof(machine->simulated), regime);
	if (machine->foreign)
		return;
	/* After this, nothing may be bound to this host, or count as a fact about it. */
	machine->foreign = true;
	tp_copy(machine->source, sizeof(machine->source), "a simulation of this machine");
	machine->hostname[0] = machine->kernel[0] = machine->container[0] = '\0';
	machine->governor[0] = machine->thp[0] = machine->cpu.hypervisor[0] = '\0';
	machine->turbo = -1;
}

/* --- a process that measures one socket or NUMA node keeps to its CPUs and its memory --- */

enum {
	POLICY_BIND = 2, /* MPOL_BIND of the kernel, and its maximal number of memory nodes */
	MEMORY_NODES_MAX = 1024,
	WORD_BITS = 8 * sizeof(unsigned long)
};

static const struct {
	const char *word, *one, *many;
} kinds[] = { [TP_DOMAIN_SOCKET] = { "socket", "socket", "sockets" },
	      [TP_DOMAIN_NUMA] = { "numa", "NUMA node with CPUs", "NUMA nodes with CPUs" } };

const char *tp_domain_word(enum tp_domain_kind kind)
{
	return kinds[kind].word;
}

bool tp_domain_parse(const char *text, struct tp_domain *part)
{
	for (size_t i = 0; i < TP_COUNT_OF(kinds); i++) {
		size_t len = strlen(kinds[i].word);
		int end = -1;
		part->kind = (enum tp_domain_kind)i;
		if (strncmp(text, kinds[i].word, len) == 0 && text[len] == ':' &&
		    strspn(text + len + 1, "0123456789/") == strlen(text + len + 1) &&
		    sscanf(text + len, ":%4u/%4u%n", &part->index, &part->of, &end) == 2 &&
		    end > 0 && !text[len + (size_t)end])
			return part->of >= 1 && part->of <= TP_DOMAINS_MAX &&
			       part->index < part->of;
	}
	return false;
}

static unsigned key_of(const struct tp_pu *pu, enum tp_domain_kind kind)
{
	return kind == TP_DOMAIN_SOCKET ? pu->package : pu->numa;
}

/* The numbers of the parts that have CPUs, in order. */
static size_t list_parts(const struct tp_machine *machine, enum tp_domain_kind kind,
			 unsigned keys[TP_DOMAINS_MAX])
{
	size_t n = 0;
	for (size_t i = 0; i < machine->n_pus; i++) {
		unsigned key = key_of(&machine->pus[i], kind);
		size_t at = n;
		while (at > 0 && keys[at - 1] > key)
			at--;
		if ((at > 0 && keys[at - 1] == key) || n == TP_DOMAINS_MAX)
			continue;
		memmove(keys + at + 1, keys + at, (n - at) * sizeof(*keys));
		keys[at] = key;
		n++;
	}
	return n;
}

enum tp_status tp_machine_domain(const struct tp_machine *machine, const struct tp_domain *part,
				 const struct tp_pu **pus, size_t *n, struct tp_diag *diag)
{
	unsigned keys[TP_DOMAINS_MAX];
	size_t n_parts = list_parts(machine, part->kind, keys);
	*n = 0;
	if (n_parts != part->of)
		return tp_fail(diag, TP_USAGE, "--bind", "give the number that it has",
			       "this machine has %zu %s, not %u", n_parts,
			       n_parts == 1 ? kinds[part->kind].one : kinds[part->kind].many,
			       part->of);
	for (size_t i = 0; i < machine->n_pus; i++)
		if (machine->pus[i].allowed &&
		    key_of(&machine->pus[i], part->kind) == keys[part->index])
			pus[(*n)++] = &machine->pus[i];
	return *n ? TP_OK
		  : tp_fail(diag, TP_RESOURCE, "--bind",
			    "see the cpuset and the cgroup that the process was given",
			    "%s %u has no CPU that this process may use", kinds[part->kind].word,
			    part->index);
}

/* Children and threads get the policy, too. With one node there is no choice. */
static enum tp_status keep_to_memory(const struct tp_machine *machine,
				     const struct tp_pu *const *pus, size_t n, struct tp_diag *diag)
{
	unsigned long mask[MEMORY_NODES_MAX / WORD_BITS] = { 0 };
	const unsigned bits = sizeof(mask) * 8;
	if (machine->n_numa < 2)
		return TP_OK;
	for (size_t i = 0; i < n; i++)
		if (pus[i]->numa < bits)
			mask[pus[i]->numa / WORD_BITS] |= 1ul << pus[i]->numa % WORD_BITS;
	if (syscall(SYS_set_mempolicy, POLICY_BIND, mask, (unsigned long)bits) == 0)
		return TP_OK;
	return tp_fail(diag, errno == EPERM ? TP_PERM : TP_RESOURCE, "--bind",
		       "see the memory nodes of the cpuset (Mems_allowed_list in "
		       "/proc/self/status)",
		       "cannot keep to the memory of these CPUs: %s", strerror(errno));
}

enum tp_status tp_machine_keep_to(const struct tp_domain *part, struct tp_diag *diag)
{
	TP_CLEANUP(tp_machine_release) struct tp_machine machine = { .turbo = -1 };
	size_t n = 0;
	enum tp_status status = tp_topology_load(&machine, NULL, diag);
	if (status != TP_OK)
		return status;
	if (machine.foreign)
		return tp_fail(diag, TP_USAGE, "--bind", NULL, "%s is another machine",
			       machine.source);
	TP_FREE const struct tp_pu **pus = tp_alloc(machine.n_pus + 1, sizeof(*pus));
	status = tp_machine_domain(&machine, part, pus, &n, diag);
	if (status == TP_OK) {
		TP_FREE unsigned *cpus = tp_alloc(n, sizeof(*cpus));
		for (size_t i = 0; i < n; i++)
			cpus[i] = pus[i]->os_index;
		if (!tp_process_bind(0, cpus, (unsigned)n))
			status = tp_fail(diag, TP_RESOURCE, "--bind", NULL,
					 "cannot keep to %zu CPUs: %s", n, strerror(errno));
	}
	return status == TP_OK ? keep_to_memory(&machine, pus, n, diag) : status;
}
