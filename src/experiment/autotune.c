/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Autotuned peaks: the fastest configuration of a real routine is searched for, and hopeless ones are stopped early. The plan. */
#include "experiment/autotune.h"
#include "experiment/planner.h"
#include "experiment/rows.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCOPES = 3 };

/* CPUs that work together. */
struct scope {
	const char *name;
	unsigned *cpus; /* as placed for a product: close together */
	unsigned *spread; /* as placed for TRIAD */
	unsigned n, packages;
};

static enum tp_status supported(const struct tp_machine *machine, struct tp_diag *diag)
{
	return tp_experiment_supported_anywhere(machine, diag);
}

static const struct tp_pu *pu_of(const struct tp_machine *machine, unsigned cpu)
{
	for (size_t i = 0; i < machine->n_pus; i++)
		if (machine->pus[i].os_index == cpu)
			return &machine->pus[i];
	return NULL;
}

/* The first allowed hardware thread of each core, of one package or of all; in machine order. */
static unsigned cores_of(const struct tp_machine *machine, const struct tp_pu *like, unsigned *cpus)
{
	unsigned n = 0, last_core = 0;
	for (size_t i = 0; i < machine->n_pus; i++) {
		const struct tp_pu *pu = &machine->pus[i];
		if (!pu->allowed || (like && pu->package != like->package) ||
		    (n && pu->core == last_core))
			continue;
		cpus[n++] = pu->os_index;
		last_core = pu->core;
	}
	return n;
}

static unsigned packages_of(const struct tp_machine *machine, const unsigned *cpus, unsigned n)
{
	unsigned packages = 0;
	for (unsigned i = 0; i < n; i++) {
		bool seen = false;
		for (unsigned k = 0; k < i && !seen; k++)
			seen = pu_of(machine, cpus[k])->package == pu_of(machine, cpus[i])->package;
		packages += !seen;
	}
	return packages;
}

static enum tp_status fill_scope(struct tp_plan_context *context, struct scope *scope,
				 struct tp_diags *diags)
{
	const struct tp_machine *machine = context->machine;
	struct tp_arena *arena = &context->plan->arena;
	const char *affinity = tp_config_text(context->config, TP_OPT_AFFINITY);
	struct tp_diag why = { 0 };
	unsigned first;
	enum tp_status status = tp_machine_place(machine, affinity, 1, &first, &why);
	if (status != TP_OK)
		return tp_planner_refuse(context, diags, status, TP_OPT_AFFINITY, why.hint, "%s",
					 why.what);
	scope->cpus = tp_arena_alloc(arena, machine->n_pus * sizeof(*scope->cpus));
	scope->spread = tp_arena_alloc(arena, machine->n_pus * sizeof(*scope->spread));
	if (!scope->cpus || !scope->spread)
		return tp_planner_refuse(context, diags, TP_NOMEM, TP_OPT_SCOPE, NULL,
					 "out of memory");
	scope->cpus[0] = first;
	scope->n = 1;
	if (strcmp(scope->name, "core") != 0)
		scope->n = cores_of(
			machine, strcmp(scope->name, "socket") == 0 ? pu_of(machine, first) : NULL,
			scope->cpus);
	if (scope->n > TP_ROUTINE_CPUS_MAX)
		return tp_planner_refuse(context, diags, TP_UNSUPPORTED, TP_OPT_SCOPE,
					 "choose the scope core or socket",
					 "%s: more than %d cores", scope->name,
					 (int)TP_ROUTINE_CPUS_MAX);
	scope->packages = packages_of(machine, scope->cpus, scope->n);
	memcpy(scope->spread, scope->cpus, scope->n * sizeof(*scope->cpus));
	/* Over several packages the memory is the faster the more evenly its threads are dealt. */
	if (scope->packages > 1)
		status = tp_machine_place(machine, "scatter", scope->n, scope->spread, &why);
	if (status != TP_OK)
		tp_planner_refuse(context, diags, status, TP_OPT_SCOPE, why.hint, "%s", why.what);
	return status;
}

