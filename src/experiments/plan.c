/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/registry.h"
#include "experiments/where.h"
#include "base/random.h"
#include "base/text.h"
#include "base/memory.h"
#include "measure/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Share of the available memory that buffers may take: the rest of the system has to go on. */
#define MEMORY_SHARE 0.8

#define ROW(name) &tp_experiment_##name,
const struct tp_experiment *const tp_experiment_table[] = { TP_EXPERIMENT_LIST(ROW) };
const size_t tp_experiment_count = TP_COUNT_OF(tp_experiment_table);

const struct tp_experiment *tp_experiment_find(const char *name)
{
	for (size_t i = 0; i < tp_experiment_count; i++)
		if (strcmp(tp_experiment_table[i]->name, name) == 0)
			return tp_experiment_table[i];
	return NULL;
}

const struct tp_experiment_document *tp_experiment_document(size_t i)
{
	for (size_t k = 0; k < tp_experiment_count; k++) {
		const struct tp_experiment *e = tp_experiment_table[k];
		if (i < e->n_documents)
			return &e->documents[i];
		i -= e->n_documents;
	}
	return NULL;
}

enum tp_status tp_planner_refuse(struct tp_plan_context *context, struct tp_diags *diags,
				 enum tp_status status, const struct tp_option *option,
				 const char *hint, const char *fmt, ...)
{
	char what[sizeof(((struct tp_diag *)0)->what)];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	const struct tp_value *value = tp_config_value(context->config, option);
	struct tp_diag diag;
	tp_fail(&diag, status, value->where[0] ? value->where : option->key, hint, "%s: %s",
		option->key, what);
	/* Several runs, thread counts or levels may meet the same obstacle. */
	for (size_t i = 0; i < diags->n; i++)
		if (strcmp(diags->items[i].where, diag.where) == 0 &&
		    strcmp(diags->items[i].what, diag.what) == 0)
			return status;
	tp_diags_add(diags, &diag);
	return status;
}

void tp_planner_note(struct tp_plan_context *context, const struct tp_option *option,
		     const char *fmt, ...)
{
	char what[sizeof(((struct tp_diag *)0)->what)];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < context->plan->notes.n; i++)
		if (strcmp(context->plan->notes.items[i].what, what) == 0 &&
		    strcmp(context->plan->notes.items[i].where, option->key) == 0)
			return;
	struct tp_diag diag;
	tp_fail(&diag, TP_OK, option->key, NULL, "%s", what);
	tp_diags_add(&context->plan->notes, &diag);
}

void tp_planner_idle(struct tp_plan_context *context, const struct tp_option *option,
		     const struct tp_option *because, const char *why)
{
	enum tp_value_source source = tp_config_value(context->config, option)->source;
	if (source != TP_FROM_DEFAULT &&
	    source >= tp_config_value(context->config, because)->source &&
	    tp_option_belongs(option, context->experiment->name))
		tp_planner_note(context, option, "has no effect here: %s", why);
}

/* --- points --- */

static void cpus_text(const unsigned *cpus, unsigned n, char *out, size_t size)
{
	struct tp_str s = { 0 };
	for (unsigned i = 0; i < n; i++) {
		unsigned last = i;
		while (last + 1 < n && cpus[last + 1] == cpus[last] + 1)
			last++;
		if (last > i + 1)
			tp_str_printf(&s, "%s%u-%u", i ? "," : "", cpus[i], cpus[last]);
		else
			tp_str_printf(&s, "%s%u", i ? "," : "", cpus[i]);
		if (last > i + 1)
			i = last;
	}
	tp_copy(out, size, tp_str_text(&s));
	tp_str_release(&s);
}

/* The option that makes working sets large, among those that the experiment takes. */
static const struct tp_option *sized_by(const struct tp_plan_context *context)
{
	const char *name = context->experiment->name;
	bool given = tp_config_value(context->config, TP_OPT_SIZES)->n > 0;
	const struct tp_option *const options[] = { given ? TP_OPT_SIZES : TP_OPT_SIZE_MAX,
						    TP_OPT_LEVEL };
	for (size_t i = 0; i < TP_COUNT_OF(options); i++)
		if (tp_option_belongs(options[i], name))
			return options[i];
	return TP_OPT_THREADS;
}

