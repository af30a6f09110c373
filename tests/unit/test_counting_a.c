/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The counting kernels flops, branch and instructions: what their code does, as Capstone reads it and as it is when run one instruction at a time,
 * is what is promised of each row. The promises stand here once more in another form than in the kernels and the bases.
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
#include "base/vec.h"
#include "kernels/arch.h"
#include "kernels/counting.h"
#include "kernels/families/families.h"
#include "kernels/loop.h"
#include "kernels/step.h"
#include "preset/basis.h"

enum {
	INSTRUCTIONS,
	INTEGER,
	LOADS,
	STORES,
	EXECUTED,
	RETIRED,
	TAKEN,
	JUMPS,
	MISPREDICTED,
	FP, /* 16 classes: SP, DP, SP FMA, DP FMA; each scalar, 128, 256, 512 */
	NUMBERS = FP + 16
};

enum { STREAM_LOG2 = 6 };

static const struct tp_counting_machine machine = { .line_bytes = 64,
						    .page_bytes = 4096,
						    .stream_log2 = STREAM_LOG2 };

static struct tp_cpu with(const char *features)
{
	struct tp_cpu cpu = { .arch = "x86_64", .family = -1, .model = -1, .stepping = -1 };
	tp_copy(cpu.features, sizeof(cpu.features), features);
	return cpu;
}

static const char full[] = "sse2 sse4_1 avx fma avx2 avx512f avx512dq avx512bw avx512vl";

static bool is_x86(void)
{
	return tp_arch_host() && strcmp(tp_arch_host()->name, "x86_64") == 0;
}

/* --- what is promised, of one iteration --- */

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

static const struct {
	enum tp_family_id id;
	unsigned rows;
	void (*expect)(unsigned row, double *numbers);
	unsigned known[NUMBERS]; /* numbers that are promised; ended by NUMBERS */
} families[] = {
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

static void hold(size_t family, const struct tp_counting *c, const double *found, double iterations,
		 const char *by)
{
	double want[NUMBERS] = { 0 };
	char name[64];
	families[family].expect(c->row, want);
	for (const unsigned *k = families[family].known; *k != NUMBERS; k++)
		if (found[*k] != want[*k] * iterations)
			fail_msg("%s, %s: number %u is %g, not %g (%s)", c->family->name,
				 c->family->row_name(c->row, name, sizeof(name)), *k, found[*k],
				 want[*k] * iterations, by);
	if (found[INSTRUCTIONS] * c->iterations != (double)c->instructions * iterations)
		fail_msg("%s, %s: %g instructions, promised are %llu in a pass (%s)",
			 c->family->name, c->family->row_name(c->row, name, sizeof(name)),
			 found[INSTRUCTIONS], (unsigned long long)c->instructions, by);
}

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

/* Whether a conditional is taken, from the instruction whose result it asks for and this iteration's byte of the stream. */
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

/* One iteration with every byte that the stream may hold: four iterations. */
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
			/* Whoever counts branches by where they went must see a difference. */
			assert_true(to > i + 1);
			i = to;
		}
	}
}

/* Outside the loop nothing computes; VEX forms only where there is AVX, and then no others. */
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
	if (!is_x86())
		skip();
	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &capstone), CS_ERR_OK);
	cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON);
	for (size_t m = 0; m < TP_COUNT_OF(machines); m++) {
		struct tp_cpu cpu = with(machines[m]);
		for (size_t f = 0; f < TP_COUNT_OF(families); f++) {
			const struct tp_family *family = tp_family_table[families[f].id];
			unsigned made = 0;
			assert_int_equal(family->n_rows, families[f].rows);
			for (unsigned row = 0; row < family->n_rows; row++) {
				struct tp_counting c;
				struct tp_diag diag = { .what = "" };
				enum tp_status status =
					tp_counting_make(family, row, &cpu, &machine, &c, &diag);
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
				hold(f, &c, numbers, 4, machines[m]);
				check_frame(&c, items, n,
					    m > 0 ? strstr(machines[m], "avx") != NULL : true);
				cs_free(items, n);
				tp_counting_release(&c);
			}
			assert_int_equal(made, families[f].id == TP_FAMILY_FLOPS ? flops_made[m]
										 : family->n_rows);
		}
	}
	cs_close(&capstone);
}

/* --- as it runs --- */

