/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program that the self-test counts: it runs each kernel of an ISA twice, with few passes and
 * with more of them, each time in a region of its own.
 *
 *     tprof-subject ISA
 *
 * Exit codes are those of tprof; 3 if this CPU, or the emulated one, has no such ISA. A line of
 * output for each kernel that was run says its name.
 */
#include "app/kernel_list.h"
#include "include/tprof_roi.h"
#include "kernels/arch.h"
#include "kernels/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096, BUFFER_BYTES = 64 * 1024 };

/* What the kernel walks, follows, gathers from or computes with. */
static void *data_for(const struct tp_kernel *kernel, unsigned char *buffer)
{
	static const void *bases[64];
	static struct tp_gather_data gather;
	memset(buffer, 0, BUFFER_BYTES);
	if (kernel->kind == TP_KERNEL_CHASE) { /* a pointer to itself, and the cell before it */
		void **cell = (void **)buffer, **first = cell + 8;
		*first = first;
		*cell = first;
	} else if (kernel->kind == TP_KERNEL_GATHER) {
		for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
			bases[i] = buffer;
		tp_gather_fill(kernel->gather, kernel->element_bytes, bases, &gather);
		return &gather;
	}
	return buffer;
}

static void run(const struct tp_app_kernel *kernel, const struct tp_code *code, void *data,
		unsigned passes)
{
	char region[TP_APP_KERNEL_NAME + 16];
	tp_app_kernel_region(kernel, passes, region, sizeof(region));
	tprof_roi_begin(region);
	tp_code_function(code)(data, passes);
	tprof_roi_end(region);
}

static int run_all(const struct tp_app_kernels *list, const struct tp_cpu *cpu,
		   unsigned char *buffer)
{
	for (size_t i = 0; i < list->n; i++) {
		struct tp_kernel kernel = tp_app_kernel_of(&list->items[i]);
		struct tp_code code;
		struct tp_diag diag;
		if (tp_kernel_emit(&kernel, cpu, &code, &diag) != TP_OK) {
			fprintf(stderr, "tprof-subject: %s: %s\n", list->items[i].name, diag.what);
			return TP_EXIT_FAILED;
		}
		void *data = data_for(&kernel, buffer);
		run(&list->items[i], &code, data, TP_APP_PASSES_FEW);
		run(&list->items[i], &code, data, TP_APP_PASSES_MANY);
		tp_code_release(&code);
		printf("%s\n", list->items[i].name);
	}
	return fflush(stdout) == 0 ? TP_EXIT_OK : TP_EXIT_FAILED;
}

int main(int argc, char **argv)
{
	static struct tp_app_kernels list;
	struct tp_cpu cpu;
	struct tp_diag diag;
	const struct tp_isa *isa = argc == 2 ? tp_isa_find(argv[1]) : NULL;
	if (!isa) {
		fprintf(stderr, "usage: tprof-subject ISA\n");
		return TP_EXIT_USAGE;
	}
	tp_arch_identify(&cpu);
	if (tp_isa_supported(isa, &cpu, &diag) != TP_OK) {
		fprintf(stderr, "tprof-subject: %s\n", diag.what);
		return TP_EXIT_SKIPPED;
	}
	tp_app_kernels_list(isa, &cpu, &list);
	unsigned char *buffer = aligned_alloc(PAGE_BYTES, BUFFER_BYTES);
	if (!buffer) {
		fprintf(stderr, "tprof-subject: out of memory\n");
		return TP_EXIT_RESOURCE;
	}
	int code = run_all(&list, &cpu, buffer);
	free(buffer);
	return code;
}
