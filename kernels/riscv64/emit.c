/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a kernel description to code: which registers, which instructions, which loop. What an instruction looks like is in forms.c. */
#include "kernels/riscv64/emit.h"
#include "kernels/riscv64/riscv64.h"
#include "base/str.h"
#include "base/vec.h"

#include <string.h>

/* --- register plan --- */

/* Largest divisor of n in [low, high], else high: a body must not end in the middle of the register cycle. */
static unsigned cycle_of(uint64_t n, unsigned low, unsigned high)
{
	for (unsigned d = high; d >= low && d > 0; d--)
		if (n % d == 0)
			return d;
	return high;
}

static unsigned cycle_up_to(uint64_t n, unsigned high)
{
	return cycle_of(n, (high + 1) / 2, high);
}

static void plan_fp(const struct tp_kernel *k, struct tp_riscv_plan *p)
{
	enum { MOST = 24 };
	uint64_t n = tp_kernel_unroll(k), first = 0;
	unsigned free_registers = p->registers - 2;
	p->accumulators = cycle_up_to(n, TP_MIN(free_registers, (unsigned)MOST));
	if (!p->pair)
		return;
	for (uint64_t i = 0; i < n; i++)
		first += tp_kernel_fp_first(k, i);
	unsigned most_first = free_registers * 4 / 7;
	p->first_accumulators = cycle_up_to(first, most_first);
	p->accumulators =
		p->first_accumulators + cycle_up_to(n - first, free_registers - most_first);
}

static void plan_mixed(const struct tp_kernel *k, struct tp_riscv_plan *p)
{
	p->targets = p->registers >= 20 ? 5 : p->registers >= 16 ? 3 : 2;
	unsigned most = p->source - p->targets;
	p->accumulators = cycle_up_to(tp_kernel_fp_due(k, tp_kernel_unroll(k)), most);
	if (p->pair) {
		p->first_accumulators = most * 3 / 5;
		p->accumulators = most;
	}
	p->target = p->accumulators;
}

enum tp_status tp_riscv_plan(const struct tp_kernel *k, const struct tp_riscv_form *form,
			     struct tp_riscv_plan *p, struct tp_diag *diag)
{
	enum { LEAST_FOR_MIXED = 8 };
	unsigned n = form->registers(k);
	*p = (struct tp_riscv_plan){ .registers = n, .a = n - 2, .b = n - 1, .source = n - 3 };
	p->pair = k->fp_op == TP_FP_FMA_ADD;
	switch (k->kind) {
	case TP_KERNEL_MEMORY:
		p->source = n - 1;
		p->targets = n - 1;
		break;
	case TP_KERNEL_FP:
		plan_fp(k, p);
		break;
	case TP_KERNEL_MIXED:
		if (n < LEAST_FOR_MIXED)
			return tp_fail(diag, TP_UNSUPPORTED, k->isa->name, "smaller groups",
				       "groups of %u registers leave too few of them for a mixed "
				       "kernel",
				       k->body.lmul);
		plan_mixed(k, p);
		break;
	default:
		break;
	}
	return TP_OK;
}

/* --- bodies --- */

void tp_riscv_next_fp(struct tp_riscv_emitter *e)
{
	static const enum tp_riscv_arithmetic of[TP_FP_OP_COUNT] = {
		[TP_FP_ADD] = TP_RISCV_DO_ADD,
		[TP_FP_MUL] = TP_RISCV_DO_MUL,
		[TP_FP_DIV] = TP_RISCV_DO_DIV,
		[TP_FP_FMA] = TP_RISCV_DO_FMA,
	};
	const struct tp_riscv_plan *p = &e->plan;
	uint64_t i = e->fp_issued++;
	enum tp_riscv_arithmetic what = of[e->k->fp_op];
	unsigned acc = (unsigned)(i % p->accumulators);
	if (p->pair && tp_kernel_fp_first(e->k, i)) {
		what = TP_RISCV_DO_FMA;
		acc = (unsigned)(e->first_issued++ % p->first_accumulators);
	} else if (p->pair) {
		unsigned adders = p->accumulators - p->first_accumulators;
		what = TP_RISCV_DO_ADD;
		acc = p->first_accumulators + (unsigned)((i - e->first_issued) % adders);
	}
	e->form->arithmetic(&e->as, e->k, what, acc, p->a, p->b);
}

