/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns with the values of their parameters become points. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/stop.h"
#include "base/str.h"
#include "base/tally.h"
#include "base/vec.h"
#include "experiments/pattern/options.h"
#include "experiments/pattern/plan_row.h"
#include "experiments/pattern/predict.h"
#include "experiments/pattern/row.h"
#include "experiments/pattern/sweep.h"
#include "experiments/windows/counting.h"
#include "experiments/windows/curve.h"

/*
 * An estimate: what a point costs besides its windows, and how fast memory is touched, initialised
 * and validated.
 */
#define POINT_SECONDS	 0.03
#define BYTES_PER_SECOND 1e9

struct planner {
	struct tp_plan_context *context;
	struct tp_diags *diags;
	struct tp_choices choices;
	const struct tp_pattern *pattern;
	/* of this pattern: keys, and the code of each group of them */
	struct tp_tally keys;
	struct tp_compiled_code **codes;
	size_t n_codes, cap_codes;
	struct tp_pattern_predictor predictor;
	bool where_known[TP_LIST_MAX]; /* conditions whose names some pattern has */
};

/* A diagnosis of the pattern itself, once. */
static enum tp_status tell(struct planner *pl, enum tp_status status, const struct tp_diag *diag)
{
	for (size_t i = 0; i < pl->diags->n; i++)
		if (strcmp(pl->diags->items[i].where, diag->where) == 0 &&
		    strcmp(pl->diags->items[i].what, diag->what) == 0)
			return status;
	tp_diags_add(pl->diags, diag);
	return status;
}

static enum tp_status write_source(void *context, struct tp_str *out, struct tp_diag *diag)
{
	return tp_pattern_source(context, out, diag);
}

static struct tp_compiled_code *new_code(struct planner *pl, const struct tp_pattern_config *c,
					 const struct tp_str *key)
{
	struct tp_arena *arena = &pl->context->plan->arena;
	struct tp_compiled_code *code = tp_arena_alloc(arena, sizeof(*code));
	const char *text = tp_arena_strndup(arena, key->s, key->len);
	if (!code || !text ||
	    tp_vec_reserve((void **)&pl->codes, &pl->cap_codes, pl->n_codes + 1,
			   sizeof(*pl->codes)) ||
	    tp_tally_add(&pl->keys, text) != TP_OK)
		return NULL;
	const struct tp_config *config = pl->context->config;
	*code = (struct tp_compiled_code){
		.who = "pattern",
		.compiler = tp_config_text(config, TP_OPT_PATTERN_COMPILER),
		.flags = tp_config_text(config, TP_OPT_PATTERN_CFLAGS),
		.prebuilt_too = true,
		.source = write_source,
		.context = (void *)(uintptr_t)c,
		.arena = arena,
		.key = text,
		.key_bytes = key->len,
	};
	pl->codes[pl->n_codes++] = code;
	return code;
}

/* The code of a configuration: that of an earlier one with the same key. NULL: out of memory. */
static struct tp_compiled_code *code_of(struct planner *pl, const struct tp_pattern_config *c)
{
	TP_STR key = { 0 };
	struct tp_compiled_code *code = NULL;
	if (tp_pattern_key(c, &key) == TP_OK) {
		const struct tp_tally_group *known = tp_tally_find(&pl->keys, tp_str_text(&key));
		code = known ? pl->codes[known - pl->keys.groups] : new_code(pl, c, &key);
	}
	return code;
}

static void forget_codes(struct planner *pl)
{
	tp_tally_release(&pl->keys);
	free(pl->codes);
	pl->codes = NULL;
	pl->n_codes = pl->cap_codes = 0;
}

static void fill_row(const struct tp_pattern_config *c, const struct tp_pattern_work *work,
		     uint64_t bytes, struct tp_point *point)
{
	struct tp_pattern_row *row = point->row;
	struct tp_kernel_row *k = &row->kernel;
	const struct tp_pattern *p = c->pattern;
	tp_copy(row->pattern, sizeof(row->pattern), p->name);
	tp_copy(row->template, sizeof(row->template), tp_pattern_template_name(c->template));
	tp_pattern_config_name(c, row->parameters, sizeof(row->parameters));
	row->nowait = c->nowait;
	row->elements = work->elements;
	if (work->elements > 0) {
		row->flop_per_element = work->flops / work->elements;
		row->bytes_per_element = work->bytes / work->elements;
	}
	row->array_bytes = bytes;
	tp_copy(k->isa, sizeof(k->isa), TP_ISA_COMPILED);
	bool single = p->n_arrays && p->arrays[0].type == TP_PATTERN_FLOAT;
	tp_copy(k->precision, sizeof(k->precision), single ? "single" : "double");
	k->working_set_bytes = bytes / c->threads;
	k->ai_flop_per_byte = work->bytes > 0 ? work->flops / work->bytes : 0;
	tp_copy(point->kernel, sizeof(point->kernel), p->name);
}

