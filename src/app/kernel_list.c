/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/kernel_list.h"
#include "base/memory.h"
#include "kernels/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	WORKING_SET_BYTES = 12 * 1024, /* several rounds of the inner loop */
	GATHERS = 5 * TP_GATHER_GROUP,
	POINTER_BYTES = 8,
};

/* Adds it if it makes sense and this CPU has what it needs. */
static struct tp_app_kernel *add(struct tp_app_kernels *list, const struct tp_kernel *kernel,
				 const char *precision, const char *more)
{
	char name[64];
	if (list->n == TP_COUNT_OF(list->items) || tp_kernel_check(kernel, NULL) != TP_OK)
		return NULL;
	struct tp_app_kernel *item = &list->items[list->n++];
	item->kernel = *kernel;
	snprintf(item->name, sizeof(item->name), "%s%s%s %s%s", kernel->isa->name,
		 *precision ? " " : "", precision, tp_kernel_name(kernel, name, sizeof(name)),
		 more);
	return item;
}

static void add_fp(struct tp_app_kernels *list, struct tp_kernel kernel, const char *precision)
{
	static const enum tp_fp_op ops[] = { TP_FP_ADD, TP_FP_MUL, TP_FP_DIV, TP_FP_FMA,
					     TP_FP_FMA_ADD };
	kernel.kind = TP_KERNEL_FP;
	for (size_t i = 0; i < TP_COUNT_OF(ops); i++) {
		kernel.fp_op = ops[i];
		add(list, &kernel, precision, "");
	}
}

static void add_memory(struct tp_app_kernels *list, struct tp_kernel kernel, const char *precision)
{
	static const struct {
		unsigned loads, stores;
		bool nontemporal;
		unsigned stride;
		struct tp_body body;
		const char *more;
	} rows[] = {
		{ 1, 0, false, 1, { 0 }, "" },
		{ 0, 1, false, 1, { 0 }, "" },
		{ 0, 1, true, 1, { 0 }, "" },
		{ 2, 1, false, 1, { 0 }, "" },
		{ 2, 1, false, 1, { .unroll = 64, .two_streams = true }, " two-streams" },
		{ 1, 0, false, 1, { .unroll = 64, .lanes = 4 }, " 4 lanes" },
		{ 1, 1, false, 3, { 0 }, "" },
	};
	kernel.working_set_bytes = WORKING_SET_BYTES;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		kernel.kind = TP_KERNEL_MEMORY;
		kernel.loads = rows[i].loads;
		kernel.stores = rows[i].stores;
		kernel.nontemporal = rows[i].nontemporal;
		kernel.stride = rows[i].stride;
		kernel.body = rows[i].body;
		add(list, &kernel, precision, rows[i].more);
	}
}

static void add_mixed(struct tp_app_kernels *list, struct tp_kernel kernel, const char *precision)
{
	kernel.kind = TP_KERNEL_MIXED;
	kernel.working_set_bytes = WORKING_SET_BYTES;
	kernel.fp_op = TP_FP_FMA;
	kernel.loads = kernel.fp_count = kernel.mem_count = 1;
	add(list, &kernel, precision, "");
	kernel.fp_op = TP_FP_ADD;
	kernel.loads = kernel.mem_count = 2;
	kernel.stores = 1;
	kernel.fp_count = 3;
	add(list, &kernel, precision, "");
}

static void add_gathers(struct tp_app_kernels *list, struct tp_kernel kernel, const char *precision,
			const struct tp_cpu *cpu)
{
	kernel.kind = TP_KERNEL_GATHER;
	for (unsigned bytes = 16; bytes <= 64; bytes *= 2)
		for (unsigned masked = 0; masked < 2; masked++) {
			struct tp_gather gather = { .vector_bytes = bytes,
						    .masked = masked,
						    .gathers = GATHERS };
			char more[48];
			gather.elements = bytes / kernel.element_bytes - masked;
			for (unsigned i = 0; i < gather.elements; i++)
				gather.index[i] = 3 * i;
			if (tp_gather_supported(kernel.isa, bytes, cpu, NULL) != TP_OK)
				continue;
			kernel.gather = &gather;
			snprintf(more, sizeof(more), " of %u in %u bytes%s", gather.elements, bytes,
				 masked ? " masked" : "");
			struct tp_app_kernel *item = add(list, &kernel, precision, more);
			if (item) {
				item->gather = gather;
				item->kernel.gather = NULL;
			}
		}
}

static void add_narrow(struct tp_app_kernels *list, const struct tp_isa *isa,
		       const struct tp_cpu *cpu)
{
	const struct tp_narrow *row;
	for (size_t i = 0; (row = tp_narrow_row(isa->arch, i)); i++) {
		const struct tp_precision *precision = tp_precision_find(row->precision);
		if (strcmp(row->isa, isa->name) != 0 || !precision ||
		    tp_narrow_supported(row, cpu, NULL) != TP_OK)
			continue;
		struct tp_kernel kernel = { .kind = TP_KERNEL_FP,
					    .isa = isa,
					    .element_bytes = precision->element_bytes,
					    .format = precision->format,
					    .fp_op = row->op };
		add(list, &kernel, row->precision, "");
	}
}

