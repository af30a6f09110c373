/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The riscv64 back end of the shared emitter. Offsets have signed 12 bits, and vectors take none,
 * so pointers move with the accesses.
 *
 * Registers of loops: a2 = index into the stream, a3 = its byte, a4 = random condition and target
 * of loads, a5 = the odd number, a6 and a7 = results, t0 = conditions and changed cells, t1 = mask
 * of the stream, t2 = stream, t3 = cells. Branches compare by themselves. Vectors of 16, 32, 64
 * bytes use that many elements of the registers, if those are long enough.
 */
#include <stdio.h>

#include "base/str.h"
#include "base/memory.h"
#include "kernels/emit/emit.h"
#include "kernels/riscv64/riscv64.h"

/*
 * The instructions on FP registers and on vectors of versions 1.0 and 0.7. The versions differ in
 * the vector type, and loads and stores of 0.7 take their width from it. Private to
 * kernels/riscv64.
 */

/* The registers that a function need not save: ft0 to ft7, fa0 to fa7, ft8 to ft11. */
static const uint8_t fp_registers[] = { 0,  1,	2,  3,	4,  5,	6,  7,	10, 11,
					12, 13, 14, 15, 16, 17, 28, 29, 30, 31 };
enum { VECTOR_REGISTERS = 32 };

static bool is_scalar(const struct tp_emitter *e)
{
	return e->form == TP_RISCV_SCALAR;
}

static bool is_single(const struct tp_emitter *e)
{
	return e->element_bytes == 4;
}

static unsigned lmul_of(const struct tp_emitter *e)
{
	return e->k && e->k->body.lmul ? e->k->body.lmul : 1;
}

/* Groups of vector registers begin at multiples of their size. */
static unsigned name_of(const struct tp_emitter *e, unsigned reg)
{
	return is_scalar(e) ? fp_registers[reg] : reg * lmul_of(e);
}

/* number of groups of registers of a kernel */
static unsigned riscv_registers(const struct tp_emitter *e)
{
	return is_scalar(e) ? (unsigned)TP_COUNT_OF(fp_registers) : VECTOR_REGISTERS / lmul_of(e);
}

static void riscv_arithmetic(struct tp_emitter *e, enum tp_arithmetic what, unsigned x, unsigned a,
			     unsigned b)
{
	static const enum tp_riscv_op vectors[TP_ARITHMETICS] = {
		[TP_DO_ADD] = TP_RISCV_VFADD,	 [TP_DO_MUL] = TP_RISCV_VFMUL,
		[TP_DO_DIV] = TP_RISCV_VFDIV,	 [TP_DO_FMA] = TP_RISCV_VFMACC,
		[TP_DO_SCALE] = TP_RISCV_VFMADD,
	};
	/* [what][single] */
	static const enum tp_riscv_op scalars[TP_ARITHMETICS][2] = {
		[TP_DO_ADD] = { TP_RISCV_FADD_D, TP_RISCV_FADD_S },
		[TP_DO_MUL] = { TP_RISCV_FMUL_D, TP_RISCV_FMUL_S },
		[TP_DO_DIV] = { TP_RISCV_FDIV_D, TP_RISCV_FDIV_S },
		[TP_DO_FMA] = { TP_RISCV_FMADD_D, TP_RISCV_FMADD_S },
		[TP_DO_SCALE] = { TP_RISCV_FMADD_D, TP_RISCV_FMADD_S },
	};
	enum tp_riscv_op op = is_scalar(e) ? scalars[what][is_single(e)] : vectors[what];
	bool fused = what == TP_DO_FMA || what == TP_DO_SCALE;
	x = name_of(e, x);
	a = name_of(e, a);
	b = name_of(e, b);
	if (!fused)
		tp_riscv_put(e->as, op, x, x, a, 0);
	else if (!is_scalar(e))
		tp_riscv_put(e->as, op, x, a, b, 0);
	else if (what == TP_DO_FMA)
		tp_riscv_put(e->as, op, x, a, b, x);
	else
		tp_riscv_put(e->as, op, x, x, a, b);
}

