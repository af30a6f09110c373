/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chooses the instructions of a kernel. Registers: x0 = data, x1 = passes, x2 = inner iterations, x3 = spare, from x4 on the walking
 * pointers: one a lane, or one of loads and one of stores. Offsets in instructions are short (unsigned 12 bits in operands, 7 signed ones for
 * pairs, SVE 9 or 4), so a pointer moves within the body whenever the next access is out of its reach.
 */
#include "kernels/aarch64/aarch64.h"
#include "kernels/aarch64/forms.h"
#include "kernels/kernel.h"
#include "base/vec.h"

#include <stdlib.h>

enum { DATA = 0, PASSES = 1, INNER = 2, SPARE = 3, LINE_BYTES = 64, TAIL_LANES = 1 };

/* x18 belongs to the platform; x19 and x20 are kept on the stack. */
static const unsigned pointer_registers[] = { 4,  5,  6,  7,  8,  9,  10, 11,
					      12, 13, 14, 15, 16, 17, 19, 20 };
enum { MAX_POINTERS = sizeof(pointer_registers) / sizeof(pointer_registers[0]) };

/* The vector registers above accumulators and load targets: what stores write (a pair), and the operands. */
enum { REGISTERS = 32, SOURCE = 28, OPERAND_A = 30, OPERAND_B = 31 };

struct emitter {
	struct tp_aarch64_asm as;
	const struct tp_kernel *k;
	struct tp_aarch64_forms forms;
	struct tp_aarch64_access load, store;
	int64_t pointer_at[MAX_POINTERS]; /* bytes beyond where it stood when the body began */
	/* Register plan: accumulators [0, accumulators), load targets after them. */
	unsigned accumulators, first_acc; /* the first `first_acc` take the FMAs of fma+add */
	unsigned targets;
	uint64_t fp_issued, first_issued, load_issued; /* since the body began */
	unsigned tail_bytes; /* of the last access of a pass; 0: as long as the others */
};

static unsigned lanes_of(const struct tp_kernel *k)
{
	return k->body.lanes ? k->body.lanes : 1;
}

static unsigned pointers_of(const struct tp_kernel *k)
{
	return k->body.two_streams ? 2 : lanes_of(k);
}

static int64_t step_bytes(const struct emitter *e)
{
	return (int64_t)e->forms.operand_bytes * (e->k->stride ? e->k->stride : 1);
}

static void next_fp(struct emitter *e)
{
	static const enum tp_aarch64_arithmetic of[TP_FP_OP_COUNT] = {
		[TP_FP_ADD] = TP_AARCH64_DO_ADD,
		[TP_FP_MUL] = TP_AARCH64_DO_MUL,
		[TP_FP_DIV] = TP_AARCH64_DO_DIV,
		[TP_FP_FMA] = TP_AARCH64_DO_FMA,
	};
	uint64_t i = e->fp_issued++;
	enum tp_aarch64_arithmetic what = of[e->k->fp_op];
	uint64_t accumulator = i % e->accumulators;
	if (e->k->fp_op == TP_FP_FMA_ADD && tp_kernel_fp_first(e->k, i)) {
		what = TP_AARCH64_DO_FMA;
		accumulator = e->first_issued++ % e->first_acc;
	} else if (e->k->fp_op == TP_FP_FMA_ADD) {
		what = TP_AARCH64_DO_ADD;
		accumulator =
			e->first_acc + (i - e->first_issued) % (e->accumulators - e->first_acc);
	}
	tp_aarch64_arithmetic(&e->as, &e->forms, what, (unsigned)accumulator, OPERAND_A, OPERAND_B);
}

static void move_data(struct emitter *e, unsigned reg, unsigned slot, bool store)
{
	struct tp_aarch64_access access =
		tp_aarch64_access(&e->forms, store ? TP_AARCH64_STORE : TP_AARCH64_LOAD);
	tp_aarch64_do_access(&e->as, &access, reg, DATA, (int64_t)slot * e->forms.operand_bytes);
}

