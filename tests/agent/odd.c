/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code that translators get wrong, each with a line of what came of it. */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static uint64_t number = 0x1122334455667788;
static _Alignas(16) uint64_t pair[2] = { 3, 4 };
static uint64_t pointer_to_function;

static void say(const char *what, uint64_t value)
{
	printf("%s %llx\n", what, (unsigned long long)value);
}

/* The red zone below rsp belongs to leaf functions: no other code writes there. */
static uint64_t red_zone(void)
{
	uint64_t sum;

	__asm__ volatile(
		"	mov $0x55, %%eax\n"
		"	mov %%rax, -8(%%rsp)\n	mov %%rax, -120(%%rsp)\n	mov %%rax, "
		"-64(%%rsp)\n"
		"	jmp 1f\n1:	lea 2f(%%rip), %%rcx\n	jmp *%%rcx\n2:\n"
		"	mov -8(%%rsp), %0\n	add -120(%%rsp), %0\n	add -64(%%rsp), %0\n"
		: "=&r"(sum)
		:
		: "rax", "rcx", "memory", "cc");
	return sum;
}

/* Flags live through jumps of all kinds. */
static uint64_t flags_survive(void)
{
	uint64_t result;

	__asm__ volatile("	sub $136, %%rsp\n	xor %0, %0\n	mov $0x7fffffff, "
			 "%%eax\n	stc\n	jmp 1f\n"
			 "1:	mov %%rax, %%rdx\n	jmp 2f\n2:	lea 3f(%%rip), %%rcx\n	"
			 "jmp *%%rcx\n"
			 "3:	call 4f\n	jmp 5f\n4:	ret\n"
			 "5:	adc $0x10, %0\n	add $1, %%eax\n	jmp 6f\n6:	jmp 7f\n"
			 "7:	seto %%cl\n	movzx %%cl, %%ecx\n	lea (%0, %%rcx), %0\n"
			 "	cmp $0, %%eax\n	jmp 8f\n8:	jmp 9f\n9:	pushf\n	pop "
			 "%%rcx\n	and $0x8c1, %%ecx\n"
			 "	shl $16, %%rcx\n	add %%rcx, %0\n	add $136, %%rsp\n"
			 : "=&r"(result)
			 :
			 : "rax", "rcx", "rdx", "memory", "cc");
	return result;
}

/* All registers live through an indirect jump, a return, and operands relative to rip. */
static uint64_t registers_survive(void)
{
	uint64_t sum;

	__asm__ volatile("	push %%rbx\n	push %%rbp\n	sub $128, %%rsp\n"
			 "	mov $1, %%eax\n	mov $2, %%ebx\n	mov $3, %%ecx\n	mov $4, %%edx\n	"
			 "mov $5, %%esi\n"
			 "	mov $6, %%edi\n	mov $7, %%ebp\n	mov $8, %%r8d\n	mov $9, %%r9d\n	"
			 "mov $10, %%r10d\n"
			 "	mov $11, %%r12d\n	mov $12, %%r13d\n	mov $13, %%r14d\n"
			 "	lea 1f(%%rip), %%r11\n	mov %%r11, %[pointer]\n	call "
			 "*%[pointer]\n	jmp *2f(%%rip)\n"
			 "	.pushsection .data\n2:	.quad 3f\n	.popsection\n1:	cmpq "
			 "$0x12345, %[number]\n	ret\n"
			 "3:	add %%rbx, %%rax\n	lea (%%rax, %%rcx, 2), %%rax\n	lea "
			 "(%%rax, %%rdx, 4), %%rax\n"
			 "	imul $3, %%rax\n	add %%rsi, %%rax\n	imul $3, "
			 "%%rax\n	add %%rdi, %%rax\n	imul $3, %%rax\n"
			 "	add %%rbp, %%rax\n	imul $3, %%rax\n	add %%r8, "
			 "%%rax\n	imul $3, %%rax\n	add %%r9, %%rax\n"
			 "	imul $3, %%rax\n	add %%r10, %%rax\n	imul $3, "
			 "%%rax\n	add %%r12, %%rax\n	imul $3, %%rax\n"
			 "	add %%r13, %%rax\n	imul $3, %%rax\n	add %%r14, %%rax\n"
			 "	add $128, %%rsp\n	pop %%rbp\n	pop %%rbx\n"
			 : "=&a"(sum), [pointer] "+m"(pointer_to_function)
			 : [number] "m"(number)
			 : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
			   "r14", "memory", "cc");
	return sum;
}

/* The operand of a call is read before the push, that of a pop is addressed after it. */
static uint64_t around_rsp(void)
{
	uint64_t result;

	__asm__ volatile("	sub $128, %%rsp\n	lea 1f(%%rip), %%rax\n	push %%rax\n	"
			 "push $0\n	call *8(%%rsp)\n"
			 "	jmp 2f\n1:	mov $0x77, %%edx\n	ret $8\n"
			 "2:	push %%rdx\n	pushq (%%rsp)\n	popq 8(%%rsp)\n	pop %%rcx\n	"
			 "lea (%%rcx, %%rdx), %0\n"
			 "	lea 3f(%%rip), %%rax\n	push %%rsp\n	pop %%rcx\n	sub %%rsp, "
			 "%%rcx\n	add %%rcx, %0\n"
			 "	push %%rax\n	ret\n3:	add $136, %%rsp\n"
			 : "=&r"(result)
			 :
			 : "rax", "rcx", "rdx", "memory", "cc");
	return result;
}

