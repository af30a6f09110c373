/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/windows/compiled.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "experiments/windows/planner.h"
#include "measure/sampler.h"

/* A compiler that some of the codes need. */
struct wanted {
	const struct tp_compiled_code *code; /* the first that needs it */
	struct tp_compiler compiler;
	enum tp_status status;
	struct tp_diag diag;
};

/* Codes that are compiled together, in the order in which points need them. */
struct tp_compiled_batch {
	struct tp_bench *bench;
	struct tp_compiled_code **codes;
	struct tp_object *objects; /* of the codes */
	size_t n;
	struct wanted *wanted;
	size_t n_wanted, cap_wanted;
	char prebuilt[TP_PATH_MAX];
	bool has_prebuilt;
	cpu_set_t *cpus;
	struct tp_compiling *compiling;
	struct tp_compiled_batch *next;
};

struct batches {
	struct tp_compiled_batch *first;
};

bool tp_compiled_watch(void *context, size_t done, size_t total)
{
	const struct tp_watch *watch = context;
	if (watch && watch->compiling)
		watch->compiling(watch->context, done, total);
	return tp_watch_goes_on(watch);
}

/*
 * Work disturbs a point on a core of its threads, or below a cache that they use and that holds the
 * working set. Beyond the private caches everything is shared, and two CPUs of a virtual machine
 * may be two threads of one core of the host.
 */
