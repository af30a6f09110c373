/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/aarch64/narrow.h"
#include "kernels/aarch64/encode.h"
#include "base/vec.h"

/*
 * Every 16 bytes of a vector are a matrix of two rows. BFMMLA and SMMLA multiply it by one of two
 * columns, so each element is used twice. Half precision and the dot product of integers are part
 * of SVE itself.
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
};

const struct tp_narrow_rows tp_aarch64_narrow = { "aarch64", rows, TP_COUNT_OF(rows) };
