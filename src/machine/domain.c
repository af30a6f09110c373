/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process that measures one socket or NUMA node keeps to its CPUs and its memory. */
#include "machine/detect.h"
#include "base/memory.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	POLICY_BIND = 2, /* MPOL_BIND of the kernel, which has so many memory nodes at most */
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

static enum tp_status keep_to_cpus(const struct tp_pu *const *pus, size_t n, struct tp_diag *diag)
{
	unsigned most = 0;
	for (size_t i = 0; i < n; i++)
		most = TP_MAX(most, pus[i]->os_index);
	cpu_set_t *set = CPU_ALLOC(most + 1);
	if (!set)
		return tp_fail(diag, TP_NOMEM, "--bind", NULL, "out of memory");
	size_t bytes = CPU_ALLOC_SIZE(most + 1);
	CPU_ZERO_S(bytes, set);
	for (size_t i = 0; i < n; i++)
		CPU_SET_S(pus[i]->os_index, bytes, set);
	int failed = sched_setaffinity(0, bytes, set);
	CPU_FREE(set);
	return failed ? tp_fail(diag, TP_RESOURCE, "--bind", NULL, "cannot keep to %zu CPUs: %s", n,
				strerror(errno))
		      : TP_OK;
}

/* Children and threads get the policy, too. Where there is one node there is nothing to choose. */
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
	struct tp_machine machine = { .turbo = -1 };
	const struct tp_pu **pus = NULL;
	size_t n = 0;
	enum tp_status status = tp_topology_load(&machine, NULL, diag);
	if (status == TP_OK && machine.foreign)
		status = tp_fail(diag, TP_USAGE, "--bind", NULL, "%s is another machine",
				 machine.source);
	if (status == TP_OK && !(pus = calloc(machine.n_pus + 1, sizeof(*pus))))
		status = tp_fail(diag, TP_NOMEM, "--bind", NULL, "out of memory");
	if (status == TP_OK)
		status = tp_machine_domain(&machine, part, pus, &n, diag);
	if (status == TP_OK)
		status = keep_to_cpus(pus, n, diag);
	if (status == TP_OK)
		status = keep_to_memory(&machine, pus, n, diag);
	free(pus);
	tp_machine_release(&machine);
	return status;
}
