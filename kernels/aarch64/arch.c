/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The aarch64 row of the architecture table and its ISAs. Sources of facts about kernel and CPU:
 * the auxiliary vector, the main ID register, the vector length.
 */
#ifdef TP_ARCH_AARCH64

#include <stdio.h>
#include <sys/auxv.h>

#include "base/str.h"
#include "base/memory.h"
#include "kernels/aarch64/aarch64.h"

/*
 * Bits of the auxiliary vector's words, from the kernel's description of them (arm64/elf_hwcaps).
 */
static const struct {
	const char *name;
	unsigned long word, bit;
} features[] = {
	{ "fp", AT_HWCAP, 0 },		{ "asimd", AT_HWCAP, 1 },
	{ "aes", AT_HWCAP, 3 },		{ "sha2", AT_HWCAP, 6 },
	{ "crc32", AT_HWCAP, 7 },	{ "atomics", AT_HWCAP, 8 },
	{ "fphp", AT_HWCAP, 9 },	{ "asimdhp", AT_HWCAP, 10 },
	{ "cpuid", AT_HWCAP, 11 },	{ "asimdrdm", AT_HWCAP, 12 },
	{ "fcma", AT_HWCAP, 14 },	{ "dcpop", AT_HWCAP, 16 },
	{ "asimddp", AT_HWCAP, 20 },	{ "sve", AT_HWCAP, 22 },
	{ "asimdfhm", AT_HWCAP, 23 },	{ "sb", AT_HWCAP, 29 },
	{ "sve2", AT_HWCAP2, 1 },	{ "svei8mm", AT_HWCAP2, 9 },
	{ "svebf16", AT_HWCAP2, 12 },	{ "i8mm", AT_HWCAP2, 13 },
	{ "bf16", AT_HWCAP2, 14 },	{ "wfxt", AT_HWCAP2, 31 },
	{ "sme", AT_HWCAP2, 23 },	{ "smef64f64", AT_HWCAP2, 25 },
	{ "smei8i32", AT_HWCAP2, 26 },	{ "smef16f32", AT_HWCAP2, 27 },
	{ "smeb16f32", AT_HWCAP2, 28 }, { "smef32f32", AT_HWCAP2, 29 },
};
enum { CPUID_BIT = 11, SVE_BIT = 22, SME_BIT = 23 };

/* Main ID register: implementer in bits 24-31, variant 20-23, part 4-15, revision 0-3. */
static const struct {
	unsigned implementer, part;
	const char *brand;
} parts[] = {
	{ 0x41, 0xd03, "Cortex-A53" },	  { 0x41, 0xd05, "Cortex-A55" },
	{ 0x41, 0xd07, "Cortex-A57" },	  { 0x41, 0xd08, "Cortex-A72" },
	{ 0x41, 0xd09, "Cortex-A73" },	  { 0x41, 0xd0b, "Cortex-A76" },
	{ 0x41, 0xd0c, "Neoverse N1" },	  { 0x41, 0xd40, "Neoverse V1" },
	{ 0x41, 0xd49, "Neoverse N2" },	  { 0x41, 0xd4f, "Neoverse V2" },
	{ 0x41, 0xd83, "Neoverse V3AE" }, { 0x41, 0xd84, "Neoverse V3" },
	{ 0x41, 0xd8e, "Neoverse N3" },	  { 0x42, 0x516, "ThunderX2" },
	{ 0x43, 0x0a1, "ThunderX" },	  { 0x43, 0x0af, "ThunderX2" },
	{ 0x46, 0x001, "A64FX" },	  { 0x48, 0xd01, "TaiShan v110" },
	{ 0x4e, 0x004, "Carmel" },	  { 0x61, 0x023, "Apple M1" },
	{ 0x61, 0x025, "Apple M1 Pro" },  { 0x61, 0x029, "Apple M1 Max" },
	{ 0x61, 0x033, "Apple M2" },	  { 0x61, 0x035, "Apple M2 Pro" },
	{ 0x61, 0x039, "Apple M2 Max" },  { 0x6d, 0xd49, "Azure Cobalt 100 (Neoverse N2)" },
	{ 0xc0, 0xac3, "AmpereOne" },	  { 0xc0, 0xac4, "AmpereOne" },
};

