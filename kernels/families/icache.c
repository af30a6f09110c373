/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Instruction cache: code of growing length, run through from its first line to its last over and
 * over. A pass fetches each line once, and counts are per line:
 *
 *   full    two branches, and instructions behind them that fill the line; all are executed
 *   sparse  one instruction of each line is executed, a branch to the next line
 *
 * The two kernels have two and one conditional branches a line, so counting branches differs from
 * counting fetches. Two lengths lie inside L1i, four between L1i and L2, and two beyond L2. The
 * last two tell hits of L2 apart from misses of L1i.
 */
#include "kernels/traversal.h"
#include "kernels/families/families.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"

enum { KERNELS = 2, KERNEL_ROWS = 8, ROWS = KERNELS * KERNEL_ROWS };
enum { INSIDE_L1 = 2, INSIDE_L2 = 4 };

static const char *const kernels[KERNELS] = { "full", "sparse" };

static const char *kernel_name(unsigned kernel, char *out, size_t size)
{
	snprintf(out, size, "%s", kernels[kernel]);
	return out;
}

static const char *row_name(unsigned row, char *out, size_t size)
{
	snprintf(out, size, "%s %u", kernels[row / KERNEL_ROWS], row % KERNEL_ROWS + 1);
	return out;
}

static double code_bytes(unsigned length, double l1, double l2)
{
	static const double of_l1[INSIDE_L1] = { 0.25, 0.5 };
	if (length < INSIDE_L1)
		return l1 * of_l1[length];
	length -= INSIDE_L1;
	if (length < INSIDE_L2)
		return 2 * l1 * pow(l2 / 4 / l1, length / (INSIDE_L2 - 1.0));
	return l2 * (length == INSIDE_L2 ? 2 : 4);
}

/* The code needs no data, only an address. */
static enum tp_status fill(const struct tp_counting *counting, void *data, uint64_t seed,
			   struct tp_diag *diag)
{
	(void)counting;
	(void)diag;
	*(uint64_t *)data = seed;
	return TP_OK;
}

static enum tp_status make(const struct tp_row *row, struct tp_counting *out, struct tp_diag *diag)
{
	static const double most_bytes = 64 << 20;
	enum { LEAST_LINES = 4 };
	char a[32], b[32];
	unsigned line = tp_row_line_bytes(row);
	uint64_t l1 = row->machine->icache_bytes ? row->machine->icache_bytes
						 : row->machine->cache_bytes[1];
	uint64_t l2 = row->machine->cache_bytes[2];
	if (line % 64)
		return tp_fail(diag, TP_UNSUPPORTED, row->where, NULL,
			       "lines of %u bytes: only multiples of 64 are known", line);
	if (l1 / 4 < LEAST_LINES * line)
		return tp_fail(diag, TP_UNSUPPORTED, row->where, NULL,
			       "the instruction cache of this machine is %s",
			       l1 ? "too small" : "not known");
	if (row->row % KERNEL_ROWS >= INSIDE_L1 && l2 < 4 * l1)
		return tp_fail(diag, TP_UNSUPPORTED, row->where, NULL,
			       "no code lies safely between L1i (%s) and L2 (%s)",
			       tp_format_bytes(a, sizeof(a), l1),
			       tp_format_bytes(b, sizeof(b), l2));
	double bytes = code_bytes(row->row % KERNEL_ROWS, (double)l1, (double)l2);
	if (bytes > most_bytes)
		return tp_fail(diag, TP_RESOURCE, row->where, NULL,
			       "needs %s of code, at most %s are made",
			       tp_format_bytes(a, sizeof(a), (uint64_t)bytes),
			       tp_format_bytes(b, sizeof(b), (uint64_t)most_bytes));
	const struct tp_traversal traversal = {
		.kind = TP_TRAVERSAL_LINES,
		.lines = { .lines = (uint64_t)bytes / line,
			   .line_bytes = line,
			   .full = row->row < KERNEL_ROWS },
	};
	out->data_bytes = tp_row_page_bytes(row);
	out->iterations = (double)traversal.lines.lines;
	out->fill = fill;
	return tp_family_make_traversal(row, &traversal, out, diag);
}

const struct tp_family tp_family_icache = {
	.id = TP_FAMILY_ICACHE,
	.name = "icache",
	.title = "instruction cache: long code, fully and sparsely used",
	.method = TP_COUNT_STEADY,
	.n_rows = ROWS,
	.n_kernels = KERNELS,
	.kernel_rows = KERNEL_ROWS,
	.kernel_name = kernel_name,
	.row_name = row_name,
	.make = make,
};
