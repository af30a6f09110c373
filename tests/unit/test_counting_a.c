/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The counting kernels flops, branch and instructions. Capstone reads their code, which does what
 * each row promises, and so do the bases. Their results stay bounded, and the stream of
 * unpredictable branches is correct.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <capstone/capstone.h>
#include <cmocka.h>

#include "base/str.h"
#include "base/memory.h"
#include "kernels/arch.h"
#include "kernels/families/families.h"
#include "preset/basis.h"
#include "tests/unit/counting_rows.h"
#include "tests/unit/files.h"

static struct tp_cpu with(const char *features)
{
	struct tp_cpu cpu = { .arch = "x86_64", .family = -1, .model = -1, .stepping = -1 };
	tp_copy(cpu.features, sizeof(cpu.features), features);
	return cpu;
}

static const char full[] = "sse2 sse4_1 avx fma avx2 avx512f avx512dq avx512bw avx512vl";

/* --- as Capstone reads it --- */

static bool is_one_of(const char *word, const char *list)
{
	return tp_has_word(list, word);
}

/* Index of an FP instruction's class, or -1. */
static int fp_class(const char *name, const cs_x86 *x86)
{
	static const char *const suffix[] = { "ss", "sd", "ps", "pd" };
	char base[32];
	bool fused = strncmp(name, "vfmadd213", 9) == 0;
	tp_copy(base, sizeof(base), name + (name[0] == 'v'));
	size_t length = strlen(base);
	if (length < 3 || (!fused && strncmp(base, "add", 3) != 0 && strncmp(base, "mul", 3) != 0))
		return -1;
	for (unsigned i = 0; i < TP_COUNT_OF(suffix); i++)
		if (strcmp(base + length - 2, suffix[i]) == 0) {
			unsigned bytes = x86->operands[0].size;
			int width = i < 2 ? 0 : bytes == 16 ? 1 : bytes == 32 ? 2 : 3;
			return (fused ? 8 : 0) + (i % 2 ? 4 : 0) + width;
		}
	return -1;
}

static void count_one(const cs_insn *in, double *n)
{
	const cs_x86 *x86 = &in->detail->x86;
	int class = fp_class(in->mnemonic, x86);
	n[INSTRUCTIONS]++;
	n[INTEGER] += is_one_of(in->mnemonic, "add imul shl lea inc and test dec");
	n[RETIRED] += is_one_of(in->mnemonic, "je jne");
	n[JUMPS] += strcmp(in->mnemonic, "jmp") == 0;
	if (class >= 0)
		n[FP + class]++;
	for (unsigned i = 0; i < x86->op_count && in->id != X86_INS_LEA; i++)
		if (x86->operands[i].type == X86_OP_MEM) {
			n[LOADS] += (x86->operands[i].access & CS_AC_READ) != 0;
			n[STORES] += (x86->operands[i].access & CS_AC_WRITE) != 0;
		}
}

static size_t find(const cs_insn *items, size_t n, uint64_t address)
{
	for (size_t i = 0; i < n; i++)
		if (items[i].address == address)
			return i;
	fail_msg("a jump goes between instructions");
	return 0;
}

/*
 * Whether a conditional is taken: depends on the instruction whose result it tests, and on the
 * byte of the stream in this iteration.
 */
static bool is_taken(const cs_insn *before, const cs_insn *branch, unsigned byte)
{
	bool zero = false;
	if (strcmp(before->mnemonic, "test") != 0)
		fail_msg("%s %s is not asked for by a test", branch->mnemonic, branch->op_str);
	if (strcmp(before->op_str, "dl, 1") == 0)
		zero = !(byte & TP_LOOP_RANDOM_BIT);
	else if (strcmp(before->op_str, "al, 2") == 0)
		zero = !(byte & TP_LOOP_ALTERNATE_BIT);
	else if (strcmp(before->op_str, "rdi, rdi") != 0) /* never 0 */
		fail_msg("unknown condition: test %s", before->op_str);
	return zero == (strcmp(branch->mnemonic, "je") == 0);
}

