/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From descriptions to counting kernels. */
#include "kernels/families/families.h"
#include "kernels/arch.h"
#include "kernels/emit/emit.h"

enum { ELEMENT_BYTES, STREAM_LOG2 }; /* parameters of a loop */

static enum tp_status find_back_end(const struct tp_back_end **be, const struct tp_row *row,
				    const char *name, struct tp_diag *diag)
{
	const struct tp_arch *arch = tp_arch_host();
	*be = arch ? arch->back_end : NULL;
	return *be ? TP_OK
		   : tp_fail(diag, TP_UNSUPPORTED, name, NULL,
			     "there are no counting kernels for %s", row->cpu->arch);
}

/*
 * Sets passes from the instructions: reading counters takes little time compared to them, and an
 * interrupt is unlikely. Then checks the limits of the machine.
 */
static enum tp_status settle(const struct tp_row *row, const char *name, struct tp_counting *out,
			     struct tp_diag *diag)
{
	static const uint64_t reading_instructions = UINT64_C(1) << 20;
	const struct tp_counting_machine *machine = row->machine;
	uint64_t passes = out->instructions ? reading_instructions / out->instructions : 1;
	out->passes = passes ? passes : 1;
	if (machine->max_instructions && out->instructions > machine->max_instructions / 2)
		return tp_fail(diag, TP_RESOURCE, name, NULL,
			       "two passes are %llu instructions, the limit is %llu",
			       (unsigned long long)(2 * out->instructions),
			       (unsigned long long)machine->max_instructions);
	if (machine->max_bytes && out->data_bytes > machine->max_bytes)
		return tp_fail(diag, TP_RESOURCE, name, NULL, "needs %llu bytes, the limit is %llu",
			       (unsigned long long)out->data_bytes,
			       (unsigned long long)machine->max_bytes);
	return TP_OK;
}

/* The stream always begins at the same place, see loop.c. */
static void fill_loop(const struct tp_counting *counting, void *data,
		      uint64_t seed __attribute__((unused)))
{
	tp_loop_fill(data, (unsigned)counting->parameters[ELEMENT_BYTES],
		     (unsigned)counting->parameters[STREAM_LOG2]);
}

enum tp_status tp_family_make_loop(const struct tp_row *row, const struct tp_loop *loop,
				   struct tp_counting *out, struct tp_diag *diag)
{
	const struct tp_back_end *be;
	struct tp_loop_cost cost = { 0 };
	enum tp_status status = find_back_end(&be, row, row->name, diag);
	if (status == TP_OK)
		status = tp_emit_loop(be, loop, row->cpu, &out->code, &cost, diag);
	if (status != TP_OK)
		return status;
	out->data_bytes = tp_loop_data_bytes(loop);
	out->iterations = (double)(UINT64_C(1) << loop->pass_log2);
	out->instructions = tp_loop_instructions(loop, &cost);
	out->fill = fill_loop;
	out->parameters[ELEMENT_BYTES] = loop->fp.element_bytes;
	out->parameters[STREAM_LOG2] = loop->stream ? loop->pass_log2 : 0;
	return settle(row, row->name, out, diag);
}

enum tp_status tp_family_make_traversal(const struct tp_row *row,
					const struct tp_traversal *traversal,
					struct tp_counting *out, struct tp_diag *diag)
{
	const struct tp_back_end *be;
	enum tp_status status = find_back_end(&be, row, row->where, diag);
	if (status == TP_OK)
		status = tp_emit_traversal(be, traversal, row->cpu, &out->code, &out->instructions,
					   diag);
	return status == TP_OK ? settle(row, row->where, out, diag) : status;
}

void tp_counting_release(struct tp_counting *counting)
{
	tp_code_release(&counting->code);
	memset(counting, 0, sizeof(*counting));
}
