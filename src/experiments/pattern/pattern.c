/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns: loops of applications, over sizes, threads, layouts and schedules. */
#include "experiments/pattern/pattern.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "base/str.h"
#include "base/tally.h"
#include "base/text.h"
#include "base/memory.h"
#include "record/dot.h"
#include "experiments/pattern/predict.h"
#include "experiments/pattern/pictures.h"
#include "experiments/pattern/row.h"
#include "experiments/windows/planner.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/counting.h"
#include "experiments/windows/curve.h"
#include "experiments/windows/sweep.h"
#include "preset/shared_options.h"

#define TP_PATTERN_OPTIONS(X)                                                                      \
	X(PATTERN, "pattern", WORD, true, 0, 0, "triad", "",                                       \
	  "Patterns by name, or paths of files that end in .yaml.",                                \
	  .command_line = "See --list patterns.", .code = true, TP_FORM(WHAT, 61))                 \
	X(PATTERN_PARAMETERS, "pattern.parameters", TEXT, true, 0, 4000, "", "",                   \
	  "Values of parameters, each as NAME=VALUES: n=1000, \"tile=16 32 64\", tile=16..256*2 "  \
	  "(times two), k=3..20 (one by one). template and nowait are parameters of every "        \
	  "pattern. A sweep runs through all combinations. pattern.NAME: VALUES is one of them.",  \
	  .collects = true, TP_FORM(WHAT, 62))                                                     \
	X(PATTERN_N_FROM, "pattern.n_from", WORD, false, 0, 0, "auto", "auto pattern level curve", \
	  "Where the values of the parameter n come from.",                                        \
	  .meanings = "auto\tlevel or curve if level, size_min or size_max are not the usual "     \
		      "ones, else pattern\n"                                                       \
		      "pattern\tthose of the pattern, or of pattern.n\n"                           \
		      "level\tas large as fits into each level that the option level names\n"      \
		      "curve\tthe working sets of a curve: size_min, size_max, "                   \
		      "points_per_octave\n",                                                       \
	  TP_FORM(WHAT, 63), .form_tells = true)                                                   \
	X(PATTERN_WHERE, "pattern.where", TEXT, true, 0, 1000, "", "",                             \
	  "Conditions that combinations of parameters meet, such as tile_i <= n; the others "      \
	  "are left out.",                                                                         \
	  TP_FORM_MORE(WHAT, 64))                                                                  \
	X(PATTERN_COMPILER, "pattern.compiler", TEXT, false, 0, 4000, "", "",                      \
	  "The C compiler: a name or a path; without it cc, gcc or clang. The word prebuilt "      \
	  "takes what was compiled with tprof.",                                                   \
	  .offers = "gcc prebuilt", .code = true, TP_FORM_MORE(WHAT, 66))                          \
	X(PATTERN_CFLAGS, "pattern.cflags", TEXT, false, 0, 1000, "-O3 -march=native -fopenmp",    \
	  "",                                                                                      \
	  "Flags of the compiler, with blanks between them; double quotes hold a flag with "       \
	  "blanks together.",                                                                      \
	  .code = true, TP_FORM_MORE(WHAT, 68))

TP_PATTERN_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_pattern = {
	.experiment = "pattern",
	.uses = TP_USES_STOP " pages level sizes size_min size_max points_per_octave cache events",
	.place = 32,
	.rows = { TP_PATTERN_OPTIONS(TP_OPTION_ROW) NULL },
};

/* The parameters that every pattern has; its own follow. */
enum { TEMPLATE, NOWAIT, OWN };

struct tp_pattern_sweep {
	struct tp_sweep all;
	int n_parameter; /* the one called n, of the pattern's own; -1 = none */
	bool n_wished; /* the request gives its values */
};

