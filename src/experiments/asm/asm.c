/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Assembly: the cycles that a user's instructions take, dependent and independent, beside the
 * values of the machine model and llvm-mca.
 */
#include "experiments/asm/asm.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "experiments/asm/row.h"
#include "experiments/windows/planner.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/counting.h"
#include "kernels/arch.h"
#include "record/limits.h"
#include "preset/shared_options.h"

/* Words of asm.assembler that do not name a user's program. */
#define KNOWN_ASSEMBLERS "auto builtin as clang llvm-mc"

/* --- variants: which instructions of a list, in which order --- */

/* Arrangements of k of n. */
static double arrangements(size_t n, size_t k)
{
	double all = 1;
	for (size_t i = 0; i < k; i++)
		all *= (double)(n - i);
	return all;
}

double tp_asm_variants(const char *word, size_t n)
{
	double all = 0;
	for (size_t k = 1; k <= n; k++)
		all += arrangements(n, k);
	if (strcmp(word, "permutations") == 0)
		return all;
	return strcmp(word, "whole") == 0 ? 1 : (double)n;
}

/* Arrangements come by their length, then in the order of the indexes. */
static size_t permutation(size_t n, size_t i, unsigned char *indexes)
{
	double rest = (double)i;
	size_t k = 1;
	bool used[TP_ASM_LINES_MAX] = { false };
	while (k < n && rest >= arrangements(n, k))
		rest -= arrangements(n, k++);
	for (size_t at = 0; at < k; at++) {
		double each = arrangements(n - at - 1, k - at - 1);
		size_t skip = (size_t)(rest / each), next = 0;
		rest -= (double)skip * each;
		while (used[next] || skip)
			skip -= !used[next++];
		used[next] = true;
		indexes[at] = (unsigned char)next;
	}
	return k;
}

size_t tp_asm_variant(const char *word, size_t n, size_t i, unsigned char *indexes)
{
	if (strcmp(word, "permutations") == 0)
		return permutation(n, i, indexes);
	if (strcmp(word, "each") == 0) {
		indexes[0] = (unsigned char)i;
		return 1;
	}
	size_t count = strcmp(word, "prefixes") == 0 ? i + 1 : n;
	for (size_t k = 0; k < count; k++)
		indexes[k] = (unsigned char)k;
	return count;
}

/* --- points: variants, modes, numbers of threads --- */

/* An estimate: what a point costs besides its windows, and those. */
#define POINT_SECONDS  0.02
#define WINDOW_SECONDS 0.04

struct planner {
	struct tp_plan_context *context;
	struct tp_diags *diags;
	const struct tp_assembly *assembly;
	struct tp_choices choices;
	struct tp_asm_body *body; /* all instructions */
	/* Of a permutation: the numbers of its instructions in the list, " 2-1-3"; else "". */
	char order[32];
};

static const char *mode_name(enum tp_asm_mode mode)
{
	static const char *const names[TP_ASM_MODES] = { "throughput", "latency", "written" };
	return names[mode];
}

static void fill_point(const struct planner *pl, const struct tp_asm_plan *plan,
		       struct tp_point *point)
{
	struct tp_asm_row *row = point->row;
	TP_STR lines = { 0 };
	tp_asm_add_lines(plan->body, &lines);
	tp_asm_join(tp_str_text(&lines), row->instructions, sizeof(row->instructions));
	tp_copy(row->mode, sizeof(row->mode), mode_name(plan->mode));
	row->count = (unsigned)plan->body->n;
	row->buffer_bytes = plan->buffer_bytes;
	tp_copy(row->kernel.isa, sizeof(row->kernel.isa), "assembly");
	tp_asm_title(pl->assembly, plan->body, pl->order, point->kernel, sizeof(point->kernel));
	point->estimate_seconds =
		POINT_SECONDS + WINDOW_SECONDS + tp_window_count_seconds(pl->context->config);
}

static enum tp_status add_point(struct planner *pl, const struct tp_asm_body *body,
				enum tp_asm_mode mode, size_t threads)
{
	struct tp_plan_context *context = pl->context;
	const struct tp_config *config = context->config;
	const struct tp_value *unroll = tp_config_value(config, TP_OPT_ASM_UNROLL);
	uint64_t bytes = tp_config_count(config, TP_OPT_ASM_BUFFER);
	unsigned n = pl->choices.threads[threads];
	struct tp_planned *p = tp_plan_add(context, n, pl->choices.cpus[threads], bytes, pl->diags);
	if (!p)
		return TP_RESOURCE;
	p->own_bytes = p->buffer_bytes = 0; /* not the bench's */
	struct tp_asm_plan *plan = tp_asm_plan(p);
	*plan = (struct tp_asm_plan){
		.window.kernel.working_set_bytes = 0,
		.window.level = TP_CLASS_FP,
		.body = body,
		.mode = mode,
		.unroll = unroll->items[0].count == UINT64_MAX ? 0 : unroll->items[0].count,
		.warmup = tp_config_count(config, TP_OPT_ASM_WARMUP),
		.buffer_bytes = bytes,
	};
	/* What a body does with a large buffer is not known; a small one stays in the core. */
	enum tp_level_class level = tp_planner_class(context->machine, bytes, n);
	if (level > TP_CLASS_L1)
		plan->window.level = level;
	fill_point(pl, plan, &p->point);
	return TP_OK;
}

