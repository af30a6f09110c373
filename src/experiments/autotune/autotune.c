/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Autotuned peaks: the fastest configuration of a real routine is searched for, and hopeless ones
 * are stopped early. The plan, and what the winners mean together: the classic roofline F(I) =
 * min(B I, F_p), its peak from the matrix products, its bandwidths from TRIAD; the techniques
 * compared.
 */
#include "experiments/autotune/autotune.h"
#include "experiments/windows/planner.h"
#include "base/str.h"
#include "base/memory.h"
#include "base/text.h"
#include "record/point.h"
#include "experiments/autotune/row.h"
#include "experiments/autotune/searches.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/stats.h"
#include "record/roof.h"

static const char baseline_name[] = "default";

/* A search that was cut short is not a baseline: what it did not come to may have been the best. */
static const struct tp_point *baseline_of(const struct tp_run *run, const struct tp_point *point)
{
	TP_EACH_POINT (p, run) {
		if (tp_point_is_search(p) && p->state == TP_POINT_DONE &&
		    strcmp(tp_search_row(p)->technique, baseline_name) == 0 &&
		    tp_search_alike(p, point))
			return p;
	}
	return NULL;
}

static void count_trials(struct tp_study_row *row, const struct tp_trial *trials, size_t n)
{
	row->configurations = (unsigned)n;
	for (size_t i = 0; i < n; i++) {
		row->seconds += trials[i].seconds;
		row->invocations += trials[i].invocations;
		row->iterations += trials[i].iterations;
	}
}

static double value_of(const struct tp_run *run, unsigned point, unsigned index)
{
	size_t n;
	const struct tp_trial *trials = tp_trials_of(run, point, &n);

	for (size_t i = 0; i < n; i++)
		if (trials[i].index == index && strcmp(trials[i].stopped, "failed") != 0)
			return trials[i].value;
	return 0;
}

static void compare_with_baseline(const struct tp_run *run, const struct tp_point *point,
				  struct tp_study_row *row)
{
	const struct tp_point *base = baseline_of(run, point);
	const struct tp_trial *best = base ? tp_trials_best(run, base->point) : NULL;

	row->loss = row->error = NAN;
	if (!best || !(best->value > 0))
		return;
	if (row->seconds > 0) {
		struct tp_study_row theirs = { 0 };
		size_t n;
		const struct tp_trial *trials = tp_trials_of(run, base->point, &n);
		count_trials(&theirs, trials, n);
		row->speedup = theirs.seconds / row->seconds;
	}
	row->error = row->best / best->value - 1;
	row->baseline_value = value_of(run, base->point, row->index);
	if (row->baseline_value > 0)
		row->loss = 1 - row->baseline_value / best->value;
}

void tp_study_make(struct tp_run *run)
{
	struct tp_rows *rows = tp_run_rows_of(run, &tp_study_part);

	rows->n = 0;
	TP_EACH_POINT (point, run) {
		struct tp_searched search;
		const struct tp_trial *best = tp_searched_of(run, point->point, &search)
						      ? tp_trials_best(run, point->point)
						      : NULL;

		if (!best)
			continue;
		struct tp_study_row *row = tp_run_add_row(run, &tp_study_part);
		*row = (struct tp_study_row){ .run = point->run,
					      .point = point->point,
					      .index = best->index,
					      .best = best->value };
		memcpy(row->size, best->size, sizeof(row->size));
		tp_copy(row->technique, sizeof(row->technique), tp_search_row(point)->technique);
		tp_copy(row->library, sizeof(row->library), tp_search_row(point)->library);
		tp_copy(row->routine, sizeof(row->routine), search.routine);
		tp_copy(row->scope, sizeof(row->scope), search.where);
		count_trials(row, search.trials, search.n);
		compare_with_baseline(run, point, row);
	}
}

/* The same roof, found by another technique, or with another library. */
static bool same_roof(const struct tp_point *a, const struct tp_point *b)
{
	return a->run == b->run && strcmp(tp_kernel_row(a)->isa, tp_kernel_row(b)->isa) == 0 &&
	       strcmp(tp_search_row(a)->scope, tp_search_row(b)->scope) == 0 &&
	       strcmp(tp_kernel_row(a)->level, tp_kernel_row(b)->level) == 0 &&
	       a->threads == b->threads;
}

static bool is_winner(const struct tp_point *p, unsigned index)
{
	return p->run == index && p->state == TP_POINT_DONE && tp_point_is_search(p);
}

/* The searches of one roof compete; of equal ones the first wins. */
static bool is_best(const struct tp_run *run, const struct tp_point *p, unsigned index)
{
	TP_EACH_POINT (q, run) {
		if (q == p || !is_winner(q, index) || !same_roof(p, q))
			continue;
		double mine = tp_point_median(p), others = tp_point_median(q);
		if (others > mine || (others == mine && q < p))
			return false;
	}
	return true;
}