/* "jacobi-2d 32 64": what tells the curves of a sweep apart; n and what all have is left out. */
static void name_curve(const struct tp_pattern_sweep *sweep, const struct tp_pattern_config *c,
		       struct tp_point *point)
{
	TP_STR name = { 0 };
	tp_str_add(&name, c->pattern->name);
	for (size_t i = 0; i < c->pattern->n_parameters; i++)
		if ((int)i != sweep->n_parameter && sweep->parameters[i].n > 1)
			tp_str_printf(&name, " %s=%" PRId64, c->pattern->parameters[i].name,
				      c->values[i]);
	if (sweep->n_templates > 1)
		tp_str_printf(&name, " %s", tp_pattern_template_name(c->template));
	if (c->nowait)
		tp_str_add(&name, " nowait");
	tp_copy(point->kernel, sizeof(point->kernel), tp_str_text(&name));
}

static enum tp_status add_point(struct planner *pl, const struct tp_pattern_sweep *sweep,
				const struct tp_pattern_config *wanted, unsigned *cpus)
{
	struct tp_plan_context *context = pl->context;
	const struct tp_machine *machine = context->machine;
	struct tp_pattern_work work = { 0 };
	struct tp_diag diag;
	uint64_t bytes = 0;
	enum tp_status status = tp_pattern_config_bytes(wanted, &bytes, &diag);
	if (status == TP_OK)
		status = tp_pattern_config_work(wanted, &work, &diag);
	if (status != TP_OK)
		return tell(pl, status, &diag);
	struct tp_pattern_config *c = tp_arena_alloc(&context->plan->arena, sizeof(*c));
	/* The reference runs on arrays of its own. */
	uint64_t need = bytes * (pl->pattern->reference ? 2 : 1) / wanted->threads;
	struct tp_planned *p =
		c ? tp_plan_add(context, wanted->threads, cpus, need, pl->diags) : NULL;
	if (!p)
		return TP_RESOURCE;
	*c = *wanted;
	p->own_bytes = p->buffer_bytes = 0; /* none of the bench */
	struct tp_pattern_plan *plan = tp_pattern_plan(p);
	*plan = (struct tp_pattern_plan){
		.window.kernel.working_set_bytes = bytes / c->threads,
		.window.level = tp_planner_class(machine, bytes / c->threads, c->threads),
		.configuration = c,
		.work = work,
	};
	fill_row(c, &work, bytes, &p->point);
	name_curve(sweep, c, &p->point);
	if (sweep->n_parameter >= 0)
		((struct tp_pattern_row *)p->point.row)->n =
			(uint64_t)c->values[sweep->n_parameter];
	p->point.estimate_seconds = POINT_SECONDS + 4 * (double)bytes / BYTES_PER_SECOND +
				    0.3 * tp_config_real(context->config, TP_OPT_STOP_MAX_TIME) +
				    tp_window_count_seconds(context->config);
	if (context->plan->counting)
		return TP_OK;
	tp_pattern_predict(&pl->predictor, c, p->point.row);
	plan->code = code_of(pl, c);
	return plan->code ? TP_OK : TP_NOMEM;
}

struct scope {
	const struct tp_pattern_config *configuration;
	bool lacks; /* a name that the pattern does not have */
};

static bool value_of(void *context, const char *name, size_t len, double *value)
{
	struct scope *scope = context;
	struct tp_pattern_text text;
	char copy[64];
	snprintf(copy, sizeof(copy), "%.*s", (int)TP_MIN(len, sizeof(copy) - 1), name);
	text = (struct tp_pattern_text){ copy, { 0 } };
	bool known = tp_pattern_config_eval(scope->configuration, &text, 0, value, NULL) == TP_OK;
	scope->lacks |= !known;
	return known;
}

/* True if all conditions hold; a condition on a name that this pattern lacks does not matter. */
static enum tp_status meets(struct planner *pl, struct tp_pattern_config *c, bool *holds)
{
	const struct tp_value *where = tp_config_value(pl->context->config, TP_OPT_PATTERN_WHERE);
	*holds = true;
	for (size_t i = 0; i < where->n && *holds; i++) {
		double value;
		struct tp_diag diag;
		struct scope scope = { .configuration = c };
		enum tp_status status =
			tp_expression_eval(where->items[i].text, value_of, &scope, &value, &diag);
		if (status != TP_OK && !scope.lacks)
			return tp_planner_refuse(
				pl->context, pl->diags, TP_USAGE, TP_OPT_PATTERN_WHERE,
				"names are parameters, threads and t", "%s", diag.what);
		pl->where_known[i] |= !scope.lacks;
		*holds = status != TP_OK || value != 0;
	}
	return TP_OK;
}