/* One iteration for each possible byte of the stream: four iterations. */
static void walk(const struct tp_code *code, const cs_insn *items, size_t n, double *numbers)
{
	size_t first = find(items, n, code->loop_begin);
	for (unsigned byte = 0; byte < 4; byte++) {
		size_t i = first;
		for (;;) {
			const cs_insn *in = &items[i];
			count_one(in, numbers);
			assert_true(i + 1 < n);
			if (in->address + in->size == code->loop_end) {
				assert_string_equal(in->mnemonic, "jne");
				assert_string_equal(items[i - 1].mnemonic, "dec");
				assert_string_equal(items[i - 1].op_str, "rsi");
				assert_int_equal(in->detail->x86.operands[0].imm, code->loop_begin);
				numbers[TAKEN]++;
				break;
			}
			bool conditional = is_one_of(in->mnemonic, "je jne");
			bool taken = conditional && is_taken(&items[i - 1], in, byte);
			numbers[TAKEN] += taken;
			if (!taken && strcmp(in->mnemonic, "jmp") != 0) {
				i++;
				continue;
			}
			size_t to = find(items, n, (uint64_t)in->detail->x86.operands[0].imm);
			/* Counting branches by their direction must make a difference. */
			assert_true(to > i + 1);
			i = to;
		}
	}
}

/* Nothing outside the loop computes. VEX forms appear only with AVX, and then no others do. */
static void check_frame(const struct tp_counting *c, const cs_insn *items, size_t n, bool vex)
{
	assert_int_equal(c->code.loop_begin % 64, 0);
	assert_string_equal(items[n - 1].mnemonic, "ret");
	for (size_t i = 0; i < n; i++) {
		const cs_x86 *x86 = &items[i].detail->x86;
		bool inside = items[i].address >= c->code.loop_begin &&
			      items[i].address < c->code.loop_end;
		if (!inside)
			assert_int_equal(fp_class(items[i].mnemonic, x86), -1);
		if (inside)
			assert_string_not_equal(items[i].mnemonic, "nop");
		if (x86->op_count && x86->operands[0].type == X86_OP_REG &&
		    x86->operands[0].size >= 16)
			assert_int_equal(items[i].mnemonic[0] == 'v', vex);
	}
}

static void rows_as_disassembled(void **state)
{
	static const char *const machines[] = { full, "sse2", "sse2 avx", "sse2 avx fma" };
	static const unsigned flops_made[] = { 48, 12, 18, 36 };
	csh capstone;
	(void)state;
	if (!counting_is_x86())
		skip();
	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &capstone), CS_ERR_OK);
	cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON);
	for (size_t m = 0; m < TP_COUNT_OF(machines); m++) {
		struct tp_cpu cpu = with(machines[m]);
		for (size_t f = 0; f < PROMISED_FAMILIES; f++) {
			const struct tp_family *family = tp_family_table[promised_families[f].id];
			unsigned made = 0;
			assert_int_equal(family->n_rows, promised_families[f].rows);
			for (unsigned row = 0; row < family->n_rows; row++) {
				struct tp_counting c;
				struct tp_diag diag = { .what = "" };
				enum tp_status status = tp_counting_make(
					family, row, &cpu, &counting_machine, &c, &diag);
				if (status == TP_UNSUPPORTED && m > 0) {
					assert_non_null(strstr(diag.what, "which this CPU"));
					continue;
				}
				if (status != TP_OK)
					fail_msg("%s %u: %s", family->name, row, diag.what);
				made++;
				cs_insn *items;
				size_t n =
					cs_disasm(capstone, c.code.map, c.code.bytes, 0, 0, &items);
				double numbers[NUMBERS] = { 0 };
				assert_true(n > 0);
				assert_int_equal(items[n - 1].address + items[n - 1].size,
						 c.code.bytes);
				walk(&c.code, items, n, numbers);
				hold_to_promise(&promised_families[f], &c, numbers, 4, machines[m]);
				check_frame(&c, items, n,
					    m > 0 ? strstr(machines[m], "avx") != NULL : true);
				cs_free(items, n);
				tp_counting_release(&c);
			}
			assert_int_equal(made, promised_families[f].id == TP_FAMILY_FLOPS
						       ? flops_made[m]
						       : family->n_rows);
		}
	}
	cs_close(&capstone);
}

/*
 * x <- x / 2 + 1 goes to 2. Without such a fused form x goes up and down and returns to its value.
 */
