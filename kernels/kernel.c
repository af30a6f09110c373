/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/kernel.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

enum {
	DEFAULT_MEMORY_UNROLL = 256,
	DEFAULT_FP_UNROLL = 240,
	CHASE_LOADS = 256, /* the loop around them runs beside them and costs nothing */
	POINTER_BYTES = 8,
	CHAIN_ADDITIONS = 4096, /* long, so that the loop around it weighs nothing */
	WIDTH_ADDITIONS = 1008, /* whole rounds over 6, 7 or 8 registers */
	MIXED_BODY = 1024,
	MAX_UNROLL = 4096,
	MAX_LANES = 16,
	MAX_MIX = 4096,
	MAX_BODY = 65536, /* instructions, once groups of all kinds are whole */
};

static const struct {
	const char *name, *summary;
	unsigned flops;
} fp_ops[] = {
#define TP_FP_OP_ROW(id, name, flops, summary) { name, summary, flops },
	TP_FP_OP_LIST(TP_FP_OP_ROW)
#undef TP_FP_OP_ROW
};

const char *tp_fp_op_name(enum tp_fp_op op)
{
	return fp_ops[op].name;
}

const char *tp_fp_op_summary(enum tp_fp_op op)
{
	return fp_ops[op].summary;
}

enum tp_fp_op tp_fp_op_find(const char *name)
{
	for (size_t i = 1; i < TP_COUNT_OF(fp_ops); i++)
		if (strcmp(fp_ops[i].name, name) == 0)
			return (enum tp_fp_op)i;
	return TP_FP_NONE;
}

static void ratio_name(const struct tp_kernel *kernel, char *out, size_t size)
{
	const char *nt = kernel->nontemporal ? "-nt" : "";
	if (kernel->stores == 0)
		snprintf(out, size, "load");
	else if (kernel->loads == 0)
		snprintf(out, size, "store%s", nt);
	else
		snprintf(out, size, "%uld%ust%s", kernel->loads, kernel->stores, nt);
}

const char *tp_kernel_name(const struct tp_kernel *kernel, char *out, size_t size)
{
	char ratio[32];
	switch (kernel->kind) {
	case TP_KERNEL_MEMORY:
		ratio_name(kernel, ratio, sizeof(ratio));
		if (kernel->stride > 1)
			snprintf(out, size, "%s-stride%u", ratio, kernel->stride);
		else
			snprintf(out, size, "%s", ratio);
		break;
	case TP_KERNEL_FP:
		snprintf(out, size, "%s", tp_fp_op_name(kernel->fp_op));
		break;
	case TP_KERNEL_MIXED:
		ratio_name(kernel, ratio, sizeof(ratio));
		snprintf(out, size, "mixed-%s-%s-%u:%u", tp_fp_op_name(kernel->fp_op), ratio,
			 kernel->fp_count, kernel->mem_count);
		break;
	case TP_KERNEL_CHASE:
		snprintf(out, size, "chase");
		break;
	case TP_KERNEL_CHAIN:
		snprintf(out, size, "chain");
		break;
	case TP_KERNEL_WIDTH:
		snprintf(out, size, "width");
		break;
	}
	return out;
}

const char *tp_body_name(const struct tp_body *body, char *out, size_t size)
{
	struct tp_str s = { 0 };
	tp_str_printf(&s, "u%u", body->unroll);
	if (body->two_streams)
		tp_str_add(&s, " two-streams");
	if (body->lanes > 1)
		tp_str_printf(&s, " %u lanes", body->lanes);
	if (body->fma_run || body->add_run)
		tp_str_printf(&s, " %u:%u", body->fma_run, body->add_run);
	if (body->lmul)
		tp_str_printf(&s, " m%u", body->lmul);
	tp_copy(out, size, tp_str_text(&s));
	tp_str_release(&s);
	return out;
}

static bool has_memory(const struct tp_kernel *kernel)
{
	return kernel->kind == TP_KERNEL_MEMORY || kernel->kind == TP_KERNEL_MIXED;
}

/* Kernels that measure the core itself, with integer additions only. */
static bool is_gauge(const struct tp_kernel *kernel)
{
	return kernel->kind == TP_KERNEL_CHAIN || kernel->kind == TP_KERNEL_WIDTH;
}

static unsigned lanes_of(const struct tp_kernel *kernel)
{
	return kernel->body.lanes ? kernel->body.lanes : 1;
}

static unsigned stride_of(const struct tp_kernel *kernel)
{
	return kernel->stride ? kernel->stride : 1;
}

static unsigned lmul_of(const struct tp_kernel *kernel)
{
	return kernel->body.lmul ? kernel->body.lmul : 1;
}

unsigned tp_kernel_operand_bytes(const struct tp_kernel *kernel)
{
	return tp_isa_operand_bytes(kernel->isa, kernel->element_bytes) * lmul_of(kernel);
}

unsigned tp_kernel_tail_bytes(const struct tp_kernel *kernel)
{
	if (!kernel->isa->short_tail || stride_of(kernel) > 1)
		return 0;
	return (unsigned)(kernel->working_set_bytes % tp_kernel_operand_bytes(kernel));
}

