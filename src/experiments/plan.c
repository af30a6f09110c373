/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plans: the points of all runs of a preset, made by its experiments, without those that conditions
 * leave out.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/memory.h"
#include "base/pairs.h"
#include "base/random.h"
#include "base/text.h"
#include "experiments/experiment.h"
#include "measure/buffer.h"
#include "table/csv.h"

/* Share of the available memory that buffers may take: the rest of the system has to go on. */
#define MEMORY_SHARE 0.8

static const struct tp_experiment *const *experiments = &(const struct tp_experiment *){ NULL };

void tp_experiments_use(const struct tp_experiment *const *of_program)
{
	experiments = of_program;
}

size_t tp_experiment_count(void)
{
	size_t n = 0;
	while (experiments[n])
		n++;
	return n;
}

const struct tp_experiment *tp_experiment_at(size_t i)
{
	return i < tp_experiment_count() ? experiments[i] : NULL;
}

const struct tp_experiment *tp_experiment_find(const char *name)
{
	const struct tp_experiment *const *e = experiments;
	while (*e && strcmp((*e)->name, name) != 0)
		e++;
	return *e;
}

enum tp_status tp_experiment_supported(const struct tp_experiment *e,
				       const struct tp_machine *machine, struct tp_diag *diag)
{
	if (*machine->simulated && e->not_simulated) {
		TP_STR hint = { 0 };
		for (size_t i = 0; i < tp_experiment_count(); i++)
			if (!experiments[i]->not_simulated)
				tp_str_printf(&hint, "%s%s", hint.len ? ", " : "",
					      experiments[i]->name);
		tp_str_add(&hint, " can be simulated");
		return tp_fail(diag, TP_UNSUPPORTED, e->name, tp_str_text(&hint), "%s",
			       e->not_simulated);
	}
	return e->supported ? e->supported(machine, diag) : TP_OK;
}

const struct tp_experiment_document *tp_experiment_document(size_t i)
{
	for (const struct tp_experiment *const *e = experiments; *e; e++) {
		if (i < (*e)->n_documents)
			return &(*e)->documents[i];
		i -= (*e)->n_documents;
	}
	return NULL;
}

void tp_planner_add_diag(struct tp_diags *diags, const struct tp_diag *diag)
{
	for (size_t i = 0; i < diags->n; i++)
		if (strcmp(diags->items[i].where, diag->where) == 0 &&
		    strcmp(diags->items[i].what, diag->what) == 0)
			return;
	tp_diags_add(diags, diag);
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
	tp_planner_add_diag(diags, &diag);
	return status;
}

void tp_planner_note(struct tp_plan_context *context, const struct tp_option *option,
		     const char *fmt, ...)
{
	struct tp_diag diag;
	va_list ap;
	va_start(ap, fmt);
	tp_vfail(&diag, TP_OK, option->key, NULL, fmt, ap);
	va_end(ap);
	tp_planner_add_diag(&context->plan->notes, &diag);
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
	TP_STR s = { 0 };
	for (unsigned i = 0; i < n; i++) {
		unsigned last = i;
		while (last + 1 < n && cpus[last + 1] == cpus[last] + 1)
			last++;
		tp_str_printf(&s, "%s%u", i ? "," : "", cpus[i]);
		if (last > i + 1)
			tp_str_printf(&s, "-%u", cpus[last]);
		if (last > i + 1)
			i = last;
	}
	tp_copy(out, size, tp_str_text(&s));
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
	double limit = tp_machine_room_bytes(context->machine, MEMORY_SHARE);
	if (need <= limit)
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
		"%u thread%s would need %s, and only %s of %s machine's memory may be used",
		threads, threads == 1 ? "" : "s", a, b,
		context->machine->foreign ? "that" : "this");
	return false;
}

/* Names the lists, and the number of runs, that multiply to that many points. */
static void refuse_too_many(struct tp_plan_context *context, size_t n_runs, struct tp_diags *diags)
{
	TP_STR lists = { 0 };
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
				.view = context->view,
				.own_bytes = bytes,
				.buffer_bytes = bytes,
				.pages = tp_pages_find(
					tp_config_text(context->config, TP_OPT_PAGES)) };
	if (experiment->plan_bytes)
		p.row = tp_arena_alloc(arena, experiment->plan_bytes);
	tp_point_begin(&p.point, experiment->name, arena);
	TP_RESERVE(plan->items, plan->cap, plan->n + 1);
	p.point.run = context->run;
	p.point.point = (unsigned)plan->n;
	p.point.threads = threads;
	cpus_text(cpus, threads, p.point.cpus, sizeof(p.point.cpus));
	if (plan->team_of != cpus)
		tp_machine_team_words(context->machine, cpus, threads, plan->cpu_kind,
				      sizeof(plan->cpu_kind), plan->memory, sizeof(plan->memory));
	plan->team_of = cpus;
	if (tp_table_is(p.point.kind->table, &tp_kernel_table))
		tp_copy(tp_kernel_row_of(&p.point)->cpu_kind, sizeof(plan->cpu_kind),
			plan->cpu_kind);
	plan->items[plan->n] = p;
	return &plan->items[plan->n++];
}