/* Loads a, b and the accumulators from the data block, or stores the accumulators back. */
static void fp_registers(struct emitter *e, bool store)
{
	if (!store) {
		move_data(e, OPERAND_A, 0, false);
		move_data(e, OPERAND_B, 1, false);
	}
	for (unsigned i = 0; i < e->accumulators; i++)
		move_data(e, i, 2 + i, store);
}

/* The buffer's first operand, or all of a buffer that is shorter. */
static void first_operand(struct emitter *e, unsigned reg)
{
	if (e->k->working_set_bytes < e->forms.operand_bytes)
		tp_aarch64_put(&e->as, TP_AARCH64_LD1B, reg, TAIL_LANES, DATA, 0);
	else
		move_data(e, reg, 0, false);
}

/*
 * Registers of a memory or mixed kernel: zeros, except that stores write back the buffer's first operand. Storing zeros
 * would measure something else: some memory controllers move lines of zeros up to three times as fast.
 */
static void memory_registers(struct emitter *e)
{
	for (unsigned i = 0; i < REGISTERS; i++)
		tp_aarch64_put(&e->as, TP_AARCH64_MOVI_ZERO, i, 0, 0, 0);
	if (e->tail_bytes) {
		tp_aarch64_constant(&e->as, SPARE, e->tail_bytes);
		tp_aarch64_put(&e->as, TP_AARCH64_WHILELO, TAIL_LANES, TP_AARCH64_ZERO, SPARE, 0);
	}
	/* A divider may shorten 0 / 0; this divides, multiplies or adds the buffer's first operand. */
	if (e->k->kind == TP_KERNEL_MIXED)
		first_operand(e, OPERAND_A);
	if (e->k->stores == 0)
		return;
	if (!e->store.pair) {
		first_operand(e, SOURCE);
		return;
	}
	struct tp_aarch64_access half = tp_aarch64_access(&e->forms, TP_AARCH64_LOAD_HALF);
	tp_aarch64_do_access(&e->as, &half, SOURCE, DATA, 0);
	tp_aarch64_do_access(&e->as, &half, SOURCE + 1, DATA, e->forms.operand_bytes / 2);
}

static void access_at(struct emitter *e, bool load, unsigned pointer, int64_t at)
{
	const struct tp_aarch64_access *access = load ? &e->load : &e->store;
	unsigned base = pointer_registers[pointer];
	if (!tp_aarch64_reaches(access, at - e->pointer_at[pointer])) {
		tp_aarch64_advance(&e->as, base, base, at - e->pointer_at[pointer], SPARE);
		e->pointer_at[pointer] = at;
	}
	unsigned reg = SOURCE;
	if (load)
		reg = e->accumulators + (unsigned)(e->load_issued++ % e->targets);
	tp_aarch64_do_access(&e->as, access, reg, base, at - e->pointer_at[pointer]);
}

/* The bytes that predicate 1 has on: SVE. */
static void tail_at(struct emitter *e, bool load, unsigned pointer, int64_t at)
{
	unsigned base = pointer_registers[pointer];
	enum tp_aarch64_op op = load		    ? TP_AARCH64_LD1B
				: e->k->nontemporal ? TP_AARCH64_STNT1B
						    : TP_AARCH64_ST1B;
	tp_aarch64_advance(&e->as, base, base, at - e->pointer_at[pointer], SPARE);
	e->pointer_at[pointer] = at;
	tp_aarch64_put(&e->as, op, load ? e->accumulators : SOURCE, TAIL_LANES, base, 0);
}

/*
 * Accesses [0, n) counted from where the pointers stand. One region: access i lies in lane i mod lanes at step i / lanes.
 * Two streams: the j-th load is j steps above the load pointer, likewise the stores.
 */
