/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "kernels/families/families.h"

enum { LOOPS = 3, WIDTHS = 4, FLOPS_KERNELS = 16, SHORTEST_PLAIN = 24, SHORTEST_FUSED = 12 };

/*
 * Floating point: one kernel for each precision, width and fusion, in the order of the basis. Each
 * has three loops with FP instructions of its class only: 24, 48, 96 (half multiplications, half
 * additions), or 12, 24, 48 fused ones.
 */

static struct tp_loop_fp shape_of(unsigned kernel)
{
	static const unsigned vector_bytes[WIDTHS] = { 0, 16, 32, 64 };
	return (struct tp_loop_fp){ .element_bytes = kernel / WIDTHS % 2 ? 8 : 4,
				    .vector_bytes = vector_bytes[kernel % WIDTHS],
				    .fused = kernel >= FLOPS_KERNELS / 2 };
}

static unsigned instructions_of(unsigned row)
{
	bool fused = shape_of(row / LOOPS).fused;
	return (unsigned)(fused ? SHORTEST_FUSED : SHORTEST_PLAIN) << row % LOOPS;
}

static const char *flops_kernel_name(unsigned kernel, char *out, size_t size)
{
	struct tp_loop_fp fp = shape_of(kernel);
	char width[16] = "scalar";
	if (fp.vector_bytes)
		snprintf(width, sizeof(width), "%u", fp.vector_bytes * 8);
	snprintf(out, size, "%s-%s%s", fp.element_bytes == 4 ? "sp" : "dp", width,
		 fp.fused ? "-fma" : "");
	return out;
}

static enum tp_status make_flops(const struct tp_row *row, struct tp_counting *out,
				 struct tp_diag *diag)
{
	struct tp_loop loop = { .ops = { { TP_LOOP_FP, instructions_of(row->row) } },
				.n_ops = 1,
				.fp = shape_of(row->row / LOOPS),
				.pass_log2 = TP_FAMILY_PASS_LOG2 };
	return tp_family_make_loop(row, &loop, out, diag);
}

const struct tp_family tp_family_flops = {
	.id = TP_FAMILY_FLOPS,
	.name = "flops",
	.title = "floating point instructions by width, precision and fusion",
	.method = TP_COUNT_DIFFERENCE,
	.n_rows = FLOPS_KERNELS * LOOPS,
	.n_kernels = FLOPS_KERNELS,
	.kernel_rows = LOOPS,
	.kernel_name = flops_kernel_name,
	.row_number = instructions_of,
	.make = make_flops,
};

/*
 * Branches. The five numbers of a row are, for one iteration: conditionals executed, retired,
 * taken, direct jumps, mispredicted. The branch of the loop itself is always taken: 1 1 1 0 0.
 *
 * A branch on a random bit is mispredicted half of the time, and the CPU executes a wrong path
 * until the bit is known. To make exactly as many conditionals run there as the row says, a barrier
 * stands on both ways before the first one that must not run. The random bit is known late and all
 * other conditions at once, so everything that a wrong path reaches before a barrier is executed.
 */

enum { MOST_OPS = 6 };

