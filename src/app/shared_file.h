/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file that tprof shares with the agent (agent/shared.h), made and read. */
#ifndef TPROF_APP_SHARED_FILE_H
#define TPROF_APP_SHARED_FILE_H

#include <stddef.h>

#include "agent/shared.h"
#include "app/app.h"
#include "base/status.h"

/* Zero-initialise; release with tp_app_shared_release. */
struct tp_app_shared {
	int fd;
	/* All that comes before the threads, in memory; the rest is read through `fd` alone. */
	struct tp_agent_shared *head;
	char path[64]; /* that the agent opens */
};

/* Makes the file, with the command's functions as regions. */
enum tp_status tp_app_shared_make(struct tp_app_shared *shared, enum tp_agent_mode mode,
				  const struct tp_app_command *command, struct tp_diag *diag);
void tp_app_shared_release(struct tp_app_shared *shared);

/*
 * What the agent left in the file `fd`. Nothing in there is believed: numbers that cannot be are
 * left out, and a note says so. The first copies what comes before the threads: indices and counts
 * in it are within bounds then, and texts end and are clean. TP_IO.
 */
enum tp_status tp_app_shared_head(int fd, struct tp_agent_shared **head, struct tp_diag *diag);
void tp_app_shared_head_free(struct tp_agent_shared *head);

/*
 * Regions of all threads, then of each. `ended_ns` (CLOCK_MONOTONIC): when the program had ended.
 * *damaged: numbers were left out.
 */
struct tp_app_regions {
	struct tp_app_region *items;
	size_t n;
	unsigned n_threads;
	bool damaged;
};

enum tp_status tp_app_shared_regions(int fd, const struct tp_agent_shared *head, uint64_t ended_ns,
				     struct tp_app_regions *regions, struct tp_diag *diag);

/*
 * When threads were in regions, from the events of a run in mode TIME. What is still open ends at
 * `ended_ns`.
 */
void tp_app_shared_spans(const struct tp_agent_shared *head, uint64_t ended_ns,
			 struct tp_app_time *time);

/* Entries and exits, of all threads, that came when there was no room for events any more. */
uint64_t tp_app_shared_untold(int fd, const struct tp_agent_shared *head);

/* Events as they come, while the program runs. Zero-initialise. */
enum { TP_APP_FOLLOWED = 256 };

struct tp_app_follow {
	size_t taken;
	bool waited; /* for the next one, which is not written to its end */
	char names[TP_AGENT_REGIONS][TP_AGENT_NAME];
};

/* The next ones, at most TP_APP_FOLLOWED, and names of regions for them; 0 = none now. */
size_t tp_app_shared_follow(int fd, struct tp_app_follow *follow,
			    struct tp_app_mark marks[TP_APP_FOLLOWED]);

/* Functions by the blocks in them, most instructions first; at most TP_APP_FUNCTIONS. */
enum { TP_APP_FUNCTIONS = 1000 };

enum tp_status tp_app_shared_functions(int fd, const struct tp_agent_shared *head,
				       struct tp_app_function **functions, size_t *n,
				       struct tp_diag *diag);

/*
 * Words on what was not counted, or not as asked. Returns whether everything was. `never` says why
 * the agent could not be loaded, if that is known (NULL = it is not).
 */
bool tp_app_shared_notes(const struct tp_agent_shared *head, const struct tp_app_command *command,
			 const struct tp_app_regions *regions, const char *never,
			 struct tp_diags *notes);

/*
 * All of the above that counting leaves, but how the program ended and how long it took: of a
 * program that has ended just now. TP_IO.
 */
enum tp_status tp_app_shared_counts(int fd, const struct tp_agent_shared *head,
				    const struct tp_app_command *command, const char *never,
				    struct tp_app_counts *counts, struct tp_diag *diag);

/* What the readers of the shared file have in common. */

/* Calls `each` with pieces of the counters of one thread; ends with what is not TP_OK. */
struct tp_app_counters {
	unsigned thread;
	size_t n;
	const uint64_t *counts, *settled;
	const struct tp_agent_unit *units;
};

/* The offset of a thread, and of one of its fields. */
#define TP_APP_THREAD_AT(thread)                                                                   \
	(offsetof(struct tp_agent_shared, threads) + (thread) * sizeof(struct tp_agent_thread))

#define TP_APP_FIELD_AT(thread, field)                                                             \
	(TP_APP_THREAD_AT(thread) + offsetof(struct tp_agent_thread, field))

#endif