/* In the roofline of the run that measured the roofs. */
static void add_dot(struct tp_run *run, const struct tp_point *p)
{
	const struct tp_pattern_row *row = tp_pattern_row(p);
	struct tp_pattern_roof roof;
	if (!(row->kernel.ai_flop_per_byte > 0) || !tp_pattern_roof_of(run, p, &roof))
		return;
	struct tp_dot *dot = tp_dot_add(run, p, row->pattern);
	dot->run = roof.run;
	tp_copy(dot->level, sizeof(dot->level), roof.level);
	tp_dot_set_roof(dot, roof.gflops);
}

void tp_pattern_reduce_dots(struct tp_run *run, unsigned index)
{
	TP_EACH_POINT (p, run) {
		if (p->run == index && p->state == TP_POINT_DONE &&
		    strcmp(p->experiment, "pattern") == 0)
			add_dot(run, p);
	}
}

static const char *const nowaits[] = { "false", "true" };

/* Adds a parameter whose n values are filled in. */
static const char **add_parameter(struct tp_sweep *sweep, const char *name, size_t n,
				  struct tp_arena *arena)
{
	const char **values = tp_arena_alloc(arena, n * sizeof(*values));
	sweep->parameters[sweep->n++] = (struct tp_sweep_parameter){ name, values, n };
	return values;
}

/* With the values of the pattern's document. */
static void sweep_init(struct tp_pattern_sweep *sweep, const struct tp_pattern *p,
		       struct tp_arena *arena)
{
	*sweep = (struct tp_pattern_sweep){ .n_parameter = tp_pattern_find_parameter(p, "n", 1) };
	const char **values = add_parameter(&sweep->all, "template", p->n_templates, arena);
	for (size_t i = 0; i < p->n_templates; i++)
		values[i] = tp_pattern_template_name(p->templates[i]);
	values = add_parameter(&sweep->all, "nowait", p->n_nowaits, arena);
	for (size_t i = 0; i < p->n_nowaits; i++)
		values[i] = nowaits[p->nowaits[i]];
	for (size_t k = 0; k < p->n_parameters; k++) {
		const struct tp_pattern_parameter *own = &p->parameters[k];
		values = add_parameter(&sweep->all, own->name, own->n, arena);
		for (size_t i = 0; i < own->n; i++) {
			char text[24];
			snprintf(text, sizeof(text), "%" PRId64, own->values[i]);
			values[i] = tp_arena_strdup(arena, text);
		}
	}
}

/* The error in a value of a parameter, with a hint; NULL = none. */
static const char *wrong_value(int parameter, const char *value, const char **hint)
{
	enum tp_pattern_template template;
	uint64_t number;
	if (parameter == TEMPLATE) {
		*hint = "unified, independent or nonaffine";
		return tp_pattern_template_find(value, strlen(value), &template)
			       ? NULL
			       : "there is no such template";
	}
	if (parameter == NOWAIT) {
		*hint = "true, false, or both";
		return tp_has_word("false true", value) ? NULL : "expected true or false";
	}
	*hint = "n=1000, \"tile=16 32 64\", tile=16..256*2, k=3..20";
	return tp_parse_u64(value, &number) && number <= UINT64_C(1) << 40
		       ? NULL
		       : "expected whole numbers up to 2^40";
}

/*
 * Values of a request ("tile=16..256*2") in place of the pattern's own. *used is set if it names a
 * parameter of the pattern.
 */
static enum tp_status sweep_wish(struct tp_pattern_sweep *sweep, const char *wish, bool *used,
				 struct tp_arena *arena, struct tp_diag *diag)
{
	struct tp_sweep_parameter wished;
	enum tp_status status = tp_sweep_read(wish, arena, &wished, diag);
	int found =
		status == TP_OK ? tp_sweep_find(&sweep->all, wished.name, strlen(wished.name)) : -1;
	if (found < 0)
		return status;
	for (size_t i = 0; i < wished.n; i++) {
		const char *hint, *wrong = wrong_value(found, wished.values[i], &hint);
		if (wrong)
			return tp_sweep_refuse(wish, hint, wrong, diag);
	}
	sweep->all.parameters[found] = wished;
	sweep->n_wished |= found == OWN + sweep->n_parameter;
	*used = true;
	return TP_OK;
}

