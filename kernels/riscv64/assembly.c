/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop around users' instructions: s11 counts, s0 holds the stack pointer. The calling
 * convention is that of the RISC-V psABI; fcsr is kept as well. Vector registers hold whatever
 * there was. No instruction is decoded here, so what waits for what is not known: bodies run as
 * they are written.
 */
#include "kernels/assembly.h"
#include "kernels/riscv64/riscv64.h"
#include "base/memory.h"

#include <elf.h>

enum { GENERAL = 0, FLOATS = 32, VECTORS = 64, NAMED = 96, COUNTER = 11, REACH_BYTES = 1 << 20 };

/* By the names of the calling convention; the numbers count within each kind. */
static const struct tp_asm_kind kinds[] = {
	{ "s", GENERAL, 12 },	  { "x", NAMED, 32 },  { "a", GENERAL + 12, 8 },
	{ "t", GENERAL + 20, 7 }, { "f", FLOATS, 32 }, { "fs", NAMED, 12 },
	{ "fa", NAMED, 8 },	  { "ft", NAMED, 12 }, { "v", VECTORS, 32 },
};
enum { X_FORM = 1, X_STACK = 8, X_COUNTER = 27 };

static const uint32_t enter[] = {
	0xf2010113, /* add sp,sp,-224 */
	0x00113023, /* sd ra,0(sp) */
	0x00813423, /* sd s0,8(sp) */
	0x00913823, /* sd s1,16(sp) */
	0x01213c23, /* sd s2,24(sp) */
	0x03313023, /* sd s3,32(sp) */
	0x03413423, /* sd s4,40(sp) */
	0x03513823, /* sd s5,48(sp) */
	0x03613c23, /* sd s6,56(sp) */
	0x05713023, /* sd s7,64(sp) */
	0x05813423, /* sd s8,72(sp) */
	0x05913823, /* sd s9,80(sp) */
	0x05a13c23, /* sd s10,88(sp) */
	0x07b13023, /* sd s11,96(sp) */
	0x06813427, /* fsd fs0,104(sp) */
	0x06913827, /* fsd fs1,112(sp) */
	0x07213c27, /* fsd fs2,120(sp) */
	0x09313027, /* fsd fs3,128(sp) */
	0x09413427, /* fsd fs4,136(sp) */
	0x09513827, /* fsd fs5,144(sp) */
	0x09613c27, /* fsd fs6,152(sp) */
	0x0b713027, /* fsd fs7,160(sp) */
	0x0b813427, /* fsd fs8,168(sp) */
	0x0b913827, /* fsd fs9,176(sp) */
	0x0ba13c27, /* fsd fs10,184(sp) */
	0x0db13027, /* fsd fs11,192(sp) */
	0x003022f3, /* frcsr t0 */
	0x0c513423, /* sd t0,200(sp) */
	0x00010413, /* mv s0,sp */
	0x00058d93, /* mv s11,a1 */
	0x000012b7, /* lui t0,0x1 */
	0x40510133, /* sub sp,sp,t0 */
	0x01053283, /* ld t0,16(a0) */
	0xf2028053, /* fmv.d.x ft0,t0 */
	0xf20280d3, /* fmv.d.x ft1,t0 */
	0xf2028153, /* fmv.d.x ft2,t0 */
	0xf20281d3, /* fmv.d.x ft3,t0 */
	0xf2028253, /* fmv.d.x ft4,t0 */
	0xf20282d3, /* fmv.d.x ft5,t0 */
	0xf2028353, /* fmv.d.x ft6,t0 */
	0xf20283d3, /* fmv.d.x ft7,t0 */
	0xf2028453, /* fmv.d.x fs0,t0 */
	0xf20284d3, /* fmv.d.x fs1,t0 */
	0xf2028553, /* fmv.d.x fa0,t0 */
	0xf20285d3, /* fmv.d.x fa1,t0 */
	0xf2028653, /* fmv.d.x fa2,t0 */
	0xf20286d3, /* fmv.d.x fa3,t0 */
	0xf2028753, /* fmv.d.x fa4,t0 */
	0xf20287d3, /* fmv.d.x fa5,t0 */
	0xf2028853, /* fmv.d.x fa6,t0 */
	0xf20288d3, /* fmv.d.x fa7,t0 */
	0xf2028953, /* fmv.d.x fs2,t0 */
	0xf20289d3, /* fmv.d.x fs3,t0 */
	0xf2028a53, /* fmv.d.x fs4,t0 */
	0xf2028ad3, /* fmv.d.x fs5,t0 */
	0xf2028b53, /* fmv.d.x fs6,t0 */
	0xf2028bd3, /* fmv.d.x fs7,t0 */
	0xf2028c53, /* fmv.d.x fs8,t0 */
	0xf2028cd3, /* fmv.d.x fs9,t0 */
	0xf2028d53, /* fmv.d.x fs10,t0 */
	0xf2028dd3, /* fmv.d.x fs11,t0 */
	0xf2028e53, /* fmv.d.x ft8,t0 */
	0xf2028ed3, /* fmv.d.x ft9,t0 */
	0xf2028f53, /* fmv.d.x ft10,t0 */
	0xf2028fd3, /* fmv.d.x ft11,t0 */
	0x00853583, /* ld a1,8(a0) */
	0x00053503, /* ld a0,0(a0) */
	0x00100093, /* li ra,1 */
	0x00100293, /* li t0,1 */
	0x00100313, /* li t1,1 */
	0x00100393, /* li t2,1 */
	0x00100493, /* li s1,1 */
	0x00100613, /* li a2,1 */
	0x00100693, /* li a3,1 */
	0x00100713, /* li a4,1 */
	0x00100793, /* li a5,1 */
	0x00100813, /* li a6,1 */
	0x00100893, /* li a7,1 */
	0x00100913, /* li s2,1 */
	0x00100993, /* li s3,1 */
	0x00100a13, /* li s4,1 */
	0x00100a93, /* li s5,1 */
	0x00100b13, /* li s6,1 */
	0x00100b93, /* li s7,1 */
	0x00100c13, /* li s8,1 */
	0x00100c93, /* li s9,1 */
	0x00100d13, /* li s10,1 */
	0x00100e13, /* li t3,1 */
	0x00100e93, /* li t4,1 */
	0x00100f13, /* li t5,1 */
	0x00100f93, /* li t6,1 */
};
static const uint32_t end[] = {
	0xfffd8d93, /* add s11,s11,-1 */
	0x000d8463, /* beqz s11,178 */
};
static const uint32_t leave[] = {
	0x00040113, /* mv sp,s0 */
	0x0c813283, /* ld t0,200(sp) */
	0x00329073, /* fscsr t0 */
	0x00013083, /* ld ra,0(sp) */
	0x01013483, /* ld s1,16(sp) */
	0x01813903, /* ld s2,24(sp) */
	0x02013983, /* ld s3,32(sp) */
	0x02813a03, /* ld s4,40(sp) */
	0x03013a83, /* ld s5,48(sp) */
	0x03813b03, /* ld s6,56(sp) */
	0x04013b83, /* ld s7,64(sp) */
	0x04813c03, /* ld s8,72(sp) */
	0x05013c83, /* ld s9,80(sp) */
	0x05813d03, /* ld s10,88(sp) */
	0x06013d83, /* ld s11,96(sp) */
	0x06813407, /* fld fs0,104(sp) */
	0x07013487, /* fld fs1,112(sp) */
	0x07813907, /* fld fs2,120(sp) */
	0x08013987, /* fld fs3,128(sp) */
	0x08813a07, /* fld fs4,136(sp) */
	0x09013a87, /* fld fs5,144(sp) */
	0x09813b07, /* fld fs6,152(sp) */
	0x0a013b87, /* fld fs7,160(sp) */
	0x0a813c07, /* fld fs8,168(sp) */
	0x0b013c87, /* fld fs9,176(sp) */
	0x0b813d07, /* fld fs10,184(sp) */
	0x0c013d87, /* fld fs11,192(sp) */
	0x00813403, /* ld s0,8(sp) */
	0x0e010113, /* add sp,sp,224 */
	0x00008067, /* ret */
};

