/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A shipped pattern with its compiled code and the arrays of one thread, for tests. */
#ifndef TPROF_TESTS_COMPILED_PATTERN_H
#define TPROF_TESTS_COMPILED_PATTERN_H

#include "files.h"

#include <dlfcn.h>

#include "base/memory.h"
#include "compiler/compiler.h"
#include "pattern/pattern.h"

static char top[] = "/tmp/tprof-pattern-XXXXXX";
static struct tp_arena memory;

static inline int make_top(void **state)
{
	(void)state;
	if (!mkdtemp(top))
		return 1;
	setenv("XDG_CACHE_HOME", top, 1);
	return 0;
}

static inline int remove_top(void **state)
{
	(void)state;
	tp_arena_release(&memory);
	return remove_tree(top);
}

/* A pattern with its compiled code, and the arrays of one thread. */
struct walked {
	struct tp_pattern pattern;
	struct tp_pattern_config config;
	void (*init)(struct tp_pattern_arguments *, uint64_t);
	void (*run)(struct tp_pattern_arguments *, uint64_t);
	struct tp_pattern_arguments arguments;
	double *arrays[TP_PATTERN_ARRAYS_MAX];
	uint64_t elements[TP_PATTERN_ARRAYS_MAX];
	long lines; /* elements of a pass */
	char path[TP_PATH_MAX]; /* of the object */
};

static inline void load(struct walked *w, const char *name)
{
	char path[TP_PATH_MAX];
	struct tp_diags diags = { 0 };
	snprintf(path, sizeof(path), "%s/presets/patterns/%s.yaml", source_dir(), name);
	if (tp_pattern_load(&w->pattern, &memory, path, &diags) != TP_OK)
		fail_msg("%s", diags.n ? diags.items[0].what : "?");
	w->config = (struct tp_pattern_config){ .pattern = &w->pattern,
						.template = w->pattern.templates[0],
						.threads = 1 };
	for (size_t i = 0; i < w->pattern.n_parameters; i++)
		w->config.values[i] = w->pattern.parameters[i].values[0];
}

static inline void set(struct walked *w, const char *name, int64_t value)
{
	for (size_t i = 0; i < w->pattern.n_parameters; i++)
		if (strcmp(w->pattern.parameters[i].name, name) == 0) {
			w->config.values[i] = value;
			return;
		}
	fail_msg("no parameter %s", name);
}

static inline enum tp_status source_of(void *context, struct tp_str *out, struct tp_diag *diag)
{
	return tp_pattern_source(context, out, diag);
}

static inline void compile(struct walked *w, const char *flags)
{
	struct tp_compiler compiler = { 0 };
	struct tp_diag diag = { 0 };
	struct tp_str key = { 0 };
	if (getenv("TPROF_EMULATOR") || tp_compiler_find(&compiler, "", flags, &diag) != TP_OK)
		skip(); /* no compiler for this processor */
	tp_pattern_key(&w->config, &key);
	struct tp_object object = { .key = tp_str_text(&key),
				    .key_bytes = key.len,
				    .source = source_of,
				    .context = &w->config };
	assert_int_equal(tp_compile(&compiler, &object, 1, NULL, &diag), TP_OK);
	if (object.status != TP_OK)
		fail_msg("%s", object.diag.what);
	void *handle = dlopen(object.path, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(handle);
	void *init = dlsym(handle, "tp_init"), *run = dlsym(handle, "tp_run");
	assert_true(init && run);
	memcpy(&w->init, &init, sizeof(init));
	memcpy(&w->run, &run, sizeof(run));
	tp_copy(w->path, sizeof(w->path), object.path);
	tp_object_release(&object);
	tp_compiler_release(&compiler);
	tp_str_release(&key);
}

/* Fresh arrays for the values of the runtime parameters, initialised by the pattern. */
static inline void open_arrays(struct walked *w)
{
	struct tp_pattern_layout layouts[TP_PATTERN_ARRAYS_MAX];
	struct tp_pattern_work work;
	struct tp_diag diag = { 0 };
	for (size_t i = 0; i < w->pattern.n_arrays; i++) {
		assert_int_equal(tp_pattern_config_layout(&w->config, &w->pattern.arrays[i],
							  &layouts[i], &diag),
				 TP_OK);
		w->arrays[i] = aligned_alloc(64, (layouts[i].bytes + 63) / 64 * 64);
		assert_non_null(w->arrays[i]);
		w->elements[i] = layouts[i].elements;
	}
	tp_pattern_arguments_fill(&w->config, 0, layouts, &w->arguments);
	for (size_t i = 0; i < w->pattern.n_arrays; i++)
		w->arguments.arrays[i] = w->arrays[i];
	assert_int_equal(tp_pattern_config_work(&w->config, &work, &diag), TP_OK);
	w->lines = (long)work.elements;
	w->init(&w->arguments, 1);
}

static inline void close_arrays(struct walked *w)
{
	for (size_t i = 0; i < w->pattern.n_arrays; i++)
		free(w->arrays[i]);
}

#endif
