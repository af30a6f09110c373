/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the CPU reports about itself, as plain data. The architecture folders under kernels/ fill it
 * in, so no other room knows an instruction set; the machine room and the ISA table only read it.
 */
#ifndef TPROF_BASE_CPU_H
#define TPROF_BASE_CPU_H

#include <stdbool.h>

struct tp_cpu {
	char arch[16]; /* "x86_64", "aarch64", "riscv64" */
	char vendor[32]; /* "AuthenticAMD", "GenuineIntel", ... or empty */
	char brand[64]; /* marketing name, or empty */
	int family, model, stepping; /* display (extended) values on x86; -1 if missing */
	/*
	 * space-separated names that both CPU and kernel support: "sse2 avx avx2 fma avx512f ..."
	 */
	char features[512];
	char hypervisor[32]; /* vendor of the hypervisor, or empty on bare metal */
	bool invariant_counter; /* the cycle counter ticks at a constant rate in all power states */
};

#endif