/* --- names in conditions and definitions: columns of points, parameters --- */

enum { NAME_BYTES = 64, VALUE_BYTES = 512 };

/* A name that points have: a column, or a parameter of a column of pairs. */
struct known {
	char name[NAME_BYTES];
	bool is_word; /* a value of it is not a number */
};

/* The text of a planned point. */
struct names {
	struct tp_plan *plan;
	size_t start; /* the points of the plan that count */
	struct known *items;
	size_t n, cap;
	unsigned where; /* columns that count: TP_IN_IDENTITY, ... */
	bool open; /* others come with the results: a column of pairs that is filled then */
	const struct tp_point_layout *layout; /* of the point under way */
};

typedef void tp_take_value(void *context, const char *name, const char *text, bool is_word);

static void each_pair(const char *text, tp_take_value *take, void *context)
{
	char name[NAME_BYTES], value[VALUE_BYTES];
	double number;
	while (tp_pairs_next(&text, name, sizeof(name), value, sizeof(value)))
		take(context, name, value, *value && !tp_parse_double(value, &number));
}

/* True if points of the layout have the column, and it counts. */
static bool counts(const struct names *names, size_t i)
{
	return names->layout->at[i].from != TP_FROM_NOTHING &&
	       (names->layout->at[i].column->where & names->where);
}

static struct known *find(struct names *names, const char *name, size_t len)
{
	for (size_t i = 0; i < names->n; i++)
		if (strlen(names->items[i].name) == len &&
		    memcmp(names->items[i].name, name, len) == 0)
			return &names->items[i];
	return NULL;
}

static struct known *add_name(struct names *names, const char *name)
{
	struct known *known = find(names, name, strlen(name));
	if (known)
		return known;
	TP_RESERVE(names->items, names->cap, names->n + 1);
	known = &names->items[names->n++];
	*known = (struct known){ 0 };
	tp_copy(known->name, sizeof(known->name), name);
	return known;
}

static void learn(void *context, const char *name, const char *text, bool is_word)
{
	(void)text;
	add_name(context, name)->is_word |= is_word;
}

/* The names of a point. There may be many points, and most have the columns of the one before. */
static void learn_point(struct names *names, const struct tp_point *point)
{
	bool is_new = names->layout != tp_point_layout(point);
	TP_STR text = { 0 };
	names->layout = tp_point_layout(point);
	for (size_t i = 0; i < names->layout->n; i++) {
		const struct tp_column *column = names->layout->at[i].column;
		if (!counts(names, i))
			continue;
		if (is_new)
			learn(names, column->name, "", !tp_column_is_number(column));
		if (!column->pairs)
			continue;
		names->open |= !(column->where & TP_IN_IDENTITY);
		tp_str_clear(&text);
		tp_column_text(column, tp_point_record(names->layout, i, point), &text);
		each_pair(tp_str_text(&text), learn, names);
	}
}

/* Parameters come first: they cannot be guessed. */
static void list_names(const char *const *all, size_t n, struct tp_diag *diag)
{
	TP_STR list = { 0 };
	for (size_t i = n; i-- > 0;)
		if (list.len + strlen(all[i]) + sizeof("names are , ...") < sizeof(diag->hint))
			tp_str_printf(&list, "%s%s", list.len ? ", " : "", all[i]);
	snprintf(diag->hint, sizeof(diag->hint), "names are %.*s", (int)sizeof(diag->hint) - 16,
		 tp_str_text(&list));
}

/* Whether every name of the expression is known; else a diagnosis names the unknown one. */
static bool knows(struct names *names, const struct tp_expression *e, struct tp_diag *diag)
{
	for (unsigned i = 0; i < e->n_names; i++) {
		if (find(names, e->names[i].text, e->names[i].len))
			continue;
		char name[NAME_BYTES];
		TP_FREE const char **all = tp_alloc(names->n + 1, sizeof(*all));
		for (size_t k = 0; k < names->n; k++)
			all[k] = names->items[k].name;
		tp_copy(name, TP_MIN(sizeof(name), e->names[i].len + 1), e->names[i].text);
		const char *nearest = tp_nearest(name, all, names->n);
		tp_expression_unknown(e, i, nearest, diag);
		if (!nearest)
			list_names(all, names->n, diag);
		return false;
	}
	return true;
}

