/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to this room: a running compiler, its messages, and the folder of objects. */
#ifndef TPROF_COMPILER_PARTS_H
#define TPROF_COMPILER_PARTS_H

#include <stdint.h>

#include "base/process.h"
#include "compiler/compiler.h"

/* --- a running compiler: child.c --- */

struct tp_cc_child {
	pid_t pid; /* -1 = none */
	int fd; /* what it says, -1 = it closed that */
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

/* TP_RESOURCE: no process; nothing is left then. */
enum tp_status tp_cc_child_start(struct tp_cc_child *child, const struct tp_cc_start *start,
				 struct tp_diag *diag);
/*
 * Takes what it said. True when it has ended, with all that it started; `late` if it was killed
 * because it took too long. `said` stays for the caller, who releases the child.
 */
bool tp_cc_child_ended(struct tp_cc_child *child, struct tp_process_end *end, bool *late);
/* Waits until one of the children says something, at most some 20 ms. */
void tp_cc_children_wait(const struct tp_cc_child *const *children, size_t n);
/* Kills it if it runs, and everything that it started. */
void tp_cc_child_release(struct tp_cc_child *child);

/* --- messages.c --- */

/* Takes every `prefix` out of the text. */
void tp_cc_messages_shorten(struct tp_str *messages, const char *prefix);
/* The first error, printable: `where` and `what`. False if the messages hold no text at all. */
bool tp_cc_messages_error(const char *messages, const char *program, struct tp_diag *diag);

/* Paths and flags are other people's text, too. NULL is fine. */
void tp_cc_diag_clean(struct tp_diag *diag);

/* --- the folder of objects: store.c and entries.c --- */

bool tp_cc_path(char out[TP_PATH_MAX], const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The cache, made and checked. */
enum tp_status tp_cc_folder(char out[TP_PATH_MAX], struct tp_diag *diag);
/* A new file in a folder of ours. `sync`: it is on the disk afterwards. */
enum tp_status tp_cc_put(const char *folder, const char *name, const struct tp_str *text, bool sync,
			 struct tp_diag *diag);
/* A new folder below `folder` for the files of one object until they are whole. */
enum tp_status tp_cc_temporary(const char *folder, char out[TP_PATH_MAX], struct tp_diag *diag);
void tp_cc_remove(const char *path); /* with all that is in it */

/* What decides the content of an object. */
struct tp_cc_key {
	struct tp_str text;
	char name[17]; /* its hash */
};
/* `compiler` NULL: of a prebuilt object. */
enum tp_status tp_cc_key_make(struct tp_cc_key *key, const struct tp_compiler *compiler,
			      const struct tp_object *object, struct tp_diag *diag);

/* Looks up; marks the entry as used. `messages` gets what the compiler had said. */
bool tp_cc_cached(const char *folder, const struct tp_cc_key *key, char path[TP_PATH_MAX],
		  struct tp_str *messages);
bool tp_cc_prebuilt(const char *folder, const struct tp_cc_key *key, char path[TP_PATH_MAX]);
/*
 * True if `path` is a whole object, a shared or a relocatable one, which then is on the disk: it is
 * synced.
 */
bool tp_cc_is_whole(const char *path, bool relocatable);
/* The same for a text, of which nobody can see the end. */
bool tp_cc_is_text(const char *path);
/*
 * Makes the temporary folder `from` an entry. If another process was faster, its entry is taken.
 * `from` is gone on success.
 */
enum tp_status tp_cc_publish(const char *folder, const char *from, const struct tp_cc_key *key,
			     char path[TP_PATH_MAX], struct tp_diag *diag);
enum tp_status tp_cc_publish_prebuilt(const char *folder, const char *from,
				      const struct tp_cc_key *key, char path[TP_PATH_MAX],
				      struct tp_diag *diag);
/*
 * Removes temporary folders that are older than an hour, and the entries that were used the longest
 * time ago until the rest takes at most `limit_bytes`. What was used within the last
 * `young_seconds` stays: another process may be about to load it.
 */
void tp_cc_trim(const char *folder, uint64_t limit_bytes, double young_seconds);

#endif