/* Refuses a point whose buffers would not fit. */
static bool fits(struct tp_plan_context *context, uint64_t bytes, unsigned threads,
		 struct tp_diags *diags)
{
	double need = (double)bytes * threads;
	double limit = MEMORY_SHARE * (double)context->machine->available_bytes;
	if (context->machine->foreign || need <= limit)
		return true;
	char a[32], b[32];
	tp_format_bytes(a, sizeof(a), (uint64_t)need);
	tp_format_bytes(b, sizeof(b), (uint64_t)limit);
	const struct tp_option *option = sized_by(context);
	tp_planner_refuse(
		context, diags, TP_RESOURCE, option,
		option == TP_OPT_THREADS ? "choose fewer threads"
		: option == TP_OPT_LEVEL ? "leave the largest level out, or choose fewer threads"
					 : "choose smaller sizes or fewer threads",
		"%u thread%s would need %s, and only %s of this machine's memory may be used",
		threads, threads == 1 ? "" : "s", a, b);
	return false;
}

/* Says which lists and how many runs multiply to that many points. */
static void refuse_too_many(struct tp_plan_context *context, size_t n_runs, struct tp_diags *diags)
{
	struct tp_str lists = { 0 };
	for (size_t i = 0; i < tp_option_count(); i++) {
		const struct tp_option *option = tp_option_at(i);
		size_t n = tp_config_value(context->config, option)->n;
		if (n > 1 && tp_option_belongs(option, context->experiment->name))
			tp_str_printf(&lists, "%s%s (%zu)", lists.len ? ", " : "", option->key, n);
	}
	if (n_runs > 1)
		tp_str_printf(&lists, "%sruns (%zu)", lists.len ? ", " : "", n_runs);
	char hint[sizeof(((struct tp_diag *)0)->hint)];
	snprintf(hint, sizeof(hint), "make several presets of it, or give fewer of: %.300s",
		 tp_str_text(&lists));
	tp_str_release(&lists);
	tp_planner_refuse(context, diags, TP_RESOURCE, TP_OPT_EXPERIMENT, hint,
			  "the plan has more than %d points, and a run holds no more",
			  TP_RUN_POINTS_MAX);
}

struct tp_planned *tp_plan_add(struct tp_plan_context *context, unsigned threads, unsigned *cpus,
			       uint64_t bytes, struct tp_diags *diags)
{
	struct tp_plan *plan = context->plan;
	const struct tp_experiment *experiment = context->experiment;
	struct tp_arena *arena = &plan->arena;
	if (plan->counting) {
		if (++plan->n_counted > TP_RUN_POINTS_MAX)
			return NULL;
		tp_arena_release(&plan->counted);
		arena = &plan->counted;
		plan->n = 0;
	}
	if (!fits(context, bytes, threads, diags))
		return NULL;
	struct tp_planned p = { .experiment = experiment,
				.config = context->config,
				.cpus = cpus,
				.own_bytes = bytes,
				.buffer_bytes = bytes,
				.pages = tp_pages_find(
					tp_config_text(context->config, TP_OPT_PAGES)) };
	if (experiment->plan_bytes)
		p.row = tp_arena_alloc(arena, experiment->plan_bytes);
	if ((experiment->plan_bytes && !p.row) ||
	    tp_point_begin(&p.point, experiment->name, arena) != TP_OK ||
	    tp_vec_reserve((void **)&plan->items, &plan->cap, plan->n + 1, sizeof(*plan->items)) !=
		    TP_OK) {
		tp_planner_refuse(context, diags, TP_NOMEM, TP_OPT_EXPERIMENT, NULL,
				  "out of memory");
		return NULL;
	}
	p.point.run = context->run;
	p.point.point = (unsigned)plan->n;
	p.point.threads = threads;
	cpus_text(cpus, threads, p.point.cpus, sizeof(p.point.cpus));
	plan->items[plan->n] = p;
	return &plan->items[plan->n++];
}

uint64_t tp_planned_memory_bytes(const struct tp_planned *p)
{
	uint64_t buffers = p->buffer_bytes * p->point.threads;
	return p->experiment->memory_bytes ? TP_MAX(buffers, p->experiment->memory_bytes(p))
					   : buffers;
}

static bool same_team(const struct tp_planned *a, const struct tp_planned *b)
{
	return a->point.threads == b->point.threads && a->pages == b->pages &&
	       memcmp(a->cpus, b->cpus, a->point.threads * sizeof(*a->cpus)) == 0;
}

/*
 * Neighbouring points of one team share buffers. They grow as points need them, up to what the
 * largest needs, so each byte is touched once.
 */
