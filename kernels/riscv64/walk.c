/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Passes over memory. A stream is a part of the working set that is walked upward: each lane is one, or the loads and the stores where they have
 * regions of their own. Where accesses take an offset, a stream has one pointer, which moves on when the offset would not fit. Where they take none
 * (vectors, far strides), every access is followed by an addition to its pointer; several pointers to a stream keep these additions from
 * waiting for each other.
 */
#include "kernels/riscv64/emit.h"
#include "base/vec.h"

enum { MAX_STREAMS = 16, FEW_POINTERS = 8, POINTERS_OF_A_STREAM = 4, FIRST_SAVED = 9 };

/* The last ones are the caller's and have to be saved. */
static const uint8_t pointers[MAX_STREAMS] = { X_T0,	 X_T1,	   X_T2,     X_T3,
					       X_T4,	 X_T5,	   X_T6,     X_A6,
					       X_A7,	 X_S2,	   X_S2 + 1, X_S2 + 2,
					       X_S2 + 3, X_S2 + 4, X_S2 + 5, X_S8 };

struct stream {
	unsigned first, n; /* pointers */
	unsigned step; /* register that holds how far a pointer moves, where that is no immediate */
	int64_t base; /* offset in the working set */
	uint64_t issued; /* accesses since the body began */
	int64_t moved; /* how far the only pointer is on since then (offsets) */
};

struct walk {
	struct tp_riscv_emitter *e;
	struct stream streams[MAX_STREAMS];
	unsigned n_streams;
	bool offsets;
	int64_t step_bytes;
	uint64_t total;
	unsigned tail_bytes;
};

static unsigned group_of(const struct tp_kernel *k)
{
	return k->loads + k->stores;
}

/* Most pointers that take turns in a stream of so many accesses a body. */
static unsigned turns(uint64_t accesses, unsigned most)
{
	unsigned n = most;
	while (n > 1 && accesses % n)
		n /= 2;
	return n;
}

static void plan_streams(struct walk *w, uint64_t unroll, uint64_t loads)
{
	const struct tp_kernel *k = w->e->k;
	unsigned lanes = k->body.lanes ? k->body.lanes : 1;
	if (k->body.two_streams) {
		uint64_t groups = unroll / group_of(k);
		int64_t stores_at = (int64_t)loads * w->step_bytes;
		bool load_last = (w->total - 1) % group_of(k) < k->loads;
		if (w->tail_bytes && load_last)
			stores_at -= w->step_bytes - (int64_t)w->tail_bytes;
		w->n_streams = 2;
		w->streams[0].n = turns(groups * k->loads, POINTERS_OF_A_STREAM);
		w->streams[1].n = turns(groups * k->stores, POINTERS_OF_A_STREAM);
		w->streams[1].base = stores_at;
		w->streams[1].step = STEP + 1;
	} else {
		unsigned most = lanes < FEW_POINTERS ? FEW_POINTERS / lanes : 1;
		most = TP_MIN(most, (unsigned)POINTERS_OF_A_STREAM);
		w->n_streams = lanes;
		for (unsigned i = 0; i < lanes; i++) {
			w->streams[i].base = (int64_t)(w->total / lanes * i) * w->step_bytes;
			w->streams[i].n = turns(unroll / lanes, most);
		}
	}
	unsigned first = 0;
	for (unsigned i = 0; i < w->n_streams; i++) {
		struct stream *s = &w->streams[i];
		if (!s->step)
			s->step = STEP;
		if (w->offsets)
			s->n = 1;
		s->first = first;
		first += s->n;
	}
}

static unsigned pointers_used(const struct walk *w)
{
	const struct stream *last = &w->streams[w->n_streams - 1];
	return last->first + last->n;
}