static void add_counting(struct tp_app_kernels *list, enum tp_family_id id)
{
	const struct tp_family *family = tp_family_table[id];
	char name[64];
	for (unsigned row = 0; row < family->n_rows && list->n < TP_COUNT_OF(list->items); row++) {
		struct tp_app_kernel *item = &list->items[list->n++];
		*item = (struct tp_app_kernel){ .family = family, .row = row };
		snprintf(item->name, sizeof(item->name), "%s: %s", family->name,
			 tp_family_row_name(family, row, name, sizeof(name)));
	}
}

void tp_app_kernels_list(const struct tp_isa *isa, const struct tp_cpu *cpu,
			 struct tp_app_kernels *list)
{
	static const enum tp_kernel_kind gauges[] = { TP_KERNEL_CHASE, TP_KERNEL_CHAIN,
						      TP_KERNEL_WIDTH };
	*list = (struct tp_app_kernels){ .n = 0 };
	if (!isa) {
		add_counting(list, TP_FAMILY_BRANCH);
		add_counting(list, TP_FAMILY_INSTRUCTIONS);
		return;
	}
	for (size_t i = 0; i < TP_PRECISIONS; i++) {
		const struct tp_precision *precision = &tp_precision_table[i];
		struct tp_kernel kernel = { .isa = isa,
					    .element_bytes = precision->element_bytes,
					    .format = precision->format };
		if (tp_precision_is_narrow(precision))
			continue;
		add_fp(list, kernel, precision->name);
		add_memory(list, kernel, precision->name);
		add_mixed(list, kernel, precision->name);
		add_gathers(list, kernel, precision->name, cpu);
	}
	add_narrow(list, isa, cpu);
	for (size_t i = 0; i < TP_COUNT_OF(gauges); i++)
		add(list,
		    &(struct tp_kernel){
			    .kind = gauges[i], .isa = isa, .element_bytes = POINTER_BYTES },
		    "", "");
}

/* The description to emit; it points into `kernel`. */
static struct tp_kernel app_kernel_of(const struct tp_app_kernel *kernel)
{
	struct tp_kernel k = kernel->kernel;
	if (k.kind == TP_KERNEL_GATHER)
		k.gather = &kernel->gather;
	return k;
}

void tp_app_kernel_region(const struct tp_app_kernel *kernel, unsigned passes, char *out,
			  size_t size)
{
	snprintf(out, size, "%s x%u", kernel->name, passes);
}

/* --- what a pass does --- */

static void know(struct tp_app_expected *e, enum tp_mix_index what, uint64_t n)
{
	e->known[what] = true;
	e->mix[what] = n;
}

/* Kinds and FLOPs: of the FP instructions some are fused. */
static void expect_fp(const struct tp_kernel *k, const struct tp_kernel_counts *counts,
		      struct tp_app_expected *e)
{
	bool single = k->element_bytes == 4, narrow = k->element_bytes < 4;
	unsigned vector = tp_isa_vector_bytes(k->isa);
	unsigned width = vector == 64 ? 3 : vector == 32 ? 2 : vector == 16 ? 1 : 0;
	uint64_t per_instruction = tp_kernel_operand_bytes(k) / k->element_bytes;
	for (unsigned i = TP_MIX_FP_SP_SCALAR; i <= TP_MIX_X87; i++)
		know(e, i, 0);
	for (unsigned i = TP_MIX_FLOPS_SP; i <= TP_MIX_FLOPS_X87; i++)
		know(e, i, 0);
	know(e, TP_MIX_MASKED, 0);
	if (!counts->fp)
		return;
	if (narrow && k->format == TP_FORMAT_INTEGER) { /* operations, but no floating-point ones */
		know(e, TP_MIX_VECTOR_INT, counts->fp);
	} else if (narrow) {
		know(e, TP_MIX_FP_HALF, counts->fp);
		know(e, TP_MIX_FLOPS_HALF, counts->flops);
	} else {
		uint64_t fused = counts->flops / per_instruction - counts->fp;
		know(e, (single ? TP_MIX_FMA_SP_SCALAR : TP_MIX_FMA_DP_SCALAR) + width, fused);
		know(e, (single ? TP_MIX_FP_SP_SCALAR : TP_MIX_FP_DP_SCALAR) + width,
		     counts->fp - fused);
		know(e, single ? TP_MIX_FLOPS_SP : TP_MIX_FLOPS_DP, counts->flops);
	}
}

