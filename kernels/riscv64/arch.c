/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The riscv64 row of the architecture table. No ticks: the counter that programs may read runs at the rate of a timer, which clock_gettime turns
 * into nanoseconds. No flush: the cache instructions are a matter of the kernel's permission, so cold caches come from walking other memory.
 * No stepping: there is no trap after each instruction.
 */
#ifdef TP_ARCH_RISCV64

#include "kernels/riscv64/riscv64.h"

/* The hint PAUSE: a fence without effect where it is not known. */
static void relax(void)
{
	__asm__ volatile(".word 0x0100000f" : : : "memory");
}

/* Instruction fetch of all harts that run this program. */
static void sync_code(void *p, size_t bytes)
{
	__builtin___clear_cache((char *)p, (char *)p + bytes);
}

const struct tp_arch tp_arch_riscv64 = {
	.name = "riscv64",
	.identify = tp_riscv_identify,
	.relax = relax,
	.sync_code = sync_code,
	.emit_loop = tp_riscv_emit_loop,
	.emit_described = tp_riscv_emit_described,
	.disassemble = tp_riscv_disassemble,
};

#endif