static void set_pointers(struct walk *w)
{
	struct tp_riscv_asm *as = &w->e->as;
	unsigned before = DATA;
	int64_t at = 0;
	for (unsigned i = 0; i < w->n_streams; i++)
		for (unsigned p = 0; p < w->streams[i].n; p++) {
			const struct stream *s = &w->streams[i];
			int64_t target = s->base + p * w->step_bytes;
			tp_riscv_add(as, pointers[s->first + p], before, target - at, SCRATCH);
			before = pointers[s->first + p];
			at = target;
		}
}

static int64_t stride_of_pointer(const struct walk *w, const struct stream *s)
{
	return (int64_t)s->n * w->step_bytes;
}

static void set_steps(struct walk *w)
{
	for (unsigned i = 0; i < w->n_streams && !w->offsets; i++) {
		if (i > 0 && w->streams[i].step == w->streams[i - 1].step)
			continue;
		int64_t bytes = stride_of_pointer(w, &w->streams[i]);
		if (!tp_riscv_fits(bytes))
			tp_riscv_li(&w->e->as, w->streams[i].step, bytes);
	}
}

/* Where the next access of a stream is: pointer and offset. */
static unsigned locate(struct walk *w, struct stream *s, int64_t *offset)
{
	enum { MOVE_BYTES = 2040 };
	if (!w->offsets) {
		*offset = 0;
		return pointers[s->first + s->issued % s->n];
	}
	*offset = (int64_t)s->issued * w->step_bytes - s->moved;
	if (!tp_riscv_fits(*offset)) {
		tp_riscv_add(&w->e->as, pointers[s->first], pointers[s->first], MOVE_BYTES,
			     SCRATCH);
		s->moved += MOVE_BYTES;
		*offset -= MOVE_BYTES;
	}
	return pointers[s->first];
}

static void move_on(struct walk *w, struct stream *s, unsigned pointer)
{
	int64_t bytes = stride_of_pointer(w, s);
	s->issued++;
	if (w->offsets)
		return;
	if (tp_riscv_fits(bytes))
		tp_riscv_imm(&w->e->as, TP_RISCV_ADDI, pointer, pointer, bytes);
	else
		tp_riscv_op3(&w->e->as, TP_RISCV_ADD, pointer, pointer, s->step);
}

static void access_memory(struct walk *w, struct stream *s, bool load)
{
	struct tp_riscv_emitter *e = w->e;
	const struct tp_riscv_plan *plan = &e->plan;
	int64_t offset;
	unsigned pointer = locate(w, s, &offset);
	unsigned reg =
		load ? plan->target + (unsigned)(e->load_issued++ % plan->targets) : plan->source;
	/* The hint that what follows will not be used again: add zero, zero, t0. */
	if (!load && e->k->nontemporal)
		tp_riscv_op3(&e->as, TP_RISCV_ADD, X_ZERO, X_ZERO, X_T0);
	e->form->move(&e->as, e->k, !load, reg, pointer, offset);
	move_on(w, s, pointer);
}

/* Accesses [0, n) from where the pointers stand; the last one has so many bytes, unless 0. */
static void accesses(struct walk *w, uint64_t n, unsigned last_bytes)
{
	struct tp_riscv_emitter *e = w->e;
	const struct tp_kernel *k = e->k;
	e->fp_issued = e->first_issued = e->load_issued = 0;
	for (unsigned i = 0; i < w->n_streams; i++)
		w->streams[i].issued = 0, w->streams[i].moved = 0;
	for (uint64_t i = 0; i < n; i++) {
		bool load = i % group_of(k) < k->loads, shorter = last_bytes && i + 1 == n;
		unsigned stream = k->body.two_streams ? !load : (unsigned)(i % w->n_streams);
		if (shorter)
			e->form->shorten(&e->as, k, last_bytes);
		access_memory(w, &w->streams[stream], load);
		if (shorter)
			e->form->shorten(&e->as, k, tp_kernel_operand_bytes(k));
		if (k->kind == TP_KERNEL_MIXED)
			for (uint64_t f = tp_kernel_fp_due(k, i); f < tp_kernel_fp_due(k, i + 1);
			     f++)
				tp_riscv_next_fp(e);
	}
}