/* A combination of the values. */
static void sweep_fill(const struct tp_sweep_at *at, struct tp_pattern_config *c)
{
	const char *template = tp_sweep_value(at, TEMPLATE);
	tp_pattern_template_find(template, strlen(template), &c->template);
	c->nowait = strcmp(tp_sweep_value(at, NOWAIT), "true") == 0;
	for (size_t p = OWN; p < at->sweep->n; p++)
		c->values[p - OWN] = strtoll(tp_sweep_value(at, p), NULL, 10);
}

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
	size_t n_compiled; /* codes of all patterns */
	struct tp_pattern_predictor predictor;
	bool where_known[TP_LIST_MAX]; /* conditions whose names some pattern has */
};

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
	TP_RESERVE(pl->codes, pl->cap_codes, pl->n_codes + 1);
	tp_tally_add(&pl->keys, text);
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

/* "jacobi-2d 32 64": what distinguishes the curves of a sweep; n and common values are left out. */
static void name_curve(const struct tp_pattern_sweep *sweep, const struct tp_pattern_config *c,
		       struct tp_point *point)
{
	TP_STR name = { 0 };
	tp_str_add(&name, c->pattern->name);
	for (size_t i = 0; i < c->pattern->n_parameters; i++)
		if ((int)i != sweep->n_parameter && sweep->all.parameters[OWN + i].n > 1)
			tp_str_printf(&name, " %s=%" PRId64, c->pattern->parameters[i].name,
				      c->values[i]);
	if (sweep->all.parameters[TEMPLATE].n > 1)
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
	if (status != TP_OK) {
		tp_planner_add_diag(pl->diags, &diag);
		return status;
	}
	struct tp_pattern_config *c = tp_arena_alloc(&context->plan->arena, sizeof(*c));
	/* The reference runs on its own arrays. */
	uint64_t need = bytes * (pl->pattern->reference ? 2 : 1) / wanted->threads;
	struct tp_planned *p = tp_plan_add(context, wanted->threads, cpus, need, pl->diags);
	if (!p)
		return TP_RESOURCE;
	*c = *wanted;
	p->own_bytes = p->buffer_bytes = 0; /* not the bench's */
	struct tp_pattern_plan *plan = tp_pattern_plan(p);
	*plan = (struct tp_pattern_plan){
		.window.kernel = { .isa = pl->choices
						  .isas[TP_MAX(pl->choices.n_isas, (size_t)1) - 1],
				   .working_set_bytes = bytes / c->threads },
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
	const char *why = *machine->simulated ? tp_pattern_not_simulated(c, p->point.row) : NULL;
	if (why)
		return tp_planner_refuse(
			context, pl->diags, TP_UNSUPPORTED, TP_OPT_PATTERN,
			"patterns of one statement, with a domain and a schedule of permutations "
			"and blocks, can be: triad, jacobi-2d",
			"%s cannot be simulated: %s", pl->pattern->name, why);
	TP_STR key = { 0 };
	tp_pattern_key(c, &key);
	const struct tp_tally_group *known = tp_tally_find(&pl->keys, tp_str_text(&key));
	plan->code = known ? pl->codes[known - pl->keys.groups] : new_code(pl, c, &key);
	/* One waits for its code, and as many as there are CPUs are compiled with it. */
	if (!known && !*machine->simulated &&
	    pl->n_compiled++ % TP_MAX(machine->n_allowed, (size_t)1) == 0)
		p->point.estimate_seconds += TP_COMPILED_SECONDS;
	return TP_OK;
}

static const char names_known[] = "names are parameters, threads and t";

static bool value_of(void *context, const char *name, size_t len, double *value)
{
	char copy[64];
	snprintf(copy, sizeof(copy), "%.*s", (int)TP_MIN(len, sizeof(copy) - 1), name);
	const struct tp_pattern_text text = { copy, { 0 } };
	return tp_pattern_config_eval(context, &text, 0, value, NULL) == TP_OK;
}

static enum tp_status add_combination(struct planner *pl, const struct tp_pattern_sweep *sweep,
				      struct tp_pattern_config *c, unsigned *cpus)
{
	bool meets;
	enum tp_status status = tp_planner_meets(pl->context, TP_OPT_PATTERN_WHERE, value_of, c,
						 names_known, pl->where_known, &meets, pl->diags);
	return status == TP_OK && meets ? add_point(pl, sweep, c, cpus) : status;
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
				"has no effect here: pattern.n has the values of n");
		from = "pattern";
	}
	*n = 0;
	if (strcmp(from, "curve") == 0)
		return tp_curve_sizes(pl->context, threads, n);
	if (strcmp(from, "pattern") == 0)
		return NULL;
	uint64_t *sizes =
		tp_arena_alloc(&pl->context->plan->arena, pl->choices.n_levels * sizeof(*sizes));
	for (size_t i = 0; i < pl->choices.n_levels; i++)
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
	struct tp_sweep all = sweep->all;
	if (sized)
		all.parameters[OWN + sweep->n_parameter].n = 1;
	double combinations = tp_sweep_count(&all);
	status = tp_planner_check_count(pl->context, TP_OPT_PATTERN_PARAMETERS, combinations,
					pl->diags);
	for (size_t i = 0; status == TP_OK && i < (size_t)combinations && !tp_stop_asked; i++) {
		struct tp_pattern_config c = { .pattern = pl->pattern, .threads = threads };
		sweep_fill(&(struct tp_sweep_at){ &all, i, 0 }, &c);
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

/*
 * Syntax errors and illegal schedules are reported before anything runs, for the first combination.
 */
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
	sweep_fill(&(struct tp_sweep_at){ &sweep->all, 0, 0 }, &c);
	enum tp_status status = tp_pattern_legal(&c, &legal, &text, &diag);
	if (status == TP_OK && !legal)
		tp_planner_note(pl->context, TP_OPT_PATTERN,
				"%s: the schedule breaks a dependence: %s", pl->pattern->name,
				tp_str_text(&text));
	if (status != TP_OK)
		tp_planner_add_diag(pl->diags, &diag);
	return status;
}

