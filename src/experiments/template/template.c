/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Templates: a C source, compiled for all combinations of its macros, whose regions are timed. */
#include "experiments/template/template.h"

#include <string.h>

#include "base/process.h"
#include "base/memory.h"
#include "experiments/windows/planner.h"
#include "experiments/windows/counting.h"
#include "sweep/sweep.h"
#include "preset/shared_options.h"

/* An estimate: what a point costs besides its windows. */
#define POINT_SECONDS 0.1

struct planner {
	struct tp_plan_context *context;
	struct tp_diags *diags;
	struct tp_choices choices;
	const struct tp_template_source *source;
	struct tp_sweep sweep;
	/* those to be measured */
	const char *regions[TP_TEMPLATE_REGIONS];
	size_t n_regions;
	struct tp_template_variant **variants; /* of each combination; NULL while points are counted
						*/
};

static enum tp_status write_source(void *context, struct tp_str *out, struct tp_diag *diag)
{
	const struct tp_template_variant *variant = context;
	(void)diag;
	tp_template_write(variant->source, &variant->at, out);
	return TP_OK;
}

/* The i-th combination. */
static enum tp_status variant_of(struct planner *pl, size_t i, struct tp_template_variant **variant)
{
	struct tp_arena *arena = &pl->context->plan->arena;
	struct tp_template_variant *v = *variant = pl->variants[i];
	if (v)
		return TP_OK;
	pl->variants[i] = *variant = v = tp_arena_alloc(arena, sizeof(*v));
	TP_STR key = { 0 };
	v->source = pl->source;
	v->at = (struct tp_sweep_at){ &pl->sweep, i, 0 };
	tp_str_add(&key, pl->source->key);
	tp_template_macros(&v->at, &key);
	v->code = (struct tp_compiled_code){
		.who = "template",
		.compiler = tp_template_compiler(&v->at),
		.flags = tp_template_flags(&v->at),
		.folders = { pl->source->header_folder, pl->source->folder },
		.foreign = true,
		.arena = arena,
		.key = tp_arena_strdup(arena, tp_str_text(&key)),
		.key_bytes = key.len,
		.source = write_source,
		.context = v,
	};
	v->listing = v->code;
	v->listing.lists = true;
	v->listing.foreign = false;
	enum tp_status status = tp_planner_commands(pl->context, TP_OPT_TEMPLATE_BEFORE, &v->at,
						    arena, &v->before, pl->diags);
	return status == TP_OK ? tp_planner_commands(pl->context, TP_OPT_TEMPLATE_AFTER, &v->at,
						     arena, &v->after, pl->diags)
			       : status;
}

static enum tp_status fill_row(struct planner *pl, const char *region, size_t i,
			       struct tp_point *point)
{
	struct tp_template_row *row = point->row;
	const struct tp_sweep_at at = { &pl->sweep, i, 0 };
	TP_STR text = { 0 };
	tp_sweep_text(&at, false, &text);
	bool fits = tp_copy(row->parameters, sizeof(row->parameters), tp_str_text(&text));
	tp_copy(row->source, sizeof(row->source), pl->source->name);
	tp_copy(row->region, sizeof(row->region), region);
	tp_copy(row->source_hash, sizeof(row->source_hash), pl->source->hash);
	tp_copy(row->kernel.isa, sizeof(row->kernel.isa), TP_ISA_COMPILED);
	row->cold = strcmp(tp_config_text(pl->context->config, TP_OPT_CACHE_STATE), "cold") == 0;
	/* "matmul/product TILE=16": what all variants have in common is left out. */
	TP_STR name = { 0 };
	tp_str_printf(&name, "%s/%s", pl->source->name, region);
	tp_sweep_text(&at, true, &name);
	tp_copy(point->kernel, sizeof(point->kernel), tp_str_text(&name));
	point->less_is_better = true;
	strcpy(point->unit, "ns");
	if (fits)
		return TP_OK;
	return tp_planner_refuse(
		pl->context, pl->diags, TP_USAGE, TP_OPT_TEMPLATE_PARAMETERS,
		"give shorter values: a file that the source includes may hold more",
		"parameters and values of a variant take more than %zu bytes",
		sizeof(row->parameters) - 1);
}