enum tp_status tp_kernel_check(const struct tp_kernel *kernel, struct tp_diag *diag)
{
	char name[64];
	tp_kernel_name(kernel, name, sizeof(name));
	if (!is_gauge(kernel) && kernel->element_bytes != 8 && kernel->element_bytes != 4)
		return tp_fail(diag, TP_USAGE, name, "8 or 4", "%u-byte elements",
			       kernel->element_bytes);
	bool with_fp = kernel->kind == TP_KERNEL_FP || kernel->kind == TP_KERNEL_MIXED;
	if (with_fp && kernel->fp_op == TP_FP_NONE)
		return tp_fail(diag, TP_USAGE, name, "add, mul, div, fma or fma+add",
			       "no floating point instruction given");
	if (kernel->body.unroll > MAX_UNROLL || kernel->body.lanes > MAX_LANES)
		return tp_fail(diag, TP_USAGE, name, NULL,
			       "body of %u instructions in %u lanes is too large",
			       kernel->body.unroll, kernel->body.lanes);
	if (kernel->kind == TP_KERNEL_CHASE && kernel->element_bytes != POINTER_BYTES)
		return tp_fail(diag, TP_USAGE, name, "leave the precision out",
			       "pointers have 8 bytes");
	unsigned max_lmul = kernel->isa && kernel->isa->max_lmul ? kernel->isa->max_lmul : 1;
	if (lmul_of(kernel) > max_lmul || (lmul_of(kernel) & (lmul_of(kernel) - 1)))
		return tp_fail(diag, TP_USAGE, name, NULL,
			       "%s has no instructions on groups of %u registers",
			       kernel->isa->name, kernel->body.lmul);
	if (!has_memory(kernel))
		return TP_OK;
	if (kernel->nontemporal && kernel->stores &&
	    tp_kernel_operand_bytes(kernel) < kernel->isa->least_nontemporal_bytes)
		return tp_fail(diag, TP_UNSUPPORTED, name, "use ordinary stores",
			       "%s has no non-temporal stores of %u bytes", kernel->isa->name,
			       tp_kernel_operand_bytes(kernel));

	if (kernel->loads + kernel->stores == 0 || kernel->loads > 64 || kernel->stores > 64)
		return tp_fail(diag, TP_USAGE, name,
			       "loads:stores with 0 to 64 of each, such as 2:1", "ratio %u:%u",
			       kernel->loads, kernel->stores);
	if (kernel->working_set_bytes == 0 || kernel->working_set_bytes % 64)
		return tp_fail(diag, TP_USAGE, name, "a multiple of 64 bytes",
			       "working set of %llu bytes",
			       (unsigned long long)kernel->working_set_bytes);
	if (kernel->kind == TP_KERNEL_MIXED && (kernel->fp_count == 0 || kernel->mem_count == 0))
		return tp_fail(diag, TP_USAGE, name, NULL,
			       "a mixed kernel needs both kinds of instructions");
	if (kernel->kind == TP_KERNEL_MIXED &&
	    (kernel->fp_count > MAX_MIX || kernel->mem_count > MAX_MIX ||
	     tp_kernel_unroll(kernel) + tp_kernel_fp_due(kernel, tp_kernel_unroll(kernel)) >
		     MAX_BODY))
		return tp_fail(diag, TP_USAGE, name, "smaller counts, fewer lanes",
			       "a body of whole groups would be too long");
	uint64_t accesses, loads;
	tp_kernel_accesses(kernel, &accesses, &loads);
	if (accesses == 0)
		return tp_fail(diag, TP_USAGE, name, "a smaller stride or a larger working set",
			       "stride %u leaves no access", kernel->stride);
	/* Displacements have 32 bits; the remainder makes straight code of up to two bodies. */
	uint64_t straight = TP_MIN(accesses, 2 * (uint64_t)tp_kernel_unroll(kernel));
	if (straight * tp_kernel_operand_bytes(kernel) * stride_of(kernel) > UINT64_C(1) << 30)
		return tp_fail(diag, TP_USAGE, name, "a smaller stride",
			       "stride %u reaches too far for one body", kernel->stride);
	if (lanes_of(kernel) > 1 &&
	    (kernel->body.two_streams || accesses % lanes_of(kernel) ||
	     tp_kernel_tail_bytes(kernel) || kernel->working_set_bytes > UINT64_C(1) << 30))
		return tp_fail(diag, TP_USAGE, name, NULL,
			       "this working set cannot be cut into %u lanes", kernel->body.lanes);
	return TP_OK;
}

void tp_kernel_accesses(const struct tp_kernel *kernel, uint64_t *accesses, uint64_t *loads)
{
	uint64_t step = (uint64_t)tp_kernel_operand_bytes(kernel) * stride_of(kernel);
	unsigned group = kernel->loads + kernel->stores;
	*accesses = kernel->working_set_bytes / step + (tp_kernel_tail_bytes(kernel) ? 1 : 0);
	uint64_t rest = *accesses % group;
	*loads = *accesses / group * kernel->loads + TP_MIN(rest, kernel->loads);
}

