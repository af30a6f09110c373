/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/arrays.h"

#include <string.h>

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
