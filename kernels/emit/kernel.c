/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels: a body in a loop over passes. */
#include <stddef.h>

#include "base/memory.h"
#include "kernels/emit/emit.h"
#include "kernels/kernel.h"

/* FP instructions of kernels, and the registers that take turns in them. */

/*
 * Largest divisor of n in the range, so that a body ends with a whole turn. Else the end of the
 * range.
 */
static unsigned cycle_of(uint64_t n, struct tp_register_range range)
{
	for (unsigned d = range.most; d >= range.least && d > 0; d--)
		if (n % d == 0)
			return d;
	return range.most;
}

/* The accumulators of both kinds of a pair, as its body defines. */
static void share_registers(struct tp_emitter *e, unsigned registers)
{
	const struct tp_body *body = &e->k->body;
	struct tp_register_plan *p = &e->plan;
	p->first_accumulators = body->fma_registers;
	p->accumulators = body->fma_registers + body->add_registers;
	if (p->accumulators > registers - 2)
		p->a = p->b = registers - 1;
}

static void plan_registers(struct tp_emitter *e)
{
	const struct tp_kernel *k = e->k;
	struct tp_register_plan *p = &e->plan;
	struct tp_register_budget budget = e->be->budget(e);
	unsigned unroll = tp_kernel_unroll(k);
	uint64_t first = 0;
	p->registers = budget.registers;
	p->a = budget.a;
	p->b = budget.b;
	p->source = budget.source;
	p->first = tp_isa_fused(k->isa, e->cpu) ? TP_DO_FMA : TP_DO_MUL;
	p->pair = k->fp_op == TP_FP_FMA_ADD ||
		  (k->fp_op == TP_FP_FMA && !e->narrow && p->first != TP_DO_FMA);
	switch (k->kind) {
	case TP_KERNEL_MEMORY:
		p->targets = budget.memory_targets;
		break;
	case TP_KERNEL_FP:
		p->accumulators = cycle_of(unroll, budget.fp);
		if (!p->pair)
			break;
		if (k->fp_op == TP_FP_FMA_ADD && k->body.fma_registers) {
			share_registers(e, budget.registers);
			break;
		}
		for (uint64_t i = 0; i < unroll; i++)
			first += tp_kernel_fp_first(k, i);
		p->first_accumulators = cycle_of(first, budget.fp_first);
		p->accumulators =
			p->first_accumulators + cycle_of(unroll - first, budget.fp_second);
		break;
	case TP_KERNEL_MIXED:
		p->targets = budget.mixed_targets;
		p->first_accumulators = budget.mixed_first;
		p->accumulators = p->pair ? budget.mixed.most
					  : cycle_of(tp_kernel_fp_due(k, unroll), budget.mixed);
		break;
	default:
		break;
	}
}

/* The first registers are next again. */
static void begin_body(struct tp_emitter *e)
{
	e->fp_issued = e->first_issued = e->load_issued = 0;
}

static void put_next_fp(struct tp_emitter *e)
{
	static const enum tp_arithmetic of[TP_FP_OP_COUNT] = {
		[TP_FP_ADD] = TP_DO_ADD,
		[TP_FP_MUL] = TP_DO_MUL,
		[TP_FP_DIV] = TP_DO_DIV,
		[TP_FP_FMA] = TP_DO_FMA,
	};
	const struct tp_register_plan *p = &e->plan;
	enum tp_arithmetic what = of[e->k->fp_op];
	unsigned i = e->fp_issued++, x = i % p->accumulators;
	if (e->narrow) {
		e->be->narrow(e, x, p->a, p->b);
		return;
	}
	if (p->pair && tp_kernel_fp_first(e->k, i)) {
		what = p->first;
		x = e->first_issued++ % p->first_accumulators;
	} else if (p->pair) {
		unsigned others = p->accumulators - p->first_accumulators;
		what = TP_DO_ADD;
		x = p->first_accumulators + (i - e->first_issued) % others;
	}
	e->be->arithmetic(e, what, x, p->a, p->b);
}