/* Peak of the products in double precision that the same cores reached; 0 = none. */
static double peak_of(const struct tp_run *run, const struct tp_point *triad, unsigned index)
{
	double peak = 0;
	TP_EACH_POINT (p, run) {
		if (is_winner(p, index) && tp_point_is_fp(p) && p->threads == triad->threads &&
		    strcmp(tp_search_row(p)->scope, tp_search_row(triad)->scope) == 0 &&
		    strcmp(tp_kernel_row(p)->precision, tp_kernel_row(triad)->precision) == 0)
			peak = TP_MAX(peak, tp_point_median(p));
	}
	return peak;
}

static void add_roof(struct tp_run *run, const struct tp_point *p, unsigned index)
{
	struct tp_roof *roof = tp_run_add_row(run, &tp_roof_part);
	/*
	 * The routine takes the place of an instruction set, so that reports find the classic
	 * roofline by it.
	 */
	*roof = tp_roof_of(p);
	if (!tp_point_is_fp(p))
		roof->ridge_flop_per_byte = tp_roof_ridge(peak_of(run, p, index), roof->median);
}

static void autotune_reduce(const struct tp_machine *machine __attribute__((unused)),
			    struct tp_run *run, unsigned index)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (is_winner(&run->points[i], index) && is_best(run, &run->points[i], index))
			add_roof(run, &run->points[i], index);
	tp_study_make(run);
}

enum { SCOPES = 3 };

/* CPUs that work together. */
struct scope {
	const char *name;
	unsigned *cpus; /* as placed for a product: close together */
	unsigned *spread; /* as placed for TRIAD */
	unsigned n, packages;
};

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
	/* Machine order keeps the configurations of a package together. */
	for (unsigned i = 0; i < scope->n; i++)
		scope->packages += i == 0 || pu_of(machine, scope->cpus[i])->package !=
						     pu_of(machine, scope->cpus[i - 1])->package;
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
					"%s is left out: here it has the same cores as %s",
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
		    strlen(name) < sizeof(tp_search_row(((struct tp_point *)0))->technique))
			continue;
		const char *names[TP_MAX_LIST];
		size_t n = 0;
		TP_STR all = { 0 };
		for (; n < tp_technique_count && n < TP_MAX_LIST; n++)
			names[n] = tp_technique_table[n].name;
		tp_str_list(&all, names, n, " and ");
		tp_str_add(&all, "; a minimum count may follow where something is beaten: c+i/100");
		status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_TECHNIQUE,
					   tp_str_text(&all), "there is no technique \"%s\"", name);
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
	struct tp_search_row *row = point->row;
	tp_autotune_library_name(wish->library, "", library, sizeof(library));
	snprintf(point->kernel, sizeof(point->kernel), "%s%s%s", routine, *library ? "/" : "",
		 library);
	/* Reports find the classic roofline by the routine in the place of an instruction set. */
	tp_copy(row->kernel.isa, sizeof(row->kernel.isa), routine);
	tp_copy(row->kernel.precision, sizeof(row->kernel.precision),
		wish->routine == TP_ROUTINE_SGEMM ? "single" : "double");
	tp_copy(row->kernel.level, sizeof(row->kernel.level), tp_planner_level_name(wish->level));
	tp_copy(row->kernel.fp_op, sizeof(row->kernel.fp_op), triad ? "" : "fma");
	tp_copy(row->technique, sizeof(row->technique), wish->technique);
	tp_copy(row->scope, sizeof(row->scope), wish->scope->name);
	tp_copy(row->library, sizeof(row->library), wish->library);
	row->configurations = (unsigned)search->n;
	row->kernel.loads = triad ? 2 : 0;
	row->kernel.stores = triad ? 1 : 0;
	if (triad && search->n) {
		struct tp_routine_config c = tp_autotune_config(search, 0);
		row->kernel.ai_flop_per_byte = tp_routine_flop(&c) / tp_routine_bytes(&c);
	}
}

/* The configurations of all searches that are planned before the last point. */
static size_t configurations_before(const struct tp_plan_context *context)
{
	const struct tp_plan *plan = context->plan;
	size_t most = 0;
	/* Within a run they are in order; earlier runs may have shuffled them. */
	for (size_t i = plan->n - 1; i-- > 0;) {
		const struct tp_planned *p = &plan->items[i];
		if (p->experiment == context->experiment)
			most = TP_MAX(most, tp_autotune_of(p)->n_so_far);
		if (p->point.run == context->run)
			break;
	}
	return most;
}

