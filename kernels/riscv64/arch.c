/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The riscv64 row of the architecture table and its ISAs. It has no ticks: the counter that
 * programs may read runs at the rate of a timer, and clock_gettime turns it into nanoseconds. It
 * has no flush: cache instructions need permission by the kernel, so other memory is walked to make
 * caches cold. It has no stepping: no trap follows each instruction.
 *
 * Facts about the CPU come from the kernel: riscv_hwprobe (Linux 6.4), else the letters of
 * AT_HWCAP. Nothing is tried out. /proc/cpuinfo gives the name. It is also the last resort for
 * vectors of version 0.7.1 by T-Head: kernels by T-Head have no riscv_hwprobe and set the letter V
 * for them.
 */
#include "kernels/riscv64/riscv64.h"

#ifdef TP_ARCH_RISCV64

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"

/* Documentation/arch/riscv/hwprobe.rst. The headers of the system may be older. */
enum { HWPROBE_CALL = 258 };
enum key { MVENDORID, MARCHID, MIMPID, BASE_BEHAVIOR, IMA_EXTENSIONS, VENDOR_THEAD, KEYS };
static const int64_t key_numbers[KEYS] = { 0, 1, 2, 3, 4, 11 };
enum { THEAD = 0x5b7 };

struct probe {
	int64_t key; /* a kernel without this key sets it to -1 */
	uint64_t value;
};

static const struct {
	const char *name;
	enum key key;
	unsigned bit;
} features[] = {
	{ "zba", IMA_EXTENSIONS, 3 },	       { "zbb", IMA_EXTENSIONS, 4 },
	{ "zbs", IMA_EXTENSIONS, 5 },	       { "zfh", IMA_EXTENSIONS, 27 },
	{ "zihintntl", IMA_EXTENSIONS, 29 },   { "zvfh", IMA_EXTENSIONS, 30 },
	{ "zihintpause", IMA_EXTENSIONS, 36 },
};

static const struct {
	uint64_t id; /* of JEDEC, as mvendorid */
	const char *name;
} vendors[] = {
	{ 0x31e, "Andes" },
	{ 0x489, "SiFive" },
	{ THEAD, "T-Head" },
	{ 0x710, "SpacemiT" },
};

static bool ask(struct probe *probes)
{
	for (size_t i = 0; i < KEYS; i++)
		probes[i] = (struct probe){ .key = key_numbers[i] };
	if (syscall(HWPROBE_CALL, probes, (size_t)KEYS, (size_t)0, NULL, 0) != 0)
		return false;
	for (size_t i = 0; i < KEYS; i++)
		if (probes[i].key < 0)
			probes[i].value = 0;
	return true;
}

static bool has_letter(char letter)
{
	return getauxval(AT_HWCAP) >> (letter - 'a') & 1;
}

/* The first line "name : value" of /proc/cpuinfo; empty if missing. */
static void cpuinfo_value(const char *name, char *out, size_t size)
{
	char line[512];
	FILE *file = fopen("/proc/cpuinfo", "re");
	out[0] = '\0';
	while (file && !out[0] && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');
		size_t n = strcspn(line, " \t:");
		if (!colon || n != strlen(name) || strncmp(line, name, n) != 0)
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		colon[strcspn(colon, "\n")] = '\0';
		tp_copy(out, size, colon);
	}
	if (file)
		fclose(file);
}

/* Without riscv_hwprobe only /proc/cpuinfo may name the vendor. */
static void ask_cpuinfo(struct probe *probes)
{
	static const struct {
		const char *name;
		enum key key;
	} lines[] = { { "mvendorid", MVENDORID }, { "marchid", MARCHID }, { "mimpid", MIMPID } };
	for (size_t i = 0; i < TP_COUNT_OF(lines); i++) {
		char value[32];
		cpuinfo_value(lines[i].name, value, sizeof(value));
		probes[lines[i].key].value = strtoull(value, NULL, 0);
	}
}

/* A process may be forbidden to use vectors (Linux 6.5). Older kernels lack the call. */
static bool vectors_are_allowed(void)
{
	enum { V_GET_CONTROL = 70, CURRENT = 3, OFF = 1 };
	int control = prctl(V_GET_CONTROL, 0, 0, 0, 0);
	return control < 0 || (control & CURRENT) != OFF;
}

enum vectors { NO_VECTORS, VERSION_1_0, VERSION_0_7 };

static enum vectors vectors_of(const struct probe *probes)
{
	char isa[256];
	if (!vectors_are_allowed())
		return NO_VECTORS;
	if (probes[VENDOR_THEAD].value & 1)
		return VERSION_0_7;
	if (!has_letter('v'))
		return NO_VECTORS;
	cpuinfo_value("isa", isa, sizeof(isa));
	if (strstr(isa, "v0p7") || strstr(isa, "xtheadvector"))
		return VERSION_0_7;
	/* T-Head cores with vectors of version 1.0 give a number; older ones give 0. */
	bool thead = probes[MVENDORID].value == THEAD;
	return thead && probes[MARCHID].value == 0 ? VERSION_0_7 : VERSION_1_0;
}

