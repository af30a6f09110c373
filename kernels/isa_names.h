/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The names of all ISAs of all architectures, for those who read about other machines. The registry
 * (kernels/isa.h) has those of the architecture that the program is built for.
 */
#ifndef TPROF_KERNELS_ISA_NAMES_H
#define TPROF_KERNELS_ISA_NAMES_H

static const struct tp_isa_name {
	const char *name;
	const char *arch; /* tp_cpu.arch; NULL: any. Names of one architecture stand together. */
} tp_isa_names[] = {
	{ "scalar", NULL },	 { "sse", "x86_64" },	  { "avx2", "x86_64" },
	{ "avx512", "x86_64" },	 { "neon", "aarch64" },	  { "sve", "aarch64" },
	{ "rvv1.0", "riscv64" }, { "rvv0.7", "riscv64" },
};

#endif