static const struct {
	const char *name;
	struct tp_loop_op ops[MOST_OPS];
} branch_rows[] = {
	/* 2 2 1.5 0 0: taken every other time, with a period that any predictor learns. */
	{ "alternate", { { TP_LOOP_NEXT, 0 }, { TP_LOOP_ALTERNATE, 1 }, { TP_LOOP_ADD, 1 } } },
	/* 2 2 1 0 0 */
	{ "never", { { TP_LOOP_NEVER, 1 }, { TP_LOOP_ADD, 1 } } },
	/* 2 2 2 0 0 */
	{ "always", { { TP_LOOP_ALWAYS, 1 }, { TP_LOOP_ADD, 1 } } },
	/* 2 2 1.5 0 .5: both ways meet the barrier before the loop branch. */
	{ "random",
	  { { TP_LOOP_NEXT, 0 },
	    { TP_LOOP_RANDOM, 1 },
	    { TP_LOOP_ADD, 1 },
	    { TP_LOOP_BARRIER, 0 } } },
	/*
	 * 2.5 2.5 1.5 0 .5: the block runs half of the time and has a conditional after its
	 * barrier. A wrong path into the block stops before the conditional; a wrong path around
	 * the block stops before the loop branch.
	 */
	{ "random never",
	  { { TP_LOOP_NEXT, 0 },
	    { TP_LOOP_RANDOM, 3 },
	    { TP_LOOP_BARRIER, 0 },
	    { TP_LOOP_NEVER, 1 },
	    { TP_LOOP_ADD, 1 },
	    { TP_LOOP_BARRIER, 0 } } },
	/* 2.5 2.5 2 0 .5: the same, taken. */
	{ "random always",
	  { { TP_LOOP_NEXT, 0 },
	    { TP_LOOP_RANDOM, 3 },
	    { TP_LOOP_BARRIER, 0 },
	    { TP_LOOP_ALWAYS, 1 },
	    { TP_LOOP_ADD, 1 },
	    { TP_LOOP_BARRIER, 0 } } },
	/*
	 * 2.5 2 1.5 0 .5: no barrier stands between the random branch and the loop branch. A wrong
	 * path in either direction executes the loop branch once (.5), goes on to the next
	 * iteration, and stops at its beginning.
	 */
	{ "random loop",
	  { { TP_LOOP_BARRIER, 0 },
	    { TP_LOOP_NEXT, 0 },
	    { TP_LOOP_RANDOM, 1 },
	    { TP_LOOP_ADD, 1 } } },
	/*
	 * 3 2.5 1.5 0 .5: a wrong path into the block executes the block's conditional and stops
	 * after it. A wrong path around the block executes the loop branch and stops at the
	 * beginning of the next iteration. Both execute one conditional (.5).
	 */
	{ "random loop never",
	  { { TP_LOOP_BARRIER, 0 },
	    { TP_LOOP_NEXT, 0 },
	    { TP_LOOP_RANDOM, 3 },
	    { TP_LOOP_NEVER, 1 },
	    { TP_LOOP_ADD, 1 },
	    { TP_LOOP_BARRIER, 0 } } },
	/* 3 2.5 2 0 .5: the same, taken. */
	{ "random loop always",
	  { { TP_LOOP_BARRIER, 0 },
	    { TP_LOOP_NEXT, 0 },
	    { TP_LOOP_RANDOM, 3 },
	    { TP_LOOP_ALWAYS, 1 },
	    { TP_LOOP_ADD, 1 },
	    { TP_LOOP_BARRIER, 0 } } },
	/* 2 2 1 1 0 */
	{ "never jump",
	  { { TP_LOOP_NEVER, 1 }, { TP_LOOP_ADD, 1 }, { TP_LOOP_JUMP, 1 }, { TP_LOOP_ADD, 1 } } },
	/* 1 1 1 0 0 */
	{ "loop", { { TP_LOOP_ADD, 1 } } },
};

enum { BRANCH_ROWS = sizeof(branch_rows) / sizeof(branch_rows[0]) };

static const char *branch_kernel_name(unsigned row, char *out, size_t size)
{
	snprintf(out, size, "%s", branch_rows[row].name);
	return out;
}

static enum tp_status make_branch(const struct tp_row *row, struct tp_counting *out,
				  struct tp_diag *diag)
{
	struct tp_loop loop = { .pass_log2 = row->machine->stream_log2, .stream = true };
	if (row->machine->stream_log2 < TP_LOOP_STREAM_LOG2_MIN ||
	    row->machine->stream_log2 > TP_LOOP_STREAM_LOG2_MAX)
		return tp_fail(diag, TP_USAGE, row->family->name, NULL,
			       "a stream of 2^%u bits: the exponent must be %d to %d",
			       row->machine->stream_log2, TP_LOOP_STREAM_LOG2_MIN,
			       TP_LOOP_STREAM_LOG2_MAX);
	/* A kind of 0 needs a number, so an operation with neither ends the list. */
	while (loop.n_ops < MOST_OPS && (branch_rows[row->row].ops[loop.n_ops].kind ||
					 branch_rows[row->row].ops[loop.n_ops].n)) {
		loop.ops[loop.n_ops] = branch_rows[row->row].ops[loop.n_ops];
		loop.n_ops++;
	}
	return tp_family_make_loop(row, &loop, out, diag);
}

const struct tp_family tp_family_branch = {
	.id = TP_FAMILY_BRANCH,
	.name = "branch",
	.title = "branches: executed, retired, taken, direct, mispredicted",
	.method = TP_COUNT_DIFFERENCE,
	.n_rows = BRANCH_ROWS,
	.n_kernels = BRANCH_ROWS,
	.kernel_rows = 1,
	.kernel_name = branch_kernel_name,
	.make = make_branch,
};