/* zvl128b, zvl256b, ...: vectors have at least this many bits. */
static void add_vectors(struct tp_cpu *cpu, const char *name)
{
	enum { LEAST_BITS = 128, MOST_BITS = 4096 };
	unsigned bits = tp_riscv_vector_bytes() * 8;
	tp_add_word(cpu->features, sizeof(cpu->features), name);
	for (unsigned n = LEAST_BITS; n <= bits && n <= MOST_BITS; n *= 2) {
		char length[16];
		snprintf(length, sizeof(length), "zvl%ub", n);
		tp_add_word(cpu->features, sizeof(cpu->features), length);
	}
}

static void identify(struct tp_cpu *cpu)
{
	struct probe probes[KEYS] = { 0 };
	if (!ask(probes))
		ask_cpuinfo(probes);
	*cpu = (struct tp_cpu){ .arch = "riscv64", .family = -1, .model = -1, .stepping = -1 };
	for (const char *letter = "imafdc"; *letter; letter++)
		if (has_letter(*letter))
			tp_add_word(cpu->features, sizeof(cpu->features),
				    (char[]){ *letter, '\0' });
	for (size_t i = 0; i < TP_COUNT_OF(features); i++)
		if (probes[features[i].key].value >> features[i].bit & 1)
			tp_add_word(cpu->features, sizeof(cpu->features), features[i].name);
	switch (vectors_of(probes)) {
	case VERSION_1_0:
		add_vectors(cpu, "v");
		break;
	case VERSION_0_7:
		add_vectors(cpu, "xtheadvector");
		break;
	case NO_VECTORS:
		break;
	}
	for (size_t i = 0; i < TP_COUNT_OF(vendors); i++)
		if (vendors[i].id == probes[MVENDORID].value)
			tp_copy(cpu->vendor, sizeof(cpu->vendor), vendors[i].name);
	cpuinfo_value("uarch", cpu->brand, sizeof(cpu->brand));
	cpu->invariant_counter = true; /* the specification asks for a constant rate of time */
}

/*
 * vsetvli t0, zero, e8, m1: the bytes of a register. Both versions encode it alike, and a CPU of
 * version 0.7 may lack vlenb.
 */
static unsigned longest_bytes(void)
{
	unsigned long bytes;
	__asm__ volatile(".word 0x000072d7\n\tmv %0, t0" : "=r"(bytes) : : "t0");
	return (unsigned)bytes;
}

unsigned tp_riscv_vector_bytes(void)
{
	struct probe probes[KEYS] = { 0 };
	bool usable = has_letter('v') || (ask(probes) && probes[VENDOR_THEAD].value & 1);
	return usable && vectors_are_allowed() ? longest_bytes() : TP_RISCV_LEAST_VECTOR_BYTES;
}

/* The hint PAUSE; a fence without effect on cores without it. */
static void relax(void)
{
	__asm__ volatile(".word 0x0100000f" : : : "memory");
}

const struct tp_arch tp_arch_riscv64 = {
	.name = "riscv64",
	.identify = identify,
	.relax = relax,
	.back_end = &tp_riscv_back_end,
	.disassemble = tp_riscv_disassemble,
	.assembly = &tp_riscv_assembly,
};

#else

unsigned tp_riscv_vector_bytes(void)
{
	return TP_RISCV_LEAST_VECTOR_BYTES;
}

#endif

/* --- instruction sets --- */

#define ISA(isa, features, of, text)                                                               \
	.name = (isa), .arch = "riscv64", .summary = (text), .needs = (features),                  \
	.back_end = &tp_riscv_back_end, .form = (of)
#define VECTORS                                                                                    \
	.vector_bytes = TP_RISCV_LEAST_VECTOR_BYTES, .vector_length_bytes = tp_riscv_vector_bytes, \
	.max_lmul = 8, .short_tail = true

const struct tp_isa tp_isa_riscv_scalar = {
	ISA("scalar", "d", TP_RISCV_SCALAR, "one element per instruction in FP registers"),
};
const struct tp_isa tp_isa_riscv_rvv10 = {
	ISA("rvv1.0", "d v", TP_RISCV_RVV10,
	    "vectors of this CPU's length, one to eight registers per instruction"),
	VECTORS,
};
const struct tp_isa tp_isa_riscv_rvv07 = {
	ISA("rvv0.7", "d xtheadvector", TP_RISCV_RVV07, "vectors of version 0.7.1 (XTheadVector)"),
	VECTORS,
};
