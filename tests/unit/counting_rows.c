/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/counting_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/arch.h"

const struct tp_counting_machine counting_machine = { .line_bytes = 64,
						      .page_bytes = 4096,
						      .stream_log2 = STREAM_LOG2 };

static void expect_flops(unsigned row, double *n)
{
	n[FP + row / 3] = (row / 3 < 8 ? 24 : 12) << row % 3;
	n[RETIRED] = n[TAKEN] = n[INTEGER] = 1;
	n[INSTRUCTIONS] = n[FP + row / 3] + 2;
}

/* CE CR T D M */
static const double branch_rows[][5] = {
	{ 2, 2, 1.5, 0, 0 },	{ 2, 2, 1, 0, 0 },	  { 2, 2, 2, 0, 0 },
	{ 2, 2, 1.5, 0, .5 },	{ 2.5, 2.5, 1.5, 0, .5 }, { 2.5, 2.5, 2, 0, .5 },
	{ 2.5, 2, 1.5, 0, .5 }, { 3, 2.5, 1.5, 0, .5 },	  { 3, 2.5, 2, 0, .5 },
	{ 2, 2, 1, 1, 0 },	{ 1, 1, 1, 0, 0 },
};

static void expect_branch(unsigned row, double *n)
{
	n[EXECUTED] = branch_rows[row][0];
	n[RETIRED] = branch_rows[row][1];
	n[TAKEN] = branch_rows[row][2];
	n[JUMPS] = branch_rows[row][3];
	n[MISPREDICTED] = branch_rows[row][4];
}

/* Of each 12 in a row's name. */
static const struct {
	const char *kernel;
	double instructions, integer, loads, stores, conditionals, taken, jumps, scalar, vector;
} mix_rows[] = {
	{ "add", 12, 12, 0, 0, 0, 0, 0, 0, 0 },	      { "multiply", 12, 12, 0, 0, 0, 0, 0, 0, 0 },
	{ "shift", 12, 12, 0, 0, 0, 0, 0, 0, 0 },     { "address", 12, 12, 0, 0, 0, 0, 0, 0, 0 },
	{ "load", 12, 0, 12, 0, 0, 0, 0, 0, 0 },      { "store", 12, 0, 0, 12, 0, 0, 0, 0, 0 },
	{ "modify", 12, 12, 12, 12, 0, 0, 0, 0, 0 },  { "not-taken", 36, 24, 0, 0, 12, 0, 0, 0, 0 },
	{ "taken", 24, 12, 0, 0, 12, 12, 0, 0, 0 },   { "jump", 12, 0, 0, 0, 0, 0, 12, 0, 0 },
	{ "fp-scalar", 12, 0, 0, 0, 0, 0, 0, 12, 0 }, { "fp-128", 12, 0, 0, 0, 0, 0, 0, 0, 12 },
	{ "mixture", 45, 11, 15, 9, 3, 2, 1, 0, 12 },
};

static void expect_mix(unsigned row, double *n)
{
	double size = 1 << row % 3;
	unsigned kernel = row / 3;
	enum { DP_SCALAR = FP + 4, DP_128 };
	n[INSTRUCTIONS] = size * mix_rows[kernel].instructions + 2;
	n[INTEGER] = size * mix_rows[kernel].integer + 1;
	n[LOADS] = size * mix_rows[kernel].loads;
	n[STORES] = size * mix_rows[kernel].stores;
	n[RETIRED] = size * mix_rows[kernel].conditionals + 1;
	n[TAKEN] = size * mix_rows[kernel].taken + 1;
	n[JUMPS] = size * mix_rows[kernel].jumps;
	n[DP_SCALAR] = size * mix_rows[kernel].scalar;
	n[DP_128] = size * mix_rows[kernel].vector;
}

const struct promised_family promised_families[PROMISED_FAMILIES] = {
	{ TP_FAMILY_FLOPS, 48, expect_flops, { INSTRUCTIONS, INTEGER, LOADS,   STORES,	RETIRED,
					       TAKEN,	     JUMPS,   FP,      FP + 1,	FP + 2,
					       FP + 3,	     FP + 4,  FP + 5,  FP + 6,	FP + 7,
					       FP + 8,	     FP + 9,  FP + 10, FP + 11, FP + 12,
					       FP + 13,	     FP + 14, FP + 15, NUMBERS } },
	{ TP_FAMILY_BRANCH, 11, expect_branch, { RETIRED, TAKEN, JUMPS, FP, FP + 4, NUMBERS } },
	{ TP_FAMILY_INSTRUCTIONS,
	  39,
	  expect_mix,
	  { INSTRUCTIONS, INTEGER, LOADS, STORES, RETIRED, TAKEN, JUMPS, FP + 4, FP + 5, FP + 12,
	    NUMBERS } },
};

void hold_to_promise(const struct promised_family *family, const struct tp_counting *c,
		     const double *found, double iterations, const char *by)
{
	double want[NUMBERS] = { 0 };
	char name[64];
	family->expect(c->row, want);
	for (const unsigned *k = family->known; *k != NUMBERS; k++)
		if (found[*k] != want[*k] * iterations)
			fail_msg("%s, %s: number %u is %g, not %g (%s)", c->family->name,
				 tp_family_row_name(c->family, c->row, name, sizeof(name)), *k,
				 found[*k], want[*k] * iterations, by);
	if (found[INSTRUCTIONS] * c->iterations != (double)c->instructions * iterations)
		fail_msg("%s, %s: %g instructions, promised are %llu in a pass (%s)",
			 c->family->name, tp_family_row_name(c->family, c->row, name, sizeof(name)),
			 found[INSTRUCTIONS], (unsigned long long)c->instructions, by);
}

bool counting_is_x86(void)
{
	return tp_arch_host() && strcmp(tp_arch_host()->name, "x86_64") == 0;
}

void *counting_data(const struct tp_counting *c)
{
	void *data = NULL;
	assert_int_equal(posix_memalign(&data, 4096, (c->data_bytes + 4095) / 4096 * 4096), 0);
	c->fill(c, data, 1);
	return data;
}