/* Vectors take no offset. */
static void riscv_move(struct tp_emitter *e, bool store, unsigned reg, unsigned base,
		       int64_t offset)
{
	/* [vector][single][store] */
	static const enum tp_riscv_op ops[2][2][2] = {
		{ { TP_RISCV_FLD, TP_RISCV_FSD }, { TP_RISCV_FLW, TP_RISCV_FSW } },
		{ { TP_RISCV_VLE64, TP_RISCV_VSE64 }, { TP_RISCV_VLE32, TP_RISCV_VSE32 } },
	};
	bool single = is_single(e) && e->form != TP_RISCV_RVV07;
	enum tp_riscv_op op = ops[!is_scalar(e)][single][store];
	e->as->failed |= !is_scalar(e) && offset != 0;
	if (is_scalar(e))
		tp_riscv_put(e->as, op, name_of(e, reg), offset, base, 0);
	else
		tp_riscv_put(e->as, op, name_of(e, reg), base, 0, 0);
}

static void riscv_clear(struct tp_emitter *e, unsigned reg)
{
	enum tp_riscv_op op = !is_scalar(e)  ? TP_RISCV_VMV_I
			      : is_single(e) ? TP_RISCV_FMV_W_X
					     : TP_RISCV_FMV_D_X;
	tp_riscv_put(e->as, op, name_of(e, reg), 0, 0, 0);
}

/* After this, operands have `bytes`; a whole operand of a kernel takes the longest vectors. */
/* Zero as the requested length, with a target other than zero, requests the longest. */
static void set_length(struct tp_emitter *e, unsigned bytes)
{
	unsigned type = tp_riscv_vtype(e->form == TP_RISCV_RVV07, e->element_bytes, lmul_of(e));
	bool longest = e->k && bytes == e->operand_bytes;
	if (!longest)
		tp_riscv_li(e->as, e->scratch, bytes / e->element_bytes);
	tp_riscv_put(e->as, TP_RISCV_VSETVLI, longest ? e->scratch : X_ZERO,
		     longest ? X_ZERO : e->scratch, type, 0);
}

enum { DATA = X_A0, PASSES = X_A1 };
enum {
	INDEX = X_A2,
	BYTE = X_A3,
	CHAIN = X_A4,
	ODD = X_A5,
	CONDITION = X_T0,
	MASK = X_T1,
	STREAM = X_T2,
	CELLS = X_T3,
	BACK = X_T5 /* address of the first line of long code */
};

static void put(struct tp_emitter *e, enum tp_riscv_op op, int64_t a, int64_t b, int64_t c)
{
	tp_riscv_put(e->as, op, a, b, c, 0);
}

/* --- frame --- */

static enum tp_status supported(const struct tp_emitter *e, struct tp_diag *diag)
{
	enum { LEAST_FOR_MIXED = 8 };
	const struct tp_kernel *k = e->k;
	if (k->nontemporal && k->stores && !tp_has_word(e->cpu->features, "zihintntl"))
		return tp_fail(diag, TP_UNSUPPORTED, k->isa->name, "nontemporal: false",
			       "non-temporal stores need zihintntl, which this CPU or kernel does "
			       "not offer");
	if (k->kind == TP_KERNEL_FP &&
	    (2 + TP_KERNEL_ACCUMULATORS) * tp_isa_operand_bytes(k->isa, k->element_bytes) >
		    TP_KERNEL_DATA_BYTES)
		return tp_fail(diag, TP_UNSUPPORTED, k->isa->name, NULL,
			       "vectors of %u bytes are longer than this program supports",
			       tp_isa_vector_bytes(k->isa));
	if (k->kind == TP_KERNEL_MIXED && riscv_registers(e) < LEAST_FOR_MIXED)
		return tp_fail(diag, TP_UNSUPPORTED, k->isa->name, "smaller groups",
			       "groups of %u registers leave too few of them for a mixed kernel",
			       k->body.lmul);
	return TP_OK;
}

static enum tp_status loop_form(struct tp_emitter *e, const struct tp_loop_fp *fp,
				struct tp_diag *diag)
{
	bool new = tp_has_word(e->cpu->features, "v");
	char length[16];
	if (!fp->vector_bytes)
		return TP_OK;
	e->form = new ? TP_RISCV_RVV10 : TP_RISCV_RVV07;
	if (!new && !tp_has_word(e->cpu->features, "xtheadvector"))
		return tp_emit_lacks("v", diag);
	snprintf(length, sizeof(length), "zvl%ub", fp->vector_bytes * 8);
	return tp_has_word(e->cpu->features, length) ? TP_OK : tp_emit_lacks(length, diag);
}