/* --- conditions --- */

struct values {
	struct names *names;
	const struct tp_expression *expression;
	struct tp_operand operands[TP_EXPRESSION_NAMES_MAX];
	char texts[TP_EXPRESSION_NAMES_MAX][VALUE_BYTES];
	bool has[TP_EXPRESSION_NAMES_MAX];
};

static void take_operand(void *context, const char *name, const char *text, bool is_word)
{
	struct values *v = context;
	(void)is_word;
	for (unsigned i = 0; i < v->expression->n_names; i++) {
		const struct known *known;
		if (strlen(name) != v->expression->names[i].len ||
		    memcmp(name, v->expression->names[i].text, strlen(name)) != 0 || !*text)
			continue;
		known = find(v->names, name, strlen(name));
		v->operands[i] = (struct tp_operand){ 0 };
		v->has[i] =
			known && (known->is_word || tp_parse_double(text, &v->operands[i].number));
		if (!v->has[i] || !known->is_word)
			continue;
		tp_copy(v->texts[i], VALUE_BYTES, text);
		v->operands[i].word = v->texts[i];
		v->operands[i].len = strlen(v->texts[i]);
	}
}

static bool is_wanted(const struct tp_expression *e, const char *name)
{
	size_t len = strlen(name);
	for (unsigned i = 0; i < e->n_names; i++)
		if (e->names[i].len == len && memcmp(e->names[i].text, name, len) == 0)
			return true;
	return false;
}

static void take_point(struct values *v, const struct tp_point *point)
{
	struct names *names = v->names;
	TP_STR text = { 0 };
	memset(v->has, 0, sizeof(v->has));
	names->layout = tp_point_layout(point);
	for (size_t i = 0; i < names->layout->n; i++) {
		const struct tp_column *column = names->layout->at[i].column;
		if (!counts(names, i) || !(column->pairs || is_wanted(v->expression, column->name)))
			continue;
		tp_str_clear(&text);
		tp_column_text(column, tp_point_record(names->layout, i, point), &text);
		take_operand(v, column->name, tp_str_text(&text), false);
		if (column->pairs)
			each_pair(tp_str_text(&text), take_operand, v);
	}
}

static enum tp_status meets(struct values *v, const struct tp_point *point, bool *holds,
			    struct tp_diag *diag)
{
	double result;
	take_point(v, point);
	*holds = true;
	for (unsigned i = 0; i < v->expression->n_names; i++)
		if (!v->has[i])
			return TP_OK;
	enum tp_status status = tp_expression_value(v->expression, v->operands, &result, diag);
	*holds = status == TP_OK && result != 0;
	return status == TP_FAILED ? TP_OK : status;
}

/* Applies one condition to the points from `start` on. */
static enum tp_status apply(struct names *names, const char *text, struct tp_diag *diag)
{
	struct tp_plan *plan = names->plan;
	TP_FREE struct tp_expression *expression = tp_alloc(1, sizeof(*expression));
	TP_FREE struct values *values = tp_alloc(1, sizeof(*values));
	size_t n = names->start;
	enum tp_status status = tp_expression_read(expression, text, diag);
	if (status == TP_OK && !knows(names, expression, diag))
		status = TP_USAGE;
	values->names = names;
	values->expression = expression;
	for (size_t i = n; i < plan->n && status == TP_OK; i++) {
		bool holds;
		status = meets(values, &plan->items[i].point, &holds, diag);
		if (status == TP_OK && holds)
			plan->items[n++] = plan->items[i];
	}
	if (status == TP_OK)
		plan->n = n;
	return status;
}

/* --- definitions --- */

static enum tp_status add_definition(struct names *names, const struct tp_expression *e,
				     const char *text, size_t len, struct tp_diag *diag)
{
	char name[NAME_BYTES];
	text += strspn(text, " ");
	if (len >= sizeof(name))
		return tp_fail(diag, TP_USAGE, NULL, NULL, "a name of %zu bytes is too long", len);
	tp_copy(name, len + 1, text);
	if (find(names, name, len))
		return tp_fail(diag, TP_USAGE, NULL, "give it another name",
			       "there is a column %s already", name);
	if (!names->open && !knows(names, e, diag))
		return TP_USAGE;
	add_name(names, name);
	return TP_OK;
}

/*
 * TP_USAGE: a derived column is not a definition, or uses a name that points will not have, as far
 * as that is known before measuring.
 */