/* After a body: pointers that take offsets catch up. */
static void catch_up(struct walk *w)
{
	for (unsigned i = 0; i < w->n_streams && w->offsets; i++) {
		struct stream *s = &w->streams[i];
		unsigned pointer = pointers[s->first];
		tp_riscv_add(&w->e->as, pointer, pointer,
			     (int64_t)s->issued * w->step_bytes - s->moved, SCRATCH);
	}
}

/*
 * Zeros, except that stores write back the buffer's first operand (some memory controllers move lines of zeros faster), and that a mixed kernel divides,
 * multiplies or adds it (a divider may shorten 0 / 0).
 */
static void set_registers(struct walk *w)
{
	struct tp_riscv_emitter *e = w->e;
	const struct tp_kernel *k = e->k;
	unsigned whole = tp_kernel_operand_bytes(k);
	for (unsigned i = 0; i < e->plan.registers; i++)
		e->form->clear(&e->as, k, i);
	bool only_tail = w->tail_bytes && w->total == 1;
	if (only_tail)
		e->form->shorten(&e->as, k, w->tail_bytes);
	if (k->kind == TP_KERNEL_MIXED)
		e->form->move(&e->as, k, false, e->plan.a, DATA, 0);
	if (k->stores)
		e->form->move(&e->as, k, false, e->plan.source, DATA, 0);
	if (only_tail)
		e->form->shorten(&e->as, k, whole);
}

/* Pushes, or pops, the saved registers among the pointers. */
static void save(struct walk *w, bool restore)
{
	enum { FRAME_BYTES = 64 };
	struct tp_riscv_asm *as = &w->e->as;
	unsigned n = pointers_used(w);
	if (n <= FIRST_SAVED)
		return;
	if (!restore)
		tp_riscv_imm(as, TP_RISCV_ADDI, X_SP, X_SP, -FRAME_BYTES);
	for (unsigned i = FIRST_SAVED; i < n; i++)
		tp_riscv_imm(as, restore ? TP_RISCV_LD : TP_RISCV_SD, pointers[i], X_SP,
			     (int64_t)(i - FIRST_SAVED) * 8);
	if (restore)
		tp_riscv_imm(as, TP_RISCV_ADDI, X_SP, X_SP, FRAME_BYTES);
}

void tp_riscv_walk(struct tp_riscv_emitter *e, struct tp_code *code)
{
	const struct tp_kernel *k = e->k;
	struct tp_riscv_asm *as = &e->as;
	struct walk w = { .e = e, .tail_bytes = tp_kernel_tail_bytes(k) };
	uint64_t loads, unroll = tp_kernel_unroll(k);
	w.step_bytes = (int64_t)tp_kernel_operand_bytes(k) * (k->stride ? k->stride : 1);
	/* An offset is reached with one step of a pointer at most. */
	w.offsets = e->form->offsets && w.step_bytes < 1024;
	tp_kernel_accesses(k, &w.total, &loads);
	/* A short access is never in the loop. */
	uint64_t iterations = (w.total - (w.tail_bytes ? 1 : 0)) / unroll;
	if (iterations <= 1)
		iterations = 0;
	plan_streams(&w, unroll, loads);

	set_registers(&w);
	set_steps(&w);
	save(&w, false);
	tp_riscv_align(as, 64);
	size_t outer = tp_riscv_here(as);
	set_pointers(&w);
	if (iterations) {
		tp_riscv_li(as, INNER, (int64_t)iterations);
		tp_riscv_align(as, 64);
		code->loop_begin = tp_riscv_here(as);
		accesses(&w, unroll, 0);
		catch_up(&w);
		tp_riscv_loop(as, INNER, code->loop_begin);
		code->loop_end = tp_riscv_here(as);
	}
	accesses(&w, w.total - iterations * unroll, w.tail_bytes);
	tp_riscv_loop(as, PASSES, outer);
	if (!iterations) {
		code->loop_begin = outer;
		code->loop_end = tp_riscv_here(as);
	}
	save(&w, true);
}
