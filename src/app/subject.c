/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program that the self-test counts: it runs each kernel of an ISA, or each counting row,
 * twice, with few passes and with more of them, each time in a separate region.
 *
 *     tprof-subject ISA|counting
 *
 * Exit codes are those of tprof; 3 if this CPU, or the emulated one, lacks the ISA. It prints the
 * name of each kernel that it ran on a line.
 */
#include "app/kernel_list.h"
#include "include/tprof_roi.h"
#include "kernels/arch.h"
#include "kernels/isa.h"

#include <stdio.h>
#include <string.h>

static void run(const struct tp_app_kernel *kernel, const struct tp_app_ready *ready,
		unsigned passes)
{
	char region[TP_APP_KERNEL_NAME + 16];
	tp_app_kernel_region(kernel, passes, region, sizeof(region));
	tprof_roi_begin(region);
	tp_code_function (&ready->code)(ready->data, passes);
	tprof_roi_end(region);
}

static int run_all(const struct tp_app_kernels *list, const struct tp_cpu *cpu)
{
	for (size_t i = 0; i < list->n; i++) {
		struct tp_app_ready ready;
		struct tp_diag diag;
		if (tp_app_kernel_ready(&list->items[i], cpu, &ready, &diag) != TP_OK) {
			fprintf(stderr, "tprof-subject: %s: %s\n", list->items[i].name, diag.what);
			return TP_EXIT_FAILED;
		}
		run(&list->items[i], &ready, TP_APP_PASSES_FEW);
		run(&list->items[i], &ready, TP_APP_PASSES_MANY);
		tp_app_ready_release(&ready);
		printf("%s\n", list->items[i].name);
	}
	return fflush(stdout) == 0 ? TP_EXIT_OK : TP_EXIT_FAILED;
}

int main(int argc, char **argv)
{
	static struct tp_app_kernels list;
	struct tp_cpu cpu;
	struct tp_diag diag;
	bool counting = argc == 2 && strcmp(argv[1], TP_APP_COUNTING) == 0;
	const struct tp_isa *isa = argc == 2 ? tp_isa_find(argv[1]) : NULL;
	if (!isa && !counting) {
		fprintf(stderr, "usage: tprof-subject ISA|" TP_APP_COUNTING "\n");
		return TP_EXIT_USAGE;
	}
	tp_arch_identify(&cpu);
	if (isa && tp_isa_supported(isa, &cpu, &diag) != TP_OK) {
		fprintf(stderr, "tprof-subject: %s\n", diag.what);
		return TP_EXIT_SKIPPED;
	}
	tp_app_kernels_list(isa, &cpu, &list);
	return run_all(&list, &cpu);
}