static enum tp_status check_definition(struct names *names, const char *text, struct tp_diag *diag)
{
	/* An expression is too large for small stacks. */
	TP_FREE struct tp_expression *e = tp_alloc(1, sizeof(*e));
	size_t len;
	enum tp_status status = tp_definition_read(e, text, &len, diag);
	if (status == TP_OK)
		status = add_definition(names, e, text, len, diag);
	return status;
}

/*
 * Hands every text of an option to `take`, with the names of the points from `start` on, those of
 * columns at `where`; reports the text it refuses.
 */
static enum tp_status take_texts(struct tp_plan_context *context, size_t start,
				 const struct tp_option *option, unsigned where,
				 enum tp_status (*take)(struct names *, const char *,
							struct tp_diag *),
				 struct tp_diags *diags)
{
	const struct tp_value *texts = tp_config_value(context->config, option);
	struct names names = { .plan = context->plan, .start = start, .where = where };
	enum tp_status status = TP_OK;
	if (!texts->n || names.plan->n == start)
		return TP_OK;
	for (size_t i = start; i < names.plan->n; i++)
		learn_point(&names, &names.plan->items[i].point);
	for (size_t i = 0; i < texts->n && status == TP_OK; i++) {
		struct tp_diag diag = { 0 };
		status = take(&names, texts->items[i].text, &diag);
		if (status != TP_OK)
			tp_planner_refuse(context, diags, status, option, diag.hint, "%s",
					  diag.what);
	}
	free(names.items);
	return status;
}

/*
 * Leaves those of the points from `start` on that meet every condition. A name is a column that is
 * known of a point when it is planned, or a parameter in a column of pairs. A condition does not
 * apply to a point without a value for one of its names. TP_USAGE: a name that no point has, not a
 * condition, or no point is left.
 */
static enum tp_status keep_wanted(struct tp_plan_context *context, size_t start,
				  struct tp_diags *diags)
{
	bool any = context->plan->n > start;
	enum tp_status status =
		take_texts(context, start, TP_OPT_WHERE, TP_IN_IDENTITY, apply, diags);
	if (status == TP_OK && any && context->plan->n == start)
		status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_WHERE,
					   "loosen the conditions", "no point meets them");
	return status;
}

/* --- plans --- */

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

/* `first` has what all runs have in common. */
static struct tp_plan_context context_of(const struct tp_plan_context *first,
					 const struct tp_config *configs, size_t i)
{
	struct tp_plan_context context = *first;
	context.config = &configs[i];
	context.run = (unsigned)i;
	context.experiment = tp_experiment_find(tp_config_text(&configs[i], TP_OPT_EXPERIMENT));
	context.machine = tp_machine_of_affinity(
		first->machine, tp_config_text(&configs[i], TP_OPT_AFFINITY), &first->plan->arena);
	context.view = context.machine == first->machine ? NULL : context.machine;
	return context;
}

/* True if all runs together have more points than a run holds. Keeps one point at a time. */
static bool has_too_many(const struct tp_machine *machine, const struct tp_cpu *cpu,
			 const struct tp_config *configs, size_t n, struct tp_diags *diags)
{
	TP_CLEANUP(tp_plan_release) struct tp_plan plan = { .counting = true };
	TP_CLEANUP(tp_diags_release)
	struct tp_diags ignored = { 0 }; /* the plan itself reports them */
	const struct tp_plan_context first = { .machine = machine, .cpu = cpu, .plan = &plan };
	bool many = false;
	for (size_t i = 0; i < n && !many; i++) {
		struct tp_plan_context context = context_of(&first, configs, i);
		if (context.experiment &&
		    tp_experiment_supported(context.experiment, machine, NULL) == TP_OK)
			context.experiment->plan(&context, &ignored);
		many = plan.n_counted > TP_RUN_POINTS_MAX;
		if (many)
			refuse_too_many(&context, n, diags);
	}
	return many;
}

