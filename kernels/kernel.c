/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/kernel.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/memory.h"
#include "kernels/aarch64/aarch64.h"
#include "kernels/x86/x86.h"

const struct tp_array_kernel tp_array_kernels[] = {
	{ "copy", "c = a: one array read, one written", 1, 1, TP_FP_NONE, true },
	{ "scale", "c = s * a: one array read, one written, a multiplication", 1, 1, TP_FP_MUL,
	  true },
	{ "add", "c = a + b: two arrays read, one written, an addition", 2, 1, TP_FP_ADD, true },
	{ "triad", "c = a + s * b: two arrays read, one written, a multiply-add", 2, 1, TP_FP_FMA,
	  true },
	{ "daxpy", "y = y + s * x: one array read, one updated, a multiply-add", 2, 1, TP_FP_FMA,
	  false },
	{ "dot", "sum of a * b: two arrays read, a multiply-add for each pair", 2, 0, TP_FP_FMA,
	  false },
	{ "update", "a = s * a: one array updated, a multiplication", 1, 1, TP_FP_MUL, false },
	{ 0 },
};

const struct tp_array_kernel *tp_array_kernel_find(const char *name)
{
	for (const struct tp_array_kernel *a = tp_array_kernels; a->name; a++)
		if (strcmp(a->name, name) == 0)
			return a;
	return NULL;
}

void tp_array_kernel_set(const struct tp_array_kernel *array, const struct tp_cpu *cpu,
			 struct tp_kernel *kernel)
{
	bool split = array->op == TP_FP_FMA && !tp_isa_fused(kernel->isa, cpu);
	kernel->array = array;
	kernel->kind = array->op == TP_FP_NONE ? TP_KERNEL_MEMORY : TP_KERNEL_MIXED;
	kernel->loads = array->loads;
	kernel->stores = array->stores;
	kernel->fp_op = array->op;
	kernel->fp_count = array->op == TP_FP_NONE ? 0 : split ? 2 : 1;
	kernel->mem_count = array->op == TP_FP_NONE ? 0 : array->loads + array->stores;
	kernel->body.two_streams = array->apart;
}

unsigned tp_gather_lanes(const struct tp_gather *g, unsigned element_bytes)
{
	return g->vector_bytes / element_bytes;
}

unsigned tp_gather_lines(const struct tp_gather *g, unsigned element_bytes)
{
	unsigned lines = 0;
	for (unsigned i = 0; i < g->elements; i++) {
		uint64_t line = (uint64_t)g->index[i] * element_bytes / TP_GATHER_LINE_BYTES;
		bool known = false;
		for (unsigned k = 0; k < i && !known; k++)
			known = (uint64_t)g->index[k] * element_bytes / TP_GATHER_LINE_BYTES ==
				line;
		lines += !known;
	}
	return lines;
}

size_t tp_gather_bytes(const struct tp_gather *g, unsigned element_bytes)
{
	uint32_t most = 0;
	for (unsigned i = 0; i < g->elements; i++)
		most = g->index[i] > most ? g->index[i] : most;
	return ((size_t)most + 1) * element_bytes;
}

enum tp_status tp_gather_supported(const struct tp_isa *isa, unsigned vector_bytes,
				   const struct tp_cpu *cpu, struct tp_diag *diag)
{
	enum tp_status status = cpu ? tp_isa_supported(isa, cpu, diag) : TP_OK;
	if (status != TP_OK)
		return status;
	if (!isa->gather_most_bytes)
		return tp_fail(diag, TP_UNSUPPORTED, isa->name, NULL, "%s has no gathers",
			       isa->name);
	if (vector_bytes < isa->gather_least_bytes || vector_bytes > isa->gather_most_bytes)
		return tp_fail(diag, TP_UNSUPPORTED, isa->name, NULL,
			       "%s has no gathers of %u bits", isa->name, 8 * vector_bytes);
	const char *needs = isa->short_gathers_need;
	if (cpu && needs && vector_bytes < isa->gather_most_bytes &&
	    !tp_has_word(cpu->features, needs))
		return tp_fail(diag, TP_UNSUPPORTED, isa->name, NULL,
			       "gathers of %u bits need %s, which this CPU or kernel does not "
			       "offer",
			       8 * vector_bytes, needs);
	return TP_OK;
}

