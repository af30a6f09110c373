/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Executes emitted kernels on this CPU: the results of FP kernels, and the memory that memory
 * kernels leave.
 */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/memory.h"
#include "kernels/arch.h"
#include "kernels/kernel.h"

enum { SLOTS = 2 + TP_KERNEL_ACCUMULATORS, MAX_PASSES = 3 };

/* Features that are taken away from this CPU to get other code for the same kernels. */
static const char *const restrictions[] = { "", "fma avx2 avx512f", "avx fma avx2 avx512f" };

static struct tp_cpu cpu_without(const char *removed)
{
	struct tp_cpu host, cpu;
	tp_arch_host()->identify(&host);
	cpu = host;
	cpu.features[0] = '\0';
	char *rest = host.features;
	for (char *word; (word = strsep(&rest, " "));)
		if (*word && !tp_has_word(removed, word)) {
			size_t length = strlen(cpu.features);
			snprintf(cpu.features + length, sizeof(cpu.features) - length, "%s ", word);
		}
	return cpu;
}

/* Calls `one` for every ISA that this CPU has, with all features and with fewer. */
static void for_every_isa(void (*one)(const struct tp_isa *isa, const struct tp_cpu *cpu))
{
	unsigned done = 0;
	if (!tp_arch_host())
		skip();
	for (size_t r = 0; r < TP_COUNT_OF(restrictions); r++) {
		struct tp_cpu cpu = cpu_without(restrictions[r]);
		for (size_t i = 0; i < tp_isa_count; i++) {
			if (tp_isa_supported(tp_isa_table[i], &cpu, NULL) == TP_OK) {
				one(tp_isa_table[i], &cpu);
				done++;
			} else if (r == 0) {
				print_message("not executed here: %s\n", tp_isa_table[i]->name);
			}
		}
	}
	if (!done)
		skip();
}

static void emit(const struct tp_kernel *k, const struct tp_cpu *cpu, struct tp_code *code)
{
	struct tp_diag diag;
	char name[64];
	if (tp_kernel_emit(k, cpu, code, &diag) != TP_OK)
		fail_msg("%s %s: %s", k->isa->name, tp_kernel_name(k, name, sizeof(name)),
			 diag.what);
}

/* --- FP kernels --- */

struct block {
	_Alignas(
		64) unsigned char bytes[TP_KERNEL_DATA_BYTES + 64]; /* the end must stay as it is */
};

static double get(const struct block *b, const struct tp_kernel *k, unsigned slot, unsigned lane)
{
	unsigned operand = tp_kernel_operand_bytes(k);
	const unsigned char *at = b->bytes + slot * operand + lane * k->element_bytes;
	double d;
	float f;
	if (k->element_bytes == 4) {
		memcpy(&f, at, sizeof(f));
		return (double)f;
	}
	memcpy(&d, at, sizeof(d));
	return d;
}

static void put(struct block *b, const struct tp_kernel *k, unsigned slot, unsigned lane, double x)
{
	unsigned operand = tp_kernel_operand_bytes(k);
	unsigned char *at = b->bytes + slot * operand + lane * k->element_bytes;
	float f = (float)x;
	memcpy(at, k->element_bytes == 4 ? (void *)&f : (void *)&x, k->element_bytes);
}

static unsigned lanes_of(const struct tp_kernel *k)
{
	return tp_kernel_operand_bytes(k) / k->element_bytes;
}

/* Operands of the data block, for the largest group of registers. */
static unsigned slots_of(const struct tp_kernel *k)
{
	return SLOTS / (k->body.lmul ? k->body.lmul : 1);
}

static void fill(struct block *b, const struct tp_kernel *k, double a, double other,
		 double accumulator)
{
	memset(b->bytes, 0x5a, sizeof(b->bytes));
	for (unsigned lane = 0; lane < lanes_of(k); lane++) {
		put(b, k, 0, lane, a);
		put(b, k, 1, lane, other);
		for (unsigned s = 2; s < slots_of(k); s++)
			put(b, k, s, lane, accumulator);
	}
}

struct tally {
	unsigned fma, add, mul, div;
};