static enum tp_status add_point(struct planner *pl, const char *region, size_t i, unsigned threads,
				unsigned *cpus)
{
	struct tp_plan_context *context = pl->context;
	const struct tp_config *config = context->config;
	struct tp_planned *p = tp_plan_add(context, threads, cpus, 0, pl->diags);
	if (!p)
		return TP_RESOURCE;
	struct tp_template_plan *plan = tp_template_plan(p);
	/* How far from the core it reaches is known when it is loaded. */
	plan->window.level = TP_CLASS_L3;
	plan->region = tp_template_region_find(pl->source, region);
	plan->steps = tp_config_count(config, TP_OPT_TEMPLATE_STEPS);
	if (strcmp(tp_config_text(config, TP_OPT_TEMPLATE_STEPS), "auto") == 0)
		plan->steps =
			strcmp(tp_config_text(config, TP_OPT_CACHE_STATE), "cold") == 0 ? 1 : 0;
	p->point.estimate_seconds = POINT_SECONDS +
				    0.4 * tp_config_real(config, TP_OPT_STOP_MAX_TIME) +
				    tp_window_count_seconds(config);
	enum tp_status status = fill_row(pl, region, i, &p->point);
	return status != TP_OK || context->plan->counting ? status
							  : variant_of(pl, i, &plan->variant);
}

/* The regions to measure: the requested ones, or else all. */
static enum tp_status choose_regions(struct planner *pl)
{
	const struct tp_value *asked =
		tp_config_value(pl->context->config, TP_OPT_TEMPLATE_REGIONS);
	const struct tp_template_source *s = pl->source;
	for (size_t i = 0; i < asked->n && i < TP_TEMPLATE_REGIONS; i++) {
		const char *name = asked->items[i].text;
		if (strlen(name) >= TP_TEMPLATE_NAME_BYTES)
			return tp_planner_refuse(pl->context, pl->diags, TP_USAGE,
						 TP_OPT_TEMPLATE_REGIONS, "at most 31 letters",
						 "%s is too long a name", name);
		/* Macros and included files may hide one from us. */
		if (!tp_template_region_find(s, name))
			tp_planner_note(pl->context, TP_OPT_TEMPLATE_REGIONS,
					"%s marks no region %s by itself", s->name, name);
		pl->regions[pl->n_regions++] = name;
	}
	for (size_t i = 0; i < s->n_regions && !asked->n; i++)
		pl->regions[pl->n_regions++] = s->regions[i].name;
	return pl->n_regions
		       ? TP_OK
		       : tp_planner_refuse(
				 pl->context, pl->diags, TP_USAGE, TP_OPT_TEMPLATE_SOURCE,
				 "mark one with TPROF_BENCH_BEGIN(name) and TPROF_BENCH_END(name); "
				 "see tprof-sweep(5)",
				 "%s marks no region", s->path);
}

static enum tp_status add_points(struct planner *pl, size_t combinations)
{
	enum tp_status status = TP_OK;
	for (size_t t = 0; t < pl->choices.n_threads; t++)
		for (size_t i = 0; i < combinations && status == TP_OK && !tp_stop_asked; i++)
			for (size_t r = 0; r < pl->n_regions && status == TP_OK; r++)
				status = add_point(pl, pl->regions[r], i, pl->choices.threads[t],
						   pl->choices.cpus[t]);
	return status;
}

/* As the functions of struct tp_experiment. */
static enum tp_status plan_points(struct tp_plan_context *context, struct tp_diags *diags)
{
	struct tp_arena *arena = &context->plan->arena;
	struct tp_template_source *source = tp_arena_alloc(arena, sizeof(*source));
	struct planner *pl = tp_arena_alloc(arena, sizeof(*pl));
	*pl = (struct planner){ .context = context, .diags = diags, .source = source };
	const char *wish = tp_config_text(context->config, TP_OPT_TEMPLATE_SOURCE);
	struct tp_diag diag;
	if (!*wish)
		return tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_TEMPLATE_SOURCE,
					 "template.source=matmul, or a path that ends in .c",
					 "no source is given");
	enum tp_status status = tp_template_source_read(source, wish, arena, &diag);
	if (status != TP_OK)
		return tp_planner_refuse(context, diags, status, TP_OPT_TEMPLATE_SOURCE, diag.hint,
					 "%s%s%s", diag.where, *diag.where ? ": " : "", diag.what);
	status = tp_planner_choices(context, &pl->choices, diags);
	if (status == TP_OK)
		status = choose_regions(pl);
	if (status == TP_OK)
		status = tp_planner_sweep(context, TP_OPT_TEMPLATE_PARAMETERS, &pl->sweep, diags);
	if (status != TP_OK)
		return status;
	size_t combinations = (size_t)tp_sweep_count(&pl->sweep);
	if (!context->plan->counting)
		pl->variants = tp_arena_alloc(arena, combinations * sizeof(*pl->variants));
	return add_points(pl, combinations);
}

