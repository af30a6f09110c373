/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What kernel and CPU say about themselves: the auxiliary vector, the main ID register, the vector
 * length.
 */
#ifdef TP_ARCH_AARCH64

#include "kernels/aarch64/aarch64.h"
#include "base/str.h"
#include "base/memory.h"

#include <stdio.h>
#include <sys/auxv.h>

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

/*
 * Main ID register: implementer in bits 24-31, variant 20-23, part 4-15, revision 0-3. Names as on
 * the companies' sheets.
 */
static const struct {
	unsigned implementer;
	const char *vendor;
} vendors[] = {
	{ 0x41, "ARM" },       { 0x42, "Broadcom" },  { 0x43, "Cavium" }, { 0x46, "FUJITSU" },
	{ 0x48, "HiSilicon" }, { 0x4e, "NVIDIA" },    { 0x50, "APM" },	  { 0x51, "Qualcomm" },
	{ 0x61, "Apple" },     { 0x6d, "Microsoft" }, { 0xc0, "Ampere" },
};
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
 * The register is privileged. The kernel answers for it if it says so (cpuid), or in a file. 0:
 * unknown.
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

/* RDVL x0, #1, as a number for assemblers that do not know SVE. */
unsigned tp_aarch64_sve_bytes(void)
{
	register uint64_t bytes __asm__("x0") = 0;
	if (!(getauxval(AT_HWCAP) & 1ul << SVE_BIT))
		return 0;
	__asm__ volatile(".inst 0x04bf5020" : "=r"(bytes));
	return (unsigned)bytes;
}

/* RDSVL x0, #1: in and outside streaming mode. */
unsigned tp_aarch64_sme_bytes(void)
{
	register uint64_t bytes __asm__("x0") = 0;
	if (!(getauxval(AT_HWCAP2) & 1ul << SME_BIT))
		return 0;
	__asm__ volatile(".inst 0x04bf5820" : "=r"(bytes));
	return (unsigned)bytes;
}

void tp_aarch64_identify(struct tp_cpu *cpu)
{
	uint64_t id = main_id();
	unsigned implementer = id >> 24 & 0xff, part = id >> 4 & 0xfff;
	*cpu = (struct tp_cpu){ .arch = "aarch64",
				.family = -1,
				.model = -1,
				.stepping = -1,
				/* The generic timer: one rate, whatever the core does. */
				.invariant_counter = true };
	if (id) {
		cpu->model = (int)part;
		cpu->stepping = (int)((id >> 20 & 0xf) << 4 | (id & 0xf));
	}
	for (size_t i = 0; i < TP_COUNT_OF(vendors) && id; i++)
		if (vendors[i].implementer == implementer)
			tp_copy(cpu->vendor, sizeof(cpu->vendor), vendors[i].vendor);
	for (size_t i = 0; i < TP_COUNT_OF(parts) && id; i++)
		if (parts[i].implementer == implementer && parts[i].part == part)
			tp_copy(cpu->brand, sizeof(cpu->brand), parts[i].brand);
	if (id && !cpu->vendor[0])
		snprintf(cpu->vendor, sizeof(cpu->vendor), "implementer 0x%02x", implementer);
	if (id && !cpu->brand[0])
		snprintf(cpu->brand, sizeof(cpu->brand), "part 0x%03x of %s", part, cpu->vendor);
	if (!id)
		tp_copy(cpu->brand, sizeof(cpu->brand), "unknown: the kernel hides its identity");

	struct tp_str list = { 0 };
	for (size_t i = 0; i < TP_COUNT_OF(features); i++)
		if (getauxval(features[i].word) & 1ul << features[i].bit)
			tp_str_printf(&list, "%s%s", list.len ? " " : "", features[i].name);
	if (tp_aarch64_sve_bytes())
		tp_str_printf(&list, " sve-%u", tp_aarch64_sve_bytes() * 8);
	tp_copy(cpu->features, sizeof(cpu->features), tp_str_text(&list));
	tp_str_release(&list);
}

#endif