static void results_stay_bounded(void **state)
{
	struct tp_cpu cpu;
	(void)state;
	if (!tp_arch_host() || !tp_arch_host()->back_end)
		skip();
	/*
	 * Other machines may be emulated. After some fifty iterations the values are at their
	 * limits.
	 */
	uint64_t passes = counting_is_x86() ? 10000 : 100;
	tp_arch_identify(&cpu);
	for (unsigned row = 0; row < tp_family_flops.n_rows; row++) {
		struct tp_counting c;
		struct tp_diag diag;
		if (tp_counting_make(&tp_family_flops, row, &cpu, &counting_machine, &c, &diag) !=
		    TP_OK)
			continue;
		unsigned char *data = counting_data(&c);
		tp_code_function (&c.code)(data, passes);
		size_t element = row / 3 % 8 < 4 ? 4 : 8;
		for (size_t i = 2; i < 2 + TP_LOOP_FP_REGISTERS; i++) {
			const unsigned char *at = data + i * TP_LOOP_SLOT_BYTES;
			float single;
			double value;
			memcpy(&single, at, sizeof(single));
			memcpy(&value, at, sizeof(value));
			if (element == 4)
				value = (double)single;
			double begun = 1.5 + (double)(i - 2) / 16;
			if (!(fabs(value - 2) < 1e-6) &&
			    (counting_is_x86() || !(fabs(value - begun) < 1e-6)))
				fail_msg("row %u: register %zu is %g", row, i - 2, value);
		}
		free(data);
		tp_counting_release(&c);
	}
}

/* --- the stream --- */

static void streams_hold_each_word_once(void **state)
{
	(void)state;
	for (unsigned k = TP_LOOP_STREAM_LOG2_MIN; k <= 20; k++) {
		size_t n = (size_t)1 << k, ones = 0, word = 0;
		unsigned char *data = calloc(1, TP_LOOP_OPERANDS_BYTES + n);
		unsigned char *seen = calloc(1, n);
		assert_non_null(data);
		assert_non_null(seen);
		tp_loop_fill(data, 0, k);
		const unsigned char *stream = data + TP_LOOP_OPERANDS_BYTES;
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(!(stream[i] & TP_LOOP_ALTERNATE_BIT), i % 2 == 0);
			ones += stream[i] & TP_LOOP_RANDOM_BIT;
			if (i >= n - k)
				assert_false(stream[i] & TP_LOOP_RANDOM_BIT);
		}
		assert_int_equal(ones, n / 2);
		for (size_t i = 0; i < n + k - 1; i++) {
			word = (word << 1 | (stream[i % n] & TP_LOOP_RANDOM_BIT)) % n;
			if (i + 1 >= k)
				assert_int_equal(seen[word]++, 0);
		}
		free(seen);
		free(data);
	}
}

/* --- names and limits --- */

static void kernels_and_rows_have_names(void **state)
{
	char name[64];
	(void)state;
	assert_ptr_equal(tp_family_find("branch"), &tp_family_branch);
	assert_null(tp_family_find("branches"));
	assert_string_equal(tp_family_row_name(&tp_family_flops, 0, name, sizeof(name)),
			    "sp-scalar 24");
	assert_string_equal(tp_family_row_name(&tp_family_flops, 20, name, sizeof(name)),
			    "dp-256 96");
	assert_string_equal(tp_family_row_name(&tp_family_flops, 47, name, sizeof(name)),
			    "dp-512-fma 48");
	assert_string_equal(tp_family_row_name(&tp_family_instructions, 7, name, sizeof(name)),
			    "shift 24");
	for (size_t f = 0; f < PROMISED_FAMILIES; f++) {
		const struct tp_family *family = tp_family_table[promised_families[f].id];
		assert_int_equal(family->id, promised_families[f].id);
		assert_int_equal(tp_family_first_row(family, 0), 0);
		assert_int_equal(tp_family_first_row(family, family->n_kernels), family->n_rows);
		for (unsigned k = 0; k < family->n_kernels; k++) {
			char row[64];
			family->kernel_name(k, name, sizeof(name));
			tp_family_row_name(family, tp_family_first_row(family, k), row,
					   sizeof(row));
			assert_int_equal(strncmp(row, name, strlen(name)), 0);
		}
	}
}

