/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions become points: variants, modes, numbers of threads. */
#include "experiments/asm/plan.h"
#include "base/vec.h"
#include "experiments/asm/options.h"
#include "experiments/asm/row.h"
#include "experiments/windows/counting.h"
#include "kernels/arch.h"
#include "record/limits.h"

#include <string.h>

/* An estimate: what a point costs besides its windows, and those. */
#define POINT_SECONDS  0.02
#define WINDOW_SECONDS 0.04

struct planner {
	struct tp_plan_context *context;
	struct tp_diags *diags;
	const struct tp_assembly *assembly;
	struct tp_choices choices;
	struct tp_asm_body *body; /* all instructions */
};

static const char *asm_mode_name(enum tp_asm_mode mode)
{
	static const char *const names[TP_ASM_MODES] = { "throughput", "latency", "written" };
	return names[mode];
}

const struct tp_assembly *tp_asm_host(struct tp_diag *diag)
{
	const struct tp_arch *arch = tp_arch_host();
	if (arch && arch->assembly)
		return arch->assembly;
	tp_fail(diag, TP_UNSUPPORTED, "asm", NULL,
		"this program cannot run instructions of users on this architecture");
	return NULL;
}

static void fill_point(const struct planner *pl, const struct tp_asm_plan *plan,
		       struct tp_point *point)
{
	struct tp_asm_row *row = point->row;
	struct tp_str lines = { 0 };
	tp_asm_add_lines(plan->body, &lines);
	tp_asm_join(tp_str_text(&lines), row->instructions, sizeof(row->instructions));
	tp_str_release(&lines);
	tp_copy(row->mode, sizeof(row->mode), asm_mode_name(plan->mode));
	row->count = (unsigned)plan->body->n;
	row->buffer_bytes = plan->buffer_bytes;
	tp_copy(row->kernel.isa, sizeof(row->kernel.isa), "assembly");
	tp_asm_title(pl->assembly, plan->body, point->kernel, sizeof(point->kernel));
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
	p->own_bytes = p->buffer_bytes = 0; /* none of the bench */
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

static bool wants(const struct tp_value *modes, enum tp_asm_mode mode, size_t n)
{
	for (size_t i = 0; i < modes->n; i++) {
		bool automatic = strcmp(modes->items[i].text, "auto") == 0;
		if (strcmp(modes->items[i].text, asm_mode_name(mode)) == 0 ||
		    (automatic && (n == 1) == (mode != TP_ASM_WRITTEN)))
			return true;
	}
	return false;
}

static const struct tp_asm_body *keep(struct tp_arena *arena, const struct tp_asm_body *body)
{
	struct tp_asm_body *kept = tp_arena_alloc(arena, sizeof(*kept));
	const char **lines = tp_arena_alloc(arena, body->n * sizeof(*lines));
	if (!kept || !lines)
		return NULL;
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
	for (size_t k = 0; k < n; k++)
		lines[k] = pl->body->lines[indexes[k]];
	/* While points are only counted, nobody keeps it. */
	if (!pl->context->plan->counting && !(body = keep(&pl->context->plan->arena, &own)))
		return TP_NOMEM;
	for (unsigned m = 0; m < TP_ASM_MODES; m++)
		for (size_t t = 0; t < pl->choices.n_threads && status == TP_OK; t++)
			if (wants(modes, (enum tp_asm_mode)m, n))
				status = add_point(pl, body, (enum tp_asm_mode)m, t);
	return status;
}

/*
 * False if the CPU lacks a feature that the run needs, which is noted, or has one that it must not
 * have: then another run of the preset is for it.
 */
static bool suits(struct tp_plan_context *context)
{
	const struct tp_value *needs = tp_config_value(context->config, TP_OPT_ASM_NEEDS);
	for (size_t i = 0; i < needs->n && !context->machine->foreign; i++) {
		const char *feature = needs->items[i].text;
		bool without = feature[0] == '-';
		if (tp_has_word(context->cpu->features, feature + without) != without)
			continue;
		if (!without)
			tp_planner_note(context, TP_OPT_ASM_NEEDS,
					"this CPU lacks %s: instructions that need it are left out",
					feature);
		return false;
	}
	return true;
}

enum tp_status tp_asm_plan_points(struct tp_plan_context *context, struct tp_diags *diags)
{
	const struct tp_config *config = context->config;
	const struct tp_value *variants = tp_config_value(config, TP_OPT_ASM_VARIANTS);
	struct planner pl = { .context = context, .diags = diags };
	struct tp_diag diag = { 0 };
	if (!suits(context))
		return TP_OK;
	pl.assembly = tp_asm_host(&diag);
	if (!pl.assembly)
		return tp_planner_refuse(context, diags, TP_UNSUPPORTED, TP_OPT_ASM_BODY, NULL,
					 "%s", diag.what);
	pl.body = tp_arena_alloc(&context->plan->arena, sizeof(*pl.body));
	if (!pl.body)
		return TP_NOMEM;
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