/*
 * A branch predictor by each branch's own last outcomes, and the conditionals that are met on the way that it took wrongly, until a barrier.
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

static void *filled(const struct tp_counting *c)
{
	struct tp_diag diag = { .what = "" };
	void *data = NULL;
	assert_int_equal(posix_memalign(&data, 4096, (c->data_bytes + 4095) / 4096 * 4096), 0);
	if (c->fill(c, data, 1, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	return data;
}

/* The predictor takes branches that it does not know for strongly not taken (0) or strongly taken (3). */
static void step(struct core *core, const struct tp_counting *c, uint64_t passes, uint8_t unknown)
{
	struct tp_diag diag = { .what = "" };
	struct tp_stepper *stepper;
	void *data = filled(c);
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
 * What a pass adds. On a random branch the one predictor is wrong only where the branch is taken, so that each wrong path falls into
 * the block, the other only where it is not, so that each goes around.
 */
static void hold_stepped(size_t family, const struct tp_counting *c, uint8_t unknown)
{
	enum { PERIODS = 2, LOOPS = 16 }; /* the predictor has learnt before the first half ends */
	static struct core once, twice;
	uint64_t passes = c->iterations > 1 ? PERIODS : LOOPS;
	double iterations = (double)passes * c->iterations, want[NUMBERS] = { 0 };
	step(&once, c, passes, unknown);
	step(&twice, c, 2 * passes, unknown);
	for (unsigned i = 0; i < NUMBERS; i++)
		twice.n[i] -= once.n[i];
	hold(family, c, twice.n, iterations, "stepped");
	families[family].expect(c->row, want);
	if (families[family].id != TP_FAMILY_BRANCH)
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
	if (!is_x86() || !tp_arch_host()->step)
		skip();
	tp_arch_identify(&cpu);
	for (size_t f = 0; f < TP_COUNT_OF(families); f++) {
		const struct tp_family *family = tp_family_table[families[f].id];
		for (unsigned row = 0; row < family->n_rows; row++) {
			struct tp_counting c;
			struct tp_diag diag;
			if (tp_counting_make(family, row, &cpu, &machine, &c, &diag) != TP_OK)
				continue;
			hold_stepped(f, &c, 0);
			if (families[f].id == TP_FAMILY_BRANCH)
				hold_stepped(f, &c, 3);
			tp_counting_release(&c);
		}
	}
}

/* x <- x / 2 + 1 goes to 2. */
static void results_stay_bounded(void **state)
{
	enum { PASSES = 100000 };
	struct tp_cpu cpu;
	(void)state;
	if (!is_x86())
		skip();
	tp_arch_identify(&cpu);
	for (unsigned row = 0; row < tp_family_flops.n_rows; row++) {
		struct tp_counting c;
		struct tp_diag diag;
		if (tp_counting_make(&tp_family_flops, row, &cpu, &machine, &c, &diag) != TP_OK)
			continue;
		unsigned char *data = filled(&c);
		tp_code_function (&c.code)(data, PASSES);
		size_t element = row / 3 % 8 < 4 ? 4 : 8;
		for (size_t i = 2; i < 2 + TP_LOOP_FP_REGISTERS; i++) {
			const unsigned char *at = data + i * TP_LOOP_SLOT_BYTES;
			float single;
			double value;
			memcpy(&single, at, sizeof(single));
			memcpy(&value, at, sizeof(value));
			if (element == 4)
				value = (double)single;
			if (!(fabs(value - 2) < 1e-6))
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
	assert_string_equal(tp_family_flops.row_name(0, name, sizeof(name)), "sp-scalar 24");
	assert_string_equal(tp_family_flops.row_name(20, name, sizeof(name)), "dp-256 96");
	assert_string_equal(tp_family_flops.row_name(47, name, sizeof(name)), "dp-512-fma 48");
	assert_string_equal(tp_family_instructions.row_name(7, name, sizeof(name)), "shift 24");
	for (size_t f = 0; f < TP_COUNT_OF(families); f++) {
		const struct tp_family *family = tp_family_table[families[f].id];
		assert_int_equal(family->id, families[f].id);
		assert_int_equal(family->first_row(0), 0);
		assert_int_equal(family->first_row(family->n_kernels), family->n_rows);
		for (unsigned k = 0; k < family->n_kernels; k++) {
			char row[64];
			family->kernel_name(k, name, sizeof(name));
			family->row_name(family->first_row(k), row, sizeof(row));
			assert_int_equal(strncmp(row, name, strlen(name)), 0);
		}
	}
	for (size_t i = 0; i < TP_COUNT_OF(mix_rows); i++)
		assert_string_equal(
			tp_family_instructions.kernel_name((unsigned)i, name, sizeof(name)),
			mix_rows[i].kernel);
}

/* The numbers above, which the code was held to, are those of the bases. */
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
	const char *srcdir = getenv("TPROF_SRCDIR");
	(void)state;
	for (size_t f = 0; f < TP_COUNT_OF(families); f++) {
		const struct tp_family *family = tp_family_table[families[f].id];
		struct tp_diags diags = { 0 };
		char path[4096], name[64];
		snprintf(path, sizeof(path), "%s/presets/bases/%s.yaml", srcdir ? srcdir : ".",
			 family->name);
		if (tp_basis_load(&basis, path, &diags) != TP_OK)
			fail_msg("%s", diags.n ? diags.items[0].what : path);
		assert_string_equal(basis.name, family->name);
		assert_int_equal(basis.n_rows, family->n_rows);
		for (unsigned row = 0; row < family->n_rows; row++) {
			double want[NUMBERS] = { 0 };
			families[f].expect(row, want);
			assert_string_equal(basis.rows[row].name,
					    family->row_name(row, name, sizeof(name)));
			for (size_t i = 0; i < basis.n_ideals; i++) {
				double has = basis.expectations[row * basis.n_ideals + i];
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
	struct tp_counting_machine small = machine;
	struct tp_counting c;
	struct tp_diag diag;
	(void)state;
	if (!is_x86())
		skip();
	small.max_instructions = 2 * 26 - 1;
	assert_int_equal(tp_counting_make(&tp_family_flops, 0, &cpu, &small, &c, &diag),
			 TP_RESOURCE);
	assert_null(c.code.map);
	small.max_instructions = 2 * 26;
	assert_int_equal(tp_counting_make(&tp_family_flops, 0, &cpu, &small, &c, &diag), TP_OK);
	assert_int_equal(c.passes, (1 << 20) / 26);
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
	assert_int_equal(tp_counting_make(&tp_family_branch, 11, &cpu, &machine, &c, &diag),
			 TP_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_as_disassembled),
		cmocka_unit_test(rows_as_stepped),
		cmocka_unit_test(results_stay_bounded),
		cmocka_unit_test(streams_hold_each_word_once),
		cmocka_unit_test(kernels_and_rows_have_names),
		cmocka_unit_test(bases_promise_the_same),
		cmocka_unit_test(limits_are_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
