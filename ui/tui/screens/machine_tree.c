/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The topology as a tree: packages, memory nodes, caches that cores share, cores with their
 * hardware threads.
 */
#include "ui/tui/screens/machine_docs.h"
#include "ui/tui/screens/machine_parts.h"
#include "base/str.h"
#include "base/text.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY_CORES = 24, INDENT = 2, RANGES_MAX = 40 };

bool tp_tree_folds_init(struct tp_tree_folds *folds, const struct tp_machine *machine)
{
	bool many = machine->n_cores > MANY_CORES;
	tp_tree_folds_release(folds);
	folds->folded = calloc(machine->n_pus * TP_TREE_LEVELS + 1, sizeof(*folds->folded));
	if (!folds->folded)
		return false;
	folds->n_pus = machine->n_pus;
	/* Folds the L3 caches; without them the memory nodes, or the packages. */
	enum tp_tree_level fold = machine->cache[3].size_bytes ? TP_TREE_L3
				  : machine->n_numa > 1	       ? TP_TREE_NUMA
							       : TP_TREE_PACKAGE;
	for (size_t i = 0; many && i < machine->n_pus; i++)
		folds->folded[(size_t)fold * machine->n_pus + i] = true;
	return true;
}

void tp_tree_folds_release(struct tp_tree_folds *folds)
{
	free(folds->folded);
	*folds = (struct tp_tree_folds){ 0 };
}

void tp_tree_fold(struct tp_tree_folds *folds, int item)
{
	if (item >= 0 && (size_t)item < folds->n_pus * TP_TREE_CORE)
		folds->folded[item] = !folds->folded[item];
}

void tp_tree_fold_all(struct tp_tree_folds *folds)
{
	bool any = false;
	for (size_t i = 0; i < folds->n_pus * TP_TREE_LEVELS; i++)
		any |= folds->folded[i];
	for (size_t i = 0; i < folds->n_pus * TP_TREE_LEVELS; i++)
		folds->folded[i] = !any;
}

struct tree {
	struct tp_doc *doc;
	const struct tp_machine *machine;
	const struct tp_tree_folds *folds;
	bool utf8;
	unsigned *order; /* room for the CPU numbers of a node */
};

unsigned tp_tree_key(const struct tp_pu *pu, enum tp_tree_level level)
{
	switch (level) {
	case TP_TREE_PACKAGE:
		return pu->package;
	case TP_TREE_NUMA:
		return pu->numa;
	case TP_TREE_L3:
		return pu->cache[3];
	case TP_TREE_L2:
		return pu->cache[2];
	default:
		return pu->core;
	}
}

bool tp_tree_has_level(const struct tp_machine *m, enum tp_tree_level level)
{
	switch (level) {
	case TP_TREE_NUMA:
		return m->n_numa > 1;
	case TP_TREE_L3:
		return m->cache[3].size_bytes;
	case TP_TREE_L2:
		return m->cache[2].size_bytes && m->cache[2].sharing_cores > 1;
	default:
		return true;
	}
}

static int ascending(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	return (x > y) - (x < y);
}

void tp_tree_cpu_ranges(const struct tp_machine *m, size_t from, size_t to, unsigned *order,
			bool utf8, struct tp_str *out)
{
	size_t n = to - from, start = out->len;
	for (size_t i = 0; i < n; i++)
		order[i] = m->pus[from + i].os_index;
	qsort(order, n, sizeof(*order), ascending);
	tp_str_add(out, n == 1 ? "CPU " : "CPUs ");
	for (size_t i = 0; i < n; i++) {
		size_t first = i;
		while (i + 1 < n && order[i + 1] == order[i] + 1)
			i++;
		if (out->len - start > RANGES_MAX) {
			tp_str_add(out, utf8 ? ",…" : ",...");
			return;
		}
		tp_str_printf(out, first == i ? "%s%u" : "%s%u-%u", first ? "," : "", order[first],
			      order[i]);
	}
}

static size_t cores_in(const struct tree *t, size_t from, size_t to)
{
	size_t n = 0;
	for (size_t i = from; i < to; i++)
		n += i == from || t->machine->pus[i].core != t->machine->pus[i - 1].core;
	return n;
}

static void memory_of(const struct tree *t, unsigned os_index, struct tp_str *out)
{
	char size[32];
	for (unsigned i = 0; i < t->machine->n_numa; i++)
		if (t->machine->nodes[i].os_index == os_index && t->machine->nodes[i].memory_bytes)
			tp_str_printf(out, "%s, ",
				      tp_format_bytes(size, sizeof(size),
						      t->machine->nodes[i].memory_bytes));
}

