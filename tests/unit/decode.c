/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { DATA_REGISTER = 7, PASSES_REGISTER = 6, WHY_BYTES = 256, MAX_STEPS = 20000000 };

/* A move depends on its operands. For everything else the mnemonic is enough. */
static const struct {
	unsigned id;
	enum decoded_class class;
	unsigned element_bytes;
	bool scalar;
} vector_forms[] = {
	{ X86_INS_MOVAPD, DECODED_LOAD, 8, false },
	{ X86_INS_MOVAPS, DECODED_LOAD, 4, false },
	{ X86_INS_MOVSD, DECODED_LOAD, 8, true },
	{ X86_INS_MOVSS, DECODED_LOAD, 4, true },
	{ X86_INS_VMOVAPD, DECODED_LOAD, 8, false },
	{ X86_INS_VMOVAPS, DECODED_LOAD, 4, false },
	{ X86_INS_VMOVSD, DECODED_LOAD, 8, true },
	{ X86_INS_VMOVSS, DECODED_LOAD, 4, true },
	{ X86_INS_MOVNTPD, DECODED_NT_STORE, 8, false },
	{ X86_INS_MOVNTPS, DECODED_NT_STORE, 4, false },
	{ X86_INS_VMOVNTPD, DECODED_NT_STORE, 8, false },
	{ X86_INS_VMOVNTPS, DECODED_NT_STORE, 4, false },
	{ X86_INS_ADDPD, DECODED_ADD, 8, false },
	{ X86_INS_ADDPS, DECODED_ADD, 4, false },
	{ X86_INS_ADDSD, DECODED_ADD, 8, true },
	{ X86_INS_ADDSS, DECODED_ADD, 4, true },
	{ X86_INS_VADDPD, DECODED_ADD, 8, false },
	{ X86_INS_VADDPS, DECODED_ADD, 4, false },
	{ X86_INS_VADDSD, DECODED_ADD, 8, true },
	{ X86_INS_VADDSS, DECODED_ADD, 4, true },
	{ X86_INS_MULPD, DECODED_MUL, 8, false },
	{ X86_INS_MULPS, DECODED_MUL, 4, false },
	{ X86_INS_MULSD, DECODED_MUL, 8, true },
	{ X86_INS_MULSS, DECODED_MUL, 4, true },
	{ X86_INS_VMULPD, DECODED_MUL, 8, false },
	{ X86_INS_VMULPS, DECODED_MUL, 4, false },
	{ X86_INS_VMULSD, DECODED_MUL, 8, true },
	{ X86_INS_VMULSS, DECODED_MUL, 4, true },
	{ X86_INS_DIVPD, DECODED_DIV, 8, false },
	{ X86_INS_DIVPS, DECODED_DIV, 4, false },
	{ X86_INS_DIVSD, DECODED_DIV, 8, true },
	{ X86_INS_DIVSS, DECODED_DIV, 4, true },
	{ X86_INS_VDIVPD, DECODED_DIV, 8, false },
	{ X86_INS_VDIVPS, DECODED_DIV, 4, false },
	{ X86_INS_VDIVSD, DECODED_DIV, 8, true },
	{ X86_INS_VDIVSS, DECODED_DIV, 4, true },
	{ X86_INS_VFMADD231PD, DECODED_FMA, 8, false },
	{ X86_INS_VFMADD231PS, DECODED_FMA, 4, false },
	{ X86_INS_VFMADD231SD, DECODED_FMA, 8, true },
	{ X86_INS_VFMADD231SS, DECODED_FMA, 4, true },
	{ X86_INS_XORPS, DECODED_ZERO, 4, false },
	{ X86_INS_VXORPS, DECODED_ZERO, 4, false },
	{ X86_INS_VPXORQ, DECODED_ZERO, 8, false },
};

static const x86_reg general_64[16] = {
	X86_REG_RAX, X86_REG_RCX, X86_REG_RDX, X86_REG_RBX, X86_REG_RSP, X86_REG_RBP,
	X86_REG_RSI, X86_REG_RDI, X86_REG_R8,  X86_REG_R9,  X86_REG_R10, X86_REG_R11,
	X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15,
};
static const x86_reg general_32[16] = {
	X86_REG_EAX,  X86_REG_ECX,  X86_REG_EDX,  X86_REG_EBX,	X86_REG_ESP,  X86_REG_EBP,
	X86_REG_ESI,  X86_REG_EDI,  X86_REG_R8D,  X86_REG_R9D,	X86_REG_R10D, X86_REG_R11D,
	X86_REG_R12D, X86_REG_R13D, X86_REG_R14D, X86_REG_R15D,
};