cpu_set_t *tp_compiled_cpus(const struct tp_machine *m, const struct tp_planned *beside,
			    size_t *bytes)
{
	int level = beside ? (int)((const struct tp_window_plan *)beside->row)->level : 0;
	bool all = beside && (level >= TP_CLASS_L3 || *m->cpu.hypervisor);
	size_t cpus = 1;
	for (size_t i = 0; i < m->n_pus; i++)
		cpus = TP_MAX(cpus, (size_t)m->pus[i].os_index + 1);
	/* In use: CPUs, and by level (0 = the core itself) what lies around them. */
	TP_FREE bool *cpu_used = tp_alloc(cpus, sizeof(bool));
	TP_FREE bool *used = tp_alloc(TP_CACHE_LEVELS * (m->n_pus + 1), sizeof(bool));
	cpu_set_t *set = CPU_ALLOC(cpus);
	*bytes = CPU_ALLOC_SIZE(cpus);
	if (!set)
		return NULL;
	CPU_ZERO_S(*bytes, set);
	for (unsigned t = 0; beside && t < beside->point.threads; t++)
		cpu_used[beside->cpus[t]] = true;
	/* First what the team uses, then what is left: the team has bound the caller to one CPU. */
	for (size_t i = 0; i < 2 * m->n_pus; i++) {
		const struct tp_pu *pu = &m->pus[i % m->n_pus];
		bool taken = all;
		for (int l = 0; l <= level && !all; l++) {
			bool *part = &used[(size_t)l * m->n_pus + (l ? pu->cache[l] : pu->core)];
			*part |= i < m->n_pus && cpu_used[pu->os_index];
			taken |= *part;
		}
		if (i >= m->n_pus && pu->allowed && !taken)
			CPU_SET_S(pu->os_index, *bytes, set);
	}
	if (CPU_COUNT_S(*bytes, set) > 0)
		return set;
	CPU_FREE(set);
	return NULL;
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
static struct wanted *wanted_of(struct tp_compiled_batch *work, const struct tp_compiled_code *code)
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
		tp_watch_say(work->bench->watch, code->who, w->diag.hint,
			     "%s; the code that was compiled with tprof runs instead, which suits "
			     "any CPU of this kind and has only the usual parameters",
			     w->diag.what);
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

static enum tp_status find_compilers(struct tp_compiled_batch *work, struct tp_diag *diag)
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

/* Until one code is available, or all for work->n: see tp_compiling_wait. Only TP_CANCELLED. */
static enum tp_status await(struct tp_compiled_batch *work, size_t wanted,
			    const struct tp_planned *planned, struct tp_diag *diag)
{
	size_t bytes;
	cpu_set_t *beside =
		planned ? tp_compiled_cpus(work->bench->machine, planned, &bytes) : NULL;
	enum tp_status status = tp_compiling_wait(work->compiling, wanted, beside, diag);
	CPU_FREE(beside);
	tp_compiled_watch((void *)(uintptr_t)work->bench->watch, work->n, work->n);
	if (status == TP_CANCELLED)
		return status;
	for (size_t i = 0; i < work->n; i++)
		if (!work->codes[i]->tried &&
		    (*work->objects[i].path || work->objects[i].status != TP_OK))
			take_result(&work->objects[i], work->codes[i]);
	return TP_OK;
}

static void release_batches(void *own)
{
	struct batches *batches = own;
	for (struct tp_compiled_batch *b; (b = batches->first);) {
		batches->first = b->next;
		tp_compiling_end(b->compiling);
		for (size_t i = 0; i < b->n; i++)
			tp_object_release(&b->objects[i]);
		for (size_t i = 0; i < b->n_wanted; i++)
			tp_compiler_release(&b->wanted[i].compiler);
		CPU_FREE(b->cpus);
		free(b->wanted);
		free(b->objects);
		free(b->codes);
		free(b);
	}
}

/* No compiler runs during a point of another experiment, or after the last. */
static void let_end(void *own, const struct tp_planned *planned)
{
	const struct batches *batches = own;
	struct tp_diag diag;
	for (struct tp_compiled_batch *b = batches->first; b && planned; b = b->next)
		if (b->n && strcmp(b->codes[0]->who, planned->experiment->name) != 0)
			(void)await(b, b->n + 1, NULL, &diag);
	if (!planned)
		release_batches(own);
}

static const struct tp_bench_kind batches_kind = { .bytes = sizeof(struct batches),
						   .release = release_batches,
						   .before = let_end };

enum tp_status tp_compiled_begin(struct tp_bench *bench, struct tp_compiled_code *const *codes,
				 size_t n, struct tp_diag *diag)
{
	struct batches *batches = tp_bench_own(bench, &batches_kind);
	struct tp_compiled_batch *work = tp_alloc(1, sizeof(*work));
	*work = (struct tp_compiled_batch){ .bench = bench, .next = batches->first };
	batches->first = work;
	work->codes = tp_alloc(n + 1, sizeof(*work->codes));
	work->has_prebuilt = tp_path_library("objects", work->prebuilt, NULL) == TP_OK;
	for (size_t i = 0; i < n; i++) {
		if (codes[i]->batch)
			continue;
		codes[i]->batch = work;
		work->codes[work->n++] = codes[i];
	}
	enum tp_status status = find_compilers(work, diag);
	if (status != TP_OK)
		work->n = 0;
	for (size_t i = 0; i < n && status != TP_OK; i++)
		if (!codes[i]->tried)
			codes[i]->batch = NULL; /* the next request tries it again */
	work->objects = tp_alloc(work->n + 1, sizeof(*work->objects));
	for (size_t i = 0; i < work->n; i++) {
		struct tp_compiled_code *code = work->codes[i];
		code->place = i;
		work->objects[i] = (struct tp_object){
			.key = code->key,
			.key_bytes = code->key_bytes,
			.source = code->source,
			.context = code->context,
			.compiler = &wanted_of(work, code)->compiler,
		};
	}
	struct tp_compile_how how = { .prebuilt = work->has_prebuilt ? work->prebuilt : NULL,
				      .watch = tp_compiled_watch,
				      .context = (void *)(uintptr_t)bench->watch };
	how.cpus = work->cpus = tp_compiled_cpus(bench->machine, NULL, &how.cpus_bytes);
	work->compiling = tp_compiling_begin(NULL, work->objects, work->n, &how);
	return status;
}

enum tp_status tp_compiled_prepare(struct tp_bench *bench, struct tp_compiled_code *const *codes,
				   size_t n, struct tp_diag *diag)
{
	enum tp_status status = tp_compiled_begin(bench, codes, n, diag);
	const struct batches *batches = tp_bench_own(bench, &batches_kind);
	return status == TP_OK ? await(batches->first, batches->first->n, NULL, diag) : status;
}

enum tp_status tp_compiled_load(struct tp_bench *bench, const struct tp_planned *planned,
				struct tp_compiled_code *code, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	if (!code->batch)
		status = tp_compiled_begin(bench, &code, 1, diag);
	if (status == TP_OK)
		status = await(code->batch, code->tried ? code->batch->n + 1 : code->place, planned,
			       diag);
	if (status != TP_OK)
		return status;
	/*
	 * A failed point is reported by its own name: the place in the document goes into the
	 * message.
	 */
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