/*
 * Any operation may go into any accumulator, but their sum must be right. The numbers tell: with a
 * = 2, and b and accumulators 1, n additions give 1 + 2n, n multiplications 2^n, n divisions 2^-n,
 * and n FMAs 2n more.
 */
static void find_tallies(const struct tp_kernel *k, tp_kernel_function run, uint64_t passes,
			 bool fused, struct tally *tally)
{
	struct block b1, b3;
	fill(&b1, k, 2, 1, 1);
	fill(&b3, k, 2, 3, 1);
	run(b1.bytes, passes);
	run(b3.bytes, passes);
	for (unsigned s = 2; s < slots_of(k); s++) {
		double x = get(&b1, k, s, 0), more = get(&b3, k, s, 0) - x;
		struct tally t = { 0 };
		bool pair = k->fp_op == TP_FP_FMA || k->fp_op == TP_FP_FMA_ADD;
		if (pair && fused) {
			t.fma = (unsigned)(more / 4);
			t.add = (unsigned)((x - 1) / 2) - t.fma;
		} else if (k->fp_op == TP_FP_ADD || (pair && fmod(x, 2) > 0)) {
			t.add = (unsigned)((x - 1) / 2);
		} else if (k->fp_op == TP_FP_DIV) {
			t.div = (unsigned)-ilogb(x);
		} else {
			t.mul = (unsigned)ilogb(x);
		}
		tally[s] = t;
	}
}

static double step_double(double acc, double a, double b, const struct tally *t)
{
	for (unsigned i = 0; i < t->fma; i++)
		acc = fma(a, b, acc);
	for (unsigned i = 0; i < t->add; i++)
		acc += a;
	for (unsigned i = 0; i < t->mul; i++)
		acc *= a;
	for (unsigned i = 0; i < t->div; i++)
		acc /= a;
	return acc;
}

static float step_single(float acc, float a, float b, const struct tally *t)
{
	for (unsigned i = 0; i < t->fma; i++)
		acc = fmaf(a, b, acc);
	for (unsigned i = 0; i < t->add; i++)
		acc += a;
	for (unsigned i = 0; i < t->mul; i++)
		acc *= a;
	for (unsigned i = 0; i < t->div; i++)
		acc /= a;
	return acc;
}

/*
 * Numbers that round at every step and differ in every lane: rounding a product before the sum
 * would give another result.
 */
static void compare_numbers(const struct tp_kernel *k, tp_kernel_function run, uint64_t passes,
			    const struct tally *tally)
{
	struct block before, after;
	fill(&before, k, 0, 0, 0);
	for (unsigned lane = 0; lane < lanes_of(k); lane++) {
		put(&before, k, 0, lane, 1.0 + 0.01 / (lane + 3));
		put(&before, k, 1, lane, 1.0 / (lane + 7));
		for (unsigned s = 2; s < slots_of(k); s++)
			put(&before, k, s, lane, 1.0 / (3.0 * s + lane));
	}
	after = before;
	run(after.bytes, passes);
	for (unsigned s = 0; s < slots_of(k); s++)
		for (unsigned lane = 0; lane < lanes_of(k); lane++) {
			double a = get(&before, k, 0, lane), b = get(&before, k, 1, lane);
			double x = get(&before, k, s, lane), expected = x;
			if (s >= 2 && k->element_bytes == 8)
				expected = step_double(x, a, b, &tally[s]);
			else if (s >= 2)
				expected = (double)step_single((float)x, (float)a, (float)b,
							       &tally[s]);
			double got = get(&after, k, s, lane);
			if (memcmp(&got, &expected, sizeof(got)) != 0)
				fail_msg("%s %s, %" PRIu64
					 " passes, slot %u, element %u: %a, not %a",
					 k->isa->name, tp_fp_op_name(k->fp_op), passes, s, lane,
					 got, expected);
		}
	size_t used = (size_t)slots_of(k) * tp_kernel_operand_bytes(k);
	assert_memory_equal(after.bytes + used, before.bytes + used, sizeof(after.bytes) - used);
}

