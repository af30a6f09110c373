/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prebuild FOLDER PATTERN...: compiles patterns at the values of their parameters, or where those
 * are many at the first ones, for any CPU of this kind, so that a node without a compiler runs
 * them. Part of the build, not of the program.
 */
#include <stdio.h>
#include <stdlib.h>

#include "compiler/compiler.h"
#include "pattern/pattern.h"

/* For any CPU that runs tprof itself. tprof resolves all symbols when it loads an object, so no
 * code is written later. */
#define FLAGS "-O3 -fopenmp -Wl,-z,now"
enum { COMBINATIONS_MAX = 4, VARIANTS_MAX = 12 * COMBINATIONS_MAX };

struct variant {
	struct tp_pattern_config config;
	struct tp_str key;
};

static enum tp_status write_source(void *context, struct tp_str *out, struct tp_diag *diag)
{
	const struct variant *variant = context;
	return tp_pattern_source(&variant->config, out, diag);
}

static int complain(const struct tp_diag *diag)
{
	fprintf(stderr, "prebuild: %s: %s%s%s\n", diag->where, diag->what,
		*diag->hint ? "\n          " : "", diag->hint);
	return EXIT_FAILURE;
}

/* All combinations of the values that the pattern lists; 1 if these are too many. */
static size_t count_combinations(const struct tp_pattern *p)
{
	size_t n = 1;
	for (size_t i = 0; i < p->n_parameters && n <= COMBINATIONS_MAX; i++)
		n *= p->parameters[i].n;
	return n <= COMBINATIONS_MAX ? n : 1;
}

static void choose(struct tp_pattern_config *c, size_t combination)
{
	const struct tp_pattern *p = c->pattern;
	for (size_t i = 0; i < p->n_parameters; i++) {
		size_t n = p->parameters[i].n;
		c->values[i] = p->parameters[i].values[combination % n];
		combination /= n;
	}
}

/* The variants of a pattern: each template, with and without waiting, for one thread and several.
 */
static size_t list_variants(const struct tp_pattern *p, struct variant variants[VARIANTS_MAX])
{
	size_t n = 0;
	for (size_t t = 0; t < p->n_templates; t++)
		for (size_t w = 0; w < p->n_nowaits; w++)
			for (unsigned threads = 1; threads <= 2; threads++)
				for (size_t k = 0; k < count_combinations(p); k++) {
					struct tp_pattern_config *c = &variants[n++].config;
					*c = (struct tp_pattern_config){ .pattern = p,
									 .template =
										 p->templates[t],
									 .nowait = p->nowaits[w],
									 .threads = threads };
					choose(c, k);
				}
	return n;
}

/* What is compiled, all of it together. */
struct list {
	struct variant *variants;
	struct tp_object *objects;
	size_t n;
	struct tp_arena arena; /* owns the patterns */
};

static int add_pattern(struct list *list, const char *name)
{
	struct tp_pattern *pattern = tp_arena_alloc(&list->arena, sizeof(*pattern));
	struct tp_diags diags = { 0 };
	if (tp_pattern_load(pattern, &list->arena, name, &diags) != TP_OK)
		return diags.n ? complain(&diags.items[0]) : EXIT_FAILURE;
	size_t n = list_variants(pattern, &list->variants[list->n]);
	for (; n > 0; n--, list->n++) {
		struct variant *v = &list->variants[list->n];
		tp_pattern_key(&v->config, &v->key);
		list->objects[list->n] = (struct tp_object){ .key = tp_str_text(&v->key),
							     .key_bytes = v->key.len,
							     .source = write_source,
							     .context = v };
	}
	return EXIT_SUCCESS;
}

static int compile(const struct tp_compiler *compiler, const char *folder, struct list *list)
{
	struct tp_diag diag;
	if (tp_compile_prebuilt(compiler, folder, list->objects, list->n, &diag) != TP_OK)
		return complain(&diag);
	/* Without isl, patterns with domains are left out, as tprof itself refuses them. */
	for (size_t i = 0; i < list->n; i++)
		if (list->objects[i].status != TP_OK && list->objects[i].status != TP_UNSUPPORTED)
			return complain(&list->objects[i].diag);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	TP_CLEANUP(tp_compiler_release) struct tp_compiler compiler = { 0 };
	struct tp_diag diag;
	struct list list = { 0 };
	int code = EXIT_SUCCESS;
	if (argc < 3)
		return EXIT_FAILURE;
	list.variants = tp_alloc((size_t)argc * VARIANTS_MAX, sizeof(*list.variants));
	list.objects = tp_alloc((size_t)argc * VARIANTS_MAX, sizeof(*list.objects));
	if (tp_compiler_find(&compiler, "", FLAGS, &diag) != TP_OK)
		return complain(&diag);
	for (int i = 2; i < argc && code == EXIT_SUCCESS; i++)
		code = add_pattern(&list, argv[i]);
	if (code == EXIT_SUCCESS)
		code = compile(&compiler, argv[1], &list);
	for (size_t i = 0; i < list.n; i++) {
		tp_object_release(&list.objects[i]);
		tp_str_release(&list.variants[i].key);
	}
	free(list.variants);
	free(list.objects);
	tp_arena_release(&list.arena);
	return code;
}
