/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/riscv64/encode.h"

/* Bits that are not operands. */
#define MASK_R	     0xfe00707fu
#define MASK_I	     0x0000707fu
#define MASK_SHIFT   0xfc00707fu
#define MASK_LOAD    0x0000707fu
#define MASK_STORE   0x0000707fu
#define MASK_FLOAD   0x0000707fu
#define MASK_FSTORE  0x0000707fu
#define MASK_FR	     0xfe00707fu
#define MASK_FR4     0x0600707fu
#define MASK_FX	     0xfff0707fu
#define MASK_B	     0x0000707fu
#define MASK_U	     0x0000007fu
#define MASK_J	     0x0000007fu
#define MASK_VSET    0x8000707fu
#define MASK_VMEMORY 0xfff0707fu
#define MASK_VV	     0xfe00707fu
#define MASK_VVV     0xfe00707fu
#define MASK_VI	     0xfff0707fu
#define MASK_FIXED   0xffffffffu

static const struct tp_riscv_row rows[] = {
#define ROW(id, name, format, bits) { name, TP_RISCV_##format, bits, MASK_##format },
	TP_RISCV_LIST(ROW)
#undef ROW
};

/* Where operands lie. */
enum { RD = 7, RS1 = 15, RS2 = 20, RS3 = 27, WORD_BYTES = 4 };

const struct tp_riscv_row *tp_riscv_row(enum tp_riscv_op op)
{
	return &rows[op];
}

void tp_riscv_init(struct tp_riscv_asm *as, void *memory, size_t bytes)
{
	*as = (struct tp_riscv_asm){ .start = memory };
	as->at = as->start;
	as->end = as->start + bytes / WORD_BYTES;
}

size_t tp_riscv_here(const struct tp_riscv_asm *as)
{
	return (size_t)(as->at - as->start) * WORD_BYTES;
}

static void put(struct tp_riscv_asm *as, uint32_t word)
{
	if (as->at == as->end)
		as->failed = true;
	else
		*as->at++ = word;
}

void tp_riscv_align(struct tp_riscv_asm *as, size_t bytes)
{
	while (tp_riscv_here(as) % bytes && !as->failed)
		tp_riscv_imm(as, TP_RISCV_ADDI, X_ZERO, X_ZERO, 0);
}

static uint32_t field(unsigned value, unsigned at)
{
	return (uint32_t)value << at;
}

/* Bits [low, low + n) of a number, moved to bit `at`. */
static uint32_t part(int64_t value, unsigned low, unsigned n, unsigned at)
{
	return (uint32_t)((uint64_t)value >> low & ((UINT64_C(1) << n) - 1)) << at;
}

bool tp_riscv_fits(int64_t offset)
{
	return offset >= -2048 && offset <= 2047;
}

static uint32_t check(struct tp_riscv_asm *as, bool fits, uint32_t bits)
{
	as->failed |= !fits;
	return bits;
}

static bool within(int64_t value, unsigned bits)
{
	int64_t half = INT64_C(1) << (bits - 1);
	return value >= -half && value < half;
}

void tp_riscv_op4(struct tp_riscv_asm *as, enum tp_riscv_op op, unsigned a, unsigned b, unsigned c,
		  unsigned d)
{
	put(as, rows[op].bits | field(a, RD) | field(b, RS1) | field(c, RS2) | field(d, RS3));
}

void tp_riscv_op3(struct tp_riscv_asm *as, enum tp_riscv_op op, unsigned a, unsigned b, unsigned c)
{
	/* Assembly text of plain vector arithmetic has its second source first. */
	bool second_first = rows[op].format == TP_RISCV_VV;
	put(as, rows[op].bits | field(a, RD) | field(second_first ? c : b, RS1) |
			field(second_first ? b : c, RS2));
}

static uint32_t branch_bits(struct tp_riscv_asm *as, int64_t distance)
{
	return check(as, within(distance, 13),
		     part(distance, 12, 1, 31) | part(distance, 5, 6, 25) |
			     part(distance, 1, 4, 8) | part(distance, 11, 1, 7));
}

static uint32_t jump_bits(struct tp_riscv_asm *as, int64_t distance)
{
	return check(as, within(distance, 21),
		     part(distance, 20, 1, 31) | part(distance, 1, 10, 21) |
			     part(distance, 11, 1, 20) | part(distance, 12, 8, 12));
}

