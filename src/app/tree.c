/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/tree.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/elsewhere.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/process.h"
#include "base/text.h"

void tp_app_tree_init(struct tp_app_tree *tree, const struct tp_app_command *command,
		      struct tp_app_shared *shared, struct tp_app_time *time)
{
	*tree = (struct tp_app_tree){ .command = command, .shared = shared, .time = time };
	if (!time)
		tree->functions = tp_app_functions_new();
}

void tp_app_tree_release(struct tp_app_tree *tree)
{
	if (tree->functions)
		tp_app_functions_free(tree->functions);
	free(tree->regions);
	free(tree->threads);
	free(tree->sums);
	free(tree->each);
	free(tree->names);
	for (unsigned i = 0; i < TP_AGENT_PROCESSES; i++)
		free(tree->follows[i]);
	tp_diags_release(&tree->notes);
	*tree = (struct tp_app_tree){ 0 };
}

/* --- regions --- */

static struct tp_app_tree_region *region_of(struct tp_app_tree *tree, const char *name)
{
	for (size_t i = 0; i < tree->n_regions; i++)
		if (strcmp(tree->regions[i].region.name, name) == 0)
			return &tree->regions[i];
	if (tree->n_regions == TP_APP_REGIONS)
		return NULL;
	TP_RESERVE(tree->regions, tree->regions_cap, tree->n_regions + 1);
	struct tp_app_tree_region *r = &tree->regions[tree->n_regions++];
	*r = (struct tp_app_tree_region){ .region.thread = TP_APP_ALL };
	tp_copy(r->region.name, sizeof(r->region.name), name);
	return r;
}

/* Threads of one process that have work in a region. */
static unsigned busy_in(const struct tp_app_regions *regions, const struct tp_app_region *all)
{
	unsigned busy = 0;
	for (size_t i = 0; i < regions->n; i++) {
		const struct tp_app_region *one = &regions->items[i];
		busy += one->thread != TP_APP_ALL && strcmp(one->name, all->name) == 0 &&
			(double)one->mix[TP_MIX_INSTRUCTIONS] >=
				TP_APP_BUSY * (double)all->mix[TP_MIX_INSTRUCTIONS];
	}
	return busy;
}

static void add_region(struct tp_app_tree *tree, const struct tp_app_region *one, unsigned busy,
		       uint64_t started_ns, uint64_t ended_ns)
{
	struct tp_app_tree_region *r = region_of(tree, one->name);
	if (!r) {
		tree->lost_regions++;
		return;
	}
	for (unsigned k = 0; k < TP_MIX_N; k++)
		r->region.mix[k] += one->mix[k];
	for (unsigned l = 0; l < TP_APP_LEVELS; l++)
		r->region.level_bytes[l] += one->level_bytes[l];
	r->region.other_hosts_instructions += one->other_hosts_instructions;
	r->region.accesses += one->accesses;
	r->region.contested += one->contested;
	r->region.entries += one->entries;
	r->region.unended |= one->unended;
	if (started_ns >= r->group_end_ns) {
		r->earlier_seconds += r->group_seconds;
		r->group_seconds = 0;
		r->group_busy = 0;
	}
	r->group_end_ns = TP_MAX(r->group_end_ns, ended_ns);
	r->group_seconds = fmax(r->group_seconds, one->seconds);
	r->group_busy += busy;
	r->region.seconds = r->earlier_seconds + r->group_seconds;
	r->region.busy_threads = TP_MAX(r->region.busy_threads, r->group_busy);
}

/* Rows of single threads belong to one process. */
static bool keep_threads(struct tp_app_tree *tree, const struct tp_app_regions *regions,
			 double work)
{
	if (tree->threads && work <= tree->most)
		return false;
	tree->most = work;
	tree->ran_threads = regions->n_threads;
	free(tree->threads);
	tree->n_threads = 0;
	tree->threads = tp_alloc(TP_MAX(regions->n, 1), sizeof(*tree->threads));
	for (size_t i = 0; i < regions->n; i++)
		if (regions->items[i].thread != TP_APP_ALL)
			tree->threads[tree->n_threads++] = regions->items[i];
	return true;
}

