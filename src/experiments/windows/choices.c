/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Option lists of a run, resolved against machine and registries. */
#include "experiments/windows/planner.h"
#include "base/str.h"
#include "base/memory.h"
#include "kernels/kernel.h"

#include <string.h>

/* The ISAs to choose from, from narrow to wide. */
struct isas {
	const struct tp_isa *all[TP_MAX_LIST];
	size_t n;
};

/* An ISA of another architecture, of which this program knows only what the model says. */
static const struct tp_isa *describe_isa(struct tp_plan_context *context,
					 const struct tp_model_isa *model)
{
	struct tp_isa *isa = tp_arena_alloc(&context->plan->arena, sizeof(*isa));
	if (isa)
		*isa = (struct tp_isa){ .name = model->name,
					.arch = context->machine->model.arch,
					.summary = "",
					.needs = "",
					.vector_bytes = strcmp(model->name, "scalar") == 0
								? 0
								: model->vector_bytes };
	return isa;
}

/* Those of this program, or where the machine has another architecture, those of its model. */
static void find_isas(struct tp_plan_context *context, struct isas *isas)
{
	const struct tp_machine *machine = context->machine;
	bool other = machine->foreign && machine->model.n_isas &&
		     !(tp_arch_host() && strcmp(machine->model.arch, tp_arch_host()->name) == 0);
	isas->n = 0;
	for (size_t i = 0; i < machine->model.n_isas && other && isas->n < TP_MAX_LIST; i++)
		if ((isas->all[isas->n] = describe_isa(context, &machine->model.isas[i])))
			isas->n++;
	for (size_t i = 0; i < tp_isa_count && !other && isas->n < TP_MAX_LIST; i++)
		isas->all[isas->n++] = tp_isa_table[i];
}

/* ISAs of the machine planned for: of this host by its features, of a foreign one by its model. */
static bool offers(const struct tp_plan_context *context, const struct tp_isa *isa,
		   struct tp_diag *why)
{
	const struct tp_machine *machine = context->machine;
	if (!machine->foreign)
		return tp_isa_supported(isa, context->cpu, why) == TP_OK;
	if (machine->model.n_isas == 0 || tp_model_isa(&machine->model, isa->name))
		return true;
	tp_fail(why, TP_UNSUPPORTED, isa->name, "choose another isa or machine",
		"the model %s has no %s", machine->model.name, isa->name);
	return false;
}

static void add_isa(struct tp_choices *c, const struct tp_isa *isa)
{
	for (size_t i = 0; i < c->n_isas; i++)
		if (c->isas[i] == isa)
			return;
	if (c->n_isas < TP_MAX_LIST)
		c->isas[c->n_isas++] = isa;
}

static bool wants_matrices(const struct tp_plan_context *context)
{
	const struct tp_value *ops = tp_config_value(context->config, TP_OPT_FP_OP);
	for (size_t i = 0; i < ops->n && context->experiment->narrow; i++)
		if (tp_fp_op_find(ops->items[i].text) == TP_FP_TILE)
			return true;
	return false;
}

/*
 * auto: every one that is offered; widest: the last of those that code takes by itself, and where
 * matrices are asked for, the others with it, which are there for them.
 */
static void choose_offered(struct tp_plan_context *context, const struct isas *isas, bool every,
			   struct tp_choices *c, struct tp_diags *diags)
{
	const struct tp_isa *last = NULL;
	for (size_t k = 0; k < isas->n; k++) {
		if (!offers(context, isas->all[k], NULL))
			continue;
		if (!tp_isa_is_apart(isas->all[k]))
			last = isas->all[k];
		if (every)
			add_isa(c, isas->all[k]);
	}
	if (last)
		add_isa(c, last);
	for (size_t k = 0; k < isas->n && wants_matrices(context); k++)
		if (tp_isa_is_apart(isas->all[k]) && offers(context, isas->all[k], NULL))
			add_isa(c, isas->all[k]);
	if (!last)
		tp_planner_refuse(context, diags, TP_UNSUPPORTED, TP_OPT_ISA, NULL,
				  "this program has no kernels for this CPU (%s)",
				  context->cpu->arch);
}