static void node_line(struct tree *t, enum tp_tree_level level, int depth, size_t from, size_t to,
		      bool folded)
{
	static const char *const names[] = { "Package", "NUMA node", "L3", "L2", "Core" };
	const struct tp_pu *pu = &t->machine->pus[from];
	struct tp_str words = { 0 };
	size_t cores = cores_in(t, from, to), allowed = 0;
	char size[32];
	for (size_t i = from; i < to; i++)
		allowed += t->machine->pus[i].allowed;
	tp_doc_line(t->doc, (int)((size_t)level * t->machine->n_pus + from));
	tp_doc_text(t->doc, depth * INDENT, TP_UI_TITLE,
		    folded    ? t->utf8 ? "▸" : "+"
		    : t->utf8 ? "▾"
			      : "-");
	tp_doc_format(t->doc, depth * INDENT + 2, TP_UI_STRONG, "%s %u", names[level],
		      tp_tree_key(pu, level));
	if (level == TP_TREE_NUMA)
		memory_of(t, pu->numa, &words);
	if (level == TP_TREE_L3 || level == TP_TREE_L2)
		tp_str_printf(
			&words, "%s, ",
			tp_format_bytes(size, sizeof(size),
					t->machine->cache[level == TP_TREE_L3 ? 3 : 2].size_bytes));
	tp_str_printf(&words, "%zu core%s", cores, cores == 1 ? "" : "s");
	if (to - from != cores)
		tp_str_printf(&words, ", %zu threads", to - from);
	if (folded || level >= TP_TREE_L3) {
		tp_str_add(&words, ", ");
		tp_tree_cpu_ranges(t->machine, from, to, t->order, t->utf8, &words);
	}
	tp_doc_format(t->doc, TP_DOC_NEXT, TP_UI_DIM, "  %s", tp_str_text(&words));
	if (allowed < to - from)
		tp_doc_format(t->doc, TP_DOC_NEXT, TP_UI_WARN, "  %zu usable", allowed);
	tp_str_release(&words);
}

/*
 * A core with its private caches and hardware threads. Threads that this process may not use are
 * dim.
 */
static void core_line(struct tree *t, int depth, size_t from, size_t to)
{
	const struct tp_machine *m = t->machine;
	struct tp_str caches = { 0 };
	char size[32];
	tp_doc_line(t->doc, (int)((size_t)TP_TREE_CORE * m->n_pus + from));
	tp_doc_format(t->doc, depth * INDENT + 2, TP_UI_PLAIN, "Core %u", m->pus[from].core);
	int cpus = depth * INDENT + 12;
	tp_doc_text(t->doc, cpus, TP_UI_DIM, to - from == 1 ? "CPU" : "CPUs");
	for (size_t i = from; i < to; i++)
		tp_doc_format(t->doc, TP_DOC_NEXT, m->pus[i].allowed ? TP_UI_GOOD : TP_UI_OFF,
			      " %u", m->pus[i].os_index);
	for (int level = 2; level >= 1; level--)
		if (m->cache[level].size_bytes && m->cache[level].sharing_cores <= 1)
			tp_str_printf(
				&caches, "%s%s %s", caches.len ? ", " : "",
				level == 1 ? "L1d" : "L2",
				tp_format_bytes(size, sizeof(size), m->cache[level].size_bytes));
	int column = TP_MAX(cpus + (to - from > 2 ? 24 : 16), t->doc->end + 2);
	if (caches.len)
		tp_doc_text(t->doc, column, TP_UI_DIM, tp_str_text(&caches));
	tp_str_release(&caches);
}

static void walk(struct tree *t, enum tp_tree_level level, int depth, size_t from, size_t to)
{
	while (level < TP_TREE_CORE && !tp_tree_has_level(t->machine, level))
		level++;
	for (size_t next; from < to; from = next) {
		const struct tp_pu *pus = t->machine->pus;
		next = from + 1;
		while (next < to &&
		       tp_tree_key(&pus[next], level) == tp_tree_key(&pus[from], level))
			next++;
		if (level == TP_TREE_CORE) {
			core_line(t, depth, from, next);
			continue;
		}
		bool folded = t->folds->folded[(size_t)level * t->machine->n_pus + from];
		node_line(t, level, depth, from, next, folded);
		if (!folded)
			walk(t, level + 1, depth + 1, from, next);
	}
}

void tp_machine_tree(struct tp_doc *doc, const struct tp_machine *machine,
		     const struct tp_tree_folds *folds, bool utf8, int columns)
{
	struct tree t = { .doc = doc, .machine = machine, .folds = folds, .utf8 = utf8 };
	tp_doc_clear(doc, columns);
	t.order = calloc(machine->n_pus + 1, sizeof(*t.order));
	if (t.order && folds->folded && folds->n_pus == machine->n_pus)
		walk(&t, TP_TREE_PACKAGE, 0, 0, machine->n_pus);
	free(t.order);
}
