/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns C sources into shared objects, and assembly into machine code, while the program runs. The
 * compiler gets an argument vector, never a shell. Objects are kept in
 * $XDG_CACHE_HOME/tprof/objects (or ~/.cache/...) and are found there without starting a process.
 *
 * An entry of the cache is a folder: object.so, source.c for readers, messages.txt if the compiler
 * printed something, and key, the whole text that decides the content. The folder has the hash of
 * the key as its name. A look-up compares the key byte by byte, so two keys of one hash do no harm.
 * Entries are written under a temporary name and appear with one rename: several tprofs may compile
 * the same, and the remains of a killed one are never taken for complete.
 *
 * Flags can run programs (plugins, linker wrappers), so another user's flags need the same consent
 * as another user's source.
 */
#ifndef TPROF_COMPILER_COMPILER_H
#define TPROF_COMPILER_COMPILER_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/file.h"
#include "base/status.h"
#include "base/str.h"

#define TP_COMPILER_FLAGS     "-O3 -march=native -fopenmp"
#define TP_COMPILER_PREBUILT  "prebuilt" /* requests no compiler */
#define TP_COMPILE_SECONDS    60.0
#define TP_COMPILE_CACHE_MAX  (UINT64_C(512) << 20) /* bytes; the oldest entries go */
#define TP_COMPILE_SAID_BYTES (256 << 10) /* what is kept of the messages of one object */

/* Zero-initialise; release at the end. One without a program has only prebuilt objects. */
struct tp_compiler {
	char program[TP_PATH_MAX]; /* absolute; "" = none */
	char version[256]; /* the first line of --version, printable */
	char target[128]; /* names this processor if a flag contains "native", else "" */
	char **flags; /* n_flags words, owned */
	size_t n_flags;
	bool lists; /* -S is among its flags: its objects are assembly, as text */
	bool assembles; /* its sources are assembly, its objects relocatable ones */
	double limit_seconds; /* for one object; TP_COMPILE_SECONDS unless changed */
};

/*
 * Finds a compiler. `wish` is a name ("gcc-12"), a path, TP_COMPILER_PREBUILT, or "" for $CC if
 * that is one word that names a program, else cc, gcc or clang. `flags` are words as
 * tp_command_split reads them; "" = TP_COMPILER_FLAGS.
 *
 * TP_NOTFOUND: no compiler, and the hint names the Debian package; `compiler` then has no program
 * and can still be used for prebuilt objects. TP_FAILED: it does not answer --version. TP_USAGE: a
 * wish that is not a program, or a flag that cannot be: files, and what changes the kind or the
 * name of the output. TP_CANCELLED: tp_stop_asked.
 */
enum tp_status tp_compiler_find(struct tp_compiler *compiler, const char *wish, const char *flags,
				struct tp_diag *diag);

/*
 * Finds an assembler for tp_compile: `wish` is as, clang or llvm-mc, or a path that ends so, or ""
 * for the first of them that is in PATH. Its objects are relocatable ones, for tp_object_code.
 * TP_NOTFOUND, with the package in the hint; else as tp_compiler_find.
 */
enum tp_status tp_assembler_find(struct tp_compiler *assembler, const char *wish,
				 struct tp_diag *diag);

/* Adds a flag that may hold blanks, such as -I and a path. */
void tp_compiler_add_flag(struct tp_compiler *compiler, const char *flag);
void tp_compiler_release(struct tp_compiler *compiler);

/* A wanted object. Zero-initialise, fill the first part, release after use. */
struct tp_object {
	/* Decides the source, and so, with compiler and flags, the content. Borrowed. */
	const char *key;
	size_t key_bytes;
	/*
	 * Adds the C source to `out`. Only called when it has to be compiled, in the caller's
	 * thread. A #line directive makes diagnoses name the user's file.
	 */
	enum tp_status (*source)(void *context, struct tp_str *out, struct tp_diag *diag);
	void *context;
	/* If it is not the call's; NULL = the call's. Borrowed. */
	const struct tp_compiler *compiler;