static void enter(struct tp_emitter *e, bool vectors)
{
	if (vectors && e->k && e->form != TP_RISCV_SCALAR)
		set_length(e, e->operand_bytes);
}

static void leave(struct tp_emitter *e, bool vectors __attribute__((unused)))
{
	put(e, TP_RISCV_JALR, X_ZERO, 0, X_RA);
}

/* --- integers and branches --- */

static void constant(struct tp_emitter *e, unsigned reg, int64_t value)
{
	tp_riscv_li(e->as, reg, value);
}

static void copy(struct tp_emitter *e, unsigned to, unsigned from)
{
	put(e, TP_RISCV_ADDI, to, from, 0);
}

static void integer(struct tp_emitter *e, enum tp_integer_op op, unsigned x, unsigned a, unsigned b)
{
	static const enum tp_riscv_op ops[TP_INTEGER_OPS] = { [TP_INTEGER_ADD] = TP_RISCV_ADD,
							      [TP_INTEGER_MUL] = TP_RISCV_MUL,
							      [TP_INTEGER_AND] = TP_RISCV_AND };
	put(e, ops[op], x, a, b);
}

static void address(struct tp_emitter *e, unsigned to, unsigned from, int64_t bytes)
{
	tp_riscv_add(e->as, to, from, bytes, e->scratch);
}

static void shift(struct tp_emitter *e, unsigned reg)
{
	put(e, TP_RISCV_SLLI, reg, reg, 1);
}

static void cell(struct tp_emitter *e, bool store, unsigned reg, unsigned base, int64_t offset)
{
	put(e, store ? TP_RISCV_SD : TP_RISCV_LD, reg, offset, base);
}

static void store_indexed(struct tp_emitter *e, unsigned reg, unsigned base, unsigned index)
{
	const unsigned target = X_T3;
	integer(e, TP_INTEGER_ADD, target, base, index);
	cell(e, true, reg, target, 0);
}

/* A long loop ends with a branch that leaves it, then a jump back. */
static bool loop_end(struct tp_emitter *e, unsigned reg, size_t top)
{
	struct tp_assembler *as = e->as;
	put(e, TP_RISCV_ADDI, reg, reg, -1);
	if (tp_word_reaches(as, &tp_riscv_words, TP_RISCV_BNE, top)) {
		tp_word_back(as, &tp_riscv_words, TP_RISCV_BNE, reg, X_ZERO, top);
		return false;
	}
	size_t out = tp_word_forward(as, &tp_riscv_words, TP_RISCV_BEQ, reg, X_ZERO);
	tp_word_back(as, &tp_riscv_words, TP_RISCV_JAL, X_ZERO, 0, top);
	tp_word_land(as, &tp_riscv_words, out);
	return true;
}

static size_t forward(struct tp_emitter *e, enum tp_loop_op_kind kind)
{
	enum tp_riscv_op op = kind == TP_LOOP_NEVER ? TP_RISCV_BEQ : TP_RISCV_BNE;
	bool constant_condition = kind == TP_LOOP_NEVER || kind == TP_LOOP_ALWAYS;
	if (kind == TP_LOOP_JUMP)
		return tp_word_forward(e->as, &tp_riscv_words, TP_RISCV_JAL, X_ZERO, 0);
	return tp_word_forward(e->as, &tp_riscv_words, op, constant_condition ? DATA : CONDITION,
			       X_ZERO);
}

/* --- vectors and walks through memory --- */

static struct tp_register_range up_to(unsigned most)
{
	return (struct tp_register_range){ (most + 1) / 2, most };
}

