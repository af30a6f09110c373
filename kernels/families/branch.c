/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Branches. The five numbers of a row are, for one iteration: conditionals executed, retired,
 * taken, direct jumps, mispredicted. The branch of the loop itself is always taken: 1 1 1 0 0.
 *
 * A branch on a random bit is mispredicted half of the time, and the CPU executes a wrong path
 * until it knows. To make exactly as many conditionals run there as the row says, a barrier stands
 * on both ways before the first one that must not run. The random bit is known late and all other
 * conditions at once, so everything that a wrong path reaches before a barrier is executed.
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
	 * 2.5 2.5 1.5 0 .5: the block runs half of the time and has a conditional behind its
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
	 * path, whichever way it goes, executes the loop branch once (.5), goes on to the next
	 * iteration, and stops at its beginning.
	 */
	{ "random loop",
	  { { TP_LOOP_BARRIER, 0 },
	    { TP_LOOP_NEXT, 0 },
	    { TP_LOOP_RANDOM, 1 },
	    { TP_LOOP_ADD, 1 } } },
	/*
	 * 3 2.5 1.5 0 .5: a wrong path into the block executes the block's conditional and stops
	 * behind it. A wrong path around the block executes the loop branch and stops at the
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

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static const char *row_name(unsigned row, char *out, size_t size)
{
	snprintf(out, size, "%s", rows[row].name);
	return out;
}

static enum tp_status make(const struct tp_row *row, struct tp_counting *out, struct tp_diag *diag)
{
	struct tp_loop loop = { .pass_log2 = row->machine->stream_log2, .stream = true };
	if (row->machine->stream_log2 < TP_LOOP_STREAM_LOG2_MIN ||
	    row->machine->stream_log2 > TP_LOOP_STREAM_LOG2_MAX)
		return tp_fail(diag, TP_USAGE, row->family->name, NULL,
			       "a stream of 2^%u bits: the exponent must be %d to %d",
			       row->machine->stream_log2, TP_LOOP_STREAM_LOG2_MIN,
			       TP_LOOP_STREAM_LOG2_MAX);
	/* A kind of 0 needs a number, so an operation with neither ends the list. */
	while (loop.n_ops < MOST_OPS &&
	       (rows[row->row].ops[loop.n_ops].kind || rows[row->row].ops[loop.n_ops].n)) {
		loop.ops[loop.n_ops] = rows[row->row].ops[loop.n_ops];
		loop.n_ops++;
	}
	return tp_family_make_loop(row, &loop, out, diag);
}

const struct tp_family tp_family_branch = {
	.id = TP_FAMILY_BRANCH,
	.name = "branch",
	.title = "branches: executed, retired, taken, direct, mispredicted",
	.method = TP_COUNT_DIFFERENCE,
	.n_rows = ROWS,
	.n_kernels = ROWS,
	.kernel_rows = 1,
	.kernel_name = row_name,
	.row_name = row_name,
	.make = make,
};