	/* --- out --- */
	/*
	 * TP_OK: `path` is there. Else `diag` says why not; of an error in the source, `where` is
	 * FILE:LINE:COLUMN as the compiler printed it. All of it is printable. TP_FAILED: the
	 * compiler refused, was too slow, or left no whole object. TP_CRASHED: it died.
	 * TP_NOTFOUND: no compiler and not prebuilt. TP_CANCELLED; TP_RESOURCE (no process, no
	 * space); or what `source` returned.
	 */
	enum tp_status status;
	struct tp_diag diag;
	char path[TP_PATH_MAX]; /* absolute, if the cache and `prebuilt` are */
	bool was_cached; /* no compiler ran for it */
	bool prebuilt;
	/* The compiler's output, verbatim: clean it before a terminal sees it. Warnings too, also
	 * those of a cached object. */
	struct tp_str messages;
};

void tp_object_release(struct tp_object *object);

/*
 * The machine code in the section .text of a relocatable object, on the heap. `machine` is the
 * number of the architecture in ELF, 0 = any. TP_FAILED: another kind of file, it has no code or
 * too much of it, or code that a linker would have to complete.
 */
enum { TP_OBJECT_CODE_MAX = 1 << 20 };

enum tp_status tp_object_code(const char *path, unsigned machine, unsigned char **code,
			      size_t *bytes, struct tp_diag *diag);

/* How to compile several. Zeros are good defaults. */
struct tp_compile_how {
	unsigned jobs; /* compilers at once; 0 = as many as there are CPUs in `cpus` */
	/* Where compilers may run: the caller may be bound to one CPU. NULL = as the caller. */
	const cpu_set_t *cpus;
	size_t cpus_bytes;
	const char *prebuilt; /* folder of objects made with the program; NULL = none */
	/*
	 * Called at least every 0.1 s, and once at the end, with the number of objects that have
	 * their result. False cancels. May be NULL.
	 */
	bool (*watch)(void *context, size_t done, size_t total);
	void *context;
};

/*
 * Gives each of `objects` its status. TP_OK: all were tried; look at each. TP_CANCELLED: `watch`
 * or tp_stop_asked ended it, within 0.1 s; no child and no temporary file is left. Other: nothing
 * could be tried, because there is no folder for the cache, or it belongs to another user or can be
 * written by others (TP_PERM); all objects have that status. `how` may be NULL.
 *
 * Prebuilt objects count only when `compiler` has no program or is NULL. They are found by their
 * key alone.
 *
 * Compilers are forked, so call it before the process holds large buffers.
 */
enum tp_status tp_compile(const struct tp_compiler *compiler, struct tp_object *objects, size_t n,
			  const struct tp_compile_how *how, struct tp_diag *diag);

/*
 * The same in parts, for a caller who needs one object after the other. Everything except `how` is
 * borrowed; what is in the cache has its status at once.
 */
struct tp_compiling;
struct tp_compiling *tp_compiling_begin(const struct tp_compiler *compiler,
					struct tp_object *objects, size_t n,
					const struct tp_compile_how *how);
/*
 * Until objects[wanted] has its status; all have for `n`, and nothing is wanted beyond that.
 * Further ones are compiled with it, as many as `how` allows. Nothing is at work then, except one
 * compiler on the CPUs `beside` (how.cpus_bytes of them), if there is something left to compile;
 * NULL = none. TP_CANCELLED; what hinders all, as tp_compile.
 */
enum tp_status tp_compiling_wait(struct tp_compiling *compiling, size_t wanted,
				 const cpu_set_t *beside, struct tp_diag *diag);
/* Ends the compilers at work; objects without a status get TP_CANCELLED. NULL is fine. */
void tp_compiling_end(struct tp_compiling *compiling);

/*
 * Compiles all of them into `folder` (made if missing), for `prebuilt` of later calls. Its entries
 * look like the cache's. Flags should not contain "native".
 */
enum tp_status tp_compile_prebuilt(const struct tp_compiler *compiler, const char *folder,
				   struct tp_object *objects, size_t n, struct tp_diag *diag);

#endif