/* Its system calls; what cannot be read, or cannot be, is left out. */
static void keep_calls(struct tp_app_tree *tree, struct tp_app_place place, unsigned n_threads)
{
	static const uint64_t most = 1ull << 60;
	struct tp_agent_call calls[TP_AGENT_CALLS];
	memset(tree->call_seconds, 0, sizeof(tree->call_seconds));
	memset(tree->calls, 0, sizeof(tree->calls));
	for (unsigned t = 0; t < n_threads; t++) {
		if (tp_app_shared_get(place, calls, sizeof(calls), TP_APP_FIELD_AT(t, calls),
				      NULL) != TP_OK)
			continue;
		for (unsigned i = 0; i < TP_AGENT_CALLS; i++) {
			struct tp_agent_call *sum = &tree->calls[i];
			if (calls[i].n > most - sum->n || calls[i].time_ns > most - sum->time_ns)
				continue;
			sum->n += calls[i].n;
			sum->time_ns += calls[i].time_ns;
			tree->call_seconds[t] += 1e-9 * (double)calls[i].time_ns;
		}
	}
}

/* The longest ones first; tree->calls are used up. */
static void put_calls(struct tp_app_tree *tree, struct tp_app_counts *counts)
{
	memcpy(counts->call_seconds, tree->call_seconds, sizeof(counts->call_seconds));
	for (unsigned k = 0; k < TP_APP_CALLS; k++) {
		unsigned most = 0;
		for (unsigned i = 1; i < TP_AGENT_CALLS; i++)
			if (tree->calls[i].time_ns > tree->calls[most].time_ns)
				most = i;
		struct tp_agent_call *call = &tree->calls[most];
		if (!call->n)
			return;
		counts->calls[k] =
			(struct tp_app_call){ most, call->n, 1e-9 * (double)call->time_ns };
		*call = (struct tp_agent_call){ 0 };
	}
}

/* --- processes --- */

static void add_process(struct tp_app_process *sum, const struct tp_app_process *one)
{
	for (unsigned k = 0; k < TP_MIX_N; k++)
		sum->mix[k] += one->mix[k];
	sum->n += one->n;
	sum->threads = TP_MAX(sum->threads, one->threads);
	sum->wall_seconds = fmax(sum->wall_seconds, one->wall_seconds);
	sum->start_seconds = fmax(sum->start_seconds, one->start_seconds);
	sum->mpi_seconds = fmax(sum->mpi_seconds, one->mpi_seconds);
	sum->cpu_seconds += one->cpu_seconds;
}

/* To the sum of its program and rank. Of too many programs the last ones are one. */
static struct tp_app_process *sum_of(struct tp_app_tree *tree, const struct tp_app_process *one)
{
	struct tp_app_process new = { .followed = one->followed,
				      .is_sum = true,
				      .has_rank = one->has_rank,
				      .rank = one->rank };
	bool full = tree->n_sums >= TP_APP_PROGRAMS_MAX;
	tp_copy(new.program, sizeof(new.program), full ? "(others)" : one->program);
	for (size_t i = 0; i < tree->n_sums; i++) {
		struct tp_app_process *sum = &tree->sums[i];
		if (strcmp(sum->program, new.program) == 0 && sum->followed == new.followed &&
		    sum->has_rank == new.has_rank && sum->rank == new.rank)
			return sum;
	}
	if (tree->n_sums >= TP_APP_PROGRAMS_MAX + 64)
		return &tree->sums[tree->n_sums - 1];
	TP_RESERVE(tree->sums, tree->sums_cap, tree->n_sums + 1);
	tree->sums[tree->n_sums] = new;
	return &tree->sums[tree->n_sums++];
}

static double work_of(const struct tp_app_process *process)
{
	return process->mix[TP_MIX_INSTRUCTIONS] ? (double)process->mix[TP_MIX_INSTRUCTIONS]
						 : process->cpu_seconds;
}

