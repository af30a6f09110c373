/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/planner.h"
#include "experiment/autotune.h"
#include "base/str.h"
#include "base/units.h"
#include "base/vec.h"
#include "measure/chase.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PLACEMENT_SLACK_BYTES = 128 << 10 };

/* Share of the available memory that buffers may take: the rest of the system has to go on. */
#define MEMORY_SHARE 0.8
/* What windows, race and calibration cost beside the windows themselves. */
#define RACE_WINDOWS	       60
#define RACE_WINDOWS_L1	       200
#define GAUGE_SECONDS	       45e-6
#define CHASE_LINE_SECONDS     50e-9 /* to draw the place of a line in the chase, write and read it */
#define POINT_OVERHEAD_SECONDS 0.004

enum tp_status tp_planner_refuse(struct tp_plan_context *context, struct tp_diags *diags,
				 enum tp_status status, enum tp_option_id option, const char *hint,
				 const char *fmt, ...)
{
	char what[sizeof(((struct tp_diag *)0)->what)];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	const struct tp_value *value = tp_config_value(context->config, option);
	struct tp_diag diag;
	tp_fail(&diag, status, value->where[0] ? value->where : tp_option_table[option].key, hint,
		"%s: %s", tp_option_table[option].key, what);
	tp_diags_add(diags, &diag);
	return status;
}

void tp_planner_note(struct tp_plan_context *context, enum tp_option_id option, const char *fmt,
		     ...)
{
	char what[sizeof(((struct tp_diag *)0)->what)];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < context->plan->notes.n; i++)
		if (strcmp(context->plan->notes.items[i].what, what) == 0)
			return;
	struct tp_diag diag;
	tp_fail(&diag, TP_OK, tp_option_table[option].key, NULL, "%s", what);
	tp_diags_add(&context->plan->notes, &diag);
}

const char *tp_planner_level_name(enum tp_level_class level)
{
	static const char *const names[] = { "FP", "L1", "L2", "L3", "DRAM" };
	return names[level];
}

/* --- levels --- */

static uint64_t core_share(const struct tp_machine *machine, int level)
{
	const struct tp_cache *c = &machine->cache[level];
	return c->sharing_cores ? c->size_bytes / c->sharing_cores : c->size_bytes;
}

static uint64_t round_level(double bytes)
{
	const double grain = 4096;
	return (uint64_t)(fmax(1, floor(bytes / grain)) * grain);
}

uint64_t tp_planner_level_bytes(const struct tp_machine *machine, enum tp_level_class level,
				unsigned threads)
{
	double l1 = (double)tp_machine_share(machine, 1, threads),
	       l2 = (double)tp_machine_share(machine, 2, threads);
	double l3 = (double)tp_machine_share(machine, 3, threads);
	switch (level) {
	case TP_CLASS_L1:
		return l1 > 0 ? round_level(l1 / 2) : 0;
	case TP_CLASS_L2:
		return l2 > 0 ? round_level(fmin(fmax(l2 / 4, 2 * l1), l2 / 2)) : 0;
	case TP_CLASS_L3:
		if (!(l3 > 0))
			return 0;
		return round_level(fmin(fmax((double)core_share(machine, 3) / 4, 3 * l2),
					fmax(0.75 * l3, l2 + l3 / 2)));
	case TP_CLASS_DRAM: {
		int last = tp_machine_last_level(machine);
		double share = last ? (double)tp_machine_share(machine, last, threads) : 32 << 20;
		return round_level(4 * share);
	}
	case TP_CLASS_FP:
		break;
	}
	return 0;
}

enum tp_level_class tp_planner_class(const struct tp_machine *machine, uint64_t bytes,
				     unsigned threads)
{
	for (int level = 1; level <= 3; level++) {
		uint64_t share = tp_machine_share(machine, level, threads);
		if (share && bytes <= share)
			return (enum tp_level_class)level;
	}
	return TP_CLASS_DRAM;
}