static bool wants_mode(const struct tp_value *modes, enum tp_asm_mode mode, size_t n)
{
	for (size_t i = 0; i < modes->n; i++) {
		bool automatic = strcmp(modes->items[i].text, "auto") == 0;
		if (strcmp(modes->items[i].text, mode_name(mode)) == 0 ||
		    (automatic && (n == 1) == (mode != TP_ASM_WRITTEN)))
			return true;
	}
	return false;
}

static const struct tp_asm_body *keep_body(struct tp_arena *arena, const struct tp_asm_body *body)
{
	struct tp_asm_body *kept = tp_arena_alloc(arena, sizeof(*kept));
	const char **lines = tp_arena_alloc(arena, body->n * sizeof(*lines));
	memcpy(lines, body->lines, body->n * sizeof(*lines));
	*kept = *body;
	kept->lines = lines;
	return kept;
}

static enum tp_status add_variant(struct planner *pl, const char *word, size_t i)
{
	const struct tp_value *modes = tp_config_value(pl->context->config, TP_OPT_ASM_MODE);
	unsigned char indexes[TP_ASM_LINES_MAX];
	size_t n = tp_asm_variant(word, pl->body->n, i, indexes);
	const char *lines[TP_ASM_LINES_MAX];
	struct tp_asm_body own = { .syntax = pl->body->syntax, .n = n, .lines = lines };
	const struct tp_asm_body *body = &own;
	enum tp_status status = TP_OK;
	pl->order[0] = '\0';
	for (size_t k = 0; k < n; k++) {
		size_t at = strlen(pl->order);
		lines[k] = pl->body->lines[indexes[k]];
		if (strcmp(word, "permutations") == 0)
			snprintf(pl->order + at, sizeof(pl->order) - at, "%s%u", k ? "-" : " ",
				 indexes[k] + 1u);
	}
	/* While points are only counted, it is not kept. */
	if (!pl->context->plan->counting)
		body = keep_body(&pl->context->plan->arena, &own);
	for (unsigned m = 0; m < TP_ASM_MODES; m++)
		for (size_t t = 0; t < pl->choices.n_threads && status == TP_OK; t++)
			if (wants_mode(modes, (enum tp_asm_mode)m, n))
				status = add_point(pl, body, (enum tp_asm_mode)m, t);
	return status;
}

/*
 * False if the CPU lacks a feature that the run needs, which is noted, or has one that it must not
 * have: then another run of the preset covers it.
 */
static bool suits_cpu(struct tp_plan_context *context)
{
	const struct tp_value *needs = tp_config_value(context->config, TP_OPT_ASM_NEEDS);
	const struct tp_machine *machine = context->machine;
	for (size_t i = 0; i < needs->n && (!machine->foreign || *machine->simulated); i++) {
		const char *feature = needs->items[i].text;
		bool without = feature[0] == '-';
		if (tp_has_word(machine->cpu.features, feature + without) != without)
			continue;
		if (!without)
			tp_planner_note(context, TP_OPT_ASM_NEEDS,
					"this CPU lacks %s: instructions that need it are left out",
					feature);
		return false;
	}
	return true;
}

static enum tp_status plan_points(struct tp_plan_context *context, struct tp_diags *diags)
{
	const struct tp_config *config = context->config;
	const struct tp_value *variants = tp_config_value(config, TP_OPT_ASM_VARIANTS);
	struct planner pl = { .context = context, .diags = diags };
	struct tp_diag diag = { 0 };
	if (!suits_cpu(context))
		return TP_OK;
	pl.assembly = tp_asm_host(&diag);
	if (!pl.assembly)
		return tp_planner_refuse(context, diags, TP_UNSUPPORTED, TP_OPT_ASM_BODY, NULL,
					 "%s", diag.what);
	pl.body = tp_arena_alloc(&context->plan->arena, sizeof(*pl.body));
	enum tp_status status = tp_asm_split(pl.assembly, tp_config_text(config, TP_OPT_ASM_BODY),
					     tp_config_text(config, TP_OPT_ASM_SYNTAX),
					     &context->plan->arena, pl.body, &diag);
	if (status != TP_OK)
		return tp_planner_refuse(context, diags, status, TP_OPT_ASM_BODY, diag.hint, "%s",
					 diag.what);
	status = tp_planner_choices(context, &pl.choices, diags);
	for (size_t v = 0; v < variants->n && status == TP_OK; v++) {
		const char *word = variants->items[v].text;
		double n = tp_asm_variants(word, pl.body->n);
		if (n > TP_RUN_POINTS_MAX)
			return tp_planner_refuse(context, diags, TP_RESOURCE, TP_OPT_ASM_VARIANTS,
						 "give fewer instructions",
						 "%s of %zu instructions are %.0f, and a run holds "
						 "%d points",
						 word, pl.body->n, n, TP_RUN_POINTS_MAX);
		for (size_t i = 0; i < (size_t)n && status == TP_OK; i++)
			status = add_variant(&pl, word, i);
	}
	return status;
}

