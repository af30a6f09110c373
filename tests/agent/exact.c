/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * exact LOOP ITERATIONS: loops in assembly whose work is known by construction. Run twice with
 * numbers of as many digits, the difference of the counts belongs only to the loop. `exact` prints
 * each loop's name and what one iteration does, `exact LOOP` whether it can run.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOP(name, before, body)                                                                   \
	static void name(uint64_t n, void *memory)                                                 \
	{                                                                                          \
		__asm__ volatile(before "\n1:\n" body "\n	dec %[n]\n	jnz 1b\n"                     \
				 : [n] "+r"(n)                                                     \
				 : [m] "r"(memory)                                                 \
				 : "rax", "rcx", "rdx", "rsi", "rdi", "xmm0", "xmm1", "xmm2",      \
				   "memory", "cc");                                                \
	}

LOOP(plain, "", "	add $1, %%rax")
LOOP(memory_both, "", "	mov (%[m]), %%rax\n	mov %%rax, 8(%[m])\n	addl $1, 16(%[m])")
LOOP(sse, "xorps %%xmm0, %%xmm0\n	xorps %%xmm1, %%xmm1",
     "	mulpd %%xmm1, %%xmm0\n	addsd (%[m]), %%xmm0\n	addps %%xmm1, %%xmm1")
LOOP(calls, "jmp 1f\n3:	ret\n4:	sub $128, %%rsp\n	add $128, %%rsp\n	ret",
     "	lea -128(%%rsp), %%rsp\n	call 3b\n	call 3b\n	lea 4b(%%rip), %%rax\n	"
     "call *%%rax\n"
     "	lea 128(%%rsp), %%rsp")
LOOP(repeats, "cld",
     "	mov $37, %%ecx\n	mov %[m], %%rdi\n	lea 64(%[m]), %%rsi\n	rep movsb")
LOOP(stops_early, "cld\n	movb $7, 5(%[m])",
     "	mov $37, %%ecx\n	mov %[m], %%rdi\n	mov $7, %%eax\n	repne scasb")
LOOP(loop_jrcxz, "",
     "	mov $10, %%ecx\n2:	add $3, %%rax\n	loop 2b\n	jrcxz 3f\n	nop\n3:")
LOOP(many_blocks, "",
     "	jmp 2f\n2:	jmp 3f\n3:	jmp 4f\n4:	test %%eax, %%eax\n	jmp 5f\n5:")
LOOP(avx, "",
     "	vxorpd %%ymm0, %%ymm0, %%ymm0\n	vmulps %%ymm0, %%ymm0, %%ymm1\n	vaddpd (%[m]), %%ymm0, "
     "%%ymm1\n	vzeroupper")
LOOP(masked, "mov $0x25, %%eax\n	kmovw %%eax, %%k1\n	vpxord %%zmm0, %%zmm0, %%zmm0",
     "	vaddpd %%zmm0, %%zmm0, %%zmm0%{%%k1%}\n	vmulps (%[m]), %%zmm0, %%zmm1%{%%k1%}%{z%}\n"
     "	cmp $1, %%rax\n	vaddpd %%zmm0, %%zmm0, %%zmm0%{%%k1%}\n	adc $0, %%rdx")

LOOP(gathers, "vpxor %%xmm0, %%xmm0, %%xmm0",
     "	vpcmpeqd %%ymm1, %%ymm1, %%ymm1\n	vgatherdpd %%ymm1, 64(%[m],%%xmm0,8), %%ymm2")

/* What an iteration does, in words of the mix; traced_lines are those touched, without the stack.
 */
static const struct {
	const char *name;
	void (*run)(uint64_t n, void *memory);
	const char *work;
} loops[] = {
	{ "plain", plain, "instructions=3 branches=1 traced_lines=0" },
	{ "memory", memory_both,
	  "instructions=5 loads=2 stores=2 bytes_loaded=12 bytes_stored=12 "
	  "traced_lines=4" },
	{ "sse", sse,
	  "instructions=5 flops_dp=3 flops_sp=4 loads=1 bytes_loaded=8 traced_lines=1" },
	{ "calls", calls,
	  "instructions=13 loads=3 stores=3 bytes_loaded=24 bytes_stored=24 branches=7" },
	{ "repeats", repeats, "instructions=6 bytes_loaded=37 bytes_stored=37 traced_lines=2" },
	{ "stops_early", stops_early, "instructions=6 bytes_loaded=6" },
	{ "loops", loop_jrcxz, "instructions=24 branches=12" },
	{ "many_blocks", many_blocks, "instructions=7 branches=5" },
	{ "avx", avx,
	  "instructions=6 flops_sp=8 flops_dp=4 loads=1 bytes_loaded=32 traced_lines=1" },
	{ "gathers", gathers, "instructions=4 gathers=1 loads=1 bytes_loaded=32 traced_lines=4" },
	{ "masked", masked, "instructions=7 flops_dp=6 flops_sp=3 bytes_loaded=12" },
};

static int runs_here(const char *name)
{
	if (!strcmp(name, "avx"))
		return __builtin_cpu_supports("avx");
	if (!strcmp(name, "gathers"))
		return __builtin_cpu_supports("avx2");
	if (!strcmp(name, "masked"))
		return __builtin_cpu_supports("avx512f");
	return 1;
}

int main(int argc, char **argv)
{
	static _Alignas(64) char memory[4096];

	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		if (argc == 1)
			printf("%s %s\n", loops[i].name, loops[i].work);
		else if (!strcmp(argv[1], loops[i].name)) {
			if (!runs_here(argv[1]))
				return 77;
			if (argc > 2)
				loops[i].run(strtoull(argv[2], NULL, 10), memory);
			return 0;
		}
	}
	return argc == 1 ? 0 : 2;
}
