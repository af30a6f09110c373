/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the CPUs of a team's threads, pins threads to CPUs, and moves others off them. */
#include "machine/place.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/text.h"
#include "machine/detect.h"

/*
 * SMT rank among the allowed CPUs of the core of PU `index`: a cpuset may hold only the second
 * hardware thread. `before`: the rank of the previous PU. PUs of a core are neighbours.
 */
static unsigned allowed_rank(const struct tp_machine *machine, size_t index, unsigned before)
{
	const struct tp_pu *pu = &machine->pus[index];
	return index > 0 && pu[-1].core == pu->core ? before + pu[-1].allowed : 0;
}

void tp_place_compact(const struct tp_machine *machine, size_t *order)
{
	/* Counted by rank, then put behind those of lower ranks: each point of a plan asks. */
	TP_FREE size_t *at = tp_alloc(machine->n_pus + 2, sizeof(*at));
	unsigned rank = 0;
	for (size_t i = 0; i < machine->n_pus; i++) {
		rank = allowed_rank(machine, i, rank);
		at[rank + 1] += machine->pus[i].allowed;
	}
	for (size_t k = 1; k <= machine->n_pus; k++)
		at[k] += at[k - 1];
	for (size_t i = 0; i < machine->n_pus; i++) {
		rank = allowed_rank(machine, i, rank);
		if (machine->pus[i].allowed)
			order[at[rank]++] = i;
	}
}

struct slot {
	unsigned rank; /* SMT rank: all first hardware threads come before any sibling */
	unsigned turn; /* how many CPUs of the same rank and node, or package, come before it */
	size_t index; /* into machine->pus */
};

