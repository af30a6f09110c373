/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AMX: kernels whose operands are tiles. Private to kernels/x86. */
#ifndef TPROF_KERNELS_X86_TILES_H
#define TPROF_KERNELS_X86_TILES_H

#include "kernels/emit/emit.h"

static inline bool tp_x86_has_tiles(const struct tp_emitter *e)
{
	return e->narrow && e->narrow->tile_bytes;
}

/* Configures all tiles, and keeps the distance of their rows in rcx. */
void tp_x86_tiles_begin(struct tp_emitter *e);
/* Six accumulators beside A and B: a product is ready after 52 cycles, and one starts every 16. */
struct tp_register_budget tp_x86_tiles_budget(void);
/* x += a * b */
void tp_x86_tiles_product(struct tp_emitter *e, unsigned x, unsigned a, unsigned b);
/*
 * Zydis 4.0 does not know TDPFP16PS. It is TDPBF16PS but for a bit of its VEX prefix: its bytes
 * from `code` on become those of the other one. False, and nothing written, if it is not there.
 */
enum { TP_X86_TDP_BYTES = 5 };
bool tp_x86_tiles_other_product(const void *code, size_t bytes, uint8_t other[TP_X86_TDP_BYTES]);
void tp_x86_tiles_move(struct tp_emitter *e, bool store, unsigned tile, unsigned base,
		       int64_t offset);

#endif
