/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notes on a run for its reader: what was not counted, and what is wrong with its regions. */
#include "app/tree.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/run.h"
#include "app/symbols.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

/* More names are not compared: it would take longer than a look with nm. */
enum { NEIGHBOURS = 20000 };

struct notes {
	struct tp_diags *list;
	const char *where;
};

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* --- functions that are regions --- */

/*
 * A mangled name contains the source name. Parts that a compiler split off have a dot in their
 * names.
 */
static const char *name_with(const struct tp_app_symbols *symbols, const char *name)
{
	const char *best = NULL;
	for (size_t i = 0; i < symbols->n; i++) {
		const char *one = symbols->items[i].name;
		if (strstr(one, name) && !strchr(one, '.') && (!best || strlen(one) < strlen(best)))
			best = one;
	}
	return best;
}

static const char *name_near(const struct tp_app_symbols *symbols, const char *name)
{
	size_t n = TP_MIN(symbols->n, NEIGHBOURS);
	TP_FREE const char **names = tp_alloc(n, sizeof(*names));
	for (size_t i = 0; i < n; i++)
		names[i] = symbols->items[i].name;
	return tp_nearest(name, names, n);
}

static void note_missing(const struct notes *n, const char *program, const char *name)
{
	struct tp_app_symbols symbols = { 0 };
	char shown[TP_APP_NAME], hint[384], near_shown[TP_APP_NAME];
	int fd;
	const char *near = NULL;
	if (tp_file_open(AT_FDCWD, program, O_RDONLY, &fd, NULL) == TP_OK) {
		if (tp_app_symbols_read(&symbols, fd, program, NULL) == TP_OK)
			near = name_with(&symbols, name);
		if (!near && symbols.n)
			near = name_near(&symbols, name);
		close(fd);
	}
	tp_shown(shown, sizeof(shown), name, strlen(name));
	if (near)
		snprintf(hint, sizeof(hint), "do you mean %s? (`nm PROGRAM` lists all)",
			 tp_shown(near_shown, sizeof(near_shown), near, strlen(near)));
	else
		snprintf(hint, sizeof(hint),
			 "`nm PROGRAM` lists its functions; an inlined function has no separate "
			 "code: __attribute__((noinline)), or tprof_roi.h");
	tp_diags_note(n->list, n->where, hint,
		      "no function %s: it is neither in the program nor in its libraries", shown);
	tp_app_symbols_release(&symbols);
}

static bool was_entered(const struct tp_app_tree *tree, const char *name)
{
	for (size_t i = 0; i < tree->n_regions; i++)
		if (tree->regions[i].region.entries &&
		    strcmp(tree->regions[i].region.name, name) == 0)
			return true;
	return false;
}

static void note_functions(const struct notes *n, const struct tp_app_tree *tree)
{
	char program[TP_PATH_MAX];
	bool found = tp_app_program(tree->command->words[0], program, NULL) == TP_OK;
	bool untimed = false;
	unsigned r = 1;
	for (char *const *name = tree->command->functions; name && *name; name++, r++) {
		if (!tree->function_found[r])
			note_missing(n, found ? program : tree->command->words[0], *name);
		else if (tree->function_found[r] == TP_AGENT_NOT_TIMED)
			untimed = true;
		else if (!was_entered(tree, *name))
			tp_diags_note(n->list, n->where, NULL, "the function %s was never called",
				      *name);
	}
	if (untimed)
		tp_diags_note(n->list, n->where,
			      "mark the region with tprof_roi.h; its counts do not need that",
			      "functions that are not timed: %s", tree->words);
}

/* --- everything --- */