/* Number and width of a register. False for registers that kernels must not use. */
static bool register_of(x86_reg reg, int *number, unsigned *bytes, bool *general)
{
	*general = false;
	if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM31) {
		*number = (int)(reg - X86_REG_XMM0);
		*bytes = 16;
		return true;
	}
	if (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM31) {
		*number = (int)(reg - X86_REG_YMM0);
		*bytes = 32;
		return true;
	}
	if (reg >= X86_REG_ZMM0 && reg <= X86_REG_ZMM31) {
		*number = (int)(reg - X86_REG_ZMM0);
		*bytes = 64;
		return true;
	}
	*general = true;
	for (int i = 0; i < 16; i++)
		if (reg == general_64[i] || reg == general_32[i]) {
			*number = i;
			*bytes = reg == general_64[i] ? 8 : 4;
			return true;
		}
	return false;
}

/* Looks at the bytes: nothing else begins with 62 and C4/C5 in 64-bit mode. */
static enum decoded_encoding encoding_of(const cs_insn *insn)
{
	return insn->bytes[0] == 0x62				  ? ENCODED_EVEX
	       : insn->bytes[0] == 0xc4 || insn->bytes[0] == 0xc5 ? ENCODED_VEX
								  : ENCODED_LEGACY;
}

/* Address of a memory operand: one 64-bit base register and a displacement, nothing else. */
static bool address_of(const cs_x86_op *op, struct decoded *d)
{
	unsigned bytes;
	bool general;
	d->displacement = op->mem.disp;
	return op->mem.index == X86_REG_INVALID && op->mem.segment == X86_REG_INVALID &&
	       register_of(op->mem.base, &d->base, &bytes, &general) && general && bytes == 8;
}

struct operands {
	int reg[3];
	unsigned n_registers, register_bytes;
	bool general, mixed; /* mixed: registers of different files or widths */
	const cs_x86_op *memory, *immediate;
	bool memory_first;
};

static bool operands_of(const cs_x86 *x86, struct operands *o)
{
	*o = (struct operands){ .reg = { -1, -1, -1 } };
	for (unsigned i = 0; i < x86->op_count; i++) {
		const cs_x86_op *op = &x86->operands[i];
		int number;
		unsigned bytes;
		bool general;
		switch (op->type) {
		case X86_OP_MEM:
			o->memory = op;
			o->memory_first = i == 0;
			break;
		case X86_OP_IMM:
			o->immediate = op;
			break;
		case X86_OP_REG:
			if (o->n_registers == 3 || !register_of(op->reg, &number, &bytes, &general))
				return false;
			if (o->n_registers && (bytes != o->register_bytes || general != o->general))
				o->mixed = true;
			o->reg[o->n_registers++] = number;
			o->register_bytes = bytes;
			o->general = general;
			break;
		default:
			return false;
		}
	}
	return true;
}

/* Loads and stores, of vector or general registers. */
static void transfer(struct decoded *d, const struct operands *o, bool nontemporal)
{
	if (o->n_registers != 1 || o->immediate || !address_of(o->memory, d))
		return;
	if (nontemporal && !o->memory_first)
		return;
	d->general = o->general;
	d->memory_bytes = d->scalar ? d->element_bytes : o->register_bytes;
	if (o->memory_first) {
		d->class = nontemporal ? DECODED_NT_STORE : DECODED_STORE;
		d->first = o->reg[0];
	} else {
		d->class = DECODED_LOAD;
		d->dst = o->reg[0];
	}
	/* Capstone must agree on the width. */
	if (o->memory->size != d->memory_bytes)
		d->class = DECODED_OTHER;
}

static void vector_instruction(struct decoded *d, const struct operands *o,
			       enum decoded_class class)
{
	bool move = class == DECODED_LOAD || class == DECODED_NT_STORE;
	if (o->general || o->mixed || o->immediate)
		return;
	if (move) {
		if (o->memory)
			transfer(d, o, class == DECODED_NT_STORE);
		return;
	}
	if (o->memory || o->n_registers < 2)
		return;
	d->dst = o->reg[0];
	/* Two operands: the destination is the first source. */
	d->first = o->n_registers == 3 ? o->reg[1] : o->reg[0];
	d->second = o->n_registers == 3 ? o->reg[2] : o->reg[1];
	if (class == DECODED_ZERO && (d->first != d->second || d->first != d->dst))
		return;
	if (class == DECODED_FMA && o->n_registers != 3)
		return;
	d->class = class;
}

