/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gathers: the time of one instruction that loads elements from several cache lines, against the
 * number of these lines. Gathers follow each other without waiting for each other, each at another
 * place (measure/chase.h), with lines that are in the first cache or in none.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/str.h"
#include "experiments/gather/row.h"
#include "experiments/gather/report.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/planner.h"
#include "experiments/windows/quality.h"
#include "kernels/kernel.h"
#include "measure/chase.h"
#include "preset/options.h"
#include "preset/shared_options.h"

#define TP_GATHER_OPTIONS(X)                                                                       \
	X(GATHER_ELEMENTS, "gather.elements", COUNT, true, 2, 16, "2,3,4,5,6,7,8", "",             \
	  "Numbers of elements that one instruction gathers.", .offers = "2 3 4 5 6 7 8 16",       \
	  TP_FORM(WHAT, 400))                                                                      \
	X(GATHER_LISTS, "gather.lists", WORD, false, 0, 0, "all", "all lines",                     \
	  "Which lists of indexes: all, where each element after the first lies next to it, half " \
	  "a line away, or in another line; lines, one list for each number of lines.",            \
	  .meanings = "all\tthree places for each element after the first\n"                       \
		      "lines\tone list for each number of lines\n",                                \
	  TP_FORM(WHAT, 410), .form_tells = true)                                                  \
	X(GATHER_WIDTH, "gather.width", WORD, true, 0, 0, "narrowest", "narrowest 128 256 512",    \
	  "Bits of the vectors; narrowest is the shortest that holds the elements.",               \
	  TP_FORM(WHAT, 420))                                                                      \
	X(GATHER_MASK, "gather.mask", WORD, true, 0, 0, "on", "on off",                            \
	  "Lanes without an element: masked off, or all lanes on, so that they load the first "    \
	  "element again.",                                                                        \
	  .meanings = "on\tlanes without an element are masked off\n"                              \
		      "off\tthey load the first element once more\n",                              \
	  TP_FORM(WHAT, 430), .form_tells = true)                                                  \
	X(GATHER_PLACES, "gather.places", COUNT, false, 4, 65536, "auto", "auto",                  \
	  "Places that a pass gathers from, each in another page; auto: 2048 with cold caches, "   \
	  "16 with hot ones.",                                                                     \
	  TP_FORM_MORE(WHAT, 440))

TP_GATHER_OPTIONS(TP_OPTION_DEFINE)

/* All have one body: no race is needed. */
const struct tp_option_group tp_options_gather = {
	.experiment = "gather",
	.uses = TP_USES_STOP " isa precision pages cache",
	.place = 55,
	.rows = { TP_GATHER_OPTIONS(TP_OPTION_ROW) NULL },
};

/* The row of a planned point: begins like every point's that runs windows. */
struct tp_gather_plan {
	struct tp_window_plan window; /* its kernel has the gather below */
	struct tp_gather gather;
};

size_t tp_gather_all_lists(unsigned elements)
{
	size_t n = 1;
	for (unsigned k = 1; k < elements; k++)
		n *= 3;
	return n;
}

void tp_gather_all_list(unsigned elements, unsigned element_bytes, size_t i, uint32_t *index)
{
	const unsigned line = TP_GATHER_LINE_BYTES / element_bytes;
	index[0] = 0;
	for (unsigned k = 1; k < elements; k++, i /= 3)
		index[k] = i % 3 == 0 ? k : i % 3 == 1 ? line / 2 - 1 + k : line * k;
}

void tp_gather_lines_list(unsigned elements, unsigned element_bytes, unsigned lines,
			  uint32_t *index)
{
	const unsigned line = TP_GATHER_LINE_BYTES / element_bytes;
	for (unsigned k = 0; k < elements; k++)
		index[k] = k + lines > elements ? line * k : k;
}

enum { COLD_PLACES = 2048, HOT_PLACES = 16, WIDTHS = 3 };

static const unsigned widths[WIDTHS] = { 16, 32, 64 }; /* bytes */

/* What the options of a run ask for. */
struct wanted {
	struct tp_choices choices;
	const struct tp_isa *isa[WIDTHS]; /* that gathers into such vectors; NULL = none */
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
					 "vectors of this length");
	w->masks[0] = has_word(config, TP_OPT_GATHER_MASK, "off");
	w->masks[1] = has_word(config, TP_OPT_GATHER_MASK, "on");
	w->all_lists = strcmp(tp_config_text(config, TP_OPT_GATHER_LISTS), "all") == 0;
	w->cold = strcmp(tp_config_text(config, TP_OPT_CACHE_STATE), "cold") == 0;
	w->places = places_of(context, w->cold);
	return TP_OK;
}

static void describe(const struct tp_gather *g, unsigned element_bytes, bool cold,
		     struct tp_point *point)
{
	struct tp_gather_row *row = point->row;
	TP_STR offsets = { 0 };
	row->elements = g->elements;
	row->vector_bits = 8 * g->vector_bytes;
	row->masked = g->masked;
	row->cold = cold;
	row->lines = tp_gather_lines(g, element_bytes);
	for (unsigned i = 0; i < g->elements; i++)
		tp_str_printf(&offsets, "%s%u", i ? " " : "", g->index[i]);
	tp_copy(row->offsets, sizeof(row->offsets), tp_str_text(&offsets));
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

static enum tp_status gather_plan(struct tp_plan_context *context, struct tp_diags *diags)
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
					   "no chosen vector holds this many elements");
	return status;
}

