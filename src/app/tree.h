/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processes of a program, added up. Each leaves its counts in a place of the shared file; a
 * place is read and freed when its process has ended, so that a program may start any number of
 * them one after the other.
 */
#ifndef TPROF_APP_TREE_H
#define TPROF_APP_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "app/app.h"
#include "app/functions.h"
#include "app/run.h"
#include "app/shared_file.h"
#include "base/status.h"

/* The most rows: of programs with their ranks, and of single processes. */
enum { TP_APP_PROGRAMS_MAX = 512, TP_APP_PROCESSES_MAX = 40 };

/* A region over all processes. */
struct tp_app_tree_region {
	struct tp_app_region region;
	/*
	 * Processes that run at the same time have its time at the same time, those that follow
	 * each other one after the other. The former form a group, which ends with the last one.
	 */
	double group_seconds, earlier_seconds;
	uint64_t group_end_ns;
	unsigned group_busy;
};

struct tp_app_tree {
	const struct tp_app_command *command;
	struct tp_app_shared *shared;
	struct tp_app_functions *functions; /* NULL = a run that is timed */
	struct tp_app_tree_region *regions;
	size_t n_regions, regions_cap;
	/* Threads of the process that did most: they have rows. */
	struct tp_app_region *threads;
	size_t n_threads;
	double most;
	unsigned ran_threads;
	/* By program and rank, and single ones. */
	struct tp_app_process *sums, *each;
	size_t n_sums, sums_cap, n_each, each_cap;
	unsigned ran, ranks;
	unsigned killed; /* of those that ran: vanished without an end */
	char killed_program[TP_APP_NAME + 24]; /* the first, with its rank */
	unsigned rank_busy; /* threads of a rank that have work, at most */
	/* System calls of the process that did most, and of each of its threads. */
	struct tp_agent_call calls[TP_AGENT_CALLS];
	double call_seconds[TP_APP_THREADS];
	/* The material for notes. */
	uint64_t lost_threads, unbalanced, unended, lost_regions;
	uint64_t refused, lost, native; /* processes, as in struct tp_agent_tree */
	uint32_t function_found[TP_AGENT_REGIONS];
	char words[512]; /* of a process that was not counted, or timed, as it should be */
	bool damaged, detached, unfollowed, root_followed;
	struct tp_diags notes;
	/* When threads were in regions, of all processes, with names that they have in common. */
	struct tp_app_time *time; /* NULL = a run that counts */
	size_t spans_cap;
	char (*names)[TP_APP_NAME]; /* TP_APP_REGIONS of them; "" = free */
	struct tp_app_follow *follows[TP_AGENT_PROCESSES]; /* by place; NULL = no mark so far */
	double cpu_seconds[TP_AGENT_PROCESSES]; /* by place: last seen value, for one that is killed
						 */
};

/* `time`: gets spans and names; NULL = a run that counts. Release with tp_app_tree_release. */
void tp_app_tree_init(struct tp_app_tree *tree, const struct tp_app_command *command,
		      struct tp_app_shared *shared, struct tp_app_time *time);
void tp_app_tree_release(struct tp_app_tree *tree);

/*
 * Reads what processes have left that have ended; `all`: of every process, because the program has.
 * TP_IO. tp_app_tree_run does that.
 */
enum tp_status tp_app_tree_collect(struct tp_app_tree *tree, bool all, struct tp_diag *diag);

/*
 * Runs `command` by `start`, which adds a way of counting; while it runs, places are read
 * and marks are passed on. As tp_app_execute.
 */
typedef enum tp_status tp_app_start(const struct tp_app_command *command,
				    struct tp_app_shared *shared, struct tp_command_run *ran,
				    struct tp_diags *notes, struct tp_diag *diag);
enum tp_status tp_app_tree_run(struct tp_app_tree *tree, tp_app_start *start,
			       struct tp_command_run *ran, struct tp_diags *notes,
			       struct tp_diag *diag);

/*
 * Gives everything to `counts` except how the program ended and how long it took. `why` gives the
 * reason why a program ran uncounted, as words for "PROGRAM ...", or NULL.
 */
typedef const char *tp_app_why(const char *path, struct tp_diag *diag);
void tp_app_tree_counts(struct tp_app_tree *tree, struct tp_app_counts *counts, tp_app_why *why);
/* The same of a run that was timed. */
void tp_app_tree_times(struct tp_app_tree *tree, tp_app_why *why);

/* --- notes.c --- */

/* Words on what was not counted, or not as asked; true if followed processes were, all of them. */
bool tp_app_tree_notes(const struct tp_app_tree *tree, struct tp_diags *notes);

#endif