static enum tp_status plan_pattern(struct planner *pl, const char *name,
				   const struct tp_value *wishes, bool *used)
{
	struct tp_arena *arena = &pl->context->plan->arena;
	struct tp_pattern *pattern = tp_arena_alloc(arena, sizeof(*pattern));
	struct tp_pattern_sweep *sweep = tp_arena_alloc(arena, sizeof(*sweep));
	struct tp_diags diags = { 0 };
	struct tp_diag diag;
	pl->pattern = pattern;
	enum tp_status status = tp_pattern_load(pattern, arena, name, &diags);
	for (size_t i = 0; i < diags.n; i++)
		tp_planner_add_diag(pl->diags, &diags.items[i]);
	tp_diags_release(&diags);
	if (status != TP_OK)
		return status;
	sweep_init(sweep, pattern, arena);
	for (size_t w = 0; w < wishes->n && status == TP_OK; w++)
		status = sweep_wish(sweep, wishes->items[w].text, &used[w], arena, &diag);
	if (status != TP_OK)
		return tp_planner_refuse(pl->context, pl->diags, status, TP_OPT_PATTERN_PARAMETERS,
					 diag.hint, "%s", diag.what);
	pl->predictor = (struct tp_pattern_predictor){ .machine = pl->context->machine,
						       .n_parameter = sweep->n_parameter };
	status = check_loops(pl, sweep);
	for (size_t t = 0; t < pl->choices.n_threads && status == TP_OK; t++)
		status = plan_threads(pl, sweep, pl->choices.threads[t], pl->choices.cpus[t]);
	tp_tally_release(&pl->keys);
	free(pl->codes);
	pl->codes = NULL;
	pl->n_codes = pl->cap_codes = 0;
	return status;
}