int64_t tp_pattern_n_for(const struct tp_pattern_config *c, int n_parameter, uint64_t bytes)
{
	struct tp_pattern_config tried = *c;
	int64_t low = 0, high = INT64_C(1) << 40;
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;
		uint64_t found;
		tried.values[n_parameter] = middle;
		enum tp_status status = tp_pattern_config_bytes(&tried, &found, NULL);
		/* Too small a grid has no elements; too large a one does not fit. */
		bool fits = (status == TP_OK && found / c->threads <= bytes) || status == TP_USAGE;
		low = fits ? middle : low;
		high = fits ? high : middle;
	}
	return low > 64 ? low / 8 * 8 : low;
}

static enum tp_status add_combination(struct planner *pl, const struct tp_pattern_sweep *sweep,
				      struct tp_pattern_config *c, unsigned *cpus)
{
	bool holds;
	enum tp_status status = meets(pl, c, &holds);
	return status == TP_OK && holds ? add_point(pl, sweep, c, cpus) : status;
}

static bool is_changed(struct planner *pl, const struct tp_option *option)
{
	struct tp_value usual;
	return tp_option_parse(option, option->fallback, &pl->context->plan->arena, &usual, NULL) ==
		       TP_OK &&
	       !tp_value_equal(tp_config_value(pl->context->config, option), &usual);
}

/* Where n comes from, in words of the option: "pattern", "level" or "curve". */
static const char *n_from(struct planner *pl)
{
	const struct tp_config *config = pl->context->config;
	const char *wanted = tp_config_text(config, TP_OPT_PATTERN_N_FROM);
	if (tp_config_value(config, TP_OPT_SIZES)->n)
		return "curve";
	if (strcmp(wanted, "auto") != 0)
		return wanted;
	return is_changed(pl, TP_OPT_SIZE_MIN) || is_changed(pl, TP_OPT_SIZE_MAX) ? "curve"
	       : is_changed(pl, TP_OPT_LEVEL)					  ? "level"
										  : "pattern";
}

/* The sizes that a run asks for; none: the pattern's own values of n decide. */
static const uint64_t *sizes_of(struct planner *pl, const struct tp_pattern_sweep *sweep,
				unsigned threads, size_t *n)
{
	const char *from = n_from(pl);
	if (sweep->n_wished && strcmp(from, "pattern") != 0) {
		tp_planner_note(pl->context, TP_OPT_PATTERN_N_FROM,
				"has no effect here: pattern.n says the values of n");
		from = "pattern";
	}
	*n = 0;
	if (strcmp(from, "curve") == 0)
		return tp_curve_sizes(pl->context, threads, n, pl->diags);
	if (strcmp(from, "pattern") == 0)
		return NULL;
	uint64_t *sizes =
		tp_arena_alloc(&pl->context->plan->arena, pl->choices.n_levels * sizeof(*sizes));
	for (size_t i = 0; i < pl->choices.n_levels && sizes; i++)
		sizes[(*n)++] = tp_planner_level_bytes(pl->context->machine, pl->choices.levels[i],
						       threads);
	return sizes;
}

static enum tp_status plan_threads(struct planner *pl, const struct tp_pattern_sweep *sweep,
				   unsigned threads, unsigned *cpus)
{
	size_t n_sizes;
	const uint64_t *sizes = sizes_of(pl, sweep, threads, &n_sizes);
	bool sized = n_sizes && sweep->n_parameter >= 0;
	enum tp_status status = TP_OK;
	if (n_sizes && !sized)
		tp_planner_note(pl->context, TP_OPT_SIZES,
				"has no effect on %s, which has no parameter n", pl->pattern->name);
	double combinations = tp_pattern_sweep_count(sweep, sized);
	if (combinations > TP_RUN_POINTS_MAX)
		return tp_planner_refuse(pl->context, pl->diags, TP_RESOURCE,
					 TP_OPT_PATTERN_PARAMETERS, "give fewer values",
					 "%s has %.0f combinations, and a run holds %d points",
					 pl->pattern->name, combinations, TP_RUN_POINTS_MAX);
	for (size_t i = 0; i < (size_t)combinations && status == TP_OK && !tp_stop_asked; i++) {
		struct tp_pattern_config c = { .pattern = pl->pattern, .threads = threads };
		tp_pattern_sweep_take(sweep, i, sized, &c);
		if (!sized)
			status = add_combination(pl, sweep, &c, cpus);
		int64_t last = 0;
		for (size_t s = 0; s < n_sizes && sized && status == TP_OK; s++) {
			int64_t n = tp_pattern_n_for(&c, sweep->n_parameter, sizes[s]);
			if (n < 1 || n == last)
				continue;
			c.values[sweep->n_parameter] = last = n;
			status = add_combination(pl, sweep, &c, cpus);
		}
	}
	return status;
}

