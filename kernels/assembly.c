/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Users' instructions: the names of their registers, and the loop around them. */
#include "kernels/assembly.h"

#include <stdio.h>
#include <string.h>

#include "kernels/emit/emit.h"

bool tp_asm_name(const struct tp_assembly *assembly, const struct tp_register_name *name,
		 char out[TP_ASM_NAME_BYTES])
{
	if (assembly->name)
		return assembly->name(name, out);
	if (name->form >= assembly->n_kinds)
		return false;
	const struct tp_asm_kind *kind = &assembly->kinds[name->form];
	if (name->reg < kind->first || name->reg - kind->first >= kind->n)
		return false;
	snprintf(out, TP_ASM_NAME_BYTES, "%s%u", kind->prefix, name->reg - kind->first);
	return true;
}

bool tp_asm_find(const struct tp_assembly *assembly, const char *name, size_t len,
		 struct tp_register_name *out)
{
	for (unsigned reg = 0; reg < TP_ASM_REGISTERS; reg++)
		for (unsigned form = 0; form < TP_ASM_FORMS; form++) {
			char text[TP_ASM_NAME_BYTES];
			*out = (struct tp_register_name){ reg, form };
			if (tp_asm_name(assembly, out, text) && strlen(text) == len &&
			    memcmp(text, name, len) == 0)
				return true;
		}
	return false;
}

void tp_asm_fill(const struct tp_assembly *assembly, struct tp_asm_block *block)
{
	for (int i = 0; i < TP_ASM_GENERAL; i++)
		block->general[i] = i == assembly->buffer   ? block->buffer
				    : i == assembly->middle ? block->middle
				    : i == assembly->zero   ? 0
							    : 1;
}

struct loop {
	const struct tp_assembly *assembly;
	const unsigned char *body;
	size_t bytes, copies;
};

static void append(struct tp_assembler *as, const unsigned char *bytes, size_t n)
{
	if (as->failed || (size_t)(as->end - as->at) < n) {
		as->failed = true;
		return;
	}
	memcpy(as->at, bytes, n);
	as->at += n;
}

static void put_loop(struct tp_emitter *e, void *context)
{
	const struct loop *loop = context;
	loop->assembly->enter(e);
	e->code->loop_begin = tp_emit_here(e);
	for (size_t i = 0; i < loop->copies; i++)
		append(e->as, loop->body, loop->bytes);
	e->code->loop_end = tp_emit_here(e);
	loop->assembly->go_on(e, e->code->loop_begin);
	loop->assembly->leave(e);
}

enum tp_status tp_asm_emit(const struct tp_assembly *assembly, const struct tp_cpu *cpu,
			   const unsigned char *body, size_t bytes, size_t copies,
			   struct tp_code *code, struct tp_diag *diag)
{
	enum { FRAME_BYTES = 2048 }; /* more than the code around the bodies */
	struct loop loop = { assembly, body, bytes, copies };
	struct tp_emitter e = { .be = assembly->back_end, .cpu = cpu, .code = code };
	if (assembly->most_bytes && bytes * copies + FRAME_BYTES > assembly->most_bytes)
		return tp_fail(diag, TP_USAGE, "assembly", "a smaller asm.unroll",
			       "the loop would be longer than a jump of this architecture");
	return tp_emit_run(&e, FRAME_BYTES + bytes * copies, put_loop, &loop, diag);
}
