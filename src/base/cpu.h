/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the CPU reports about itself, as plain data. The architecture folders under kernels/ fill it
 * in, so that other rooms do not depend on an instruction set; the machine room and the ISA table
 * only read it.
 */
#ifndef TPROF_BASE_CPU_H
#define TPROF_BASE_CPU_H

#include <stdbool.h>
#include <stddef.h>

struct tp_cpu {
	char arch[16]; /* "x86_64", "aarch64", "riscv64" */
	char vendor[32]; /* "AuthenticAMD", "GenuineIntel", ... or empty */
	char brand[64]; /* marketing name, or empty */
	int family, model, stepping; /* display (extended) values on x86; -1 if missing */
	/*
	 * space-separated names that both CPU and kernel support: "sse2 avx avx2 fma avx512f ..."
	 */
	char features[512];
	char hypervisor[32]; /* vendor of the hypervisor, or empty on bare metal */
	bool invariant_counter; /* the cycle counter ticks at a constant rate in all power states */
};

/*
 * The vendor of an Arm CPU, as on the companies' sheets, by the implementer in its main ID register
 * (bits 24 to 31); "" if unknown.
 */
static inline const char *tp_arm_vendor(unsigned implementer)
{
	static const struct {
		unsigned implementer;
		const char *vendor;
	} vendors[] = {
		{ 0x41, "ARM" },       { 0x42, "Broadcom" },  { 0x43, "Cavium" },
		{ 0x46, "FUJITSU" },   { 0x48, "HiSilicon" }, { 0x4e, "NVIDIA" },
		{ 0x50, "APM" },       { 0x51, "Qualcomm" },  { 0x61, "Apple" },
		{ 0x6d, "Microsoft" }, { 0xc0, "Ampere" },
	};
	for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (vendors[i].implementer == implementer)
			return vendors[i].vendor;
	return "";
}

#endif