static void no_such_isa(struct tp_plan_context *context, const struct isas *isas, const char *word,
			struct tp_diags *diags)
{
	const char *names[TP_MAX_LIST + 2];
	struct tp_str hint = { 0 };
	size_t n = 0;
	for (; n < isas->n; n++)
		names[n] = isas->all[n]->name;
	names[n++] = "auto";
	names[n++] = "widest";
	const char *near = tp_nearest(word, names, n);
	if (near)
		tp_str_printf(&hint, "did you mean %s? ", near);
	tp_str_add(&hint, "allowed: ");
	tp_str_list(&hint, names, n, " or ");
	tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_ISA, tp_str_text(&hint),
			  "there is no ISA \"%s\"", word);
	tp_str_release(&hint);
}

static void choose_isas(struct tp_plan_context *context, struct tp_choices *c,
			struct tp_diags *diags)
{
	const struct tp_value *value = tp_config_value(context->config, TP_OPT_ISA);
	struct isas isas;
	find_isas(context, &isas);
	for (size_t i = 0; i < value->n; i++) {
		const char *word = value->items[i].text;
		const struct tp_isa *isa = NULL;
		struct tp_diag why;
		bool every = strcmp(word, "auto") == 0;
		for (size_t k = 0; k < isas.n && !isa; k++)
			if (strcmp(isas.all[k]->name, word) == 0)
				isa = isas.all[k];
		if (every || strcmp(word, "widest") == 0)
			choose_offered(context, &isas, every, c, diags);
		else if (!isa)
			no_such_isa(context, &isas, word, diags);
		else if (!offers(context, isa, &why))
			tp_planner_refuse(context, diags, TP_UNSUPPORTED, TP_OPT_ISA, why.hint,
					  "%s", why.what);
		else
			add_isa(c, isa);
	}
}

static void choose_threads(struct tp_plan_context *context, struct tp_choices *c,
			   struct tp_diags *diags)
{
	const struct tp_machine *machine = context->machine;
	const struct tp_value *value = tp_config_value(context->config, TP_OPT_THREADS);
	for (size_t i = 0; i < value->n && c->n_threads < TP_MAX_LIST; i++) {
		uint64_t wanted = value->items[i].count;
		if (wanted == UINT64_MAX ||
		    (context->experiment->all_threads && value->source == TP_FROM_DEFAULT))
			wanted = machine->n_allowed;
		bool known = false;
		for (size_t k = 0; k < c->n_threads; k++)
			known |= c->threads[k] == wanted;
		if (known)
			continue; /* 1 and all on a machine of one CPU */
		struct tp_diag why = { 0 };
		unsigned *cpus =
			tp_arena_alloc(&context->plan->arena, (size_t)wanted * sizeof(*cpus));
		enum tp_status status = TP_NOMEM;
		if (cpus)
			status = tp_machine_place(machine,
						  tp_config_text(context->config, TP_OPT_AFFINITY),
						  (size_t)wanted, cpus, &why);
		if (status != TP_OK) {
			bool placement = strcmp(why.where, "affinity") == 0;
			tp_planner_refuse(context, diags, status,
					  placement ? TP_OPT_AFFINITY : TP_OPT_THREADS, why.hint,
					  "%s", cpus ? why.what : "out of memory");
			continue;
		}
		c->threads[c->n_threads] = (unsigned)wanted;
		c->cpus[c->n_threads++] = cpus;
	}
}

static void choose_levels(struct tp_plan_context *context, struct tp_choices *c)
{
	const struct tp_value *value = tp_config_value(context->config, TP_OPT_LEVEL);
	for (size_t i = 0; i < value->n && c->n_levels < TP_COUNT_OF(c->levels); i++)
		for (enum tp_level_class level = TP_CLASS_L1; level <= TP_CLASS_DRAM; level++) {
			if (strcmp(value->items[i].text, tp_planner_level_name(level)) != 0)
				continue;
			if (tp_planner_level_bytes(context->machine, level, 1))
				c->levels[c->n_levels++] = level;
			else
				tp_planner_note(
					context, TP_OPT_LEVEL,
					"%s is left out: this machine reports no such cache "
					"(give its capacity with cache_size.%s)",
					value->items[i].text, value->items[i].text);
		}
}

/* Kernels with names take the place of ratios. */
static void choose_arrays(struct tp_plan_context *context, struct tp_choices *c)
{
	const struct tp_value *value = tp_config_value(context->config, TP_OPT_KERNEL);
	if (value->n == 0 || !tp_option_belongs(TP_OPT_KERNEL, context->experiment->name))
		return;
	tp_planner_idle(context, TP_OPT_RATIO, TP_OPT_KERNEL, "kernel names what is measured");
	c->n_ratios = 0;
	for (size_t i = 0; i < value->n && c->n_ratios < TP_MAX_LIST; i++) {
		const struct tp_array_kernel *array = tp_array_kernel_find(value->items[i].text);
		c->ratios[c->n_ratios++] = (struct tp_ratio){ .loads = array->loads,
							      .stores = array->stores,
							      .array = array };
	}
}