static void hold_fp(const struct tp_kernel *k, const struct tp_cpu *cpu)
{
	struct tp_code code;
	struct tp_kernel_counts counts;
	bool fused = tp_isa_fused(k->isa, cpu);
	emit(k, cpu, &code);
	tp_kernel_count(k, cpu, &counts);
	tp_kernel_function run = tp_code_function(&code);
	for (uint64_t passes = 1; passes <= MAX_PASSES; passes++) {
		struct tally tally[SLOTS], all = { 0 };
		find_tallies(k, run, passes, fused, tally);
		for (unsigned s = 2; s < slots_of(k); s++) {
			all.fma += tally[s].fma;
			all.add += tally[s].add;
			all.mul += tally[s].mul;
			all.div += tally[s].div;
		}
		unsigned fp = all.fma + all.add + all.mul + all.div;
		if (fp != counts.fp * passes ||
		    (fp + all.fma) * lanes_of(k) != counts.flops * passes)
			fail_msg("%s %s: %u fma, %u add, %u mul, %u div in %" PRIu64 " passes",
				 k->isa->name, tp_fp_op_name(k->fp_op), all.fma, all.add, all.mul,
				 all.div, passes);
		compare_numbers(k, run, passes, tally);
	}
	tp_code_release(&code);
}

/* The next size of groups of registers: default, 2, 4, 8. */
static unsigned more_registers(const struct tp_kernel *k)
{
	return k->body.lmul ? 2 * k->body.lmul : 2;
}

/*
 * With few registers, single precision overflows after so many doublings or halvings, and their
 * number could not be told.
 */
static bool leaves_the_range(const struct tp_kernel *k)
{
	enum { DOUBLINGS = 120 };
	unsigned each = tp_kernel_unroll(k) * MAX_PASSES / (slots_of(k) - 2);
	return (k->fp_op == TP_FP_MUL || k->fp_op == TP_FP_DIV) && each > DOUBLINGS;
}

static void every_fp_kernel(const struct tp_isa *isa, const struct tp_cpu *cpu)
{
	static const struct tp_body bodies[] = {
		{ 0 },
		{ .unroll = 64 },
		{ .unroll = 101 }, /* ends in the middle of a turn */
		{ .unroll = 1 },
		{ .unroll = 216, .fma_run = 2, .add_run = 1 },
		{ .unroll = 240, .fma_run = 1, .add_run = 3 },
	};
	for (int op = TP_FP_ADD; op < TP_FP_DOT; op++)
		for (size_t i = 0; i < 2 * TP_COUNT_OF(bodies); i++) {
			struct tp_kernel k = { .kind = TP_KERNEL_FP,
					       .isa = isa,
					       .element_bytes = i % 2 ? 4 : 8,
					       .fp_op = (enum tp_fp_op)op,
					       .body = bodies[i / 2] };
			for (; k.body.lmul <= isa->max_lmul; k.body.lmul = more_registers(&k))
				if (!leaves_the_range(&k))
					hold_fp(&k, cpu);
		}
}

static void fp_kernels_give_the_numbers_of_c(void **state)
{
	(void)state;
	for_every_isa(every_fp_kernel);
}

/* --- memory and mixed kernels --- */

/* Memory with a page on either side that must not be touched. */
struct fenced {
	unsigned char *map, *data;
	size_t map_bytes, bytes;
};

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static void fenced_init(struct fenced *f, size_t bytes)
{
	size_t page = page_bytes();
	f->bytes = (bytes + page - 1) / page * page;
	f->map_bytes = f->bytes + 2 * page;
	f->map = mmap(NULL, f->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(f->map != MAP_FAILED);
	f->data = f->map + page;
	assert_int_equal(mprotect(f->data, f->bytes, PROT_READ | PROT_WRITE), 0);
}

static void fenced_release(struct fenced *f)
{
	munmap(f->map, f->map_bytes);
}

/* No two operands of a buffer alike. */
static void write_pattern(unsigned char *data, size_t bytes)
{
	uint32_t x = 2463534242;
	for (size_t i = 0; i < bytes; i += sizeof(x)) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		memcpy(data + i, &x, sizeof(x));
	}
}

