/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Instruction cache: code of growing length, run through from its first line to its last and again. Per line of code: each is fetched once a pass.
 *
 *   full    what two branches guard fills each line and is executed
 *   sparse  of each line only its first instruction is executed, a branch to the next line
 *
 * Two conditional branches there and one here, so that counting branches cannot be taken for counting fetches. Lengths: two inside L1i, four
 * between L1i and L2, two beyond L2 (without those, hits of L2 could not be told from misses of L1i).
 */
#include "kernels/described.h"
#include "kernels/families/families.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"

enum { KERNELS = 2, KERNEL_ROWS = 8, ROWS = KERNELS * KERNEL_ROWS };
enum { INSIDE_L1 = 2, INSIDE_L2 = 4 };

static const char *const kernels[KERNELS] = { "full", "sparse" };

static unsigned first_row(unsigned kernel)
{
	return kernel * KERNEL_ROWS;
}

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

/* The code needs no data; a page, so that there is something to point at. */
static enum tp_status fill(const struct tp_counting *counting, void *data, uint64_t seed,
			   struct tp_diag *diag)
{
	(void)counting;
	(void)diag;
	*(uint64_t *)data = seed;
	return TP_OK;
}

static enum tp_status make(const struct tp_family *family, unsigned row, const struct tp_cpu *cpu,
			   const struct tp_counting_machine *machine, struct tp_counting *out,
			   struct tp_diag *diag)
{
	static const double most_bytes = 64 << 20;
	enum { LEAST_LINES = 4 };
	char name[32], where[64], a[32], b[32];
	snprintf(where, sizeof(where), "%s, %s", family->name, row_name(row, name, sizeof(name)));
	unsigned line = machine->line_bytes ? machine->line_bytes : 64;
	uint64_t l1 = machine->icache_bytes ? machine->icache_bytes : machine->cache_bytes[1];
	uint64_t l2 = machine->cache_bytes[2];
	if (line % 64)
		return tp_fail(diag, TP_UNSUPPORTED, where, NULL,
			       "lines of %u bytes: only multiples of 64 are known", line);
	if (l1 / 4 < LEAST_LINES * line)
		return tp_fail(diag, TP_UNSUPPORTED, where, NULL,
			       "the instruction cache of this machine is %s",
			       l1 ? "too small" : "not known");
	if (row % KERNEL_ROWS >= INSIDE_L1 && l2 < 4 * l1)
		return tp_fail(diag, TP_UNSUPPORTED, where, NULL,
			       "no code lies safely between L1i (%s) and L2 (%s)",
			       tp_format_bytes(a, sizeof(a), l1),
			       tp_format_bytes(b, sizeof(b), l2));
	double bytes = code_bytes(row % KERNEL_ROWS, (double)l1, (double)l2);
	if (bytes > most_bytes)
		return tp_fail(diag, TP_RESOURCE, where, NULL,
			       "needs %s of code, at most %s are made",
			       tp_format_bytes(a, sizeof(a), (uint64_t)bytes),
			       tp_format_bytes(b, sizeof(b), (uint64_t)most_bytes));
	const struct tp_described described = {
		.kind = TP_DESCRIBED_LINES,
		.lines = { .lines = (uint64_t)bytes / line,
			   .line_bytes = line,
			   .full = row < KERNEL_ROWS },
	};
	out->data_bytes = machine->page_bytes ? machine->page_bytes : 4096;
	out->iterations = (double)described.lines.lines;
	out->fill = fill;
	return tp_family_make_described(&described, where, cpu, machine, out, diag);
}

const struct tp_family tp_family_icache = {
	.id = TP_FAMILY_ICACHE,
	.name = "icache",
	.title = "instruction cache: long code, fully and sparsely used",
	.method = TP_COUNT_STEADY,
	.n_rows = ROWS,
	.n_kernels = KERNELS,
	.first_row = first_row,
	.kernel_name = kernel_name,
	.row_name = row_name,
	.make = make,
};
