/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/kernel_list.h"

#include <stdlib.h>
#include <string.h>

enum {
	PAGE_BYTES = 4096,
	BUFFER_BYTES = 64 * 1024,
	GATHERED_AT = 16 * 1024, /* behind the data of a gather */
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

static void *new_data(size_t bytes, struct tp_diag *diag)
{
	size_t whole = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	void *data = aligned_alloc(PAGE_BYTES, whole ? whole : PAGE_BYTES);
	if (data)
		memset(data, 0, whole);
	else
		tp_fail(diag, TP_NOMEM, "self-test", NULL, "out of memory");
	return data;
}

static enum tp_status ready_row(const struct tp_app_kernel *kernel, const struct tp_cpu *cpu,
				struct tp_app_ready *ready, struct tp_diag *diag)
{
	struct tp_counting counting;
	enum tp_status status = tp_counting_make(kernel->family, kernel->row, cpu,
						 &tp_app_counting_machine, &counting, diag);
	if (status != TP_OK)
		return status;
	ready->data = new_data(counting.data_bytes, diag);
	status = ready->data ? counting.fill(&counting, ready->data, 1, diag) : TP_NOMEM;
	if (status == TP_OK) {
		ready->code = counting.code;
		return TP_OK;
	}
	free(ready->data);
	tp_counting_release(&counting);
	return status;
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
	struct tp_kernel k = tp_app_kernel_of(kernel);
	*ready = (struct tp_app_ready){ .data = NULL };
	if (kernel->family)
		return ready_row(kernel, cpu, ready, diag);
	enum tp_status status = tp_kernel_emit(&k, cpu, &ready->code, diag);
	if (status != TP_OK)
		return status;
	ready->data = new_data(BUFFER_BYTES, diag);
	if (ready->data) {
		fill(&k, ready->data);
		return TP_OK;
	}
	tp_code_release(&ready->code);
	return TP_NOMEM;
}

void tp_app_ready_release(struct tp_app_ready *ready)
{
	tp_code_release(&ready->code);
	free(ready->data);
}
