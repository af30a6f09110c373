/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Option lists of a run, resolved against machine and registries. */
#include "experiment/planner.h"
#include "base/str.h"
#include "base/vec.h"

#include <string.h>

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

static void choose_isas(struct tp_plan_context *context, struct tp_choices *c,
			struct tp_diags *diags)
{
	const struct tp_value *value = tp_config_value(context->config, TP_OPT_ISA);
	const char *names[TP_MAX_LIST + 2];
	size_t n_names = 0;
	for (size_t k = 0; k < tp_isa_count && n_names < TP_MAX_LIST; k++)
		names[n_names++] = tp_isa_table[k]->name;
	names[n_names++] = "auto";
	names[n_names++] = "widest";
	for (size_t i = 0; i < value->n; i++) {
		const char *word = value->items[i].text;
		bool every = strcmp(word, "auto") == 0, widest = strcmp(word, "widest") == 0;
		if (every || widest) {
			const struct tp_isa *last = NULL;
			for (size_t k = 0; k < tp_isa_count; k++) {
				if (!offers(context, tp_isa_table[k], NULL))
					continue;
				last = tp_isa_table[k];
				if (every)
					add_isa(c, last);
			}
			if (widest && last)
				add_isa(c, last);
			if (!last)
				tp_planner_refuse(context, diags, TP_UNSUPPORTED, TP_OPT_ISA, NULL,
						  "this program has no kernels for this CPU (%s)",
						  context->cpu->arch);
			continue;
		}
		const struct tp_isa *isa = tp_isa_find(word);
		struct tp_diag why;
		if (!isa) {
			struct tp_str hint = { 0 };
			const char *near = tp_nearest(word, names, n_names);
			if (near)
				tp_str_printf(&hint, "did you mean %s? ", near);
			tp_str_add(&hint, "allowed: ");
			tp_str_list(&hint, names, n_names, " or ");
			tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_ISA, tp_str_text(&hint),
					  "there is no ISA \"%s\"", word);
			tp_str_release(&hint);
		} else if (!offers(context, isa, &why)) {
			tp_planner_refuse(context, diags, TP_UNSUPPORTED, TP_OPT_ISA, why.hint,
					  "%s", why.what);
		} else {
			add_isa(c, isa);
		}
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
	const struct tp_value *v = tp_config_value(config, TP_OPT_PRECISION);
	for (size_t i = 0; i < v->n && c->n_precisions < 2; i++)
		c->element_bytes[c->n_precisions++] =
			strcmp(v->items[i].text, "single") == 0 ? 4 : 8;
	v = tp_config_value(config, TP_OPT_RATIO);
	for (size_t i = 0; i < v->n && c->n_ratios < TP_MAX_LIST; i++)
		c->ratios[c->n_ratios++] =
			(struct tp_ratio){ v->items[i].loads, v->items[i].stores };
	v = tp_config_value(config, TP_OPT_STORES);
	for (size_t i = 0; i < v->n && c->n_stores < 2; i++)
		c->nontemporal[c->n_stores++] = strcmp(v->items[i].text, "nontemporal") == 0;
	v = tp_config_value(config, TP_OPT_FP_OP);
	for (size_t i = 0; i < v->n && c->n_fp_ops < TP_FP_OP_COUNT; i++)
		c->fp_ops[c->n_fp_ops++] = tp_fp_op_find(v->items[i].text);
	return diags->n == before ? TP_OK : TP_USAGE;
}