/* The processes that did most are kept individually. */
static void keep_process(struct tp_app_tree *tree, const struct tp_app_process *one)
{
	size_t least = 0;
	if (tree->n_each < TP_APP_PROCESSES_MAX) {
		TP_RESERVE(tree->each, tree->each_cap, tree->n_each + 1);
		tree->each[tree->n_each++] = *one;
		return;
	}
	for (size_t i = 1; i < tree->n_each; i++)
		if (work_of(&tree->each[i]) < work_of(&tree->each[least]))
			least = i;
	if (work_of(one) > work_of(&tree->each[least]))
		tree->each[least] = *one;
}

static void put_program(struct tp_app_process *process, const char *path)
{
	const char *name = tp_path_last(path);
	tp_shown(process->program, sizeof(process->program), name, strlen(name));
}

static double seconds_between(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? 1e-9 * (double)(to_ns - from_ns) : 0;
}

static void note_state(struct tp_app_tree *tree, const struct tp_agent_shared *head,
		       const char *program)
{
	if (head->state != TP_AGENT_DETACHED)
		return;
	tree->detached = true;
	for (size_t i = 0; i < tree->notes.n; i++)
		if (strcmp(tree->notes.items[i].where, program) == 0)
			return;
	tp_diags_note(
		&tree->notes, program, "--app-source qemu counts all of it, slower",
		"the agent gave up and the program went on by itself: %s; its counts end there",
		head->words[0] ? head->words : "without a reason");
}

/* Counters show when a process has ended, unless a signal ended it. */
static void note_end(struct tp_app_tree *tree, const struct tp_agent_shared *head,
		     const struct tp_app_process *process)
{
	if (head->ended_ns || head->executes || head->state != TP_AGENT_RUNNING)
		return;
	if (tree->killed++)
		return;
	if (process->has_rank)
		snprintf(tree->killed_program, sizeof(tree->killed_program), "rank %u, %s",
			 process->rank, process->program);
	else
		tp_copy(tree->killed_program, sizeof(tree->killed_program), process->program);
}

static void add_troubles(struct tp_app_tree *tree, const struct tp_agent_shared *head)
{
	tree->lost_threads += head->lost_threads;
	tree->unbalanced += head->unbalanced;
	tree->unended += head->unended;
	tree->lost_regions += head->lost_regions;
	for (unsigned r = 1; r <= head->n_functions && r < TP_AGENT_REGIONS; r++) {
		uint32_t found = head->function_found[r], *known = &tree->function_found[r];
		if (found && (!*known || *known == TP_AGENT_NOT_TIMED))
			*known = found;
	}
	if (head->words[0] && head->state != TP_AGENT_DETACHED)
		tp_copy(tree->words, sizeof(tree->words), head->words);
}

/* --- spans --- */

/* The index that a name has in all processes; TP_APP_REGIONS = there are too many. */
static unsigned name_of(struct tp_app_tree *tree, const char *name)
{
	unsigned i = 0;
	if (!tree->names)
		tree->names = tp_alloc(TP_APP_REGIONS, sizeof(*tree->names));
	while (i < TP_APP_REGIONS && tree->names[i][0] && strcmp(tree->names[i], name) != 0)
		i++;
	if (i < TP_APP_REGIONS)
		tp_copy(tree->names[i], sizeof(tree->names[i]), name);
	return i;
}

/* Threads of processes that run at the same time differ, unless there are very many. */
static unsigned thread_of(struct tp_app_place place, unsigned thread)
{
	return (thread + place.index) % TP_APP_THREADS;
}

static void add_spans(struct tp_app_tree *tree, const struct tp_agent_shared *head,
		      struct tp_app_place place, uint64_t ended_ns)
{
	TP_CLEANUP(tp_app_time_release) struct tp_app_time one = { 0 };
	struct tp_app_time *all = tree->time;
	tp_app_shared_spans(head, ended_ns, &one);
	all->lost_marks += tp_app_shared_untold(place, head);
	all->spans_end_early |= one.spans_end_early;
	for (size_t i = 0; i < one.n_spans; i++) {
		struct tp_app_span span = one.spans[i];
		span.start += 1e-9 * (double)tree->shared->later_ns;
		span.region = name_of(tree, one.names[span.region]);
		span.thread = thread_of(place, span.thread);
		if (span.region == TP_APP_REGIONS)
			continue;
		TP_RESERVE(all->spans, tree->spans_cap, all->n_spans + 1);
		all->spans[all->n_spans++] = span;
	}
}

