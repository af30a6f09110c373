/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The x86-64 row of the architecture table and its ISAs. */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/x86.h"

#include <cpuid.h>
#include <x86intrin.h>

/*
 * Intel SDM, RDTSC: LFENCE before waits for earlier instructions, LFENCE after keeps later ones
 * out.
 */
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

/* Fifty times as fast as clflush, which waits for the one before. */
__attribute__((target("clflushopt"))) static void flush_unordered(const void *const *places,
								  size_t n, size_t bytes)
{
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < bytes; i += 64)
			_mm_clflushopt((char *)(uintptr_t)places[k] + i);
	_mm_mfence();
}

/* CPUID takes microseconds in a virtual machine: once for all places. */
static void flush_places(const void *const *places, size_t n, size_t bytes)
{
	unsigned a, b, c, d;
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_CLFLUSHOPT) {
		flush_unordered(places, n, bytes);
		return;
	}
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < bytes; i += 64)
			_mm_clflush((const char *)places[k] + i);
	_mm_mfence();
}

static void flush(const void *p, size_t bytes)
{
	flush_places(&p, 1, bytes);
}

const struct tp_arch tp_arch_x86_64 = {
	.name = "x86_64",
	.identify = tp_x86_identify,
	.ticks_begin = ticks_begin,
	.ticks_end = ticks_end,
	.relax = relax,
	.flush = flush,
	.flush_places = flush_places,
	.back_end = &tp_x86_back_end,
	.disassemble = tp_x86_disassemble,
	.decode = tp_x86_decode,
	.step = tp_x86_step,
	.nop_and_return = { 0x90, 0xc3 },
	.assembly = &tp_x86_assembly,
};

static bool fused(const struct tp_cpu *cpu)
{
	return tp_has_word(cpu->features, "avx") && tp_has_word(cpu->features, "fma");
}

#define ISA(isa, bytes, features, text, ...)                                                       \
	{                                                                                          \
		.name = (isa), .arch = "x86_64", .summary = (text), .needs = (features),           \
		.vector_bytes = (bytes), .fused = fused, .back_end = &tp_x86_back_end,             \
		.form = (bytes) ? TP_X86_VECTOR : TP_X86_SCALAR, __VA_ARGS__                       \
	}

const struct tp_isa tp_isa_scalar =
	ISA("scalar", 0, "sse2",
	    "one element per instruction in vector registers (VEX forms and FMA where the CPU has "
	    "them)");
const struct tp_isa tp_isa_sse =
	ISA("sse", 16, "sse2",
	    "128-bit vectors (VEX forms and FMA where the CPU has them, else SSE2 with mul + add)");
const struct tp_isa tp_isa_avx2 = ISA("avx2", 32, "avx avx2 fma", "256-bit vectors",
				      .gather_least_bytes = 16, .gather_most_bytes = 32);
const struct tp_isa tp_isa_avx512 =
	ISA("avx512", 64, "avx avx512f fma", "512-bit vectors, 32 registers",
	    .gather_least_bytes = 16, .gather_most_bytes = 64, .short_gathers_need = "avx512vl");

#endif