/* Where the sizes of a search come from. */
static const struct tp_option *sized_by(const struct tp_config *config, bool triad)
{
	const struct tp_option *const given[] = { TP_OPT_AUTOTUNE_N, TP_OPT_AUTOTUNE_M,
						  TP_OPT_AUTOTUNE_K };
	for (size_t i = 0; i < TP_COUNT_OF(given) && !triad; i++)
		if (tp_config_value(config, given[i])->n)
			return given[i];
	return triad ? TP_OPT_AUTOTUNE_ELEMENTS : TP_OPT_AUTOTUNE_SPACE;
}

static enum tp_status refuse_space(struct tp_plan_context *context,
				   const struct tp_autotune *search, size_t before,
				   struct tp_diags *diags)
{
	const struct tp_axis *axes = search->axes;
	bool triad = search->routine == TP_ROUTINE_TRIAD;
	return tp_planner_refuse(
		context, diags, TP_RESOURCE, sized_by(context->config, triad),
		triad ? "give fewer sizes"
		      : "give fewer sizes in autotune.n, m or k, or choose an autotune.space",
		"a search has %zu configurations (%zu x %zu x %zu)%s, and all searches of a run "
		"may have %d in total",
		search->n, axes[0].n, TP_MAX(axes[1].n, (size_t)1), TP_MAX(axes[2].n, (size_t)1),
		before ? " in addition to other searches" : "", TP_RUN_TRIALS_MAX);
}

/* The search leaves out configurations that do not fit; it needs at least one. */
static enum tp_status check_memory(struct tp_plan_context *context,
				   const struct tp_autotune *search, struct tp_diags *diags)
{
	const struct tp_option *option =
		sized_by(context->config, search->routine == TP_ROUTINE_TRIAD);
	uint64_t limit = tp_autotune_memory_limit_bytes(context->machine), least = UINT64_MAX;
	char need[32], room[32];
	size_t too_large = 0;
	for (size_t i = 0; i < search->n; i++) {
		struct tp_routine_config config = tp_autotune_config(search, i);
		uint64_t bytes = tp_routine_memory_bytes(&config);
		too_large += bytes > limit;
		least = TP_MIN(least, bytes);
	}
	if (!too_large)
		return TP_OK;
	tp_format_bytes(need, sizeof(need), least);
	tp_format_bytes(room, sizeof(room), limit);
	if (too_large == search->n)
		return tp_planner_refuse(
			context, diags, TP_RESOURCE, option,
			option == TP_OPT_AUTOTUNE_SPACE
				? "choose a smaller space: small needs 6 MiB"
				: "choose smaller sizes",
			"the smallest configuration would need %s, and only %s of this "
			"machine's memory may be used",
			need, room);
	tp_planner_note(context, option,
			"%zu of %zu configurations need more than the %s of this machine's memory "
			"that may be used; they fail",
			too_large, search->n, room);
	return TP_OK;
}

