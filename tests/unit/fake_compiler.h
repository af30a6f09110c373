/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder with a cache and with compilers made up of shell scripts, and objects to compile. */
#ifndef TPROF_TESTS_FAKE_COMPILER_H
#define TPROF_TESTS_FAKE_COMPILER_H

#include "files.h"

#include <dirent.h>
#include <elf.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/child.h"
#include "compiler/store.h"

static char top[64]; /* bin/ holds compilers, cache/ the cache, calls one line for each call */

/* A file that passes for a shared object: a header, and a table of sections at the end. */
static inline void put_whole_object(void)
{
	union {
		ElfW(Ehdr) head;
		char bytes[4096 + sizeof(ElfW(Shdr))];
	} object = { .head = { .e_type = ET_DYN,
			       .e_shoff = 4096,
			       .e_shnum = 1,
			       .e_shentsize = sizeof(ElfW(Shdr)) } };
	char path[TP_PATH_MAX];
	memcpy(object.head.e_ident, ELFMAG, SELFMAG);
	snprintf(path, sizeof(path), "%s/whole", top);
	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, object.bytes, sizeof(object), NULL),
			 TP_OK);
}

static inline int make_top(void **state)
{
	char cache[TP_PATH_MAX];
	(void)state;
	strcpy(top, "/tmp/tprof-compiler-XXXXXX");
	if (!mkdtemp(top))
		return 1;
	snprintf(cache, sizeof(cache), "%s/cache", top);
	setenv("XDG_CACHE_HOME", cache, 1);
	unsetenv("CC");
	put_whole_object();
	return 0;
}

static inline int remove_top(void **state)
{
	(void)state;
	return remove_tree(top);
}

/*
 * A compiler whose work is `script`. There, $out is the file to write, $src the source, $top the
 * folder.
 */
static inline void put_compiler(const char *name, const char *script)
{
	char text[4096], relative[64], path[TP_PATH_MAX];
	snprintf(text, sizeof(text),
		 "#!/bin/sh\ntop=%s\necho \"$*\" >>$top/calls\n"
		 "[ \"$1\" = --version ] && { echo 'fake compiler 1.0'; exit 0; }\n"
		 "while [ $# -gt 0 ]; do case $1 in -o) out=$2 src=$3; shift;; esac; shift; "
		 "done\n%s\n",
		 top, script);
	snprintf(relative, sizeof(relative), "bin/%s", name);
	put_file(top, relative, text);
	snprintf(path, sizeof(path), "%s/%s", top, relative);
	assert_int_equal(chmod(path, 0755), 0);
}

/* Finds the compiler of that name with the flag -O1. */
static inline struct tp_compiler fake(const char *name, const char *script)
{
	struct tp_compiler compiler;
	struct tp_diag diag = { 0 };
	char path[TP_PATH_MAX];
	put_compiler(name, script);
	snprintf(path, sizeof(path), "%s/bin/%s", top, name);
	if (tp_compiler_find(&compiler, path, "-O1", &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	return compiler;
}

/* How many compilers were called, for an answer or for work. */
static inline size_t calls(void)
{
	char path[TP_PATH_MAX], *text;
	size_t len, n = 0;
	snprintf(path, sizeof(path), "%s/calls", top);
	if (tp_file_read(path, 1 << 20, &text, &len, NULL) != TP_OK)
		return 0;
	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n';
	free(text);
	return n;
}

static inline enum tp_status plain_source(void *context, struct tp_str *out, struct tp_diag *diag)
{
	(void)diag;
	tp_str_printf(out, "int answer(void) { return %d; }\n", *(const int *)context);
	return TP_OK;
}

/* Object number `*number` of a test, with its own key. */
static inline struct tp_object plain_object(const int *number)
{
	return (struct tp_object){ .key = (const char *)number,
				   .key_bytes = sizeof(*number),
				   .source = plain_source,
				   .context = (void *)number };
}

/* How many entries of the cache begin with `prefix`. */
static inline size_t cached_names(const char *prefix)
{
	char path[TP_PATH_MAX];
	size_t n = 0;
	snprintf(path, sizeof(path), "%s/cache/tprof/objects", top);
	DIR *dir = opendir(path);
	if (!dir)
		return 0;
	for (struct dirent *d; (d = readdir(dir));)
		n += d->d_name[0] != '.' && strncmp(d->d_name, prefix, strlen(prefix)) == 0;
	closedir(dir);
	return n;
}

/* The process that a script wrote into the file `name` as its own child; -1 as long as it has not.
 */
static inline pid_t noted_process(const char *name)
{
	char path[TP_PATH_MAX];
	int pid = -1;
	snprintf(path, sizeof(path), "%s/%s", top, name);
	FILE *f = fopen(path, "r");
	if (f && fscanf(f, "%d.", &pid) != 1)
		pid = -1;
	if (f)
		fclose(f);
	return pid;
}

/* One that was not reaped yet has ended, too. */
static inline bool is_running(pid_t pid)
{
	char path[64], state = 'Z';
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE *f = fopen(path, "r");
	if (!f)
		return false;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 'Z';
	fclose(f);
	return state != 'Z' && state != 'X';
}

static inline void expect_ended(pid_t pid)
{
	assert_true(pid > 0);
	for (int i = 0; i < 10000 && is_running(pid); i++)
		poll(NULL, 0, 1);
	assert_false(is_running(pid));
}

#endif