double tp_planner_expected_bytes_per_cycle(const struct tp_machine *machine,
					   const struct tp_isa *isa, unsigned element_bytes,
					   struct tp_ratio ratio, enum tp_level_class level)
{
	static const double usual[] = { 0, 64, 32, 20, 8 };
	unsigned loads = ratio.loads, stores = ratio.stores;
	if (loads + stores == 0)
		loads = 1;
	double l1 = tp_model_l1_bytes_per_cycle(&machine->model, isa->name, element_bytes, loads,
						stores);
	if (!(l1 > 0))
		l1 = 2.0 * tp_isa_operand_bytes(isa, element_bytes);
	return level == TP_CLASS_L1 ? l1 : fmin(l1, usual[level]);
}

/* --- points --- */

static double estimate_seconds(const struct tp_plan_context *context, const struct tp_planned *p)
{
	const struct tp_config *config = context->config;
	double window = tp_config_real(config, TP_OPT_WINDOW),
	       count = tp_config_real(config, TP_OPT_STOP_MIN_COUNT);
	double ghz =
		context->machine->model.nominal_ghz > 0 ? context->machine->model.nominal_ghz : 3;
	double pass = 0;
	bool chase = p->kernel.kind == TP_KERNEL_CHASE;
	if (p->point.working_set_bytes && !chase) {
		struct tp_ratio ratio = { p->kernel.loads, p->kernel.stores };
		double rate = tp_planner_expected_bytes_per_cycle(
			context->machine, p->kernel.isa, p->kernel.element_bytes, ratio, p->level);
		pass = (double)p->point.working_set_bytes / (rate * ghz * 1e9);
	}
	/* Some windows are dropped; memory beyond the private caches needs more of them for its interval. */
	double windows =
		count * (p->level >= TP_CLASS_L3 ? 3 : 2.5) * (fmax(window, pass) + GAUGE_SECONDS);
	double race = p->level == TP_CLASS_L1 ? RACE_WINDOWS_L1 : RACE_WINDOWS;
	race *= p->level == TP_CLASS_FP || chase ? 0 : fmax(pass, 0.25 * window) + GAUGE_SECONDS;
	double seconds = fmin(windows, tp_config_real(config, TP_OPT_STOP_MAX_TIME)) +
			 race * (p->race_each ? 1 : 0.1) + POINT_OVERHEAD_SECONDS;
	if (chase)
		seconds += (double)p->point.working_set_bytes / TP_CHASE_LINE_BYTES *
			   CHASE_LINE_SECONDS;
	return seconds * tp_config_real(config, TP_OPT_INVOCATIONS);
}

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

/* Refuses a point whose buffers would not fit. */
static bool fits(struct tp_plan_context *context, uint64_t bytes, unsigned threads,
		 struct tp_diags *diags)
{
	double need = (double)(bytes + PLACEMENT_SLACK_BYTES) * threads;
	double limit = MEMORY_SHARE * (double)context->machine->available_bytes;
	if (context->machine->foreign || need <= limit)
		return true;
	char a[32], b[32];
	tp_format_bytes(a, sizeof(a), (uint64_t)need);
	tp_format_bytes(b, sizeof(b), (uint64_t)limit);
	bool given = tp_config_value(context->config, TP_OPT_SIZES)->n > 0;
	tp_planner_refuse(
		context, diags, TP_RESOURCE, given ? TP_OPT_SIZES : TP_OPT_SIZE_MAX,
		"choose smaller sizes or fewer threads",
		"%u thread%s would need %s, and only %s of this machine's memory may be used",
		threads, threads == 1 ? "" : "s", a, b);
	return false;
}