static enum tp_status choose_scopes(struct tp_plan_context *context, struct scope *scopes,
				    size_t *n, struct tp_diags *diags)
{
	const struct tp_value *value = tp_config_value(context->config, TP_OPT_SCOPE);
	*n = 0;
	for (size_t i = 0; i < value->n && *n < SCOPES; i++) {
		struct scope *scope = &scopes[*n];
		*scope = (struct scope){ .name = value->items[i].text };
		enum tp_status status = fill_scope(context, scope, diags);
		if (status != TP_OK)
			return status;
		const struct scope *same = NULL;
		for (size_t k = 0; k < *n && !same; k++)
			if (scopes[k].n == scope->n && memcmp(scopes[k].cpus, scope->cpus,
							      scope->n * sizeof(*scope->cpus)) == 0)
				same = &scopes[k];
		if (same)
			tp_planner_note(context, TP_OPT_SCOPE,
					"%s is left out: its cores are those of %s here",
					scope->name, same->name);
		else
			(*n)++;
	}
	return TP_OK;
}

static enum tp_status check_techniques(struct tp_plan_context *context, struct tp_diags *diags)
{
	const struct tp_value *value = tp_config_value(context->config, TP_OPT_TECHNIQUE);
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < value->n; i++) {
		const char *name = value->items[i].text;
		struct tp_technique technique;
		if (tp_technique_find(name, &technique) &&
		    strlen(name) < sizeof(((struct tp_point *)0)->technique))
			continue;
		const char *names[TP_MAX_LIST];
		size_t n = 0;
		struct tp_str all = { 0 };
		for (; n < tp_technique_count && n < TP_MAX_LIST; n++)
			names[n] = tp_technique_table[n].name;
		tp_str_list(&all, names, n, " and ");
		tp_str_add(&all, "; a minimum count may follow where something is beaten: c+i/100");
		status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_TECHNIQUE,
					   tp_str_text(&all), "there is no technique \"%s\"", name);
		tp_str_release(&all);
	}
	return status;
}

/* One search as a point. `level` is CLASS_FP for a product. */
struct wish {
	enum tp_routine_id routine;
	enum tp_level_class level;
	const char *library, *technique;
	const struct scope *scope;
};

static void name_point(const struct wish *wish, const struct tp_autotune *search,
		       struct tp_point *point)
{
	const char *routine = tp_routine_name(wish->routine);
	bool triad = wish->routine == TP_ROUTINE_TRIAD;
	char library[24];
	tp_autotune_library_name(wish->library, "", library, sizeof(library));
	snprintf(point->kernel, sizeof(point->kernel), "%s%s%s", routine, *library ? "/" : "",
		 library);
	tp_copy(point->isa, sizeof(point->isa), routine);
	tp_copy(point->precision, sizeof(point->precision),
		wish->routine == TP_ROUTINE_SGEMM ? "single" : "double");
	tp_copy(point->fp_op, sizeof(point->fp_op), triad ? "" : "fma");
	tp_copy(point->technique, sizeof(point->technique), wish->technique);
	tp_copy(point->scope, sizeof(point->scope), wish->scope->name);
	tp_copy(point->library, sizeof(point->library), wish->library);
	point->configurations = (unsigned)search->n;
	point->loads = triad ? 2 : 0;
	point->stores = triad ? 1 : 0;
	if (triad && search->n) {
		struct tp_routine_config c = tp_autotune_config(search, 0);
		point->ai_flop_per_byte = tp_routine_flop(&c) / tp_routine_bytes(&c);
	}
}

