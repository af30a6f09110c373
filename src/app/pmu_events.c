/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which events count floating-point operations, loads and stores: "Performance Monitoring Events"
 * of Intel's SDM, volume 3, and the processor programming references of AMD. They are those of
 * perf-list(1).
 */
#include "app/pmu.h"
#include "base/memory.h"

#include <string.h>

#define EVENT(event, mask) ((event) | (mask) << 8)
#define PLAIN(text, event, mask, kind)                                                             \
	{                                                                                          \
		.name = text, .config = EVENT(event, mask), .role = TP_PMU_PLAIN,                  \
		.index = TP_MIX_##kind                                                             \
	}
#define ARITHMETIC(text, mask, kind, precision, n, size, needs)                                    \
	{                                                                                          \
		.name = "FP_ARITH_INST_RETIRED." text, .config = EVENT(0xc7, mask),                \
		.role = TP_PMU_ARITHMETIC, .index = TP_MIX_##kind,                                 \
		.flops = TP_MIX_FLOPS_##precision, .lanes = n, .bytes = size, .feature = needs     \
	}
#define FLOPS(text, mask, precision)                                                               \
	{                                                                                          \
		.name = text, .config = EVENT(0x03, mask), .role = TP_PMU_FLOPS,                   \
		.index = TP_MIX_FLOPS_##precision                                                  \
	}
#define WIDTH(text, mask, size)                                                                    \
	{                                                                                          \
		.name = "fp_ops_retired_by_width." text, .config = EVENT(0x08, mask),              \
		.role = TP_PMU_WIDTH, .bytes = size                                                \
	}

static const struct tp_pmu_event intel[] = {
	ARITHMETIC("SCALAR_DOUBLE", 0x01, FP_DP_SCALAR, DP, 1, 8, NULL),
	ARITHMETIC("SCALAR_SINGLE", 0x02, FP_SP_SCALAR, SP, 1, 4, NULL),
	ARITHMETIC("128B_PACKED_DOUBLE", 0x04, FP_DP_128, DP, 2, 16, NULL),
	ARITHMETIC("128B_PACKED_SINGLE", 0x08, FP_SP_128, SP, 4, 16, NULL),
	ARITHMETIC("256B_PACKED_DOUBLE", 0x10, FP_DP_256, DP, 4, 32, "avx"),
	ARITHMETIC("256B_PACKED_SINGLE", 0x20, FP_SP_256, SP, 8, 32, "avx"),
	ARITHMETIC("512B_PACKED_DOUBLE", 0x40, FP_DP_512, DP, 8, 64, "avx512f"),
	ARITHMETIC("512B_PACKED_SINGLE", 0x80, FP_SP_512, SP, 16, 64, "avx512f"),
	PLAIN("MEM_INST_RETIRED.ALL_LOADS", 0xd0, 0x81, LOADS),
	PLAIN("MEM_INST_RETIRED.ALL_STORES", 0xd0, 0x82, STORES),
	PLAIN("INST_RETIRED.ANY_P", 0xc0, 0x00, INSTRUCTIONS),
};

#define AMD_COMMON                                                                                 \
	PLAIN("ls_dispatch.ld_dispatch + ld_st_dispatch", 0x29, 0x05, LOADS),                      \
		PLAIN("ls_dispatch.store_dispatch + ld_st_dispatch", 0x29, 0x06, STORES),          \
		PLAIN("ex_ret_instr", 0xc0, 0x00, INSTRUCTIONS)

static const struct tp_pmu_event zen1[] = {
	FLOPS("fp_ret_sse_avx_ops.sp_*", 0x0f, SP),
	FLOPS("fp_ret_sse_avx_ops.dp_*", 0xf0, DP),
	AMD_COMMON,
};

static const struct tp_pmu_event zen2[] = {
	FLOPS("fp_ret_sse_avx_ops.all", 0x0f, DP),
	AMD_COMMON,
};

static const struct tp_pmu_event zen4[] = {
	FLOPS("fp_ret_sse_avx_ops.all", 0x0f, DP), WIDTH("scalar_uops_retired", 0x04, 8),
	WIDTH("pack_128_uops_retired", 0x08, 16),  WIDTH("pack_256_uops_retired", 0x10, 32),
	WIDTH("pack_512_uops_retired", 0x20, 64),  AMD_COMMON,
};

/* Since Broadwell; Haswell and the small cores have no FP_ARITH_INST_RETIRED. */
static bool is_intel(const struct tp_cpu *cpu)
{
	static const int without[] = { 0x3c, 0x3f, 0x45, 0x46, 0x4a, 0x4c, 0x4d,
				       0x57, 0x5a, 0x5c, 0x5d, 0x5f, 0x65, 0x6e,
				       0x75, 0x7a, 0x85, 0x86, 0x8a, 0x96, 0x9c };
	if (strcmp(cpu->vendor, "GenuineIntel") != 0 || cpu->family != 6 || cpu->model < 0x3d)
		return false;
	for (size_t i = 0; i < TP_COUNT_OF(without); i++)
		if (cpu->model == without[i])
			return false;
	return true;
}

static bool is_amd(const struct tp_cpu *cpu)
{
	return strcmp(cpu->vendor, "AuthenticAMD") == 0;
}

static bool is_zen1(const struct tp_cpu *cpu)
{
	return is_amd(cpu) && cpu->family == 0x17 && cpu->model < 0x30;
}

static bool is_zen2(const struct tp_cpu *cpu)
{
	return is_amd(cpu) && (cpu->family == 0x17 || cpu->family == 0x19);
}

static bool is_zen4(const struct tp_cpu *cpu)
{
	int block = cpu->model / 16;
	return is_amd(cpu) &&
	       (cpu->family == 0x1a ||
		(cpu->family == 0x19 && (block == 1 || block == 6 || block == 7 || block == 10)));
}

static const char one_precision[] =
	"the FLOPs of this CPU's counter are of any precision; they are shown as double precision";

static const struct tp_pmu pmus[] = {
	{ "FP_ARITH_INST_RETIRED", is_intel, intel, TP_COUNT_OF(intel),
	  "the counters count fused multiply-adds twice and among the others of their width" },
	{ "Zen", is_zen1, zen1, TP_COUNT_OF(zen1), NULL },
	{ "Zen 4 and 5", is_zen4, zen4, TP_COUNT_OF(zen4), one_precision },
	{ "Zen 2 and 3", is_zen2, zen2, TP_COUNT_OF(zen2), one_precision },
};

const struct tp_pmu *tp_pmu_of(const struct tp_cpu *cpu)
{
	for (size_t i = 0; i < TP_COUNT_OF(pmus); i++)
		if (pmus[i].is(cpu))
			return &pmus[i];
	return NULL;
}

bool tp_pmu_has(const struct tp_cpu *cpu, const struct tp_pmu_event *event)
{
	if (!event->feature)
		return true;
	size_t len = strlen(event->feature);
	for (const char *at = cpu->features; (at = strstr(at, event->feature)); at += len)
		if ((at == cpu->features || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}