/* JAL x0: 20 bits of half words, shuffled. */
static uint32_t jump(int64_t bytes)
{
	uint32_t d = (uint32_t)bytes;
	return 0x6f | (d & 0xff000) | (d >> 11 & 1) << 20 | (d >> 1 & 0x3ff) << 21 |
	       (d >> 20 & 1) << 31;
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
	if (!tp_asm_find_numbered(kinds, TP_COUNT_OF(kinds), name, len, out))
		return false;
	/* Both names of the registers of the loop. */
	if (out->form == X_FORM && out->reg == NAMED + X_COUNTER)
		out->reg = COUNTER;
	if (out->form == X_FORM && out->reg == NAMED + X_STACK)
		out->reg = GENERAL;
	return true;
}

static bool name_of(const struct tp_register_name *name, char out[TP_ASM_NAME_BYTES])
{
	return tp_asm_name_numbered(kinds, TP_COUNT_OF(kinds), name, out);
}

static bool is_reserved(unsigned reg)
{
	return reg == COUNTER || reg == GENERAL;
}

static bool is_vector(unsigned reg)
{
	return reg >= VECTORS && reg < NAMED;
}

const struct tp_assembly tp_riscv_assembly = {
	.elf_machine = EM_RISCV,
	.directives = tp_asm_no_directives,
	.syntax_words = "att",
	.reserved = "s0 and s11",
	.pointers = "a0 (the beginning of the buffer) and a1 (its middle)",
	.find = find,
	.name = name_of,
	.alike = tp_asm_alike_itself,
	.is_reserved = is_reserved,
	.is_vector = is_vector,
	.look = tp_asm_look_not,
	.words = &words,
	.emit = tp_asm_emit_words,
};
