/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an instruction does, as far as counting needs it. Zydis decodes it, and the tables here
 * classify it.
 */
#ifdef TP_ARCH_X86_64

#include "kernels/stepper.h"
#include "kernels/x86/watch.h"
#include "kernels/x86/x86.h"
#include "base/memory.h"

#include <Zydis/Zydis.h>
#include <string.h>
#include <ucontext.h>

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

/* The condition is in the low bits of the opcode, of the short (7x) and the near form (0F 8x). */
int tp_x86_condition(const ZydisDecodedInstruction *in)
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
			       "the code at %#zx is no instruction", at);
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
		item->condition = (int8_t)tp_x86_condition(&in);
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

#endif
