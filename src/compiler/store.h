/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Entries have keys, are looked up, published, and trimmed.
 */
#ifndef TPROF_COMPILER_STORE_H
#define TPROF_COMPILER_STORE_H

#include <stdint.h>

#include "compiler/compiler.h"

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
void tp_cc_key_make(struct tp_cc_key *key, const struct tp_compiler *compiler,
		    const struct tp_object *object);

/* Looks up; marks the entry as used. `messages` becomes the compiler's output. */
bool tp_cc_cached(const char *folder, const struct tp_cc_key *key, char path[TP_PATH_MAX],
		  struct tp_str *messages);

/*
 * True if `path` is a whole object, a shared or a relocatable one, which then is on the disk: it is
 * synced.
 */
bool tp_cc_is_whole(const char *path, bool relocatable);

/* The same for a text, whose completeness cannot be checked. */
bool tp_cc_is_text(const char *path);

/*
 * Makes the temporary folder `from` an entry. If another process was faster, its entry is taken.
 * `from` is gone on success.
 */
enum tp_status tp_cc_publish(const char *folder, const char *from, const struct tp_cc_key *key,
			     char path[TP_PATH_MAX], struct tp_diag *diag);

/*
 * Removes temporary folders that are older than an hour, and the entries that were used the longest
 * time ago until the rest takes at most `limit_bytes`. What was used within the last
 * `young_seconds` stays: another process may be about to load it.
 */
void tp_cc_trim(const char *folder, uint64_t limit_bytes, double young_seconds);

#endif