static void follow_place(struct tp_app_tree *tree, struct tp_app_place place)
{
	const struct tp_app_command *command = tree->command;
	struct tp_app_follow **follow = &tree->follows[place.index];
	struct tp_app_mark marks[TP_APP_FOLLOWED];
	uint32_t n_events = 0;
	if (!*follow &&
	    (tp_app_shared_get(place, &n_events, sizeof(n_events),
			       offsetof(struct tp_agent_shared, n_events), NULL) != TP_OK ||
	     !n_events))
		return;
	if (!*follow)
		*follow = tp_alloc(1, sizeof(**follow));
	for (size_t n; (n = tp_app_shared_follow(place, *follow, marks)) > 0;) {
		size_t kept = 0;
		for (size_t i = 0; i < n; i++) {
			struct tp_app_mark mark = marks[i];
			mark.region = name_of(tree, (*follow)->names[mark.region]);
			mark.thread = thread_of(place, mark.thread);
			if (mark.region < TP_APP_REGIONS)
				marks[kept++] = mark;
		}
		if (kept)
			command->marks(command->context, marks, kept, tree->names);
	}
}

static void follow_all(struct tp_app_tree *tree)
{
	name_of(tree, "");
	for (unsigned i = 0; i < TP_AGENT_PROCESSES; i++)
		if (__atomic_load_n(&tree->shared->tree->taken[i], __ATOMIC_ACQUIRE))
			follow_place(tree, (struct tp_app_place){ tree->shared->fd, i });
	tree->command->marks(tree->command->context, NULL, 0, tree->names);
}

/* --- places --- */

static struct tp_app_process process_of(const struct tp_app_tree *tree, struct tp_app_place place,
					const struct tp_agent_shared *head,
					const struct tp_app_regions *regions, uint64_t ended_ns)
{
	struct tp_app_process process = {
		/* Until it executes something, a child is a part of its parent. */
		.n = !(head->forked && head->executes),
		.followed = true,
		.has_rank = head->ranks > 0,
		.rank = head->rank,
		.threads = regions->n_threads,
		.wall_seconds = seconds_between(head->started_ns, ended_ns),
		.cpu_seconds = tree->cpu_seconds[place.index],
	};
	if (head->ended_ns)
		process.cpu_seconds = seconds_between(head->user_before_ns, head->user_ns) +
				      seconds_between(head->system_before_ns, head->system_ns);
	if (head->mpi_ready_ns) {
		process.start_seconds = seconds_between(head->started_ns, head->mpi_ready_ns);
		process.mpi_seconds = 1e-9 * (double)head->mpi_ns;
	}
	put_program(&process, head->program);
	for (size_t i = 0; i < regions->n; i++)
		for (unsigned k = 0; k < TP_MIX_N && regions->items[i].thread == TP_APP_ALL; k++)
			process.mix[k] += regions->items[i].mix[k];
	return process;
}

