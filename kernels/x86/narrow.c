/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/x86/x86.h"
#include "base/memory.h"

enum { TILE_BYTES = TP_X86_TILE_ROWS * TP_X86_TILE_ROW_BYTES };

/*
 * A row of 64 bytes of tile A meets the sixteen columns of tile B, so each element of A is used
 * sixteen times. Tiles are counted among the instructions of AVX-512, as only CPUs with AVX-512
 * have them.
 */
static const struct tp_narrow rows[] = {
	{ "avx2", "int8", TP_FP_DOT, "avx_vnni", 1, 0, TP_X86_VPDPBUSD },
	{ "avx512", "half", TP_FP_FMA, "avx512_fp16", 1, 0, TP_X86_VFMADD231PH },
	{ "avx512", "half", TP_FP_TILE, "amx_tile amx_fp16", TP_X86_TILE_ROW_BYTES / 4, TILE_BYTES,
	  TP_X86_TDPFP16PS },
	{ "avx512", "bf16", TP_FP_DOT, "avx512_bf16", 1, 0, TP_X86_VDPBF16PS },
	{ "avx512", "bf16", TP_FP_TILE, "amx_tile amx_bf16", TP_X86_TILE_ROW_BYTES / 4, TILE_BYTES,
	  TP_X86_TDPBF16PS },
	{ "avx512", "int8", TP_FP_DOT, "avx512_vnni", 1, 0, TP_X86_VPDPBUSD },
	{ "avx512", "int8", TP_FP_TILE, "amx_tile amx_int8", TP_X86_TILE_ROW_BYTES / 4, TILE_BYTES,
	  TP_X86_TDPBSSD },
};

const struct tp_narrow_rows tp_x86_narrow = { "x86_64", rows, TP_COUNT_OF(rows) };
