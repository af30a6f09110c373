/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Branches. The five numbers of a row are, for one iteration: conditionals executed, retired, taken, direct jumps, mispredicted. Each loop
 * has its own branch, always taken: 1 1 1 0 0. A branch on a random bit is mispredicted half of the time, and until that
 * is known a wrong path is executed. So that exactly as many conditionals as the row says are executed there, a barrier stands before the
 * first that must not be, on both ways. The random bit is known late, all other conditions at once: whatever a wrong path reaches before
 * a barrier is executed.
 */
#include "kernels/families/families.h"

#include <stdio.h>
#include <string.h>

enum { MOST_OPS = 6 };

static const struct {
	const char *name;
	struct tp_loop_op ops[MOST_OPS];
} rows[] = {
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
	 * 2.5 2.5 1.5 0 .5: the block, run half of the time, has a conditional, behind its barrier: a wrong path into the block
	 * stops before it; a wrong path around the block stops before the loop branch.
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
	 * 2.5 2 1.5 0 .5: no barrier between the random branch and the loop branch: a wrong path, whichever way, executes the loop
	 * branch once (.5), goes on with the next iteration, and stops at its beginning.
	 */
	{ "random loop",
	  { { TP_LOOP_BARRIER, 0 },
	    { TP_LOOP_NEXT, 0 },
	    { TP_LOOP_RANDOM, 1 },
	    { TP_LOOP_ADD, 1 } } },
	/*
	 * 3 2.5 1.5 0 .5: a wrong path into the block executes the block's conditional and stops behind it; a wrong path around the
	 * block executes the loop branch and stops at the beginning of the next iteration. Either way one conditional, .5.
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

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static unsigned first_row(unsigned kernel)
{
	return kernel;
}

static const char *row_name(unsigned row, char *out, size_t size)
{
	snprintf(out, size, "%s", rows[row].name);
	return out;
}

static enum tp_status make(const struct tp_family *family, unsigned row, const struct tp_cpu *cpu,
			   const struct tp_counting_machine *machine, struct tp_counting *out,
			   struct tp_diag *diag)
{
	struct tp_loop loop = { .pass_log2 = machine->stream_log2, .stream = true };
	if (machine->stream_log2 < TP_LOOP_STREAM_LOG2_MIN ||
	    machine->stream_log2 > TP_LOOP_STREAM_LOG2_MAX)
		return tp_fail(diag, TP_USAGE, family->name, NULL,
			       "a stream of 2^%u bits: the exponent must be %d to %d",
			       machine->stream_log2, TP_LOOP_STREAM_LOG2_MIN,
			       TP_LOOP_STREAM_LOG2_MAX);
	/* An operation without a number that needs none is not zero: the first kind needs one. */
	while (loop.n_ops < MOST_OPS &&
	       (rows[row].ops[loop.n_ops].kind || rows[row].ops[loop.n_ops].n)) {
		loop.ops[loop.n_ops] = rows[row].ops[loop.n_ops];
		loop.n_ops++;
	}
	return tp_family_make_loop(&loop, rows[row].name, cpu, machine, out, diag);
}

const struct tp_family tp_family_branch = {
	.id = TP_FAMILY_BRANCH,
	.name = "branch",
	.title = "branches: executed, retired, taken, direct, mispredicted",
	.method = TP_COUNT_DIFFERENCE,
	.n_rows = ROWS,
	.n_kernels = ROWS,
	.first_row = first_row,
	.kernel_name = row_name,
	.row_name = row_name,
	.make = make,
};
