/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loops written by hand, to compare roofs with: loads, stores and two loads a store through sizes
 * inside L2, and FMAs beside additions in several splits of the registers. x86-64 with AVX2 and
 * FMA; AVX-512 if available. Prints "WHAT ISA SIZE-OR-SPLIT RATE", bytes or FLOP a cycle, the
 * median of the fast half of many windows; a chain of additions around each window measures the
 * clock. Usage: hand L1_BYTES L2_BYTES
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(__x86_64__)

enum { WINDOWS = 41, BLOCK = 1024 };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x < y) - (x > y);
}

/* Cycles a second: additions that wait for each other take one each. */
static double clock_hz(void)
{
	enum { ROUNDS = 200, ADDITIONS = 64 };
	size_t n = ROUNDS, x = 0;
	double since = now();
	__asm__ volatile("1:\n.rept 64\nadd $1, %1\n.endr\ndec %0\njnz 1b\n" : "+r"(n), "+r"(x));
	return (double)ROUNDS * ADDITIONS / (now() - since);
}

typedef void (*loop)(char *at, size_t blocks);

/* A pass in blocks of 1 KiB, each as `body` with the offset `o` in steps of `step` bytes. */
#define LOOP(name, step, body)                                                                     \
	static void name(char *at, size_t blocks)                                                  \
	{                                                                                          \
		__asm__ volatile("1:\n.set o, 0\n.rept 1024/(" step ")\n" body ".set o, o+(" step  \
				 ")\n.endr\n"                                                      \
				 "add $1024, %0\ndec %1\njnz 1b\n"                                 \
				 : "+r"(at), "+r"(blocks)::"memory", "xmm0", "xmm1", "xmm2");      \
	}