/* All that a process left in its place. */
static enum tp_status add_image(struct tp_app_tree *tree, struct tp_app_place place, bool gone,
				const struct tp_agent_shared *head, struct tp_diag *diag)
{
	const uint64_t later_ns = (uint64_t)tree->shared->later_ns;
	const uint64_t ended_ns =
		head->ended_ns ? head->ended_ns : (uint64_t)(1e9 * tp_now_seconds()) - later_ns;
	struct tp_app_regions regions = { 0 };
	enum tp_status status = tp_app_shared_regions(place, head, ended_ns, &regions, diag);
	if (status == TP_OK && tree->functions)
		status = tp_app_functions_add(tree->functions, place, head, diag);
	if (status != TP_OK) {
		free(regions.items);
		return status;
	}
	for (size_t i = 0; i < regions.n && tree->shared->other_machine; i++)
		regions.items[i].other_hosts_instructions =
			regions.items[i].mix[TP_MIX_INSTRUCTIONS];
	struct tp_app_process process = process_of(tree, place, head, &regions, ended_ns);
	double region_seconds = 0;
	for (size_t i = 0; i < regions.n; i++) {
		const struct tp_app_region *r = &regions.items[i];
		if (r->thread != TP_APP_ALL)
			continue;
		unsigned busy = busy_in(&regions, r);
		add_region(tree, r, busy, head->started_ns + later_ns, ended_ns + later_ns);
		if (process.has_rank)
			tree->rank_busy = TP_MAX(tree->rank_busy, busy);
		region_seconds += r->seconds;
	}
	tree->ranks = TP_MAX(tree->ranks, head->ranks);
	tree->damaged |= regions.damaged;
	if ((!process.has_rank || process.rank == 0) &&
	    keep_threads(tree, &regions, tree->time ? region_seconds : work_of(&process)))
		keep_calls(tree, place, head->n_threads);
	add_process(sum_of(tree, &process), &process);
	if (process.n)
		keep_process(tree, &process);
	note_state(tree, head, process.program);
	if (gone)
		note_end(tree, head, &process);
	add_troubles(tree, head);
	if (tree->time)
		add_spans(tree, head, place, ended_ns);
	tree->ran++;
	free(regions.items);
	return TP_OK;
}

/* `gone`: its process has ended, and did not become another image. */
static enum tp_status add_place(struct tp_app_tree *tree, unsigned index, bool gone,
				struct tp_diag *diag)
{
	const struct tp_app_place place = { tree->shared->fd, index };
	struct tp_agent_shared *head;
	enum tp_status status = tp_app_shared_head(place, &head, diag);
	if (status != TP_OK)
		return status;
	if (head->state != TP_AGENT_ABSENT)
		status = add_image(tree, place, gone, head, diag);
	tp_app_shared_head_free(head);
	free(tree->follows[index]);
	tree->follows[index] = NULL;
	tree->cpu_seconds[index] = 0;
	if (status == TP_OK)
		tp_app_shared_free(tree->shared, index);
	return status;
}

/*
 * It has ended, or is a zombie. Else *cpu_seconds becomes what it has used, in ticks of the kernel.
 */
static bool is_gone(uint32_t pid, double *cpu_seconds)
{
	struct tp_process_look look;
	if (pid == 0 || pid > INT32_MAX)
		return false;
	if (!tp_process_look((pid_t)pid, &look))
		return errno == ENOENT || errno == ESRCH;
	*cpu_seconds = look.cpu_seconds;
	return look.state == 'Z' || look.state == 'X';
}

/* The current process and time of a place. */
struct taken {
	unsigned index;
	uint32_t pid, state;
	uint64_t started_ns;
};

static enum tp_status look_at(const struct tp_app_tree *tree, unsigned index, struct taken *taken,
			      struct tp_diag *diag)
{
	const struct tp_app_place place = { tree->shared->fd, index };
	*taken = (struct taken){ .index = index };
	enum tp_status status = tp_app_shared_get(place, &taken->pid, sizeof(taken->pid),
						  offsetof(struct tp_agent_shared, pid), diag);
	if (status == TP_OK)
		status = tp_app_shared_get(place, &taken->state, sizeof(taken->state),
					   offsetof(struct tp_agent_shared, state), diag);
	if (status == TP_OK)
		status = tp_app_shared_get(place, &taken->started_ns, sizeof(taken->started_ns),
					   offsetof(struct tp_agent_shared, started_ns), diag);
	return status;
}

/* Its process continues as another image. */
static bool is_replaced(const struct taken *all, size_t n, const struct taken *one)
{
	for (size_t i = 0; i < n && one->pid; i++)
		if (all[i].pid == one->pid && all[i].started_ns > one->started_ns &&
		    all[i].state != TP_AGENT_ABSENT)
			return true;
	return false;
}

