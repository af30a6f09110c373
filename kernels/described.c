/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/described.h"
#include "kernels/arch.h"
#include "kernels/families/families.h"

static uint64_t trips(uint64_t n)
{
	return n ? n : 1;
}

struct tp_nest_counts tp_nest_count(const struct tp_nest *nest)
{
	uint64_t batches = trips(nest->batches), rows = batches * trips(nest->rows);
	uint64_t results = rows * trips(nest->columns), products = results * nest->depth;
	struct tp_nest_counts counts = {
		.products = products,
		.operations = 2 * products,
		.loads = 2 * products + (nest->accumulate ? results : 0),
		.stores = results,
		/* One at the end of each round of each loop, and the one over the passes. */
		.conditionals = products / nest->unroll + 1,
	};
	counts.conditionals += nest->columns ? results : 0;
	counts.conditionals += nest->rows ? rows : 0;
	counts.conditionals += nest->batches ? batches : 0;
	return counts;
}

size_t tp_described_code_bytes(const struct tp_described *described, size_t longest_bytes,
			       size_t step_bytes)
{
	enum { FRAME = 4096 };
	switch (described->kind) {
	case TP_DESCRIBED_CHASE:
		return FRAME + (size_t)2 * described->chase.unroll * longest_bytes;
	case TP_DESCRIBED_SCATTER:
		return FRAME + described->scatter.unroll * step_bytes;
	case TP_DESCRIBED_LINES:
		return FRAME + (size_t)described->lines.lines * described->lines.line_bytes;
	case TP_DESCRIBED_NEST:
		return FRAME + described->nest.unroll * step_bytes;
	}
	return FRAME;
}

enum tp_status tp_family_make_described(const struct tp_described *described, const char *name,
					const struct tp_cpu *cpu,
					const struct tp_counting_machine *machine,
					struct tp_counting *out, struct tp_diag *diag)
{
	const struct tp_arch *arch = tp_arch_host();
	if (!arch || !arch->emit_described)
		return tp_fail(diag, TP_UNSUPPORTED, name, NULL,
			       "there are no counting kernels for %s yet", cpu->arch);
	enum tp_status status =
		arch->emit_described(described, cpu, &out->code, &out->instructions, diag);
	if (status != TP_OK)
		return status;
	return tp_family_settle(out, name, machine, diag);
}