static void share_buffers(struct tp_plan *plan)
{
	for (size_t from = 0; from < plan->n;) {
		size_t to = from;
		uint64_t most = 0;
		for (; to < plan->n && same_team(&plan->items[from], &plan->items[to]); to++)
			most = TP_MAX(most, plan->items[to].buffer_bytes);
		for (; from < to; from++)
			plan->items[from].buffer_bytes = most;
	}
}

/* True if all runs together have more points than a run holds. Keeps one point at a time. */
static bool has_too_many(const struct tp_machine *machine, const struct tp_cpu *cpu,
			 const struct tp_config *configs, size_t n, struct tp_diags *diags)
{
	struct tp_plan plan = { .counting = true };
	struct tp_diags ignored = { 0 }; /* the plan itself will tell */
	bool many = false;
	for (size_t i = 0; i < n && !many; i++) {
		struct tp_plan_context context = { .machine = machine,
						   .cpu = cpu,
						   .plan = &plan,
						   .config = &configs[i],
						   .run = (unsigned)i };
		context.experiment =
			tp_experiment_find(tp_config_text(&configs[i], TP_OPT_EXPERIMENT));
		if (context.experiment && context.experiment->supported(machine, NULL) == TP_OK)
			context.experiment->plan(&context, &ignored);
		many = plan.n_counted > TP_RUN_POINTS_MAX;
		if (many)
			refuse_too_many(&context, n, diags);
	}
	tp_diags_release(&ignored);
	tp_plan_release(&plan);
	return many;
}

enum tp_status tp_plan_make(struct tp_plan *plan, const struct tp_machine *machine,
			    const struct tp_cpu *cpu, const struct tp_config *configs, size_t n,
			    struct tp_diags *diags)
{
	*plan = (struct tp_plan){ 0 };
	enum tp_status first = TP_OK;
	if (has_too_many(machine, cpu, configs, n, diags))
		return TP_RESOURCE;
	for (size_t i = 0; i < n; i++) {
		struct tp_plan_context context = { .machine = machine,
						   .cpu = cpu,
						   .plan = plan,
						   .config = &configs[i],
						   .run = (unsigned)i };
		const struct tp_experiment *e =
			tp_experiment_find(tp_config_text(&configs[i], TP_OPT_EXPERIMENT));
		context.experiment = e;
		size_t start = plan->n;
		struct tp_diag why;
		enum tp_status status;
		if (!e)
			status = tp_planner_refuse(&context, diags, TP_USAGE, TP_OPT_EXPERIMENT,
						   "see --list experiments",
						   "there is no experiment \"%s\"",
						   tp_config_text(&configs[i], TP_OPT_EXPERIMENT));
		else if ((status = e->supported(machine, &why)) != TP_OK)
			tp_planner_refuse(&context, diags, status, TP_OPT_EXPERIMENT, why.hint,
					  "%s", why.what);
		else
			status = e->plan(&context, diags);
		if (status == TP_OK)
			status = tp_plan_where(&context, start, diags);
		if (status == TP_OK)
			status = tp_plan_derived(&context, start, diags);
		if (first == TP_OK)
			first = status;
		if (tp_config_count(&configs[i], TP_OPT_SHUFFLE))
			tp_shuffle(plan->items + start, plan->n - start, sizeof(*plan->items),
				   tp_config_count(&configs[i], TP_OPT_SEED));
	}
	for (size_t i = 0; i < plan->n; i++) {
		struct tp_point *point = &plan->items[i].point;
		point->point = (unsigned)i;
		if (point->kind->headline)
			point->kind->headline(point);
	}
	share_buffers(plan);
	return first;
}

enum tp_status tp_plan_doubts(const struct tp_plan *plan, const struct tp_machine *machine,
			      struct tp_run *run, bool *again)
{
	enum tp_status status = TP_OK;
	unsigned next = 0;
	tp_run_drop_derived(run);
	for (size_t i = 0; i < plan->n && status == TP_OK; i++) {
		const struct tp_experiment *e = plan->items[i].experiment;
		unsigned index = plan->items[i].point.run;
		if (index < next || !e->doubt)
			continue;
		if (e->reduce)
			status = e->reduce(machine, run, index);
		if (status == TP_OK)
			e->doubt(run, index, again);
		next = index + 1;
	}
	tp_run_drop_derived(run);
	return status;
}

void tp_plan_release(struct tp_plan *plan)
{
	free(plan->items);
	tp_diags_release(&plan->notes);
	tp_arena_release(&plan->arena);
	tp_arena_release(&plan->counted);
	*plan = (struct tp_plan){ 0 };
}
