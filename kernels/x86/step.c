/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Single steps: by a copy of the code with calls in it or, where that is not possible,
 * by the trap flag (Intel SDM volume 1, EFLAGS; volume 3, single-step exception). With the flag
 * set, the CPU raises a debug exception after each instruction, and the kernel sends SIGTRAP to
 * the thread. A signal handler runs without the flag, and its return restores the flag with the
 * others.
 *
 * Zydis decodes what an instruction does, as far as counting needs it, and tables classify it.
 */
#ifdef TP_ARCH_X86_64

#include <Zydis/Zydis.h>
#include <cpuid.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "base/memory.h"
#include "kernels/step.h"
#include "kernels/x86/x86.h"

struct ZydisDecodedInstruction_;

/* Called by the copy before each instruction; registers as in a signal's context. */
void tp_x86_watched(uint64_t number, const uint64_t *registers);

/* Places of registers in the context of a signal, in the order of their encoding. */
static const int8_t register_places[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
					    REG_RSI, REG_RDI, REG_R8,  REG_R9,	REG_R10, REG_R11,
					    REG_R12, REG_R13, REG_R14, REG_R15 };
static const char *const plain_operations[] = { "add", "sub", "mul", "div", "sqrt" };
static const char *const fused_operations[] = { "fmadd",  "fmsub",    "fnmadd",
						"fnmsub", "fmaddsub", "fmsubadd" };
static const char *const fused_orders[] = { "132", "213", "231" };
static const struct {
	const char *suffix;
	unsigned element_bytes;
	bool scalar;
} precisions[] = { { "ps", 4, false }, { "pd", 8, false }, { "ss", 4, true }, { "sd", 8, true } };

/* True for hints: their memory operand is not accessed. */
static bool accesses_nothing(const ZydisDecodedInstruction *in)
{
	return in->meta.category == ZYDIS_CATEGORY_PREFETCH ||
	       in->meta.category == ZYDIS_CATEGORY_NOP ||
	       in->meta.category == ZYDIS_CATEGORY_WIDENOP ||
	       in->mnemonic == ZYDIS_MNEMONIC_CLFLUSH ||
	       in->mnemonic == ZYDIS_MNEMONIC_CLFLUSHOPT || in->mnemonic == ZYDIS_MNEMONIC_CLWB;
}

static const char *skip_word(const char *text, const char *const *words, size_t n)
{
	const char *best = NULL;
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(words[i]);
		/* The longest one: fmaddsub begins with fmadd. */
		if (strncmp(text, words[i], len) == 0 && (!best || text + len > best))
			best = text + len;
	}
	return best;
}

static void classify_fp(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
			struct tp_instruction *out)
{
	const char *name = ZydisMnemonicGetString(in->mnemonic);
	enum tp_fp_kind kind = TP_FP_KIND_PLAIN;
	if (*name == 'v')
		name++;
	const char *rest = skip_word(name, plain_operations, TP_COUNT_OF(plain_operations));
	if (!rest) {
		kind = TP_FP_KIND_FMA;
		rest = skip_word(name, fused_operations, TP_COUNT_OF(fused_operations));
		if (rest)
			rest = skip_word(rest, fused_orders, TP_COUNT_OF(fused_orders));
	}
	for (size_t i = 0; rest && i < TP_COUNT_OF(precisions); i++)
		if (strcmp(rest, precisions[i].suffix) == 0) {
			out->fp = kind;
			out->fp_element_bytes = precisions[i].element_bytes;
			out->fp_vector_bytes = precisions[i].scalar ? 0 : operands[0].size / 8u;
		}
}

static void classify_integer(const ZydisDecodedInstruction *in, struct tp_instruction *out)
{
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_BINARY:
	case ZYDIS_CATEGORY_LOGICAL:
	case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_ROTATE:
	case ZYDIS_CATEGORY_BITBYTE:
	case ZYDIS_CATEGORY_BMI1:
	case ZYDIS_CATEGORY_BMI2:
	case ZYDIS_CATEGORY_ADOX_ADCX:
		out->integer = true;
		break;
	default:
		out->integer = in->mnemonic == ZYDIS_MNEMONIC_LEA;
	}
}

