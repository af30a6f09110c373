/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The folder of the cache: its owner, writing, and eviction. Entries, there and in a folder of
 * prebuilt objects: their keys, look-up and publishing.
 */
#include "compiler/store.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/tally.h"
#include "base/memory.h"

/* Names of temporary folders begin like this. */
#define TEMPORARY "new."

enum { OPEN_FOLDERS = 16, TEMPORARY_SECONDS = 3600 };

static const char elsewhere[] = "set XDG_CACHE_HOME to one of your folders";

bool tp_cc_path(char out[TP_PATH_MAX], const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(out, TP_PATH_MAX, format, ap);
	va_end(ap);
	return n >= 0 && n < TP_PATH_MAX;
}

static enum tp_status fail(struct tp_diag *diag, const char *path, const char *verb)
{
	bool full = errno == ENOSPC || errno == EDQUOT;
	bool denied = errno == EACCES || errno == EPERM || errno == EROFS;
	return tp_fail(diag,
		       full	? TP_RESOURCE
		       : denied ? TP_PERM
				: TP_IO,
		       path, full ? "free some space there, or set XDG_CACHE_HOME" : elsewhere,
		       "cannot %s: %s", verb, strerror(errno));
}

enum tp_status tp_cc_folder(char out[TP_PATH_MAX], struct tp_diag *diag)
{
	char whole[TP_PATH_MAX], *slash = out;
	struct stat st;
	enum tp_status status = tp_path_user_cache("objects", out, diag);
	if (status != TP_OK)
		return status;
	tp_copy(whole, sizeof(whole), out);
	/* The user's cache, then "tprof" and "objects" in it. */
	for (unsigned up = 0; up < 2; up++)
		if ((slash = strrchr(out, '/')))
			*slash = '\0';
	status = tp_dir_make(out, diag);
	/* What others can write would make us load their code. A link would lead anywhere. */
	for (unsigned down = 0; status == TP_OK && down < 2; down++) {
		out[strlen(out)] = '/';
		if ((mkdir(out, 0700) != 0 && errno != EEXIST) || lstat(out, &st) != 0)
			status = fail(diag, out, "create the directory");
		else if (!S_ISDIR(st.st_mode))
			status = tp_fail(diag, TP_PERM, out, elsewhere,
					 "compiled code is not kept there: it is not a directory");
		else
			status = tp_folder_own(out, diag);
	}
	tp_copy(out, TP_PATH_MAX, whole);
	return status;
}

enum tp_status tp_cc_put(const char *folder, const char *name, const struct tp_str *text, bool sync,
			 struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	if (!tp_cc_path(path, "%s/%s", folder, name))
		return tp_fail(diag, TP_USAGE, folder, elsewhere, "path too long");
	int fd;
	enum tp_status status =
		tp_file_create(TP_TYPED_NOTHING, path, O_WRONLY | O_CREAT | O_EXCL, &fd, diag);
	if (status != TP_OK)
		return status;
	bool good = tp_write_all(fd, tp_str_text(text), text->len) && (!sync || fsync(fd) == 0);
	int error = errno;
	if (close(fd) != 0 && good) {
		good = false;
		error = errno;
	}
	errno = error;
	return good ? TP_OK : fail(diag, path, "write");
}

enum tp_status tp_cc_temporary(const char *folder, char out[TP_PATH_MAX], struct tp_diag *diag)
{
	if (!tp_cc_path(out, "%s/" TEMPORARY "%ld.XXXXXX", folder, (long)getpid()))
		return tp_fail(diag, TP_USAGE, folder, elsewhere, "path too long");
	return mkdtemp(out) ? TP_OK : fail(diag, folder, "create a directory there");
}

static int remove_one(const char *path, const struct stat *st __attribute__((unused)), int kind,
		      struct FTW *at __attribute__((unused)))
{
	if (kind == FTW_DP || kind == FTW_DNR)
		rmdir(path);
	else
		unlink(path);
	return 0;
}