static void general_instruction(struct decoded *d, const struct operands *o, unsigned id)
{
	d->general = true;
	d->element_bytes = o->register_bytes;
	d->dst = o->reg[0];
	d->number = o->immediate ? o->immediate->imm : 0;
	switch (id) {
	case X86_INS_LEA:
		if (o->memory && o->n_registers == 1 && address_of(o->memory, d))
			d->class = DECODED_MOVE;
		return;
	case X86_INS_MOV:
	case X86_INS_MOVABS:
	case X86_INS_MOVNTI:
		if (o->memory) {
			d->dst = -1;
			transfer(d, o, id == X86_INS_MOVNTI);
			return;
		}
		d->class = DECODED_MOVE;
		d->first = o->reg[1];
		return;
	case X86_INS_ADD:
		if (o->memory || o->register_bytes != 8)
			return;
		d->class = DECODED_COUNT;
		d->first = o->reg[0];
		d->second = o->reg[1];
		return;
	case X86_INS_DEC:
		if (o->memory || o->register_bytes != 8)
			return;
		d->class = DECODED_COUNT;
		d->first = o->reg[0];
		d->number = -1;
		return;
	default:
		d->class = DECODED_OTHER;
	}
}

static void classify(const cs_insn *insn, struct decoded *d)
{
	struct operands o;
	d->encoding = encoding_of(insn);
	d->dst = d->first = d->second = d->base = -1;
	switch (insn->id) {
	case X86_INS_NOP:
		d->class = DECODED_NOP;
		return;
	case X86_INS_SFENCE:
		d->class = DECODED_SFENCE;
		return;
	case X86_INS_VZEROUPPER:
		d->class = DECODED_VZEROUPPER;
		return;
	case X86_INS_RET:
		d->class = insn->detail->x86.op_count ? DECODED_OTHER : DECODED_RET;
		return;
	case X86_INS_JNE:
		d->class = DECODED_JUMP;
		d->number = insn->detail->x86.operands[0].imm;
		return;
	default:
		break;
	}
	if (!operands_of(&insn->detail->x86, &o))
		return;
	d->register_bytes = o.register_bytes;
	for (size_t i = 0; i < TP_COUNT_OF(vector_forms); i++)
		if (vector_forms[i].id == insn->id) {
			d->element_bytes = vector_forms[i].element_bytes;
			d->scalar = vector_forms[i].scalar;
			vector_instruction(d, &o, vector_forms[i].class);
			return;
		}
	if (o.general && !o.mixed)
		general_instruction(d, &o, insn->id);
}

static bool find_targets(struct program *p, char *why)
{
	p->first_target = p->n;
	p->last_jump = 0;
	for (size_t i = 0; i < p->n; i++) {
		struct decoded *d = &p->items[i];
		if (d->class != DECODED_JUMP)
			continue;
		size_t t = 0;
		while (t < p->n && (int64_t)p->items[t].at != d->number)
			t++;
		if (t > i) {
			snprintf(why, WHY_BYTES,
				 "at %zx: jump to %lld is not back to an instruction", d->at,
				 (long long)d->number);
			return false;
		}
		d->target = t;
		p->last_jump = i;
		if (t < p->first_target)
			p->first_target = t;
	}
	return true;
}

bool program_init(struct program *p, csh capstone, const struct tp_code *code, char *why)
{
	*p = (struct program){ 0 };
	cs_insn *insn = cs_malloc(capstone);
	const uint8_t *at = code->map;
	size_t left = code->bytes;
	uint64_t address = 0;
	bool ok = insn != NULL;
	snprintf(why, WHY_BYTES, "out of memory");
	while (ok && left) {
		size_t begin = code->bytes - left;
		TP_RESERVE(p->items, p->cap, p->n + 1);
		ok = cs_disasm_iter(capstone, &at, &left, &address, insn);
		if (!ok) {
			snprintf(why, WHY_BYTES, "at %zx: Capstone cannot read this", begin);
			break;
		}
		struct decoded *d = &p->items[p->n++];
		*d = (struct decoded){ .at = begin };
		classify(insn, d);
		snprintf(d->text, sizeof(d->text), "%s %s", insn->mnemonic, insn->op_str);
	}
	if (insn)
		cs_free(insn, 1);
	ok = ok && find_targets(p, why);
	if (!ok)
		program_release(p);
	return ok;
}

void program_release(struct program *p)
{
	free(p->items);
	*p = (struct program){ 0 };
}

csh decode_open(void)
{
	csh handle;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
		return 0;
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	return handle;
}

bool decoded_is_fp(const struct decoded *d)
{
	return d->class == DECODED_ADD || d->class == DECODED_MUL || d->class == DECODED_DIV ||
	       d->class == DECODED_FMA;
}

bool decoded_is_access(const struct decoded *d)
{
	return d->class == DECODED_LOAD || d->class == DECODED_STORE ||
	       d->class == DECODED_NT_STORE;
}

void walk_init(struct walk *walk, const struct program *program, uint64_t passes)
{
	*walk = (struct walk){ .program = program };
	walk->general[DATA_REGISTER].kind = WALK_DATA;
	walk->general[PASSES_REGISTER] = (struct walk_value){ WALK_NUMBER, (int64_t)passes };
}