static void accesses(struct emitter *e, uint64_t n, bool with_last)
{
	const struct tp_kernel *k = e->k;
	unsigned group = k->loads + k->stores, lanes = lanes_of(k);
	int64_t step = step_bytes(e), stream_at[2] = { 0, 0 };
	e->fp_issued = e->first_issued = e->load_issued = 0;
	for (unsigned p = 0; p < pointers_of(k); p++)
		e->pointer_at[p] = 0;
	for (uint64_t i = 0; i < n; i++) {
		bool load = i % group < k->loads;
		unsigned pointer = k->body.two_streams ? !load : (unsigned)(i % lanes);
		int64_t at = (int64_t)(i / lanes) * step;
		if (k->body.two_streams) {
			at = stream_at[pointer];
			stream_at[pointer] += step;
		}
		if (with_last && e->tail_bytes && i == n - 1)
			tail_at(e, load, pointer, at);
		else
			access_at(e, load, pointer, at);
		if (k->kind == TP_KERNEL_MIXED)
			for (uint64_t f = tp_kernel_fp_due(k, i); f < tp_kernel_fp_due(k, i + 1);
			     f++)
				next_fp(e);
	}
}

/* To where the next body begins. */
static void advance(struct emitter *e, unsigned pointer, uint64_t steps)
{
	unsigned reg = pointer_registers[pointer];
	tp_aarch64_advance(&e->as, reg, reg,
			   (int64_t)steps * step_bytes(e) - e->pointer_at[pointer], SPARE);
}

static void loop_end(struct emitter *e, unsigned counter, size_t top)
{
	tp_aarch64_put(&e->as, TP_AARCH64_SUBS_IMM, counter, counter, 1, 0);
	tp_aarch64_branch_back(&e->as, TP_AARCH64_B_NE, 0, 0, top);
}

/* Sets pointers and inner counter for a pass. */
static void begin_pass(struct emitter *e, int64_t apart_bytes, uint64_t iterations)
{
	for (unsigned p = 0; p < pointers_of(e->k); p++)
		tp_aarch64_advance(&e->as, pointer_registers[p],
				   p ? pointer_registers[p - 1] : DATA, p ? apart_bytes : 0, SPARE);
	if (iterations)
		tp_aarch64_constant(&e->as, INNER, iterations);
}

static void walk(struct emitter *e, struct tp_code *code)
{
	const struct tp_kernel *k = e->k;
	struct tp_aarch64_asm *as = &e->as;
	uint64_t total, loads;
	tp_kernel_accesses(k, &total, &loads);
	uint64_t unroll = tp_kernel_unroll(k);
	uint64_t iterations = total / unroll, rest = total % unroll;
	if (e->tail_bytes && !rest && iterations) { /* the short one is not in the loop */
		iterations--;
		rest = unroll;
	}
	if (iterations <= 1) {
		iterations = 0;
		rest = total;
	}
	unsigned group = k->loads + k->stores, lanes = lanes_of(k);
	/* How far pointer 1 stands above pointer 0, 2 above 1, and so on: stores begin where loads end. */
	int64_t apart = (int64_t)(k->body.two_streams ? loads : total / lanes) * step_bytes(e);
	if (k->body.two_streams && e->tail_bytes && (total - 1) % group < k->loads)
		apart -= (int64_t)(e->forms.operand_bytes - e->tail_bytes);

	/* The inner loop begins at a line, and what fills up to there is not in the pass. */
	struct tp_aarch64_asm first = *as;
	begin_pass(e, apart, iterations);
	size_t setup_bytes = tp_aarch64_here(as) - tp_aarch64_here(&first);
	as->at = first.at;
	while ((tp_aarch64_here(as) + (iterations ? setup_bytes : 0)) % LINE_BYTES && !as->failed)
		tp_aarch64_put(as, TP_AARCH64_NOP, 0, 0, 0, 0);
	size_t outer = tp_aarch64_here(as);
	begin_pass(e, apart, iterations);
	if (iterations) {
		code->loop_begin = tp_aarch64_here(as);
		accesses(e, unroll, false);
		if (k->body.two_streams) {
			advance(e, 0, unroll / group * k->loads);
			advance(e, 1, unroll / group * k->stores);
		} else {
			for (unsigned p = 0; p < lanes; p++)
				advance(e, p, unroll / lanes);
		}
		loop_end(e, INNER, code->loop_begin);
		code->loop_end = tp_aarch64_here(as);
	}
	accesses(e, rest, true);
	loop_end(e, PASSES, outer);
	if (!iterations) {
		code->loop_begin = outer;
		code->loop_end = tp_aarch64_here(as);
	}
}