/* The place of access i according to kernel.h. */
static uint64_t position(const struct tp_kernel *k, uint64_t i, uint64_t accesses, uint64_t loads)
{
	uint64_t group = k->loads + k->stores, lanes = k->body.lanes ? k->body.lanes : 1;
	uint64_t in_group = i % group;
	if (!k->body.two_streams)
		return i % lanes * (accesses / lanes) + i / lanes;
	return in_group < k->loads ? i / group * k->loads + in_group
				   : loads + i / group * k->stores + in_group - k->loads;
}

static void expect(const struct tp_kernel *k, unsigned char *data)
{
	uint64_t operand = tp_kernel_operand_bytes(k), tail = tp_kernel_tail_bytes(k);
	uint64_t step = operand * (k->stride ? k->stride : 1), accesses, loads, early = 0;
	unsigned group = k->loads + k->stores;
	tp_kernel_accesses(k, &accesses, &loads);
	/* After a short load the stream of stores begins earlier. */
	if (tail && k->body.two_streams && (accesses - 1) % group < k->loads)
		early = operand - tail;
	for (uint64_t i = 0; i < accesses; i++)
		if (i % group >= k->loads)
			memmove(data + position(k, i, accesses, loads) * step - early, data,
				tail && i == accesses - 1 ? tail : operand);
}

static void hold_memory(const struct tp_kernel *k, const struct tp_cpu *cpu)
{
	struct tp_code code;
	struct fenced real, wanted;
	size_t bytes = (size_t)k->working_set_bytes;
	emit(k, cpu, &code);
	fenced_init(&real, bytes);
	fenced_init(&wanted, bytes);
	/* At the end of the accessible pages, then at their beginning. */
	for (unsigned round = 0; round < 2; round++) {
		size_t at = round ? 0 : real.bytes - bytes;
		for (uint64_t passes = 1; passes <= MAX_PASSES; passes++) {
			write_pattern(real.data, real.bytes);
			write_pattern(wanted.data, wanted.bytes);
			expect(k, wanted.data + at);
			tp_code_function (&code)(real.data + at, passes);
			if (memcmp(real.data, wanted.data, real.bytes) == 0)
				continue;
			size_t i = 0;
			while (real.data[i] == wanted.data[i])
				i++;
			char name[64], body[64];
			fail_msg("%s %s %s of %zu bytes, stride %u, %" PRIu64
				 " passes: byte %zd is wrong",
				 k->isa->name, tp_kernel_name(k, name, sizeof(name)),
				 tp_body_name(&k->body, body, sizeof(body)), bytes, k->stride,
				 passes, (ssize_t)i - (ssize_t)at);
		}
	}
	fenced_release(&real);
	fenced_release(&wanted);
	tp_code_release(&code);
}

static const unsigned ratios[][2] = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { 2, 1 }, { 1, 2 }, { 4, 3 } };
static const uint64_t sizes[] = { 64, 192, 1024, 4032, 4160, 16 * 1024 + 64 };
static const struct tp_body bodies[] = {
	{ .unroll = 64 },
	{ .unroll = 256 },
	{ .unroll = 64, .lanes = 2 },
	{ .unroll = 64, .lanes = 8 },
	{ .two_streams = true },
};

/*
 * An instruction set may have hints that stored data are not used again, but not every CPU knows
 * them.
 */
static bool lacks_hints(const struct tp_cpu *cpu)
{
	return strcmp(cpu->arch, "riscv64") == 0 && !tp_has_word(cpu->features, "zihintntl");
}

static void every_memory_kernel(const struct tp_isa *isa, const struct tp_cpu *cpu)
{
	for (size_t r = 0; r < TP_COUNT_OF(ratios); r++)
		for (size_t s = 0; s < TP_COUNT_OF(sizes); s++)
			for (size_t b = 0; b < TP_COUNT_OF(bodies); b++)
				for (unsigned i = 0; i < 8; i++) {
					struct tp_kernel k = { .kind = TP_KERNEL_MEMORY,
							       .isa = isa,
							       .element_bytes = i % 2 ? 4 : 8,
							       .loads = ratios[r][0],
							       .stores = ratios[r][1],
							       .nontemporal = i / 2 % 2,
							       .stride = i / 4 ? 3 : 1,
							       .working_set_bytes = sizes[s],
							       .body = bodies[b] };
					if (k.nontemporal && k.stores && lacks_hints(cpu))
						continue;
					for (; k.body.lmul <= isa->max_lmul;
					     k.body.lmul = more_registers(&k))
						if (tp_kernel_check(&k, NULL) == TP_OK)
							hold_memory(&k, cpu);
				}
}