struct tp_planned *tp_planner_add(struct tp_plan_context *context,
				  const struct tp_combination *combination,
				  const struct tp_kernel *kernel, enum tp_level_class level,
				  struct tp_diags *diags)
{
	struct tp_plan *plan = context->plan;
	if (!fits(context, kernel->working_set_bytes, combination->threads, diags))
		return NULL;
	if (tp_vec_reserve((void **)&plan->items, &plan->cap, plan->n + 1, sizeof(*plan->items)) !=
	    TP_OK) {
		tp_planner_refuse(context, diags, TP_NOMEM, TP_OPT_EXPERIMENT, NULL,
				  "out of memory");
		return NULL;
	}
	struct tp_planned *p = &plan->items[plan->n];
	*p = (struct tp_planned){
		.config = context->config,
		.kernel = *kernel,
		.level = level,
		.cpus = combination->cpus,
		.pages = tp_pages_find(tp_config_text(context->config, TP_OPT_PAGES)),
		.own_bytes = kernel->working_set_bytes + PLACEMENT_SLACK_BYTES,
		.buffer_bytes = kernel->working_set_bytes + PLACEMENT_SLACK_BYTES
	};
	if (kernel->kind == TP_KERNEL_CHASE)
		p->chase =
			(struct tp_chase){ .bytes = kernel->working_set_bytes,
					   .seed = tp_config_count(context->config, TP_OPT_SEED) };
	struct tp_point *point = &p->point;
	point->run = context->run;
	point->point = (unsigned)plan->n;
	p->experiment = context->experiment;
	tp_copy(point->experiment, sizeof(point->experiment), context->experiment->name);
	tp_kernel_name(kernel, point->kernel, sizeof(point->kernel));
	tp_copy(point->isa, sizeof(point->isa), kernel->isa->name);
	tp_copy(point->precision, sizeof(point->precision),
		kernel->element_bytes == 4 ? "single" : "double");
	point->threads = combination->threads;
	cpus_text(combination->cpus, combination->threads, point->cpus, sizeof(point->cpus));
	tp_copy(point->level, sizeof(point->level), tp_planner_level_name(level));
	point->working_set_bytes = kernel->working_set_bytes;
	point->loads = kernel->loads;
	point->stores = kernel->stores;
	point->nontemporal = kernel->nontemporal;
	tp_copy(point->fp_op, sizeof(point->fp_op), tp_fp_op_name(kernel->fp_op));
	point->estimate_seconds = estimate_seconds(context, p);
	plan->n++;
	return p;
}

struct tp_kernel tp_planner_chase(const struct tp_plan_context *context, uint64_t bytes)
{
	struct tp_kernel kernel = { .kind = TP_KERNEL_CHASE,
				    .element_bytes = sizeof(void *),
				    .working_set_bytes = bytes };
	for (size_t i = 0; i < tp_isa_count && !kernel.isa; i++)
		if (context->machine->foreign ||
		    tp_isa_supported(tp_isa_table[i], context->cpu, NULL) == TP_OK)
			kernel.isa = tp_isa_table[i];
	return kernel;
}

struct tp_planned *tp_planner_memory(struct tp_plan_context *context,
				     const struct tp_combination *combination,
				     struct tp_ratio ratio, bool nontemporal, uint64_t bytes,
				     enum tp_level_class level, struct tp_diags *diags)
{
	bool best = ratio.loads + ratio.stores == 0;
	struct tp_kernel kernel = { .kind = TP_KERNEL_MEMORY,
				    .isa = combination->isa,
				    .element_bytes = combination->element_bytes,
				    .loads = best ? 1 : ratio.loads,
				    .stores = ratio.stores,
				    .nontemporal = nontemporal && (best || ratio.stores > 0),
				    .working_set_bytes = bytes };
	struct tp_planned *p = tp_planner_add(context, combination, &kernel, level, diags);
	if (p && best) {
		p->kernel.loads = p->kernel.stores = p->point.loads = p->point.stores = 0;
		p->point.best_ratio = true;
		tp_copy(p->point.kernel, sizeof(p->point.kernel), nontemporal ? "best-nt" : "best");
	}
	return p;
}

struct tp_planned *tp_planner_fp(struct tp_plan_context *context,
				 const struct tp_combination *combination, enum tp_fp_op op,
				 struct tp_diags *diags)
{
	struct tp_kernel kernel = { .kind = TP_KERNEL_FP,
				    .isa = combination->isa,
				    .element_bytes = combination->element_bytes,
				    .fp_op = op };
	return tp_planner_add(context, combination, &kernel, TP_CLASS_FP, diags);
}

uint64_t tp_planned_memory_bytes(const struct tp_planned *p)
{
	uint64_t most = p->buffer_bytes * p->point.threads;
	for (size_t i = 0; p->search && i < p->search->n; i++) {
		struct tp_routine_config config = tp_autotune_config(p->search, i);
		most = TP_MAX(most, tp_routine_memory_bytes(&config));
	}
	return most;
}