static void classify_branch(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
			    size_t at, size_t code_bytes, struct tp_decoded *item)
{
	struct tp_instruction *out = &item->instruction;
	bool direct =
		operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operands[0].imm.is_relative;
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		out->branch = TP_BRANCH_CONDITIONAL;
		break;
	case ZYDIS_CATEGORY_UNCOND_BR:
		out->branch = direct ? TP_BRANCH_JUMP : TP_BRANCH_INDIRECT;
		break;
	case ZYDIS_CATEGORY_CALL:
		out->branch = TP_BRANCH_CALL;
		break;
	case ZYDIS_CATEGORY_RET:
		out->branch = TP_BRANCH_RETURN;
		break;
	default:
		return;
	}
	out->target = SIZE_MAX;
	if (!direct)
		return;
	int64_t target = (int64_t)(at + in->length) + operands[0].imm.value.s;
	if (target >= 0 && (uint64_t)target < code_bytes)
		out->target = (size_t)target;
}

/* The number of the condition of a conditional jump on flags; -1 for everything else. */
/* The condition is in the low bits of the opcode, of the short (7x) and the near form (0F 8x). */
static int x86_condition(const ZydisDecodedInstruction *in)
{
	bool short_form = in->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && (in->opcode & 0xf0) == 0x70;
	bool near_form = in->opcode_map == ZYDIS_OPCODE_MAP_0F && (in->opcode & 0xf0) == 0x80;
	return short_form || near_form ? in->opcode & 0xf : -1;
}

static int8_t register_place(ZydisRegister reg)
{
	if (reg == ZYDIS_REGISTER_NONE)
		return -1;
	if (ZydisRegisterGetClass(reg) != ZYDIS_REGCLASS_GPR64)
		return -2;
	return register_places[ZydisRegisterGetId(reg)];
}

/* NULL, or the reason why the operand cannot be followed. */
static const char *take_address(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o,
				uint64_t address, struct tp_address_form *form)
{
	*form = (struct tp_address_form){ .base = -1, .index = -1, .scale = 1 };
	if (o->mem.type != ZYDIS_MEMOP_TYPE_MEM)
		return "its memory operand is of a kind that cannot be followed";
	if (o->mem.segment == ZYDIS_REGISTER_FS || o->mem.segment == ZYDIS_REGISTER_GS)
		return "its address is relative to a segment";
	if (o->mem.disp.has_displacement)
		form->displacement = o->mem.disp.value;
	if (o->mem.base == ZYDIS_REGISTER_RIP) {
		form->displacement += (int64_t)(address + in->length);
		return NULL;
	}
	form->base = register_place(o->mem.base);
	form->index = register_place(o->mem.index);
	form->scale = o->mem.scale;
	if (form->base == -2 || form->index == -2)
		return "its address is not made of 64-bit registers";
	/*
	 * A push or a call writes one word below the address that the stack pointer has before it
	 * runs.
	 */
	if (o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && form->base == REG_RSP &&
	    (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
		form->displacement -= o->size / 8;
	return NULL;
}

static const char *take_operands(const ZydisDecodedInstruction *in,
				 const ZydisDecodedOperand *operands, uint64_t address,
				 struct tp_decoded *item)
{
	struct tp_instruction *out = &item->instruction;
	for (unsigned i = 0; i < in->operand_count && !accesses_nothing(in); i++) {
		const ZydisDecodedOperand *o = &operands[i];
		if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			continue;
		if (out->n_operands == TP_STEP_OPERANDS)
			return "it has too many memory operands";
		struct tp_memory_operand *operand = &out->operand[out->n_operands];
		operand->load = o->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
		operand->store = o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
		operand->bytes = o->size / 8u;
		const char *wrong = take_address(in, o, address, &item->form[out->n_operands++]);
		if (wrong)
			return wrong;
	}
	return NULL;
}

/* NULL, or the reason why the instruction cannot be stepped. */
static const char *refusal(const ZydisDecodedInstruction *in)
{
	if (in->attributes &
	    (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
		return "it is repeated";
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_SYSTEM:
		return "it enters the operating system";
	default:
		break;
	}
	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_POPFQ:
	case ZYDIS_MNEMONIC_PUSHFQ:
	case ZYDIS_MNEMONIC_POPF:
	case ZYDIS_MNEMONIC_PUSHF:
		return "it moves the trap flag, by which stepping works";
	default:
		return NULL;
	}
}

enum tp_status tp_x86_decode(const struct tp_code *code, size_t at, struct tp_decoded *item,
			     struct tp_diag *diag)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	struct tp_instruction *out = &item->instruction;
	const char *bytes = (const char *)code->map + at;
	if (!ZYAN_SUCCESS(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, code->bytes - at, &in, operands)))
		return tp_fail(diag, TP_UNSUPPORTED, "stepping", NULL,
			       "the code at %#zx is not an instruction", at);
	const char *wrong = refusal(&in);
	if (!wrong)
		wrong = take_operands(&in, operands, (uint64_t)(uintptr_t)bytes, item);
	out->length = in.length;
	classify_fp(&in, operands, out);
	classify_integer(&in, out);
	classify_branch(&in, operands, at, code->bytes, item);
	out->serialising = in.mnemonic == ZYDIS_MNEMONIC_LFENCE ||
			   in.mnemonic == ZYDIS_MNEMONIC_CPUID ||
			   in.mnemonic == ZYDIS_MNEMONIC_SERIALIZE;
	if (!wrong && out->branch == TP_BRANCH_CONDITIONAL && out->target == at + in.length) {
		item->condition = (int8_t)x86_condition(&in);
		if (item->condition < 0)
			wrong = "it goes to the next instruction on a condition that is not in the "
				"flags";
	}
	if (wrong)
		return tp_fail(diag, TP_UNSUPPORTED, "stepping", NULL,
			       "%s at %#zx cannot be stepped: %s",
			       ZydisMnemonicGetString(in.mnemonic), at, wrong);
	return TP_OK;
}