#define MEMORY(isa, bytes, move, r)                                                                \
	LOOP(load_##isa, bytes, move " o(%0), %%" r "0\n")                                         \
	LOOP(store_##isa, bytes, move " %%" r "0, o(%0)\n")                                        \
	LOOP(both_##isa, "3*" bytes,                                                               \
	     move " o(%0), %%" r "0\n" move " o+" bytes "(%0), %%" r "1\n" move " %%" r            \
		  "2, o+2*" bytes "(%0)\n")

MEMORY(scalar, "8", "movsd", "xmm")
MEMORY(sse, "16", "movaps", "xmm")
MEMORY(avx2, "32", "vmovaps", "ymm")
MEMORY(avx512, "64", "vmovaps", "zmm")

/* `fma` FMAs and `add` additions on separate registers, the source is register 15. */
#define SPLIT(name, fmas, adds, fma, add, r)                                                       \
	static void name(char *at, size_t n)                                                       \
	{                                                                                          \
		__asm__ volatile(                                                                  \
			"1:\n.rept 4\n" fmas(fma, r) adds(add, r) ".endr\ndec %0\njnz 1b\n"        \
			: "+r"(n)::"xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", \
			  "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");   \
		(void)at;                                                                          \
	}
#define F(op, r, i) op " %%" r "15, %%" r "15, %%" r #i "\n"
#define A(op, r, i) op " %%" r "15, %%" r #i ", %%" r #i "\n"
#define F8(op, r)                                                                                  \
	F(op, r, 0)                                                                                \
	F(op, r, 1) F(op, r, 2) F(op, r, 3) F(op, r, 4) F(op, r, 5) F(op, r, 6) F(op, r, 7)
#define F9(op, r)  F8(op, r) F(op, r, 8)
#define F10(op, r) F9(op, r) F(op, r, 9)
#define F11(op, r) F10(op, r) F(op, r, 10)
#define A4(op, r)  A(op, r, 11) A(op, r, 12) A(op, r, 13) A(op, r, 14)
#define A5(op, r)  A4(op, r) A(op, r, 10)
#define A6(op, r)  A5(op, r) A(op, r, 9)
#define SPLITS(isa, fma, add, r)                                                                   \
	SPLIT(s8_6_##isa, F8, A6, fma, add, r)                                                     \
	SPLIT(s9_5_##isa, F9, A5, fma, add, r)                                                     \
	SPLIT(s10_4_##isa, F10, A4, fma, add, r)                                                   \
	SPLIT(s11_4_##isa, F11, A4, fma, add, r)
SPLITS(scalar, "vfmadd231sd", "vaddsd", "xmm")
SPLITS(sse, "vfmadd231pd", "vaddpd", "xmm")
SPLITS(avx2, "vfmadd231pd", "vaddpd", "ymm")

/* Work of a call in a cycle: the median of the fast half. */
static double rate(loop run, char *buffer, size_t count, double work)
{
	double rates[WINDOWS];
	size_t repeats = 1;
	for (;; repeats *= 2) {
		double since = now();
		for (size_t i = 0; i < repeats; i++)
			run(buffer, count);
		if (now() - since > 2e-4)
			break;
	}
	for (int w = 0; w < WINDOWS; w++) {
		double before = clock_hz(), since = now();
		for (size_t i = 0; i < repeats; i++)
			run(buffer, count);
		double seconds = now() - since, after = clock_hz();
		rates[w] = (double)repeats * work / seconds / (before > after ? before : after);
	}
	qsort(rates, WINDOWS, sizeof(*rates), descending);
	return rates[WINDOWS / 4];
}

int main(int argc, char **argv)
{
	static const struct {
		const char *isa;
		loop load, store, both;
		unsigned vector;
	} memory[] = {
		{ "scalar", load_scalar, store_scalar, both_scalar, 8 },
		{ "sse", load_sse, store_sse, both_sse, 16 },
		{ "avx2", load_avx2, store_avx2, both_avx2, 32 },
		{ "avx512", load_avx512, store_avx512, both_avx512, 64 },
	};
	static const struct {
		const char *isa;
		unsigned fma, add, lanes;
		loop run;
	} splits[] = {
		{ "scalar", 8, 6, 1, s8_6_scalar },   { "scalar", 9, 5, 1, s9_5_scalar },
		{ "scalar", 10, 4, 1, s10_4_scalar }, { "scalar", 11, 4, 1, s11_4_scalar },
		{ "sse", 8, 6, 2, s8_6_sse },	      { "sse", 9, 5, 2, s9_5_sse },
		{ "sse", 10, 4, 2, s10_4_sse },	      { "sse", 11, 4, 2, s11_4_sse },
		{ "avx2", 8, 6, 4, s8_6_avx2 },	      { "avx2", 9, 5, 4, s9_5_avx2 },
		{ "avx2", 10, 4, 4, s10_4_avx2 },     { "avx2", 11, 4, 4, s11_4_avx2 },
	};
	if (argc != 3 || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
		fputs("usage: hand L1_BYTES L2_BYTES, on x86-64 with AVX2 and FMA\n", stderr);
		return 2;
	}
	size_t l1 = strtoul(argv[1], NULL, 10), l2 = strtoul(argv[2], NULL, 10);
	char *buffer = aligned_alloc(2 << 20, (l2 + (4 << 20)) & ~((2ul << 20) - 1));
	if (!buffer)
		return 1;
	for (size_t i = 0; i < l2 + (1 << 20); i += 64)
		buffer[i] = 0;
	for (size_t m = 0; m < sizeof(memory) / sizeof(*memory); m++) {
		if (memory[m].vector == 64 && !__builtin_cpu_supports("avx512f"))
			continue;
		for (size_t size = 2 * l1; size <= l2 * 3 / 4; size = size * 5 / 4) {
			size_t blocks = size / BLOCK;
			double bytes = (double)blocks * BLOCK;
			/* Groups of two loads and a store fill a block up to what is left of it. */
			unsigned group = 3 * memory[m].vector;
			double some = (double)blocks * (BLOCK / group) * group;
			printf("load %s %zu %.2f\n", memory[m].isa, size,
			       rate(memory[m].load, buffer, blocks, bytes));
			printf("store %s %zu %.2f\n", memory[m].isa, size,
			       rate(memory[m].store, buffer, blocks, bytes));
			printf("2ld1st %s %zu %.2f\n", memory[m].isa, size,
			       rate(memory[m].both, buffer, blocks, some));
		}
	}
	for (size_t s = 0; s < sizeof(splits) / sizeof(*splits); s++)
		printf("fma+add %s %u+%u %.2f\n", splits[s].isa, splits[s].fma, splits[s].add,
		       rate(splits[s].run, buffer, 1000,
			    4000.0 * splits[s].lanes * (2 * splits[s].fma + splits[s].add)));
	free(buffer);
	return 0;
}

#else

int main(void)
{
	fputs("hand: x86-64 only\n", stderr);
	return 2;
}

#endif