static void repeat(struct emitter *e, struct tp_code *code, unsigned n,
		   void (*one)(struct emitter *))
{
	tp_aarch64_align(&e->as, LINE_BYTES);
	code->loop_begin = tp_aarch64_here(&e->as);
	e->fp_issued = e->first_issued = 0;
	for (unsigned i = 0; i < n; i++)
		one(e);
	loop_end(e, PASSES, code->loop_begin);
	code->loop_end = tp_aarch64_here(&e->as);
}

/* Register form: some cores resolve chains of immediate additions without executing them. */
static void chain_addition(struct emitter *e)
{
	tp_aarch64_put(&e->as, TP_AARCH64_ADD, INNER, INNER, SPARE, 0);
}

/* One register after the other, so that nothing waits for anything. */
static void independent_addition(struct emitter *e)
{
	enum { IN_TURN = 8 }; /* wide cores do six integer additions a cycle */
	unsigned reg = pointer_registers[e->fp_issued++ % IN_TURN];
	tp_aarch64_put(&e->as, TP_AARCH64_ADD, reg, reg, SPARE, 0);
}

/* Each load takes its address from the one before. */
static void chase_load(struct emitter *e)
{
	tp_aarch64_put(&e->as, TP_AARCH64_LDR_X, INNER, INNER, 0, 0);
}

/* Largest divisor of n in [low, high], else high: a body must not end in the middle of the register cycle. */
static unsigned cycle_of(uint64_t n, unsigned low, unsigned high)
{
	for (unsigned d = high; d >= low; d--)
		if (n % d == 0)
			return d;
	return high;
}

/* All three kinds have 32 registers; SOURCE and the three above it are spoken for. */
static void plan_registers(struct emitter *e)
{
	const struct tp_kernel *k = e->k;
	bool pair = k->fp_op == TP_FP_FMA_ADD;
	if (k->kind == TP_KERNEL_MEMORY) {
		e->targets = SOURCE;
	} else if (k->kind == TP_KERNEL_FP) {
		uint64_t n = tp_kernel_unroll(k), first = 0;
		e->accumulators = cycle_of(n, 8, 24);
		if (pair) {
			for (uint64_t i = 0; i < n; i++)
				first += tp_kernel_fp_first(k, i);
			e->first_acc = cycle_of(first, 8, 16);
			e->accumulators = e->first_acc + cycle_of(n - first, 4, 12);
		}
	} else if (k->kind == TP_KERNEL_MIXED) {
		e->targets = 4;
		e->accumulators = cycle_of(tp_kernel_fp_due(k, tp_kernel_unroll(k)), 12, 24);
		if (pair) {
			e->first_acc = 14;
			e->accumulators = 24;
		}
	}
}