/* Programs into which no agent was loaded, of ended processes. */
static void collect_executed(struct tp_app_tree *tree, bool all)
{
	for (unsigned i = 0; i < TP_AGENT_PROCESSES; i++) {
		struct tp_agent_execution *it = &tree->shared->tree->executed[i];
		uint32_t pid = __atomic_load_n(&it->pid, __ATOMIC_ACQUIRE);
		char path[TP_AGENT_PATH];
		double unused;
		if (!pid || !(all || is_gone(pid, &unused)))
			continue;
		memcpy(path, it->path, sizeof(path));
		path[sizeof(path) - 1] = '\0';
		/* Between these lines its agent may have come. */
		if (!__atomic_compare_exchange_n(&it->pid, &pid, 0, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		struct tp_app_process process = { .n = 1 };
		put_program(&process, path);
		struct tp_app_process *sum = sum_of(tree, &process);
		if (!sum->n)
			tp_copy(sum->why, sizeof(sum->why), path);
		sum->n++;
		tree->unfollowed = true;
	}
}

enum tp_status tp_app_tree_collect(struct tp_app_tree *tree, bool all, struct tp_diag *diag)
{
	TP_FREE struct taken *taken = tp_alloc(TP_AGENT_PROCESSES, sizeof(*taken));
	enum tp_status status = TP_OK;
	size_t n = 0;
	for (unsigned i = 0; i < TP_AGENT_PROCESSES && status == TP_OK; i++)
		if (__atomic_load_n(&tree->shared->tree->taken[i], __ATOMIC_ACQUIRE))
			status = look_at(tree, i, &taken[n++], diag);
	/* Places taken from now on are read next time: an image after the one that it ends. */
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		bool replaced = is_replaced(taken, n, &taken[i]);
		bool gone = !replaced && is_gone(taken[i].pid, &tree->cpu_seconds[taken[i].index]);
		if (all || (taken[i].state != TP_AGENT_ABSENT && (replaced || gone)))
			status = add_place(tree, taken[i].index, gone, diag);
	}
	if (status == TP_OK)
		collect_executed(tree, all);
	if (all) {
		/* The program may have written there. */
		tree->refused += tree->shared->tree->refused;
		tree->lost += tree->shared->tree->lost;
		tree->native += tree->shared->tree->unfollowed;
	}
	return status;
}

/* An image executed under another process id has its agent there. */
static enum tp_status collect_other(void *context, struct tp_app_shared *other,
				    struct tp_diag *diag)
{
	struct tp_app_tree *tree = context;
	struct tp_app_shared *own = tree->shared;
	for (unsigned i = 0; i < TP_AGENT_PROCESSES; i++)
		for (unsigned k = 0; k < TP_AGENT_PROCESSES && other->tree->taken[i]; k++)
			if (own->tree->executed[k].pid ==
			    (other->tree->taken[i] | TP_AGENT_OTHER_NUMBER))
				own->tree->executed[k].pid = 0;
	tree->shared = other;
	enum tp_status status = tp_app_tree_collect(tree, true, diag);
	tree->shared = own;
	return status;
}

/* --- a run --- */

static bool go_on(void *context)
{
	struct tp_app_tree *tree = context;
	const struct tp_app_command *command = tree->command;
	if (command->marks)
		follow_all(tree);
	/* Unreadable entries are tried again at the end. */
	tp_app_tree_collect(tree, false, NULL);
	return !command->go_on || command->go_on(command->context);
}

enum tp_status tp_app_tree_run(struct tp_app_tree *tree, tp_app_start *start,
			       struct tp_command_run *ran, struct tp_diags *notes,
			       struct tp_diag *diag)
{
	struct tp_app_command watched = *tree->command;
	watched.go_on = go_on;
	watched.context = tree;
	enum tp_status status = start(&watched, tree->shared, ran, notes, diag);
	if (status != TP_OK)
		return status;
	tp_app_note_late(tree->command, ran, notes);
	if (tree->command->marks)
		follow_all(tree);
	status = tp_app_elsewhere_each(tree->shared, collect_other, tree, diag);
	return status == TP_OK ? tp_app_tree_collect(tree, true, diag) : status;
}

/* --- results --- */

static int by_rank_and_work(const void *a, const void *b)
{
	const struct tp_app_process *x = a, *y = b;
	double of_x = work_of(x), of_y = work_of(y);
	if (x->has_rank != y->has_rank)
		return x->has_rank ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return strcmp(x->program, y->program);
}

/* Sums first. A program that was one process has no list. */
static struct tp_app_process *all_processes(struct tp_app_tree *tree, tp_app_why *why, size_t *n)
{
	struct tp_diag diag;
	*n = 0;
	for (size_t i = 0; i < tree->n_sums; i++) {
		struct tp_app_process *sum = &tree->sums[i];
		if (sum->followed)
			continue;
		/* Until now that is where its path was. */
		const char *words = why(sum->why, &diag);
		snprintf(sum->why, sizeof(sum->why), "%s",
			 words ? words : "was started without the agent");
	}
	if (tree->ran < 2 && !tree->unfollowed && !tree->ranks)
		return NULL;
	struct tp_app_process *all = tp_alloc(tree->n_sums + tree->n_each + 1, sizeof(*all));
	if (tree->n_sums)
		memcpy(all, tree->sums, tree->n_sums * sizeof(*all));
	qsort(all, tree->n_sums, sizeof(*all), by_rank_and_work);
	if (tree->n_each)
		memcpy(all + tree->n_sums, tree->each, tree->n_each * sizeof(*all));
	qsort(all + tree->n_sums, tree->n_each, sizeof(*all), by_rank_and_work);
	*n = tree->n_sums + tree->n_each;
	return all;
}

/* Regions of all threads first, code outside regions before the others. */
static struct tp_app_region *all_regions(struct tp_app_tree *tree, size_t *n)
{
	struct tp_app_region *all = tp_alloc(tree->n_regions + tree->n_threads + 1, sizeof(*all));
	*n = 0;
	for (size_t i = 0; i < tree->n_regions; i++) {
		struct tp_app_region *r = &tree->regions[i].region;
		if (tree->ran < 2)
			r->busy_threads = 0;
		all[(*n)++] = *r;
	}
	if (tree->n_threads)
		memcpy(all + *n, tree->threads, tree->n_threads * sizeof(*all));
	*n += tree->n_threads;
	return all;
}

/* Threads of all ranks, or of what ran at the same time. */
static unsigned busy_threads(const struct tp_app_tree *tree)
{
	unsigned busy = 0, ranks = 0;
	for (unsigned rank = 0; rank < tree->ranks; rank++) {
		bool there = false;
		for (size_t i = 0; i < tree->n_sums && !there; i++)
			there = tree->sums[i].has_rank && tree->sums[i].rank == rank;
		ranks += there;
	}
	if (ranks)
		return ranks * tree->rank_busy;
	for (size_t i = 0; i < tree->n_regions; i++)
		busy = TP_MAX(busy, tree->regions[i].region.busy_threads);
	return tree->ran < 2 ? 0 : busy;
}

void tp_app_tree_counts(struct tp_app_tree *tree, struct tp_app_counts *counts, tp_app_why *why)
{
	counts->busy_threads = busy_threads(tree);
	counts->regions = all_regions(tree, &counts->n_regions);
	counts->functions = tp_app_functions_list(tree->functions, &counts->n_functions);
	counts->n_threads = tree->ran_threads;
	put_calls(tree, counts);
	for (size_t i = 0; i < tree->n_sums; i++)
		counts->children += tree->sums[i].n;
	counts->children -= counts->children > 0;
	counts->processes = all_processes(tree, why, &counts->n_processes);
	counts->ran = tree->ran;
	counts->ranks = tree->ranks;
	counts->uncounted_programs = tree->unfollowed;
	counts->complete = tp_app_tree_notes(tree, &counts->notes);
}

void tp_app_tree_times(struct tp_app_tree *tree, tp_app_why *why)
{
	struct tp_app_time *time = tree->time;
	time->names = tree->names;
	tree->names = NULL;
	time->processes = all_processes(tree, why, &time->n_processes);
	tp_app_tree_notes(tree, &time->notes);
	time->regions = all_regions(tree, &time->n_regions);
	size_t n = 0;
	for (size_t i = 0; i < time->n_regions; i++)
		if (time->regions[i].name[0])
			time->regions[n++] = time->regions[i];
	time->n_regions = n;
}