/* Loads a, b and the accumulators from the data block, or stores the accumulators back. */
static void fp_registers(struct tp_riscv_emitter *e, bool store)
{
	const unsigned pointer = X_T0;
	int64_t at = 0, bytes = tp_kernel_operand_bytes(e->k);
	tp_riscv_add(&e->as, pointer, DATA, 0, SCRATCH);
	for (unsigned slot = store ? 2 : 0; slot < 2 + e->plan.accumulators; slot++) {
		unsigned reg = slot == 0 ? e->plan.a : slot == 1 ? e->plan.b : slot - 2;
		tp_riscv_add(&e->as, pointer, pointer, slot * bytes - at, SCRATCH);
		at = slot * bytes;
		e->form->move(&e->as, e->k, store, reg, pointer, 0);
	}
}

static void repeat(struct tp_riscv_emitter *e, struct tp_code *code,
		   void (*one)(struct tp_riscv_emitter *))
{
	unsigned n = tp_kernel_unroll(e->k);
	tp_riscv_align(&e->as, 64);
	code->loop_begin = tp_riscv_here(&e->as);
	e->fp_issued = e->first_issued = 0;
	for (unsigned i = 0; i < n; i++)
		one(e);
	tp_riscv_loop(&e->as, PASSES, code->loop_begin);
	code->loop_end = tp_riscv_here(&e->as);
}

enum { CHAIN = X_T0, ADDEND = X_A3, POINTER = X_T0 };

/* Register form: some cores resolve chains of immediate additions without executing them. */
static void chain_addition(struct tp_riscv_emitter *e)
{
	tp_riscv_op3(&e->as, TP_RISCV_ADD, CHAIN, CHAIN, ADDEND);
}

/* One register after the other, so that nothing waits for anything. */
static void independent_addition(struct tp_riscv_emitter *e)
{
	static const uint8_t registers[] = { X_T0, X_T1, X_T2, X_T3, X_T4, X_T5, X_T6, X_A7 };
	unsigned reg = registers[e->fp_issued++ % TP_COUNT_OF(registers)];
	tp_riscv_op3(&e->as, TP_RISCV_ADD, reg, reg, ADDEND);
}

/* Each load takes its address from the one before. */
static void chase_load(struct tp_riscv_emitter *e)
{
	tp_riscv_imm(&e->as, TP_RISCV_LD, POINTER, POINTER, 0);
}

static void emit(struct tp_riscv_emitter *e, struct tp_code *code)
{
	const struct tp_kernel *k = e->k;
	struct tp_riscv_asm *as = &e->as;
	switch (k->kind) {
	case TP_KERNEL_WIDTH:
	case TP_KERNEL_CHAIN:
		tp_riscv_imm(as, TP_RISCV_ADDI, ADDEND, PASSES, 0);
		repeat(e, code, k->kind == TP_KERNEL_CHAIN ? chain_addition : independent_addition);
		break;
	case TP_KERNEL_CHASE:
		tp_riscv_imm(as, TP_RISCV_LD, POINTER, DATA, 0);
		repeat(e, code, chase_load);
		tp_riscv_imm(as, TP_RISCV_SD, POINTER, DATA, 0);
		break;
	case TP_KERNEL_FP:
		e->form->enter(as, k);
		fp_registers(e, false);
		repeat(e, code, tp_riscv_next_fp);
		fp_registers(e, true);
		break;
	case TP_KERNEL_MEMORY:
	case TP_KERNEL_MIXED:
		e->form->enter(as, k);
		tp_riscv_walk(e, code);
		break;
	}
	tp_riscv_imm(as, TP_RISCV_JALR, X_ZERO, X_RA, 0);
}

