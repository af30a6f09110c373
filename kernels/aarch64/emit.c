/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The aarch64 back end of the shared emitter. Offsets in instructions are short (unsigned 12 bits
 * for operands, signed 7 for pairs, signed 9 or 4 for SVE), so a pointer moves within the body when
 * the next access is out of reach.
 *
 * Registers of loops: x2 = index into the stream, x3 = its beginning, x4 = its byte, x5 = random
 * condition and target of loads, x6 = the odd number, x7 and x8 = results.
 */
#include <stdio.h>

#include "base/str.h"
#include "base/memory.h"
#include "kernels/aarch64/aarch64.h"
#include "kernels/emit/emit.h"

enum { TP_AARCH64_ALL_LANES, TP_AARCH64_TAIL_LANES }; /* predicates */

static inline bool has_lanes(const struct tp_emitter *e)
{
	return e->form == TP_AARCH64_SVE || e->form == TP_AARCH64_SME;
}

/* Outer products: the accumulators are tiles of ZA, which are zero when streaming mode begins. */
static inline bool has_matrix(const struct tp_emitter *e)
{
	return e->narrow && tp_narrow_is_outer(e->narrow);
}

/*
 * The instructions on vector registers, for all forms. In SVE code all lanes are on in predicate 0.
 *
 */

#define A(name) TP_AARCH64_##name

/* [what][form][single]. Scalars have x = x * a + b for the last two. */
static const enum tp_aarch64_op arithmetic[TP_ARITHMETICS][TP_AARCH64_FORMS][2] = {
	[TP_DO_ADD] = { { A(FADD_D), A(FADD_S) },
			{ A(FADD_2D), A(FADD_4S) },
			{ A(FADD_ZD), A(FADD_ZS) } },
	[TP_DO_MUL] = { { A(FMUL_D), A(FMUL_S) },
			{ A(FMUL_2D), A(FMUL_4S) },
			{ A(FMUL_ZD), A(FMUL_ZS) } },
	[TP_DO_DIV] = { { A(FDIV_D), A(FDIV_S) },
			{ A(FDIV_2D), A(FDIV_4S) },
			{ A(FDIV_ZD), A(FDIV_ZS) } },
	[TP_DO_FMA] = { { A(FMADD_D), A(FMADD_S) },
			{ A(FMLA_2D), A(FMLA_4S) },
			{ A(FMLA_ZD), A(FMLA_ZS) } },
	[TP_DO_SCALE] = { { A(FMADD_D), A(FMADD_S) },
			  { A(FMLA_2D), A(FMLA_4S) },
			  { A(FMAD_ZD), A(FMAD_ZS) } },
	[TP_DO_SCALE_BACK] = { { A(FMADD_D), A(FMADD_S) },
			       { A(FMLS_2D), A(FMLS_4S) },
			       { A(FMAD_ZD), A(FMAD_ZS) } },
};

enum access_kind {
	LOAD,
	STORE,
	STORE_NT, /* scalar: of 8 bytes only */
	LOAD_HALF, /* into one register of such a pair */
	ACCESS_KINDS
};

/* [what][form][single]. The halves of a scalar of 8 bytes have 4. */
static const enum tp_aarch64_op accesses[ACCESS_KINDS][TP_AARCH64_FORMS][2] = {
	[LOAD] = { { A(LDR_D), A(LDR_S) }, { A(LDR_Q), A(LDR_Q) }, { A(LDR_Z), A(LDR_Z) } },
	[STORE] = { { A(STR_D), A(STR_S) }, { A(STR_Q), A(STR_Q) }, { A(STR_Z), A(STR_Z) } },
	[STORE_NT] = { { A(STNP_S), A(STNP_S) },
		       { A(STNP_D), A(STNP_D) },
		       { A(STNT1D), A(STNT1W) } },
	[LOAD_HALF] = { { A(LDR_S), A(LDR_S) }, { A(LDR_D), A(LDR_D) } },
};

/* Place in the tables. */
static unsigned form_of(const struct tp_emitter *e)
{
	return e->form == TP_AARCH64_SME ? TP_AARCH64_SVE : e->form;
}

