/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code of patterns: compiled for all points before the first, loaded for each. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "compiler/compiler.h"
#include "experiments/bench.h"
#include "experiments/pattern/options.h"
#include "experiments/pattern/plan_row.h"
#include "measure/sampler.h"

static enum tp_status write_source(void *context, struct tp_str *out, struct tp_diag *diag)
{
	const struct tp_pattern_code *code = context;
	return tp_pattern_source(code->configuration, out, diag);
}

static bool watch_objects(void *context, size_t done, size_t total)
{
	const struct tp_watch *watch = ((const struct tp_bench *)context)->watch;
	if (watch && watch->compiling)
		watch->compiling(watch->context, done, total);
	return !watch || !watch->go_on || watch->go_on(watch->context);
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

static void tell_prebuilt(const struct tp_watch *watch, const struct tp_diag *why)
{
	struct tp_diag note;
	tp_fail(&note, TP_OK, "pattern", why->hint,
		"%s; patterns run the code that was compiled with tprof, which suits any CPU of "
		"this "
		"kind and knows only the usual parameters",
		why->what);
	if (watch && watch->note)
		watch->note(watch->context, &note);
}

static void take_result(const struct tp_object *object, struct tp_pattern_code *code)
{
	code->tried = true;
	code->status = object->status;
	code->diag = object->diag;
	code->prebuilt = object->prebuilt;
	tp_copy(code->path, sizeof(code->path), object->path);
}

/* Compiles codes that have the same compiler and flags. */
static enum tp_status compile(struct tp_bench *bench, struct tp_pattern_code **codes, size_t n,
			      struct tp_diag *diag)
{
	const struct tp_config *config = codes[0]->config;
	struct tp_compiler compiler = { 0 };
	char prebuilt[TP_PATH_MAX];
	struct tp_object *objects = calloc(n, sizeof(*objects));
	if (!objects)
		return tp_fail(diag, TP_NOMEM, "pattern", NULL, "out of memory");
	for (size_t i = 0; i < n; i++)
		objects[i] = (struct tp_object){ .key = codes[i]->key,
						 .key_bytes = codes[i]->key_bytes,
						 .source = write_source,
						 .context = codes[i] };
	bool has_prebuilt = tp_path_library("objects", prebuilt, NULL) == TP_OK;
	size_t cpus_bytes;
	cpu_set_t *cpus = every_cpu(bench->machine, &cpus_bytes);
	const struct tp_compile_how how = {
		.cpus = cpus,
		.cpus_bytes = cpus ? cpus_bytes : 0,
		.prebuilt = has_prebuilt ? prebuilt : NULL,
		.watch = watch_objects,
		.context = bench,
	};
	const char *wish = tp_config_text(config, TP_OPT_PATTERN_COMPILER);
	enum tp_status status = tp_compiler_find(
		&compiler, wish, tp_config_text(config, TP_OPT_PATTERN_CFLAGS), diag);
	/* Without a compiler there may be what was compiled with tprof. */
	if (status == TP_NOTFOUND && has_prebuilt && !*wish) {
		tell_prebuilt(bench->watch, diag);
		status = TP_OK;
	}
	if (status == TP_OK)
		status = tp_compile(&compiler, objects, n, &how, diag);
	for (size_t i = 0; i < n; i++) {
		if (status == TP_OK)
			take_result(&objects[i], codes[i]);
		tp_object_release(&objects[i]);
	}
	free(objects);
	CPU_FREE(cpus);
	tp_compiler_release(&compiler);
	return status;
}

enum tp_status tp_pattern_prepare(struct tp_bench *bench, const struct tp_planned *const *planned,
				  size_t n, struct tp_diag *diag)
{
	struct tp_pattern_code **codes = calloc(n + 1, sizeof(struct tp_pattern_code *));
	enum tp_status status = codes ? TP_OK : TP_NOMEM;
	/* Runs of a preset may want another compiler each. */
	for (size_t i = 0; i < n && status == TP_OK;) {
		const struct tp_config *config = planned[i]->config;
		size_t wanted = 0;
		for (; i < n && planned[i]->config == config; i++) {
			struct tp_pattern_code *code = tp_pattern_plan(planned[i])->code;
			if (!code->tried)
				codes[wanted++] = code;
			code->tried = true; /* once in the list */
		}
		if (wanted)
			status = compile(bench, codes, wanted, diag);
		if (status == TP_CANCELLED)
			break;
		for (size_t k = 0; k < wanted && status != TP_OK; k++) {
			codes[k]->status = status;
			codes[k]->diag = *diag;
		}
		status = TP_OK;
	}
	free(codes);
	return status;
}

enum tp_status tp_pattern_code_load(struct tp_bench *bench, struct tp_pattern_code *code,
				    struct tp_diag *diag)
{
	if (!code->tried) {
		enum tp_status status = compile(bench, &code, 1, diag);
		if (status != TP_OK)
			return status;
	}
	/* A failed point is told by its own name: the place in the document goes into the words. */
	if (code->status != TP_OK)
		return tp_fail(diag, code->status, "pattern", code->diag.hint, "%s%s%s",
			       code->diag.where, *code->diag.where ? ": " : "", code->diag.what);
	if (!code->handle)
		code->handle = dlopen(code->path, RTLD_NOW | RTLD_LOCAL);
	if (!code->handle)
		return tp_fail(diag, TP_FAILED, "pattern",
			       "remove ~/.cache/tprof/objects and try again",
			       "compiled code cannot be loaded: %.300s", dlerror());
	return TP_OK;
}
