/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/windows/compiled.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/sampler.h"

/* A compiler that some of the codes want. */
struct wanted {
	const struct tp_compiled_code *code; /* the first that wants it */
	struct tp_compiler compiler;
	enum tp_status status;
	struct tp_diag diag;
};

struct work {
	struct tp_bench *bench;
	struct tp_compiled_code **codes;
	size_t n;
	struct wanted *wanted;
	size_t n_wanted, cap_wanted;
	char prebuilt[TP_PATH_MAX];
	bool has_prebuilt;
};

bool tp_compiled_watch(void *context, size_t done, size_t total)
{
	const struct tp_watch *watch = context;
	if (watch && watch->compiling)
		watch->compiling(watch->context, done, total);
	return tp_watch_goes_on(watch);
}

/* The CPUs that this process may use: the team has bound the caller to one of them. */
static cpu_set_t *every_cpu(const struct tp_machine *machine, size_t *bytes)
{
	unsigned last = 0;
	for (size_t i = 0; i < machine->n_pus; i++)
		last = TP_MAX(last, machine->pus[i].os_index);
	cpu_set_t *set = CPU_ALLOC(last + 1);
	*bytes = CPU_ALLOC_SIZE(last + 1);
	if (!set)
		return NULL;
	CPU_ZERO_S(*bytes, set);
	for (size_t i = 0; i < machine->n_pus; i++)
		if (machine->pus[i].allowed)
			CPU_SET_S(machine->pus[i].os_index, *bytes, set);
	return set;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_compiler(const struct tp_compiled_code *a, const struct tp_compiled_code *b)
{
	bool same = same_text(a->compiler, b->compiler) && same_text(a->flags, b->flags) &&
		    a->foreign == b->foreign && a->lists == b->lists &&
		    a->prebuilt_too == b->prebuilt_too;
	for (size_t i = 0; i < TP_CODE_FOLDERS; i++)
		same &= same_text(a->folders[i], b->folders[i]);
	return same;
}

static void add_flags(struct wanted *w)
{
	char flag[TP_PATH_MAX + 2];
	for (size_t i = 0; i < TP_CODE_FOLDERS; i++)
		if (w->code->folders[i]) {
			snprintf(flag, sizeof(flag), "-I%s", w->code->folders[i]);
			tp_compiler_add_flag(&w->compiler, flag);
		}
	bool clang = strstr(w->compiler.version, "clang");
	const char *const flags[] = { clang ? "-Rpass=loop-vectorize" : "-fopt-info-vec",
				      "-Wl,-z,defs", "-lm" };
	for (size_t i = 0; i < TP_COUNT_OF(flags) && w->code->foreign; i++)
		tp_compiler_add_flag(&w->compiler, flags[i]);
	if (w->code->lists)
		tp_compiler_add_flag(&w->compiler, "-S");
	w->compiler.lists = w->code->lists;
}

/* The compiler of a code. */
static struct wanted *wanted_of(struct work *work, const struct tp_compiled_code *code)
{
	for (size_t i = 0; i < work->n_wanted; i++)
		if (same_compiler(work->wanted[i].code, code))
			return &work->wanted[i];
	TP_RESERVE(work->wanted, work->cap_wanted, work->n_wanted + 1);
	struct wanted *w = &work->wanted[work->n_wanted++];
	*w = (struct wanted){ .code = code };
	w->status = tp_compiler_find(&w->compiler, code->compiler, code->flags, &w->diag);
	bool none = w->status == TP_NOTFOUND && !*code->compiler;
	if (none && code->prebuilt_too && work->has_prebuilt) {
		struct tp_diag note;

		tp_fail(&note, TP_OK, code->who, w->diag.hint,
			"%s; what was compiled with tprof runs instead, which suits any CPU of "
			"this kind "
			"and knows only the usual parameters",
			w->diag.what);
		if (work->bench->watch && work->bench->watch->note)
			work->bench->watch->note(work->bench->watch->context, &note);
		w->status = TP_OK;
	} else if (w->status == TP_OK && w->compiler.program[0]) {
		add_flags(w);
	}
	return w;
}

static void fail(struct tp_compiled_code *code, enum tp_status status, const struct tp_diag *diag)
{
	struct tp_diag *kept = tp_arena_alloc(code->arena, sizeof(*kept));
	code->tried = true;
	code->status = status;
	*kept = *diag;
	code->diag = kept;
}

static void take_result(const struct tp_object *object, struct tp_compiled_code *code)
{
	char said[TP_PATH_MAX];
	const char *slash = strrchr(object->path, '/');
	if (object->status != TP_OK) {
		fail(code, object->status, &object->diag);
		return;
	}
	code->tried = true;
	code->prebuilt = object->prebuilt;
	code->path = tp_arena_strdup(code->arena, object->path);
	code->status = TP_OK;
	if (!object->messages.len || !slash || object->prebuilt)
		return;
	snprintf(said, sizeof(said), "%.*s/messages.txt",
		 (int)TP_MIN(slash - object->path, TP_PATH_MAX - 16), object->path);
	code->said = tp_arena_strdup(code->arena, said);
}

static enum tp_status find_compilers(struct work *work, struct tp_diag *diag)
{
	size_t n = 0;
	for (size_t i = 0; i < work->n; i++) {
		const struct wanted *w = wanted_of(work, work->codes[i]);
		if (w->status == TP_CANCELLED)
			return tp_fail(diag, TP_CANCELLED, "compiler", NULL, "cancelled");
		if (w->status == TP_OK)
			work->codes[n++] = work->codes[i];
		else
			fail(work->codes[i], w->status, &w->diag);
	}
	work->n = n;
	return TP_OK;
}

static enum tp_status compile(struct work *work, struct tp_diag *diag)
{
	size_t cpus_bytes, n = work->n;
	TP_FREE struct tp_object *objects = tp_alloc(n + 1, sizeof(*objects));
	for (size_t i = 0; i < n; i++)
		objects[i] = (struct tp_object){
			.key = work->codes[i]->key,
			.key_bytes = work->codes[i]->key_bytes,
			.source = work->codes[i]->source,
			.context = work->codes[i]->context,
			.compiler = &wanted_of(work, work->codes[i])->compiler,
		};
	cpu_set_t *cpus = every_cpu(work->bench->machine, &cpus_bytes);
	const struct tp_compile_how how = {
		.cpus = cpus,
		.cpus_bytes = cpus ? cpus_bytes : 0,
		.prebuilt = work->has_prebuilt ? work->prebuilt : NULL,
		.watch = tp_compiled_watch,
		.context = (void *)(uintptr_t)work->bench->watch,
	};
	enum tp_status status = n ? tp_compile(NULL, objects, n, &how, diag) : TP_OK;
	for (size_t i = 0; i < n; i++) {
		if (status == TP_OK)
			take_result(&objects[i], work->codes[i]);
		else if (status != TP_CANCELLED)
			fail(work->codes[i], status, diag);
		tp_object_release(&objects[i]);
	}
	CPU_FREE(cpus);
	return status == TP_CANCELLED ? status : TP_OK;
}

enum tp_status tp_compiled_prepare(struct tp_bench *bench, struct tp_compiled_code *const *codes,
				   size_t n, struct tp_diag *diag)
{
	struct work work = { .bench = bench };
	work.codes = tp_alloc(n + 1, sizeof(*work.codes));
	work.has_prebuilt = tp_path_library("objects", work.prebuilt, NULL) == TP_OK;
	for (size_t i = 0; i < n; i++) {
		if (!codes[i]->tried)
			work.codes[work.n++] = codes[i];
		codes[i]->tried = true; /* once in the list */
	}
	for (size_t i = 0; i < work.n; i++)
		work.codes[i]->tried = false;
	enum tp_status status = find_compilers(&work, diag);
	if (status == TP_OK)
		status = compile(&work, diag);
	for (size_t i = 0; i < work.n_wanted; i++)
		tp_compiler_release(&work.wanted[i].compiler);
	free(work.wanted);
	free(work.codes);
	return status;
}

enum tp_status tp_compiled_load(struct tp_bench *bench, struct tp_compiled_code *code,
				struct tp_diag *diag)
{
	if (!code->tried) {
		enum tp_status status = tp_compiled_prepare(bench, &code, 1, diag);
		if (status != TP_OK)
			return status;
	}
	/* A failed point is told by its own name: the place in the document goes into the words. */
	if (code->status != TP_OK)
		return tp_fail(diag, code->status, code->who, code->diag ? code->diag->hint : NULL,
			       "%s%s%s", code->diag ? code->diag->where : "",
			       code->diag && *code->diag->where ? ": " : "",
			       code->diag ? code->diag->what : "out of memory");
	if (!code->handle)
		code->handle = dlopen(code->path, RTLD_NOW | RTLD_LOCAL);
	if (!code->handle)
		return tp_fail(diag, TP_FAILED, code->who,
			       "remove ~/.cache/tprof/objects and try again",
			       "compiled code cannot be loaded: %.300s", dlerror());
	return TP_OK;
}

void tp_compiled_unload(struct tp_compiled_code *code)
{
	if (code->handle)
		dlclose(code->handle);
	code->handle = NULL;
}

/* ISO C cannot cast an object pointer to a function pointer; POSIX guarantees that a copy works. */
tp_kernel_function tp_compiled_function(const struct tp_compiled_code *code, const char *name)
{
	tp_kernel_function function;
	void *symbol = dlsym(code->handle, name);
	memcpy(&function, &symbol, sizeof(function));
	return function;
}