static struct walk_value sum(struct walk_value a, struct walk_value b)
{
	bool known = (a.kind == WALK_NUMBER || a.kind == WALK_DATA) &&
		     (b.kind == WALK_NUMBER || b.kind == WALK_DATA);
	if (!known || (a.kind == WALK_DATA && b.kind == WALK_DATA))
		return (struct walk_value){ 0 };
	return (struct walk_value){ a.kind == WALK_DATA ? WALK_DATA : b.kind, a.n + b.n };
}

static const char *general_write(struct walk *walk, const struct decoded *d,
				 struct walk_value value)
{
	/* System V ABI: rbx, rsp, rbp, r12 to r15 belong to the caller. */
	static const bool callee_saved[16] = { [3] = true,  [4] = true,	 [5] = true, [12] = true,
					       [13] = true, [14] = true, [15] = true };
	if (callee_saved[d->dst])
		return "changes a register of the caller";
	walk->general[d->dst] = value;
	return NULL;
}

static const char *read_vector(const struct walk *walk, int reg)
{
	return reg >= 0 && !walk->initialised[reg] ? "reads a vector register nobody has set"
						   : NULL;
}

static const char *execute_access(struct walk *walk, const struct decoded *d)
{
	struct walk_value address = walk->general[d->base];
	walk->follows = address.kind == WALK_LOADED;
	if (address.kind != WALK_DATA && !walk->follows)
		return "address is not in the data";
	if (walk->follows && d->displacement)
		return "does not load where the pointer points";
	walk->offset = address.n + d->displacement;
	if (d->class != DECODED_LOAD)
		return d->general ? NULL : read_vector(walk, d->first);
	if (d->general)
		return general_write(walk, d, (struct walk_value){ WALK_LOADED, ++walk->loads });
	walk->initialised[d->dst] = true;
	return NULL;
}

static const char *execute_general(struct walk *walk, const struct decoded *d)
{
	struct walk_value number = { WALK_NUMBER, d->number };
	struct walk_value value = number;
	if (d->class == DECODED_COUNT) {
		value = sum(walk->general[d->first],
			    d->second >= 0 ? walk->general[d->second] : number);
		walk->flags = value;
	} else if (d->base >= 0) { /* lea */
		number.n = d->displacement;
		value = sum(walk->general[d->base], number);
	} else if (d->first >= 0) {
		value = walk->general[d->first];
	}
	/* A 32-bit move clears the upper half: right for small numbers, wrong for pointers. */
	if (d->register_bytes == 4 && (value.kind != WALK_NUMBER || value.n < 0))
		return "half of a register is moved";
	return general_write(walk, d, value);
}

static const char *execute(struct walk *walk, const struct decoded *d)
{
	const char *wrong;
	switch (d->class) {
	case DECODED_LOAD:
	case DECODED_STORE:
	case DECODED_NT_STORE:
		return execute_access(walk, d);
	case DECODED_ADD:
	case DECODED_MUL:
	case DECODED_DIV:
	case DECODED_FMA:
		wrong = read_vector(walk, d->first);
		if (!wrong)
			wrong = read_vector(walk, d->second);
		return wrong ? wrong : read_vector(walk, d->dst);
	case DECODED_ZERO:
		walk->initialised[d->dst] = true;
		return NULL;
	case DECODED_MOVE:
	case DECODED_COUNT:
		return execute_general(walk, d);
	case DECODED_JUMP:
		if (walk->flags.kind != WALK_NUMBER)
			return "jumps on something that is not a count";
		if (walk->flags.n != 0)
			walk->next = d->target;
		return NULL;
	case DECODED_NOP:
	case DECODED_SFENCE:
	case DECODED_VZEROUPPER:
	case DECODED_RET:
		return NULL;
	case DECODED_OTHER:
		break;
	}
	return "is not an instruction of a kernel";
}

const struct decoded *walk_next(struct walk *walk)
{
	const struct program *p = walk->program;
	if (walk->error[0] ||
	    (walk->steps && walk->next > 0 && p->items[walk->next - 1].class == DECODED_RET))
		return NULL;
	if (walk->next >= p->n || walk->steps++ > MAX_STEPS) {
		snprintf(walk->error, sizeof(walk->error), "%s",
			 walk->next >= p->n ? "runs past its end" : "does not end");
		return NULL;
	}
	const struct decoded *d = &p->items[walk->next++];
	const char *wrong = execute(walk, d);
	if (wrong) {
		snprintf(walk->error, sizeof(walk->error), "at %zx: %s: %s", d->at, d->text, wrong);
		return NULL;
	}
	return d;
}