enum { MIX_SIZES = 3, SHORTEST_MIX = 12 };

/*
 * Instruction mix: each kernel adds one kind of instruction to a loop, in three sizes, so that the
 * counts of that kind stand out from those of the loop. The basis file has the exact counts of a
 * row, including the loop. The last kernel is a mixture of all others.
 */

enum form {
	PLAIN, /* n instructions of the kind */
	BRANCHES, /* n branches of the kind, each over an addition */
	MIXTURE
};

static const struct {
	const char *name;
	enum form form;
	enum tp_loop_op_kind kind;
	unsigned vector_bytes; /* FP: double precision */
} mix_kernels[] = {
	{ "add", PLAIN, TP_LOOP_ADD, 0 },	  { "multiply", PLAIN, TP_LOOP_MULTIPLY, 0 },
	{ "shift", PLAIN, TP_LOOP_SHIFT, 0 },	  { "address", PLAIN, TP_LOOP_ADDRESS, 0 },
	{ "load", PLAIN, TP_LOOP_LOAD, 0 },	  { "store", PLAIN, TP_LOOP_STORE, 0 },
	{ "modify", PLAIN, TP_LOOP_MODIFY, 0 },	  { "not-taken", BRANCHES, TP_LOOP_NEVER, 0 },
	{ "taken", BRANCHES, TP_LOOP_ALWAYS, 0 }, { "jump", BRANCHES, TP_LOOP_JUMP, 0 },
	{ "fp-scalar", PLAIN, TP_LOOP_FP, 0 },	  { "fp-128", PLAIN, TP_LOOP_FP, 16 },
	{ "mixture", MIXTURE, TP_LOOP_FP, 16 },
};

enum { MIX_KERNELS = sizeof(mix_kernels) / sizeof(mix_kernels[0]) };

static const char *instructions_kernel_name(unsigned kernel, char *out, size_t size)
{
	snprintf(out, size, "%s", mix_kernels[kernel].name);
	return out;
}

static unsigned mix_size(unsigned row)
{
	return (unsigned)SHORTEST_MIX << row % MIX_SIZES;
}

static void add_op(struct tp_loop *loop, enum tp_loop_op_kind kind, unsigned n)
{
	loop->ops[loop->n_ops++] = (struct tp_loop_op){ kind, n };
}

static void add_branches(struct tp_loop *loop, enum tp_loop_op_kind kind, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		add_op(loop, kind, 1);
		add_op(loop, TP_LOOP_ADD, 1);
	}
}

static enum tp_status make_instructions(const struct tp_row *row, struct tp_counting *out,
					struct tp_diag *diag)
{
	struct tp_loop loop = { .pass_log2 = TP_FAMILY_PASS_LOG2 };
	unsigned n = mix_size(row->row);
	enum tp_loop_op_kind kind = mix_kernels[row->row / MIX_SIZES].kind;

	if (kind == TP_LOOP_FP)
		loop.fp = (struct tp_loop_fp){
			.element_bytes = 8,
			.vector_bytes = mix_kernels[row->row / MIX_SIZES].vector_bytes
		};
	switch (mix_kernels[row->row / MIX_SIZES].form) {
	case PLAIN:
		add_op(&loop, kind, n);
		break;
	case BRANCHES:
		add_branches(&loop, kind, n);
		break;
	case MIXTURE:
		add_op(&loop, TP_LOOP_LOAD, n);
		add_op(&loop, TP_LOOP_FP, n);
		add_branches(&loop, TP_LOOP_NEVER, n / 12);
		add_op(&loop, TP_LOOP_STORE, n / 2);
		add_op(&loop, TP_LOOP_MODIFY, n / 4);
		add_branches(&loop, TP_LOOP_ALWAYS, n / 6);
		add_op(&loop, TP_LOOP_MULTIPLY, n / 3);
		add_branches(&loop, TP_LOOP_JUMP, n / 12);
		break;
	}
	return tp_family_make_loop(row, &loop, out, diag);
}

const struct tp_family tp_family_instructions = {
	.id = TP_FAMILY_INSTRUCTIONS,
	.name = "instructions",
	.title = "instruction mix: integer, loads, stores, branches",
	.method = TP_COUNT_DIFFERENCE,
	.n_rows = MIX_KERNELS * MIX_SIZES,
	.n_kernels = MIX_KERNELS,
	.kernel_rows = MIX_SIZES,
	.kernel_name = instructions_kernel_name,
	.row_number = mix_size,
	.make = make_instructions,
};
