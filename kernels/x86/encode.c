/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/encode.h"

#include <string.h>

#include "kernels/x86/x86.h"

/* Not a multiple of any operand size, so it cannot become a compressed 8-bit displacement. */
enum { PROBE_DISPLACEMENT = 0x12345677 };

void tp_x86_fill(struct tp_assembler *as, size_t bytes)
{
	if (as->failed || (size_t)(as->end - as->at) < bytes ||
	    !ZYAN_SUCCESS(ZydisEncoderNopFill(as->at, bytes)))
		as->failed = true;
	else
		as->at += bytes;
}

static ZydisEncoderRequest request(ZydisMnemonic mnemonic)
{
	ZydisEncoderRequest r;
	memset(&r, 0, sizeof(r));
	r.machine_mode = ZYDIS_MACHINE_MODE_LONG_64;
	r.mnemonic = mnemonic;
	return r;
}

static void add_register(ZydisEncoderRequest *r, ZydisRegister reg)
{
	r->operands[r->operand_count].type = ZYDIS_OPERAND_TYPE_REGISTER;
	r->operands[r->operand_count++].reg.value = reg;
}

static void add_memory(ZydisEncoderRequest *r, ZydisRegister base, int32_t displacement,
		       unsigned bytes)
{
	ZydisEncoderOperand *o = &r->operands[r->operand_count++];
	o->type = ZYDIS_OPERAND_TYPE_MEMORY;
	o->mem.base = base;
	o->mem.displacement = displacement;
	o->mem.size = (ZyanU16)bytes;
}

static bool is_zmm(ZydisRegister reg)
{
	return reg >= ZYDIS_REGISTER_ZMM0 && reg <= ZYDIS_REGISTER_ZMM31;
}

/*
 * EVEX instructions have a mask operand after the destination (k0 = none). All others are encoded
 * in their short forms.
 */
static void add_mask(ZydisEncoderRequest *r, bool evex, bool masked)
{
	if (evex && masked)
		add_register(r, ZYDIS_REGISTER_K0);
	r->allowed_encodings =
		evex ? ZYDIS_ENCODABLE_ENCODING_EVEX
		     : ZYDIS_ENCODABLE_ENCODING_LEGACY | ZYDIS_ENCODABLE_ENCODING_VEX;
}

static void put(struct tp_x86_asm *as, const ZydisEncoderRequest *r)
{
	struct tp_assembler *out = &as->base;
	ZyanUSize length = (ZyanUSize)(out->end - out->at);
	if (length > ZYDIS_MAX_INSTRUCTION_LENGTH)
		length = ZYDIS_MAX_INSTRUCTION_LENGTH;
	if (out->failed || !ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(r, out->at, &length))) {
		out->failed = true;
		return;
	}
	out->at += length;
	out->instructions++;
}

/* The cached shape for `key`, or a free slot for it. */
static struct tp_x86_shape *shape(struct tp_x86_asm *as, uint64_t key)
{
	size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 55) % TP_X86_SHAPES;
	while (as->shapes[i].key && as->shapes[i].key != key)
		i = (i + 1) % TP_X86_SHAPES;
	return &as->shapes[i];
}

static uint64_t shape_key(unsigned kind, ZydisMnemonic mnemonic, ZydisRegister x, ZydisRegister y,
			  ZydisRegister z)
{
	return (uint64_t)(kind + 1) << 56 | (uint64_t)mnemonic << 36 | (uint64_t)x << 24 |
	       (uint64_t)y << 12 | (uint64_t)z;
}

static void put_shape(struct tp_x86_asm *as, const struct tp_x86_shape *s, int32_t displacement)
{
	struct tp_assembler *out = &as->base;
	if (out->failed || out->end - out->at < TP_X86_SHAPE_BYTES) {
		out->failed = true;
		return;
	}
	/* Copies more than the instruction, since a copy of fixed size is faster. */
	memcpy(out->at, s->bytes, TP_X86_SHAPE_BYTES);
	if (s->displacement_at)
		memcpy(out->at + s->displacement_at, &displacement, sizeof(displacement));
	out->at += s->length;
	out->instructions++;
}

static void learn(struct tp_x86_asm *as, struct tp_x86_shape *s, uint64_t key,
		  const ZydisEncoderRequest *r)
{
	ZyanUSize length = ZYDIS_MAX_INSTRUCTION_LENGTH;
	if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(r, s->bytes, &length))) {
		as->base.failed = true;
		return;
	}
	s->key = key;
	s->length = (uint8_t)length;
	const int32_t probe = PROBE_DISPLACEMENT;
	for (uint8_t i = 1; i + sizeof(probe) <= length; i++)
		if (memcmp(s->bytes + i, &probe, sizeof(probe)) == 0)
			s->displacement_at = i;
}