static enum tp_status plan_search(struct tp_plan_context *context, const struct wish *wish,
				  struct tp_diags *diags)
{
	struct tp_arena *arena = &context->plan->arena;
	bool triad = wish->routine == TP_ROUTINE_TRIAD;
	const struct scope *scope = wish->scope;
	struct tp_autotune *search = tp_arena_alloc(arena, sizeof(*search));
	if (!search)
		return tp_planner_refuse(context, diags, TP_NOMEM, TP_OPT_ROUTINE, NULL,
					 "out of memory");
	*search = (struct tp_autotune){ .routine = wish->routine,
					.library = wish->library,
					.packages = scope->packages };
	tp_technique_find(wish->technique, &search->technique);
	if (search->technique.min_count == 0)
		search->technique.min_count =
			(unsigned)tp_config_count(context->config, TP_OPT_AUTOTUNE_MIN_COUNT);
	if (tp_autotune_space(search, context->machine, context->config, wish->level, scope->n,
			      arena) != TP_OK)
		return tp_planner_refuse(context, diags, TP_NOMEM, TP_OPT_AUTOTUNE_SPACE, NULL,
					 "out of memory");
	struct tp_kernel kernel = tp_planner_chase(context, 0);
	struct tp_combination combination = { kernel.isa, kernel.element_bytes, scope->n,
					      triad ? scope->spread : scope->cpus };
	struct tp_planned *p = tp_planner_add(context, &combination, &kernel, wish->level, diags);
	if (!p)
		return TP_RESOURCE;
	p->search = search;
	p->own_bytes = p->buffer_bytes = 0; /* its processes have their own */
	name_point(wish, search, &p->point);
	p->point.estimate_seconds = tp_autotune_estimate(search, context->machine, context->config,
							 wish->level, scope->n);
	return TP_OK;
}

static enum tp_status plan_techniques(struct tp_plan_context *context, struct wish *wish,
				      struct tp_diags *diags)
{
	const struct tp_value *value = tp_config_value(context->config, TP_OPT_TECHNIQUE);
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < value->n && status == TP_OK; i++) {
		wish->technique = value->items[i].text;
		status = plan_search(context, wish, diags);
	}
	return status;
}

static enum tp_status plan_triad(struct tp_plan_context *context, struct wish *wish,
				 struct tp_diags *diags)
{
	const struct tp_value *value = tp_config_value(context->config, TP_OPT_LEVEL);
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < value->n && status == TP_OK; i++)
		for (enum tp_level_class level = TP_CLASS_L1;
		     level <= TP_CLASS_DRAM && status == TP_OK; level++) {
			const char *name = tp_planner_level_name(level);
			if (strcmp(value->items[i].text, name) != 0)
				continue;
			if (!tp_planner_level_bytes(context->machine, level, 1)) {
				tp_planner_note(
					context, TP_OPT_LEVEL,
					"%s is left out: this machine reports no such cache "
					"(give its capacity with cache_size.%s)",
					name, name);
				continue;
			}
			wish->level = level;
			wish->library = "";
			status = plan_techniques(context, wish, diags);
		}
	return status;
}

static enum tp_status plan_product(struct tp_plan_context *context, struct wish *wish,
				   struct tp_diags *diags)
{
	const struct tp_value *value = tp_config_value(context->config, TP_OPT_BLAS);
	enum tp_status status = TP_OK;
	wish->level = TP_CLASS_FP;
	for (size_t i = 0; i < TP_MAX(value->n, (size_t)1) && status == TP_OK; i++) {
		wish->library = value->n ? value->items[i].text : "";
		status = plan_techniques(context, wish, diags);
	}
	return status;
}

static enum tp_status plan(struct tp_plan_context *context, struct tp_diags *diags)
{
	const struct tp_value *value = tp_config_value(context->config, TP_OPT_ROUTINE);
	struct scope scopes[SCOPES];
	size_t n_scopes;
	enum tp_status status = check_techniques(context, diags);
	enum tp_status scoped = choose_scopes(context, scopes, &n_scopes, diags);
	if (status == TP_OK)
		status = scoped;
	for (size_t i = 0; i < value->n && status == TP_OK; i++)
		for (size_t s = 0; s < n_scopes && status == TP_OK; s++) {
			struct wish wish = { .scope = &scopes[s] };
			tp_routine_find(value->items[i].text, &wish.routine);
			status = wish.routine == TP_ROUTINE_TRIAD
					 ? plan_triad(context, &wish, diags)
					 : plan_product(context, &wish, diags);
		}
	return status;
}

const struct tp_experiment tp_experiment_autotune = {
	.name = "autotune",
	.summary = "autotuned peaks: the fastest configuration of DGEMM, SGEMM and TRIAD is "
		   "searched for",
	.supported = supported,
	.plan = plan,
	.run = tp_autotune_run,
	.reduce = tp_autotune_reduce,
};