static enum tp_status plan_search(struct tp_plan_context *context, const struct wish *wish,
				  struct tp_diags *diags)
{
	struct tp_arena *arena = &context->plan->arena;
	bool triad = wish->routine == TP_ROUTINE_TRIAD;
	const struct scope *scope = wish->scope;
	/* Its processes have their own buffers. */
	struct tp_planned *p =
		tp_plan_add(context, scope->n, triad ? scope->spread : scope->cpus, 0, diags);
	if (!p)
		return TP_RESOURCE;
	struct tp_autotune *search = tp_autotune_of(p);
	*search = (struct tp_autotune){ .routine = wish->routine,
					.level = wish->level,
					.library = wish->library,
					.packages = scope->packages };
	tp_technique_find(wish->technique, &search->technique);
	if (search->technique.min_count == 0)
		search->technique.min_count =
			(unsigned)tp_config_count(context->config, TP_OPT_AUTOTUNE_MIN_COUNT);
	if (context->plan->counting)
		return TP_OK;
	size_t before = configurations_before(context);
	if (tp_autotune_space(search, context->machine, context->config, wish->level, scope->n,
			      TP_RUN_TRIALS_MAX - before, arena) != TP_OK)
		return refuse_space(context, search, before, diags);
	enum tp_status status = check_memory(context, search, diags);
	if (status != TP_OK)
		return status;
	search->n_so_far = before + search->n;
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
	struct tp_choices c = { 0 };
	enum tp_status status = TP_OK;
	tp_planner_levels(context, &c);
	wish->library = "";
	for (size_t l = 0; l < c.n_levels && status == TP_OK; l++) {
		wish->level = c.levels[l];
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
	/* Options of routines that are not searched for, and a space whose sizes are all given. */
	const struct tp_config *config = context->config;
	const struct tp_value *routines = tp_config_value(config, TP_OPT_ROUTINE);
	const struct tp_option *const products[] = { TP_OPT_AUTOTUNE_SPACE,  TP_OPT_AUTOTUNE_N,
						     TP_OPT_AUTOTUNE_M,	     TP_OPT_AUTOTUNE_K,
						     TP_OPT_AUTOTUNE_SQUARE, TP_OPT_BLAS };
	bool triad = false, product = false;
	for (size_t i = 0; i < routines->n; i++) {
		bool is_triad = strcmp(routines->items[i].text, "triad") == 0;
		triad |= is_triad;
		product |= !is_triad;
	}
	for (size_t i = 0; i < TP_COUNT_OF(products) && !product; i++)
		tp_planner_idle(context, products[i], TP_OPT_ROUTINE,
				"it belongs to matrix products");
	if (!triad)
		tp_planner_idle(context, TP_OPT_AUTOTUNE_ELEMENTS, TP_OPT_ROUTINE,
				"it belongs to routine=triad");
	if (!triad)
		tp_planner_idle(context, TP_OPT_LEVEL, TP_OPT_ROUTINE,
				"it belongs to routine=triad");
	if (product && tp_config_value(config, TP_OPT_AUTOTUNE_N)->n &&
	    tp_config_value(config, TP_OPT_AUTOTUNE_M)->n &&
	    tp_config_value(config, TP_OPT_AUTOTUNE_K)->n)
		tp_planner_idle(context, TP_OPT_AUTOTUNE_SPACE, TP_OPT_AUTOTUNE_N,
				"autotune.n, autotune.m and autotune.k give all sizes");
	if (product && tp_config_value(config, TP_OPT_TECHNIQUE)->n > 1 &&
	    strcmp(tp_config_text(config, TP_OPT_AUTOTUNE_SPACE), "small") == 0)
		tp_planner_note(context, TP_OPT_AUTOTUNE_SPACE,
				"small has an eighth of the sizes of paper, the published space: "
				"figures of publications are for that one");
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

/*
 * The library and size of a search are known only when it runs: the plan says "dgemm", the point
 * "dgemm/openblas".
 */
static bool continues(const struct tp_point *found, const struct tp_point *planned)
{
	const struct tp_search_row *a = tp_search_row(found), *b = tp_search_row(planned);
	size_t n = strlen(planned->kernel);
	return strncmp(found->kernel, planned->kernel, n) == 0 &&
	       (found->kernel[n] == '\0' || found->kernel[n] == '/') &&
	       strcmp(a->technique, b->technique) == 0 && strcmp(a->scope, b->scope) == 0 &&
	       strcmp(a->kernel.isa, b->kernel.isa) == 0 &&
	       strcmp(a->kernel.precision, b->kernel.precision) == 0 &&
	       strcmp(a->kernel.level, b->kernel.level) == 0;
}

static uint64_t memory_bytes(const struct tp_planned *planned)
{
	const struct tp_autotune *search = tp_autotune_of(planned);
	uint64_t most = 0;
	for (size_t i = 0; i < search->n; i++) {
		struct tp_routine_config config = tp_autotune_config(search, i);
		most = TP_MAX(most, tp_routine_memory_bytes(&config));
	}
	return most;
}

static const char *routine(size_t i, const char **note)
{
	if (i >= TP_ROUTINE_COUNT)
		return NULL;
	*note = tp_routine_summary((enum tp_routine_id)i);
	return tp_routine_name((enum tp_routine_id)i);
}

static const char *technique(size_t i, const char **note)
{
	if (i >= tp_technique_count)
		return NULL;
	*note = tp_technique_table[i].summary;
	return tp_technique_table[i].name;
}

static const struct tp_option_names names[] = {
	{ .option = TP_OPT_ROUTINE, .open = false, .name = routine },
	{ .option = TP_OPT_TECHNIQUE, .open = true, .name = technique },
	{ 0 },
};

static bool code_is_known(const struct tp_option *option __attribute__((unused)), const char *text)
{
	return tp_blas_is_known(text);
}

const struct tp_experiment tp_experiment_autotune = {
	.name = "autotune",
	.question = "Which configuration is fastest?",
	.summary = "autotuned peaks: the fastest configuration of DGEMM, SGEMM and TRIAD is "
		   "searched for",
	.names = names,
	.estimates = true,
	.supported = tp_experiment_supported_anywhere,
	.plan = plan,
	.plan_bytes = sizeof(struct tp_autotune),
	.prepare = tp_autotune_prepare,
	.run = tp_autotune_run,
	.continues = continues,
	.memory_bytes = memory_bytes,
	.code_is_known = code_is_known,
	.describe = tp_autotune_describe,
	.reduce = autotune_reduce,
};
