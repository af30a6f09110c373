/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Single steps without traps: a copy of the code with a call before each instruction. The call
 * saves all registers and flags, tells the stepper, and restores everything, so the instruction
 * runs as in the original. Only branches and addresses relative to the code are rewritten. This is
 * some fifty times as fast as the trap flag. Code with indirect branches, with jumps out of the
 * buffer or between instructions cannot be copied and needs the trap flag.
 */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/watch.h"
#include "kernels/x86/x86.h"

#include <Zydis/Zydis.h>
#include <cpuid.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum {
	RED_ZONE = 128, /* below the stack pointer, belongs to the code (System V ABI) */
	THUNK_BYTES = 16,
	CALL_BYTES = 23,
	MOST_BYTES = CALL_BYTES + 15, /* of an instruction with its call */
};

/* The assembly below writes this layout, and decode.c numbers registers by it. */
_Static_assert(REG_R8 == 0 && REG_R15 == 7 && REG_RDI == 8 && REG_RSI == 9 && REG_RBP == 10 &&
		       REG_RBX == 11 && REG_RDX == 12 && REG_RAX == 13 && REG_RCX == 14 &&
		       REG_RSP == 15 && REG_EFL == 17,
	       "registers lie as in a signal's context");

/*
 * On the stack: flags, return address, the instruction's number, the red zone. Vector state goes by
 * XSAVE, components 0-2 and 5-7 (x87, SSE, AVX, AVX-512) of those that are enabled: 2688 bytes in
 * the standard format (Intel SDM volume 1, chapter 13); its header must be zero before.
 */
#define REGISTERS "r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx"

__attribute__((naked, noinline, used)) static void called_before_each(void)
{
	__asm__("pushfq\n\t"
		"leaq -144(%rsp), %rsp\n\t"
		"place = 0\n\t"
		".irp reg, " REGISTERS "\n\t"
		"movq %\\reg, place(%rsp)\n\t"
		"place = place + 8\n\t"
		".endr\n\t"
		"leaq 296(%rsp), %rax\n\t" /* 144 + 3 words + the red zone */
		"movq %rax, 120(%rsp)\n\t"
		"movq 144(%rsp), %rax\n\t"
		"movq %rax, 136(%rsp)\n\t"
		"cld\n\t"
		"movq %rsp, %rbx\n\t"
		"movq 160(%rsp), %rdi\n\t"
		"movq %rsp, %rsi\n\t"
		"subq $2752, %rsp\n\t"
		"andq $-64, %rsp\n\t"
		"xorl %edx, %edx\n\t"
		".irp place, 512, 520, 528, 536, 544, 552, 560, 568\n\t"
		"movq %rdx, \\place(%rsp)\n\t"
		".endr\n\t"
		"movl $0xe7, %eax\n\t"
		"xsave64 (%rsp)\n\t"
		"call tp_x86_watched@PLT\n\t"
		"xorl %edx, %edx\n\t"
		"movl $0xe7, %eax\n\t"
		"xrstor64 (%rsp)\n\t"
		"movq %rbx, %rsp\n\t"
		"place = 0\n\t"
		".irp reg, " REGISTERS "\n\t"
		"movq place(%rsp), %\\reg\n\t"
		"place = place + 8\n\t"
		".endr\n\t"
		"leaq 144(%rsp), %rsp\n\t"
		"popfq\n\t"
		"ret");
}

struct writer {
	unsigned char *at; /* where the next byte goes */
	unsigned char *thunk;
	const struct tp_stepper *stepper;
	uint32_t *places; /* of each instruction, bytes from the start of the copy */
};

static void put(struct writer *w, const void *bytes, size_t n)
{
	memcpy(w->at, bytes, n);
	w->at += n;
}

static void put_u32(struct writer *w, uint32_t value)
{
	put(w, &value, sizeof(value));
}

/* False if it is too far away. */
static bool put_relative(struct writer *w, uintptr_t target)
{
	int64_t distance = (int64_t)(target - (uintptr_t)(w->at + 4));
	put_u32(w, (uint32_t)distance);
	return distance == (int32_t)distance;
}

/* jmp [rip + 0]; .quad: a call cannot reach from the copy to the program. */
static void put_thunk(struct writer *w)
{
	static const unsigned char jump[] = { 0xff, 0x25, 0, 0, 0, 0 };
	void (*target)(void) = called_before_each;
	w->thunk = w->at;
	put(w, jump, sizeof(jump));
	put(w, &target, sizeof(target));
	w->at = w->thunk + THUNK_BYTES;
}