/*
 * Single steps without traps: a copy of the code with a call before each instruction. The call
 * saves all registers and flags, notifies the stepper, and restores everything, so the instruction
 * runs as in the original. Only branches and addresses relative to the code are rewritten. This is
 * some fifty times as fast as the trap flag. Code with indirect branches, with jumps out of the
 * buffer or between instructions cannot be copied and needs the trap flag.
 */
enum {
	RED_ZONE = 128, /* below the stack pointer, belongs to the code (System V ABI) */
	THUNK_BYTES = 16,
	CALL_BYTES = 23,
	MOST_BYTES = CALL_BYTES + 15, /* of an instruction with its call */
};

/* The assembly below writes this layout, and tp_x86_decode numbers registers by it. */
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
	if (!tp_stepper_decoded(w->stepper, item->instruction.target))
		return false;
	switch (item->instruction.branch) {
	case TP_BRANCH_JUMP:
		put(w, &(unsigned char){ 0xe9 }, 1);
		break;
	case TP_BRANCH_CALL:
		put(w, &(unsigned char){ 0xe8 }, 1);
		break;
	case TP_BRANCH_CONDITIONAL: {
		int condition = x86_condition(in);
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
		put_relative(w, (uintptr_t)copy + w->places[tp_stepper_decoded(stepper, in->target)
								    ->instruction.number]);
	}
}

static bool has_xsave(void)
{
	unsigned a, b, c = 0, d;
	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE);
}

