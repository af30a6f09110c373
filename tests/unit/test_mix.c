/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What tp_mix_x86 says of instructions of all kinds, held to a table that was written by hand; the
 * bytes come from the GNU assembler.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>
#include <cmocka.h>

#include "mix/mix.h"
#include "tests/unit/mix_promise.h"
#include "tests/unit/mix_rows.h"

static size_t bytes_of(const char *text, uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH])
{
	size_t n = 0;

	for (; text[2 * n]; n++) {
		char digits[3] = { text[2 * n], text[2 * n + 1], '\0' };
		assert_true(n < ZYDIS_MAX_INSTRUCTION_LENGTH);
		bytes[n] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return n;
}

static void decode(const uint8_t *bytes, size_t n, ZydisDecodedInstruction *in,
		   ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT])
{
	ZydisDecoder decoder;

	assert_true(ZYAN_SUCCESS(
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)));
	assert_true(ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, n, in, operands)));
	assert_int_equal(in->length, n);
}

/* All FLOPs of a row belong to the precision that its kind names. */
static enum tp_mix_index flops_of(enum tp_mix_index kind)
{
	const char *name = tp_mix_names[kind];

	if (kind == TP_MIX_X87)
		return TP_MIX_FLOPS_X87;
	if (kind == TP_MIX_FP_HALF)
		return TP_MIX_FLOPS_HALF;
	return strstr(name, "_dp_") ? TP_MIX_FLOPS_DP : TP_MIX_FLOPS_SP;
}

/* Everything the row says, and nothing else. */
static void expect(const struct row *row, struct tp_mix_instruction *want)
{
	bool fp = row->each_flops > 0,
	     vsib = strstr(row->text, "gather") || strstr(row->text, "scatter");

	memset(want, 0, sizeof(*want));
	want->once[TP_MIX_INSTRUCTIONS] = 1;
	want->once[row->kind] = 1;
	want->once[row->isa] = 1;
	want->once[flops_of(row->kind)] = row->flops;
	want->once[TP_MIX_BYTES_LOADED] = row->loaded;
	want->once[TP_MIX_BYTES_STORED] = row->stored;
	want->once[TP_MIX_LOADS] = row->loaded || row->each_loaded;
	want->once[TP_MIX_STORES] = row->stored || row->each_stored;
	want->once[TP_MIX_MASKED] = fp;
	want->once[TP_MIX_FP_DIVIDES] = row->kind >= TP_MIX_FP_SP_SCALAR &&
					row->kind <= TP_MIX_X87 &&
					(strstr(row->text, "div") || strstr(row->text, "sqrt")) &&
					!strstr(row->text, "rsqrt");
	want->once[TP_MIX_LOCKED] = strstr(row->text, "lock ") ||
				    (strncmp(row->text, "xchg", 4) == 0 && strchr(row->text, '['));
	want->once[TP_MIX_GATHERS] = vsib && row->each_loaded;
	want->once[TP_MIX_SCATTERS] = vsib && row->each_stored;
	want->each[flops_of(row->kind)] = row->each_flops;
	want->each[TP_MIX_BYTES_LOADED] = row->each_loaded;
	want->each[TP_MIX_BYTES_STORED] = row->each_stored;
	want->times = row->times;
	want->mask = row->mask;
	want->lanes = row->lanes;
}

static void table_holds(void **state)
{
	(void)state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
		ZydisDecodedInstruction in;
		ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
		struct tp_mix_instruction want, got;

		decode(bytes, bytes_of(rows[r].bytes, bytes), &in, operands);
		tp_mix_x86(&in, operands, &got);
		expect(&rows[r], &want);
		for (unsigned i = 0; i < TP_MIX_N; i++)
			if (got.once[i] != want.once[i] || got.each[i] != want.each[i])
				fail_msg("%s: %s is %u and %u, not %u and %u", rows[r].text,
					 tp_mix_names[i], got.once[i], got.each[i], want.once[i],
					 want.each[i]);
		if (got.times != want.times || got.mask != want.mask || got.lanes != want.lanes)
			fail_msg("%s: way %d, mask %u, %u lanes", rows[r].text, (int)got.times,
				 got.mask, got.lanes);
		if (got.times == TP_MIX_SIGNS)
			assert_int_equal(got.lane_bytes, rows[r].each_loaded + rows[r].each_stored);
	}
}

