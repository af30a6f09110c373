/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The x86-64 row of the architecture table and its ISAs. Facts about the CPU come from CPUID and,
 * for what the kernel lets programs use, from XGETBV.
 */
#ifdef TP_ARCH_X86_64

#include <cpuid.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/memory.h"
#include "kernels/x86/x86.h"

enum reg { EAX, EBX, ECX, EDX };
enum xstate { NONE, YMM, ZMM, TILE };

/*
 * Names of features, as the kernel calls them: leaf, subleaf, register and bit of CPUID, and the
 * register state that the kernel must save. Kernels need the first ones; the others identify CPUs.
 */
static const struct {
	const char *name;
	unsigned leaf, subleaf;
	enum reg reg;
	unsigned bit;
	enum xstate state;
} features[] = {
	{ "sse2", 1, 0, EDX, 26, NONE },       { "sse4_1", 1, 0, ECX, 19, NONE },
	{ "avx", 1, 0, ECX, 28, YMM },	       { "fma", 1, 0, ECX, 12, YMM },
	{ "avx2", 7, 0, EBX, 5, YMM },	       { "avx512f", 7, 0, EBX, 16, ZMM },
	{ "avx512dq", 7, 0, EBX, 17, ZMM },    { "avx512bw", 7, 0, EBX, 30, ZMM },
	{ "avx512vl", 7, 0, EBX, 31, ZMM },    { "clflush", 1, 0, EDX, 19, NONE },
	{ "clflushopt", 7, 0, EBX, 23, NONE }, { "rdtscp", 0x80000001, 0, EDX, 27, NONE },
	{ "clwb", 7, 0, EBX, 24, NONE },       { "rdpid", 7, 0, ECX, 22, NONE },
	{ "gfni", 7, 0, ECX, 8, NONE },	       { "vaes", 7, 0, ECX, 9, YMM },
	{ "avx_vnni", 7, 1, EAX, 4, YMM },     { "avx512_vnni", 7, 0, ECX, 11, ZMM },
	{ "avx512vbmi", 7, 0, ECX, 1, ZMM },   { "avx512_bf16", 7, 1, EAX, 5, ZMM },
	{ "avx512_fp16", 7, 0, EDX, 23, ZMM }, { "avx512_vp2intersect", 7, 0, EDX, 8, ZMM },
	{ "amx_tile", 7, 0, EDX, 24, TILE },   { "amx_bf16", 7, 0, EDX, 22, TILE },
	{ "amx_int8", 7, 0, EDX, 25, TILE },   { "amx_fp16", 7, 1, EAX, 21, TILE },
};

static void subleaf(unsigned number, unsigned sub, unsigned out[4])
{
	out[EAX] = out[EBX] = out[ECX] = out[EDX] = 0;
	__get_cpuid_count(number, sub, &out[EAX], &out[EBX], &out[ECX], &out[EDX]);
}

static void leaf(unsigned number, unsigned out[4])
{
	subleaf(number, 0, out);
}

/*
 * A process has to ask Linux for tiles before it uses them, once for all its threads (Linux,
 * Documentation/arch/x86/xstate.rst). A process that does not use them pays nothing for that.
 */
static bool may_use_tiles(void)
{
	enum { ASK_FOR_STATE = 0x1023, TILE_DATA = 18 }; /* ARCH_REQ_XCOMP_PERM */
	return syscall(SYS_arch_prctl, ASK_FOR_STATE, TILE_DATA) == 0;
}

static enum xstate enabled_state(void)
{
	unsigned r[4];
	leaf(1, r);
	if (!(r[ECX] & (1u << 27))) /* OSXSAVE */
		return NONE;
	unsigned low, high;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	if ((low & 0x6) != 0x6)
		return NONE;
	if ((low & 0xe0) != 0xe0)
		return YMM;
	return (low & 0x60000) == 0x60000 && may_use_tiles() ? TILE : ZMM;
}

/* Text spread over registers, as vendor and hypervisor strings are. */
static void register_text(char *out, size_t size, unsigned a, unsigned b, unsigned c)
{
	char text[13] = { 0 };
	memcpy(text, &a, 4);
	memcpy(text + 4, &b, 4);
	memcpy(text + 8, &c, 4);
	tp_copy(out, size, text);
}

/* Hypervisors sign with twelve letters; these are their common names. */
static void hypervisor_name(char *out, size_t size)
{
	static const struct {
		const char *signature, *name;
	} known[] = {
		{ "KVMKVMKVM", "KVM" },		  { "VMwareVMware", "VMware" },
		{ "Microsoft Hv", "Hyper-V" },	  { "XenVMMXenVMM", "Xen" },
		{ "VBoxVBoxVBox", "VirtualBox" }, { "bhyve bhyve ", "bhyve" },
		{ "TCGTCGTCGTCG", "QEMU" },	  { "prl hyperv", "Parallels" },
	};
	unsigned h[4];
	__cpuid(0x40000000, h[EAX], h[EBX], h[ECX], h[EDX]);
	register_text(out, size, h[EBX], h[ECX], h[EDX]);
	for (size_t i = 0; i < TP_COUNT_OF(known); i++)
		if (strcmp(out, known[i].signature) == 0)
			tp_copy(out, size, known[i].name);
	if (!out[0])
		tp_copy(out, size, "unnamed");
}

static void brand_text(char *out, size_t size)
{
	unsigned r[12] = { 0 };
	unsigned highest[4];
	leaf(0x80000000, highest);
	if (highest[EAX] < 0x80000004) {
		tp_copy(out, size, "");
		return;
	}
	for (unsigned i = 0; i < 3; i++)
		leaf(0x80000002 + i, r + 4 * i);
	char text[49] = { 0 };
	memcpy(text, r, 48);
	const char *start = text;
	while (*start == ' ')
		start++;
	tp_copy(out, size, start);
	for (size_t n = strlen(out); n > 0 && out[n - 1] == ' '; n--)
		out[n - 1] = '\0';
}

static void identify(struct tp_cpu *cpu)
{
	unsigned r[4];
	*cpu = (struct tp_cpu){ .arch = "x86_64" };
	leaf(0, r);
	register_text(cpu->vendor, sizeof(cpu->vendor), r[EBX], r[EDX], r[ECX]);
	brand_text(cpu->brand, sizeof(cpu->brand));

	leaf(1, r);
	unsigned family = r[EAX] >> 8 & 0xf, model = r[EAX] >> 4 & 0xf;
	if (family == 6 || family == 15)
		model |= r[EAX] >> 12 & 0xf0;
	if (family == 15)
		family += r[EAX] >> 20 & 0xff;
	cpu->family = (int)family;
	cpu->model = (int)model;
	cpu->stepping = (int)(r[EAX] & 0xf);

	if (r[ECX] & (1u << 31))
		hypervisor_name(cpu->hypervisor, sizeof(cpu->hypervisor));

	leaf(0x80000007, r);
	cpu->invariant_counter = r[EDX] & (1u << 8);

	enum xstate state = enabled_state();
	for (size_t i = 0; i < TP_COUNT_OF(features); i++) {
		subleaf(features[i].leaf, features[i].subleaf, r);
		if (r[features[i].reg] & (1u << features[i].bit) && features[i].state <= state)
			tp_add_word(cpu->features, sizeof(cpu->features), features[i].name);
	}
}

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
	.identify = identify,
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