/* Makes stepper->copy once, and leaves it empty if that is not possible. */
static void watch_prepare(struct tp_stepper *stepper)
{
	struct tp_code copy;
	if (stepper->prepared || stepper->by_traps)
		return;
	stepper->prepared = true;
	if (!has_xsave() ||
	    tp_code_init(&copy, THUNK_BYTES + stepper->n * MOST_BYTES, NULL) != TP_OK)
		return;
	struct writer w = { .at = copy.map, .stepper = stepper };
	w.places = tp_alloc(stepper->n + 1, sizeof(*w.places));
	bool ok = true;
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

static void watch_call(const struct tp_stepper *stepper, void *data, uint64_t passes)
{
	tp_kernel_function function;
	const char *entry = (const char *)stepper->copy.map + THUNK_BYTES;
	memcpy(&function, &entry, sizeof(function));
	function(data, passes);
}

enum { TRAP_FLAG = 0x100 };

/*
 * The disposition of a signal belongs to the process, so this state does too: the number of
 * threads that step, and the earlier disposition. Only the first and the last thread write it,
 * under the lock; handlers read it in between.
 */
static struct {
	pthread_mutex_t lock;
	unsigned steppers;
	struct sigaction before;
} disposition = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The stepper of this thread, for the signal handler. */
static _Thread_local struct tp_stepper *volatile stepping;

/* Condition codes as in Jcc: pairs of a test and its negation. */
static bool holds(int condition, uint64_t flags)
{
	bool carry = flags & 0x1, parity = flags & 0x4, zero = flags & 0x40, sign = flags & 0x80,
	     overflow = flags & 0x800;
	const bool tests[8] = { overflow,
				carry,
				zero,
				carry || zero,
				sign,
				parity,
				sign != overflow,
				zero || sign != overflow };
	return tests[condition >> 1] != (condition & 1);
}

static void judge(struct tp_stepper *stepper, uint64_t flags)
{
	if (stepper->current && stepper->current->condition >= 0)
		stepper->step.taken = holds(stepper->current->condition, flags);
}

static void pass_on(int number, siginfo_t *info, void *context)
{
	const struct sigaction *before = &disposition.before;
	if (before->sa_flags & SA_SIGINFO) {
		before->sa_sigaction(number, info, context);
	} else if (before->sa_handler == SIG_DFL) {
		/* Takes effect when this handler returns. */
		signal(number, SIG_DFL);
		raise(number);
	} else if (before->sa_handler != SIG_IGN) {
		before->sa_handler(number);
	}
}

static void trapped(int number, siginfo_t *info, void *context)
{
	struct tp_stepper *stepper = stepping;
	ucontext_t *at = context;
	greg_t *registers = at->uc_mcontext.gregs;
	/* With a code of 0 or less, another process or thread sent the signal. */
	if (!stepper || info->si_code <= 0 || !(registers[REG_EFL] & TRAP_FLAG)) {
		pass_on(number, info, context);
		return;
	}
	if (stepper->trap(stepper, (uintptr_t)registers[REG_RIP], (const uint64_t *)registers))
		judge(stepper, (uint64_t)registers[REG_EFL]);
	else
		registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

__attribute__((used)) void tp_x86_watched(uint64_t number, const uint64_t *registers)
{
	struct tp_stepper *stepper = stepping;
	stepper->trap(stepper, stepper->code_begin + stepper->items[number].at, registers);
	judge(stepper, registers[REG_EFL]);
}

static enum tp_status take_signal(struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	pthread_mutex_lock(&disposition.lock);
	if (!disposition.steppers) {
		struct sigaction ours = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };
		sigemptyset(&ours.sa_mask);
		if (sigaction(SIGTRAP, &ours, &disposition.before) != 0)
			status = tp_fail(diag, TP_UNSUPPORTED, "stepping", NULL,
					 "SIGTRAP cannot be handled: %s", strerror(errno));
	}
	if (status == TP_OK)
		disposition.steppers++;
	pthread_mutex_unlock(&disposition.lock);
	return status;
}

static void give_signal_back(void)
{
	pthread_mutex_lock(&disposition.lock);
	if (--disposition.steppers == 0)
		sigaction(SIGTRAP, &disposition.before, NULL);
	pthread_mutex_unlock(&disposition.lock);
}

/*
 * The flag is set right before the call. The first trap comes at the first instruction of the
 * function, and the last one after the call, where the handler clears the flag. It is cleared here
 * again in case no trap came at all.
 */
__attribute__((naked, noinline)) static void call_with_traps(__attribute__((unused))
							     tp_kernel_function function,
							     __attribute__((unused)) void *data,
							     __attribute__((unused))
							     uint64_t passes)
{
	__asm__("pushq %rbp\n\t"
		"movq %rsp, %rbp\n\t"
		"movq %rdi, %rax\n\t"
		"movq %rsi, %rdi\n\t"
		"movq %rdx, %rsi\n\t"
		"pushfq\n\t"
		"orq $0x100, (%rsp)\n\t"
		"popfq\n\t"
		"call *%rax\n\t"
		"pushfq\n\t"
		"andq $-0x101, (%rsp)\n\t"
		"popfq\n\t"
		"popq %rbp\n\t"
		"ret");
}

static enum tp_status step_by_traps(struct tp_stepper *stepper, void *data, uint64_t passes,
				    struct tp_diag *diag)
{
	sigset_t traps, before;
	enum tp_status status = take_signal(diag);
	if (status != TP_OK)
		return status;
	/* A trap that is blocked would end the process. */
	sigemptyset(&traps);
	sigaddset(&traps, SIGTRAP);
	pthread_sigmask(SIG_UNBLOCK, &traps, &before);
	stepping = stepper;
	call_with_traps(tp_code_function(stepper->code), data, passes);
	stepping = NULL;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	give_signal_back();
	if (stepper->lost)
		return tp_fail(diag, TP_FAILED, "stepping", NULL,
			       "the code went to a place where no instruction begins, after %#zx",
			       stepper->step.at);
	if (!stepper->ended)
		return tp_fail(diag, TP_UNSUPPORTED, "stepping",
			       "a debugger may have taken the traps",
			       "the code ended without having been stepped to its end");
	return TP_OK;
}

enum tp_status tp_x86_step(struct tp_stepper *stepper, void *data, uint64_t passes,
			   struct tp_diag *diag)
{
	if (stepping)
		return tp_fail(diag, TP_USAGE, "stepping", NULL,
			       "this thread is stepping other code already");
	watch_prepare(stepper);
	if (!stepper->copy.map || stepper->by_traps)
		return step_by_traps(stepper, data, passes, diag);
	stepping = stepper;
	watch_call(stepper, data, passes);
	stepping = NULL;
	/* The code ended with its return, and no later instruction shows where the return went. */
	stepper->trap(stepper, stepper->code_begin + stepper->code->bytes, NULL);
	return TP_OK;
}

#endif
