/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which operations on narrow numbers the machine of a plan has, and what it lacks, in words. */
#include "experiments/windows/planner.h"
#include "base/str.h"
#include "kernels/kernel.h"

#include <string.h>

bool tp_planner_has_op(const struct tp_plan_context *context, const struct tp_isa *isa,
		       const struct tp_precision *precision, enum tp_fp_op op)
{
	const struct tp_machine *machine = context->machine;
	const struct tp_narrow *row = tp_narrow_find(isa, precision, op);
	if (!row)
		return !tp_precision_is_narrow(precision) && op != TP_FP_DOT && op != TP_FP_TILE;
	if (!machine->foreign)
		return tp_narrow_supported(row, context->cpu, NULL) == TP_OK;
	return machine->model.n_isas == 0 ||
	       tp_model_narrow_flop_per_cycle(&machine->model, isa->name, precision->name,
					      tp_fp_op_name(op)) > 0;
}

/* "avx_vnni (avx2) or avx512_vnni (avx512)"; empty if no ISA of the architecture has it. */
static void name_needs(const char *arch, const struct tp_precision *precision, enum tp_fp_op op,
		       struct tp_str *out)
{
	const struct tp_narrow *row;
	for (size_t i = 0; (row = tp_narrow_row(arch, i)); i++) {
		if (row->op != op || strcmp(row->precision, precision->name) != 0)
			continue;
		tp_str_add(out, out->len ? " or " : "");
		if (row->needs[0])
			tp_str_printf(out, "%s (%s)", row->needs, row->isa);
		else
			tp_str_add(out, row->isa);
	}
}

/* Why the machine has no such operation with any ISA that is planned; false: it is none. */
static bool tell(const struct tp_plan_context *context, const struct tp_choices *c,
		 const struct tp_precision *precision, enum tp_fp_op op, struct tp_str *why)
{
	struct tp_str needs = { 0 };
	name_needs(c->isas[0]->arch, precision, op, &needs);
	bool known = needs.len > 0;
	if (known && context->machine->foreign)
		tp_str_printf(why, "the model %s gives no peak of it",
			      context->machine->model.name);
	else if (known)
		tp_str_printf(why,
			      "it needs %s, which this CPU, its kernel or the chosen isa does not "
			      "offer",
			      tp_str_text(&needs));
	tp_str_release(&needs);
	return known;
}

enum tp_status tp_planner_check_ops(struct tp_plan_context *context, const struct tp_choices *c,
				    struct tp_diags *diags)
{
	bool any = c->n_fp_ops == 0;
	struct tp_str lacks = { 0 };
	for (size_t p = 0; p < c->n_precisions; p++)
		for (size_t f = 0; f < c->n_fp_ops; f++) {
			bool has = false;
			struct tp_str why = { 0 };
			for (size_t i = 0; i < c->n_isas; i++)
				has |= tp_planner_has_op(context, c->isas[i], c->precisions[p],
							 c->fp_ops[f]);
			any |= has;
			if (!has && tell(context, c, c->precisions[p], c->fp_ops[f], &why))
				tp_str_printf(&lacks, "%s%s in %s is left out: %s",
					      lacks.len ? "\n" : "", tp_fp_op_name(c->fp_ops[f]),
					      c->precisions[p]->name, tp_str_text(&why));
			tp_str_release(&why);
		}
	enum tp_status status = TP_OK;
	if (!any) {
		status = lacks.len ? TP_UNSUPPORTED : TP_USAGE;
		tp_planner_refuse(
			context, diags, status, TP_OPT_FP_OP,
			"half has fma and tile; bf16 and int8 have dot and tile; double and "
			"single have all others, and tile with SME; tprof --list precisions says "
			"what is here",
			"no operation in that precision can be measured here%s%s",
			lacks.len ? ": " : "", tp_str_text(&lacks));
	} else if (lacks.len) {
		char *rest = lacks.s;
		for (char *line; (line = strsep(&rest, "\n"));)
			tp_planner_note(context, TP_OPT_FP_OP, "%s", line);
	}
	tp_str_release(&lacks);
	return status;
}