void tp_app_kernel_expect(const struct tp_app_kernel *kernel, const struct tp_cpu *cpu,
			  struct tp_app_expected *e)
{
	struct tp_kernel k = app_kernel_of(kernel);
	struct tp_kernel_counts counts;
	bool gathers = k.kind == TP_KERNEL_GATHER;
	*e = (struct tp_app_expected){ 0 };
	if (kernel->family) {
		struct tp_counting counting;

		if (tp_counting_make(kernel->family, kernel->row, cpu, &tp_app_counting_machine,
				     &counting, NULL) == TP_OK) {
			know(e, TP_MIX_INSTRUCTIONS, counting.instructions);
			tp_counting_release(&counting);
		}
		return;
	}
	tp_kernel_count(&k, cpu, &counts);
	expect_fp(&k, &counts, e);
	/* A gather reads its base from the list; a pass begins by reading where the list is. */
	know(e, TP_MIX_LOADS, gathers ? 2 * counts.other + 1 : counts.loads);
	know(e, TP_MIX_BYTES_LOADED,
	     counts.loaded_bytes + (gathers ? (counts.other + 1) * POINTER_BYTES : 0));
	know(e, TP_MIX_STORES, counts.stores);
	know(e, TP_MIX_BYTES_STORED, counts.stored_bytes);
	know(e, TP_MIX_GATHERS, gathers ? counts.other : 0);
	know(e, TP_MIX_SCATTERS, 0);
	if (k.kind == TP_KERNEL_MEMORY || k.kind == TP_KERNEL_MIXED || gathers)
		return; /* how they walk is not a part of their description */
	/* A pass ends with a subtraction and a branch. */
	know(e, TP_MIX_BRANCHES, 1);
	know(e, TP_MIX_INT,
	     1 + (k.kind == TP_KERNEL_CHASE ? counts.loads
		  : counts.fp		    ? 0
					    : counts.other));
	know(e, TP_MIX_INSTRUCTIONS, 2 + counts.fp + counts.loads + counts.other);
}

enum {
	PAGE_BYTES = 4096,
	BUFFER_BYTES = 64 * 1024,
	GATHERED_AT = 16 * 1024, /* after the data of a gather */
	BASES_AT = 48 * 1024,
};

/* Small caches and a short stream of branches: a pass is some thousand instructions. */
const struct tp_counting_machine tp_app_counting_machine = {
	.cache_bytes = { 0, 32 * 1024, 256 * 1024, 1024 * 1024 },
	.icache_bytes = 32 * 1024,
	.line_bytes = 64,
	.page_bytes = PAGE_BYTES,
	.stream_log2 = 6,
};

static void *new_data(size_t bytes)
{
	size_t whole = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	void *data = aligned_alloc(PAGE_BYTES, whole ? whole : PAGE_BYTES);
	if (!data)
		tp_out_of_memory();
	return memset(data, 0, whole);
}

static enum tp_status ready_row(const struct tp_app_kernel *kernel, const struct tp_cpu *cpu,
				struct tp_app_ready *ready, struct tp_diag *diag)
{
	struct tp_counting counting;
	enum tp_status status = tp_counting_make(kernel->family, kernel->row, cpu,
						 &tp_app_counting_machine, &counting, diag);
	if (status != TP_OK)
		return status;
	ready->data = new_data(counting.data_bytes);
	counting.fill(&counting, ready->data, 1);
	ready->code = counting.code;
	return TP_OK;
}

/* What the kernel walks, follows, gathers from or computes with. */
static void fill(const struct tp_kernel *kernel, void *data)
{
	unsigned char *buffer = data;
	if (kernel->kind == TP_KERNEL_CHASE) { /* a pointer to itself, and the cell before it */
		void **cell = data, **first = cell + 8;
		*first = first;
		*cell = first;
	} else if (kernel->kind == TP_KERNEL_GATHER) {
		const void **bases = (const void **)(buffer + BASES_AT);
		for (unsigned i = 0; i < kernel->gather->gathers; i++)
			bases[i] = buffer + GATHERED_AT;
		tp_gather_fill(kernel->gather, kernel->element_bytes, bases, data);
	}
}

enum tp_status tp_app_kernel_ready(const struct tp_app_kernel *kernel, const struct tp_cpu *cpu,
				   struct tp_app_ready *ready, struct tp_diag *diag)
{
	struct tp_kernel k = app_kernel_of(kernel);
	*ready = (struct tp_app_ready){ .data = NULL };
	if (kernel->family)
		return ready_row(kernel, cpu, ready, diag);
	enum tp_status status = tp_kernel_emit(&k, cpu, &ready->code, diag);
	if (status != TP_OK)
		return status;
	ready->data = new_data(BUFFER_BYTES);
	fill(&k, ready->data);
	return TP_OK;
}

void tp_app_ready_release(struct tp_app_ready *ready)
{
	tp_code_release(&ready->code);
	free(ready->data);
}
