/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop around users' instructions: x28 counts, x29 holds the stack pointer. The calling
 * convention is that of AAPCS64; FPCR is kept as well. No instruction is decoded here, so what
 * waits for what is not known: bodies run as they are written.
 */
#include "kernels/aarch64/aarch64.h"
#include "kernels/assembly.h"
#include "base/memory.h"

#include <elf.h>

enum { GENERAL = 0, VECTORS = 32, COUNTER = 28, STACK = 29, REACH_BYTES = 1 << 26 };

/* Forms of general registers, of vectors and their parts. */
static const struct tp_asm_kind kinds[] = {
	{ "x", GENERAL, 31 }, { "w", GENERAL, 31 }, { "v", VECTORS, 32 }, { "q", VECTORS, 32 },
	{ "d", VECTORS, 32 }, { "s", VECTORS, 32 }, { "h", VECTORS, 32 }, { "z", VECTORS, 32 },
};

static const uint32_t enter[] = {
	0xa9b57bfd, /* stp x29, x30, [sp, #-176]! */
	0xa90153f3, /* stp x19, x20, [sp, #16] */
	0xa9025bf5, /* stp x21, x22, [sp, #32] */
	0xa90363f7, /* stp x23, x24, [sp, #48] */
	0xa9046bf9, /* stp x25, x26, [sp, #64] */
	0xa90573fb, /* stp x27, x28, [sp, #80] */
	0x6d0627e8, /* stp d8, d9, [sp, #96] */
	0x6d072fea, /* stp d10, d11, [sp, #112] */
	0x6d0837ec, /* stp d12, d13, [sp, #128] */
	0x6d093fee, /* stp d14, d15, [sp, #144] */
	0xd53b4402, /* mrs x2, fpcr */
	0xf90053e2, /* str x2, [sp, #160] */
	0x910003fd, /* mov x29, sp */
	0xd14007ff, /* sub sp, sp, #0x1, lsl #12 */
	0xaa0103fc, /* mov x28, x1 */
	0xf9400802, /* ldr x2, [x0, #16] */
	0x4e080c40, /* dup v0.2d, x2 */
	0x4ea01c01, /* mov v1.16b, v0.16b */
	0x4ea01c02, /* mov v2.16b, v0.16b */
	0x4ea01c03, /* mov v3.16b, v0.16b */
	0x4ea01c04, /* mov v4.16b, v0.16b */
	0x4ea01c05, /* mov v5.16b, v0.16b */
	0x4ea01c06, /* mov v6.16b, v0.16b */
	0x4ea01c07, /* mov v7.16b, v0.16b */
	0x4ea01c08, /* mov v8.16b, v0.16b */
	0x4ea01c09, /* mov v9.16b, v0.16b */
	0x4ea01c0a, /* mov v10.16b, v0.16b */
	0x4ea01c0b, /* mov v11.16b, v0.16b */
	0x4ea01c0c, /* mov v12.16b, v0.16b */
	0x4ea01c0d, /* mov v13.16b, v0.16b */
	0x4ea01c0e, /* mov v14.16b, v0.16b */
	0x4ea01c0f, /* mov v15.16b, v0.16b */
	0x4ea01c10, /* mov v16.16b, v0.16b */
	0x4ea01c11, /* mov v17.16b, v0.16b */
	0x4ea01c12, /* mov v18.16b, v0.16b */
	0x4ea01c13, /* mov v19.16b, v0.16b */
	0x4ea01c14, /* mov v20.16b, v0.16b */
	0x4ea01c15, /* mov v21.16b, v0.16b */
	0x4ea01c16, /* mov v22.16b, v0.16b */
	0x4ea01c17, /* mov v23.16b, v0.16b */
	0x4ea01c18, /* mov v24.16b, v0.16b */
	0x4ea01c19, /* mov v25.16b, v0.16b */
	0x4ea01c1a, /* mov v26.16b, v0.16b */
	0x4ea01c1b, /* mov v27.16b, v0.16b */
	0x4ea01c1c, /* mov v28.16b, v0.16b */
	0x4ea01c1d, /* mov v29.16b, v0.16b */
	0x4ea01c1e, /* mov v30.16b, v0.16b */
	0x4ea01c1f, /* mov v31.16b, v0.16b */
	0xf9400401, /* ldr x1, [x0, #8] */
	0xf9400000, /* ldr x0, [x0] */
	0xd2800022, /* mov x2, #0x1 */
	0xd2800023, /* mov x3, #0x1 */
	0xd2800024, /* mov x4, #0x1 */
	0xd2800025, /* mov x5, #0x1 */
	0xd2800026, /* mov x6, #0x1 */
	0xd2800027, /* mov x7, #0x1 */
	0xd2800028, /* mov x8, #0x1 */
	0xd2800029, /* mov x9, #0x1 */
	0xd280002a, /* mov x10, #0x1 */
	0xd280002b, /* mov x11, #0x1 */
	0xd280002c, /* mov x12, #0x1 */
	0xd280002d, /* mov x13, #0x1 */
	0xd280002e, /* mov x14, #0x1 */
	0xd280002f, /* mov x15, #0x1 */
	0xd2800030, /* mov x16, #0x1 */
	0xd2800031, /* mov x17, #0x1 */
	0xd2800033, /* mov x19, #0x1 */
	0xd2800034, /* mov x20, #0x1 */
	0xd2800035, /* mov x21, #0x1 */
	0xd2800036, /* mov x22, #0x1 */
	0xd2800037, /* mov x23, #0x1 */
	0xd2800038, /* mov x24, #0x1 */
	0xd2800039, /* mov x25, #0x1 */
	0xd280003a, /* mov x26, #0x1 */
	0xd280003b, /* mov x27, #0x1 */
	0xd280003e, /* mov x30, #0x1 */
};
static const uint32_t end[] = {
	0xd100079c, /* sub x28, x28, #0x1 */
	0xb400005c, /* cbz x28, 13c */
};
static const uint32_t leave[] = {
	0x910003bf, /* mov sp, x29 */
	0xf94053e2, /* ldr x2, [sp, #160] */
	0xd51b4402, /* msr fpcr, x2 */
	0x6d493fee, /* ldp d14, d15, [sp, #144] */
	0x6d4837ec, /* ldp d12, d13, [sp, #128] */
	0x6d472fea, /* ldp d10, d11, [sp, #112] */
	0x6d4627e8, /* ldp d8, d9, [sp, #96] */
	0xa94573fb, /* ldp x27, x28, [sp, #80] */
	0xa9446bf9, /* ldp x25, x26, [sp, #64] */
	0xa94363f7, /* ldp x23, x24, [sp, #48] */
	0xa9425bf5, /* ldp x21, x22, [sp, #32] */
	0xa94153f3, /* ldp x19, x20, [sp, #16] */
	0xa8cb7bfd, /* ldp x29, x30, [sp], #176 */
	0xd65f03c0, /* ret */
};

