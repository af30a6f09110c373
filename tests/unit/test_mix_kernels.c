/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the self-test expects of kernels is what their code does: each is stepped through, and the
 * mix of every instruction that it executes is added up. No agent takes part.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>
#include <cmocka.h>

#include "app/kernel_list.h"
#include "kernels/arch.h"
#include "kernels/step.h"
#include "tests/unit/counting_rows.h"

struct sums {
	const struct tp_mix_instruction *at; /* by offset in the code */
	uint64_t mix[TP_MIX_N];
};

static void add_step(void *context, const struct tp_step *step)
{
	struct sums *sums = context;

	for (unsigned i = 0; i < TP_MIX_N; i++)
		sums->mix[i] += sums->at[step->at].once[i];
}

/* The mix of each instruction of straight code, by its offset. */
static struct tp_mix_instruction *mix_of(const struct tp_code *code)
{
	struct tp_mix_instruction *at = calloc(code->bytes, sizeof(*at));
	ZydisDecoder decoder;
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	assert_non_null(at);
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (size_t i = 0; i < code->bytes; i += in.length) {
		assert_true(ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, (char *)code->map + i,
								code->bytes - i, &in, operands)));
		tp_mix_x86(&in, operands, &at[i]);
	}
	return at;
}

static void step(const struct tp_code *code, struct sums *sums, void *data, unsigned passes)
{
	struct tp_stepper *stepper;
	struct tp_diag diag = { .what = "" };

	memset(sums->mix, 0, sizeof(sums->mix));
	if (tp_stepper_new(&stepper, code, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	if (tp_stepper_run(stepper, data, passes, add_step, sums, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	tp_stepper_free(stepper);
}

/* Rows that count have promises of their own, written for the tests of their kernels. */
static void hold_to_row(const struct tp_app_kernel *item, const struct tp_cpu *cpu,
			const struct sums *few, const struct sums *many)
{
	const struct promised_family *promised = promised_families;
	double numbers[NUMBERS] = { 0 }, found[TP_MIX_N];
	struct tp_counting row;

	while (promised->id != item->family->id)
		promised++;
	assert_int_equal(tp_counting_make(item->family, item->row, cpu, &tp_app_counting_machine,
					  &row, NULL),
			 TP_OK);
	promised->expect(item->row, numbers);
	for (unsigned i = 0; i < TP_MIX_N; i++)
		found[i] = (double)(many->mix[i] - few->mix[i]) / row.iterations /
			   (TP_APP_PASSES_MANY - TP_APP_PASSES_FEW);
	bool same = found[TP_MIX_BRANCHES] == numbers[RETIRED] + numbers[JUMPS];
	if (item->family->id == TP_FAMILY_INSTRUCTIONS) /* those of branches are not told */
		same = same && found[TP_MIX_LOADS] == numbers[LOADS] &&
		       found[TP_MIX_STORES] == numbers[STORES];
	for (unsigned i = 0; i < NUMBERS - FP; i++)
		same = same && found[TP_MIX_FP_SP_SCALAR + i] == numbers[FP + i];
	if (!same)
		fail_msg("%s: %g branches, %g loads, %g stores", item->name, found[TP_MIX_BRANCHES],
			 found[TP_MIX_LOADS], found[TP_MIX_STORES]);
	tp_counting_release(&row);
}

static void hold(const struct tp_app_kernel *item, const struct tp_cpu *cpu)
{
	struct tp_app_expected expected;
	struct sums few, many;
	struct tp_app_ready ready;
	struct tp_diag diag;

	if (tp_app_kernel_ready(item, cpu, &ready, &diag) != TP_OK)
		fail_msg("%s: %s", item->name, diag.what);
	struct tp_mix_instruction *at = mix_of(&ready.code);
	few.at = many.at = at;
	step(&ready.code, &few, ready.data, TP_APP_PASSES_FEW);
	step(&ready.code, &many, ready.data, TP_APP_PASSES_MANY);
	tp_app_kernel_expect(item, cpu, &expected);
	for (unsigned i = 0; i < TP_MIX_N; i++) {
		uint64_t want = expected.mix[i] * (TP_APP_PASSES_MANY - TP_APP_PASSES_FEW);
		if (expected.known[i] && many.mix[i] - few.mix[i] != want)
			fail_msg("%s: %s is %llu, not %llu", item->name, tp_mix_names[i],
				 (unsigned long long)(many.mix[i] - few.mix[i]),
				 (unsigned long long)want);
	}
	if (item->family)
		hold_to_row(item, cpu, &few, &many);
	free(at);
	tp_app_ready_release(&ready);
}

static bool is_gather(const struct tp_app_kernel *item)
{
	return !item->family && item->kernel.kind == TP_KERNEL_GATHER;
}

static void hold_all(const struct tp_isa *isa, const struct tp_cpu *cpu)
{
	static struct tp_app_kernels list;

	tp_app_kernels_list(isa, cpu, &list);
	assert_true(list.n > 20 && list.n < TP_APP_KERNELS);
	for (size_t k = 0; k < list.n; k++)
		if (!is_gather(&list.items[k])) /* no stepper follows them */
			hold(&list.items[k], cpu);
}

static void kernels_do_what_is_expected(void **state)
{
	struct tp_cpu cpu;

	(void)state;
	if (tp_stepper_supported(NULL) != TP_OK)
		skip();
	tp_arch_identify(&cpu);
	for (size_t i = 0; i < tp_isa_count; i++)
		if (tp_isa_supported(tp_isa_table[i], &cpu, NULL) == TP_OK)
			hold_all(tp_isa_table[i], &cpu);
	hold_all(NULL, &cpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_do_what_is_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