static int by_turn(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

/* How many slots of a rank had a key. */
struct turns {
	unsigned rank, n;
};

/*
 * Sorts the slots by their turns so far, then counts those before each that have the same rank and
 * the same key. Keys are package or node numbers; `count` has zeros for all of them.
 */
static void number_turns(const struct tp_machine *machine, struct slot *slots, bool packages,
			 struct turns *count)
{
	qsort(slots, machine->n_allowed, sizeof(*slots), by_turn);
	for (size_t i = 0; i < machine->n_allowed; i++) {
		const struct tp_pu *pu = &machine->pus[slots[i].index];
		struct turns *turns = &count[packages ? pu->package : pu->numa];
		if (turns->rank != slots[i].rank)
			*turns = (struct turns){ .rank = slots[i].rank };
		slots[i].turn = turns->n++;
	}
}

static void place_scatter(const struct tp_machine *machine, size_t n, unsigned *cpus)
{
	size_t nodes = 1, packages = TP_MAX(machine->n_packages, 1u);
	for (size_t i = 0; i < machine->n_pus; i++) {
		nodes = TP_MAX(nodes, (size_t)machine->pus[i].numa + 1);
		packages = TP_MAX(packages, (size_t)machine->pus[i].package + 1);
	}
	TP_FREE struct slot *slots = tp_alloc(machine->n_allowed, sizeof(*slots));
	TP_FREE struct turns *of_nodes = tp_alloc(nodes, sizeof(*of_nodes));
	TP_FREE struct turns *of_packages = tp_alloc(packages, sizeof(*of_packages));
	unsigned rank = 0;
	for (size_t i = 0, found = 0; i < machine->n_pus; i++) {
		rank = allowed_rank(machine, i, rank);
		if (machine->pus[i].allowed)
			slots[found++] = (struct slot){ .rank = rank, .index = i };
	}
	/*
	 * Deal the nodes first, then the packages over that order: each level takes turns and the
	 * exhausted are skipped.
	 */
	number_turns(machine, slots, false, of_nodes);
	number_turns(machine, slots, true, of_packages);
	qsort(slots, machine->n_allowed, sizeof(*slots), by_turn);
	for (size_t i = 0; i < n; i++)
		cpus[i] = machine->pus[slots[i].index].os_index;
}

static const char affinity_hint[] =
	"give compact, scatter, kind:N for a kind of cores of a hybrid CPU, or CPU numbers and "
	"ranges such as 0,2-5";

/* "kind:N" of a machine that has kinds. TP_USAGE with words; TP_NOTFOUND: it is something else. */
static enum tp_status kind_parse(const struct tp_machine *machine, const char *affinity,
				 unsigned *kind, struct tp_diag *diag)
{
	static const char word[] = "kind:";
	TP_STR hint = { 0 };
	int end = -1;
	if (!affinity || strncmp(affinity, word, strlen(word)) != 0)
		return TP_NOTFOUND;
	for (size_t i = 0; i < machine->n_kinds; i++)
		tp_str_printf(&hint, "%skind:%zu (%s%s%u CPUs)", i ? ", " : "allowed: ", i,
			      machine->kinds[i].name, *machine->kinds[i].name ? ", " : "",
			      machine->kinds[i].n_pus);
	if (!machine->n_kinds)
		return tp_fail(diag, TP_USAGE, "affinity", affinity_hint,
			       "%.40s: all cores of this machine are alike", affinity);
	if (!isdigit((unsigned char)affinity[strlen(word)]) ||
	    sscanf(affinity, "kind:%4u%n", kind, &end) != 1 || affinity[end] ||
	    *kind >= machine->n_kinds)
		return tp_fail(diag, TP_USAGE, "affinity", tp_str_text(&hint),
			       "this machine has no \"%.40s\"", affinity);
	return TP_OK;
}

/* The machine with only the CPUs of a kind. */
static struct tp_machine *restrict_to(const struct tp_machine *machine, unsigned kind,
				      struct tp_arena *arena)
{
	struct tp_machine *view = tp_arena_alloc(arena, sizeof(*view));
	*view = *machine;
	view->pus = tp_arena_alloc(arena, machine->n_pus * sizeof(*view->pus));
	view->n_allowed = 0;
	for (size_t i = 0; i < machine->n_pus; i++) {
		view->pus[i] = machine->pus[i];
		view->pus[i].allowed &= machine->pus[i].kind == kind;
		view->n_allowed += view->pus[i].allowed;
	}
	return view;
}

static const struct tp_pu *find_cpu(const struct tp_machine *machine, unsigned long os_index)
{
	for (size_t i = 0; i < machine->n_pus; i++)
		if (machine->pus[i].os_index == os_index)
			return &machine->pus[i];
	return NULL;
}

/*
 * A CPU number at *text, moved past it; false if there is none. Numbers too large to be a CPU come
 * back as ULONG_MAX.
 */
static bool take_number(const char **text, unsigned long *value)
{
	if (!isdigit((unsigned char)**text))
		return false;
	char *end;
	*value = strtoul(*text, &end, 10);
	*text = end;
	return true;
}

static enum tp_status place_list(const struct tp_machine *machine, const char *list, size_t n,
				 unsigned *cpus, struct tp_diag *diag)
{
	static const char *const hint = affinity_hint;
	size_t found = 0;
	const char *p = list;
	for (;;) {
		unsigned long first, last;
		if (!take_number(&p, &first))
			goto malformed;
		last = first;
		if (*p == '-' && (p++, !take_number(&p, &last)))
			goto malformed;
		if (last < first)
			return tp_fail(diag, TP_USAGE, "affinity", hint,
				       "the range %lu-%lu runs backward", first, last);
		for (unsigned long cpu = first; cpu <= last; cpu++) {
			const struct tp_pu *pu = find_cpu(machine, cpu);
			if (!pu)
				return tp_fail(diag, TP_USAGE, "affinity", hint,
					       "CPU %lu does not exist (the machine has %zu)", cpu,
					       machine->n_pus);
			if (!pu->allowed)
				return tp_fail(diag, TP_USAGE, "affinity",
					       "choose others, or widen the cpuset (taskset, "
					       "cgroup, batch system)",
					       "this process is not allowed to run on CPU %lu",
					       cpu);
			for (size_t i = 0; i < TP_MIN(found, n); i++)
				if (cpus[i] == cpu)
					return tp_fail(diag, TP_USAGE, "affinity", hint,
						       "CPU %lu is listed twice", cpu);
			if (found < n)
				cpus[found] = (unsigned)cpu;
			found++;
		}
		if (!*p)
			break;
		if (*p++ != ',')
			goto malformed;
	}
	if (found < n)
		return tp_fail(diag, TP_USAGE, "affinity", "list more CPUs or use fewer threads",
			       "%zu threads, but only %zu CPUs listed in \"%s\"", n, found, list);
	return TP_OK;
malformed:
	return tp_fail(diag, TP_USAGE, "affinity", hint, "\"%.80s\" is not an affinity", list);
}

enum tp_status tp_machine_place(const struct tp_machine *machine, const char *affinity, size_t n,
				unsigned *cpus, struct tp_diag *diag)
{
	static const char *const policies[] = { "compact", "scatter" };
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	unsigned kind;
	if (n == 0)
		return tp_fail(diag, TP_USAGE, "threads", "give at least 1", "no threads to place");
	if (n > machine->n_allowed)
		return tp_fail(
			diag, TP_USAGE, "threads",
			machine->n_allowed < machine->n_pus
				? "use fewer threads, or widen the cpuset (taskset, cgroup, batch "
				  "system)"
				: "use fewer threads",
			"%zu threads, but this process may use %zu of the machine's %zu CPUs", n,
			machine->n_allowed, machine->n_pus);
	if (!affinity || strcmp(affinity, policies[0]) == 0) {
		TP_FREE size_t *order = tp_alloc(machine->n_allowed, sizeof(*order));

		tp_place_compact(machine, order);
		for (size_t i = 0; i < n; i++)
			cpus[i] = machine->pus[order[i]].os_index;
		return TP_OK;
	}
	if (strcmp(affinity, policies[1]) == 0) {
		place_scatter(machine, n, cpus);
		return TP_OK;
	}
	enum tp_status status = kind_parse(machine, affinity, &kind, diag);
	if (status != TP_NOTFOUND)
		return status == TP_OK ? tp_machine_place(restrict_to(machine, kind, &arena),
							  "compact", n, cpus, diag)
				       : status;
	const char *near = tp_nearest(affinity, policies, TP_COUNT_OF(policies));
	if (near)
		return tp_fail(diag, TP_USAGE, "affinity", affinity_hint,
			       "\"%s\" is not an affinity; did you mean %s?", affinity, near);
	return place_list(machine, affinity, n, cpus, diag);
}

const struct tp_machine *tp_machine_of_affinity(const struct tp_machine *machine,
						const char *affinity, struct tp_arena *arena)
{
	unsigned kind, cpu;
	if (!machine->n_kinds || tp_machine_place(machine, affinity, 1, &cpu, NULL) != TP_OK)
		return machine;
	struct tp_machine *view = NULL;
	if (kind_parse(machine, affinity, &kind, NULL) == TP_OK) {
		view = restrict_to(machine, kind, arena);
	} else {
		kind = find_cpu(machine, cpu)->kind;
		view = tp_arena_alloc(arena, sizeof(*view));
		*view = *machine;
	}
	memcpy(view->cache, machine->kinds[kind].cache, sizeof(view->cache));
	return view;
}

void tp_machine_team_words(const struct tp_machine *machine, const unsigned *cpus, unsigned n,
			   char *kind, size_t kind_bytes, char *memory, size_t memory_bytes)
{
	const struct tp_pu *first = n ? find_cpu(machine, cpus[0]) : NULL;
	const struct tp_numa_node *node = NULL;
	char bytes[32];
	bool kinds = false, nodes = false;
	*kind = *memory = '\0';
	if (!first)
		return;
	for (unsigned i = 1; i < n && (machine->n_kinds || machine->n_numa > 1); i++) {
		const struct tp_pu *pu = find_cpu(machine, cpus[i]);
		kinds |= pu && pu->kind != first->kind;
		nodes |= pu && pu->numa != first->numa;
	}
	if (machine->n_kinds && !kinds)
		snprintf(kind, kind_bytes, "kind:%u%s%s", first->kind,
			 *machine->kinds[first->kind].name ? " " : "",
			 machine->kinds[first->kind].name);
	else if (machine->n_kinds)
		tp_copy(kind, kind_bytes, "several");
	for (unsigned k = 0; k < machine->n_numa; k++)
		if (machine->nodes[k].os_index == first->numa)
			node = &machine->nodes[k];
	if (!node || (machine->n_numa == 1 && !tp_machine_node_is_special(node)))
		return;
	snprintf(memory, memory_bytes, nodes ? "several nodes" : "node %u", node->os_index);
	size_t used = strlen(memory);
	snprintf(memory + used, memory_bytes - used, "%s%s%s%s", *node->kind ? " " : "", node->kind,
		 node->cache_bytes ? " behind " : "",
		 node->cache_bytes ? tp_format_bytes(bytes, sizeof(bytes), node->cache_bytes) : "");
}

/* The kernel's mask may be wider than the CPUs of the machine; reading needs a set of that width.
 */
enum { CPUS_MAX = 262144 };

cpu_set_t *tp_affinity_read(pid_t thread, size_t *bytes)
{
	for (size_t cpus = 1024; cpus <= CPUS_MAX; cpus *= 2) {
		cpu_set_t *set = CPU_ALLOC(cpus);
		if (!set)
			tp_out_of_memory();
		*bytes = CPU_ALLOC_SIZE(cpus);
		if (sched_getaffinity(thread, *bytes, set) == 0)
			return set;
		CPU_FREE(set);
		if (errno != EINVAL)
			return NULL;
	}
	return NULL;
}

enum tp_status tp_machine_pin(unsigned os_cpu, struct tp_diag *diag)
{
	if (os_cpu >= CPUS_MAX)
		return tp_fail(diag, TP_USAGE, "pin", NULL, "there is no CPU %u", os_cpu);
	if (!tp_process_bind(0, &os_cpu, 1))
		return tp_fail(diag, errno == EPERM ? TP_PERM : TP_RESOURCE, "pin",
			       "see which CPUs are online and in the cpuset of this process",
			       "cannot pin a thread to CPU %u: %s", os_cpu, strerror(errno));
	size_t bytes;
	cpu_set_t *set = tp_affinity_read(0, &bytes);
	if (!set)
		return tp_fail(diag, TP_FAILED, "pin", NULL, "cannot read the pin back: %s",
			       strerror(errno));
	int running = sched_getcpu(), n = CPU_COUNT_S(bytes, set);
	bool held = n == 1 && CPU_ISSET_S(os_cpu, bytes, set);
	CPU_FREE(set);
	if (!held)
		return tp_fail(diag, TP_RESOURCE, "pin",
			       "something else changes the affinity of this process",
			       "pinned a thread to CPU %u, but its mask reads back as %d CPUs",
			       os_cpu, n);
	if (running != (int)os_cpu)
		return tp_fail(diag, TP_RESOURCE, "pin", NULL,
			       "pinned a thread to CPU %u, but it runs on CPU %d", os_cpu, running);
	return TP_OK;
}

/* Up to the first character that is not a list. */
static void leave_out(const char *cpus, cpu_set_t *set, size_t bytes)
{
	while (isdigit((unsigned char)*cpus)) {
		char *end;
		unsigned long first = strtoul(cpus, &end, 10), last = first;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (unsigned long i = first; i <= last && i < 8 * bytes; i++)
			CPU_CLR_S(i, bytes, set);
		cpus = end + (*end == ',');
	}
}

void tp_aside_step(struct tp_aside *aside, const char *cpus)
{
	size_t bytes;
	tp_aside_back(aside);
	cpu_set_t *before = tp_affinity_read(0, &bytes);
	cpu_set_t *others = before ? tp_affinity_read(0, &bytes) : NULL;
	if (!others) {
		CPU_FREE(before);
		return;
	}
	leave_out(cpus, others, bytes);
	if (CPU_COUNT_S(bytes, others) > 0 && !CPU_EQUAL_S(bytes, before, others) &&
	    sched_setaffinity(0, bytes, others) == 0) {
		aside->before = before;
		aside->bytes = bytes;
		before = NULL;
	}
	CPU_FREE(before);
	CPU_FREE(others);
}

void tp_aside_back(struct tp_aside *aside)
{
	if (!aside->before)
		return;
	sched_setaffinity(0, aside->bytes, aside->before);
	CPU_FREE(aside->before);
	*aside = (struct tp_aside){ 0 };
}
