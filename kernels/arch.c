/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of architectures and ISAs. */
#include "kernels/arch.h"
#include "kernels/isa.h"
#include "base/memory.h"

#include <string.h>
#include <sys/utsname.h>

/* One row an architecture. TP_ARCH_* comes from configure. */
#ifdef TP_ARCH_X86_64
#include "kernels/x86/x86.h"
#define TP_HOST_ARCH (&tp_arch_x86_64)
#define TP_HOST_ISAS &tp_isa_scalar, &tp_isa_sse, &tp_isa_avx2, &tp_isa_avx512,
#elif defined(TP_ARCH_AARCH64)
#include "kernels/aarch64/aarch64.h"
#define TP_HOST_ARCH (&tp_arch_aarch64)
#define TP_HOST_ISAS &tp_isa_scalar, &tp_isa_neon, &tp_isa_sve, &tp_isa_sme,
#elif defined(TP_ARCH_RISCV64)
#include "kernels/riscv64/riscv64.h"
#define TP_HOST_ARCH (&tp_arch_riscv64)
#define TP_HOST_ISAS &tp_isa_riscv_scalar, &tp_isa_riscv_rvv07, &tp_isa_riscv_rvv10,
#else
#define TP_HOST_ARCH NULL
#define TP_HOST_ISAS
#endif

const struct tp_isa *const tp_isa_table[] = { TP_HOST_ISAS NULL };
const size_t tp_isa_count = TP_COUNT_OF(tp_isa_table) - 1;

const struct tp_arch *tp_arch_host(void)
{
	return TP_HOST_ARCH;
}

void tp_arch_identify(struct tp_cpu *cpu)
{
	const struct tp_arch *host = tp_arch_host();
	struct utsname name;
	if (host) {
		host->identify(cpu);
		return;
	}
	*cpu = (struct tp_cpu){ .family = -1, .model = -1, .stepping = -1 };
	if (uname(&name) == 0)
		tp_copy(cpu->arch, sizeof(cpu->arch), name.machine);
}

const struct tp_isa *tp_isa_find(const char *name)
{
	for (size_t i = 0; i < tp_isa_count; i++)
		if (strcmp(tp_isa_table[i]->name, name) == 0)
			return tp_isa_table[i];
	return NULL;
}
