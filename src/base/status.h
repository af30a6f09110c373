/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one error rule: a function that can fail returns enum tp_status (0 = ok) and puts a message
 * into the caller's struct tp_diag. `where` is a place (file:line:column, an option, a device),
 * `what` the problem, `hint` what is allowed, or the remedy. All three are copies.
 */
#ifndef TPROF_BASE_STATUS_H
#define TPROF_BASE_STATUS_H

#include <stdarg.h>
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
 * item then gives the number of further ones. Zero-initialise; release at the end.
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
enum tp_status tp_vfail(struct tp_diag *diag, enum tp_status status, const char *where,
			const char *hint, const char *fmt, va_list ap)
	__attribute__((format(printf, 5, 0)));

/* Appends a copy, or counts it. */
void tp_diags_add(struct tp_diags *list, const struct tp_diag *diag);

/* The same in words, as of tp_fail: a failure or just a note. */
void tp_diags_note(struct tp_diags *list, const char *where, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Counts `n` more that were not kept. */
void tp_diags_more(struct tp_diags *list, size_t n);
void tp_diags_release(struct tp_diags *list);

/* The errors of one file, each with its line and column, in the order of the lines. */

/* A place in a file; from 1, as editors count. 0 = the file as a whole. */
struct tp_place {
	unsigned line, column;
};

enum { TP_FAULTS_MAX = TP_DIAGS_MAX }; /* reported for one file; more are only counted */

/* Zero-initialise, with the name of the file. */
struct tp_faults {
	const char *name;
	struct tp_fault {
		struct tp_place place;
		struct tp_diag diag;
	} * items;
	size_t n, cap, untold;
};

/* False, for the caller to return. */
bool tp_faults_add(struct tp_faults *faults, struct tp_place place, const char *hint,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));
size_t tp_faults_count(const struct tp_faults *faults);

/* Hands the errors on, and is empty and without memory afterwards. Returns how many there were. */
size_t tp_faults_flush(struct tp_faults *faults, struct tp_diags *diags);

/* "name:3:7", shortened at its front when `size` is too small, fit to be shown. */
const char *tp_place_text(char *out, size_t size, const char *name, struct tp_place place);

#endif
