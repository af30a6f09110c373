/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The same kernels run one instruction at a time. A pass adds what the row promises, with the
 * mispredictions and wrong paths of a simple branch predictor.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "kernels/arch.h"
#include "kernels/families/families.h"
#include "kernels/step.h"
#include "tests/unit/counting_rows.h"

/*
 * A branch predictor that knows the last outcomes of each branch, and the conditionals on its
 * wrong paths up to a barrier.
 */
struct predicted {
	size_t at;
	unsigned history;
	uint8_t counter[1 << (STREAM_LOG2 - 1)];
};

enum { BRANCHES = 128, WRONG_PATH = 64 };

struct core {
	const struct tp_stepper *stepper;
	double n[NUMBERS];
	struct predicted branch[BRANCHES];
	size_t n_branches;
	bool overflow;
};

static bool predict(struct core *core, size_t at, struct predicted **branch)
{
	size_t i = 0;
	while (i < core->n_branches && core->branch[i].at != at)
		i++;
	if (i == BRANCHES) {
		core->overflow = true;
		i = 0;
	} else if (i == core->n_branches) {
		core->branch[core->n_branches++].at = at;
	}
	*branch = &core->branch[i];
	return core->branch[i].counter[core->branch[i].history] >= 2;
}

static void wrong_path(struct core *core, size_t at)
{
	for (unsigned i = 0; i < WRONG_PATH; i++) {
		const struct tp_instruction *in = tp_stepper_at(core->stepper, at);
		struct predicted *branch;
		if (!in || in->serialising || in->branch == TP_BRANCH_RETURN)
			return;
		core->n[EXECUTED] += in->branch == TP_BRANCH_CONDITIONAL;
		if (in->branch == TP_BRANCH_JUMP ||
		    (in->branch == TP_BRANCH_CONDITIONAL && predict(core, at, &branch)))
			at = in->target;
		else
			at += in->length;
	}
}

static void conditional(struct core *core, const struct tp_step *step)
{
	struct predicted *branch;
	bool guess = predict(core, step->at, &branch);
	core->n[EXECUTED]++;
	core->n[RETIRED]++;
	core->n[TAKEN] += step->taken;
	if (guess != step->taken) {
		core->n[MISPREDICTED]++;
		wrong_path(core, guess ? step->instruction->target
				       : step->at + step->instruction->length);
	}
	uint8_t *counter = &branch->counter[branch->history];
	if (step->taken && *counter < 3)
		++*counter;
	if (!step->taken && *counter > 0)
		--*counter;
	branch->history = (branch->history << 1 | step->taken) % TP_COUNT_OF(branch->counter);
}

static void listen(void *context, const struct tp_step *step)
{
	struct core *core = context;
	const struct tp_instruction *in = step->instruction;
	core->n[INSTRUCTIONS]++;
	core->n[INTEGER] += in->integer;
	core->n[JUMPS] += in->branch == TP_BRANCH_JUMP;
	if (in->branch == TP_BRANCH_CONDITIONAL)
		conditional(core, step);
	for (unsigned i = 0; i < in->n_operands; i++) {
		core->n[LOADS] += in->operand[i].load;
		core->n[STORES] += in->operand[i].store;
	}
	if (in->fp != TP_FP_KIND_NONE) {
		unsigned bytes = in->fp_vector_bytes;
		unsigned width = bytes == 0 ? 0 : bytes == 16 ? 1 : bytes == 32 ? 2 : 3;
		core->n[FP + (in->fp == TP_FP_KIND_FMA ? 8u : 0u) +
			(in->fp_element_bytes == 8 ? 4u : 0u) + width]++;
	}
}

/* The predictor expects unknown branches to be strongly not taken (0) or strongly taken (3). */
static void step(struct core *core, const struct tp_counting *c, uint64_t passes, uint8_t unknown)
{
	struct tp_diag diag = { .what = "" };
	struct tp_stepper *stepper;
	void *data = counting_data(c);
	memset(core, 0, sizeof(*core));
	for (size_t i = 0; i < BRANCHES; i++)
		memset(core->branch[i].counter, unknown, sizeof(core->branch[i].counter));
	if (tp_stepper_new(&stepper, &c->code, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	core->stepper = stepper;
	if (tp_stepper_run(stepper, data, passes, listen, core, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	tp_stepper_free(stepper);
	free(data);
	assert_false(core->overflow);
}

/*
 * Counts of a second pass, since the predictor learns in the first one. On random branches one
 * predictor is wrong only if the branch is taken, so each wrong path falls into the block. The
 * other one is wrong only if it is not, so each wrong path goes around.
 */
static void hold_stepped(const struct promised_family *family, const struct tp_counting *c,
			 uint8_t unknown)
{
	static struct core once, twice;
	double iterations = c->iterations, want[NUMBERS] = { 0 };
	step(&once, c, 1, unknown);
	step(&twice, c, 2, unknown);
	for (unsigned i = 0; i < NUMBERS; i++)
		twice.n[i] -= once.n[i];
	hold_to_promise(family, c, twice.n, iterations, "stepped");
	family->expect(c->row, want);
	if (family->id != TP_FAMILY_BRANCH)
		want[EXECUTED] = want[RETIRED];
	if (twice.n[EXECUTED] != want[EXECUTED] * iterations ||
	    twice.n[MISPREDICTED] != want[MISPREDICTED] * iterations)
		fail_msg("%s %u: %g executed, %g mispredicted in an iteration, not %g, %g",
			 c->family->name, c->row, twice.n[EXECUTED] / iterations,
			 twice.n[MISPREDICTED] / iterations, want[EXECUTED], want[MISPREDICTED]);
}

static void rows_as_stepped(void **state)
{
	struct tp_cpu cpu;
	(void)state;
	if (!counting_is_x86() || !tp_arch_host()->step)
		skip();
	tp_arch_identify(&cpu);
	for (size_t f = 0; f < PROMISED_FAMILIES; f++) {
		const struct tp_family *family = tp_family_table[promised_families[f].id];
		for (unsigned row = 0; row < family->n_rows; row++) {
			struct tp_counting c;
			struct tp_diag diag;
			if (tp_counting_make(family, row, &cpu, &counting_machine, &c, &diag) !=
			    TP_OK)
				continue;
			hold_stepped(&promised_families[f], &c, 0);
			if (promised_families[f].id == TP_FAMILY_BRANCH)
				hold_stepped(&promised_families[f], &c, 3);
			tp_counting_release(&c);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_as_stepped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