/* Loops with the longest chain of results of a round, by hand. */
static void chains(void **state)
{
	static const struct {
		const char *text, *bytes[6];
		uint32_t cycles, fp, loads;
	} loops[] = {
		{ "one accumulator", { "f20f58c1", "48ffc8" }, 4, 1, 0 }, /* addsd; dec rax */
		/* mulsd xmm2, xmm1 has its own chain beside that of xmm0 */
		{ "two accumulators", { "f20f58c1", "f20f59d1" }, 4, 1, 0 },
		{ "a sum of products", { "f20f1006", "f20f59c1", "f20f58d0" }, 4, 1, 0 },
		{ "one after the other", { "f20f58c1", "f20f59c2" }, 8, 2, 0 },
		{ "vfmadd231sd xmm0, xmm1, xmm2", { "c4e2f1b9c2" }, 4, 1, 0 },
		{ "mov rax, [rax]", { "488b00", "4883e901" }, 5, 0, 1 },
		{ "mov rax, [rax + 8 * rcx]", { "488b04c8", "48ffc9" }, 5, 0, 1 },
		{ "cleared each time", { "660fefc0", "f20f58c1" }, 0, 0, 0 },
		{ "lea, imul", { "488d0440", "480fafc1" }, 4, 0, 0 },
		/* add qword ptr [rdi], 1: the same place, until rdi moves */
		{ "a counter in memory", { "48830701" }, 2, 0, 0 },
		{ "counters in memory", { "48830701", "4883c708" }, 1, 0, 0 },
		/* add rdx, 8; movsd xmm0, [rsi]; addsd xmm0, [rdx - 8]; movsd [rdx - 8], xmm0 */
		{ "moved first", { "4883c208", "f20f1006", "f20f5842f8", "f20f1142f8" }, 1, 0, 0 },
		/* movsd [rdx], xmm0; add rdx, 8; addsd xmm0, [rdx] */
		{ "moved between", { "f20f1102", "4883c208", "f20f5802" }, 4, 1, 0 },
		/* movsd [rsp], xmm0; addsd xmm1, [rsp]; movapd xmm0, xmm1 */
		{ "stays", { "f20f110424", "f20f580c24", "660f28c1" }, 6, 1, 0 },
		{ "a division", { "f20f5ec1" }, 13, 1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		struct tp_mix_chain chain;
		uint32_t add[TP_MIX_N] = { 0 };

		tp_mix_chain_begin(&chain);
		for (unsigned k = 0; k < 6 && loops[i].bytes[k]; k++) {
			uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
			ZydisDecodedInstruction in;
			ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

			decode(bytes, bytes_of(loops[i].bytes[k], bytes), &in, operands);
			tp_mix_chain_add(&chain, &in, operands);
		}
		tp_mix_chain_end(&chain, add);
		if (add[TP_MIX_CHAIN_CYCLES] != loops[i].cycles ||
		    add[TP_MIX_CHAINED_FP] != loops[i].fp ||
		    add[TP_MIX_CHAINED_LOADS] != loops[i].loads)
			fail_msg("%s: %u cycles, %u and %u", loops[i].text,
				 add[TP_MIX_CHAIN_CYCLES], add[TP_MIX_CHAINED_FP],
				 add[TP_MIX_CHAINED_LOADS]);
	}
}

static void names_are_told(void **state)
{
	(void)state;
	for (unsigned i = 0; i < TP_MIX_N; i++) {
		assert_non_null(tp_mix_names[i]);
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(tp_mix_names[i], tp_mix_names[j]);
	}
}

/* Any bytes: prefixes and opcodes of all maps come up among a million of them. */
static void any_bytes(void **state)
{
	uint64_t seed = 20260101;
	unsigned decoded = 0;

	(void)state;
	for (unsigned i = 0; i < 1000000; i++) {
		uint8_t bytes[16];
		for (unsigned b = 0; b < sizeof(bytes); b += 8) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			uint64_t mixed = seed ^ seed >> 29;
			memcpy(bytes + b, &mixed, 8);
		}
		if (i % 4 == 1)
			bytes[0] = 0x62; /* EVEX */
		if (i % 4 == 2)
			bytes[0] = 0xc4; /* VEX of three bytes */
		const char *broken = tp_mix_broken(bytes, sizeof(bytes), &decoded);
		if (broken)
			fail_msg("sequence %u: %s", i, broken);
	}
	assert_true(decoded > 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_holds),
		cmocka_unit_test(chains),
		cmocka_unit_test(names_are_told),
		cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