/* TP_USAGE with the reason if the kernel is invalid. */
static enum tp_status gather_check(const struct tp_kernel *k, struct tp_diag *diag)
{
	const struct tp_gather *g = k->gather;
	const char *name = "gather";
	if (!g || (g->vector_bytes != 16 && g->vector_bytes != 32 && g->vector_bytes != 64))
		return tp_fail(diag, TP_USAGE, name, "128, 256 or 512 bits", "no such vector");
	unsigned lanes = tp_gather_lanes(g, k->element_bytes);
	if (g->elements == 0 || g->elements > lanes)
		return tp_fail(diag, TP_USAGE, name, "a wider vector, or fewer elements",
			       "%u elements of %u bytes in a vector of %u bits", g->elements,
			       k->element_bytes, 8 * g->vector_bytes);
	if (g->gathers == 0 || g->gathers % TP_GATHER_GROUP)
		return tp_fail(diag, TP_USAGE, name, NULL, "%u gathers are not whole groups of %d",
			       g->gathers, TP_GATHER_GROUP);
	for (unsigned i = 0; i < g->elements; i++)
		if (g->index[i] > TP_GATHER_INDEX_MAX)
			return tp_fail(diag, TP_USAGE, name, NULL, "index %u is too large",
				       g->index[i]);
	return TP_OK;
}

void tp_gather_fill(const struct tp_gather *g, unsigned element_bytes, const void *const *bases,
		    struct tp_gather_data *data)
{
	unsigned lanes = tp_gather_lanes(g, element_bytes);
	unsigned on = g->masked ? g->elements : lanes;
	memset(data, 0, sizeof(*data));
	data->bases = bases;
	data->lanes_on = (UINT64_C(1) << on) - 1;
	memset(data->mask, 0xff, (size_t)on * element_bytes);
	for (unsigned i = 0; i < lanes; i++)
		data->index[i] = g->index[i < g->elements ? i : 0];
}

const struct tp_precision tp_precision_table[TP_PRECISIONS] = {
	{ "double", 8, TP_FORMAT_IEEE },  { "single", 4, TP_FORMAT_IEEE },
	{ "half", 2, TP_FORMAT_IEEE },	  { "bf16", 2, TP_FORMAT_BFLOAT },
	{ "int8", 1, TP_FORMAT_INTEGER },
};

const struct tp_precision *tp_precision_find(const char *name)
{
	for (size_t i = 0; i < TP_PRECISIONS; i++)
		if (strcmp(tp_precision_table[i].name, name) == 0)
			return &tp_precision_table[i];
	return NULL;
}

const struct tp_precision *tp_precision_of(unsigned element_bytes, enum tp_format format)
{
	for (size_t i = 0; i < TP_PRECISIONS; i++)
		if (tp_precision_table[i].element_bytes == element_bytes &&
		    tp_precision_table[i].format == format)
			return &tp_precision_table[i];
	return &tp_precision_table[0];
}

enum {
	POINTER_BYTES = 8,
	MEMORY_UNROLL = 256, /* by default */
	MIXED_BODY = 1024,
	MAX_UNROLL = 4096,
	MAX_LANES = 16,
	MAX_MIX = 4096,
	MAX_BODY = 65536, /* instructions, once groups of all kinds are whole */
};

