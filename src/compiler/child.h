/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TPROF_COMPILER_CHILD_H
#define TPROF_COMPILER_CHILD_H

#include "base/process.h"
#include "compiler/compiler.h"

struct tp_cc_child {
	pid_t pid; /* -1 = none */
	int fd; /* its output, -1 = closed */
	double until; /* tp_now_seconds() */
	struct tp_str said; /* the first TP_COMPILE_SAID_BYTES */
	size_t lost_bytes; /* said beyond */
};

#define TP_CC_NONE ((struct tp_cc_child){ .pid = -1, .fd = -1 })

struct tp_cc_start {
	char *const *arguments; /* the first is the program's path */
	const char *folder; /* for its temporary files; NULL = as usual */
	const cpu_set_t *cpus; /* NULL = as ours */
	size_t cpus_bytes;
	double limit_seconds;
};

/* TP_RESOURCE: no process; nothing needs a release then. */
enum tp_status tp_cc_child_start(struct tp_cc_child *child, const struct tp_cc_start *start,
				 struct tp_diag *diag);

/*
 * Reads its output. True when it has ended, with all that it started; `late` if it was killed
 * because it took too long. `said` stays for the caller, who releases the child.
 */
bool tp_cc_child_ended(struct tp_cc_child *child, struct tp_process_end *end, bool *late);

/* Waits until one of the children prints something, at most some 20 ms. */
void tp_cc_children_wait(const struct tp_cc_child *const *children, size_t n);

/* Kills it if it runs, and everything that it started. */
void tp_cc_child_release(struct tp_cc_child *child);
/*
 * Runs one to its end; the caller releases `said`. TP_CANCELLED, TP_RESOURCE; `late` and `end` as
 * above.
 */
enum tp_status tp_cc_run(const struct tp_cc_start *start, struct tp_str *said,
			 struct tp_process_end *end, bool *late, struct tp_diag *diag);

/* Takes every `prefix` out of the text. */
void tp_cc_messages_shorten(struct tp_str *messages, const char *prefix);

/* The first error, printable: `where` and `what`. False if the messages hold no text at all. */
bool tp_cc_messages_error(const char *messages, const char *program, struct tp_diag *diag);

/* Paths and flags are foreign text, too. NULL is fine. */
void tp_cc_diag_clean(struct tp_diag *diag);

#endif
