/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/gather/plan.h"
#include "base/str.h"
#include "base/memory.h"
#include "experiments/gather/gather_row.h"
#include "experiments/gather/lists.h"
#include "experiments/gather/options.h"
#include "measure/chase.h"
#include "preset/shared_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLD_PLACES = 2048, HOT_PLACES = 16, WIDTHS = 3 };

static const unsigned widths[WIDTHS] = { 16, 32, 64 }; /* bytes */

/* What the options of a run ask for. */
struct wanted {
	struct tp_choices choices;
	const struct tp_isa *isa[WIDTHS]; /* that gathers into such vectors; NULL = none does */
	bool narrowest, width[WIDTHS];
	bool masks[2]; /* off, on */
	bool all_lists, cold;
	unsigned places;
};

static unsigned places_of(const struct tp_plan_context *context, bool cold)
{
	const struct tp_value *v = tp_config_value(context->config, TP_OPT_GATHER_PLACES);
	if (strcmp(v->items[0].text, "auto") == 0)
		return cold ? COLD_PLACES : HOT_PLACES;
	return (unsigned)(v->items[0].count + TP_GATHER_GROUP - 1) / TP_GATHER_GROUP *
	       TP_GATHER_GROUP;
}

/* The first ISA of those chosen that has gathers of a width. Of a foreign CPU no more is known. */
static void choose_isas(const struct tp_plan_context *context, struct wanted *w)
{
	const struct tp_cpu *cpu = context->machine->foreign ? NULL : context->cpu;
	for (size_t i = 0; i < WIDTHS; i++)
		for (size_t k = 0; k < w->choices.n_isas && !w->isa[i]; k++)
			if (tp_gather_supported(w->choices.isas[k], widths[i], cpu, NULL) == TP_OK)
				w->isa[i] = w->choices.isas[k];
}

static bool has_word(const struct tp_config *config, const struct tp_option *option,
		     const char *word)
{
	const struct tp_value *v = tp_config_value(config, option);
	for (size_t i = 0; i < v->n; i++)
		if (strcmp(v->items[i].text, word) == 0)
			return true;
	return false;
}

static enum tp_status choose(struct tp_plan_context *context, struct wanted *w,
			     struct tp_diags *diags)
{
	static const char *const words[WIDTHS] = { "128", "256", "512" };
	const struct tp_config *config = context->config;
	*w = (struct wanted){ 0 };
	enum tp_status status = tp_planner_choices(context, &w->choices, diags);
	if (status != TP_OK)
		return status;
	choose_isas(context, w);
	w->narrowest = has_word(config, TP_OPT_GATHER_WIDTH, "narrowest");
	bool any = w->narrowest && (w->isa[0] || w->isa[1] || w->isa[2]);
	for (size_t i = 0; i < WIDTHS; i++) {
		w->width[i] = has_word(config, TP_OPT_GATHER_WIDTH, words[i]);
		if (w->width[i] && !w->isa[i])
			tp_planner_note(context, TP_OPT_GATHER_WIDTH,
					"%s is left out: no chosen instruction set of this CPU "
					"gathers into vectors of that length",
					words[i]);
		any |= w->width[i] && w->isa[i];
	}
	if (!any)
		return tp_planner_refuse(context, diags, TP_UNSUPPORTED, TP_OPT_ISA,
					 "isa: auto; AVX2 has 128 and 256 bits, AVX-512 all",
					 "no chosen instruction set of this CPU gathers into "
					 "vectors of such a length");
	w->masks[0] = has_word(config, TP_OPT_GATHER_MASK, "off");
	w->masks[1] = has_word(config, TP_OPT_GATHER_MASK, "on");
	w->all_lists = strcmp(tp_config_text(config, TP_OPT_GATHER_LISTS), "all") == 0;
	w->cold = strcmp(tp_config_text(config, TP_OPT_CACHE_STATE), "cold") == 0;
	w->places = places_of(context, w->cold);
	return TP_OK;
}

/*
 * As long as windows of a usual machine take until the rule ends: flushing, gathers that wait for
 * memory, and what surrounds a window.
 */
static double estimate(const struct tp_config *config, const struct tp_gather *g, unsigned lines,
		       bool cold)
{
	const double around = 60e-6, flush_line = 4e-9, line = 6e-9, gather = 4e-9;
	const double hot_element = 0.6e-9, start = 0.5e-3;
	double most = tp_config_real(config, TP_OPT_STOP_MAX_TIME);
	double least = tp_config_real(config, TP_OPT_STOP_MIN_COUNT);
	double window = around + (cold ? g->gathers * (gather + lines * (line + flush_line))
				       : fmax(tp_config_real(config, TP_OPT_WINDOW),
					      g->gathers * g->elements * hot_element));
	return start + fmin(most, 1.5 * least * window);
}

static void describe(const struct tp_gather *g, unsigned element_bytes, bool cold,
		     struct tp_point *point)
{
	struct tp_gather_row *row = point->row;
	struct tp_str offsets = { 0 };
	row->elements = g->elements;
	row->vector_bits = 8 * g->vector_bytes;
	row->masked = g->masked;
	row->cold = cold;
	row->lines = tp_gather_lines(g, element_bytes);
	for (unsigned i = 0; i < g->elements; i++)
		tp_str_printf(&offsets, "%s%u", i ? " " : "", g->index[i]);
	tp_copy(row->offsets, sizeof(row->offsets), tp_str_text(&offsets));
	tp_str_release(&offsets);
	snprintf(point->kernel, sizeof(point->kernel), "gather-%u:%u", row->elements, row->lines);
}