/* Kernels that repeat one kind of instruction: so often by default. */
static const struct {
	const char *name;
	unsigned unroll;
} repeated[] = {
	[TP_KERNEL_FP] = { NULL, 240 },
	[TP_KERNEL_CHASE] = { "chase", 256 }, /* the loop runs in parallel and costs nothing */
	[TP_KERNEL_CHAIN] = { "chain", 4096 }, /* many: the loop does not matter */
	[TP_KERNEL_WIDTH] = { "width", 1008 }, /* whole rounds over 6, 7 or 8 registers */
	[TP_KERNEL_GATHER] = { "gather", TP_GATHER_GROUP },
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

static bool has_memory(const struct tp_kernel *k)
{
	return k->kind == TP_KERNEL_MEMORY || k->kind == TP_KERNEL_MIXED;
}

static void ratio_name(const struct tp_kernel *k, char *out, size_t size)
{
	const char *nt = k->nontemporal ? "-nt" : "";
	if (k->array)
		snprintf(out, size, "%s%s", k->array->name, nt);
	else if (k->stores == 0)
		snprintf(out, size, "load");
	else if (k->loads == 0)
		snprintf(out, size, "store%s", nt);
	else
		snprintf(out, size, "%uld%ust%s", k->loads, k->stores, nt);
}

const char *tp_kernel_name(const struct tp_kernel *k, char *out, size_t size)
{
	char ratio[32];
	ratio_name(k, ratio, sizeof(ratio));
	if (k->kind == TP_KERNEL_MIXED && !k->array)
		snprintf(out, size, "mixed-%s-%s-%u:%u", tp_fp_op_name(k->fp_op), ratio,
			 k->fp_count, k->mem_count);
	else if (!has_memory(k))
		tp_copy(out, size,
			k->kind == TP_KERNEL_FP ? tp_fp_op_name(k->fp_op) : repeated[k->kind].name);
	else if (k->stride > 1)
		snprintf(out, size, "%s-stride%u", ratio, k->stride);
	else
		tp_copy(out, size, ratio);
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
	if (body->fma_registers)
		tp_str_printf(&s, " %u+%u registers", body->fma_registers, body->add_registers);
	if (body->lmul)
		tp_str_printf(&s, " m%u", body->lmul);
	tp_copy(out, size, tp_str_text(&s));
	tp_str_release(&s);
	return out;
}

/* Kernels that measure the core itself, with integer additions only. */
static bool is_gauge(const struct tp_kernel *k)
{
	return k->kind == TP_KERNEL_CHAIN || k->kind == TP_KERNEL_WIDTH;
}

static unsigned lanes_of(const struct tp_kernel *k)
{
	return k->body.lanes ? k->body.lanes : 1;
}

static unsigned stride_of(const struct tp_kernel *k)
{
	return k->stride ? k->stride : 1;
}

static unsigned lmul_of(const struct tp_kernel *k)
{
	return k->body.lmul ? k->body.lmul : 1;
}

unsigned tp_kernel_operand_bytes(const struct tp_kernel *k)
{
	if (k->kind == TP_KERNEL_GATHER)
		return k->gather->vector_bytes;
	const struct tp_narrow *narrow = tp_narrow_of(k);
	if (narrow && narrow->tile_bytes)
		return narrow->tile_bytes;
	return tp_isa_operand_bytes(k->isa, k->element_bytes) * lmul_of(k);
}

size_t tp_kernel_data_bytes(const struct tp_kernel *k)
{
	const struct tp_narrow *narrow = tp_narrow_of(k);
	size_t vector = tp_kernel_operand_bytes(k);
	if (!narrow || !tp_narrow_is_outer(narrow))
		return TP_KERNEL_DATA_BYTES;
	return TP_MAX((size_t)TP_KERNEL_DATA_BYTES, (2 + vector) * vector);
}

unsigned tp_kernel_tail_bytes(const struct tp_kernel *k)
{
	if (!k->isa->short_tail || stride_of(k) > 1)
		return 0;
	return (unsigned)(k->working_set_bytes % tp_kernel_operand_bytes(k));
}

/* Floats and doubles have all but dot; tile and narrow numbers are rows of struct tp_narrow. */
static enum tp_status check_operation(const struct tp_kernel *k, const char *name,
				      struct tp_diag *diag)
{
	const struct tp_precision *precision = tp_precision_of(k->element_bytes, k->format);
	bool usual = k->element_bytes == 8 || k->element_bytes == 4;
	bool with_fp = k->kind == TP_KERNEL_FP || k->kind == TP_KERNEL_MIXED;
	if (!usual && k->element_bytes != precision->element_bytes)
		return tp_fail(diag, TP_USAGE, name, "8 or 4", "%u-byte elements",
			       k->element_bytes);
	if (!usual && k->kind != TP_KERNEL_FP)
		return tp_fail(diag, TP_USAGE, name,
			       "double or single; half, bf16 and int8 belong to fma, dot and tile",
			       "%s has no kernel in %s", name, precision->name);
	if (with_fp && k->fp_op == TP_FP_NONE)
		return tp_fail(diag, TP_USAGE, name, "add, mul, div, fma or fma+add",
			       "no floating point instruction given");
	bool narrow = k->fp_op == TP_FP_DOT || k->fp_op == TP_FP_TILE;
	if (!with_fp || (usual && !narrow) || tp_narrow_of(k))
		return TP_OK;
	return tp_fail(diag, TP_USAGE, name,
		       "half has fma and tile, bf16 and int8 have dot and tile, double and single "
		       "the other operations, and tile with SME",
		       "%s has no %s in %s", k->isa->name, name, precision->name);
}

enum tp_status tp_kernel_check(const struct tp_kernel *k, struct tp_diag *diag)
{
	char name[64];
	tp_kernel_name(k, name, sizeof(name));
	enum tp_status status = is_gauge(k) ? TP_OK : check_operation(k, name, diag);
	if (status != TP_OK)
		return status;
	if (k->body.unroll > MAX_UNROLL || k->body.lanes > MAX_LANES)
		return tp_fail(diag, TP_USAGE, name, NULL,
			       "body of %u instructions in %u lanes is too large", k->body.unroll,
			       k->body.lanes);
	if (k->kind == TP_KERNEL_CHASE && k->element_bytes != POINTER_BYTES)
		return tp_fail(diag, TP_USAGE, name, "leave the precision out",
			       "pointers have 8 bytes");
	unsigned max_lmul = k->isa && k->isa->max_lmul ? k->isa->max_lmul : 1;
	if (lmul_of(k) > max_lmul || (lmul_of(k) & (lmul_of(k) - 1)))
		return tp_fail(diag, TP_USAGE, name, NULL,
			       "%s has no instructions on groups of %u registers", k->isa->name,
			       k->body.lmul);
	if (k->kind == TP_KERNEL_GATHER)
		return gather_check(k, diag);
	if (!has_memory(k))
		return TP_OK;
	if (k->nontemporal && k->stores &&
	    tp_kernel_operand_bytes(k) < k->isa->least_nontemporal_bytes)
		return tp_fail(diag, TP_UNSUPPORTED, name, "use ordinary stores",
			       "%s has no non-temporal stores of %u bytes", k->isa->name,
			       tp_kernel_operand_bytes(k));

	if (k->loads + k->stores == 0 || k->loads > 64 || k->stores > 64)
		return tp_fail(diag, TP_USAGE, name,
			       "loads:stores with 0 to 64 of each, such as 2:1", "ratio %u:%u",
			       k->loads, k->stores);
	if (k->working_set_bytes == 0 || k->working_set_bytes % 64)
		return tp_fail(diag, TP_USAGE, name, "a multiple of 64 bytes",
			       "working set of %llu bytes",
			       (unsigned long long)k->working_set_bytes);
	if (k->kind == TP_KERNEL_MIXED && (k->fp_count == 0 || k->mem_count == 0))
		return tp_fail(diag, TP_USAGE, name, NULL,
			       "a mixed kernel needs both kinds of instructions");
	if (k->kind == TP_KERNEL_MIXED &&
	    (k->fp_count > MAX_MIX || k->mem_count > MAX_MIX ||
	     tp_kernel_unroll(k) + tp_kernel_fp_due(k, tp_kernel_unroll(k)) > MAX_BODY))
		return tp_fail(diag, TP_USAGE, name, "smaller counts, fewer lanes",
			       "a body of whole groups would be too long");
	uint64_t accesses, loads;
	tp_kernel_accesses(k, &accesses, &loads);
	if (accesses == 0)
		return tp_fail(diag, TP_USAGE, name, "a smaller stride or a larger working set",
			       "stride %u leaves no access", k->stride);
	/* Displacements have 32 bits; the remainder makes straight code of up to two bodies. */
	uint64_t straight = TP_MIN(accesses, 2 * (uint64_t)tp_kernel_unroll(k));
	if (straight * tp_kernel_operand_bytes(k) * stride_of(k) > UINT64_C(1) << 30)
		return tp_fail(diag, TP_USAGE, name, "a smaller stride",
			       "stride %u reaches too far for one body", k->stride);
	if (lanes_of(k) > 1 &&
	    (k->body.two_streams || accesses % lanes_of(k) || tp_kernel_tail_bytes(k) ||
	     k->working_set_bytes > UINT64_C(1) << 30))
		return tp_fail(diag, TP_USAGE, name, NULL,
			       "this working set cannot be cut into %u lanes", k->body.lanes);
	return TP_OK;
}

void tp_kernel_accesses(const struct tp_kernel *k, uint64_t *accesses, uint64_t *loads)
{
	uint64_t step = (uint64_t)tp_kernel_operand_bytes(k) * stride_of(k);
	unsigned group = k->loads + k->stores;
	*accesses = k->working_set_bytes / step + (tp_kernel_tail_bytes(k) ? 1 : 0);
	uint64_t rest = *accesses % group;
	*loads = *accesses / group * k->loads + TP_MIN(rest, k->loads);
}

uint64_t tp_kernel_fp_due(const struct tp_kernel *k, uint64_t accesses_done)
{
	return accesses_done * k->fp_count / k->mem_count;
}

bool tp_kernel_fp_first(const struct tp_kernel *k, uint64_t i)
{
	unsigned fma = k->body.fma_run, add = k->body.add_run;
	if (fma + add == 0)
		fma = add = 1;
	/* Spread the FMAs evenly over the period instead of issuing them in a burst. */
	uint64_t period = fma + add, at = i % period;
	return (at + 1) * fma / period > at * fma / period;
}

/* Number of FP instructions after which the operations of a pair repeat. */
static unsigned fp_period(const struct tp_kernel *k)
{
	unsigned period = k->body.fma_run + k->body.add_run;
	return k->fp_op != TP_FP_FMA_ADD ? 1 : period ? period : 2;
}

unsigned tp_kernel_unroll(const struct tp_kernel *k)
{
	unsigned unroll = k->body.unroll;
	if (!has_memory(k))
		return unroll ? unroll : repeated[k->kind].unroll;
	/*
	 * Whole groups in every lane. Mixed kernels also need whole groups of FP instructions, and
	 * whole periods of a pair.
	 */
	unsigned group = (k->loads + k->stores) * lanes_of(k);
	if (k->kind == TP_KERNEL_MIXED) {
		unsigned multiple = group;
		while (multiple % k->mem_count || tp_kernel_fp_due(k, multiple) % fp_period(k))
			multiple += group;
		group = multiple;
	}
	unsigned want = unroll ? unroll : MEMORY_UNROLL;
	/* many FP instructions per access: fewer accesses, so that the code stays in its cache */
	if (k->kind == TP_KERNEL_MIXED)
		want = TP_MIN(want, (unsigned)((uint64_t)MIXED_BODY * k->mem_count /
					       ((uint64_t)k->mem_count + k->fp_count)));
	return want < group ? group : want / group * group;
}

/* Number of FMAs of fma+add, by whole periods: a DRAM-sized set has some 1e8 FP instructions. */
static uint64_t count_first(const struct tp_kernel *k, uint64_t fp)
{
	uint64_t period = fp_period(k), in_period = 0, in_rest = 0;
	for (uint64_t i = 0; i < period; i++) {
		bool is_first = tp_kernel_fp_first(k, i);
		in_period += is_first;
		in_rest += is_first && i < fp % period;
	}
	return fp / period * in_period + in_rest;
}

void tp_kernel_count(const struct tp_kernel *k, const struct tp_cpu *cpu,
		     struct tp_kernel_counts *counts)
{
	*counts = (struct tp_kernel_counts){ 0 };
	if (is_gauge(k)) {
		counts->other = tp_kernel_unroll(k);
	} else if (k->kind == TP_KERNEL_CHASE) {
		counts->loads = tp_kernel_unroll(k);
		counts->loaded_bytes = counts->loads * POINTER_BYTES;
	} else if (k->kind == TP_KERNEL_GATHER) {
		counts->other = k->gather->gathers;
		counts->loads = counts->other * k->gather->elements;
		counts->loaded_bytes = counts->loads * k->element_bytes;
	} else if (has_memory(k)) {
		uint64_t operand_bytes = tp_kernel_operand_bytes(k), accesses;
		unsigned tail = tp_kernel_tail_bytes(k), group = k->loads + k->stores;

		tp_kernel_accesses(k, &accesses, &counts->loads);
		counts->stores = accesses - counts->loads;
		counts->loaded_bytes = counts->loads * operand_bytes;
		counts->stored_bytes = counts->stores * operand_bytes;
		bool load_last = (accesses - 1) % group < k->loads;
		if (tail)
			*(load_last ? &counts->loaded_bytes : &counts->stored_bytes) -=
				operand_bytes - tail;
		if (k->kind == TP_KERNEL_MIXED)
			counts->fp = tp_kernel_fp_due(k, accesses);
	} else {
		counts->fp = tp_kernel_unroll(k);
	}
	if (!counts->fp)
		return;
	const struct tp_narrow *narrow = tp_narrow_of(k);
	if (narrow) {
		unsigned bytes = tp_kernel_operand_bytes(k),
			 sum_bytes = k->element_bytes == 8 ? 8 : 4;
		uint64_t columns = tp_narrow_is_outer(narrow) ? bytes / sum_bytes : narrow->columns;
		counts->flops = counts->fp * 2 * columns * bytes / k->element_bytes;
		return;
	}
	uint64_t fused = !tp_isa_fused(k->isa, cpu)  ? 0
			 : k->fp_op == TP_FP_FMA     ? counts->fp
			 : k->fp_op == TP_FP_FMA_ADD ? count_first(k, counts->fp)
						     : 0;
	counts->flops = (counts->fp + fused) * tp_kernel_operand_bytes(k) / k->element_bytes;
}

double tp_kernel_work(const struct tp_kernel *kernel, const struct tp_kernel_counts *counts)
{
	return counts->flops && !kernel->array
		       ? (double)counts->flops
		       : (double)(counts->loaded_bytes + counts->stored_bytes);
}

/* Of all architectures: a simulated machine may differ from this host's. */
static const struct tp_narrow_rows *const architectures[] = { &tp_x86_narrow, &tp_aarch64_narrow };

const struct tp_narrow *tp_narrow_row(const char *arch, size_t i)
{
	for (size_t a = 0; a < TP_COUNT_OF(architectures); a++)
		if (strcmp(architectures[a]->arch, arch) == 0 && i < architectures[a]->n)
			return &architectures[a]->rows[i];
	return NULL;
}

const struct tp_narrow *tp_narrow_find(const struct tp_isa *isa,
				       const struct tp_precision *precision, enum tp_fp_op op)
{
	const struct tp_narrow *row;
	for (size_t i = 0; (row = tp_narrow_row(isa->arch, i)); i++)
		if (row->op == op && strcmp(row->isa, isa->name) == 0 &&
		    strcmp(row->precision, precision->name) == 0)
			return row;
	return NULL;
}

const struct tp_narrow *tp_narrow_of(const struct tp_kernel *k)
{
	if (k->kind != TP_KERNEL_FP)
		return NULL;
	return tp_narrow_find(k->isa, tp_precision_of(k->element_bytes, k->format), k->fp_op);
}

enum tp_status tp_narrow_supported(const struct tp_narrow *row, const struct tp_cpu *cpu,
				   struct tp_diag *diag)
{
	char room[32];
	const char *word = tp_cpu_lacks(cpu, row->needs, room);
	if (!word)
		return TP_OK;
	return tp_fail(diag, TP_UNSUPPORTED, row->isa, "leave it out",
		       "%s %s in %s needs %s, which this CPU or kernel does not offer", row->isa,
		       tp_fp_op_name(row->op), row->precision, word);
}