uint64_t tp_kernel_fp_due(const struct tp_kernel *kernel, uint64_t accesses_done)
{
	return accesses_done * kernel->fp_count / kernel->mem_count;
}

bool tp_kernel_fp_first(const struct tp_kernel *kernel, uint64_t i)
{
	unsigned fma = kernel->body.fma_run, add = kernel->body.add_run;
	if (fma + add == 0)
		fma = add = 1;
	/* Spread the FMAs evenly over the period instead of issuing them in a burst. */
	uint64_t period = fma + add, at = i % period;
	return (at + 1) * fma / period > at * fma / period;
}

/* FP instructions after which the operations of a pair repeat. */
static unsigned fp_period(const struct tp_kernel *kernel)
{
	unsigned period = kernel->body.fma_run + kernel->body.add_run;
	return kernel->fp_op != TP_FP_FMA_ADD ? 1 : period ? period : 2;
}

unsigned tp_kernel_unroll(const struct tp_kernel *kernel)
{
	unsigned unroll = kernel->body.unroll;
	switch (kernel->kind) {
	case TP_KERNEL_WIDTH:
		return unroll ? unroll : WIDTH_ADDITIONS;
	case TP_KERNEL_CHAIN:
		return unroll ? unroll : CHAIN_ADDITIONS;
	case TP_KERNEL_CHASE:
		return unroll ? unroll : CHASE_LOADS;
	case TP_KERNEL_FP:
		return unroll ? unroll : DEFAULT_FP_UNROLL;
	default:
		break;
	}
	/* Whole groups in every lane; for mixed kernels also whole groups of FP instructions (and periods of a pair). */
	unsigned group = (kernel->loads + kernel->stores) * lanes_of(kernel);
	if (kernel->kind == TP_KERNEL_MIXED) {
		unsigned multiple = group;
		while (multiple % kernel->mem_count ||
		       tp_kernel_fp_due(kernel, multiple) % fp_period(kernel))
			multiple += group;
		group = multiple;
	}
	unsigned want = unroll ? unroll : DEFAULT_MEMORY_UNROLL;
	if (kernel->kind ==
	    TP_KERNEL_MIXED) /* many FP instructions per access: fewer accesses, so that the code stays in its cache */
		want = TP_MIN(want, (unsigned)((uint64_t)MIXED_BODY * kernel->mem_count /
					       ((uint64_t)kernel->mem_count + kernel->fp_count)));
	return want < group ? group : want / group * group;
}

void tp_kernel_count(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
		     struct tp_kernel_counts *counts)
{
	*counts = (struct tp_kernel_counts){ 0 };
	if (is_gauge(kernel)) {
		counts->other = tp_kernel_unroll(kernel);
		return;
	}
	if (kernel->kind == TP_KERNEL_CHASE) {
		counts->loads = tp_kernel_unroll(kernel);
		counts->loaded_bytes = counts->loads * POINTER_BYTES;
		return;
	}
	uint64_t operand_bytes = tp_kernel_operand_bytes(kernel);
	if (has_memory(kernel)) {
		uint64_t accesses;
		tp_kernel_accesses(kernel, &accesses, &counts->loads);
		counts->stores = accesses - counts->loads;
		counts->loaded_bytes = counts->loads * operand_bytes;
		counts->stored_bytes = counts->stores * operand_bytes;
		unsigned tail = tp_kernel_tail_bytes(kernel),
			 group = kernel->loads + kernel->stores;
		bool load = (accesses - 1) % group < kernel->loads; /* the last one */
		if (tail)
			*(load ? &counts->loaded_bytes : &counts->stored_bytes) -=
				operand_bytes - tail;
		if (kernel->kind == TP_KERNEL_MIXED)
			counts->fp = tp_kernel_fp_due(kernel, accesses);
	} else {
		counts->fp = tp_kernel_unroll(kernel);
	}
	if (!counts->fp)
		return;
	uint64_t lanes = operand_bytes / kernel->element_bytes;
	bool fused = kernel->isa->fused(cpu);
	if (kernel->fp_op == TP_FP_FMA) {
		counts->flops = counts->fp * lanes * (fused ? 2 : 1);
	} else if (kernel->fp_op == TP_FP_FMA_ADD) {
		/* Whole periods at once: a mixed kernel on a DRAM-sized set has some 1e8 of these instructions. */
		uint64_t period = fp_period(kernel), in_period = 0, in_rest = 0;
		for (uint64_t i = 0; i < period; i++) {
			bool is_first = tp_kernel_fp_first(kernel, i);
			in_period += is_first;
			in_rest += is_first && i < counts->fp % period;
		}
		uint64_t first = counts->fp / period * in_period + in_rest;
		counts->flops = (counts->fp + (fused ? first : 0)) * lanes;
	} else {
		counts->flops = counts->fp * lanes;
	}
}

enum tp_status tp_kernel_emit(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
			      struct tp_code *code, struct tp_diag *diag)
{
	enum tp_status status = tp_isa_supported(kernel->isa, cpu, diag);
	if (status == TP_OK)
		status = tp_kernel_check(kernel, diag);
	if (status == TP_OK)
		status = kernel->isa->emit(kernel, cpu, code, diag);
	return status;
}