enum tp_status tp_plan_make(struct tp_plan *plan, const struct tp_machine *machine,
			    const struct tp_cpu *cpu, const struct tp_config *configs, size_t n,
			    struct tp_diags *diags)
{
	*plan = (struct tp_plan){ 0 };
	const struct tp_plan_context first = { .machine = machine, .cpu = cpu, .plan = plan };
	enum tp_status first_status = TP_OK;
	if (has_too_many(machine, cpu, configs, n, diags))
		return TP_RESOURCE;
	for (size_t i = 0; i < n; i++) {
		struct tp_plan_context context = context_of(&first, configs, i);
		const struct tp_experiment *e = context.experiment;
		size_t start = plan->n;
		struct tp_diag why;
		enum tp_status status;
		if (!e)
			status = tp_planner_refuse(&context, diags, TP_USAGE, TP_OPT_EXPERIMENT,
						   "see --list experiments",
						   "there is no experiment \"%s\"",
						   tp_config_text(&configs[i], TP_OPT_EXPERIMENT));
		else if ((status = tp_experiment_supported(e, machine, &why)) != TP_OK)
			tp_planner_refuse(&context, diags, status, TP_OPT_EXPERIMENT, why.hint,
					  "%s", why.what);
		else
			status = e->plan(&context, diags);
		if (status == TP_OK)
			status = keep_wanted(&context, start, diags);
		if (status == TP_OK)
			status = take_texts(&context, start, TP_OPT_DERIVED, TP_IN_CSV,
					    check_definition, diags);
		if (first_status == TP_OK)
			first_status = status;
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
	return first_status;
}

bool tp_plan_each_column(struct tp_plan *plan, const struct tp_config *configs, size_t n,
			 void (*take)(void *context, const char *name), void *context)
{
	struct names names = { .plan = plan, .where = TP_IN_CSV };
	for (size_t i = 0; i < plan->n; i++)
		learn_point(&names, &plan->items[i].point);
	for (size_t i = 0; i < names.n; i++)
		take(context, names.items[i].name);
	for (size_t i = 0; i < n; i++) {
		const struct tp_value *derived = tp_config_value(&configs[i], TP_OPT_DERIVED);
		for (size_t k = 0; k < derived->n; k++) {
			char name[NAME_BYTES];
			const char *text = derived->items[k].text;
			text += strspn(text, " ");
			tp_copy(name, TP_MIN(sizeof(name), tp_identifier_length(text) + 1), text);
			take(context, name);
		}
	}
	free(names.items);
	return names.open;
}

enum tp_status tp_plan_check(struct tp_plan *plan, const struct tp_machine *machine,
			     const struct tp_cpu *cpu, const struct tp_config *configs, size_t n,
			     struct tp_diags *diags)
{
	const struct tp_plan_context first = { .machine = machine, .cpu = cpu, .plan = plan };
	enum tp_status first_status = TP_OK;
	for (size_t i = 0; i < n; i++) {
		struct tp_plan_context context = context_of(&first, configs, i);
		enum tp_status status = TP_OK;
		if (context.experiment->check)
			status = context.experiment->check(&context, diags);
		if (first_status == TP_OK)
			first_status = status;
	}
	return first_status;
}

void tp_plan_points(const struct tp_plan *plan, struct tp_run *run)
{
	for (size_t i = 0; i < plan->n; i++)
		tp_point_take(tp_run_point_slot(run, (unsigned)i), &plan->items[i].point,
			      &run->arena);
}

void tp_run_reduce(const struct tp_machine *machine, struct tp_run *run, bool ended)
{
	unsigned next = 0;
	tp_run_drop_derived(run);
	TP_EACH_POINT (p, run) {
		const unsigned index = p->run;
		const struct tp_experiment *e =
			index < next ? NULL : tp_experiment_find(p->experiment);
		if (!e)
			continue;
		next = index + 1;
		if (ended && e->repeated && e->repeated->judge_company)
			e->repeated->judge_company(run, index);
		if (e->reduce && (ended || !e->reduce_point))
			e->reduce(machine, run, index);
	}
}

void tp_plan_doubts(const struct tp_plan *plan, const struct tp_machine *machine,
		    struct tp_run *run, unsigned char *again)
{
	unsigned next = 0;
	tp_run_reduce(machine, run, false);
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_experiment *e = plan->items[i].experiment;
		unsigned index = plan->items[i].point.run;
		if (index < next || !e->doubt)
			continue;
		e->doubt(run, index, again);
		next = index + 1;
	}
}

static int compare_turns(const void *a, const void *b, void *context)
{
	const struct tp_plan *plan = context;
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	const struct tp_planned *p = &plan->items[x], *q = &plan->items[y];
	if (p->point.run != q->point.run)
		return p->point.run < q->point.run ? -1 : 1;
	if (p->round != q->round)
		return p->round < q->round ? -1 : 1;
	return (x > y) - (x < y);
}

void tp_plan_order(const struct tp_plan *plan, unsigned *ids, size_t n)
{
	qsort_r(ids, n, sizeof(*ids), compare_turns, (void *)(uintptr_t)plan);
}

void tp_plan_release(struct tp_plan *plan)
{
	free(plan->items);
	tp_diags_release(&plan->notes);
	tp_arena_release(&plan->arena);
	tp_arena_release(&plan->counted);
	*plan = (struct tp_plan){ 0 };
}