static void put_call(struct writer *w, uint32_t number)
{
	static const unsigned char down[] = { 0x48, 0x8d, 0x64, 0x24, 0x80 }; /* rsp -= 128 */
	static const unsigned char up[] = { 0x48, 0x8d, 0xa4, 0x24, RED_ZONE + 8, 0, 0, 0 };
	put(w, down, sizeof(down));
	put(w, &(unsigned char){ 0x68 }, 1); /* push number */
	put_u32(w, number);
	put(w, &(unsigned char){ 0xe8 }, 1);
	put_relative(w, (uintptr_t)w->thunk);
	put(w, up, sizeof(up));
}

/* The distance has four bytes and is filled in once all places are known. */
static bool put_branch(struct writer *w, const struct tp_decoded *item,
		       const ZydisDecodedInstruction *in)
{
	if (!tp_stepper_at(w->stepper, item->instruction.target))
		return false;
	switch (item->instruction.branch) {
	case TP_BRANCH_JUMP:
		put(w, &(unsigned char){ 0xe9 }, 1);
		break;
	case TP_BRANCH_CALL:
		put(w, &(unsigned char){ 0xe8 }, 1);
		break;
	case TP_BRANCH_CONDITIONAL: {
		int condition = tp_x86_condition(in);
		if (condition < 0)
			return false;
		const unsigned char opcode[] = { 0x0f, (unsigned char)(0x80 | condition) };
		put(w, opcode, sizeof(opcode));
		break;
	}
	default:
		return false;
	}
	put_u32(w, 0);
	return true;
}

/* False if the copy would not do the same. */
static bool put_instruction(struct writer *w, const struct tp_decoded *item)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction in;
	const unsigned char *bytes = (const unsigned char *)w->stepper->code->map + item->at;
	if (!ZYAN_SUCCESS(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes,
							item->instruction.length, &in)))
		return false;
	if (item->instruction.branch != TP_BRANCH_NONE &&
	    item->instruction.branch != TP_BRANCH_RETURN)
		return put_branch(w, item, &in);
	bool relative = (in.attributes & ZYDIS_ATTRIB_HAS_MODRM) && in.raw.modrm.mod == 0 &&
			in.raw.modrm.rm == 5;
	unsigned char *begin = w->at;
	put(w, bytes, in.length);
	if (!relative)
		return true;
	if (in.raw.disp.size != 32)
		return false;
	uintptr_t target = (uintptr_t)bytes + in.length + (uintptr_t)in.raw.disp.value;
	int64_t distance = (int64_t)(target - (uintptr_t)w->at);
	int32_t stored = (int32_t)distance;
	memcpy(begin + in.raw.disp.offset, &stored, sizeof(stored));
	return distance == stored;
}

/* The distance of a direct branch is the end of its instruction. */
static void join_branches(struct writer *w, unsigned char *copy)
{
	const struct tp_stepper *stepper = w->stepper;
	for (size_t i = 0; i < stepper->n; i++) {
		const struct tp_instruction *in = &stepper->items[i].instruction;
		if (in->branch == TP_BRANCH_NONE || in->branch == TP_BRANCH_RETURN)
			continue;
		w->at = copy + w->places[i + 1] - 4;
		put_relative(w, (uintptr_t)copy +
					w->places[tp_stepper_at(stepper, in->target)->number]);
	}
}

static bool has_xsave(void)
{
	unsigned a, b, c = 0, d;
	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE);
}

void tp_x86_watch_prepare(struct tp_stepper *stepper)
{
	struct tp_code copy;
	if (stepper->prepared || stepper->by_traps)
		return;
	stepper->prepared = true;
	if (!has_xsave() ||
	    tp_code_init(&copy, THUNK_BYTES + stepper->n * MOST_BYTES, NULL) != TP_OK)
		return;
	struct writer w = { .at = copy.map, .stepper = stepper };
	w.places = calloc(stepper->n + 1, sizeof(*w.places));
	bool ok = w.places;
	if (ok)
		put_thunk(&w);
	for (size_t i = 0; i < stepper->n && ok; i++) {
		w.places[i] = (uint32_t)(w.at - (unsigned char *)copy.map);
		put_call(&w, (uint32_t)i);
		ok = put_instruction(&w, &stepper->items[i]);
	}
	if (ok) {
		size_t bytes = (size_t)(w.at - (unsigned char *)copy.map);
		w.places[stepper->n] = (uint32_t)bytes;
		join_branches(&w, copy.map);
		ok = tp_code_seal(&copy, bytes, NULL) == TP_OK;
	}
	free(w.places);
	if (ok)
		stepper->copy = copy;
	else
		tp_code_release(&copy);
}

void tp_x86_watch_call(const struct tp_stepper *stepper, void *data, uint64_t passes)
{
	tp_kernel_function function;
	const char *entry = (const char *)stepper->copy.map + THUNK_BYTES;
	memcpy(&function, &entry, sizeof(function));
	function(data, passes);
}

#endif