enum kind { LOAD, STORE, FOLLOW, OPERATION };

/* Adds the operands in the order of encoding. Only an operation has z. */
static void add_operands(ZydisEncoderRequest *r, enum kind kind, ZydisRegister x, ZydisRegister y,
			 ZydisRegister z, unsigned bytes)
{
	bool past_caches =
		r->mnemonic == ZYDIS_MNEMONIC_VMOVNTPD || r->mnemonic == ZYDIS_MNEMONIC_VMOVNTPS;
	if (kind == STORE) {
		add_memory(r, y, PROBE_DISPLACEMENT, bytes);
		add_mask(r, is_zmm(x), !past_caches);
		add_register(r, x);
		return;
	}
	add_register(r, x);
	add_mask(r, is_zmm(x), true);
	if (kind == OPERATION)
		add_register(r, y);
	else
		add_memory(r, y, kind == LOAD ? PROBE_DISPLACEMENT : 0, bytes);
	if (z != ZYDIS_REGISTER_NONE)
		add_register(r, z);
}

static inline __attribute__((always_inline)) void put_cached(struct tp_x86_asm *as, enum kind kind,
							     ZydisMnemonic mnemonic,
							     ZydisRegister x, ZydisRegister y,
							     ZydisRegister z, int32_t displacement,
							     unsigned bytes)
{
	uint64_t key = shape_key(kind, mnemonic, x, y, z);
	struct tp_x86_shape *s = shape(as, key);
	if (!s->key) {
		ZydisEncoderRequest r = request(mnemonic);
		add_operands(&r, kind, x, y, z, bytes);
		learn(as, s, key, &r);
	}
	put_shape(as, s, displacement);
}

void tp_x86_load(struct tp_x86_asm *as, ZydisMnemonic mnemonic, ZydisRegister reg,
		 ZydisRegister base, int32_t displacement, unsigned bytes)
{
	put_cached(as, LOAD, mnemonic, reg, base, ZYDIS_REGISTER_NONE, displacement, bytes);
}

void tp_x86_store(struct tp_x86_asm *as, ZydisMnemonic mnemonic, ZydisRegister reg,
		  ZydisRegister base, int32_t displacement, unsigned bytes)
{
	put_cached(as, STORE, mnemonic, reg, base, ZYDIS_REGISTER_NONE, displacement, bytes);
}

void tp_x86_follow(struct tp_x86_asm *as, ZydisRegister reg, unsigned bytes)
{
	put_cached(as, FOLLOW, ZYDIS_MNEMONIC_MOV, reg, reg, ZYDIS_REGISTER_NONE, 0, bytes);
}

void tp_x86_op(struct tp_x86_asm *as, ZydisMnemonic mnemonic, ZydisRegister dst, ZydisRegister a,
	       ZydisRegister b)
{
	put_cached(as, OPERATION, mnemonic, dst, a, b, 0, 0);
}

void tp_x86_op_imm(struct tp_x86_asm *as, ZydisMnemonic mnemonic, ZydisRegister dst, int64_t imm)
{
	ZydisEncoderRequest r = request(mnemonic);
	add_register(&r, dst);
	r.operands[r.operand_count].type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
	r.operands[r.operand_count++].imm.s = imm;
	put(as, &r);
}

void tp_x86_op1(struct tp_x86_asm *as, ZydisMnemonic mnemonic, ZydisRegister reg)
{
	ZydisEncoderRequest r = request(mnemonic);
	add_register(&r, reg);
	put(as, &r);
}

void tp_x86_op0(struct tp_x86_asm *as, ZydisMnemonic mnemonic)
{
	ZydisEncoderRequest r = request(mnemonic);
	put(as, &r);
}

static void add_address(ZydisEncoderRequest *r, const struct tp_x86_address *address,
			unsigned bytes)
{
	add_memory(r, address->base, address->displacement, bytes);
	ZydisEncoderOperand *o = &r->operands[r->operand_count - 1];
	o->mem.index = address->index;
	o->mem.scale = (ZyanU8)address->scale;
}

void tp_x86_load_indexed(struct tp_x86_asm *as, ZydisMnemonic mnemonic, ZydisRegister reg,
			 const struct tp_x86_address *address, unsigned bytes)
{
	ZydisEncoderRequest r = request(mnemonic);
	add_register(&r, reg);
	add_mask(&r, is_zmm(reg), true);
	add_address(&r, address, bytes);
	put(as, &r);
}

void tp_x86_store_indexed(struct tp_x86_asm *as, ZydisMnemonic mnemonic, ZydisRegister reg,
			  const struct tp_x86_address *address, unsigned bytes)
{
	ZydisEncoderRequest r = request(mnemonic);
	add_address(&r, address, bytes);
	add_mask(&r, is_zmm(reg), true);
	add_register(&r, reg);
	put(as, &r);
}

