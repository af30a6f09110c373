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

enum { BUFFER_BYTES = 64 * 1024 };

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

static void hold(const struct tp_app_kernel *item, const struct tp_cpu *cpu, void *data)
{
	struct tp_kernel kernel = tp_app_kernel_of(item);
	struct tp_app_expected expected;
	struct sums few, many;
	struct tp_code code;

	memset(data, 0, BUFFER_BYTES);
	((void **)data)[0] = (void **)data + 8; /* of a chase: a pointer to itself */
	((void **)data)[8] = (void **)data + 8;
	assert_int_equal(tp_kernel_emit(&kernel, cpu, &code, NULL), TP_OK);
	struct tp_mix_instruction *at = mix_of(&code);
	few.at = many.at = at;
	step(&code, &few, data, TP_APP_PASSES_FEW);
	step(&code, &many, data, TP_APP_PASSES_MANY);
	tp_app_kernel_expect(item, cpu, &expected);
	for (unsigned i = 0; i < TP_MIX_N; i++) {
		uint64_t want = expected.mix[i] * (TP_APP_PASSES_MANY - TP_APP_PASSES_FEW);
		if (expected.known[i] && many.mix[i] - few.mix[i] != want)
			fail_msg("%s: %s is %llu, not %llu", item->name, tp_mix_names[i],
				 (unsigned long long)(many.mix[i] - few.mix[i]),
				 (unsigned long long)want);
	}
	free(at);
	tp_code_release(&code);
}

static void kernels_do_what_is_expected(void **state)
{
	static struct tp_app_kernels list;
	struct tp_cpu cpu;
	void *data = aligned_alloc(4096, BUFFER_BYTES);

	(void)state;
	assert_non_null(data);
	if (tp_stepper_supported(NULL) != TP_OK) {
		free(data);
		skip();
	}
	tp_arch_identify(&cpu);
	for (size_t i = 0; i < tp_isa_count; i++) {
		if (tp_isa_supported(tp_isa_table[i], &cpu, NULL) != TP_OK)
			continue;
		tp_app_kernels_list(tp_isa_table[i], &cpu, &list);
		assert_true(list.n > 20 && list.n < TP_APP_KERNELS);
		for (size_t k = 0; k < list.n; k++)
			if (list.items[k].kernel.kind != TP_KERNEL_GATHER)
				hold(&list.items[k], &cpu, data);
	}
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_do_what_is_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