static void note_regions(const struct notes *n, const struct tp_app_tree *tree)
{
	for (size_t i = 0; i < tree->n_regions; i++)
		if (tree->regions[i].region.unended)
			tp_diags_note(n->list, n->where,
				      "a region ends on the thread that it began on: tprof_roi_end",
				      "the region %s was entered and never left",
				      tree->regions[i].region.name);
	if (tree->unbalanced)
		tp_diags_note(n->list, n->where,
			      "begin and end belong on the same thread, each once",
			      "regions ended %llu time%s without having begun on that thread",
			      (unsigned long long)tree->unbalanced, plural(tree->unbalanced));
	if (tree->unended)
		tp_diags_note(
			n->list, n->where,
			"a region ends on the thread that it began on: tprof_roi_end",
			"%llu region%s began on a thread and had not ended when the thread ended",
			(unsigned long long)tree->unended, plural(tree->unended));
	if (tree->lost_regions)
		tp_diags_note(n->list, n->where, "use fewer names",
			      "there were more than %d names of regions: the others count as "
			      "outside of regions",
			      TP_AGENT_REGIONS - 1);
}

/* Programs that no agent was loaded into, the first few. */
static void note_unfollowed(const struct notes *n, const struct tp_app_tree *tree)
{
	enum { MOST = 5 };
	unsigned said = 0, more = 0;
	for (size_t i = 0; i < tree->n_sums; i++) {
		const struct tp_app_process *p = &tree->sums[i];
		if (p->followed)
			continue;
		if (said++ >= MOST)
			more++;
		else if (tree->ran)
			tp_diags_note(n->list, p->program,
				      "--app-source qemu counts one process, "
				      "also a static one",
				      "ran uncounted, %u time%s: it %s", p->n, plural(p->n),
				      p->why);
		else
			tp_diags_note(n->list, p->program, "--app-source qemu counts without it",
				      "%s: the agent was not loaded; the program %s",
				      tree->time ? "regions are not timed" : "nothing was counted",
				      p->why);
	}
	if (more)
		tp_diags_note(n->list, n->where, NULL, "%u more programs ran uncounted", more);
}

bool tp_app_tree_notes(const struct tp_app_tree *tree, struct tp_diags *notes)
{
	const struct notes n = { notes, tree->command->words[0] };
	note_unfollowed(&n, tree);
	if (tree->refused)
		tp_diags_note(
			n.list, n.where, "ulimit -v unlimited",
			"%s: the limit on addresses (ulimit -v) is below the %.0f GB in which the "
			"agent's counters lie; they use little memory of them",
			tree->ran    ? "some of its processes were not counted"
			: tree->time ? "regions are not timed"
				     : "nothing was counted",
			1e-9 * (double)sizeof(struct tp_agent_shared));
	if (!tree->ran)
		return false;
	for (size_t i = 0; i < tree->notes.n; i++)
		tp_diags_add(notes, &tree->notes.items[i]);
	unsigned processes = 0;
	for (size_t i = 0; i < tree->n_sums; i++)
		processes += tree->sums[i].followed ? tree->sums[i].n : 0;
	/* The end of a single process is reported as the end of the program. */
	if (tree->killed && processes > 1 && !tree->time)
		tp_diags_note(n.list, tree->killed_program,
			      "look for its messages; the kernel's are in dmesg if memory ran out",
			      "a signal ended %u of %u processes: their counts end there",
			      tree->killed, processes);
	if (tree->lost)
		tp_diags_note(n.list, n.where, "start fewer processes at a time",
			      "%llu process%s ran uncounted: at most %d at a time are",
			      (unsigned long long)tree->lost, tree->lost == 1 ? "" : "es",
			      TP_AGENT_PROCESSES);
	if (tree->native)
		tp_diags_note(
			n.list, n.where, NULL,
			"%llu child process%s ran uncounted: they share the memory of another "
			"process that goes on (clone with CLONE_VM)",
			(unsigned long long)tree->native, tree->native == 1 ? "" : "es");
	if (tree->lost_threads)
		tp_diags_note(n.list, n.where, "use fewer threads at a time",
			      "%llu thread%s ran without being counted: at most %d at a time are",
			      (unsigned long long)tree->lost_threads, plural(tree->lost_threads),
			      TP_AGENT_THREADS);
	if (tree->damaged)
		tp_diags_note(n.list, n.where,
			      "look for writes beyond the end of an array: gcc -fsanitize=address",
			      "the program wrote over the agent's counters: some are lost");
	note_regions(&n, tree);
	note_functions(&n, tree);
	return !tree->refused && !tree->lost && !tree->native && !tree->lost_threads &&
	       !tree->damaged && !tree->detached;
}