static enum tp_status supported(const struct tp_machine *machine, struct tp_diag *diag)
{
	bool any = false;
	for (size_t i = 0; i < tp_isa_count; i++)
		any |= tp_isa_table[i]->gather_most_bytes > 0;
	if (!any)
		return tp_fail(diag, TP_UNSUPPORTED, "gather", NULL,
			       "tprof has gathers for AVX2 and AVX-512, not for this architecture");
	return tp_experiment_supported_anywhere(machine, diag);
}

/* Values derived from the time of a gather; 0 ticks without a cycle counter. */
static void derive(double ticks_per_ns, struct tp_point *point)
{
	struct tp_gather_row *row = point->row;
	struct tp_kernel_row *k = &row->kernel;
	double bytes = (double)row->lines * TP_GATHER_LINE_BYTES;
	row->ticks = k->median_ns * ticks_per_ns;
	k->median_gbps = k->median_ns > 0 ? bytes * point->threads / k->median_ns : 0;
	k->best_gbps = k->best_ns > 0 ? bytes * point->threads / k->best_ns : 0;
	double cycles = k->median_ns * point->core_ghz;
	k->bytes_per_cycle = cycles > 0 ? bytes / cycles : 0;
}

static enum tp_status run(struct tp_bench *bench, const struct tp_planned *planned,
			  struct tp_point *point, struct tp_diag *diag)
{
	enum tp_status status = tp_window_run(bench, planned, point, diag);
	if (status == TP_OK)
		derive(bench->clock.counter ? bench->clock.hz * 1e-9 : 0, point);
	return status;
}

/* All processes of a point have the same counter: one of them determined its rate. */
static enum tp_status summarise(const struct tp_machine *machine, const struct tp_planned *planned,
				struct tp_point *point, struct tp_diag *diag)
{
	const struct tp_gather_row *row = point->row;
	double before = row->kernel.median_ns, ticks = row->ticks;
	enum tp_status status = tp_window_repeated.summarise(machine, planned, point, diag);
	if (status == TP_OK)
		derive(before > 0 ? ticks / before : 0, point);
	return status;
}

/* The points once more, as rows of numbers. */
static void reduce(const struct tp_machine *machine __attribute__((unused)), struct tp_run *run,
		   unsigned index)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (run->points[i].run == index && tp_point_is_gather(&run->points[i]))
			tp_gather_add_found(run, &run->points[i]);
}

/* While a run is watched, its points suffice. */
static void reduce_point(struct tp_run *run, const struct tp_point *last)
{
	(void)run;
	(void)last;
}

/*
 * Lists with as many lines take about the same time; with only a few, a line through all gathers is
 * a rough estimate. A poor point with a different time was disturbed.
 */
static bool is_strange(const struct tp_gather_cells *cells, const struct tp_gather_fit *fit,
		       const struct tp_point *p)
{
	const double alike = 1.2, roughly = 2;
	enum { LEAST = 5 };
	const struct tp_gather_cell *c = tp_gather_cell_of(cells, p);
	double ns = tp_kernel_row(p)->median_ns, usual = 0, within = alike;
	if (c && c->n >= LEAST) {
		usual = c->median_ns;
	} else if (fit) {
		usual = fit->first_ns + fit->line_ns * (tp_gather_row(p)->lines - 1);
		within = roughly;
	}
	return usual > 0 && (ns > within * usual || ns * within < usual);
}

static void doubt(const struct tp_run *run, unsigned index, unsigned char *again)
{
	struct tp_group groups[TP_GATHER_GROUPS_MAX];
	size_t n = tp_gather_groups(run, groups);
	for (size_t g = 0; g < n; g++) {
		TP_CLEANUP(tp_gather_cells_release) struct tp_gather_cells cells = { 0 };
		struct tp_gather_fit fit;
		if (groups[g].run != index)
			continue;
		tp_gather_cells_make(run, &groups[g], true, &cells);
		bool fits = tp_gather_fit(&cells, &fit);
		TP_EACH_POINT (p, run) {
			if (p->quality == TP_QUALITY_POOR && tp_gather_in_group(p, &groups[g]) &&
			    is_strange(&cells, fits ? &fit : NULL, p))
				again[p->point] |= TP_AGAIN_ODD;
		}
	}
}

const struct tp_experiment tp_experiment_gather = {
	.name = "gather",
	.question = "What does a gather cost?",
	.summary = "gathers: time of an instruction that loads elements from several cache lines, "
		   "against the number of these",
	.supported = supported,
	.plan = gather_plan,
	.plan_bytes = sizeof(struct tp_gather_plan),
	.run = run,
	.repeated = &(const struct tp_repeated){ tp_window_rule, summarise, tp_window_judge_quality,
						 tp_window_doubt_company },
	.reduce = reduce,
	.reduce_point = reduce_point,
	.doubt = doubt,
};