/* As tp_experiment.check. An assembler of another name is the user's own program. */
static enum tp_status check_syntax(struct tp_plan_context *context, struct tp_diags *diags)
{
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	const struct tp_config *config = context->config;
	const struct tp_assembly *assembly = tp_asm_host(NULL);
	struct tp_asm_body body;
	if (!assembly || !suits_cpu(context) ||
	    !tp_has_word(KNOWN_ASSEMBLERS, tp_config_text(config, TP_OPT_ASM_ASSEMBLER)) ||
	    tp_asm_split(assembly, tp_config_text(config, TP_OPT_ASM_BODY),
			 tp_config_text(config, TP_OPT_ASM_SYNTAX), &arena, &body, NULL) != TP_OK)
		return TP_OK;
	return tp_asm_check(context, &body, diags);
}

/* --- the experiment --- */

static enum tp_status supported(const struct tp_machine *machine, struct tp_diag *diag)
{
	if (!tp_asm_host(diag))
		return TP_UNSUPPORTED;
	if (strcmp(tp_arch_host()->name, machine->cpu.arch) != 0)
		return tp_fail(diag, TP_UNSUPPORTED, "asm", "choose a machine of that architecture",
			       "this program encodes instructions of %s, and the machine has %s",
			       tp_arch_host()->name, machine->cpu.arch);
	return tp_experiment_supported_anywhere(machine, diag);
}

/* Arithmetic of vectors, by its effect, or by its name where instructions are not read. */
static bool is_arithmetic(const struct tp_assembly *assembly, enum tp_asm_syntax syntax,
			  const char *line)
{
	unsigned char code[16];
	struct tp_asm_effect effect;
	size_t bytes, len = strcspn(line, " ");
	char name[16];
	if (assembly->encode)
		return assembly->encode(line, syntax, code, &bytes) == TP_OK &&
		       assembly->look(code, bytes, &effect) == TP_OK && effect.op != TP_FP_NONE;
	snprintf(name, sizeof(name), "%.*s", (int)len, line);
	return tp_has_word("fadd fmul fmadd fadd.d fmul.d fmadd.d", name);
}

/*
 * Arithmetic between registers is harmless; assemblers by their usual names. All other instructions
 * count as foreign code.
 */
static bool code_is_known(const struct tp_option *option, const char *text)
{
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	struct tp_asm_body body;
	const struct tp_assembly *assembly = tp_asm_host(NULL);
	if (option == TP_OPT_ASM_ASSEMBLER)
		return tp_has_word(KNOWN_ASSEMBLERS, text);
	bool known = assembly && tp_asm_split(assembly, text, "auto", &arena, &body, NULL) == TP_OK;
	for (size_t i = 0; known && i < body.n; i++)
		known = is_arithmetic(assembly, body.syntax, body.lines[i]) &&
			!strpbrk(body.lines[i] + strcspn(body.lines[i], " "), "([.:+-!#");
	return known;
}

static enum tp_status summarise(const struct tp_machine *machine, const struct tp_planned *planned,
				struct tp_point *point, struct tp_diag *diag)
{
	enum tp_status status = tp_window_repeated.summarise(machine, planned, point, diag);
	return status == TP_OK ? tp_asm_derive(point, diag) : status;
}

static uint64_t memory_bytes(const struct tp_planned *planned)
{
	return tp_asm_plan(planned)->buffer_bytes * planned->point.threads;
}

static enum tp_status source(const struct tp_planned *planned, struct tp_str *out,
			     struct tp_diag *diag)
{
	const struct tp_asm_plan *plan = tp_asm_plan(planned);
	(void)diag;
	tp_asm_add_lines(plan->body, out);
	return TP_OK;
}

/* "throughput: vaddps %xmm0,%xmm1,%xmm2" */
static void describe(const struct tp_planned *planned, struct tp_str *out)
{
	const struct tp_asm_row *row = tp_asm_row(&planned->point);
	tp_str_printf(out, "%s: %s", row->mode, row->instructions);
}

const struct tp_experiment tp_experiment_asm = {
	.name = "asm",
	.question = "What does an instruction cost?",
	.summary = "your instructions: cycles, throughput and latency, beside the prediction of "
		   "llvm-mca",
	.estimates = true,
	.supported = supported,
	.plan = plan_points,
	.plan_bytes = sizeof(struct tp_asm_plan),
	.check = check_syntax,
	.prepare = tp_asm_prepare,
	.run = tp_asm_run,
	.repeated = &(const struct tp_repeated){ tp_window_rule, summarise, tp_window_judge_quality,
						 NULL },
	.memory_bytes = memory_bytes,
	.code_is_known = code_is_known,
	.source = source,
	.describe = describe,
};