static enum tp_status plan_points(struct tp_plan_context *context, struct tp_diags *diags)
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
	/* Conditions after one that never held were not evaluated. */
	bool looked = context->plan->n > before || context->plan->counting;
	for (size_t i = 0; i < where->n && status == TP_OK && looked; i++)
		if (!pl.where_known[i])
			status = tp_planner_refuse(
				context, diags, TP_USAGE, TP_OPT_PATTERN_WHERE, names_known,
				"no pattern of this run has all names of \"%.60s\"",
				where->items[i].text);
	if (status == TP_OK && context->plan->n == before && !context->plan->counting)
		status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_PATTERN_WHERE, NULL,
					   "no combination of the parameters meets the conditions");
	return status;
}

#ifndef TP_HAVE_OPENMP
static enum tp_status without_openmp(const struct tp_machine *machine, struct tp_diag *diag)
{
	(void)machine;
	return tp_fail(diag, TP_UNSUPPORTED, "pattern",
		       "install a compiler with OpenMP and build tprof again",
		       "this tprof was built without OpenMP");
}
#endif

/* Arrays are not buffers of the bench; the reference has a second set of them. */
static uint64_t memory_bytes(const struct tp_planned *planned)
{
	uint64_t bytes = tp_pattern_row(&planned->point)->array_bytes;
	return tp_pattern_plan(planned)->configuration->pattern->reference ? 2 * bytes : bytes;
}

/* Named patterns, compilers by their usual names, and only the usual flags. */
static bool code_is_known(const struct tp_option *option, const char *text)
{
	if (option == TP_OPT_PATTERN)
		return tp_pattern_is_known(text);
	if (option == TP_OPT_PATTERN_COMPILER)
		return tp_has_word("cc gcc clang prebuilt", text);
	return strcmp(text, option->fallback) == 0;
}

static enum tp_status source(const struct tp_planned *planned, struct tp_str *out,
			     struct tp_diag *diag)
{
	return tp_pattern_source(tp_pattern_plan(planned)->configuration, out, diag);
}

static const struct tp_option_names names[] = {
	{ .option = TP_OPT_PATTERN, .open = true, .files = tp_pattern_list },
	{ 0 },
};

/* Sizes by level are not a curve: equal rates do not form a plateau there. Points are in the plan's
 * order. */
static bool has_curves(const struct tp_run *run, unsigned index)
{
	const double octave = 2.1; /* give or take whole lines */
	size_t near = 0, far = 0;
	for (size_t i = 1; i < run->n_points; i++) {
		const struct tp_point *a = &run->points[i - 1], *b = &run->points[i];
		if (a->run != index || b->run != index || a->threads != b->threads ||
		    strcmp(a->kernel, b->kernel) != 0)
			continue;
		bool is_near = (double)tp_kernel_row(b)->working_set_bytes <=
			       octave * (double)tp_kernel_row(a)->working_set_bytes;
		near += is_near;
		far += !is_near;
	}
	return near > far;
}

static void reduce(const struct tp_machine *machine, struct tp_run *run, unsigned index)
{
	if (has_curves(run, index))
		tp_curve_reduce(machine, run, index);
	tp_pattern_reduce_predictions(run, index);
	tp_pattern_reduce_dots(run, index);
}

const struct tp_experiment tp_experiment_pattern = {
	.name = "pattern",
	.question = "What does this loop cost?",
	.summary = "application memory patterns: loops written in YAML, over sizes, layouts, "
		   "schedules and threads",
	.names = names,
	.estimates = true,
#ifndef TP_HAVE_OPENMP
	.supported = without_openmp,
#endif
	.plan = plan_points,
	.plan_bytes = sizeof(struct tp_pattern_plan),
	.prepare = tp_pattern_prepare,
	.run = tp_pattern_run,
	.repeated = &tp_window_repeated,
	.reduce = reduce,
	.memory_bytes = memory_bytes,
	.code_is_known = code_is_known,
	.source = source,
};