void tp_x86_gather(struct tp_x86_asm *as, ZydisMnemonic mnemonic, ZydisRegister dst,
		   ZydisRegister mask, const struct tp_x86_address *address, unsigned bytes)
{
	bool evex = mask >= ZYDIS_REGISTER_K0 && mask <= ZYDIS_REGISTER_K7;
	ZydisEncoderRequest r = request(mnemonic);
	r.allowed_encodings = evex ? ZYDIS_ENCODABLE_ENCODING_EVEX : ZYDIS_ENCODABLE_ENCODING_VEX;
	add_register(&r, dst);
	if (evex)
		add_register(&r, mask);
	add_address(&r, address, bytes);
	if (!evex)
		add_register(&r, mask);
	put(as, &r);
}

void tp_x86_memory(struct tp_x86_asm *as, ZydisMnemonic mnemonic,
		   const struct tp_x86_address *address, unsigned bytes)
{
	ZydisEncoderRequest r = request(mnemonic);
	add_address(&r, address, bytes);
	put(as, &r);
}

void tp_x86_lea(struct tp_x86_asm *as, ZydisRegister reg, const struct tp_x86_address *address)
{
	tp_x86_load_indexed(as, ZYDIS_MNEMONIC_LEA, reg, address, 8);
}

size_t tp_x86_jump_forward(struct tp_x86_asm *as, ZydisMnemonic mnemonic)
{
	ZydisEncoderRequest r = request(mnemonic);
	r.branch_width = ZYDIS_BRANCH_WIDTH_32;
	r.operands[0].type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
	r.operand_count = 1;
	put(as, &r);
	return tp_asm_here(&as->base);
}

/* The distance is the last four bytes of a near jump, counted from its end. */
static void aim(struct tp_x86_asm *as, size_t jump_end, size_t target)
{
	int32_t distance = (int32_t)((int64_t)target - (int64_t)jump_end);
	if (!as->base.failed)
		memcpy(as->base.start + jump_end - sizeof(distance), &distance, sizeof(distance));
}

void tp_x86_land(struct tp_x86_asm *as, size_t jump)
{
	aim(as, jump, tp_asm_here(&as->base));
}

void tp_x86_jump_back(struct tp_x86_asm *as, ZydisMnemonic mnemonic, size_t target)
{
	aim(as, tp_x86_jump_forward(as, mnemonic), target);
}

/* The bytes of TDPBF16PS for those of TDPFP16PS; false if `code` does not begin with that. */
static bool other_product(const void *code, size_t bytes, uint8_t other[TP_X86_TDP_BYTES])
{
	const uint8_t *at = code;
	if (bytes < TP_X86_TDP_BYTES || at[0] != 0xc4 || at[1] != 0xe2 || (at[2] & 0x87) != 3 ||
	    at[3] != 0x5c)
		return false;
	memcpy(other, at, TP_X86_TDP_BYTES);
	other[TP_X86_TDP_PP_AT] ^= TP_X86_TDP_HALF;
	return true;
}

/* Decodes an instruction, TDPFP16PS as TDPBF16PS if Zydis lacks it, which *other reports. */
static bool decode(const ZydisDecoder *decoder, const void *code, size_t bytes,
		   ZydisDecodedInstruction *instruction, ZydisDecodedOperand *operands, bool *other)
{
	uint8_t product[TP_X86_TDP_BYTES];
	*other = false;
	if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, code, bytes, instruction, operands)))
		return true;
	*other = other_product(code, bytes, product);
	return *other && ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, product, sizeof(product),
							     instruction, operands));
}

enum tp_status tp_x86_disassemble(const void *code, size_t bytes, struct tp_str *out)
{
	ZydisDecoder decoder;
	ZydisFormatter formatter;
	if (!ZYAN_SUCCESS(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    !ZYAN_SUCCESS(ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL)))
		return TP_INTERNAL;
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_FORCE_SIZE, ZYAN_TRUE);
	for (size_t at = 0; at < bytes;) {
		ZydisDecodedInstruction instruction;
		ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
		char text[128];
		bool other;
		if (!decode(&decoder, (const char *)code + at, bytes - at, &instruction, operands,
			    &other))
			return TP_INTERNAL;
		/*
		 * Addresses are relative to the kernel's start, so that the text does not change
		 * from run to run.
		 */
		if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(
			    &formatter, &instruction, operands, instruction.operand_count_visible,
			    text, sizeof(text), at, NULL)))
			return TP_INTERNAL;
		if (other)
			memcpy(text, "tdpfp16ps", strlen("tdpfp16ps"));
		tp_str_printf(out, "%6zx:  %s\n", at, text);
		at += instruction.length;
	}
	return TP_OK;
}

#endif