static struct tp_register_budget budget(const struct tp_emitter *e)
{
	enum { MOST = 24 };
	unsigned n = riscv_registers(e), others = n - 2, first = others * 4 / 7;
	unsigned targets = n >= 20 ? 5 : n >= 16 ? 3 : 2, mixed = n - 3 - targets;
	return (struct tp_register_budget){
		.registers = n,
		.a = n - 2,
		.b = n - 1,
		.source = e->k->kind == TP_KERNEL_MEMORY ? n - 1 : n - 3,
		.memory_targets = n - 1,
		.mixed_targets = targets,
		.fp = up_to(TP_MIN(others, (unsigned)MOST)),
		.fp_first = up_to(first),
		.fp_second = up_to(others - first),
		.mixed = up_to(mixed),
		.mixed_first = mixed * 3 / 5,
	};
}

static void access_memory(struct tp_emitter *e, const struct tp_access *a)
{
	/* The hint that the following access is not used again: add zero, zero, t0. */
	if (a->nontemporal)
		integer(e, TP_INTEGER_ADD, X_ZERO, X_ZERO, X_T0);
	riscv_move(e, a->store, a->reg, a->base, a->offset);
}

static int64_t reach(const struct tp_emitter *e __attribute__((unused)), const struct tp_access *a)
{
	enum { MOVE_BYTES = 2040 };
	return tp_riscv_fits(a->offset) ? 0 : MOVE_BYTES;
}

/* One step of a pointer must be enough to reach an offset. */
static bool has_offsets(const struct tp_emitter *e, int64_t step_bytes)
{
	return e->form == TP_RISCV_SCALAR && step_bytes < 1024;
}

enum { FIRST_SAVED = 9 }; /* of the pointers */

static void keep(struct tp_emitter *e, unsigned n, bool restore)
{
	enum { FRAME_BYTES = 64 };
	if (n <= FIRST_SAVED)
		return;
	if (!restore)
		put(e, TP_RISCV_ADDI, X_SP, X_SP, -FRAME_BYTES);
	for (unsigned i = FIRST_SAVED; i < n; i++)
		put(e, restore ? TP_RISCV_LD : TP_RISCV_SD, e->be->registers->kernel.pointers[i],
		    (int64_t)(i - FIRST_SAVED) * 8, X_SP);
	if (restore)
		put(e, TP_RISCV_ADDI, X_SP, X_SP, FRAME_BYTES);
}

/* --- counting code --- */

/*
 * The first line is too far from the last one for a branch, and perhaps for a jump. Its address is
 * taken before the lines; it is the next multiple of their length.
 */
static void begin_lines(struct tp_emitter *e, unsigned line_bytes)
{
	size_t here = tp_asm_here(e->as);
	put(e, TP_RISCV_AUIPC, BACK, 0, 0);
	put(e, TP_RISCV_ADDI, BACK, BACK, (int64_t)(line_bytes - here));
}

static void end_lines(struct tp_emitter *e)
{
	put(e, TP_RISCV_ADDI, PASSES, PASSES, -1);
	size_t out = tp_word_forward(e->as, &tp_riscv_words, TP_RISCV_BEQ, PASSES, X_ZERO);
	put(e, TP_RISCV_JALR, X_ZERO, 0, BACK);
	tp_word_land(e->as, &tp_riscv_words, out);
}

static void fill_line(struct tp_emitter *e, size_t at, size_t line_bytes)
{
	static const uint8_t targets[] = { X_T0, X_T1, X_T2 };
	for (; at < line_bytes; at += TP_WORD_BYTES)
		put(e, TP_RISCV_ADDI, targets[at / TP_WORD_BYTES % TP_COUNT_OF(targets)], DATA, 1);
}

static void begin_loop(struct tp_emitter *e, const struct tp_loop *loop)
{
	static const uint8_t cleared[] = { BYTE, INDEX, CHAIN, X_A6, X_A7 };
	if (loop->pass_log2)
		put(e, TP_RISCV_SLLI, PASSES, PASSES, loop->pass_log2);
	constant(e, ODD, TP_EMIT_ODD);
	address(e, CELLS, DATA, TP_LOOP_CELLS_AT);
	address(e, STREAM, DATA, TP_LOOP_OPERANDS_BYTES);
	constant(e, MASK, (INT64_C(1) << loop->pass_log2) - 1);
	for (size_t i = 0; i < TP_COUNT_OF(cleared); i++)
		constant(e, cleared[i], 0);
	if (loop->fp.vector_bytes)
		set_length(e, loop->fp.vector_bytes);
	if (loop->fp.element_bytes)
		tp_emit_loop_operands(e, false);
}

