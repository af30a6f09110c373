/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The riscv64 row of the architecture table. It has no ticks: the counter that programs may read
 * runs at the rate of a timer, and clock_gettime turns it into nanoseconds. It has no flush: cache
 * instructions need permission by the kernel, so other memory is walked to make caches cold. It
 * has no stepping: no trap follows each instruction.
 */
#ifdef TP_ARCH_RISCV64

#include "kernels/riscv64/riscv64.h"

/* The hint PAUSE; a fence without effect on cores that do not know it. */
static void relax(void)
{
	__asm__ volatile(".word 0x0100000f" : : : "memory");
}

/* Covers all harts that run this program. */
static void sync_code(void *p, size_t bytes)
{
	__builtin___clear_cache((char *)p, (char *)p + bytes);
}

const struct tp_arch tp_arch_riscv64 = {
	.name = "riscv64",
	.identify = tp_riscv_identify,
	.relax = relax,
	.sync_code = sync_code,
	.back_end = &tp_riscv_back_end,
	.disassemble = tp_riscv_disassemble,
	.assembly = &tp_riscv_assembly,
};

#endif
