/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The names of all ISAs of all architectures, to read descriptions of other machines. The registry
 * (kernels/isa.h) has those of the architecture that the program is built for.
 */
#ifndef TPROF_KERNELS_ISA_NAMES_H
#define TPROF_KERNELS_ISA_NAMES_H

#include <stdbool.h>
#include <string.h>

static const struct tp_isa_name {
	const char *name;
	const char *arch; /* tp_cpu.arch; NULL: any. Names of one architecture stand together. */
	unsigned vector_bytes; /* at least; 0: one element */
	bool basic; /* every CPU of the architecture has it */
	bool apart; /* code enters a mode for it, or shares a unit: never the widest */
} tp_isa_names[] = {
	{ "scalar", NULL, 0, true, false },	   { "sse", "x86_64", 16, true, false },
	{ "avx2", "x86_64", 32, false, false },	   { "avx512", "x86_64", 64, false, false },
	{ "neon", "aarch64", 16, true, false },	   { "sve", "aarch64", 16, false, false },
	{ "sme", "aarch64", 16, false, true },	   { "rvv1.0", "riscv64", 16, false, false },
	{ "rvv0.7", "riscv64", 16, false, false },
};

/* Arithmetic works only on registers there; false for an unknown architecture (""). */
static inline bool tp_isa_load_store(const char *arch)
{
	return *arch && strcmp(arch, "x86_64") != 0;
}

#endif
