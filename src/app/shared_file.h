/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file that tprof shares with the agent (agent/shared.h), made and read. */
#ifndef TPROF_APP_SHARED_FILE_H
#define TPROF_APP_SHARED_FILE_H

#include <stddef.h>

#include "agent/shared.h"
#include "app/app.h"
#include "base/file.h"
#include "base/status.h"

/* Made by tp_app_shared_make, and released with tp_app_shared_release. */
struct tp_app_shared {
	int fd;
	struct tp_agent_tree *tree; /* the beginning; places are read only through `fd` */
	char path[64]; /* that an agent opens; its name for it is tree->file_path */
	/* For agents that cannot open it (elsewhere.h), and the lock held there; "", -1. */
	char folder[TP_PATH_MAX];
	int lock;
	/* Of another file: how far its clocks are behind ours; it belongs to another host. */
	int64_t later_ns;
	bool other_machine;
};

/* Makes the file, with the command's functions as regions. */
enum tp_status tp_app_shared_make(struct tp_app_shared *shared, enum tp_agent_mode mode,
				  const struct tp_app_command *command, struct tp_diag *diag);
void tp_app_shared_release(struct tp_app_shared *shared);
/* Clears a place for the next process. */
void tp_app_shared_free(const struct tp_app_shared *shared, unsigned place);

/* Where the counts of one image of one process lie. */
struct tp_app_place {
	int fd; /* of the shared file */
	unsigned index; /* below TP_AGENT_PROCESSES */
};

/*
 * What the agent left in a place. It is not trusted: impossible numbers are left out, with a note.
 * The first function copies the part before the threads, with indices and counts within bounds, and
 * texts terminated and clean. TP_IO.
 */
enum tp_status tp_app_shared_head(struct tp_app_place place, struct tp_agent_shared **head,
				  struct tp_diag *diag);
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

enum tp_status tp_app_shared_regions(struct tp_app_place place, const struct tp_agent_shared *head,
				     uint64_t ended_ns, struct tp_app_regions *regions,
				     struct tp_diag *diag);

/*
 * When threads were in regions, from the events of a run in mode TIME. What is still open ends at
 * `ended_ns`.
 */
void tp_app_shared_spans(const struct tp_agent_shared *head, uint64_t ended_ns,
			 struct tp_app_time *time);

/* Entries and exits, of all threads, that came when the table of events was full. */
uint64_t tp_app_shared_untold(struct tp_app_place place, const struct tp_agent_shared *head);

/* Events as they come, while the program runs. Zero-initialise. */
enum { TP_APP_FOLLOWED = 256 };

struct tp_app_follow {
	size_t taken;
	bool waited; /* for the next one, which is not written to its end */
	char names[TP_AGENT_REGIONS][TP_AGENT_NAME];
};

/* The next ones, at most TP_APP_FOLLOWED, and names of regions for them; 0 = none now. */
size_t tp_app_shared_follow(struct tp_app_place place, struct tp_app_follow *follow,
			    struct tp_app_mark marks[TP_APP_FOLLOWED]);

/* Bytes from `offset` of a place on. TP_IO. */
enum tp_status tp_app_shared_get(struct tp_app_place place, void *to, size_t bytes, size_t offset,
				 struct tp_diag *diag);

/* Pieces of the counters of one thread. */
struct tp_app_counters {
	unsigned thread;
	size_t n;
	const uint64_t *counts, *settled;
	const struct tp_agent_unit *units;
};

/* Calls `each` with all of them that have counted; ends with what is not TP_OK. */
enum tp_status tp_app_shared_counters(struct tp_app_place place, unsigned thread, size_t n_counters,
				      void (*each)(void *context,
						   const struct tp_app_counters *piece),
				      void *context, struct tp_diag *diag);
/* The number of counters of a thread. */
enum tp_status tp_app_shared_n_counters(struct tp_app_place place, unsigned thread, size_t *n,
					struct tp_diag *diag);

/* The offset of a thread, and of one of its fields. */
#define TP_APP_THREAD_AT(thread)                                                                   \
	(offsetof(struct tp_agent_shared, threads) + (thread) * sizeof(struct tp_agent_thread))

#define TP_APP_FIELD_AT(thread, field)                                                             \
	(TP_APP_THREAD_AT(thread) + offsetof(struct tp_agent_thread, field))

#endif