static void memory_kernels_write_only_their_stores(void **state)
{
	(void)state;
	for_every_isa(every_memory_kernel);
}

static void every_mixed_kernel(const struct tp_isa *isa, const struct tp_cpu *cpu)
{
	static const unsigned mixes[][2] = { { 1, 1 }, { 3, 2 }, { 8, 1 }, { 1, 16 } };
	for (size_t r = 0; r < TP_COUNT_OF(ratios); r++)
		for (size_t m = 0; m < TP_COUNT_OF(mixes); m++)
			for (int op = TP_FP_ADD; op < TP_FP_DOT; op++)
				for (unsigned e = 4; e <= 8; e += 4) {
					struct tp_kernel k = { .kind = TP_KERNEL_MIXED,
							       .isa = isa,
							       .element_bytes = e,
							       .loads = ratios[r][0],
							       .stores = ratios[r][1],
							       .fp_op = (enum tp_fp_op)op,
							       .fp_count = mixes[m][0],
							       .mem_count = mixes[m][1],
							       .working_set_bytes = 4032,
							       .body = { .unroll = 64 } };
					/* Groups of eight leave too few registers. */
					for (; k.body.lmul <= isa->max_lmul / 2;
					     k.body.lmul = more_registers(&k))
						hold_memory(&k, cpu);
				}
}

static void mixed_kernels_leave_the_buffer_alone(void **state)
{
	(void)state;
	for_every_isa(every_mixed_kernel);
}

/* --- chase --- */

/*
 * Five cells in a ring: after n loads, in one or more calls, the address is that of the n-th cell.
 */
static void a_chase_goes_on_where_it_was(void **state)
{
	(void)state;
	if (!tp_arch_host())
		skip();
	enum { RING = 5, LOADS = 3 };
	struct tp_cpu cpu = cpu_without("");
	struct tp_kernel k = { .kind = TP_KERNEL_CHASE,
			       .isa = tp_isa_table[0],
			       .element_bytes = 8,
			       .body.unroll = LOADS };
	struct tp_code code;
	void *ring[RING], *cell = &ring[0];
	for (size_t i = 0; i < RING; i++)
		ring[i] = &ring[(i + 1) % RING];
	emit(&k, &cpu, &code);
	tp_kernel_function run = tp_code_function(&code);
	size_t at = 0;
	for (uint64_t passes = 1; passes <= 8; passes++) {
		run(&cell, passes);
		at = (at + LOADS * passes) % RING;
		assert_ptr_equal(cell, &ring[at]);
	}
	tp_code_release(&code);
}

/* --- code --- */

static void code_is_executable_and_not_writable(void **state)
{
	(void)state;
	if (!tp_arch_host())
		skip();
	struct tp_cpu cpu = cpu_without("");
	struct tp_kernel k = { .kind = TP_KERNEL_CHAIN, .isa = tp_isa_table[0] };
	struct tp_code code;
	emit(&k, &cpu, &code);
	assert_true(code.bytes > 0 && code.bytes <= code.map_bytes);
	FILE *maps = fopen("/proc/self/maps", "r");
	assert_non_null(maps);
	char line[512], permissions[8] = "";
	bool found = false;
	while (!found && fgets(line, sizeof(line), maps)) {
		uintptr_t from, to;
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &from, &to, permissions) == 3)
			found = (uintptr_t)code.map >= from && (uintptr_t)code.map < to;
	}
	fclose(maps);
	assert_true(found);
	assert_string_equal(permissions, "r-xp");
	tp_kernel_function run = tp_code_function(&code);
	run(NULL, 1000); /* a chain touches no memory */
	tp_code_release(&code);
	assert_null(code.map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fp_kernels_give_the_numbers_of_c),
		cmocka_unit_test(memory_kernels_write_only_their_stores),
		cmocka_unit_test(mixed_kernels_leave_the_buffer_alone),
		cmocka_unit_test(a_chase_goes_on_where_it_was),
		cmocka_unit_test(code_is_executable_and_not_writable),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