/*
 * The register is privileged. The kernel emulates it if it advertises cpuid, or has it in a file.
 * 0: unknown.
 */
static uint64_t main_id(void)
{
	uint64_t value = 0;
	unsigned long long text;
	if (getauxval(AT_HWCAP) & 1ul << CPUID_BIT) {
		__asm__ volatile("mrs %0, midr_el1" : "=r"(value));
		return value;
	}
	FILE *file = fopen("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "re");
	if (file && fscanf(file, "%llx", &text) == 1)
		value = text;
	if (file)
		fclose(file);
	return value;
}

/*
 * The vector length of this thread; 0 without SVE. RDVL x0, #1, as a number for assemblers without
 * SVE.
 */
static unsigned sve_bytes(void)
{
	register uint64_t bytes __asm__("x0") = 0;
	if (!(getauxval(AT_HWCAP) & 1ul << SVE_BIT))
		return 0;
	__asm__ volatile(".inst 0x04bf5020" : "=r"(bytes));
	return (unsigned)bytes;
}

/* That of streaming mode; 0 without SME. RDSVL x0, #1, in that mode or not. */
static unsigned sme_bytes(void)
{
	register uint64_t bytes __asm__("x0") = 0;
	if (!(getauxval(AT_HWCAP2) & 1ul << SME_BIT))
		return 0;
	__asm__ volatile(".inst 0x04bf5820" : "=r"(bytes));
	return (unsigned)bytes;
}

static void identify(struct tp_cpu *cpu)
{
	uint64_t id = main_id();
	unsigned implementer = id >> 24 & 0xff, part = id >> 4 & 0xfff;
	*cpu = (struct tp_cpu){ .arch = "aarch64",
				.family = -1,
				.model = -1,
				.stepping = -1,
				/* The generic timer: at a constant rate. */
				.invariant_counter = true };
	if (id) {
		cpu->model = (int)part;
		cpu->stepping = (int)((id >> 20 & 0xf) << 4 | (id & 0xf));
	}
	tp_copy(cpu->vendor, sizeof(cpu->vendor), tp_arm_vendor(implementer));
	for (size_t i = 0; i < TP_COUNT_OF(parts) && id; i++)
		if (parts[i].implementer == implementer && parts[i].part == part)
			tp_copy(cpu->brand, sizeof(cpu->brand), parts[i].brand);
	if (id && !cpu->vendor[0])
		snprintf(cpu->vendor, sizeof(cpu->vendor), "implementer 0x%02x", implementer);
	if (id && !cpu->brand[0])
		snprintf(cpu->brand, sizeof(cpu->brand), "part 0x%03x of %s", part, cpu->vendor);
	if (!id)
		tp_copy(cpu->brand, sizeof(cpu->brand), "unknown: the kernel hides its identity");

	for (size_t i = 0; i < TP_COUNT_OF(features); i++)
		if (getauxval(features[i].word) & 1ul << features[i].bit)
			tp_add_word(cpu->features, sizeof(cpu->features), features[i].name);
	char length[16];
	snprintf(length, sizeof(length), "sve-%u", sve_bytes() * 8);
	if (sve_bytes())
		tp_add_word(cpu->features, sizeof(cpu->features), length);
}

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
	/* Smallest data line: 2^n words of 4 bytes. */
	size_t line = (size_t)4 << (type >> 16 & 0xf);
	uintptr_t at = (uintptr_t)p & ~(line - 1), end = (uintptr_t)p + bytes;
	for (; at < end; at += line)
		__asm__ volatile("dc civac, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb ish\n\tisb" : : : "memory");
}

const struct tp_arch tp_arch_aarch64 = {
	.name = "aarch64",
	.identify = identify,
	.ticks_begin = ticks,
	.ticks_end = ticks,
	.relax = relax,
	.flush = flush,
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
	unsigned bytes = sve_bytes();
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
	unsigned bytes = sme_bytes();
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
