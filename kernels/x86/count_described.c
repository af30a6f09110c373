/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/counted.h"
#include "kernels/x86/x86.h"

#include <stdlib.h>

void tp_x86_did(struct tp_x86_counted *c, unsigned n)
{
	c->executed += n * c->times;
}

void tp_x86_do(struct tp_x86_counted *c, ZydisMnemonic mnemonic, ZydisRegister dst, ZydisRegister a,
	       ZydisRegister b)
{
	tp_x86_op(&c->as, mnemonic, dst, a, b);
	tp_x86_did(c, 1);
}

void tp_x86_do_imm(struct tp_x86_counted *c, ZydisMnemonic mnemonic, ZydisRegister dst, int64_t imm)
{
	tp_x86_op_imm(&c->as, mnemonic, dst, imm);
	tp_x86_did(c, 1);
}

struct tp_x86_trips tp_x86_trips_begin(struct tp_x86_counted *c, ZydisRegister counter, uint64_t n)
{
	if (counter == PASSES)
		c->times = 1;
	else
		tp_x86_do_imm(c, ZYDIS_MNEMONIC_MOV, counter, (int64_t)n);
	/* Loops do not begin at lines: filling up would put uncounted instructions into the pass. */
	struct tp_x86_trips trips = { counter, n, tp_x86_here(&c->as) };
	c->times *= n;
	c->loop_begin = trips.top;
	return trips;
}

void tp_x86_trips_end(struct tp_x86_counted *c, const struct tp_x86_trips *trips)
{
	tp_x86_op1(&c->as, ZYDIS_MNEMONIC_DEC, trips->counter);
	tp_x86_jump_not_zero(&c->as, trips->top);
	tp_x86_did(c, 2);
	/* The innermost one is that which began last. */
	if (c->loop_begin == trips->top)
		c->loop_end = tp_x86_here(&c->as);
	if (trips->counter == PASSES)
		c->times = 0;
	else
		c->times /= trips->n;
}

enum tp_status tp_x86_emit_described(const struct tp_described *described, const struct tp_cpu *cpu,
				     struct tp_code *code, uint64_t *instructions,
				     struct tp_diag *diag)
{
	enum { LONGEST = 16, STEP = 4 * LONGEST };
	struct tp_x86_counted *c = calloc(1, sizeof(*c));
	if (!c)
		return tp_fail(diag, TP_NOMEM, "kernel emitter", NULL, "out of memory");
	size_t capacity = tp_described_code_bytes(described, LONGEST, STEP);
	enum tp_status status = tp_code_init(code, capacity, diag);
	if (status != TP_OK)
		goto out;
	tp_x86_asm_init(&c->as, code->map, capacity, tp_has_word(cpu->features, "avx"));
	switch (described->kind) {
	case TP_DESCRIBED_CHASE:
		tp_x86_count_chase(c, &described->chase);
		break;
	case TP_DESCRIBED_SCATTER:
		tp_x86_count_scatter(c, &described->scatter);
		break;
	case TP_DESCRIBED_LINES:
		tp_x86_count_lines(c, &described->lines);
		break;
	case TP_DESCRIBED_NEST:
		tp_x86_count_nest(c, &described->nest);
		break;
	}
	tp_x86_op0(&c->as, ZYDIS_MNEMONIC_RET);
	if (c->as.failed) {
		status = tp_fail(diag, TP_INTERNAL, "kernel emitter", NULL,
				 "an instruction of a counting kernel could not be encoded");
		tp_code_release(code);
		goto out;
	}
	code->loop_begin = c->loop_begin;
	code->loop_end = c->loop_end;
	*instructions = c->executed;
	status = tp_code_seal(code, tp_x86_here(&c->as), diag);
	if (status != TP_OK)
		tp_code_release(code);
out:
	free(c);
	return status;
}

#endif
