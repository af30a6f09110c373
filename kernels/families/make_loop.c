/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a described loop to a counting kernel. */
#include "kernels/families/families.h"
#include "kernels/arch.h"

enum { ELEMENT_BYTES, STREAM_LOG2 }; /* parameters */

static enum tp_status fill(const struct tp_counting *counting, void *data, uint64_t seed,
			   struct tp_diag *diag)
{
	(void)seed; /* where the stream begins must not vary, see loop.c */
	(void)diag;
	tp_loop_fill(data, (unsigned)counting->parameters[ELEMENT_BYTES],
		     (unsigned)counting->parameters[STREAM_LOG2]);
	return TP_OK;
}

enum tp_status tp_family_make_loop(const struct tp_loop *loop, const char *name,
				   const struct tp_cpu *cpu,
				   const struct tp_counting_machine *machine,
				   struct tp_counting *out, struct tp_diag *diag)
{
	const struct tp_arch *arch = tp_arch_host();
	struct tp_loop_cost cost = { 0 };
	if (!arch || !arch->emit_loop)
		return tp_fail(diag, TP_UNSUPPORTED, name, NULL,
			       "there are no counting kernels for %s", cpu->arch);
	enum tp_status status = arch->emit_loop(loop, cpu, &out->code, &cost, diag);
	if (status != TP_OK)
		return status;
	out->data_bytes = tp_loop_data_bytes(loop);
	out->iterations = (double)(UINT64_C(1) << loop->pass_log2);
	out->instructions = tp_loop_instructions(loop, &cost);
	out->fill = fill;
	out->parameters[ELEMENT_BYTES] = loop->fp.element_bytes;
	out->parameters[STREAM_LOG2] = loop->stream ? loop->pass_log2 : 0;
	return tp_family_settle(out, name, machine, diag);
}
