/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The x86-64 row of the architecture table and its ISAs. */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/x86.h"

#include <x86intrin.h>

/* Intel SDM, RDTSC: LFENCE before waits for earlier instructions, LFENCE after keeps later ones out. */
static uint64_t ticks_begin(void)
{
	_mm_mfence();
	_mm_lfence();
	uint64_t t = __rdtsc();
	_mm_lfence();
	return t;
}

static uint64_t ticks_end(void)
{
	unsigned aux;
	uint64_t t = __rdtscp(&aux);
	_mm_lfence();
	return t;
}

static void relax(void)
{
	_mm_pause();
}

static void flush(const void *p, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 64)
		_mm_clflush((const char *)p + i);
	_mm_mfence();
}

const struct tp_arch tp_arch_x86_64 = {
	.name = "x86_64",
	.identify = tp_x86_identify,
	.ticks_begin = ticks_begin,
	.ticks_end = ticks_end,
	.relax = relax,
	.flush = flush,
	.emit_loop = tp_x86_emit_loop,
	.emit_described = tp_x86_emit_described,
	.disassemble = tp_x86_disassemble,
	.decode = tp_x86_decode,
	.step = tp_x86_step,
	.nop_and_return = { 0x90, 0xc3 },
};

static bool fused(const struct tp_cpu *cpu)
{
	return tp_has_word(cpu->features, "avx") && tp_has_word(cpu->features, "fma");
}

const struct tp_isa tp_isa_scalar = {
	.name = "scalar",
	.arch = "x86_64",
	.summary = "one element per instruction in vector registers (VEX forms and FMA where the "
		   "CPU has them)",
	.needs = "sse2",
	.vector_bytes = 0,
	.fused = fused,
	.emit = tp_x86_emit,
};

const struct tp_isa tp_isa_sse = {
	.name = "sse",
	.arch = "x86_64",
	.summary = "128-bit vectors (VEX forms and FMA where the CPU has them, else SSE2 with mul "
		   "+ add)",
	.needs = "sse2",
	.vector_bytes = 16,
	.fused = fused,
	.emit = tp_x86_emit,
};

const struct tp_isa tp_isa_avx2 = {
	.name = "avx2",
	.arch = "x86_64",
	.summary = "256-bit vectors",
	.needs = "avx avx2 fma",
	.vector_bytes = 32,
	.fused = fused,
	.emit = tp_x86_emit,
};

const struct tp_isa tp_isa_avx512 = {
	.name = "avx512",
	.arch = "x86_64",
	.summary = "512-bit vectors, 32 registers",
	.needs = "avx avx512f fma",
	.vector_bytes = 64,
	.fused = fused,
	.emit = tp_x86_emit,
};

#endif