void tp_riscv_imm(struct tp_riscv_asm *as, enum tp_riscv_op op, unsigned a, unsigned b,
		  int64_t immediate)
{
	uint32_t word = rows[op].bits;
	switch (rows[op].format) {
	case TP_RISCV_I:
	case TP_RISCV_LOAD:
	case TP_RISCV_FLOAD:
		word |= field(a, RD) | field(b, RS1) |
			check(as, tp_riscv_fits(immediate), part(immediate, 0, 12, 20));
		break;
	case TP_RISCV_STORE:
	case TP_RISCV_FSTORE:
		word |= field(a, RS2) | field(b, RS1) |
			check(as, tp_riscv_fits(immediate),
			      part(immediate, 5, 7, 25) | part(immediate, 0, 5, 7));
		break;
	case TP_RISCV_SHIFT:
		word |= field(a, RD) | field(b, RS1) |
			check(as, immediate >= 0 && immediate < 64, part(immediate, 0, 6, 20));
		break;
	case TP_RISCV_U:
		word |= field(a, RD) | part(immediate, 0, 20, 12);
		break;
	case TP_RISCV_VSET:
		word |= field(a, RD) | field(b, RS1) | part(immediate, 0, 11, 20);
		break;
	case TP_RISCV_FX:
	case TP_RISCV_VMEMORY:
		word |= field(a, RD) | field(b, RS1);
		break;
	case TP_RISCV_VI:
		word |= field(a, RD) | check(as, within(immediate, 5), part(immediate, 0, 5, RS1));
		break;
	case TP_RISCV_FIXED:
		break;
	default:
		as->failed = true;
	}
	put(as, word);
}

void tp_riscv_li(struct tp_riscv_asm *as, unsigned reg, int64_t value)
{
	if (tp_riscv_fits(value)) {
		tp_riscv_imm(as, TP_RISCV_ADDI, reg, X_ZERO, value);
		return;
	}
	/* addi adds a signed number: what it takes away is added above it. */
	int64_t low = (int64_t)((uint64_t)value << 52) >> 52;
	if (value >= INT32_MIN && value <= INT32_MAX) {
		tp_riscv_imm(as, TP_RISCV_LUI, reg, 0, (value - low) >> 12);
		if (low)
			tp_riscv_imm(as, TP_RISCV_ADDIW, reg, reg, low);
		return;
	}
	int64_t high = (int64_t)((uint64_t)value - (uint64_t)low) >> 12;
	unsigned shift = 12;
	for (; (high & 1) == 0; shift++)
		high >>= 1;
	tp_riscv_li(as, reg, high);
	tp_riscv_imm(as, TP_RISCV_SLLI, reg, reg, shift);
	if (low)
		tp_riscv_imm(as, TP_RISCV_ADDI, reg, reg, low);
}

void tp_riscv_add(struct tp_riscv_asm *as, unsigned reg, unsigned from, int64_t bytes,
		  unsigned scratch)
{
	if (bytes == 0 && reg == from)
		return;
	if (tp_riscv_fits(bytes)) {
		tp_riscv_imm(as, TP_RISCV_ADDI, reg, from, bytes);
		return;
	}
	tp_riscv_li(as, scratch, bytes);
	tp_riscv_op3(as, TP_RISCV_ADD, reg, from, scratch);
}

static int64_t distance_to(const struct tp_riscv_asm *as, size_t target)
{
	return (int64_t)target - (int64_t)tp_riscv_here(as);
}

void tp_riscv_loop(struct tp_riscv_asm *as, unsigned counter, size_t target)
{
	tp_riscv_imm(as, TP_RISCV_ADDI, counter, counter, -1);
	int64_t distance = distance_to(as, target);
	if (within(distance, 13)) {
		put(as, rows[TP_RISCV_BNE].bits | field(counter, RS1) | branch_bits(as, distance));
		return;
	}
	size_t out = tp_riscv_forward(as, TP_RISCV_BEQ, counter, X_ZERO);
	put(as, rows[TP_RISCV_JAL].bits | jump_bits(as, distance_to(as, target)));
	tp_riscv_land(as, out);
}

size_t tp_riscv_forward(struct tp_riscv_asm *as, enum tp_riscv_op op, unsigned a, unsigned b)
{
	size_t at = tp_riscv_here(as);
	put(as,
	    rows[op].bits | (rows[op].format == TP_RISCV_J ? 0 : field(a, RS1) | field(b, RS2)));
	return at;
}

void tp_riscv_land(struct tp_riscv_asm *as, size_t branch)
{
	uint32_t *word = as->start + branch / WORD_BYTES;
	int64_t distance = -distance_to(as, branch);
	if (word >= as->at) { /* the buffer was full */
		as->failed = true;
		return;
	}
	bool jump = (*word & MASK_J) == rows[TP_RISCV_JAL].bits;
	*word |= jump ? jump_bits(as, distance) : branch_bits(as, distance);
}

unsigned tp_riscv_vtype(bool old, unsigned element_bytes, unsigned lmul)
{
	enum { TAIL_AGNOSTIC = 1 << 6, MASK_AGNOSTIC = 1 << 7 };
	unsigned width = element_bytes == 8 ? 3 : 2;
	unsigned group = lmul == 8 ? 3 : lmul == 4 ? 2 : lmul == 2 ? 1 : 0;
	return old ? width << 2 | group : MASK_AGNOSTIC | TAIL_AGNOSTIC | width << 3 | group;
}
