/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/aarch64/aarch64.h"
#include "base/memory.h"

/*
 * Every 16 bytes of a vector are a matrix of two rows. BFMMLA and SMMLA multiply it by one of two
 * columns, so each element is used twice. Half precision and the dot product of integers are part
 * of SVE itself. SME has those that streaming mode allows (BFMMLA and SMMLA are not among them),
 * and outer products into its matrix.
 */
static const struct tp_narrow rows[] = {
	{ "neon", "half", TP_FP_FMA, "asimdhp", 1, 0, TP_AARCH64_FMLA_8H },
	{ "neon", "bf16", TP_FP_DOT, "bf16", 1, 0, TP_AARCH64_BFDOT },
	{ "neon", "bf16", TP_FP_TILE, "bf16", 2, 0, TP_AARCH64_BFMMLA },
	{ "neon", "int8", TP_FP_DOT, "asimddp", 1, 0, TP_AARCH64_SDOT },
	{ "neon", "int8", TP_FP_TILE, "i8mm", 2, 0, TP_AARCH64_SMMLA },
	{ "sve", "half", TP_FP_FMA, "", 1, 0, TP_AARCH64_FMLA_ZH },
	{ "sve", "bf16", TP_FP_DOT, "svebf16", 1, 0, TP_AARCH64_BFDOT_Z },
	{ "sve", "bf16", TP_FP_TILE, "svebf16", 2, 0, TP_AARCH64_BFMMLA_Z },
	{ "sve", "int8", TP_FP_DOT, "", 1, 0, TP_AARCH64_SDOT_Z },
	{ "sve", "int8", TP_FP_TILE, "svei8mm", 2, 0, TP_AARCH64_SMMLA_Z },
	{ "sme", "double", TP_FP_TILE, "smef64f64", TP_NARROW_OUTER, 0, TP_AARCH64_FMOPA_D },
	{ "sme", "single", TP_FP_TILE, "smef32f32", TP_NARROW_OUTER, 0, TP_AARCH64_FMOPA_S },
	{ "sme", "half", TP_FP_FMA, "", 1, 0, TP_AARCH64_FMLA_ZH },
	{ "sme", "half", TP_FP_TILE, "smef16f32", TP_NARROW_OUTER, 0, TP_AARCH64_FMOPA_H },
	{ "sme", "bf16", TP_FP_DOT, "", 1, 0, TP_AARCH64_BFDOT_Z },
	{ "sme", "bf16", TP_FP_TILE, "smeb16f32", TP_NARROW_OUTER, 0, TP_AARCH64_BFMOPA },
	{ "sme", "int8", TP_FP_DOT, "", 1, 0, TP_AARCH64_SDOT_Z },
	{ "sme", "int8", TP_FP_TILE, "smei8i32", TP_NARROW_OUTER, 0, TP_AARCH64_SMOPA },
};

const struct tp_narrow_rows tp_aarch64_narrow = { "aarch64", rows, TP_COUNT_OF(rows) };