static void aarch64_arithmetic(struct tp_emitter *e, enum tp_arithmetic what, unsigned x,
			       unsigned a, unsigned b)
{
	enum tp_aarch64_op op = arithmetic[what][form_of(e)][e->element_bytes == 4];
	bool fused = what >= TP_DO_FMA;
	if (fused && e->form == TP_AARCH64_SCALAR && what == TP_DO_FMA)
		tp_aarch64_put(e->as, op, x, a, b, x);
	else if (fused && e->form == TP_AARCH64_SCALAR)
		tp_aarch64_put(e->as, op, x, x, a, b);
	else if (fused && e->form == TP_AARCH64_NEON)
		tp_aarch64_put(e->as, op, x, a, b, 0);
	else if (fused)
		tp_aarch64_put(e->as, op, x, TP_AARCH64_ALL_LANES, a, b);
	else if (what == TP_DO_DIV && has_lanes(e))
		tp_aarch64_put(e->as, op, x, TP_AARCH64_ALL_LANES, a, 0);
	else
		tp_aarch64_put(e->as, op, x, x, a, 0);
}

/* The instruction of e->narrow, x += a * b. */
static void narrow_op(struct tp_emitter *e, unsigned x, unsigned a, unsigned b)
{
	enum tp_aarch64_op op = (enum tp_aarch64_op)e->narrow->instruction;
	if (op == TP_AARCH64_FMLA_ZH)
		tp_aarch64_put(e->as, op, x, TP_AARCH64_ALL_LANES, a, b);
	else
		tp_aarch64_put(e->as, op, x, a, b, 0);
}

static enum tp_aarch64_op access_op(const struct tp_emitter *e, enum access_kind kind)
{
	return accesses[kind][form_of(e)][e->element_bytes == 4];
}

static enum access_kind kind_of(const struct tp_access *a)
{
	return !a->store ? LOAD : a->nontemporal ? STORE_NT : STORE;
}

/* Bytes of an offset of 1 in the table. */
static int64_t unit_bytes(const struct tp_emitter *e)
{
	return has_lanes(e) ? e->operand_bytes : 1;
}

static bool reaches(const struct tp_emitter *e, enum access_kind kind, int64_t offset)
{
	int64_t unit = unit_bytes(e);
	return offset % unit == 0 && tp_word_fits(&tp_aarch64_words, access_op(e, kind),
						  kind == STORE_NT ? 3 : 2, offset / unit);
}

static void put_access(struct tp_emitter *e, enum access_kind kind, unsigned reg, unsigned base,
		       int64_t offset)
{
	enum tp_aarch64_op op = access_op(e, kind);
	int64_t unit = unit_bytes(e), units = offset / unit;
	e->as->failed |= offset % unit != 0;
	if (kind != STORE_NT)
		tp_aarch64_put(e->as, op, reg, base, units, 0);
	else if (has_lanes(e))
		tp_aarch64_put(e->as, op, reg, TP_AARCH64_ALL_LANES, base, units);
	else
		tp_aarch64_put(e->as, op, reg, reg + 1, base, units);
}

static int64_t aarch64_reach(const struct tp_emitter *e, const struct tp_access *a)
{
	return !a->tail && reaches(e, kind_of(a), a->offset) ? 0 : a->offset;
}

static void aarch64_access(struct tp_emitter *e, const struct tp_access *a)
{
	static const enum tp_aarch64_op tails[] = {
		[LOAD] = A(LD1B), [STORE] = A(ST1B), [STORE_NT] = A(STNT1B)
	};
	if (a->tail)
		tp_aarch64_put(e->as, tails[kind_of(a)], a->reg, TP_AARCH64_TAIL_LANES, a->base, 0);
	else
		put_access(e, kind_of(a), a->reg, a->base, a->offset);
}

static void aarch64_move(struct tp_emitter *e, bool store, unsigned reg, unsigned base,
			 int64_t offset)
{
	enum access_kind kind = store ? STORE : LOAD;
	if (has_matrix(e) && reg < e->plan.accumulators)
		return; /* a tile of the matrix */
	if (reaches(e, kind, offset) || access_op(e, kind) != TP_AARCH64_LDR_D) {
		put_access(e, kind, reg, base, offset);
		return;
	}
	tp_aarch64_constant(e->as, e->scratch, (uint64_t)offset);
	tp_aarch64_put(e->as, TP_AARCH64_LDR_D_INDEXED, reg, base, e->scratch, 0);
}

/*
 * Except with SVE, non-temporal stores write a pair of registers, half an operand each. Loads such
 * a pair and returns true if the kernel needs it.
 */
