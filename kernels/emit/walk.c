/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Passes over memory. A stream is a part of the working set that is walked upward: each lane is a
 * stream, or the loads and the stores are if they have their own regions.
 *
 * If accesses take an offset, a stream has one pointer, which moves when an offset would not fit.
 * If they take none (long vectors, far strides), an addition to the pointer follows each access.
 * Several pointers then share a stream, so that these additions do not wait for each other.
 */
#include "kernels/emit/parts.h"
#include "base/memory.h"

enum { FEW_POINTERS = 8, POINTERS_OF_A_STREAM = 4 };

struct stream {
	unsigned first, n; /* pointers; n is a power of two */
	unsigned step; /* register with the distance of a pointer, if that is no immediate */
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

static void set_steps(const struct walk *w)
{
	for (unsigned i = 0; i < w->n_streams && !w->offsets; i++) {
		const struct stream *s = &w->streams[i];
		if ((i == 0 || s->step != s[-1].step) && !fits(w, stride_of(w, s)))
			w->e->be->constant(w->e, s->step, stride_of(w, s));
	}
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
	tp_emit_begin_body(e);
	for (unsigned i = 0; i < w->n_streams; i++)
		w->streams[i].issued = 0, w->streams[i].moved = 0;
	for (unsigned i = 0; i < n; i++) {
		bool load = i % group_of(k) < k->loads;
		unsigned stream = k->body.two_streams ? !load : i % w->n_streams;
		emit_access(w, &w->streams[stream], load, tail && e->tail_bytes && i + 1 == n);
		if (k->kind != TP_KERNEL_MIXED)
			continue;
		while (e->fp_issued < tp_kernel_fp_due(k, i + 1))
			tp_emit_next_fp(e);
	}
}

/* After a body, pointers with offsets move to the beginning of the next body. */
static void catch_up(const struct walk *w)
{
	for (unsigned i = 0; i < w->n_streams && i < w->n_pointers && w->offsets; i++) {
		const struct stream *s = &w->streams[i];
		tp_emit_advance(w->e, pointer_of(w, s->first),
				(int64_t)s->issued * w->step_bytes - s->moved);
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

/*
 * Aligns the inner loop, or the outer one if there is no other, to a line. Some back ends fill up
 * before the instructions that begin a pass.
 */
static void align_pass(const struct walk *w)
{
	size_t ahead = 0;
	if (w->e->be->pads_outside && w->rounds) {
		struct tp_assembler here = *w->e->as;
		begin_pass(w);
		ahead = tp_emit_here(w->e) - tp_asm_here(&here);
		*w->e->as = here;
	}
	tp_emit_align(w->e, TP_EMIT_LINE_BYTES, ahead);
}

static void emit_passes(struct walk *w)
{
	struct tp_emitter *e = w->e;
	const struct tp_back_end *be = e->be;
	align_pass(w);
	size_t outer = tp_emit_here(e);
	e->code->loop_begin = outer;
	begin_pass(w);
	if (w->rounds) {
		if (!be->pads_outside)
			tp_emit_align(e, TP_EMIT_LINE_BYTES, 0);
		e->code->loop_begin = tp_emit_here(e);
		emit_accesses(w, w->unroll, false);
		catch_up(w);
		be->loop_end(e, be->registers->kernel.rounds, e->code->loop_begin);
		e->code->loop_end = tp_emit_here(e);
	}
	emit_accesses(w, w->total - w->rounds * w->unroll, true);
	be->loop_end(e, be->registers->passes, outer);
	if (!w->rounds)
		e->code->loop_end = tp_emit_here(e);
}

void tp_emit_walk(struct tp_emitter *e)
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
	set_steps(&w);
	if (be->keep)
		be->keep(e, w.n_pointers, false);
	emit_passes(&w);
	if (be->keep)
		be->keep(e, w.n_pointers, true);
	if (be->fence && k->nontemporal)
		be->fence(e);
}
