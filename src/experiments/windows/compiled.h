/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code of points that a compiler makes. It is compiled when a point needs it, together with the
 * next ones, on all CPUs, and during points that this does not disturb.
 */
#ifndef TPROF_EXPERIMENTS_WINDOWS_COMPILED_H
#define TPROF_EXPERIMENTS_WINDOWS_COMPILED_H

#include "compiler/compiler.h"
#include "experiments/bench.h"

enum { TP_CODE_FOLDERS = 2 };

/* Code that points share. Lies in the plan's arena. */
struct tp_compiled_code {
	const char *who; /* the experiment that failures are reported for */
	const char *compiler, *flags; /* as for tp_compiler_find */
	const char *folders[TP_CODE_FOLDERS]; /* where headers are, or NULL */
	/*
	 * User code: the compiler must report which loops it vectorised, and all called functions
	 * must exist.
	 */
	bool foreign;
	bool lists; /* assembly as text, not an object: it can be read, not loaded */
	bool prebuilt_too; /* without a compiler, what was compiled with the program is enough */
	const char *key; /* decides the source */
	size_t key_bytes;
	enum tp_status (*source)(void *context, struct tp_str *out, struct tp_diag *diag);
	void *context;
	struct tp_arena *arena; /* of the plan: keeps what is found */

	struct tp_compiled_batch *batch; /* that it is compiled with; NULL = none */
	size_t place; /* in that */
	/* --- once it was tried --- */
	bool tried, prebuilt;
	enum tp_status status;
	const struct tp_diag *diag; /* of a failure */
	const char *path; /* of the object */
	const char *said; /* the file with the compiler's output; NULL = none */
	void *handle; /* of dlopen */
};

/*
 * The CPUs that compilers may use; during a point of windows (NULL: none) only those that do not
 * disturb it. NULL if there are none; else the caller frees it by CPU_FREE.
 */
cpu_set_t *tp_compiled_cpus(const struct tp_machine *machine, const struct tp_planned *beside,
			    size_t *bytes);
/* As tp_compile_how.watch; `watch` is a struct tp_watch: it hears of objects, and may end the work.
 */
bool tp_compiled_watch(void *watch, size_t done, size_t total);
/*
 * Seconds that compiling one object takes, on one CPU of a usual machine: what an estimate counts
 * for each object of a plan, though the cache may have it.
 */
#define TP_COMPILED_SECONDS 0.3
/*
 * Finds the compilers of the untried ones of codes[n], and looks into the cache. tp_compiled_load
 * compiles the rest when needed, in this order. TP_CANCELLED; each code holds its own failure. The
 * codes live as long as the bench.
 */
enum tp_status tp_compiled_begin(struct tp_bench *bench, struct tp_compiled_code *const *codes,
				 size_t n, struct tp_diag *diag);
/* The same, and compiles all of them. */
enum tp_status tp_compiled_prepare(struct tp_bench *bench, struct tp_compiled_code *const *codes,
				   size_t n, struct tp_diag *diag);
/*
 * Loads it, compiling it first if necessary. The status and diagnosis are those of the code.
 * `planned`, a point of windows that is about to be measured: another code may be compiled during
 * it, if that disturbs nothing; NULL = none.
 */
enum tp_status tp_compiled_load(struct tp_bench *bench, const struct tp_planned *planned,
				struct tp_compiled_code *code, struct tp_diag *diag);
/* Frees its data, too. */
void tp_compiled_unload(struct tp_compiled_code *code);
/* NULL if it has no such function. The code must be loaded. */
tp_kernel_function tp_compiled_function(const struct tp_compiled_code *code, const char *name);

#endif
