/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/emitted.h"

#include "base/memory.h"
#include "kernels/aarch64/aarch64.h"
#include "kernels/emit/emit.h"
#include "kernels/riscv64/riscv64.h"

#define AARCH64(bytes)                                                                             \
	{                                                                                          \
		.arch = "aarch64", .features = "fp asimd sve sve-" #bytes                          \
	}
#define SCALAR                                                                                     \
	{                                                                                          \
		.name = "scalar", .arch = "aarch64", .needs = "fp",                                \
		.least_nontemporal_bytes = TP_AARCH64_LEAST_NT_BYTES,                              \
		.back_end = &tp_aarch64_back_end, .form = TP_AARCH64_SCALAR                        \
	}
#define NEON                                                                                       \
	{                                                                                          \
		.name = "neon", .arch = "aarch64", .needs = "asimd", .vector_bytes = 16,           \
		.back_end = &tp_aarch64_back_end, .form = TP_AARCH64_NEON                          \
	}
#define SVE(bytes)                                                                                 \
	{                                                                                          \
		.name = "sve", .arch = "aarch64", .needs = "sve", .vector_bytes = (bytes),         \
		.short_tail = true, .back_end = &tp_aarch64_back_end, .form = TP_AARCH64_SVE       \
	}
#define SME(bytes)                                                                                 \
	{                                                                                          \
		.name = "sme", .arch = "aarch64", .needs = "sme", .vector_bytes = (bytes),         \
		.short_tail = true, .back_end = &tp_aarch64_back_end, .form = TP_AARCH64_SME       \
	}
#define SME_CPU                                                                                    \
	{                                                                                          \
		.arch = "aarch64", .features = "fp asimd sme"                                      \
	}

#define RISCV_CPU                                                                                  \
	{                                                                                          \
		.arch = "riscv64", .features = "d v xtheadvector zihintntl"                        \
	}
#define RISCV(isa, of, bytes, group)                                                               \
	{                                                                                          \
		.name = (isa), .arch = "riscv64", .needs = "d", .vector_bytes = (bytes),           \
		.max_lmul = (group), .short_tail = (bytes) != 0, .back_end = &tp_riscv_back_end,   \
		.form = (of)                                                                       \
	}
#define RVV(version, of, bits, group)                                                              \
	{                                                                                          \
		"riscv64 rvv" version "-" #bits " m" #group,                                       \
			RISCV("rvv" version, of, (bits) / 8, 8), (group), RISCV_CPU                \
	}

#ifdef TP_ARCH_X86_64
#include "kernels/x86/x86.h"

#define X86_FULL                                                                                   \
	{                                                                                          \
		.arch = "x86_64", .features = "sse2 avx fma avx2 avx512f"                          \
	}
#define X86_SSE2                                                                                   \
	{                                                                                          \
		.arch = "x86_64", .features = "sse2"                                               \
	}
#define X86(isa, bytes)                                                                            \
	{                                                                                          \
		.name = (isa), .arch = "x86_64", .needs = "sse2", .vector_bytes = (bytes),         \
		.fused = is_fused, .back_end = &tp_x86_back_end,                                   \
		.form = (bytes) ? TP_X86_VECTOR : TP_X86_SCALAR                                    \
	}

static bool is_fused(const struct tp_cpu *cpu)
{
	return tp_has_word(cpu->features, "fma");
}
#endif

const struct emitted_target emitted_targets[] = {
	{ "aarch64 scalar", SCALAR, 0, AARCH64(256) },
	{ "aarch64 neon", NEON, 0, AARCH64(256) },
	{ "aarch64 sve-128", SVE(16), 0, AARCH64(128) },
	{ "aarch64 sve-256", SVE(32), 0, AARCH64(256) },
	{ "aarch64 sve-512", SVE(64), 0, AARCH64(512) },
	{ "aarch64 sve-1024", SVE(128), 0, AARCH64(1024) },
	{ "aarch64 sve-2048", SVE(256), 0, AARCH64(2048) },
	{ "aarch64 sme-128", SME(16), 0, SME_CPU },
	{ "aarch64 sme-512", SME(64), 0, SME_CPU },
	{ "aarch64 sme-2048", SME(256), 0, SME_CPU },
	{ "riscv64 scalar", RISCV("scalar", TP_RISCV_SCALAR, 0, 0), 0, RISCV_CPU },
	RVV("1.0", TP_RISCV_RVV10, 128, 1),
	RVV("1.0", TP_RISCV_RVV10, 128, 2),
	RVV("1.0", TP_RISCV_RVV10, 128, 4),
	RVV("1.0", TP_RISCV_RVV10, 128, 8),
	RVV("1.0", TP_RISCV_RVV10, 256, 1),
	RVV("1.0", TP_RISCV_RVV10, 256, 8),
	RVV("1.0", TP_RISCV_RVV10, 512, 2),
	RVV("1.0", TP_RISCV_RVV10, 1024, 4),
	RVV("1.0", TP_RISCV_RVV10, 1024, 8),
	RVV("1.0", TP_RISCV_RVV10, 2048, 1),
	RVV("0.7", TP_RISCV_RVV07, 128, 1),
	RVV("0.7", TP_RISCV_RVV07, 128, 2),
	RVV("0.7", TP_RISCV_RVV07, 128, 4),
	RVV("0.7", TP_RISCV_RVV07, 128, 8),
#ifdef TP_ARCH_X86_64
	{ "x86_64 scalar", X86("scalar", 0), 0, X86_FULL },
	{ "x86_64 scalar of sse2", X86("scalar", 0), 0, X86_SSE2 },
	{ "x86_64 sse", X86("sse", 16), 0, X86_FULL },
	{ "x86_64 sse of sse2", X86("sse", 16), 0, X86_SSE2 },
	{ "x86_64 avx2", X86("avx2", 32), 0, X86_FULL },
	{ "x86_64 avx512", X86("avx512", 64), 0, X86_FULL },
#endif
};
const size_t emitted_target_count = TP_COUNT_OF(emitted_targets);

static const struct tp_arch aarch64 = { .name = "aarch64", .back_end = &tp_aarch64_back_end };
static const struct tp_arch riscv64 = { .name = "riscv64", .back_end = &tp_riscv_back_end };

const struct emitted_counter emitted_counters[] = {
	{ "aarch64 256", &aarch64, AARCH64(256) },
	{ "aarch64 512", &aarch64, AARCH64(512) },
	{ "riscv64 1.0",
	  &riscv64,
	  { .arch = "riscv64", .features = "d v zvl128b zvl256b zvl512b" } },
	{ "riscv64 0.7", &riscv64, { .arch = "riscv64", .features = "d xtheadvector zvl128b" } },
#ifdef TP_ARCH_X86_64
	{ "x86_64", &tp_arch_x86_64, X86_FULL },
	{ "x86_64 of sse2", &tp_arch_x86_64, X86_SSE2 },
#endif
};
const size_t emitted_counter_count = TP_COUNT_OF(emitted_counters);

/* The linker puts this in the place of tp_arch_host(), which the families ask. */
static const struct tp_arch *used;
const struct tp_arch *__wrap_tp_arch_host(void);
const struct tp_arch *__wrap_tp_arch_host(void)
{
	return used;
}

void emitted_use(const struct emitted_counter *counter)
{
	used = counter->arch;
}

enum tp_status emitted_traversal(const struct emitted_counter *counter,
				 const struct tp_traversal *traversal, struct tp_code *code,
				 uint64_t *instructions)
{
	return tp_emit_traversal(counter->arch->back_end, traversal, &counter->cpu, code,
				 instructions, NULL);
}
