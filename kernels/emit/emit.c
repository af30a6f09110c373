/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/emit/emit.h"

enum tp_status tp_emit_lacks(const char *feature, struct tp_diag *diag)
{
	return tp_fail(diag, TP_UNSUPPORTED, "counting kernel", NULL,
		       "needs %s, which this CPU or kernel does not offer", feature);
}

void tp_emit_align(struct tp_emitter *e, size_t bytes, size_t ahead)
{
	size_t over = (tp_emit_here(e) + ahead) % bytes;
	if (over && e->be->words)
		tp_word_fill(e->as, e->be->words, e->be->nop, bytes - over);
	else if (over)
		e->be->fill(e, bytes - over);
}

void tp_emit_land(struct tp_emitter *e, size_t branch)
{
	if (e->be->words)
		tp_word_land(e->as, e->be->words, branch);
	else
		e->be->land(e, branch);
}

void tp_emit_follow(struct tp_emitter *e, unsigned reg)
{
	if (e->be->follow)
		e->be->follow(e, reg);
	else
		e->be->cell(e, false, reg, reg, 0);
}

void tp_emit_advance(struct tp_emitter *e, unsigned reg, int64_t bytes)
{
	if (bytes && e->be->immediate)
		e->be->immediate(e, TP_INTEGER_ADD, reg, bytes);
	else if (bytes)
		e->be->address(e, reg, reg, bytes);
}

enum tp_status tp_emit_run(struct tp_emitter *e, size_t capacity_bytes,
			   void (*body)(struct tp_emitter *e, void *context), void *context,
			   struct tp_diag *diag)
{
	char name[64] = "kernel emitter";
	enum tp_status status = tp_code_init(e->code, capacity_bytes, diag);
	if (status != TP_OK)
		return status;
	TP_FREE struct tp_assembler *as = tp_alloc(1, e->be->assembler_bytes);
	e->as = as;
	tp_asm_init(e->as, e->code->map, capacity_bytes);
	if (e->be->open)
		e->be->open(e);
	body(e, context);
	if (!e->as->failed)
		status = tp_code_seal(e->code, tp_emit_here(e), diag);
	else if (e->k)
		status = tp_fail(diag, TP_INTERNAL, tp_kernel_name(e->k, name, sizeof(name)), NULL,
				 "an instruction of %s could not be encoded", e->k->isa->name);
	else
		status = tp_fail(diag, TP_INTERNAL, name, NULL,
				 "an instruction could not be encoded");
	if (status != TP_OK)
		tp_code_release(e->code);
	return status;
}
