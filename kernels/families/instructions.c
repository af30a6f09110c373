/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Instruction mix: each kernel adds one kind of instruction to a loop, in three sizes, so that the
 * counts of that kind stand out from those of the loop. The basis file says exactly what a row
 * counts, with the loop. The last kernel is a mixture of all others.
 */
#include "kernels/families/families.h"

#include <stdio.h>

enum { SIZES = 3, SHORTEST = 12 };

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
} kernels[] = {
	{ "add", PLAIN, TP_LOOP_ADD, 0 },	  { "multiply", PLAIN, TP_LOOP_MULTIPLY, 0 },
	{ "shift", PLAIN, TP_LOOP_SHIFT, 0 },	  { "address", PLAIN, TP_LOOP_ADDRESS, 0 },
	{ "load", PLAIN, TP_LOOP_LOAD, 0 },	  { "store", PLAIN, TP_LOOP_STORE, 0 },
	{ "modify", PLAIN, TP_LOOP_MODIFY, 0 },	  { "not-taken", BRANCHES, TP_LOOP_NEVER, 0 },
	{ "taken", BRANCHES, TP_LOOP_ALWAYS, 0 }, { "jump", BRANCHES, TP_LOOP_JUMP, 0 },
	{ "fp-scalar", PLAIN, TP_LOOP_FP, 0 },	  { "fp-128", PLAIN, TP_LOOP_FP, 16 },
	{ "mixture", MIXTURE, TP_LOOP_FP, 16 },
};

enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]) };

static const char *kernel_name(unsigned kernel, char *out, size_t size)
{
	snprintf(out, size, "%s", kernels[kernel].name);
	return out;
}

static unsigned size_of(unsigned row)
{
	return (unsigned)SHORTEST << row % SIZES;
}

static const char *row_name(unsigned row, char *out, size_t size)
{
	snprintf(out, size, "%s %u", kernels[row / SIZES].name, size_of(row));
	return out;
}

static void add(struct tp_loop *loop, enum tp_loop_op_kind kind, unsigned n)
{
	loop->ops[loop->n_ops++] = (struct tp_loop_op){ kind, n };
}

static void add_branches(struct tp_loop *loop, enum tp_loop_op_kind kind, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		add(loop, kind, 1);
		add(loop, TP_LOOP_ADD, 1);
	}
}

static void describe(struct tp_loop *loop, unsigned row)
{
	unsigned n = size_of(row);
	enum tp_loop_op_kind kind = kernels[row / SIZES].kind;
	if (kind == TP_LOOP_FP)
		loop->fp = (struct tp_loop_fp){ .element_bytes = 8,
						.vector_bytes = kernels[row / SIZES].vector_bytes };
	switch (kernels[row / SIZES].form) {
	case PLAIN:
		add(loop, kind, n);
		break;
	case BRANCHES:
		add_branches(loop, kind, n);
		break;
	case MIXTURE:
		add(loop, TP_LOOP_LOAD, n);
		add(loop, TP_LOOP_FP, n);
		add_branches(loop, TP_LOOP_NEVER, n / 12);
		add(loop, TP_LOOP_STORE, n / 2);
		add(loop, TP_LOOP_MODIFY, n / 4);
		add_branches(loop, TP_LOOP_ALWAYS, n / 6);
		add(loop, TP_LOOP_MULTIPLY, n / 3);
		add_branches(loop, TP_LOOP_JUMP, n / 12);
		break;
	}
}

static enum tp_status make(const struct tp_row *row, struct tp_counting *out, struct tp_diag *diag)
{
	struct tp_loop loop = { .pass_log2 = TP_FAMILY_PASS_LOG2 };
	describe(&loop, row->row);
	return tp_family_make_loop(row, &loop, out, diag);
}

const struct tp_family tp_family_instructions = {
	.id = TP_FAMILY_INSTRUCTIONS,
	.name = "instructions",
	.title = "instruction mix: integer, loads, stores, branches",
	.method = TP_COUNT_DIFFERENCE,
	.n_rows = KERNELS * SIZES,
	.n_kernels = KERNELS,
	.kernel_rows = SIZES,
	.kernel_name = kernel_name,
	.row_name = row_name,
	.make = make,
};