static void next(struct tp_emitter *e, unsigned pass_log2)
{
	(void)pass_log2; /* in MASK */
	integer(e, TP_INTEGER_ADD, CONDITION, STREAM, INDEX);
	put(e, TP_RISCV_LBU, BYTE, 0, CONDITION);
	put(e, TP_RISCV_ADDI, INDEX, INDEX, 1);
	integer(e, TP_INTEGER_AND, INDEX, INDEX, MASK);
}

/*
 * No instruction stops wrong paths. This one comes closest: instructions after it must see all
 * stores before it, so cores wait for the stores and fetch again.
 */
static void barrier(struct tp_emitter *e)
{
	put(e, TP_RISCV_FENCE_I, 0, 0, 0);
}

static void test(struct tp_emitter *e, enum tp_loop_op_kind kind)
{
	if (kind == TP_LOOP_ALTERNATE)
		put(e, TP_RISCV_ANDI, CONDITION, BYTE, TP_LOOP_ALTERNATE_BIT);
	else if (kind == TP_LOOP_RANDOM)
		put(e, TP_RISCV_ANDI, CONDITION, CHAIN, TP_LOOP_RANDOM_BIT);
}

static const struct tp_emit_registers registers = {
	.data = DATA,
	.passes = PASSES,
	/* The last pointers are the caller's. */
	.kernel = { .scratch = X_A5,
		    .rounds = X_A2,
		    .addend = X_A3,
		    .chain = X_T0,
		    .chase = X_T0,
		    .width = { X_T0, X_T1, X_T2, X_T3, X_T4, X_T5, X_T6, X_A7 },
		    .n_width = 8,
		    .pointers = { X_T0, X_T1, X_T2, X_T3, X_T4, X_T5, X_T6, X_A6, X_A7, X_S2,
				  X_S2 + 1, X_S2 + 2, X_S2 + 3, X_S2 + 4, X_S2 + 5, X_S8 },
		    .steps = { X_A3, X_A4 },
		    .slots = X_T0 },
	.loop = { .scratch = X_T4,
		  .cells = CELLS,
		  .byte = BYTE,
		  .chain = CHAIN,
		  .loaded = CHAIN,
		  .changed = CONDITION,
		  .odd = ODD,
		  .factor = ODD,
		  .results = { X_A7, X_A6 } },
	.traversal_scratch = X_T6,
	.chase = { .pointer = X_T0, .rounds = X_T1 },
	.scatter = { .offset = X_T0,
		     .block = X_T1,
		     .base = X_T2,
		     .rounds = X_T4,
		     .blocks = X_T5,
		     .held = { { TP_SCATTER_MULTIPLIER, X_A2 },
			       { TP_SCATTER_BLOCK_MASK, X_A3 },
			       { TP_SCATTER_INCREMENT, X_A4 },
			       { TP_SCATTER_OFFSET_MASK, X_A5 },
			       { TP_SCATTER_BLOCK_BYTES, X_A6 } },
		     .n_held = 5 },
	.nest = { .pointers = { X_T0, X_T1, X_T2 },
		  .rounds = { X_T3, X_A2, X_A3, X_A4 },
		  .steps = { X_A5, X_A6 } },
};

const struct tp_back_end tp_riscv_back_end = {
	.assembler_bytes = sizeof(struct tp_assembler),
	.instruction_bytes = TP_WORD_BYTES,
	.access_instructions = 3,
	.operation_instructions = 3,
	.step_instructions = 10,
	.registers = &registers,
	.words = &tp_riscv_words,
	.nop = TP_RISCV_ADDI,
	.slots_by_pointer = true,
	.supported = supported,
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
	.move = riscv_move,
	.clear = riscv_clear,
	.arithmetic = riscv_arithmetic,
	.access = access_memory,
	.reach = reach,
	.fits = tp_riscv_fits,
	.has_offsets = has_offsets,
	.shorten = set_length,
	.keep = keep,
	.begin_lines = begin_lines,
	.end_lines = end_lines,
	.fill_line = fill_line,
	.begin_loop = begin_loop,
	.next = next,
	.barrier = barrier,
	.test = test,
};
