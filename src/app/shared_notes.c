/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the agent could not count, in words. */
#include "app/program.h"
#include "app/run.h"
#include "app/shared_file.h"
#include "app/symbols.h"
#include "base/text.h"
#include "base/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* A mangled name has that of the source in it. What a compiler split off has a dot in its name. */
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
	const char **names = calloc(n + 1, sizeof(*names)), *near = NULL;
	for (size_t i = 0; names && i < n; i++)
		names[i] = symbols->items[i].name;
	if (names)
		near = tp_nearest(name, names, n);
	free(names);
	return near;
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
			 "`nm PROGRAM` lists its functions; one that the compiler inlined has no "
			 "code of its own: __attribute__((noinline)), or tprof_roi.h");
	tp_diags_note(n->list, n->where, hint,
		      "no function %s: it is neither in the program nor in its libraries", shown);
	tp_app_symbols_release(&symbols);
}

static bool was_entered(const struct tp_app_regions *regions, const char *name)
{
	for (size_t i = 0; i < regions->n; i++)
		if (regions->items[i].thread == TP_APP_ALL && regions->items[i].entries &&
		    strcmp(regions->items[i].name, name) == 0)
			return true;
	return false;
}

static void note_functions(const struct notes *n, const struct tp_agent_shared *head,
			   const struct tp_app_command *command,
			   const struct tp_app_regions *regions)
{
	char program[TP_PATH_MAX];
	bool found = tp_app_program(command->words[0], program, NULL) == TP_OK, untimed = false;
	for (unsigned i = 0; i < head->n_functions; i++) {
		const char *name = head->regions[i + 1];
		if (!head->function_found[i + 1])
			note_missing(n, found ? program : command->words[0], name);
		else if (head->function_found[i + 1] == TP_AGENT_NOT_TIMED)
			untimed = true;
		else if (!was_entered(regions, name))
			tp_diags_note(n->list, n->where, NULL, "the function %s was never called",
				      name);
	}
	if (untimed)
		tp_diags_note(n->list, n->where,
			      "mark the region with tprof_roi.h; its counts do not need that",
			      "functions that are not timed: %s", head->words);
}

/* --- everything --- */

static void note_regions(const struct notes *n, const struct tp_agent_shared *head,
			 const struct tp_app_regions *regions)
{
	for (size_t i = 0; i < regions->n; i++)
		if (regions->items[i].thread == TP_APP_ALL && regions->items[i].unended)
			tp_diags_note(n->list, n->where,
				      "a region ends on the thread that it began on: tprof_roi_end",
				      "the region %s was entered and never left",
				      regions->items[i].name);
	if (head->unbalanced)
		tp_diags_note(n->list, n->where,
			      "begin and end belong on the same thread, each once",
			      "regions ended %u time%s without having begun on that thread",
			      head->unbalanced, plural(head->unbalanced));
	if (head->unended)
		tp_diags_note(
			n->list, n->where,
			"a region ends on the thread that it began on: tprof_roi_end",
			"%u region%s began on a thread and had not ended when the thread ended",
			head->unended, plural(head->unended));
	if (head->lost_regions)
		tp_diags_note(n->list, n->where, "use fewer names",
			      "there were more than %d names of regions: what belongs "
			      "to the others counts as outside of regions",
			      TP_AGENT_REGIONS - 1);
}

static bool note_state(const struct notes *n, const struct tp_agent_shared *head, const char *never)
{
	switch (head->state) {
	case TP_AGENT_ABSENT:
		if (head->executions)
			tp_diags_note(n->list, n->where, "--app-source qemu counts without it",
				      "it executed another program in its place, into which the "
				      "agent was "
				      "not loaded: what ran before counts alone");
		else if (head->mode == TP_AGENT_TIME)
			tp_diags_note(n->list, n->where, NULL,
				      "regions are not timed: the agent was not loaded%s%s",
				      never ? "; the program " : "", never ? never : "");
		else
			tp_diags_note(n->list, n->where, "--app-source qemu counts without it",
				      "nothing was counted: the agent was not loaded%s%s",
				      never ? "; the program " : "", never ? never : "");
		return false;
	case TP_AGENT_REFUSED:
		tp_diags_note(
			n->list, n->where, "ulimit -v unlimited",
			"%s: the limit on addresses (ulimit -v) is below the %.0f GB in which the "
			"agent's counters lie; they use little memory of them",
			head->mode == TP_AGENT_TIME ? "regions are not timed"
			: head->executions	    ? "it executed another program in its place, "
						      "which was not counted"
						    : "nothing was counted",
			1e-9 * (double)sizeof(*head));
		return false;
	case TP_AGENT_DETACHED:
		tp_diags_note(
			n->list, n->where, "--app-source qemu counts all of it, slower",
			"the agent gave up and the program went on by itself: %s; the counts are "
			"those up to there",
			head->words[0] ? head->words : "it did not say why");
		return false;
	default:
		return true;
	}
}

bool tp_app_shared_notes(const struct tp_agent_shared *head, const struct tp_app_command *command,
			 const struct tp_app_regions *regions, const char *never,
			 struct tp_diags *notes)
{
	const struct notes n = { notes, command->words[0] };
	bool complete = note_state(&n, head, never);
	bool here = head->state != TP_AGENT_ABSENT && head->state != TP_AGENT_REFUSED;
	if (!here && !head->executions)
		return false;
	if (head->lost_threads) {
		tp_diags_note(n.list, n.where, "use fewer threads at a time",
			      "%u thread%s ran without being counted: at most %d at a time are",
			      head->lost_threads, plural(head->lost_threads), TP_AGENT_THREADS);
		complete = false;
	}
	if (head->forks) {
		tp_diags_note(n.list, n.where,
			      "tprof counts one process: give it the command of that process",
			      "%u child process%s not counted", head->forks,
			      head->forks == 1 ? " was" : "es were");
		complete = false;
	}
	if (head->executions && here)
		tp_diags_note(n.list, n.where, NULL,
			      "it executed another program in its place %u time%s: all of them are "
			      "counted "
			      "together",
			      head->executions, plural(head->executions));
	if (regions->damaged) {
		tp_diags_note(n.list, n.where,
			      "look for writes behind the end of an array: gcc -fsanitize=address",
			      "the program wrote over the agent's counters: some are lost");
		complete = false;
	}
	note_regions(&n, head, regions);
	note_functions(&n, head, command, regions);
	return complete;
}
