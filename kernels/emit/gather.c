/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gathers: a round takes TP_GATHER_GROUP bases from the list, and gathers from each of them. */
#include "kernels/emit/parts.h"
#include "kernels/gather.h"

#include <stddef.h>

static const size_t base_bytes = sizeof(const void *);

void tp_emit_gathers(struct tp_emitter *e)
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
