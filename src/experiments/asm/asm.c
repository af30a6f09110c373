/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Assembly: the cycles that instructions of a user take, when they wait for each other and when
 * they do not, beside what the machine model and llvm-mca say.
 */
#include "experiments/asm/options.h"
#include "experiments/asm/plan.h"
#include "experiments/asm/row.h"
#include "experiments/windows/planner.h"
#include "experiments/windows/bench.h"

#include <ctype.h>
#include <string.h>

static enum tp_status supported(const struct tp_machine *machine, struct tp_diag *diag)
{
	if (*machine->simulated)
		return tp_fail(diag, TP_UNSUPPORTED, "asm", TP_SIMULATED_HINT,
			       "a simulation runs kernels of tprof, not your instructions");
	if (!tp_asm_host(diag))
		return TP_UNSUPPORTED;
	return tp_experiment_supported_anywhere(machine, diag);
}

/* "vfmadd231pd": arithmetic of vectors, by the beginning and the end of its name. */
static bool is_arithmetic(const char *line)
{
	static const char *const begins[] = { "vadd",	 "vsub",   "vmul",   "vdiv",
					      "vsqrt",	 "vfmadd", "vfmsub", "vfnmadd",
					      "vfnmsub", "add",	   "sub",    "mul",
					      "div",	 "sqrt",   "vmin",   "vmax" };
	static const char *const ends[] = { "ps", "pd", "ss", "sd" };
	/* Scalars of ARM and RISC-V. */
	static const char *const whole[] = {
		"fadd", "fmul", "fmadd", "fadd.d", "fmul.d", "fmadd.d"
	};
	size_t len = strcspn(line, " ");
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (len == strlen(whole[i]) && strncmp(line, whole[i], len) == 0)
			return true;
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]) && len > 4; k++)
			if (strncmp(line, begins[i], strlen(begins[i])) == 0 &&
			    strncmp(line + len - 2, ends[k], 2) == 0)
				return true;
	return false;
}

static const char *operands(const char *line)
{
	return line + strcspn(line, " ");
}

/*
 * Arithmetic between registers harms nobody; assemblers by their usual names. Every other
 * instruction is code of whoever wrote it.
 */
static bool code_is_known(const struct tp_option *option, const char *text)
{
	struct tp_arena arena = { 0 };
	struct tp_asm_body body;
	const struct tp_assembly *assembly = tp_asm_host(NULL);
	if (option == TP_OPT_ASM_ASSEMBLER)
		return tp_has_word("auto builtin as clang llvm-mc", text);
	bool known = assembly && tp_asm_split(assembly, text, "auto", &arena, &body, NULL) == TP_OK;
	for (size_t i = 0; known && i < body.n; i++)
		known = is_arithmetic(body.lines[i]) &&
			!strpbrk(operands(body.lines[i]), "([.:+-!#");
	tp_arena_release(&arena);
	return known;
}

/* While a run is watched, its points say it all. */
static void reduce_point(struct tp_run *run, const struct tp_point *last)
{
	(void)run;
	(void)last;
}

static enum tp_status summarise(const struct tp_machine *machine, const struct tp_planned *planned,
				struct tp_point *point, struct tp_diag *diag)
{
	enum tp_status status = tp_window_repeated.summarise(machine, planned, point, diag);
	return status == TP_OK ? tp_asm_derive(planned, point, diag) : status;
}

static void rule(const struct tp_machine *machine, const struct tp_planned *planned,
		 struct tp_stop_rule *stop)
{
	tp_window_repeated.rule(machine, planned, stop);
}

static void judge(const struct tp_machine *machine, const struct tp_planned *planned,
		  struct tp_point *point)
{
	tp_window_repeated.judge(machine, planned, point);
}

static const struct tp_repeated repeated = { rule, summarise, judge };

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
	return out->oom ? TP_NOMEM : TP_OK;
}

/* "throughput: vaddps %xmm0,%xmm1,%xmm2" */
static void describe(const struct tp_planned *planned, struct tp_str *out)
{
	const struct tp_asm_row *row = tp_asm_row(&planned->point);
	tp_str_printf(out, "%s: %s", row->mode, row->instructions);
}

const struct tp_experiment tp_experiment_asm = {
	.name = "asm",
	.summary = "instructions of your own: their cycles, throughput and latency, beside what "
		   "llvm-mca predicts",
	.supported = supported,
	.plan = tp_asm_plan_points,
	.plan_bytes = sizeof(struct tp_asm_plan),
	.prepare = tp_asm_prepare,
	.run = tp_asm_run,
	.repeated = &repeated,
	.reduce_point = reduce_point,
	.memory_bytes = memory_bytes,
	.code_is_known = code_is_known,
	.source = source,
	.describe = describe,
};