/* Loads the operands and accumulators from the data block, or stores the accumulators back. */
static void put_fp_operands(struct tp_emitter *e, bool store)
{
	const struct tp_back_end *be = e->be;
	const struct tp_register_plan *p = &e->plan;
	unsigned base = be->registers->data;
	int64_t base_at = 0;
	if (be->slots_by_pointer) {
		base = be->registers->kernel.slots;
		be->copy(e, base, be->registers->data);
	}
	for (unsigned slot = store ? 2 : 0; slot < 2 + p->accumulators; slot++) {
		unsigned reg = slot == 0 ? p->a : slot == 1 ? p->b : slot - 2;
		if (slot == 1 && p->a == p->b)
			continue;
		int64_t at = (int64_t)slot * e->operand_bytes;
		if (be->slots_by_pointer) {
			tp_emit_advance(e, base, at - base_at);
			base_at = at;
		}
		be->move(e, store, reg, base, at - base_at);
	}
}

/* Gathers: a round takes TP_GATHER_GROUP bases from the list, and gathers from each of them. */

static const size_t base_bytes = sizeof(const void *);

static void put_gathers(struct tp_emitter *e)
{
	const struct tp_back_end *be = e->be;
	const struct tp_emit_registers *r = be->registers;
	unsigned list = r->kernel.pointers[0], base = r->kernel.pointers[1];
	be->begin_gathers(e);
	tp_emit_align(e, TP_EMIT_LINE_BYTES, 0);
	e->code->loop_begin = tp_emit_here(e);
	be->cell(e, false, list, r->data, offsetof(struct tp_gather_data, bases));
	be->constant(e, r->kernel.rounds, e->k->gather->gathers / TP_GATHER_GROUP);
	size_t round = tp_emit_here(e);
	for (unsigned i = 0; i < TP_GATHER_GROUP; i++) {
		be->cell(e, false, base, list, (int64_t)(i * base_bytes));
		be->gather(e, i, base);
	}
	tp_emit_advance(e, list, (int64_t)(TP_GATHER_GROUP * base_bytes));
	be->loop_end(e, r->kernel.rounds, round);
	be->loop_end(e, r->passes, e->code->loop_begin);
	e->code->loop_end = tp_emit_here(e);
	for (unsigned i = 0; i < TP_GATHER_GROUP; i++)
		be->move(e, true, i, r->data,
			 (int64_t)(offsetof(struct tp_gather_data, found) +
				   i * sizeof(((struct tp_gather_data *)0)->found[0])));
}

/*
 * Passes over memory. A stream is a part of the working set that is walked upward: each lane is a
 * stream, or the loads and the stores are if they have their own regions.
 *
 * If accesses take an offset, a stream has one pointer, which moves when an offset would not fit.
 * If they take none (long vectors, far strides), an addition to the pointer follows each access.
 * Several pointers then share a stream, so that these additions do not wait for each other.
 */

enum { FEW_POINTERS = 8, POINTERS_OF_A_STREAM = 4 };

struct stream {
	unsigned first, n; /* pointers; n is a power of two */
	unsigned step; /* register with the distance of a pointer, if that is not an immediate */
	int64_t at; /* offset of its first access in the working set */
	int64_t beyond; /* the same relative to its pointer, if lanes share one */
	unsigned issued; /* accesses since the body began */
	int64_t moved; /* with offsets: how far its pointer moved since the body began */
};

struct walk {
	struct tp_emitter *e;
	struct stream streams[TP_EMIT_POINTERS];
	unsigned n_streams, n_pointers;
	bool offsets;
	int64_t step_bytes;
	uint64_t total, rounds, unroll;
};

static unsigned group_of(const struct tp_kernel *k)
{
	return k->loads + k->stores;
}

/* The largest number of pointers whose turns divide the accesses of a body. */
static unsigned turns(uint64_t accesses, unsigned most)
{
	unsigned n = most;
	while (n > 1 && accesses % n)
		n /= 2;
	return n;
}

/* Stores begin where loads end. */
static int64_t stores_at(const struct walk *w, uint64_t loads)
{
	const struct tp_kernel *k = w->e->k;
	int64_t at = (int64_t)loads * w->step_bytes;
	if (w->e->tail_bytes && (w->total - 1) % group_of(k) < k->loads)
		at -= w->step_bytes - (int64_t)w->e->tail_bytes;
	return at;
}