/* Syntax of schedules and illegal ones are said before anything runs, for the first combination. */
static enum tp_status check_loops(struct planner *pl, const struct tp_pattern_sweep *sweep)
{
	/* Several threads also need a loop that they can share. */
	struct tp_pattern_config c = { .pattern = pl->pattern, .threads = 1 };
	for (size_t t = 0; t < pl->choices.n_threads; t++)
		c.threads = TP_MAX(c.threads, pl->choices.threads[t]);
	TP_STR text = { 0 };
	struct tp_diag diag;
	bool legal = true;
	if (!pl->pattern->run.domain.text || pl->context->plan->counting)
		return TP_OK;
	tp_pattern_sweep_take(sweep, 0, false, &c);
	enum tp_status status = tp_pattern_legal(&c, &legal, &text, &diag);
	if (status == TP_OK && !legal)
		tp_planner_note(pl->context, TP_OPT_PATTERN,
				"%s: the schedule breaks a dependence: %s", pl->pattern->name,
				tp_str_text(&text));
	return status == TP_OK ? TP_OK : tell(pl, status, &diag);
}

static enum tp_status plan_pattern(struct planner *pl, const char *name,
				   const struct tp_value *wishes, bool *used)
{
	struct tp_arena *arena = &pl->context->plan->arena;
	struct tp_pattern *pattern = tp_arena_alloc(arena, sizeof(*pattern));
	struct tp_pattern_sweep *sweep = tp_arena_alloc(arena, sizeof(*sweep));
	struct tp_diags diags = { 0 };
	struct tp_diag diag;
	if (!pattern || !sweep)
		return TP_NOMEM;
	pl->pattern = pattern;
	enum tp_status status = tp_pattern_load(pattern, arena, name, &diags);
	for (size_t i = 0; i < diags.n; i++)
		tell(pl, status, &diags.items[i]);
	tp_diags_release(&diags);
	if (status != TP_OK)
		return status;
	status = tp_pattern_sweep_make(sweep, pattern, wishes, used, arena, &diag);
	if (status != TP_OK)
		return tp_planner_refuse(pl->context, pl->diags, status, TP_OPT_PATTERN_PARAMETERS,
					 diag.hint, "%s", diag.what);
	pl->predictor = (struct tp_pattern_predictor){ .machine = pl->context->machine,
						       .n_parameter = sweep->n_parameter };
	status = check_loops(pl, sweep);
	for (size_t t = 0; t < pl->choices.n_threads && status == TP_OK; t++)
		status = plan_threads(pl, sweep, pl->choices.threads[t], pl->choices.cpus[t]);
	forget_codes(pl);
	return status;
}

enum tp_status tp_pattern_plan_points(struct tp_plan_context *context, struct tp_diags *diags)
{
	struct planner pl = { .context = context, .diags = diags };
	const struct tp_value *patterns = tp_config_value(context->config, TP_OPT_PATTERN);
	const struct tp_value *wishes = tp_config_value(context->config, TP_OPT_PATTERN_PARAMETERS);
	bool used[TP_LIST_MAX] = { false };
	enum tp_status status = tp_planner_choices(context, &pl.choices, diags);
	size_t before = context->plan->n;
	for (size_t i = 0; i < patterns->n && status == TP_OK; i++)
		status = plan_pattern(&pl, patterns->items[i].text, wishes, used);
	for (size_t w = 0; w < wishes->n && status == TP_OK; w++)
		if (!used[w])
			status = tp_planner_refuse(
				context, diags, TP_USAGE, TP_OPT_PATTERN_PARAMETERS,
				"--list patterns shows the parameters of each",
				"no pattern of this run has the parameter of \"%.60s\"",
				wishes->items[w].text);
	const struct tp_value *where = tp_config_value(context->config, TP_OPT_PATTERN_WHERE);
	/* Conditions behind one that never held were not looked at. */
	bool looked = context->plan->n > before || context->plan->counting;
	for (size_t i = 0; i < where->n && status == TP_OK && looked; i++)
		if (!pl.where_known[i])
			status = tp_planner_refuse(
				context, diags, TP_USAGE, TP_OPT_PATTERN_WHERE,
				"names are parameters, threads and t",
				"no pattern of this run has all names of \"%.60s\"",
				where->items[i].text);
	if (status == TP_OK && context->plan->n == before && !context->plan->counting)
		status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_PATTERN_WHERE, NULL,
					   "no combination of the parameters meets the conditions");
	return status;
}