/* rip-relative operands followed by an immediate, of cmpxchg16b, xchg, div, vectors, and high bytes
 */
static uint64_t relative(void)
{
	uint64_t result;

	__asm__ volatile(
		"	movq $0x1234567, %[n]\n	addw $0x4321, %[n]\n	shlq $3, %[n]\n	imul "
		"$1000, %[n], %%rax\n"
		"	mov %%rax, %0\n	mov $5, %%ah\n	addb %%ah, %[n]\n	xchg %%rdi, "
		"%[n]\n	xchg %%rdi, %[n]\n"
		"	mov $3, %%eax\n	mov $4, %%edx\n	mov $9, %%ebx\n	mov $8, %%ecx\n"
		"	lock cmpxchg16b %[pair]\n	setz %%al\n	movzx %%al, %%eax\n	"
		"add %%rax, %0\n"
		"	movq %[pair], %%xmm8\n	paddq %[pair], %%xmm8\n	movq %%xmm8, %%rax\n	"
		"add %%rax, %0\n"
		"	xor %%edx, %%edx\n	mov $1000003, %%eax\n	divq %[pair]\n	add %%rax, "
		"%0\n"
		"	pushq %[n]\n	popq %[pair]\n	add %[pair], %0\n	add %[n], %0\n"
		: "=&r"(result), [n] "+m"(number), [pair] "+m"(pair)
		:
		: "rax", "rbx", "rcx", "rdx", "rdi", "xmm8", "memory", "cc");
	return result;
}

static uint64_t loops(void)
{
	uint64_t result;

	__asm__ volatile(
		"	xor %0, %0\n	mov $7, %%ecx\n1:	lea 3(%0), %0\n	cmp $9, %0\n	"
		"loopne 1b\n"
		"	lea (%0, %%rcx, 8), %0\n	xor %%ecx, %%ecx\n	jecxz 2f\n	"
		"add $1000, %0\n"
		"2:	mov $3, %%ecx\n3:	add $1, %0\n	cmp %%eax, %%eax\n	loope 3b\n"
		: "=&r"(result)
		:
		: "rax", "rcx", "cc");
	return result;
}

static uint64_t strings(void)
{
	char text[64] = "the quick brown fox jumps over", copy[64];
	uint64_t result;

	__asm__ volatile("	mov %[copy], %%rdi\n	mov %[text], %%rsi\n	mov $31, "
			 "%%ecx\n	cld\n	rep movsb\n"
			 "	mov %%rcx, %0\n	lea 30(%[text]), %%rdi\n	mov $31, "
			 "%%ecx\n	mov $'q', %%eax\n	std\n"
			 "	repne scasb\n	cld\n	shl $8, %0\n	add %%rcx, %0\n	mov "
			 "%[text], %%rbx\n"
			 "	mov $4, %%eax\n	xlatb\n	movzx %%al, %%eax\n	shl $8, %0\n	"
			 "add %%rax, %0\n"
			 : "=&r"(result)
			 : [copy] "r"(copy), [text] "r"(text)
			 : "rax", "rbx", "rcx", "rsi", "rdi", "memory", "cc");
	return result + (uint64_t)strcmp(text, copy);
}

static uint64_t call_and_pop(void)
{
	uint64_t here, there;

	__asm__ volatile("	sub $128, %%rsp\n	call 1f\n1:	pop %0\n	lea "
			 "1b(%%rip), %1\n	add $128, %%rsp"
			 : "=&r"(here), "=&r"(there)
			 :
			 : "memory", "cc");
	return here - there;
}

static uint64_t jumps_back(void)
{
	static jmp_buf back;
	volatile uint64_t n = 0;

	if (setjmp(back) < 1000) {
		n++;
		longjmp(back, (int)n);
	}
	return n;
}

/* Code that is made and changed while it runs, as trampolines on the stack are. */
static uint64_t made_code(void)
{
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t (*volatile run)(void) = NULL;
	uint64_t sum = 0;

	if (code == MAP_FAILED)
		return 0x96; /* not allowed here: what it would be */
	*(void **)&run = code;
	for (unsigned i = 0; i < 20; i++) {
		/* mov eax, i / 2; ret */
		const unsigned char bytes[] = { 0xb8, (unsigned char)(i / 2), 0, 0, 0, 0xc3 };

		memcpy(code, bytes, sizeof(bytes));
		sum += run() + 3;
	}
	munmap(code, 4096);
	return sum;
}

int main(void)
{
	say("red_zone", red_zone());
	say("flags", flags_survive());
	say("registers", registers_survive());
	say("around_rsp", around_rsp());
	say("relative", relative());
	say("loops", loops());
	say("strings", strings());
	say("call_and_pop", call_and_pop());
	say("jumps_back", jumps_back());
	say("made_code", made_code());
	return 42;
}