static void plan_streams(struct walk *w, uint64_t loads)
{
	const struct tp_kernel *k = w->e->k;
	const struct tp_back_end *be = w->e->be;
	unsigned lanes = k->body.lanes ? k->body.lanes : 1, first = 0;
	unsigned few = TP_MIN(lanes < FEW_POINTERS ? FEW_POINTERS / lanes : 1,
			      (unsigned)POINTERS_OF_A_STREAM);
	uint64_t groups = w->unroll / group_of(k);
	bool two = k->body.two_streams;
	w->n_streams = two ? 2 : lanes;
	for (unsigned i = 0; i < w->n_streams; i++) {
		struct stream *s = &w->streams[i];
		s->step = be->registers->kernel.steps[two && i];
		if (two) {
			s->n = turns(groups * (i ? k->stores : k->loads), POINTERS_OF_A_STREAM);
			s->at = i ? stores_at(w, loads) : 0;
		} else {
			s->n = turns(w->unroll / lanes, few);
			s->at = (int64_t)(w->total / lanes * i) * w->step_bytes;
		}
		if (w->offsets)
			s->n = 1;
		if (!be->reach && !two && i) {
			s->beyond = s->at;
			continue;
		}
		s->first = first;
		first += s->n;
	}
	w->n_pointers = first;
}

static unsigned pointer_of(const struct walk *w, unsigned i)
{
	return w->e->be->registers->kernel.pointers[i];
}

static bool fits(const struct walk *w, int64_t bytes)
{
	return !w->e->be->fits || w->e->be->fits(bytes);
}

/* Distance that a pointer moves after an access without offset. */
static int64_t stride_of(const struct walk *w, const struct stream *s)
{
	return (int64_t)s->n * w->step_bytes;
}

static void begin_pass(const struct walk *w)
{
	const struct tp_back_end *be = w->e->be;
	unsigned before = be->registers->data, next = 0;
	int64_t at = 0;
	for (unsigned i = 0; i < w->n_streams && next < w->n_pointers; i++)
		for (unsigned p = 0; p < w->streams[i].n; p++) {
			int64_t target = w->streams[i].at + p * w->step_bytes;
			unsigned pointer = pointer_of(w, next++);
			(be->point ? be->point : be->address)(w->e, pointer, before, target - at);
			before = pointer;
			at = target;
		}
	if (w->rounds)
		be->constant(w->e, be->registers->kernel.rounds, (int64_t)w->rounds);
}

static unsigned register_of(struct tp_emitter *e, const struct tp_access *a)
{
	const struct tp_register_plan *p = &e->plan;
	if (a->store)
		return p->source;
	if (a->tail && e->be->mask_tail)
		return p->accumulators;
	return p->accumulators + e->load_issued++ % p->targets;
}

static void emit_access(struct walk *w, struct stream *s, bool load, bool tail)
{
	struct tp_emitter *e = w->e;
	const struct tp_back_end *be = e->be;
	struct tp_access a = { .store = !load,
			       .nontemporal = !load && e->k->nontemporal,
			       .tail = tail };
	bool shorter = tail && !be->mask_tail;
	a.reg = register_of(e, &a);
	a.base = pointer_of(w, s->first + (s->issued & (s->n - 1)));
	if (w->offsets) {
		a.offset = s->beyond + (int64_t)s->issued * w->step_bytes - s->moved;
		int64_t move = be->reach ? be->reach(e, &a) : 0;
		tp_emit_advance(e, a.base, move);
		s->moved += move;
		a.offset -= move;
	}
	if (shorter)
		be->shorten(e, e->tail_bytes);
	be->access(e, &a);
	s->issued++;
	if (!w->offsets && fits(w, stride_of(w, s)))
		tp_emit_advance(e, a.base, stride_of(w, s));
	else if (!w->offsets)
		be->integer(e, TP_INTEGER_ADD, a.base, a.base, s->step);
	if (shorter)
		be->shorten(e, e->operand_bytes);
}

/* The next n accesses from the pointers on. `tail`: the last one is the last of the pass. */
static void emit_accesses(struct walk *w, uint64_t n, bool tail)
{
	struct tp_emitter *e = w->e;
	const struct tp_kernel *k = e->k;
	begin_body(e);
	for (unsigned i = 0; i < w->n_streams; i++)
		w->streams[i].issued = 0, w->streams[i].moved = 0;
	for (unsigned i = 0; i < n; i++) {
		bool load = i % group_of(k) < k->loads;
		unsigned stream = k->body.two_streams ? !load : i % w->n_streams;
		emit_access(w, &w->streams[stream], load, tail && e->tail_bytes && i + 1 == n);
		if (k->kind != TP_KERNEL_MIXED)
			continue;
		while (e->fp_issued < tp_kernel_fp_due(k, i + 1))
			put_next_fp(e);
	}
}

/*
 * Clears all registers, but stores write back the first operand of the buffer. Storing zeros would
 * measure something else: some memory controllers move lines of zeros up to three times as fast. A
 * mixed kernel divides, multiplies or adds that operand, since a divider may shorten 0 / 0.
 */