/* B: 26 bits of words. */
static uint32_t jump(int64_t bytes)
{
	return 0x14000000 | ((uint32_t)(bytes / 4) & 0x3ffffff);
}

static const struct tp_asm_words words = {
	.enter = enter,
	.n_enter = TP_COUNT_OF(enter),
	.end = end,
	.n_end = TP_COUNT_OF(end),
	.jump = jump,
	.leave = leave,
	.n_leave = TP_COUNT_OF(leave),
	.most_bytes = REACH_BYTES,
};

static bool find(const char *name, size_t len, struct tp_register_name *out)
{
	return tp_asm_find_numbered(kinds, TP_COUNT_OF(kinds), name, len, out);
}

static bool name_of(const struct tp_register_name *name, char out[TP_ASM_NAME_BYTES])
{
	return tp_asm_name_numbered(kinds, TP_COUNT_OF(kinds), name, out);
}

static bool is_reserved(unsigned reg)
{
	return reg == COUNTER || reg == STACK;
}

static bool is_vector(unsigned reg)
{
	return reg >= VECTORS;
}

const struct tp_assembly tp_aarch64_assembly = {
	.elf_machine = EM_AARCH64,
	.directives = tp_asm_no_directives,
	.syntax_words = "att",
	.reserved = "x28 and x29",
	.pointers = "x0 (the beginning of the buffer) and x1 (its middle)",
	.find = find,
	.name = name_of,
	.alike = tp_asm_alike_itself,
	.is_reserved = is_reserved,
	.is_vector = is_vector,
	.look = tp_asm_look_not,
	.words = &words,
	.emit = tp_asm_emit_words,
};
