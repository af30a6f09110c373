/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code of points that a compiler makes: compiled for all points before the first, on all CPUs, and
 * loaded when a point needs it.
 */
#ifndef TPROF_EXPERIMENTS_WINDOWS_COMPILED_H
#define TPROF_EXPERIMENTS_WINDOWS_COMPILED_H

#include "compiler/compiler.h"
#include "experiments/bench.h"

enum { TP_CODE_FOLDERS = 2 };

/* Code that points share. Lies in the plan's arena. */
struct tp_compiled_code {
	const char *who; /* the experiment: where failures are said to be */
	const char *compiler, *flags; /* as for tp_compiler_find */
	const char *folders[TP_CODE_FOLDERS]; /* where headers are, or NULL */
	/*
	 * Code of people: the compiler is to say which loops it made vectors of, and all that it
	 * calls must be there.
	 */
	bool foreign;
	bool lists; /* assembly as text is wanted, no object: it can be read, not loaded */
	bool prebuilt_too; /* without a compiler, what was compiled with the program is enough */
	const char *key; /* decides the source */
	size_t key_bytes;
	enum tp_status (*source)(void *context, struct tp_str *out, struct tp_diag *diag);
	void *context;
	struct tp_arena *arena; /* of the plan: keeps what is found */

	/* --- once it was tried --- */
	bool tried, prebuilt;
	enum tp_status status;
	const struct tp_diag *diag; /* of a failure */
	const char *path; /* of the object */
	const char *said; /* the file with what the compiler said; NULL = nothing */
	void *handle; /* of dlopen */
};

/* As tp_compile_how.watch; `watch` is a struct tp_watch: it hears of objects, and may end the work.
 */
bool tp_compiled_watch(void *watch, size_t done, size_t total);
/*
 * Compiles those of codes[n] that nobody has tried. TP_CANCELLED; what fails for one of
 * them is in it.
 */
enum tp_status tp_compiled_prepare(struct tp_bench *bench, struct tp_compiled_code *const *codes,
				   size_t n, struct tp_diag *diag);
/* Loads it, compiling it first if nobody has. The status and diagnosis are those of the code. */
enum tp_status tp_compiled_load(struct tp_bench *bench, struct tp_compiled_code *code,
				struct tp_diag *diag);
/* Its data go with it. */
void tp_compiled_unload(struct tp_compiled_code *code);
/* NULL if it has no such function. The code must be loaded. */
tp_kernel_function tp_compiled_function(const struct tp_compiled_code *code, const char *name);

#endif
