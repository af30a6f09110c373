/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instructions of x86-64 on narrow numbers. Their rows are known on every architecture. */
#ifndef TPROF_KERNELS_X86_NARROW_H
#define TPROF_KERNELS_X86_NARROW_H

#include "kernels/narrow.h"

enum tp_x86_narrow_instruction {
	TP_X86_VFMADD231PH,
	TP_X86_VDPBF16PS,
	TP_X86_VPDPBUSD,
	TP_X86_TDPFP16PS,
	TP_X86_TDPBF16PS,
	TP_X86_TDPBSSD,
	TP_X86_NARROW
};

/* AMX: eight tiles of sixteen rows of 64 bytes. */
enum { TP_X86_TILES = 8, TP_X86_TILE_ROWS = 16, TP_X86_TILE_ROW_BYTES = 64 };

extern const struct tp_narrow_rows tp_x86_narrow;

#endif