static bool load_pair(struct tp_emitter *e)
{
	unsigned data = e->be->registers->data, reg = e->plan.source;
	if (!e->k->nontemporal || has_lanes(e))
		return false;
	put_access(e, LOAD_HALF, reg, data, 0);
	put_access(e, LOAD_HALF, reg + 1, data, e->operand_bytes / 2);
	return true;
}

enum { DATA, PASSES };
enum { INDEX = 2, STREAM, BYTE, CHAINED, ODD, RESULT, OTHER_RESULT };

static void put(struct tp_emitter *e, enum tp_aarch64_op op, int64_t a, int64_t b, int64_t c)
{
	tp_aarch64_put(e->as, op, a, b, c, 0);
}

/* --- frame --- */

/* Vectors of more than 128 bits need SVE with exactly that length. */
static enum tp_status loop_form(struct tp_emitter *e, const struct tp_loop_fp *fp,
				struct tp_diag *diag)
{
	char needs[16] = "fp";
	e->form = TP_AARCH64_SCALAR;
	if (fp->vector_bytes == 16) {
		e->form = TP_AARCH64_NEON;
		tp_copy(needs, sizeof(needs), "asimd");
	} else if (fp->vector_bytes) {
		e->form = TP_AARCH64_SVE;
		snprintf(needs, sizeof(needs), "sve-%u", fp->vector_bytes * 8);
	}
	if (fp->element_bytes && !tp_has_word(e->cpu->features, needs))
		return tp_emit_lacks(needs, diag);
	return TP_OK;
}

enum { FIRST_KEPT = 8, LAST_KEPT = 15, KEPT_X = 19, PAIR_BYTES = 16, FRAME_BYTES = 80 };

/* The caller owns the lower halves of vector registers 8 to 15, and x19 and x20. */
static void move_kept(struct tp_emitter *e, enum tp_aarch64_op pair, enum tp_aarch64_op last)
{
	int64_t at = 0;
	for (int64_t reg = FIRST_KEPT; reg < LAST_KEPT; reg += 2, at += PAIR_BYTES)
		tp_aarch64_put(e->as, pair, reg, reg + 1, TP_AARCH64_SP, at);
	tp_aarch64_put(e->as, last, KEPT_X, KEPT_X + 1, TP_AARCH64_SP, at);
}

static void enter(struct tp_emitter *e, bool vectors)
{
	if (!vectors)
		return;
	put(e, TP_AARCH64_SUB_IMM, TP_AARCH64_SP, TP_AARCH64_SP, FRAME_BYTES);
	move_kept(e, TP_AARCH64_STP_D, TP_AARCH64_STP_X);
	if (e->form == TP_AARCH64_SME)
		put(e, TP_AARCH64_SMSTART, 0, 0, 0);
	if (has_lanes(e))
		put(e, TP_AARCH64_PTRUE, TP_AARCH64_ALL_LANES, 0, 0);
}

/* --- integers and branches --- */

static void constant(struct tp_emitter *e, unsigned reg, int64_t value)
{
	tp_aarch64_constant(e->as, reg, (uint64_t)value);
}

static void copy(struct tp_emitter *e, unsigned to, unsigned from)
{
	put(e, TP_AARCH64_MOV, to, from, 0);
}

static void integer(struct tp_emitter *e, enum tp_integer_op op, unsigned x, unsigned a, unsigned b)
{
	static const enum tp_aarch64_op ops[TP_INTEGER_OPS] = {
		[TP_INTEGER_ADD] = TP_AARCH64_ADD,
		[TP_INTEGER_MUL] = TP_AARCH64_MUL,
		[TP_INTEGER_AND] = TP_AARCH64_AND,
	};
	put(e, ops[op], x, a, b);
}

static void address(struct tp_emitter *e, unsigned to, unsigned from, int64_t bytes)
{
	tp_aarch64_advance(e->as, to, from, bytes, e->scratch);
}

static void shift(struct tp_emitter *e, unsigned reg)
{
	put(e, TP_AARCH64_LSL_1, reg, reg, 0);
}

static void cell(struct tp_emitter *e, bool store, unsigned reg, unsigned base, int64_t offset)
{
	put(e, store ? TP_AARCH64_STR_X : TP_AARCH64_LDR_X, reg, base, offset);
}

static void store_indexed(struct tp_emitter *e, unsigned reg, unsigned base, unsigned index)
{
	put(e, TP_AARCH64_STR_X_INDEXED, reg, base, index);
}