void tp_cc_remove(const char *path)
{
	nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

/* --- trimming --- */

struct entry {
	char name[24]; /* a hash, perhaps followed by a number */
	uint64_t bytes;
	time_t used;
};

struct entries {
	struct entry *items;
	size_t n, cap;
	uint64_t bytes;
};

/* What the files of an entry take on the disk. */
static uint64_t size_of(const char *path)
{
	static const char *const files[] = { "object.so", "source.c", "source.s", "messages.txt",
					     "key" };
	uint64_t bytes = 0;
	for (size_t i = 0; i < TP_COUNT_OF(files); i++) {
		char file[TP_PATH_MAX];
		struct stat st;
		if (tp_cc_path(file, "%s/%s", path, files[i]) && lstat(file, &st) == 0)
			bytes += (uint64_t)st.st_blocks * 512;
	}
	return bytes;
}

static int by_use(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	return (x->used > y->used) - (x->used < y->used);
}

static void take_entry(struct entries *list, const char *folder, const char *name)
{
	char path[TP_PATH_MAX];
	struct stat st;
	struct entry e = { 0 };
	if (name[0] == '.' || !tp_cc_path(path, "%s/%s", folder, name) || lstat(path, &st) != 0 ||
	    !S_ISDIR(st.st_mode))
		return;
	if (strncmp(name, TEMPORARY, strlen(TEMPORARY)) == 0) {
		if (time(NULL) - st.st_mtime > TEMPORARY_SECONDS)
			tp_cc_remove(path);
		return;
	}
	if (!tp_copy(e.name, sizeof(e.name), name))
		return;
	TP_RESERVE(list->items, list->cap, list->n + 1);
	e.used = st.st_mtime;
	e.bytes = size_of(path);
	list->bytes += e.bytes;
	list->items[list->n++] = e;
}

/* It disappears at once: a concurrent look-up finds all of it or nothing. */
static bool remove_entry(const char *folder, const char *name)
{
	char path[TP_PATH_MAX], aside[TP_PATH_MAX];
	if (!tp_cc_path(path, "%s/%s", folder, name) ||
	    tp_cc_temporary(folder, aside, NULL) != TP_OK)
		return false;
	bool gone = rename(path, aside) == 0;
	tp_cc_remove(aside);
	return gone;
}

void tp_cc_trim(const char *folder, uint64_t limit_bytes, double young_seconds)
{
	struct entries list = { 0 };
	DIR *dir = opendir(folder);
	if (!dir)
		return;
	for (struct dirent *d; (d = readdir(dir));)
		take_entry(&list, folder, d->d_name);
	closedir(dir);
	if (list.n)
		qsort(list.items, list.n, sizeof(*list.items), by_use);
	for (size_t i = 0; i < list.n && list.bytes > limit_bytes; i++) {
		if (difftime(time(NULL), list.items[i].used) < young_seconds)
			break;
		if (remove_entry(folder, list.items[i].name))
			list.bytes -= list.items[i].bytes;
	}
	free(list.items);
}

/* Entries whose keys have the same hash. */
enum { SAME_HASH_MAX = 4 };

/* --- keys --- */

/* Other influences on the compilers' code. */
static const char *const environment[] = { "CPATH",	      "C_INCLUDE_PATH",
					   "LIBRARY_PATH",    "COMPILER_PATH",
					   "GCC_EXEC_PREFIX", "CCC_OVERRIDE_OPTIONS" };

void tp_cc_key_make(struct tp_cc_key *key, const struct tp_compiler *compiler,
		    const struct tp_object *object)
{
	uint64_t hash = TP_HASH_START;
	*key = (struct tp_cc_key){ 0 };
	/* The number changes when this room compiles in another way. */
	tp_str_add(&key->text, compiler ? "tprof object 1\n" : "tprof prebuilt 1\n");
	if (compiler) {
		tp_str_printf(&key->text, "program %s\nversion %s\n", compiler->program,
			      compiler->version);
		for (size_t i = 0; i < compiler->n_flags; i++)
			tp_str_printf(&key->text, "flag %s\n", compiler->flags[i]);
		if (compiler->target[0])
			tp_str_printf(&key->text, "native %s\n", compiler->target);
		for (size_t i = 0; i < TP_COUNT_OF(environment); i++) {
			const char *value = getenv(environment[i]);
			if (value && *value)
				tp_str_printf(&key->text, "%s %s\n", environment[i], value);
		}
	}
	tp_str_add(&key->text, "\n");
	tp_str_add_n(&key->text, object->key, object->key_bytes);
	for (size_t i = 0; i < key->text.len; i++)
		hash = tp_hash_step(hash, (unsigned char)key->text.s[i]);
	snprintf(key->name, sizeof(key->name), "%016llx", (unsigned long long)hash);
}

/* --- look-up --- */

enum match { FREE, BROKEN, OTHER, SAME };

/* A regular file written by this user or by whoever installed the program. */
static bool is_object(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
	       !(st.st_mode & S_IWOTH);
}

/* The n-th entry of that hash. */
static bool entry_path(char out[TP_PATH_MAX], const char *folder, const struct tp_cc_key *key,
		       unsigned n)
{
	return n ? tp_cc_path(out, "%s/%s-%u", folder, key->name, n)
		 : tp_cc_path(out, "%s/%s", folder, key->name);
}

static enum match compare_entry(const char *entry, const struct tp_cc_key *key,
				char object[TP_PATH_MAX])
{
	char key_path[TP_PATH_MAX];
	TP_FREE char *text = NULL;
	size_t len = 0;
	struct stat st;
	if (!tp_cc_path(object, "%s/object.so", entry) || !tp_cc_path(key_path, "%s/key", entry) ||
	    access(entry, F_OK) != 0)
		return FREE;
	if (lstat(key_path, &st) != 0 || !S_ISREG(st.st_mode) || !is_object(object))
		return BROKEN;
	if ((size_t)st.st_size != key->text.len)
		return st.st_size ? OTHER : BROKEN;
	if (tp_file_read(key_path, key->text.len, &text, &len, NULL) != TP_OK)
		return BROKEN;
	return len == key->text.len && memcmp(text, key->text.s, len) == 0 ? SAME : OTHER;
}

bool tp_cc_cached(const char *folder, const struct tp_cc_key *key, char path[TP_PATH_MAX],
		  struct tp_str *messages)
{
	for (unsigned n = 0; n < SAME_HASH_MAX; n++) {
		char entry[TP_PATH_MAX], said[TP_PATH_MAX], *text = NULL;
		size_t len = 0;
		if (!entry_path(entry, folder, key, n) || compare_entry(entry, key, path) != SAME)
			continue;
		/* The least recently used one is evicted first. */
		utimensat(AT_FDCWD, entry, NULL, 0);
		tp_str_clear(messages);
		if (tp_cc_path(said, "%s/messages.txt", entry) &&
		    tp_file_read(said, 2 * TP_COMPILE_SAID_BYTES, &text, &len, NULL) == TP_OK)
			tp_str_add_n(messages, text, len);
		free(text);
		return true;
	}
	path[0] = '\0';
	return false;
}

/* --- publishing --- */

/* A complete object: linkers write the section table last, at its end. */
bool tp_cc_is_whole(const char *path, bool relocatable)
{
	ElfW(Ehdr) head;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	bool whole =
		fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		pread(fd, &head, sizeof(head), 0) == sizeof(head) &&
		memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
		head.e_type == (relocatable ? ET_REL : ET_DYN) &&
		head.e_shoff <= (uint64_t)st.st_size &&
		(uint64_t)head.e_shnum * head.e_shentsize <= (uint64_t)st.st_size - head.e_shoff &&
		fsync(fd) == 0;
	close(fd);
	return whole;
}

bool tp_cc_is_text(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	bool whole = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && fsync(fd) == 0;
	close(fd);
	return whole;
}

/* An obstacle is moved into `from`, and removed with it. */
static bool move_away(const char *entry, const char *from)
{
	char aside[TP_PATH_MAX];
	return tp_cc_path(aside, "%s/old", from) && rename(entry, aside) == 0;
}

/* One attempt at the n-th entry. True when it is decided. */
static bool publish_as(unsigned n, const char *folder, const char *from,
		       const struct tp_cc_key *key, char path[TP_PATH_MAX])
{
	char entry[TP_PATH_MAX], old[TP_PATH_MAX];
	if (!entry_path(entry, folder, key, n))
		return false;
	enum match match = compare_entry(entry, key, path);
	if (match == SAME) {
		tp_cc_remove(from);
		return true;
	}
	/* With all places taken, the last one is evicted. */
	if (match == OTHER && n + 1 < SAME_HASH_MAX)
		return false;
	if (match != FREE && !move_away(entry, from) && errno != ENOENT)
		return false;
	if (rename(from, entry) != 0) {
		/* Another process may have been faster with the same. */
		if (compare_entry(entry, key, path) != SAME)
			return false;
		tp_cc_remove(from);
		return true;
	}
	if (tp_cc_path(old, "%s/old", entry))
		tp_cc_remove(old);
	return true;
}

enum tp_status tp_cc_publish(const char *folder, const char *from, const struct tp_cc_key *key,
			     char path[TP_PATH_MAX], struct tp_diag *diag)
{
	for (unsigned n = 0; n < SAME_HASH_MAX; n++)
		if (publish_as(n, folder, from, key, path))
			return TP_OK;
	int error = errno;
	path[0] = '\0';
	return tp_fail(diag, TP_IO, folder, "set XDG_CACHE_HOME to one of your folders",
		       "the new object cannot be renamed to its name there: %s", strerror(error));
}
