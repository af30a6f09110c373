/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the CPU says of itself (CPUID) and what the kernel lets programs use (XGETBV). */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/x86.h"
#include "base/vec.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>

enum reg { EAX, EBX, ECX, EDX };
enum xstate { NONE, YMM, ZMM };

/* Feature words: CPUID leaf and register (subleaf 0), bit, the register state the kernel must save. */
static const struct {
	const char *name;
	unsigned leaf;
	enum reg reg;
	unsigned bit;
	enum xstate state;
} features[] = {
	{ "sse2", 1, EDX, 26, NONE },	    { "sse4_1", 1, ECX, 19, NONE },
	{ "avx", 1, ECX, 28, YMM },	    { "fma", 1, ECX, 12, YMM },
	{ "avx2", 7, EBX, 5, YMM },	    { "avx512f", 7, EBX, 16, ZMM },
	{ "avx512dq", 7, EBX, 17, ZMM },    { "avx512bw", 7, EBX, 30, ZMM },
	{ "avx512vl", 7, EBX, 31, ZMM },    { "clflush", 1, EDX, 19, NONE },
	{ "clflushopt", 7, EBX, 23, NONE }, { "rdtscp", 0x80000001, EDX, 27, NONE },
};

static void leaf(unsigned number, unsigned out[4])
{
	out[EAX] = out[EBX] = out[ECX] = out[EDX] = 0;
	__get_cpuid_count(number, 0, &out[EAX], &out[EBX], &out[ECX], &out[EDX]);
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
	return (low & 0xe0) == 0xe0 ? ZMM : YMM;
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

/* Hypervisors sign with twelve letters; people know them by other names. */
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

void tp_x86_identify(struct tp_cpu *cpu)
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
	struct tp_str list = { 0 };
	for (size_t i = 0; i < TP_COUNT_OF(features); i++) {
		leaf(features[i].leaf, r);
		if (!(r[features[i].reg] & (1u << features[i].bit)) || features[i].state > state)
			continue;
		tp_str_printf(&list, "%s%s", list.len ? " " : "", features[i].name);
	}
	tp_copy(cpu->features, sizeof(cpu->features), tp_str_text(&list));
	tp_str_release(&list);
}

#endif