/*
 * --- code that runs without the user's consent: sources that ship with tprof, compilers by their
 * usual names, flags that only choose how code is made, and values of macros that are one word ---
 */

/* Letters, digits and signs that are not special to a shell, an assembler or a linker. */
static bool is_plain(const char *text)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-.";
	return !text[strspn(text, plain)];
}

/* No flag that loads something, or calls another program. */
static bool is_known_flag(const char *flag)
{
	static const char *const begins[] = {
		"-O",	 "-march=", "-mtune=", "-mprefer-vector-width=", "-mavx", "-msse",
		"-mfma", "-std=",   "-W"
	};
	static const char words[] =
		"-g -fopenmp -fopenmp-simd -ffast-math -funroll-loops -ftree-vectorize "
		"-fno-tree-vectorize -fvectorize -fno-vectorize -fno-slp-vectorize "
		"-fomit-frame-pointer -fstrict-aliasing -fno-strict-aliasing -ffp-contract=off "
		"-ffp-contract=fast -fno-math-errno -fassociative-math";
	for (size_t i = 0; i < TP_COUNT_OF(begins); i++)
		if (strncmp(flag, begins[i], strlen(begins[i])) == 0)
			/* A comma would hand something on: -Wl,... */
			return is_plain(flag + strlen(begins[i]));
	return tp_has_word(words, flag);
}

static bool are_known_flags(const char *flags)
{
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	char **words;
	size_t n = 0;
	bool known = tp_command_split(flags, &arena, &words, &n, NULL) == TP_OK || n == 0;
	for (size_t i = 0; i < n && known; i++)
		known = is_known_flag(words[i]);
	return known;
}

static bool is_known_value(const char *name, const char *value)
{
	if (strcmp(name, "compiler") == 0)
		return tp_has_word("cc gcc clang", value);
	if (strcmp(name, "flags") == 0)
		return are_known_flags(value);
	return is_plain(value);
}

static bool are_known_values(const char *wish)
{
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	struct tp_sweep_parameter parameter = { 0 };
	/* Refused code does not run. */
	bool known = true;
	if (tp_sweep_read(wish, &arena, &parameter, NULL) == TP_OK)
		for (size_t i = 0; i < parameter.n; i++)
			known &= is_known_value(parameter.name, parameter.values[i]);
	return known;
}

bool tp_template_code_is_known(const struct tp_option *option, const char *text)
{
	if (option == TP_OPT_TEMPLATE_SOURCE)
		return tp_template_is_known(text);
	return option == TP_OPT_TEMPLATE_PARAMETERS && are_known_values(text);
}

static enum tp_status write_planned(const struct tp_planned *planned, struct tp_str *out,
				    struct tp_diag *diag)
{
	return write_source(tp_template_plan(planned)->variant, out, diag);
}

static const struct tp_option_names names[] = {
	{ .option = TP_OPT_TEMPLATE_SOURCE, .open = true, .files = tp_template_list },
	{ 0 },
};

const struct tp_experiment tp_experiment_template = {
	.name = "template",
	.question = "Which build of my code is fastest?",
	.summary = "C templates: regions of a source, compiled for all combinations of its macros, "
		   "compilers and flags",
	.names = names,
	.not_simulated = "a simulation runs kernels of tprof, not compiled loops",
	.supported = tp_experiment_supported_anywhere,
	.plan = plan_points,
	.plan_bytes = sizeof(struct tp_template_plan),
	.prepare = tp_template_prepare,
	.run = tp_template_run,
	.repeated = &tp_template_repeated,
	.code_is_known = tp_template_code_is_known,
	.source = write_planned,
};
