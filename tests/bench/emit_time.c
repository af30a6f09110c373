/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long it takes to emit the kernels of a full roofline. Prints, asserts nothing. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "kernels/arch.h"
#include "kernels/kernel.h"

enum { ROUNDS = 20, MAX_KERNELS = 64 };

static const uint64_t level_bytes[] = { 16 << 10, 256 << 10, 4 << 20, 128 << 20 };
static const enum tp_fp_op ops[] = { TP_FP_FMA, TP_FP_ADD, TP_FP_FMA_ADD };

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static size_t plan(const struct tp_cpu *cpu, struct tp_kernel *kernels)
{
	size_t n = 0;
	for (size_t i = 0; i < tp_isa_count; i++) {
		const struct tp_isa *isa = tp_isa_table[i];
		if (tp_isa_supported(isa, cpu, NULL) != TP_OK) {
			printf("without %s: this CPU does not have it\n", isa->name);
			continue;
		}
		for (size_t l = 0; l < TP_COUNT_OF(level_bytes) && n < MAX_KERNELS; l++)
			kernels[n++] = (struct tp_kernel){ .kind = TP_KERNEL_MEMORY,
							   .isa = isa,
							   .element_bytes = 8,
							   .loads = 2,
							   .stores = 1,
							   .working_set_bytes = level_bytes[l] };
		for (size_t o = 0; o < TP_COUNT_OF(ops) && n < MAX_KERNELS; o++)
			kernels[n++] = (struct tp_kernel){ .kind = TP_KERNEL_FP,
							   .isa = isa,
							   .element_bytes = 8,
							   .fp_op = ops[o] };
	}
	return n;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(void)
{
	struct tp_kernel kernels[MAX_KERNELS];
	struct tp_cpu cpu;
	struct tp_diag diag;
	double all[ROUNDS], each[MAX_KERNELS][ROUNDS];
	size_t code_bytes[MAX_KERNELS];
	if (!tp_arch_host()) {
		printf("no back end for this architecture\n");
		return 0;
	}
	tp_arch_host()->identify(&cpu);
	size_t n = plan(&cpu, kernels);
	for (size_t round = 0; round < ROUNDS; round++) {
		double begin = now_ms();
		for (size_t i = 0; i < n; i++) {
			struct tp_code code;
			double from = now_ms();
			if (tp_kernel_emit(&kernels[i], &cpu, &code, &diag) != TP_OK) {
				fprintf(stderr, "%s: %s\n", diag.where, diag.what);
				return EXIT_FAILURE;
			}
			each[i][round] = now_ms() - from;
			code_bytes[i] = code.bytes;
			tp_code_release(&code);
		}
		all[round] = now_ms() - begin;
	}
	qsort(all, ROUNDS, sizeof(*all), compare);
	printf("%-8s %-10s %12s %9s %9s %9s\n", "isa", "kernel", "bytes", "code", "best ms",
	       "median ms");
	for (size_t i = 0; i < n; i++) {
		char name[64];
		qsort(each[i], ROUNDS, sizeof(**each), compare);
		printf("%-8s %-10s %12llu %9zu %9.3f %9.3f\n", kernels[i].isa->name,
		       tp_kernel_name(&kernels[i], name, sizeof(name)),
		       (unsigned long long)kernels[i].working_set_bytes, code_bytes[i], each[i][0],
		       each[i][ROUNDS / 2]);
	}
	printf("%zu kernels: best %.3f ms, median %.3f ms of %d rounds\n", n, all[0],
	       all[ROUNDS / 2], ROUNDS);
	return EXIT_SUCCESS;
}