static void emit_body(struct emitter *e, struct tp_code *code)
{
	struct tp_aarch64_asm *as = &e->as;
	const struct tp_kernel *k = e->k;
	bool vectors = k->kind == TP_KERNEL_FP || k->kind == TP_KERNEL_MEMORY ||
		       k->kind == TP_KERNEL_MIXED;
	if (vectors) {
		tp_aarch64_save(as);
		tp_aarch64_forms_begin(as, &e->forms);
	}
	switch (k->kind) {
	case TP_KERNEL_WIDTH:
	case TP_KERNEL_CHAIN:
		tp_aarch64_put(as, TP_AARCH64_MOV, SPARE, PASSES, 0, 0);
		repeat(e, code, tp_kernel_unroll(k),
		       k->kind == TP_KERNEL_CHAIN ? chain_addition : independent_addition);
		break;
	case TP_KERNEL_CHASE:
		tp_aarch64_put(as, TP_AARCH64_LDR_X, INNER, DATA, 0, 0);
		repeat(e, code, tp_kernel_unroll(k), chase_load);
		tp_aarch64_put(as, TP_AARCH64_STR_X, INNER, DATA, 0, 0);
		break;
	case TP_KERNEL_FP:
		fp_registers(e, false);
		repeat(e, code, tp_kernel_unroll(k), next_fp);
		fp_registers(e, true);
		break;
	case TP_KERNEL_MEMORY:
	case TP_KERNEL_MIXED:
		memory_registers(e);
		walk(e, code);
		break;
	}
	if (vectors)
		tp_aarch64_restore(as);
	tp_aarch64_put(as, TP_AARCH64_RET, 0, 0, 0, 0);
}

/* An access may need its pointer moved: at worst four instructions for the distance and an addition. */
static size_t capacity_of(const struct tp_kernel *k)
{
	enum { PER_ACCESS = 6, FRAME = 4096 };
	size_t unroll = tp_kernel_unroll(k), instructions = unroll * PER_ACCESS;
	if (k->kind == TP_KERNEL_MIXED)
		instructions += (size_t)tp_kernel_fp_due(k, unroll) + 1;
	return 2 * instructions * TP_AARCH64_INSTRUCTION_BYTES + FRAME;
}

static enum tp_status emit(const struct tp_kernel *k, enum tp_aarch64_kind kind,
			   struct tp_code *code, struct tp_diag *diag)
{
	struct emitter e = { .k = k };
	char name[64];
	size_t capacity = capacity_of(k);
	enum tp_status status = tp_code_init(code, capacity, diag);
	if (status != TP_OK)
		return status;
	tp_aarch64_asm_init(&e.as, code->map, capacity);
	e.forms = (struct tp_aarch64_forms){
		.kind = kind,
		.element_bytes = k->element_bytes,
		.operand_bytes = tp_kernel_operand_bytes(k),
	};
	if (k->kind == TP_KERNEL_MEMORY || k->kind == TP_KERNEL_MIXED)
		e.tail_bytes = tp_kernel_tail_bytes(k);
	e.load = tp_aarch64_access(&e.forms, TP_AARCH64_LOAD);
	e.store = tp_aarch64_access(&e.forms,
				    k->nontemporal ? TP_AARCH64_STORE_NT : TP_AARCH64_STORE);
	plan_registers(&e);
	emit_body(&e, code);
	if (e.as.failed)
		status = tp_fail(diag, TP_INTERNAL, tp_kernel_name(k, name, sizeof(name)), NULL,
				 "an instruction of %s could not be encoded", k->isa->name);
	else
		status = tp_code_seal(code, tp_aarch64_here(&e.as), diag);
	if (status != TP_OK)
		tp_code_release(code);
	return status;
}

enum tp_status tp_aarch64_emit_scalar(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
				      struct tp_code *code, struct tp_diag *diag)
{
	(void)cpu;
	return emit(kernel, TP_AARCH64_SCALAR, code, diag);
}

enum tp_status tp_aarch64_emit_neon(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
				    struct tp_code *code, struct tp_diag *diag)
{
	(void)cpu;
	return emit(kernel, TP_AARCH64_NEON, code, diag);
}

enum tp_status tp_aarch64_emit_sve(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
				   struct tp_code *code, struct tp_diag *diag)
{
	(void)cpu;
	return emit(kernel, TP_AARCH64_SVE, code, diag);
}

bool tp_aarch64_fused(const struct tp_cpu *cpu)
{
	(void)cpu;
	return true;
}
