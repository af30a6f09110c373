/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/tiles.h"
#include "kernels/x86/encode.h"
#include "kernels/x86/narrow.h"

#include <string.h>

#define M(name) ZYDIS_MNEMONIC_##name
#define R(name) ZYDIS_REGISTER_##name

/*
 * The 64 bytes that LDTILECFG reads (Intel SDM volume 1, chapter on Intel AMX): palette 1 in byte
 * 0, bytes of a row of tiles 0 to 7 in the words from byte 16 on, rows in the bytes from 48 on.
 */
enum { CONFIG_BYTES = 64, QUAD_BYTES = 8 };

void tp_x86_tiles_begin(struct tp_emitter *e)
{
	static const uint64_t row_bytes = UINT64_C(0x0001000100010001) * TP_X86_TILE_ROW_BYTES,
			      rows = UINT64_C(0x0101010101010101) * TP_X86_TILE_ROWS;
	const uint64_t config[CONFIG_BYTES / QUAD_BYTES] = { 1, 0, row_bytes, row_bytes,
							     0, 0, rows,      0 };
	struct tp_x86_asm *as = (struct tp_x86_asm *)e->as;
	/* It lies below the stack, in the 128 bytes that no signal handler writes to. */
	struct tp_x86_address at = { .base = R(RSP), .displacement = -CONFIG_BYTES };
	for (size_t i = 0; i < sizeof(config) / sizeof(config[0]); i++) {
		tp_x86_op_imm(as, M(MOV), R(RAX), (int64_t)config[i]);
		tp_x86_store(as, M(MOV), R(RAX), R(RSP), (int32_t)(i * QUAD_BYTES) - CONFIG_BYTES,
			     QUAD_BYTES);
	}
	tp_x86_memory(as, M(LDTILECFG), &at, CONFIG_BYTES);
	tp_x86_op_imm(as, M(MOV), R(RCX), TP_X86_TILE_ROW_BYTES);
}

struct tp_register_budget tp_x86_tiles_budget(void)
{
	return (struct tp_register_budget){ .registers = TP_X86_TILES,
					    .a = TP_X86_TILES - 2,
					    .b = TP_X86_TILES - 1,
					    .fp = { 4, TP_X86_TILES - 2 } };
}

/* c4 RXBmmmmm WvvvvLpp 5c modrm: pp is 2 for bf16 and 3 for half (Intel SDM, chapter on AMX). */
enum { PP_AT = 2, OTHER_PP = 1 };

void tp_x86_tiles_product(struct tp_emitter *e, unsigned x, unsigned a, unsigned b)
{
	static const ZydisMnemonic instructions[TP_X86_NARROW] = {
		[TP_X86_TDPFP16PS] = M(TDPBF16PS), /* and the other bit below */
		[TP_X86_TDPBF16PS] = M(TDPBF16PS),
		[TP_X86_TDPBSSD] = M(TDPBSSD),
	};
	struct tp_x86_asm *as = (struct tp_x86_asm *)e->as;
	const ZydisRegister zero = R(TMM0);
	tp_x86_op(as, instructions[e->narrow->instruction], zero + (ZydisRegister)x,
		  zero + (ZydisRegister)a, zero + (ZydisRegister)b);
	if (e->narrow->instruction == TP_X86_TDPFP16PS && !as->base.failed)
		as->base.at[PP_AT - TP_X86_TDP_BYTES] |= OTHER_PP;
}

bool tp_x86_tiles_other_product(const void *code, size_t bytes, uint8_t other[TP_X86_TDP_BYTES])
{
	const uint8_t *at = code;
	if (bytes < TP_X86_TDP_BYTES || at[0] != 0xc4 || at[1] != 0xe2 || (at[2] & 0x87) != 3 ||
	    at[3] != 0x5c)
		return false;
	memcpy(other, at, TP_X86_TDP_BYTES);
	other[PP_AT] ^= OTHER_PP;
	return true;
}

void tp_x86_tiles_move(struct tp_emitter *e, bool store, unsigned tile, unsigned base,
		       int64_t offset)
{
	const struct tp_x86_address at = { base, R(RCX), 1, (int32_t)offset };
	(store ? tp_x86_store_indexed : tp_x86_load_indexed)((struct tp_x86_asm *)e->as,
							     store ? M(TILESTORED) : M(TILELOADD),
							     R(TMM0) + (ZydisRegister)tile, &at, 0);
}

#endif