static void set_registers(const struct walk *w)
{
	struct tp_emitter *e = w->e;
	const struct tp_back_end *be = e->be;
	bool only_tail = e->tail_bytes && w->total == 1, shorter = only_tail && !be->mask_tail;
	struct tp_access first = { .tail = only_tail, .base = be->registers->data };
	for (unsigned i = 0; i < e->plan.registers; i++)
		be->clear(e, i);
	if (e->tail_bytes && be->mask_tail)
		be->mask_tail(e);
	if (shorter)
		be->shorten(e, e->tail_bytes);
	if (e->k->kind == TP_KERNEL_MIXED) {
		first.reg = e->plan.a;
		be->access(e, &first);
	}
	if (e->k->stores && !(be->load_source && be->load_source(e))) {
		first.reg = e->plan.source;
		be->access(e, &first);
	}
	if (shorter)
		be->shorten(e, e->operand_bytes);
}

static void emit_passes(struct walk *w)
{
	struct tp_emitter *e = w->e;
	const struct tp_back_end *be = e->be;
	size_t ahead = 0;

	/*
	 * Aligns the inner loop, or the outer one if it is the only one, to a line. Some back ends
	 * fill up before the instructions that begin a pass.
	 */
	if (w->e->be->pads_outside && w->rounds) {
		struct tp_assembler here = *w->e->as;
		begin_pass(w);
		ahead = tp_emit_here(w->e) - tp_asm_here(&here);
		*w->e->as = here;
	}
	tp_emit_align(w->e, TP_EMIT_LINE_BYTES, ahead);
	size_t outer = tp_emit_here(e);
	e->code->loop_begin = outer;
	begin_pass(w);
	if (w->rounds) {
		if (!be->pads_outside)
			tp_emit_align(e, TP_EMIT_LINE_BYTES, 0);
		e->code->loop_begin = tp_emit_here(e);
		emit_accesses(w, w->unroll, false);
		/* After a body, pointers with offsets move to the beginning of the next body. */
		for (unsigned i = 0; i < w->n_streams && i < w->n_pointers && w->offsets; i++) {
			const struct stream *s = &w->streams[i];
			tp_emit_advance(w->e, pointer_of(w, s->first),
					(int64_t)s->issued * w->step_bytes - s->moved);
		}
		be->loop_end(e, be->registers->kernel.rounds, e->code->loop_begin);
		e->code->loop_end = tp_emit_here(e);
	}
	emit_accesses(w, w->total - w->rounds * w->unroll, true);
	be->loop_end(e, be->registers->passes, outer);
	if (!w->rounds)
		e->code->loop_end = tp_emit_here(e);
}

static void put_walk(struct tp_emitter *e)
{
	const struct tp_kernel *k = e->k;
	const struct tp_back_end *be = e->be;
	struct walk w = { .e = e, .unroll = tp_kernel_unroll(k) };
	uint64_t loads;
	w.step_bytes = (int64_t)e->operand_bytes * (k->stride ? k->stride : 1);
	w.offsets = !be->has_offsets || be->has_offsets(e, w.step_bytes);
	tp_kernel_accesses(k, &w.total, &loads);
	/* The inner loop never has a short access. */
	w.rounds = (w.total - (e->tail_bytes ? 1 : 0)) / w.unroll;
	if (w.rounds == 1)
		w.rounds = 0;
	plan_streams(&w, loads);

	set_registers(&w);
	for (unsigned i = 0; i < w.n_streams && !w.offsets; i++) {
		const struct stream *s = &w.streams[i];
		if ((i == 0 || s->step != s[-1].step) && !fits(&w, stride_of(&w, s)))
			w.e->be->constant(w.e, s->step, stride_of(&w, s));
	}
	if (be->keep)
		be->keep(e, w.n_pointers, false);
	emit_passes(&w);
	if (be->keep)
		be->keep(e, w.n_pointers, true);
	if (be->fence && k->nontemporal)
		be->fence(e);
}

static void repeat(struct tp_emitter *e, void (*one)(struct tp_emitter *))
{
	unsigned n = tp_kernel_unroll(e->k);
	tp_emit_align(e, TP_EMIT_LINE_BYTES, 0);
	e->code->loop_begin = tp_emit_here(e);
	begin_body(e);
	for (unsigned i = 0; i < n; i++)
		one(e);
	e->be->loop_end(e, e->be->registers->passes, e->code->loop_begin);
	e->code->loop_end = tp_emit_here(e);
}