/* The bases have the numbers that the code was held to above. */
static void bases_promise_the_same(void **state)
{
	static const struct {
		const char *ideal;
		unsigned number;
	} ideals[] = {
		{ "INSTRUCTIONS", INSTRUCTIONS },
		{ "INTEGER", INTEGER },
		{ "LOADS", LOADS },
		{ "STORES", STORES },
		{ "COND", RETIRED },
		{ "TAKEN", TAKEN },
		{ "JUMPS", JUMPS },
		{ "CE", EXECUTED },
		{ "CR", RETIRED },
		{ "T", TAKEN },
		{ "D", JUMPS },
		{ "M", MISPREDICTED },
		{ "SP_SCALAR", FP },
		{ "SP_128", FP + 1 },
		{ "SP_256", FP + 2 },
		{ "SP_512", FP + 3 },
		{ "DP_SCALAR", FP + 4 },
		{ "DP_128", FP + 5 },
		{ "DP_256", FP + 6 },
		{ "DP_512", FP + 7 },
		{ "SP_SCALAR_FMA", FP + 8 },
		{ "SP_128_FMA", FP + 9 },
		{ "SP_256_FMA", FP + 10 },
		{ "SP_512_FMA", FP + 11 },
		{ "DP_SCALAR_FMA", FP + 12 },
		{ "DP_128_FMA", FP + 13 },
		{ "DP_256_FMA", FP + 14 },
		{ "DP_512_FMA", FP + 15 },
	};
	static struct tp_basis basis;
	(void)state;
	for (size_t f = 0; f < PROMISED_FAMILIES; f++) {
		const struct tp_family *family = tp_family_table[promised_families[f].id];
		struct tp_diags diags = { 0 };
		char path[4096], name[64];
		snprintf(path, sizeof(path), "%s/presets/bases/%s.yaml", source_dir(),
			 family->name);
		if (tp_basis_load(&basis, path, &diags) != TP_OK)
			fail_msg("%s", diags.n ? diags.items[0].what : path);
		assert_string_equal(basis.name, family->name);
		assert_int_equal(basis.n_rows, family->n_rows);
		for (unsigned row = 0; row < family->n_rows; row++) {
			double want[NUMBERS] = { 0 };
			promised_families[f].expect(row, want);
			assert_string_equal(basis.rows[row].name,
					    tp_family_row_name(family, row, name, sizeof(name)));
			for (size_t i = 0; i < basis.n_ideals; i++) {
				double has = basis.rows[row].expect[i];
				size_t k = 0;
				while (k < TP_COUNT_OF(ideals) &&
				       strcmp(ideals[k].ideal, basis.ideals[i].name) != 0)
					k++;
				assert_true(k < TP_COUNT_OF(ideals));
				if (has != want[ideals[k].number])
					fail_msg("%s, %s: %s is %g, not %g", family->name, name,
						 ideals[k].ideal, has, want[ideals[k].number]);
			}
		}
		tp_basis_release(&basis);
		tp_diags_release(&diags);
	}
}

static void limits_are_kept(void **state)
{
	struct tp_cpu cpu = with(full);
	struct tp_counting_machine small = counting_machine;
	struct tp_counting c;
	struct tp_diag diag;
	(void)state;
	if (!counting_is_x86())
		skip();
	small.max_instructions = 2 * 16 * 26 - 1;
	assert_int_equal(tp_counting_make(&tp_family_flops, 0, &cpu, &small, &c, &diag),
			 TP_RESOURCE);
	assert_null(c.code.map);
	small.max_instructions = 2 * 16 * 26;
	assert_int_equal(tp_counting_make(&tp_family_flops, 0, &cpu, &small, &c, &diag), TP_OK);
	assert_int_equal(c.passes, (1 << 20) / (16 * 26));
	tp_counting_release(&c);
	small.max_instructions = 0;
	small.max_bytes = 4096;
	assert_int_equal(tp_counting_make(&tp_family_branch, 0, &cpu, &small, &c, &diag),
			 TP_RESOURCE);
	small.max_bytes = 4096 + (1 << STREAM_LOG2);
	assert_int_equal(tp_counting_make(&tp_family_branch, 0, &cpu, &small, &c, &diag), TP_OK);
	tp_counting_release(&c);
	small.stream_log2 = 1;
	assert_int_equal(tp_counting_make(&tp_family_branch, 0, &cpu, &small, &c, &diag), TP_USAGE);
	assert_int_equal(
		tp_counting_make(&tp_family_branch, 11, &cpu, &counting_machine, &c, &diag),
		TP_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_as_disassembled),
		cmocka_unit_test(results_stay_bounded),
		cmocka_unit_test(streams_hold_each_word_once),
		cmocka_unit_test(kernels_and_rows_have_names),
		cmocka_unit_test(bases_promise_the_same),
		cmocka_unit_test(limits_are_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