static void choose_pages(struct tp_plan_context *context, struct tp_choices *c,
			 struct tp_diags *diags)
{
	const struct tp_value *value = tp_config_value(context->config, TP_OPT_PAGES);
	if (value->n > 1 && !context->experiment->compares_pages)
		tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_PAGES, "give one of them",
				  "%s takes one kind of pages; latency compares them",
				  context->experiment->name);
	for (size_t i = 0; i < value->n && c->n_pages < TP_COUNT_OF(c->pages); i++)
		c->pages[c->n_pages++] = value->items[i].text;
}

static void choose_precisions(struct tp_plan_context *context, struct tp_choices *c,
			      struct tp_diags *diags)
{
	const struct tp_value *v = tp_config_value(context->config, TP_OPT_PRECISION);
	for (size_t i = 0; i < v->n && c->n_precisions < TP_COUNT_OF(c->precisions); i++) {
		const struct tp_precision *precision = tp_precision_find(v->items[i].text);
		if (tp_precision_is_narrow(precision) && !context->experiment->narrow)
			tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_PRECISION,
					  "double or single, or experiment: roofline",
					  "%s measures nothing in %s", context->experiment->name,
					  precision->name);
		else
			c->precisions[c->n_precisions++] = precision;
	}
}

static void choose_fp_ops(struct tp_plan_context *context, struct tp_choices *c,
			  struct tp_diags *diags)
{
	const struct tp_value *v = tp_config_value(context->config, TP_OPT_FP_OP);
	for (size_t i = 0; i < v->n && c->n_fp_ops < TP_FP_OP_COUNT; i++) {
		enum tp_fp_op op = tp_fp_op_find(v->items[i].text);
		if ((op == TP_FP_DOT || op == TP_FP_TILE) && !context->experiment->narrow)
			tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_FP_OP,
					  "another operation, or experiment: roofline",
					  "%s has no %s", context->experiment->name,
					  v->items[i].text);
		else
			c->fp_ops[c->n_fp_ops++] = op;
	}
}

/* Options that the values of others leave nothing to say. */
static void note_idle(struct tp_plan_context *context, const struct tp_choices *c)
{
	bool nontemporal = false, stores = false;
	for (size_t i = 0; i < c->n_stores; i++)
		nontemporal |= c->nontemporal[i];
	for (size_t i = 0; i < c->n_ratios; i++)
		stores |= c->ratios[i].stores > 0 || c->ratios[i].loads == 0;
	if (nontemporal && !stores)
		tp_planner_idle(context, TP_OPT_STORES, TP_OPT_RATIO, "the kernels only load");
	if (strcmp(tp_config_text(context->config, TP_OPT_STOP_BASIS), "trimmed") != 0) {
		static const char why[] = "it belongs to stop.basis=trimmed";
		tp_planner_idle(context, TP_OPT_STOP_TRIM_SAMPLES, TP_OPT_STOP_BASIS, why);
		tp_planner_idle(context, TP_OPT_STOP_TRIM_TOLERANCE, TP_OPT_STOP_BASIS, why);
	}
}

enum tp_status tp_planner_choices(struct tp_plan_context *context, struct tp_choices *c,
				  struct tp_diags *diags)
{
	const struct tp_config *config = context->config;
	size_t before = diags->n;
	*c = (struct tp_choices){ 0 };
	choose_isas(context, c, diags);
	choose_threads(context, c, diags);
	choose_levels(context, c);
	choose_pages(context, c, diags);
	choose_precisions(context, c, diags);
	const struct tp_value *v = tp_config_value(config, TP_OPT_RATIO);
	for (size_t i = 0; i < v->n && c->n_ratios < TP_MAX_LIST; i++)
		c->ratios[c->n_ratios++] = (struct tp_ratio){ .loads = v->items[i].loads,
							      .stores = v->items[i].stores };
	choose_arrays(context, c);
	v = tp_config_value(config, TP_OPT_STORES);
	for (size_t i = 0; i < v->n && c->n_stores < 2; i++)
		c->nontemporal[c->n_stores++] = strcmp(v->items[i].text, "nontemporal") == 0;
	choose_fp_ops(context, c, diags);
	note_idle(context, c);
	return diags->n == before ? TP_OK : TP_USAGE;
}
