/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of kernels on the command line. Private to this room. */
#ifndef TPROF_CLI_DUMP_H
#define TPROF_CLI_DUMP_H

#include "base/str.h"
#include "kernels/kernel.h"

/*
 * Reads ISA:KERNEL[/single|/double][:SIZE] into a kernel with its default body. KERNEL is what
 * tp_kernel_name writes: load, store, 2ld1st, 2ld1st-nt, load-stride4, fma, mixed-fma-2ld1st-3:2,
 * chain. TP_USAGE says what is allowed and which name is near.
 */
enum tp_status tp_dump_parse(const char *text, struct tp_kernel *kernel, struct tp_diag *diag);

/* Header and assembly text of a kernel, whether this CPU (`cpu`) could run it or not. */
enum tp_status tp_dump_kernel(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
			      struct tp_str *out, struct tp_diag *diag);

#endif