/* In a long loop the conditional branch leaves, over a branch that reaches everywhere. */
static bool loop_end(struct tp_emitter *e, unsigned reg, size_t top)
{
	put(e, TP_AARCH64_SUBS_IMM, reg, reg, 1);
	bool far = !tp_word_reaches(e->as, &tp_aarch64_words, TP_AARCH64_B_NE, top);
	size_t out = far ? tp_word_forward(e->as, &tp_aarch64_words, TP_AARCH64_B_EQ, 0, 0) : 0;
	tp_word_back(e->as, &tp_aarch64_words, far ? TP_AARCH64_B : TP_AARCH64_B_NE, 0, 0, top);
	if (far)
		tp_word_land(e->as, &tp_aarch64_words, out);
	return far;
}

static size_t forward(struct tp_emitter *e, enum tp_loop_op_kind kind)
{
	static const struct {
		enum tp_aarch64_op op;
		unsigned reg, bit;
	} branches[TP_LOOP_KINDS] = {
		[TP_LOOP_JUMP] = { .op = TP_AARCH64_B },
		[TP_LOOP_NEVER] = { .op = TP_AARCH64_CBZ, .reg = DATA },
		[TP_LOOP_ALWAYS] = { .op = TP_AARCH64_CBNZ, .reg = DATA },
		[TP_LOOP_ALTERNATE] = { TP_AARCH64_TBNZ, BYTE, TP_LOOP_ALTERNATE_BIT },
		[TP_LOOP_RANDOM] = { TP_AARCH64_TBNZ, CHAINED, TP_LOOP_RANDOM_BIT },
	};
	unsigned bit = branches[kind].bit;
	return tp_word_forward(e->as, &tp_aarch64_words, branches[kind].op, branches[kind].reg,
			       bit ? __builtin_ctz(bit) : 0);
}

/* --- the end of the frame --- */

/* Streaming mode takes the contents of all vector registers when it begins and when it ends. */
static void leave(struct tp_emitter *e, bool vectors)
{
	/* The rows of ZA follow a and b. Row i of tile t is row i * tiles + t of them. */
	if (has_matrix(e)) {
		enum { ROW = 12 /* the number of STR_ZA */, TO = 3, LEFT = 2 };
		constant(e, ROW, 0);
		constant(e, LEFT, e->operand_bytes);
		put(e, TP_AARCH64_ADD_IMM, TO, DATA, 2 * (int64_t)e->operand_bytes);
		size_t top = tp_asm_here(e->as);
		put(e, TP_AARCH64_STR_ZA, TO, 0, 0);
		put(e, TP_AARCH64_ADD_IMM, TO, TO, e->operand_bytes);
		put(e, TP_AARCH64_ADD_IMM, ROW, ROW, 1);
		loop_end(e, LEFT, top);
	}
	if (vectors && e->form == TP_AARCH64_SME)
		put(e, TP_AARCH64_SMSTOP, 0, 0, 0);
	if (vectors) {
		move_kept(e, TP_AARCH64_LDP_D, TP_AARCH64_LDP_X);
		put(e, TP_AARCH64_ADD_IMM, TP_AARCH64_SP, TP_AARCH64_SP, FRAME_BYTES);
	}
	put(e, TP_AARCH64_RET, 0, 0, 0);
}

/* --- vectors and walks through memory --- */

/* All forms have 32 registers. A non-temporal store writes two of them. */
static struct tp_register_budget budget(const struct tp_emitter *e)
{
	/* Tiles of ZA: as many as sums have bytes. */
	unsigned tiles = e->element_bytes == 8 ? 8 : 4;
	if (has_matrix(e))
		return (struct tp_register_budget){
			.registers = 32, .a = 30, .b = 31, .fp = { tiles, tiles }
		};
	return (struct tp_register_budget){ .registers = 32,
					    .source = 28,
					    .a = 30,
					    .b = 31,
					    .memory_targets = 28,
					    .mixed_targets = 4,
					    .fp = { 8, 24 },
					    .fp_first = { 8, 16 },
					    .fp_second = { 4, 12 },
					    .mixed = { 12, 24 },
					    .mixed_first = 14 };
}

static void clear(struct tp_emitter *e, unsigned reg)
{
	/* Streaming mode has no instructions on the vectors of Neon. */
	put(e, e->form == TP_AARCH64_SME ? TP_AARCH64_MOV_ZERO_Z : TP_AARCH64_MOVI_ZERO, reg, 0, 0);
}

static void mask_tail(struct tp_emitter *e)
{
	constant(e, e->scratch, e->tail_bytes);
	put(e, TP_AARCH64_WHILELO, TP_AARCH64_TAIL_LANES, TP_AARCH64_ZERO, e->scratch);
}