static enum tp_status add(struct tp_plan_context *context, const struct wanted *w,
			  const struct tp_combination *combination, const struct tp_gather *gather,
			  struct tp_diags *diags)
{
	unsigned element_bytes = combination->precision->element_bytes;
	struct tp_kernel kernel = { .kind = TP_KERNEL_GATHER,
				    .isa = combination->isa,
				    .element_bytes = element_bytes,
				    .gather = gather };
	unsigned lines = tp_gather_lines(gather, element_bytes);
	/* What a pass touches. */
	kernel.working_set_bytes = (uint64_t)lines * TP_GATHER_LINE_BYTES * gather->gathers;
	enum tp_level_class level =
		w->cold ? TP_CLASS_DRAM
			: tp_planner_class(context->machine, kernel.working_set_bytes,
					   combination->threads);
	struct tp_planned *p = tp_planner_add(context, combination, &kernel, level, diags);
	if (!p)
		return TP_RESOURCE;
	struct tp_gather_plan *plan = p->row;
	plan->gather = *gather;
	plan->window.kernel.gather = &plan->gather;
	p->own_bytes = p->buffer_bytes = tp_gather_buffer_bytes(&kernel);
	p->point.estimate_seconds = estimate(context->config, gather, lines, w->cold);
	describe(gather, element_bytes, w->cold, &p->point);
	return TP_OK;
}

/* All lists of one width, with the masks that make a difference. */
static enum tp_status add_lists(struct tp_plan_context *context, const struct wanted *w,
				const struct tp_combination *combination, unsigned elements,
				unsigned vector_bytes, struct tp_diags *diags)
{
	unsigned element_bytes = combination->precision->element_bytes;
	bool full = elements == vector_bytes / element_bytes;
	size_t n = w->all_lists ? tp_gather_all_lists(elements) : elements;
	enum tp_status status = TP_OK;
	for (int masked = 1; masked >= 0; masked--) {
		/* A full vector has no lane to switch off: it is there once. */
		if (full ? masked : !w->masks[masked])
			continue;
		for (size_t i = 0; i < n && status == TP_OK; i++) {
			struct tp_gather g = { .elements = elements,
					       .vector_bytes = vector_bytes,
					       .masked = masked,
					       .gathers = w->places };
			if (w->all_lists)
				tp_gather_all_list(elements, element_bytes, i, g.index);
			else
				tp_gather_lines_list(elements, element_bytes, (unsigned)i + 1,
						     g.index);
			status = add(context, w, combination, &g, diags);
		}
	}
	return status;
}

static enum tp_status add_elements(struct tp_plan_context *context, const struct wanted *w,
				   struct tp_combination *combination, unsigned elements,
				   struct tp_diags *diags)
{
	enum tp_status status = TP_OK;
	unsigned bytes = elements * combination->precision->element_bytes;
	bool narrower = false, any = false;
	for (size_t i = 0; i < WIDTHS && status == TP_OK; i++) {
		if (widths[i] < bytes || !w->isa[i])
			continue;
		if (w->width[i] || (w->narrowest && !narrower)) {
			combination->isa = w->isa[i];
			status = add_lists(context, w, combination, elements, widths[i], diags);
			any = true;
		}
		narrower = true;
	}
	if (!any)
		tp_planner_note(context, TP_OPT_GATHER_ELEMENTS,
				"%u elements in %s are left out: no chosen vector holds them",
				elements, combination->precision->name);
	return status;
}

enum tp_status tp_gather_plan(struct tp_plan_context *context, struct tp_diags *diags)
{
	struct wanted w;
	enum tp_status status = choose(context, &w, diags);
	const struct tp_value *elements = tp_config_value(context->config, TP_OPT_GATHER_ELEMENTS);
	for (size_t i = 0; i < elements->n && status == TP_OK; i++)
		if (w.all_lists && elements->items[i].count > TP_GATHER_ALL_MOST)
			status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_GATHER_ELEMENTS,
						   "8 elements at most, or gather.lists: lines",
						   "%s elements have too many lists of indexes",
						   elements->items[i].text);
	size_t before = context->plan->n;
	for (size_t t = 0; t < w.choices.n_threads && status == TP_OK; t++)
		for (size_t p = 0; p < w.choices.n_precisions; p++)
			for (size_t i = 0; i < elements->n && status == TP_OK; i++) {
				struct tp_combination combination = { NULL, w.choices.precisions[p],
								      w.choices.threads[t],
								      w.choices.cpus[t] };
				status = add_elements(context, &w, &combination,
						      (unsigned)elements->items[i].count, diags);
			}
	if (status == TP_OK && context->plan->n == before && !context->plan->counting)
		status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_GATHER_ELEMENTS,
					   "fewer elements, or wider vectors",
					   "no chosen vector holds so many elements");
	return status;
}