static size_t capacity_of(const struct tp_kernel *k)
{
	enum { PER_ACCESS = 12, WORD = 4, FRAME = 4096 };
	size_t unroll = tp_kernel_unroll(k), bytes = unroll * PER_ACCESS;
	if (k->kind == TP_KERNEL_MIXED)
		bytes += ((size_t)tp_kernel_fp_due(k, unroll) + 1) * WORD;
	return 2 * bytes + FRAME;
}

static enum tp_status check(const struct tp_kernel *k, const struct tp_cpu *cpu,
			    struct tp_diag *diag)
{
	if (k->nontemporal && k->stores && !tp_has_word(cpu->features, "zihintntl"))
		return tp_fail(diag, TP_UNSUPPORTED, k->isa->name, "nontemporal: false",
			       "non-temporal stores need zihintntl, which this CPU or kernel does "
			       "not offer");
	if (k->kind == TP_KERNEL_FP &&
	    (2 + TP_KERNEL_ACCUMULATORS) * tp_isa_operand_bytes(k->isa, k->element_bytes) >
		    TP_KERNEL_DATA_BYTES)
		return tp_fail(diag, TP_UNSUPPORTED, k->isa->name, NULL,
			       "vectors of %u bytes are longer than this program knows",
			       tp_isa_vector_bytes(k->isa));
	return TP_OK;
}

static const struct tp_riscv_form *form_of(const struct tp_isa *isa)
{
	if (strcmp(isa->name, tp_isa_riscv_rvv10.name) == 0)
		return &tp_riscv_rvv10_form;
	return isa->vector_bytes ? &tp_riscv_rvv07_form : &tp_riscv_scalar_form;
}

enum tp_status tp_riscv_emit(const struct tp_kernel *k, const struct tp_cpu *cpu,
			     struct tp_code *code, struct tp_diag *diag)
{
	struct tp_riscv_emitter e = { .k = k, .form = form_of(k->isa) };
	size_t capacity = capacity_of(k);
	enum tp_status status = check(k, cpu, diag);
	if (status == TP_OK)
		status = tp_riscv_plan(k, e.form, &e.plan, diag);
	if (status == TP_OK)
		status = tp_code_init(code, capacity, diag);
	if (status != TP_OK)
		return status;
	tp_riscv_init(&e.as, code->map, capacity);
	emit(&e, code);
	if (e.as.failed) {
		char name[64];
		status = tp_fail(diag, TP_INTERNAL, tp_kernel_name(k, name, sizeof(name)), NULL,
				 "an instruction of %s could not be encoded", k->isa->name);
	} else {
		status = tp_code_seal(code, tp_riscv_here(&e.as), diag);
	}
	if (status != TP_OK)
		tp_code_release(code);
	return status;
}

/* --- instruction sets --- */

/* F and D have fused multiply-adds, and V stands on them. */
static bool fused(const struct tp_cpu *cpu)
{
	(void)cpu;
	return true;
}

const struct tp_isa tp_isa_riscv_scalar = {
	.name = "scalar",
	.arch = "riscv64",
	.summary = "one element per instruction in FP registers",
	.needs = "d",
	.fused = fused,
	.emit = tp_riscv_emit,
};

const struct tp_isa tp_isa_riscv_rvv10 = {
	.name = "rvv1.0",
	.arch = "riscv64",
	.summary = "vectors of this CPU's length, one to eight registers per instruction",
	.needs = "d v",
	.vector_bytes = TP_RISCV_LEAST_VECTOR_BYTES,
	.vector_length_bytes = tp_riscv_vector_bytes,
	.max_lmul = 8,
	.short_tail = true,
	.fused = fused,
	.emit = tp_riscv_emit,
};

const struct tp_isa tp_isa_riscv_rvv07 = {
	.name = "rvv0.7",
	.arch = "riscv64",
	.summary = "vectors of version 0.7.1 (XTheadVector)",
	.needs = "d xtheadvector",
	.vector_bytes = TP_RISCV_LEAST_VECTOR_BYTES,
	.vector_length_bytes = tp_riscv_vector_bytes,
	.max_lmul = 8,
	.short_tail = true,
	.fused = fused,
	.emit = tp_riscv_emit,
};