/*
 * Takes the register form: some cores resolve chains of immediate additions without executing
 * them.
 */
static void chain_addition(struct tp_emitter *e)
{
	const struct tp_emit_registers *r = e->be->registers;
	e->be->integer(e, TP_INTEGER_ADD, r->kernel.chain, r->kernel.chain, r->kernel.addend);
}

/* Takes one register after the other, so no addition waits for another. */
static void independent_addition(struct tp_emitter *e)
{
	const struct tp_emit_registers *r = e->be->registers;
	unsigned x = r->kernel.width[e->fp_issued++ % r->kernel.n_width];
	e->be->integer(e, TP_INTEGER_ADD, x, x, r->kernel.addend);
}

/* Each load takes its address from the one before. */
static void chase_load(struct tp_emitter *e)
{
	tp_emit_follow(e, e->be->registers->kernel.chase);
}

static void body_of(struct tp_emitter *e, void *context)
{
	const struct tp_back_end *be = e->be;
	const struct tp_emit_registers *r = be->registers;
	bool vectors = *(const bool *)context;
	if (be->enter)
		be->enter(e, vectors);
	switch (e->k->kind) {
	case TP_KERNEL_WIDTH:
	case TP_KERNEL_CHAIN:
		be->copy(e, r->kernel.addend, r->passes);
		repeat(e, e->k->kind == TP_KERNEL_CHAIN ? chain_addition : independent_addition);
		break;
	case TP_KERNEL_CHASE:
		be->cell(e, false, r->kernel.chase, r->data, 0);
		repeat(e, chase_load);
		be->cell(e, true, r->kernel.chase, r->data, 0);
		break;
	case TP_KERNEL_FP:
		put_fp_operands(e, false);
		repeat(e, put_next_fp);
		put_fp_operands(e, true);
		break;
	case TP_KERNEL_GATHER:
		put_gathers(e);
		break;
	case TP_KERNEL_MEMORY:
	case TP_KERNEL_MIXED:
		put_walk(e);
		break;
	}
	be->leave(e, vectors);
}

/* There is one body in the inner loop, and up to one outside. */
static size_t capacity_of(const struct tp_kernel *k, const struct tp_back_end *be)
{
	enum { FRAME_BYTES = 4096 };
	size_t unroll = tp_kernel_unroll(k), instructions = unroll * be->access_instructions;
	if (k->kind == TP_KERNEL_MIXED)
		instructions += (size_t)tp_kernel_fp_due(k, unroll) + 1;
	return 2 * instructions * be->instruction_bytes + FRAME_BYTES;
}

enum tp_status tp_kernel_emit(const struct tp_kernel *k, const struct tp_cpu *cpu,
			      struct tp_code *code, struct tp_diag *diag)
{
	const struct tp_back_end *be = k->isa->back_end;
	bool walks = k->kind == TP_KERNEL_MEMORY || k->kind == TP_KERNEL_MIXED;
	bool vectors = walks || k->kind == TP_KERNEL_FP;
	enum tp_status status = tp_isa_supported(k->isa, cpu, diag);
	if (status == TP_OK)
		status = tp_kernel_check(k, diag);
	if (status == TP_OK && k->kind == TP_KERNEL_GATHER)
		status = tp_gather_supported(k->isa, k->gather->vector_bytes, cpu, diag);
	const struct tp_narrow *narrow = status == TP_OK ? tp_narrow_of(k) : NULL;
	if (narrow)
		status = tp_narrow_supported(narrow, cpu, diag);
	if (status != TP_OK)
		return status;
	struct tp_emitter e = {
		.be = be,
		.cpu = cpu,
		.code = code,
		.k = k,
		.narrow = narrow,
		.form = k->isa->form,
		.element_bytes = k->element_bytes,
		.operand_bytes = tp_kernel_operand_bytes(k),
		.scratch = be->registers->kernel.scratch,
		.tail_bytes = walks ? tp_kernel_tail_bytes(k) : 0,
	};
	status = be->supported ? be->supported(&e, diag) : TP_OK;
	if (status != TP_OK)
		return status;
	if (vectors)
		plan_registers(&e);
	if (e.plan.accumulators && e.plan.accumulators >= e.plan.registers)
		return tp_fail(diag, TP_USAGE, k->isa->name, NULL,
			       "%u accumulators are more than its registers", e.plan.accumulators);
	return tp_emit_run(&e, capacity_of(k, be), body_of, &vectors, diag);
}
