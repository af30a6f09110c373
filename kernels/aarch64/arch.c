/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The aarch64 row of the architecture table and its ISAs. */
#ifdef TP_ARCH_AARCH64

#include "kernels/aarch64/aarch64.h"

enum { LEAST_SVE_BYTES = 16 };

/* ISB before waits for earlier instructions, ISB after keeps later ones out. */
static uint64_t ticks(void)
{
	uint64_t value;
	__asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(value) : : "memory");
	return value;
}

/* YIELD does nothing on most cores; ISB holds the front end for a few dozen cycles. */
static void relax(void)
{
	__asm__ volatile("isb" : : : "memory");
}

static void flush(const void *p, size_t bytes)
{
	uint64_t type;
	__asm__("mrs %0, ctr_el0" : "=r"(type));
	size_t line = (size_t)4 << (type >> 16 & 0xf); /* smallest data line: 2^n words */
	uintptr_t at = (uintptr_t)p & ~(line - 1), end = (uintptr_t)p + bytes;
	for (; at < end; at += line)
		__asm__ volatile("dc civac, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb ish\n\tisb" : : : "memory");
}

static void sync_code(void *p, size_t bytes)
{
	__builtin___clear_cache((char *)p, (char *)p + bytes);
}

const struct tp_arch tp_arch_aarch64 = {
	.name = "aarch64",
	.identify = tp_aarch64_identify,
	.ticks_begin = ticks,
	.ticks_end = ticks,
	.relax = relax,
	.flush = flush,
	.sync_code = sync_code,
	.back_end = &tp_aarch64_back_end,
	.disassemble = tp_aarch64_disassemble,
	.assembly = &tp_aarch64_assembly,
};

#define ISA(isa, feature, of, text)                                                                \
	.name = (isa), .arch = "aarch64", .summary = (text), .needs = (feature),                   \
	.back_end = &tp_aarch64_back_end, .form = (of)

const struct tp_isa tp_isa_scalar = {
	ISA("scalar", "fp", TP_AARCH64_SCALAR, "one element per instruction in vector registers"),
	.least_nontemporal_bytes = TP_AARCH64_LEAST_NT_BYTES,
};
const struct tp_isa tp_isa_neon = {
	ISA("neon", "asimd", TP_AARCH64_NEON, "128-bit vectors, 32 registers"),
	.vector_bytes = 16,
};

/* Without SVE the code can still be shown, for the shortest vectors. */
static unsigned vector_length_bytes(void)
{
	unsigned bytes = tp_aarch64_sve_bytes();
	return bytes ? bytes : LEAST_SVE_BYTES;
}

const struct tp_isa tp_isa_sve = {
	ISA("sve", "sve", TP_AARCH64_SVE, "vectors as long as this CPU has them, 32 registers"),
	.vector_bytes = LEAST_SVE_BYTES,
	.vector_length_bytes = vector_length_bytes,
	.short_tail = true,
};

static unsigned streaming_length_bytes(void)
{
	unsigned bytes = tp_aarch64_sme_bytes();
	return bytes ? bytes : LEAST_SVE_BYTES;
}

const struct tp_isa tp_isa_sme = {
	ISA("sme", "sme", TP_AARCH64_SME,
	    "vectors of streaming mode, and outer products into a matrix"),
	.vector_bytes = LEAST_SVE_BYTES,
	.vector_length_bytes = streaming_length_bytes,
	.short_tail = true,
};

#endif
