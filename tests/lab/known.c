/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * known LOOP MILLIONS: a loop whose instructions are known by construction: so many millions of
 * iterations of 3 (add), 5 (memory) or 10 (mixed) instructions.
 */
#include <stdlib.h>
#include <string.h>

#if defined(__aarch64__)
#define COUNT_DOWN "subs %0, %0, #1\n\tb.ne 1b\n"
#define ADD	   "add x9, x9, #1\n\t"
#define LOAD	   "ldr x10, [%1]\n\t"
#define STORE	   "str x9, [%1, #8]\n\t"
#define CLOBBERS   "x9", "x10", "cc", "memory"
#elif defined(__riscv)
#define COUNT_DOWN "addi %0, %0, -1\n\tbnez %0, 1b\n"
#define ADD	   "addi t0, t0, 1\n\t"
#define LOAD	   "ld t1, 0(%1)\n\t"
#define STORE	   "sd t0, 8(%1)\n\t"
#define CLOBBERS   "t0", "t1", "memory"
#else
#define COUNT_DOWN "dec %0\n\tjnz 1b\n"
#define ADD	   "add $1, %%rax\n\t"
#define LOAD	   "mov (%1), %%rcx\n\t"
#define STORE	   "mov %%rax, 8(%1)\n\t"
#define CLOBBERS   "rax", "rcx", "cc", "memory"
#endif

#define LOOP(body) __asm__ volatile("1:\n\t" body COUNT_DOWN : "+r"(n) : "r"(memory) : CLOBBERS)

int main(int argc, char **argv)
{
	static long memory[2];
	long n = argc > 2 ? atol(argv[2]) * 1000000 : 0;
	if (n <= 0)
		return 2;
	if (strcmp(argv[1], "add") == 0)
		LOOP(ADD);
	else if (strcmp(argv[1], "memory") == 0)
		LOOP(ADD LOAD STORE);
	else
		LOOP(ADD ADD ADD LOAD LOAD LOAD STORE STORE);
	return 0;
}