/* --- counting code --- */

static void fill_line(struct tp_emitter *e, size_t at, size_t line_bytes)
{
	enum { TARGET = 2, TARGETS = 3 };
	for (; at < line_bytes; at += TP_WORD_BYTES)
		put(e, TP_AARCH64_ADD_IMM, (int64_t)(TARGET + at / TP_WORD_BYTES % TARGETS), DATA,
		    1);
}

static void begin_loop(struct tp_emitter *e, const struct tp_loop *loop)
{
	static const unsigned cleared[] = { INDEX, BYTE, CHAINED, RESULT, OTHER_RESULT };
	if (loop->fp.element_bytes)
		tp_emit_loop_operands(e, false);
	if (loop->pass_log2) {
		constant(e, INDEX, loop->pass_log2);
		put(e, TP_AARCH64_LSL, PASSES, PASSES, INDEX);
	}
	constant(e, ODD, TP_EMIT_ODD);
	for (size_t i = 0; i < TP_COUNT_OF(cleared); i++)
		constant(e, cleared[i], 0);
	address(e, STREAM, DATA, TP_LOOP_OPERANDS_BYTES);
}

static void next(struct tp_emitter *e, unsigned pass_log2)
{
	put(e, TP_AARCH64_LDRB_INDEXED, BYTE, STREAM, INDEX);
	put(e, TP_AARCH64_ADD_IMM, INDEX, INDEX, 1);
	put(e, TP_AARCH64_AND_MASK, INDEX, INDEX, pass_log2 - 1);
}

static void barrier(struct tp_emitter *e)
{
	put(e, TP_AARCH64_DSB, 0, 0, 0);
	put(e, TP_AARCH64_ISB, 0, 0, 0);
}

static const struct tp_emit_registers registers = {
	.data = DATA,
	.passes = PASSES,
	/* x18 belongs to the platform; x19 and x20 are kept on the stack. */
	.kernel = { .scratch = 3,
		    .rounds = 2,
		    .addend = 3,
		    .chain = 2,
		    .chase = 2,
		    .width = { 4, 5, 6, 7, 8, 9, 10, 11 }, /* wide cores do six a cycle */
		    .n_width = 8,
		    .pointers = { 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20 } },
	.loop = { .scratch = CHAINED,
		  .cells = DATA,
		  .byte = BYTE,
		  .chain = CHAINED,
		  .loaded = CHAINED,
		  .changed = CHAINED,
		  .odd = ODD,
		  .factor = ODD,
		  .results = { OTHER_RESULT, RESULT } },
	.traversal_scratch = 17,
	.chase = { .pointer = 2, .rounds = 3 },
	.scatter = { .offset = 2,
		     .block = 3,
		     .base = 4,
		     .rounds = 5,
		     .blocks = 6,
		     .held = { { TP_SCATTER_MULTIPLIER, 7 },
			       { TP_SCATTER_OFFSET_MASK, 8 },
			       { TP_SCATTER_BLOCK_MASK, 9 } },
		     .n_held = 3 },
	.nest = { .pointers = { 2, 3, 4 }, .rounds = { 5, 6, 7, 8 } },
};

const struct tp_back_end tp_aarch64_back_end = {
	.assembler_bytes = sizeof(struct tp_assembler),
	.instruction_bytes = TP_WORD_BYTES,
	/* A distance takes up to four instructions and an addition. */
	.access_instructions = 6,
	.operation_instructions = 3,
	.step_instructions = 24,
	.registers = &registers,
	.words = &tp_aarch64_words,
	.nop = TP_AARCH64_NOP,
	.pads_outside = true,
	.scales_back = true,
	.loop_form = loop_form,
	.enter = enter,
	.leave = leave,
	.constant = constant,
	.copy = copy,
	.integer = integer,
	.address = address,
	.shift = shift,
	.cell = cell,
	.store_indexed = store_indexed,
	.loop_end = loop_end,
	.forward = forward,
	.budget = budget,
	.move = aarch64_move,
	.clear = clear,
	.arithmetic = aarch64_arithmetic,
	.narrow = narrow_op,
	.access = aarch64_access,
	.reach = aarch64_reach,
	.load_source = load_pair,
	.mask_tail = mask_tail,
	.fill_line = fill_line,
	.begin_loop = begin_loop,
	.next = next,
	.barrier = barrier,
};
