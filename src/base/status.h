/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one error rule: a function that can fail returns enum tp_status (0 = ok) and puts words for
 * people into the caller's struct tp_diag. `where` is a place (file:line:column, an option, a
 * device), `what` the problem, `hint` what is allowed or what would help. All three are copies.
 */
#ifndef TPROF_BASE_STATUS_H
#define TPROF_BASE_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#define TP_STATUS_LIST(X)                                                                          \
	X(OK, "ok")                                                                                \
	X(FAILED, "failed")                                                                        \
	X(NOMEM, "out of memory")                                                                  \
	X(USAGE, "usage") /* the user asked for something that cannot be */                        \
	X(NOTFOUND, "not found")                                                                   \
	X(IO, "input/output")                                                                      \
	X(PERM, "not permitted")                                                                   \
	X(RESOURCE, "resource not available")                                                      \
	X(UNSUPPORTED, "not supported here")                                                       \
	X(CANCELLED, "cancelled")                                                                  \
	X(CRASHED, "crashed")                                                                      \
	X(INTERNAL, "internal error")

enum tp_status {
#define TP_STATUS_ENUM(name, text) TP_##name,
	TP_STATUS_LIST(TP_STATUS_ENUM)
#undef TP_STATUS_ENUM
		TP_STATUS_COUNT
};

/* Exit codes of the program (spec: command line). */
enum tp_exit {
	TP_EXIT_OK = 0,
	TP_EXIT_FAILED = 1,
	TP_EXIT_USAGE = 2,
	TP_EXIT_SKIPPED = 3,
	TP_EXIT_RESOURCE = 4,
	TP_EXIT_UNSTABLE = 5,
	TP_EXIT_MEMORY = 6, /* the process ran out of memory (memory.h) */
	TP_EXIT_INTERRUPTED = 130,
};

struct tp_diag {
	char where[192];
	char what[384];
	char hint[384];
};

/*
 * A list of diagnoses, such as every error of one preset. It keeps the first TP_DIAGS_MAX; the last
 * item then says how many more there were. Zero-initialise; release at the end.
 */
enum { TP_DIAGS_MAX = 50 };
struct tp_diags {
	struct tp_diag *items;
	size_t n, cap;
	size_t untold; /* not kept */
};

const char *tp_status_name(enum tp_status status); /* "out of memory" */
enum tp_exit tp_status_exit(
	enum tp_status status); /* the exit code a status ends the program with */

/* Fills `diag` (may be NULL) and returns `status`; `where` and `hint` may be NULL. */
enum tp_status tp_fail(struct tp_diag *diag, enum tp_status status, const char *where,
		       const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* Appends a copy, or counts it. When memory runs out, the diagnosis is dropped. */
void tp_diags_add(struct tp_diags *list, const struct tp_diag *diag);
/* The same of a note, which is no failure, in words as of tp_fail. */
void tp_diags_note(struct tp_diags *list, const char *where, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Counts `n` more that nobody kept. */
void tp_diags_more(struct tp_diags *list, size_t n);
void tp_diags_release(struct tp_diags *list);

#endif
